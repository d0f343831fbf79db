// sys/prctl.h -- the C library of the session program for Hexagon.
#pragma once

#define PR_SET_NAME 15
#define PR_SET_PTRACER 0x59616d61
#define PR_SET_PTRACER_ANY (static_cast<unsigned long>(-1))

extern "C" int prctl(int option, ...);
