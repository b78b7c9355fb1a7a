/* What every operator gave, as JSON: operators are written while the program runs. */
#include "platform/runner/values.h"

#include "platform/runner/json_write.h"
#include "platform/runner/statistics.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 64, MOST_VALUES = 1 << 16 }; /* of one result */

/* ---- The filter ---- */

/* Whether the operator "aten::add.Tensor" is meant: by its whole name, without the overload, or without the namespace.
 */
static bool is_operator(const char *name, const char *filter) {
    const char *base = strstr(name, "::");
    base = base ? base + 2 : name;
    const size_t n = strlen(filter), m = strcspn(name, "."), k = strcspn(base, ".");
    return !strcmp(name, filter) || !strcmp(base, filter) || (n == m && !strncmp(name, filter, n)) ||
           (n == k && !strncmp(base, filter, n));
}

/* Whether the place is meant: "12" or "net.py:12". */
static bool is_line(const tsm_place *place, const char *filter) {
    const char *colon = strrchr(filter, ':');
    char *end;
    const unsigned long line = strtoul(colon ? colon + 1 : filter, &end, 10);
    if (*end || line != place->line)
        return false;
    const size_t n = colon ? (size_t)(colon - filter) : 0, m = strlen(place->file);
    return n <= m && !strncmp(place->file + m - n, filter, n);
}

static bool is_wanted(const values_log *log, const tsm_operator_call *call) {
    tsm_place place;
    if (!log->filter || is_operator(call->name, log->filter))
        return true;
    for (size_t level = 0; tsm_place_get(log->program, call, level, &place); level++)
        if (is_line(&place, log->filter))
            return true;
    return false;
}

/* ---- Values ---- */

static void write_member(FILE *out, const char *name, bool known, double x) {
    char text[NUMBER_TEXT];
    number_text_of(text, x, false);
    fprintf(out, ",\"%s\":%s", name, known ? text : "null");
}

static void write_tensor(const values_log *log, tsm_instance *inst, tsm_value v) {
    tsm_tensor_view t;
    if (!tsm_tensor_get(v, &t)) {
        fputs("{\"value\":null}", log->out);
        return;
    }
    const statistics s = statistics_of(&t);
    fprintf(log->out, "{\"dtype\":\"%s\",\"shape\":[", tsm_dtype_name(t.dtype));
    for (int d = 0; d < t.dims; d++)
        fprintf(log->out, "%s%td", d ? "," : "", t.sizes[d]);
    fputs("]", log->out);
    write_member(log->out, "min", s.finite > 0, s.least);
    write_member(log->out, "max", s.finite > 0, s.most);
    write_member(log->out, "mean", s.finite > 0, s.finite ? s.sum / (double)s.finite : 0);
    fprintf(log->out, ",\"nan\":%zu,\"inf\":%zu", s.nan, s.inf);
    if (log->elements) {
        fputs(",\"value\":", log->out);
        json_write(log->out, inst, v);
    }
    fputs("}", log->out);
}

/* `depth` levels of lists and tuples are written, and as many values as `left` says: lists may contain each other, and
 * themselves. */
static void write_value(const values_log *log, tsm_instance *inst, tsm_value v, int depth, size_t *left) {
    const bool is_sequence = v.tag == TSM_TAG_LIST || v.tag == TSM_TAG_TUPLE;
    if (*left == 0 || (depth == 0 && is_sequence)) {
        fputs("{\"kind\":\"nested\"}", log->out);
        return;
    }
    --*left;
    switch ((tsm_tag)v.tag) {
    case TSM_TAG_TENSOR:
        write_tensor(log, inst, v);
        return;
    case TSM_TAG_LIST:
    case TSM_TAG_TUPLE:
        fputs("{\"items\":[", log->out);
        for (size_t i = 0; i < tsm_sequence_size(v); i++) {
            fputs(i ? "," : "", log->out);
            write_value(log, inst, tsm_sequence_get(v, i), depth - 1, left);
        }
        fputs("]}", log->out);
        return;
    case TSM_TAG_OBJECT:
        fputs("{\"kind\":\"object\"}", log->out);
        return;
    case TSM_TAG_FUTURE:
        fputs("{\"kind\":\"future\"}", log->out);
        return;
    case TSM_TAG_GENERATOR:
        fputs("{\"kind\":\"generator\"}", log->out);
        return;
    default:
        fputs("{\"value\":", log->out);
        json_write(log->out, inst, v);
        fputs("}", log->out);
    }
}

/* ---- The file ---- */

static void write_places(const values_log *log, const tsm_operator_call *call) {
    tsm_place place;
    fputs(",\"lines\":[", log->out);
    for (size_t level = 0; tsm_place_get(log->program, call, level, &place); level++) {
        char text[1024];
        snprintf(text, sizeof text, "%s:%" PRIu32, place.file, place.line);
        fputs(level ? "," : "", log->out);
        json_write_text(log->out, text, strlen(text));
    }
    fputs("]", log->out);
}

void values_begin(const values_log *log) {
    fputs("{\"operators\":[", log->out);
}

void values_add(values_log *log, tsm_instance *inst, const tsm_operator_call *call) {
    const size_t number = log->calls++;
    if (!is_wanted(log, call))
        return;
    fputs(log->any ? ",\n" : "\n", log->out);
    log->any = true;
    fprintf(log->out, "{\"call\":%zu,\"operator\":\"%s\"", number, call->name);
    write_places(log, call);
    fputs(",\"outputs\":[", log->out);
    for (size_t i = 0; i < call->output_count; i++) {
        fputs(i ? "," : "", log->out);
        size_t left = MOST_VALUES;
        write_value(log, inst, call->outputs[i], MOST_LEVELS, &left);
    }
    fputs("]}", log->out);
}

void values_end(const values_log *log) {
    fputs("\n]}\n", log->out);
}
