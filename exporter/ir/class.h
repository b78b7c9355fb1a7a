/* Classes and functions: what nominal types stand for, and what calls call. */
#ifndef TSMC_IR_CLASS_H
#define TSMC_IR_CLASS_H

#include "exporter/ir/function_schema.h"
#include "exporter/ir/ir.h"
#include "exporter/ir/types.h"
#include "exporter/syntax/ast.h"

typedef struct program program; /* program/program.h */

typedef struct {
    const char *name;
    const type *type;
    bool is_parameter, is_buffer;
    bool is_unused; /* no function that is exported names it (prune_attributes): objects have None there */
} class_attribute;

typedef struct {
    const char *name;
    ir_constant *value;
} class_constant;

/* How methods come to be that are declared when they are first named. */
typedef struct {
    /* Declares the method; NULL when there is none of the name. */
    function *(*find)(class_def *c, const char *name);
    /* The methods that can be called from outside, an stb_ds array. */
    function **(*exported)(class_def *c);
    /* The hooks of the module's forward, those that come before it or those behind, an stb_ds array. */
    function **(*hooks)(class_def *c, bool before);
} class_lazy_methods;

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
    uint32_t defined;                       /* progress of lazy definition */
    struct module_class *module;            /* made from an object of a .py source (emit/emit_module.h); else NULL */
    const class_lazy_methods *lazy_methods; /* NULL: all methods are in `methods` */
    function *hooked_forward; /* forward as a call of the module runs it (program/hooks.h); NULL: none yet */
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
    bool is_remote;   /* the program asks other workers to call it: then they can ask, too, by its qualified name */
    bool is_async;    /* is_remote, and async_execution: its answer is what its future gets */
    bool is_entry;    /* chosen to be called from outside by its base name */
};

/* Members of a class; NULL or -1 when absent. */
function *class_find_method(const class_def *c, const char *name);
int class_find_attribute(const class_def *c, const char *name);
const class_constant *class_find_constant(const class_def *c, const char *name);
/* Whether a class (or interface) has all methods of an interface with fitting schemas; when not, `why` (may be NULL)
 * gets the reason. */
bool class_implements(class_def *c, class_def *interface, strbuf *why);

#endif
