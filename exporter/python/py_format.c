/* Formats: "{:>8.3f}".format(x), f-strings, and "%d" % x. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/python/py_eval.h"

/* ---- Numbers as digits ---- */

/* The formats are no literals, but safe: this file builds them from digits, signs and one letter. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static const char *integer_text(const char *format, int64_t v) {
    return mem_printf(format, (long long)v);
}

static const char *real_text(const char *format, double v) {
    return mem_printf(format, v);
}
#pragma GCC diagnostic pop

/* ---- Specifications ---- */

/* [[fill]align][sign]["0"][width][grouping]["." precision][type] */
typedef struct {
    char fill, align, sign, grouping, type; /* 0: not given */
    int width, precision;                   /* -1: not given */
} format_spec;

static int read_digits(const char **at) {
    int n = **at >= '0' && **at <= '9' ? 0 : -1;
    for (; **at >= '0' && **at <= '9' && n < 1000; (*at)++)
        n = n * 10 + (**at - '0');
    return n;
}

static char read_one_of(const char **at, const char *set) {
    return **at && strchr(set, **at) ? *(*at)++ : 0;
}

static format_spec read_spec(const py_machine *m, const char *text) {
    format_spec s = {.width = -1, .precision = -1};
    const char *at = text;
    if (*at && at[1] && strchr("<>^=", at[1]))
        s.fill = *at++;
    s.align = read_one_of(&at, "<>^=");
    s.sign = read_one_of(&at, "+- ");
    if (*at == '0' && !s.align) {
        s.fill = '0';
        s.align = '=';
    }
    s.width = read_digits(&at);
    s.grouping = read_one_of(&at, ",_");
    if (*at == '.') {
        at++;
        s.precision = read_digits(&at);
    }
    s.type = read_one_of(&at, "bcdeEfFgGnosxX%");
    if (*at)
        py_fail(m, "Invalid format specifier: '%s'", text);
    return s;
}

/* Signs between the groups of the digits before the point. */
static const char *grouped(const char *digits, char sign) {
    size_t whole = strspn(digits, "0123456789");
    strbuf out = {0};
    for (size_t i = 0; i < whole; i++) {
        if (i && (whole - i) % 3 == 0)
            strbuf_add_n(&out, &sign, 1);
        strbuf_add_n(&out, digits + i, 1);
    }
    strbuf_add(&out, digits + whole);
    return strbuf_text(&out);
}

static const char *integer_digits(const py_machine *m, uint64_t v, char type) {
    strbuf bits = {0};
    switch (type) {
    case 'x':
    case 'X':
    case 'o':
        return integer_text(type == 'x' ? "%llx" : type == 'X' ? "%llX" : "%llo", (int64_t)v);
    case 'b':
        for (int i = 63; i >= 0; i--)
            if (i == 0 || v >> i)
                strbuf_add(&bits, v >> i & 1 ? "1" : "0");
        return strbuf_text(&bits);
    case 0:
    case 'd':
    case 'n':
        return mem_printf("%llu", (unsigned long long)v);
    default:
        py_fail(m, "ValueError: Unknown format code '%c' for object of type 'int'", type);
    }
}

static const char *real_digits(double v, const format_spec *s) {
    char type = s->type == '%' || !s->type ? (s->type ? 'f' : 'g') : s->type;
    if (!s->type && s->precision < 0) { /* as repr() shows it */
        strbuf out = {0};
        py_show(py_float(v), true, &out);
        return strbuf_text(&out);
    }
    const char *format = mem_printf("%%.%d%c", s->precision < 0 ? 6 : s->precision, type);
    const char *text = real_text(format, s->type == '%' ? v * 100 : v);
    return s->type == '%' ? mem_printf("%s%%", text) : text;
}

static size_t characters(const char *text) {
    size_t n = 0;
    for (; *text; text++)
        n += ((uint8_t)*text & 0xc0) != 0x80;
    return n;
}

