/* tsm_instance_load: brings an instance to what its file holds, then does what the records of a state say (state.h).
 *
 * Walks over the records: whether they are whole, storages, new objects, what these and the constants hold, of which
 * types that is.
 * Records are not believed: what does not fit the program is refused, as in a file. */
#include <string.h>

#include "runtime/interpreter/check_sums.h"
#include "runtime/interpreter/instance.h"
#include "runtime/interpreter/state.h"
#include "runtime/tensor/promotion.h"
#include "runtime/tensor/tensor.h"
#include "runtime/value/random_state.h"

/* What a number of the state stands for. */
typedef struct {
    tsm_value v;       /* an object; None of a storage */
    tsm_storage *used; /* a storage that some tensor has already */
    const uint8_t *bytes;
    uint64_t byte_count;
} made_thing;

typedef struct {
    tsm_instance *inst;
    tsm_exec *x;
    const uint8_t *at, *end; /* records not looked at yet */
    const uint8_t *body;     /* what follows the record that is looked at */
    state_record record;
    uint32_t constants, of_file; /* numbers of constants, of all that the file has */
    made_thing *made;            /* by number - of_file */
    uint32_t made_count;
} loader;

static tsm_status state_refuse(const loader *l) {
    return tsm_fail(l->x, TSM_BAD_FILE, "the state does not fit the program: record of number %u, kind %u",
                    l->record.number, l->record.kind);
}

static uint64_t state_number_at(const uint8_t *at) {
    uint64_t n;
    memcpy(&n, at, sizeof n);
    return n;
}

/* ---- Records ---- */

/* Bytes of a tensor's record; `left` are there. UINT64_MAX: it is none. */
static uint64_t tensor_bytes(const state_record *r, const uint8_t *body, uint64_t left) {
    if (r->count > TSM_MAX_DIMS)
        return UINT64_MAX;
    const uint64_t fixed = 16 + 16 * r->count;
    if (!(r->type & STATE_HAS_QUANTIZER))
        return fixed;
    if (left < fixed + 16)
        return UINT64_MAX;
    const uint64_t channels = state_number_at(body + fixed + 8);
    return channels > left ? UINT64_MAX : fixed + 16 + 16 * channels;
}

static uint64_t body_bytes(const state_record *r, const uint8_t *body, uint64_t left) {
    switch (r->kind) {
    case TSM_TAG_STR:
    case STATE_STORAGE:
        return state_padded(r->count);
    case TSM_TAG_LIST:
    case TSM_TAG_TUPLE:
    case TSM_TAG_OBJECT:
        return r->count * sizeof(state_value);
    case TSM_TAG_DICT:
        return r->count * 2 * sizeof(state_value);
    case TSM_TAG_COMPLEX:
    case TSM_TAG_FUTURE:
        return 16;
    case TSM_TAG_ENUM:
        return 0;
    case TSM_TAG_TENSOR:
        return tensor_bytes(r, body, left);
    case STATE_RANDOM:
        return sizeof(tsm_random);
    default:
        return UINT64_MAX;
    }
}

/* False at the end, and where no record is. */
static bool next_record(loader *l) {
    if ((size_t)(l->end - l->at) < sizeof l->record)
        return false;
    memcpy(&l->record, l->at, sizeof l->record);
    l->body = l->at + sizeof l->record;
    const uint64_t left = (uint64_t)(l->end - l->body);
    if (l->record.kind != TSM_TAG_ENUM && l->record.count > left)
        return false;
    const uint64_t bytes = body_bytes(&l->record, l->body, left);
    if (bytes > left)
        return false;
    l->at = l->body + bytes;
    return true;
}

static bool is_new(const loader *l) {
    return l->record.kind != STATE_RANDOM && l->record.number >= l->of_file;
}

static made_thing *thing_of(const loader *l) {
    return &l->made[l->record.number - l->of_file];
}

