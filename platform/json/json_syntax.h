/* Whether a text is JSON, for programs that read some: jsmn, which finds the values, accepts much that is none. */
#ifndef PLATFORM_JSON_SYNTAX_H
#define PLATFORM_JSON_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

enum { JSON_MOST_DEPTH = 1024 };

typedef struct {
    size_t at;        /* the byte at which the text is none */
    const char *what; /* is wrong there */
    bool is_too_deep; /* the text may be JSON, but it has more values inside one another than were allowed */
} json_fault;

/* Whether something is wrong with a text of one value as RFC 8259 has them. Numbers may also be NaN, Infinity and
 * -Infinity, as Python writes them. `depth` is how many lists and objects may be inside one another, at most
 * JSON_MOST_DEPTH. Takes time in proportion to the text. */
bool json_find_fault(const char *text, size_t bytes, size_t depth, json_fault *fault);

/* The bytes of a mark in front of the value that some editors write (U+FEFF): 3, or 0 where there is none. */
size_t json_skip_mark(const char *text, size_t bytes);

#endif
