/* Workers in one process and one thread: a transport of mailboxes and a clock that only the tests move. While one
 * worker waits, the others serve. */
#ifndef TESTS_REMOTE_POST_H
#define TESTS_REMOTE_POST_H

#include "tsmobile.h"

enum { POST_WORKERS = 3, POST_ARENA = 1 << 18, POST_TEXT = 4096 };

typedef struct post post;

/* What a test does with messages. Each may be NULL. */
typedef struct {
    /* Changes a message before it arrives: its bytes in `room` bytes, their number is returned; 0: it is lost. */
    size_t (*change)(void *context, int from, int to, uint8_t *bytes, size_t n, size_t room);
    /* Called whenever a worker waits and nothing has come. */
    void (*idle)(void *context, int worker);
    void *context;
} post_hooks;

/* Opens a program as workers "worker0", ...; each allows what `allowed` names. */
post *post_open(const char *path, const char *const *allowed, size_t allowed_count, tsm_remote_options other);
void post_close(post *p);
void post_set_hooks(post *p, post_hooks hooks);
tsm_instance *post_worker(post *p, int worker);
/* Calls a method of worker 0 that takes the names of two others and its own. */
tsm_status post_call(post *p, const char *method, tsm_value *result);
/* Calls a method of a worker. */
tsm_status post_call_at(post *p, int worker, const char *method, const tsm_value *arguments, size_t n,
                        tsm_value *result);
/* Lets all workers serve until there is nothing more to do. */
void post_settle(post *p);
/* Puts a message into a worker's box. */
void post_put(post *p, int to, const void *bytes, size_t n);
/* Whether messages to a worker are refused. */
void post_cut(post *p, int worker, bool is_cut);
/* Whether worker 1 finds no memory for messages. */
void post_fill(post *p, bool is_full);
void post_pass_time(post *p, uint64_t nanoseconds);
uint64_t post_time(const post *p);
/* Messages that were sent, of all workers. */
size_t post_sent(const post *p);

#endif
