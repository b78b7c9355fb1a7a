/* The transform of weights for F(4x4, 3x3), for AArch64.
 *
 *   void tsm_winograd_weight_a64(float *u, const float *w, size_t depth)      (winograd_weight of f32.h)
 *
 * U = G g G^T for 8 of a panel's 16 outputs at a time, with G as in f32_winograd.h. The 3x3 numbers stay in v0-v17
 * (number i of the two vectors in v(2i) and v(2i+1)), a row of G g stands in v18-v23; the rows of U leave in pairs as
 * they are made. Compilers do not find an order that fits the registers. A vector of 3x3 weights takes 91 instructions:
 * 67 of arithmetic, 18 stores, 4.5 loads.
 *
 *   x0 u    x1 panel, then scratch    x2 k left    x3-x11 the nine positions    x12, x13 further rows of U
 */
#if defined(__aarch64__)

#include "runtime/kernels/simd/aarch64_function.h"

SECTION(tsm_winograd_a64)

#define ROW_BYTES (37 * 64) /* TSM_WINOGRAD_ROW */

.altmacro /* `&` and one-letter parameters are not for it */

.macro two what, to, one, other
    \what v\to\().4s, v\one\().4s, v\other\().4s
.endm
.macro two_by_four to, one
    fmla v\to\().4s, v\one\().4s, v30.s[0]
.endm
.macro four_times to, one
    fmul v\to\().4s, v\one\().4s, v30.s[0]
.endm
.macro put base, at, low, high
    stp q\low, q\high, [x\base, #\at]
.endm

/* what for both vectors */
.macro both what, to, one, other
    two \what, %(\to), %(\one), %(\other)
    two \what, %(\to + 1), %(\one + 1), %(\other + 1)
.endm

/* Row \row of U from the row of G g in v\first and the next pairs. \keep: it is needed again. */
.macro put_row base, at, zero, one, last, keep
    put \base, %(\at), %(\zero), %(\zero + 1)
    both fadd, 24, \zero, \last
    both fadd, 26, 24, \one
    put \base, %(\at + 64), 26, 27
    both fsub, 28, 24, \one
    put \base, %(\at + 128), 28, 29
    .if \keep
    four_times 24, %(\last)
    four_times 25, %(\last + 1)
    both fadd, 24, 24, \zero
    .set evens, 24
    .else
    two_by_four %(\zero), %(\last)
    two_by_four %(\zero + 1), %(\last + 1)
    .set evens, \zero
    .endif
    both fadd, 26, \one, \one
    both fadd, 28, %evens, 26
    put \base, %(\at + 192), 28, 29
    both fsub, 28, %evens, 26
    put \base, %(\at + 256), 28, 29
    put \base, %(\at + 320), %(\last), %(\last + 1)
.endm

/* v18-v23 = the column sums (rows 0 and 2 of g) \what row 1 */
.macro near_row what
    both fadd, 18, 0, 12
    both fadd, 20, 2, 14
    both fadd, 22, 4, 16
    both \what, 18, 18, 6
    both \what, 20, 20, 8
    both \what, 22, 22, 10
.endm
.macro far_row what
    both \what, 18, 0, 6
    both \what, 20, 2, 8
    both \what, 22, 4, 10
.endm

.macro load at, low, high
    ldp q\low, q\high, [x\at], #32
.endm

.macro eight_outputs
    .set number, 0
    .rept 9
    load %(3 + number), %(2 * number), %(2 * number + 1)
    .set number, number + 1
    .endr
    put_row 0, 0, 0, 2, 4, 1
    near_row fadd
    put_row 0, 384, 18, 20, 22, 0
    near_row fsub
    put_row 12, 0, 18, 20, 22, 0
    .set number, 0
    .rept 6
    /* the evens of rows 3 and 4 take the place of row 0 of g, twice row 1 of row 1 */
    two_by_four %number, %(12 + number)
    two fadd, %(6 + number), %(6 + number), %(6 + number)
    .set number, number + 1
    .endr
    far_row fadd
    put_row 12, 384, 18, 20, 22, 0
    far_row fsub
    put_row 13, 0, 18, 20, 22, 0
    put_row 13, 384, 12, 14, 16, 0
.endm

FUNCTION(tsm_winograd_weight_a64)
    stp d8, d9, [sp, #-64]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
    fmov v30.4s, #4.0
    lsl x12, x2, #6 /* bytes of a position */
    mov x3, x1
    add x4, x3, x12
    add x5, x4, x12
    add x6, x5, x12
    add x7, x6, x12
    add x8, x7, x12
    add x9, x8, x12
    add x10, x9, x12
    add x11, x10, x12
    cbz x2, 2f
1:  add x12, x0, #768
    add x13, x0, #1536
    eight_outputs
    add x0, x0, #32
    add x12, x12, #32
    add x13, x13, #32
    eight_outputs
    add x0, x0, #ROW_BYTES - 32
    subs x2, x2, #1
    b.ne 1b
2:  ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp d8, d9, [sp], #64
    ret
END(tsm_winograd_weight_a64)

#endif

#if defined(__linux__) && defined(__ELF__)
.section .note.GNU-stack, "", %progbits
#endif
