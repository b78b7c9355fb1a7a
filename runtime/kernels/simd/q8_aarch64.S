/* The int8 matrix product for AArch64 with SDOT: R rows (1 to 4) by panels of 16 columns.
 *
 *   void tsm_q8_a64_R(const tsm_q8_a64 *t)        (q8_aarch64.h says what is computed)
 *
 * Registers: v0-v15 hold the sums, row r in v(4r)..v(4r+3); v16-v19 and v20-v23 four weights of 16 columns, one set
 * loaded while the other is multiplied; v24-v27 sixteen bytes of each row of A; v28 what makes unsigned bytes signed;
 * v29 the zero point, v30 the least result. Compilers spill here. For 16 steps of k, four rows take 64 SDOT, 4 loads of
 * B, 4 of A, 4 EOR and 2 instructions of the loop: 1.22 for each SDOT.
 *
 *   x0 t         x1 taps left     x2 pointers of A     x3 B             x4 groups of four k left     x5-x8 rows of A
 *   x9 C         x10 bytes from a row of C to the next                  x11 first values of the sums x12 scales
 *   x13 panels left               x14 bytes from a block of B to the next, at the end scratch
 *   x15 bytes from the pointers of a tap to the next                    x16 groups of a tap
 *   x17 what is added to scaled sums
 */
#if defined(__aarch64__)

#include "runtime/kernels/simd/aarch64_function.h"

SECTION(tsm_q8_a64)

/* Offsets in tsm_q8_a64. */
#define T_A 0
#define T_TAPS 16
#define T_B 32
#define T_OFFSET 48
#define T_C 64
#define T_ZERO_POINT 80
#define T_LOW 82
#define T_REST 88
#define T_BLOCK 96

.altmacro

/* Does `what` with v\to and v\from, each in lanes of \lanes. */
.macro pair what, to, from, lanes
    \what v\to\().\lanes, v\from\().\lanes
.endm
.macro with what, to, by, lanes
    \what v\to\().\lanes, v\to\().\lanes, v\by\().\lanes
.endm

/* sdot v\sum\().4s, v\of_b\().16b, v\of_a\().4b[\lane], as a number: assemblers know it by different names of
 * extensions, and Apple's have none for it until one is chosen for the whole file.
 * (.altmacro reads &, %, << and >> differently.) */
.macro dot sum, of_b, of_a, lane
    .inst 0x4f80e000 + 0x10000 * \of_a + 0x200000 * (\lane - \lane / 2 * 2) + 0x800 * (\lane / 2) + 0x20 * \of_b + \sum
.endm

/* The weights from v\first on times word \lane of each row. */
.macro dots rows, first, lane
    .set j, 0
    .rept 4
    .set r, 0
    .rept \rows
    dot %(4 * r + j), %(\first + j), %(24 + r), \lane
    .set r, r + 1
    .endr
    .set j, j + 1
    .endr
.endm

.macro load_bytes register, pointer
    ldr q\register, [x\pointer], #16
.endm
.macro load_word register, pointer
    ldr s\register, [x\pointer], #4
.endm

/* Words of the rows: 16 bytes or 4 of each, made signed. */
.macro load_rows rows, what
    .set r, 0
    .rept \rows
    \what %(24 + r), %(5 + r)
    .set r, r + 1
    .endr
    .set r, 0
    .rept \rows
    with eor, %(24 + r), 28, 16b
    .set r, r + 1
    .endr
.endm

