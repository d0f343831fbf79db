// host/graph_run.h -- graph_compute: scan, plan, batch, send, wait.
#pragma once

#include <optional>
#include <string>

#include "host/graph_cache.h"
#include "host/graph_scan.h"
#include "host/session.h"

namespace hexane::host {

class device;
class recorder;

// Runs graphs on one device, one at a time. Reused, so that a graph that is known costs no allocation.
class graph_run {
  public:
    explicit graph_run(device &d);

    // Computes every step and returns when the last one has been answered. False when anything failed: one line has
    // been logged, and the float results of the graph read as NaN. Never throws, never waits beyond the deadline.
    bool compute(ggml_cgraph *graph) noexcept;

  private:
    bool run(ggml_cgraph *graph);
    bool send_all(size_t from);
    bool send_recorded(recorder &to, size_t from);
    // The plan of step i: from the cache, or made now and kept for the cache.
    const planned_step *planned(size_t i);
    bool make_plan(size_t i);
    const tensor_desc *operands_of(const planned_step &p) const;
    bool add(size_t i);
    bool flush();
    bool receive();
    bool drain();
    void account(const wait_result &r);

    // Each logs its line and keeps it in problem_.
    bool fail(const std::string &problem);
    // `at`: the step that the session was at.
    bool fail_session(const std::string &problem, size_t at);
    // The session's process is gone. Where it had begun nothing of what it was sent, a new one is to go on from there.
    bool lose_session(int code, size_t at);
    bool resume();
    size_t step_at(const wait_result &r) const;
    bool fail_op(const wait_result &r);
    void abandon(ggml_cgraph *graph);
    void poison_results(ggml_cgraph *graph);

    device &device_;
    session *session_ = nullptr;
    graph_scan scan_;
    batch_builder builder_;
    size_t first_in_batch_ = 0;
    std::optional<size_t> resume_from_;  // a session died before it began this node
    uint32_t resumed_ = 0;               // in this graph
    hardware planned_for_{};
    const graph_plan *known_ = nullptr;
    graph_plan fresh_;
    std::string problem_;
};

}  // namespace hexane::host