/* Numbers of what the file has rise; new ones follow each other. */
static tsm_status check_records(loader *l, uint32_t records) {
    const uint8_t *first = l->at;
    uint32_t count = 0, next_of_file = 0;
    for (; next_record(l); count++) {
        const uint32_t number = l->record.number;
        if (l->record.kind == STATE_RANDOM)
            continue;
        if (is_new(l) ? number - l->of_file != l->made_count : number < next_of_file || l->made_count)
            return state_refuse(l);
        if (is_new(l))
            l->made_count++;
        else
            next_of_file = number + 1;
    }
    if (l->at != l->end || count != records)
        return state_refuse(l);
    l->at = first;
    return TSM_OK;
}

/* ---- New objects ---- */

static tsm_status make_storage_known(loader *l) {
    const tsm_instance *inst = l->inst;
    if (is_new(l)) {
        thing_of(l)->bytes = l->body;
        thing_of(l)->byte_count = l->record.count;
        return TSM_OK;
    }
    const uint32_t i = l->record.number - l->constants;
    if (l->record.number < l->constants || !tsmf_Program_storages(inst->root)[i].mutable_ || !inst->storages[i] ||
        inst->storages[i]->bytes != l->record.count)
        return state_refuse(l);
    memcpy(inst->storages[i]->data, l->body, inst->storages[i]->bytes);
    return TSM_OK;
}

/* Gives a tensor without a storage the one of a number: the first tensor of a new one holds it. */
static tsm_status state_use_storage(loader *l, tsm_tensor *t, uint64_t number) {
    tsm_storage *s = NULL;
    made_thing *made = NULL;
    if (number >= l->constants && number < l->of_file)
        s = l->inst->storages[number - l->constants];
    else if (number >= l->of_file && number - l->of_file < l->made_count) {
        made = &l->made[number - l->of_file];
        s = made->used;
    }
    if (!s) {
        if (!made || !made->bytes)
            return state_refuse(l);
        uint8_t *data = tsm_scratch(l->x, made->byte_count ? (size_t)made->byte_count : 1);
        if (!data)
            return TSM_OUT_OF_MEMORY;
        memcpy(data, made->bytes, (size_t)made->byte_count);
        made->used = s = &t->own;
        *s = (tsm_storage){0, 0, (size_t)made->byte_count, data};
    }
    s->references++;
    t->storage = s;
    return TSM_OK;
}

static bool read_shape(const loader *l, tsm_dim *sizes, tsm_dim *strides) {
    const uint64_t dims = l->record.count;
    for (uint64_t d = 0; d < 2 * dims; d++) {
        const uint64_t n = state_number_at(l->body + 16 + 8 * d);
        if (n > PTRDIFF_MAX)
            return false;
        *(d < dims ? &sizes[d] : &strides[d - dims]) = (tsm_dim)n;
    }
    return true;
}

/* Memory may begin at any byte in the record; doubles and ints may not. */
static tsm_status read_quantizer(const loader *l, tsm_tensor *t) {
    const uint8_t *at = l->body + 16 + 16 * l->record.count;
    const int64_t axis = (int64_t)state_number_at(at);
    const uint64_t channels = state_number_at(at + 8);
    const size_t bytes = (size_t)channels * 8;
    if (axis < -1 || axis >= TSM_QUANTIZER_FLOATS + TSM_MAX_DIMS)
        return state_refuse(l);
    uint8_t *arrays = tsm_allocate(l->x, 2 * bytes);
    if (!arrays)
        return TSM_OUT_OF_MEMORY;
    memcpy(arrays, at + 16, 2 * bytes);
    const tsm_status status =
        tsm_tensor_quantize_by(l->x, t, (int)axis, (tsm_dim)channels, (const double *)(const void *)arrays,
                               (const int64_t *)(const void *)(arrays + bytes));
    tsm_heap_free(&l->x->heap, arrays);
    return status;
}

