/* Source positions: frames are shared, and files are cut down to the lines that are referred to. */
#include "exporter/codegen/debug_info.h"

#include <string.h>

/* Lines around a range that a traceback shows. */
enum { CONTEXT_LINES = 2 };

typedef struct {
    uint32_t function_name, caller;
    const source_file *file;
    uint32_t start, end;
} frame_key;

/* Source files of which the same part of one text is kept share an entry. */
typedef struct {
    const char *text;
    uint32_t start, end;
} window_key;

typedef struct {
    const source_file *file;
    uint32_t first, last; /* bytes that ranges cover */
} used_file;

struct debug_table {
    image *image;
    struct {
        frame_key key;
        uint32_t value;
    } * frames;
    struct {
        const char *key; /* interned */
        uint32_t value;
    } * strings;
    struct {
        window_key key;
        uint32_t value;
    } * file_index;
    used_file *files;
};

debug_table *debug_table_new(image *m) {
    debug_table *d = MEM_NEW(debug_table);
    d->image = m;
    return d;
}

static uint32_t string_index(debug_table *d, const char *text) {
    text = intern(text);
    ptrdiff_t at = hmgeti(d->strings, text);
    if (at >= 0)
        return d->strings[at].value;
    uint32_t index = (uint32_t)arrlenu(d->image->strings);
    hmput(d->strings, text, index);
    arrput(d->image->strings, text);
    return index;
}

static image_source_range use_range(debug_table *d, source_range r) {
    image_source_range none = {IMAGE_NO_INDEX, 0, 0};
    if (!r.file)
        return none;
    window_key key;
    memset(&key, 0, sizeof key);
    key.text = r.file->text;
    key.start = r.file->window_start;
    key.end = r.file->window_end;
    ptrdiff_t at = hmgeti(d->file_index, key);
    uint32_t index;
    if (at >= 0)
        index = d->file_index[at].value;
    else {
        index = (uint32_t)arrlenu(d->files);
        hmput(d->file_index, key, index);
        used_file u = {r.file, r.start, r.end};
        arrput(d->files, u);
    }
    used_file *f = &d->files[index];
    f->first = r.start < f->first ? r.start : f->first;
    f->last = r.end > f->last ? r.end : f->last;
    image_source_range out = {index, r.start, r.end};
    return out;
}

static uint32_t add_frame(debug_table *d, const char *function_name, uint32_t caller, source_range range) {
    frame_key key;
    memset(&key, 0, sizeof key);
    key.function_name = string_index(d, function_name);
    key.caller = caller;
    key.file = range.file;
    key.start = range.start;
    key.end = range.end;
    ptrdiff_t at = hmgeti(d->frames, key);
    if (at >= 0)
        return d->frames[at].value;
    source_range original = {NULL, 0, 0};
    bool generated = range.file && range.file->original;
    if (generated && !range.file->original(range.file->original_data, range.start, &original))
        original.file = NULL;
    image_frame f = {key.function_name, caller, use_range(d, range), use_range(d, original)};
    uint32_t index = (uint32_t)arrlenu(d->image->frames);
    arrput(d->image->frames, f);
    hmput(d->frames, key, index);
    return index;
}

static uint32_t caller_frame(debug_table *d, const ir_scope *scope) {
    stack_check();
    if (!scope || !scope->caller)
        return IMAGE_NO_INDEX;
    return add_frame(d, scope->caller->function, caller_frame(d, scope->caller), scope->range);
}

uint32_t debug_frame(debug_table *d, const char *function_name, const ir_scope *scope, source_range range) {
    return add_frame(d, scope ? scope->function : function_name, caller_frame(d, scope), range);
}

void debug_finish(debug_table *d) {
    for (size_t i = 0; i < arrlenu(d->files); i++) {
        const source_file *f = d->files[i].file;
        uint32_t first = source_line(f, d->files[i].first) - f->first_line;
        uint32_t last = source_line(f, d->files[i].last) - f->first_line;
        first = first > CONTEXT_LINES ? first - CONTEXT_LINES : 0;
        last = last + CONTEXT_LINES + 1 < f->line_count ? last + CONTEXT_LINES + 1 : f->line_count;
        uint32_t start = f->line_starts[first], end = last < f->line_count ? f->line_starts[last] : f->length;
        if (start < f->window_start) {
            start = f->window_start;
            first = source_line(f, start) - f->first_line;
        }
        end = end < f->window_end ? end : f->window_end;
        image_file out = {f->name, mem_strndup(f->text + start, end - start), f->first_line + first, start};
        arrput(d->image->files, out);
    }
}
