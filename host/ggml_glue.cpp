// host/ggml_glue.cpp -- the tables that ggml calls, and nothing else: every entry unpacks its context, calls into host/
// and lets no exception out. The only file that names ggml_backend_*.
#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "ggml-backend.h"
#include "ggml.h"
#include "host/buffer.h"
#include "host/device.h"
#include "host/ggml_abi.h"
#include "host/graph_run.h"
#include "host/log.h"
#include "host/registry.h"
#include "host/support.h"
#include "host/tensor_place.h"
#include "include/ggml-hexagon.h"

namespace abi = hexane::host::abi_v3;

// Exported by libggml-base: makes the buffer object around our context.
extern "C" abi::buffer *ggml_backend_buffer_init(abi::buffer_type *type, abi::buffer_table iface, void *context,
                                                 size_t size);

namespace hexane::host {

namespace {

// One device of ours with everything that ggml points at.
struct device_node {
    device *ours;
    abi::device dev;
    abi::buffer_type type;
    std::unique_ptr<graph_run> runner;  // scratch of graph_compute, guarded by the device's lock
};

// A backend is a counted use of its device; all backends of a device share its session.
struct backend_node {
    device_node *where;
    abi::backend base;
};

// Runs `f` for an entry point: what it throws becomes one line and `fallback`.
template <class T, class F> T guarded(const char *entry, T fallback, F &&f) noexcept {
    try {
        return f();
    } catch (const std::exception &e) {
        log_line(log_level::error, "%s: %s", entry, e.what());
    } catch (...) {
        log_line(log_level::error, "%s: unknown exception", entry);
    }
    return fallback;
}
template <class F> void guarded(const char *entry, F &&f) noexcept {
    (void)guarded(entry, 0, [&] { return f(), 0; });
}

buffer &ours(abi::buffer *b) { return *static_cast<buffer *>(b->context); }
device_node &node_of(abi::device *d) { return *static_cast<device_node *>(d->context); }
bool holds_weights(const abi::buffer *b) { return b->usage == GGML_BACKEND_BUFFER_USAGE_WEIGHTS; }
const abi::buffer *buffer_object(const ggml_tensor &t) {
    return reinterpret_cast<const abi::buffer *>(t.view_src ? t.view_src->buffer : t.buffer);
}

// ---- buffer

void buffer_free(abi::buffer *b) {
    guarded("free_buffer", [&] { delete static_cast<buffer *>(b->context); });
}
void *buffer_base(abi::buffer *b) { return ours(b).base; }
ggml_status buffer_init_tensor(abi::buffer *b, ggml_tensor *t) {
    return guarded("init_tensor", GGML_STATUS_FAILED, [&] { return ours(b).place(*t), GGML_STATUS_SUCCESS; });
}
void buffer_memset(abi::buffer *b, ggml_tensor *t, uint8_t value, size_t offset, size_t size) {
    guarded("memset_tensor", [&] { ours(b).fill(*t, value, offset, size); });
}
void buffer_set(abi::buffer *b, ggml_tensor *t, const void *data, size_t offset, size_t size) {
    guarded("set_tensor", [&] { ours(b).set(*t, data, {offset, size, 1, 0, 0}, holds_weights(b)); });
}
void buffer_get(abi::buffer *b, const ggml_tensor *t, void *data, size_t offset, size_t size) {
    guarded("get_tensor", [&] { ours(b).get(*t, data, {offset, size, 1, 0, 0}); });
}
void buffer_set_2d(abi::buffer *b, ggml_tensor *t, const void *data, size_t offset, size_t size, size_t n,
                   size_t tensor_stride, size_t data_stride) {
    guarded("set_tensor_2d",
            [&] { ours(b).set(*t, data, {offset, size, n, tensor_stride, data_stride}, holds_weights(b)); });
}
void buffer_get_2d(abi::buffer *b, const ggml_tensor *t, void *data, size_t offset, size_t size, size_t n,
                   size_t tensor_stride, size_t data_stride) {
    guarded("get_tensor_2d", [&] { ours(b).get(*t, data, {offset, size, n, tensor_stride, data_stride}); });
}
bool buffer_copy(abi::buffer *b, const ggml_tensor *src, ggml_tensor *dst) {
    return guarded("cpy_tensor", false, [&] {
        buffer *source = buffer_of(*src);
        if (!source || ggml_nbytes(src) != ggml_nbytes(dst)) return false;  // ggml then copies through host memory
        return ours(b).copy_from(*source, *src, *dst, holds_weights(b)), true;
    });
}
void buffer_clear(abi::buffer *b, uint8_t value) {
    guarded("clear", [&] { ours(b).clear(value); });
}
void buffer_reset(abi::buffer *b) {
    guarded("reset", [&] { ours(b).reset(); });
}

constexpr abi::buffer_table buffer_entries = {buffer_free, buffer_base,  buffer_init_tensor, buffer_memset,
                                              buffer_set,  buffer_get,   buffer_set_2d,      buffer_get_2d,
                                              buffer_copy, buffer_clear, buffer_reset};

// ---- buffer type

device &device_of(abi::buffer_type *t) { return *static_cast<device_node *>(t->context)->ours; }

const char *type_name(abi::buffer_type *t) { return device_of(t).name().c_str(); }
abi::buffer *type_alloc(abi::buffer_type *t, size_t size) {
    return guarded("alloc_buffer", static_cast<abi::buffer *>(nullptr), [&]() -> abi::buffer * {
        std::unique_ptr<buffer> b = buffer::create(device_of(t), size);
        return b ? ggml_backend_buffer_init(t, buffer_entries, b.release(), size) : nullptr;
    });
}
// An HVX vector and an L2 line: what transfers and kernels want.
size_t type_alignment(abi::buffer_type *) { return line_bytes; }
// Never less than a single tensor takes: ggml's allocator leaves the views of a larger one without a buffer, and aborts when they are used.
size_t type_max_size(abi::buffer_type *t) { return device_of(t).named_buffer_bytes(); }
// Room for tiles, whose rows are padded to whole bands; whether the tensor becomes tiles is known only at its first
// write.
size_t type_alloc_size(abi::buffer_type *type, const ggml_tensor *t) {
    const auto shape = tileable(*t);
    const size_t bytes = std::max<size_t>(ggml_nbytes(t), shape ? shape->tiled_bytes() : 0);
    device_of(type).saw_tensor(bytes);
    return bytes;
}
bool type_is_host(abi::buffer_type *) { return false; }

constexpr abi::buffer_type_table type_entries = {type_name,     type_alloc,      nullptr, type_alignment,
                                                 type_max_size, type_alloc_size, nullptr, type_is_host};

// ---- backend

backend_node &node_of(abi::backend *b) { return *static_cast<backend_node *>(b->context); }

const char *backend_name(abi::backend *b) { return node_of(b).where->ours->name().c_str(); }
void backend_free(abi::backend *b) {
    guarded("free", [&] {
        const std::unique_ptr<backend_node> n(&node_of(b));
        n->where->ours->remove_user(0);
    });
}
void backend_synchronize(abi::backend *) {}  // graph_compute returns when all work is done
ggml_status backend_compute(abi::backend *b, ggml_cgraph *graph) {
    return node_of(b).where->runner->compute(graph) ? GGML_STATUS_SUCCESS : GGML_STATUS_FAILED;
}

constexpr abi::backend_table backend_entries = [] {
    abi::backend_table t{};
    t.get_name = backend_name;
    t.free = backend_free;
    t.synchronize = backend_synchronize;
    t.graph_compute = backend_compute;
    return t;
}();

ggml_guid_t backend_guid() {
    static ggml_guid guid = {0x68, 0x65, 0x78, 0x61, 0x6e, 0x65, 0x4e, 0x50,
                             0x9d, 0x2f, 0x41, 0x07, 0xc3, 0x5a, 0xe1, 0x76};
    return &guid;
}

// ---- device

const char *device_name(abi::device *d) { return node_of(d).ours->name().c_str(); }
const char *device_description(abi::device *d) { return node_of(d).ours->description().c_str(); }
void device_memory(abi::device *d, size_t *free, size_t *total) { node_of(d).ours->memory(free, total); }
enum ggml_backend_dev_type device_type(abi::device *) { return GGML_BACKEND_DEVICE_TYPE_GPU; }
// Every capability is false until it exists and is tested: async and events together would switch pipeline parallelism
// on.
void device_props(abi::device *d, ggml_backend_dev_props *p) {
    *p = {};
    p->name = device_name(d);
    p->description = device_description(d);
    device_memory(d, &p->memory_free, &p->memory_total);
    p->type = device_type(d);
}
abi::backend *device_init(abi::device *d, const char *) {
    return guarded("init_backend", static_cast<abi::backend *>(nullptr), [&] {
        auto n = std::make_unique<backend_node>();
        n->where = &node_of(d);
        n->base = {backend_guid(), backend_entries, d, n.get()};
        n->where->ours->add_user(0);
        return &n.release()->base;
    });
}
abi::buffer_type *device_buffer_type(abi::device *d) { return &node_of(d).type; }
bool device_supports_op(abi::device *d, const ggml_tensor *t) {
    return guarded("supports_op", false, [&] { return supports(*node_of(d).ours, *t); });
}
bool device_supports_type(abi::device *d, abi::buffer_type *t) { return t == &node_of(d).type; }

constexpr abi::device_table device_entries = {device_name,
                                              device_description,
                                              device_memory,
                                              device_type,
                                              device_props,
                                              device_init,
                                              device_buffer_type,
                                              nullptr,
                                              nullptr,
                                              device_supports_op,
                                              device_supports_type,
                                              nullptr,
                                              nullptr,
                                              nullptr,
                                              nullptr};

// ---- registry

// All that ggml may point at, for the life of the process.
struct registry_node {
    abi::reg reg{};
    std::deque<device_node> devices;
};

const char *registry_name(abi::reg *) { return "HTP"; }
size_t registry_size(abi::reg *r) { return static_cast<registry_node *>(r->context)->devices.size(); }
abi::device *registry_device(abi::reg *r, size_t i) {
    auto &devices = static_cast<registry_node *>(r->context)->devices;
    return i < devices.size() ? &devices[i].dev : nullptr;
}
void *registry_proc_address(abi::reg *, const char *) { return nullptr; }

constexpr abi::reg_table registry_entries = {registry_name, registry_size, registry_device, registry_proc_address};

registry_node *make_registry() {
    auto n = std::make_unique<registry_node>();
    n->reg = {abi::version, registry_entries, n.get()};
    guarded("registration", [&] {
        registry &all = registry::get();
        for (size_t i = 0; i < all.size(); ++i) {
            device_node &d = n->devices.emplace_back();
            d.ours = &all.at(i);
            d.dev = {device_entries, &n->reg, &d};
            d.type = {type_entries, &d.dev, &d};
            d.runner = std::make_unique<graph_run>(all.at(i));
        }
    });
    return n.release();
}

}  // namespace

buffer *buffer_of(const ggml_tensor &t) {
    const abi::buffer *b = buffer_object(t);
    return b && b->iface.free_buffer == buffer_free ? static_cast<buffer *>(b->context) : nullptr;
}

bool is_placed_on(const device &d, const ggml_tensor &t) {
    const abi::buffer *b = buffer_object(t);
    return b && b->type->iface.alloc_buffer == type_alloc && &device_of(b->type) == &d;
}

bool in_weight_buffer(const ggml_tensor &t) {
    const abi::buffer *b = buffer_object(t);
    return b && holds_weights(b);
}

}  // namespace hexane::host

