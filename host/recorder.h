// host/recorder.h -- GGML_HEXAGON_RECORD: writes each op of a run into a folder, as host/op_record.h has it.
//
// A device that records runs op by op, one batch each: an op's operands are taken before it is sent and its result when
// it has been answered, so that what a file says is what that op alone read and wrote.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "host/graph_cache.h"
#include "host/op_record.h"
#include "host/options.h"
#include "host/step.h"

namespace hexane::host {

class device;

// One for all devices of the process. A folder that cannot be written costs one line, and nothing more is recorded;
// the run goes on. Nothing here throws.
class recorder {
  public:
    // Null when the options ask for no recording or the folder cannot be made.
    static std::unique_ptr<recorder> create(const options &o);

    // What is known of an op before it runs, its operands' bytes included.
    struct pending {
        bool wanted = false;
        op_record record;
        std::string kind;  // same kind: same op, parameters, shapes and plan
    };
    // A step as graph_run has it.
    struct work {
        const device &where;
        const hardware &hw;
        const struct step &step;
        std::string_view key;
        const planned_step &plan;
    };

    // REQUIRES: the device is locked and nothing is in flight.
    pending before(const work &w) noexcept;
    // `failure`: empty if the op ran, else why it did not; such an op is written however many there are of its kind.
    void after(pending &p, const ggml_tensor &result, const std::string &failure) noexcept;

  private:
    recorder(const options &o, uint64_t number) : options_(o), number_(number) {}
    bool counts(const std::string &kind);
    void write(op_record &r);
    void give_up(const std::string &why);

    const options &options_;
    std::mutex mutex_;
    std::atomic<bool> broken_{false};
    uint64_t number_;  // of the op that was last asked about
    std::unordered_map<std::string, uint32_t> copies_;
};

}  // namespace hexane::host
