# 32-bit RISC-V without floating point registers, as small microcontrollers with WLAN have it.
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(TSM_TOOLS riscv64-unknown-elf)
set(TSM_CPU_FLAGS "-march=rv32imc -mabi=ilp32")
set(TSM_MACHINE virt)
include(${CMAKE_CURRENT_LIST_DIR}/bare-metal.cmake)
