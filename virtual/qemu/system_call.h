// virtual/qemu/system_call.h -- Linux system calls of Hexagon code under qemu-hexagon: trap0(#1) with the number in r6.
#pragma once

namespace hexane::virt {

// The kernel's result: -errno on failure.
inline long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
    register long r0 asm("r0") = a;
    register long r1 asm("r1") = b;
    register long r2 asm("r2") = c;
    register long r3 asm("r3") = d;
    register long r4 asm("r4") = e;
    register long r5 asm("r5") = f;
    register long r6 asm("r6") = number;
    asm volatile("trap0(#1)" : "+r"(r0) : "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5), "r"(r6) : "memory");
    return r0;
}

template <class T> long word(T *pointer) { return reinterpret_cast<long>(pointer); }

// As the C library reports it: -1 and errno.
long checked(long result);

}  // namespace hexane::virt
