// virtual/session/modules.cpp -- dlopen of the PC flavour of an NPU library, and FastRPC marshalling.
#include "virtual/session/modules.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <map>
#include <string>

#include "abi/session_interface.h"
#include "platform/remote.h"
#include "virtual/session/cpu_level.h"
#include "virtual/session/device.h"
#include "virtual/session/log.h"

namespace hexane::virt::modules {

namespace {

using skel_entry = int (*)(remote_handle64, uint32_t, remote_arg *);

struct module {
    void *library;
    skel_entry entry;
    remote_handle64 handle;
};
std::map<uint32_t, module> open_modules;  // the thread that serves requests is the only one here
uint32_t last_module = 0;

// Buffers that a method must not rely on arrive filled with this.
constexpr uint8_t poison = 0xa5;

std::string own_directory() {
    char path[4096];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    const std::string whole(path, n > 0 ? static_cast<size_t>(n) : 0);
    return whole.substr(0, whole.rfind('/') + 1);
}

// "libggml-htp-v79.so" names the device's library; here one of its PC builds stands for it. Others load by their own name.
std::vector<std::string> candidates(const std::string &name, uint32_t *version) {
    char rest[8] = {};
    std::vector<std::string> paths;
    if (sscanf(name.c_str(), "libggml-htp-v%u%7s", version, rest) == 2 && strcmp(rest, ".so") == 0) {
        for (const library_level level : usable_levels(this_device().description.level)) {
            paths.push_back(own_directory() + "libggml-htp-native-" + to_string(level) + ".so");
        }
        return paths;
    }
    *version = 0;
    for (const char *variable : {"DSP_LIBRARY_PATH", "ADSP_LIBRARY_PATH"}) {
        const char *value = getenv(variable);
        std::string list = value ? value : "";
        while (!list.empty()) {
            const size_t end = list.find(';');
            if (const std::string folder = list.substr(0, end); !folder.empty()) paths.push_back(folder + "/" + name);
            list = end == list.npos ? "" : list.substr(end + 1);
        }
    }
    paths.push_back(own_directory() + name);
    return paths;
}

void *load(const std::string &name) {
    uint32_t version = 0;
    std::string tried;
    const std::vector<std::string> paths = candidates(name, &version);
    const auto device = static_cast<uint32_t>(this_device().description.arch);
    if (version > device) {
        log_line("%s cannot run on a v%u core", name.c_str(), device);
        return nullptr;
    }
    for (const std::string &path : paths) {
        if (access(path.c_str(), R_OK) != 0) {
            tried += " " + path;
            continue;
        }
        if (version) this_device().library_arch = static_cast<arch>(version);
        if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
        log_line("%s", dlerror());
        return nullptr;
    }
    log_line("no library for %s; looked for%s", name.c_str(), tried.c_str());
    return nullptr;
}

AEEResult call_open(module &m, const char *uri) {
    uint32_t length = static_cast<uint32_t>(strlen(uri)) + 1;
    std::string text = uri;
    remote_arg arguments[3]{};
    arguments[0].buf = {&length, sizeof length};
    arguments[1].buf = {text.data(), length};
    const AEEResult error = m.entry(0, method::open, arguments);
    m.handle = arguments[2].h64;
    return error;
}

// A call's arguments in memory of its own: input copied in, output poisoned.
class call_frame {
  public:
    // False when the payload is shorter than it says.
    bool unpack(const std::vector<uint8_t> &payload, const scalar_counts &n) {
        const uint8_t *at = payload.data() + sizeof(invoke_request), *end = payload.data() + payload.size();
        const uint32_t n_buffers = n.in + n.out;
        arguments_.resize(n_buffers + n.in_handles + n.out_handles);
        memory_.resize(n_buffers);
        for (uint32_t i = 0; i < n_buffers + n.in_handles; ++i, at += sizeof(uint64_t)) {
            uint64_t value = 0;
            if (end - at < static_cast<ptrdiff_t>(sizeof value)) return false;
            memcpy(&value, at, sizeof value);
            if (i >= n_buffers) {
                arguments_[i].h64 = value;
            } else {
                if (value > max_payload_bytes) return false;
                memory_[i].assign(value, poison);
                arguments_[i].buf = {memory_[i].data(), value};
            }
        }
        for (uint32_t i = 0; i < n.in; ++i) {
            if (end - at < static_cast<ptrdiff_t>(memory_[i].size())) return false;
            if (!memory_[i].empty()) memcpy(memory_[i].data(), at, memory_[i].size());
            at += memory_[i].size();
        }
        return true;
    }
    remote_arg *arguments() { return arguments_.empty() ? nullptr : arguments_.data(); }
    void pack(const scalar_counts &n, std::vector<uint8_t> *out) const {
        for (uint32_t i = n.in; i < n.in + n.out; ++i) out->insert(out->end(), memory_[i].begin(), memory_[i].end());
        for (size_t i = arguments_.size() - n.out_handles; i < arguments_.size(); ++i) append(out, arguments_[i].h64);
    }

  private:
    static void append(std::vector<uint8_t> *out, uint64_t value) {
        const auto *bytes = reinterpret_cast<const uint8_t *>(&value);
        out->insert(out->end(), bytes, bytes + sizeof value);
    }
    std::vector<remote_arg> arguments_;
    std::vector<std::vector<uint8_t>> memory_;
};

}  // namespace

AEEResult open(const open_request &request, uint32_t *id) {
    module m{load(request.library), nullptr, 0};
    if (!m.library) return AEE_EUNABLETOLOAD;
    m.entry = reinterpret_cast<skel_entry>(dlsym(m.library, request.entry));
    if (!m.entry) {
        log_line("%s has no entry %s", request.library, request.entry);
        dlclose(m.library);
        return AEE_ENOSUCHSYMBOL;
    }
    if (const AEEResult error = call_open(m, request.uri)) {
        dlclose(m.library);
        return error;
    }
    *id = ++last_module;
    open_modules.emplace(*id, m);
    return AEE_SUCCESS;
}

AEEResult close(uint32_t id) {
    const auto found = open_modules.find(id);
    if (found == open_modules.end()) return AEE_EINVHANDLE;
    remote_arg argument{};
    argument.h64 = found->second.handle;
    const AEEResult error = found->second.entry(argument.h64, method::close, &argument);
    dlclose(found->second.library);
    open_modules.erase(found);
    return error;
}

AEEResult invoke(const std::vector<uint8_t> &payload, std::vector<uint8_t> *out) {
    invoke_request request{};
    if (payload.size() < sizeof request) return AEE_EBADPARM;
    memcpy(&request, payload.data(), sizeof request);
    const auto found = open_modules.find(request.module);
    if (found == open_modules.end()) return AEE_EINVHANDLE;
    const scalar_counts n = scalar_counts::of(request.scalars);
    call_frame frame;
    if (!frame.unpack(payload, n)) return AEE_EBADPARM;
    const AEEResult error = found->second.entry(found->second.handle, request.scalars, frame.arguments());
    if (error == AEE_SUCCESS) frame.pack(n, out);
    return error;
}

}  // namespace hexane::virt::modules
