// virtual/session/mappings.cpp -- HAP_mmap and its relatives over the descriptors that the host sent.
#include "virtual/session/mappings.h"

#include <inttypes.h>

#include <map>
#include <mutex>

#include "platform/HAP_mem.h"
#include "virtual/session/device.h"
#include "virtual/session/export.h"
#include "virtual/session/log.h"
#include "virtual/session/low_memory.h"
#include "virtual/session/strict_mode.h"

namespace hexane::virt::mappings {

namespace {

constexpr uint64_t mib = 1u << 20;

// Memory that the host made known. `standing` is the mapping that lasts as long as it is known: made at once for
// FASTRPC_MAP_FD, else with the first packet that carries the buffer.
struct known_memory {
    owned_fd fd;
    int host_fd = -1;
    uint64_t bytes = 0;
    void *standing = nullptr;
    uint32_t hap_mappings = 0;
};

class table : public buffer_table {
  public:
    AEEResult add(int host_fd, owned_fd memory, uint64_t bytes, bool map_now) {
        const std::lock_guard guard(lock_);
        const auto [at, fresh] = known_.try_emplace(host_fd);
        if (!fresh) return AEE_EALREADY;
        at->second.fd = std::move(memory);
        at->second.host_fd = host_fd;
        at->second.bytes = bytes;
        if (!map_now || stand(at->second)) return AEE_SUCCESS;
        known_.erase(at);
        return AEE_EMMAP;
    }

    AEEResult remove(int host_fd) {
        const std::lock_guard guard(lock_);
        const auto found = known_.find(host_fd);
        if (found == known_.end()) return AEE_ENOSUCHMAP;
        known_memory &k = found->second;
        if (k.hap_mappings) return AEE_EBADMAPREFCNT;
        if (k.standing) unplace(k.standing, k.bytes);
        known_.erase(found);
        return AEE_SUCCESS;
    }

    void *map(int host_fd, uint64_t bytes, int flags, long offset) {
        const std::lock_guard guard(lock_);
        const auto found = known_.find(host_fd);
        if (found == known_.end()) return refuse("descriptor %d was not mapped by the host (fastrpc_mmap)", host_fd);
        known_memory &k = found->second;
        if (flags != 0 || offset != 0) return refuse("HAP_mmap of descriptor %d: flags and offset must be 0", host_fd);
        if (bytes == 0 || bytes > k.bytes) {
            return refuse("HAP_mmap of descriptor %d: %" PRIu64 " bytes asked for, the host mapped %" PRIu64, host_fd,
                          bytes, k.bytes);
        }
        void *address = place(k, bytes);
        if (!address) return HAP_MAP_FAILED;
        ++k.hap_mappings;
        hap_mappings_[address] = {host_fd, bytes};
        return address;
    }

    AEEResult unmap(void *address, uint64_t bytes) {
        const std::lock_guard guard(lock_);
        const auto found = hap_mappings_.find(address);
        if (found == hap_mappings_.end() || found->second.bytes != bytes) {
            log_line("HAP_munmap(%p, %" PRIu64 "): there is no such mapping", address, bytes);
            return AEE_EBADPARM;
        }
        --known_[found->second.host_fd].hap_mappings;
        hap_mappings_.erase(found);
        unplace(address, bytes);
        return AEE_SUCCESS;
    }

    AEEResult get(int host_fd, void **address) {
        const std::lock_guard guard(lock_);
        const auto found = known_.find(host_fd);
        if (found == known_.end() || !found->second.standing) return AEE_ENOSUCHMAP;
        *address = found->second.standing;
        return AEE_SUCCESS;
    }

    uint64_t mapped_bytes() {
        const std::lock_guard guard(lock_);
        return mapped_;
    }

    AEEResult check(dspqueue_buffer *buffer) override {
        const std::lock_guard guard(lock_);
        const auto found = known_.find(static_cast<int>(buffer->fd));
        if (found == known_.end()) return AEE_ENOSUCHMAP;
        if (buffer->size == 0 && buffer->offset == 0) buffer->size = static_cast<uint32_t>(found->second.bytes);
        const bool inside = buffer->size != 0 && uint64_t{buffer->offset} + buffer->size <= found->second.bytes;
        return inside ? AEE_SUCCESS : AEE_EBADPARM;
    }

