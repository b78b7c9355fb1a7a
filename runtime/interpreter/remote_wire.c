/* Messages between workers as bytes: docs/remote.md has the form. Nothing that was received is believed. */
#include <string.h>

#include "runtime/interpreter/remote.h"
#include "runtime/interpreter/remote_sum.h"
#include "runtime/tensor/promotion.h"
#include "runtime/tensor/tensor.h"
#include "runtime/value/chars.h"

/* In front of a message; then the sender's name, a checksum of both, and the body. */
typedef struct {
    uint32_t mark;
    uint8_t version, kind, name_bytes, flags;
    uint64_t bytes, number;
    uint32_t body_sum;
} wire_head;

enum { WIRE_HEAD = 28, WIRE_IS_ASYNC = 1, WIRE_HAS_GRAD = 1, WIRE_HAS_QUANTIZER = 2 };
_Static_assert(offsetof(wire_head, body_sum) == 24, "the head has no gaps but behind it");

/* ---- Writing: once to count, once into memory ---- */

typedef struct {
    remote_state *r;
    uint32_t to;
    uint8_t *memory; /* NULL: only counts */
    size_t used;
} wire_writer;

static void wire_put(wire_writer *w, const void *bytes, size_t n) {
    if (w->memory && n)
        memcpy(w->memory + w->used, bytes, n);
    w->used += n;
}
static void wire_put_byte(wire_writer *w, uint8_t n) {
    wire_put(w, &n, 1);
}
static void wire_put_u32(wire_writer *w, uint32_t n) {
    wire_put(w, &n, sizeof n);
}
static void wire_put_u64(wire_writer *w, uint64_t n) {
    wire_put(w, &n, sizeof n);
}
static void wire_put_text(wire_writer *w, const char *text, size_t n) {
    wire_put_u32(w, (uint32_t)n);
    wire_put(w, text, n);
}
static void wire_put_worker(wire_writer *w, uint32_t worker) {
    const char *name = w->r->options.workers[worker];
    const size_t n = tsm_chars_length(name);
    wire_put_byte(w, (uint8_t)n);
    wire_put(w, name, n);
}
static void wire_put_id(wire_writer *w, remote_id id) {
    wire_put_worker(w, id.worker);
    wire_put_u64(w, id.number);
}

static tsm_status wire_put_tensor(wire_writer *w, tsm_tensor *t) {
    const tsm_quantizer *q = t->quantizer;
    const size_t item = tsm_dtype_size((tsm_dtype)t->dtype), bytes = (size_t)t->elements * item;
    if (t->flags & TSM_TENSOR_NESTED)
        return TSM_RAISE(w->r->x, "a nested tensor cannot be sent to another worker");
    wire_put_byte(w, t->dtype);
    wire_put_byte(w, t->dims);
    wire_put_byte(w,
                  (uint8_t)((t->flags & TSM_TENSOR_REQUIRES_GRAD ? WIRE_HAS_GRAD : 0) | (q ? WIRE_HAS_QUANTIZER : 0)));
    for (int d = 0; d < t->dims; d++)
        wire_put_u64(w, (uint64_t)t->sizes[d]);
    if (q) {
        wire_put_u64(w, (uint64_t)(int64_t)tsm_quantizer_axis_word(q));
        wire_put_u64(w, (uint64_t)q->channels);
        wire_put(w, q->scales, (size_t)q->channels * sizeof *q->scales);
        wire_put(w, q->zero_points, (size_t)q->channels * sizeof *q->zero_points);
    }
    if (!w->memory || tsm_tensor_is_contiguous(t)) {
        wire_put(w, t->data, bytes);
        return TSM_OK;
    }
    tsm_tensor *whole;
    TSM_TRY(tsm_tensor_contiguous(w->r->x, t, &whole));
    wire_put(w, whole->data, bytes);
    tsm_drop(w->r->x, tsm_of_tensor(whole));
    return TSM_OK;
}

/* A user hands a fork on, of which the receiver tells the owner; the owner knows of those that it hands out itself. To
 * the owner, and inside of one worker, the RRef itself goes. */
