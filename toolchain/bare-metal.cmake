# What the toolchain files of microcontrollers share. Before including it they set
#   TSM_TOOLS      the prefix of the compiler's name
#   TSM_CPU_FLAGS  the compiler's flags for the core and its floating point unit
#   TSM_MACHINE    the QEMU machine, whose memories stand in platform/baremetal/<machine>.ld
#
# picolibc supplies libc; its crt0 and host library speak semihosting, so that a program has arguments, files, standard
# streams and an exit status under QEMU (or a debugger).
include(${CMAKE_CURRENT_LIST_DIR}/require.cmake)
tsm_require(${TSM_TOOLS}-gcc cross)

set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_C_COMPILER ${TSM_TOOLS}-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

# The folder of platform/ with the system that the programs see.
set(TSM_PLATFORM baremetal CACHE STRING "")

set(tsm_link_scripts ${CMAKE_CURRENT_LIST_DIR}/../platform/baremetal)
set(CMAKE_C_FLAGS_INIT "--specs=picolibc.specs ${TSM_CPU_FLAGS} -ffunction-sections -fdata-sections")
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "--oslib=semihost --crt0=semihost -Wl,--gc-sections -L${tsm_link_scripts} -T${TSM_MACHINE}.ld")

set(CMAKE_FIND_ROOT_PATH /usr/lib/picolibc/${TSM_TOOLS})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/run-qemu.sh ${TSM_MACHINE})
