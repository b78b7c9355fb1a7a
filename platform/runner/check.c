/* --check: runs the test cases that a file carries and compares. */
#include "platform/json/json_text.h"
#include "platform/runner/compare.h"
#include "platform/runner/die.h"
#include "platform/runner/session.h"
#include <stdio.h>
#include <string.h>

typedef struct {
    tsm_value arguments, expected;
    int method;
    bool has_expected;
} test_case;

static void must(session *s, tsm_status status) {
    if (status != TSM_OK)
        die_of(status, tsm_error(s->inst));
}

static void print_case(const json_report *r, size_t number, const char *method, bool passed, bool has_expected,
                       const char *why) {
    if (!r->is_json) {
        printf("case %zu, %s: %s%s\n", number, method,
               !passed        ? "FAILED: "
               : has_expected ? "ok"
                              : "ran; the file stores no expected result",
               why);
        return;
    }
    printf("%s{\"method\": ", number ? ",\n  " : "[");
    json_write_text(stdout, method, strlen(method));
    printf(", \"passed\": %s, \"has_expected\": %s, \"difference\": ", passed ? "true" : "false",
           has_expected ? "true" : "false");
    json_write_text(stdout, why, strlen(why));
    putchar('}');
}

/* Runs one case on an instance as the file describes it; returns whether it passed. */
static bool run_case(session *s, const options *o, json_report *r, size_t number) {
    test_case c;
    must(s, tsm_instance_reset(s->inst));
    must(s, tsm_bundle_get(s->inst, number, &c.method, &c.arguments, &c.expected, &c.has_expected));
    arguments a = {.count = tsm_sequence_size(c.arguments)};
    a.values = keep(a.count * sizeof *a.values);
    for (size_t i = 0; i < a.count; i++)
        a.values[i] = tsm_sequence_get(c.arguments, i);

    char why[256] = "";
    tsm_value result;
    const tsm_status status = tsm_call(s->inst, c.method, a.values, a.count, &result);
    bool passed = status == TSM_OK;
    if (!passed)
        snprintf(why, sizeof why, "%s", tsm_error(s->inst));
    else if (c.has_expected)
        passed = compare_values(s->inst, result, c.expected, o->tolerance, why, sizeof why);
    print_case(r, number, tsm_method_name(&s->program, (size_t)c.method), passed, c.has_expected, why);
    tsm_release(s->inst, result);
    tsm_release(s->inst, c.arguments);
    tsm_release(s->inst, c.expected);
    return passed;
}

int check_run(session *s, const options *o, json_report *r) {
    const size_t n = tsm_bundle_count(&s->program);
    size_t passed = 0;
    if (n == 0)
        die(EXIT_BAD_INPUT, "the file stores no test cases (tsmc --bundle stores them)");
    if (r->is_json)
        json_report_member(r, "cases");
    for (size_t i = 0; i < n; i++)
        passed += run_case(s, o, r, i);
    if (r->is_json)
        putchar(']');
    else
        printf("%zu of %zu cases passed\n", passed, n);
    return passed == n ? EXIT_OK : EXIT_RAISED;
}
