# What tests/harness has in a build with a sanitizer. Planners are left to the fuzz target plan.
if(HEXANE_SANITIZED STREQUAL "address")
  add_library(op_cases OBJECT main.cpp number.cpp op_case.cpp problem.cpp verdict.cpp planner.cpp plan_sweep.cpp kernel_sweep.cpp graph_sweep.cpp
                              ${HEXANE_OP_TESTS})
  target_link_libraries(op_cases PRIVATE hexane_options ggml-hexagon-static GTest::gtest)
  hexane_precompile(op_cases <gtest/gtest.h>)
  add_op_tests("")
  foreach(file IN LISTS HEXANE_OP_TESTS)
    get_filename_component(folder ${file} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    hexane_add_test(kernel.${folder} native COMMAND op_tests --gtest_filter=kernel.${folder}_* --gtest_brief=1)
  endforeach()
endif()

add_executable(plugin_tests plugin_test.cpp number.cpp)
target_link_libraries(plugin_tests PRIVATE hexane_options ggml-hexagon-static GTest::gtest_main)
hexane_add_test(plugin native ENV GGML_HEXAGON_DEADLINE=2 GGML_HEXAGON_VIRTUAL=v79,threads=2 COMMAND plugin_tests --gtest_filter=-slow_device.*)
hexane_add_test(plugin_tiles native ENV GGML_HEXAGON_DEADLINE=2 GGML_HEXAGON_TILES=all GGML_HEXAGON_OPBATCH=7 COMMAND plugin_tests --gtest_filter=-slow_device.*)
