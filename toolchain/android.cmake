# Android by its NDK: -DTSM_ANDROID_NDK=FOLDER, or ANDROID_NDK_HOME, ANDROID_NDK_ROOT or ANDROID_NDK in the environment.
# ANDROID_ABI and ANDROID_PLATFORM choose as they do for the NDK's own toolchain file, which does all the work.
set(TSM_ANDROID_NDK "" CACHE PATH "Android's NDK")
set(places "${TSM_ANDROID_NDK}" "$ENV{ANDROID_NDK_HOME}" "$ENV{ANDROID_NDK_ROOT}" "$ENV{ANDROID_NDK}")
list(FILTER places EXCLUDE REGEX "^$")
if(NOT places)
    message(FATAL_ERROR "Android's NDK is needed: give its folder as -DTSM_ANDROID_NDK=FOLDER, or in the environment as ANDROID_NDK_HOME. "
                        "Without an NDK, `cmake --build build --target aar` makes libraries for Android by clang alone (docs/integration.md).")
endif()
list(GET places 0 ndk)
file(TO_CMAKE_PATH "${ndk}" ndk)
if(NOT EXISTS "${ndk}/build/cmake/android.toolchain.cmake")
    message(FATAL_ERROR "${ndk} is not the folder of an NDK: it has no build/cmake/android.toolchain.cmake.")
endif()
if(NOT ANDROID_ABI)
    set(ANDROID_ABI arm64-v8a)
endif()
if(NOT ANDROID_PLATFORM)
    set(ANDROID_PLATFORM android-21)
endif()
# CMake reads this file again for the small programs by which it tries the compiler.
set(TSM_ANDROID_NDK "${ndk}")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TSM_ANDROID_NDK ANDROID_ABI ANDROID_PLATFORM)
include("${ndk}/build/cmake/android.toolchain.cmake")
# Pages of 16 KiB: Android 15 and later may have them.
string(APPEND CMAKE_SHARED_LINKER_FLAGS_INIT " -Wl,-z,max-page-size=16384")
string(APPEND CMAKE_MODULE_LINKER_FLAGS_INIT " -Wl,-z,max-page-size=16384")
