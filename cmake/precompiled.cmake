# hexane_precompile(TARGET [HEADERS ...]): in a build with a sanitizer, which tests pay for each time, the standard library's headers are
# read once per target. Elsewhere nothing: every file stands alone, and a missing include is an error.
function(hexane_precompile target)
  if(HEXANE_SANITIZED)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <chrono> <condition_variable> <functional> <map> <memory>
                                                <mutex> <optional> <set> <string> <thread> <variant> <vector> ${ARGN})
  endif()
endfunction()
