// virtual/qemu/thread.cpp -- threads by clone().
#include "virtual/qemu/thread.h"

#include <elf.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "virtual/qemu/system_call.h"

using namespace hexane::virt;

extern "C" const char __ehdr_start[];  // by the linker

namespace {

constexpr size_t page_bytes = 4096;
constexpr size_t default_stack_bytes = 1u << 20;
// VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, SETTLS, PARENT_SETTID, CHILD_CLEARTID: what qemu takes for a thread.
constexpr long clone_flags = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000 | 0x40000 | 0x80000 | 0x100000 | 0x200000;

void (*key_destructors[hexane_key_count])(void *);
uint32_t key_count = 0;

size_t aligned(size_t bytes, size_t alignment) { return (bytes + alignment - 1) & ~(alignment - 1); }

// The initial image of the thread-local variables, which the program header of type PT_TLS describes.
struct tls_image {
    const void *begin = nullptr;
    size_t file_bytes = 0, bytes = 0, alignment = 8;
};
tls_image find_tls_image() {
    const auto *header = reinterpret_cast<const Elf32_Ehdr *>(__ehdr_start);
    const auto *segments = reinterpret_cast<const Elf32_Phdr *>(__ehdr_start + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; ++i) {
        const Elf32_Phdr &s = segments[i];
        if (s.p_type == PT_TLS) return {reinterpret_cast<const void *>(s.p_vaddr), s.p_filesz, s.p_memsz, s.p_align};
    }
    return {};
}

void run_key_destructors(hexane_thread *thread) {
    for (uint32_t i = 0; i < hexane_key_count; ++i) {
        void *value = const_cast<void *>(thread->values[i]);
        if (value && key_destructors[i]) key_destructors[i](value);
    }
}

}  // namespace

namespace hexane::virt {

hexane_thread *make_thread(size_t stack_bytes) {
    const tls_image tls = find_tls_image();
    const size_t alignment = tls.alignment > 128 ? tls.alignment : 128;
    const size_t tls_bytes = aligned(tls.bytes, alignment);
    const size_t stack = aligned(stack_bytes, page_bytes);
    const size_t total = page_bytes + aligned(stack + tls_bytes + sizeof(hexane_thread), page_bytes);
    void *memory = mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    mprotect(memory, page_bytes, PROT_NONE);
    uint8_t *stack_end = static_cast<uint8_t *>(memory) + page_bytes + stack;
    auto *thread = reinterpret_cast<hexane_thread *>(stack_end + tls_bytes);
    *thread = {};
    memcpy(reinterpret_cast<uint8_t *>(thread) - aligned(tls.bytes, tls.alignment), tls.begin, tls.file_bytes);
    thread->memory = memory;
    thread->memory_bytes = total;
    thread->stack_end = stack_end;
    return thread;
}

void free_thread(hexane_thread *thread) { munmap(thread->memory, thread->memory_bytes); }

}  // namespace hexane::virt

// hexane_clone(flags, stack, parent tid, child tid, thread pointer): the child goes on in hexane_thread_main.
asm(R"(
    .section .text.hexane_clone,"ax",@progbits
    .globl hexane_clone
hexane_clone:
    { r6 = #220 }
    { trap0(#1) }
    { p0 = cmp.eq(r0, #0) }
    { if (!p0) jumpr r31 }
    { r30 = #0 }
    { jump hexane_thread_main }
)");
extern "C" long hexane_clone(long flags, void *stack, uint32_t *parent_tid, uint32_t *child_tid, hexane_thread *thread);

extern "C" {

[[noreturn, gnu::used]] void hexane_thread_main() {
    hexane_thread *thread = this_thread();
    pthread_exit(thread->entry(thread->argument));
}

void pthread_exit(void *result) {
    hexane_thread *thread = this_thread();
    thread->result = result;
    run_key_destructors(thread);
    for (;;) system_call(SYS_exit, 0);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*entry)(void *), void *argument) {
    hexane_thread *t = make_thread(attributes ? attributes->stack_bytes : default_stack_bytes);
    if (!t) return EAGAIN;
    t->entry = entry;
    t->argument = argument;
    *thread = t;
    const long tid = hexane_clone(clone_flags, t->stack_end, &t->tid, &t->tid, t);
    if (tid > 0) return 0;
    free_thread(t);
    return static_cast<int>(-tid);
}

int pthread_join(pthread_t thread, void **result) {
    while (const uint32_t tid = __atomic_load_n(&thread->tid, __ATOMIC_ACQUIRE)) {
        system_call(SYS_futex, word(&thread->tid), FUTEX_WAIT, static_cast<long>(tid));
    }
    if (result) *result = thread->result;
    free_thread(thread);
    return 0;
}

int pthread_detach(pthread_t) { return 0; }
pthread_t pthread_self() { return this_thread(); }

int pthread_attr_init(pthread_attr_t *attributes) { return attributes->stack_bytes = default_stack_bytes, 0; }
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t bytes) { return attributes->stack_bytes = bytes, 0; }
int pthread_attr_destroy(pthread_attr_t *) { return 0; }

int pthread_key_create(pthread_key_t *key, void (*destroy)(void *)) {
    const uint32_t next = __atomic_fetch_add(&key_count, 1, __ATOMIC_RELAXED);
    if (next >= hexane_key_count) return EAGAIN;
    key_destructors[next] = destroy;
    *key = next;
    return 0;
}
void *pthread_getspecific(pthread_key_t key) { return const_cast<void *>(this_thread()->values[key]); }
int pthread_setspecific(pthread_key_t key, const void *value) { return this_thread()->values[key] = value, 0; }

}  // extern "C"
