/* Gradients that the program itself asks for: aten::backward and aten::grad become the operators that compute them.
 *
 * Reverse mode, from graph to graph: behind the operators between a request's inputs and outputs stand calls of their
 * derivative formulas (exporter/library/torch.derivatives.py), last operator first. docs/autograd.md says what
 * is taken and what is refused. Works on graphs whose calls are inlined. */
#ifndef TSMC_PASSES_LOWER_AUTODIFF_H
#define TSMC_PASSES_LOWER_AUTODIFF_H

#include "exporter/passes/lower/keep_gradients.h"
#include "exporter/program/program.h"

/* Whether the graph asks for gradients. */
bool autodiff_is_requested(const ir_graph *g);
/* Whether it asks for some that may have gradients themselves. */
bool autodiff_keeps_graph(const ir_graph *g);
/* Whether it asks for gradients of, or by, tensors that are its arguments: what lies between is its caller's. */
bool autodiff_needs_caller(const ir_graph *g);
/* Loops of known length that hold no request become their turns, and lists that grow by append become displays.
 * Returns whether a loop was unrolled. */
bool autodiff_straighten(ir_graph *g);

/* Replaces all requests of a graph. Raises a compile error at an operator that cannot be differentiated. `kept`: whose
 * gradients outlive the call; `self` and `functions` as unite_attributes() wants them. */
void autodiff(program *p, ir_graph *g, const kept_leaf *kept, const ir_constant *self, function *const *functions);

#endif
