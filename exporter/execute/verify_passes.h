/* Whether every pass keeps what the program computes: tsmc --verify. */
#ifndef TSMC_EXECUTE_VERIFY_PASSES_H
#define TSMC_EXECUTE_VERIFY_PASSES_H

#include "exporter/codegen/codegen.h"
#include "exporter/passes/specialize/guard_entry.h"

typedef struct verification verification;

/* For calls of e->entry with e->arguments. `lowering` is how the program is going to be lowered. */
verification *verify_new(program *p, function *const *entries, const example *e, double tolerance,
                         codegen_options lowering);

/* The pass of this name changes what the program computes, on purpose: how much is told, and later passes are compared
 * with the program behind it. `why`: what it does, for the report. */
void verify_expect_loss(verification *v, const char *pass, const char *why);

/* Runs the program as it is now and compares what two calls return, and their arguments afterwards, with what the first
 * run gave (snapshot.h says how): the reference is the program after the first pass after which it can be lowered.
 * After the first pass whose result differs, later passes are not looked at. (pipeline_options.after_pass, with the
 * verification as its context.) */
void verify_after_pass(void *verification, const char *pass, function *const *functions);

/* The same for an image, which is the result of no pass: no node is named. */
void verify_image(verification *v, const char *what, const image *m);

/* Whether nothing differed so far. A program that could not be lowered or run after any pass is an error. */
bool verify_agrees(const verification *v);

/* The passes that were looked at and agree, with the largest difference: an stb_ds array. */
typedef struct {
    const char *pass;
    double largest;
} checked_pass;
const checked_pass *verify_passes(const verification *v);
/* The pass after which the reference ran, and what the first pass that differs does wrong (NULL: none differs). */
const char *verify_reference(const verification *v);
const char *verify_wrong(const verification *v);

/* Appends a line for each pass with the largest difference, and which pass was the first to give something else, at
 * which node. */
void verify_report(const verification *v, strbuf *out);

#endif