static tsm_status wire_put_rref(wire_writer *w, tsm_value v) {
    remote_state *r = w->r;
    remote_rref *rref = tsm_remote_find_object(r, v);
    if (!rref)
        return TSM_RAISE(r->x, "a future cannot be sent to another worker");
    const tsm_str *why = rref->is_ready && rref->owner != r->options.self ? tsm_as_str(rref->object->value) : NULL;
    if (why) /* its owner has no value for it */
        return TSM_RAISE(r->x, "%.*s", (int)why->length, why->text);
    uint64_t fork = 0;
    const uint32_t self = (uint32_t)r->options.self;
    if (w->memory && w->to != rref->owner && w->to != self) {
        fork = ++r->last_number;
        TSM_TRY(tsm_remote_add_fork(r, rref, (remote_id){self, fork}, w->to));
    }
    const tsmf_Type t = tsmf_Program_types(r->inst->root, rref->type);
    wire_put_worker(w, rref->owner);
    wire_put_id(w, rref->id);
    wire_put_u64(w, fork);
    wire_put_text(w, tsmf_Type_text(t), tsmf_Type_text_len(t));
    return TSM_OK;
}

static tsm_status wire_put_value(wire_writer *w, tsm_value v, int level);

static tsm_status wire_put_items(wire_writer *w, const tsm_value *items, uint32_t n, int level) {
    for (uint32_t i = 0; i < n; i++)
        TSM_TRY(wire_put_value(w, items[i], level + 1));
    return TSM_OK;
}

static void wire_put_class(wire_writer *w, uint32_t type) {
    const char *name = type == TSM_NO_INDEX ? "" : tsmf_Type_name(tsmf_Program_types(w->r->inst->root, type));
    wire_put_text(w, name, tsm_chars_length(name));
}

static tsm_status wire_put_container(wire_writer *w, tsm_value v, int level) {
    const tsm_dict *d = tsm_as_dict(v);
    switch (v.tag) {
    case TSM_TAG_LIST:
        wire_put_u32(w, tsm_as_list(v)->length);
        return wire_put_items(w, tsm_as_list(v)->items, tsm_as_list(v)->length, level);
    case TSM_TAG_TUPLE:
        wire_put_class(w, tsm_as_tuple(v)->type - 1);
        wire_put_u32(w, tsm_as_tuple(v)->length);
        return wire_put_items(w, tsm_as_tuple(v)->items, tsm_as_tuple(v)->length, level);
    case TSM_TAG_OBJECT:
        wire_put_class(w, tsm_as_object(v)->type);
        wire_put_u32(w, tsm_as_object(v)->length);
        return wire_put_items(w, tsm_as_object(v)->slots, tsm_as_object(v)->length, level);
    default:
        wire_put_u32(w, d->length);
        tsm_dict_entry *e;
        for (size_t at = 0; tsm_dict_next(d, &at, &e);) {
            TSM_TRY(wire_put_value(w, e->key, level + 1));
            TSM_TRY(wire_put_value(w, e->item, level + 1));
        }
        return TSM_OK;
    }
}

static tsm_status wire_put_value(wire_writer *w, tsm_value v, int level) {
    if (level > REMOTE_MOST_LEVELS)
        return TSM_RAISE(w->r->x, "a value for another worker has more than %d levels", REMOTE_MOST_LEVELS);
    wire_put_byte(w, (uint8_t)v.tag);
    switch (v.tag) {
    case TSM_TAG_NONE:
        return TSM_OK;
    case TSM_TAG_BOOL:
        wire_put_byte(w, v.as.b);
        return TSM_OK;
    case TSM_TAG_INT:
    case TSM_TAG_FLOAT:
        wire_put(w, &v.as.i, sizeof v.as.i);
        return TSM_OK;
    case TSM_TAG_DEVICE:
        wire_put_u32(w, v.as.device);
        return TSM_OK;
    case TSM_TAG_COMPLEX:
        wire_put(w, &tsm_as_complex(v)->re, sizeof(double));
        wire_put(w, &tsm_as_complex(v)->im, sizeof(double));
        return TSM_OK;
    case TSM_TAG_STR:
        wire_put_text(w, tsm_as_str(v)->text, tsm_as_str(v)->length);
        return TSM_OK;
    case TSM_TAG_TENSOR:
        return wire_put_tensor(w, tsm_as_tensor(v));
    case TSM_TAG_ENUM:
        wire_put_class(w, tsm_as_enum(v)->type);
        wire_put_text(w, tsm_as_enum(v)->name, tsm_chars_length(tsm_as_enum(v)->name));
        return TSM_OK;
    case TSM_TAG_FUTURE:
        return wire_put_rref(w, v);
    default: /* nothing makes a value of TSM_TAG_GENERATOR */
        return wire_put_container(w, v, level);
    }
}

