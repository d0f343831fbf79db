// virtual/qemu/thread.h -- the memory of a thread: its stack, its thread-local variables, and what the C library knows of it.
#pragma once

#include <stddef.h>
#include <stdint.h>

inline constexpr unsigned hexane_key_count = 4;

// The thread pointer (register UGP) is the address of this; thread-local variables end there.
struct hexane_thread {
    uint32_t tid = 0;  // the kernel sets it to 0 and wakes its waiters when the thread has ended
    void *(*entry)(void *) = nullptr;
    void *argument = nullptr;
    void *result = nullptr;
    void *memory = nullptr;  // the whole mapping: an unmapped page, stack, thread-local variables, this struct
    size_t memory_bytes = 0;
    uint8_t *stack_end = nullptr;
    const void *values[hexane_key_count]{};
};

namespace hexane::virt {

// A thread's memory with its thread-local variables as they begin; null when there is none.
hexane_thread *make_thread(size_t stack_bytes);
void free_thread(hexane_thread *thread);

inline hexane_thread *this_thread() {
    hexane_thread *thread;
    asm("%0 = ugp" : "=r"(thread));
    return thread;
}
inline void set_this_thread(hexane_thread *thread) { asm volatile("ugp = %0" ::"r"(thread) : "memory"); }

}  // namespace hexane::virt
