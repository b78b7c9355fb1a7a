/* Memory in chunks, interned strings, growing texts, and the code of stb_ds. */
#define STB_DS_IMPLEMENTATION
#include "exporter/base/mem.h"

#include "exporter/base/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 20, ALIGN = 16, BORROWED_ALIGN = 64 };

/* Chunks are linked so that a leak checker sees them as reachable. */
typedef struct chunk {
    struct chunk *previous;
    size_t used, size;
} chunk;

/* Stands in front of every block, so that mem_realloc knows how much to copy. */
typedef struct {
    size_t size, padding;
} block_head;

static chunk *current;
static struct {
    char *key;
    int value;
} * interned;

void mem_missing(size_t n) {
    terminal_clear();
    if (n)
        fprintf(stderr, "tsmc: out of memory (%zu bytes wanted)\n", n);
    else
        fputs("tsmc: out of memory\n", stderr);
    exit(3);
}

static void *take(size_t n, size_t align) {
    terminal_tick();
    size_t head = (sizeof(chunk) + align - 1) & ~(align - 1);
    if (current) {
        size_t at = (current->used + align - 1) & ~(align - 1);
        if (at + n <= current->size) {
            current->used = at + n;
            return (char *)current + at;
        }
    }
    size_t size = head + n > CHUNK_BYTES ? head + n : CHUNK_BYTES;
    size_t chunk_align = align < 64 ? 64 : align;
    if (n >= SIZE_MAX / 2)
        mem_missing(n);
    limit_take_memory(size);
    uint8_t *block = calloc(1, size + chunk_align - 1);
    if (!block)
        mem_missing(n);
    chunk *c = (chunk *)(block + (-(uintptr_t)block & (chunk_align - 1)));
    c->size = size;
    c->used = head + n;
    if (current && size > CHUNK_BYTES) {
        c->previous = current->previous; /* a block of its own: keep filling the current chunk */
        current->previous = c;
    } else {
        c->previous = current;
        current = c;
    }
    return (char *)c + head;
}

void *mem_borrow(size_t n) {
#ifdef _WIN32
    void *borrowed = _aligned_malloc(n, BORROWED_ALIGN);
#else
    void *borrowed = aligned_alloc(BORROWED_ALIGN, (n + BORROWED_ALIGN - 1) / BORROWED_ALIGN * BORROWED_ALIGN);
#endif
    if (!borrowed)
        mem_missing(n);
    return borrowed;
}

void mem_return(void *borrowed) {
#ifdef _WIN32
    _aligned_free(borrowed);
#else
    free(borrowed);
#endif
}

void *mem_alloc_aligned(size_t n, size_t align) {
    return take(n ? n : 1, align);
}

void *mem_alloc(size_t n) {
    if (n > SIZE_MAX / 2)
        return take(n, ALIGN);
    block_head *h = take(sizeof(block_head) + n, ALIGN);
    h->size = n;
    return h + 1;
}

void *mem_realloc(void *p, size_t n) {
    size_t old = p ? ((block_head *)p - 1)->size : 0;
    if (p && n <= old)
        return p;
    void *q = mem_alloc(n);
    if (old)
        memcpy(q, p, old);
    return q;
}

char *mem_strndup(const char *s, size_t n) {
    char *d = mem_alloc(n + 1);
    memcpy(d, s, n);
    return d;
}

char *mem_strdup(const char *s) {
    return mem_strndup(s, strlen(s));
}

bool text_is_among(const char *text, const char *const *others) {
    for (; *others; others++)
        if (!strcmp(text, *others))
            return true;
    return false;
}

char *mem_vprintf(const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *s = mem_alloc((size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, format, args);
    return s;
}

char *mem_printf(const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *s = mem_vprintf(format, args);
    va_end(args);
    return s;
}

const char *intern(const char *s) {
    ptrdiff_t i = shgeti(interned, s);
    if (i < 0) {
        char *copy = mem_strdup(s);
        shput(interned, copy, 0);
        return copy;
    }
    return interned[i].key;
}

const char *intern_n(const char *s, size_t n) {
    return intern(mem_strndup(s, n));
}

void strbuf_add_n(strbuf *b, const char *s, size_t n) {
    if (b->length + n + 1 > b->capacity) {
        b->capacity = (b->length + n + 1) * 2;
        b->text = mem_realloc(b->text, b->capacity);
    }
    memcpy(b->text + b->length, s, n);
    b->length += n;
    b->text[b->length] = 0;
}

void strbuf_add(strbuf *b, const char *s) {
    strbuf_add_n(b, s, strlen(s));
}

void strbuf_printf(strbuf *b, const char *format, ...) {
    va_list args;
    va_start(args, format);
    strbuf_add(b, mem_vprintf(format, args));
    va_end(args);
}

const char *strbuf_text(const strbuf *b) {
    return b->text ? b->text : "";
}
