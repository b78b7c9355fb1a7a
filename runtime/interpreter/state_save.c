/* tsm_instance_save: what the program has changed of its constants, and what hangs on that, as records (state.h). What
 * other workers have a part in is looked up in the structs of remote.h: no function of the remote calls is linked. */
#include <string.h>

#include "runtime/interpreter/check_sums.h"
#include "runtime/interpreter/instance.h"
#include "runtime/interpreter/met.h"
#include "runtime/interpreter/remote.h"
#include "runtime/interpreter/state.h"
#include "runtime/tensor/tensor.h"
#include "runtime/value/random_state.h"

typedef struct {
    tsm_instance *inst;
    uint8_t *memory; /* NULL: bytes are only counted */
    size_t room, used;
    uint32_t records;
    tsm_met met; /* what has a number */
} saver;

/* ---- Writing ---- */

static void state_put(saver *s, const void *data, size_t n) {
    if (s->memory && n <= s->room && s->used <= s->room - n && n)
        memcpy(s->memory + s->used, data, n);
    s->used += n;
}

static void state_put_number(saver *s, uint64_t n) {
    state_put(s, &n, sizeof n);
}

static void put_bytes(saver *s, const void *data, size_t n) {
    static const uint8_t zeros[STATE_ALIGN];
    state_put(s, data, n);
    state_put(s, zeros, (size_t)(state_padded(n) - n));
}

static void put_record(saver *s, uint32_t kind, uint32_t number, uint64_t count, uint32_t type) {
    const state_record r = {kind, number, count, type, 0};
    s->records++;
    state_put(s, &r, sizeof r);
}

static void state_put_value(saver *s, tsm_value v) {
    state_value to = {v.tag, 0, 0};
    if (tsm_is_object(v))
        to.bits = tsm_met_number(&s->met, v.as.o, v.tag);
    else if (v.tag == TSM_TAG_BOOL)
        to.bits = v.as.b;
    else if (v.tag == TSM_TAG_DEVICE)
        to.bits = v.as.device;
    else if (v.tag != TSM_TAG_NONE)
        memcpy(&to.bits, &v.as.i, sizeof to.bits);
    state_put(s, &to, sizeof to);
}

static void put_values(saver *s, const tsm_value *items, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        state_put_value(s, items[i]);
}

static void save_dict(saver *s, uint32_t number, const tsm_dict *d) {
    put_record(s, TSM_TAG_DICT, number, d->length, d->header.type);
    tsm_dict_entry *e;
    for (size_t at = 0; tsm_dict_next(d, &at, &e);) {
        state_put_value(s, e->key);
        state_put_value(s, e->item);
    }
}

static void save_tensor(saver *s, uint32_t number, const tsm_tensor *t) {
    const tsm_quantizer *q = t->quantizer;
    const tsm_storage *storage = t->storage;
    const uint32_t flags = (uint32_t)t->flags << STATE_FLAGS_SHIFT | (q ? STATE_HAS_QUANTIZER : 0);
    put_record(s, TSM_TAG_TENSOR, number, t->dims, t->dtype | flags);
    state_put_number(s, tsm_met_number(&s->met, storage, STATE_STORAGE));
    state_put_number(s,
                     t->data ? (size_t)((uint8_t *)t->data - storage->data) / tsm_dtype_size((tsm_dtype)t->dtype) : 0);
    for (int i = 0; i < 2 * t->dims; i++)
        state_put_number(s, (uint64_t)(i < t->dims ? t->sizes[i] : t->strides[i - t->dims]));
    if (!q)
        return;
    state_put_number(s, (uint64_t)(int64_t)tsm_quantizer_axis_word(q));
    state_put_number(s, (uint64_t)q->channels);
    state_put(s, q->scales, (size_t)q->channels * sizeof *q->scales);
    state_put(s, q->zero_points, (size_t)q->channels * sizeof *q->zero_points);
}

