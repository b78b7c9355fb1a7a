/* Guards of arguments: their shapes against those for which the program was exported, with PyTorch's texts
 * (torch/_export/utils.py).
 *
 * A size is a number, or an expression of symbols as sympy prints it: Symbol('s0', ...), Mul(Integer(2), Symbol(...)),
 * Add(...). The first size that names a symbol defines it, later ones are compared. Expressions that are not linear in
 * one symbol are not checked, as in PyTorch. Symbols may have ranges. */
#ifndef TSMC_EXPORT_GUARDS_H
#define TSMC_EXPORT_GUARDS_H

#include "exporter/export/translate.h"

typedef struct guards guards;

/* `ranges` are the program's range constraints, `metas` its tensor_values by name. */
guards *guards_new(translation *t, json ranges, json metas);

/* Checks the tensor of that name; `path` is how the caller names it: "*args[0]". */
void guards_check_tensor(guards *g, json name, ir_value *tensor, const char *path);

/* Checks an argument that had this value (a schema's ConstantValue) when the program was exported. */
void guards_check_constant(guards *g, json value, ir_value *given, const char *path);

/* Whether all tensors so far have one shape each. */
bool guards_are_static(const guards *g);

/* The largest sizes of the tensors so far, in the order of their checks; behind them those of smaller calls, of which
 * the first are `corners` (base/size_samples.h). stb_ds arrays; NULL when a size has no bound. */
int64_t ***guards_largest_sizes(const guards *g, size_t *corners);

#endif
