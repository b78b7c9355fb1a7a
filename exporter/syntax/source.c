/* Source texts and ranges: lines, columns, and errors that show them. */
#include "exporter/syntax/source.h"

#include <stdarg.h>
#include <string.h>

#include "exporter/base/diag.h"

enum { CONTEXT_LINES = 2, MOST_CALLERS = 50 };

static void index_lines(source_file *file) {
    uint32_t count = 1;
    for (uint32_t i = 0; i < file->length; i++)
        count += file->text[i] == '\n';
    uint32_t *starts = MEM_ARRAY(uint32_t, count);
    count = 1;
    for (uint32_t i = 0; i < file->length; i++)
        if (file->text[i] == '\n')
            starts[count++] = i + 1;
    file->line_starts = starts;
    file->line_count = count;
}

source_file *source_new(const char *name, const char *text, size_t length, uint32_t first_line) {
    if (length >= UINT32_MAX)
        diag_fail("%s: a source text of %zu bytes is too long", name, length);
    source_file *file = MEM_NEW(source_file);
    file->name = mem_strdup(name);
    file->text = mem_strndup(text, length);
    file->length = (uint32_t)length;
    file->first_line = first_line;
    file->window_end = file->length;
    index_lines(file);
    return file;
}

source_file *source_window(const source_file *file, uint32_t start, uint32_t end) {
    source_file *window = MEM_NEW(source_file);
    *window = *file;
    window->window_start = start;
    window->window_end = end;
    return window;
}

