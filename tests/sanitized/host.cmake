# What tests/host has in a build with a sanitizer.
if(HEXANE_SANITIZED STREQUAL "address")
  add_executable(host_tests aee_text_test.cpp batch_builder_test.cpp device_spec_test.cpp node_test.cpp options_test.cpp
                            plan_cache_test.cpp stats_test.cpp tile_map_test.cpp)
  target_link_libraries(host_tests PRIVATE ggml-hexagon-static GTest::gtest_main)
  hexane_precompile_test(host_tests)
  hexane_add_test(host_parts host COMMAND host_tests --gtest_brief=1)
  # The shadow of the address sanitizer lies in the upper half of the low 4 GiB: a session has less of a window.
  set(window GGML_HEXAGON_VMEM=1500)
endif()

add_executable(plugin_api_tests plugin_buffer_test.cpp plugin_failure_test.cpp plugin_fixture.cpp plugin_life_test.cpp)
target_link_libraries(plugin_api_tests PRIVATE ggml-hexagon-static GTest::gtest_main)
hexane_precompile_test(plugin_api_tests)
hexane_add_test(plugin_api native ENV ${window} GGML_HEXAGON_VIRTUAL=v79,threads=2 GGML_HEXAGON_DEADLINE=2
                COMMAND plugin_api_tests --gtest_brief=1)

add_executable(fusion_tests fusion_test.cpp plugin_fixture.cpp)
target_link_libraries(fusion_tests PRIVATE ggml-hexagon-static GTest::gtest_main)
hexane_precompile_test(fusion_tests)
hexane_add_test(fusion native ENV ${window} GGML_HEXAGON_VIRTUAL=v79,threads=2 GGML_HEXAGON_DEADLINE=2 GGML_HEXAGON_PROFILE=1
                COMMAND fusion_tests --gtest_brief=1)

# Threads with a backend each, on one device and on four.
add_executable(concurrency_tests concurrency_test.cpp plugin_fixture.cpp ${CMAKE_SOURCE_DIR}/tests/replay/sample_graph.cpp
                                 ${CMAKE_SOURCE_DIR}/tests/harness/number.cpp)
target_link_libraries(concurrency_tests PRIVATE ggml-hexagon-static GTest::gtest_main)
hexane_precompile_test(concurrency_tests)
hexane_add_test(concurrency native ENV ${window} GGML_HEXAGON_DEVICES=4 GGML_HEXAGON_VIRTUAL=v79,threads=2 GGML_HEXAGON_DEADLINE=40
                COMMAND concurrency_tests --gtest_brief=1)
