// virtual/faulty/fault_schedule.h -- what goes wrong when, as a pure function.
#pragma once

#include <stdint.h>

#include <optional>

#include "virtual/description/device_description.h"

namespace hexane::virt {

// What is counted, each for itself. A response is a message that was there to be read: empty reads do not count, since their number
// depends on time.
enum class faulty_call : uint32_t {
    allocate,
    descriptor,
    open,
    close,
    invoke,
    session_control,
    handle_control,
    map,
    unmap,
    create_queue,
    export_queue,
    close_queue,
    write,
    response,
};
inline constexpr uint32_t n_faulty_calls = 14;

const char *to_string(faulty_call call);

struct fault {
    fault_kind kind;
    uint64_t dice;  // random, for the choices within the kind
};

class fault_schedule {
  public:
    // Kinds, rate, end and seed of the description.
    explicit fault_schedule(const device_description &device);

    // The fault of call `number` of this function, counted from 1.
    std::optional<fault> at(faulty_call call, uint32_t number) const;

    // fault_kind bits that this function can have.
    static uint32_t kinds_of(faulty_call call);

  private:
    uint32_t kinds_, rate_, last_call_, seed_;
};

}  // namespace hexane::virt
