/* Goes over a tensor's elements and keeps the least, the greatest and the sum. */
#include "platform/runner/statistics.h"

#include "platform/runner/element.h"
#include <math.h>

static double number_of(tsm_dtype dtype, element e) {
    switch (element_kind_of(dtype)) {
    case ELEMENT_FLOAT:
        return e.re;
    case ELEMENT_COMPLEX:
        return hypot(e.re, e.im);
    default:
        return (double)e.i;
    }
}

statistics statistics_of(const tsm_tensor_view *t) {
    statistics s = {INFINITY, -INFINITY, 0, 0, 0, 0};
    element_walk walk;
    element_walk_start(&walk, t);
    for (tsm_dim i = element_count(t); i > 0; i--) {
        const double x = number_of(t->dtype, element_load(t->dtype, walk.at));
        s.nan += isnan(x) != 0;
        s.inf += isinf(x) != 0;
        if (isfinite(x)) {
            s.finite++;
            s.sum += x;
            s.least = x < s.least ? x : s.least;
            s.most = x > s.most ? x : s.most;
        }
        if (i > 1)
            element_walk_next(&walk);
    }
    return s;
}
