/* The matrix product for AArch64: R rows (1 to 4) by panels of V vectors (1 to 4).
 *
 *   void tsm_gemm_a64_RxV(const tsm_gemm_a64 *t)        (gemm_aarch64.h says what is computed)
 *
 * Registers: v0-v15 hold the sums, row r in v(4r)..v(4r+V-1); v16-v23 eight numbers of each row of A, two registers a
 * row; v24-v27 and v28-v31 two rows of B, one loaded while the other is multiplied. That is all thirty-two, and the
 * reason for these loops: compilers spill here. For eight steps of k, four rows by 16 columns take 128 FMLA, 8 loads of
 * B, 4 of A and 2 instructions of the loop: 1.11 instructions for each FMLA. A single row has two sets of sums for even
 * and odd k, or each sum would wait for itself.
 *
 *   x0 t            x1 taps left     x2 pointers of A    x3 B              x4 bytes from a row of B to the next
 *   x5 depth        x6-x9 rows of A  x10 k left          x11 C             x12 bytes from a row of C to the next
 *   x13 scratch     x14 bytes from a row of first values to the next       x15 panels left
 *   x16 bytes from the pointers of a tap to the next     x17 first values of the sums
 */
#if defined(__aarch64__)

#include "runtime/kernels/simd/aarch64_function.h"

SECTION(tsm_gemm_a64)

/* Offsets in tsm_gemm_a64. */
#define T_A 0
#define T_A_STEP 8
#define T_TAPS 16
#define T_DEPTH 24
#define T_B 32
#define T_B_STRIDE 40
#define T_B_PANEL 48
#define T_PANELS 56
#define T_START 64
#define T_START_STRIDE 72
#define T_START_STEP 80
#define T_C 88
#define T_C_STRIDE 96
#define T_RESIDUAL 104
#define T_RESIDUAL_STRIDE 112
#define T_CLAMPS 120
#define T_LOW 128

.altmacro

/* One load or store of \vectors registers from v\first on, and the pointer's step. */
.macro move what, vectors, first, pointer, step
    .if \vectors == 4
    move4 \what, %(\first), %(\first + 1), %(\first + 2), %(\first + 3), \pointer, \step
    .elseif \vectors == 3
    move3 \what, %(\first), %(\first + 1), %(\first + 2), \pointer, \step
    .elseif \vectors == 2
    move2 \what, %(\first), %(\first + 1), \pointer, \step
    .else
    move1 \what, %(\first), \pointer, \step
    .endif
.endm
.macro move4 what, one, two, three, four, pointer, step
    \what {v\one\().4s, v\two\().4s, v\three\().4s, v\four\().4s}, [\pointer], \step
.endm
.macro move3 what, one, two, three, pointer, step
    \what {v\one\().4s, v\two\().4s, v\three\().4s}, [\pointer], \step
.endm
.macro move2 what, one, two, pointer, step
    \what {v\one\().4s, v\two\().4s}, [\pointer], \step
.endm
.macro move1 what, one, pointer, step
    \what {v\one\().4s}, [\pointer], \step
.endm

.macro multiply_add sum, of_b, of_a, lane
    fmla v\sum\().4s, v\of_b\().4s, v\of_a\().s[\lane]
.endm

/* The row of B from v\first on times number \number (0 to 7) of each row of A. (`&` and one-letter parameters are not
 * for .altmacro.) */
.macro step rows, vectors, first, number
    .set v, 0
    .rept \vectors
    .set r, 0
    .rept \rows
    .if \rows == 1
    .set odd, \number - \number / 2 * 2
    multiply_add %(odd * 4 + v), %(\first + v), %(16 + \number / 4), %(\number - \number / 4 * 4)
    .else
    multiply_add %(4 * r + v), %(\first + v), %(16 + 2 * r + \number / 4), %(\number - \number / 4 * 4)
    .endif
    .set r, r + 1
    .endr
    .set v, v + 1
    .endr
.endm

/* \count (4 or 8) steps; the next row of B is on its way while one is multiplied. */
.macro steps rows, vectors, count
    move ld1, \vectors, 24, x3, x4
    .set k, 0
    .rept \count / 2
    move ld1, \vectors, 28, x3, x4
    step \rows, \vectors, 24, %k
    .set k, k + 1
    .if k < \count - 1
    move ld1, \vectors, 24, x3, x4
    .endif
    step \rows, \vectors, 28, %k
    .set k, k + 1
    .endr
.endm

.macro load_eight low, high, row
    ldp q\low, q\high, [x\row], #32
.endm
.macro load_four to, row
    ldr q\to, [x\row], #16
.endm
.macro load_one to, row
    ldr s\to, [x\row], #4
.endm

.macro load_a rows, count
    .set r, 0
    .rept \rows
    .if \count == 8
    load_eight %(16 + 2 * r), %(17 + 2 * r), %(6 + r)
    .elseif \count == 4
    load_four %(16 + 2 * r), %(6 + r)
    .else
    load_one %(16 + 2 * r), %(6 + r)
    .endif
    .set r, r + 1
    .endr
.endm

