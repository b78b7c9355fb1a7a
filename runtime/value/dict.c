/* Dicts: entries in the order of their insertion, and behind them an open-addressed index, one block for both. */
#include <string.h>

#include "runtime/value/exec.h"
#include "runtime/value/value.h"

enum {
    SMALL_DICT = 8, /* up to so many entries are compared one by one, without an index */
    REMOVED = 1,    /* in key.reserved */
};

/* An entry has up to 11 bytes of index besides: the bytes of so many cannot wrap. */
#define MAX_ENTRIES                                                                                                    \
    (SIZE_MAX / 4 / (sizeof(tsm_dict_entry) + 11) < UINT32_MAX / 4 ? SIZE_MAX / 4 / (sizeof(tsm_dict_entry) + 11)      \
                                                                   : UINT32_MAX / 4)

static uint32_t hash_bits(uint64_t v) {
    v *= UINT64_C(0x9e3779b97f4a7c15); /* Fibonacci hashing: the golden ratio's fraction */
    return (uint32_t)(v >> 32);
}

#if !defined(__OPTIMIZE_SIZE__)
enum { SHORT_TEXT = 8 };

static inline uint64_t load_4(const char *text) {
    uint32_t w;
    memcpy(&w, text, sizeof w);
    return w;
}

/* All bytes of a text of at most SHORT_TEXT bytes as one number, some of them twice. */
static inline uint64_t short_text(const char *text, uint32_t n) {
    const uint8_t *bytes = (const uint8_t *)text;
    if (n >= 4)
        return load_4(text) << 32 | load_4(text + n - 4);
    return n ? bytes[0] | (uint32_t)bytes[n / 2] << 8 | (uint32_t)bytes[n - 1] << 16 : 0;
}
#endif

static uint32_t hash_bytes(const char *text, size_t n) {
#if defined(__OPTIMIZE_SIZE__)
    uint32_t h = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < n; i++)
        h = (h ^ (uint8_t)text[i]) * 16777619u;
    return h;
#else
    uint64_t h = n;
    for (; n > SHORT_TEXT; text += SHORT_TEXT, n -= SHORT_TEXT) {
        h = (h ^ short_text(text, SHORT_TEXT)) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return hash_bits(h ^ short_text(text, (uint32_t)n));
#endif
}

/* -0.0 and 0.0 are equal, so they must have one hash. */
static uint64_t bits_of_double(double v) {
    uint64_t bits;
    v += 0.0;
    memcpy(&bits, &v, sizeof bits);
    return v == 0 ? 0 : bits;
}

/* Of a string, which keeps it; 0 stands for one that was not asked for. */
static inline uint32_t hash_of_str(tsm_str *s) {
    if (!s->hash)
        s->hash = hash_bytes(s->text, s->length) | 1;
    return s->hash;
}

static uint32_t hash_of(tsm_value key) {
    uint64_t bits = 0;
    switch (key.tag) {
    case TSM_TAG_NONE:
        break;
    case TSM_TAG_BOOL:
        bits = key.as.b;
        break;
    case TSM_TAG_INT:
        return tsm_dict_hash_int(key.as.i);
    case TSM_TAG_FLOAT:
        bits = bits_of_double(key.as.f);
        break;
    case TSM_TAG_DEVICE:
        bits = key.as.device;
        break;
    case TSM_TAG_COMPLEX:
        bits = bits_of_double(tsm_as_complex(key)->re) * 31 + bits_of_double(tsm_as_complex(key)->im);
        break;
    case TSM_TAG_STR:
        return hash_of_str(tsm_as_str(key));
    case TSM_TAG_ENUM:
        bits = (uint64_t)tsm_as_enum(key)->type << 32 | tsm_as_enum(key)->member;
        break;
    default:
        bits = (uintptr_t)key.as.o;
        break;
    }
    return hash_bits(bits);
}

static bool is_key(const tsm_dict_entry *e, tsm_value key) {
    return e->key.reserved != REMOVED && tsm_plain_equal(e->key, key);
}

static uint32_t next_slot(const tsm_dict *d, uint32_t at) {
    return (at + 1) & (UINT32_MAX >> d->index_shift);
}

