/* Making, comparing and freeing of counted objects. */
#include "runtime/value/value.h"

#include <string.h>

#include "runtime/value/exec.h"

extern inline bool tsm_is_object(tsm_value v);
extern inline tsm_value tsm_of(uint32_t tag, void *object);
extern inline void tsm_drop(tsm_exec *x, tsm_value v);

/* Objects that are being freed: a list through their `references`, which nobody counts any more. */
typedef struct {
    uint32_t first;
} free_list;

static void free_list_push(tsm_exec *x, free_list *list, tsm_object_header *o) {
    o->references = list->first;
    list->first = tsm_heap_position(&x->heap, o);
}

static tsm_object_header *free_list_pop(tsm_exec *x, free_list *list) {
    tsm_object_header *o = tsm_heap_at(&x->heap, list->first);
    list->first = o->references;
    return o;
}

static void drop_into(tsm_exec *x, free_list *list, const tsm_value *v) {
    if (tsm_is_object(*v) && --v->as.o->references == 0)
        free_list_push(x, list, v->as.o);
}

static void drop_all(tsm_exec *x, free_list *list, const tsm_value *items, size_t n) {
    for (const tsm_value *end = items + n; items < end; items++)
        drop_into(x, list, items);
}

void tsm_storage_drop(tsm_exec *x, tsm_storage *s) {
    if (--s->references)
        return;
    if (!(s->flags & (TSM_STORAGE_BORROWED | TSM_STORAGE_INSIDE)))
        tsm_scratch_free(x, s->data);
    tsm_tensor *maker = (tsm_tensor *)(void *)((uint8_t *)s - offsetof(tsm_tensor, own));
    if (maker->header.tag == TSM_TAG_NONE)
        tsm_heap_free(&x->heap, maker);
}

void tsm_quantizer_drop(tsm_exec *x, tsm_quantizer *q) {
    if (q && --q->references == 0)
        tsm_heap_free(&x->heap, q);
}

/* The block stays while others use the tensor's own storage: the last of them frees it, seeing by the tag that the
 * tensor is gone. */
static void free_tensor(tsm_exec *x, tsm_tensor *t) {
    tsm_storage *used = t->storage;
    tsm_quantizer_drop(x, t->quantizer);
    if (t->sizes != (tsm_dim *)(t + 1)) /* see set_shape in tensor.c */
        tsm_heap_free(&x->heap, t->sizes);
    t->header.tag = TSM_TAG_NONE;
    if (!t->own.references)
        tsm_heap_free(&x->heap, t);
    tsm_storage_drop(x, used);
}

static void free_object(tsm_exec *x, free_list *list, tsm_object_header *o) {
    tsm_value v = tsm_of(o->tag, o);
    switch (v.tag) {
    case TSM_TAG_TENSOR:
        free_tensor(x, tsm_as_tensor(v));
        return;
    case TSM_TAG_LIST:
        drop_all(x, list, tsm_as_list(v)->items, tsm_as_list(v)->length);
        tsm_heap_free(&x->heap, tsm_as_list(v)->items);
        break;
    case TSM_TAG_TUPLE:
        drop_all(x, list, tsm_as_tuple(v)->items, tsm_as_tuple(v)->length);
        break;
    case TSM_TAG_DICT: {
        tsm_dict_entry *e;
        for (size_t at = 0; tsm_dict_next(tsm_as_dict(v), &at, &e);) {
            drop_into(x, list, &e->key);
            drop_into(x, list, &e->item);
        }
        tsm_heap_free(&x->heap, tsm_as_dict(v)->entries);
        break;
    }
    case TSM_TAG_OBJECT:
        drop_all(x, list, tsm_as_object(v)->slots, tsm_as_object(v)->length);
        break;
    case TSM_TAG_ENUM:
        drop_into(x, list, &tsm_as_enum(v)->value);
        break;
    case TSM_TAG_FUTURE:
        drop_into(x, list, &tsm_as_future(v)->value);
        break;
    default:
        break;
    }
    tsm_heap_free(&x->heap, o);
}

void tsm_object_free(tsm_exec *x, tsm_object_header *o) {
    free_list list = {0};
    if (o->tag == TSM_TAG_TENSOR) { /* most are, and these hold no objects */
        free_tensor(x, (tsm_tensor *)(void *)o);
        return;
    }
#if !defined(__OPTIMIZE_SIZE__)
    if (o->tag == TSM_TAG_STR) {
        tsm_heap_free(&x->heap, o);
        return;
    }
#endif
    free_object(x, &list, o);
    while (list.first)
        free_object(x, &list, free_list_pop(x, &list));
}

void *tsm_allocate(tsm_exec *x, size_t bytes) {
    void *p = tsm_heap_alloc(&x->heap, bytes);
    if (!p)
        tsm_fail_memory(x);
    return p;
}

