/* How tsmrun ends, and the memory it keeps until then. */
#include "platform/runner/die.h"

#include "platform/platform.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const bold_red = "\x1b[1;31m", *const red = "\x1b[31m", *const plain = "\x1b[0m";

/* A traceback: its marks in red, and its last line, the exception. */
static void print_coloured(const char *text) {
    for (;;) {
        const size_t n = strcspn(text, "\n");
        const char *colour = !text[n] ? bold_red : memchr(text, '~', n) ? red : "";
        fprintf(stderr, "%s%.*s%s", colour, (int)n, text, *colour ? plain : "");
        text += n;
        if (!*text)
            return;
        fputc(*text++, stderr);
    }
}

_Noreturn void die(int exit_status, const char *format, ...) {
    va_list args;
    fflush(stdout);
    const bool has_colours = platform_has_colours();
    fputs(has_colours ? bold_red : "", stderr);
    fputs("tsmrun: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs(has_colours ? plain : "", stderr);
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
    if (platform_has_colours())
        print_coloured(text);
    else
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
