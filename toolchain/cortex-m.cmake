# What the Cortex-M toolchain files share; they set TSM_CPU_FLAGS and TSM_MACHINE before (bare-metal.cmake).
set(CMAKE_SYSTEM_PROCESSOR arm)
set(TSM_TOOLS arm-none-eabi)
set(TSM_CPU_FLAGS "-mthumb ${TSM_CPU_FLAGS}")
include(${CMAKE_CURRENT_LIST_DIR}/bare-metal.cmake)
