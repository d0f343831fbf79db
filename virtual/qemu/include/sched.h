// sched.h -- the C library of the session program for Hexagon.
#pragma once

extern "C" int sched_yield();
