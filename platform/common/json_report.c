/* The object of --json. */
#include "platform/json_report.h"

FILE *json_report_member(json_report *r, const char *name) {
    printf("%s\"%s\": ", r->has_members ? ",\n " : "{", name);
    r->has_members = true;
    return stdout;
}

void json_report_end(const json_report *r) {
    if (r->is_json)
        puts(r->has_members ? "}" : "{}");
}