/* The tensor of a record, in *out where it needs dropping, too, when it fails. */
static tsm_status make_tensor(loader *l, tsm_value *out) {
    const uint32_t dtype = l->record.type & 0xff, flags = l->record.type >> STATE_FLAGS_SHIFT & 0xff;
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    size_t reach;
    tsm_tensor *t;
    if (!tsm_dtype_exists(dtype) || flags & ~(uint32_t)TSM_TENSOR_REQUIRES_GRAD || !read_shape(l, sizes, strides) ||
        !tsm_tensor_reach((int)l->record.count, sizes, strides, tsm_dtype_size((tsm_dtype)dtype), &reach) ||
        tsm_dtype_is_quantized((tsm_dtype)dtype) != !!(l->record.type & STATE_HAS_QUANTIZER))
        return state_refuse(l);
    TSM_TRY(tsm_tensor_shell(l->x, (tsm_dtype)dtype, (int)l->record.count, sizes, strides, &t));
    const tsm_status status = state_use_storage(l, t, state_number_at(l->body));
    if (status != TSM_OK) {
        tsm_heap_free(&l->x->heap, t);
        return status;
    }
    *out = tsm_of_tensor(t);
    const uint64_t room = t->storage->bytes / tsm_dtype_size((tsm_dtype)dtype), offset = state_number_at(l->body + 8);
    t->data = t->storage->data;
    t->flags = (uint8_t)flags;
    if (offset > room || reach > t->storage->bytes - offset * tsm_dtype_size((tsm_dtype)dtype))
        return state_refuse(l);
    t->data = t->storage->data + offset * tsm_dtype_size((tsm_dtype)dtype);
    return l->record.type & STATE_HAS_QUANTIZER ? read_quantizer(l, t) : TSM_OK;
}

/* The type of a number, or one of no kind. */
static uint32_t kind_of_type(const loader *l, uint32_t type) {
    return type < tsmf_Program_types_len(l->inst->root) ? tsmf_Type_kind(tsmf_Program_types(l->inst->root, type))
                                                        : TSMF_TypeKind_COUNT;
}

/* Whether a list or dict is of a type of its kind, or of none that is known. */
static bool fits_kind(const loader *l, uint32_t kind) {
    return !l->record.type || (l->record.type <= UINT16_MAX && kind_of_type(l, l->record.type - 1) == kind);
}

static tsm_status make_enum(const loader *l, tsm_value *out) {
    const uint32_t type = l->record.type;
    if (kind_of_type(l, type) != TSMF_TypeKind_Enum)
        return state_refuse(l);
    const tsmf_Type t = tsmf_Program_types(l->inst->root, type);
    const uint64_t member = l->record.count;
    if (member >= tsmf_Type_members_len(t))
        return state_refuse(l);
    return tsm_make_enum(l->x, type, (uint32_t)member, tsmf_Type_field_names(t, (uint32_t)member),
                         l->inst->constants[tsmf_Type_members(t)[member]], out);
}

static tsm_status make_tuple(const loader *l, tsm_value *out) {
    const uint32_t type = l->record.type;
    if (type && (kind_of_type(l, type - 1) != TSMF_TypeKind_NamedTuple ||
                 tsmf_Type_elements_len(tsmf_Program_types(l->inst->root, type - 1)) != l->record.count))
        return state_refuse(l);
    tsm_tuple *t;
    TSM_TRY(tsm_make_tuple(l->x, (size_t)l->record.count, type, &t));
    *out = tsm_of(TSM_TAG_TUPLE, t);
    return TSM_OK;
}

static tsm_status make_object(const loader *l, tsm_value *out) {
    const uint32_t type = l->record.type;
    if (kind_of_type(l, type) != TSMF_TypeKind_Class ||
        tsmf_Type_elements_len(tsmf_Program_types(l->inst->root, type)) != l->record.count)
        return state_refuse(l);
    tsm_object *o;
    TSM_TRY(tsm_make_object(l->x, type, (size_t)l->record.count, &o));
    *out = tsm_of(TSM_TAG_OBJECT, o);
    return TSM_OK;
}

