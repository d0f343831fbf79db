// virtual/driver/rpcmem_api.cpp -- rpcmem_* of the plain library: shared memory behind descriptors, sparse until it is touched.
#include <string.h>
#include <sys/mman.h>

#include <map>
#include <mutex>

#include "virtual/channel/owned_fd.h"
#include "virtual/driver/log.h"
#include "virtual/driver/plain_library.h"

namespace hexane::virt {

namespace {

// Allocations by address.
class shared_memory {
  public:
    void *allocate(size_t bytes) {
        const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        if (bytes == 0 || bytes > SIZE_MAX - page) return nullptr;
        bytes = (bytes + page - 1) / page * page;
        owned_fd fd = above_standard(owned_fd(memfd_create("rpcmem", MFD_CLOEXEC)));
        if (!fd.valid() || ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) return failed(bytes);
        void *address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd.get(), 0);
        if (address == MAP_FAILED) return failed(bytes);
        const std::lock_guard guard(lock_);
        blocks_.emplace(address, block{bytes, std::move(fd)});
        return address;
    }

    void free(void *address) {
        const std::lock_guard guard(lock_);
        const auto found = blocks_.find(address);
        if (found == blocks_.end()) {
            if (address) log_line("rpcmem_free: %p is not an allocation", address);
            return;
        }
        munmap(address, found->second.bytes);
        blocks_.erase(found);
    }

    int descriptor(void *address) {
        const std::lock_guard guard(lock_);
        const auto found = blocks_.find(address);
        return found == blocks_.end() ? -1 : found->second.fd.get();
    }

    void lock() { lock_.lock(); }
    void unlock() { lock_.unlock(); }

  private:
    struct block {
        size_t bytes;
        owned_fd fd;
    };
    static void *failed(size_t bytes) {
        log_line("rpcmem_alloc of %zu bytes: %s", bytes, strerror(errno));
        return nullptr;
    }
    std::mutex lock_;
    std::map<void *, block> blocks_;
};

shared_memory &the_memory() {
    static shared_memory &m = *new shared_memory;
    return m;
}

}  // namespace

void lock_memory_for_fork() { the_memory().lock(); }
void unlock_memory_after_fork() { the_memory().unlock(); }

void *plain_library::allocate(size_t bytes) { return the_memory().allocate(bytes); }
void plain_library::release(void *memory) { the_memory().free(memory); }
int plain_library::descriptor(void *memory) { return the_memory().descriptor(memory); }

}  // namespace hexane::virt
