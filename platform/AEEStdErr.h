// platform/AEEStdErr.h -- result codes of the FastRPC, dspqueue and HAP functions.
//
// A code is AEE_EOFFSET + n. The offset is 0x80000400 on the NPU and 0 on the host, so a host tells a failure of the NPU
// (0x800004nn) from one of its own driver (nn). A few codes, marked below, are the same on both sides.
//
// Code that runs on the NPU side of the virtual Snapdragon is PC code: it is compiled with HEXANE_NPU_SIDE defined.
#pragma once

#if defined(HEXANE_WITH_SDK)
#include <AEEStdErr.h>
#else

#include <stdint.h>

#if defined(__hexagon__) && !defined(HEXANE_NPU_SIDE)
#define HEXANE_NPU_SIDE 1
#endif

typedef int AEEResult;

#if defined(HEXANE_NPU_SIDE)
inline constexpr uint32_t AEE_EOFFSET = 0x80000400u;
#else
inline constexpr uint32_t AEE_EOFFSET = 0;
#endif

namespace hexane::platform {

inline constexpr uint32_t npu_error_offset = 0x80000400u;

// Code number n of this side.
constexpr AEEResult aee(uint32_t n) { return static_cast<AEEResult>(AEE_EOFFSET + n); }
// Code number n as the NPU returns it, whichever side looks at it.
constexpr AEEResult npu_aee(uint32_t n) { return static_cast<AEEResult>(npu_error_offset + n); }

}  // namespace hexane::platform

// The same on both sides.
inline constexpr AEEResult AEE_SUCCESS = 0;
inline constexpr AEEResult AEE_EUNKNOWN = -1;
inline constexpr AEEResult AEE_ENOSUCH = 39;
inline constexpr AEEResult AEE_EINTERRUPTED = 46;
inline constexpr AEEResult AEE_ECONNRESET = 104;
inline constexpr AEEResult AEE_EWOULDBLOCK = 516;

inline constexpr AEEResult AEE_EFAILED = hexane::platform::aee(0x01);
inline constexpr AEEResult AEE_ENOMEMORY = hexane::platform::aee(0x02);
inline constexpr AEEResult AEE_ECLASSNOTSUPPORT = hexane::platform::aee(0x03);
inline constexpr AEEResult AEE_EVERSIONNOTSUPPORT = hexane::platform::aee(0x04);
inline constexpr AEEResult AEE_EALREADYLOADED = hexane::platform::aee(0x05);
inline constexpr AEEResult AEE_EUNABLETOLOAD = hexane::platform::aee(0x06);
inline constexpr AEEResult AEE_EUNABLETOUNLOAD = hexane::platform::aee(0x07);
inline constexpr AEEResult AEE_EEXPIRED = hexane::platform::aee(0x0c);
inline constexpr AEEResult AEE_EBADSTATE = hexane::platform::aee(0x0d);
inline constexpr AEEResult AEE_EBADPARM = hexane::platform::aee(0x0e);
inline constexpr AEEResult AEE_EBADITEM = hexane::platform::aee(0x10);
inline constexpr AEEResult AEE_EUNSUPPORTED = hexane::platform::aee(0x14);
inline constexpr AEEResult AEE_ERESOURCENOTFOUND = hexane::platform::aee(0x16);
inline constexpr AEEResult AEE_EALREADY = hexane::platform::aee(0x1a);
inline constexpr AEEResult AEE_EITEMBUSY = hexane::platform::aee(0x20);
inline constexpr AEEResult AEE_EINVALIDITEM = hexane::platform::aee(0x2a);
inline constexpr AEEResult AEE_EINVHANDLE = hexane::platform::aee(0x2c);
inline constexpr AEEResult AEE_EINVALIDDOMAIN = hexane::platform::aee(0x39);
inline constexpr AEEResult AEE_EINVALIDFD = hexane::platform::aee(0x3a);
inline constexpr AEEResult AEE_ENOSUCHMOD = hexane::platform::aee(0x3e);
inline constexpr AEEResult AEE_ENOSUCHSYMBOL = hexane::platform::aee(0x42);
inline constexpr AEEResult AEE_ENOSUCHMAP = hexane::platform::aee(0x48);
inline constexpr AEEResult AEE_EBADSIZE = hexane::platform::aee(0x4d);
inline constexpr AEEResult AEE_EMMAP = hexane::platform::aee(0x65);
inline constexpr AEEResult AEE_ENOTINITIALIZED = hexane::platform::aee(0x6b);
inline constexpr AEEResult AEE_EUNSUPPORTEDAPI = hexane::platform::aee(0x6c);
inline constexpr AEEResult AEE_ECONNREFUSED = hexane::platform::aee(0x72);
inline constexpr AEEResult AEE_EUNSIGNEDMOD = hexane::platform::aee(0x81);
inline constexpr AEEResult AEE_EBADMAPREFCNT = hexane::platform::aee(0x85);
inline constexpr AEEResult AEE_ENOSESSION = hexane::platform::aee(0x8a);
inline constexpr AEEResult AEE_EQURTTHREADCREATE = hexane::platform::aee(0x14b);
inline constexpr AEEResult AEE_EBUSY = hexane::platform::aee(0x183);
inline constexpr AEEResult AEE_ESTUBSKELVERMISMATCH = hexane::platform::aee(0x194);
inline constexpr AEEResult AEE_ERPC = hexane::platform::aee(0x200);
inline constexpr AEEResult AEE_EFILE = hexane::platform::aee(0x201);

#endif  // HEXANE_WITH_SDK
