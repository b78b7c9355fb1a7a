/* Tiles of the matrix product for AArch64: R rows (1 to 6) by 16 columns.
 *
 *   void tsm_gemm_tile_a64_R(const tsm_gemm_tile_a64 *t)        (gemm_aarch64.h says what is computed)
 *
 * Registers: v0-v23 hold the sums, row r in v(4r)..v(4r+3); v24-v29 four numbers of each row of A; v30, v31 half a row of B. That is all
 * thirty-two, and the reason for these loops: compilers spill here. For four steps of k, six rows take 96 FMLA, 8 loads of B, 6 of A and
 * 2 instructions of the loop: 1.17 instructions for each FMLA.
 *
 *   x0 t          x1 taps left     x2 pointers of A      x3 B            x4 bytes from a row of B to the next, less 32
 *   x5 depth      x6-x11 rows of A x12 k left            x13-x16 scratch
 */
#if defined(__aarch64__)

#if defined(__APPLE__)
#define SYMBOL(name) _##name
#define FUNCTION(name) .globl SYMBOL(name); .private_extern SYMBOL(name); .p2align 4; SYMBOL(name):
#define END(name)
.section __TEXT,__text
#else
#define SYMBOL(name) name
#define FUNCTION(name) .globl name; .hidden name; .type name, %function; .p2align 4; name:
#define END(name) .size name, . - name
.section .text.tsm_gemm_tile_a64, "ax", %progbits
#endif

/* Offsets in tsm_gemm_tile_a64. */
#define T_A 0
#define T_A_STEP 8
#define T_TAPS 16
#define T_DEPTH 24
#define T_B 32
#define T_B_STRIDE 40
#define T_START 48
#define T_START_STRIDE 56
#define T_C 64
#define T_C_STRIDE 72
#define T_RESIDUAL 80
#define T_RESIDUAL_STRIDE 88
#define T_LOW 96
#define T_HIGH 100
#define T_CLAMPS 104

/* One vector of B times number `lane` of each row of A, into the sums s0 (first row) to s5. */
.macro multiply rows, vb, lane, s0, s1, s2, s3, s4, s5
    fmla \s0\().4s, \vb\().4s, v24.s[\lane]
    .if \rows > 1
    fmla \s1\().4s, \vb\().4s, v25.s[\lane]
    .endif
    .if \rows > 2
    fmla \s2\().4s, \vb\().4s, v26.s[\lane]
    .endif
    .if \rows > 3
    fmla \s3\().4s, \vb\().4s, v27.s[\lane]
    .endif
    .if \rows > 4
    fmla \s4\().4s, \vb\().4s, v28.s[\lane]
    .endif
    .if \rows > 5
    fmla \s5\().4s, \vb\().4s, v29.s[\lane]
    .endif
.endm

.macro step rows, lane
    ld1 {v30.4s, v31.4s}, [x3], #32
    multiply \rows, v30, \lane, v0, v4, v8, v12, v16, v20
    multiply \rows, v31, \lane, v1, v5, v9, v13, v17, v21
    ld1 {v30.4s, v31.4s}, [x3], x4
    multiply \rows, v30, \lane, v2, v6, v10, v14, v18, v22
    multiply \rows, v31, \lane, v3, v7, v11, v15, v19, v23
.endm

