/* Counted objects: what the tags above TSM_TAG_DEVICE point to.
 *
 * Every object starts with a header. Objects live in the instance's buffer (alloc.h). Nothing is collected in cycles:
 * TorchScript programs that tie objects into a ring keep them until the instance ends, as they would in PyTorch. */
#ifndef TSM_VALUE_VALUE_H
#define TSM_VALUE_VALUE_H

#include "runtime/include/tsmobile.h"
#include "runtime/value/wide.h"

typedef struct tsm_exec tsm_exec;

struct tsm_object_header {
    uint32_t references;
    uint16_t tag;  /* tsm_tag */
    uint16_t type; /* of lists and dicts made with a static type: its index + 1; 0: not known */
};

typedef struct {
    tsm_object_header header;
    double re, im;
} tsm_complex_object;

typedef struct {
    tsm_object_header header;
    uint32_t length;  /* bytes */
    uint32_t hash;    /* 0: not computed yet */
    const char *text; /* behind the object, or in the file */
    TSM_WIDER(4)
} tsm_str;
TSM_WIDE_SIZE(tsm_str, 24);

/* Memory of tensors. Several tensors may view one storage. Each stands in the tensor that it was made with, and keeps
 * that tensor's block when it outlives it. */
typedef struct {
    uint32_t references; /* tensors that use it; 0: data is gone */
    uint32_t flags;      /* tsm_storage_flags */
    size_t bytes;
    uint8_t *data;
    TSM_WIDER(8)
} tsm_storage;
TSM_WIDE_SIZE(tsm_storage, 24);

enum {
    TSM_STORAGE_BORROWED = 1, /* data belongs to the file or the caller */
    TSM_STORAGE_CONSTANT = 2, /* data may not be written (weights in the file) */
    /* data stands behind the tensor, in the same block. With neither this nor BORROWED it is a block of tsm_scratch. */
    TSM_STORAGE_INSIDE = 4,
};

/* Quantizer of a tensor. Per tensor: channels 1, axis -1. Arrays stand behind the struct, in the same block. Zero
 * points are ints; those per channel can be floats instead (PyTorch's per_channel_affine_float_qparams). */
typedef struct {
    uint32_t references;
    int16_t axis;
    bool has_float_zero_points;
    tsm_dim channels;
    double *scales;
    union {
        int64_t *zero_points;
        double *float_zero_points;
    };
    TSM_WIDER(12)
} tsm_quantizer;
TSM_WIDE_SIZE(tsm_quantizer, 32);

/* Files, states and messages hold the axis as one number, to which this is added where the zero points, which stand
 * there as 8 bytes each, are floats. */
enum { TSM_QUANTIZER_FLOATS = 64 };
static inline int tsm_quantizer_axis_word(const tsm_quantizer *q) {
    return q->axis + (q->has_float_zero_points ? TSM_QUANTIZER_FLOATS : 0);
}
/* A zero point of either kind, exactly: those that are ints have 32 bits. */
static inline double tsm_quantizer_zero_point(const tsm_quantizer *q, tsm_dim channel) {
    return q->has_float_zero_points ? q->float_zero_points[channel] : (double)q->zero_points[channel];
}

typedef struct {
    tsm_object_header header;
    uint8_t dtype; /* tsm_dtype */
    uint8_t dims;
    uint8_t flags;
    uint8_t reserved;
    tsm_storage *storage;
    void *data;               /* first element: inside storage->data */
    tsm_quantizer *quantizer; /* NULL when not quantized */
    tsm_dim elements;         /* product of sizes */
    tsm_dim *sizes;           /* dims sizes, then dims strides, behind the object */
    tsm_dim *strides;
    tsm_storage own; /* a fresh tensor's storage; nobody's (no references) in a view */
    TSM_WIDER(28)
} tsm_tensor;
TSM_WIDE_SIZE(tsm_tensor, 88);

enum {
    TSM_TENSOR_REQUIRES_GRAD = 1,
    TSM_TENSOR_NESTED = 2, /* kernels/nn/nested.c */
};

typedef struct {
    tsm_object_header header;
    uint32_t length, capacity;
    tsm_value *items;
    TSM_WIDER(4)
} tsm_list;
TSM_WIDE_SIZE(tsm_list, 24);

/* Tuples and NamedTuples. */
typedef struct {
    tsm_object_header header;
    uint32_t length;
    uint32_t type; /* index of the NamedTuple's type + 1, or 0 */
    tsm_value items[];
} tsm_tuple;

typedef struct {
    tsm_value key, item; /* a removed entry has reserved == 1 in its key */
} tsm_dict_entry;

/* Insertion-ordered hash table: `index` is open-addressed, holds entry numbers + 1 (0 empty). Removed entries keep
 * their place in it until the table is laid out anew. */
typedef struct {
    tsm_object_header header;
    uint32_t length;      /* entries in use */
    uint32_t used;        /* entries including removed ones */
    uint32_t capacity;    /* of entries; the index has a power of two >= 4/3 of it */
    uint32_t index_shift; /* 32 - the logarithm of the index's size */
    tsm_dict_entry *entries;
    uint32_t *index; /* behind the entries, in the same block; NULL in small dicts, which are searched from the start */
    TSM_WIDER(8)
} tsm_dict;
TSM_WIDE_SIZE(tsm_dict, 40);

