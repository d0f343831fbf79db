// host/ggml_abi.h -- the tables by which ggml calls a backend, which are in none of its public headers. One namespace
// per plug-in API version; ggml refuses a plug-in whose version is not its own, so a process uses one of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ggml-backend.h"
#include "ggml.h"

// Version 3: ggml 0.27. Entries in the order in which ggml has them; null where a comment says "may be null".
namespace hexane::host::abi_v3 {

inline constexpr int version = 3;

struct reg;
struct device;
struct buffer_type;
struct buffer;
struct backend;

struct reg_table {
    const char *(*get_name)(reg *);
    size_t (*get_device_count)(reg *);
    device *(*get_device)(reg *, size_t index);
    void *(*get_proc_address)(reg *, const char *name);  // may be null
};
struct reg {
    int api_version;
    reg_table iface;
    void *context;
};

struct device_table {
    const char *(*get_name)(device *);
    const char *(*get_description)(device *);
    void (*get_memory)(device *, size_t *free, size_t *total);
    enum ggml_backend_dev_type (*get_type)(device *);
    void (*get_props)(device *, ggml_backend_dev_props *);
    backend *(*init_backend)(device *, const char *params);
    buffer_type *(*get_buffer_type)(device *);
    buffer_type *(*get_host_buffer_type)(device *);                                             // may be null
    buffer *(*buffer_from_host_ptr)(device *, void *ptr, size_t size, size_t max_tensor_size);  // may be null
    bool (*supports_op)(device *, const ggml_tensor *);
    bool (*supports_buft)(device *, buffer_type *);
    bool (*offload_op)(device *, const ggml_tensor *);          // may be null
    ggml_backend_event_t (*event_new)(device *);                // may be null
    void (*event_free)(device *, ggml_backend_event_t);         // may be null
    void (*event_synchronize)(device *, ggml_backend_event_t);  // may be null
};
struct device {
    device_table iface;
    reg *owner;
    void *context;
};

struct buffer_type_table {
    const char *(*get_name)(buffer_type *);
    buffer *(*alloc_buffer)(buffer_type *, size_t size);
    buffer *(*alloc_buffer_n)(buffer_type *, ggml_tensor **, int n);  // may be null
    size_t (*get_alignment)(buffer_type *);
    size_t (*get_max_size)(buffer_type *);                             // may be null: no limit
    size_t (*get_alloc_size)(buffer_type *, const ggml_tensor *);      // may be null: ggml_nbytes
    size_t (*get_alloc_size_n)(buffer_type *, ggml_tensor **, int n);  // may be null
    bool (*is_host)(buffer_type *);                                    // may be null: false
};
struct buffer_type {
    buffer_type_table iface;
    device *owner;
    void *context;
};

struct buffer_table {
    void (*free_buffer)(buffer *);  // may be null
    void *(*get_base)(buffer *);
    enum ggml_status (*init_tensor)(buffer *, ggml_tensor *);  // may be null
    void (*memset_tensor)(buffer *, ggml_tensor *, uint8_t value, size_t offset, size_t size);
    void (*set_tensor)(buffer *, ggml_tensor *, const void *data, size_t offset, size_t size);
    void (*get_tensor)(buffer *, const ggml_tensor *, void *data, size_t offset, size_t size);
    void (*set_tensor_2d)(buffer *, ggml_tensor *, const void *data, size_t offset, size_t size, size_t n_copies,
                          size_t stride_tensor,
                          size_t stride_data);  // may be null
    void (*get_tensor_2d)(buffer *, const ggml_tensor *, void *data, size_t offset, size_t size, size_t n_copies,
                          size_t stride_tensor,
                          size_t stride_data);                               // may be null
    bool (*cpy_tensor)(buffer *, const ggml_tensor *src, ggml_tensor *dst);  // may be null
    void (*clear)(buffer *, uint8_t value);
    void (*reset)(buffer *);  // may be null
};
struct buffer {
    buffer_table iface;
    buffer_type *type;
    void *context;
    size_t size;
    enum ggml_backend_buffer_usage usage;
};

struct backend_table {
    const char *(*get_name)(backend *);
    void (*free)(backend *);
    void *set_tensor_async;  // null: all of these are served by the buffer
    void *get_tensor_async;
    void *set_tensor_2d_async;
    void *get_tensor_2d_async;
    void *cpy_tensor_async;
    void (*synchronize)(backend *);  // may be null
    void *graph_plan_create;         // null: no plans kept by the caller
    void *graph_plan_free;
    void *graph_plan_update;
    void *graph_plan_compute;
    enum ggml_status (*graph_compute)(backend *, ggml_cgraph *);
    void *event_record;  // null: no events
    void *event_wait;
    void *graph_optimize;  // may be null
};
struct backend {
    ggml_guid_t guid;
    backend_table iface;
    device *owner;
    void *context;
};

}  // namespace hexane::host::abi_v3
