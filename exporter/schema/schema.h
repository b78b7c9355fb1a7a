/* Schemas of operators and functions, the operator list, and the matching of calls to schemas. */
#ifndef TSMC_SCHEMA_SCHEMA_H
#define TSMC_SCHEMA_SCHEMA_H

#include "exporter/ir/function_schema.h"
#include "exporter/syntax/source.h"

/* Parses one schema text; raises for malformed ones. */
op_schema *schema_parse(const char *text);
/* The default value of an argument: a single number for int[N] stands for N of them. `c` may be NULL. */
ir_constant *schema_broadcast_default(ir_constant *c, const schema_argument *a);

/* The operator list (schema/operators.txt, operators_tsm.txt and traits.txt, built into the program): all overloads of
 * "aten::add", in PyTorch's order; NULL and *count 0 when there is no operator of this name. Parsed on first use. */
const op_schema *const *schema_overloads(const char *name, uint32_t *count);
/* What the error about a name that is no operator begins with. */
#define SCHEMA_UNKNOWN "Unknown builtin op: "
/* By full name; NULL when unknown. */
const op_schema *schema_find(const char *full_name);
/* Where the argument `self` stands, which methods are called on: first, or second as in polygamma(int n, Tensor self);
 * -1: nowhere. */
int schema_self_position(const op_schema *s);
/* Whether libtsmobile can run it. */
bool schema_is_implemented(const op_schema *s);
/* Whether schema/traits.txt gives it this trait; false for NULL. */
bool schema_has_trait(const op_schema *s, op_trait t);
/* Whether some argument is written to. */
bool schema_is_mutating(const op_schema *s);
/* Whether calls may not be removed, merged or folded (writes, output, errors by purpose). An operator without results
 * is called for its effects: one that libtsmobile cannot run is not removed, but refused. */
bool schema_has_side_effects(const op_schema *s);
/* Whether calls may not be merged or folded (random numbers, memory as it was found). They are removed when nobody uses
 * them, as in TorchScript. */
bool schema_is_nondeterministic(const op_schema *s);

/* One argument of a call. */
typedef struct {
    const char *name; /* NULL: positional */
    ir_value *value;
    source_range range;
} call_argument;

/* Tries one schema. On success returns the inputs in schema order (conversions, constants for defaults inserted before
 * `at`), an stb_ds array, and the return types with type variables resolved; else NULL with the reason added to `why`.
 */
typedef struct {
    ir_value **inputs;
    const type **returns;
} schema_match;
schema_match *schema_try(const op_schema *s, ir_node *at, source_range range, const ir_value *self,
                         const call_argument *arguments, uint32_t count, bool implicit_conversions, strbuf *why);

/* Finds the first of several schemas that a call fits, without implicit conversions if possible. Raises PyTorch's error
 * text listing the candidates when none fits. Returns its index. */
uint32_t schema_choose(const op_schema *const *candidates, uint32_t candidate_count, ir_node *at, source_range range,
                       const call_argument *arguments, uint32_t count, schema_match **match);
/* Inserts the operator's node. */
ir_node *schema_insert(const op_schema *s, const schema_match *match, ir_node *at, source_range range);

/* Why tsmobile does not have the operator, as the end of a message; NULL where nothing is known. */
const char *schema_refusal(const char *name);

/* Resolves a call of the operator `name` and inserts its node before `at`; returns the node. Raises PyTorch's error
 * text listing the candidates when none fits. */
ir_node *schema_call(const char *name, ir_node *at, source_range range, const call_argument *arguments, uint32_t count);

/* v as a value of another type, where Python's values may stand for others: Tensors and numbers become ints and floats,
 * tuples lists, strings devices, an empty list display a list of any type. v itself when there is no conversion. */
ir_value *schema_convert(ir_node *at, source_range range, ir_value *v, const type *wanted);

#endif
