// platform/remote.h -- the FastRPC functions of libcdsprpc: sessions, invocations, mappings, domain discovery.
//
// Every function returns 0 or an AEE code. A plug-in resolves them by name at run time: `decltype(&remote_handle64_open)` is
// the type of the pointer. Optional ones, absent from some drivers: remote_system_request.
#pragma once

#if defined(HEXANE_WITH_SDK)
#include <remote.h>
#else

#include <stddef.h>
#include <stdint.h>

#include "platform/AEEStdErr.h"

extern "C" {

typedef uint32_t remote_handle;
typedef uint64_t remote_handle64;

struct remote_buf {
    void *pv;
    size_t nLen;
};
struct remote_dma_handle {
    int32_t fd;
    uint32_t offset;
};
// One argument of an invocation. An array of them holds all in-buffers, then all out-buffers, in-handles, out-handles.
union remote_arg {
    remote_buf buf;
    remote_handle h;
    remote_handle64 h64;
    remote_dma_handle dma;
};

// ---- modules

// Opens a module: `name` is "file:///<lib>.so?<entry>&_modver=1.0&_dom=<domain>&_session=<n>". Starts the session's process on its
// first module. The NPU's failures come back as 0x800004nn: 0x80000406 when the library cannot be loaded.
int remote_handle64_open(const char *name, remote_handle64 *handle);
int remote_handle64_close(remote_handle64 handle);
// Calls a method: `scalars` packs attr[31:29] method[28:24] in[23:16] out[15:8] in-handles[7:4] out-handles[3:0]. Outputs are
// defined only when 0 comes back. The virtual driver gives up after 30 s.
int remote_handle64_invoke(remote_handle64 handle, uint32_t scalars, remote_arg *arguments);
// `datalen` must be exactly the size of the request's struct.
int remote_handle64_control(remote_handle64 handle, uint32_t request, void *data, uint32_t datalen);
int remote_handle_control(uint32_t request, void *data, uint32_t datalen);
int remote_session_control(uint32_t request, void *data, uint32_t datalen);

// ---- requests of remote_handle_control and remote_handle64_control

enum handle_control_req_id : uint32_t {
    DSPRPC_CONTROL_LATENCY = 1,  // remote_rpc_control_latency
    DSPRPC_GET_DSP_INFO = 2,     // remote_dsp_capability
};

enum remote_rpc_latency_flags : uint32_t {
    RPC_DISABLE_QOS = 0,
    RPC_PM_QOS = 1,
    RPC_ADAPTIVE_QOS = 2,
    RPC_POLL_QOS = 3,
};
struct remote_rpc_control_latency {
    uint32_t enable;   // remote_rpc_latency_flags
    uint32_t latency;  // microseconds
};
static_assert(sizeof(remote_rpc_control_latency) == 8);

enum remote_dsp_attributes : uint32_t {
    DOMAIN_SUPPORT = 0,
    UNSIGNED_PD_SUPPORT = 1,
    HVX_SUPPORT_64B = 2,
    HVX_SUPPORT_128B = 3,
    VTCM_PAGE = 4,
    VTCM_COUNT = 5,
    ARCH_VER = 6,  // low byte: the version in hexadecimal digits, 0x79 is v79
    HMX_SUPPORT_DEPTH = 7,
    HMX_SUPPORT_SPATIAL = 8,
    ASYNC_FASTRPC_SUPPORT = 9,
    STATUS_NOTIFICATION_SUPPORT = 10,
    MCID_MULTICAST = 11,
};
struct remote_dsp_capability {
    uint32_t domain;
    uint32_t attribute_ID;  // remote_dsp_attributes
    uint32_t capability;    // out
};
static_assert(sizeof(remote_dsp_capability) == 12);

// ---- requests of remote_session_control; the lengths of names exclude the NUL

enum session_control_req_id : uint32_t {
    DSPRPC_CONTROL_UNSIGNED_MODULE = 2,    // remote_rpc_control_unsigned_module; before the session's first open
    FASTRPC_REMOTE_PROCESS_KILL = 6,       // remote_rpc_process_kill; ends the session's process at once
    FASTRPC_RESERVE_NEW_SESSION = 13,      // remote_rpc_reserve_new_session
    FASTRPC_GET_EFFECTIVE_DOMAIN_ID = 14,  // remote_rpc_effective_domain_id
    FASTRPC_GET_URI = 15,                  // remote_rpc_get_uri
};

struct remote_rpc_control_unsigned_module {
    int domain;  // effective domain id
    int enable;
};
static_assert(sizeof(remote_rpc_control_unsigned_module) == 8);

struct remote_rpc_process_kill {
    int domain;  // effective domain id
};

// Reserves a further session of a domain.
struct remote_rpc_reserve_new_session {
    char *domain_name;
    uint32_t domain_name_len;
    char *session_name;
    uint32_t session_name_len;
    uint32_t effective_domain_id;  // out
    uint32_t session_id;           // out
};

// Finds the number by which every other function knows a session of a domain. It is opaque.
struct remote_rpc_effective_domain_id {
    char *domain_name;
    uint32_t domain_name_len;
    uint32_t session_id;
    uint32_t effective_domain_id;  // out
};

// Adds the domain and session suffix to a module URI.
struct remote_rpc_get_uri {
    char *domain_name;
    uint32_t domain_name_len;
    uint32_t session_id;
    char *module_uri;
    uint32_t module_uri_len;
    char *uri;  // out, uri_len bytes
    uint32_t uri_len;
};

#if UINTPTR_MAX > 0xffffffffu
static_assert(sizeof(remote_arg) == 16);
static_assert(sizeof(remote_rpc_reserve_new_session) == 40 &&
              offsetof(remote_rpc_reserve_new_session, session_name) == 16 &&
              offsetof(remote_rpc_reserve_new_session, effective_domain_id) == 28 &&
              offsetof(remote_rpc_reserve_new_session, session_id) == 32);
static_assert(sizeof(remote_rpc_effective_domain_id) == 24 &&
              offsetof(remote_rpc_effective_domain_id, effective_domain_id) == 16);
static_assert(sizeof(remote_rpc_get_uri) == 48 && offsetof(remote_rpc_get_uri, module_uri) == 16 &&
              offsetof(remote_rpc_get_uri, uri) == 32 && offsetof(remote_rpc_get_uri, uri_len) == 40);
#else
static_assert(sizeof(remote_arg) == 8);
#endif

// ---- discovery

enum system_req_id : int { FASTRPC_GET_DOMAINS = 0 };

enum fastrpc_domain_type : int {
    FASTRPC_ALL_DOMAINS = 0,
    FASTRPC_NSP = 1,
    FASTRPC_LPASS = 2,
    FASTRPC_SDSP = 3,
    FASTRPC_MDSP = 4,
    FASTRPC_HPASS = 5,
};
struct fastrpc_domain {
    int id;
    int instance_id;
    char name[30];  // for "&_dom=" and for every domain_name above
    fastrpc_domain_type type;
    int status;  // not 0: up
    uint32_t card;
    uint32_t soc_id;
    uint32_t reserved[10];
};
static_assert(sizeof(fastrpc_domain) == 96 && offsetof(fastrpc_domain, type) == 40 &&
              offsetof(fastrpc_domain, soc_id) == 52);

struct fastrpc_domains_info {
    fastrpc_domain *domains;
    int max_domains;
    int num_domains;  // out
    uint64_t flags;   // 0: all
};
struct system_req_payload {
    int id;  // system_req_id
    union {
        fastrpc_domains_info sys;
    };
};
#if UINTPTR_MAX > 0xffffffffu
static_assert(sizeof(fastrpc_domains_info) == 24 && sizeof(system_req_payload) == 32 &&
              offsetof(system_req_payload, sys) == 8);
#endif

// Two calls: with no array for the number of domains, then with an array for the entries.
int remote_system_request(system_req_payload *request);

// ---- mappings

enum fastrpc_map_flags : int {
    FASTRPC_MAP_STATIC = 0,
    FASTRPC_MAP_RESERVED = 1,
    FASTRPC_MAP_FD = 2,
    FASTRPC_MAP_FD_DELAYED = 3,  // the NPU maps it itself, with HAP_mmap
    FASTRPC_MAP_FD_NOMAP = 16,
    FASTRPC_MAP_FD_EXTENDED = 17,
    FASTRPC_MAP_FD_DELAYED_EXTENDED = 18,
    FASTRPC_MAP_MAX = 19,
};
// Makes the memory behind `fd` known to a domain (an effective domain id). `offset` must be 0.
int fastrpc_mmap(int domain, int fd, void *address, int offset, size_t length, enum fastrpc_map_flags flags);
int fastrpc_munmap(int domain, int fd, void *address, size_t length);

}  // extern "C"

#endif  // HEXANE_WITH_SDK
