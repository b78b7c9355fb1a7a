/* bytecode.pkl: a tuple of the version and, for each function, of its name, its table and its schema. A table is a
 * tuple of (key, value) pairs. */
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"
#include "exporter/lite/lite.h"

typedef struct {
    const lite_module *module;
    const char *where; /* the function, for messages */
} reader;

_Noreturn static void fail(const reader *r, const char *what) {
    diag_fail("%s: bytecode.pkl: %s%s%s", r->module->file, r->where ? r->where : "", r->where ? ": " : "", what);
}

/* The items of a tuple (or list) of at least `least` items. */
static pkl_value **items_of(const reader *r, const pkl_value *v, size_t least, const char *what) {
    if (!v || (v->kind != PKL_TUPLE && v->kind != PKL_LIST) || v->seq.count < least)
        fail(r, mem_printf("%s is not as expected", what));
    return v->seq.items;
}

static const char *text_of(const reader *r, const pkl_value *v, const char *what) {
    if (v->kind != PKL_STR)
        fail(r, mem_printf("%s is a %s, not a string", what, pkl_kind_name(v->kind)));
    return v->str.text;
}

static int64_t number_of(const reader *r, const pkl_value *v, int64_t least, int64_t most, const char *what) {
    if (v->kind != PKL_INT || v->integer < least || v->integer > most)
        fail(r, mem_printf("%s is out of range", what));
    return v->integer;
}

/* The value of an entry of a table; NULL when it has none. */
static const pkl_value *entry_of(const reader *r, const pkl_value *table, const char *key) {
    pkl_value **entries = items_of(r, table, 0, "a table");
    for (size_t i = 0; i < table->seq.count; i++) {
        pkl_value **pair = items_of(r, entries[i], 2, "an entry of a table");
        if (pkl_is_str(pair[0], key))
            return pair[1];
    }
    return NULL;
}

static void read_code(const reader *r, const pkl_value *list, lite_function *f) {
    pkl_value **items = items_of(r, list, 1, "the list of instructions");
    for (size_t i = 0; i < list->seq.count; i++) {
        pkl_value **fields = items_of(r, items[i], 3, "an instruction");
        lite_instruction in = {lite_opcode_named(r->module, text_of(r, fields[0], "an instruction's name")),
                               (int32_t)number_of(r, fields[1], INT32_MIN, INT32_MAX, "an instruction's X"),
                               (uint32_t)number_of(r, fields[2], 0, UINT16_MAX, "an instruction's N")};
        arrput(f->code, in);
    }
}

static void read_operators(const reader *r, const pkl_value *list, lite_function *f) {
    pkl_value **items = items_of(r, list, 0, "the list of operators");
    for (size_t i = 0; i < list->seq.count; i++) {
        pkl_value **fields = items_of(r, items[i], 2, "an operator");
        bool tells_given = items[i]->seq.count > 2 && fields[2]->kind == PKL_INT; /* from version 6 on */
        lite_operator op = {lite_operator_name(text_of(r, fields[0], "an operator's name"),
                                               text_of(r, fields[1], "an operator's overload")),
                            tells_given ? (int32_t)number_of(r, fields[2], -1, UINT16_MAX, "a number of arguments")
                                        : -1};
        arrput(f->operators, op);
    }
}

static lite_argument *read_arguments(const reader *r, const pkl_value *list) {
    pkl_value **items = items_of(r, list, 0, "a list of arguments");
    lite_argument *arguments = NULL;
    for (size_t i = 0; i < list->seq.count; i++) {
        const pkl_value *name = entry_of(r, items[i], "name"), *type = entry_of(r, items[i], "type");
        if (!name || !type)
            fail(r, "an argument has no name or no type");
        lite_argument a = {intern(text_of(r, name, "an argument's name")), text_of(r, type, "an argument's type"),
                           (pkl_value *)entry_of(r, items[i], "default_value")};
        arrput(arguments, a);
    }
    return arguments;
}

static const pkl_value *wanted_entry(const reader *r, const pkl_value *table, const char *key) {
    const pkl_value *v = entry_of(r, table, key);
    if (!v)
        fail(r, mem_printf("there are no %s", key));
    return v;
}

static lite_function read_function(reader *r, const pkl_value *v) {
    lite_function f = {0};
    r->where = NULL;
    pkl_value **parts = items_of(r, v, 2, "a function");
    f.name = r->where = intern(text_of(r, parts[0], "a function's name"));
    if (v->seq.count < 3)
        fail(r, "it has no schema; save the program with PyTorch 1.8 or later");
    read_code(r, wanted_entry(r, parts[1], "instructions"), &f);
    read_operators(r, wanted_entry(r, parts[1], "operators"), &f);
    const pkl_value *constants = wanted_entry(r, parts[1], "constants"), *types = wanted_entry(r, parts[1], "types");
    pkl_value **items = items_of(r, constants, 0, "the list of constants");
    for (size_t i = 0; i < constants->seq.count; i++)
        arrput(f.constants, items[i]);
    items = items_of(r, types, 0, "the list of types");
    for (size_t i = 0; i < types->seq.count; i++)
        arrput(f.types, text_of(r, items[i], "a type"));
    f.arguments = read_arguments(r, wanted_entry(r, parts[2], "arguments"));
    f.returns = read_arguments(r, wanted_entry(r, parts[2], "returns"));
    return f;
}

lite_module *lite_read_archive(pt_archive *a) {
    lite_module *m = MEM_NEW(lite_module);
    m->file = a->name;
    m->operator_version = a->version;
    m->root = a->root;
    reader r = {m, NULL};
    const pkl_value *bytecode = pt_archive_bytecode(a);
    pkl_value **items = items_of(&r, bytecode, 1, "the whole");
    size_t first = 0;
    if (items[0]->kind == PKL_INT) /* the first format had no version number */
        lite_check_version(m, items[first++]->integer);
    else
        lite_check_version(m, 1);
    for (size_t i = first; i < bytecode->seq.count; i++)
        arrput(m->functions, read_function(&r, items[i]));
    return m;
}
