/* The page of a report: its template (page.html, built in) around one JSON object. */
#include "platform/report/report.h"

#include "platform/json/json_text.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The two halves of the page, which embed_page.py makes. */
extern const char report_page_head[], report_page_tail[];
extern const size_t report_page_head_bytes, report_page_tail_bytes;

void report_begin(report *r, FILE *out, const char *tool) {
    *r = (report){out, false};
    fwrite(report_page_head, 1, report_page_head_bytes, out);
    report_open(r, '{');
    report_key(r, "tool");
    report_text(r, tool);
}

void report_end(report *r) {
    report_close(r, '}');
    fwrite(report_page_tail, 1, report_page_tail_bytes, r->out);
}

/* ---- Values ---- */

void report_value(report *r) {
    if (r->needs_comma)
        fputc(',', r->out);
    r->needs_comma = true;
}

void report_open(report *r, char bracket) {
    report_value(r);
    fputc(bracket, r->out);
    r->needs_comma = false;
}

void report_close(report *r, char bracket) {
    fputc(bracket, r->out);
    r->needs_comma = true;
}

void report_key(report *r, const char *key) {
    report_text(r, key);
    fputc(':', r->out);
    r->needs_comma = false;
}

void report_bytes(report *r, const char *text, size_t n) {
    report_value(r);
    json_write_text(r->out, text, n);
}

void report_text(report *r, const char *text) {
    if (text) {
        report_bytes(r, text, strlen(text));
        return;
    }
    report_value(r);
    fputs("null", r->out);
}

void report_integer(report *r, int64_t n) {
    report_value(r);
    fprintf(r->out, "%" PRId64, n);
}

void report_number(report *r, double x) {
    report_value(r);
    if (isfinite(x))
        fprintf(r->out, "%.9g", x);
    else
        fputs("null", r->out);
}

void report_bool(report *r, bool b) {
    report_value(r);
    fputs(b ? "true" : "false", r->out);
}

/* ---- Sources ---- */

void report_sources(report *r, const report_source *sources, size_t n) {
    report_key(r, "sources");
    report_open(r, '[');
    for (size_t i = 0; i < n; i++) {
        report_open(r, '{');
        report_key(r, "name");
        report_text(r, sources[i].name);
        report_key(r, "first");
        report_integer(r, sources[i].first_line);
        report_key(r, "text");
        report_bytes(r, sources[i].text, sources[i].length);
        report_close(r, '}');
    }
    report_close(r, ']');
}

/* The number of the line that byte `at` of the text stands in. */
static uint32_t line_of(const report_source *s, size_t at) {
    uint32_t line = s->first_line;
    const char *p = s->text, *end = s->text + (at < s->length ? at : s->length);
    while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
        line++;
        p++;
    }
    return line;
}

void report_places(report *r, const report_place *places, size_t n, const report_source *sources) {
    report_key(r, "places");
    report_open(r, '[');
    for (size_t i = 0; i < n; i++) {
        const report_place *p = &places[i];
        report_open(r, '[');
        report_text(r, p->function);
        report_text(r, p->module);
        report_integer(r, p->caller);
        report_integer(r, p->source);
        report_integer(r, p->source == REPORT_NONE ? 0 : line_of(&sources[p->source], p->at));
        report_close(r, ']');
    }
    report_close(r, ']');
}
