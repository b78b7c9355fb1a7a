/* Module classes of .py sources: what the objects that __init__ made are to the compiler.
 *
 * Each object becomes an instance of a class of its own shape: objects of one Python class share it when their
 * attributes have the same types and their constants the same values. Methods are declared when they are first named.
 */
#ifndef TSMC_SOURCE_MODULE_H
#define TSMC_SOURCE_MODULE_H

#include "exporter/emit/emit.h"
#include "exporter/python/py_eval.h"

typedef enum { NO_CONTAINER, CONTAINER_LIST, CONTAINER_DICT } module_container;

/* What a class_def made from a Python object remembers of it. */
struct module_class {
    py_machine *machine;
    const py_object *object; /* one of the instances */
    module_container container;
};

/* ---- module_instance.c ---- */
/* The module as a constant of the IR, with all below it. */
ir_constant *module_constant(py_machine *m, py_value *module);
/* A method of the class, declared now; NULL when Python's class has none that can be compiled. */
function *module_find_method(class_def *c, const char *name);
/* The methods that can be called from outside: forward, and those that @torch.jit.export names. An stb_ds array. */
function **module_entries(class_def *c);

/* Whether a module's class says that an attribute never changes: by Final, or in __constants__. */
bool module_declares_constant(py_machine *m, const py_object *o, const char *name);

/* What Python computes for a parameter's default value, as a constant of the type; NULL when it is of another type.
 * *mutable_type is set to the name of a type that no default value may have. */
ir_constant *module_default_value(program *p, const ast_node *value, const type *t, const char **mutable_type);

/* ---- module_weights.c ---- */
/* Loads a state dict into the module's parameters and buffers, strictly. */
void module_load_weights(py_value *module, const char *path);
/* Raises an error when some parameter or buffer has no values. */
void module_require_values(const py_value *module, const char *path);

/* ---- module_member.c: modules in the code that is compiled ---- */
/* Attributes that only Python's object has: functions, class variables, a container's items(). False: none. */
bool module_select(emitter *e, ir_value *self, const char *name, source_range range, sugared *out);
/* A static method of a module's class, as a function. False: none. */
bool module_static_method(emitter *e, const class_def *c, const char *name, sugared *out);
/* Whether a value is a module that holds others by position or by name. */
bool module_is_container(const sugared *s);
/* The method of it whose items `for` walks over: "keys" or "values". */
const char *module_iteration(const sugared *container);
/* What iterating over it yields, and what its items() and the like return: a tuple. */
sugared module_items(emitter *e, ir_value *container, const char *which, source_range range);
/* Whether an integer is a constant, or computed from such: i + 1 in a loop that is written out. */
bool module_known_integer(const ir_value *v, int64_t *result);
/* key in container */
ir_value *module_contains(emitter *e, const sugared *container, ir_value *key, source_range range);
/* container[index] */
sugared module_subscript(emitter *e, const sugared *container, const ast_node *n);

/* An attribute of a plain Python object that an attribute of a module is: a number, a string, another object. */
sugared module_python_attribute(emitter *e, const sugared *object, const char *name, source_range range);
/* Makes the range that a loop walks over a tuple when its body indexes containers by the loop's variable. */
void module_unroll(emitter *e, const ast_node *loop, sugared *iterable);
/* 1 or 0: the truth of a condition on constants of the module that is compiled (self.layers > 1), so that only the
 * branch that runs is compiled; -1: not known. */
int module_known_truth(emitter *e, const ast_node *n);
/* super() in a method of a module, and super().name: the method of the next class in order. */
bool module_is_super(const emitter *e, const ast_node *n);
sugared module_super_method(emitter *e, const ast_node *select);

#endif
