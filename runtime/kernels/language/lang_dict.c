/* Operators on dicts. Dicts keep the order of insertion and know how to compare keys, so one kernel serves every key
 * type. */
#include "runtime/kernels/language/lang.h"

static tsm_dict *arg_dict(const tsm_value *const *in, int i) {
    return tsm_as_dict(*in[i]);
}

static tsm_status raise_key_error(tsm_exec *x, tsm_value key) {
    tsm_text text = {0};
    tsm_status status = tsm_text_add_value(x, &text, key);
    if (status == TSM_OK)
        status = TSM_RAISE(x, "KeyError: %.*s", (int)text.length, text.text);
    tsm_text_free(x, &text);
    return status;
}

/* The item of a key (one more count), else `missing`, which may be NULL: an error then. */
static tsm_status ret_item(tsm_exec *x, const tsm_value *const *in, tsm_value *out, const tsm_value *missing) {
    const tsm_dict_entry *e = tsm_dict_find(arg_dict(in, 0), *in[1]);
    if (!e && !missing)
        return raise_key_error(x, *in[1]);
    *out = tsm_hold(e ? e->item : *missing);
    return TSM_OK;
}

/* ---- Entries ---- */

TSM_KERNEL_LIGHT(aten_len_Dict_str) {
    TSM_UNUSED_IO();
    return ret_int(out, arg_dict(in, 0)->length);
}
TSM_KERNEL_ALIAS(aten_len_Dict_int, aten_len_Dict_str);
TSM_KERNEL_ALIAS(aten_len_Dict_bool, aten_len_Dict_str);
TSM_KERNEL_ALIAS(aten_len_Dict_float, aten_len_Dict_str);
TSM_KERNEL_ALIAS(aten_len_Dict_complex, aten_len_Dict_str);
TSM_KERNEL_ALIAS(aten_len_Dict_Tensor, aten_len_Dict_str);

TSM_KERNEL_LIGHT(aten___contains___str) {
    TSM_UNUSED_IO();
    return ret_bool(out, tsm_dict_find(arg_dict(in, 0), *in[1]) != NULL);
}
TSM_KERNEL_ALIAS(aten___contains___int, aten___contains___str);
TSM_KERNEL_ALIAS(aten___contains___bool, aten___contains___str);
TSM_KERNEL_ALIAS(aten___contains___float, aten___contains___str);
TSM_KERNEL_ALIAS(aten___contains___complex, aten___contains___str);
TSM_KERNEL_ALIAS(aten___contains___Tensor, aten___contains___str);

TSM_KERNEL_LIGHT(aten___getitem___Dict_str) {
    return ret_item(x, in, out, NULL);
}
TSM_KERNEL_ALIAS(aten___getitem___Dict_int, aten___getitem___Dict_str);
TSM_KERNEL_ALIAS(aten___getitem___Dict_bool, aten___getitem___Dict_str);
TSM_KERNEL_ALIAS(aten___getitem___Dict_float, aten___getitem___Dict_str);
TSM_KERNEL_ALIAS(aten___getitem___Dict_complex, aten___getitem___Dict_str);
TSM_KERNEL_ALIAS(aten___getitem___Dict_Tensor, aten___getitem___Dict_str);

TSM_KERNEL_LIGHT(aten_get_str) {
    tsm_value none = tsm_none();
    return ret_item(x, in, out, &none);
}
TSM_KERNEL_ALIAS(aten_get_int, aten_get_str);
TSM_KERNEL_ALIAS(aten_get_bool, aten_get_str);
TSM_KERNEL_ALIAS(aten_get_float, aten_get_str);
TSM_KERNEL_ALIAS(aten_get_complex, aten_get_str);
TSM_KERNEL_ALIAS(aten_get_Tensor, aten_get_str);

TSM_KERNEL_LIGHT(aten_get_default_str) {
    return ret_item(x, in, out, in[2]);
}
TSM_KERNEL_ALIAS(aten_get_default_int, aten_get_default_str);
TSM_KERNEL_ALIAS(aten_get_default_bool, aten_get_default_str);
TSM_KERNEL_ALIAS(aten_get_default_float, aten_get_default_str);
TSM_KERNEL_ALIAS(aten_get_default_complex, aten_get_default_str);
TSM_KERNEL_ALIAS(aten_get_default_Tensor, aten_get_default_str);

