/* Writes the data of tsmc --report: the file, graphs, the memory plan, sizes, targets, differences after passes. */
#include "exporter/export_report.h"

#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/base/diag.h"
#include "exporter/execute/targets.h"
#include "exporter/report_graph.h"
#include "exporter/sizes.h"
#include "platform/info.h"

static void member_text(report *r, const char *key, const char *text) {
    report_key(r, key);
    report_text(r, text);
}

static void member(report *r, const char *key, uint64_t n) {
    report_key(r, key);
    report_integer(r, (int64_t)n);
}

static void member_or_null(report *r, const char *key, uint64_t n, bool is_null) {
    if (is_null)
        member_text(r, key, NULL);
    else
        member(r, key, n);
}

static void write_program(report *r, const export_report *e) {
    tsm_program program;
    char message[256];
    if (tsm_program_open(&program, e->file, e->bytes, message, sizeof message) != TSM_OK)
        diag_internal("libtsmobile does not open what was exported: %s", message);
    report_key(r, "program");
    report_value(r);
    info_print(r->out, &program, true);
}

/* ---- Memory ---- */

static void write_plan(report *r, const plan_details *d) {
    report_open(r, '{');
    member_text(r, "method", d->method);
    member(r, "live", d->live);
    member(r, "region", d->region);
    member(r, "buffer", d->buffer);
    report_key(r, "is_settled");
    report_bool(r, d->is_settled);
    report_key(r, "blocks");
    report_open(r, '[');
    for (size_t i = 0; i < arrlenu(d->blocks); i++) {
        const plan_detail *b = &d->blocks[i];
        const bool is_kept = b->offset == PLAN_KEPT;
        report_open(r, '{');
        member(r, "bytes", b->bytes);
        member_or_null(r, "offset", b->offset, is_kept);
        member(r, "from", b->from);
        member_or_null(r, "to", b->to, is_kept);
        member_text(r, "operator", b->operator);
        report_close(r, '}');
    }
    report_close(r, ']');
    report_close(r, '}');
}

static void write_plans(report *r, const plan_details *plans) {
    report_key(r, "memory");
    report_open(r, '[');
    for (size_t i = 0; i < arrlenu(plans); i++)
        write_plan(r, &plans[i]);
    report_close(r, ']');
}

/* What --target makes of the examples, for each target or the one that was asked for. */
static void write_targets(report *r, const export_report *e) {
    const uint64_t debug = e->sizes->bytes[IMAGE_PART_DEBUG];
    plan_knowledge *known = plan_knowledge_new();
    report_key(r, "targets");
    report_open(r, '[');
    for (const char *const *name = target_names(); e->plans && *name; name++) {
        if (e->machine && strcmp(*name, e->machine))
            continue;
        report_open(r, '{');
        member_text(r, "name", *name);
        member(r, "buffer", plan_need(e->image, e->examples, *name, known));
        member(r, "file", e->bytes);
        member(r, "stripped", e->bytes - debug);
        report_close(r, '}');
    }
    report_close(r, ']');
}

/* ---- Sizes ---- */

static void write_tensor(report *r, const sized_tensor *s) {
    const image_tensor *t = s->tensor;
    report_open(r, '{');
    member(r, "bytes", s->bytes);
    member_text(r, "name", t && t->name ? t->name : "(no attribute)");
    if (t) {
        member_text(r, "dtype", pt_dtype_name(t->dtype));
        report_key(r, "shape");
        report_open(r, '[');
        for (size_t i = 0; i < arrlenu(t->sizes); i++)
            report_integer(r, t->sizes[i]);
        report_close(r, ']');
    }
    report_key(r, "readers");
    report_open(r, '[');
    for (size_t i = 0; i < arrlenu(s->readers); i++)
        report_text(r, s->readers[i]);
    report_close(r, ']');
    report_close(r, '}');
}

static void write_named(report *r, const char *name, uint64_t bytes) {
    report_open(r, '{');
    member_text(r, "name", name);
    member(r, "bytes", bytes);
    report_close(r, '}');
}

static void write_sizes(report *r, const export_report *e) {
    const sized_tensor *tensors = sizes_of_tensors(e->image, e->functions);
    sized_operator *operators = sizes_of_operators(tensors);
    report_key(r, "sizes");
    report_open(r, '{');
    report_key(r, "tensors");
    report_open(r, '[');
    for (size_t i = 0; i < arrlenu(tensors); i++)
        write_tensor(r, &tensors[i]);
    report_close(r, ']');
    report_key(r, "parts");
    report_open(r, '[');
    for (int i = 0; i < IMAGE_PART_COUNT; i++)
        write_named(r, sizes_part_name((image_part)i), e->sizes->bytes[i]);
    report_close(r, ']');
    report_key(r, "operators");
    report_open(r, '[');
    for (size_t i = 0; i < shlenu(operators); i++)
        write_named(r, operators[i].key, operators[i].value);
    report_close(r, ']');
    member(r, "read", e->read_bytes);
    report_close(r, '}');
}

/* ---- Differences ---- */

static void write_verification(report *r, const verification *v, double tolerance) {
    const checked_pass *passes = verify_passes(v);
    report_key(r, "verify");
    report_open(r, '{');
    member_text(r, "reference", verify_reference(v));
    report_key(r, "tolerance");
    report_number(r, tolerance);
    member_text(r, "wrong", verify_wrong(v));
    report_key(r, "passes");
    report_open(r, '[');
    for (size_t i = 0; i < arrlenu(passes); i++) {
        report_open(r, '{');
        member_text(r, "pass", passes[i].pass);
        report_key(r, "largest");
        report_number(r, passes[i].largest);
        report_close(r, '}');
    }
    report_close(r, ']');
    report_close(r, '}');
}

void export_report_write(const export_report *e, FILE *out) {
    report r;
    report_begin(&r, out, "tsmc " TSMC_VERSION);
    member_text(&r, "name", e->input);
    if (e->image) {
        write_program(&r, e);
        report_graph(&r, e->functions, e->examples);
        write_sizes(&r, e);
        write_targets(&r, e);
    }
    if (e->plans)
        write_plans(&r, e->plans);
    if (e->verification)
        write_verification(&r, e->verification, e->tolerance);
    report_end(&r);
}
