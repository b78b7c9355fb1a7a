/* How tsmrun ends, and the memory it keeps until then. */
#include "platform/runner/die.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void die(int exit_status, const char *format, ...) {
    va_list args;
    fflush(stdout);
    fputs("tsmrun: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(exit_status);
}

int exit_status_of(tsm_status status) {
    return status == TSM_OK         ? EXIT_OK
           : status == TSM_RAISED   ? EXIT_RAISED
           : status == TSM_INTERNAL ? EXIT_FAULT
                                    : EXIT_BAD_INPUT;
}

_Noreturn void die_of(tsm_status status, const char *text) {
    if (status != TSM_RAISED)
        die(exit_status_of(status), "%s", text);
    fflush(stdout);
    fputs(text, stderr);
    fputc('\n', stderr);
    exit(EXIT_RAISED);
}

void *keep(size_t bytes) {
    /* A chain through the blocks keeps every one reachable, so that a leak checker reports what is truly lost. */
    typedef struct block {
        struct block *previous;
    } block;
    enum { ALIGN = 64 };
    static block *last;
    block *b = bytes < SIZE_MAX - 2 * ALIGN ? malloc(sizeof *b + ALIGN + bytes) : NULL;
    if (!b)
        die(EXIT_BAD_INPUT, "there is no memory for %zu bytes of input", bytes);
    b->previous = last;
    last = b;
    return (void *)(((uintptr_t)(b + 1) + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
}
