// virtual/session/watchdog.h -- the end of this process when the host's side is gone, whatever its kernels are doing.
#pragma once

namespace hexane::virt {

// Starts the thread that ends the process when the control socket closes or the host process dies.
bool start_watchdog(int control, int host_pid);

// Makes crashes of NPU code leave a line with session and thread, and lets the terminal's signals pass.
void install_signal_handlers();

}  // namespace hexane::virt