static tsm_status make_container(const loader *l, tsm_value *out) {
    const bool is_dict = l->record.kind == TSM_TAG_DICT;
    if (!fits_kind(l, is_dict ? TSMF_TypeKind_Dict : TSMF_TypeKind_List))
        return state_refuse(l);
    tsm_list *list;
    tsm_dict *dict;
    if (is_dict) {
        TSM_TRY(tsm_make_dict(l->x, (size_t)l->record.count, &dict));
        *out = tsm_of(TSM_TAG_DICT, dict);
    } else {
        TSM_TRY(tsm_make_list(l->x, (size_t)l->record.count, &list));
        *out = tsm_of(TSM_TAG_LIST, list);
    }
    out->as.o->type = (uint16_t)l->record.type;
    return TSM_OK;
}

static tsm_status make_new(loader *l) {
    tsm_value *out = &thing_of(l)->v;
    switch (l->record.kind) {
    case TSM_TAG_COMPLEX: {
        double parts[2];
        memcpy(parts, l->body, sizeof parts);
        return tsm_make_complex(l->x, parts[0], parts[1], out);
    }
    case TSM_TAG_STR:
        return tsm_make_str(l->x, (const char *)l->body, (size_t)l->record.count, out);
    case TSM_TAG_TENSOR:
        return make_tensor(l, out);
    case TSM_TAG_TUPLE:
        return make_tuple(l, out);
    case TSM_TAG_OBJECT:
        return make_object(l, out);
    case TSM_TAG_ENUM:
        return make_enum(l, out);
    case TSM_TAG_FUTURE: {
        tsm_future *f;
        TSM_TRY(tsm_make_future(l->x, &f));
        f->failed = l->record.type != 0;
        *out = tsm_of(TSM_TAG_FUTURE, f);
        return TSM_OK;
    }
    default:
        return make_container(l, out);
    }
}

static tsm_status load_random(const loader *l) {
    tsm_exec *x = l->x;
    tsm_random stored;
    memcpy(&stored, l->body, sizeof stored);
    if (stored.next > TSM_RANDOM_WORDS)
        return state_refuse(l);
    if (!x->random)
        x->random = tsm_allocate(x, sizeof *x->random);
    if (!x->random)
        return TSM_OUT_OF_MEMORY;
    *x->random = stored;
    return TSM_OK;
}

/* Storages first: tensors stand in front of theirs. */
static tsm_status make_things(loader *l) {
    const uint8_t *first = l->at;
    while (next_record(l)) {
        if (l->record.kind == STATE_STORAGE)
            TSM_TRY(make_storage_known(l));
        else if (l->record.kind == STATE_RANDOM)
            TSM_TRY(load_random(l));
    }
    l->at = first;
    while (next_record(l))
        if (l->record.kind != STATE_STORAGE && is_new(l))
            TSM_TRY(make_new(l));
    l->at = first;
    return TSM_OK;
}

/* ---- What they hold ---- */

/* Value i behind a record, borrowed. */
static tsm_status read_value(const loader *l, uint64_t i, tsm_value *out) {
    state_value from;
    memcpy(&from, l->body + i * sizeof from, sizeof from);
    *out = tsm_none();
    out->tag = from.tag;
    if (from.tag == TSM_TAG_BOOL)
        out->as.i = from.bits != 0;
    else if (from.tag == TSM_TAG_DEVICE)
        out->as.device = (uint32_t)from.bits;
    else if (from.tag <= TSM_TAG_DEVICE)
        memcpy(&out->as.i, &from.bits, sizeof from.bits);
    else if (from.bits < l->constants)
        *out = l->inst->constants[from.bits];
    else if (from.bits >= l->of_file && from.bits - l->of_file < l->made_count)
        *out = l->made[from.bits - l->of_file].v;
    return out->tag == from.tag && (!tsm_is_object(*out) || out->as.o) ? TSM_OK : state_refuse(l);
}

