// htp/buffer_window.cpp -- mapping on demand, eviction of what a batch does not use.
#include "htp/buffer_window.h"

#include "abi/arch.h"
#include "platform/HAP_mem.h"

namespace hexane::htp {

buffer_window::mapping *buffer_window::find(uint32_t fd) {
    for (mapping &m : mappings_) {
        if (m.used && m.fd == fd) return &m;
    }
    return nullptr;
}

buffer_window::mapping *buffer_window::free_slot() {
    for (mapping &m : mappings_) {
        if (!m.used) return &m;
    }
    return nullptr;
}

buffer_window::mapping *buffer_window::oldest_unused() {
    mapping *oldest = nullptr;
    for (mapping &m : mappings_) {
        if (!m.used || m.last_use == sequence_) continue;
        if (!oldest || m.last_use < oldest->last_use) oldest = &m;
    }
    return oldest;
}

// Decided by the compiler in a device library: it refers to no call that its image lacks.
bool buffer_window::has_mmap2() const {
    if constexpr (compiled_arch_version != 0) return compiled_arch_version > 73;
    return arch_version_ > 73;
}

void buffer_window::unmap(mapping &m) {
    void *address = reinterpret_cast<void *>(static_cast<uintptr_t>(m.address));
    if (has_mmap2()) {
        HAP_munmap2(address, static_cast<size_t>(m.bytes));
    } else {
        HAP_munmap(address, static_cast<int>(m.bytes));
    }
    mapped_bytes_ -= m.bytes;
    m = {};
}

// v73 has the call with an int length only; a buffer of over 2 GiB cannot be mapped there.
bool buffer_window::map_once(mapping &m) {
    constexpr int access = HAP_PROT_READ | HAP_PROT_WRITE;
    void *address = has_mmap2() ? HAP_mmap2(nullptr, static_cast<size_t>(m.bytes), access, 0, static_cast<int>(m.fd), 0)
                                : HAP_mmap(nullptr, static_cast<int>(m.bytes), access, 0, static_cast<int>(m.fd), 0);
    if (address == reinterpret_cast<void *>(-1)) return false;
    m.address = reinterpret_cast<uintptr_t>(address);
    return true;
}

status buffer_window::map(const buffer_desc &b) {
    if (b.bytes > window_bytes_) {
        return status::failure(status_code::window_exceeded, "one buffer is larger than the window", b.bytes);
    }
    if (!has_mmap2() && b.bytes > 0x7fffffff) {
        return status::failure(status_code::window_exceeded, "v73 maps at most 2 GiB at once", b.bytes);
    }
    mapping *m = free_slot();
    while (!m || mapped_bytes_ + b.bytes > window_bytes_) {
        mapping *victim = oldest_unused();
        if (!victim)
            return status::failure(status_code::window_exceeded, "the buffers of this batch exceed the window",
                                   b.bytes);
        unmap(*victim);
        m = free_slot();
    }
    m->fd = b.fd;
    m->bytes = b.bytes;
    while (!map_once(*m)) {
        // The window may be fragmented: give up everything that this batch has not touched, one at a time.
        mapping *victim = oldest_unused();
        if (!victim)
            return status::failure(status_code::map_failed, "the platform refused to map a buffer of this size",
                                   b.bytes);
        unmap(*victim);
    }
    m->used = true;
    m->last_use = sequence_;
    mapped_bytes_ += m->bytes;
    return status::ok();
}

status buffer_window::prepare(base::span<const buffer_desc> buffers, uint64_t *addresses) {
    lock_guard guard(lock_);
    ++sequence_;
    for (const buffer_desc &b : buffers) {
        mapping *m = find(b.fd);
        if (m && m->bytes != b.bytes)
            unmap(*m);  // the descriptor number was reused
        else if (m)
            m->last_use = sequence_;
    }
    for (size_t i = 0; i < buffers.size(); ++i) {
        if (!find(buffers[i].fd)) {
            if (const status s = map(buffers[i]); s.failed()) return s;
        }
        addresses[i] = find(buffers[i].fd)->address;
    }
    return status::ok();
}

void buffer_window::forget(uint32_t fd) {
    lock_guard guard(lock_);
    if (mapping *m = find(fd)) unmap(*m);
}

void buffer_window::forget_all() {
    lock_guard guard(lock_);
    for (mapping &m : mappings_) {
        if (m.used) unmap(m);
    }
}

}  // namespace hexane::htp
