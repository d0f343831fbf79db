// virtual/session/npu_library.cpp -- from the name in a URI to the architecture that the DMA engine speaks.
#include "virtual/session/npu_library.h"

#include <charconv>
#include <optional>

#include "virtual/session/device.h"
#include "virtual/session/log.h"

namespace hexane::virt {

namespace {

// Version NN of "<stem>-vNN.so"; nothing for other names.
std::optional<uint32_t> arch_suffix(std::string_view library, std::string_view *stem) {
    const size_t dash = library.rfind("-v");
    if (dash == library.npos || library.size() < dash + 6 || library.substr(library.size() - 3) != ".so") return {};
    uint32_t version = 0;
    const char *begin = library.data() + dash + 2, *end = library.data() + library.size() - 3;
    const auto [stop, error] = std::from_chars(begin, end, version);
    if (error != std::errc{} || stop != end) return {};
    *stem = library.substr(0, dash);
    return version;
}

// The library speaks its own architecture's descriptors; hardware runs libraries of its own version and of older ones.
bool adopt_arch(uint32_t version, std::string_view library) {
    session_device &d = this_device();
    const auto a = static_cast<arch>(version);
    if (!is_known(a) || a > d.description.arch) {
        log_line("%.*s does not run on v%u", static_cast<int>(library.size()), library.data(),
                 static_cast<unsigned>(d.description.arch));
        return false;
    }
    d.library_arch = a;
    return true;
}

}  // namespace

skel_entry load_npu_library(std::string_view library, const char *entry) {
    library_name name{library, {}};
    const auto version = arch_suffix(library, &name.stem);
    if (version && !adopt_arch(*version, library)) return nullptr;
    if (!version) this_device().library_arch = this_device().description.arch;
    return find_entry(name, entry);
}

}  // namespace hexane::virt