static tsm_status wire_put_message(wire_writer *w, const remote_message *m) {
    w->used = WIRE_HEAD;
    const char *self = w->r->options.workers[w->r->options.self];
    wire_put(w, self, tsm_chars_length(self));
    wire_put_u32(w, 0); /* the head's checksum */
    switch (m->kind) {
    case REMOTE_CREATE:
        wire_put_u64(w, m->id.number);
        wire_put_u64(w, m->fork.number);
        __attribute__((fallthrough));
    case REMOTE_CALL:
        wire_put_text(w, m->text, m->text_bytes);
        __attribute__((fallthrough));
    case REMOTE_RESULT:
        return wire_put_value(w, m->value, 0);
    case REMOTE_ERROR:
        wire_put_text(w, m->text, m->text_bytes);
        return TSM_OK;
    case REMOTE_FETCH:
        wire_put_id(w, m->id);
        return TSM_OK;
    default: /* FORK, DELETE, ACCEPT */
        wire_put_id(w, m->id);
        wire_put_id(w, m->fork);
        return TSM_OK;
    }
}

static void wire_finish_head(const wire_writer *w, const remote_message *m) {
    const size_t name = tsm_chars_length(w->r->options.workers[w->r->options.self]), body = WIRE_HEAD + name + 4;
    wire_head h = {.mark = REMOTE_MARK,
                   .version = REMOTE_VERSION,
                   .kind = (uint8_t)m->kind,
                   .name_bytes = (uint8_t)name,
                   .flags = m->is_async ? WIRE_IS_ASYNC : 0,
                   .bytes = w->used,
                   .number = m->number};
    h.body_sum = tsm_remote_sum(w->memory + body, w->used - body);
    memcpy(w->memory, &h, WIRE_HEAD);
    const uint32_t sum = tsm_remote_sum(w->memory, WIRE_HEAD + name);
    memcpy(w->memory + WIRE_HEAD + name, &sum, sizeof sum);
}

/* Forks that were written for a message which did not go: the receiver never had them. */
static void wire_take_back(remote_state *r, uint64_t before) {
    for (remote_rref *rref = r->rrefs; rref; rref = rref->next)
        for (remote_fork *f = rref->forks, *next; f; f = next) {
            next = f->next;
            if (f->id.worker == r->options.self && f->id.number > before)
                tsm_remote_remove_fork(r, rref, f->id);
        }
}

static tsm_status wire_hand_over(remote_state *r, uint32_t worker, const wire_writer *w) {
    if (worker == r->options.self) {
        tsm_remote_handle(r, w->memory, w->used);
        return TSM_OK;
    }
    const char *name = r->options.workers[worker];
    if (r->transport.send(r->transport.context, name, w->memory, w->used))
        return TSM_OK;
    return TSM_RAISE(r->x, "worker %s cannot be reached", name);
}

tsm_status tsm_remote_send(remote_state *r, uint32_t worker, const remote_message *m) {
    wire_writer w = {r, worker, NULL, 0};
    const uint64_t before = r->last_number;
    TSM_TRY(wire_put_message(&w, m));
    const bool is_reserved = r->transport.reserve && worker != r->options.self;
    w.memory = is_reserved ? r->transport.reserve(r->transport.context, w.used) : tsm_scratch(r->x, w.used);
    if (!w.memory)
        return is_reserved ? TSM_RAISE(r->x, "a message of %zu bytes cannot be sent: there is no memory", w.used)
                           : TSM_OUT_OF_MEMORY;
    tsm_status status = wire_put_message(&w, m);
    if (status == TSM_OK) {
        wire_finish_head(&w, m);
        status = wire_hand_over(r, worker, &w);
    }
    if (status != TSM_OK)
        wire_take_back(r, before);
    if (!is_reserved)
        tsm_scratch_free(r->x, w.memory);
    return status;
}

/* ---- Reading ---- */

typedef struct {
    remote_state *r;
    const uint8_t *at, *end;
    uint32_t from;
    uint64_t serial;
} wire_reader;

static tsm_status wire_refuse(const wire_reader *in, const char *why) {
    return TSM_RAISE(in->r->x, "a message from %s is refused: %s", in->r->options.workers[in->from], why);
}

