/* Records of bytes, in which what repeats is a rule: a pair of bytes or of rules before it. */
#ifndef TSMC_CODEGEN_PAIR_GRAMMAR_H
#define TSMC_CODEGEN_PAIR_GRAMMAR_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint8_t width;    /* bits of a symbol */
    uint32_t rules;   /* two symbols each, which come first; behind them the records' */
    uint8_t *symbols; /* stb_ds array, eight symbols in `width` bytes */
    uint32_t *starts; /* stb_ds array: of each record, the first symbol */
} pair_grammar;

/* Codes records that end with a zero each. No rule has a zero, or more than `levels` levels. */
pair_grammar pair_grammar_of(const uint8_t *records, size_t bytes, unsigned levels);

#endif
