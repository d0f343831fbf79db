// virtual/driver/forks.cpp
#include "virtual/driver/forks.h"

#include <pthread.h>

#include <atomic>

#include "virtual/driver/directory.h"
#include "virtual/driver/log.h"
#include "virtual/driver/plain_library.h"

namespace hexane::virt {

namespace {

std::atomic<uint32_t> n_sessions{0};
std::atomic<bool> inherited_sessions{false};

// No other thread holds a lock of ours in the moment of the fork: the copy could never take it.
void before_fork() {
    the_directory().lock_for_fork();
    lock_memory_for_fork();
}
void after_fork() {
    unlock_memory_after_fork();
    the_directory().unlock_after_fork();
}
void after_fork_in_child() {
    after_fork();
    if (n_sessions.load() > 0) inherited_sessions.store(true);
}

void tell_once() {
    static std::atomic<bool> told{false};
    if (told.exchange(true)) return;
    log_line(
        "this process was forked while sessions of its parent were open: they cannot be used here, nor others be opened; "
        "fork before the first one, or start a program of its own");
}

}  // namespace

counted_session::counted_session() { n_sessions.fetch_add(1); }
counted_session::~counted_session() { n_sessions.fetch_sub(1); }

bool is_forked_child() {
    static const int installed = pthread_atfork(before_fork, after_fork, after_fork_in_child);
    (void)installed;
    const bool inherited = inherited_sessions.load(std::memory_order_relaxed);
    if (inherited) tell_once();
    return inherited;
}

}  // namespace hexane::virt
