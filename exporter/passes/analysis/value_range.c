/* Extremes, histograms, and the search for the range with the least error. */
#include "exporter/passes/analysis/value_range.h"

#include <math.h>

enum { STEPS = 255, SHRINKINGS = 20 };

void value_statistics_add(value_statistics *s, const float *elements, size_t n) {
    double least = s->least, greatest = s->greatest;
    for (size_t i = 0; i < n; i++) {
        const double x = (double)elements[i];
        if (!isfinite(x)) {
            s->infinite++;
            continue;
        }
        least = x < least ? x : least; /* 0 is always inside */
        greatest = x > greatest ? x : greatest;
    }
    s->least = least;
    s->greatest = greatest;
    s->elements += n;
}

void value_statistics_count(value_statistics *s, const float *elements, size_t n) {
    const double width = s->greatest - s->least;
    if (!(width > 0) || s->infinite)
        return;
    if (!s->bins)
        s->bins = MEM_ARRAY(uint64_t, RANGE_BINS);
    const double factor = RANGE_BINS / width;
    for (size_t i = 0; i < n; i++) {
        const double at = ((double)elements[i] - s->least) * factor;
        s->bins[at >= RANGE_BINS ? RANGE_BINS - 1 : at > 0 ? (size_t)at : 0]++;
    }
}

static void add_bins(value_statistics *to, const value_statistics *from) {
    const double width = (to->greatest - to->least) / RANGE_BINS, step = (from->greatest - from->least) / RANGE_BINS;
    for (int i = 0; i < RANGE_BINS; i++) {
        const double at = (from->least + (i + 0.5) * step - to->least) / width;
        to->bins[at >= RANGE_BINS ? RANGE_BINS - 1 : at > 0 ? (size_t)at : 0] += from->bins[i];
    }
}

value_statistics *value_statistics_merge(value_statistics *a, value_statistics *b) {
    if (!a || !b || a == b)
        return a ? a : b;
    value_statistics *both = MEM_NEW(value_statistics);
    *both = (value_statistics){.least = fmin(a->least, b->least),
                               .greatest = fmax(a->greatest, b->greatest),
                               .elements = a->elements + b->elements,
                               .infinite = a->infinite + b->infinite,
                               .dims = a->dims == b->dims ? a->dims : -1,
                               .is_other = a->is_other || b->is_other};
    if (a->bins && b->bins) {
        both->bins = MEM_ARRAY(uint64_t, RANGE_BINS);
        add_bins(both, a);
        add_bins(both, b);
    }
    return both;
}

const char *value_range_refusal(const value_statistics *s) {
    if (!s)
        return "nothing was seen of its numbers";
    if (s->is_other)
        return "it is not of float32";
    if (!s->elements)
        return "it has no elements";
    if (s->infinite)
        return "it has NaN or infinite numbers";
    return s->greatest > s->least ? NULL : "all its numbers are 0";
}

/* Small enough to lose nothing, and far from the least float32: products of two scales are floats, too. */
static const double LEAST_SCALE = 1e-15;

static byte_range range_of(double low, double high) {
    byte_range r = {(high - low) / STEPS, 0};
    r.scale = (double)(float)(r.scale > LEAST_SCALE ? r.scale : LEAST_SCALE);
    const double zero = rint(-low / r.scale);
    r.zero_point = zero > STEPS ? STEPS : (int64_t)zero;
    return r;
}

/* The squared error of the bins: inside of the range that of rounding, outside the distance to its end. */
static double error_of(const value_statistics *s, byte_range r) {
    const double width = (s->greatest - s->least) / RANGE_BINS, rounding = r.scale * r.scale / 12;
    const double low = -(double)r.zero_point * r.scale, high = low + STEPS * r.scale;
    double error = 0;
    for (int i = 0; i < RANGE_BINS; i++) {
        const double x = s->least + (i + 0.5) * width, beyond = x < low ? low - x : x > high ? x - high : 0;
        error += (double)s->bins[i] * (beyond > 0 ? beyond * beyond : rounding);
    }
    return error;
}

byte_range value_range_choose(const value_statistics *s, bool has_extremes) {
    byte_range best = range_of(s->least, s->greatest);
    if (has_extremes || !s->bins)
        return best;
    double least = error_of(s, best);
    for (int low = 0; low < SHRINKINGS; low++)
        for (int high = 0; high < SHRINKINGS; high++) {
            const byte_range r =
                range_of(s->least * (SHRINKINGS - low) / SHRINKINGS, s->greatest * (SHRINKINGS - high) / SHRINKINGS);
            const double error = error_of(s, r);
            if (error < least) {
                least = error;
                best = r;
            }
            if (s->greatest <= 0)
                break;
        }
    return best;
}

uint8_t value_range_byte(byte_range r, double x) {
    const double byte = rint(x / r.scale) + (double)r.zero_point;
    return byte >= STEPS ? STEPS : byte > 0 ? (uint8_t)byte : 0;
}
