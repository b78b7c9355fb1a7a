/* Names in files of C for what is named otherwise: models by their authors, files by anybody. */
#ifndef TSMC_EMBED_NAMES_H
#define TSMC_EMBED_NAMES_H

#include "exporter/base/mem.h"

/* The names that a scope has: an stb_ds hash map. */
typedef struct {
    const char *key;
    bool value;
} * embed_scope;

/* The text with `_` for all but letters and digits, and before a digit at the beginning. */
const char *embed_c_name(const char *text);

/* The text with capital letters, as macros have them. */
const char *embed_upper(const char *text);

/* A name of C for this thing alone, which the scope has from now on: `wanted`, a name of C, with so many `_` behind it
 * that the scope does not have it and that it is no word of C or C++ and nothing of their common libraries. */
const char *embed_name(embed_scope *scope, const char *wanted);

/* The text for the inside of a comment, which it cannot end: control characters become spaces, and one comes between
 * the two characters of an end or a beginning. */
const char *embed_comment(const char *text);

#endif