static tsm_status wire_get(wire_reader *in, void *to, size_t n) {
    if ((size_t)(in->end - in->at) < n)
        return wire_refuse(in, "it ends too early");
    memcpy(to, in->at, n);
    in->at += n;
    return TSM_OK;
}

/* Bytes that stay where they are. */
static tsm_status wire_get_text(wire_reader *in, const char **text, size_t *n) {
    uint32_t length;
    TSM_TRY(wire_get(in, &length, sizeof length));
    if ((size_t)(in->end - in->at) < length)
        return wire_refuse(in, "it ends too early");
    *text = (const char *)in->at;
    *n = length;
    in->at += length;
    return TSM_OK;
}

static tsm_status wire_get_worker(wire_reader *in, uint32_t *worker) {
    uint8_t n;
    TSM_TRY(wire_get(in, &n, 1));
    if ((size_t)(in->end - in->at) < n)
        return wire_refuse(in, "it ends too early");
    *worker = tsm_remote_worker(in->r, (const char *)in->at, n);
    in->at += n;
    return *worker == REMOTE_NOBODY ? wire_refuse(in, "it names a worker that is not known here") : TSM_OK;
}

static tsm_status wire_get_id(wire_reader *in, remote_id *id) {
    TSM_TRY(wire_get_worker(in, &id->worker));
    return wire_get(in, &id->number, sizeof id->number);
}

static tsm_status wire_get_quantizer(wire_reader *in, tsm_tensor *t) {
    int64_t axis;
    uint64_t channels;
    TSM_TRY(wire_get(in, &axis, sizeof axis));
    TSM_TRY(wire_get(in, &channels, sizeof channels));
    if (axis < -1 || axis >= TSM_QUANTIZER_FLOATS + TSM_MAX_DIMS || channels > (size_t)(in->end - in->at) / 16)
        return wire_refuse(in, "a tensor's scales are damaged");
    const size_t bytes = (size_t)channels * 8;
    uint8_t *arrays = tsm_allocate(in->r->x, bytes ? 2 * bytes : 1); /* those in the message may lie anywhere */
    if (!arrays)
        return TSM_OUT_OF_MEMORY;
    memcpy(arrays, in->at, 2 * bytes);
    in->at += 2 * bytes;
    const tsm_status status =
        tsm_tensor_quantize_by(in->r->x, t, (int)axis, (tsm_dim)channels, (const double *)(const void *)arrays,
                               (const int64_t *)(const void *)(arrays + bytes));
    tsm_heap_free(&in->r->x->heap, arrays);
    return status == TSM_BAD_ARGUMENT ? wire_refuse(in, "a tensor's scales do not fit it") : status;
}

/* *out needs dropping, too, when it fails. */
static tsm_status wire_get_tensor(wire_reader *in, tsm_value *out) {
    uint8_t shape[3];
    tsm_dim sizes[TSM_MAX_DIMS];
    TSM_TRY(wire_get(in, shape, sizeof shape));
    const bool is_quantized = shape[2] & WIRE_HAS_QUANTIZER;
    if (!tsm_dtype_exists(shape[0]) || shape[1] > TSM_MAX_DIMS || shape[2] > (WIRE_HAS_GRAD | WIRE_HAS_QUANTIZER) ||
        tsm_dtype_is_quantized((tsm_dtype)shape[0]) != is_quantized)
        return wire_refuse(in, "a tensor is damaged");
    const size_t item = tsm_dtype_size((tsm_dtype)shape[0]);
    size_t bytes = item;
    bool is_empty = false;
    for (int d = 0; d < shape[1]; d++) {
        uint64_t size;
        TSM_TRY(wire_get(in, &size, sizeof size));
        if (size > PTRDIFF_MAX || (size && bytes > (size_t)PTRDIFF_MAX / (size_t)size))
            return wire_refuse(in, "a tensor is larger than the address space");
        sizes[d] = (tsm_dim)size;
        bytes *= size ? (size_t)size : 1;
        is_empty |= !size;
    }
    bytes = is_empty ? 0 : bytes;
    if (bytes > (size_t)(in->end - in->at))
        return wire_refuse(in, "it ends too early");
    tsm_tensor *t;
    TSM_TRY(tsm_tensor_make(in->r->x, (tsm_dtype)shape[0], shape[1], sizes, &t));
    *out = tsm_of_tensor(t);
    if (shape[2] & WIRE_HAS_GRAD)
        t->flags |= TSM_TENSOR_REQUIRES_GRAD;
    if (is_quantized)
        TSM_TRY(wire_get_quantizer(in, t));
    return bytes ? wire_get(in, t->data, bytes) : TSM_OK;
}

