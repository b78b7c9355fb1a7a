/* Source positions: frames are shared, and files are cut down to the lines that are referred to. */
#include "exporter/codegen/debug_info.h"

#include <stdlib.h>
#include <string.h>

/* Lines around a range that a traceback shows; bytes of text for which a file is not taken apart, because the entry
 * of another part is as large; bytes behind which another part begins, since each is read from its beginning. */
enum { CONTEXT_LINES = 2, LEAST_GAP = 64, LONG_PART = 1 << 13 };

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

/* Lines of a file that are kept, counted from 0, without `end`; `index` of the image's files. */
typedef struct {
    uint32_t first, end, index;
} kept_lines;

typedef struct {
    const source_file *file;
    kept_lines *parts; /* stb_ds array: of every range, then of the image's files, by lines */
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

/* The lines that a traceback shows of a range that begins at `start`. */
static kept_lines lines_of(const source_file *f, uint32_t start) {
    const uint32_t line = source_line(f, start) - f->first_line;
    const uint32_t least = source_line(f, f->window_start) - f->first_line;
    const uint32_t first = line > CONTEXT_LINES + least ? line - CONTEXT_LINES : least;
    uint32_t last = (line > least ? line : least) + CONTEXT_LINES + 1;
    last = last < f->line_count ? last : f->line_count;
    return (kept_lines){first, last, 0};
}

/* The end of a range, or of its first line: tracebacks show no other as the range's. */
static uint32_t shown_end(source_range r) {
    const uint32_t next = source_line(r.file, r.start) - r.file->first_line + 1;
    const uint32_t line_end = next < r.file->line_count ? r.file->line_starts[next] - 1 : r.end;
    return line_end >= r.start && line_end < r.end ? line_end : r.end;
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
        used_file u = {r.file, NULL};
        arrput(d->files, u);
    }
    image_source_range out = {index, r.start, shown_end(r)};
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

/* ---- Files ---- */

static int by_lines(const void *a, const void *b) {
    const kept_lines *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static void keep_lines(const debug_table *d, image_source_range r) {
    if (r.file != IMAGE_NO_INDEX)
        arrput(d->files[r.file].parts, lines_of(d->files[r.file].file, r.start));
}

/* Where a line begins, within what messages show of the file. */
static uint32_t begin_of(const source_file *f, uint32_t line) {
    const uint32_t at = line < f->line_count ? f->line_starts[line] : f->length;
    if (at < f->window_start)
        return f->window_start;
    return at < f->window_end ? at : f->window_end;
}

/* Joins lines that overlap or have at most `gap` bytes between them; all of a file where that is UINT32_MAX. */
static kept_lines *join_lines(const source_file *f, kept_lines *lines, uint32_t gap) {
    kept_lines *joined = NULL;
    if (lines) /* of a file with frames that were dropped nothing is kept */
        qsort(lines, arrlenu(lines), sizeof *lines, by_lines);
    for (size_t i = 0; i < arrlenu(lines); i++) {
        kept_lines *last = arrlenu(joined) ? &arrlast(joined) : NULL;
        const bool is_near = last && begin_of(f, lines[i].first) <= (uint64_t)begin_of(f, last->end) + gap;
        const bool is_long = last && begin_of(f, lines[i].end) - begin_of(f, last->first) > LONG_PART;
        if (!is_near || (is_long && gap != UINT32_MAX))
            arrput(joined, lines[i]);
        else if (last->end < lines[i].end)
            last->end = lines[i].end;
    }
    return joined;
}

static void add_part(image *m, const source_file *f, kept_lines *part) {
    const uint32_t start = begin_of(f, part->first), end = begin_of(f, part->end);
    image_file out = {f->name, mem_strndup(f->text + start, end - start), f->first_line + part->first, start};
    part->index = (uint32_t)arrlenu(m->files);
    arrput(m->files, out);
}

/* The file that has the range: the last part that begins at the first line shown of it or before. */
static void find_part(const debug_table *d, image_source_range *r) {
    if (r->file == IMAGE_NO_INDEX)
        return;
    const used_file *u = &d->files[r->file];
    const uint32_t line = lines_of(u->file, r->start).first;
    size_t first = 0, end = arrlenu(u->parts);
    while (end - first > 1) {
        const size_t middle = first + (end - first) / 2;
        *(u->parts[middle].first <= line ? &first : &end) = middle;
    }
    r->file = u->parts[first].index;
}

static void finish_files(debug_table *d, uint32_t gap) {
    image_frame *frames = d->image->frames;
    for (size_t i = 0; i < arrlenu(frames); i++) {
        keep_lines(d, frames[i].serialized);
        keep_lines(d, frames[i].original);
    }
    for (size_t i = 0; i < arrlenu(d->files); i++) {
        used_file *u = &d->files[i];
        u->parts = join_lines(u->file, u->parts, gap);
        for (size_t k = 0; k < arrlenu(u->parts); k++)
            add_part(d->image, u->file, &u->parts[k]);
    }
    for (size_t i = 0; i < arrlenu(frames); i++) {
        find_part(d, &frames[i].serialized);
        find_part(d, &frames[i].original);
    }
}

/* Leaves out the frames that no instruction has, nor the callers of one that it has: of instructions that were
 * optimized away. */
static void drop_frames(image *m) {
    uint32_t *place = MEM_ARRAY(uint32_t, arrlenu(m->frames) + 1);
    image_frame *kept = NULL;
    memset(place, 0, arrlenu(m->frames) * sizeof *place);
    for (size_t i = 0; i < arrlenu(m->functions); i++)
        for (size_t k = 0; k < arrlenu(m->functions[i].debug); k++)
            for (uint32_t f = m->functions[i].debug[k].frame; f != IMAGE_NO_INDEX && !place[f]; f = m->frames[f].caller)
                place[f] = 1;
    for (size_t i = 0; i < arrlenu(m->frames); i++) /* callers stand before those whom they call */
        if (place[i]) {
            image_frame f = m->frames[i];
            f.caller = f.caller == IMAGE_NO_INDEX ? f.caller : place[f.caller];
            place[i] = (uint32_t)arrlenu(kept);
            arrput(kept, f);
        }
    for (size_t i = 0; i < arrlenu(m->functions); i++)
        for (size_t k = 0; k < arrlenu(m->functions[i].debug); k++) {
            uint32_t *f = &m->functions[i].debug[k].frame;
            *f = *f == IMAGE_NO_INDEX ? *f : place[*f];
        }
    m->frames = kept;
}

void debug_finish(debug_table *d) {
    drop_frames(d->image);
    finish_files(d, LEAST_GAP);
}

void debug_finish_whole(debug_table *d) {
    finish_files(d, UINT32_MAX);
}
