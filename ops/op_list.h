// ops/op_list.h -- a list of op types, and what can be folded over it.
#pragma once

#include <stdint.h>

#include "abi/batch.h"
#include "abi/digest.h"
#include "abi/op_id.h"
#include "abi/session_interface.h"
#include "base/align.h"
#include "base/traits.h"

namespace hexane {

// An op is a struct with
//   static constexpr op_id id;                wire value
//   static constexpr const char *name;        ggml's name of it, as ggml_op_desc() gives it
//   static constexpr uint32_t n_sources;      sources that it cannot do without; it may have more
//   struct kernel_params { ...; static constexpr auto fields(); };   what the planner tells the kernel
template <class Op> struct op_check {
    using params = typename Op::kernel_params;
    static_assert(sizeof(params) <= kernel_params_bytes, "kernel_params must fit the op descriptor");
    static_assert(alignof(params) <= 8, "kernel_params must not be aligned beyond the op descriptor");
    static_assert(static_cast<uint32_t>(Op::id) < 512, "tables are as long as the largest id: take the next free one");
    static constexpr bool passed = true;
};

namespace detail {
constexpr bool same_text(const char *a, const char *b) {
    for (; *a && *a == *b; ++a) ++b;
    return *a == *b;
}
// Whether one of the ops has the id or the name that another one has.
template <class... Ops> constexpr bool ids_differ() {
    const auto alone = [](op_id id) { return ((Ops::id == id ? 1 : 0) + ...) == 1; };
    return (alone(Ops::id) && ...);
}
template <class... Ops> constexpr bool names_differ() {
    const auto alone = [](const char *name) { return ((same_text(Ops::name, name) ? 1 : 0) + ...) == 1; };
    return (alone(Ops::name) && ...);
}
}  // namespace detail

template <class... Ops> struct op_list {
    static_assert((op_check<Ops>::passed && ...));
    static_assert(detail::ids_differ<Ops...>(), "two ops of ops/all_ops.h have the same id");
    static_assert(detail::names_differ<Ops...>(), "two ops of ops/all_ops.h have the same name");

    static constexpr uint32_t size = sizeof...(Ops);
    // One more than the largest id: the size of a table by id.
    static constexpr uint32_t id_limit = [] {
        uint32_t largest = 0;
        ((largest = base::max(largest, static_cast<uint32_t>(Ops::id))), ...);
        return largest + 1;
    }();

    // Calls f.template operator()<Op>() for each op, in order.
    template <class F> static constexpr void for_each(F &&f) { (f.template operator()<Ops>(), ...); }

    template <class Op> static constexpr bool contains = (base::is_same<Op, Ops> || ...);

    // Changes with every op, every params field and every wire struct.
    static constexpr uint64_t abi_digest() {
        digest d;
        d.add(buffer_desc::fields())
            .add(tensor_desc::fields())
            .add(op_desc::fields())
            .add(op_report::fields())
            .add(batch_header::fields());
        d.add(batch_request::fields())
            .add(batch_response::fields())
            .add(start_args::fields())
            .add(hwinfo_result::fields());
        (add<Ops>(d), ...);
        return d.value();
    }

  private:
    template <class Op> static constexpr void add(digest &d) {
        using params = typename Op::kernel_params;
        d.add(static_cast<uint64_t>(Op::id))
            .add(Op::name)
            .add(sizeof(params))
            .add(alignof(params))
            .add(params::fields());
    }
};

}  // namespace hexane