#if !defined(__OPTIMIZE_SIZE__)
/* Strings are compared by their hashes first, which those in a dict have: it was asked for when they came there. */
static inline bool is_str_key(const tsm_dict_entry *e, const tsm_str *key) {
    const tsm_str *s = tsm_as_str(e->key);
    return e->key.tag == TSM_TAG_STR &&
           (s == key || (s->hash == key->hash && s->length == key->length && !memcmp(s->text, key->text, key->length)));
}

static TSM_OUT_OF_LINE tsm_dict_entry *find_str_in_index(tsm_dict *d, const tsm_str *key) {
    for (uint32_t at = tsm_dict_first_slot(d, key->hash), entry; (entry = d->index[at]); at = next_slot(d, at))
        if (is_str_key(&d->entries[entry - 1], key))
            return &d->entries[entry - 1];
    return NULL;
}

static TSM_OUT_OF_LINE tsm_dict_entry *find_str_in_row(tsm_dict *d, const tsm_str *key) {
    for (uint32_t i = 0; i < d->used; i++)
        if (is_str_key(&d->entries[i], key))
            return &d->entries[i];
    return NULL;
}

tsm_dict_entry *tsm_dict_find_str(tsm_dict *d, tsm_str *key) {
    const uint32_t hash = hash_of_str(key);
    if (!d->index)
        return find_str_in_row(d, key);
    /* The first place that is looked at holds the key, or nothing, in most cases. */
    const uint32_t entry = d->index[tsm_dict_first_slot(d, hash)], n = key->length;
    if (!entry)
        return NULL;
    tsm_dict_entry *e = &d->entries[entry - 1];
    const tsm_str *s = tsm_as_str(e->key);
    if (e->key.tag == TSM_TAG_STR && (s == key || (s->hash == hash && s->length == n && n <= SHORT_TEXT &&
                                                   short_text(s->text, n) == short_text(key->text, n))))
        return e;
    return find_str_in_index(d, key);
}
#endif

tsm_dict_entry *tsm_dict_find(tsm_dict *d, tsm_value key) {
    if (key.tag == TSM_TAG_INT)
        return tsm_dict_find_int(d, key.as.i);
#if !defined(__OPTIMIZE_SIZE__)
    if (key.tag == TSM_TAG_STR)
        return tsm_dict_find_str(d, tsm_as_str(key));
#endif
    if (!d->index) {
        for (uint32_t i = 0; i < d->used; i++)
            if (is_key(&d->entries[i], key))
                return &d->entries[i];
        return NULL;
    }
    for (uint32_t at = tsm_dict_first_slot(d, hash_of(key)); d->index[at]; at = next_slot(d, at))
        if (is_key(&d->entries[d->index[at] - 1], key))
            return &d->entries[d->index[at] - 1];
    return NULL;
}

tsm_dict_entry *tsm_dict_find_int(tsm_dict *d, int64_t key) {
    if (!d->index) {
        for (uint32_t i = 0; i < d->used; i++)
            if (tsm_dict_is_int_key(&d->entries[i], key))
                return &d->entries[i];
        return NULL;
    }
    for (uint32_t at = tsm_dict_first_slot(d, tsm_dict_hash_int(key)), entry; (entry = d->index[at]);
         at = next_slot(d, at))
        if (tsm_dict_is_int_key(&d->entries[entry - 1], key))
            return &d->entries[entry - 1];
    return NULL;
}

static void index_add(tsm_dict *d, uint32_t entry) {
    uint32_t at = tsm_dict_first_slot(d, hash_of(d->entries[entry].key));
    while (d->index[at])
        at = next_slot(d, at);
    d->index[at] = entry + 1;
}

/* 32 - the logarithm of the index's size, the smallest power of two that leaves a quarter of it empty. */
static uint32_t shift_for(uint32_t capacity) {
    uint32_t shift = 28;
    while (UINT32_MAX >> shift < capacity + capacity / 3)
        shift--;
    return shift;
}

/* Moves the entries in use to the front. */
static void squeeze(tsm_dict *d, tsm_dict_entry *to) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->used; i++)
        if (d->entries[i].key.reserved != REMOVED)
            to[n++] = d->entries[i];
    d->used = n;
}

