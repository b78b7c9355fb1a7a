/* Debug records of code files: the table of source ranges and the search in it. */
#include "exporter/archive/debug_info.h"

#include <stdlib.h>
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"

typedef struct {
    int64_t offset;
    size_t order; /* in the record: of equal offsets the last counts */
    debug_range range;
} debug_row;

struct debug_info {
    debug_row *rows; /* sorted by offset and order */
    size_t count;
};

/* The record repeats lines by number, so a small one can claim endless text. */
static const size_t free_text = (size_t)16 << 20;
static const size_t text_ratio = 256;

typedef struct {
    const char *name;
    const pkl_value *strings; /* the table, or NULL in the older form */
    size_t text_left;
} reader;

static _Noreturn void damaged(const reader *r, const char *what) {
    diag_fail("%s: %s", r->name, what);
}

static bool is_sequence(const pkl_value *v) {
    return v->kind == PKL_TUPLE || v->kind == PKL_LIST;
}

static const pkl_value *part(const reader *r, const pkl_value *tuple, size_t i, size_t at_least) {
    if (tuple->kind != PKL_TUPLE || tuple->seq.count < at_least)
        damaged(r, "the debug information has an unknown form");
    return tuple->seq.items[i];
}

static int64_t int_part(const reader *r, const pkl_value *tuple, size_t i, size_t at_least) {
    const pkl_value *v = part(r, tuple, i, at_least);
    if (v->kind != PKL_INT)
        damaged(r, "the debug information has an unknown form");
    return v->integer;
}

/* The string of a number in the table; NULL for the negative ones, which mean none. */
static const pkl_value *table_string(const reader *r, const pkl_value *id) {
    if (id->kind != PKL_INT || id->integer >= (int64_t)r->strings->seq.count)
        damaged(r, "the debug information names a string that it does not have");
    if (id->integer < 0)
        return NULL;
    const pkl_value *v = r->strings->seq.items[id->integer];
    if (v->kind != PKL_STR)
        damaged(r, "the debug information's table holds something else than strings");
    return v;
}

/* Puts a text together from the strings of its lines. */
static void join_lines(reader *r, const pkl_value *ids, debug_source *source) {
    if (!is_sequence(ids))
        damaged(r, "the debug information has an unknown form");
    strbuf text = {0};
    for (size_t i = 0; i < ids->seq.count; i++) {
        const pkl_value *line = table_string(r, ids->seq.items[i]);
        if (!line)
            continue;
        if (line->str.length > r->text_left)
            damaged(r, "the debug information's texts are too long");
        r->text_left -= line->str.length;
        strbuf_add_n(&text, line->str.text, line->str.length);
    }
    source->text = strbuf_text(&text);
    source->length = text.length;
}

/* (lines, file name, first line): numbers of strings, or in the older form the strings themselves; name and line may be
 * None. */
static debug_source *read_source(reader *r, pkl_value *v) {
    if (v->user)
        return v->user;
    debug_source *source = MEM_NEW(debug_source);
    const pkl_value *text = part(r, v, 0, 3), *name = part(r, v, 1, 3), *line = part(r, v, 2, 3);
    if (r->strings) {
        join_lines(r, text, source);
        name = name->kind == PKL_NONE ? NULL : table_string(r, name);
    } else {
        if (text->kind != PKL_STR)
            damaged(r, "the debug information has an unknown form");
        source->text = text->str.text;
        source->length = text->str.length;
    }
    if (name && name->kind == PKL_STR && name->str.length)
        source->file_name = name->str.text;
    source->first_line = line->kind == PKL_INT ? line->integer : 1;
    v->user = source;
    return source;
}

static size_t clamp(int64_t at, size_t length) {
    return at < 0 ? 0 : (uint64_t)at > length ? length : (size_t)at;
}

/* (byte offset, (source, start, end)[, tag]) */
static debug_row read_row(reader *r, const pkl_value *v) {
    const pkl_value *range = part(r, v, 1, 2);
    debug_row row = {.offset = int_part(r, v, 0, 2)};
    pkl_value *source = (pkl_value *)part(r, range, 0, 3);
    row.range.source = read_source(r, source);
    row.range.start = clamp(int_part(r, range, 1, 3), row.range.source->length);
    row.range.end = clamp(int_part(r, range, 2, 3), row.range.source->length);
    if (row.range.end < row.range.start)
        row.range.end = row.range.start;
    return row;
}

static int compare_rows(const void *left, const void *right) {
    const debug_row *a = left, *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

debug_info *debug_info_load(const char *name, const uint8_t *bytes, size_t size) {
    const pkl_value *rows = pkl_load(&(pkl_input){.name = name, .bytes = bytes, .size = size});
    reader r = {.name = name, .text_left = free_text + text_ratio * size};
    if (rows->kind == PKL_TUPLE && rows->seq.count == 3 && pkl_is_str(rows->seq.items[0], "FORMAT_WITH_STRING_TABLE")) {
        r.strings = rows->seq.items[1];
        rows = rows->seq.items[2];
    }
    if (!is_sequence(rows) || (r.strings && !is_sequence(r.strings)))
        damaged(&r, "the debug information has an unknown form");
    debug_info *info = MEM_NEW(debug_info);
    info->rows = MEM_ARRAY(debug_row, rows->seq.count);
    info->count = rows->seq.count;
    for (size_t i = 0; i < info->count; i++) {
        info->rows[i] = read_row(&r, rows->seq.items[i]);
        info->rows[i].order = i;
    }
    if (info->count)
        qsort(info->rows, info->count, sizeof *info->rows, compare_rows);
    return info;
}

const debug_range *debug_info_find(const debug_info *info, size_t offset) {
    size_t low = 0, high = info->count; /* rows before low are at or before offset, those from high on are after it */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (info->rows[middle].offset <= (int64_t)offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || !info->rows[low - 1].range.source->length)
        return NULL;
    return &info->rows[low - 1].range;
}
