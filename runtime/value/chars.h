/* Zero-terminated texts: names of operators, methods and classes. The library links only the memory functions of
 * string.h, so the few string functions that it needs are here. */
#ifndef TSM_VALUE_CHARS_H
#define TSM_VALUE_CHARS_H

#include <stddef.h>

static inline size_t tsm_chars_length(const char *s) {
    size_t n = 0;
    while (s[n]) {
        n++;
#ifdef __GNUC__
        __asm__("" : "+r"(n)); /* or gcc makes a call of strlen of the loop */
#endif
    }
    return n;
}

/* Negative, zero or positive as a sorts before, with or after b, by bytes. */
static inline int tsm_chars_compare(const char *a, const char *b) {
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

/* The first and the last c in s, or NULL; c is not 0. */
static inline const char *tsm_chars_first(const char *s, char c) {
    while (*s && *s != c)
        s++;
    return *s ? s : NULL;
}

static inline const char *tsm_chars_last(const char *s, char c) {
    const char *last = NULL;
    for (; *s; s++)
        if (*s == c)
            last = s;
    return last;
}

#endif
