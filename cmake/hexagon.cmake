# Hexagon code in a build for the PC: objects by clang, programs by lld, as custom commands. The build's own compiler may be another one;
# its launcher (ccache) is used here too. Libraries for a device have builds of their own (hexagon_toolchain.cmake).
#
#   HEXANE_HEXAGON   true where clang and lld know the target
#   hexagon_objects(name SOURCES file... [FLAGS flag...])                                    sets <name>_OBJECTS
#   hexagon_link(target OUTPUT file OBJECTS object... [OPTIONS option...] [DEPENDS file...]) a target that is part of `all`
include_guard()

find_program(HEXANE_HEXAGON_CXX NAMES clang++-22 clang++ DOC "clang for the Hexagon target")
find_program(HEXANE_HEXAGON_LD NAMES ld.lld-22 ld.lld DOC "lld for the Hexagon target")

# Freestanding C++20, optimised in every configuration: the compiler's vectors are of no use unoptimised.
set(HEXANE_HEXAGON_FLAGS --target=hexagon-unknown-elf -std=c++20 -O2 -ffreestanding -fno-exceptions -fno-rtti -fno-stack-protector
                         -fvisibility=hidden -nostdlibinc -I${CMAKE_SOURCE_DIR} -Wall -Wextra -Wno-unused-parameter -Wno-psabi)

set(HEXANE_HEXAGON FALSE)
if(HEXANE_HEXAGON_CXX AND HEXANE_HEXAGON_LD)
  execute_process(COMMAND ${HEXANE_HEXAGON_CXX} --target=hexagon-unknown-elf -mv73 -x c++ -c /dev/null -o /dev/null
                  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed EQUAL 0)
    set(HEXANE_HEXAGON TRUE)
  endif()
endif()

function(hexagon_objects name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;FLAGS")
  set(objects)
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(source ${source} ABSOLUTE)
    file(RELATIVE_PATH place ${CMAKE_SOURCE_DIR} ${source})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir/${place}.o)
    get_filename_component(folder ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${HEXANE_HEXAGON_CXX} ${HEXANE_HEXAGON_FLAGS} ${arg_FLAGS}
              -MD -MT ${object} -MF ${object}.d -c ${source} -o ${object}
      DEPENDS ${source}
      DEPFILE ${object}.d
      COMMENT "Building Hexagon object ${name}: ${place}"
      VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(${name}_OBJECTS ${objects} PARENT_SCOPE)
endfunction()

function(hexagon_link target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT" "OBJECTS;OPTIONS;DEPENDS")
  # A file of names: the command line would be long.
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${target}.objects)
  list(JOIN arg_OBJECTS "\n" lines)
  file(GENERATE OUTPUT ${list} CONTENT "${lines}\n")
  add_custom_command(
    OUTPUT ${arg_OUTPUT}
    COMMAND ${HEXANE_HEXAGON_LD} -m hexagonelf ${arg_OPTIONS} -o ${arg_OUTPUT} @${list}
    DEPENDS ${arg_OBJECTS} ${arg_DEPENDS} ${list}
    COMMENT "Linking Hexagon ${target}"
    VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${arg_OUTPUT})
endfunction()
