# Compile options that every target of the project shares.
add_library(hexane_options INTERFACE)
target_include_directories(hexane_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(hexane_options INTERFACE -Wall -Wextra -Wno-unused-parameter -fvisibility=hidden)
option(HEXANE_WERROR "treat warnings as errors" OFF)
if(HEXANE_WERROR)
  target_compile_options(hexane_options INTERFACE -Werror)
endif()
