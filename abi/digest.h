// abi/digest.h -- a number that changes when the meaning of the wire changes; exchanged when a session opens.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace hexane {

// A field of a wire struct: its name, place and size.
struct field {
    const char *name;
    uint32_t offset;
    uint32_t bytes;
};

// The field list stands beside its struct, so that a renamed or moved field changes the digest:
//   static constexpr auto fields() { return field_list{HEX_FIELD(thing, first), HEX_FIELD(thing, second)}; }
// A function, because a struct is incomplete until its end, and offsetof must not be asked before.
template <uint32_t N> struct field_list {
    field items[N];
};
template <class... F> field_list(F...) -> field_list<sizeof...(F)>;

#define HEX_FIELD(type, member)                                                                             \
    ::hexane::field {                                                                                       \
        #member, static_cast<uint32_t>(offsetof(type, member)), static_cast<uint32_t>(sizeof(type::member)) \
    }

// 64-bit FNV-1a (Fowler, Noll, Vo), folded over names and numbers.
class digest {
  public:
    constexpr digest &add(uint64_t value) {
        for (int i = 0; i < 8; ++i) step(static_cast<uint8_t>(value >> (8 * i)));
        return *this;
    }
    constexpr digest &add(const char *text) {
        for (; *text; ++text) step(static_cast<uint8_t>(*text));
        step(0);
        return *this;
    }
    template <uint32_t N> constexpr digest &add(const field_list<N> &fields) {
        for (const field &f : fields.items) add(f.name).add(f.offset).add(f.bytes);
        return *this;
    }
    constexpr uint64_t value() const { return value_; }

  private:
    constexpr void step(uint8_t byte) { value_ = (value_ ^ byte) * 0x100000001b3ull; }
    uint64_t value_ = 0xcbf29ce484222325ull;
};

}  // namespace hexane
