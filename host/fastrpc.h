// host/fastrpc.h -- the FastRPC library, loaded at run time.
#pragma once

#include <string>

#include "platform/dspqueue.h"
#include "platform/remote.h"
#include "platform/rpcmem.h"

namespace hexane::host {

// Function pointers of libcdsprpc. Loaded once and never unloaded: the library has threads of its own. Optional ones
// may be null.
struct fastrpc {
    decltype(&::rpcmem_alloc) rpcmem_alloc = nullptr;
    decltype(&::rpcmem_alloc2) rpcmem_alloc2 = nullptr;  // optional
    decltype(&::rpcmem_free) rpcmem_free = nullptr;
    decltype(&::rpcmem_to_fd) rpcmem_to_fd = nullptr;
    decltype(&::fastrpc_mmap) mmap = nullptr;
    decltype(&::fastrpc_munmap) munmap = nullptr;
    decltype(&::dspqueue_create) queue_create = nullptr;
    decltype(&::dspqueue_close) queue_close = nullptr;
    decltype(&::dspqueue_export) queue_export = nullptr;
    decltype(&::dspqueue_write) queue_write = nullptr;
    decltype(&::dspqueue_read) queue_read = nullptr;
    decltype(&::dspqueue_read_noblock) queue_read_noblock = nullptr;
    decltype(&::remote_handle64_open) handle_open = nullptr;
    decltype(&::remote_handle64_invoke) handle_invoke = nullptr;
    decltype(&::remote_handle64_close) handle_close = nullptr;
    decltype(&::remote_handle_control) control = nullptr;
    decltype(&::remote_handle64_control) handle_control = nullptr;
    decltype(&::remote_session_control) session_control = nullptr;
    decltype(&::remote_system_request) system_request = nullptr;  // optional

    std::string path;  // what was loaded

    // Loads `path`, or finds a library when it is empty: the device's if there is a device node, else the virtual one
    // that lies beside the plug-in. On failure false, and `why` says in one line what was tried.
    bool load(const std::string &path, std::string *why);

    // Ends the process of a session at once. For sessions that died or do not answer.
    void kill(int domain) const;
};

}  // namespace hexane::host
