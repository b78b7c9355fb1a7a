/* Errors of the exporter.
 *
 * `diag_fail` ends whatever is being compiled: it jumps to the innermost `DIAG_TRY`, or, outside of any, prints the
 * message and exits with status 2. Messages about source text carry ranges (exporter/syntax/source.h builds the
 * text). */
#ifndef TSMC_BASE_DIAG_H
#define TSMC_BASE_DIAG_H

#include <setjmp.h>
#include <stdbool.h>

/* Raises an error with the given text. */
_Noreturn void diag_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Raises a fault of the exporter itself (exit status 3): a state that no input should be able to reach. */
_Noreturn void diag_internal(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a warning to stderr, each different text once. */
void diag_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

typedef struct diag_handler {
    jmp_buf jump;
    struct diag_handler *outer;
    const char *message; /* set when the error arrives */
    bool internal;
    void *context; /* to restore when the error arrives */
} diag_handler;

/* Runs a block with errors caught:
 *     diag_handler h;
 *     if (!DIAG_TRY(&h)) { ...body...; diag_end(&h); } else { ...h.message... }
 * diag_end must be reached exactly when the body ends without an error. */
#define DIAG_TRY(h) (diag_begin(h), setjmp((h)->jump))
void diag_begin(diag_handler *h);
void diag_end(diag_handler *h);

/* Re-raises a caught error. */
_Noreturn void diag_rethrow(const diag_handler *h);

/* What is being worked on, for those who write error messages (exporter/syntax/source.h keeps the chain of functions
 * under compilation there). An error that is caught by DIAG_TRY sets it back to what it was at DIAG_TRY. */
void *diag_context(void);
/* Sets the function that describes the context, for errors without a source range of their own; `describe` may return
 * NULL. */
void diag_describe_context(const char *(*describe)(const void *context));
/* The context, described; NULL where there is none. */
const char *diag_place(void);
void diag_set_context(void *context);

#endif
