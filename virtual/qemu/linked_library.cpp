// virtual/qemu/linked_library.cpp -- the NPU library that is linked into the session program for Hexagon.
#include <string.h>

#include "abi/session_interface.h"
#include "virtual/session/log.h"
#include "virtual/session/npu_library.h"

extern "C" int HEX_SKEL_ENTRY(remote_handle64 handle, uint32_t scalars, remote_arg *arguments);

namespace hexane::virt {

skel_entry find_entry(const library_name &library, const char *entry) {
    if (library.stem == "libggml-htp" && strcmp(entry, skel_entry_name) == 0) return HEX_SKEL_ENTRY;
    log_line("the qemu flavour has libggml-htp with its entry %s only, not %.*s with %s", skel_entry_name,
             static_cast<int>(library.whole.size()), library.whole.data(), entry);
    return nullptr;
}

}  // namespace hexane::virt
