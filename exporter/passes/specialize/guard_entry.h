/* The guard of an entry that is specialized to an example: it compares the arguments with the example's; where they
 * fit, code runs in which shapes are constants; where not, the general code does.
 *
 *     graph(%x : Tensor):                             graph(%x : Tensor):
 *       %1 : int = prim::Constant[value=0]()            %1 : int[] = prim::Constant[value=[6, 0, 8, 4]]()
 *       %2 : int = aten::size(%x, %1)                   %2 : bool = prim::TypeCheck(%x, %1)
 *       ...                                             %3 : Tensor = prim::If(%2)
 *       return (%y)                                       block0(): ... 8 for the size ...
 *                                                         block1(): ... as on the left ...
 *                                                       return (%3)
 *
 * With several examples of one entry, the general code of one is the branch on the guard of the next.
 *
 * prim::TypeCheck takes pairs of a value and what it must be: a list of ints is a tensor's type (PyTorch's ScalarType
 * number), flags that it may not have (where the code asks whether tensors require gradients, or are nested), and its
 * sizes; a bool or None stands for itself. Compared are tensors, bools and None, and those in tuples; numbers, texts,
 * lists and dicts are not, and nothing is concluded from them. */
#ifndef TSMC_PASSES_SPECIALIZE_GUARD_ENTRY_H
#define TSMC_PASSES_SPECIALIZE_GUARD_ENTRY_H

#include "exporter/passes/analysis/shapes.h"

/* An example call and what is known of it. */
typedef struct example {
    function *entry;
    ir_constant **arguments; /* of the entry without self: an stb_ds array */
    ir_constant ***others;   /* other calls, for which the buffer has to be large enough: an stb_ds array of the same */
    size_t samples;          /* the last of these, which need not all be tried */
    shape_map seen;          /* outputs of operators of the entry's graph */
    bool is_own;             /* of the program's file: when it cannot be run, it is not used */
    bool is_refused;         /* set by specializing: so it was */
    bool is_settled;         /* set by specializing: the memory of the call follows from what the guard compares */
    const char *unsettled;   /* set by specializing: the operator, and its line, from which on it does not */
} example;

/* An entry between guard_entry and guard_entry_finish. */
typedef struct {
    ir_block *inside;  /* the code to specialize */
    ir_block *outside; /* where the general code is to go */
    ir_node *holder;   /* a node in no block, which holds the general code meanwhile */
} guarded_entry;

/* Guards the entry's graph; e->seen then has the values of both versions of the code. `given` gets what the guard
 * says of values inside. The general code is taken out of the graph until guard_entry_finish, so that its writes do
 * not count against the values of the specialized code in a mutation analysis. */
guarded_entry guard_entry(example *e, shape_map *given);
/* Brings the general code back. */
void guard_entry_finish(guarded_entry g);
/* Takes it out again, for more to be specialized. */
void guard_entry_hide(guarded_entry g);

/* Whether the guard of one example admits the call of another, whose code would then never run. */
bool example_admits(const example *earlier, const example *later);

#endif