/* Instances of classes and modules. */
typedef struct {
    tsm_object_header header;
    uint32_t type; /* index in the program's types */
    uint32_t length;
    tsm_value slots[];
} tsm_object;

/* One member of an enum class; made once per program constant, compared by identity. */
typedef struct {
    tsm_object_header header;
    uint32_t type;
    uint32_t member; /* position in the type's member list */
    tsm_value value;
    const char *name;
} tsm_enum;
TSM_WIDE_SIZE(tsm_enum, 40);

typedef struct {
    tsm_object_header header;
    tsm_value value; /* the result; fork runs its body at once */
    bool failed;     /* value is then the str of the error, raised again at wait */
    bool is_rref;    /* what it holds, or shall hold, belongs to a worker */
} tsm_future;

/* Lists and dicts made with a static type know it; UINT32_MAX is "not known" (results of operators; programs with more
 * types than fit). */
static inline void tsm_set_type(tsm_object_header *h, uint32_t type) {
    h->type = type < UINT16_MAX ? (uint16_t)(type + 1) : 0;
}
static inline uint32_t tsm_get_type(const tsm_object_header *h) {
    return (uint32_t)h->type - 1;
}

/* Items of a container at most: their bytes cannot wrap. */
#define TSM_MOST_VALUES                                                                                                \
    (SIZE_MAX / 4 / sizeof(tsm_value) < UINT32_MAX - 1 ? SIZE_MAX / 4 / sizeof(tsm_value) : UINT32_MAX - 1)

/* Functions that are `inline` and not static have one body of their own (value.c), for where the compiler does not want
 * more. */

/* Numbers between bfloat16 and float8_e5m2 belong to element types that there are none of here. */
enum { TSM_DTYPE_GAP = TSM_FLOAT8_E5M2 - TSM_BFLOAT16 - 1 };
static inline bool tsm_dtype_exists(int64_t dtype) {
    return (uint64_t)dtype <= TSM_BFLOAT16 || (dtype >= TSM_FLOAT8_E5M2 && dtype < TSM_DTYPE_COUNT);
}
/* Where a type that exists stands in a list of all. */
static inline unsigned tsm_dtype_position(tsm_dtype dtype) {
    return dtype > TSM_BFLOAT16 ? dtype - TSM_DTYPE_GAP : dtype;
}
/* The name at a position of names that stand one behind the other, each with a 0 at its end; tables of pointers would
 * be larger. */
const char *tsm_name_at(const char *names, unsigned position);
/* "int", "Tensor", ... */
const char *tsm_tag_name(uint32_t tag);

inline bool tsm_is_object(tsm_value v) {
    return v.tag > TSM_TAG_DEVICE;
}
static inline tsm_tensor *tsm_as_tensor(tsm_value v) {
    return (tsm_tensor *)(void *)v.as.o;
}
static inline tsm_list *tsm_as_list(tsm_value v) {
    return (tsm_list *)(void *)v.as.o;
}
static inline tsm_tuple *tsm_as_tuple(tsm_value v) {
    return (tsm_tuple *)(void *)v.as.o;
}
static inline tsm_dict *tsm_as_dict(tsm_value v) {
    return (tsm_dict *)(void *)v.as.o;
}
static inline tsm_str *tsm_as_str(tsm_value v) {
    return (tsm_str *)(void *)v.as.o;
}
static inline tsm_object *tsm_as_object(tsm_value v) {
    return (tsm_object *)(void *)v.as.o;
}
static inline tsm_enum *tsm_as_enum(tsm_value v) {
    return (tsm_enum *)(void *)v.as.o;
}
static inline tsm_future *tsm_as_future(tsm_value v) {
    return (tsm_future *)(void *)v.as.o;
}
static inline tsm_complex_object *tsm_as_complex(tsm_value v) {
    return (tsm_complex_object *)(void *)v.as.o;
}
inline tsm_value tsm_of(uint32_t tag, void *object) {
    tsm_value v = {tag, 0, {.i = 0}};
    v.as.o = (tsm_object_header *)object;
    return v;
}
static inline tsm_value tsm_of_tensor(tsm_tensor *t) {
    return tsm_of(TSM_TAG_TENSOR, t);
}

/* Takes another count. */
static inline tsm_value tsm_hold(tsm_value v) {
    if (tsm_is_object(v))
        v.as.o->references++;
    return v;
}

/* Frees an object whose last count is gone. Iterative: deep nests of containers use a list through the `references` of
 * the objects being freed, no stack. (That field holds a position in granules of 16 bytes: buffers may have up to 64
 * GiB.) */
void tsm_object_free(tsm_exec *x, tsm_object_header *o);

/* Gives a count back. */
inline void tsm_drop(tsm_exec *x, tsm_value v) {
    if (tsm_is_object(v) && --v.as.o->references == 0)
        tsm_object_free(x, v.as.o);
}

