// virtual/session/modules.cpp -- what the FastRPC framework does around the library's entry.
//
// Buffers are copied: inputs to fresh memory, outputs to memory full of a pattern and back only when the method returned 0, as on a
// device. A library that keeps a pointer or leaves an output unwritten shows itself.
#include "virtual/session/modules.h"

#include <string.h>

#include <map>
#include <memory>

#include "virtual/session/log.h"
#include "virtual/session/npu_library.h"

namespace hexane::virt::modules {

namespace {

constexpr uint32_t open_scalars = 0x00020001;
constexpr uint32_t close_scalars = 0x01000010;
constexpr uint8_t output_poison = 0xa5;

struct module {
    skel_entry entry;
    remote_handle64 handle;  // what the library's open returned
};

// Only the control thread comes here.
std::map<uint32_t, module> &the_modules() {
    static std::map<uint32_t, module> &m = *new std::map<uint32_t, module>;
    return m;
}

// Reads a request from front to back; failed() after reading past its end.
class reader {
  public:
    explicit reader(const std::vector<uint8_t> &payload) : at_(payload.data()), left_(payload.size()) {}
    const uint8_t *bytes(uint64_t n) {
        if (n > left_) {
            failed_ = true;
            return nullptr;
        }
        const uint8_t *here = at_;
        at_ += n;
        left_ -= n;
        return here;
    }
    template <class T> T value() {
        T v{};
        if (const uint8_t *p = bytes(sizeof(T))) memcpy(&v, p, sizeof(T));
        return v;
    }
    bool failed() const { return failed_; }

  private:
    const uint8_t *at_;
    size_t left_;
    bool failed_ = false;
};

// Arguments of one invocation, in memory of this process.
struct call {
    scalar_counts n{};
    std::vector<remote_arg> arguments;
    std::vector<std::unique_ptr<uint8_t[]>> buffers;
};

bool unpack(reader &in, uint32_t scalars, call *c) {
    c->n = scalar_counts::of(scalars);
    const uint32_t n_buffers = c->n.in + c->n.out;
    c->arguments.resize(n_buffers + c->n.in_handles + c->n.out_handles + 1);  // never an empty array
    uint64_t total = 0;
    for (uint32_t i = 0; i < n_buffers; ++i) {
        const auto bytes = in.value<uint64_t>();
        total += bytes;
        if (bytes > max_payload_bytes || total > max_payload_bytes) return false;
        c->buffers.emplace_back(new uint8_t[bytes ? bytes : 1]);
        c->arguments[i].buf = {c->buffers.back().get(), static_cast<size_t>(bytes)};
    }
    for (uint32_t i = 0; i < c->n.in_handles; ++i) c->arguments[n_buffers + i].h64 = in.value<uint64_t>();
    for (uint32_t i = 0; i < n_buffers && !in.failed(); ++i) {
        remote_buf &b = c->arguments[i].buf;
        const uint8_t *from = i < c->n.in ? in.bytes(b.nLen) : nullptr;
        if (from)
            memcpy(b.pv, from, b.nLen);
        else
            memset(b.pv, output_poison, b.nLen);
    }
    return !in.failed();
}

void pack_answer(const call &c, std::vector<uint8_t> *answer) {
    for (uint32_t i = c.n.in; i < c.n.in + c.n.out; ++i) {
        const remote_buf &b = c.arguments[i].buf;
        const auto *bytes = static_cast<const uint8_t *>(b.pv);
        answer->insert(answer->end(), bytes, bytes + b.nLen);
    }
    const uint32_t first = c.n.in + c.n.out + c.n.in_handles;
    for (uint32_t i = 0; i < c.n.out_handles; ++i) append(*answer, c.arguments[first + i].h64);
}

}  // namespace

AEEResult open(const control_packet &request, std::vector<uint8_t> *answer) {
    auto r = request.as<open_request>();
    const skel_entry entry = load_npu_library(r.library, r.entry);
    if (!entry) return AEE_EUNABLETOLOAD;
    auto length = static_cast<uint32_t>(strlen(r.uri) + 1);
    remote_arg arguments[3]{};
    arguments[0].buf = {&length, sizeof length};
    arguments[1].buf = {r.uri, length};
    if (const AEEResult e = entry(0, open_scalars, arguments)) {
        log_line("the open method of %s failed: 0x%08x", r.library, static_cast<unsigned>(e));
        return e;
    }
    static uint32_t last_id = 0;
    the_modules()[++last_id] = {entry, arguments[2].h64};
    append(*answer, open_answer{last_id});
    return AEE_SUCCESS;
}

AEEResult close(const control_packet &request) {
    const auto found = the_modules().find(request.as<close_request>().module);
    if (found == the_modules().end()) return AEE_EINVHANDLE;
    remote_arg argument{};
    argument.h64 = found->second.handle;
    const AEEResult e = found->second.entry(found->second.handle, close_scalars, &argument);
    the_modules().erase(found);
    return e;
}

AEEResult invoke(const control_packet &request, std::vector<uint8_t> *answer) {
    reader in(request.payload);
    const auto r = in.value<invoke_request>();
    const auto found = the_modules().find(r.module);
    if (found == the_modules().end()) return AEE_EINVHANDLE;
    call c;
    if (!unpack(in, r.scalars, &c)) return AEE_EBADSIZE;
    if (const AEEResult e = found->second.entry(found->second.handle, r.scalars, c.arguments.data())) return e;
    pack_answer(c, answer);
    return AEE_SUCCESS;
}

}  // namespace hexane::virt::modules
