// virtual/driver/process.h -- starting the session process and learning of its end, without touching the host program's children.
#pragma once

#include <sys/types.h>

#include <string>

#include "virtual/channel/futex.h"
#include "virtual/channel/owned_fd.h"
#include "virtual/description/device_description.h"

namespace hexane::virt {

struct child_process {
    owned_fd pidfd;
    pid_t pid = -1;
};

// Starts the mode's session program, which lies beside this library, with `control` as its descriptor 3, stdin from /dev/null and
// everything else closed. Before it stand the words of GGML_HEXAGON_VIRTUAL_LAUNCHER and the mode's own: qemu-hexagon.
// The child sends no SIGCHLD and is invisible to the host program's wait(). False after one log line.
bool spawn_session_process(int control, session_mode mode, const std::string &title, child_process *child);

enum class child_state { running, exited, reaped_elsewhere };

// Reaps the child if it has ended; `how` says in words how.
child_state poll_child(const child_process &child, std::string *how);

void kill_child(const child_process &child);

}  // namespace hexane::virt
