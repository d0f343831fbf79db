// virtual/driver/directory.h -- the cores and sessions of the virtual Snapdragon, by name and by number, and the order of steps.
//
// Numbers look like those of recent devices and unlike those of older ones, so that nobody builds them into a program: core c is
// domain id 1000 + c with the name "nsp1000" + c; session s of it has the effective domain id (1000 + c) * 100 + s.
// For programs without discovery the names cdsp and cdsp1 and the numbers 3 and 4 mean the first two cores.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "platform/remote.h"
#include "virtual/driver/session.h"

namespace hexane::virt {

inline constexpr uint32_t sessions_per_core = 4;

std::string core_name(uint32_t core);
int core_domain_id(uint32_t core);

class directory {
  public:
    // Core of a domain name, of a domain id or an effective one; nothing when the described device has no such core.
    static std::optional<uint32_t> core_of_name(std::string_view name);
    static std::optional<uint32_t> core_of_id(int id);

    // -- remote_session_control
    AEEResult reserve(uint32_t core, uint32_t *number, uint32_t *effective_id);
    AEEResult effective_id(uint32_t core, uint32_t number, uint32_t *effective_id);
    AEEResult allow_unsigned(int effective_id, bool enable);

    // -- modules
    AEEResult open(const module_uri &uri, remote_handle64 *handle);
    AEEResult close(remote_handle64 handle);
    AEEResult invoke(remote_handle64 handle, uint32_t scalars, remote_arg *arguments);
    bool knows(remote_handle64 handle);

    // Around a fork (virtual/driver/forks.cpp).
    void lock_for_fork() { lock_.lock(); }
    void unlock_after_fork() { lock_.unlock(); }

    // Running session of an effective domain id; -1 is the first session of the first core. Null when there is none.
    std::shared_ptr<session> running(int effective_id);

  private:
    struct slot {
        bool reserved = false;
        bool unsigned_allowed = false;
        std::shared_ptr<session> running;
    };
    struct module {
        uint32_t core, number;
        std::shared_ptr<session> owner;
        uint32_t id;
    };
    struct place {
        uint32_t core, number;
    };

    static std::optional<place> place_of(int effective_id);
    slot &at(uint32_t core, uint32_t number);
    AEEResult check_open(const module_uri &uri, place *where);
    std::optional<module> find(remote_handle64 handle);

    std::mutex lock_;       // the tables
    std::mutex open_lock_;  // one open or close at a time
    std::map<std::pair<uint32_t, uint32_t>, slot> slots_;
    std::map<remote_handle64, module> modules_;
    uint64_t opened_ = 0;
};

directory &the_directory();

}  // namespace hexane::virt