.macro load_pointers rows
    .if \rows == 1
    ldr x6, [x2]
    .else
    ldp x6, x7, [x2]
    .endif
    .if \rows == 3
    ldr x8, [x2, #16]
    .elseif \rows == 4
    ldp x8, x9, [x2, #16]
    .endif
    add x2, x2, x16
.endm

/* what v, v, v\by of each sum. */
.macro each_sum rows, vectors, what, by
    .set r, 0
    .rept \rows
    each_of_row \vectors, \what, \by, %(4 * r), 0
    .set r, r + 1
    .endr
.endm
.macro each_of_row vectors, what, by, first, by_step
    .set v, 0
    .rept \vectors
    change \what, %(\first + v), %(\by + v * \by_step)
    .set v, v + 1
    .endr
.endm
.macro change what, sum, by
    \what v\sum\().4s, v\sum\().4s, v\by\().4s
.endm
.macro clear sum
    movi v\sum\().4s, #0
.endm

.macro each_row rows, vectors, what, pointer, stride
    .set r, 0
    .rept \rows
    move \what, \vectors, %(4 * r), \pointer, \stride
    .set r, r + 1
    .endr
.endm

.macro add_residual rows, vectors
    ldr x1, [x0, #T_RESIDUAL_STRIDE]
    add x2, x13, #64
    str x2, [x0, #T_RESIDUAL]
    .set r, 0
    .rept \rows
    move ld1, \vectors, 24, x13, x1
    each_of_row \vectors, fadd, 24, %(4 * r), 1
    .set r, r + 1
    .endr
.endm

.macro product rows, vectors
    .if \rows > 2
    stp d8, d9, [sp, #-64]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
    .endif
    ldr x16, [x0, #T_A_STEP]
    ldr x5, [x0, #T_DEPTH]
    ldr x4, [x0, #T_B_STRIDE]
    ldr x15, [x0, #T_PANELS]
    ldp x17, x14, [x0, #T_START]
    ldp x11, x12, [x0, #T_C]
1:  mov x13, x17
    each_row \rows, \vectors, ld1, x13, x14
    .if \rows == 1
    .set v, 0
    .rept \vectors
    clear %(4 + v)
    .set v, v + 1
    .endr
    .endif
    ldr x1, [x0, #T_TAPS]
    ldr x2, [x0, #T_A]
    ldr x3, [x0, #T_B]
    cbz x1, 8f
2:  load_pointers \rows
    subs x10, x5, #8
    b.lo 4f
    .if \rows * \vectors == 16 /* sixteen steps in a turn of the loop */
    subs x10, x10, #8
    b.lo 14f
13: load_a \rows, 8
    steps \rows, \vectors, 8
    load_a \rows, 8
    steps \rows, \vectors, 8
    subs x10, x10, #16
    b.hs 13b
14: adds x10, x10, #8
    b.lo 4f
    .endif
3:  load_a \rows, 8
    steps \rows, \vectors, 8
    subs x10, x10, #8
    b.hs 3b
4:  tbz x10, #2, 5f /* the low bits of what is left do not change by eights */
    load_a \rows, 4
    steps \rows, \vectors, 4
5:  ands x10, x10, #3
    b.eq 7f
6:  load_a \rows, 1
    move ld1, \vectors, 24, x3, x4
    step \rows, \vectors, 24, 0
    subs x10, x10, #1
    b.ne 6b
7:  subs x1, x1, #1
    b.ne 2b
    .if \rows == 1
    each_of_row \vectors, fadd, 4, 0, 1
    .endif
8:  ldr x13, [x0, #T_RESIDUAL]
    cbz x13, 9f
    add_residual \rows, \vectors
9:  ldr w13, [x0, #T_CLAMPS]
    cbz w13, 11f
    ldp q24, q25, [x0, #T_LOW]
    tbz w13, #0, 10f
    each_sum \rows, \vectors, fmax, 24
10: tbz w13, #1, 11f
    each_sum \rows, \vectors, fmin, 25
11: mov x13, x11
    each_row \rows, \vectors, st1, x13, x12
    subs x15, x15, #1
    b.eq 12f
    ldr x13, [x0, #T_START_STEP]
    ldr x2, [x0, #T_B_PANEL]
    ldr x3, [x0, #T_B]
    add x17, x17, x13
    add x11, x11, #64
    add x3, x3, x2
    str x3, [x0, #T_B]
    b 1b
12:
    .if \rows > 2
    ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp d8, d9, [sp], #64
    .endif
    ret
.endm

#define PRODUCT(rows, vectors) \
    FUNCTION(tsm_gemm_a64_##rows##x##vectors) product rows, vectors THEN END(tsm_gemm_a64_##rows##x##vectors)

PRODUCT(1, 1)
PRODUCT(1, 2)
PRODUCT(1, 3)
PRODUCT(1, 4)
PRODUCT(2, 1)
PRODUCT(2, 2)
PRODUCT(2, 3)
PRODUCT(2, 4)
PRODUCT(3, 1)
PRODUCT(3, 2)
PRODUCT(3, 3)
PRODUCT(3, 4)
PRODUCT(4, 1)
PRODUCT(4, 2)
PRODUCT(4, 3)
PRODUCT(4, 4)

#endif

#if defined(__linux__) && defined(__ELF__)
.section .note.GNU-stack, "", %progbits
#endif
