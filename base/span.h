// base/span.h -- pointer and length; a freestanding stand-in for std::span.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace hexane::base {

// Does not own. REQUIRES of every accessor: the index or range lies within the span.
template <class T> class span {
  public:
    constexpr span() = default;
    constexpr span(T *data, size_t size) : data_(data), size_(size) {}
    template <size_t N> constexpr span(T (&array)[N]) : data_(array), size_(N) {}

    constexpr T *data() const { return data_; }
    constexpr size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr T &operator[](size_t i) const { return data_[i]; }
    constexpr T *begin() const { return data_; }
    constexpr T *end() const { return data_ + size_; }
    constexpr span subspan(size_t offset, size_t count) const { return span(data_ + offset, count); }

  private:
    T *data_ = nullptr;
    size_t size_ = 0;
};

}  // namespace hexane::base