    void translate(dspqueue_buffer *buffer) override {
        const std::lock_guard guard(lock_);
        const auto found = known_.find(static_cast<int>(buffer->fd));
        buffer->address = 0;
        if (found == known_.end() || !stand(found->second)) return;
        if (uint64_t{buffer->offset} + buffer->size > found->second.bytes) return;
        buffer->ptr = static_cast<uint8_t *>(found->second.standing) + buffer->offset;
    }

  private:
    struct hap_mapping {
        int host_fd;
        uint64_t bytes;
    };

    template <class... Args> static void *refuse(const char *format, Args... args) {
        log_line(format, args...);
        return HAP_MAP_FAILED;
    }

    bool stand(known_memory &k) {
        if (!k.standing) k.standing = place(k, k.bytes);
        return k.standing != nullptr;
    }

    void *place(const known_memory &k, uint64_t bytes) {
        const uint64_t window = this_device().window_bytes;
        if (mapped_ + bytes > window) {
            log_line("%" PRIu64 " MiB do not fit the window: %" PRIu64 " of %" PRIu64 " MiB are in use", bytes / mib,
                     mapped_ / mib, window / mib);
            return nullptr;
        }
        void *address = strict::is_on() ? strict::map_buffer(k.host_fd, k.fd.get(), bytes)
                                        : low_memory::map_shared(k.fd.get(), bytes);
        if (!address)
            log_line("no address range of %" PRIu64 " MiB is free in the window", bytes / mib);
        else
            mapped_ += bytes;
        return address;
    }

    void unplace(void *address, uint64_t bytes) {
        if (strict::is_on())
            strict::unmap_buffer(address, bytes);
        else
            low_memory::unmap(address, bytes);
        mapped_ -= bytes;
    }

    std::mutex lock_;
    std::map<int, known_memory> known_;
    std::map<void *, hap_mapping> hap_mappings_;
    uint64_t mapped_ = 0;
};

table &the_table() {
    static table &t = *new table;
    return t;
}

}  // namespace

AEEResult add(int host_fd, owned_fd memory, uint64_t bytes, bool map_now) {
    return the_table().add(host_fd, std::move(memory), bytes, map_now);
}
AEEResult remove(int host_fd) { return the_table().remove(host_fd); }
uint64_t mapped_bytes() { return the_table().mapped_bytes(); }
buffer_table &packet_buffers() { return the_table(); }

}  // namespace hexane::virt::mappings

using namespace hexane;
using namespace hexane::virt;
using mappings::the_table;

HEX_EXPORT void *HAP_mmap(void *, int bytes, int, int flags, int fd, long offset) {
    if (bytes <= 0) return HAP_MAP_FAILED;  // an int: 2 GiB and more do not exist here
    return the_table().map(fd, static_cast<uint64_t>(bytes), flags, offset);
}

HEX_EXPORT void *HAP_mmap2(void *, size_t bytes, int, int flags, int fd, long offset) {
    if (this_device().description.arch == arch::v73) {
        log_line("HAP_mmap2 does not exist on v73: use HAP_mmap");
        return HAP_MAP_FAILED;
    }
    return the_table().map(fd, bytes, flags, offset);
}

HEX_EXPORT int HAP_munmap(void *address, int bytes) { return the_table().unmap(address, static_cast<uint64_t>(bytes)); }
HEX_EXPORT int HAP_munmap2(void *address, size_t bytes) { return the_table().unmap(address, bytes); }

HEX_EXPORT int HAP_mmap_get(int fd, void **address, uint64_t *physical) {
    const int error = the_table().get(fd, address);
    if (physical) *physical = error ? 0 : reinterpret_cast<uint64_t>(*address);
    return error;
}
HEX_EXPORT int HAP_mmap_put(int) { return AEE_SUCCESS; }
