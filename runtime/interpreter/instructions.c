/* Instructions that are too long for the interpreter's loop. */
#include "runtime/interpreter/machine.h"
#include "runtime/tensor/tensor.h"
#include "runtime/value/letter.h"
#include "runtime/value/parts.h"

/* RAISE: the message, None where it stands in its place already, and the exception's class when it is known. */
TSM_PART tsm_status tsm_machine_raise(machine *m, const uint32_t *words) {
    tsm_value message = tsm_machine_read_word(m, words[0]), kind = tsm_machine_read_word(m, words[1]);
    if (message.tag == TSM_TAG_NONE) {
        m->inst->names_class = kind.tag == TSM_TAG_STR;
        return TSM_RAISED;
    }
    if (message.tag != TSM_TAG_STR || (kind.tag != TSM_TAG_STR && kind.tag != TSM_TAG_NONE))
        return tsm_machine_wrong_tag(m);
    const tsm_str *text = tsm_as_str(message);
    if (kind.tag == TSM_TAG_NONE)
        return TSM_RAISE(m->x, "%.*s", (int)text->length, text->text);
    m->inst->names_class = true;
    const tsm_str *name = tsm_as_str(kind);
    return TSM_RAISE(m->x, "%.*s: %.*s", (int)name->length, name->text, (int)text->length, text->text);
}

TSM_PART tsm_status tsm_machine_print_values(machine *m, const uint32_t *list) {
    tsm_text t = {0};
    for (uint32_t i = 0; i < list[0]; i++) {
        tsm_text_add(m->x, &t, " ", i > 0);
        tsm_text_add_value(m->x, &t, tsm_machine_read_word(m, list[2 + i]));
    }
    tsm_text_add(m->x, &t, "\n", 1);
    if (t.status == TSM_OK)
        t.status = machine_charge_many(m, t.length);
    if (t.status == TSM_OK)
        tsm_print(m->x, t.text, t.length);
    tsm_text_free(m->x, &t);
    tsm_machine_drop_last_uses(m, list + 2, list[0]);
    return t.status;
}

/* Each WARN site warns once. */
TSM_PART tsm_status tsm_machine_warn(machine *m, uint32_t site, const uint32_t *list) {
    tsm_value text = tsm_machine_read_word(m, list[2]);
    if (text.tag != TSM_TAG_STR)
        return tsm_machine_wrong_tag(m);
    if (!m->inst->warned[site]) {
        m->inst->warned[site] = 1;
        tsm_warn(m->x, tsm_as_str(text)->text, tsm_as_str(text)->length);
    }
    tsm_machine_drop_last_uses(m, list + 2, list[0]);
    return TSM_OK;
}

TSM_PART tsm_status tsm_machine_construct_list(machine *m, const uint32_t *list, tsm_value *out) {
    tsm_list *l;
    uint32_t n = list[0];
    TSM_TRY(machine_charge_many(m, n));
    TSM_TRY(tsm_make_list(m->x, n, &l));
    tsm_set_type(&l->header, list[2 + n]);
    for (uint32_t i = 0; i < n; i++)
        l->items[i] = tsm_machine_take_word(m, list[2 + i]);
    l->length = n;
    *out = tsm_of(TSM_TAG_LIST, l);
    return TSM_OK;
}

TSM_PART tsm_status tsm_machine_construct_tuple(machine *m, const uint32_t *list, uint32_t type, tsm_value *out) {
    tsm_tuple *t;
    TSM_TRY(machine_charge_many(m, list[0]));
    TSM_TRY(tsm_make_tuple(m->x, list[0], type, &t));
    for (uint32_t i = 0; i < list[0]; i++)
        t->items[i] = tsm_machine_take_word(m, list[2 + i]);
    *out = tsm_of(TSM_TAG_TUPLE, t);
    return TSM_OK;
}

TSM_PART tsm_status tsm_machine_construct_dict(machine *m, const uint32_t *list, tsm_value *out) {
    tsm_dict *d;
    uint32_t n = list[0];
    TSM_TRY(machine_charge_many(m, n));
    TSM_TRY(tsm_make_dict(m->x, n / 2, &d));
    tsm_set_type(&d->header, list[2 + n]);
    for (uint32_t i = 0; i < n; i += 2) /* there is room */
        tsm_dict_put(m->x, d, tsm_machine_read_word(m, list[2 + i]), tsm_machine_read_word(m, list[3 + i]));
    *out = tsm_of(TSM_TAG_DICT, d);
    tsm_machine_drop_last_uses(m, list + 2, n);
    return TSM_OK;
}

