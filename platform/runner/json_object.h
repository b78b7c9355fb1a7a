/* What tsmrun prints with --json: one object, whose members are written as they become known. */
#ifndef RUNNER_JSON_OBJECT_H
#define RUNNER_JSON_OBJECT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct {
    bool is_json;
    bool has_members;
} json_object;

/* Begins a member of the object, whose value the caller writes to stdout. */
FILE *json_object_member(json_object *r, const char *name);
/* Ends the object, if there is one. */
void json_object_end(const json_object *r);

#endif
