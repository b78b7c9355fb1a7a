/* AST -> IR: what the files of the emitter share.
 *
 * A name is bound to a `sugared` value: an IR value, or something that exists only while compiling (a namespace, class,
 * function, method, iterable). An environment holds the names of one block; blocks of prim::If and prim::Loop have
 * environments of their own. SSA form is built on the way: variables that branches and loop bodies assign become
 * outputs of the prim::If or prim::Loop. Returns, breaks and continues become nodes that exit_transform lowers when the
 * function is complete. */
#ifndef TSMC_EMIT_EMIT_H
#define TSMC_EMIT_EMIT_H

#include "exporter/program/program_internal.h"

typedef enum {
    SUGAR_VALUE,       /* value, type: the declared type */
    SUGAR_TUPLE,       /* several values: the results of an operator, a tuple display on the right of an assignment */
    SUGAR_NAMESPACE,   /* name: operators "aten", "prim", ... */
    SUGAR_OPS,         /* `ops`, whose members are namespaces of operators */
    SUGAR_OPERATOR,    /* name: "aten::relu"; value: bound first argument or NULL */
    SUGAR_PATH,        /* name: a dotted name that is neither class nor function yet */
    SUGAR_CLASS,       /* class_def */
    SUGAR_NEW,         /* C.__new__ */
    SUGAR_FUNCTION,    /* function */
    SUGAR_METHOD,      /* value, name */
    SUGAR_CAST,        /* value: a Tensor; name: the dtype that the method converts to, "float" */
    SUGAR_SPECIAL,     /* name: a form of the language: annotate, isinstance, ... */
    SUGAR_CONSTANTS,   /* `CONSTANTS` of archives, whose members are values: CONSTANTS.c0 */
    SUGAR_CLOSURE,     /* a nested def */
    SUGAR_RANGE,       /* items: start, stop, step; only the stop when `counts` */
    SUGAR_SLICE,       /* items: start, stop, step, ints */
    SUGAR_ZIP,         /* items: the iterables of zip or enumerate */
    SUGAR_PACKAGE,     /* name: a Python module or a part of one, "math", "torch.nn" */
    SUGAR_PYTHON,      /* name: the Python type of a value that only Python can use */
    SUGAR_PYTHON_CALL, /* name: a function that only Python can call */
    SUGAR_EXCEPTION,   /* name: an exception class */
    SUGAR_RAISED,      /* name: its class; value: its message; an exception that was made to be raised */
    SUGAR_CHILDREN,    /* value: a module; name: the method that lists its children: items, keys, values, ... */
    SUGAR_TYPE,        /* name: something of `typing`, or a type's name */
    SUGAR_UNDEFINED    /* name: the message to give when the variable is used */
} sugar_kind;

typedef struct sugared sugared;
struct sugared {
    sugar_kind kind;
    const char *name;
    ir_value *value;  /* VALUE; METHOD, OPERATOR: self */
    const type *type; /* VALUE: the declared type of the variable; value->type is a subtype of it */
    sugared *items;   /* TUPLE, RANGE, ZIP: stb_ds array */
    class_def *class_def;
    function *function;
    const ast_def *closure;
    const char **fields;     /* TUPLE: names of the items, NULL: none; an stb_ds array */
    bool counts;             /* RANGE */
    struct py_value *python; /* PYTHON: an object that __init__ left among the attributes of class_def; else NULL */
    bool is_refined;         /* VALUE: not assigned in this environment; only its type was refined here */
};

typedef struct {
    const char *key; /* interned: compared by address */
    sugared value;
} name_entry;

typedef struct environment {
    struct environment *outer;
    name_entry *names; /* stb_ds hash map, in order of first assignment */
} environment;

/* The innermost loop: what `break` and `continue` need. */
typedef struct loop_context {
    struct loop_context *outer;
    const ast_node *condition; /* of `while`; NULL: always true */
    const char **carried;      /* stb_ds array: variables that the loop carries */
    const char **deleted;      /* stb_ds array: those that `del` takes away at an end of the body */
    const ir_node *start;      /* of the body: its outputs are the index and the variables as a turn begins */
    ir_node **exits;           /* stb_ds array: BreakStmt and ContinueStmt nodes */
    bool is_unrolled;          /* has no prim::Loop: break and continue are refused */
} loop_context;

typedef struct emitter {
    program *program;
    function *function;
    ir_graph *graph;
    ir_node *at; /* nodes are inserted before this one */
    environment *env, *root;
    struct emitter *enclosing; /* of a nested def, else NULL */
    ir_value **captured;       /* values of `enclosing` that became inputs, an stb_ds array */
    loop_context *loop;
    const type *declared_return;  /* NULL: follows from the return statements */
    const type *merged_return;    /* of those met so far, NULL: none */
    const ir_value *first_return; /* what gave merged_return; NULL: none */
    const char *python_call;      /* the error about the first call of a function that only Python has; NULL: none */
    bool is_python;
} emitter;

