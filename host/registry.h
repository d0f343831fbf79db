// host/registry.h -- what the plug-in is made of: options, driver, table of ops, devices. No session work.
#pragma once

#include <memory>
#include <vector>

#include "host/device.h"
#include "host/fastrpc.h"
#include "host/op_table.h"
#include "host/options.h"
#include "host/recorder.h"

namespace hexane::host {

// One per process, never destroyed: other threads may still use it while the process ends.
class registry {
  public:
    // The instance; reads the environment and loads the driver on the first call. Any thread.
    static registry &get();

    size_t size() const { return devices_.size(); }
    device &at(size_t i) const { return *devices_[i]; }

    // Writes GGML_HEXAGON_STATS, if it is set and a session was ever open.
    void write_statistics() const;

  private:
    registry();
    // Whether the core of this device has a session for it beside those of the devices that are registered.
    bool has_session_left(const device_spec &spec) const;
    void add_device(const device_spec &spec, const std::vector<domain> &domains);
    void close_sessions();
    static void at_exit();

    options options_;
    fastrpc rpc_;
    std::unique_ptr<op_table> ops_;
    std::unique_ptr<recorder> recorder_;
    std::vector<std::unique_ptr<device>> devices_;
};

}  // namespace hexane::host