TSM_PART tsm_status tsm_machine_unpack(machine *m, uint32_t tag, tsm_value v, const uint32_t *list) {
    if (v.tag != tag)
        return tsm_machine_wrong_tag(m);
    uint32_t n = list[1], have = tag == TSM_TAG_LIST ? tsm_as_list(v)->length : tsm_as_tuple(v)->length;
    const tsm_value *items = tag == TSM_TAG_LIST ? tsm_as_list(v)->items : tsm_as_tuple(v)->items;
    TSM_TRY(machine_charge_many(m, n));
    if (have != n)
        return TSM_RAISE(m->x, "Expected %u elements in a list but found %u", n, have);
    tsm_hold(v); /* one of the results may take v's register */
    tsm_status status = TSM_OK;
    for (uint32_t i = 0; i < n && status == TSM_OK; i++)
        status = store_top(m, list[2 + i], tsm_hold(items[i]));
    tsm_drop(m->x, v);
    return status;
}

TSM_PART tsm_status tsm_machine_slice_tuple(machine *m, tsm_value v, const uint32_t *list, tsm_value *out) {
    if (v.tag != TSM_TAG_TUPLE || list[2] > list[3] || list[3] > tsm_as_tuple(v)->length)
        return tsm_machine_wrong_tag(m);
    tsm_tuple *t;
    TSM_TRY(machine_charge_many(m, list[3] - list[2]));
    TSM_TRY(tsm_make_tuple(m->x, list[3] - list[2], 0, &t));
    for (uint32_t i = 0; i < t->length; i++)
        t->items[i] = tsm_hold(tsm_as_tuple(v)->items[list[2] + i]);
    *out = tsm_of(TSM_TAG_TUPLE, t);
    return TSM_OK;
}

TSM_PART tsm_status tsm_machine_is_any_of(machine *m, tsm_value v, const uint32_t *list, int64_t *is_any) {
    uint32_t i = 0;
    while (i < list[0] && !tsm_value_is(m->inst, v, list[2 + i]))
        i++;
    *is_any = i < list[0];
    return tsm_machine_charge(m, 0);
}

TSM_PART tsm_status tsm_machine_compare_strings(machine *m, tsm_value a, tsm_value b, int64_t *order) {
    if (a.tag != TSM_TAG_STR || b.tag != TSM_TAG_STR)
        return tsm_machine_wrong_tag(m);
    *order = tsm_str_compare(tsm_as_str(a), tsm_as_str(b));
    return machine_charge_many(m, tsm_as_str(a)->length);
}

TSM_PART tsm_status tsm_machine_missing_key(machine *m, tsm_value key) {
    tsm_text t = {0};
    if (tsm_text_add_value(m->x, &t, key) == TSM_OK)
        t.status = TSM_RAISE(m->x, "KeyError: %.*s", (int)t.length, t.text);
    tsm_text_free(m->x, &t);
    return t.status;
}

TSM_PART tsm_status tsm_machine_no_letter(machine *m, tsm_value s, int64_t at) {
    return tsm_str_no_letter(m->x, tsm_as_str(s), at);
}

TSM_PART tsm_status tsm_machine_wait_for(machine *m, tsm_value v, tsm_value *out) {
    if (v.tag != TSM_TAG_FUTURE)
        return tsm_machine_wrong_tag(m);
    const tsm_future *f = tsm_as_future(v);
    if (f->failed)
        return TSM_RAISE(m->x, "%.*s", (int)tsm_as_str(f->value)->length, tsm_as_str(f->value)->text);
    *out = tsm_hold(f->value);
    return TSM_OK;
}

tsm_status tsm_machine_guard(machine *m, const uint32_t *list, int64_t *passed) {
    uint32_t n = list[0];
    tsmf_Plan plan = tsmf_Program_plans(m->inst->root, list[2 + n]);
    const uint32_t *at = tsmf_Plan_guards(plan), *end = at + tsmf_Plan_guards_len(plan);
    bool fits = true;
    TSM_TRY(machine_charge_many(m, n));
    for (uint32_t i = 0; i < n && fits; i++)
        fits = tsm_plan_admits(tsm_machine_read_word(m, list[2 + i]), &at, end);
    tsm_machine_drop_last_uses(m, list + 2, n);
    *passed = fits; /* its register may be that of an input */
    return fits ? tsm_plan_begin(m->inst, plan) : TSM_OK;
}
