/* Messages that arrive otherwise than they were sent. */
#include "damage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/interpreter/remote.h"
#include "runtime/interpreter/remote_sum.h"

enum { HEAD = 28 };

void damage_fit_sums(uint8_t *bytes, size_t n) {
    const size_t name = bytes[6], body = HEAD + name + 4;
    if (n < body)
        return;
    const uint64_t all = n;
    memcpy(bytes + 8, &all, sizeof all);
    const uint32_t body_sum = tsm_remote_sum(bytes + body, n - body);
    memcpy(bytes + 24, &body_sum, sizeof body_sum);
    const uint32_t sum = tsm_remote_sum(bytes, HEAD + name);
    memcpy(bytes + HEAD + name, &sum, sizeof sum);
}

size_t damage_message(void *context, int from, int to, uint8_t *bytes, size_t n, size_t room) {
    damage *d = context;
    (void)from, (void)to, (void)room;
    if (d->seen++ != d->message)
        return n;
    d->bytes = n;
    if (d->at >= n)
        return n;
    if (d->cut)
        n = d->at;
    else
        bytes[d->at] ^= d->flip;
    if (d->forge)
        damage_fit_sums(bytes, n);
    return n;
}

static void expect_answer(post *p, tsm_status (*call)(post *p, const char *method, tsm_value *result),
                          const char *method) {
    tsm_value v;
    assert_int_equal(call(p, method, &v), TSM_OK);
    tsm_release(post_worker(p, 0), v);
}

void damage_all(post *(*open)(void), tsm_status (*call)(post *p, const char *method, tsm_value *result),
                const char *method, bool cut, bool forge) {
    static const uint8_t flips[] = {0xff, 0x01};
    const size_t kinds = cut || !forge ? 1 : sizeof flips;
    post *p = open();
    expect_answer(p, call, method);
    post_settle(p);
    const size_t messages = post_sent(p);
    for (size_t message = 0; message < messages; message++)
        for (size_t k = 0; k < kinds; k++) {
            damage d = {.message = message, .flip = flips[k], .cut = cut, .forge = forge};
            size_t bytes = cut ? 2 : 1;
            for (d.at = cut ? 1 : 0; d.at < bytes; d.at++) {
                tsm_value v;
                d.seen = 0;
                post_set_hooks(p, (post_hooks){damage_message, NULL, &d});
                const tsm_status status = call(p, method, &v);
                tsm_release(post_worker(p, 0), v);
                post_settle(p);
                bytes = d.bytes > bytes ? d.bytes : bytes;
                if (status != TSM_OK && status != TSM_RAISED && status != TSM_OUT_OF_MEMORY && status != TSM_BAD_FILE)
                    fail_msg("%s, message %zu, byte %zu: %d %s", method, message, d.at, (int)status,
                             tsm_error(post_worker(p, 0)));
                post_set_hooks(p, (post_hooks){0});
                post_close(p);
                p = open();
            }
        }
    expect_answer(p, call, method);
    post_close(p);
}
