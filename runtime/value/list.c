/* Lists. */
#include <string.h>

#include "runtime/value/exec.h"
#include "runtime/value/value.h"

tsm_status tsm_list_reserve(tsm_exec *x, tsm_list *l, size_t capacity) {
    if (capacity <= l->capacity)
        return TSM_OK;
    if (capacity > TSM_MOST_VALUES)
        return tsm_fail(x, TSM_OUT_OF_MEMORY, "a list of %zu items is too long", capacity);
    tsm_value *items = (tsm_value *)tsm_heap_realloc(&x->heap, l->items, capacity * sizeof(tsm_value));
    if (!items)
        return tsm_fail_memory(x);
    l->items = items;
    l->capacity = (uint32_t)capacity;
    return TSM_OK;
}

/* Room for one more item: grows by half, or by one item when the buffer is too full for that. */
static tsm_status list_reserve_one(tsm_exec *x, tsm_list *l) {
    if (l->length < l->capacity)
        return TSM_OK;
    size_t ample = (size_t)l->length + l->length / 2 + 4;
    tsm_value *items = (tsm_value *)tsm_heap_realloc(&x->heap, l->items, ample * sizeof(tsm_value));
    if (!items)
        return tsm_list_reserve(x, l, (size_t)l->length + 1);
    l->items = items;
    l->capacity = (uint32_t)ample;
    return TSM_OK;
}

tsm_status tsm_list_append(tsm_exec *x, tsm_list *l, tsm_value item) {
    if (l->length == l->capacity)
        TSM_TRY(list_reserve_one(x, l));
    l->items[l->length++] = tsm_hold(item);
    return TSM_OK;
}

tsm_status tsm_list_insert(tsm_exec *x, tsm_list *l, size_t at, tsm_value item) {
    TSM_TRY(list_reserve_one(x, l));
    memmove(l->items + at + 1, l->items + at, (l->length - at) * sizeof(tsm_value));
    l->items[at] = tsm_hold(item);
    l->length++;
    return TSM_OK;
}

tsm_value tsm_list_take(tsm_list *l, size_t at) {
    tsm_value item = l->items[at];
    l->length--;
    memmove(l->items + at, l->items + at + 1, (l->length - at) * sizeof(tsm_value));
    return item;
}

void tsm_list_clear(tsm_exec *x, tsm_list *l) {
    while (l->length)
        tsm_drop(x, l->items[--l->length]);
}
