// virtual/session/shared_object.cpp -- NPU libraries as PC code: file names by CPU level, dlopen.
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "virtual/session/cpu_level.h"
#include "virtual/session/device.h"
#include "virtual/session/log.h"
#include "virtual/session/npu_library.h"

namespace hexane::virt {

namespace {

std::string own_directory() {
    char path[4096];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    std::string text(path, n > 0 ? static_cast<size_t>(n) : 0);
    const size_t slash = text.rfind('/');
    return slash == text.npos ? "." : text.substr(0, slash);
}

// This process's folder, then what the host's search variable lists. The only separator is ';', as on a device.
std::vector<std::string> search_directories() {
    std::vector<std::string> directories{own_directory()};
    const char *path = getenv("DSP_LIBRARY_PATH");
    if (!path) path = getenv("ADSP_LIBRARY_PATH");
    for (std::string_view rest = path ? path : ""; !rest.empty();) {
        const size_t end = std::min(rest.find(';'), rest.size());
        if (end) directories.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return directories;
}

std::vector<std::string> candidate_names(const library_name &library) {
    if (library.stem.empty()) return {std::string(library.whole)};
    std::vector<std::string> names;
    for (const library_level level : usable_levels(this_device().description.level)) {
        names.push_back(std::string(library.stem) + "-native-" + to_string(level) + ".so");
    }
    return names;
}

}  // namespace

skel_entry find_entry(const library_name &library, const char *entry) {
    std::string tried;
    for (const std::string &name : candidate_names(library)) {
        for (const std::string &directory : search_directories()) {
            const std::string path = directory + "/" + name;
            if (access(path.c_str(), F_OK) != 0) {
                tried += " " + path;
                continue;
            }
            void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
            if (!handle) {
                log_line("cannot load the NPU library: %s", dlerror());
                return nullptr;
            }
            void *found = dlsym(handle, entry);
            if (!found) log_line("%s has no entry %s", path.c_str(), entry);
            return reinterpret_cast<skel_entry>(found);
        }
    }
    log_line("no NPU library for %.*s; tried:%s", static_cast<int>(library.whole.size()), library.whole.data(),
             tried.c_str());
    return nullptr;
}

}  // namespace hexane::virt
