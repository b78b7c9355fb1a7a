/* Values from JSON files, in the form that docs/values.md describes. Whatever is wrong with a file ends the program
 * with exit status 2 and a text that names the file and the line. */
#ifndef RUNNER_JSON_READ_H
#define RUNNER_JSON_READ_H

#include "tsmobile.h"

typedef struct json_file json_file;

/* A place in a file: the position of a token. JSON_ROOT is the whole text. */
typedef int json_node;
enum { JSON_ROOT = 0 };

/* Opens and tokenizes a file; it stays open until the program ends. */
json_file *json_open(const char *path);

/* The number of elements of the array at `node`; `what` names it in the text of an error ("the list of arguments"). */
size_t json_array_size(const json_file *file, json_node node, const char *what);
/* The first element of an array that is not empty, and the element after another. */
json_node json_first(json_node node);
json_node json_next(const json_file *file, json_node node);

bool json_is_object(const json_file *file, json_node node);
bool json_is_null(const json_file *file, json_node node);
/* The member of an object, or -1. */
json_node json_member(const json_file *file, json_node object, const char *name);
/* What must be a string, and what must be true or false. Texts are kept until the program ends. */
const char *json_text(const json_file *file, json_node node);
bool json_bool(const json_file *file, json_node node);
/* A number, also NaN or Infinity; true and false are 1 and 0. */
double json_number(const json_file *file, json_node node);

/* Values that a text may name: those of earlier calls ({"result": [CALL, ...]}) and of arguments that stand before
 * ({"argument": N}). A result that was not kept is None. */
typedef struct {
    const tsm_value *results, *arguments;
    size_t result_count, argument_count;
} json_known;

/* Makes the value at `node`; it is the caller's to release. Elements of tensors lie in memory that lives until the
 * program ends. `known` may be NULL. */
tsm_value json_value(const json_file *file, json_node node, tsm_instance *inst, const json_known *known);

#endif