.macro row_pointer register, row
    ldr x\register, [x2, #8 * \row]
.endm

.macro narrow low, high, lanes, half, wide
    sqxtn v\low\().\half, v\low\().\wide
    sqxtn2 v\low\().\lanes, v\high\().\wide
.endm
.macro to_bytes low, high
    sqxtun v\low\().8b, v\low\().8h
    sqxtun2 v\low\().16b, v\high\().8h
.endm
.macro store_bytes register
    str q\register, [x14]
    add x14, x14, x10
.endm

/* Applies a macro to each register of the sums: name, v, further arguments. */
.macro each_sum rows, what, second, lanes
    .set i, 0
    .rept 4 * \rows
    .if \second
    with \what, %(i), %(16 + i - i / 4 * 4), \lanes
    .else
    pair \what, %(i), %(i), \lanes
    .endif
    .set i, i + 1
    .endr
.endm

.macro finish rows
    ld1 {v16.4s, v17.4s, v18.4s, v19.4s}, [x12], #64
    each_sum \rows, scvtf, 0, 4s
    each_sum \rows, fmul, 1, 4s
    ld1 {v16.4s, v17.4s, v18.4s, v19.4s}, [x17], #64
    each_sum \rows, fadd, 1, 4s
    each_sum \rows, fcvtns, 0, 4s
    .set r, 0
    .rept \rows
    narrow %(4 * r), %(4 * r + 1), 8h, 4h, 4s
    narrow %(4 * r + 2), %(4 * r + 3), 8h, 4h, 4s
    .set r, r + 1
    .endr
    .set r, 0
    .rept \rows
    with sqadd, %(4 * r), 29, 8h
    with sqadd, %(4 * r + 2), 29, 8h
    .set r, r + 1
    .endr
    .set r, 0
    .rept \rows
    to_bytes %(4 * r), %(4 * r + 2)
    .set r, r + 1
    .endr
    mov x14, x9
    .set r, 0
    .rept \rows
    with umax, %(4 * r), 30, 16b
    store_bytes %(4 * r)
    .set r, r + 1
    .endr
    add x9, x9, #16
.endm

.macro product rows
FUNCTION(tsm_q8_a64_\rows)
    .if \rows > 2
    stp d8, d9, [sp, #-64]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
    .endif
    ldp x3, x13, [x0, #T_B]
    ldp x11, x12, [x0, #T_OFFSET]
    ldp x9, x10, [x0, #T_C]
    ldr x17, [x0, #T_REST]
    add x14, x0, #T_ZERO_POINT
    ld1r {v29.8h}, [x14]
    add x14, x0, #T_LOW
    ld1r {v30.16b}, [x14]
    movi v28.16b, #0x80
1:  /* a panel */
    ld1 {v0.4s, v1.4s, v2.4s, v3.4s}, [x11], #64
    .set i, 4
    .rept 4 * \rows - 4
    pair mov, %(i), %(i - i / 4 * 4), 16b
    .set i, i + 1
    .endr
    ldr x14, [x0, #T_BLOCK]
    ldp x2, x15, [x0, #T_A]
    ldp x1, x16, [x0, #T_TAPS]
2:  /* a tap */
    .set r, 0
    .rept \rows
    row_pointer %(5 + r), %(r)
    .set r, r + 1
    .endr
    add x2, x2, x15
    subs x4, x16, #4
    b.lo 4f
3:  /* sixteen k */
    load_rows \rows, load_bytes
    ld1 {v16.16b, v17.16b, v18.16b, v19.16b}, [x3], x14
    ld1 {v20.16b, v21.16b, v22.16b, v23.16b}, [x3], x14
    dots \rows, 16, 0
    ld1 {v16.16b, v17.16b, v18.16b, v19.16b}, [x3], x14
    dots \rows, 20, 1
    ld1 {v20.16b, v21.16b, v22.16b, v23.16b}, [x3], x14
    dots \rows, 16, 2
    dots \rows, 20, 3
    subs x4, x4, #4
    b.hs 3b
4:  adds x4, x4, #4
    b.eq 6f
5:  /* four k */
    load_rows \rows, load_word
    ld1 {v16.16b, v17.16b, v18.16b, v19.16b}, [x3], x14
    dots \rows, 16, 0
    subs x4, x4, #1
    b.ne 5b
6:  subs x1, x1, #1
    b.ne 2b
    finish \rows
    subs x13, x13, #1
    b.ne 1b
    .if \rows > 2
    ldp d14, d15, [sp, #48]
    ldp d12, d13, [sp, #32]
    ldp d10, d11, [sp, #16]
    ldp d8, d9, [sp], #64
    .endif
    ret
END(tsm_q8_a64_\rows)
.endm

product 1
product 2
product 3
product 4

#if !defined(__APPLE__)
.section .note.GNU-stack, "", %progbits
#endif

#endif
