/* Messages as a forger writes them: docs/remote.md has the form. */
#include "forge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

void forge_bytes(forgery *f, const void *bytes, size_t n) {
    assert_true(f->n + n <= sizeof f->bytes);
    memcpy(f->bytes + f->n, bytes, n);
    f->n += n;
}

void forge_byte(forgery *f, int byte) {
    forge_bytes(f, &(uint8_t){(uint8_t)byte}, 1);
}

void forge_u32(forgery *f, uint32_t n) {
    forge_bytes(f, &n, sizeof n);
}

void forge_u64(forgery *f, uint64_t n) {
    forge_bytes(f, &n, sizeof n);
}

void forge_text(forgery *f, const char *s) {
    forge_u32(f, (uint32_t)strlen(s));
    forge_bytes(f, s, strlen(s));
}

void forge_id(forgery *f, const char *worker, uint64_t number) {
    forge_byte(f, (int)strlen(worker));
    forge_bytes(f, worker, strlen(worker));
    forge_u64(f, number);
}

forgery forge_message(remote_kind kind, const char *sender, uint64_t number) {
    forgery f = {.n = 0};
    forge_u32(&f, REMOTE_MARK);
    forge_bytes(&f, (uint8_t[]){REMOTE_VERSION, (uint8_t)kind, (uint8_t)strlen(sender), 0}, 4);
    forge_u64(&f, 0);
    forge_u64(&f, number);
    forge_u32(&f, 0);
    forge_bytes(&f, sender, strlen(sender));
    forge_u32(&f, 0);
    return f;
}

forgery forge_call(uint64_t number) {
    forgery f = forge_message(REMOTE_CALL, "worker1", number);
    forge_text(&f, "echo");
    forge_byte(&f, TSM_TAG_TUPLE);
    forge_text(&f, "");
    forge_u32(&f, 2);
    forge_byte(&f, TSM_TAG_NONE);
    return f;
}

forgery forge_create_by(uint64_t rref, const char *function, int arguments) {
    forgery f = forge_message(REMOTE_CREATE, "worker1", 100 + rref);
    forge_u64(&f, rref);
    forge_u64(&f, rref + 50);
    forge_text(&f, function);
    forge_byte(&f, TSM_TAG_TUPLE);
    forge_text(&f, "");
    forge_u32(&f, (uint32_t)arguments);
    for (int i = 0; i < arguments; i++)
        forge_byte(&f, TSM_TAG_NONE);
    return f;
}

forgery forge_create(uint64_t rref) {
    return forge_create_by(rref, "echo", 2);
}
