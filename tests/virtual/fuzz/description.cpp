// tests/virtual/fuzz/description.cpp -- any text as GGML_HEXAGON_VIRTUAL: a device that can be, and at most a line per item and one for qemu.
#include <algorithm>
#include <cstring>

#include "abi/arch.h"
#include "tests/fuzz/expect.h"
#include "virtual/description/device_description.h"

namespace hexane::fuzz {
namespace {

using namespace virt;

void check_device(const device_description &d) {
    expect(is_known(d.arch), "an arch that does not exist");
    expect(d.n_threads >= 1 && d.n_threads <= max_threads, "threads out of range");
    expect(d.n_cores >= 1 && d.n_cores <= 8, "cores out of range");
    expect(d.vtcm_bytes >= 128u << 10 && d.vtcm_bytes <= 64u << 20 && d.vtcm_bytes % 4096 == 0, "VTCM out of range");
    expect(d.window_bytes >= 64ull << 20 && d.window_bytes <= 3500ull << 20, "window out of range");
    expect(std::max({d.n_hmx, d.in_place, d.wait_for_debugger, d.discovery, d.window_is_default}) <= 1,
           "switch out of range");
    expect(d.log_level <= 4, "log level out of range");
    expect(d.mode <= session_mode::strict && std::strcmp(to_string(d.level), "?") != 0,
           "mode or level that does not exist");
    if (d.mode == session_mode::qemu) expect(d.arch == arch::v73, "qemu runs v73 code");
}

}  // namespace
}  // namespace hexane::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    using namespace hexane;
    const std::string_view text(reinterpret_cast<const char *>(bytes), n);
    const virt::parsed_description parsed = virt::parse_description(text);
    fuzz::check_device(parsed.device);
    const auto items = static_cast<size_t>(std::count(text.begin(), text.end(), ',')) + 1;
    fuzz::expect(parsed.complaints.size() <= items + 1, "more complaints than items");
    return 0;
}
