/* Files of test cases for passes and code generation; README.md beside this file describes them. */
#ifndef TESTS_PASSES_CASE_FILE_H
#define TESTS_PASSES_CASE_FILE_H

#include <stdbool.h>

#include "exporter/base/mem.h"

/* A line "KEY: TEXT" of the head. */
typedef struct {
    const char *key, *text;
} case_setting;

/* What stands below a line "---- NAME". */
typedef struct {
    const char *name, *text;
} case_section;

/* Both are stb_ds arrays in the order of the file. */
typedef struct {
    const char *path, *head; /* the text above the first section */
    case_setting *settings;
    case_section *sections;
} case_file;

/* Reads a file; one that is no case is an error (diag_fail). */
case_file case_file_read(const char *path);
void case_file_write(const case_file *c);

/* The first setting or section of a name; NULL when there is none. */
const char *case_file_setting(const case_file *c, const char *key);
const case_section *case_file_section(const case_file *c, const char *name);

/* The text with its values numbered in the order in which they are named: equal for graphs that differ in names only.
 */
const char *case_numbered(const char *text);

/* Prints the lines that differ, expected ones with "-" and actual ones with "+", three equal ones around. */
void case_print_difference(const char *expected, const char *actual);

#endif