static void save_thing(saver *s, uint32_t number) {
    const tsm_met_thing m = s->met.things[number];
    const tsm_value v = tsm_of(m.kind, (void *)(uintptr_t)m.at);
    switch (m.kind) {
    case TSM_TAG_COMPLEX:
        put_record(s, m.kind, number, 0, 0);
        state_put(s, &tsm_as_complex(v)->re, sizeof(double));
        state_put(s, &tsm_as_complex(v)->im, sizeof(double));
        break;
    case TSM_TAG_STR:
        put_record(s, m.kind, number, tsm_as_str(v)->length, 0);
        put_bytes(s, tsm_as_str(v)->text, tsm_as_str(v)->length);
        break;
    case TSM_TAG_TENSOR:
        save_tensor(s, number, tsm_as_tensor(v));
        break;
    case TSM_TAG_LIST:
        put_record(s, m.kind, number, tsm_as_list(v)->length, tsm_as_list(v)->header.type);
        put_values(s, tsm_as_list(v)->items, tsm_as_list(v)->length);
        break;
    case TSM_TAG_TUPLE:
        put_record(s, m.kind, number, tsm_as_tuple(v)->length, tsm_as_tuple(v)->type);
        put_values(s, tsm_as_tuple(v)->items, tsm_as_tuple(v)->length);
        break;
    case TSM_TAG_DICT:
        save_dict(s, number, tsm_as_dict(v));
        break;
    case TSM_TAG_OBJECT:
        put_record(s, m.kind, number, tsm_as_object(v)->length, tsm_as_object(v)->type);
        put_values(s, tsm_as_object(v)->slots, tsm_as_object(v)->length);
        break;
    case TSM_TAG_ENUM:
        put_record(s, m.kind, number, tsm_as_enum(v)->member, tsm_as_enum(v)->type);
        break;
    case TSM_TAG_FUTURE:
        put_record(s, m.kind, number, 1, tsm_as_future(v)->failed);
        state_put_value(s, tsm_as_future(v)->value);
        break;
    default: { /* STATE_STORAGE */
        const tsm_storage *storage = m.at;
        put_record(s, m.kind, number, storage->bytes, 0);
        put_bytes(s, storage->data, storage->bytes);
    }
    }
}

/* ---- What is as in the file ---- */

static bool same_values(const tsm_instance *inst, tsmf_Constant c, const tsm_value *items, uint32_t n) {
    if (tsmf_Constant_items_len(c) != n)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const tsm_value as_built = inst->constants[tsmf_Constant_items(c)[i]];
        if (items[i].tag != as_built.tag || (items[i].tag && memcmp(&items[i].as, &as_built.as, sizeof items[i].as)))
            return false;
    }
    return true;
}

static bool same_dict(const tsm_instance *inst, tsmf_Constant c, const tsm_dict *d) {
    /* Equal keys of the file make one entry: such a dict counts as changed. */
    if (tsmf_Constant_items_len(c) != 2 * d->length || d->used != d->length)
        return false;
    const uint32_t *items = tsmf_Constant_items(c);
    tsm_dict_entry *e;
    for (size_t at = 0; tsm_dict_next(d, &at, &e); items += 2) {
        const tsm_value key = inst->constants[items[0]], item = inst->constants[items[1]];
        if (e->key.tag != key.tag || e->item.tag != item.tag || e->key.as.i != key.as.i || e->item.as.i != item.as.i)
            return false;
    }
    return true;
}

static bool same_numbers(const int64_t *stored, const tsm_dim *now, int n) {
    for (int i = 0; i < n; i++)
        if (stored[i] != now[i])
            return false;
    return true;
}

/* Of a tensor of the same sizes, so on the same axis there are as many channels. */
static bool same_quantizer(tsmf_TensorData t, const tsm_quantizer *q) {
    if (!q)
        return tsmf_TensorData_quantizer_axis(t) == -2;
    const size_t n = (size_t)q->channels;
    return tsmf_TensorData_quantizer_axis(t) == tsm_quantizer_axis_word(q) &&
           !memcmp(tsmf_TensorData_scales(t), q->scales, n * sizeof *q->scales) &&
           !memcmp(tsmf_TensorData_zero_points(t), q->zero_points, n * sizeof *q->zero_points);
}

/* Its elements are the storage's. */
static bool same_tensor(const tsm_instance *inst, tsmf_TensorData stored, const tsm_tensor *t) {
    const uint32_t dims = tsmf_TensorData_sizes_len(stored);
    const tsm_storage *storage = inst->storages[tsmf_TensorData_storage(stored)];
    return t->dtype == tsmf_TensorData_dtype(stored) && t->dims == dims && t->storage == storage &&
           t->flags == (tsmf_TensorData_requires_grad(stored) ? TSM_TENSOR_REQUIRES_GRAD : 0) &&
           (uint8_t *)t->data == storage->data + tsmf_TensorData_offset(stored) * tsm_dtype_size((tsm_dtype)t->dtype) &&
           same_numbers(tsmf_TensorData_sizes(stored), t->sizes, t->dims) &&
           same_numbers(tsmf_TensorData_strides(stored), t->strides, t->dims) && same_quantizer(stored, t->quantizer);
}

static bool is_as_built(const tsm_instance *inst, uint32_t constant) {
    const tsmf_Constant c = tsmf_Program_constants(inst->root, constant);
    const tsm_value v = inst->constants[constant];
    switch (v.tag) {
    case TSM_TAG_TENSOR:
        return same_tensor(inst, tsmf_Constant_tensor(c), tsm_as_tensor(v));
    case TSM_TAG_LIST:
        return same_values(inst, c, tsm_as_list(v)->items, tsm_as_list(v)->length);
    case TSM_TAG_DICT:
        return same_dict(inst, c, tsm_as_dict(v));
    case TSM_TAG_OBJECT:
        return same_values(inst, c, tsm_as_object(v)->slots, tsm_as_object(v)->length);
    default:
        return true;
    }
}

