/* Modules in the code that is compiled: the objects that __init__ of a .py source made.
 *
 * Each object is an instance of a class of its own shape: objects of one Python class share it when their attributes
 * have the same types and their constants the same values (source/source_module.c makes the classes). */
#ifndef TSMC_EMIT_EMIT_MODULE_H
#define TSMC_EMIT_EMIT_MODULE_H

#include "exporter/emit/emit.h"
#include "exporter/python/py_eval.h"

typedef enum { NO_CONTAINER, CONTAINER_LIST, CONTAINER_DICT } module_container;

/* The part of a class_def that refers back to the Python object from which it was made. */
struct module_class {
    py_machine *machine;
    const py_object *object; /* one of the instances */
    module_container container;
    struct {
        bool are_declared;
        function **functions; /* stb_ds array */
    } hooks[2];               /* of forward: behind it, before it */
};

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

/* A module's attribute may be a plain Python object; this is an attribute of that object: a number, a string, another
 * object. */
sugared module_python_attribute(emitter *e, const sugared *object, const char *name, source_range range);
/* Replaces the range that a loop iterates over by a tuple of its numbers when the body indexes containers of modules by
 * the loop's variable, so that the loop is unrolled. */
void module_unroll(emitter *e, const ast_node *loop, sugared *iterable);
/* 1 or 0: the truth of a condition on constants of the module that is compiled (self.layers > 1), so that only the
 * branch that runs is compiled; -1: not known. */
int module_known_truth(emitter *e, const ast_node *n);
/* super() in a method of a module, and super().name: the method of the next class in method resolution order. */
bool module_is_super(const emitter *e, const ast_node *n);
sugared module_super_method(emitter *e, const ast_node *select);

/* The int that a layout, memory format or the like is in TorchScript: 0 of torch.strided; NULL for other paths. */
ir_constant *package_number(const char *path);

#endif
