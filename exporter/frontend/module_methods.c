/* Methods of Python's strings, lists, tuples and dicts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/frontend/module_eval.h"

/* ---- str ---- */

static py_value *call_format(py_machine *m, const py_value *self, const py_arguments *a) {
    strbuf out = {0};
    size_t next = 0;
    for (const char *c = self->string.bytes; *c; c++) {
        if ((*c == '{' || *c == '}') && c[1] == *c) {
            strbuf_add_n(&out, c++, 1);
            continue;
        }
        if (*c != '{') {
            strbuf_add_n(&out, c, 1);
            continue;
        }
        const char *end = strchr(c, '}');
        if (!end || memchr(c, ':', (size_t)(end - c)) || memchr(c, '!', (size_t)(end - c)))
            py_fail(m, "this format string is not supported at compile time");
        const char *field = mem_strndup(c + 1, (size_t)(end - c - 1));
        bool is_number = *field >= '0' && *field <= '9';
        size_t position = is_number ? (size_t)atoi(field) : *field ? SIZE_MAX : next++;
        py_show(py_required(m, a, position, field), false, &out);
        c = end;
    }
    return py_str_n(strbuf_text(&out), out.length);
}

/* The format is made here, of digits, signs and one letter. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void format_integer(char *to, size_t n, const char *format, int64_t v) {
    snprintf(to, n, format, (long long)v);
}

static void format_real(char *to, size_t n, const char *format, double v) {
    snprintf(to, n, format, v);
}
#pragma GCC diagnostic pop

/* One value by one specification of printf: "%d", "%.3f", "%s". */
static void add_formatted(py_machine *m, strbuf *out, const char *spec, size_t length, const py_value *v) {
    enum { LONGEST = 64 };
    char kind = spec[length - 1], text_of_number[LONGEST];
    bool is_integer = kind == 'd' || kind == 'i', is_real = kind == 'f' || kind == 'e' || kind == 'g';
    const char *format = mem_printf("%.*s%s%c", (int)length - 1, spec, is_integer ? "ll" : "", kind);
    double number;
    int64_t integer;
    if (kind == 's' || kind == 'r') {
        strbuf text = {0};
        py_show(v, kind == 'r', &text);
        strbuf_add(out, strbuf_text(&text));
    } else if ((is_integer || is_real) && py_number(v, &number)) {
        integer = py_integer(v, &integer) ? integer : (int64_t)number;
        if (is_integer)
            format_integer(text_of_number, LONGEST, format, integer);
        else
            format_real(text_of_number, LONGEST, format, number);
        strbuf_add(out, text_of_number);
    } else
        py_fail(m, "this format string is not supported at compile time");
}

py_value *py_format_percent(py_machine *m, const py_value *self, py_value *values) {
    py_value *one[] = {values}, **items = values->kind == PY_TUPLE ? values->items : one;
    size_t count = values->kind == PY_TUPLE ? arrlenu(values->items) : 1, next = 0;
    strbuf out = {0};
    for (const char *c = self->string.bytes; *c; c++) {
        size_t length = *c == '%' ? strspn(c + 1, "0123456789.+- ") + 2 : 1;
        if (*c != '%' || c[1] == '%') {
            strbuf_add_n(&out, c, 1);
            c += *c == '%';
            continue;
        }
        if (!c[length - 1] || next == count)
            py_fail(m, "not enough arguments for format string");
        add_formatted(m, &out, c, length, items[next++]);
        c += length - 1;
    }
    if (next < count)
        py_fail(m, "not all arguments converted during string formatting");
    return py_str_n(strbuf_text(&out), out.length);
}

/* At each separator; without one at runs of blanks. */
static py_value *split(const py_value *self, const char *separator) {
    py_value *list = py_new(PY_LIST);
    const char *at = self->string.bytes;
    for (;;) {
        if (!separator)
            at += strspn(at, " \t\n");
        if (!separator && !*at)
            return list;
        const char *end = separator ? strstr(at, separator) : at + strcspn(at, " \t\n");
        arrput(list->items, end ? py_str_n(at, (size_t)(end - at)) : py_str(at));
        if (!end || !*end)
            return list;
        at = end + (separator ? strlen(separator) : 0);
    }
}

