// virtual/driver/forks.h -- what a forked copy of the host program may do.
//
// Sessions belong to the process that opened them. A copy made while there are none starts afresh and opens its own; in a copy made while
// there were some, every function fails, and the first one says why.
#pragma once

#include <stdint.h>

namespace hexane::virt {

// Counts a session from before its process starts until it has ended. One member of each session.
class counted_session {
  public:
    counted_session();
    ~counted_session();
    counted_session(const counted_session &) = delete;
    counted_session &operator=(const counted_session &) = delete;
};

// True in a process that was forked while sessions were open.
bool is_forked_child();

}  // namespace hexane::virt
