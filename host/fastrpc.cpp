// host/fastrpc.cpp
#include "host/fastrpc.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

namespace hexane::host {

namespace {

constexpr const char *device_library = "libcdsprpc.so";
constexpr const char *virtual_library = "libcdsprpc-virtual.so";

bool has_device_node() {
    for (const char *node : {"/dev/fastrpc-cdsp", "/dev/fastrpc-cdsp-secure", "/dev/fastrpc-cdsp1",
                             "/dev/fastrpc-cdsp1-secure", "/dev/adsprpc-smd", "/dev/adsprpc-smd-secure"}) {
        if (access(node, F_OK) == 0) return true;
    }
    return false;
}

// Directory of the file that this code was loaded from, with a slash at the end. The plug-in may have been reached through a symbolic
// link; what belongs to it lies beside the file itself.
std::string own_directory() {
    Dl_info info{};
    if (!dladdr(reinterpret_cast<void *>(&has_device_node), &info) || !info.dli_fname) return {};
    const std::unique_ptr<char, decltype(&std::free)> real(realpath(info.dli_fname, nullptr), std::free);
    const std::string file = real ? real.get() : info.dli_fname;
    const size_t slash = file.rfind('/');
    return slash == file.npos ? std::string() : file.substr(0, slash + 1);
}

std::string default_library() {
    if (has_device_node()) return device_library;
    const std::string beside = own_directory() + virtual_library;
    return access(beside.c_str(), R_OK) == 0 ? beside : virtual_library;
}

}  // namespace

bool fastrpc::load(const std::string &wanted, std::string *why) {
    path = wanted.empty() ? default_library() : wanted;
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *error = dlerror();
        *why = "FastRPC library " + path + " cannot be loaded: " + (error ? error : "unknown error");
        return false;
    }
    const char *missing = nullptr;
    auto find = [&](auto &pointer, const char *name, bool required = true) {
        pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(dlsym(library, name));
        if (!pointer && required && !missing) missing = name;
    };
    find(rpcmem_alloc, "rpcmem_alloc");
    find(rpcmem_alloc2, "rpcmem_alloc2", false);
    find(rpcmem_free, "rpcmem_free");
    find(rpcmem_to_fd, "rpcmem_to_fd");
    find(mmap, "fastrpc_mmap");
    find(munmap, "fastrpc_munmap");
    find(queue_create, "dspqueue_create");
    find(queue_close, "dspqueue_close");
    find(queue_export, "dspqueue_export");
    find(queue_write, "dspqueue_write");
    find(queue_read, "dspqueue_read");
    find(queue_read_noblock, "dspqueue_read_noblock");
    find(handle_open, "remote_handle64_open");
    find(handle_invoke, "remote_handle64_invoke");
    find(handle_close, "remote_handle64_close");
    find(control, "remote_handle_control");
    find(handle_control, "remote_handle64_control");
    find(session_control, "remote_session_control");
    find(system_request, "remote_system_request", false);
    if (!missing) return true;
    *why = "FastRPC library " + path + " lacks the function " + missing;
    dlclose(library);
    return false;
}

void fastrpc::kill(int domain) const {
    remote_rpc_process_kill request{domain};
    session_control(FASTRPC_REMOTE_PROCESS_KILL, &request, sizeof request);
}

}  // namespace hexane::host
