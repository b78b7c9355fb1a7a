/* Source texts, ranges in them, and errors that show the range.
 *
 * A `source_file` is a window on a text: the whole of an archive's code file, or one function of an author's .py file.
 * Offsets always count from the start of the whole text; the window bounds only what messages show around a range. */
#ifndef TSMC_SYNTAX_SOURCE_H
#define TSMC_SYNTAX_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exporter/base/mem.h"

typedef struct source_file source_file;

/* Bytes [start, end) of a text. Without a file the range is unknown and shows nothing. */
typedef struct {
    const source_file *file;
    uint32_t start, end;
} source_range;

/* Finds the author's range from which the serialized text at `offset` was generated; false when nothing is recorded. */
typedef bool (*source_original_fn)(void *data, uint32_t offset, source_range *original);

struct source_file {
    const char *name; /* as messages show it */
    const char *text; /* zero-terminated; may hold zero bytes */
    uint32_t length;
    uint32_t first_line; /* the number of the text's first line, usually 1 */
    uint32_t window_start, window_end;
    uint32_t margin; /* lines that do not begin with so many blanks are shown behind as many, as PyTorch does */
    const uint32_t *line_starts; /* offset of each line; [0] is 0 */
    uint32_t line_count;
    source_original_fn original; /* NULL when the text is the author's own */
    void *original_data;
    bool is_library; /* the compiler's own text, which no author knows */
};

/* Makes a file of `length` bytes, which are copied. Fails when the text has 4 GiB or more. */
source_file *source_new(const char *name, const char *text, size_t length, uint32_t first_line);

/* Makes a view of the same text whose messages show nothing outside of bytes [start, end). */
source_file *source_window(const source_file *file, uint32_t start, uint32_t end);

/* The line number of an offset, as messages show it, and its column, counted from 0 in bytes. */
uint32_t source_line(const source_file *file, uint32_t offset);
uint32_t source_column(const source_file *file, uint32_t offset);

source_range source_range_make(const source_file *file, uint32_t start, uint32_t end);

/* The smallest range that covers both; one without a file is ignored. */
source_range source_range_join(source_range a, source_range b);

/* Appends the range's location and lines in PyTorch's format:
 *       File "model.py", line 3
 *     def f(x):
 *         return x + y
 *                    ~ <--- HERE
 * with up to two lines before and after. For generated text the author's lines come first, then "Serialized " and the
 * generated ones, when both are known. */
void source_highlight(source_range range, strbuf *out);

/* Raises an error: the message, ":", the highlighted range, and the chain of callers. */
_Noreturn void source_fail(source_range range, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text that source_fail raises, for errors that are collected instead of raised. */
char *source_error_text(source_range range, const char *message);

/* One function whose compilation is under way. The caller provides the storage, usually a local variable. */
typedef struct source_call {
    const char *name;
    source_range range; /* the place in this function that is being compiled: where it calls the next one */
    struct source_call *caller;
    uint32_t depth;
} source_call;

/* Enters and leaves the compilation of a function. An error that is caught by DIAG_TRY leaves by itself all that were
 * entered inside of it. */
void source_call_push(source_call *call, const char *name, source_range range);
void source_call_pop(source_call *call);

/* States which place of the innermost function is being compiled; nothing when there is none. */
void source_call_at(source_range range);

#endif
