/* Arguments, brought to the types that a method declares. */
#include "platform/runner/convert.h"

#include "platform/runner/die.h"
#include "platform/runner/element.h"
#include "platform/runner/show.h"
#include "schema/generated/tsmobile_reader.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    tsm_instance *inst;
    tsmf_Program file;
    const char *detail; /* what is wrong with a value that does not fit, where it is not its type alone */
    const char *part;   /* the type of the dict's key or item that does not fit, where it is one */
} conversion;

static bool convert(conversion *c, tsmf_Type t, tsm_value *v);

static tsmf_Type element_of(const conversion *c, tsmf_Type t, size_t i) {
    return tsmf_Program_types(c->file, tsmf_Type_elements(t)[i]);
}

/* A tensor of one element as a number of the kind that is wanted. */
static bool number_of_tensor(tsm_instance *inst, bool wants_int, tsm_value *v) {
    tsm_tensor_view t;
    if (!tsm_tensor_get(*v, &t))
        return false;
    const element_kind kind = element_kind_of(t.dtype);
    if (element_count(&t) != 1 || kind == ELEMENT_COMPLEX || (wants_int && kind == ELEMENT_FLOAT))
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

static bool convert_complex(tsm_instance *inst, tsm_value *v) {
    if (v->tag == TSM_TAG_COMPLEX || !convert_float(inst, v))
        return v->tag == TSM_TAG_COMPLEX;
    const tsm_status status = tsm_complex_new(inst, v, v->as.f, 0);
    if (status != TSM_OK)
        die_of(status, tsm_error(inst));
    return true;
}

/* Python's truth of numbers. */
static bool convert_bool(tsm_value *v) {
    if (v->tag == TSM_TAG_INT)
        *v = tsm_bool(v->as.i != 0);
    if (v->tag == TSM_TAG_FLOAT)
        *v = tsm_bool(v->as.f != 0);
    return v->tag == TSM_TAG_BOOL;
}

/* A string becomes the device that it names. */
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
static bool convert_sequence(conversion *c, tsmf_Type t, tsm_value *v) {
    if (v->tag != TSM_TAG_LIST && v->tag != TSM_TAG_TUPLE)
        return false;
    const size_t n = tsm_sequence_size(*v);
    const bool is_list = tsmf_Type_kind(t) == TSMF_TypeKind_List;
    if (!is_list && n != tsmf_Type_elements_len(t)) {
        c->detail = "elements";
        return false;
    }
    tsm_value *items = keep(n * sizeof *items + 1), made;
    bool fits = true;
    for (size_t i = 0; i < n; i++) {
        items[i] = tsm_sequence_get(*v, i);
        tsm_retain(items[i]);
        fits = fits && convert(c, element_of(c, t, is_list ? 0 : i), &items[i]);
    }
    const tsm_status status = !fits     ? TSM_OK
                              : is_list ? tsm_list_new(c->inst, &made, items, n)
                                        : tsm_tuple_new(c->inst, &made, items, n);
    for (size_t i = 0; i < n; i++)
        tsm_release(c->inst, items[i]);
    if (status != TSM_OK)
        die_of(status, tsm_error(c->inst));
    if (fits) {
        tsm_release(c->inst, *v);
        *v = made;
    }
    return fits;
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

static bool convert_dict(conversion *c, tsmf_Type t, const tsm_value *v) {
    if (v->tag != TSM_TAG_DICT)
        return false;
    for (size_t i = 0; i < tsm_dict_size(*v); i++) {
        tsm_value key, item;
        tsm_dict_get(*v, i, &key, &item);
        /* Only checked, on copies: libtsmobile refuses keys and items that would have to be converted. */
        tsm_value looked[] = {key, item};
        tsm_retain(key);
        tsm_retain(item);
        const bool key_fits = convert(c, element_of(c, t, 0), &looked[0]);
        const bool fits = key_fits && convert(c, element_of(c, t, 1), &looked[1]);
        if (!fits)
            c->part = python_type_name(looked[key_fits]);
        tsm_release(c->inst, looked[0]);
        tsm_release(c->inst, looked[1]);
        if (!fits)
            return false;
    }
    return true;
}

/* Compilers write no Optional of an Optional, and a damaged file could write one of itself. */
static bool convert_optional(conversion *c, tsmf_Type t, tsm_value *v) {
    const tsmf_Type inner = element_of(c, t, 0);
    return v->tag == TSM_TAG_NONE || tsmf_Type_kind(inner) == TSMF_TypeKind_Optional || convert(c, inner, v);
}

/* Container types have their element types: the verification of the file has checked it. */
static bool convert(conversion *c, tsmf_Type t, tsm_value *v) {
    switch (tsmf_Type_kind(t)) {
    case TSMF_TypeKind_Tensor:
        if (v->tag != TSM_TAG_TENSOR && v->tag != TSM_TAG_NONE)
            c->detail = "tensor";
        return c->detail == NULL;
    case TSMF_TypeKind_Int:
        return convert_int(c->inst, v);
    case TSMF_TypeKind_Float:
        return convert_float(c->inst, v);
    case TSMF_TypeKind_Complex:
        return convert_complex(c->inst, v);
    case TSMF_TypeKind_Bool:
        return convert_bool(v);
    case TSMF_TypeKind_Str:
        return v->tag == TSM_TAG_STR;
    case TSMF_TypeKind_Device:
        return convert_device(c->inst, v);
    case TSMF_TypeKind_List:
    case TSMF_TypeKind_Tuple:
        return convert_sequence(c, t, v);
    case TSMF_TypeKind_Dict:
        return convert_dict(c, t, v);
    case TSMF_TypeKind_Optional:
        return convert_optional(c, t, v);
    default:
        return true;
    }
}

/* On one line: of a tensor what it is, not its elements. */
static void show_in_line(tsm_instance *inst, tsm_value v) {
    tsm_tensor_view t;
    if (!tsm_tensor_get(v, &t)) {
        show_value(stderr, inst, v);
        return;
    }
    fprintf(stderr, "%s[", tsm_dtype_name(t.dtype));
    for (int d = 0; d < t.dims; d++)
        fprintf(stderr, d ? ", %ld" : "%ld", (long)t.sizes[d]);
    fputc(']', stderr);
}

static _Noreturn void refuse(const conversion *c, tsmf_Method method, size_t i, tsm_value v) {
    const tsmf_Argument a = tsmf_Method_arguments(method, (uint32_t)i);
    const char *annotation = tsmf_Type_text(tsmf_Program_types(c->file, tsmf_Argument_type(a)));
    fflush(stdout);
    fprintf(stderr,
            "%s() Expected a value of type '%s' for argument '%s' but instead found type '%s'. Position: %zu. Value: ",
            tsmf_Method_name(method), annotation, tsmf_Argument_name(a), python_type_name(v), i);
    show_in_line(c->inst, v);
    fprintf(stderr, ". Declaration: %s. Cast error details: ", tsmf_Method_schema(method));
    if (c->detail && strcmp(c->detail, "tensor") == 0) {
        fputs("Unable to cast ", stderr);
        show_in_line(c->inst, v);
        fputs(" to Tensor\n", stderr);
    } else if (c->detail) {
        fputs("Object ", stderr);
        show_in_line(c->inst, v);
        fprintf(stderr, " had a different number of elements than type %s\n", annotation);
    } else {
        const char *const hint = "(#define PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)";
        fprintf(stderr, "Unable to cast Python instance to C++ type %s. ", hint);
        fprintf(stderr, "Cast error details: Unable to cast Python instance of type <class '%s'> to C++ type '?' %s\n",
                c->part ? c->part : python_type_name(v), hint);
    }
    exit(EXIT_RAISED);
}

void convert_argument(tsm_instance *inst, const tsm_program *program, size_t method, size_t i, tsm_value *v) {
    conversion c = {.inst = inst, .file = {tsm_flat_root(program->file)}};
    const tsmf_Method m = tsmf_Program_methods(c.file, (uint32_t)method);
    if (i >= tsmf_Method_arguments_len(m))
        return;
    const uint32_t type = tsmf_Argument_type(tsmf_Method_arguments(m, (uint32_t)i));
    if (!convert(&c, tsmf_Program_types(c.file, type), v))
        refuse(&c, m, i, *v);
}
