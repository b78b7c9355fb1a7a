/* The allocator in the caller's buffer: every invariant after every step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/value/alloc.h"
#include "tests/unit/heap_check.h"

enum { REGION = 64 * 1024 };
static uint8_t region[REGION] __attribute__((aligned(64)));

static uint32_t random_state = 1;

static uint32_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static void test_empty(void **state) {
    (void)state;
    tsm_heap h;
    tsm_heap_init(&h, region, REGION);
    assert_true(heap_check(&h));
    assert_true(h.used <= tsm_heap_overhead(REGION));
    tsm_heap_free(&h, NULL);
}

static void test_alignment(void **state) {
    (void)state;
    for (size_t shift = 0; shift < 40; shift++) {
        tsm_heap h;
        tsm_heap_init(&h, region + shift, REGION - shift);
        assert_true(heap_check(&h));
        void *p = tsm_heap_alloc(&h, 1);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t align = 16; align <= 4096; align *= 2) {
            void *q = tsm_heap_alloc_aligned(&h, 100, align);
            assert_non_null(q);
            assert_int_equal((uintptr_t)q % align, 0);
            memset(q, 7, 100);
            assert_true(heap_check(&h));
        }
    }
}

/* After everything is freed, one block as large as at the start must be there again. */
static void test_coalescing(void **state) {
    (void)state;
    tsm_heap h;
    tsm_heap_init(&h, region, REGION);
    size_t empty = h.used, all = REGION - empty;
    void *p[64];
    for (int i = 0; i < 64; i++)
        p[i] = tsm_heap_alloc(&h, 300);
    for (int i = 0; i < 64; i += 2)
        tsm_heap_free(&h, p[i]);
    assert_true(heap_check(&h));
    for (int i = 1; i < 64; i += 2)
        tsm_heap_free(&h, p[i]);
    assert_true(heap_check(&h));
    assert_int_equal(h.used, empty);
    void *whole = tsm_heap_alloc(&h, all - sizeof(size_t));
    assert_non_null(whole);
    assert_int_equal(h.used, REGION - (REGION - empty - all));
    assert_null(tsm_heap_alloc(&h, 1));
}

static void test_missing(void **state) {
    (void)state;
    tsm_heap h;
    tsm_heap_init(&h, region, 8192);
    size_t room = 8192 - h.used;
    size_t want = room - sizeof(size_t) + 160;
    assert_null(tsm_heap_alloc(&h, want));
    assert_int_equal(h.missing, 160);
    tsm_heap_init(&h, region, 8192 + h.missing);
    assert_non_null(tsm_heap_alloc(&h, want));
    assert_null(tsm_heap_alloc(&h, SIZE_MAX));
    assert_null(tsm_heap_alloc_aligned(&h, SIZE_MAX - 8, 64));
    assert_true(heap_check(&h));
}

static void test_tiny_regions(void **state) {
    (void)state;
    for (size_t bytes = 0; bytes < 600; bytes++) {
        tsm_heap h;
        tsm_heap_init(&h, region, bytes);
        assert_true(heap_check(&h));
        void *p = tsm_heap_alloc(&h, 8);
        if (p)
            memset(p, 1, 8);
        else
            assert_true(h.missing > 0);
        assert_true(heap_check(&h));
    }
}

static void test_growing(void **state) {
    (void)state;
    tsm_heap h;
    tsm_heap_init(&h, region, REGION);
    uint8_t *p = tsm_heap_realloc(&h, NULL, 10);
    memset(p, 42, 10);
    /* Nothing stands behind: grows where it is. */
    assert_ptr_equal(tsm_heap_realloc(&h, p, 5000), p);
    assert_true(heap_check(&h));
    void *wall = tsm_heap_alloc(&h, 16);
    uint8_t *moved = tsm_heap_realloc(&h, p, 9000);
    assert_ptr_not_equal(moved, p);
    for (int i = 0; i < 10; i++)
        assert_int_equal(moved[i], 42);
    assert_ptr_equal(tsm_heap_realloc(&h, moved, 20), moved);
    assert_true(heap_check(&h));
    assert_null(tsm_heap_realloc(&h, moved, REGION));
    assert_int_equal(moved[9], 42);
    tsm_heap_free(&h, wall);
    tsm_heap_free(&h, moved);
    assert_true(heap_check(&h));
}

/* Live blocks carry a pattern of their own, checked before each change. */
typedef struct {
    uint8_t *p;
    size_t bytes;
    uint8_t pattern;
} live_block;

static void check_pattern(const live_block *b) {
    for (size_t i = 0; i < b->bytes; i++)
        assert_int_equal(b->p[i], b->pattern);
}

static size_t random_size(void) {
    uint32_t r = next_random();
    return r % 8 == 0 ? next_random() % 6000 : r % 8 < 4 ? next_random() % 64 : next_random() % 700;
}

static void random_step(tsm_heap *h, live_block *b, int step) {
    if (b->p)
        check_pattern(b);
    if (!b->p) {
        b->bytes = random_size();
        size_t align = (size_t)16 << next_random() % 4;
        b->p = next_random() % 2 ? tsm_heap_alloc(h, b->bytes) : tsm_heap_alloc_aligned(h, b->bytes, align);
    } else if (next_random() % 3 == 0) {
        size_t bytes = random_size();
        uint8_t *p = tsm_heap_realloc(h, b->p, bytes);
        if (p) {
            b->bytes = bytes < b->bytes ? bytes : b->bytes;
            b->p = p;
            check_pattern(b);
            b->bytes = bytes;
        }
    } else {
        tsm_heap_free(h, b->p);
        b->p = NULL;
    }
    if (b->p) {
        b->pattern = (uint8_t)step;
        memset(b->p, b->pattern, b->bytes);
    }
}

static void test_random(void **state) {
    (void)state;
    enum { BLOCKS = 96 };
    for (uint32_t seed = 1; seed <= 20; seed++) {
        random_state = seed * 2654435761u;
        tsm_heap h;
        tsm_heap_init(&h, region + seed % 3 * 8, REGION - 64);
        size_t empty = h.used;
        live_block blocks[BLOCKS] = {{0}};
        for (int step = 0; step < 3000; step++) {
            random_step(&h, &blocks[next_random() % BLOCKS], step);
            assert_true(heap_check(&h));
        }
        for (int i = 0; i < BLOCKS; i++)
            tsm_heap_free(&h, blocks[i].p);
        assert_true(heap_check(&h));
        assert_int_equal(h.used, empty);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),   cmocka_unit_test(test_alignment),    cmocka_unit_test(test_coalescing),
        cmocka_unit_test(test_missing), cmocka_unit_test(test_tiny_regions), cmocka_unit_test(test_growing),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
