# Cortex-M55 with the vector extension (MVE, integer and floating point).
set(TSM_CPU_FLAGS "-mcpu=cortex-m55 -mfloat-abi=hard")
set(TSM_MACHINE mps3-an547)
include(${CMAKE_CURRENT_LIST_DIR}/cortex-m.cmake)
