# WebAssembly with SIMD128 and WASI, by clang and Debian's wasi-libc. Programs run in node: toolchain/run-wasi.mjs.
include(${CMAKE_CURRENT_LIST_DIR}/require.cmake)
tsm_require(wasm-ld consume)
tsm_require(llvm-ar consume)
tsm_require(llvm-ranlib consume)

set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_COMPILER clang++)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_AR llvm-ar CACHE STRING "")
set(CMAKE_RANLIB llvm-ranlib CACHE STRING "")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

# The folder of platform/ with the system that the programs see.
set(TSM_PLATFORM wasi CACHE STRING "")

set(CMAKE_C_FLAGS_INIT "-msimd128")
set(CMAKE_CXX_FLAGS_INIT "-fno-exceptions")
# A stack that runs over ends in a trap, not in other variables (--stack-first); docs/bounds.md says how deep it gets.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--gc-sections -Wl,--stack-first -Wl,-z,stack-size=1048576")
set(CMAKE_EXECUTABLE_SUFFIX_C .wasm)
set(CMAKE_EXECUTABLE_SUFFIX_CXX .wasm)

# zlib and minizip, for tsmc: toolchain/setup.sh javascript compiles them.
set(CMAKE_FIND_ROOT_PATH /usr/local/wasm32-wasi)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
# With threads of its own, node 20 aborts now and then after the program has ended.
set(CMAKE_CROSSCOMPILING_EMULATOR node --single-threaded ${CMAKE_CURRENT_LIST_DIR}/run-wasi.mjs)
