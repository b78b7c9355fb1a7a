/* What a program changes: which of the module's tensors, lists, dicts and objects.
 *
 * Values that may share memory or contain each other are put into one class (Steensgaard's analysis: one pass, no
 * direction); a write to one member is a write to the class. The answer is conservative: what it calls unchanged is
 * never written to, what it calls written to may be unchanged. */
#ifndef TSMC_PASSES_ANALYSIS_MUTATION_H
#define TSMC_PASSES_ANALYSIS_MUTATION_H

#include "exporter/program/program.h"

typedef struct mutation mutation;

/* Analyses the functions together. `entries` are those of them that are called from outside: their arguments may share
 * memory with each other and with what earlier calls gave; `module` (may be NULL) is the object whose attributes they
 * reach. The answers hold until program_graphs_changed; a later question is an internal fault. */
mutation *mutation_analyse(program *p, function *const *entries, function *const *functions, ir_constant *module);

/* Whether what v refers to, or anything it may share memory with, is written to somewhere. Of values that were made
 * since the analysis nothing is known: they count as written to. */
bool mutation_is_written(mutation *m, const ir_value *v);

/* `replacement` was made since the analysis and has taken the place of v: what is known of v holds for it. */
void mutation_replace(mutation *m, const ir_value *v, const ir_value *replacement);

/* As mutation_is_written, but not for operators that change only whether a tensor needs a gradient
 * (aten::requires_grad_). */
bool mutation_changes_elements(mutation *m, const ir_value *v);

/* Whether it is written to by an operator that changes sizes in place (aten::unsqueeze_). */
bool mutation_is_resized(mutation *m, const ir_value *v);

/* Whether some function stores to this attribute of this class. */
bool mutation_is_stored(const mutation *m, const class_def *c, const char *attribute);

/* Sets is_mutated of all constants in the functions and in the module. */
void mutation_mark_constants(mutation *m);

#endif
