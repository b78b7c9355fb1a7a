# 32-bit ARM Linux with hardware floating point and NEON (Raspberry Pi 2, older phones), run under QEMU's user mode.
include(${CMAKE_CURRENT_LIST_DIR}/require.cmake)
tsm_require(arm-linux-gnueabihf-gcc cross)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR armv7)
set(CMAKE_C_COMPILER arm-linux-gnueabihf-gcc)
set(CMAKE_CXX_COMPILER arm-linux-gnueabihf-g++)
set(CMAKE_C_FLAGS_INIT "-march=armv7-a -mfpu=neon-vfpv4 -mfloat-abi=hard -mthumb")
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT}")

# zlib and minizip, for tsmc: toolchain/setup.sh debian unpacks them.
set(CMAKE_FIND_ROOT_PATH /usr/arm-linux-gnueabihf /usr/local/arm-linux-gnueabihf)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-arm -cpu cortex-a7 -L /usr/arm-linux-gnueabihf -E LD_LIBRARY_PATH=/usr/local/arm-linux-gnueabihf/lib)
