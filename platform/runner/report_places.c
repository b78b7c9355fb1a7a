/* Reads all positions of a file, each record once. */
#include "platform/runner/report_places.h"

#include <string.h>

#include "platform/runner/die.h"
#include "runtime/interpreter/positions.h"

typedef struct {
    const char *text;
    size_t length;
} stored_text;

typedef struct {
    uint32_t (*rows)[TSM_PLACE_COLUMNS];
    uint32_t count;
} table;

/* The bytes of a text, which is left behind its end. */
static stored_text read_text(tsm_record *r) {
    stored_text s = {"", 0};
    for (tsm_record all = *r; tsm_record_next(&all);)
        s.length++;
    char *to = keep(s.length + 1);
    s.text = to;
    while ((*to = (char)tsm_record_next(r)) != 0)
        to++;
    return s;
}

/* The first `*count` records, or those of them that are there. */
static stored_text *read_texts(tsm_positions *of, uint32_t *count) {
    tsm_record r;
    tsm_record_open(&r, of, 0);
    *count = *count < of->groups * 8 ? *count : of->groups * 8;
    stored_text *texts = keep((*count + 1) * sizeof *texts);
    for (uint32_t i = 0; i < *count; i++)
        texts[i] = read_text(&r);
    return texts;
}

/* How many rows the records from `first` to `end` have; and the rows, where they are wanted. */
static uint32_t read_rows(tsm_positions *of, uint32_t first, uint32_t end, uint32_t columns,
                          uint32_t (*rows)[TSM_PLACE_COLUMNS]) {
    tsm_record r;
    uint32_t n = 0;
    for (tsm_record_open(&r, of, first); first < end && r.at / 8 < of->groups; first++) {
        uint32_t row[TSM_PLACE_COLUMNS] = {0}, column = 0;
        for (; tsm_record_number(&r, &row[column]); column = (column + 1) % columns)
            if (column + 1 == columns) {
                if (rows)
                    memcpy(rows[n], row, sizeof row);
                n++;
            }
    }
    return n;
}

static table read_table(tsm_positions *of, uint32_t first, uint32_t end, uint32_t columns) {
    table t = {.count = read_rows(of, first, end, columns, NULL)};
    t.rows = keep((t.count + 1) * sizeof *t.rows);
    of->work = 0;
    read_rows(of, first, end, columns, t.rows);
    return t;
}

/* What damaged files refer to may not be there. */
static stored_text text_at(const stored_text *texts, uint32_t count, uint32_t i) {
    return i < count ? texts[i] : (stored_text){"", 0};
}

typedef struct {
    const stored_text *texts;
    uint32_t text_count, count;
    report_source *sources;
    const uint32_t **ranges; /* the first one in each source */
} source_list;

/* The source that has a range, or REPORT_NONE. */
static int64_t source_of(source_list *l, const uint32_t *range) {
    if (!range[TSM_RANGE_LINE])
        return REPORT_NONE;
    for (uint32_t i = 0; i < l->count; i++)
        if (!memcmp(l->ranges[i], range, TSM_RANGE_START * sizeof *range)) /* the same columns before this one */
            return i;
    const stored_text text = text_at(l->texts, l->text_count, range[TSM_RANGE_TEXT]);
    const char *name = text_at(l->texts, l->text_count, range[TSM_RANGE_FILE]).text;
    l->ranges[l->count] = range;
    l->sources[l->count] = (report_source){name, text.text, text.length, range[TSM_RANGE_LINE]};
    return l->count++;
}

void report_file_places(report *out, tsmf_Program root) {
    static const uint32_t none[TSM_POSITIONS_STARTS] = {0};
    tsm_positions of = tsm_positions_of(root);
    if (!of.groups)
        of.words = none;
    source_list l = {.text_count = of.words[TSM_POSITIONS_PLACES]};
    l.texts = read_texts(&of, &l.text_count);
    const table spots =
                    read_table(&of, of.words[TSM_POSITIONS_PLACES], of.words[TSM_POSITIONS_CALLS], TSM_PLACE_COLUMNS),
                calls =
                    read_table(&of, of.words[TSM_POSITIONS_CALLS], of.words[TSM_POSITIONS_FUNCTIONS], TSM_CALL_COLUMNS);
    l.sources = keep((spots.count + 1) * sizeof *l.sources);
    l.ranges = keep((spots.count + 1) * sizeof *l.ranges);
    report_place *of_spots = keep((spots.count + 1) * sizeof *of_spots),
                 *places = keep((calls.count + 1) * sizeof *places);
    for (uint32_t i = 0; i < spots.count; i++) {
        const uint32_t *spot = spots.rows[i], *of_author = spot + TSM_PLACE_ORIGINAL;
        const uint32_t *range = of_author[TSM_RANGE_LINE] ? of_author : spot + TSM_PLACE_SERIALIZED;
        of_spots[i] = (report_place){text_at(l.texts, l.text_count, spot[TSM_PLACE_FUNCTION]).text, NULL, REPORT_NONE,
                                     source_of(&l, range), range[TSM_RANGE_START]};
    }
    for (uint32_t i = 0; i < calls.count; i++) {
        const uint32_t spot = calls.rows[i][TSM_CALL_PLACE], distance = calls.rows[i][TSM_CALL_DISTANCE];
        places[i] = spot < spots.count ? of_spots[spot] : (report_place){"", NULL, REPORT_NONE, REPORT_NONE, 0};
        places[i].caller = distance - 1 < i ? (int64_t)(i - distance) : REPORT_NONE;
    }
    report_sources(out, l.sources, l.count);
    report_places(out, places, calls.count, l.sources);
}
