# Cortex-M7 with double precision floating point.
set(TSM_CPU_FLAGS "-mcpu=cortex-m7 -mfpu=fpv5-d16 -mfloat-abi=hard")
set(TSM_MACHINE mps2-an500)
include(${CMAKE_CURRENT_LIST_DIR}/cortex-m.cmake)
