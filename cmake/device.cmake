# The device presets build nothing but libggml-htp-vNN.so, as Hexagon code (cmake/hexagon_toolchain.cmake).
set_property(GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS TRUE)

add_library(ggml-htp-device SHARED ${HEXANE_HTP_SOURCES} ${HEXANE_OP_KERNELS})
set_target_properties(ggml-htp-device PROPERTIES OUTPUT_NAME ggml-htp-v${HEXANE_DEVICE_ARCH})
target_include_directories(ggml-htp-device PRIVATE ${CMAKE_SOURCE_DIR})
target_compile_definitions(ggml-htp-device PRIVATE HEXANE_NPU_SIDE)
target_compile_options(ggml-htp-device PRIVATE ${HEXANE_HTP_OPTIONS} -O2 -ffunction-sections -fdata-sections -fno-short-wchar)
if(HEXANE_HEXAGON_SDK)
  target_compile_definitions(ggml-htp-device PRIVATE HEXANE_WITH_SDK)
endif()