static py_value *join_strings(py_machine *m, const py_value *self, const py_arguments *a) {
    py_value **items = py_iterate(m, py_required(m, a, 0, NULL));
    strbuf out = {0};
    for (size_t i = 0; i < arrlenu(items); i++) {
        if (items[i]->kind != PY_STR)
            py_fail(m, "sequence item %zu: expected str instance, %s found", i, py_type_name(items[i]));
        strbuf_add(&out, i ? self->string.bytes : "");
        strbuf_add(&out, items[i]->string.bytes);
    }
    return py_str(strbuf_text(&out));
}

static py_value *replace(const py_value *self, const char *from, const char *to) {
    strbuf out = {0};
    const char *at = self->string.bytes;
    for (const char *found; *from && (found = strstr(at, from)); at = found + strlen(from)) {
        strbuf_add_n(&out, at, (size_t)(found - at));
        strbuf_add(&out, to);
    }
    strbuf_add(&out, at);
    return py_str(strbuf_text(&out));
}

static py_value *change_case(const py_value *self, bool up) {
    char *text = mem_strdup(self->string.bytes);
    for (char *c = text; *c; c++)
        if (up ? *c >= 'a' && *c <= 'z' : *c >= 'A' && *c <= 'Z')
            *c = (char)(*c ^ 32);
    return py_str(text);
}

static const char *string_argument(const py_machine *m, const py_arguments *a, size_t position) {
    py_value *v = py_required(m, a, position, NULL);
    if (v->kind != PY_STR)
        py_fail(m, "must be str, not %s", py_type_name(v));
    return v->string.bytes;
}

static py_value *call_str_method(py_machine *m, py_value *self, const char *name, py_arguments *a) {
    if (!strcmp(name, "format"))
        return call_format(m, self, a);
    if (!strcmp(name, "join"))
        return join_strings(m, self, a);
    if (!strcmp(name, "lower") || !strcmp(name, "upper"))
        return change_case(self, name[0] == 'u');
    if (!strcmp(name, "split"))
        return split(self, arrlenu(a->items) ? string_argument(m, a, 0) : NULL);
    if (!strcmp(name, "replace"))
        return replace(self, string_argument(m, a, 0), string_argument(m, a, 1));
    const char *part = string_argument(m, a, 0);
    size_t n = strlen(part);
    if (!strcmp(name, "startswith"))
        return py_bool(!strncmp(self->string.bytes, part, n));
    return py_bool(self->string.length >= n && !strcmp(self->string.bytes + self->string.length - n, part));
}

/* ---- list, tuple ---- */

static int64_t position_argument(const py_machine *m, const py_arguments *a, int64_t otherwise, int64_t count) {
    int64_t at = otherwise;
    if (arrlenu(a->items) && !py_integer(a->items[0], &at))
        py_fail(m, "list indices must be integers, not %s", py_type_name(a->items[0]));
    return at + (at < 0 ? count : 0);
}

static void insert_item(const py_machine *m, py_value *self, const py_arguments *a) {
    int64_t count = (int64_t)arrlenu(self->items), at = position_argument(m, a, 0, count);
    at = at < 0 ? 0 : at > count ? count : at;
    arrins(self->items, (size_t)at, py_required(m, a, 1, NULL));
}

static py_value *pop_item(const py_machine *m, py_value *self, const py_arguments *a) {
    int64_t count = (int64_t)arrlenu(self->items), at = position_argument(m, a, -1, count);
    if (at < 0 || at >= count)
        py_fail(m, "IndexError: pop index out of range");
    py_value *v = self->items[at];
    arrdel(self->items, (size_t)at);
    return v;
}

static py_value *find_item(const py_machine *m, const py_value *self, const py_arguments *a, bool counts) {
    py_value *wanted = py_required(m, a, 0, NULL);
    int64_t count = 0;
    for (size_t i = 0; i < arrlenu(self->items); i++) {
        bool same = py_equal(self->items[i], wanted);
        if (same && !counts)
            return py_int((int64_t)i);
        count += same;
    }
    if (!counts)
        py_fail(m, "ValueError: the value is not in list");
    return py_int(count);
}

static void extend(py_machine *m, py_value *self, py_value *by) {
    py_value **items = py_iterate(m, by);
    for (size_t i = 0; i < arrlenu(items); i++)
        arrput(self->items, items[i]);
}

