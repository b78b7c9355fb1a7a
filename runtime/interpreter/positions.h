/* Where instructions come from in sources (docs/format.md, Positions). */
#ifndef TSM_INTERPRETER_POSITIONS_H
#define TSM_INTERPRETER_POSITIONS_H

#include "schema/generated/tsmobile_reader.h"

/* Levels of rules, and bytes of a text, that files have at most; records from one start to the next; rows of a table
 * that share a record. */
enum { TSM_RULE_LEVELS = 16, TSM_TEXT_BYTES = 1 << 20, TSM_START_RECORDS = 32, TSM_RECORD_ROWS = 64 };

/* Columns of calls: the number of a place, and how many rows before stands the call that led here (0: none). */
enum { TSM_CALL_PLACE, TSM_CALL_DISTANCE, TSM_CALL_COLUMNS };
/* Columns of a range in a source: a text that has it, whose first line has a number (0: there is no range). */
enum { TSM_RANGE_TEXT, TSM_RANGE_FILE, TSM_RANGE_LINE, TSM_RANGE_START, TSM_RANGE_LENGTH, TSM_RANGE_COLUMNS };
/* Columns of places: the function's name, a range in the archive's code, one in the author's. */
enum {
    TSM_PLACE_FUNCTION,
    TSM_PLACE_SERIALIZED,
    TSM_PLACE_ORIGINAL = TSM_PLACE_SERIALIZED + TSM_RANGE_COLUMNS,
    TSM_PLACE_COLUMNS = TSM_PLACE_ORIGINAL + TSM_RANGE_COLUMNS
};

/* Words of `positions`. */
enum { TSM_POSITIONS_WIDTH, TSM_POSITIONS_PLACES, TSM_POSITIONS_CALLS, TSM_POSITIONS_FUNCTIONS, TSM_POSITIONS_STARTS };

/* The positions of a file. */
typedef struct {
    const uint32_t *words;
    const uint8_t *symbols;
    uint32_t word_count, groups; /* of eight symbols; 0: the file has no positions, and nothing may be asked */
    uint32_t work;               /* symbols that were looked at; what damaged files ask for ends at a limit */
} tsm_positions;

tsm_positions tsm_positions_of(tsmf_Program root);

/* What is left of a record. */
typedef struct {
    tsm_positions *of;
    uint32_t at, levels; /* the next symbol, and how many wait for their turn before it */
    uint16_t waiting[TSM_RULE_LEVELS];
} tsm_record;

/* Record number `i`. */
void tsm_record_open(tsm_record *r, tsm_positions *of, uint32_t i);
/* The next byte, or 0 where the record ends. */
uint32_t tsm_record_next(tsm_record *r);
/* Adds the next number; false where there is none. */
bool tsm_record_number(tsm_record *r, uint32_t *to);

/* The call, a row of calls, that an instruction of a function belongs to, or UINT32_MAX. */
uint32_t tsm_position_call(tsm_positions *of, uint32_t function, uint32_t instruction);
/* The one that led there, or UINT32_MAX. */
uint32_t tsm_position_caller(tsm_positions *of, uint32_t call);
/* A call's place. False when it is not known. */
bool tsm_position_place(tsm_positions *of, uint32_t call, uint32_t *place);

#endif
