/* Reports of tsmc and tsmrun: one HTML page that holds its data as one JSON object (docs/reports.md). */
#ifndef PLATFORM_REPORT_REPORT_H
#define PLATFORM_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A page that is being written: values of JSON in order, commas between them. */
typedef struct {
    FILE *out;
    bool needs_comma;
} report;

/* Writes the page up to its data and opens the object; ends the object and the page. `tool` is "tsmc" or "tsmrun". */
void report_begin(report *r, FILE *out, const char *tool);
void report_end(report *r);

/* ---- Values ---- */

/* '[' or '{', and ']' or '}'. */
void report_open(report *r, char bracket);
void report_close(report *r, char bracket);
/* The name of a member; its value is written next. */
void report_key(report *r, const char *key);
/* NULL: null. */
void report_text(report *r, const char *text);
void report_bytes(report *r, const char *text, size_t n);
void report_integer(report *r, int64_t n);
/* Numbers that JSON does not have become null. */
void report_number(report *r, double x);
void report_bool(report *r, bool b);

/* Before a value that something else writes to r->out. */
void report_value(report *r);

/* ---- Sources, and places in them ---- */

enum { REPORT_NONE = -1 };

/* A part of a source file. */
typedef struct {
    const char *name, *text;
    size_t length;
    uint32_t first_line; /* the number of the text's first line */
} report_source;

/* A place in a function, and the call that led there. */
typedef struct {
    const char *function;   /* qualified name */
    const char *module;     /* what the function was called on, as attributes of the caller's; NULL: not known */
    int64_t caller, source; /* a place, a source; or REPORT_NONE */
    size_t at;              /* bytes from the beginning of the source's text */
} report_place;

/* Members "sources" and "places" of the object that is open. */
void report_sources(report *r, const report_source *sources, size_t n);
void report_places(report *r, const report_place *places, size_t n, const report_source *sources);

#endif
