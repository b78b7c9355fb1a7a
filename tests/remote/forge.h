/* Messages as a forger writes them. */
#ifndef TESTS_REMOTE_FORGE_H
#define TESTS_REMOTE_FORGE_H

#include "runtime/interpreter/remote.h"

typedef struct {
    uint8_t bytes[1024];
    size_t n;
} forgery;

/* The head of a message, and what follows; damage_fit_sums fills the checksums in. */
forgery forge_message(remote_kind kind, const char *sender, uint64_t number);
void forge_bytes(forgery *f, const void *bytes, size_t n);
void forge_byte(forgery *f, int byte);
void forge_u32(forgery *f, uint32_t n);
void forge_u64(forgery *f, uint64_t n);
void forge_text(forgery *f, const char *s);
void forge_id(forgery *f, const char *worker, uint64_t number);

/* A call of echo by worker 1; the value of its first argument follows. */
forgery forge_call(uint64_t number);
/* Worker 1 has an RRef made by a function that takes so many arguments, each None; the second: by echo. */
forgery forge_create_by(uint64_t rref, const char *function, int arguments);
forgery forge_create(uint64_t rref);

#endif