/* The file's storage i while tensors still use it, else NULL. */
static const tsm_storage *storage_in_use(const tsm_instance *inst, uint32_t i) {
    const tsm_storage *s = inst->storages[i];
    return s && s->references ? s : NULL;
}

static bool is_storage_as_built(const tsm_instance *inst, uint32_t i) {
    const tsm_storage *s = storage_in_use(inst, i);
    const tsmf_Storage *stored = &tsmf_Program_storages(inst->root)[i];
    return !s || !stored->mutable_ || !memcmp(s->data, inst->program->segment + stored->offset, s->bytes);
}

/* ---- All of it ---- */

static void number_what_the_file_has(saver *s) {
    const tsm_instance *inst = s->inst;
    for (uint32_t i = 0; i < tsmf_Program_constants_len(inst->root); i++) {
        const tsm_value v = inst->constants[i];
        tsm_met_add(&s->met, tsm_is_object(v) ? v.as.o : NULL, v.tag);
    }
    for (uint32_t i = 0; i < tsmf_Program_storages_len(inst->root); i++)
        tsm_met_add(&s->met, storage_in_use(inst, i), STATE_STORAGE);
}

static void save_all(saver *s) {
    const tsm_instance *inst = s->inst;
    const uint32_t constants = tsmf_Program_constants_len(inst->root),
                   of_file = constants + tsmf_Program_storages_len(inst->root);
    number_what_the_file_has(s);
    if (inst->exec.random) {
        put_record(s, STATE_RANDOM, 0, 0, 0);
        state_put(s, inst->exec.random, sizeof *inst->exec.random);
    }
    for (uint32_t i = 0; i < s->met.count && !s->met.is_full; i++)
        if (i >= of_file || !(i < constants ? is_as_built(inst, i) : is_storage_as_built(inst, i - constants)))
            save_thing(s, i);
}

/* ---- What cannot be saved ---- */

/* What only a worker can have: why it cannot be saved, else NULL. */
static const char *reason_of_future(const remote_state *r, const tsm_future *f) {
    for (const remote_rref *rref = r ? r->rrefs : NULL; rref; rref = rref->next)
        if (rref->object == f)
            return "an RRef cannot be saved: it is a part of the workers that count it";
    for (const remote_call *call = r ? r->calls : NULL; call; call = call->next)
        if (call->future == f)
            return "a future whose answer another worker has not given yet cannot be saved";
    return NULL;
}

static const char *reason_not_to_save(const saver *s) {
    const char *reason = NULL;
    for (uint32_t i = 0; i < s->met.count && !reason; i++) {
        const tsm_met_thing m = s->met.things[i];
        if (m.kind == TSM_TAG_TENSOR && ((const tsm_tensor *)m.at)->flags & TSM_TENSOR_NESTED)
            reason = "a nested tensor cannot be saved";
        else if (m.kind == TSM_TAG_FUTURE)
            reason = reason_of_future(remote_of(&s->inst->exec), m.at);
    }
    return reason;
}

/* ---- The whole ---- */

static void finish_head(const saver *s) {
    const tsm_program *program = s->inst->program;
    state_head h = {.mark = STATE_MARK,
                    .version = STATE_VERSION,
                    .bytes = s->used,
                    .file_bytes = program->file_bytes,
                    .program = tsm_sum_of_program(program),
                    .records = s->records,
                    .sum = tsm_sum_of(s->memory + sizeof h, s->used - sizeof h)};
    h.head_sum = tsm_sum_of((const uint8_t *)&h, STATE_HEAD_SUMMED);
    memcpy(s->memory, &h, sizeof h);
}

tsm_status tsm_instance_save(tsm_instance *inst, void *memory, size_t bytes, size_t *needed) {
    tsm_exec *x = &inst->exec;
    saver s = {.inst = inst, .memory = memory, .room = bytes, .used = sizeof(state_head), .met.x = x};
    save_all(&s);
    const char *reason = s.met.is_full ? NULL : reason_not_to_save(&s);
    tsm_met_free(&s.met);
    tsm_heap_settle(&x->heap);
    *needed = 0;
    if (s.met.is_full)
        return TSM_OUT_OF_MEMORY;
    if (reason)
        return tsm_fail(x, TSM_UNSUPPORTED, "%s", reason);
    *needed = s.used;
    if (!memory)
        return TSM_OK;
    if (s.used > bytes)
        return tsm_fail(x, TSM_OUT_OF_MEMORY, "the state needs %zu bytes, there is room for %zu", s.used, bytes);
    finish_head(&s);
    return TSM_OK;
}