/* Appends `sign` and `body`, padded to the width; `usual` is the alignment when none is given. */
static void add_aligned(strbuf *out, const format_spec *s, const char *sign, const char *body, char usual) {
    size_t length = strlen(sign) + characters(body), width = s->width > 0 ? (size_t)s->width : 0;
    size_t missing = width > length ? width - length : 0;
    char align = s->align ? s->align : usual, fill = s->fill ? s->fill : ' ';
    size_t before = align == '>' ? missing : align == '^' ? missing / 2 : 0;
    size_t inside = align == '=' ? missing : 0;
    for (size_t i = 0; i < before; i++)
        strbuf_add_n(out, &fill, 1);
    strbuf_add(out, sign);
    for (size_t i = 0; i < inside; i++)
        strbuf_add_n(out, &fill, 1);
    strbuf_add(out, body);
    for (size_t i = before + inside; i < missing; i++)
        strbuf_add_n(out, &fill, 1);
}

static void add_number(const py_machine *m, strbuf *out, const format_spec *s, const py_value *v) {
    int64_t integer;
    double number;
    bool is_integer = py_integer(v, &integer) && !(s->type && strchr("eEfFgG%", s->type));
    py_number(v, &number);
    bool is_negative = is_integer ? integer < 0 : number < 0;
    const char *digits = is_integer
                             ? integer_digits(m, is_negative ? 0 - (uint64_t)integer : (uint64_t)integer, s->type)
                             : real_digits(is_negative ? -number : number, s);
    const char *sign = is_negative ? "-" : s->sign == '+' ? "+" : s->sign == ' ' ? " " : "";
    add_aligned(out, s, sign, s->grouping ? grouped(digits, s->grouping) : digits, '>');
}

/* What format(v, spec) gives. */
static void add_value(const py_machine *m, strbuf *out, const py_value *v, const char *text) {
    double number;
    format_spec s = read_spec(m, text);
    bool is_number = py_number(v, &number) && (v->kind != PY_BOOL || s.type);
    if (is_number && s.type != 's') {
        add_number(m, out, &s, v);
        return;
    }
    if (s.type && s.type != 's')
        py_fail(m, "ValueError: Unknown format code '%c' for object of type '%s'", s.type, py_type_name(v));
    if (*text && v->kind != PY_STR && v->kind != PY_BOOL)
        py_fail(m, "unsupported format string passed to %s.__format__", py_type_name(v));
    strbuf shown = {0};
    py_show(v, false, &shown);
    const char *body = strbuf_text(&shown);
    if (s.precision >= 0 && (size_t)s.precision < shown.length)
        body = mem_strndup(body, (size_t)s.precision);
    add_aligned(out, &s, "", body, '<');
}

/* ---- str.format ---- */

/* What a replacement field names: "", "0", "name", and ".attribute" and "[item]" behind. */
static py_value *field_value(py_machine *m, const py_arguments *a, const char *name, size_t *next) {
    const char *first = mem_strndup(name, strcspn(name, ".["));
    bool is_number = *first >= '0' && *first <= '9';
    py_value *v = py_required(m, a, is_number ? (size_t)atoi(first) : *first ? SIZE_MAX : (*next)++, first);
    for (const char *at = name + strlen(first); *at;) {
        size_t n = strcspn(at + 1, *at == '.' ? ".[" : "]");
        const char *part = mem_strndup(at + 1, n);
        bool is_index = *part >= '0' && *part <= '9';
        v = *at == '.' ? py_attribute(m, v, intern(part))
                       : py_subscript(m, v, is_index ? py_int(atoi(part)) : py_str(part));
        at += n + (*at == '.' ? 1 : 2);
    }
    return v;
}

/* The closing brace of the field that begins at `at`; its specification may contain fields. */
static const char *field_end(const char *at) {
    for (int depth = 0; *at; at++) {
        if (*at == '}' && !depth--)
            return at;
        depth += *at == '{';
    }
    return NULL;
}

static void add_text(py_machine *m, strbuf *out, const char *text, const py_arguments *a, size_t *next);

/* field := [name] ["!" conversion] [":" specification], between the braces */
static void add_field(py_machine *m, strbuf *out, const char *field, const py_arguments *a, size_t *next) {
    size_t name = strcspn(field, "!:");
    py_value *v = field_value(m, a, mem_strndup(field, name), next);
    const char *at = field + name;
    if (*at == '!') {
        strbuf shown = {0};
        py_show(v, at[1] != 's', &shown);
        v = py_str(strbuf_text(&shown));
        at += at[1] ? 2 : 1;
    }
    strbuf spec = {0};
    if (*at == ':')
        add_text(m, &spec, at + 1, a, next);
    add_value(m, out, v, strbuf_text(&spec));
}

