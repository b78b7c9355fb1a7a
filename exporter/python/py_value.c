/* Values of Python at compile time: making, comparing and converting them. */
#include "exporter/python/py_value.h"
#include "exporter/base/limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Making ---- */

py_value *py_new(py_kind kind) {
    py_value *v = MEM_NEW(py_value);
    v->kind = kind;
    return v;
}

py_value *py_none(void) {
    return py_new(PY_NONE);
}

py_value *py_bool(bool b) {
    py_value *v = py_new(PY_BOOL);
    v->boolean = b;
    return v;
}

py_value *py_int(int64_t i) {
    py_value *v = py_new(PY_INT);
    v->integer = i;
    return v;
}

py_value *py_float(double f) {
    py_value *v = py_new(PY_FLOAT);
    v->real = f;
    return v;
}

py_value *py_str_n(const char *bytes, size_t n) {
    py_value *v = py_new(PY_STR);
    v->string = (ast_text){mem_strndup(bytes, n), n};
    return v;
}

py_value *py_str(const char *text) {
    return py_str_n(text, strlen(text));
}

py_value *py_path(const char *path) {
    py_value *v = py_new(PY_PATH);
    v->path = intern(path);
    return v;
}

py_value *py_native(py_value *self, const char *name) {
    py_value *v = py_new(PY_NATIVE);
    v->native.self = self;
    v->native.name = intern(name);
    return v;
}

/* ---- Asking ---- */

const char *py_type_name(const py_value *v) {
    static const char *const names[] = {
        [PY_NONE] = "NoneType",
        [PY_BOOL] = "bool",
        [PY_INT] = "int",
        [PY_FLOAT] = "float",
        [PY_COMPLEX] = "complex",
        [PY_WIDE] = "int",
        [PY_BYTES] = "bytes",
        [PY_DEVICE] = "torch.device",
        [PY_STR] = "str",
        [PY_LIST] = "list",
        [PY_TUPLE] = "tuple",
        [PY_DICT] = "dict",
        [PY_SET] = "set",
        [PY_TENSOR] = "Tensor",
        [PY_DTYPE] = "torch.dtype",
        [PY_SLICE] = "slice",
        [PY_FUNCTION] = "function",
        [PY_METHOD] = "method",
        [PY_PARTIAL] = "functools.partial",
        [PY_CLASS] = "type",
        [PY_OBJECT] = "object",
        [PY_SUPER] = "super",
        [PY_PATH] = "builtin_function_or_method",
        [PY_NATIVE] = "builtin_function_or_method",
    };
    if (v->kind == PY_ENUM)
        return v->member.class_def->name;
    if (v->kind == PY_PATH && !strcmp(v->path, "builtins.object()")) /* what a call of object() gives */
        return "object";
    return v->kind == PY_OBJECT ? v->object->class_def->name : names[v->kind];
}

bool py_number(const py_value *v, double *number) {
    stack_check();
    if (v->kind == PY_ENUM && v->member.class_def->has_numbers)
        return py_number(v->member.value, number);
    if (v->kind == PY_FLOAT)
        *number = v->real;
    else if (v->kind == PY_INT)
        *number = (double)v->integer;
    else if (v->kind == PY_WIDE)
        *number = (double)v->wide;
    else if (v->kind == PY_BOOL)
        *number = v->boolean;
    else
        return false;
    return true;
}

bool py_integer(const py_value *v, int64_t *integer) {
    stack_check();
    if (v->kind == PY_ENUM && v->member.class_def->has_numbers)
        return py_integer(v->member.value, integer);
    if (v->kind != PY_INT && v->kind != PY_BOOL)
        return false;
    *integer = v->kind == PY_INT ? v->integer : v->boolean;
    return true;
}

static bool equal_items(const py_value *a, const py_value *b) {
    if (arrlenu(a->items) != arrlenu(b->items))
        return false;
    for (size_t i = 0; i < arrlenu(a->items); i++)
        if (!py_equal(a->items[i], b->items[i]))
            return false;
    return true;
}

static bool equal_entries(const py_value *a, const py_value *b) {
    if (arrlenu(a->entries) != arrlenu(b->entries))
        return false;
    for (size_t i = 0; i < arrlenu(a->entries); i++) {
        const py_value *other = py_dict_get(b, a->entries[i].key);
        if (!other || !py_equal(a->entries[i].value, other))
            return false;
    }
    return true;
}

bool py_equal(const py_value *a, const py_value *b) {
    stack_check();
    double x, y;
    if (a == b)
        return true;
    bool has_values = a->kind == PY_ENUM && a->member.class_def->has_values && b->kind != PY_ENUM;
    if (has_values || (b->kind == PY_ENUM && b->member.class_def->has_values && a->kind != PY_ENUM))
        return has_values ? py_equal(a->member.value, b) : py_equal(a, b->member.value);
    if (a->kind == PY_INT && b->kind == PY_INT)
        return a->integer == b->integer;
    if (a->kind == PY_WIDE && b->kind == PY_WIDE)
        return a->wide == b->wide;
    if (py_number(a, &x) && py_number(b, &y))
        return x == y;
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case PY_NONE:
        return true;
    case PY_COMPLEX:
        return a->parts.re == b->parts.re && a->parts.im == b->parts.im;
    case PY_STR:
    case PY_BYTES:
    case PY_DEVICE:
        return a->string.length == b->string.length && !memcmp(a->string.bytes, b->string.bytes, a->string.length);
    case PY_LIST:
    case PY_TUPLE:
        return equal_items(a, b);
    case PY_DICT:
        return equal_entries(a, b);
    case PY_DTYPE:
        return a->integer == b->integer;
    case PY_CLASS:
        return a->class_def == b->class_def;
    case PY_OBJECT:
        return a->object == b->object;
    case PY_ENUM:
        return a->member.class_def == b->member.class_def && a->member.name == b->member.name;
    case PY_PATH:
        return a->path == b->path;
    case PY_FUNCTION:
        return a->function.def == b->function.def;
    default:
        return false;
    }
}