/* An object with one count. */
static void *new_object(tsm_exec *x, uint32_t tag, size_t bytes) {
    tsm_object_header *o = (tsm_object_header *)tsm_allocate(x, bytes);
    if (o) {
        o->references = 1;
        o->tag = (uint16_t)tag;
        o->type = 0;
    }
    return o;
}

tsm_status tsm_make_complex(tsm_exec *x, double re, double im, tsm_value *out) {
    tsm_complex_object *c = (tsm_complex_object *)new_object(x, TSM_TAG_COMPLEX, sizeof *c);
    if (!c)
        return TSM_OUT_OF_MEMORY;
    c->re = re;
    c->im = im;
    *out = tsm_of(TSM_TAG_COMPLEX, c);
    return TSM_OK;
}

tsm_status tsm_make_str(tsm_exec *x, const char *text, size_t n, tsm_value *out) {
    if (n >= UINT32_MAX)
        return tsm_fail(x, TSM_OUT_OF_MEMORY, "a str of %zu bytes is too long", n);
    tsm_str *s = (tsm_str *)new_object(x, TSM_TAG_STR, sizeof *s + n + 1);
    if (!s)
        return TSM_OUT_OF_MEMORY;
    char *to = (char *)(s + 1);
    s->length = (uint32_t)n;
    s->hash = 0;
    s->text = to;
    if (text)
        memcpy(to, text, n);
    to[n] = 0;
    *out = tsm_of(TSM_TAG_STR, s);
    return TSM_OK;
}

tsm_status tsm_make_str_in_place(tsm_exec *x, const char *text, size_t n, tsm_value *out) {
    tsm_str *s = (tsm_str *)new_object(x, TSM_TAG_STR, sizeof *s);
    if (!s)
        return TSM_OUT_OF_MEMORY;
    s->length = (uint32_t)n;
    s->hash = 0;
    s->text = text;
    *out = tsm_of(TSM_TAG_STR, s);
    return TSM_OK;
}

char *tsm_str_buffer(tsm_value v) {
    return (char *)(tsm_as_str(v) + 1);
}

static void set_none(tsm_value *items, size_t n) {
    for (size_t i = 0; i < n; i++)
        items[i] = tsm_none();
}

tsm_status tsm_make_tuple(tsm_exec *x, size_t n, uint32_t type, tsm_tuple **out) {
    if (n > TSM_MOST_VALUES)
        return tsm_fail(x, TSM_OUT_OF_MEMORY, "a tuple of %zu items is too long", n);
    tsm_tuple *t = (tsm_tuple *)new_object(x, TSM_TAG_TUPLE, sizeof *t + n * sizeof(tsm_value));
    if (!t)
        return TSM_OUT_OF_MEMORY;
    t->length = (uint32_t)n;
    t->type = type;
    set_none(t->items, n);
    *out = t;
    return TSM_OK;
}

tsm_status tsm_make_object(tsm_exec *x, uint32_t type, size_t slots, tsm_object **out) {
    if (slots > TSM_MOST_VALUES)
        return tsm_fail(x, TSM_OUT_OF_MEMORY, "an object of %zu slots is too large", slots);
    tsm_object *o = (tsm_object *)new_object(x, TSM_TAG_OBJECT, sizeof *o + slots * sizeof(tsm_value));
    if (!o)
        return TSM_OUT_OF_MEMORY;
    o->type = type;
    o->length = (uint32_t)slots;
    set_none(o->slots, slots);
    *out = o;
    return TSM_OK;
}

tsm_status tsm_make_enum(tsm_exec *x, uint32_t type, uint32_t member, const char *name, tsm_value value,
                         tsm_value *out) {
    tsm_enum *e = (tsm_enum *)new_object(x, TSM_TAG_ENUM, sizeof *e);
    if (!e)
        return TSM_OUT_OF_MEMORY;
    e->type = type;
    e->member = member;
    e->value = tsm_hold(value);
    e->name = name;
    *out = tsm_of(TSM_TAG_ENUM, e);
    return TSM_OK;
}

tsm_status tsm_make_future(tsm_exec *x, tsm_future **out) {
    tsm_future *f = (tsm_future *)new_object(x, TSM_TAG_FUTURE, sizeof *f);
    if (!f)
        return TSM_OUT_OF_MEMORY;
    f->value = tsm_none();
    f->failed = f->is_rref = false;
    *out = f;
    return TSM_OK;
}

