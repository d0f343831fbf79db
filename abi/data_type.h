// abi/data_type.h -- element types on the wire. Values are ggml's, checked against ggml.h on the host side.
#pragma once

#include <stdint.h>

namespace hexane {

enum class data_type : uint32_t {
    f32 = 0,
    f16 = 1,
    q4_0 = 2,
    q8_0 = 8,
    i8 = 24,
    i16 = 25,
    i32 = 26,
    i64 = 27,
    bf16 = 30,
};

// Elements per block: 1 for plain types, 32 for the quantised ones.
constexpr uint32_t block_elements(data_type t) { return t == data_type::q4_0 || t == data_type::q8_0 ? 32 : 1; }

// Bytes per block in ggml's layout; 0 for a type that is not listed above.
constexpr uint32_t block_bytes(data_type t) {
    switch (t) {
        case data_type::i8: return 1;
        case data_type::f16:
        case data_type::bf16:
        case data_type::i16: return 2;
        case data_type::f32:
        case data_type::i32: return 4;
        case data_type::i64: return 8;
        case data_type::q4_0: return 2 + 16;
        case data_type::q8_0: return 2 + 32;
    }
    return 0;
}

}  // namespace hexane
