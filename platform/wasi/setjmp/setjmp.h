/* setjmp and longjmp of WebAssembly, which wasi-libc does not have: clang makes exceptions of them
 * (-mllvm -wasm-enable-sjlj) and calls the functions of setjmp.c. */
#ifndef PLATFORM_WASI_SETJMP_SETJMP_H
#define PLATFORM_WASI_SETJMP_SETJMP_H

/* The first word is the number of the setjmp that ran last with this buffer. */
typedef unsigned jmp_buf[4];

int setjmp(jmp_buf buffer) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf buffer, int value);

#endif