TSM_KERNEL_LIGHT(aten_setdefault_str) {
    if (!tsm_dict_find(arg_dict(in, 0), *in[1]))
        TSM_TRY(tsm_dict_put(x, arg_dict(in, 0), *in[1], *in[2]));
    return ret_item(x, in, out, in[2]); /* a NaN is not found even now */
}
TSM_KERNEL_ALIAS(aten_setdefault_int, aten_setdefault_str);
TSM_KERNEL_ALIAS(aten_setdefault_bool, aten_setdefault_str);
TSM_KERNEL_ALIAS(aten_setdefault_float, aten_setdefault_str);
TSM_KERNEL_ALIAS(aten_setdefault_complex, aten_setdefault_str);
TSM_KERNEL_ALIAS(aten_setdefault_Tensor, aten_setdefault_str);

TSM_KERNEL_LIGHT(aten__set_item_str) {
    TSM_UNUSED_IO();
    return tsm_dict_put(x, arg_dict(in, 0), *in[1], *in[2]);
}
TSM_KERNEL_ALIAS(aten__set_item_int, aten__set_item_str);
TSM_KERNEL_ALIAS(aten__set_item_bool, aten__set_item_str);
TSM_KERNEL_ALIAS(aten__set_item_float, aten__set_item_str);
TSM_KERNEL_ALIAS(aten__set_item_complex, aten__set_item_str);
TSM_KERNEL_ALIAS(aten__set_item_Tensor, aten__set_item_str);

TSM_KERNEL_LIGHT(aten_Delete_Dict_str) {
    TSM_UNUSED_IO();
    tsm_value item;
    if (!tsm_dict_remove(x, arg_dict(in, 0), *in[1], &item))
        return raise_key_error(x, *in[1]);
    tsm_drop(x, item);
    return TSM_OK;
}
TSM_KERNEL_ALIAS(aten_Delete_Dict_int, aten_Delete_Dict_str);
TSM_KERNEL_ALIAS(aten_Delete_Dict_bool, aten_Delete_Dict_str);
TSM_KERNEL_ALIAS(aten_Delete_Dict_float, aten_Delete_Dict_str);
TSM_KERNEL_ALIAS(aten_Delete_Dict_complex, aten_Delete_Dict_str);
TSM_KERNEL_ALIAS(aten_Delete_Dict_Tensor, aten_Delete_Dict_str);

TSM_KERNEL_LIGHT(aten_pop_Dict_str) {
    return tsm_dict_remove(x, arg_dict(in, 0), *in[1], out) ? TSM_OK : raise_key_error(x, *in[1]);
}
TSM_KERNEL_ALIAS(aten_pop_Dict_int, aten_pop_Dict_str);
TSM_KERNEL_ALIAS(aten_pop_Dict_bool, aten_pop_Dict_str);
TSM_KERNEL_ALIAS(aten_pop_Dict_float, aten_pop_Dict_str);
TSM_KERNEL_ALIAS(aten_pop_Dict_complex, aten_pop_Dict_str);
TSM_KERNEL_ALIAS(aten_pop_Dict_Tensor, aten_pop_Dict_str);

TSM_KERNEL_LIGHT(aten_pop_Dict_default_str) {
    if (!tsm_dict_remove(x, arg_dict(in, 0), *in[1], out))
        *out = tsm_hold(*in[2]);
    return TSM_OK;
}
TSM_KERNEL_ALIAS(aten_pop_Dict_default_int, aten_pop_Dict_default_str);
TSM_KERNEL_ALIAS(aten_pop_Dict_default_bool, aten_pop_Dict_default_str);
TSM_KERNEL_ALIAS(aten_pop_Dict_default_float, aten_pop_Dict_default_str);
TSM_KERNEL_ALIAS(aten_pop_Dict_default_complex, aten_pop_Dict_default_str);
TSM_KERNEL_ALIAS(aten_pop_Dict_default_Tensor, aten_pop_Dict_default_str);

static tsm_status make_pair(tsm_exec *x, tsm_value key, tsm_value item, tsm_value *out) {
    tsm_tuple *t;
    TSM_TRY(tsm_make_tuple(x, 2, 0, &t));
    t->items[0] = tsm_hold(key);
    t->items[1] = tsm_hold(item);
    *out = tsm_of(TSM_TAG_TUPLE, t);
    return TSM_OK;
}

