/* Lines of depthwise convolutions for AArch64: kernels of 3x3 (4 or 8 channels at once) and 5x5 (4 channels), strides 1
 * and 2.
 *
 *   void tsm_depthwise_a64_KxS_V(const tsm_depthwise_a64 *d)     (depthwise_aarch64.h says what is computed)
 *   void tsm_depthwise_a64_KxS_V_clamp(const tsm_depthwise_a64 *d)
 *
 * For V vectors of channels all weights stay in registers while the line passes column by column: a column of K numbers
 * is loaded once and added to the ALIVE = ceil(K / S) pixels under whose kernel it lies. The sums of those pixels take
 * turns in the registers, so the loop is written out for ALIVE pixels. An 8-channel pixel of a 3x3 kernel of stride 1
 * takes 18 FMLA, 3 loads, 1 load of the bias and 1 store, with both clamps 4 more.
 *
 *   v0...       weights, tap t of row r in v((r K + t) V)...      then the sums, then the numbers of a column
 *   v30, v31    the clamps, with 3x3; with 5x5 they are loaded for each pixel
 *   x0 d        x1-x5 rows    x6-x10 their steps    x11 out    x12 its step    x13 pixels left
 *   x14 bytes of the channels done    x15 bias    x16 weights    x17 scratch
 */
#if defined(__aarch64__)

#include "runtime/kernels/simd/aarch64_function.h"

SECTION(tsm_depthwise_a64)

/* Offsets in tsm_depthwise_a64. */
#define D_ROWS 0
#define D_STEPS 40
#define D_ADVANCES 80
#define D_W 120
#define D_W_PANEL 128
#define D_BIAS 136
#define D_BIAS_STEP 144
#define D_OUT 152
#define D_OUT_STEP 160
#define D_BYTES 168
#define D_WHOLE 176
#define D_LEFT 184
#define D_EXTRA 192
#define D_RIGHT 200
#define D_LOW 208

.altmacro /* `&` and one-letter parameters are not for it */

.macro load_two first, second, pointer, step
    ld1 {v\first\().4s, v\second\().4s}, [x\pointer], x\step
.endm
.macro load_one first, pointer, step
    ld1 {v\first\().4s}, [x\pointer], x\step
.endm
.macro store_two first, second
    st1 {v\first\().4s, v\second\().4s}, [x11], x12
.endm
.macro store_one first
    st1 {v\first\().4s}, [x11], x12