/* The type of the program with this text; TSM_NO_INDEX: none. */
static uint32_t wire_type(const tsm_instance *inst, const char *text, size_t n) {
    for (uint32_t i = 0; i < tsmf_Program_types_len(inst->root); i++) {
        const tsmf_Type t = tsmf_Program_types(inst->root, i);
        if (tsmf_Type_text_len(t) == n && !memcmp(tsmf_Type_text(t), text, n))
            return i;
    }
    return TSM_NO_INDEX;
}

/* The type of a kind and with a name that comes next; `may_be_none`: an empty name gives TSM_NO_INDEX. */
static tsm_status wire_get_class(wire_reader *in, uint32_t kind, bool may_be_none, uint32_t *type) {
    const char *text;
    size_t n;
    TSM_TRY(wire_get_text(in, &text, &n));
    *type = TSM_NO_INDEX;
    if (!n && may_be_none)
        return TSM_OK;
    const tsmf_Program root = in->r->inst->root;
    for (uint32_t i = 0; i < tsmf_Program_types_len(root); i++) {
        const tsmf_Type t = tsmf_Program_types(root, i);
        const char *name = tsmf_Type_name(t);
        if (tsmf_Type_kind(t) == kind && tsm_chars_length(name) == n && !memcmp(name, text, n)) {
            *type = i;
            return TSM_OK;
        }
    }
    return wire_refuse(in, "it has a value of a class that this program does not have");
}

static tsm_status wire_get_enum(wire_reader *in, tsm_value *out) {
    uint32_t type;
    const char *text;
    size_t n;
    TSM_TRY(wire_get_class(in, TSMF_TypeKind_Enum, false, &type));
    TSM_TRY(wire_get_text(in, &text, &n));
    const tsmf_Type t = tsmf_Program_types(in->r->inst->root, type);
    for (uint32_t i = 0; i < tsmf_Type_members_len(t); i++) {
        const char *name = tsmf_Type_field_names(t, i);
        if (tsm_chars_length(name) == n && !memcmp(name, text, n))
            return tsm_make_enum(in->r->x, type, i, name, in->r->inst->constants[tsmf_Type_members(t)[i]], out);
    }
    return wire_refuse(in, "it has an enum's member that this program does not have");
}

static tsm_status wire_get_rref(wire_reader *in, tsm_value *out) {
    remote_state *r = in->r;
    uint32_t owner;
    remote_id id;
    uint64_t fork;
    const char *text;
    size_t n;
    TSM_TRY(wire_get_worker(in, &owner));
    TSM_TRY(wire_get_id(in, &id));
    TSM_TRY(wire_get(in, &fork, sizeof fork));
    TSM_TRY(wire_get_text(in, &text, &n));
    const uint32_t type = wire_type(r->inst, text, n);
    const bool is_owned = owner == r->options.self, is_own = in->from == r->options.self;
    remote_rref *rref = is_owned || is_own ? tsm_remote_find(r, id, is_owned) : NULL;
    if (is_owned || is_own) {
        if (!rref || rref->type != type)
            return wire_refuse(in, "it has an RRef that does not exist");
        *out = tsm_hold(tsm_of(TSM_TAG_FUTURE, rref->object));
        return TSM_OK;
    }
    if (type == TSM_NO_INDEX || !fork)
        return wire_refuse(in, "it has an RRef of a type that this program does not have");
    rref = tsm_remote_new_rref(r, id, owner, type);
    if (!rref)
        return TSM_OUT_OF_MEMORY;
    *out = tsm_hold(tsm_of(TSM_TAG_FUTURE, rref->object));
    rref->fork = (remote_id){in->from, fork};
    rref->parent = in->from;
    rref->wanted_by = in->serial;
    rref->is_confirmed = rref->is_counted = in->from == owner;
    if (!rref->is_confirmed)
        tsm_remote_tell_owner(r, rref);
    return TSM_OK;
}

static tsm_status wire_get_value(wire_reader *in, tsm_value *out, int level);

/* The number of items that follow, each of at least one byte. */
static tsm_status wire_get_count(wire_reader *in, uint32_t *n) {
    TSM_TRY(wire_get(in, n, sizeof *n));
    return *n > (size_t)(in->end - in->at) ? wire_refuse(in, "it ends too early") : TSM_OK;
}

