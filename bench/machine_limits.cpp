// bench/machine_limits.cpp -- what one core of this machine can do at best: reading memory, and multiplying bytes.
//
// Token generation reads every weight once, so its speed is at most bandwidth / weight bytes. A prompt multiplies every
// weight with every token, so its speed is at most multiply rate / weights. docs/performance.md puts measured speeds
// beside these limits.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

using steady = std::chrono::steady_clock;

double seconds_since(steady::time_point start) { return std::chrono::duration<double>(steady::now() - start).count(); }

// Best of several runs of `body`, in seconds: other load only makes a run slower.
template <typename Body> double best_seconds(int runs, Body &&body) {
    double best = 1e30;
    for (int run = 0; run < runs; ++run) {
        const auto start = steady::now();
        body();
        best = std::min(best, seconds_since(start));
    }
    return best;
}

volatile uint64_t sink;  // keeps results alive

constexpr size_t read_bytes = size_t{1} << 30;  // larger than any cache, so that it comes from memory

uint64_t sum_words(const uint64_t *words, size_t n) {
    uint64_t sums[32] = {};  // enough independent chains that the adds do not limit the reads
    for (size_t i = 0; i < n; i += 32) {
        for (size_t j = 0; j < 32; ++j) sums[j] += words[i + j];
    }
    uint64_t sum = 0;
    for (uint64_t s : sums) sum += s;
    return sum;
}

#if defined(__x86_64__)

// The vectors are opaque to the compiler, so that it can neither hoist nor drop the multiplications.
constexpr int chains = 12;

__attribute__((target("avx512f,avx512vnni"))) void dot_vnni512(uint64_t rounds) {
    __m512i sums[chains], a = _mm512_set1_epi8(3), b = _mm512_set1_epi8(5);
    for (__m512i &s : sums) s = _mm512_setzero_si512();
    for (uint64_t r = 0; r < rounds; ++r) {
        asm volatile("" : "+v"(a), "+v"(b));
#pragma clang loop unroll(full)
        for (int i = 0; i < chains; ++i) sums[i] = _mm512_dpbusd_epi32(sums[i], a, b);
    }
    __m512i sum = sums[0];
    for (int i = 1; i < chains; ++i) sum = _mm512_add_epi32(sum, sums[i]);
    sink = static_cast<uint64_t>(_mm512_reduce_add_epi32(sum));
}

// Without a dot product instruction: pairs of bytes to 16 bits, pairs of those to 32, then the sum.
__attribute__((target("avx2"))) void dot_avx2(uint64_t rounds) {
    __m256i sums[chains], a = _mm256_set1_epi8(3), b = _mm256_set1_epi8(5);
    const __m256i ones = _mm256_set1_epi16(1);
    for (__m256i &s : sums) s = _mm256_setzero_si256();
    for (uint64_t r = 0; r < rounds; ++r) {
#pragma clang loop unroll(full)
        for (int i = 0; i < chains; ++i) {
            asm volatile("" : "+x"(a), "+x"(b));
            sums[i] = _mm256_add_epi32(sums[i], _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), ones));
        }
    }
    alignas(32) uint32_t lanes[8] = {};
    for (const __m256i &s : sums) {
        alignas(32) uint32_t part[8];
        _mm256_store_si256(reinterpret_cast<__m256i *>(part), s);
        for (int i = 0; i < 8; ++i) lanes[i] += part[i];
    }
    sink = lanes[0] + lanes[7];
}

// Name of the instruction used, and its byte multiplications per second.
const char *measure_dot(double *per_second) {
    constexpr uint64_t rounds = 20'000'000;
    const bool vnni = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni");
    if (!vnni && !__builtin_cpu_supports("avx2")) return nullptr;
    const double seconds = best_seconds(5, [&] { vnni ? dot_vnni512(rounds) : dot_avx2(rounds); });
    *per_second = static_cast<double>(rounds) * chains * (vnni ? 64 : 32) / seconds;
    return vnni ? "vpdpbusd, 512 bits" : "vpmaddubsw + vpmaddwd, 256 bits";
}

#else

const char *measure_dot(double *) { return nullptr; }

#endif

}  // namespace

int main() {
    std::vector<uint64_t> words(read_bytes / sizeof(uint64_t), 1);
    const double read_seconds = best_seconds(7, [&] { sink = sum_words(words.data(), words.size()); });
    std::printf("reading memory:        %.1f GB/s on one core\n",
                static_cast<double>(read_bytes) / read_seconds * 1e-9);

    // A copy reads and writes: the cost of moving weights to VTCM where they are not served in place.
    std::vector<uint64_t> copies(words.size(), 2);
    const double copy_seconds = best_seconds(5, [&] {
        std::memcpy(copies.data(), words.data(), read_bytes);
        asm volatile("" ::"r"(copies.data()) : "memory");
    });
    std::printf("copying memory:        %.1f GB/s on one core\n",
                static_cast<double>(read_bytes) / copy_seconds * 1e-9);

    double products = 0;
    const char *instruction = measure_dot(&products);
    if (instruction) std::printf("int8 multiply-adds:    %.0f G/s on one core (%s)\n", products * 1e-9, instruction);
    return 0;
}
