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