static tsm_status fill_list(const loader *l, tsm_list *list) {
    tsm_value v;
    tsm_list_clear(l->x, list);
    TSM_TRY(tsm_list_reserve(l->x, list, (size_t)l->record.count));
    for (uint64_t i = 0; i < l->record.count; i++) {
        TSM_TRY(read_value(l, i, &v));
        list->items[list->length++] = tsm_hold(v);
    }
    return TSM_OK;
}

static tsm_status fill_dict(const loader *l, tsm_dict *dict) {
    tsm_value key, item;
    tsm_dict_clear(l->x, dict);
    TSM_TRY(tsm_dict_reserve(l->x, dict, (size_t)l->record.count));
    for (uint64_t i = 0; i < l->record.count; i++) {
        TSM_TRY(read_value(l, 2 * i, &key));
        TSM_TRY(read_value(l, 2 * i + 1, &item));
        TSM_TRY(tsm_dict_put(l->x, dict, key, item));
    }
    return TSM_OK;
}

static tsm_status fill_slots(const loader *l, tsm_value *slots, uint32_t n) {
    tsm_value v;
    if (n != l->record.count)
        return state_refuse(l);
    for (uint32_t i = 0; i < n; i++) {
        TSM_TRY(read_value(l, i, &v));
        const tsm_value old = slots[i];
        slots[i] = tsm_hold(v);
        tsm_drop(l->x, old);
    }
    return TSM_OK;
}

static tsm_status adopt(loader *l, tsm_tensor *t) {
    tsm_value made = tsm_none();
    tsm_status status = make_tensor(l, &made);
    if (status == TSM_OK)
        status = tsm_tensor_adopt(l->x, t, tsm_as_tensor(made));
    if (status == TSM_OK)
        t->flags = tsm_as_tensor(made)->flags;
    tsm_drop(l->x, made);
    return status;
}

/* The object that the record is of; None: of none, or of one of another kind. */
static tsm_value object_of(const loader *l) {
    const uint32_t number = l->record.number;
    const tsm_value v = is_new(l) ? thing_of(l)->v : number < l->constants ? l->inst->constants[number] : tsm_none();
    return v.tag == l->record.kind ? v : tsm_none();
}

static tsm_status state_fill(loader *l) {
    const tsm_value v = object_of(l);
    switch (v.tag) {
    case TSM_TAG_LIST:
        return fill_list(l, tsm_as_list(v));
    case TSM_TAG_DICT:
        return fill_dict(l, tsm_as_dict(v));
    case TSM_TAG_TUPLE:
        return is_new(l) ? fill_slots(l, tsm_as_tuple(v)->items, tsm_as_tuple(v)->length) : state_refuse(l);
    case TSM_TAG_OBJECT:
        return fill_slots(l, tsm_as_object(v)->slots, tsm_as_object(v)->length);
    case TSM_TAG_FUTURE:
        return fill_slots(l, &tsm_as_future(v)->value, 1);
    case TSM_TAG_TENSOR:
        return is_new(l) ? TSM_OK : adopt(l, tsm_as_tensor(v));
    default:
        return is_new(l) ? TSM_OK : state_refuse(l);
    }
}

/* ---- Types ---- */

static bool is_of_element(const loader *l, tsm_value v, uint32_t declared, uint32_t i) {
    return declared == TSM_NO_INDEX ||
           tsm_value_is(l->inst, v, tsmf_Type_elements(tsmf_Program_types(l->inst->root, declared))[i]);
}

static bool state_list_fits(const loader *l, const tsm_list *list) {
    for (uint32_t i = 0; i < list->length; i++)
        if (!is_of_element(l, list->items[i], tsm_get_type(&list->header), 0))
            return false;
    return true;
}