/* The index of the line that holds the offset: the last one that starts at or before it. */
static uint32_t line_index(const source_file *file, uint32_t offset) {
    uint32_t low = 0, high = file->line_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (file->line_starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t source_line(const source_file *file, uint32_t offset) {
    return file->first_line + line_index(file, offset);
}

uint32_t source_column(const source_file *file, uint32_t offset) {
    return offset - file->line_starts[line_index(file, offset)];
}

source_range source_range_make(const source_file *file, uint32_t start, uint32_t end) {
    return (source_range){file, start, end};
}

source_range source_range_join(source_range a, source_range b) {
    if (!a.file)
        return b;
    if (!b.file)
        return a;
    return (source_range){a.file, a.start < b.start ? a.start : b.start, a.end > b.end ? a.end : b.end};
}

/* The end of the line that holds the offset: its newline, or the end of the window. */
static uint32_t line_end(const source_file *file, uint32_t offset) {
    while (offset < file->window_end && file->text[offset] != '\n')
        offset++;
    return offset;
}

static uint32_t line_start(const source_file *file, uint32_t offset) {
    while (offset > file->window_start && file->text[offset - 1] != '\n')
        offset--;
    return offset;
}

static bool has_margin(const source_file *file, uint32_t start, uint32_t end) {
    uint32_t n = 0;
    while (n < file->margin && start + n < end && (file->text[start + n] == ' ' || file->text[start + n] == '\t'))
        n++;
    return n == file->margin;
}

static void add_lines(const source_file *file, uint32_t start, uint32_t end, strbuf *out) {
    if (start >= end)
        return;
    for (uint32_t next; start < end; start = next) {
        next = line_end(file, start);
        next = next < end ? next + 1 : end;
        if (!has_margin(file, start, next))
            strbuf_printf(out, "%*s", (int)file->margin, "");
        strbuf_add_n(out, file->text + start, next - start);
    }
    if (file->text[end - 1] != '\n')
        strbuf_add(out, "\n");
}

/* Does the range go on with something visible after the line that ends at `end`? The byte at the range's end counts
 * too: this is how PyTorch decides where "<--- HERE" stands. */
static bool continues_after(source_range range, uint32_t end) {
    if (end >= range.end)
        return false;
    for (uint32_t i = end; i <= range.end; i++) {
        char c = i < range.file->window_end ? range.file->text[i] : 0;
        if (c != '\n' && c != ' ')
            return true;
    }
    return false;
}

/* Adds the `~~~~` under the part of the line [start, end) that the range covers; nothing where that part is blank. */
static void add_underline(source_range range, uint32_t start, uint32_t end, strbuf *out) {
    uint32_t from = start, to = end < range.end ? end : range.end;
    while (from < to && (from < range.start || range.file->text[from] == ' '))
        from++;
    if (from == to)
        return;
    for (uint32_t i = start; i < to; i++)
        strbuf_add(out, i < from ? " " : "~");
    strbuf_add(out, continues_after(range, end) ? "\n" : " <--- HERE\n");
}

static void add_context_before(const source_file *file, uint32_t start, strbuf *out) {
    uint32_t from = start;
    for (int i = 0; i < CONTEXT_LINES && from > file->window_start; i++)
        from = line_start(file, from - 1);
    add_lines(file, from, start, out);
}

/* Adds the lines from `start` on up to CONTEXT_LINES after the one on which the range ends. */
static void add_context_after(source_range range, uint32_t start, strbuf *out) {
    const source_file *file = range.file;
    uint32_t to = line_end(file, range.end);
    for (int i = 0; i < CONTEXT_LINES && to < file->window_end; i++)
        to = line_end(file, to + 1);
    add_lines(file, start, to, out);
}

static void highlight_here(source_range range, strbuf *out) {
    const source_file *file = range.file;
    if (range.end > file->window_end)
        range.end = file->window_end;
    if (range.start > range.end)
        range.start = range.end;
    strbuf_printf(out, "  File \"%s\", line %u\n", file->name, source_line(file, range.start));
    uint32_t start = line_start(file, range.start);
    add_context_before(file, start, out);
    do {
        uint32_t end = line_end(file, start);
        uint32_t next = end + (end < file->window_end);
        add_lines(file, start, next, out);
        add_underline(range, start, end, out);
        start = next;
    } while (start < range.end);
    add_context_after(range, start, out);
}

void source_highlight(source_range range, strbuf *out) {
    stack_check();
    if (!range.file)
        return;
    source_range original;
    if (range.file->original && range.file->original(range.file->original_data, range.start, &original)) {
        source_highlight(original, out);
        strbuf_add(out, "Serialized ");
    }
    highlight_here(range, out);
}

/* Adds the chain of functions that led to the innermost one, from inside out. */
static void add_callers(strbuf *out) {
    uint32_t shown = 0;
    for (const source_call *call = diag_context(); call && call->caller; call = call->caller) {
        if (shown++ == MOST_CALLERS) {
            strbuf_printf(out, "and so on, through %u more calls\n", call->depth - 1);
            return;
        }
        strbuf_printf(out, "'%s' is being compiled since it was called from '%s'\n", call->name, call->caller->name);
        source_highlight(call->caller->range, out);
    }
}

char *source_error_text(source_range range, const char *message) {
    strbuf text = {0};
    strbuf_printf(&text, "%s:\n", message);
    source_highlight(range, &text);
    add_callers(&text);
    return text.text;
}

void source_fail(source_range range, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *message = mem_vprintf(format, args);
    va_end(args);
    diag_fail("%s", source_error_text(range, message));
}

/* The place in the innermost function, and how the compiler came there. */
static const char *describe(const void *context) {
    const source_call *call = context;
    strbuf text = {0};
    source_highlight(call->range, &text);
    add_callers(&text);
    return text.text;
}

void source_call_push(source_call *call, const char *name, source_range range) {
    *call = (source_call){.name = name, .range = range, .caller = diag_context()};
    call->depth = call->caller ? call->caller->depth + 1 : 1;
    if (call->depth > LIMIT_CALL_DEPTH)
        limit_fail(OVER_CALL_DEPTH);
    diag_set_context(call);
    diag_describe_context(describe);
}

void source_call_pop(source_call *call) {
    diag_set_context(call->caller);
}

void source_call_at(source_range range) {
    source_call *call = diag_context();
    if (call)
        call->range = range;
}