static void add_text(py_machine *m, strbuf *out, const char *text, const py_arguments *a, size_t *next) {
    stack_check();
    for (const char *c = text; *c; c++) {
        bool is_brace = *c == '{' || *c == '}';
        if (!is_brace || c[1] == *c) {
            strbuf_add_n(out, c, 1);
            c += is_brace;
            continue;
        }
        const char *end = *c == '{' ? field_end(c + 1) : NULL;
        if (!end)
            py_fail(m, "ValueError: Single '%c' encountered in format string", *c);
        add_field(m, out, mem_strndup(c + 1, (size_t)(end - c - 1)), a, next);
        c = end;
    }
}

py_value *py_format(py_machine *m, const py_value *self, const py_arguments *a) {
    strbuf out = {0};
    size_t next = 0;
    add_text(m, &out, self->string.bytes, a, &next);
    return py_str_n(strbuf_text(&out), out.length);
}

/* ---- "..." % values ---- */

/* One value by one specification: "%5d", "%-8s", "%.3f". */
static void add_percent(const py_machine *m, strbuf *out, const char *flags, char kind, const py_value *v) {
    bool is_text = kind == 's' || kind == 'r';
    const char *width = flags + strspn(flags, "-+ 0#");
    bool is_left = memchr(flags, '-', (size_t)(width - flags)), is_plus = memchr(flags, '+', (size_t)(width - flags));
    bool is_zero = !is_left && memchr(flags, '0', (size_t)(width - flags));
    double number;
    strbuf text = {0};
    if (is_text) {
        py_show(v, kind == 'r', &text);
        v = py_str_n(strbuf_text(&text), text.length);
    } else if (!py_number(v, &number))
        py_fail(m, "%%%c format: a number is required, not %s", kind, py_type_name(v));
    else if (strchr("diu", kind))
        v = v->kind == PY_FLOAT ? py_int((int64_t)number) : v;
    const char *type = mem_printf("%c", strchr("diu", kind) ? 'd' : kind == 'r' ? 's' : kind);
    add_value(m, out, v,
              mem_printf("%s%s%s%s%s",
                         is_left   ? "<"
                         : is_text ? ">"
                                   : "",
                         is_plus ? "+" : "", is_zero ? "0" : "", width, type));
}

/* What "%(name)s" takes, and the place behind it. */
static const py_value *percent_entry(const py_machine *m, const py_value *values, const char **at) {
    const char *end = strchr(*at, ')');
    const py_value *v =
        end && values->kind == PY_DICT ? py_dict_get(values, py_str_n(*at + 1, (size_t)(end - *at - 1))) : NULL;
    if (!v)
        py_fail(m, "KeyError: format requires a mapping with the name");
    *at = end + 1;
    return v;
}

py_value *py_format_percent(py_machine *m, const py_value *self, py_value *values) {
    py_value *one[] = {values}, **items = values->kind == PY_TUPLE ? values->items : one;
    size_t count = values->kind == PY_TUPLE ? arrlenu(values->items) : 1, next = 0;
    strbuf out = {0};
    for (const char *c = self->string.bytes; *c; c++) {
        if (*c != '%' || c[1] == '%') {
            strbuf_add_n(&out, c, 1);
            c += *c == '%';
            continue;
        }
        c++;
        const py_value *v = *c == '(' ? percent_entry(m, values, &c) : next < count ? items[next] : NULL;
        next += values->kind != PY_DICT || c[-1] != ')';
        size_t n = strspn(c, "0123456789.+- #");
        if (!v)
            py_fail(m, "TypeError: not enough arguments for format string");
        if (!c[n] || !strchr("diufFeEgGxXosr", c[n]))
            py_fail(m, "ValueError: unsupported format character '%c'", c[n] ? c[n] : '%');
        add_percent(m, &out, mem_strndup(c, n), c[n], v);
        c += n;
    }
    if (next < count && values->kind != PY_DICT)
        py_fail(m, "TypeError: not all arguments converted during string formatting");
    return py_str_n(strbuf_text(&out), out.length);
}