static bool dict_fits(const loader *l, const tsm_dict *dict) {
    const uint32_t type = tsm_get_type(&dict->header);
    tsm_dict_entry *e;
    for (size_t at = 0; tsm_dict_next(dict, &at, &e);)
        if (!is_of_element(l, e->key, type, 0) || !is_of_element(l, e->item, type, 1))
            return false;
    return true;
}

/* Slots are None until they are set, and what the file has there is the file's affair. */
static bool object_fits(const loader *l, const tsm_object *o) {
    const uint32_t number = l->record.number;
    for (uint32_t i = 0; i < o->length; i++) {
        const tsm_value v = o->slots[i];
        tsm_value in_file = tsm_none();
        if (!is_new(l))
            in_file = l->inst->constants[tsmf_Constant_items(tsmf_Program_constants(l->inst->root, number))[i]];
        const bool is_same = v.tag == in_file.tag && (!tsm_is_object(v) || v.as.o == in_file.as.o);
        if (v.tag != TSM_TAG_NONE && !is_same && !is_of_element(l, v, o->type, i))
            return false;
    }
    return true;
}

static bool tuple_fits(const loader *l, const tsm_tuple *t) {
    for (uint32_t i = 0; i < t->length; i++)
        if (!is_of_element(l, t->items[i], t->type ? t->type - 1 : TSM_NO_INDEX, i))
            return false;
    return true;
}

/* WAIT raises the text of one that failed. */
static bool future_fits(const tsm_future *f) {
    return !f->failed || f->value.tag == TSM_TAG_STR;
}

static bool state_fits(const loader *l) {
    const tsm_value v = object_of(l);
    return v.tag == TSM_TAG_LIST     ? state_list_fits(l, tsm_as_list(v))
           : v.tag == TSM_TAG_DICT   ? dict_fits(l, tsm_as_dict(v))
           : v.tag == TSM_TAG_OBJECT ? object_fits(l, tsm_as_object(v))
           : v.tag == TSM_TAG_TUPLE  ? tuple_fits(l, tsm_as_tuple(v))
           : v.tag == TSM_TAG_FUTURE ? future_fits(tsm_as_future(v))
                                     : true;
}

/* ---- All of it ---- */

static tsm_status fill_things(loader *l) {
    const uint8_t *first = l->at;
    while (next_record(l))
        if (l->record.kind != STATE_STORAGE && l->record.kind != STATE_RANDOM)
            TSM_TRY(state_fill(l));
    l->at = first;
    while (next_record(l))
        if (!state_fits(l))
            return state_refuse(l);
    return TSM_OK;
}

/* The file's storages stay while tensors are given others. */
static void hold_storages(const loader *l) {
    for (uint32_t i = 0; i < l->of_file - l->constants; i++)
        if (l->inst->storages[i])
            l->inst->storages[i]->references++;
}

static void drop_storages(const loader *l) {
    for (uint32_t i = 0; i < l->of_file - l->constants; i++)
        if (l->inst->storages[i])
            tsm_storage_drop(l->x, l->inst->storages[i]);
}

static void empty_slots(const loader *l, tsm_value *slots, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const tsm_value old = slots[i];
        slots[i] = tsm_none();
        tsm_drop(l->x, old);
    }
}

static void state_empty(const loader *l, tsm_value v) {
    if (v.tag == TSM_TAG_LIST)
        tsm_list_clear(l->x, tsm_as_list(v));
    else if (v.tag == TSM_TAG_DICT)
        tsm_dict_clear(l->x, tsm_as_dict(v));
    else if (v.tag == TSM_TAG_OBJECT)
        empty_slots(l, tsm_as_object(v)->slots, tsm_as_object(v)->length);
    else if (v.tag == TSM_TAG_TUPLE)
        empty_slots(l, tsm_as_tuple(v)->items, tsm_as_tuple(v)->length);
    else if (v.tag == TSM_TAG_FUTURE)
        empty_slots(l, &tsm_as_future(v)->value, 1);
}

