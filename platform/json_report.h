/* What tsmrun and tsmc print with --json: one object, whose members are written as they become known. */
#ifndef PLATFORM_JSON_REPORT_H
#define PLATFORM_JSON_REPORT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct {
    bool is_json;
    bool has_members;
} json_report;

/* Begins a member of the object, whose value the caller writes to stdout. */
FILE *json_report_member(json_report *r, const char *name);
/* Ends the object, if there is one. */
void json_report_end(const json_report *r);

#endif
