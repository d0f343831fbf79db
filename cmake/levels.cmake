# The levels that PC code of the NPU side is built for: HEXANE_LEVEL_<name> are its flags, HEXANE_NATIVE_LEVELS the names to build.
# The session process picks one by CPUID (virtual/session). v4 needs -mprefer-vector-width: clang's tuning of that level would split
# what it generates itself (conversions, shuffles) into 256 bits.
set(HEXANE_LEVEL_v2 -march=x86-64-v2)
set(HEXANE_LEVEL_v3 -march=x86-64-v3)
set(HEXANE_LEVEL_v3vnni -march=x86-64-v3 -mavxvnni)
set(HEXANE_LEVEL_v4 -march=x86-64-v4 -mprefer-vector-width=512)
set(HEXANE_LEVEL_v4vnni -march=x86-64-v4 -mavx512vnni -mprefer-vector-width=512)
set(HEXANE_LEVEL_arm64 -march=armv8.2-a+dotprod+fp16)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND HEXANE_SANITIZED)
  set(HEXANE_NATIVE_LEVELS "v3" CACHE STRING "x86-64 levels to build the NPU library for")
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(HEXANE_NATIVE_LEVELS "v2;v3;v3vnni;v4;v4vnni" CACHE STRING "x86-64 levels to build the NPU library for")
else()
  set(HEXANE_NATIVE_LEVELS "arm64" CACHE STRING "levels to build the NPU library for")
endif()
