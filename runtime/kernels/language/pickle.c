/* Values as pickles, in the opcodes that PyTorch writes. */
#include "runtime/kernels/language/pickle.h"

#include "runtime/value/chars.h"

enum { MAX_DEPTH = 32 };

/* Opcodes of the pickle machine, by their names in Python's pickletools. */
enum {
    PROTO = 0x80,
    STOP = '.',
    MARK = '(',
    TUPLE = 't',
    EMPTY_TUPLE = ')',
    TUPLE1 = 0x85,
    TUPLE2 = 0x86,
    EMPTY_LIST = ']',
    APPENDS = 'e',
    EMPTY_DICT = '}',
    SETITEMS = 'u',
    NONE = 'N',
    NEWTRUE = 0x88,
    NEWFALSE = 0x89,
    BININT = 'J',
    BININT1 = 'K',
    LONG1 = 0x8a,
    BINFLOAT = 'G',
    BINUNICODE = 'X',
    GLOBAL = 'c',
    REDUCE = 'R',
    BINPERSID = 'Q',
};

static tsm_status write_value(pickle_writer *p, tsm_value v, int depth);

/* ---- Bytes ---- */

/* Failures stay in the text (see tsm_text), so that one check at the end is enough. */
static void pickle_put(pickle_writer *p, const void *bytes, size_t n) {
    (void)tsm_text_add(p->x, &p->text, bytes, n);
}

static void put_code(pickle_writer *p, int opcode) {
    const char c = (char)opcode;
    pickle_put(p, &c, 1);
}

static void put_little_endian(pickle_writer *p, uint64_t v, int bytes) {
    for (int i = 0; i < bytes; i++)
        put_code(p, (int)(v >> 8 * i & 0xff));
}

static void pickle_put_text(pickle_writer *p, const char *text, size_t n) {
    put_code(p, BINUNICODE);
    put_little_endian(p, n, 4);
    pickle_put(p, text, n);
}

static void put_name(pickle_writer *p, const char *text) {
    pickle_put_text(p, text, tsm_chars_length(text));
}

/* `name` is "module\nname\n". */
static void put_global(pickle_writer *p, const char *name) {
    put_code(p, GLOBAL);
    pickle_put(p, name, tsm_chars_length(name));
}

static void put_int(pickle_writer *p, int64_t v) {
    if (v >= 0 && v <= UINT8_MAX) {
        put_code(p, BININT1);
        put_little_endian(p, (uint64_t)v, 1);
    } else if (v >= INT32_MIN && v <= INT32_MAX) {
        put_code(p, BININT);
        put_little_endian(p, (uint64_t)v, 4);
    } else {
        put_code(p, LONG1);
        put_code(p, 8);
        put_little_endian(p, (uint64_t)v, 8);
    }
}

static void put_bool(pickle_writer *p, bool v) {
    put_code(p, v ? NEWTRUE : NEWFALSE);
}

static void put_float(pickle_writer *p, double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_code(p, BINFLOAT);
    for (int i = 7; i >= 0; i--)
        put_code(p, (int)(bits >> 8 * i & 0xff));
}

static void put_dims(pickle_writer *p, const tsm_dim *v, int n) {
    put_code(p, MARK);
    for (int i = 0; i < n; i++)
        put_int(p, v[i]);
    put_code(p, TUPLE);
}

/* ---- Tensors ---- */

/* A new storage by its persistent id: ("storage", type, number, "cpu", elements). */
static void put_storage(pickle_writer *p, const char *type, const void *data, size_t bytes, size_t element_size) {
    char number[24], global[64];
    const pickle_storage storage = {data, bytes};
    const size_t n = tsm_format_unsigned(number, p->storages.length / sizeof storage, 10);
    (void)tsm_text_add(p->x, &p->storages, (const char *)&storage, sizeof storage);
    tsm_format(global, sizeof global, "torch\n%sStorage\n", type);
    put_code(p, MARK);
    put_name(p, "storage");
    put_global(p, global);
    pickle_put_text(p, number, n);
    put_name(p, "cpu");
    put_int(p, (int64_t)(bytes / element_size));
    put_code(p, TUPLE);
    put_code(p, BINPERSID);
}

