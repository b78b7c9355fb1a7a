/* A program under compilation: what names mean, the functions, the classes, and the module with its attributes. */
#ifndef TSMC_PROGRAM_PROGRAM_H
#define TSMC_PROGRAM_PROGRAM_H

#include "exporter/ir/ir.h"
#include "exporter/ir/types.h"
#include "exporter/schema/schema.h"
#include "exporter/syntax/ast.h"

typedef struct program program;
struct pt_archive; /* archive/archive.h */

typedef struct {
    const char *name;
    const type *type;
    bool is_parameter, is_buffer;
} class_attribute;

typedef struct {
    const char *name;
    ir_constant *value;
} class_constant;

/* What a nominal type stands for. Arrays are stb_ds arrays. */
struct class_def {
    type_kind kind;   /* CLASS, INTERFACE, ENUM, TUPLE (NamedTuple) */
    const char *name; /* qualified */
    const type *type;
    bool is_module;
    class_attribute *attributes; /* in slot order */
    class_constant *constants;   /* Final attributes; members of an enum; defaults of a NamedTuple */
    function **methods;          /* of an interface: schemas only */
    const ast_class *syntax;
    const source_file *file;
    uint32_t defined;            /* progress of lazy definition */
    struct module_class *module; /* made from an object of a .py source (module.h); else NULL */
};

enum { FUNCTION_DECLARED, FUNCTION_EMITTING, FUNCTION_READY };

struct function {
    const char *name;      /* qualified: "__torch__.M.forward" */
    const char *base_name; /* "forward" */
    class_def *owner;      /* of methods, else NULL */
    op_schema *schema;     /* methods: with self */
    ir_graph *graph;       /* NULL until it was emitted */
    const ast_def *syntax; /* NULL: made by a pass */
    const source_file *file;
    const struct code_file *code; /* where its names are looked up; NULL: made by a pass */
    int state;
    program *program;
    function *without_hooks; /* of a forward with its module's hooks: the method alone; else NULL */
    bool is_dropped;         /* stays in Python: where it would be called, an exception is raised */
    bool is_python;          /* hand-written source, not serialized code */
    bool is_builtin;         /* code of the compiler's own */
    bool is_operator; /* such code in the place of an operator: once inlined, it stands where the operator stood */
};

/* Loads a TorchScript archive: classes, functions and the module, each lazily compiled from its code when first needed.
 */
program *program_load_archive(struct pt_archive *archive);

/* Runs one operator node on constants; false when it cannot. */
typedef bool operator_evaluator(const ir_node *n, const ir_constant *const *inputs, ir_constant **outputs);

/* The same with operators at hand for objects whose class restores itself by computing (__setstate__). */
program *program_load_archive_with(struct pt_archive *archive, operator_evaluator *evaluate);

typedef struct {
    const char *weights;          /* the state dict of a module; NULL: none */
    operator_evaluator *evaluate; /* for tensors that __init__ computes */
} source_options;

/* Loads a .py source; `entry` names one of its functions, or one of its module classes, constructed by running its
 * __init__: "Net", or with arguments "Net(10, hidden=20)". */
program *program_load_source(const char *path, const char *text, size_t length, const char *entry,
                             const source_options *options);

/* The module of an archive (an OBJECT); NULL for functions from source. */
ir_constant *program_module(program *p);

/* The functions that can be called from outside: the module's methods that are compiled from outside (forward and
 * exported ones), or the entry function. An stb_ds array. */
function **program_entries(program *p);

/* Looks up by qualified name, compiling what is needed; NULL when there is none. */
class_def *program_find_class(program *p, const char *name);
function *program_find_function(program *p, const char *name);

/* Compiles a function's body if that was not done; returns its graph. Raises compile errors. */
ir_graph *function_graph(function *f);

/* Members of a class; NULL or -1 when absent. */
function *class_find_method(const class_def *c, const char *name);
int class_find_attribute(const class_def *c, const char *name);
const class_constant *class_find_constant(const class_def *c, const char *name);
/* Whether a class (or interface) has all methods of an interface with fitting schemas; when not, `why` (may be NULL)
 * gets the reason. */
bool class_implements(class_def *c, class_def *interface, strbuf *why);
/* All classes defined so far, an stb_ds array in order of definition. */
class_def **program_classes(program *p);
/* All functions that have a graph, in order. */
function **program_functions(program *p);

/* A function made by the compiler (body of a fork, upgrader, pass). */
function *program_new_function(program *p, const char *name, ir_graph *graph, op_schema *schema);

#endif
