/* Trees of arguments and results as torch.utils._pytree describes them (treespec_dumps, protocol 1), and how they are
 * values of TorchScript.
 *
 * A description is JSON: [1, {"type": ..., "context": "JSON", "children_spec": [...]}]; a leaf has no type.
 *
 *     builtins.tuple            a tuple
 *     builtins.list             a list; of Any where items have several types
 *     builtins.dict,            a dict; of Any where items have several types
 *     collections.OrderedDict,
 *     collections.defaultdict
 *     collections.namedtuple    a NamedTuple
 *     others                    classes that the author registered: NamedTuples when their context names the fields;
 * those that were None, which PyTorch names apart, stand behind the others */
#ifndef TSMC_EXPORT_PYTREE_H
#define TSMC_EXPORT_PYTREE_H

#include "exporter/base/json.h"
#include "exporter/export/translate.h"
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

/* The type of a tree whose leaves have these types; takes pytree_leaves of them from *leaf on. */
const type *pytree_type(const pytree *t, const type *const **leaf);

/* Inserts nodes before `at` that make the value of a tree from the leaves' values. */
ir_value *pytree_build(const pytree *t, ir_value *const **leaf, ir_node *at);

/* Leaves of a value: values in the graph, and how Python names them ("x[0]['key']['field']"). stb_ds arrays. */
typedef struct {
    ir_value **values;
    const char **paths;
} pytree_leaf_list;

/* Inserts nodes that take apart a value, which Python calls `path`, and appends its leaves, whose types stand from
 * *leaf_type on. Items of Any that have another type raise. */
void pytree_take_apart(const pytree *tree, ir_value *v, translation *t, const type *const **leaf_type,
                       pytree_leaf_list *leaves, const char *path);

#endif
