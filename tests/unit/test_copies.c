/* tsm_iter_copy() does what copying element by element does, for layouts by chance: steps, swapped dimensions, rows of
 * few bytes, windows that overlap, sources that run backwards. Blocks end, or start, at a page that may not be touched.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/tensor/iter.h"
#include "tests/unit/guarded.h"

enum { DIMS = 4, LAYOUTS = 20000, MOST_BYTES = 1 << 18 };

static uint32_t seed;
static uint32_t chance(uint32_t n) {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

/* Where elements lie: strides in elements, and how many elements the block has. */
typedef struct {
    tsm_dim strides[DIMS], first, elements;
} layout;

/* Dimensions in any order, each behind what the inner ones take (or, overlapping, one element on), with gaps or
 * without. */
static layout layout_by_chance(const tsm_dim *sizes, bool may_overlap) {
    layout l = {.elements = 1};
    int order[DIMS] = {0, 1, 2, 3};
    for (int k = DIMS - 1; k > 0 && chance(2); k--) {
        const int other = (int)chance((uint32_t)k + 1), held = order[k];
        order[k] = order[other];
        order[other] = held;
    }
    for (int k = DIMS - 1; k >= 0; k--) {
        const int d = order[k];
        tsm_dim stride = may_overlap && !chance(4) ? 1 + (tsm_dim)chance(3) : l.elements + (chance(4) ? 0 : chance(4));
        const tsm_dim way = (sizes[d] - 1) * stride;
        if (may_overlap && !chance(8)) {
            l.first += way;
            stride = -stride;
        }
        l.strides[d] = stride;
        l.elements += way;
    }
    return l;
}

static tsm_dim place(const layout *l, const tsm_dim *sizes, tsm_dim i) {
    tsm_dim at = l->first;
    for (int d = DIMS - 1; d >= 0; d--) {
        at += i % sizes[d] * l->strides[d];
        i /= sizes[d];
    }
    return at;
}

static void copy_layouts(size_t size, const tsm_dim *sizes, layout to, layout from) {
    const tsm_dim n = sizes[0] * sizes[1] * sizes[2] * sizes[3];
    const size_t to_bytes = (size_t)to.elements * size, from_bytes = (size_t)from.elements * size;
    if (to_bytes > MOST_BYTES || from_bytes > MOST_BYTES)
        return;
    char *source = guarded_alloc(from_bytes), *made = guarded_alloc(to_bytes), *expected = malloc(to_bytes);
    for (size_t i = 0; i < from_bytes; i++)
        source[i] = (char)chance(256);
    memset(made, 0x55, to_bytes);
    memset(expected, 0x55, to_bytes);
    for (tsm_dim i = 0; i < n; i++)
        memcpy(expected + (size_t)place(&to, sizes, i) * size, source + (size_t)place(&from, sizes, i) * size, size);
    tsm_iter it;
    tsm_iter_start(&it, DIMS, sizes);
    tsm_iter_add_raw(&it, made, to.strides, size);
    tsm_iter_add_raw(&it, source + (size_t)from.first * size, from.strides, size);
    tsm_iter_ready(&it);
    tsm_iter_copy(&it, size);
    assert_memory_equal(made, expected, to_bytes);
    free(expected);
    guarded_free(made);
    guarded_free(source);
}

static void copy_once(size_t size) {
    static const uint32_t most[] = {2, 3, 9, 40};
    tsm_dim sizes[DIMS];
    for (int d = 0; d < DIMS; d++)
        sizes[d] = 1 + (tsm_dim)chance(most[(d + (int)chance(2)) % DIMS]);
    const layout to = layout_by_chance(sizes, false);
    copy_layouts(size, sizes, to, layout_by_chance(sizes, true));
}

static void copies_are_those_of_single_elements(void **state) {
    (void)state;
    for (int side = 0; side < 2; side++) {
        guarded_choose(side ? GUARDED_START : GUARDED_END);
        seed = 1;
        for (int i = 0; i < LAYOUTS; i++)
            copy_once((size_t)1 << i % 5);
    }
    guarded_choose(GUARDED_END);
}

/* Swapped dimensions whose rows lie a multiple of 4096 bytes apart, as those of large matrices do, on one side or both,
 * or without anything between them. */
static void swapped_dimensions(void **state) {
    (void)state;
    static const tsm_dim rows[] = {1, 2, 3, 4, 7, 8, 16, 33, 60}, columns[] = {1, 2, 3, 4, 8, 15, 16, 50, 63};
    for (size_t size = 1; size <= 16; size *= 2)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
                for (int far = 0; far < 4; far++) {
                    const tsm_dim sizes[DIMS] = {1, 1, rows[r], columns[c]}, apart = 4096 / (tsm_dim)size;
                    const tsm_dim to_step = far & 1 ? apart : columns[c], from_step = far & 2 ? apart : rows[r];
                    const layout to = {{0, 0, to_step, 1}, 0, (rows[r] - 1) * to_step + columns[c]};
                    const layout from = {{0, 0, 1, from_step}, 0, (columns[c] - 1) * from_step + rows[r]};
                    copy_layouts(size, sizes, to, from);
                }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(copies_are_those_of_single_elements),
                                       cmocka_unit_test(swapped_dimensions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
