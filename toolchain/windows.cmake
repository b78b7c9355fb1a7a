# 64-bit Windows by MinGW-w64, whose libraries become part of the programs; they run under wine.
include(${CMAKE_CURRENT_LIST_DIR}/require.cmake)
set(tools x86_64-w64-mingw32)
tsm_require(${tools}-gcc-posix windows)

set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER ${tools}-gcc-posix)
set(CMAKE_CXX_COMPILER ${tools}-g++-posix)
set(CMAKE_RC_COMPILER ${tools}-windres)
set(TSM_PLATFORM windows CACHE STRING "")

# printf is C's, which gcc does not know when it warns of formats; sizes of files have 64 bits. gcc aligns the stack of
# a function to 16 bytes on Windows whatever its vectors need, so no move of vectors may ask for more.
set(flags "-D__USE_MINGW_ANSI_STDIO=1 -D_FILE_OFFSET_BITS=64 -Wno-format -Wa,-muse-unaligned-vector-move")
set(CMAKE_C_FLAGS_INIT "${flags}")
set(CMAKE_CXX_FLAGS_INIT "${flags}")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")

set(CMAKE_FIND_ROOT_PATH /usr/${tools})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR wine)