/* Loads the sums' first values, row by row. */
.macro start_row a, b, c, d
    ldp q\a, q\b, [x13]
    ldp q\c, q\d, [x13, #32]
    add x13, x13, x14
.endm

.macro finish_residual a, b, c, d
    ldp q24, q25, [x13]
    ldp q26, q27, [x13, #32]
    fadd v\a\().4s, v\a\().4s, v24.4s
    fadd v\b\().4s, v\b\().4s, v25.4s
    fadd v\c\().4s, v\c\().4s, v26.4s
    fadd v\d\().4s, v\d\().4s, v27.4s
    add x13, x13, x14
.endm

.macro finish_low a, b, c, d
    fmax v\a\().4s, v\a\().4s, v30.4s
    fmax v\b\().4s, v\b\().4s, v30.4s
    fmax v\c\().4s, v\c\().4s, v30.4s
    fmax v\d\().4s, v\d\().4s, v30.4s
.endm

.macro finish_high a, b, c, d
    fmin v\a\().4s, v\a\().4s, v31.4s
    fmin v\b\().4s, v\b\().4s, v31.4s
    fmin v\c\().4s, v\c\().4s, v31.4s
    fmin v\d\().4s, v\d\().4s, v31.4s
.endm

.macro store_row a, b, c, d
    stp q\a, q\b, [x13]
    stp q\c, q\d, [x13, #32]
    add x13, x13, x14
.endm

.macro each_row rows, what
    \what 0, 1, 2, 3
    .if \rows > 1
    \what 4, 5, 6, 7
    .endif
    .if \rows > 2
    \what 8, 9, 10, 11
    .endif
    .if \rows > 3
    \what 12, 13, 14, 15
    .endif
    .if \rows > 4
    \what 16, 17, 18, 19
    .endif
    .if \rows > 5
    \what 20, 21, 22, 23
    .endif
.endm

.macro load_a rows, kind, bytes
    ldr \kind\()24, [x6], #\bytes
    .if \rows > 1
    ldr \kind\()25, [x7], #\bytes
    .endif
    .if \rows > 2
    ldr \kind\()26, [x8], #\bytes
    .endif
    .if \rows > 3
    ldr \kind\()27, [x9], #\bytes
    .endif
    .if \rows > 4
    ldr \kind\()28, [x10], #\bytes
    .endif
    .if \rows > 5
    ldr \kind\()29, [x11], #\bytes
    .endif
.endm

.macro load_pointers rows
    ldr x6, [x2]
    .if \rows > 1
    ldr x7, [x2, #8]
    .endif
    .if \rows > 2
    ldr x8, [x2, #16]
    .endif
    .if \rows > 3
    ldr x9, [x2, #24]
    .endif
    .if \rows > 4
    ldr x10, [x2, #32]
    .endif
    .if \rows > 5
    ldr x11, [x2, #40]
    .endif
.endm

.macro tile rows
    stp d8, d9, [sp, #-64]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
    ldp x13, x14, [x0, #T_START]
    ldp x2, x16, [x0, #T_A]
    ldp x1, x5, [x0, #T_TAPS]
    ldp x3, x4, [x0, #T_B]
    each_row \rows, start_row
    cbz x1, 5f
1:  load_pointers \rows
    add x2, x2, x16
    subs x12, x5, #4
    b.lt 3f
2:  load_a \rows, q, 16
    step \rows, 0
    step \rows, 1
    step \rows, 2
    subs x12, x12, #4
    step \rows, 3
    b.ge 2b
3:  adds x12, x12, #4 /* 0 to 3 left */
    b.eq 4f
6:  load_a \rows, s, 4
    step \rows, 0
    subs x12, x12, #1
    b.ne 6b
4:  subs x1, x1, #1
    b.ne 1b
5:  ldp x13, x14, [x0, #T_RESIDUAL]
    cbz x13, 7f
    each_row \rows, finish_residual
7:  ldr w15, [x0, #T_CLAMPS]
    cbz w15, 9f
    add x12, x0, #T_LOW
    ld1r {v30.4s}, [x12]
    add x12, x0, #T_HIGH
    ld1r {v31.4s}, [x12]
    tbz w15, #0, 8f
    each_row \rows, finish_low
8:  tbz w15, #1, 9f
    each_row \rows, finish_high
9:  ldp x13, x14, [x0, #T_C]
    each_row \rows, store_row
    ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp d8, d9, [sp], #64
    ret
.endm

FUNCTION(tsm_gemm_tile_a64_1)
    tile 1
END(tsm_gemm_tile_a64_1)
FUNCTION(tsm_gemm_tile_a64_2)
    tile 2
END(tsm_gemm_tile_a64_2)
FUNCTION(tsm_gemm_tile_a64_3)
    tile 3
END(tsm_gemm_tile_a64_3)
FUNCTION(tsm_gemm_tile_a64_4)
    tile 4
END(tsm_gemm_tile_a64_4)
FUNCTION(tsm_gemm_tile_a64_5)
    tile 5
END(tsm_gemm_tile_a64_5)
FUNCTION(tsm_gemm_tile_a64_6)
    tile 6
END(tsm_gemm_tile_a64_6)

#endif

#if defined(__linux__) && defined(__ELF__)
.section .note.GNU-stack, "", %progbits
#endif
