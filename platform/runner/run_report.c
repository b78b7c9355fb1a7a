/* Gathers what each operator of the program's code did, and writes it as a report's data. */
#include "platform/runner/run_report.h"

#include "platform/info.h"
#include "platform/report/report.h"
#include "platform/runner/die.h"
#include "platform/runner/expected_values.h"
#include "platform/runner/report_places.h"
#include "platform/runner/statistics.h"
#include "runtime/interpreter/positions.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In the file: none. */
#define NO_INDEX UINT32_MAX

/* Values of one operator that are written, and points of the curve of memory. */
enum { MOST_OUTPUTS = 8, MOST_POINTS = 2048 };

typedef struct {
    bool is_tensor;
    uint32_t tag;
    tsm_dtype dtype;
    int dims;
    tsm_dim sizes[TSM_MAX_DIMS];
    statistics statistics;
} seen_value;

/* An operator's place in the code. */
typedef struct {
    const char *operator;
    uint32_t function, instruction;
    uint64_t calls, nanoseconds;
    seen_value outputs[MOST_OUTPUTS]; /* of the last call */
    size_t output_count;
    expected_difference difference; /* the largest of all calls */
} site;

struct run_report {
    const tsm_program *program;
    tsmf_Program root;
    uint64_t nanoseconds; /* of the operator that ran last */
    size_t *first;        /* of each function: the number of its first instruction */
    uint32_t *site_of;    /* of each instruction: its site's number + 1, or 0 */
    site *sites;
    size_t count, room;
    size_t points[MOST_POINTS], point_count, in_point, step; /* most bytes in use, of `step` operators each */
    expected_values *expected;                               /* NULL: none */
    const char *expected_path;
    size_t missing; /* calls that the expected values do not have */
};

run_report *run_report_new(const tsm_program *program, const char *expected) {
    run_report *r = keep(sizeof *r);
    *r = (run_report){.program = program, .root = {program->root}, .step = 1, .expected_path = expected};
    const uint32_t functions = tsmf_Program_functions_len(r->root);
    size_t instructions = 0;
    r->first = keep((functions + 1) * sizeof *r->first);
    for (uint32_t i = 0; i < functions; i++) {
        r->first[i] = instructions;
        instructions += tsmf_Function_code_len(tsmf_Program_functions(r->root, i));
    }
    r->site_of = keep((instructions + 1) * sizeof *r->site_of);
    memset(r->site_of, 0, instructions * sizeof *r->site_of);
    r->expected = expected ? expected_open(expected) : NULL;
    return r;
}

void run_report_time(run_report *r, uint64_t begin, uint64_t end) {
    r->nanoseconds = end - begin;
}

/* ---- Gathering ---- */

static site *site_of(run_report *r, const tsm_operator_call *call) {
    uint32_t *number = &r->site_of[r->first[call->function] + call->instruction];
    if (*number)
        return &r->sites[*number - 1];
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 256;
        r->sites = realloc(r->sites, r->room * sizeof *r->sites);
        if (!r->sites)
            die(EXIT_FAULT, "there is no memory for the report");
    }
    site *s = &r->sites[r->count++];
    memset(s, 0, sizeof *s);
    s->operator= call->name;
    s->function = call->function;
    s->instruction = call->instruction;
    s->difference.agrees = true;
    *number = (uint32_t)r->count;
    return s;
}

static void see(seen_value *seen, tsm_value v) {
    tsm_tensor_view t;
    seen->tag = v.tag;
    seen->is_tensor = v.tag == TSM_TAG_TENSOR && tsm_tensor_get(v, &t);
    if (!seen->is_tensor)
        return;
    seen->dtype = t.dtype;
    seen->dims = t.dims;
    for (int d = 0; d < t.dims; d++)
        seen->sizes[d] = t.sizes[d];
    seen->statistics = statistics_of(&t);
}

static void add_point(run_report *r, size_t bytes) {
    if (r->in_point == 0) {
        if (r->point_count == MOST_POINTS) {
            for (size_t i = 0; i < MOST_POINTS / 2; i++) {
                const size_t a = r->points[2 * i], b = r->points[2 * i + 1];
                r->points[i] = a > b ? a : b;
            }
            r->point_count = MOST_POINTS / 2;
            r->step *= 2;
        }
        r->points[r->point_count++] = 0;
    }
    size_t *last = &r->points[r->point_count - 1];
    *last = bytes > *last ? bytes : *last;
    r->in_point = (r->in_point + 1) % r->step;
}

static void compare(run_report *r, site *s, const tsm_operator_call *call) {
    char line[1024] = "";
    tsm_place place;
    if (tsm_place_get(r->program, call, 0, &place))
        snprintf(line, sizeof line, "%s:%u", place.file, (unsigned)place.line);
    const expected_difference d = expected_compare(r->expected, call->name, line, call->outputs, call->output_count);
    if (!d.is_known) {
        r->missing++;
        return;
    }
    expected_difference *all = &s->difference;
    all->largest = d.largest > all->largest ? d.largest : all->largest;
    all->agrees &= d.agrees;
    all->elements = d.elements && (all->elements || !all->is_known);
    all->why = all->why ? all->why : d.why;
    all->is_known = true;
}

void run_report_values(run_report *r, const tsm_instance *inst, const tsm_operator_call *call) {
    site *s = site_of(r, call);
    s->calls++;
    s->nanoseconds += r->nanoseconds;
    s->output_count = call->output_count < MOST_OUTPUTS ? call->output_count : MOST_OUTPUTS;
    for (size_t i = 0; i < s->output_count; i++)
        see(&s->outputs[i], call->outputs[i]);
    add_point(r, tsm_instance_usage(inst).used_bytes);
    if (r->expected)
        compare(r, s, call);
}