/* The end of a tensor's arguments, its flag and no hooks, and the call. */
static void put_rebuilt(pickle_writer *p, bool requires_grad) {
    put_bool(p, requires_grad);
    put_global(p, "collections\nOrderedDict\n");
    put_code(p, EMPTY_TUPLE);
    put_code(p, REDUCE);
    put_code(p, TUPLE);
    put_code(p, REDUCE);
}

/* A tensor of one dimension over an array. */
static void put_array(pickle_writer *p, const char *type, const void *data, tsm_dim n, size_t element_size) {
    const tsm_dim one = 1;
    put_global(p, "torch._utils\n_rebuild_tensor_v2\n");
    put_code(p, MARK);
    put_storage(p, type, data, (size_t)n * element_size, element_size);
    put_int(p, 0);
    put_dims(p, &n, 1);
    put_dims(p, &one, 1);
    put_rebuilt(p, false);
}

static void put_quantizer(pickle_writer *p, const tsm_quantizer *q) {
    put_code(p, MARK);
    if (q->axis < 0) {
        put_global(p, "torch\nper_tensor_affine\n");
        put_float(p, q->scales[0]);
        put_int(p, q->zero_points[0]);
    } else {
        put_global(p, q->has_float_zero_points ? "torch\nper_channel_affine_float_qparams\n"
                                               : "torch\nper_channel_affine\n");
        put_array(p, "Double", q->scales, q->channels, sizeof *q->scales);
        put_array(p, q->has_float_zero_points ? "Double" : "Long", q->zero_points, q->channels, sizeof *q->zero_points);
        put_int(p, q->axis);
    }
    put_code(p, TUPLE);
}

/* The storage reaches from the first element that the tensor sees to the last. */
static tsm_status write_tensor(pickle_writer *p, const tsm_tensor *t) {
    const size_t element_size = tsm_dtype_size((tsm_dtype)t->dtype);
    size_t bytes;
    if (!tsm_tensor_reach(t->dims, t->sizes, t->strides, element_size, &bytes))
        return TSM_RAISE(p->x, "torch.save(): a tensor is too large");
    put_global(p, t->quantizer ? "torch._utils\n_rebuild_qtensor\n" : "torch._utils\n_rebuild_tensor_v2\n");
    put_code(p, MARK);
    put_storage(p, tsm_dtype_class_name((tsm_dtype)t->dtype), t->data, bytes, element_size);
    put_int(p, 0);
    put_dims(p, t->sizes, t->dims);
    put_dims(p, t->strides, t->dims);
    if (t->quantizer)
        put_quantizer(p, t->quantizer);
    put_rebuilt(p, t->flags & TSM_TENSOR_REQUIRES_GRAD);
    return TSM_OK;
}

/* ---- Containers ---- */

static tsm_status write_items(pickle_writer *p, const tsm_value *items, uint32_t n, int depth) {
    put_code(p, MARK);
    for (uint32_t i = 0; i < n; i++)
        TSM_TRY(write_value(p, items[i], depth));
    return TSM_OK;
}

/* What makes a list of this kind of items from a list; NULL: it is one already. */
static const char *list_builder(const tsm_list *l) {
    switch (l->length ? l->items[0].tag : TSM_TAG_NONE) {
    case TSM_TAG_INT:
        return "torch.jit._pickle\nbuild_intlist\n";
    case TSM_TAG_FLOAT:
        return "torch.jit._pickle\nbuild_doublelist\n";
    case TSM_TAG_BOOL:
        return "torch.jit._pickle\nbuild_boollist\n";
    case TSM_TAG_TENSOR:
        return "torch.jit._pickle\nbuild_tensorlist\n";
    default:
        return NULL;
    }
}

