// tests/virtual/stand_in_session.cpp
#include "tests/virtual/stand_in_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

namespace stand_in {

namespace fs = std::filesystem;

void describe_device(const char *description) {
    setenv("GGML_HEXAGON_VIRTUAL", description, 1);
    setenv("ADSP_LIBRARY_PATH", STAND_IN_DIRECTORY, 1);
}

std::string first_domain() {
    system_req_payload request{};
    request.id = FASTRPC_GET_DOMAINS;
    if (remote_system_request(&request) != 0 || request.sys.num_domains < 1) return {};
    std::vector<fastrpc_domain> domains(static_cast<size_t>(request.sys.num_domains));
    request.sys.domains = domains.data();
    request.sys.max_domains = request.sys.num_domains;
    return remote_system_request(&request) == 0 ? domains[0].name : std::string();
}

int effective_id(const std::string &domain, uint32_t session) {
    std::string name = domain;
    remote_rpc_effective_domain_id r{name.data(), static_cast<uint32_t>(name.size()), session, 0};
    return remote_session_control(FASTRPC_GET_EFFECTIVE_DOMAIN_ID, &r, sizeof r) == 0
               ? static_cast<int>(r.effective_domain_id)
               : -1;
}

int allow_unsigned(int effective_id, bool allow) {
    remote_rpc_control_unsigned_module r{effective_id, allow ? 1 : 0};
    return remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &r, sizeof r);
}

std::string uri_of(const std::string &domain, uint32_t session, const char *entry, const char *library) {
    std::string name = domain, module = std::string("file:///") + library + "?" + entry + "&_modver=1.0";
    char uri[512];
    remote_rpc_get_uri r{name.data(),   static_cast<uint32_t>(name.size()),   session,
                         module.data(), static_cast<uint32_t>(module.size()), uri,
                         sizeof uri};
    return remote_session_control(FASTRPC_GET_URI, &r, sizeof r) == 0 ? uri : "";
}

open_session::open_session(uint32_t number, const char *entry, const char *library) {
    const std::string name = first_domain();
    uint32_t session = 0;
    if (number == 0) {
        domain = effective_id(name, 0);
    } else {
        std::string copy = name, label = "test";
        remote_rpc_reserve_new_session r{
            copy.data(), static_cast<uint32_t>(copy.size()), label.data(), static_cast<uint32_t>(label.size()), 0, 0};
        if ((error = remote_session_control(FASTRPC_RESERVE_NEW_SESSION, &r, sizeof r))) return;
        domain = static_cast<int>(r.effective_domain_id);
        session = r.session_id;
    }
    if ((error = allow_unsigned(domain))) return;
    error = remote_handle64_open(uri_of(name, session, entry, library).c_str(), &handle);
}

open_session::~open_session() { close(); }

int open_session::close() {
    if (!handle) return 0;
    const int e = remote_handle64_close(handle);
    handle = 0;
    return e;
}

open_queue::open_queue(open_session &session, uint32_t request_bytes, uint32_t response_bytes) : session_(session) {
    uint64_t id = 0;
    if ((error = dspqueue_create(session.domain, 0, request_bytes, response_bytes, nullptr, nullptr, nullptr, &queue)))
        return;
    if ((error = dspqueue_export(queue, &id))) return;
    error = session.call(start, id);
}

open_queue::~open_queue() {
    if (error == 0 && session_.handle) session_.call(stop);
    if (queue) dspqueue_close(queue);
}

int open_queue::send(const std::string &message, uint32_t n_buffers, dspqueue_buffer *buffers) {
    return dspqueue_write(queue, 0, n_buffers, buffers, static_cast<uint32_t>(message.size()),
                          reinterpret_cast<const uint8_t *>(message.data()), 1'000'000);
}

int open_queue::receive(std::string *message, uint32_t timeout_us) {
    std::vector<uint8_t> bytes(DSPQUEUE_MAX_MESSAGE_SIZE);
    dspqueue_buffer buffers[DSPQUEUE_MAX_BUFFERS];
    uint32_t flags, n_buffers, n_bytes;
    const int e = dspqueue_read(queue, &flags, DSPQUEUE_MAX_BUFFERS, &n_buffers, buffers,
                                static_cast<uint32_t>(bytes.size()), &n_bytes, bytes.data(), timeout_us);
    if (e == 0) message->assign(bytes.begin(), bytes.begin() + n_bytes);
    return e;
}

std::set<int> child_processes() {
    std::set<int> children;
    for (const auto &entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != name.npos) continue;
        FILE *stat = fopen((entry.path() / "stat").c_str(), "re");
        if (!stat) continue;
        int parent = 0;
        if (fscanf(stat, "%*d (%*[^)]) %*c %d", &parent) == 1 && parent == getpid()) children.insert(std::stoi(name));
        fclose(stat);
    }
    return children;
}

size_t open_descriptors() {
    size_t n = 0;
    for (const auto &entry : fs::directory_iterator("/proc/self/fd")) {
        (void)entry;
        ++n;
    }
    return n;
}

void sleep_ms(uint32_t ms) { usleep(ms * 1000); }

}  // namespace stand_in
