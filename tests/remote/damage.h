/* Messages that arrive otherwise than they were sent. */
#ifndef TESTS_REMOTE_DAMAGE_H
#define TESTS_REMOTE_DAMAGE_H

#include "post.h"

typedef struct {
    size_t message, at; /* which message, which byte of it */
    uint8_t flip;
    bool cut, forge; /* ends there; gets checksums that fit */
    size_t seen, bytes;
} damage;

/* A hook (post_hooks.change), whose context is a `damage`. */
size_t damage_message(void *context, int from, int to, uint8_t *bytes, size_t n, size_t room);
/* Gives a message checksums and a length that fit. */
void damage_fit_sums(uint8_t *bytes, size_t n);
/* Each byte of each message of a call, or each of its beginnings: an error or the usual answer, and nothing out of
 * order afterwards. */
void damage_all(post *(*open)(void), tsm_status (*call)(post *p, const char *method, tsm_value *result),
                const char *method, bool cut, bool forge);

#endif
