/* The object of --json. */
#include "platform/runner/json_object.h"

FILE *json_object_member(json_object *r, const char *name) {
    printf("%s\"%s\": ", r->has_members ? ",\n " : "{", name);
    r->has_members = true;
    return stdout;
}

void json_object_end(const json_object *r) {
    if (r->is_json)
        puts(r->has_members ? "}" : "{}");
}
