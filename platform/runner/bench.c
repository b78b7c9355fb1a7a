/* --bench N: the first run and the times of N more. */
#include "platform/platform.h"
#include "platform/runner/die.h"
#include "platform/runner/mark.h"
#include "platform/runner/session.h"
#include <stdio.h>
#include <stdlib.h>

/* Calls the method; *result is that of the call before, then of this one. Returns milliseconds. */
static double timed_call(session *s, const arguments *a, tsm_value *result) {
    tsm_release(s->inst, *result);
    const uint64_t start = platform_nanoseconds(NULL);
    *result = session_call(s, a);
    const uint64_t end = platform_nanoseconds(NULL);
    return (double)(end - start) / 1e6;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

tsm_value bench_run(session *s, const options *o, const arguments *a, json_report *r) {
    tsm_value result = tsm_none();
    double *ms = keep(o->bench * sizeof *ms);
    mark(REGION_FIRST);
    const double first = timed_call(s, a, &result);
    mark(REGION_RUNS);
    for (unsigned long i = 0; i < o->bench; i++)
        ms[i] = timed_call(s, a, &result);
    mark(REGION_NONE);
    qsort(ms, o->bench, sizeof *ms, ascending);
    const double median = (ms[(o->bench - 1) / 2] + ms[o->bench / 2]) / 2;
    if (r->is_json)
        fprintf(json_report_member(r, "bench"),
                "{\"runs\": %lu, \"min_ms\": %.6f, \"med_ms\": %.6f, \"load_ms\": %.6f, \"first_ms\": %.6f, "
                "\"rss_kb\": %zu}",
                o->bench, ms[0], median, s->load_ms, first, platform_peak_kb());
    else
        printf("min_ms %.6f med_ms %.6f load_ms %.6f first_ms %.6f rss_kb %zu\n", ms[0], median, s->load_ms, first,
               platform_peak_kb());
    return result;
}
