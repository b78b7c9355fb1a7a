/* The state of the program's random numbers: kernels/random/random.h says whose they are. */
#ifndef TSM_VALUE_RANDOM_STATE_H
#define TSM_VALUE_RANDOM_STATE_H

#include <stdint.h>

enum { TSM_RANDOM_WORDS = 624 };

typedef struct tsm_random {
    uint32_t words[TSM_RANDOM_WORDS];
    uint32_t next;            /* the word that is handed out next; TSM_RANDOM_WORDS: all are used up */
    uint32_t has_next_normal; /* tsm_random_normal makes two numbers at a time */
    double next_normal;
} tsm_random;

#endif
