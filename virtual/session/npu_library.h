// virtual/session/npu_library.h -- the library of a module URI, and its entry.
#pragma once

#include <string_view>

#include "platform/remote.h"

namespace hexane::virt {

using skel_entry = int (*)(remote_handle64 handle, uint32_t scalars, remote_arg *arguments);

// Finds `entry` of `library`. Sets the dialect of the DMA engine. Null after one log line.
skel_entry load_npu_library(std::string_view library, const char *entry);

// What a module URI asks for: "<stem>-v<arch>.so", or a name without an architecture.
struct library_name {
    std::string_view whole;
    std::string_view stem;  // empty when the name has no architecture
};

// Where a flavour's libraries come from. Null after one log line.
//   native (shared_object.cpp): the native build of it beside this program, or from ADSP_LIBRARY_PATH, by dlopen()
//   qemu (virtual/qemu/linked_library.cpp): what is linked into the program
skel_entry find_entry(const library_name &library, const char *entry);

}  // namespace hexane::virt
