/* Samples of sizes within bounds. */
#include "exporter/base/size_samples.h"

#include <math.h>
#include <string.h>

#include "exporter/base/mem.h"

typedef struct {
    const size_range *ranges;
    size_t count;
    size_samples made;
} sampler;

static bool is_there(const sampler *s, const int64_t *values) {
    for (size_t i = 0; i < arrlenu(s->made.values); i++)
        if (!memcmp(s->made.values[i], values, s->count * sizeof *values))
            return true;
    return false;
}

static void add(sampler *s, const int64_t *values) {
    if (is_there(s, values))
        return;
    int64_t *copy = MEM_ARRAY(int64_t, s->count + 1);
    memcpy(copy, values, s->count * sizeof *values);
    arrput(s->made.values, copy);
}

/* The value at `part` of a range, from 0 to 1. */
static int64_t at_part(size_range r, double part) {
    const int64_t steps = (int64_t)(part * ((double)(r.most - r.least) + 1));
    return r.least + (steps < r.most - r.least ? steps : r.most - r.least);
}

static void add_corners(sampler *s, int64_t *values) {
    for (size_t i = 0; i < s->count; i++)
        values[i] = s->ranges[i].most;
    add(s, values);
    for (size_t i = 0; i < s->count; i++) {
        values[i] -= s->ranges[i].least < s->ranges[i].most;
        add(s, values);
        values[i] = s->ranges[i].most;
    }
    for (size_t i = 0; i < s->count; i++)
        values[i] = s->ranges[i].least;
    add(s, values);
    s->made.corners = arrlenu(s->made.values);
}

static void add_quarters(sampler *s, int64_t *values) {
    for (size_t i = 0; i < s->count; i++)
        values[i] = s->ranges[i].most;
    for (int quarter = 2; quarter >= 0; quarter--)
        for (size_t i = 0; i < s->count; i++) {
            values[i] = at_part(s->ranges[i], quarter / 4.0);
            add(s, values);
            values[i] = s->ranges[i].most;
        }
}

/* Multiples of irrational numbers, one for each range, fill the space evenly (Weyl's sequence): no n * n + 1 is a
 * square. */
static void add_points(sampler *s, int64_t *values) {
    for (size_t k = 1; arrlenu(s->made.values) < SIZE_SAMPLES_MOST && k <= 2 * SIZE_SAMPLES_MOST; k++) {
        for (size_t i = 0; i < s->count; i++) {
            const double n = (double)i + 1, turned = (double)k * sqrt(n * n + 1);
            values[i] = at_part(s->ranges[i], turned - floor(turned));
        }
        add(s, values);
    }
}

size_samples size_samples_of(const size_range *ranges, size_t count) {
    sampler s = {ranges, count, {NULL, 0}};
    int64_t *values = MEM_ARRAY(int64_t, count + 1);
    add_corners(&s, values);
    if (count) {
        add_quarters(&s, values);
        add_points(&s, values);
    }
    return s.made;
}
