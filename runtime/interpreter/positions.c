/* Reading of positions. Nothing of them was checked when the file was opened: what is not there reads as 0, which ends
 * a record. */
#include "runtime/interpreter/positions.h"

#include <string.h>

tsm_positions tsm_positions_of(tsmf_Program root) {
    tsm_positions of = {tsmf_Program_positions(root), tsmf_Program_position_symbols(root),
                        tsmf_Program_positions_len(root), 0, 0};
    if (of.word_count >= TSM_POSITIONS_STARTS && of.words[TSM_POSITIONS_WIDTH] - 8 <= 8)
        of.groups = tsmf_Program_position_symbols_len(root) / of.words[TSM_POSITIONS_WIDTH];
    return of;
}

/* The last group may be read beyond its symbols. */
static uint32_t symbol_at(tsm_positions *of, uint32_t i) {
    enum { MOST_WORK = 1 << 24 };
    if (of->work++ >= MOST_WORK || i / 8 + 1 >= of->groups)
        return 0;
    const uint32_t width = of->words[TSM_POSITIONS_WIDTH], first = i % 8 * width;
    uint32_t bits;
    memcpy(&bits, of->symbols + i / 8 * width + first / 8, sizeof bits);
    return bits >> first % 8 & ((1u << width) - 1);
}

uint32_t tsm_record_next(tsm_record *r) {
    enum { RULES = UINT8_MAX + 1 };
    uint32_t s = r->levels ? r->waiting[--r->levels] : symbol_at(r->of, r->at++);
    while (s >= RULES) {
        if (r->levels == TSM_RULE_LEVELS)
            return r->levels = 0;
        r->waiting[r->levels++] = (uint16_t)symbol_at(r->of, 2 * (s - RULES) + 1);
        s = symbol_at(r->of, 2 * (s - RULES));
    }
    return s;
}

void tsm_record_open(tsm_record *r, tsm_positions *of, uint32_t i) {
    const uint32_t start = TSM_POSITIONS_STARTS + i / TSM_START_RECORDS;
    r->of = of;
    r->at = start < of->word_count ? of->words[start] : UINT32_MAX / 2;
    r->levels = 0;
    for (i %= TSM_START_RECORDS; i; i -= !symbol_at(of, r->at++))
        ;
}

/* Six bits in each byte, of which the last one is above 127; the lowest bit is the sign. */
bool tsm_record_number(tsm_record *r, uint32_t *to) {
    uint32_t byte, n = 0;
    do {
        byte = tsm_record_next(r);
        n = n << 6 | (byte & 63);
    } while (byte - 1 < 127);
    *to += n >> 1 ^ -(n & 1);
    return byte;
}

/* A row of places or calls, whose numbers are distances from the row before in the same record. */
static bool table_row(tsm_positions *of, unsigned first, uint32_t row, uint32_t *numbers) {
    const uint32_t columns = first == TSM_POSITIONS_PLACES ? TSM_PLACE_COLUMNS : TSM_CALL_COLUMNS;
    tsm_record r;
    tsm_record_open(&r, of, of->words[first] + row / TSM_RECORD_ROWS);
    memset(numbers, 0, columns * sizeof *numbers);
    for (row %= TSM_RECORD_ROWS; row != UINT32_MAX; row--)
        for (uint32_t i = 0; i < columns; i++)
            if (!tsm_record_number(&r, &numbers[i]))
                return false;
    return true;
}

uint32_t tsm_position_call(tsm_positions *of, uint32_t function, uint32_t instruction) {
    uint32_t found = UINT32_MAX, first = 0, call = 0;
    tsm_record r;
    tsm_record_open(&r, of, of->words[TSM_POSITIONS_FUNCTIONS] + function);
    while (tsm_record_number(&r, &first) && first <= instruction && tsm_record_number(&r, &call))
        found = call;
    return found;
}

uint32_t tsm_position_caller(tsm_positions *of, uint32_t call) {
    uint32_t row[TSM_CALL_COLUMNS];
    const bool is_there = table_row(of, TSM_POSITIONS_CALLS, call, row);
    return is_there && row[TSM_CALL_DISTANCE] - 1 < call ? call - row[TSM_CALL_DISTANCE] : UINT32_MAX;
}

bool tsm_position_place(tsm_positions *of, uint32_t call, uint32_t *place) {
    uint32_t row[TSM_CALL_COLUMNS];
    return table_row(of, TSM_POSITIONS_CALLS, call, row) &&
           table_row(of, TSM_POSITIONS_PLACES, row[TSM_CALL_PLACE], place);
}
