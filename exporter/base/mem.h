/* Memory of the exporter: one region for the whole process, never freed singly.
 *
 * Include this header instead of <stb_ds.h>: it makes stb_ds's arrays and hash maps allocate from the same region. */
#ifndef TSMC_BASE_MEM_H
#define TSMC_BASE_MEM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef __cplusplus
#include "exporter/base/limits.h"
#endif

#ifdef __cplusplus
#define MEM_NORETURN [[noreturn]]
extern "C" {
#else
#define MEM_NORETURN _Noreturn
#endif

/* Returns n zeroed bytes aligned to 16. Ends the process with exit status 3 when the machine has no memory left. */
void *mem_alloc(size_t n);

/* Ends the process because the machine has no n bytes left (0: the number is not known). */
MEM_NORETURN void mem_missing(size_t n);

/* Returns a block of n bytes holding the first bytes of p (NULL, or from mem_alloc or mem_realloc). */
void *mem_realloc(void *p, size_t n);

/* Returns n zeroed bytes aligned to `align` (a power of two, at most 4096): for tensor data. */
void *mem_alloc_aligned(size_t n, size_t align);
/* Memory aligned to 64 that is given back, as large memory for a while must be. Fails when there is none. */
void *mem_borrow(size_t n);
void mem_return(void *borrowed);

/* Copies of strings, zero-terminated. */
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t n);

/* Whether a string is among others, of which NULL is the end. */
bool text_is_among(const char *text, const char *const *others);

/* printf into a new string. */
char *mem_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *mem_vprintf(const char *format, va_list args);

/* Allocates one zeroed T. */
#define MEM_NEW(T) ((T *)mem_alloc(sizeof(T)))
#define MEM_ARRAY(T, n) ((T *)mem_alloc(sizeof(T) * (size_t)(n)))

/* The one shared copy of a string: equal texts have equal pointers. */
const char *intern(const char *s);
const char *intern_n(const char *s, size_t n);

/* A text that grows. Zero-initialize; `text` is always terminated once something was added (NULL before). */
typedef struct {
    char *text;
    size_t length, capacity;
} strbuf;
void strbuf_add(strbuf *b, const char *s);
void strbuf_add_n(strbuf *b, const char *s, size_t n);
void strbuf_printf(strbuf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The text so far, "" when nothing was added. */
const char *strbuf_text(const strbuf *b);

#ifdef __cplusplus
}
#endif

#define STBDS_REALLOC(context, p, n) mem_realloc((p), (n))
#define STBDS_FREE(context, p) ((void)(p))
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#include <stb/stb_ds.h>

/* stb_ds makes a map when something is looked up in one that is NULL, and the map is lost when it was found in a copy
 * of the pointer. These do not. */
#undef hmget
#undef hmgeti
#undef shget
#undef shgeti
#define hmgeti(map, key) ((map) ? stbds_hmgeti(map, key) : -1)
#define shgeti(map, key) ((map) ? stbds_shgeti(map, key) : -1)
#define hmget(map, key) ((map) ? stbds_hmget(map, key) : (__typeof__((map)->value)){0})
#define shget(map, key) ((map) ? stbds_shget(map, key) : (__typeof__((map)->value)){0})

#endif