static tsm_status write_list(pickle_writer *p, const tsm_list *l, int depth) {
    const char *builder = list_builder(l);
    if (builder) {
        put_global(p, builder);
        put_code(p, MARK);
    }
    put_code(p, EMPTY_LIST);
    TSM_TRY(write_items(p, l->items, l->length, depth));
    put_code(p, APPENDS);
    if (builder) {
        put_code(p, TUPLE);
        put_code(p, REDUCE);
    }
    return TSM_OK;
}

static tsm_status write_dict(pickle_writer *p, const tsm_dict *d, int depth) {
    put_code(p, EMPTY_DICT);
    put_code(p, MARK);
    for (uint32_t i = 0; i < d->used; i++) {
        if (d->entries[i].key.reserved)
            continue;
        TSM_TRY(write_value(p, d->entries[i].key, depth));
        TSM_TRY(write_value(p, d->entries[i].item, depth));
    }
    put_code(p, SETITEMS);
    return TSM_OK;
}

static void write_device(pickle_writer *p, tsm_value v) {
    char text[24];
    const size_t n = tsm_device_text(v, text, sizeof text);
    put_global(p, "torch\ndevice\n");
    pickle_put_text(p, text, n);
    put_code(p, TUPLE1);
    put_code(p, REDUCE);
}

static tsm_status write_value(pickle_writer *p, tsm_value v, int depth) {
    TSM_TRY(p->text.status); /* so that the walk ends with the buffer, however often it holds one part */
    TSM_TRY(tsm_charge(p->x, 1));
    if (!depth)
        return TSM_RAISE(p->x, "torch.save(): containers are more than %d levels deep", MAX_DEPTH);
    switch (v.tag) {
    case TSM_TAG_NONE:
        return put_code(p, NONE), TSM_OK;
    case TSM_TAG_BOOL:
        return put_bool(p, v.as.b), TSM_OK;
    case TSM_TAG_INT:
        return put_int(p, v.as.i), TSM_OK;
    case TSM_TAG_FLOAT:
        return put_float(p, v.as.f), TSM_OK;
    case TSM_TAG_COMPLEX:
        put_global(p, "builtins\ncomplex\n");
        put_float(p, tsm_as_complex(v)->re);
        put_float(p, tsm_as_complex(v)->im);
        put_code(p, TUPLE2);
        return put_code(p, REDUCE), TSM_OK;
    case TSM_TAG_STR:
        return pickle_put_text(p, tsm_as_str(v)->text, tsm_as_str(v)->length), TSM_OK;
    case TSM_TAG_DEVICE:
        return write_device(p, v), TSM_OK;
    case TSM_TAG_TENSOR:
        return write_tensor(p, tsm_as_tensor(v));
    case TSM_TAG_TUPLE:
        TSM_TRY(write_items(p, tsm_as_tuple(v)->items, tsm_as_tuple(v)->length, depth - 1));
        return put_code(p, TUPLE), TSM_OK;
    case TSM_TAG_LIST:
        return write_list(p, tsm_as_list(v), depth - 1);
    case TSM_TAG_DICT:
        return write_dict(p, tsm_as_dict(v), depth - 1);
    default:
        if (v.tag == TSM_TAG_FUTURE && tsm_as_future(v)->is_rref)
            return TSM_RAISE(p->x, "RRef jit pickling is only allowed inside RPC calls.");
        return TSM_RAISE(p->x, "torch.save() cannot write a value of type %s", tsm_tag_name(v.tag));
    }
}

tsm_status tsm_pickle_write(pickle_writer *p, tsm_value v) {
    put_code(p, PROTO);
    put_code(p, 2);
    TSM_TRY(write_value(p, v, MAX_DEPTH));
    put_code(p, STOP);
    return p->text.status != TSM_OK ? p->text.status : p->storages.status;
}