extern "C" {

ggml_backend_reg_t ggml_backend_hexagon_reg(void) {
    static hexane::host::registry_node *const instance = hexane::host::make_registry();
    return reinterpret_cast<ggml_backend_reg_t>(&instance->reg);
}

ggml_backend_t ggml_backend_hexagon_init(size_t device) {
    using namespace hexane::host;
    auto *reg = reinterpret_cast<abi::reg *>(ggml_backend_hexagon_reg());
    abi::device *d = registry_device(reg, device);
    if (!d) {
        log_line(log_level::error, "there is no device %zu, only %zu", device, registry_size(reg));
        return nullptr;
    }
    return reinterpret_cast<ggml_backend_t>(device_init(d, nullptr));
}

bool ggml_backend_is_hexagon(ggml_backend_t backend) {
    const auto *b = reinterpret_cast<const abi::backend *>(backend);
    return b && b->guid == hexane::host::backend_guid();
}

#if defined(HEXANE_PLUGIN)
// Found by ggml when it loads the shared library.
__attribute__((visibility("default"))) ggml_backend_reg_t ggml_backend_init(void) { return ggml_backend_hexagon_reg(); }

// Never 0: without a driver the registry is there and says why it is empty.
__attribute__((visibility("default"))) int ggml_backend_score(void) { return 1; }
#endif

}  // extern "C"
