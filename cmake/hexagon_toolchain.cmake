# Toolchain file of the device presets: real Hexagon code for one architecture, HEXANE_DEVICE_ARCH.
#
# By default Debian's clang and lld, with no SDK: freestanding code, the headers of platform/, and no matrix unit, which no open
# assembler knows. With -DHEXANE_HEXAGON_SDK=DIR (Qualcomm's Hexagon SDK) its compiler, its headers and the matrix unit.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR hexagon)
# try_compile sees the toolchain file again, not the cache.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HEXANE_DEVICE_ARCH HEXANE_HEXAGON_SDK)

set(HEXANE_DEVICE_ARCH "" CACHE STRING "Hexagon architecture of the device library: 73, 75, 79 or 81")
set(HEXANE_HEXAGON_SDK "" CACHE PATH "Hexagon SDK whose compiler and headers to use; empty: clang and lld alone")
if(NOT HEXANE_DEVICE_ARCH MATCHES "^(73|75|79|81)$")
  message(FATAL_ERROR "HEXANE_DEVICE_ARCH='${HEXANE_DEVICE_ARCH}': must be 73, 75, 79 or 81")
endif()

set(hexane_arch_flags "-mv${HEXANE_DEVICE_ARCH} -mhvx=v${HEXANE_DEVICE_ARCH} -mhvx-length=128b")
# v79 and later calculate in IEEE formats; without the flag clang emits qfloat there too.
if(HEXANE_DEVICE_ARCH LESS 79)
  string(APPEND hexane_arch_flags " -mhvx-qfloat")
else()
  string(APPEND hexane_arch_flags " -mhvx-ieee-fp")
endif()

if(HEXANE_HEXAGON_SDK)
  file(GLOB hexane_sdk_compilers ${HEXANE_HEXAGON_SDK}/tools/HEXAGON_Tools/*/Tools/bin/hexagon-clang++)
  if(NOT hexane_sdk_compilers)
    message(FATAL_ERROR "HEXANE_HEXAGON_SDK='${HEXANE_HEXAGON_SDK}': no tools/HEXAGON_Tools/*/Tools/bin/hexagon-clang++ in it")
  endif()
  list(SORT hexane_sdk_compilers COMPARE NATURAL)
  list(GET hexane_sdk_compilers -1 CMAKE_CXX_COMPILER)
  string(REGEX REPLACE "\\+\\+$" "" CMAKE_C_COMPILER ${CMAKE_CXX_COMPILER})
  string(APPEND hexane_arch_flags " -mhmx")
  foreach(folder incs incs/stddef rtos/qurt/computev${HEXANE_DEVICE_ARCH}/include/qurt ipc/fastrpc/incs)
    string(APPEND hexane_arch_flags " -isystem ${HEXANE_HEXAGON_SDK}/${folder}")
  endforeach()
else()
  set(CMAKE_C_COMPILER clang-22)
  set(CMAKE_CXX_COMPILER clang++-22)
  set(CMAKE_C_COMPILER_TARGET hexagon-unknown-elf)
  set(CMAKE_CXX_COMPILER_TARGET hexagon-unknown-elf)
endif()
set(CMAKE_C_FLAGS_INIT "${hexane_arch_flags}")
set(CMAKE_CXX_FLAGS_INIT "${hexane_arch_flags}")

# The linker is called directly: for this target clang's driver asks lld for an emulation that it does not have. Two segments on
# 4 KiB pages, a sysv hash table and no DT_NEEDED, as a device's loader wants it.
set(HEXANE_DEVICE_LINK_OPTIONS -m hexagonelf -shared -soname libggml-htp-v${HEXANE_DEVICE_ARCH}.so --hash-style=sysv -Bsymbolic --gc-sections -z max-page-size=4096 --no-rosegment
                               -z norelro -z nognustack --allow-shlib-undefined)
list(JOIN HEXANE_DEVICE_LINK_OPTIONS " " hexane_link_flags)
set(CMAKE_CXX_CREATE_SHARED_LIBRARY
    "ld.lld-22 ${hexane_link_flags} <LINK_FLAGS> -o <TARGET> <OBJECTS>")
