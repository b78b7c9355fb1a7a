/* The numbers that values of a program take in calls that are to stand for all, and the range of 8 bits for them. */
#ifndef TSMC_PASSES_ANALYSIS_VALUE_RANGE_H
#define TSMC_PASSES_ANALYSIS_VALUE_RANGE_H

#include "exporter/ir/ir.h"

enum { RANGE_BINS = 2048 };

/* What was seen of a tensor of float32. */
typedef struct {
    double least, greatest;      /* of the finite elements */
    uint64_t elements, infinite; /* infinite: those that are not finite */
    int dims;                    /* -1: they differ from call to call */
    bool is_other;               /* it had another dtype */
    uint64_t *bins;              /* RANGE_BINS, equally wide, from least to greatest; NULL: not counted yet */
} value_statistics;

typedef struct {
    const ir_value *key;
    value_statistics *value;
} * value_statistics_map; /* stb_ds hash map */

/* How bytes stand for floats: (byte - zero_point) * scale. */
typedef struct {
    double scale;
    int64_t zero_point;
} byte_range;

/* Adds elements to what was seen: to the extremes, or, once all those are known, to the bins. */
void value_statistics_add(value_statistics *s, const float *elements, size_t n);
void value_statistics_count(value_statistics *s, const float *elements, size_t n);

/* What was seen of either; NULL stands for nothing. */
value_statistics *value_statistics_merge(value_statistics *a, value_statistics *b);

/* Why no range can be chosen; NULL: one can. */
const char *value_range_refusal(const value_statistics *s);

/* The range from the least to the greatest number, or, unless `has_extremes`, the one inside of it with the least
 * squared error over the bins. 0 is one of its numbers. */
byte_range value_range_choose(const value_statistics *s, bool has_extremes);

/* The byte that stands for x. */
uint8_t value_range_byte(byte_range r, double x);

#endif
