/* Methods of Python's strings, lists, tuples, dicts and sets. */
#include <stdlib.h>
#include <string.h>

#include "exporter/python/py_eval.h"

/* ---- str ---- */

/* Splits at each separator, or without one at runs of blanks. */
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

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

static bool is_made_of(const py_value *self, const char *set) {
    return self->string.length && strspn(self->string.bytes, set) == self->string.length;
}

/* strip, lstrip, rstrip */
static py_value *strip(const py_value *self, const char *name, const char *set) {
    const char *at = self->string.bytes;
    if (name[0] != 'r')
        at += strspn(at, set);
    size_t n = strlen(at);
    while (name[0] != 'l' && n && strchr(set, at[n - 1]))
        n--;
    return py_str_n(at, n);
}

/* Makes the first letter, or that of every word, upper case and the others lower case. */
static py_value *capitalize(const py_value *self, bool every_word) {
    char *text = mem_strdup(change_case(self, false)->string.bytes);
    for (char *c = text; *c; c++)
        if (*c >= 'a' && *c <= 'z' && (c == text || (every_word && !strchr(letters, c[-1]))))
            *c = (char)(*c ^ 32);
    return py_str(text);
}

/* The position where the part first occurs (find), or how often it occurs (count). */
static py_value *find_part(const py_value *self, const char *part, bool counts) {
    const char *found = strstr(self->string.bytes, part);
    int64_t count = 0;
    if (!counts)
        return py_int(found ? found - self->string.bytes : -1);
    for (; found && *part; found = strstr(found + strlen(part), part))
        count++;
    return py_int(count);
}

static py_value *call_str_method(py_machine *m, py_value *self, const char *name, py_arguments *a) {
    if (!strcmp(name, "format"))
        return py_format(m, self, a);
    if (!strcmp(name, "join"))
        return join_strings(m, self, a);
    if (!strcmp(name, "lower") || !strcmp(name, "upper"))
        return change_case(self, name[0] == 'u');
    if (!strcmp(name, "split"))
        return split(self, arrlenu(a->items) ? string_argument(m, a, 0) : NULL);
    if (!strcmp(name, "replace"))
        return replace(self, string_argument(m, a, 0), string_argument(m, a, 1));
    if (strstr(name, "strip"))
        return strip(self, name, arrlenu(a->items) ? string_argument(m, a, 0) : " \t\r\n");
    if (!strcmp(name, "isdigit") || !strcmp(name, "isalpha"))
        return py_bool(is_made_of(self, name[2] == 'd' ? "0123456789" : letters));
    if (!strcmp(name, "title") || !strcmp(name, "capitalize"))
        return capitalize(self, name[0] == 't');
    if (!strcmp(name, "find") || !strcmp(name, "count"))
        return find_part(self, string_argument(m, a, 0), name[0] == 'c');
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
    else if (!strcmp(name, "remove"))
        arrdel(self->items, (size_t)find_item(m, self, a, false)->integer);
    else if (!strcmp(name, "clear"))
        arrsetlen(self->items, 0);
    else if (!strcmp(name, "sort")) {
        py_arguments sorting = {NULL, a->keywords};
        arrput(sorting.items, self);
        self->items = py_call_path(m, "builtins.sorted", &sorting)->items;
    } else { /* reverse */
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
        made->is_ordered = self->is_ordered;
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

/* ---- set ---- */

static bool has_item(const py_value *set, const py_value *v) {
    for (size_t i = 0; i < arrlenu(set->items); i++)
        if (py_equal(set->items[i], v))
            return true;
    return false;
}

static py_value *call_set_method(py_machine *m, py_value *self, const char *name, py_arguments *a) {
    py_value *v = py_required(m, a, 0, NULL), **items = NULL;
    if (!strcmp(name, "add"))
        arrput(items, v);
    else
        items = py_iterate(m, v);
    bool is_new = !strcmp(name, "union");
    py_value *set = self;
    if (is_new) {
        set = py_new(PY_SET);
        set->items = py_iterate(m, self);
    }
    for (size_t i = 0; i < arrlenu(items); i++)
        if (!has_item(set, items[i]))
            arrput(set->items, items[i]);
    return is_new ? set : py_none();
}

/* ---- Dispatch ---- */

static const struct {
    py_kind kind;
    const char *names; /* separated by blanks */
    py_value *(*call)(py_machine *m, py_value *self, const char *name, py_arguments *a);
} methods[] = {
    {PY_STR,
     " format join lower upper split replace startswith endswith strip lstrip rstrip isdigit isalpha title capitalize "
     "find count ",
     call_str_method},
    {PY_LIST, " append extend insert pop remove clear sort reverse copy index count ", call_list_method},
    {PY_SET, " add update union ", call_set_method},
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
    if (self->kind == PY_OBJECT && !strcmp(name, "__setattr__")) {
        py_value *attribute = py_required(m, a, 0, "name");
        if (attribute->kind != PY_STR)
            py_fail(m, "attribute name must be string, not '%s'", py_type_name(attribute));
        py_set_attribute(m, self, intern(attribute->string.bytes), py_required(m, a, 1, "value"));
        return py_none();
    }
    if (self->kind == PY_OBJECT && self->object->class_def->is_module)
        return py_call_module_method(m, self, name, a);
    if (self->kind == PY_OBJECT && name[0] == '_' && name[1] != '_')
        return py_call_tuple_method(m, self, name, a);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (methods[i].kind == self->kind)
            return methods[i].call(m, self, name, a);
    return py_none(); /* object.__init__ */
}
