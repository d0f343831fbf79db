// virtual/qemu/heap.cpp -- malloc for the session's C++ objects: free lists by power of two; large blocks are mappings of their own.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

namespace {

constexpr unsigned smallest_class = 5, largest_class = 16;  // blocks of 32 bytes to 64 KiB, header included
constexpr size_t segment_bytes = 1u << 20;

// Before every block; keeps what follows 16-byte aligned.
struct alignas(16) block_header {
    uint32_t size_class;  // 0: a mapping of `bytes`
    uint32_t bytes;
    block_header *next;  // while free
};
static_assert(sizeof(block_header) == 16);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
block_header *free_blocks[largest_class + 1];
uint8_t *segment = nullptr;  // the rest of the newest segment
size_t segment_left = 0;

void *map(size_t bytes) {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

unsigned class_of(size_t bytes) {
    unsigned c = smallest_class;
    while ((size_t{1} << c) < bytes) ++c;
    return c;
}

// REQUIRES: the lock. Null when there is no memory.
block_header *take(unsigned size_class) {
    if (block_header *block = free_blocks[size_class]) {
        free_blocks[size_class] = block->next;
        return block;
    }
    const size_t bytes = size_t{1} << size_class;
    if (segment_left < bytes) {
        segment = static_cast<uint8_t *>(map(segment_bytes));
        segment_left = segment ? segment_bytes : 0;
        if (!segment) return nullptr;
    }
    auto *block = reinterpret_cast<block_header *>(segment);
    segment += bytes;
    segment_left -= bytes;
    return block;
}

block_header *take_mapping(size_t bytes) {
    auto *block = static_cast<block_header *>(map(bytes));
    if (block) *block = {0, static_cast<uint32_t>(bytes), nullptr};
    return block;
}

}  // namespace

extern "C" {

void *malloc(size_t bytes) {
    const size_t whole = bytes + sizeof(block_header);
    if (whole < bytes) return nullptr;
    block_header *block = nullptr;
    if (whole > (size_t{1} << largest_class)) {
        block = take_mapping(whole);
    } else {
        const unsigned size_class = class_of(whole);
        pthread_mutex_lock(&lock);
        block = take(size_class);
        pthread_mutex_unlock(&lock);
        if (block) *block = {size_class, 0, nullptr};
    }
    return block ? block + 1 : nullptr;
}

void free(void *memory) {
    if (!memory) return;
    block_header *block = static_cast<block_header *>(memory) - 1;
    if (block->size_class == 0) {
        munmap(block, block->bytes);
        return;
    }
    pthread_mutex_lock(&lock);
    block->next = free_blocks[block->size_class];
    free_blocks[block->size_class] = block;
    pthread_mutex_unlock(&lock);
}

}  // extern "C"