.endm
.macro read_two first, second, pointer, at
    ldp q\first, q\second, [x\pointer, #\at]
.endm
.macro read_one first, pointer, at
    ldr q\first, [x\pointer, #\at]
.endm
.macro multiply_add sum, number, weight
    fmla v\sum\().4s, v\number\().4s, v\weight\().4s
.endm
.macro clamp_one sum
    fmax v\sum\().4s, v\sum\().4s, v30.4s
    fmin v\sum\().4s, v\sum\().4s, v31.4s
.endm
.macro copy to, from
    mov v\to\().16b, v\from\().16b
.endm
.macro point row, offset, advance
    ldr x\row, [x0, #\offset]
    ldr x17, [x0, #\advance]
    and x17, x17, x14
    add x\row, x\row, x17
.endm
.macro read_step row, offset
    ldr x\row, [x0, #\offset]
.endm

/* V registers from \first on: read at [x\pointer, #\at]. */
.macro read vectors, first, pointer, at
    .if \vectors == 2
    read_two %(\first), %(\first + 1), \pointer, \at
    .else
    read_one %(\first), \pointer, \at
    .endif
.endm

/* Sets KERNEL, STRIDE, VECTORS, ALIVE and the first registers of sums and numbers. */
.macro shape kernel, stride, vectors
    .set KERNEL, \kernel
    .set STRIDE, \stride
    .set VECTORS, \vectors
    .set ALIVE, (\kernel + \stride - 1) / \stride
    .set SUMS, \kernel * \kernel * \vectors
    .set NUMBERS, SUMS + ALIVE * VECTORS
.endm

/* The sum of the pixel that begins in column \number begins with the bias. */
.macro begin_pixel vectors, number
    .if (\number) - (\number) / STRIDE * STRIDE == 0
    .set pixel, (\number) / STRIDE
    .set pixel, pixel - pixel / ALIVE * ALIVE
    read \vectors, %(SUMS + pixel * VECTORS), 15, 0
    .endif
.endm

/* Adds column \number, counted modulo the turns of the sums; \is_first: there are no pixels before number 0. */
.macro add_column vectors, number, is_first
    .set row, 0
    .rept KERNEL
    .set buffer, NUMBERS + (row - row / 2 * 2) * VECTORS
    .if \vectors == 2
    load_two %buffer, %(buffer + 1), %(1 + row), %(6 + row)
    .else
    load_one %buffer, %(1 + row), %(6 + row)
    .endif
    .set tap, 0
    .rept KERNEL
    .set away, (\number) - tap + 4 * ALIVE * STRIDE
    .if away - away / STRIDE * STRIDE == 0
    .if (\number) - tap + (1 - \is_first) * KERNEL >= 0
    .set pixel, away / STRIDE
    .set pixel, pixel - pixel / ALIVE * ALIVE
    .set vector, 0
    .rept VECTORS
    multiply_add %(SUMS + pixel * VECTORS + vector), %(buffer + vector), %((row * KERNEL + tap) * VECTORS + vector)
    .set vector, vector + 1
    .endr
    .endif
    .endif
    .set tap, tap + 1
    .endr
    .set row, row + 1
    .endr
.endm

/* Clamps and stores the sums of a pixel. */
.macro finish_pixel vectors, clamps, turn
    .if \clamps
    .if KERNEL == 5
    ldp q30, q31, [x0, #D_LOW]
    .endif
    clamp_one %(SUMS + \turn * VECTORS)
    .if \vectors == 2
    clamp_one %(SUMS + \turn * VECTORS + 1)
    .endif
    .endif
    .if \vectors == 2
    store_two %(SUMS + \turn * VECTORS), %(SUMS + \turn * VECTORS + 1)
    .else
    store_one %(SUMS + \turn * VECTORS)
    .endif
.endm

/* The columns that complete a pixel, and its end. */
.macro whole_pixel vectors, clamps, turn
    .set next, \turn * STRIDE + KERNEL - STRIDE
    .rept STRIDE
    begin_pixel \vectors, %next
    add_column \vectors, %next, 0
    .set next, next + 1
    .endr
    finish_pixel \vectors, \clamps, \turn
.endm

.macro line kernel, stride, vectors, clamps
    shape \kernel, \stride, \vectors
    stp d8, d9, [sp, #-64]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
    .set row, 0
    .rept KERNEL
    read_step %(6 + row), %(D_STEPS + 8 * row)
    .set row, row + 1
    .endr
    .if \clamps
    ldp q30, q31, [x0, #D_LOW]
    .endif
    ldr x12, [x0, #D_OUT_STEP]
    ldr x15, [x0, #D_BIAS]
    ldr x16, [x0, #D_W]
    mov x14, #0
1:  .set row, 0
    .rept KERNEL
    point %(1 + row), %(D_ROWS + 8 * row), %(D_ADVANCES + 8 * row)
    .set row, row + 1
    .endr
    ldr x11, [x0, #D_OUT]
    add x11, x11, x14
    .set tap, 0
    .rept KERNEL * KERNEL
    read \vectors, %(tap * VECTORS), 16, %(64 * tap)
    .set tap, tap + 1
    .endr
    ldr x17, [x0, #D_LEFT]
    ldr x13, [x0, #D_WHOLE]
    .set column, 0
    .rept KERNEL - STRIDE
    begin_pixel \vectors, %column
    .if column < KERNEL / 2
    cmp x17, #column
    b.hi 2f
    .endif
    add_column \vectors, %column, 1
2:  .set column, column + 1
    .endr
    subs x13, x13, #ALIVE
    b.lo 4f
3:  .set turn, 0
    .rept ALIVE
    whole_pixel \vectors, \clamps, %turn
    .set turn, turn + 1
    .endr
    subs x13, x13, #ALIVE
    b.hs 3b
4:  adds x13, x13, #ALIVE /* single pixels, after which the sums change their places */
    b.eq 6f
5:  whole_pixel \vectors, \clamps, 0
    .set vector, 0
    .rept (ALIVE - 1) * VECTORS
    copy %(SUMS + vector), %(SUMS + VECTORS + vector)
    .set vector, vector + 1
    .endr
    subs x13, x13, #1
    b.ne 5b
6:  .if STRIDE == 2
    ldr x17, [x0, #D_EXTRA]
    cbz x17, 7f
    add_column \vectors, %(KERNEL - STRIDE), 0
7:
    .endif
    ldr x17, [x0, #D_RIGHT]
    cbz x17, 8f
    finish_pixel \vectors, \clamps, 0
    .if KERNEL - STRIDE == 4
    cmp x17, #1
    b.eq 8f
    finish_pixel \vectors, \clamps, 1
    .endif
8:  ldr x13, [x0, #D_BYTES]
    add x14, x14, #16 * VECTORS
    cmp x13, x14
    b.eq 9f
    ldr x13, [x0, #D_BIAS_STEP]
    add x16, x16, #16 * VECTORS
    add x15, x15, x13
    tst x14, #63
    b.ne 1b
    ldr x17, [x0, #D_W_PANEL] /* the next panel */
    sub x16, x16, #64
    add x16, x16, x17
    b 1b
9:  ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp d8, d9, [sp], #64
    ret
.endm

#define LINE(kernel, stride, vectors) \
    FUNCTION(tsm_depthwise_a64_##kernel##x##stride##_##vectors) line kernel, stride, vectors, 0 THEN \
    END(tsm_depthwise_a64_##kernel##x##stride##_##vectors) THEN \
    FUNCTION(tsm_depthwise_a64_##kernel##x##stride##_##vectors##_clamp) line kernel, stride, vectors, 1 THEN \
    END(tsm_depthwise_a64_##kernel##x##stride##_##vectors##_clamp)

LINE(3, 1, 1)
LINE(3, 1, 2)
LINE(3, 2, 1)
LINE(3, 2, 2)
LINE(5, 1, 1)
LINE(5, 2, 1)

#endif

#if defined(__linux__) && defined(__ELF__)
.section .note.GNU-stack, "", %progbits
#endif
