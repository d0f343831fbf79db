// base/traits.h -- the few type traits that freestanding code needs; the bare Hexagon target has no <type_traits>.
#pragma once

#include <stdint.h>

namespace hexane::base {

template <class A, class B> inline constexpr bool is_same = false;
template <class A> inline constexpr bool is_same<A, A> = true;

template <class T> struct remove_reference {
    using type = T;
};
template <class T> struct remove_reference<T &> {
    using type = T;
};
template <class T> struct remove_reference<T &&> {
    using type = T;
};
template <class T> using remove_reference_t = typename remove_reference<T>::type;

template <class T> constexpr T &&forward(remove_reference_t<T> &value) noexcept { return static_cast<T &&>(value); }
template <class T> constexpr remove_reference_t<T> &&move(T &&value) noexcept {
    return static_cast<remove_reference_t<T> &&>(value);
}

}  // namespace hexane::base
