/* Most positions repeat: functions are inlined in many places, traced modules of one class have the same lines. So
 * each text and place is kept once, numbers are distances, and the grammar finds what else repeats. */
#include "exporter/codegen/code_positions.h"

#include <string.h>

#include "exporter/base/mem.h"
#include "exporter/codegen/pair_grammar.h"
#include "runtime/interpreter/positions.h"

typedef struct {
    const image *image;
    uint8_t *bytes;   /* stb_ds array: records */
    uint32_t records; /* how many were ended */
    struct {
        char *key;
        uint32_t value;
    } * texts;
    struct {
        image_frame key;
        uint32_t value;
    } * known;
    image_frame *places; /* stb_ds array: frames that differ in more than who called */
} position_coder;

static void end_record(position_coder *c) {
    arrput(c->bytes, 0);
    c->records++;
}

/* The record of a text; they are the first ones. */
static uint32_t text_record(position_coder *c, const char *text) {
    const ptrdiff_t at = shgeti(c->texts, text);
    if (at >= 0)
        return c->texts[at].value;
    shput(c->texts, text, c->records);
    for (const char *p = text; *p && p - text < TSM_TEXT_BYTES - 1; p++)
        arrput(c->bytes, (uint8_t)*p);
    end_record(c);
    return c->records - 1;
}

static void put_number(position_coder *c, uint32_t number, uint32_t before) {
    const uint32_t distance = number - before, n = distance << 1 ^ (distance >> 31 ? UINT32_MAX : 0);
    unsigned shift = 0;
    while (shift < 30 && n >> shift >> 6)
        shift += 6;
    for (; shift; shift -= 6)
        arrput(c->bytes, (uint8_t)(64 | (n >> shift & 63)));
    arrput(c->bytes, (uint8_t)(128 | (n & 63)));
}

/* Row number `i` of a table of `count` rows; `before` becomes it. */
static void put_row(position_coder *c, const uint32_t *row, uint32_t columns, size_t i, size_t count,
                    uint32_t *before) {
    for (uint32_t k = 0; k < columns; k++) {
        put_number(c, row[k], i % TSM_RECORD_ROWS ? before[k] : 0);
        before[k] = row[k];
    }
    if ((i + 1) % TSM_RECORD_ROWS == 0 || i + 1 == count)
        end_record(c);
}

static void add_range(position_coder *c, const image *m, image_source_range r, uint32_t *row) {
    if (r.file == IMAGE_NO_INDEX)
        return;
    const image_file *f = &m->files[r.file];
    row[TSM_RANGE_TEXT] = text_record(c, f->text);
    row[TSM_RANGE_FILE] = text_record(c, f->name);
    row[TSM_RANGE_LINE] = f->first_line;
    row[TSM_RANGE_START] = r.start - f->offset;
    row[TSM_RANGE_LENGTH] = r.end - r.start;
}

/* All texts that places have. */
static void put_texts(position_coder *c, const image *m) {
    for (size_t i = 0; i < arrlenu(m->frames); i++)
        text_record(c, m->strings[m->frames[i].function_name]);
    for (size_t i = 0; i < arrlenu(m->files); i++) {
        text_record(c, m->files[i].text);
        text_record(c, m->files[i].name);
    }
}

/* The place of a frame among those that differ in more than who called. */
static uint32_t place_of(position_coder *c, image_frame f) {
    f.caller = IMAGE_NO_INDEX;
    const ptrdiff_t at = hmgeti(c->known, f);
    if (at >= 0)
        return c->known[at].value;
    const uint32_t place = (uint32_t)arrlenu(c->places);
    arrput(c->places, f);
    hmput(c->known, f, place);
    return place;
}

static void put_places(position_coder *c, const image *m) {
    uint32_t before[TSM_PLACE_COLUMNS];
    for (size_t i = 0; i < arrlenu(m->frames); i++)
        place_of(c, m->frames[i]);
    for (size_t i = 0; i < arrlenu(c->places); i++) {
        const image_frame *f = &c->places[i];
        uint32_t row[TSM_PLACE_COLUMNS] = {[TSM_PLACE_FUNCTION] = text_record(c, m->strings[f->function_name])};
        add_range(c, m, f->serialized, &row[TSM_PLACE_SERIALIZED]);
        add_range(c, m, f->original, &row[TSM_PLACE_ORIGINAL]);
        put_row(c, row, TSM_PLACE_COLUMNS, i, arrlenu(c->places), before);
    }
}

static void put_calls(position_coder *c, const image *m) {
    uint32_t before[TSM_CALL_COLUMNS];
    for (size_t i = 0; i < arrlenu(m->frames); i++) {
        const image_frame *f = &m->frames[i];
        const uint32_t distance = f->caller == IMAGE_NO_INDEX ? 0 : (uint32_t)i - f->caller;
        const uint32_t row[TSM_CALL_COLUMNS] = {[TSM_CALL_PLACE] = place_of(c, *f), [TSM_CALL_DISTANCE] = distance};
        put_row(c, row, TSM_CALL_COLUMNS, i, arrlenu(m->frames), before);
    }
}

/* A record for each function: from which instruction on which call. */
static void put_functions(position_coder *c, const image *m) {
    for (size_t i = 0; i < arrlenu(m->functions); i++) {
        image_debug_entry before = {0, 0};
        for (size_t k = 0; k < arrlenu(m->functions[i].debug); k++) {
            const image_debug_entry e = m->functions[i].debug[k];
            put_number(c, e.pc, before.pc);
            put_number(c, e.frame, before.frame);
            before = e;
        }
        end_record(c);
    }
}

void code_positions(image *m) {
    position_coder c = {.bytes = NULL};
    if (!arrlenu(m->frames))
        return;
    uint32_t words[TSM_POSITIONS_STARTS];
    put_texts(&c, m);
    words[TSM_POSITIONS_PLACES] = c.records;
    put_places(&c, m);
    words[TSM_POSITIONS_CALLS] = c.records;
    put_calls(&c, m);
    words[TSM_POSITIONS_FUNCTIONS] = c.records;
    put_functions(&c, m);
    const pair_grammar g = pair_grammar_of(c.bytes, arrlenu(c.bytes), TSM_RULE_LEVELS);
    words[TSM_POSITIONS_WIDTH] = g.width;
    for (int i = 0; i < TSM_POSITIONS_STARTS; i++)
        arrput(m->positions, words[i]);
    for (uint32_t i = 0; i < c.records; i += TSM_START_RECORDS)
        arrput(m->positions, g.starts[i]);
    m->position_symbols = g.symbols;
    for (int i = 0; i < g.width; i++)
        arrput(m->position_symbols, 0);
    for (size_t i = 0; i < arrlenu(m->functions); i++)
        arrfree(m->functions[i].debug);
    m->strings = NULL;
    m->files = NULL;
    m->frames = NULL;
    arrfree(c.bytes);
    shfree(c.texts);
    hmfree(c.known);
    arrfree(c.places);
}
