/* The SSA IR: TorchScript's graphs.
 *
 * A graph is a block; a block has parameters, a list of nodes and results; a node has inputs, outputs, attributes and
 * nested blocks (prim::If: two; prim::Loop: one). A value is defined once, by a node or as a block's parameter, and
 * knows its uses. Control flow is structured, there are no jumps; mutation of tensors, lists, dicts and objects is
 * allowed (see alias.h). */
#ifndef TSMC_IR_IR_H
#define TSMC_IR_IR_H

#include <stdbool.h>
#include <stdint.h>

#include "exporter/base/mem.h"
#include "exporter/ir/types.h"
#include "exporter/syntax/source.h"

typedef struct ir_graph ir_graph;
typedef struct ir_block ir_block;
typedef struct ir_node ir_node;
typedef struct ir_value ir_value;
typedef struct ir_constant ir_constant;
typedef struct op_schema op_schema; /* function_schema.h */
typedef struct function function;   /* class.h */

/* What a node does: a small number for the kinds in kinds.def, else made by ir_kind_of for an operator's name. */
typedef uint32_t ir_kind;
enum {
#define IR_KIND(NAME, text) IR_##NAME,
#include "exporter/ir/kinds.def"
#undef IR_KIND
    IR_KNOWN_KINDS
};

/* A tensor's type in prim::TypeCheck, a list: its dtype, the flags that it may not have, then sizes. */
enum { TYPE_CHECK_DTYPE, TYPE_CHECK_FLAGS, TYPE_CHECK_SIZES };

/* The kind with this printed name ("aten::relu"), made when new. */
ir_kind ir_kind_of(const char *name);
const char *ir_kind_name(ir_kind kind);

typedef struct {
    ir_node *user;
    uint32_t index; /* of user's inputs */
} ir_use;

struct ir_value {
    ir_node *node;   /* its definition; for a block's parameter, block->param */
    uint32_t offset; /* which output of it */
    uint32_t id;     /* unique in the graph */
    const type *type;
    const char *name; /* the author's name without the number that makes it unique; NULL: a temporary */
    ir_use *uses;     /* stb_ds array */
    bool is_inferred; /* a parameter without annotation: a Tensor, as the compiler assumes */
};

/* The type of a value as messages to authors write it. */
const char *ir_value_annotation(const ir_value *v);

/* A chain of inlined calls: where the node stood in its function, and the frame of the call that brought it here. */
typedef struct ir_scope {
    const char *function;          /* qualified name */
    const char *module;            /* what it was called on, as attributes of the caller's: "layer1.0"; or NULL */
    source_range range;            /* of the call in the caller; unused for the outermost */
    const struct ir_scope *caller; /* NULL: outermost */
} ir_scope;

struct ir_node {
    ir_kind kind;
    ir_graph *graph;
    ir_block *block; /* the one it stands in; NULL while it is not inserted */
    ir_node *previous, *next;
    uint64_t position;            /* grows along the block's list while block->is_numbered */
    ir_value **inputs, **outputs; /* stb_ds arrays; change inputs through the functions below */
    ir_block **blocks;            /* stb_ds array */
    const op_schema *schema;      /* operators: the overload chosen; else NULL */
    ir_constant *constant;        /* CONSTANT: the value; NULL is None */
    const char *attribute;        /* GET_ATTR, SET_ATTR: attribute name; CALL_METHOD, INTERFACE_CALL: method name */
    const type *type_operand;     /* CREATE_OBJECT: class; TOLIST: wanted type; LIST_CONSTRUCT: annotate()'s, or NULL */
    const type **types;           /* ISINSTANCE: stb_ds array of types */
    int64_t begin, end;           /* TUPLE_SLICE */
    function *callee;             /* CALL_FUNCTION, FUNCTION, CALL_METHOD when known; FORK: the body */
    source_range range;
    const ir_scope *scope; /* NULL: of the graph's own function */
};

/* Where the author wrote it: of code of the compiler's own, the call that led there. */
source_range ir_authors_range(const ir_node *n);

/* "aten::nonzero (net.py, line 3)". */
const char *ir_place_text(const ir_node *n);

struct ir_block {
    ir_graph *graph;
    ir_node *owner;   /* NULL for a graph's own block */
    ir_node *param;   /* outputs are the block's parameters; start of the list of nodes */
    ir_node *result;  /* inputs are the block's results; end of the list */
    bool is_numbered; /* by ir_node.position: ir.c */
};

