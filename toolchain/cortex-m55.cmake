# Cortex-M55 with the vector extension's integer part. Its float part stays off: with gcc 12.2 and QEMU 7.2 the vector loops of
# runtime/kernels/simd/f32_base.c give wrong numbers from -O1 up (the test device.digits shows it), and which of the two is at
# fault is not known.
# GNU as 2.40 takes a conditional conversion (vcvtne.f32.s32, what gcc 12 makes of an if) for MVE's vcvtn; without the pass that
# makes conditional instructions there is none.
set(TSM_CPU_FLAGS "-mcpu=cortex-m55+nomve.fp -mfloat-abi=hard -fno-if-conversion2")
set(TSM_MACHINE mps3-an547)
include(${CMAKE_CURRENT_LIST_DIR}/cortex-m.cmake)
