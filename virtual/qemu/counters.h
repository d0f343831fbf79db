// virtual/qemu/counters.h -- what the calling thread has executed: the registers C20 to C22 that qemu-hexagon adds to the architecture's.
#pragma once

#include <stdint.h>

namespace hexane::virt {

// Counts of 32 bits that wrap: only differences mean anything. A new thread goes on from the counts of the thread that made it.
struct executed {
    uint32_t packets = 0;
    uint32_t instructions = 0;
    uint32_t vector_instructions = 0;  // HVX, part of the instructions

    executed operator-(const executed &o) const {
        return {packets - o.packets, instructions - o.instructions, vector_instructions - o.vector_instructions};
    }
    executed operator+(const executed &o) const {
        return {packets + o.packets, instructions + o.instructions, vector_instructions + o.vector_instructions};
    }
};

// No assembler knows the registers: r0 = C20, and the next two.
inline uint32_t packets_executed() {
    register uint32_t count asm("r0");
    asm volatile(".word 0x6a14c000" : "=r"(count)::"memory");
    return count;
}
inline executed executed_so_far() {
    executed e;
    register uint32_t count asm("r0");
    asm volatile(".word 0x6a14c000" : "=r"(count)::"memory");
    e.packets = count;
    asm volatile(".word 0x6a15c000" : "=r"(count)::"memory");
    e.instructions = count;
    asm volatile(".word 0x6a16c000" : "=r"(count)::"memory");
    e.vector_instructions = count;
    return e;
}

}  // namespace hexane::virt
