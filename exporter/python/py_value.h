/* Values of Python while a module's __init__ runs at compile time.
 *
 * Lists, dicts, objects and tensors are shared by reference, as in Python. A tensor whose elements are all one number,
 * or random numbers, gets memory only when its elements are needed, so that parameters that a state dict is going to
 * fill cost nothing. */
#ifndef TSMC_PYTHON_PY_VALUE_H
#define TSMC_PYTHON_PY_VALUE_H

#include "exporter/archive/pt_tensor.h"
#include "exporter/program/program_internal.h"

typedef enum {
    PY_NONE,
    PY_BOOL,
    PY_INT,
    PY_FLOAT,
    PY_COMPLEX,
    PY_WIDE, /* an int of more than 64 bits */
    PY_STR,
    PY_BYTES,  /* string */
    PY_DEVICE, /* string: its name */
    PY_LIST,
    PY_TUPLE,
    PY_DICT,
    PY_SET,
    PY_TENSOR,
    PY_DTYPE, /* integer: a pt_dtype */
    PY_SLICE,
    PY_FUNCTION, /* a def or lambda of a file */
    PY_METHOD,   /* a function with its first argument */
    PY_PARTIAL,  /* functools.partial */
    PY_CLASS,
    PY_OBJECT,
    PY_ENUM,   /* a member of an Enum */
    PY_SUPER,  /* super() inside a method */
    PY_PATH,   /* a member of a package, or a builtin function: "torch.zeros", "builtins.len" */
    PY_NATIVE, /* a method of a builtin type with its object: list.append */
} py_kind;

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 py_wide;
#else
typedef int64_t py_wide;
#endif

typedef struct py_value py_value;
typedef struct py_class py_class;
typedef struct py_object py_object;

typedef struct {
    py_value *key, *value;
} py_entry;

/* The names of one function call or of a file's own level. */
typedef struct py_scope {
    struct {
        char *key;
        py_value *value;
    } * names;              /* stb_ds string map */
    struct py_scope *outer; /* of nested functions; the last one is the file's */
    const code_file *file;
    py_class *owner; /* the class in whose body the function stands, for super(); NULL: none */
    py_value *self;  /* first argument of a method */
} py_scope;

typedef struct {
    pt_dtype dtype;
    int ndim;
    int64_t *sizes;
    pt_tensor *data; /* NULL: every element is `fill` */
    double fill;
    bool is_random;        /* the elements are random numbers, or computed from such */
    bool is_frozen;        /* requires_grad is False though it is a parameter */
    ir_constant *constant; /* source_module.c: the constant made from it */
} py_tensor;

struct py_value {
    py_kind kind;
    bool is_range;   /* LIST: range() made it, which Python does not let change */
    bool is_ordered; /* DICT: an OrderedDict */
    union {
        bool boolean;
        int64_t integer;
        double real;
        struct {
            double re, im;
        } parts; /* COMPLEX */
        py_wide wide;
        ast_text string;
        py_value **items; /* LIST, TUPLE, SET; SLICE: start, stop, step: an stb_ds array */
        struct {
            py_entry *entries; /* DICT, in order of insertion: an stb_ds array */
            py_value *factory; /* makes missing values of a defaultdict; NULL: none */
        };
        struct {
            py_tensor *tensor;
            bool is_parameter;
            bool is_buffer, is_persistent; /* made by nn.Buffer; whether it is saved */
        };
        struct {
            const ast_def *def;
            py_scope *scope; /* around the def */
            py_class *owner; /* of methods */
        } function;
        struct {
            py_value *function, *self;
            py_entry *keywords; /* PARTIAL; its positional arguments are the items of self, a tuple */
        } method;
        py_class *class_def;
        py_object *object;
        struct {
            py_class *class_def;
            const char *name;
            py_value *value;
        } member;
        struct {
            py_value *self;
            py_class *after; /* the search begins after this class of the order */
        } super;
        const char *path;
        struct {
            py_value *self;
            const char *name;
        } native;
    };
};

struct py_class {
    const char *name;
    const ast_class *syntax; /* NULL: Module itself, or a class made by collections.namedtuple */
    const code_file *file;
    py_class **order; /* method resolution order, itself first: an stb_ds array */
    bool is_module, is_enum;
    bool is_open;     /* its bases are not all known yet */
    bool has_numbers; /* IntEnum: members are ints */
    bool has_values;  /* members are ints or strings themselves */
    py_scope *scope;  /* class variables that were computed so far */
    struct {
        const char *name;
        py_value *otherwise; /* NULL: must be given */
    } * fields;              /* of collections.namedtuple: an stb_ds array */
};

typedef enum { MEMBER_PLAIN, MEMBER_PARAMETER, MEMBER_BUFFER, MEMBER_MODULE } member_role;

typedef struct {
    const char *name; /* interned */
    py_value *value;
    member_role role;
    bool is_persistent;         /* BUFFER: part of the state dict */
    const ast_node *annotation; /* NULL: none */
    const code_file *annotation_file;
} py_member;

/* A function that Module.register_forward_pre_hook or register_forward_hook was given. */
typedef struct {
    py_value *function;
    bool is_before;
} py_hook;

struct py_object {
    py_class *class_def;
    py_member *members;    /* stb_ds array, in order of first assignment */
    bool is_initialized;   /* Module.__init__ ran */
    py_hook *hooks;        /* of forward: an stb_ds array in the order of calls */
    ir_constant *constant; /* source_module.c: the constant made from it */
    bool is_open;          /* state_dict.c: its parts are being visited */
};

py_value *py_none(void);
py_value *py_bool(bool b);
py_value *py_int(int64_t i);
py_value *py_float(double f);
py_value *py_str(const char *text);
py_value *py_str_n(const char *bytes, size_t n);
py_value *py_new(py_kind kind);
py_value *py_path(const char *path);
py_value *py_native(py_value *self, const char *name);

/* The type's name in messages: "int", "Tensor", the class of an object. */
const char *py_type_name(const py_value *v);
bool py_equal(const py_value *a, const py_value *b);
/* Appends the text of str(), or of repr(). */
void py_show(const py_value *v, bool as_repr, strbuf *out);
/* The number of an int, float or bool, also of a wide int. */
bool py_number(const py_value *v, double *number);
/* The integer of an int or bool. */
bool py_integer(const py_value *v, int64_t *integer);

py_value *py_dict_get(const py_value *dict, const py_value *key); /* NULL when absent */
void py_dict_set(py_value *dict, py_value *key, py_value *value);

/* NULL when the object has no such member of its own. */
py_member *py_find_member(const py_object *o, const char *name);
py_member *py_add_member(py_object *o, const char *name);

#endif
