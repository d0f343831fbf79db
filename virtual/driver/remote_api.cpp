// virtual/driver/remote_api.cpp -- remote_* and fastrpc_* of the plain library.
#include <string.h>

#include <algorithm>

#include "platform/remote.h"
#include "virtual/driver/directory.h"
#include "virtual/driver/log.h"
#include "virtual/driver/plain_library.h"

namespace hexane::virt {

namespace {

constexpr uint32_t max_session_name = 29;

// Request data as its struct; null when `datalen` is not exactly its size.
template <class T> T *request_of(void *data, uint32_t datalen) {
    return data && datalen == sizeof(T) ? static_cast<T *>(data) : nullptr;
}

std::string_view name_of(const char *name, uint32_t length) {
    return name ? std::string_view(name, strnlen(name, length)) : std::string_view();
}

AEEResult reserve(remote_rpc_reserve_new_session *r) {
    if (!r || !r->session_name || r->session_name_len > max_session_name) return AEE_EBADPARM;
    const auto core = directory::core_of_name(name_of(r->domain_name, r->domain_name_len));
    if (!core) return AEE_EINVALIDDOMAIN;
    return the_directory().reserve(*core, &r->session_id, &r->effective_domain_id);
}

AEEResult effective_id(remote_rpc_effective_domain_id *r) {
    if (!r) return AEE_EBADPARM;
    const auto core = directory::core_of_name(name_of(r->domain_name, r->domain_name_len));
    if (!core) return AEE_EINVALIDDOMAIN;
    return the_directory().effective_id(*core, r->session_id, &r->effective_domain_id);
}

AEEResult get_uri(remote_rpc_get_uri *r) {
    if (!r || !r->module_uri || !r->uri) return AEE_EBADPARM;
    const std::string_view domain = name_of(r->domain_name, r->domain_name_len);
    if (!directory::core_of_name(domain)) return AEE_EINVALIDDOMAIN;
    std::string uri(name_of(r->module_uri, r->module_uri_len));
    uri.append("&_dom=").append(domain).append("&_session=").append(std::to_string(r->session_id));
    if (uri.size() + 1 > r->uri_len) return AEE_EBADSIZE;
    memcpy(r->uri, uri.c_str(), uri.size() + 1);
    return AEE_SUCCESS;
}

AEEResult dsp_info(remote_dsp_capability *r) {
    if (!r) return AEE_EBADPARM;
    if (!directory::core_of_id(static_cast<int>(r->domain))) return AEE_EINVALIDDOMAIN;
    const device_description d = described_device();
    const auto version = static_cast<uint32_t>(d.arch);
    switch (r->attribute_ID) {
        case DOMAIN_SUPPORT:
        case UNSIGNED_PD_SUPPORT: r->capability = 1; break;
        case HVX_SUPPORT_64B: r->capability = 0; break;
        case HVX_SUPPORT_128B: r->capability = d.n_threads; break;
        case VTCM_PAGE: r->capability = static_cast<uint32_t>(d.vtcm_bytes); break;
        case VTCM_COUNT: r->capability = 1; break;
        case ARCH_VER: r->capability = version / 10 * 16 + version % 10; break;
        case HMX_SUPPORT_DEPTH:
        case HMX_SUPPORT_SPATIAL: r->capability = d.n_hmx; break;
        default: r->capability = 0; return AEE_EUNSUPPORTED;
    }
    return AEE_SUCCESS;
}

AEEResult latency(const remote_rpc_control_latency *r) {
    return r && r->enable <= RPC_POLL_QOS ? AEE_SUCCESS : AEE_EBADPARM;
}

AEEResult allow_unsigned(const remote_rpc_control_unsigned_module *r) {
    if (!r || r->enable < 0 || r->enable > 1) return AEE_EBADPARM;
    return the_directory().allow_unsigned(r->domain, r->enable == 1);
}

AEEResult kill_process(const remote_rpc_process_kill *r) {
    if (!r) return AEE_EBADPARM;
    const auto s = the_directory().running(r->domain);
    if (!s) return AEE_ENOSUCH;
    s->kill();
    return AEE_SUCCESS;
}

AEEResult list_domains(fastrpc_domains_info *info) {
    const uint32_t cores = described_device().n_cores;
    if (info->flags != 0) return AEE_EBADPARM;
    if (info->domains) {
        for (uint32_t core = 0; core < cores && core < static_cast<uint32_t>(std::max(info->max_domains, 0)); ++core) {
            fastrpc_domain &d = info->domains[core];
            d = {};
            d.id = core_domain_id(core);
            d.instance_id = static_cast<int>(core);
            d.type = FASTRPC_NSP;
            d.status = 1;
            const std::string name = core_name(core);
            memcpy(d.name, name.c_str(), name.size() + 1);
        }
    }
    info->num_domains = static_cast<int>(cores);
    return AEE_SUCCESS;
}

// Map flags to "now or when asked"; nothing for flags that this device does not have.
std::optional<bool> maps_now(int flags, arch a) {
    switch (flags) {
        case FASTRPC_MAP_STATIC:
        case FASTRPC_MAP_FD: return true;
        case FASTRPC_MAP_FD_DELAYED:
        case FASTRPC_MAP_FD_NOMAP: return false;
        case FASTRPC_MAP_FD_EXTENDED: return a == arch::v81 ? std::optional(true) : std::nullopt;
        case FASTRPC_MAP_FD_DELAYED_EXTENDED: return a == arch::v81 ? std::optional(false) : std::nullopt;
        default: return {};
    }
}

}  // namespace

AEEResult plain_library::open(const char *name, remote_handle64 *handle) {
    if (!name || !handle) return AEE_EBADPARM;
    std::string problem;
    const auto uri = parse_module_uri(name, &problem);
    if (!uri) {
        log_line("open of '%s': %s", name, problem.c_str());
        return AEE_EBADPARM;
    }
    return the_directory().open(*uri, handle);
}

AEEResult plain_library::close(remote_handle64 handle) { return the_directory().close(handle); }

AEEResult plain_library::invoke(remote_handle64 handle, uint32_t scalars, remote_arg *arguments) {
    if (scalar_counts::of(scalars).method < 2) return AEE_EBADPARM;  // open and close have functions of their own
    return the_directory().invoke(handle, scalars, arguments);
}

AEEResult plain_library::control(uint32_t request, void *data, uint32_t bytes) {
    switch (request) {
        case DSPRPC_CONTROL_LATENCY: return latency(request_of<remote_rpc_control_latency>(data, bytes));
        case DSPRPC_GET_DSP_INFO: return dsp_info(request_of<remote_dsp_capability>(data, bytes));
        default: return AEE_EUNSUPPORTED;
    }
}

AEEResult plain_library::handle_control(remote_handle64 handle, uint32_t request, void *data, uint32_t bytes) {
    return the_directory().knows(handle) ? control(request, data, bytes) : AEE_EINVHANDLE;
}

AEEResult plain_library::session_control(uint32_t request, void *data, uint32_t bytes) {
    switch (request) {
        case DSPRPC_CONTROL_UNSIGNED_MODULE:
            return allow_unsigned(request_of<remote_rpc_control_unsigned_module>(data, bytes));
        case FASTRPC_REMOTE_PROCESS_KILL: return kill_process(request_of<remote_rpc_process_kill>(data, bytes));
        case FASTRPC_RESERVE_NEW_SESSION: return reserve(request_of<remote_rpc_reserve_new_session>(data, bytes));
        case FASTRPC_GET_EFFECTIVE_DOMAIN_ID:
            return effective_id(request_of<remote_rpc_effective_domain_id>(data, bytes));
        case FASTRPC_GET_URI: return get_uri(request_of<remote_rpc_get_uri>(data, bytes));
        default: return AEE_EUNSUPPORTED;
    }
}

AEEResult plain_library::system_request(system_req_payload *request) {
    if (!described_device().discovery) return AEE_EUNSUPPORTEDAPI;
    if (!request) return AEE_EBADPARM;
    return request->id == FASTRPC_GET_DOMAINS ? list_domains(&request->sys) : AEE_EUNSUPPORTED;
}

AEEResult plain_library::map(int domain, int fd, void *address, int offset, size_t bytes, fastrpc_map_flags flags) {
    if (fd < 0 || offset != 0) return AEE_EBADPARM;
    const auto now = maps_now(flags, described_device().arch);
    if (!now) return AEE_EBADPARM;
    const auto s = the_directory().running(domain);
    if (!s) {
        log_line("fastrpc_mmap: domain %d has no open session", domain);
        return AEE_EBADSTATE;
    }
    return s->map(fd, address, bytes, *now);
}

AEEResult plain_library::unmap(int domain, int fd) {
    const auto s = the_directory().running(domain);
    return s ? s->unmap(fd) : AEE_ENOSUCHMAP;
}

}  // namespace hexane::virt