/* ---- Places ---- */

static int64_t place_of(tsmf_Program root, const site *s) {
    tsm_positions of = tsm_positions_of(root);
    const uint32_t call = of.groups ? tsm_position_call(&of, s->function, s->instruction) : NO_INDEX;
    return call == NO_INDEX ? REPORT_NONE : (int64_t)call;
}

/* ---- Writing ---- */

static void write_output(report *out, const seen_value *v) {
    static const char *const tags[] = {
#define TAG(NAME, text) text,
        TSM_TAG_LIST(TAG)
#undef TAG
    };
    report_open(out, '{');
    if (v->is_tensor) {
        const statistics *s = &v->statistics;
        const struct {
            const char *name;
            double x;
        } known[] = {{"min", s->finite ? s->least : NAN},
                     {"max", s->finite ? s->most : NAN},
                     {"mean", s->finite ? s->sum / (double)s->finite : NAN},
                     {"nan", (double)s->nan},
                     {"inf", (double)s->inf}};
        report_key(out, "dtype");
        report_text(out, tsm_dtype_name(v->dtype));
        report_key(out, "shape");
        report_open(out, '[');
        for (int d = 0; d < v->dims; d++)
            report_integer(out, v->sizes[d]);
        report_close(out, ']');
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            report_key(out, known[i].name);
            report_number(out, known[i].x);
        }
    } else {
        report_key(out, "kind");
        report_text(out, v->tag < TSM_TAG_COUNT ? tags[v->tag] : "None");
    }
    report_close(out, '}');
}

static void write_difference(report *out, const expected_difference *d) {
    report_key(out, "difference");
    report_open(out, '{');
    report_key(out, "agrees");
    report_bool(out, d->agrees);
    report_key(out, "elements");
    report_bool(out, d->elements);
    report_key(out, "largest");
    report_number(out, d->largest);
    report_key(out, "why");
    report_text(out, d->why ? d->why : isinf(d->largest) ? "a number that is not finite" : NULL);
    report_close(out, '}');
}

static void write_site(report *out, const run_report *r, const site *s) {
    report_open(out, '{');
    report_key(out, "op");
    report_text(out, s->operator);
    report_key(out, "place");
    report_integer(out, place_of(r->root, s));
    report_key(out, "calls");
    report_integer(out, (int64_t)s->calls);
    report_key(out, "ns");
    report_integer(out, (int64_t)s->nanoseconds);
    report_key(out, "outputs");
    report_open(out, '[');
    for (size_t i = 0; i < s->output_count; i++)
        write_output(out, &s->outputs[i]);
    report_close(out, ']');
    if (s->difference.is_known)
        write_difference(out, &s->difference);
    report_close(out, '}');
}

static void write_operators(report *out, const tsm_instance *inst) {
    tsm_profile_row row;
    report_key(out, "operators");
    report_open(out, '[');
    for (size_t i = 0; tsm_profile_get(inst, i, &row); i++) {
        if (!row.calls)
            continue;
        report_open(out, '{');
        report_key(out, "name");
        report_text(out, row.name);
        report_key(out, "calls");
        report_integer(out, (int64_t)row.calls);
        report_key(out, "ns");
        report_integer(out, (int64_t)row.nanoseconds);
        report_key(out, "bytes");
        report_integer(out, (int64_t)row.bytes);
        report_close(out, '}');
    }
    report_close(out, ']');
}

static void write_memory(report *out, const run_report *r, const tsm_instance *inst) {
    const tsm_usage u = tsm_instance_usage(inst);
    report_key(out, "high_water_bytes");
    report_integer(out, (int64_t)u.high_water_bytes);
    report_key(out, "fixed_bytes");
    report_integer(out, (int64_t)u.fixed_bytes);
    report_key(out, "memory_step");
    report_integer(out, (int64_t)r->step);
    report_key(out, "memory");
    report_open(out, '[');
    for (size_t i = 0; i < r->point_count; i++)
        report_integer(out, (int64_t)r->points[i]);
    report_close(out, ']');
}

static void write_run(report *out, const run_report *r, int method, const tsm_instance *inst) {
    report_key(out, "run");
    report_open(out, '{');
    report_key(out, "method");
    report_text(out, method < 0 ? "test cases" : tsm_method_name(r->program, (size_t)method));
    write_memory(out, r, inst);
    write_operators(out, inst);
    report_key(out, "sites");
    report_open(out, '[');
    for (size_t i = 0; i < r->count; i++)
        write_site(out, r, &r->sites[i]);
    report_close(out, ']');
    if (r->expected) {
        report_key(out, "expected");
        report_open(out, '{');
        report_key(out, "file");
        report_text(out, r->expected_path);
        report_key(out, "tolerance");
        report_number(out, EXPECTED_TOLERANCE);
        report_key(out, "missing");
        report_integer(out, (int64_t)r->missing);
        report_close(out, '}');
    }
    report_close(out, '}');
}

void run_report_write(const run_report *r, FILE *out, const char *path, int method, const tsm_instance *inst) {
    report page;
    report_begin(&page, out, "tsmrun " TSM_VERSION_STRING);
    report_key(&page, "name");
    report_text(&page, path);
    report_key(&page, "program");
    report_value(&page);
    info_print(out, r->program, true);
    report_file_places(&page, r->root);
    write_run(&page, r, method, inst);
    report_end(&page);
}