struct ir_graph {
    ir_block *block;
    uint32_t next_id;
    uint64_t edits;   /* grows with every change of its nodes by the functions below */
    const char *name; /* of the function, for messages */
};

/* Constants: what prim::Constant holds and module attributes are. Values compare by structure, tensors by identity of
 * their data. */
typedef enum {
    CONST_NONE,
    CONST_BOOL,
    CONST_INT,
    CONST_FLOAT,
    CONST_COMPLEX,
    CONST_STR,
    CONST_DEVICE,
    CONST_TENSOR,
    CONST_LIST,
    CONST_TUPLE,
    CONST_DICT,
    CONST_OBJECT,
    CONST_ENUM,
    CONST_FUNCTION,
    CONST_GENERATOR
} ir_constant_kind;

struct pt_tensor; /* archive/pt_tensor.h */

struct ir_constant {
    ir_constant_kind kind;
    const type *type;
    union {
        bool boolean;
        int64_t integer; /* ENUM: the member's position in its class */
        double real;
        struct {
            double re, im;
        } complex;
        struct {
            const char *bytes;
            size_t length;
        } string; /* STR, DEVICE */
        struct pt_tensor *tensor;
        struct {
            ir_constant *
                *items; /* LIST, TUPLE: items; DICT: key, value, ...; OBJECT: slots in the class's attribute order */
            uint32_t count;
        } list;
        function *function;
    };
    bool is_mutated; /* OBJECT: some slot may be stored to; LIST, DICT, TENSOR: contents may change (set by freezing) */
    bool is_only_read; /* TENSOR: of all nodes that are it only elements are read (passes/analysis/read_constants.h) */
    uint32_t mark;     /* for walks */
};

/* Shared scalars; `type` follows from the kind. */
ir_constant *const_none(void);
ir_constant *const_bool(bool v);
ir_constant *const_int(int64_t v);
ir_constant *const_float(double v);
ir_constant *const_complex(double re, double im);
ir_constant *const_str(const char *bytes, size_t n);
ir_constant *const_device(const char *text, size_t n);
ir_constant *const_tensor(struct pt_tensor *t); /* not copied */
ir_constant *const_int_list(const int64_t *items, int count);
ir_constant *const_new(ir_constant_kind kind, const type *type);
bool const_equal(const ir_constant *a, const ir_constant *b);

/* ---- Building ---- */

ir_graph *ir_graph_new(const char *name);
ir_value *ir_graph_add_input(ir_graph *g, const char *name, const type *t);
/* A node that is not inserted yet, with n outputs of type Tensor (set their types). */
ir_node *ir_node_new(ir_graph *g, ir_kind kind, uint32_t outputs);
ir_value *ir_node_add_output(ir_node *n, const type *t);
void ir_node_remove_output(ir_node *n, uint32_t i); /* must be unused */
void ir_node_add_input(ir_node *n, ir_value *v);
void ir_node_insert_input(ir_node *n, uint32_t i, ir_value *v);
void ir_node_set_input(ir_node *n, uint32_t i, ir_value *v);
void ir_node_remove_input(ir_node *n, uint32_t i);
ir_block *ir_node_add_block(ir_node *n);
ir_value *ir_block_add_param(ir_block *b, const char *name, const type *t);
void ir_block_remove_param(ir_block *b, uint32_t i); /* must be unused */
void ir_block_add_result(ir_block *b, ir_value *v);
/* Makes n a call of another operator with the same inputs and outputs. */
void ir_node_set_operator(ir_node *n, const op_schema *s);

/* Inserting; a node must not stand anywhere. */
void ir_append(ir_block *b, ir_node *n);
void ir_insert_before(ir_node *at, ir_node *n);
void ir_insert_after(ir_node *at, ir_node *n);
void ir_unlink(ir_node *n); /* takes it out, uses kept */
void ir_move_before(ir_node *at, ir_node *n);
void ir_destroy(ir_node *n); /* takes it out with its blocks; its outputs must be unused */
void ir_replace_uses(ir_value *from, ir_value *to);
/* Puts the branch that runs in the place of a prim::If; returns the first node that came from it, or the one behind. */
ir_node *ir_inline_branch(ir_node *n, bool condition);
/* a stands before b on every path to b (a's block encloses b's). */
bool ir_is_before(const ir_node *a, const ir_node *b);

