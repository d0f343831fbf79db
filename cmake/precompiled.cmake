# Headers that are read once per target instead of once per file.
#
#   hexane_precompile(TARGET)        the standard library's, in a build with a sanitizer, which tests pay for each time. Elsewhere
#                                    nothing: every file stands alone, and a missing include is an error.
#   hexane_precompile_test(TARGET)   those and GoogleTest's, in every build: for programs that are tests.
set(HEXANE_STANDARD_HEADERS <algorithm> <array> <atomic> <chrono> <condition_variable> <functional> <map> <memory> <mutex> <optional> <set>
                            <string> <thread> <variant> <vector>)

function(hexane_precompile target)
  if(HEXANE_SANITIZED)
    hexane_precompile_headers(${target})
  endif()
endfunction()

function(hexane_precompile_test target)
  hexane_precompile_headers(${target} <gtest/gtest.h>)
endfunction()

function(hexane_precompile_headers target)
  target_precompile_headers(${target} PRIVATE ${HEXANE_STANDARD_HEADERS} ${ARGN})
  # With the time of a file in it, no other build folder's cached objects would fit.
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()