/* ---- emit.c: functions ---- */
void emit_function(program *p, function *f);
ir_node *emit_constant_call(program *p, const char *callee, const constant_argument *arguments, uint32_t count,
                            source_range range);
/* The front end of programs without code in Python. */
extern const program_front_end emit_front_end;
/* Emits a nested def without parameters whose free variables are those of e; the values it uses of them become inputs
 * and are returned in `captured`, an stb_ds array. */
function *emit_closure(emitter *e, const ast_def *def, ir_value ***captured);
/* A function that returns its only argument. */
function *emit_identity(emitter *e, const type *t);
/* The future of a call of `body` with inputs, an stb_ds array. */
ir_value *emit_future(emitter *e, function *body, ir_value **inputs, source_range range);
/* Whether no path reaches the end of a block as far as it was emitted: its last node returns, raises, breaks or
 * continues. */
bool emit_block_exits(const ir_block *b);
/* The same for returns and raises only: as in PyTorch, variables of a branch that breaks or continues still count. */
bool emit_block_leaves_function(const ir_block *b);

/* ---- emit_python_names.c ---- */
/* A name of the file's own level or an import of it; SUGAR_UNDEFINED when the file does not bind it. */
sugared emit_python_name(emitter *e, const char *name, source_range range);
/* What a dotted path of a package means: "torch.nn.functional.relu". */
sugared emit_python_path(emitter *e, const char *path, source_range range);
/* Whether it means something. */
bool emit_knows_path(program *p, const char *path);
/* Whether tensors have a method of the name that is no operator of that name. */
bool emit_is_special_method(const char *name);
/* The Python type of the value that an expression makes, as far as its form tells: "int", "list", "object". */
const char *emit_python_type_of(const ast_node *value);

/* ---- environment.c ---- */
environment *env_push(emitter *e);
void env_pop(emitter *e);
/* NULL when the name is not known. */
const sugared *env_find(emitter *e, const char *name);
const sugared *env_find_from(emitter *e, environment *env, const char *name);
/* Assigns a variable: checks it against its declaration in an outer block. `annotated` may be NULL. */
void env_assign(emitter *e, const char *name, sugared s, const type *annotated, source_range range);
/* Binds a name in the innermost environment without any check. */
void env_bind(emitter *e, const char *name, sugared s);
/* Binds a name to its value of another type: no assignment, but one that this environment made before counts on. */
void env_refine(emitter *e, const char *name, sugared s);
void env_remove(emitter *e, const char *name, source_range range);
/* The variable as a value of its declared type. */
ir_value *env_view(emitter *e, const sugared *s, source_range range);
/* Variables that two branches of `n` leave behind become its outputs. */
void env_join(emitter *e, ir_node *n, environment *const branches[2], const bool exits[2], source_range range);

/* ---- sugared.c ---- */
sugared sugar_value(ir_value *v);
sugared sugar_named(sugar_kind kind, const char *name);
/* Converts a sugared value to an IR value; raises an error when it has none. */
ir_value *sugar_to_value(emitter *e, const sugared *s, source_range range);
/* s.name */
sugared sugar_select(emitter *e, const sugared *s, const char *name, source_range range);
/* Whether s.name exists, for hasattr. */
bool sugar_has(emitter *e, const sugared *s, const char *name);
/* Whether v is an object of a class, so that its magic method `name` ("__add__") implements an operator or builtin
 * function; raises an error when the class has no such method. */
bool sugar_has_magic(const ir_value *v, const char *name, source_range range);
/* The items of a SUGAR_TUPLE, or of a value that is a tuple or list. `count` is the number of targets that a list is
 * unpacked to; UINT32_MAX: not known, which only tuples allow. */
sugared *sugar_unpack(emitter *e, const sugared *s, uint32_t count, source_range range);

/* ---- Names: emit_names.c ---- */
/* The meaning of a name that is not a variable; SUGAR_UNDEFINED with name NULL when it has none. */
sugared emit_global_name(emitter *e, const char *name, source_range range);
/* package.name of a Python module. */
sugared emit_package_member(emitter *e, const char *package, const char *name, source_range range);
/* The operator that a Python builtin function is ("len" -> "aten::len"), or NULL. */
const char *emit_builtin_operator(const char *name);

/* ---- Expressions: `hint` is the type wanted, or NULL ---- */
sugared emit_sugared(emitter *e, const ast_node *n, const type *hint);
ir_value *emit_value(emitter *e, const ast_node *n, const type *hint);
sugared emit_subscript(emitter *e, const ast_node *n, const type *hint);
/* slice(stop), slice(start, stop, step) */
sugared emit_slice_object(emitter *e, const ast_node *n);
void emit_subscript_store(emitter *e, const ast_node *target, ir_value *v, source_range range);
void emit_subscript_augmented(emitter *e, const ast_node *target, ast_kind op, const ast_node *value,
                              source_range range);
