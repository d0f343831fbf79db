// htp/work_queue.h -- fork and join over the session's HVX threads.
#pragma once

#include <stdint.h>

#include "abi/arch.h"
#include "base/share.h"
#include "base/traits.h"
#include "htp/dma_queue.h"
#include "htp/status.h"
#include "htp/trace.h"

namespace hexane::htp {

// Division by a number of threads. REQUIRES: 1 <= n <= max_threads.
const base::fastdiv &by_threads(uint32_t n);

// What one thread of a job has to itself: its place, its DMA queue, its trace.
struct worker {
    uint32_t index;  // 0 .. count-1
    uint32_t count;  // threads of this job
    dma_queue &dma;
    trace_log &trace;

    // This worker's contiguous share of `total` items, see base::share.
    base::range share_of(uint32_t total, const base::fastdiv &granule = {}) const {
        return base::share(total, index, by_threads(count), granule);
    }
};

// Threads are created when the session starts and sleep on a futex between batches. The caller of run() is worker 0.
class work_queue {
  public:
    // Runs job(worker &) on `n_threads` threads and returns when all have returned; the failure of the lowest worker index wins.
    // A barrier inside a job does not exist: a kernel with phases calls run() once per phase.
    // REQUIRES: 1 <= n_threads <= threads(); called by the session's main thread only, not from within a job.
    template <class Job> status run(uint32_t n_threads, Job &&job) {
        return run_erased(
            n_threads, [](void *j, worker &w) { return (*static_cast<base::remove_reference_t<Job> *>(j))(w); }, &job);
    }

    uint32_t threads() const { return n_threads_; }
    // Worker whose status run() returned last; meaningful after a failure.
    uint32_t failed_worker() const { return failed_worker_; }

    // The session's side of it.
    // Creates n_threads - 1 threads; thread i uses queues[i] and traces[i], the caller's are queues[0] and traces[0].
    status start(uint32_t n_threads, dma_queue *queues, trace_log *traces, uint8_t *stacks);
    void stop();
    // A batch begins: the threads wait for jobs by spinning. A batch has ended: they go to sleep.
    void wake();
    void sleep();

    static constexpr uint32_t stack_bytes = 32u << 10;

  private:
    using erased_job = status (*)(void *, worker &);
    struct thread_start {
        work_queue *queue;
        uint32_t index;
    };

    status run_erased(uint32_t n_threads, erased_job job, void *data);
    status run_as(uint32_t index, uint32_t count);
    static void thread_entry(void *start);
    void serve(uint32_t index);
    uint32_t await_announcement(uint32_t seen) const;
    void announce(uint32_t job_threads);

    uint32_t n_threads_ = 0;
    uint32_t failed_worker_ = 0;
    dma_queue *queues_ = nullptr;
    trace_log *traces_ = nullptr;
    erased_job job_ = nullptr;
    void *job_data_ = nullptr;
    status results_[max_threads]{};
    thread_start starts_[max_threads]{};
    uint32_t thread_ids_[max_threads]{};
    // Announcement: a counter in the high 24 bits and the number of threads of the job in the low 8, in one word, so that a thread
    // that is not in a job never looks at the job's fields, which the next job may be overwriting. Also the futex that threads sleep on.
    alignas(line_bytes) uint32_t announcement_ = 0;
    uint32_t awake_ = 0;  // threads spin rather than sleep
    uint32_t stopping_ = 0;
    alignas(line_bytes) uint32_t pending_ = 0;  // threads that have not finished the job
};

}  // namespace hexane::htp
