/* A list of objects and storages that a walk over values has met. */
#include "runtime/interpreter/met.h"

#include <string.h>

static uint32_t *met_index_of(const tsm_met *m, const void *at) {
    const uint32_t mask = 2 * m->capacity - 1;
    uint32_t i = (uint32_t)((uintptr_t)at >> 3) * UINT32_C(0x9e3779b9) >> 7 & mask;
    while (m->index[i] && m->things[m->index[i] - 1].at != at)
        i = (i + 1) & mask;
    return &m->index[i];
}

/* Room for one more. */
static bool met_grow(tsm_met *m) {
    if (m->count < m->capacity)
        return true;
    const size_t capacity = m->capacity ? 2 * (size_t)m->capacity : 64;
    tsm_met_thing *things = tsm_allocate(m->x, capacity * sizeof *things);
    uint32_t *index = things ? tsm_allocate(m->x, 2 * capacity * sizeof *index) : NULL;
    if (!index) {
        tsm_heap_free(&m->x->heap, things);
        m->is_full = true;
        return false;
    }
    if (m->count)
        memcpy(things, m->things, m->count * sizeof *things);
    memset(index, 0, 2 * capacity * sizeof *index);
    tsm_heap_free(&m->x->heap, m->things);
    tsm_heap_free(&m->x->heap, m->index);
    m->things = things;
    m->index = index;
    m->capacity = (uint32_t)capacity;
    for (uint32_t i = 0; i < m->count; i++)
        if (things[i].at)
            *met_index_of(m, things[i].at) = i + 1;
    return true;
}

void tsm_met_add(tsm_met *m, const void *at, uint32_t kind) {
    if (!met_grow(m))
        return;
    m->things[m->count++] = (tsm_met_thing){at, kind};
    if (at)
        *met_index_of(m, at) = m->count;
}

uint32_t tsm_met_number(tsm_met *m, const void *at, uint32_t kind) {
    const uint32_t known = m->capacity ? *met_index_of(m, at) : 0;
    if (known)
        return known - 1;
    tsm_met_add(m, at, kind);
    return m->count - 1;
}

void tsm_met_free(tsm_met *m) {
    tsm_heap_free(&m->x->heap, m->things);
    tsm_heap_free(&m->x->heap, m->index);
}