static tsm_status wire_get_items(wire_reader *in, tsm_value *items, uint32_t n, int level) {
    for (uint32_t i = 0; i < n; i++)
        TSM_TRY(wire_get_value(in, &items[i], level + 1));
    return TSM_OK;
}

static tsm_status wire_get_list(wire_reader *in, tsm_value *out, int level) {
    uint32_t n;
    tsm_list *l;
    TSM_TRY(wire_get_count(in, &n));
    TSM_TRY(tsm_make_list(in->r->x, n, &l));
    *out = tsm_of(TSM_TAG_LIST, l);
    for (; l->length < n; l->length++) {
        tsm_value v = tsm_none();
        const tsm_status status = wire_get_value(in, &v, level + 1);
        if (status != TSM_OK) {
            tsm_drop(in->r->x, v);
            return status;
        }
        l->items[l->length] = v;
    }
    return TSM_OK;
}

static tsm_status wire_get_tuple(wire_reader *in, tsm_value *out, int level) {
    uint32_t type, n;
    tsm_tuple *t;
    TSM_TRY(wire_get_class(in, TSMF_TypeKind_NamedTuple, true, &type));
    TSM_TRY(wire_get_count(in, &n));
    if (type != TSM_NO_INDEX && tsmf_Type_elements_len(tsmf_Program_types(in->r->inst->root, type)) != n)
        return wire_refuse(in, "it has a NamedTuple of another length");
    TSM_TRY(tsm_make_tuple(in->r->x, n, type + 1, &t));
    *out = tsm_of(TSM_TAG_TUPLE, t);
    return wire_get_items(in, t->items, n, level);
}

/* Attributes are of their types: whoever reads them relies on it. */
static tsm_status wire_get_object(wire_reader *in, tsm_value *out, int level) {
    uint32_t type, n;
    tsm_object *o;
    TSM_TRY(wire_get_class(in, TSMF_TypeKind_Class, false, &type));
    TSM_TRY(wire_get_count(in, &n));
    const tsmf_Type t = tsmf_Program_types(in->r->inst->root, type);
    if (tsmf_Type_elements_len(t) != n)
        return wire_refuse(in, "it has an object with other attributes");
    TSM_TRY(tsm_make_object(in->r->x, type, n, &o));
    *out = tsm_of(TSM_TAG_OBJECT, o);
    TSM_TRY(wire_get_items(in, o->slots, n, level));
    for (uint32_t i = 0; i < n; i++)
        if (!tsm_value_is(in->r->inst, o->slots[i], tsmf_Type_elements(t)[i]))
            return wire_refuse(in, "it has an object with attributes of other types");
    return TSM_OK;
}

static tsm_status wire_get_dict(wire_reader *in, tsm_value *out, int level) {
    tsm_exec *x = in->r->x;
    uint32_t n;
    tsm_dict *d;
    TSM_TRY(wire_get_count(in, &n));
    TSM_TRY(tsm_make_dict(x, n, &d));
    *out = tsm_of(TSM_TAG_DICT, d);
    for (uint32_t i = 0; i < n; i++) {
        tsm_value pair[2] = {tsm_none(), tsm_none()};
        tsm_status status = wire_get_items(in, pair, 2, level);
        if (status == TSM_OK)
            status = tsm_dict_put(x, d, pair[0], pair[1]);
        tsm_drop(x, pair[0]);
        tsm_drop(x, pair[1]);
        TSM_TRY(status);
    }
    return TSM_OK;
}

