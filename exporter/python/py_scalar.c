/* Values of one number or name that Python has beside int, float and str: complex numbers, ints of more than 64 bits,
 * devices, and the limits of dtypes. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/python/py_eval.h"
#include "runtime/value/device.h"

/* ---- Complex numbers ---- */

py_value *py_complex(double re, double im) {
    py_value *v = py_new(PY_COMPLEX);
    v->parts.re = re;
    v->parts.im = im;
    return v;
}

bool py_complex_parts(const py_value *v, double *re, double *im) {
    *im = 0;
    if (v->kind != PY_COMPLEX)
        return py_number(v, re);
    *re = v->parts.re;
    *im = v->parts.im;
    return true;
}

static py_value *complex_quotient(py_machine *m, double ar, double ai, double br, double bi) {
    const double size = br * br + bi * bi;
    if (size == 0)
        py_fail(m, "ZeroDivisionError: complex division by zero");
    return py_complex((ar * br + ai * bi) / size, (ai * br - ar * bi) / size);
}

/* exp(b log(a)) */
static py_value *complex_power(double ar, double ai, double br, double bi) {
    if (ar == 0 && ai == 0)
        return py_complex(br == 0 && bi == 0, 0);
    const double log_size = log(hypot(ar, ai)), angle = atan2(ai, ar);
    const double size = exp(br * log_size - bi * angle), turn = bi * log_size + br * angle;
    return py_complex(size * cos(turn), size * sin(turn));
}

py_value *py_complex_binary(py_machine *m, ast_kind op, const py_value *a, const py_value *b) {
    double ar, ai, br, bi;
    if (!py_complex_parts(a, &ar, &ai) || !py_complex_parts(b, &br, &bi))
        return NULL;
    switch (op) {
    case AST_ADD:
        return py_complex(ar + br, ai + bi);
    case AST_SUB:
        return py_complex(ar - br, ai - bi);
    case AST_MUL:
        return py_complex(ar * br - ai * bi, ar * bi + ai * br);
    case AST_DIV:
        return complex_quotient(m, ar, ai, br, bi);
    case AST_POW:
        return complex_power(ar, ai, br, bi);
    default:
        return NULL;
    }
}

py_value *py_call_complex(py_machine *m, py_arguments *a) {
    double re = 0, im = 0, more_re = 0, more_im = 0;
    const py_value *real = py_argument(a, 0, "real"), *imaginary = py_argument(a, 1, "imag");
    if ((real && !py_complex_parts(real, &re, &im)) || (imaginary && !py_complex_parts(imaginary, &more_re, &more_im)))
        py_fail(m, "complex() takes numbers at compile time");
    return py_complex(re - more_im, im + more_re);
}

/* ---- Wide ints ---- */

#ifdef __SIZEOF_INT128__
bool py_wide_integer(const py_value *v, py_wide *integer) {
    int64_t narrow;
    if (v->kind == PY_WIDE) {
        *integer = v->wide;
        return true;
    }
    if (!py_integer(v, &narrow))
        return false;
    *integer = narrow;
    return true;
}

static py_value *wide_value(py_wide integer) {
    if (integer >= INT64_MIN && integer <= INT64_MAX)
        return py_int((int64_t)integer);
    py_value *v = py_new(PY_WIDE);
    v->wide = integer;
    return v;
}

static bool wide_power(py_wide a, py_wide b, py_wide *result) {
    *result = 1;
    for (py_wide i = 0; i < b && i < 128; i++)
        if (__builtin_mul_overflow(*result, a, result))
            return false;
    return b < 128 || a == 0 || a == 1;
}

py_value *py_wide_binary(py_machine *m, ast_kind op, const py_value *left, const py_value *right) {
    py_wide a, b, result = 0;
    if (!py_wide_integer(left, &a) || !py_wide_integer(right, &b))
        return NULL;
    bool fits = false;
    if (op == AST_ADD)
        fits = !__builtin_add_overflow(a, b, &result);
    else if (op == AST_SUB)
        fits = !__builtin_sub_overflow(a, b, &result);
    else if (op == AST_MUL)
        fits = !__builtin_mul_overflow(a, b, &result);
    else if (op == AST_POW && b >= 0)
        fits = wide_power(a, b, &result);
    else if (op == AST_LSHIFT && b >= 0 && b < 126)
        fits = !__builtin_mul_overflow(a, (py_wide)1 << b, &result);
    else if (op == AST_RSHIFT && b >= 0) {
        fits = true;
        result = a >> (b > 126 ? 126 : b);
    } else if ((op == AST_FLOOR_DIV || op == AST_MOD) && b) {
        const py_wide q = a / b - (a % b != 0 && (a < 0) != (b < 0));
        fits = true;
        result = op == AST_MOD ? a - q * b : q;
    }
    if (!fits)
        py_fail(m, "an integer is too large");
    return wide_value(result);
}

py_value *py_wide_literal(py_machine *m, const char *digits) {
    py_wide value = 0;
    for (const char *c = digits; *c; c++)
        if (*c < '0' || *c > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *c - '0', &value))
            py_fail(m, "an integer is too large");
    return wide_value(value);
}
#else
bool py_wide_integer(const py_value *v, py_wide *integer) {
    return py_integer(v, integer);
}

py_value *py_wide_binary(py_machine *m, ast_kind op, const py_value *left, const py_value *right) {
    (void)op, (void)left, (void)right;
    py_fail(m, "an integer is too large");
}

py_value *py_wide_literal(py_machine *m, const char *digits) {
    (void)digits;
    py_fail(m, "an integer is too large");
}
#endif

/* ---- Devices ---- */

bool py_is_device(const char *name) {
    return tsm_device_scan(TSM_DEVICE_NAMES, name, strlen(name)).fault == TSM_DEVICE_GOOD;
}

