// tests/virtual/stand_in_session.h -- the full sequence of a device around the stand-in library.
#pragma once

#include <stdint.h>

#include <set>
#include <string>

#include "platform/dspqueue.h"
#include "platform/remote.h"
#include "platform/rpcmem.h"
#include "tests/virtual/stand_in_interface.h"

namespace stand_in {

// Sets GGML_HEXAGON_VIRTUAL and the search path for the stand-in.
void describe_device(const char *description);

// Name of the first NPU domain.
std::string first_domain();
int effective_id(const std::string &domain, uint32_t session);
int allow_unsigned(int effective_id, bool allow = true);
std::string uri_of(const std::string &domain, uint32_t session, const char *entry = stand_in::entry,
                   const char *library = stand_in::library);

// An open session of the first domain; closed at the end of the scope.
class open_session {
  public:
    explicit open_session(uint32_t number = 0, const char *entry = stand_in::entry,
                          const char *library = stand_in::library);
    ~open_session();
    open_session(const open_session &) = delete;

    int error = -1;  // of the step that failed
    int domain = -1;
    remote_handle64 handle = 0;

    template <class In, class Out> int call(uint32_t scalars, const In &in, Out *out) {
        In copy = in;
        remote_arg a[2]{};
        a[0].buf = {&copy, sizeof copy};
        a[1].buf = {out, sizeof *out};
        return remote_handle64_invoke(handle, scalars, a);
    }
    template <class In> int call(uint32_t scalars, const In &in) {
        In copy = in;
        remote_arg a[1]{};
        a[0].buf = {&copy, sizeof copy};
        return remote_handle64_invoke(handle, scalars, a);
    }
    int call(uint32_t scalars) { return remote_handle64_invoke(handle, scalars, nullptr); }
    int close();
};

// A queue that the session has imported; stopped and closed at the end of the scope.
class open_queue {
  public:
    explicit open_queue(open_session &session, uint32_t request_bytes = 0, uint32_t response_bytes = 0);
    ~open_queue();
    open_queue(const open_queue &) = delete;

    int error = -1;
    dspqueue_t queue = nullptr;

    int send(const std::string &message, uint32_t n_buffers = 0, dspqueue_buffer *buffers = nullptr);
    int receive(std::string *message, uint32_t timeout_us);

  private:
    open_session &session_;
};

// Processes that this process started and that exist, zombies included: /proc entries with our pid as parent.
std::set<int> child_processes();
size_t open_descriptors();
// Waits up to `ms` for `condition`.
template <class Condition> bool eventually(uint32_t ms, Condition condition);
void sleep_ms(uint32_t ms);

template <class Condition> bool eventually(uint32_t ms, Condition condition) {
    for (uint32_t waited = 0; waited < ms; waited += 2) {
        if (condition()) return true;
        sleep_ms(2);
    }
    return condition();
}

}  // namespace stand_in
