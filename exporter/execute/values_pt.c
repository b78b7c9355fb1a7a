/* Values that torch.save wrote. */
#include "exporter/archive/archive.h"
#include "exporter/base/diag.h"
#include "exporter/execute/values.h"
#include "exporter/program/pickled_leaf.h"

typedef struct {
    const char *path;
} reader;

static ir_constant *value(const reader *r, const pkl_value *v, const type *wanted);

/* Chains in pickles are bounded (LIMIT_VALUE_DEPTH), so this recursion is. */
static ir_constant *sequence(const reader *r, const pkl_value *v, const type *wanted) {
    bool is_tuple = v->kind == PKL_TUPLE;
    ir_constant **items = NULL;
    for (size_t i = 0; i < v->seq.count; i++)
        arrput(items, value(r, v->seq.items[i],
                            values_item_type(wanted, is_tuple ? TYPE_TUPLE : TYPE_LIST, is_tuple ? (uint32_t)i : 0)));
    return is_tuple ? values_tuple(items, wanted) : values_list(items, wanted);
}

static ir_constant *dict(const reader *r, const pkl_value *v, const type *wanted) {
    ir_constant **items = NULL;
    for (size_t i = 0; i < v->dict.count; i++) {
        arrput(items, value(r, v->dict.entries[i].key, values_item_type(wanted, TYPE_DICT, 0)));
        arrput(items, value(r, v->dict.entries[i].value, values_item_type(wanted, TYPE_DICT, 1)));
    }
    return values_dict(items, wanted);
}

static ir_constant *value(const reader *r, const pkl_value *v, const type *wanted) {
    stack_check();
    ir_constant *leaf = pickled_leaf(v, values_wants_float(wanted));
    if (leaf)
        return leaf;
    switch (v->kind) {
    case PKL_LIST:
    case PKL_TUPLE:
        return sequence(r, v, wanted);
    case PKL_DICT:
        return dict(r, v, wanted);
    default:
        diag_fail("%s: a value of kind %s cannot be stored", r->path, pkl_kind_name(v->kind));
    }
}

ir_constant *values_load_archive(const char *path, const type *wanted) {
    const reader r = {path};
    const pt_archive *archive = pt_archive_open(path);
    if (archive->is_program)
        diag_fail("%s is a TorchScript program; values are what torch.save writes", path);
    return value(&r, archive->root, wanted);
}

ir_constant **values_of_inputs(const char *path, const pkl_value *inputs, const function *f) {
    const reader r = {path};
    const uint32_t self = f->owner ? 1 : 0;
    if (inputs->kind != PKL_LIST || inputs->seq.count > f->schema->argument_count - self)
        diag_fail("%s: the inputs are not a list of %s's arguments", path, f->base_name);
    ir_constant **arguments = NULL;
    for (uint32_t i = 0; i < inputs->seq.count; i++)
        arrput(arguments, value(&r, inputs->seq.items[i], f->schema->arguments[i + self].type));
    return arguments;
}

ir_constant **values_of_call(const char *path, const pkl_value *call, const function *f) {
    const reader r = {path};
    const op_schema *s = f->schema;
    const pkl_value *plain = call->kind == PKL_TUPLE && call->seq.count == 2 ? call->seq.items[0] : NULL,
                    *named = plain ? call->seq.items[1] : NULL;
    if (!plain || plain->kind != PKL_TUPLE || named->kind != PKL_DICT)
        diag_fail("%s: the arguments are not a tuple and a dict", path);
    ir_constant **arguments = NULL;
    for (uint32_t i = 1; i < s->argument_count; i++) {
        const schema_argument *a = &s->arguments[i];
        const pkl_value *v = i <= plain->seq.count ? plain->seq.items[i - 1] : pkl_dict_get(named, a->name);
        if (!v)
            diag_fail("%s: argument '%s' is missing", path, a->name);
        arrput(arguments, value(&r, v, a->type));
    }
    return arguments;
}
