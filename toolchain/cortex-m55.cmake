# Cortex-M55 with the vector extension for integers and floats.
# GNU as 2.40 takes a conditional conversion (vcvtne.f32.s32, what gcc 12 makes of an if) for MVE's vcvtn; without the
# pass that makes conditional instructions there is none.
set(TSM_CPU_FLAGS "-mcpu=cortex-m55 -mfloat-abi=hard -fno-if-conversion2")
set(TSM_MACHINE mps3-an547)
include(${CMAKE_CURRENT_LIST_DIR}/cortex-m.cmake)