static py_value *call_list_method(py_machine *m, py_value *self, const char *name, py_arguments *a) {
    if (!strcmp(name, "index") || !strcmp(name, "count"))
        return find_item(m, self, a, name[0] == 'c');
    if (!strcmp(name, "pop"))
        return pop_item(m, self, a);
    if (!strcmp(name, "copy")) {
        py_value *copy = py_new(PY_LIST);
        extend(m, copy, self);
        return copy;
    }
    if (!strcmp(name, "append"))
        arrput(self->items, py_required(m, a, 0, NULL));
    else if (!strcmp(name, "extend"))
        extend(m, self, py_required(m, a, 0, NULL));
    else if (!strcmp(name, "insert"))
        insert_item(m, self, a);
    else { /* reverse */
        py_value **items = py_iterate(m, self);
        for (size_t i = 0, n = arrlenu(items); i < n; i++)
            self->items[i] = items[n - 1 - i];
    }
    return py_none();
}

/* ---- dict ---- */

static py_value *take_entry(const py_machine *m, py_value *self, const char *name, const py_arguments *a) {
    py_value *key = py_required(m, a, 0, NULL), *otherwise = py_argument(a, 1, "default");
    py_value *found = py_dict_get(self, key);
    bool pops = name[0] == 'p', sets = name[0] == 's';
    for (size_t i = 0; found && pops && i < arrlenu(self->entries); i++)
        if (py_equal(self->entries[i].key, key)) {
            arrdel(self->entries, i);
            break;
        }
    if (!found && pops && !otherwise)
        py_fail(m, "KeyError: the key is not in the dict");
    otherwise = otherwise ? otherwise : py_none();
    if (!found && sets)
        py_dict_set(self, key, otherwise);
    return found ? found : otherwise;
}

static py_value *call_dict_method(py_machine *m, py_value *self, const char *name, py_arguments *a) {
    if (!strcmp(name, "get") || !strcmp(name, "pop") || !strcmp(name, "setdefault"))
        return take_entry(m, self, name, a);
    bool updates = !strcmp(name, "update");
    if (updates || !strcmp(name, "copy")) {
        py_arguments source = {NULL, updates ? a->keywords : NULL};
        if (!updates)
            arrput(source.items, self);
        else if (arrlenu(a->items))
            arrput(source.items, a->items[0]);
        py_value *made = py_call_path(m, "builtins.dict", &source);
        for (size_t i = 0; updates && i < arrlenu(made->entries); i++)
            py_dict_set(self, made->entries[i].key, made->entries[i].value);
        return updates ? py_none() : made;
    }
    py_value *list = py_new(PY_LIST);
    for (size_t i = 0; i < arrlenu(self->entries); i++) {
        py_value *entry = py_new(PY_TUPLE);
        arrput(entry->items, self->entries[i].key);
        arrput(entry->items, self->entries[i].value);
        arrput(list->items, name[0] == 'k' ? self->entries[i].key : name[0] == 'v' ? self->entries[i].value : entry);
    }
    return list;
}

/* ---- All of them ---- */

static const struct {
    py_kind kind;
    const char *names; /* between blanks */
    py_value *(*call)(py_machine *m, py_value *self, const char *name, py_arguments *a);
} methods[] = {
    {PY_STR, " format join lower upper split replace startswith endswith ", call_str_method},
    {PY_LIST, " append extend insert pop reverse copy index count ", call_list_method},
    {PY_TUPLE, " index count ", call_list_method},
    {PY_DICT, " update get pop setdefault copy keys values items ", call_dict_method},
};

bool py_has_native(const py_value *v, const char *name) {
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (methods[i].kind == v->kind)
            return strstr(methods[i].names, mem_printf(" %s ", name));
    return false;
}

py_value *py_call_native(py_machine *m, py_value *self, const char *name, py_arguments *a) {
    if (self->kind == PY_TENSOR)
        return py_call_tensor_method(m, self, name, a);
    if (self->kind == PY_OBJECT && self->object->class_def->is_module)
        return py_call_module_method(m, self, name, a);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (methods[i].kind == self->kind)
            return methods[i].call(m, self, name, a);
    return py_none(); /* object.__init__ */
}
