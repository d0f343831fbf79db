# The op folders: every ops/<op>/ has <op>.h, plan.cpp, kernel.cpp and test.cpp, and fit.cpp where tests/fuzz/plan_fit.h does not know
# by itself what its plans need. A new folder is picked up by itself. With what planners and kernels are made of.
file(GLOB HEXANE_PLANNERS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/plan/*.cpp ${CMAKE_SOURCE_DIR}/ops/*/plan*.cpp)
file(GLOB HEXANE_FUSIONS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/fusion/*.cpp)
file(GLOB HEXANE_OP_KERNELS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/kernels/*.cpp ${CMAKE_SOURCE_DIR}/ops/dispatch.cpp
     ${CMAKE_SOURCE_DIR}/ops/*/kernel*.cpp)
file(GLOB HEXANE_OP_TESTS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/ops/*/test.cpp)
file(GLOB HEXANE_OP_FITS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/ops/*/fit.cpp)
