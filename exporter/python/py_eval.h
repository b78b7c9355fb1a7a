/* Running a module's __init__ at compile time: an interpreter of the subset of Python that constructs modules.
 *
 * py_eval.c   names, function calls, statements        py_expr.c     expressions
 * py_class.c  classes, attributes, construction        py_builtin.c  Python's builtin functions
 * py_tensor.c tensors                                  py_methods.c  methods of strings, lists, dicts
 * py_module.c methods of torch.nn.Module               py_torch.c    torch.*, tensors' methods
 * py_init.c   torch.nn.init                            py_library.c  Python's standard library
 * py_format.c formats of numbers and strings           py_enum.c     enumerations, named tuples
 * py_scalar.c complex numbers, wide ints, devices
 *
 * What cannot be run is an error at the author's line. */
#ifndef TSMC_PYTHON_PY_EVAL_H
#define TSMC_PYTHON_PY_EVAL_H

#include "exporter/python/py_value.h"

typedef struct {
    program *program;
    struct {
        const code_file *key;
        py_scope *value;
    } * files; /* their own level */
    struct {
        const ast_class *key;
        py_class *value;
    } * classes;
    py_class *module_class; /* torch.nn.Module */
    source_range range;     /* what is being run, for messages */
    uint64_t steps;
    uint32_t depth; /* of calls */
} py_machine;

typedef struct {
    const char *name;
    py_value *value;
} py_keyword;

/* Arguments of a call; stb_ds arrays. */
typedef struct {
    py_value **items;
    py_keyword *keywords;
} py_arguments;