/* Whether v is defined in the block or in one nested in it. */
bool ir_is_inside(const ir_value *v, const ir_block *b);

/* First and last nodes of a block; iterate with ->next until b->result. */
static inline ir_node *ir_first(const ir_block *b) {
    return b->param->next;
}
#define IR_EACH(node, b)                                                                                               \
    for (ir_node *node = ir_first(b), *next_##node = node->next; node != (b)->result;                                  \
         node = next_##node, next_##node = node->next)

static inline ir_value *ir_in(const ir_node *n, uint32_t i) {
    return n->inputs[i];
}
static inline ir_value *ir_out(const ir_node *n, uint32_t i) {
    return n->outputs[i];
}
static inline uint32_t ir_input_count(const ir_node *n) {
    return (uint32_t)arrlenu(n->inputs);
}
static inline uint32_t ir_output_count(const ir_node *n) {
    return (uint32_t)arrlenu(n->outputs);
}
static inline uint32_t ir_use_count(const ir_value *v) {
    return (uint32_t)arrlenu(v->uses);
}
static inline bool ir_is_constant(const ir_value *v) {
    return v->node->kind == IR_CONSTANT;
}
/* The constant that a value is; NULL when it is not one. A None constant gives const_none(). */
const ir_constant *ir_constant_of(const ir_value *v);
bool ir_constant_int(const ir_value *v, int64_t *out);
bool ir_constant_bool(const ir_value *v, bool *out);

/* A prim::Constant node with its output typed; not inserted. */
ir_node *ir_constant_node(ir_graph *g, ir_constant *c);
/* Inserts a constant before `at`, ranged as `at`. */
ir_value *ir_insert_constant(ir_node *at, ir_constant *c);

/* v as a value of type t, by prim::unchecked_cast before `at`; v itself when it has that type. */
ir_value *ir_insert_cast(ir_node *at, ir_value *v, const type *t);
/* Inserts a read of the object's attribute (an interned name) before `at`, ranged as `at`. */
ir_value *ir_insert_read(ir_node *at, ir_value *object, const char *attribute, const type *t);

/* Whether n is the operator of that full name: "aten::add.Tensor". */
bool ir_is_operator(const ir_node *n, const char *full_name);

/* How many blocks a block is inside of. */
uint32_t ir_block_depth(const ir_block *b);

/* Adds the nodes of a kind in a block and in the blocks of its nodes, inner ones first, to an stb_ds array. */
void ir_collect_nodes(const ir_block *b, ir_kind kind, ir_node ***nodes);

/* How many nodes are in a block and in the blocks of its nodes. */
uint32_t ir_count_nodes(const ir_block *b);

/* Copies a block's nodes into `into` before `at`, mapping values through `map` (an stb_ds hash map from ir_value* to
 * ir_value*, prepared with the block's parameters); results are looked up in the map afterwards. */
typedef struct {
    const ir_value *key;
    ir_value *value;
} * ir_value_map;
void ir_copy_nodes(const ir_block *from, ir_node *at, ir_value_map *map);
/* One node; the copy is inserted before `at`. */
ir_node *ir_copy_node(const ir_node *n, ir_node *at, ir_value_map *map);
/* The nodes of a block; values from outside of it stay themselves. */
void ir_copy_block_nodes(const ir_block *from, ir_node *at, ir_value_map *map);

/* ---- Text ---- */

/* PyTorch's text of a graph. Values print as %name.N or %N, numbered as PyTorch numbers them. */
void ir_print(const ir_graph *g, strbuf *out);
/* The same, with what `describe` says of a value behind its type; NULL: nothing. */
typedef const char *ir_describe(const void *context, const ir_value *v);
void ir_print_described(const ir_graph *g, ir_describe *describe, const void *context, strbuf *out);
void ir_print_node(const ir_node *n, strbuf *out);
void ir_print_value(const ir_value *v, strbuf *out);
void ir_print_constant(const ir_constant *c, strbuf *out);

/* Checks dominance, use lists, types of operators against schemas, block shapes. Returns what is wrong, with the node;
 * NULL: nothing. */
const char *ir_fault(const ir_graph *g);
/* The same; raises diag_internal naming the pass. */
void ir_lint(const ir_graph *g, const char *pass);

#endif
