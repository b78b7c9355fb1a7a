/* Tables as JSON. */
#include "exporter/tables.h"

#include <inttypes.h>
#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/base/limits.h"
#include "platform/json/json_text.h"

/* Writes `before` and a string, `before` being what stands between it and what was written last. */
static void put_text(FILE *out, const char *before, const char *text) {
    fputs(before, out);
    json_write_text(out, text, strlen(text));
}

static const char *before_row(size_t i) {
    return i ? ",\n  " : "";
}

/* ---- Sizes ---- */

static void put_tensor(FILE *out, const sized_tensor *t) {
    fprintf(out, "{\"bytes\": %" PRIu64, t->bytes);
    if (t->tensor) {
        put_text(out, ", \"name\": ", t->tensor->name ? t->tensor->name : "");
        put_text(out, ", \"dtype\": ", pt_dtype_name(t->tensor->dtype));
        fputs(", \"sizes\": [", out);
        for (size_t d = 0; d < arrlenu(t->tensor->sizes); d++)
            fprintf(out, "%s%" PRId64, d ? ", " : "", t->tensor->sizes[d]);
        fputc(']', out);
    }
    fputs(", \"operators\": [", out);
    for (size_t k = 0; k < arrlenu(t->readers); k++)
        put_text(out, k ? ", " : "", t->readers[k]);
    fputs("]}", out);
}

void tables_sizes(json_report *o, const image *m, const image_sizes *sizes, function *const *functions, uint64_t read) {
    const sized_tensor *tensors = sizes_of_tensors(m, functions);
    sized_operator *operators = sizes_of_operators(tensors);
    FILE *out = json_report_member(o, "parts");
    fputc('[', out);
    for (size_t i = 0; i < IMAGE_PART_COUNT; i++) {
        fprintf(out, "%s{\"bytes\": %" PRIu64, before_row(i), sizes->bytes[i]);
        put_text(out, ", \"name\": ", sizes_part_name((image_part)i));
        fputc('}', out);
    }
    fputc(']', out);
    json_report_member(o, "tensors");
    fputc('[', out);
    for (size_t i = 0; i < arrlenu(tensors); i++) {
        fputs(before_row(i), out);
        put_tensor(out, &tensors[i]);
    }
    fputc(']', out);
    json_report_member(o, "operators");
    fputc('[', out);
    for (size_t i = 0; i < shlenu(operators); i++) {
        fprintf(out, "%s{\"bytes\": %" PRIu64, before_row(i), operators[i].value);
        put_text(out, ", \"name\": ", operators[i].key);
        fputc('}', out);
    }
    fputc(']', out);
    fprintf(json_report_member(o, "read"), "%" PRIu64, read);
}

/* ---- Plans ---- */

static void put_block(FILE *out, const plan_detail *b) {
    fprintf(out, "{\"bytes\": %" PRIu64 ", \"from\": %" PRIu32 ", \"to\": %" PRIu32, b->bytes, b->from, b->to);
    if (b->offset != PLAN_KEPT)
        fprintf(out, ", \"offset\": %" PRIu64, b->offset);
    put_text(out, ", \"operator\": ", b->operator? b->operator: "");
    fputc('}', out);
}

void tables_plans(json_report *o, const plan_details *plans) {
    FILE *out = json_report_member(o, "plans");
    fputc('[', out);
    for (size_t i = 0; i < arrlenu(plans); i++) {
        const plan_details *p = &plans[i];
        fputs(before_row(i), out);
        put_text(out, "{\"method\": ", p->method);
        fprintf(out,
                ", \"live_bytes\": %" PRIu64 ", \"planned_bytes\": %" PRIu64 ", \"buffer_bytes\": %" PRIu64
                ", \"is_settled\": %s, \"wanted\": %" PRIu64 ", \"placed\": %" PRIu64 ", \"blocks\": [",
                p->live, p->region, p->buffer, p->is_settled ? "true" : "false", p->wanted, p->placed);
        for (size_t k = 0; k < arrlenu(p->blocks); k++) {
            fputs(before_row(k), out);
            put_block(out, &p->blocks[k]);
        }
        fputs("]}", out);
    }
    fputc(']', out);
}

/* ---- Quantization ---- */

/* Decibels; null where nothing is lost, or nothing was compared. */
static void put_ratio(FILE *out, const char *name, quantization_loss l) {
    fprintf(out, ", \"%s\": ", name);
    if (l.noise > 0)
        fprintf(out, "%.4g", quantization_ratio(l));
    else
        fputs("null", out);
}

void tables_quantization(json_report *o, const calibration *c, const quantization *q) {
    const calibration_results r = calibration_whole(c);
    FILE *out = json_report_member(o, "layers");
    fputc('[', out);
    for (size_t i = 0; i < arrlenu(q->layers); i++) {
        const quantized_layer *l = &q->layers[i];
        fputs(before_row(i), out);
        put_text(out, "{\"name\": ", l->name);
        put_text(out, ", \"operator\": ", l->node->schema->full_name);
        fprintf(out, ", \"is_int8\": %s", l->bytes ? "true" : "false");
        put_ratio(out, "alone", l->alone);
        put_ratio(out, "inside", l->inside);
        if (!l->bytes)
            put_text(out, ", \"reason\": ", l->reason);
        fputc('}', out);
    }
    fputc(']', out);
    fprintf(json_report_member(o, "results"), "{\"rows\": %" PRIu64 ", \"same\": %" PRIu64, r.rows, r.same);
    put_ratio(out, "ratio", r.loss);
    fputc('}', out);
}

/* ---- Verification ---- */

void tables_verification(json_report *o, const verification *v) {
    const checked_pass *passes = verify_passes(v);
    put_text(json_report_member(o, "reference"), "", verify_reference(v));
    FILE *out = json_report_member(o, "passes");
    fputc('[', out);
    for (size_t i = 0; i < arrlenu(passes); i++) {
        fputs(before_row(i), out);
        put_text(out, "{\"name\": ", passes[i].pass);
        fprintf(out, ", \"largest_difference\": %.17g}", passes[i].largest);
    }
    fputc(']', out);
    fputs(verify_agrees(v) ? "true" : "false", json_report_member(o, "agrees"));
    put_text(json_report_member(o, "wrong"), "", verify_wrong(v) ? verify_wrong(v) : "");
}

/* ---- Limits ---- */

void tables_limits(json_report *o) {
    static const struct {
        const char *name, *beyond, *text;
        uint64_t value;
    } rows[] = {
#define LIMIT(NAME, value, beyond, text) {#NAME, #beyond, text, value},
#include "exporter/base/limits.def"
#undef LIMIT
    };
    FILE *out = json_report_member(o, "limits");
    fputc('[', out);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fputs(before_row(i), out);
        put_text(out, "{\"name\": ", rows[i].name);
        fprintf(out, ", \"value\": %" PRIu64, rows[i].value);
        put_text(out, ", \"of\": ", rows[i].text);
        fprintf(out, ", \"is_refused\": %s}", strcmp(rows[i].beyond, "LEFT") ? "true" : "false");
    }
    fputc(']', out);
}
