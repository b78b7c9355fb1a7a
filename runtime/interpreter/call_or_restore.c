/* tsm_call_or_restore: keeps what a call may change, and puts it back when the call fails.
 *
 * Kept are all objects, lists, dicts and tensors that the instance's constants lead to, each by another one of its kind
 * with the same contents, and the elements of storages. Putting back takes no memory, so it cannot fail. */
#include <string.h>

#include "runtime/interpreter/instance.h"
#include "runtime/interpreter/met.h"
#include "runtime/tensor/tensor.h"
#include "runtime/value/random_state.h"

/* What is kept of a thing of the same number. */
typedef struct {
    tsm_value twin;    /* of an object, list, dict or tensor; else None */
    uint8_t *elements; /* of a storage */
} kept_thing;

typedef struct {
    tsm_instance *inst;
    tsm_exec *x;
    tsm_met met;
    kept_thing *kept;
    tsm_random *random; /* NULL: there was none */
    bool grad_enabled;
} keeper;

/* ---- What there is ---- */

static void keep_met(keeper *k, tsm_value v) {
    if (tsm_is_object(v))
        tsm_met_number(&k->met, v.as.o, v.tag);
}

static void keep_met_all(keeper *k, const tsm_value *items, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        keep_met(k, items[i]);
}

/* Meets what a thing leads to. */
static void meet_contents(keeper *k, uint32_t number) {
    const tsm_met_thing m = k->met.things[number];
    const tsm_value v = tsm_of(m.kind, (void *)(uintptr_t)m.at);
    tsm_dict_entry *e;
    switch (m.kind) {
    case TSM_TAG_TENSOR:
        tsm_met_number(&k->met, tsm_as_tensor(v)->storage, TSM_MET_STORAGE);
        break;
    case TSM_TAG_LIST:
        keep_met_all(k, tsm_as_list(v)->items, tsm_as_list(v)->length);
        break;
    case TSM_TAG_TUPLE:
        keep_met_all(k, tsm_as_tuple(v)->items, tsm_as_tuple(v)->length);
        break;
    case TSM_TAG_DICT:
        for (size_t at = 0; tsm_dict_next(tsm_as_dict(v), &at, &e);) {
            keep_met(k, e->key);
            keep_met(k, e->item);
        }
        break;
    case TSM_TAG_OBJECT:
        keep_met_all(k, tsm_as_object(v)->slots, tsm_as_object(v)->length);
        break;
    case TSM_TAG_FUTURE:
        keep_met(k, tsm_as_future(v)->value);
        break;
    default:
        break;
    }
}

static tsm_status meet_all(keeper *k) {
    keep_met_all(k, k->inst->constants, tsmf_Program_constants_len(k->inst->root));
    for (uint32_t i = 0; i < k->met.count && !k->met.is_full; i++)
        meet_contents(k, i);
    return k->met.is_full ? TSM_OUT_OF_MEMORY : TSM_OK;
}

/* ---- Keeping ---- */

static tsm_status keep_list(tsm_exec *x, const tsm_list *l, tsm_value *out) {
    tsm_list *twin;
    TSM_TRY(tsm_make_list(x, l->length, &twin));
    for (uint32_t i = 0; i < l->length; i++)
        twin->items[i] = tsm_hold(l->items[i]);
    twin->length = l->length;
    *out = tsm_of(TSM_TAG_LIST, twin);
    return TSM_OK;
}

static tsm_status keep_dict(tsm_exec *x, const tsm_dict *d, tsm_value *out) {
    tsm_dict *twin;
    tsm_dict_entry *e;
    TSM_TRY(tsm_make_dict(x, d->length, &twin));
    *out = tsm_of(TSM_TAG_DICT, twin);
    for (size_t at = 0; tsm_dict_next(d, &at, &e);)
        TSM_TRY(tsm_dict_add(x, twin, e->key, e->item));
    return TSM_OK;
}

static tsm_status keep_object(tsm_exec *x, const tsm_object *o, tsm_value *out) {
    tsm_object *twin;
    TSM_TRY(tsm_make_object(x, o->type, o->length, &twin));
    for (uint32_t i = 0; i < o->length; i++)
        twin->slots[i] = tsm_hold(o->slots[i]);
    *out = tsm_of(TSM_TAG_OBJECT, twin);
    return TSM_OK;
}

static tsm_status keep_tensor(tsm_exec *x, const tsm_tensor *t, tsm_value *out) {
    tsm_tensor *twin;
    TSM_TRY(tsm_tensor_shell(x, (tsm_dtype)t->dtype, t->dims, t->sizes, t->strides, &twin));
    twin->storage = t->storage;
    twin->storage->references++;
    twin->data = t->data;
    twin->flags = t->flags;
    twin->quantizer = t->quantizer;
    if (twin->quantizer)
        twin->quantizer->references++;
    *out = tsm_of_tensor(twin);
    return TSM_OK;
}

/* Constants are never written. */
static tsm_status keep_storage(tsm_exec *x, const tsm_storage *s, uint8_t **out) {
    if (s->flags & TSM_STORAGE_CONSTANT || !s->bytes)
        return TSM_OK;
    *out = tsm_scratch(x, s->bytes);
    if (!*out)
        return TSM_OUT_OF_MEMORY;
    memcpy(*out, s->data, s->bytes);
    return TSM_OK;
}