/* Gives a count of a storage or quantizer back; the quantizer may be NULL. */
void tsm_storage_drop(tsm_exec *x, tsm_storage *s);
void tsm_quantizer_drop(tsm_exec *x, tsm_quantizer *q);

/* Constructors. Each returns TSM_OUT_OF_MEMORY (text set) when the buffer is full; the new object has one count, the
 * caller's. */
tsm_status tsm_make_complex(tsm_exec *x, double re, double im, tsm_value *out);
tsm_status tsm_make_str(tsm_exec *x, const char *text, size_t n,
                        tsm_value *out); /* text may be NULL: fill through tsm_str_buffer */
char *tsm_str_buffer(tsm_value v);
tsm_status tsm_make_str_in_place(tsm_exec *x, const char *text, size_t n,
                                 tsm_value *out); /* text stays where it is (in the file) */
tsm_status tsm_make_list(tsm_exec *x, size_t capacity, tsm_list **out);
tsm_status tsm_make_tuple(tsm_exec *x, size_t n, uint32_t type, tsm_tuple **out); /* items None */
tsm_status tsm_make_dict(tsm_exec *x, size_t capacity, tsm_dict **out);
tsm_status tsm_make_object(tsm_exec *x, uint32_t type, size_t slots, tsm_object **out); /* slots None */
/* `value` is retained; `name` must outlive the object. */
tsm_status tsm_make_enum(tsm_exec *x, uint32_t type, uint32_t member, const char *name, tsm_value value,
                         tsm_value *out);
tsm_status tsm_make_future(tsm_exec *x, tsm_future **out);

/* Lists. `item` is retained. Positions must be in range. */
tsm_status tsm_list_reserve(tsm_exec *x, tsm_list *l, size_t capacity);
tsm_status tsm_list_append(tsm_exec *x, tsm_list *l, tsm_value item);
tsm_status tsm_list_insert(tsm_exec *x, tsm_list *l, size_t at, tsm_value item);
tsm_value tsm_list_take(tsm_list *l, size_t at); /* removes; the count goes to the caller */
void tsm_list_clear(tsm_exec *x, tsm_list *l);

/* Dicts. Keys compare as PyTorch's do: int, float, bool, complex, str by value, enum members by member, everything else
 * by identity. A replaced item keeps its entry's place. */
tsm_dict_entry *tsm_dict_find(tsm_dict *d, tsm_value key); /* NULL when absent */
tsm_dict_entry *tsm_dict_find_int(tsm_dict *d, int64_t key);
#if !defined(__OPTIMIZE_SIZE__)
tsm_dict_entry *tsm_dict_find_str(tsm_dict *d, tsm_str *key);
#endif
static inline uint32_t tsm_dict_hash_int(int64_t v) {
    return (uint32_t)v + (uint32_t)((uint64_t)v >> 32);
}
/* Where the search for a hash begins: the upper bits of its product with the golden ratio's fraction, so that keys in a
 * row are spread evenly. */
static inline uint32_t tsm_dict_first_slot(const tsm_dict *d, uint32_t hash) {
    return hash * UINT32_C(0x9e3779b9) >> d->index_shift;
}
/* A removed entry's key is None, whose tag no key that is looked for has. */
static inline bool tsm_dict_is_int_key(const tsm_dict_entry *e, int64_t key) {
    return e->key.as.i == key && e->key.tag == TSM_TAG_INT;
}
tsm_status tsm_dict_reserve(tsm_exec *x, tsm_dict *d, size_t capacity);
tsm_status tsm_dict_put(tsm_exec *x, tsm_dict *d, tsm_value key, tsm_value item);
/* The same for a key that is not in the dict yet. */
tsm_status tsm_dict_add(tsm_exec *x, tsm_dict *d, tsm_value key, tsm_value item);
bool tsm_dict_remove(tsm_exec *x, tsm_dict *d, tsm_value key,
                     tsm_value *item); /* the item's count goes to the caller */
void tsm_dict_clear(tsm_exec *x, tsm_dict *d);
/* Walks entries in insertion order: start with *at = 0. */
bool tsm_dict_next(const tsm_dict *d, size_t *at, tsm_dict_entry **entry);

/* TorchScript's equality (aten::eq of scalars, strings, lists, tuples, dicts, enums) and identity (aten::__is__). int,
 * float and bool are equal only to their own kind. Tensors inside containers compare by identity here; element-wise
 * list equality of tensors is the kernels'. Containers nested more than TSM_EQUAL_DEPTH deep compare by identity from
 * there on. Values that are looked at are counted as work, and nothing is equal any more when that is beyond the
 * limit: the call of the operator then fails. */
enum { TSM_EQUAL_DEPTH = 32 };
bool tsm_values_equal(tsm_exec *x, tsm_value a, tsm_value b);
/* The same with containers by identity, as keys of dicts compare. */
bool tsm_plain_equal(tsm_value a, tsm_value b);
bool tsm_values_identical(tsm_value a, tsm_value b);

/* -1, 0, 1 by bytes. */
int tsm_str_compare(const tsm_str *a, const tsm_str *b);

#endif
