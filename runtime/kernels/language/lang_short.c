/* Operators on strings and lists in ordinary cases, on a shorter way than all calls (TSM_SHORT_KERNEL of kernel.h): the
 * same results as those of the kernels in lang_str.c and lang_list.c, which know the other cases and errors. */
#include <string.h>

#include "runtime/kernels/language/lang.h"

/* A bound of a slice of n items as a position; false where it is no int. */
static inline bool short_bound(tsm_value v, uint32_t n, uint32_t when_none, uint32_t *at) {
    int64_t i = v.as.i;
    if (v.tag == TSM_TAG_NONE || i == INT64_MAX) { /* which stands for None */
        *at = when_none;
        return v.tag == TSM_TAG_NONE || v.tag == TSM_TAG_INT;
    }
    i += i < 0 ? n : 0;
    *at = i < 0 ? 0 : i > n ? n : (uint32_t)i;
    return v.tag == TSM_TAG_INT;
}

/* Inputs 1 to 3 of a slice operator with step 1: `count` of n items, from `first` on. */
static inline bool short_slice(const tsm_value *in, uint32_t n, uint32_t *first, uint32_t *count) {
    if (in[3].tag != TSM_TAG_INT || in[3].as.i != 1)
        return false;
    const int64_t from = in[1].as.i, to = in[2].as.i;
    if (in[1].tag == TSM_TAG_INT && in[2].tag == TSM_TAG_INT && (uint64_t)from <= (uint64_t)to && (uint64_t)to <= n) {
        *first = (uint32_t)from;
        *count = (uint32_t)(to - from);
        return true;
    }
    uint32_t behind;
    if (!short_bound(in[1], n, 0, first) || !short_bound(in[2], n, n, &behind))
        return false;
    *count = behind > *first ? behind - *first : 0;
    return true;
}

TSM_SHORT_KERNEL(aten_slice_str) {
    uint32_t first, count;
    return in[0].tag == TSM_TAG_STR && short_slice(in, tsm_as_str(in[0])->length, &first, &count) &&
           tsm_make_str(x, tsm_as_str(in[0])->text + first, count, out) == TSM_OK;
}

TSM_SHORT_KERNEL(aten_add_str) {
    if (in[0].tag != TSM_TAG_STR || in[1].tag != TSM_TAG_STR)
        return false;
    const tsm_str *a = tsm_as_str(in[0]), *b = tsm_as_str(in[1]);
    if (tsm_make_str(x, NULL, (size_t)a->length + b->length, out) != TSM_OK)
        return false;
    char *to = tsm_str_buffer(*out);
    memcpy(to, a->text, a->length);
    memcpy(to + a->length, b->text, b->length);
    return true;
}

TSM_SHORT_KERNEL(aten_slice_t) {
    uint32_t first, count;
    tsm_list *l;
    if (in[0].tag != TSM_TAG_LIST || !short_slice(in, tsm_as_list(in[0])->length, &first, &count))
        return false;
    const tsm_list *from = tsm_as_list(in[0]);
    if (tsm_make_list(x, count, &l) != TSM_OK)
        return false;
    tsm_set_type(&l->header, tsm_get_type(&from->header));
    for (uint32_t i = 0; i < count; i++)
        l->items[i] = tsm_hold(from->items[first + i]);
    l->length = count;
    *out = tsm_of(TSM_TAG_LIST, l);
    return true;
}
