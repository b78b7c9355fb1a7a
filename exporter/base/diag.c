/* Errors by longjmp to the innermost handler; warnings, each once. */
#include "exporter/base/diag.h"

#include <stdio.h>
#include <stdlib.h>

#include "exporter/base/mem.h"
#include "exporter/base/terminal.h"

static diag_handler *innermost;
static void *work_context;
static const char *(*describe_context)(const void *context);
static struct {
    char *key;
    int value;
} * warned;

static _Noreturn void raise_error(const char *message, bool internal) {
    diag_handler *h = innermost;
    if (!h) {
        terminal_print_error(internal ? mem_printf("tsmc: internal fault: %s", message) : message);
        exit(internal ? 3 : 2);
    }
    innermost = h->outer;
    work_context = h->context;
    h->message = message;
    h->internal = internal;
    longjmp(h->jump, 1);
}

void diag_fail(const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *message = mem_vprintf(format, args);
    va_end(args);
    raise_error(message, false);
}

void diag_internal(const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *message = mem_vprintf(format, args);
    va_end(args);
    raise_error(message, true);
}

void diag_warn(const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *message = mem_vprintf(format, args);
    va_end(args);
    if (shgeti(warned, message) >= 0)
        return;
    shput(warned, message, 1);
    terminal_print_warning(message);
}

void diag_begin(diag_handler *h) {
    h->outer = innermost;
    h->message = NULL;
    h->context = work_context;
    innermost = h;
}

void diag_end(diag_handler *h) {
    innermost = h->outer;
}

void diag_rethrow(const diag_handler *h) {
    raise_error(h->message, h->internal);
}

void *diag_context(void) {
    return work_context;
}

void diag_describe_context(const char *(*describe)(const void *context)) {
    describe_context = describe;
}

const char *diag_place(void) {
    return work_context && describe_context ? describe_context(work_context) : NULL;
}

void diag_set_context(void *context) {
    work_context = context;
}
