/* Trees of arguments and results as torch.utils._pytree describes them (treespec_dumps, protocol 1), and how they are
 * values of TorchScript.
 *
 * A description is JSON: [1, {"type": ..., "context": "JSON", "children_spec": [...]}]; a leaf has no type.
 *
 *     builtins.tuple            a tuple
 *     builtins.list             a list where all items have one type, else a tuple
 *     builtins.dict,            a dict where all items have one type, else a tuple with named fields
 *     collections.OrderedDict,
 *     collections.defaultdict
 *     collections.namedtuple    a NamedTuple
 *     others                    classes that the author registered: NamedTuples when their context names the fields;
 * those that were None, which PyTorch names apart, stand behind the others */
#ifndef TSMC_EXPORT_PYTREE_H
#define TSMC_EXPORT_PYTREE_H

#include "exporter/base/json.h"
#include "exporter/ir/ir.h"

typedef enum { PYTREE_LEAF, PYTREE_TUPLE, PYTREE_LIST, PYTREE_DICT, PYTREE_NAMED } pytree_kind;

typedef struct pytree {
    pytree_kind kind;
    const char *name;         /* of the Python class; NULL: a leaf */
    const char **keys;        /* of a DICT, and of a NAMED whose fields the file tells: an stb_ds array */
    bool has_int_keys;        /* the keys of a DICT are ints, in decimal digits */
    const char **none;        /* fields of a NAMED that are None and no children, behind the others: an stb_ds array */
    struct pytree **children; /* stb_ds array */
} pytree;

/* Reads a description. `where` is the string that holds it. */
pytree *pytree_read(json where);

/* The number of leaves. */
size_t pytree_leaves(const pytree *t);

/* Appends how Python names each leaf of a value called `name`: "x[0]['key'].field". */
void pytree_paths(const pytree *t, const char *name, const char ***paths);

/* The type of a tree whose leaves have these types; takes pytree_leaves of them from *leaf on. */
const type *pytree_type(const pytree *t, const type *const **leaf);

/* Inserts nodes before `at` that make the value of a type (pytree_type) from the leaves' values. */
ir_value *pytree_build(const pytree *t, const type *made, ir_value *const **leaf, ir_node *at);

/* Inserts nodes before `at` that take a value apart; appends the values of the leaves to *leaves (stb_ds array). */
void pytree_take_apart(const pytree *t, ir_value *v, ir_node *at, ir_value ***leaves);

#endif
