/* Arguments, brought to the types that a method declares. */
#include "platform/runner/convert.h"

#include "platform/runner/die.h"
#include "platform/runner/element.h"
#include "platform/runner/show.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool convert(tsm_instance *inst, const declared_type *t, tsm_value *v, const char **detail);

/* A tensor of one element as a number of the kind that is wanted. */
static bool number_of_tensor(tsm_instance *inst, bool wants_int, tsm_value *v) {
    tsm_tensor_view t;
    tsm_dim count = 1;
    if (!tsm_tensor_get(*v, &t))
        return false;
    for (int d = 0; d < t.dims; d++)
        count *= t.sizes[d];
    const element_kind kind = element_kind_of(t.dtype);
    if (count != 1 || kind == ELEMENT_COMPLEX || (wants_int && kind == ELEMENT_FLOAT))
        return false;
    const element e = element_load(t.dtype, t.data);
    tsm_release(inst, *v);
    *v = wants_int ? tsm_int(e.i) : tsm_float(kind == ELEMENT_FLOAT ? e.re : (double)e.i);
    return true;
}

static bool convert_int(tsm_instance *inst, tsm_value *v) {
    if (v->tag == TSM_TAG_BOOL)
        *v = tsm_int(v->as.b);
    return v->tag == TSM_TAG_INT || number_of_tensor(inst, true, v);
}

static bool convert_float(tsm_instance *inst, tsm_value *v) {
    if (v->tag == TSM_TAG_INT)
        *v = tsm_float((double)v->as.i);
    if (v->tag == TSM_TAG_BOOL)
        *v = tsm_float(v->as.b);
    return v->tag == TSM_TAG_FLOAT || number_of_tensor(inst, false, v);
}

/* Python's truth of numbers. */
static bool convert_bool(tsm_value *v) {
    if (v->tag == TSM_TAG_INT)
        *v = tsm_bool(v->as.i != 0);
    if (v->tag == TSM_TAG_FLOAT)
        *v = tsm_bool(v->as.f != 0);
    return v->tag == TSM_TAG_BOOL;
}

/* A string names a device. */
static bool convert_device(tsm_instance *inst, tsm_value *v) {
    tsm_value device;
    size_t n;
    if (v->tag != TSM_TAG_STR)
        return v->tag == TSM_TAG_DEVICE;
    const tsm_status status = tsm_device_parse(inst, &device, tsm_str_get(*v, &n));
    if (status != TSM_OK)
        die_of(status, tsm_error(inst));
    tsm_release(inst, *v);
    *v = device;
    return true;
}

/* Lists and tuples: items converted, the container remade where it is of the other kind or an item changed. */
static bool convert_sequence(tsm_instance *inst, const declared_type *t, tsm_value *v, const char **detail) {
    if (v->tag != TSM_TAG_LIST && v->tag != TSM_TAG_TUPLE)
        return false;
    const size_t n = tsm_sequence_size(*v);
    const bool is_list = t->kind == DECLARED_LIST;
    if (!is_list && n != t->count) {
        *detail = "elements";
        return false;
    }
    tsm_value *items = keep(n * sizeof *items + 1), made;
    bool fits = true;
    for (size_t i = 0; i < n; i++) {
        items[i] = tsm_sequence_get(*v, i);
        tsm_retain(items[i]);
        fits = fits && convert(inst, t->items[is_list ? 0 : i], &items[i], detail);
    }
    const tsm_status status = !fits     ? TSM_OK
                              : is_list ? tsm_list_new(inst, &made, items, n)
                                        : tsm_tuple_new(inst, &made, items, n);
    for (size_t i = 0; i < n; i++)
        tsm_release(inst, items[i]);
    if (status != TSM_OK)
        die_of(status, tsm_error(inst));
    if (fits) {
        tsm_release(inst, *v);
        *v = made;
    }
    return fits;
}