void emit_subscript_delete(emitter *e, const ast_node *target);
/* The in-place form ("aten::add_") of an augmented assignment, or the plain one; NULL for operators that have none. */
const char *emit_augmented_operator(ast_kind op, bool in_place);
/* Whether `op=` may change a value of the type in place. */
bool emit_is_updated(const type *t);
/* The method of objects for an augmented assignment, "__iadd__" or "__add__"; NULL: objects have none. */
const char *emit_augmented_method(ast_kind op, bool in_place);

/* Inserts a node with one output. */
ir_node *emit_node(emitter *e, ir_kind kind, source_range range, const type *t);
ir_node *emit_node_with(emitter *e, ir_kind kind, source_range range, const type *t, ir_value *const *inputs,
                        uint32_t count);
ir_value *emit_constant(emitter *e, ir_constant *c, source_range range);
ir_value *emit_int(emitter *e, int64_t v, source_range range);
/* An operator call with positional arguments, and its first result. */
ir_node *emit_operator(emitter *e, const char *name, source_range range, ir_value *const *arguments, uint32_t count);
/* The same with arguments by name: among the operator's overloads and the functions that belong to it. */
ir_node *emit_schema_call(emitter *e, const char *name, source_range range, const call_argument *arguments,
                          uint32_t count);
ir_value *emit_operator1(emitter *e, const char *name, source_range range, ir_value *argument);
ir_value *emit_operator2(emitter *e, const char *name, source_range range, ir_value *a, ir_value *b);
/* A call of a method of a class, by name. */
ir_value *emit_method(emitter *e, ir_value *self, const char *name, source_range range, ir_value *const *arguments,
                      uint32_t count);
/* Converts v to type t where an implicit conversion exists (Tensor to number, tuple to list, T to Optional[T]); else
 * returns v itself. */
ir_value *emit_convert(emitter *e, ir_value *v, const type *t, source_range range);

/* ---- Calls: emit_call.c, emit_special.c ---- */
sugared emit_apply(emitter *e, const ast_node *n, const type *hint);
sugared emit_special(emitter *e, const ast_node *n, const char *name, const type *hint);
/* Whether torch.NAME makes tensors of one dtype: FloatTensor, LongTensor, ... */
bool emit_is_legacy_constructor(const char *name);
typedef struct {
    call_argument *items;
    uint32_t count;
} argument_list;
argument_list emit_arguments(emitter *e, const ast_node *n, ir_value *self);
/* The text of a function's schema for messages, with the name unqualified as in PyTorch. */
const char *emit_short_schema(const op_schema *s);
sugared emit_function_call(emitter *e, function *f, const argument_list *a, source_range range);
sugared emit_operator_call(emitter *e, const char *name, const argument_list *a, source_range range);
void expect_inputs(const ast_node *n, const char *name, uint32_t count);

/* ---- Conditions: emit_condition.c ---- */
/* A type refinement: the type of a variable in one branch of a condition. */
typedef struct {
    const char *name;
    const type *type;
} refinement;

typedef struct {
    ir_value *value;
    int known;                          /* 1, 0: the condition is true or false at compile time; -1: not known */
    refinement *when_true, *when_false; /* stb_ds arrays */
} condition;

condition emit_condition(emitter *e, const ast_node *n);
ir_value *emit_bool(emitter *e, ir_value *v, source_range range);
void emit_refinements(emitter *e, const refinement *list, source_range range);
ir_value *emit_ternary(emitter *e, const ast_node *n, const type *hint);

/* ---- Iteration: emit_iterable.c ---- */
/* Converts s to what `for x in s` iterates over; raises an error when s is not iterable. */
sugared emit_iterable(emitter *e, const sugared *s, source_range range);
/* The number of items when the loop must be unrolled (it goes over a tuple), else -1; raises an error when the number
 * must be known and is not. */
int64_t iterable_static_length(const sugared *it, source_range range);
ir_value *iterable_length(emitter *e, const sugared *it, source_range range);
sugared iterable_item(emitter *e, const sugared *it, ir_value *index, source_range range);
sugared iterable_static_item(emitter *e, const sugared *it, uint32_t index, source_range range);

/* ---- Loops: emit_loop.c ---- */
/* Emits `for target in s: body()`; the body is given as statements or as a function. */
typedef void emit_body_fn(emitter *e, void *data);
void emit_for_each(emitter *e, const ast_node *target, const sugared *iterable, const name_entry *assigned,
                   emit_body_fn *body, void *data, source_range range);
void emit_for(emitter *e, const ast_node *n);
void emit_while(emitter *e, const ast_node *n);
void emit_break(emitter *e, const ast_node *n);

/* ---- Statements ---- */
/* ValueError(a, b): what `raise` takes. */
sugared emit_exception(emitter *e, const char *class_name, const ast_node *n);
void emit_statements(emitter *e, const ast_list *statements);
/* Errors about the value are reported at `value_range`, others at `range`, usually the statement's. */
void emit_assign_target(emitter *e, const ast_node *target, sugared s, const type *annotated, source_range value_range,
                        source_range range);

#endif