py_value *py_device(const char *name) {
    py_value *v = py_new(PY_DEVICE);
    v->string = (ast_text){mem_strndup(name, strlen(name)), strlen(name)};
    return v;
}

static void check_device(py_machine *m, const char *name) {
    const int n = (int)strlen(name);
    const tsm_device_name d = tsm_device_scan(TSM_DEVICE_NAMES, name, (size_t)n);
    const int type = (int)d.type_length;
    if (d.fault == TSM_DEVICE_EMPTY)
        py_fail(m, TSM_DEVICE_SAYS_EMPTY);
    if (d.fault == TSM_DEVICE_MALFORMED)
        py_fail(m, TSM_DEVICE_SAYS_MALFORMED, n, name);
    if (d.fault == TSM_DEVICE_UNKNOWN)
        py_fail(m, TSM_DEVICE_SAYS_UNKNOWN, type, name);
    if (d.fault == TSM_DEVICE_FAR)
        py_fail(m, TSM_DEVICE_SAYS_FAR, n - type - 1, name + type + 1, n, name);
}

/* torch.device(type, index=None), where the type may have the index in it, or be an index of a GPU. */
py_value *py_call_device(py_machine *m, py_arguments *a) {
    const py_value *kind = py_required(m, a, 0, "type"), *index = py_argument(a, 1, "index");
    int64_t number;
    if (kind->kind == PY_DEVICE)
        return py_device(kind->string.bytes);
    const bool is_number = py_integer(kind, &number);
    const char *name = is_number ? "cuda" : kind->string.bytes;
    if (!is_number && kind->kind != PY_STR)
        py_fail(m, "device() takes a string or an int at compile time");
    check_device(m, name);
    if (!is_number && !(index && py_integer(index, &number)))
        return py_device(name);
    if (strchr(name, ':'))
        py_fail(m, "type (string) must not include an index because index was passed explicitly: %s", name);
    if (number < 0)
        py_fail(m, "Device index must not be negative");
    name = mem_printf("%s:%lld", name, (long long)number);
    check_device(m, name);
    return py_device(name);
}

py_value *py_device_attribute(const py_value *v, const char *name) {
    const char *colon = strchr(v->string.bytes, ':');
    if (!strcmp(name, "type"))
        return py_str_n(v->string.bytes, colon ? (size_t)(colon - v->string.bytes) : v->string.length);
    if (!strcmp(name, "index"))
        return colon ? py_int(strtoll(colon + 1, NULL, 10)) : py_none();
    return NULL;
}

/* ---- Limits of dtypes ---- */

static const struct {
    const char *dtype;
    double bits, most, eps, tiny;
} float_limits[] = {
    {"float32", 32, 3.40282346638528859812e38, 1.1920928955078125e-07, 1.17549435082228750797e-38},
    {"float64", 64, DBL_MAX, DBL_EPSILON, DBL_MIN},
    {"float16", 16, 65504, 0.0009765625, 6.103515625e-05},
    {"bfloat16", 16, 3.38953138925153547591e38, 0.0078125, 1.17549435082228750797e-38},
};

/* torch.finfo(dtype).NAME, of the path "torch.finfo.DTYPE" */
static py_value *float_limit(const char *dtype, size_t n, const char *name) {
    for (size_t i = 0; i < sizeof float_limits / sizeof *float_limits; i++) {
        if (strlen(float_limits[i].dtype) != n || strncmp(float_limits[i].dtype, dtype, n))
            continue;
        if (!strcmp(name, "bits"))
            return py_int((int64_t)float_limits[i].bits);
        if (!strcmp(name, "max") || !strcmp(name, "min"))
            return py_float(name[1] == 'a' ? float_limits[i].most : -float_limits[i].most);
        if (!strcmp(name, "eps"))
            return py_float(float_limits[i].eps);
        if (!strcmp(name, "tiny") || !strcmp(name, "smallest_normal"))
            return py_float(float_limits[i].tiny);
    }
    return NULL;
}

static py_value *int_limit(const char *dtype, size_t n, const char *name) {
    const bool is_signed = dtype[0] == 'i';
    const long long bits = strtoll(dtype + (is_signed ? 3 : 4), NULL, 10);
    if (n < 4 || bits < 8 || bits > 64)
        return NULL;
    if (!strcmp(name, "bits"))
        return py_int(bits);
    const uint64_t most = is_signed ? UINT64_MAX >> (65 - bits) : UINT64_MAX >> (64 - bits);
    if (!strcmp(name, "max"))
        return py_int((int64_t)most);
    return !strcmp(name, "min") ? py_int(is_signed ? -(int64_t)most - 1 : 0) : NULL;
}

py_value *py_dtype_limit(const char *path) {
    static const char floats[] = "torch.finfo.", ints[] = "torch.iinfo.";
    const char *dtype = path + sizeof floats - 1, *name = strrchr(path, '.') + 1;
    if (!strncmp(path, floats, sizeof floats - 1) && name > dtype)
        return float_limit(dtype, (size_t)(name - 1 - dtype), name);
    return !strncmp(path, ints, sizeof ints - 1) && name > dtype ? int_limit(dtype, (size_t)(name - 1 - dtype), name)
                                                                 : NULL;
}

py_value *py_call_limits(py_machine *m, const char *path, py_arguments *a) {
    const py_value *dtype = py_argument(a, 0, "type");
    if (!dtype && !strcmp(path, "torch.finfo"))
        return py_path("torch.finfo.float32");
    if (!dtype || dtype->kind != PY_DTYPE)
        py_fail(m, "%s() takes a dtype at compile time", path);
    return py_path(mem_printf("%s.%s", path, pt_dtype_name((pt_dtype)dtype->integer)));
}
