/* Values from files, for examples and test cases: JSON (docs/values.md), or what torch.save wrote. */
#ifndef TSMC_EXECUTE_VALUES_H
#define TSMC_EXECUTE_VALUES_H

#include "exporter/archive/pickle.h"
#include "exporter/passes/analysis/mutation.h"

/* The arguments of a call of f, without self: an stb_ds array. The file holds a JSON array or a pickled tuple. */
ir_constant **values_read_arguments(const char *path, const function *f);
/* The arguments of several calls: an stb_ds array of the same. The file holds a list of what that of one call holds. */
ir_constant ***values_read_calls(const char *path, const function *f);
/* The same from the arguments that an exported program keeps: a pickled tuple of a tuple and a dict of those by name.
 */
ir_constant **values_of_call(const char *path, const pkl_value *call, const function *f);
/* The same from the list of the inputs with which torch.jit.trace made a method. */
ir_constant **values_of_inputs(const char *path, const pkl_value *inputs, const function *f);
/* Appends the defaults of the arguments that are missing, as far as there are defaults. */
void values_add_defaults(ir_constant ***arguments, const function *f);
/* A result of f. */
ir_constant *values_read_result(const char *path, const function *f);
/* Marks arguments that the program may write to, so that the file's copy is copied into the buffer. */
void values_mark_written(ir_constant *const *arguments, const function *f, mutation *m);
/* Arguments as one tuple. */
ir_constant *values_as_tuple(ir_constant **arguments);

/* ---- For the two readers ---- */

/* `wanted` is the declared type of a value, NULL where it is not known; it decides what the text leaves open: the types
 * of empty lists, ints that stand for floats, the class of an enum. */
ir_constant *values_parse_json(const char *path, const char *text, size_t n, const type *wanted);
ir_constant *values_load_archive(const char *path, const type *wanted);

/* The type of item i of a container of a kind; NULL when `wanted` is no such type. */
const type *values_item_type(const type *wanted, type_kind kind, uint32_t i);
/* Whether an int stands for a float here. */
bool values_wants_float(const type *wanted);
ir_constant *values_enum(const char *path, const type *wanted, const char *member);
/* From stb_ds arrays of items. */
ir_constant *values_list(ir_constant **items, const type *wanted);
ir_constant *values_tuple(ir_constant **items, const type *wanted);
ir_constant *values_dict(ir_constant **items, const type *wanted); /* key, value, ... */

#endif
