// host/session.h -- an open FastRPC session with our NPU library in it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/hardware.h"
#include "host/batch_queue.h"
#include "host/domains.h"
#include "host/htp_iface.h"
#include "host/options.h"

namespace hexane::host {

// A session number of a core, which the driver has set aside.
struct reservation {
    uint32_t session_id;
    int domain;  // effective id
};

// What a session is opened with.
struct session_config {
    std::string name;  // of the device
    domain core;
    uint32_t virtual_session = 0;
    uint32_t arch = 0;   // picks libggml-htp-v<arch>.so
    uint32_t n_hvx = 0;  // 0: all
    bool use_hmx = true;
    std::chrono::seconds deadline{60};
    bool spin = false;
    batch_limits limits{};
};

// Used with the device locked. Buffers belong to the host process: a session only maps them, and another one may map
// them later.
class session {
  public:
    // The whole sequence: reserve, allow unsigned modules, URI, open, hwinfo, latency, queue, start, known answers.
    // Null on failure; then `why` names the step and what the driver said. `kept` holds a reservation that no session has
    // used so far: a core has few, and the driver takes one back only with a module that was open.
    static std::unique_ptr<session> open(const fastrpc &rpc, const session_config &config,
                                         std::optional<reservation> *kept, std::string *why);
    // In order: stop, queue, module. A session that is broken has its process ended instead of being asked to stop.
    ~session();
    session(const session &) = delete;
    session &operator=(const session &) = delete;

    const std::string &name() const { return config_.name; }
    const hardware &hw() const { return hw_; }
    uint64_t serial() const { return serial_; }
    batch_queue &queue() { return queue_; }
    const batch_limits &queue_limits() const { return config_.limits; }
    std::chrono::seconds deadline() const { return config_.deadline; }

    // Makes a buffer known to the driver, once. An AEE code. The NPU maps it when a batch uses it.
    int map(mappable &m);
    // Both sides forget the buffer. REQUIRES: no batch in flight uses it. An AEE code; then the session is broken, since it
    // might take the next buffer with the same descriptor number for this one.
    int forget(mappable &m);

    wait_result wait() { return queue_.wait(config_.deadline, config_.spin); }
    // Its process has ended while nothing was asked of it. REQUIRES: queue().idle().
    bool gone() { return queue_.peer_gone(); }
    // It died or does not answer: nothing is asked of it any more.
    void mark_broken() { broken_ = true; }
    bool broken() const { return broken_; }

  private:
    struct step;
    session(const fastrpc &rpc, const session_config &config, std::optional<reservation> *kept);

    int reserve();
    int reserve_new();
    int allow_unsigned();
    int open_module();
    int read_hwinfo();
    int request_latency();
    int create_queue();
    int map_slots();
    int start();
    int check_known_answers();
    std::string module_uri() const;
    // True when the NPU side has let go of everything.
    bool stop();
    void end();

    const fastrpc &rpc_;
    session_config config_;
    std::optional<reservation> *kept_;  // while it is opened
    htp_iface module_;
    batch_queue queue_;
    hardware hw_{};
    hwinfo_result info_{};
    uint64_t serial_;
    uint64_t queue_id_ = 0;
    uint32_t session_id_ = 0;
    int domain_ = -1;       // effective id
    bool started_ = false;  // it was asked to, whatever it answered
    bool broken_ = false;
    std::string problem_;  // of a step that no code describes
    std::vector<mappable *> mapped_;
};

}  // namespace hexane::host