static tsm_status keep_thing(tsm_exec *x, tsm_met_thing m, kept_thing *out) {
    const tsm_value v = tsm_of(m.kind, (void *)(uintptr_t)m.at);
    switch (m.kind) {
    case TSM_TAG_LIST:
        return keep_list(x, tsm_as_list(v), &out->twin);
    case TSM_TAG_DICT:
        return keep_dict(x, tsm_as_dict(v), &out->twin);
    case TSM_TAG_OBJECT:
        return keep_object(x, tsm_as_object(v), &out->twin);
    case TSM_TAG_TENSOR:
        return keep_tensor(x, tsm_as_tensor(v), &out->twin);
    case TSM_MET_STORAGE:
        return keep_storage(x, m.at, &out->elements);
    default:
        return TSM_OK;
    }
}

/* What was kept before a failure is in k->kept. */
static tsm_status keep_all(keeper *k) {
    tsm_exec *x = k->x;
    TSM_TRY(meet_all(k));
    const size_t bytes = k->met.count * sizeof *k->kept;
    k->kept = tsm_allocate(x, bytes + 1);
    if (!k->kept)
        return TSM_OUT_OF_MEMORY;
    memset(k->kept, 0, bytes);
    for (uint32_t i = 0; i < k->met.count; i++)
        TSM_TRY(keep_thing(x, k->met.things[i], &k->kept[i]));
    k->grad_enabled = x->grad_enabled;
    if (!x->random)
        return TSM_OK;
    k->random = tsm_allocate(x, sizeof *k->random);
    if (!k->random)
        return TSM_OUT_OF_MEMORY;
    *k->random = *x->random;
    return TSM_OK;
}

/* ---- Putting back: lists, dicts and objects change their contents with their twins ---- */

static void restore_list(tsm_list *l, tsm_list *twin) {
    const tsm_list now = *l;
    l->length = twin->length;
    l->capacity = twin->capacity;
    l->items = twin->items;
    twin->length = now.length;
    twin->capacity = now.capacity;
    twin->items = now.items;
}

static void restore_dict(tsm_dict *d, tsm_dict *twin) {
    const tsm_dict now = *d, kept = *twin;
    const tsm_object_header headers[] = {d->header, twin->header};
    *d = kept;
    *twin = now;
    d->header = headers[0];
    twin->header = headers[1];
}

static void restore_object(tsm_object *o, tsm_object *twin) {
    for (uint32_t i = 0; i < o->length; i++) {
        const tsm_value now = o->slots[i];
        o->slots[i] = twin->slots[i];
        twin->slots[i] = now;
    }
}

/* There is room for as many dimensions as the tensor had. */
static void restore_tensor(tsm_exec *x, tsm_tensor *t, tsm_tensor *twin) {
    if (t->dims < twin->dims)
        t->dims = twin->dims;
    tsm_tensor_adopt(x, t, twin);
    t->flags = twin->flags;
}

static void restore_thing(tsm_exec *x, tsm_met_thing m, const kept_thing *kept) {
    const tsm_value v = tsm_of(m.kind, (void *)(uintptr_t)m.at);
    switch (kept->twin.tag) {
    case TSM_TAG_LIST:
        restore_list(tsm_as_list(v), tsm_as_list(kept->twin));
        break;
    case TSM_TAG_DICT:
        restore_dict(tsm_as_dict(v), tsm_as_dict(kept->twin));
        break;
    case TSM_TAG_OBJECT:
        restore_object(tsm_as_object(v), tsm_as_object(kept->twin));
        break;
    case TSM_TAG_TENSOR:
        restore_tensor(x, tsm_as_tensor(v), tsm_as_tensor(kept->twin));
        break;
    default:
        if (kept->elements) {
            const tsm_storage *s = m.at;
            memcpy(s->data, kept->elements, s->bytes);
        }
    }
}

static void restore_all(keeper *k) {
    tsm_exec *x = k->x;
    for (uint32_t i = 0; i < k->met.count; i++)
        restore_thing(x, k->met.things[i], &k->kept[i]);
    x->grad_enabled = k->grad_enabled;
    if (k->random) {
        *x->random = *k->random;
    } else {
        tsm_heap_free(&x->heap, x->random);
        x->random = NULL;
    }
}

static void forget_all(keeper *k) {
    for (uint32_t i = 0; k->kept && i < k->met.count; i++) {
        tsm_drop(k->x, k->kept[i].twin);
        if (k->kept[i].elements)
            tsm_scratch_free(k->x, k->kept[i].elements);
    }
    tsm_heap_free(&k->x->heap, k->kept);
    tsm_heap_free(&k->x->heap, k->random);
    tsm_met_free(&k->met);
    tsm_heap_settle(&k->x->heap);
}

tsm_status tsm_call_or_restore(tsm_instance *inst, int method, const tsm_value *arguments, size_t n,
                               tsm_value *result) {
    keeper k = {.inst = inst, .x = &inst->exec, .met.x = &inst->exec};
    *result = tsm_none();
    tsm_status status = keep_all(&k);
    if (status == TSM_OK) {
        status = tsm_call(inst, method, arguments, n, result);
        if (status != TSM_OK)
            restore_all(&k);
    }
    forget_all(&k);
    return status;
}
