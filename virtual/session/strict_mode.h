// virtual/session/strict_mode.h -- the session's side of strict mode: its memory, engines, ops and threads go through the models of
// virtual/strict/ here. A breach ends the session with op, thread, address and what was expected.
#pragma once

#include <stdint.h>

#include "platform/dspqueue.h"
#include "virtual/session/dma_descriptor_decode.h"

namespace hexane::virt::strict {

// The device description asks for it. Everything below: REQUIRES that it does.
#if defined(__hexagon__)  // the qemu flavour has no strict mode
constexpr bool is_on() { return false; }
#else
bool is_on();
#endif

// The NPU's view of the first `bytes` of a descriptor's memory, in low memory: private, behind the model of the cache. Null when
// nothing fits. `host_fd` is for messages.
void *map_buffer(int host_fd, int fd, uint64_t bytes);
void unmap_buffer(void *view, uint64_t bytes);

// A packet came from the host, or leaves for it; the flags of its buffers say which lines are cleaned or invalidated.
void packet_arrives(const dspqueue_buffer *buffers, uint32_t n);
void packet_leaves(const dspqueue_buffer *buffers, uint32_t n);

// The calling thread's DMA engine.
void push_transfer(const dma_work &work, uint32_t *descriptor);
void poll_engine();

void post_clean_invalidate(uint64_t address);
void synchronise();

// An op has the last `bytes` of VTCM, to the line: what comes before them, and all of it between ops, is out of reach. Returns the first.
uint8_t *op_begins(const char *name, uint32_t index, uint32_t bytes);
void op_ends();

// A place where a thread may lose time: before it wakes others, and after it was woken.
void may_delay();

// From now on an access that the processor refuses is either one that the cache model has an answer for, or ends the session.
void handle_faults();

}  // namespace hexane::virt::strict