static bool convert_dict(tsm_instance *inst, const declared_type *t, const tsm_value *v, const char **detail) {
    if (v->tag != TSM_TAG_DICT)
        return false;
    for (size_t i = 0; i < tsm_dict_size(*v); i++) {
        tsm_value key, item;
        tsm_dict_get(*v, i, &key, &item);
        /* Only looked at: keys and items that would have to change are the core's to refuse. */
        tsm_value looked[] = {key, item};
        tsm_retain(key);
        tsm_retain(item);
        const bool fits =
            convert(inst, t->items[0], &looked[0], detail) && convert(inst, t->items[1], &looked[1], detail);
        tsm_release(inst, looked[0]);
        tsm_release(inst, looked[1]);
        if (!fits)
            return false;
    }
    return true;
}

/* False: cannot be converted; *detail then names what is wrong where it is not the type alone. */
static bool convert(tsm_instance *inst, const declared_type *t, tsm_value *v, const char **detail) {
    switch (t->kind) {
    case DECLARED_TENSOR:
        if (v->tag != TSM_TAG_TENSOR && v->tag != TSM_TAG_NONE)
            *detail = "tensor";
        return *detail == NULL;
    case DECLARED_INT:
        return convert_int(inst, v);
    case DECLARED_FLOAT:
        return convert_float(inst, v);
    case DECLARED_BOOL:
        return convert_bool(v);
    case DECLARED_STR:
        return v->tag == TSM_TAG_STR;
    case DECLARED_DEVICE:
        return convert_device(inst, v);
    case DECLARED_LIST:
    case DECLARED_TUPLE:
        return convert_sequence(inst, t, v, detail);
    case DECLARED_DICT:
        return convert_dict(inst, t, v, detail);
    case DECLARED_OPTIONAL:
        return v->tag == TSM_TAG_NONE || convert(inst, t->items[0], v, detail);
    default:
        return true;
    }
}

static const char *python_type_name(tsm_value v) {
    switch (v.tag) {
    case TSM_TAG_NONE:
        return "NoneType";
    case TSM_TAG_BOOL:
        return "bool";
    case TSM_TAG_INT:
        return "int";
    case TSM_TAG_FLOAT:
        return "float";
    case TSM_TAG_COMPLEX:
        return "complex";
    case TSM_TAG_STR:
        return "str";
    case TSM_TAG_LIST:
        return "list";
    case TSM_TAG_TUPLE:
        return "tuple";
    case TSM_TAG_DICT:
        return "dict";
    case TSM_TAG_TENSOR:
        return "Tensor";
    default:
        return "object";
    }
}

static _Noreturn void refuse(tsm_instance *inst, const declaration *d, size_t i, tsm_value v, const char *detail) {
    const declared_type *t = d->parameters[i].type;
    fflush(stdout);
    fprintf(stderr,
            "%s() Expected a value of type '%s' for argument '%s' but instead found type '%s'.\nPosition: %zu\nValue: ",
            d->method, t->annotation, d->parameters[i].name, python_type_name(v), i);
    show_value(stderr, inst, v);
    fprintf(stderr, "\nDeclaration: %s\nCast error details: ", d->schema);
    if (detail && strcmp(detail, "tensor") == 0) {
        fputs("Unable to cast ", stderr);
        show_value(stderr, inst, v);
        fputs(" to Tensor\n", stderr);
    } else if (detail) {
        fputs("Object ", stderr);
        show_value(stderr, inst, v);
        fprintf(stderr, " had a different number of elements than type %s\n", t->annotation);
    } else {
        fputs("Unable to cast Python instance to C++ type (#define PYBIND11_DETAILED_ERROR_MESSAGES or compile in "
              "debug mode for details)\n",
              stderr);
    }
    exit(EXIT_RAISED);
}

void convert_argument(tsm_instance *inst, const declaration *d, size_t i, tsm_value *v) {
    const char *detail = NULL;
    if (i < d->count && !convert(inst, d->parameters[i].type, v, &detail))
        refuse(inst, d, i, *v, detail);
}
