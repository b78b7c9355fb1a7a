/* Results written, and compared with what is expected. */
#include "platform/runner/results.h"

#include "platform/json/json_text.h"
#include "platform/runner/compare.h"
#include "platform/runner/die.h"
#include "platform/runner/json_read.h"
#include "platform/runner/json_write.h"
#include "platform/runner/npy.h"
#include "platform/runner/npz.h"
#include <string.h>

static bool ends_with(const char *path, const char *end) {
    const size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

bool results_is_npy(const char *path) {
    return ends_with(path, ".npy");
}
bool results_is_npz(const char *path) {
    return ends_with(path, ".npz");
}

/* ---- Parts ---- */

static const char *kept_text(const char *text, size_t n) {
    char *copy = keep(n + 1);
    memcpy(copy, text, n);
    copy[n] = 0;
    return copy;
}

/* The name of part i of a result: that of a NamedTuple's field, else NumPy's. */
static const char *part_name(const session *s, size_t i) {
    char number[32];
    const size_t outputs = tsm_method_outputs(&s->program, (size_t)s->method);
    const char *name = i < outputs && outputs > 1 ? tsm_method_output(&s->program, (size_t)s->method, i).name : "";
    if (*name)
        return name;
    snprintf(number, sizeof number, "arr_%zu", i);
    return kept_text(number, strlen(number));
}

static npz_array part_of_dict(tsm_value dict, size_t i) {
    tsm_value key, item;
    size_t n;
    tsm_dict_get(dict, i, &key, &item);
    const char *text = tsm_str_get(key, &n);
    if (!text || memchr(text, '/', n) || memchr(text, 0, n))
        die(EXIT_BAD_INPUT, "a .npz file has texts as names, without '/'; write .json");
    return (npz_array){kept_text(text, n), item};
}

/* What a result has: its items, or itself. */
static npz_array *parts_of(const session *s, tsm_value result, size_t *count) {
    const bool is_dict = result.tag == TSM_TAG_DICT,
               is_sequence = result.tag == TSM_TAG_TUPLE || result.tag == TSM_TAG_LIST;
    *count = is_dict ? tsm_dict_size(result) : is_sequence ? tsm_sequence_size(result) : 1;
    npz_array *parts = keep(*count * sizeof *parts + 1);
    for (size_t i = 0; i < *count; i++)
        parts[i] = is_dict ? part_of_dict(result, i)
                           : (npz_array){part_name(s, i), is_sequence ? tsm_sequence_get(result, i) : result};
    return parts;
}

void results_write(FILE *out, const char *path, session *s, tsm_value result) {
    if (results_is_npz(path)) {
        size_t count;
        const npz_array *parts = parts_of(s, result, &count);
        npz_write(out, parts, count);
    } else if (results_is_npy(path)) {
        size_t n;
        const void *bytes = npz_bytes_of("the result", result, &n);
        fwrite(bytes, 1, n, out);
    } else
        json_write(out, s->inst, result);
}

/* ---- What is expected ---- */

enum { WHY = 256 };

/* A number as the tensor of no dimensions that a .npz holds for it. */
static tsm_value as_tensor(tsm_instance *inst, tsm_value v) {
    size_t n;
    if (v.tag != TSM_TAG_BOOL && v.tag != TSM_TAG_INT && v.tag != TSM_TAG_FLOAT)
        return v;
    const void *bytes = npz_bytes_of("", v, &n);
    return npy_value_of("the result", bytes, n, inst);
}

static bool same_arrays(session *s, const options *o, tsm_value result, char why[WHY]) {
    size_t count, wanted_count;
    const npz_array *parts = parts_of(s, result, &count), *wanted = npz_read(o->expect, s->inst, &wanted_count);
    for (size_t i = 0; i < wanted_count; i++) {
        size_t k = 0;
        while (k < count && strcmp(parts[k].name, wanted[i].name) != 0)
            k++;
        char inner[WHY - 64];
        if (k == count)
            snprintf(why, WHY, "the result has no %.100s", wanted[i].name);
        else if (!compare_values(s->inst, as_tensor(s->inst, parts[k].value), wanted[i].value, o->tolerance, inner,
                                 sizeof inner))
            snprintf(why, WHY, "%.50s: %s", wanted[i].name, inner);
        else
            continue;
        return false;
    }
    snprintf(why, WHY, "%zu parts against %zu", count, wanted_count);
    return count == wanted_count;
}

static bool is_as_expected(session *s, const options *o, tsm_value result, char why[WHY]) {
    if (results_is_npz(o->expect))
        return same_arrays(s, o, result, why);
    const bool is_npy = results_is_npy(o->expect);
    const tsm_value wanted =
        is_npy ? npy_value(o->expect, s->inst) : json_value(json_open(o->expect), JSON_ROOT, s->inst, NULL);
    return compare_values(s->inst, is_npy ? as_tensor(s->inst, result) : result, wanted, o->tolerance, why, WHY);
}

int results_compare(session *s, const options *o, json_report *r, tsm_value result) {
    char why[WHY] = "";
    const bool is_same = is_as_expected(s, o, result, why);
    if (r->is_json) {
        FILE *out = json_report_member(r, "expected");
        fprintf(out, "{\"passed\": %s, \"difference\": ", is_same ? "true" : "false");
        json_write_text(out, why, is_same ? 0 : strlen(why));
        fputc('}', out);
    } else
        printf("%s%s\n", is_same ? "as expected" : "NOT as expected: ", is_same ? "" : why);
    return is_same ? EXIT_OK : EXIT_RAISED;
}