/* Rings of objects that a state ties would keep themselves when it is refused. */
static void empty_all(loader *l, const uint8_t *first) {
    l->at = first;
    while (next_record(l))
        state_empty(l, object_of(l));
}

static tsm_status load_records(loader *l, uint32_t records) {
    tsm_exec *x = l->x;
    TSM_TRY(check_records(l, records));
    const size_t bytes = l->made_count * sizeof *l->made;
    l->made = tsm_allocate(x, bytes + 1);
    if (!l->made)
        return TSM_OUT_OF_MEMORY;
    memset(l->made, 0, bytes);
    const uint8_t *first = l->at;
    hold_storages(l);
    tsm_status status = make_things(l);
    if (status == TSM_OK)
        status = fill_things(l);
    if (status != TSM_OK && status != TSM_OUT_OF_MEMORY) /* a quantizer that does not fit its tensor */
        status = state_refuse(l);
    if (status != TSM_OK)
        empty_all(l, first);
    for (uint32_t i = 0; i < l->made_count; i++)
        tsm_drop(x, l->made[i].v);
    drop_storages(l);
    tsm_heap_free(&x->heap, l->made);
    return status;
}

static tsm_status check_head(const tsm_instance *inst, tsm_exec *x, const uint8_t *memory, size_t bytes,
                             state_head *h) {
    const tsm_program *program = inst->program;
    if (bytes < sizeof *h)
        return tsm_fail(x, TSM_BAD_FILE, "there is no state: %zu bytes are too few", bytes);
    memcpy(h, memory, sizeof *h);
    if (h->mark != STATE_MARK)
        return tsm_fail(x, TSM_BAD_FILE, "there is no state: it does not begin as one");
    if (h->head_sum != tsm_sum_of(memory, STATE_HEAD_SUMMED))
        return tsm_fail(x, TSM_BAD_FILE, "the state is damaged in its head");
    if (h->version != STATE_VERSION)
        return tsm_fail(x, TSM_UNSUPPORTED, "the state has version %u, this runtime reads version %u", h->version,
                        (unsigned)STATE_VERSION);
    if (h->bytes > bytes || h->bytes < sizeof *h)
        return tsm_fail(x, TSM_BAD_FILE, "the state is cut off: %ld bytes of %ld are there", (int64_t)bytes,
                        (int64_t)h->bytes);
    if (h->sum != tsm_sum_of(memory + sizeof *h, (size_t)h->bytes - sizeof *h))
        return tsm_fail(x, TSM_BAD_FILE, "the state is damaged");
    if (h->file_bytes != program->file_bytes || h->program != tsm_sum_of_program(program))
        return tsm_fail(x, TSM_BAD_ARGUMENT, "the state belongs to another program");
    return TSM_OK;
}

tsm_status tsm_instance_load(tsm_instance *inst, const void *memory, size_t bytes) {
    tsm_exec *x = &inst->exec;
    state_head h;
    TSM_TRY(check_head(inst, x, memory, bytes, &h));
    TSM_TRY(tsm_instance_reset(inst));
    loader l = {.inst = inst, .x = x, .constants = tsmf_Program_constants_len(inst->root)};
    l.of_file = l.constants + tsmf_Program_storages_len(inst->root);
    l.at = (const uint8_t *)memory + sizeof h;
    l.end = (const uint8_t *)memory + h.bytes;
    const int64_t fuel = x->fuel;
    const bool is_charged = x->is_charged;
    x->work = 0;
    x->is_charged = false;
    x->fuel = (int64_t)(x->heap.end - x->heap.start) * 64; /* at most 64 GiB */
    const tsm_status status = load_records(&l, h.records);
    x->fuel = fuel;
    x->is_charged = is_charged;
    if (status == TSM_OK) {
        tsm_heap_settle(&x->heap);
        return TSM_OK;
    }
    TSM_TRY(tsm_instance_reset(inst));
    return status;
}