/* Takes the first entry: PyTorch's dicts, unlike Python's, pop from the front. */
TSM_KERNEL_LIGHT(aten_popitem_str) {
    tsm_dict *d = arg_dict(in, 0);
    size_t at = 0;
    tsm_dict_entry *e;
    tsm_value item;
    if (!tsm_dict_next(d, &at, &e))
        return TSM_RAISE(x, "popitem(): dictionary is empty");
    TSM_TRY(make_pair(x, e->key, e->item, out));
    if (tsm_dict_remove(x, d, tsm_as_tuple(*out)->items[0], &item))
        tsm_drop(x, item);
    return TSM_OK;
}
TSM_KERNEL_ALIAS(aten_popitem_int, aten_popitem_str);
TSM_KERNEL_ALIAS(aten_popitem_bool, aten_popitem_str);
TSM_KERNEL_ALIAS(aten_popitem_float, aten_popitem_str);
TSM_KERNEL_ALIAS(aten_popitem_complex, aten_popitem_str);
TSM_KERNEL_ALIAS(aten_popitem_Tensor, aten_popitem_str);

TSM_KERNEL(aten_clear_str) {
    TSM_UNUSED_IO();
    tsm_dict_clear(x, arg_dict(in, 0));
    return TSM_OK;
}
TSM_KERNEL_ALIAS(aten_clear_int, aten_clear_str);
TSM_KERNEL_ALIAS(aten_clear_bool, aten_clear_str);
TSM_KERNEL_ALIAS(aten_clear_float, aten_clear_str);
TSM_KERNEL_ALIAS(aten_clear_complex, aten_clear_str);
TSM_KERNEL_ALIAS(aten_clear_Tensor, aten_clear_str);

/* ---- Whole dicts ---- */

static tsm_status put_all(tsm_exec *x, tsm_dict *to, const tsm_dict *from) {
    size_t at = 0;
    tsm_dict_entry *e;
    while (to != from && tsm_dict_next(from, &at, &e))
        TSM_TRY(tsm_dict_put(x, to, e->key, e->item));
    return TSM_OK;
}

TSM_KERNEL(aten_update_str) {
    TSM_UNUSED_IO();
    return put_all(x, arg_dict(in, 0), arg_dict(in, 1));
}
TSM_KERNEL_ALIAS(aten_update_int, aten_update_str);
TSM_KERNEL_ALIAS(aten_update_bool, aten_update_str);
TSM_KERNEL_ALIAS(aten_update_float, aten_update_str);
TSM_KERNEL_ALIAS(aten_update_complex, aten_update_str);
TSM_KERNEL_ALIAS(aten_update_Tensor, aten_update_str);

/* Gives the dict to the caller, or drops it when `status` is a failure. */
static tsm_status ret_dict(tsm_exec *x, tsm_value *out, tsm_dict *d, tsm_status status) {
    if (status == TSM_OK)
        *out = tsm_of(TSM_TAG_DICT, d);
    else
        tsm_drop(x, tsm_of(TSM_TAG_DICT, d));
    return status;
}

TSM_KERNEL(aten_copy_Dict_str) {
    tsm_dict *d;
    TSM_TRY(tsm_make_dict(x, arg_dict(in, 0)->length, &d));
    tsm_set_type(&d->header, tsm_get_type(&arg_dict(in, 0)->header));
    return ret_dict(x, out, d, put_all(x, d, arg_dict(in, 0)));
}
TSM_KERNEL_ALIAS(aten_copy_Dict_int, aten_copy_Dict_str);
TSM_KERNEL_ALIAS(aten_copy_Dict_bool, aten_copy_Dict_str);
TSM_KERNEL_ALIAS(aten_copy_Dict_float, aten_copy_Dict_str);
TSM_KERNEL_ALIAS(aten_copy_Dict_complex, aten_copy_Dict_str);
TSM_KERNEL_ALIAS(aten_copy_Dict_Tensor, aten_copy_Dict_str);
TSM_KERNEL_ALIAS(aten_dict_Dict_str, aten_copy_Dict_str);
TSM_KERNEL_ALIAS(aten_dict_Dict_int, aten_copy_Dict_str);
TSM_KERNEL_ALIAS(aten_dict_Dict_bool, aten_copy_Dict_str);
TSM_KERNEL_ALIAS(aten_dict_Dict_float, aten_copy_Dict_str);
TSM_KERNEL_ALIAS(aten_dict_Dict_complex, aten_copy_Dict_str);
TSM_KERNEL_ALIAS(aten_dict_Dict_Tensor, aten_copy_Dict_str);

