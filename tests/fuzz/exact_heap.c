/* The runtime's allocator (runtime/value/alloc.h) for harnesses with AddressSanitizer or MemorySanitizer, in its place:
 * every block ends at its last byte, in front of bytes that may not be touched, and none is used twice before the next
 * tsm_heap_init. What the real one does is tested by the harnesses without sanitizers. */
#include <string.h>

#include "runtime/value/alloc.h"
#include "tests/fuzz/harness.h"
#include "tests/unit/heap_check.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#if __has_feature(memory_sanitizer)
#define WITH_MSAN 1
#endif
#endif

#ifdef __SANITIZE_ADDRESS__
#define WITH_ASAN 1
#endif

#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
#define NOT_CHECKED __attribute__((no_sanitize("address")))
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define NOT_CHECKED
#endif
#ifdef WITH_MSAN
#include <sanitizer/msan_interface.h>
#else
#define __msan_poison(p, n) ((void)(p), (void)(n))
#endif

/* In front of every block: its size, and bytes that may not be touched. */
enum { HEAD = 32, ALIGN = 16, BEHIND = 32, ARENA_BYTES = 1 << 24, ARENAS = 2 };

/* The memory of one heap. There are as many arenas as a harness has instances at once; a new heap takes the older one.
 */
typedef struct {
    const void *start; /* of the heap's region */
    uint8_t *bytes;
    size_t taken;
} arena;

static arena arenas[ARENAS];
static int last_arena;

void tsm_heap_forget(void *start, size_t bytes) {
    ASAN_UNPOISON_MEMORY_REGION(start, bytes);
}

size_t tsm_heap_overhead(size_t bytes) {
    return bytes / 64 + 256;
}

/* The arena of the region that begins here; for a new region, the arena that was not used last. */
static arena *arena_for(const void *start) {
    last_arena = arenas[0].start == start ? 0 : arenas[1].start == start ? 1 : 1 - last_arena;
    arena *a = &arenas[last_arena];
    if (!a->bytes)
        a->bytes = harness_guarded(ARENA_BYTES);
    a->start = start;
    return a;
}

static arena *arena_of(const tsm_heap *h) {
    return h->start == arenas[0].bytes ? &arenas[0] : &arenas[1];
}

void tsm_heap_init(tsm_heap *h, void *start, size_t bytes) {
    arena *a = arena_for(start);
    memset(h, 0, sizeof *h);
    /* Positions in the heap are counted from its start. */
    h->start = a->bytes;
    h->end = a->bytes + (bytes < ARENA_BYTES ? bytes : ARENA_BYTES);
    h->used = tsm_heap_overhead(bytes);
    h->high_water = h->used;
    ASAN_POISON_MEMORY_REGION(a->bytes, a->taken);
    a->taken = 0;
}

NOT_CHECKED static size_t *size_of(void *p) {
    return (size_t *)(void *)((uint8_t *)p - ALIGN);
}

NOT_CHECKED static void set_size(void *p, size_t bytes) {
    *size_of(p) = bytes;
}

NOT_CHECKED static size_t get_size(void *p) {
    return *size_of(p);
}

void *tsm_heap_alloc_aligned(tsm_heap *h, size_t bytes, size_t align) {
    arena *a = arena_of(h);
    const size_t room = (size_t)(h->end - h->start), from = (a->taken + HEAD + align - 1) / align * align;
    if (bytes > room || h->used + bytes + ALIGN > room || from > ARENA_BYTES - BEHIND ||
        bytes > ARENA_BYTES - BEHIND - from) {
        h->missing = bytes;
        return NULL;
    }
    uint8_t *p = a->bytes + from;
    ASAN_POISON_MEMORY_REGION(a->bytes + a->taken, from - a->taken);
    ASAN_UNPOISON_MEMORY_REGION(p, bytes);
    a->taken = (from + bytes + ALIGN - 1) / ALIGN * ALIGN;
    set_size(p, bytes);
    if (a->taken + HEAD <= ARENA_BYTES)
        ASAN_POISON_MEMORY_REGION(p + bytes, a->taken + HEAD - from - bytes);
    __msan_poison(p, bytes);
    h->used += bytes + ALIGN;
    h->high_water = h->used > h->high_water ? h->used : h->high_water;
    return p;
}

void *tsm_heap_alloc(tsm_heap *h, size_t bytes) {
    return tsm_heap_alloc_aligned(h, bytes ? bytes : 1, ALIGN);
}

void tsm_heap_free(tsm_heap *h, void *p) {
    if (!p)
        return;
    const size_t bytes = get_size(p);
    h->used -= bytes + ALIGN;
    __msan_poison(p, bytes);
    ASAN_POISON_MEMORY_REGION(p, bytes);
}

void *tsm_heap_realloc(tsm_heap *h, void *p, size_t bytes) {
    void *q = tsm_heap_alloc(h, bytes);
    if (q && p) {
        const size_t old = get_size(p);
        memcpy(q, p, old < bytes ? old : bytes);
        tsm_heap_free(h, p);
    }
    return q;
}

uint32_t tsm_heap_position(const tsm_heap *h, const void *p) {
    return (uint32_t)(((const uint8_t *)p - h->start) / ALIGN);
}

void *tsm_heap_at(const tsm_heap *h, uint32_t position) {
    return h->start + (size_t)position * ALIGN;
}

void tsm_heap_settle(tsm_heap *h) {
    (void)h;
}

/* There are no free lists to check, and the sanitizer watches the bytes around blocks. */
bool heap_check(const tsm_heap *h) {
    return h->used <= h->high_water;
}