/* *out, None before, needs dropping, too, when it fails. */
static tsm_status wire_get_value(wire_reader *in, tsm_value *out, int level) {
    tsm_exec *x = in->r->x;
    uint8_t tag, byte;
    double parts[2];
    const char *text;
    size_t n;
    if (level > REMOTE_MOST_LEVELS)
        return wire_refuse(in, "a value has too many levels");
    TSM_TRY(wire_get(in, &tag, 1));
    switch (tag) {
    case TSM_TAG_NONE:
        return TSM_OK;
    case TSM_TAG_BOOL:
        TSM_TRY(wire_get(in, &byte, 1));
        *out = tsm_bool(byte != 0);
        return TSM_OK;
    case TSM_TAG_INT:
    case TSM_TAG_FLOAT:
        TSM_TRY(wire_get(in, &out->as.i, sizeof out->as.i));
        out->tag = tag;
        return TSM_OK;
    case TSM_TAG_DEVICE:
        TSM_TRY(wire_get(in, &out->as.device, sizeof out->as.device));
        out->tag = tag;
        return TSM_OK;
    case TSM_TAG_COMPLEX:
        TSM_TRY(wire_get(in, parts, sizeof parts));
        return tsm_make_complex(x, parts[0], parts[1], out);
    case TSM_TAG_STR:
        TSM_TRY(wire_get_text(in, &text, &n));
        return tsm_make_str(x, text, n, out);
    case TSM_TAG_TENSOR:
        return wire_get_tensor(in, out);
    case TSM_TAG_LIST:
        return wire_get_list(in, out, level);
    case TSM_TAG_TUPLE:
        return wire_get_tuple(in, out, level);
    case TSM_TAG_DICT:
        return wire_get_dict(in, out, level);
    case TSM_TAG_OBJECT:
        return wire_get_object(in, out, level);
    case TSM_TAG_ENUM:
        return wire_get_enum(in, out);
    case TSM_TAG_FUTURE:
        return wire_get_rref(in, out);
    default:
        return wire_refuse(in, "it has a value of no kind");
    }
}

/* ---- Messages ---- */

bool tsm_remote_read_head(remote_state *r, const uint8_t *bytes, size_t n, remote_message *m, uint32_t *sender,
                          bool *whole) {
    wire_head h;
    uint32_t sum;
    if (n < WIRE_HEAD + sizeof sum)
        return false;
    memcpy(&h, bytes, WIRE_HEAD);
    const size_t body = WIRE_HEAD + (size_t)h.name_bytes + sizeof sum;
    if (h.mark != REMOTE_MARK || h.version != REMOTE_VERSION || h.flags > WIRE_IS_ASYNC || n < body)
        return false;
    memcpy(&sum, bytes + body - sizeof sum, sizeof sum);
    *sender = tsm_remote_worker(r, (const char *)bytes + WIRE_HEAD, h.name_bytes);
    if (sum != tsm_remote_sum(bytes, body - sizeof sum) || *sender == REMOTE_NOBODY || h.kind < REMOTE_CALL ||
        h.kind > REMOTE_ACCEPT)
        return false;
    *m = (remote_message){
        .kind = (remote_kind)h.kind, .is_async = h.flags & WIRE_IS_ASYNC, .number = h.number, .value = tsm_none()};
    *whole = h.bytes == n && h.body_sum == tsm_remote_sum(bytes + body, n - body);
    return true;
}

static tsm_status wire_get_message(wire_reader *in, remote_message *m) {
    switch (m->kind) {
    case REMOTE_CREATE:
        m->id.worker = m->fork.worker = in->from;
        TSM_TRY(wire_get(in, &m->id.number, sizeof m->id.number));
        TSM_TRY(wire_get(in, &m->fork.number, sizeof m->fork.number));
        __attribute__((fallthrough));
    case REMOTE_CALL:
        TSM_TRY(wire_get_text(in, &m->text, &m->text_bytes));
        __attribute__((fallthrough));
    case REMOTE_RESULT:
        TSM_TRY(wire_get_value(in, &m->value, 0));
        break;
    case REMOTE_ERROR:
        TSM_TRY(wire_get_text(in, &m->text, &m->text_bytes));
        break;
    case REMOTE_FETCH:
        TSM_TRY(wire_get_id(in, &m->id));
        break;
    default:
        TSM_TRY(wire_get_id(in, &m->id));
        TSM_TRY(wire_get_id(in, &m->fork));
    }
    if (in->at != in->end)
        return wire_refuse(in, "it is too long");
    return m->kind <= REMOTE_CREATE && m->value.tag != TSM_TAG_TUPLE ? wire_refuse(in, "it has no arguments") : TSM_OK;
}

tsm_status tsm_remote_read_body(remote_state *r, const uint8_t *bytes, size_t n, uint32_t sender, uint64_t serial,
                                remote_message *m) {
    const size_t body = WIRE_HEAD + tsm_chars_length(r->options.workers[sender]) + sizeof(uint32_t);
    wire_reader in = {r, bytes + body, bytes + n, sender, serial};
    const tsm_status status = wire_get_message(&in, m);
    if (status != TSM_OK) {
        tsm_drop(r->x, m->value);
        m->value = tsm_none();
    }
    return status;
}
