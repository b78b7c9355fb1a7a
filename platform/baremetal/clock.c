/* The clock of a board: SysTick of a Cortex-M, the machine timer of a RISC-V core. */
#include "platform/platform.h"

/* Ticks a second, a symbol of the linker script whose address is the value. */
extern char __core_clock_hz[];

#ifdef __riscv
/* The machine timer's count (RISC-V privileged architecture 1.12, 3.2.1), where QEMU's board has it. */
#define TIMER ((volatile uint32_t *)0x0200BFF8u)

static uint64_t ticks_so_far(void) {
    uint32_t high, low;
    do { /* again when the lower half went round between the readings */
        high = TIMER[1];
        low = TIMER[0];
    } while (high != TIMER[1]);
    return (uint64_t)high << 32 | low;
}
#else
/* SysTick, at the same address in every Cortex-M (ARMv7-M reference manual, B3.3). */
typedef struct {
    volatile uint32_t control, reload, value;
} systick_registers;
#define SYSTICK ((systick_registers *)0xE000E010u)
enum { SYSTICK_ENABLE = 1, SYSTICK_INTERRUPT = 2, SYSTICK_CORE_CLOCK = 4, SYSTICK_PERIOD = 1 << 24 };

static volatile uint32_t periods;

/* Named in picolibc's vector table. */
void arm_systick_isr(void);
void arm_systick_isr(void) {
    periods++;
}

static uint64_t ticks_so_far(void) {
    if (!(SYSTICK->control & SYSTICK_ENABLE)) {
        SYSTICK->reload = SYSTICK_PERIOD - 1;
        SYSTICK->value = 0;
        SYSTICK->control = SYSTICK_ENABLE | SYSTICK_INTERRUPT | SYSTICK_CORE_CLOCK;
    }
    uint32_t whole, ticks;
    do { /* again when the counter went round between the two readings */
        whole = periods;
        ticks = (SYSTICK_PERIOD - SYSTICK->value) % SYSTICK_PERIOD; /* it counts down, and interrupts at 0 */
    } while (whole != periods);
    return (uint64_t)whole * SYSTICK_PERIOD + ticks;
}
#endif

uint64_t platform_nanoseconds(void *context) {
    (void)context;
    const uint64_t all = ticks_so_far();
    const uint64_t hz = (uintptr_t)__core_clock_hz;
    return all / hz * 1000000000u + all % hz * 1000000000u / hz;
}
