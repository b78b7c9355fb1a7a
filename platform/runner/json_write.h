/* Values to JSON, in the form that docs/values.md describes. */
#ifndef RUNNER_JSON_WRITE_H
#define RUNNER_JSON_WRITE_H

#include "platform/json/json_text.h"
#include "tsmobile.h"
#include <stdio.h>

/* Writes one value. Values that have no JSON form (a Future) end the program with a text that says so. */
void json_write(FILE *out, tsm_instance *inst, tsm_value v);

/* A decimal text that reads back as the same number: as a double (15 digits where they do, else 17), or, with `single`,
 * as a float (6 or 9); always with a point, an exponent, or one of NaN, Infinity, -Infinity. */
enum { NUMBER_TEXT = 40 };
void number_text_of(char text[NUMBER_TEXT], double x, bool single);

#endif