static void make_index(tsm_dict *d) {
    if (!d->index)
        return;
    memset(d->index, 0, ((size_t)(UINT32_MAX >> d->index_shift) + 1) * sizeof *d->index);
    for (uint32_t i = 0; i < d->used; i++)
        index_add(d, i);
}

/* Lays the dict out anew for `capacity` entries, at least as many as are in use. */
static bool dict_lay_out(tsm_exec *x, tsm_dict *d, uint32_t capacity) {
    uint32_t shift = shift_for(capacity), slots = capacity > SMALL_DICT ? (UINT32_MAX >> shift) + 1 : 0;
    tsm_dict_entry *entries =
        (tsm_dict_entry *)tsm_heap_alloc(&x->heap, capacity * sizeof(tsm_dict_entry) + slots * sizeof(uint32_t));
    if (!entries)
        return false;
    squeeze(d, entries);
    tsm_heap_free(&x->heap, d->entries);
    d->entries = entries;
    d->capacity = capacity;
    d->index = slots ? (uint32_t *)(void *)(entries + capacity) : NULL;
    d->index_shift = shift;
    make_index(d);
    return true;
}

tsm_status tsm_dict_reserve(tsm_exec *x, tsm_dict *d, size_t capacity) {
    if (capacity <= d->capacity)
        return TSM_OK;
    if (capacity > MAX_ENTRIES)
        return tsm_fail(x, TSM_OUT_OF_MEMORY, "a dict of %zu entries is too large", capacity);
    return dict_lay_out(x, d, (uint32_t)capacity) ? TSM_OK : tsm_fail_memory(x);
}

/* Room for one more entry. Where many were removed, their room is used again; else the dict grows by half, or by one
 * entry when the buffer is too full for that. */
static tsm_status reserve_one(tsm_exec *x, tsm_dict *d) {
    if (d->used < d->capacity)
        return TSM_OK;
    if (d->length < d->used - d->used / 4) {
        squeeze(d, d->entries);
        make_index(d);
        return TSM_OK;
    }
    uint32_t ample = d->length + d->length / 2 + 4;
    if (ample < MAX_ENTRIES && dict_lay_out(x, d, ample))
        return TSM_OK;
    return tsm_dict_reserve(x, d, (size_t)d->capacity + 1);
}

tsm_status tsm_dict_add(tsm_exec *x, tsm_dict *d, tsm_value key, tsm_value item) {
    TSM_TRY(reserve_one(x, d));
    tsm_dict_entry *e = &d->entries[d->used];
    e->key = tsm_hold(key);
    e->key.reserved = 0;
    e->item = tsm_hold(item);
    if (d->index)
        index_add(d, d->used);
    d->used++;
    d->length++;
    return TSM_OK;
}

tsm_status tsm_dict_put(tsm_exec *x, tsm_dict *d, tsm_value key, tsm_value item) {
    tsm_dict_entry *e = tsm_dict_find(d, key);
    if (!e)
        return tsm_dict_add(x, d, key, item);
    tsm_value old = e->item;
    e->item = tsm_hold(item);
    tsm_drop(x, old);
    return TSM_OK;
}

bool tsm_dict_remove(tsm_exec *x, tsm_dict *d, tsm_value key, tsm_value *item) {
    tsm_dict_entry *e = tsm_dict_find(d, key);
    if (!e)
        return false;
    *item = e->item;
    e->item = tsm_none();
    tsm_value own_key = e->key;
    e->key = tsm_none();
    e->key.reserved = REMOVED;
    d->length--;
    tsm_drop(x, own_key);
    return true;
}

void tsm_dict_clear(tsm_exec *x, tsm_dict *d) {
    for (uint32_t i = 0; i < d->used; i++) {
        tsm_drop(x, d->entries[i].key);
        tsm_drop(x, d->entries[i].item);
    }
    d->length = d->used = 0;
    make_index(d);
}

bool tsm_dict_next(const tsm_dict *d, size_t *at, tsm_dict_entry **entry) {
    while (*at < d->used && d->entries[*at].key.reserved == REMOVED)
        ++*at;
    if (*at >= d->used)
        return false;
    *entry = &d->entries[(*at)++];
    return true;
}
