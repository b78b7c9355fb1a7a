/* The printer of pickled values that tests compare. */
#include "pickle_print.h"

#include <inttypes.h>

#include "exporter/archive/pickle_globals.h"
#include "exporter/base/mem.h"

enum { INDENT = 2 };

typedef struct {
    pkl_value *key;
    int value;
} value_number;

typedef struct {
    FILE *out;
    value_number *seen; /* stb_ds hash map */
} printer;

static void print_text(FILE *out, const char *text, size_t length) {
    fputc('"', out);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c == '\n')
            fputs("\\n", out);
        else if (c < ' ' || c == 127)
            fprintf(out, "\\%03o", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void print_dims(FILE *out, const char *label, const int64_t *dims, int count) {
    fprintf(out, " %s [", label);
    for (int i = 0; i < count; i++)
        fprintf(out, i ? ", %" PRId64 : "%" PRId64, dims[i]);
    fputc(']', out);
}

static void print_tensor(FILE *out, const pt_tensor *t) {
    static const char *const layouts[] = {"", " sparse_coo", " sparse_csr"};
    fprintf(out, "tensor %s%s", pt_dtype_name(t->dtype), layouts[t->layout]);
    print_dims(out, "sizes", t->sizes, t->ndim);
    if (t->layout == PT_STRIDED) {
        print_dims(out, "strides", t->strides, t->ndim);
        fprintf(out, " offset %" PRId64 " of %s", t->offset, t->storage->key);
    }
    if (t->qscheme == PT_PER_TENSOR_AFFINE)
        fprintf(out, " scale %.17g zero_point %" PRId64, t->scale, t->zero_point);
    if (t->qscheme > PT_PER_TENSOR_AFFINE)
        fprintf(out, " quantized along axis %d", t->axis);
    if (t->is_parameter)
        fputs(" parameter", out);
    if (t->requires_grad)
        fputs(" requires_grad", out);
}

/* Values that fit on one line; false for those with parts. */
static bool print_leaf(FILE *out, const pkl_value *v) {
    switch (v->kind) {
    case PKL_NONE:
        fputs("None", out);
        return true;
    case PKL_BOOL:
        fputs(v->boolean ? "True" : "False", out);
        return true;
    case PKL_INT:
        fprintf(out, "%" PRId64, v->integer);
        return true;
    case PKL_FLOAT:
        fprintf(out, "float %.17g", v->number);
        return true;
    case PKL_COMPLEX:
        fprintf(out, "complex %.17g %.17g", v->complex.real, v->complex.imag);
        return true;
    case PKL_DEVICE:
        fputs("device ", out); /* fall through */
    case PKL_STR:
        print_text(out, v->str.text, v->str.length);
        return true;
    case PKL_DTYPE:
        fprintf(out, "dtype %s", pt_dtype_name((pt_dtype)v->integer));
        return true;
    case PKL_LAYOUT:
        fprintf(out, "layout %" PRId64, v->integer);
        return true;
    case PKL_GLOBAL:
        fprintf(out, "global %s", v->global->name);
        return true;
    case PKL_STORAGE:
        fprintf(out, "storage %s of %zu bytes", v->storage.storage->key, v->storage.storage->size);
        return true;
    case PKL_TENSOR:
        print_tensor(out, v->tensor);
        return true;
    default:
        return false;
    }
}

static void print_value(printer *p, pkl_value *v, int indent);

static void print_items(printer *p, pkl_value *v, int indent) {
    for (size_t i = 0; i < v->seq.count; i++) {
        fprintf(p->out, "%*s", indent, "");
        print_value(p, v->seq.items[i], indent);
    }
}

static void print_entries(printer *p, pkl_value *v, int indent) {
    for (size_t i = 0; i < v->dict.count; i++) {
        const pkl_entry *e = &v->dict.entries[i];
        fprintf(p->out, "%*s", indent, "");
        if (print_leaf(p->out, e->key))
            fputs(": ", p->out);
        else {
            print_value(p, e->key, indent);
            fprintf(p->out, "%*s: ", indent, "");
        }
        print_value(p, e->value, indent);
    }
}

/* Prints a value with parts: a head line with its number, then the parts. */
static void print_compound(printer *p, pkl_value *v, int number, int indent) {
    fputs(pkl_kind_name(v->kind), p->out);
    if (v->kind == PKL_OBJECT)
        fprintf(p->out, " %s", v->object.class_name);
    if (v->kind == PKL_ENUM)
        fprintf(p->out, " %s", v->enumerator.class_name);
    if (v->type)
        fprintf(p->out, " : %s", v->type);
    fprintf(p->out, "  #%d\n", number);
    indent += INDENT;
    if (v->kind == PKL_LIST || v->kind == PKL_TUPLE)
        print_items(p, v, indent);
    if (v->kind == PKL_DICT)
        print_entries(p, v, indent);
    pkl_value *part = v->kind == PKL_OBJECT ? v->object.state : v->kind == PKL_ENUM ? v->enumerator.value : NULL;
    if (part) {
        fprintf(p->out, "%*s", indent, "");
        print_value(p, part, indent);
    }
}

static void print_value(printer *p, pkl_value *v, int indent) {
    bool leaf = v->kind != PKL_TENSOR && print_leaf(p->out, v);
    if (leaf) {
        fputc('\n', p->out);
        return;
    }
    ptrdiff_t at = hmgeti(p->seen, v);
    if (at >= 0) {
        fprintf(p->out, "%s #%d again\n", pkl_kind_name(v->kind), p->seen[at].value);
        return;
    }
    int number = (int)hmlen(p->seen);
    hmput(p->seen, v, number);
    if (print_leaf(p->out, v))
        fprintf(p->out, "  #%d\n", number);
    else
        print_compound(p, v, number, indent);
}

void pkl_print(FILE *out, pkl_value *value) {
    print_value(&(printer){out, NULL}, value, 0);
}