/* Raises an error at the place that is being run. */
_Noreturn void py_fail(const py_machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- py_eval.c ---- */
py_machine *py_machine_new(program *p);
py_scope *py_file_scope(py_machine *m, const code_file *file);
/* A name from inside `scope`; raises when it means nothing. */
py_value *py_lookup(py_machine *m, py_scope *scope, const char *name);
void py_bind(py_scope *scope, const char *name, py_value *v);
py_value *py_function(const ast_def *def, py_scope *scope, py_class *owner);
py_value *py_call(py_machine *m, py_value *callee, py_arguments *a);
py_value *py_call1(py_machine *m, py_value *callee, py_value *argument);
/* The argument at a position or of a name; NULL when it is not given. */
py_value *py_argument(const py_arguments *a, size_t position, const char *name);
/* The same for one that must be given. */
py_value *py_required(const py_machine *m, const py_arguments *a, size_t position, const char *name);
/* Assigns to a target; `annotation` may be NULL. */
void py_assign(py_machine *m, py_scope *scope, const ast_node *target, py_value *v, const ast_node *annotation);

/* ---- py_expr.c ---- */
py_value *py_eval(py_machine *m, py_scope *scope, const ast_node *n);
py_value *py_binary(py_machine *m, ast_kind op, py_value *a, py_value *b);
bool py_truth(py_machine *m, py_value *v);
/* The items that `for` iterates over, an stb_ds array. */
py_value **py_iterate(py_machine *m, py_value *v);
py_value *py_subscript(py_machine *m, py_value *v, py_value *index);
/* What stands between the brackets of a subscript: one value, or a tuple of several. */
py_value *py_eval_index(py_machine *m, py_scope *scope, const ast_node *n);

/* ---- py_class.c ---- */
py_class *py_class_of(py_machine *m, const ast_class *syntax, const code_file *file);
/* A class statement inside of a function, whose names it sees. */
py_class *py_class_in(py_machine *m, const ast_class *syntax, py_scope *scope);
/* The annotation of an attribute in the body of the class or its bases, with the file that it stands in; NULL: none. */
const ast_node *py_class_annotation(const py_class *c, const char *name, const code_file **file);
/* `Final`, `Final[T]` */
bool py_is_final(const ast_node *annotation);
/* Whether the class of a module says that an attribute never changes: by Final, or in __constants__. */
bool py_declares_constant(py_machine *m, const py_object *o, const char *name);
bool py_class_is(const py_class *c, const py_class *base);
/* The class called torch.nn.NAME in the compiler's own library; NULL when there is none. */
py_class *py_library_class(py_machine *m, const char *name);
/* The def in a class or its bases, with the class that has it; NULL when there is none. */
const ast_def *py_class_method(const py_class *c, const char *name, py_class **owner);
/* The def that sets a property. */
const ast_def *py_class_setter(const py_class *c, const char *name, py_class **owner);
/* As py_class_method, but the search begins after the class that has `current`. */
const ast_def *py_class_method_after(const py_class *c, const ast_def *current, const char *name, py_class **owner);
/* A variable of the class or its bases; NULL when there is none. */
py_value *py_class_variable(py_machine *m, const py_class *c, const char *name);
py_value *py_construct(py_machine *m, py_class *c, py_arguments *a);
/* v.name; NULL when there is no such attribute. */
py_value *py_attribute_or_null(py_machine *m, py_value *v, const char *name);
py_value *py_attribute(py_machine *m, py_value *v, const char *name);
void py_set_attribute(py_machine *m, py_value *v, const char *name, py_value *to);
void py_delete_attribute(py_machine *m, py_value *v, const char *name);
bool py_is_instance(py_machine *m, const py_value *v, const py_value *type);

/* ---- py_builtin.c, py_methods.c, py_torch.c, py_module.c: what is not written in Python ---- */
/* A function of a package or of Python itself. */
py_value *py_call_path(py_machine *m, const char *path, py_arguments *a);
/* What a dotted path means: a class, a constant, or a PATH. */
py_value *py_resolve_path(py_machine *m, const char *path);
/* Whether Python has a builtin function or type of the name that can be used. */
bool py_is_builtin(const char *name);
/* itertools, functools, collections and the like: NULL when the path is no function that is known. */
py_value *py_call_library(py_machine *m, const char *path, py_arguments *a);
/* torch.nn.init.NAME(...) */
py_value *py_call_init(py_machine *m, const char *name, py_arguments *a);
bool py_has_native(const py_value *v, const char *name);
py_value *py_call_native(py_machine *m, py_value *self, const char *name, py_arguments *a);
/* torch.*: NULL when the path is no function that is known. */
py_value *py_call_torch(py_machine *m, const char *path, py_arguments *a);
bool py_is_module_method(const char *name);
/* A method of a module, or a path where there is one in Python that cannot be run here; NULL: none. */
py_value *py_module_method(py_value *self, const char *name);
py_value *py_call_module_method(py_machine *m, py_value *self, const char *name, py_arguments *a);
bool py_is_tensor_method(const char *name);
py_value *py_call_tensor_method(py_machine *m, py_value *self, const char *name, py_arguments *a);
/* The dtype that a method like double() converts to; PT_DTYPE_COUNT: it is no such method. */
pt_dtype py_conversion_dtype(const char *name);
py_value *py_tensor_convert(py_value *v, pt_dtype dtype);

/* ---- py_scalar.c ---- */
py_value *py_complex(double re, double im);
/* The parts of any number. */
bool py_complex_parts(const py_value *v, double *re, double *im);
/* NULL when the values are no numbers, or have no such operator. */
py_value *py_complex_binary(py_machine *m, ast_kind op, const py_value *a, const py_value *b);
py_value *py_call_complex(py_machine *m, py_arguments *a);
/* An int of any size. */
bool py_wide_integer(const py_value *v, py_wide *integer);
/* Arithmetic of ints whose result may need more than 64 bits; NULL when the values are no ints. */
py_value *py_wide_binary(py_machine *m, ast_kind op, const py_value *left, const py_value *right);
py_value *py_wide_literal(py_machine *m, const char *digits);
/* Whether PyTorch knows a device of this name. */
bool py_is_device(const char *name);
py_value *py_device(const char *name);
py_value *py_call_device(py_machine *m, py_arguments *a);
py_value *py_device_attribute(const py_value *v, const char *name);
/* torch.finfo(dtype), torch.iinfo(dtype), and what they say: NULL when the path is none of it. */
py_value *py_call_limits(py_machine *m, const char *path, py_arguments *a);
py_value *py_dtype_limit(const char *path);

/* ---- py_format.c ---- */
/* text % values */
py_value *py_format_percent(py_machine *m, const py_value *self, py_value *values);
/* text.format(...), which f-strings are too */
py_value *py_format(py_machine *m, const py_value *self, const py_arguments *a);

/* ---- py_enum.c ---- */
/* The members of an enumeration, in order: an stb_ds array. */
py_value **py_enum_members(py_machine *m, py_class *c);
/* The member of that name, or with that value; NULL when there is none. */
py_value *py_enum_named(py_machine *m, py_class *c, const char *name);
py_value *py_enum_valued(py_machine *m, py_class *c, const py_value *value);
/* What enum.auto() means for the member of a name. */
py_value *py_enum_auto(py_machine *m, py_class *c, const char *name);
/* collections.namedtuple: `defaults` are for the last fields. */
py_value *py_tuple_class(py_machine *m, const char *name, py_value *const *fields, py_value *const *defaults);
void py_tuple_set_defaults(py_machine *m, py_class *c, py_value *const *defaults);
/* Whether instances of the class are tuples with names, and what such an instance holds (an stb_ds array). */
bool py_is_named_tuple(const py_class *c);
py_value **py_tuple_items(const py_value *v);
/* Methods and attributes of named tuples and their classes: _fields, _replace, _asdict; NULL for others. */
py_value *py_tuple_attribute(py_machine *m, py_value *v, const char *name);
py_value *py_call_tuple_method(py_machine *m, py_value *self, const char *name, py_arguments *a);

/* ---- py_tensor.c ---- */
py_value *py_tensor_new(pt_dtype dtype, const int64_t *sizes, int ndim, double fill, bool is_random);
/* Fills with one number, or marks the elements as random. Elements that exist are overwritten in place, since views may
 * share them. */
void py_tensor_fill(py_tensor *t, double fill, bool is_random);
/* The elements, in memory that may be written; made when there are none yet. */
pt_tensor *py_tensor_data(py_tensor *t);
py_value *py_tensor_of(pt_tensor *data);
/* An operator ("aten::add"), or a function of the compiler's library, on tensors and other values. */
py_value *py_tensor_operator(py_machine *m, const char *op, py_value *const *items, size_t count,
                             const py_keyword *keywords, size_t keyword_count);
/* The number of a tensor with one element. */
py_value *py_tensor_item(py_machine *m, const py_value *v);
/* All elements, as nested lists. */
py_value *py_tensor_list(py_machine *m, py_value *v);
py_value *py_tensor_index(py_machine *m, py_value *v, py_value *index);
void py_tensor_set_index(py_machine *m, py_value *v, py_value *index, py_value *to);
/* Copies elements with conversion and broadcasting; false when the shapes do not allow it. */
bool pt_tensor_assign(pt_tensor *to, const pt_tensor *from);
/* A value as a constant of the IR when it can be an operator's argument, else NULL. */
ir_constant *py_argument_constant(const py_value *v);

#endif