/* ---- Showing ---- */

/* The shortest digits that read back as the same number, with ".0" where they look like an integer. */
static void show_float(double v, strbuf *out) {
    char text[40];
    if (isnan(v) || isinf(v)) {
        strbuf_add(out, isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    strbuf_add(out, text);
    if (!strpbrk(text, ".e"))
        strbuf_add(out, ".0");
}

static void show_items(const py_value *v, const char *open, const char *close, strbuf *out) {
    strbuf_add(out, open);
    for (size_t i = 0; i < arrlenu(v->items); i++) {
        strbuf_add(out, i ? ", " : "");
        py_show(v->items[i], true, out);
    }
    strbuf_add(out, v->kind == PY_TUPLE && arrlenu(v->items) == 1 ? "," : "");
    strbuf_add(out, close);
}

static void show_complex(const py_value *v, strbuf *out) {
    strbuf_add(out, v->parts.re != 0 ? "(" : "");
    if (v->parts.re != 0) {
        show_float(v->parts.re, out);
        strbuf_add(out, signbit(v->parts.im) ? "" : "+");
    }
    show_float(v->parts.im, out);
    strbuf_add(out, v->parts.re != 0 ? "j)" : "j");
}

static void show_device(const py_value *v, bool as_repr, strbuf *out) {
    const char *colon = strchr(v->string.bytes, ':');
    const size_t n = colon ? (size_t)(colon - v->string.bytes) : v->string.length;
    if (!as_repr) {
        strbuf_add(out, v->string.bytes);
        return;
    }
    strbuf_add(out, "device(type='");
    strbuf_add_n(out, v->string.bytes, n);
    strbuf_printf(out, colon ? "', index=%s)" : "'%s)", colon ? colon + 1 : "");
}

static void show_entries(const py_value *v, strbuf *out) {
    strbuf_add(out, "{");
    for (size_t i = 0; i < arrlenu(v->entries); i++) {
        strbuf_add(out, i ? ", " : "");
        py_show(v->entries[i].key, true, out);
        strbuf_add(out, ": ");
        py_show(v->entries[i].value, true, out);
    }
    strbuf_add(out, "}");
}

void py_show(const py_value *v, bool as_repr, strbuf *out) {
    stack_check();
    switch (v->kind) {
    case PY_NONE:
        strbuf_add(out, "None");
        break;
    case PY_BOOL:
        strbuf_add(out, v->boolean ? "True" : "False");
        break;
    case PY_INT:
        strbuf_printf(out, "%lld", (long long)v->integer);
        break;
    case PY_FLOAT:
        show_float(v->real, out);
        break;
    case PY_STR:
        strbuf_add(out, as_repr ? "'" : "");
        strbuf_add_n(out, v->string.bytes, v->string.length);
        strbuf_add(out, as_repr ? "'" : "");
        break;
    case PY_COMPLEX:
        show_complex(v, out);
        break;
    case PY_WIDE:
        strbuf_printf(out, "%.0f", (double)v->wide);
        break;
    case PY_DEVICE:
        show_device(v, as_repr, out);
        break;
    case PY_LIST:
        show_items(v, "[", "]", out);
        break;
    case PY_TUPLE:
        show_items(v, "(", ")", out);
        break;
    case PY_SET:
        show_items(v, "{", "}", out);
        break;
    case PY_DICT:
        show_entries(v, out);
        break;
    case PY_DTYPE:
        strbuf_printf(out, "torch.%s", pt_dtype_name((pt_dtype)v->integer));
        break;
    case PY_CLASS:
        strbuf_printf(out, "<class '%s'>", v->class_def->name);
        break;
    case PY_ENUM:
        strbuf_printf(out, "%s.%s", v->member.class_def->name, v->member.name);
        break;
    default:
        strbuf_printf(out, "<%s>", py_type_name(v));
    }
}

/* ---- Dicts ---- */

py_value *py_dict_get(const py_value *dict, const py_value *key) {
    for (size_t i = 0; i < arrlenu(dict->entries); i++)
        if (py_equal(dict->entries[i].key, key))
            return dict->entries[i].value;
    return NULL;
}

void py_dict_set(py_value *dict, py_value *key, py_value *value) {
    for (size_t i = 0; i < arrlenu(dict->entries); i++)
        if (py_equal(dict->entries[i].key, key)) {
            dict->entries[i].value = value;
            return;
        }
    py_entry entry = {key, value};
    arrput(dict->entries, entry);
}

/* ---- Members ---- */

py_member *py_find_member(const py_object *o, const char *name) {
    for (size_t i = 0; i < arrlenu(o->members); i++)
        if (!strcmp(o->members[i].name, name))
            return &o->members[i];
    return NULL;
}

py_member *py_add_member(py_object *o, const char *name) {
    py_member *found = py_find_member(o, name);
    if (found)
        return found;
    py_member m = {.name = intern(name)};
    arrput(o->members, m);
    return &arrlast(o->members);
}
