// host/stats.h -- what ran, how long, and how many bytes the DMA moved: GGML_HEXAGON_STATS.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "abi/batch.h"
#include "abi/op_id.h"

namespace hexane::host {

class op_table;

struct op_totals {
    uint64_t count = 0;
    uint64_t usecs = 0;
    uint64_t dma_read_bytes = 0;
    uint64_t dma_weight_bytes = 0;
    uint64_t dma_write_bytes = 0;
    uint64_t src0_bytes = 0;  // of MUL_MAT: what the weights take in ggml's layout
};

// Sums of one device since the process began; sessions come and go. Any thread.
class stats {
  public:
    void add_session();
    void add_graph();
    void add_batch(uint64_t usecs);
    void add_op(op_id op, const op_report &report, uint64_t src0_bytes);

    struct totals {
        uint64_t sessions = 0, graphs = 0, batches = 0, batch_usecs = 0;
        std::vector<op_totals> ops;  // by id, as far as any has run
        void add(const totals &other);
    };
    totals read() const;

  private:
    mutable std::mutex mutex_;
    totals totals_;
};

// {"device": ..., "sessions": n, "graphs": n, "batches": n, "batch_usecs": n, "ops": [{"name": "MUL_MAT", "count": n,
// ...}, ...]}
std::string to_json(const stats::totals &t, const std::string &device, const op_table &names);

// Replaces the file. False, with one line in the log, when it cannot be written.
bool write_stats(const std::string &path, const std::string &json);

}  // namespace hexane::host
