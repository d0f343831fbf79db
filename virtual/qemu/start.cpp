// virtual/qemu/start.cpp -- from the first instruction to main(): aligned stack, thread pointer, constructors.
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "virtual/qemu/system_call.h"
#include "virtual/qemu/thread.h"

int main();

asm(R"(
    .section .text._start,"ax",@progbits
    .globl _start
_start:
    { r29 = and(r29, #-128)
      r30 = #0 }
    { jump hexane_start }
)");

extern "C" {
// Between them lie the addresses of constructors; the linker provides both.
extern void (*__init_array_start[])();
extern void (*__init_array_end[])();
}

extern "C" [[noreturn, gnu::used]] void hexane_start() {
    using namespace hexane::virt;
    hexane_thread *main_thread = make_thread(0);
    if (!main_thread) _exit(127);
    set_this_thread(main_thread);
    main_thread->tid = static_cast<uint32_t>(system_call(SYS_set_tid_address, word(&main_thread->tid)));
    for (auto constructor = __init_array_start; constructor != __init_array_end; ++constructor) (*constructor)();
    _exit(main());
}
