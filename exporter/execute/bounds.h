/* Sizes that have names and bounds: tsmc --shape x:N,3,H,W --bound N=1..64. The plan is then that of the largest call,
 * and the buffer that the file asks for is enough for every smaller one. */
#ifndef TSMC_EXECUTE_BOUNDS_H
#define TSMC_EXECUTE_BOUNDS_H

#include "exporter/passes/specialize/guard_entry.h"
#include "exporter/program/program.h"

typedef struct size_bounds size_bounds;

/* Reads the values of --shape and --bound (stb_ds arrays); NULL when there are none. Bounds without a shape that names
 * them, and names without a bound, are errors. */
size_bounds *bounds_read(const char *const *shapes, const char *const *bounds);

/* Makes the example's arguments those of the largest call, with its elements repeated, and adds the calls for which the
 * buffer has to be large enough as well: with each name less by one, and the smallest. It is an error when the example
 * does not fit the shapes or the bounds. */
void bounds_apply(const size_bounds *b, example *e);

/* The arguments' shapes as comments, a line each. */
void bounds_print(const size_bounds *b, strbuf *out);

/* The graph of a function, with the sizes that follow from those of its arguments as formulas behind the types:
 * Tensor(N, 64, (H+1)//2). They are compared with what the examples, an stb_ds array, gave in the largest call. */
void bounds_print_graph(const size_bounds *b, const function *f, const example *examples, strbuf *out);

#endif
