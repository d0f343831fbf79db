// htp/skel.cpp -- the FastRPC entry of the library: unpacks a method's arguments and calls the session.
#include "abi/session_interface.h"
#include "htp/session.h"
#include "platform/remote.h"

namespace hexane::htp {

namespace {

session *session_of(remote_handle64 h) { return reinterpret_cast<session *>(static_cast<uintptr_t>(h)); }

// Input buffer 0 as a struct; false when it is shorter than that.
template <class T> bool unpack(const remote_arg *args, T *out) {
    if (args[0].buf.nLen < sizeof(T)) return false;
    __builtin_memcpy(out, args[0].buf.pv, sizeof(T));
    return true;
}

int open(remote_arg *args) {
    session *s = session::create();
    if (!s) return AEE_ENOMEMORY;
    args[2].h64 = reinterpret_cast<uintptr_t>(s);
    return AEE_SUCCESS;
}

int close(const remote_arg *args) {
    session *s = session_of(args[0].h64);
    if (!s) return AEE_EINVHANDLE;
    s->destroy();
    return AEE_SUCCESS;
}

int hwinfo(session *s, remote_arg *args) {
    const hwinfo_result r = s->hwinfo();
    if (args[0].buf.nLen < sizeof r) return AEE_EBADPARM;
    __builtin_memcpy(args[0].buf.pv, &r, sizeof r);
    return AEE_SUCCESS;
}

int invoke(session *s, uint32_t sc, remote_arg *args) {
    switch (sc) {
        case method::hwinfo: return hwinfo(s, args);
        case method::start: {
            start_args a;
            return unpack(args, &a) ? s->start(a) : AEE_EBADPARM;
        }
        case method::stop: return s->stop();
        case method::unmap: {
            unmap_args a;
            return unpack(args, &a) ? s->unmap(a.fd) : AEE_EBADPARM;
        }
    }
    return AEE_EUNSUPPORTED;
}

}  // namespace

}  // namespace hexane::htp

extern "C" __attribute__((visibility("default"))) int HEX_SKEL_ENTRY(remote_handle64 h, uint32_t sc, remote_arg *args) {
    using namespace hexane;
    if (sc == method::open) return htp::open(args);
    if (sc == method::close) return htp::close(args);
    htp::session *s = htp::session_of(h);
    return s ? htp::invoke(s, sc, args) : AEE_EINVHANDLE;
}
