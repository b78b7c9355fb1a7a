/* Strings of JSON, for programs that write some. */
#ifndef PLATFORM_JSON_TEXT_H
#define PLATFORM_JSON_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* A JSON string. Bytes that are not UTF-8 become U+FFFD, as JSON has no form for them; "<" is escaped, so that the text
 * may stand in a page of HTML. */
void json_write_text(FILE *out, const char *text, size_t n);

#endif
