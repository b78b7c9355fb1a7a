# Cortex-M4 with single precision floating point.
set(TSM_CPU_FLAGS "-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard")
set(TSM_MACHINE mps2-an386)
include(${CMAKE_CURRENT_LIST_DIR}/cortex-m.cmake)