TSM_KERNEL(aten_dict) {
    TSM_UNUSED_IO();
    tsm_dict *d;
    TSM_TRY(tsm_make_dict(x, 0, &d));
    return ret_dict(x, out, d, TSM_OK);
}

static tsm_status put_pairs(tsm_exec *x, tsm_dict *d, const tsm_list *pairs) {
    for (uint32_t i = 0; i < pairs->length; i++) {
        tsm_value pair = pairs->items[i];
        if (pair.tag != TSM_TAG_TUPLE || tsm_as_tuple(pair)->length != 2)
            return TSM_RAISE(x, "%s: item %u is not a pair", tsm_op_name(x), (unsigned)i);
        TSM_TRY(tsm_dict_put(x, d, tsm_as_tuple(pair)->items[0], tsm_as_tuple(pair)->items[1]));
    }
    return TSM_OK;
}

TSM_KERNEL(aten_dict_str) {
    tsm_dict *d;
    TSM_TRY(tsm_make_dict(x, arg_list(in, 0)->length, &d));
    return ret_dict(x, out, d, put_pairs(x, d, arg_list(in, 0)));
}
TSM_KERNEL_ALIAS(aten_dict_int, aten_dict_str);
TSM_KERNEL_ALIAS(aten_dict_bool, aten_dict_str);
TSM_KERNEL_ALIAS(aten_dict_float, aten_dict_str);
TSM_KERNEL_ALIAS(aten_dict_complex, aten_dict_str);
TSM_KERNEL_ALIAS(aten_dict_Tensor, aten_dict_str);

/* ---- Lists of what is inside ---- */

typedef tsm_status (*entry_view)(tsm_exec *x, const tsm_dict_entry *e, tsm_value *out);

static tsm_status view_key(tsm_exec *x, const tsm_dict_entry *e, tsm_value *out) {
    (void)x;
    *out = tsm_hold(e->key);
    return TSM_OK;
}

static tsm_status view_item(tsm_exec *x, const tsm_dict_entry *e, tsm_value *out) {
    (void)x;
    *out = tsm_hold(e->item);
    return TSM_OK;
}

static tsm_status view_pair(tsm_exec *x, const tsm_dict_entry *e, tsm_value *out) {
    return make_pair(x, e->key, e->item, out);
}

/* A list of one value for each entry, in order. */
static tsm_status ret_views(tsm_exec *x, const tsm_value *const *in, tsm_value *out, entry_view view) {
    const tsm_dict *d = arg_dict(in, 0);
    tsm_list *l;
    TSM_TRY(tsm_make_list(x, d->length, &l));
    tsm_status status = TSM_OK;
    size_t at = 0;
    tsm_dict_entry *e;
    while (status == TSM_OK && tsm_dict_next(d, &at, &e)) {
        status = view(x, e, &l->items[l->length]);
        l->length += status == TSM_OK;
    }
    return tsm_lang_ret_list(x, out, l, status);
}

TSM_KERNEL(aten_keys_str) {
    return ret_views(x, in, out, view_key);
}
TSM_KERNEL_ALIAS(aten_keys_int, aten_keys_str);
TSM_KERNEL_ALIAS(aten_keys_bool, aten_keys_str);
TSM_KERNEL_ALIAS(aten_keys_float, aten_keys_str);
TSM_KERNEL_ALIAS(aten_keys_complex, aten_keys_str);
TSM_KERNEL_ALIAS(aten_keys_Tensor, aten_keys_str);

TSM_KERNEL(aten_values_str) {
    return ret_views(x, in, out, view_item);
}
TSM_KERNEL_ALIAS(aten_values_int, aten_values_str);
TSM_KERNEL_ALIAS(aten_values_bool, aten_values_str);
TSM_KERNEL_ALIAS(aten_values_float, aten_values_str);
TSM_KERNEL_ALIAS(aten_values_complex, aten_values_str);
TSM_KERNEL_ALIAS(aten_values_Tensor, aten_values_str);

TSM_KERNEL(aten_items_str) {
    return ret_views(x, in, out, view_pair);
}
TSM_KERNEL_ALIAS(aten_items_int, aten_items_str);
TSM_KERNEL_ALIAS(aten_items_bool, aten_items_str);
TSM_KERNEL_ALIAS(aten_items_float, aten_items_str);
TSM_KERNEL_ALIAS(aten_items_complex, aten_items_str);
TSM_KERNEL_ALIAS(aten_items_Tensor, aten_items_str);