tsm_status tsm_make_list(tsm_exec *x, size_t capacity, tsm_list **out) {
    tsm_list *l = (tsm_list *)new_object(x, TSM_TAG_LIST, sizeof *l);
    if (!l)
        return TSM_OUT_OF_MEMORY;
    l->length = l->capacity = 0;
    l->items = NULL;
    if (capacity && tsm_list_reserve(x, l, capacity) != TSM_OK) {
        tsm_heap_free(&x->heap, l);
        return TSM_OUT_OF_MEMORY;
    }
    *out = l;
    return TSM_OK;
}

tsm_status tsm_make_dict(tsm_exec *x, size_t capacity, tsm_dict **out) {
    tsm_dict *d = (tsm_dict *)new_object(x, TSM_TAG_DICT, sizeof *d);
    if (!d)
        return TSM_OUT_OF_MEMORY;
    memset((uint8_t *)d + sizeof d->header, 0, sizeof *d - sizeof d->header);
    if (capacity && tsm_dict_reserve(x, d, capacity) != TSM_OK) {
        tsm_heap_free(&x->heap, d);
        return TSM_OUT_OF_MEMORY;
    }
    *out = d;
    return TSM_OK;
}

int tsm_str_compare(const tsm_str *a, const tsm_str *b) {
    int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
    return order ? (order > 0) - (order < 0) : (a->length > b->length) - (a->length < b->length);
}

bool tsm_plain_equal(tsm_value a, tsm_value b) {
    if (a.tag != b.tag)
        return false;
    switch (a.tag) {
    case TSM_TAG_NONE:
        return true;
    case TSM_TAG_BOOL:
        return a.as.b == b.as.b;
    case TSM_TAG_INT:
        return a.as.i == b.as.i;
    case TSM_TAG_FLOAT:
        return a.as.f == b.as.f;
    case TSM_TAG_DEVICE:
        return a.as.device == b.as.device;
    case TSM_TAG_COMPLEX:
        return tsm_as_complex(a)->re == tsm_as_complex(b)->re && tsm_as_complex(a)->im == tsm_as_complex(b)->im;
    case TSM_TAG_STR: {
        const tsm_str *s = tsm_as_str(a), *t = tsm_as_str(b);
        return s == t || (s->length == t->length && memcmp(s->text, t->text, s->length) == 0);
    }
    case TSM_TAG_ENUM:
        return tsm_as_enum(a)->type == tsm_as_enum(b)->type && tsm_as_enum(a)->member == tsm_as_enum(b)->member;
    default:
        return a.as.o == b.as.o;
    }
}

static bool equal_to_depth(tsm_exec *x, tsm_value a, tsm_value b, int depth);

static bool items_equal(tsm_exec *x, const tsm_value *a, const tsm_value *b, size_t n, int depth) {
    for (size_t i = 0; i < n; i++)
        if (!equal_to_depth(x, a[i], b[i], depth))
            return false;
    return true;
}

/* Dicts are equal when they have the same keys and equal items; the order does not count. */
static bool dicts_equal(tsm_exec *x, const tsm_dict *a, tsm_dict *b, int depth) {
    tsm_dict_entry *e;
    if (a->length != b->length)
        return false;
    for (size_t at = 0; tsm_dict_next(a, &at, &e);) {
        const tsm_dict_entry *other = tsm_dict_find(b, e->key);
        if (!other || !equal_to_depth(x, e->item, other->item, depth))
            return false;
    }
    return true;
}

/* `depth` levels of containers may follow. */
static bool equal_to_depth(tsm_exec *x, tsm_value a, tsm_value b, int depth) {
    if (!tsm_count_work(x, a.tag == TSM_TAG_STR ? (size_t)tsm_as_str(a)->length + 1 : 1))
        return false;
    if (a.tag != b.tag || a.as.o == b.as.o || depth == 0)
        return tsm_plain_equal(a, b);
    switch (a.tag) {
    case TSM_TAG_LIST:
        return tsm_as_list(a)->length == tsm_as_list(b)->length &&
               items_equal(x, tsm_as_list(a)->items, tsm_as_list(b)->items, tsm_as_list(a)->length, depth - 1);
    case TSM_TAG_TUPLE:
        return tsm_as_tuple(a)->length == tsm_as_tuple(b)->length &&
               items_equal(x, tsm_as_tuple(a)->items, tsm_as_tuple(b)->items, tsm_as_tuple(a)->length, depth - 1);
    case TSM_TAG_DICT:
        return dicts_equal(x, tsm_as_dict(a), tsm_as_dict(b), depth - 1);
    default:
        return tsm_plain_equal(a, b);
    }
}

bool tsm_values_equal(tsm_exec *x, tsm_value a, tsm_value b) {
    return equal_to_depth(x, a, b, TSM_EQUAL_DEPTH);
}

bool tsm_values_identical(tsm_value a, tsm_value b) {
    if (a.tag == b.tag && tsm_is_object(a))
        return a.as.o == b.as.o;
    return tsm_plain_equal(a, b);
}
