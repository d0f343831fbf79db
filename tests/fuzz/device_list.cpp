// tests/fuzz/device_list.cpp -- any text as GGML_HEXAGON_DEVICES: refused with a reason, or devices that can exist.
#include <algorithm>

#include "host/device_spec.h"
#include "tests/fuzz/expect.h"

namespace hexane::fuzz {
namespace {

using namespace host;

void check_device(const device_spec &d) {
    expect(!d.name.empty(), "a device without a name");
    expect(d.core < max_cores && d.virtual_session < max_virtual_sessions,
           "a device on a core or session that cannot be");
    for (const uint32_t m : d.members) {
        expect(m < max_cores, "a group with a core that cannot be");
        expect(std::count(d.members.begin(), d.members.end(), m) == 1, "a group with a core twice");
    }
    if (d.is_group()) expect(d.core == d.members.front(), "a group that is not on its first core");
}

// What was understood, written again, means the same.
void check_round_trip(const device_list &list) {
    std::string text;
    for (const device_spec &d : list.devices) {
        if (d.is_group()) return;
        text += (text.empty() ? "HTP" : ",HTP") + std::to_string(d.core) + ":" + std::to_string(d.virtual_session);
    }
    const device_list again = parse_device_list(text);
    expect(again.problem.empty() && again.devices.size() == list.devices.size(), "not understood again: " + text);
    for (size_t i = 0; i < list.devices.size(); ++i) {
        expect(again.devices[i].core == list.devices[i].core &&
                   again.devices[i].virtual_session == list.devices[i].virtual_session,
               "another place: " + text);
    }
}

}  // namespace
}  // namespace hexane::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    using namespace hexane;
    const host::device_list list = host::parse_device_list({reinterpret_cast<const char *>(bytes), n});
    if (!list.problem.empty()) return 0;
    fuzz::expect(!list.devices.empty() && list.devices.size() <= host::max_devices,
                 "a number of devices that cannot be");
    for (const host::device_spec &d : list.devices) fuzz::check_device(d);
    fuzz::check_round_trip(list);
    return 0;
}
