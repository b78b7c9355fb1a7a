/* Whether results of operators require gradients, and are leaves: answered by the operators and their inputs, because
 * no tensor remembers what it was computed from. What is not computed in the function (arguments, attributes,
 * constants) is asked itself when the program runs.
 *
 * PyTorch's own functions (torch.nn) are left as they are: they ask to choose among ways that give the same. */
#ifndef TSMC_PASSES_LOWER_ANSWER_REQUIRES_GRAD_H
#define TSMC_PASSES_LOWER_ANSWER_REQUIRES_GRAD_H

#include "exporter/program/program.h"

/* Whether a function of the program's author asks, or takes the flag from a result. */
bool requires_grad_is_asked(function *f);
/* Whether the graph gives tensors the flag, or asks for gradients. */
bool requires_grad_is_used(const ir_graph *g);
/* Calls have to be inlined. uses_gradients: some method of the program does so, perhaps to attributes. Where the answer
 * depends on more than can be followed (containers, modes that are decided at run time), it is a compile error in
 * programs that give tensors the flag or ask for gradients; in others the question stays, and reads the flag that the
 * tensor has. Before requires_grad_(False) of a result stands the question whether it is a leaf. */
void answer_requires_grad(program *p, ir_graph *g, bool uses_gradients);

#endif
