/* Text for standard output that waits until other text is out, in memory or in a file without a name. */
#ifndef TSMRUN_HELD_H
#define TSMRUN_HELD_H

#include <stddef.h>
#include <stdio.h>

typedef struct {
    FILE *stream; /* to write the text to */
    char *text;
    size_t length;
} held_text;

/* Opens the stream. Ends the program where there is none. */
void held_open(held_text *h);

/* Writes the text behind what `to` has, and closes the stream. Ends the program where the text is not whole. */
void held_write(held_text *h, FILE *to);

#endif
