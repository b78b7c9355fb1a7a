/* What the hand-written loops for AArch64 (.S files) say about their functions to ELF's and Apple's assemblers.
 *
 *   SECTION(name)        begins the code of a file
 *   FUNCTION(name)       begins a function that other objects of libtsmobile call
 *   END(name)            ends it
 *   THEN                 stands between two statements of one line (';' begins a comment in Apple's) */
#ifndef TSM_SIMD_AARCH64_FUNCTION_H
#define TSM_SIMD_AARCH64_FUNCTION_H

/* Statements of an assembler, not of C. */
/* clang-format off */
#if defined(__APPLE__)
#define THEN %%
#define SECTION(name) .section __TEXT,__text
#define FUNCTION(name) .globl _##name THEN .private_extern _##name THEN .p2align 4 THEN _##name:
#define END(name)
#else
#define THEN ;
#define SECTION(name) .section .text.name, "ax", %progbits
#define FUNCTION(name) .globl name THEN .hidden name THEN .type name, %function THEN .p2align 4 THEN name:
#define END(name) .size name, . - name
#endif
/* clang-format on */

#endif
