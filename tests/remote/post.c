/* Mailboxes between workers of one thread. */
#include "post.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read_file.h"

typedef struct letter {
    struct letter *next;
    size_t n;
    uint8_t bytes[];
} letter;

typedef struct {
    post *post;
    int number;
    letter *first, *open; /* those that wait, the one that is read */
    tsm_instance *inst;
    void *buffer, *draft;
    bool is_busy; /* it waits, or serves: nobody may ask it to */
    bool is_cut;
    char text[POST_TEXT];
} box;

struct post {
    void *file;
    tsm_program program;
    box boxes[POST_WORKERS];
    post_hooks hooks;
    uint64_t time;
    size_t sent;
    bool is_full;
};

static const char *const names[POST_WORKERS] = {"worker0", "worker1", "worker2"};

static uint64_t clock_of(void *context) {
    return ((box *)context)->post->time;
}

void post_put(post *p, int to, const void *bytes, size_t n) {
    enum { ROOM = 64 };
    letter *l = malloc(sizeof *l + n + ROOM), **at = &p->boxes[to].first;
    memcpy(l->bytes, bytes, n);
    l->n = n;
    l->next = NULL;
    while (*at)
        at = &(*at)->next;
    *at = l;
}

static bool send(void *context, const char *worker, const void *bytes, size_t n) {
    const box *from = context;
    post *p = from->post;
    int to = 0;
    while (strcmp(names[to], worker))
        to++;
    if (p->boxes[to].is_cut || from->is_cut)
        return false;
    p->sent++;
    if (!p->hooks.change) {
        post_put(p, to, bytes, n);
        return true;
    }
    uint8_t *changed = malloc(n + 64);
    memcpy(changed, bytes, n);
    const size_t left = p->hooks.change(p->hooks.context, from->number, to, changed, n, n + 64);
    if (left) {
        uint8_t *exact = malloc(left); /* so that sanitizers see its end */
        memcpy(exact, changed, left);
        post_put(p, to, exact, left);
        free(exact);
    }
    free(changed);
    return true;
}

/* Worker 1 writes its messages into memory of the mailbox, exactly as much as it asked for. */
static void *reserve(void *context, size_t n) {
    box *b = context;
    free(b->draft);
    b->draft = b->post->is_full ? NULL : malloc(n);
    return b->draft;
}

static bool take(box *b, size_t *n) {
    if (!b->first)
        return false;
    free(b->open);
    b->open = b->first;
    b->first = b->open->next;
    *n = b->open->n;
    return true;
}

static void let_others_serve(post *p) {
    for (int i = 0; i < POST_WORKERS; i++) {
        box *b = &p->boxes[i];
        if (b->is_busy || !b->inst || b->is_cut)
            continue;
        b->is_busy = true;
        tsm_remote_serve(b->inst, 0);
        b->is_busy = false;
    }
}

static const void *receive(void *context, uint64_t nanoseconds, size_t *n) {
    box *b = context;
    post *p = b->post;
    if (take(b, n))
        return b->open->bytes;
    if (!nanoseconds)
        return NULL;
    const bool was_busy = b->is_busy;
    b->is_busy = true;
    let_others_serve(p);
    b->is_busy = was_busy;
    if (take(b, n))
        return b->open->bytes;
    if (p->hooks.idle)
        p->hooks.idle(p->hooks.context, b->number);
    p->time += nanoseconds;
    return NULL;
}

post *post_open(const char *path, const char *const *allowed, size_t allowed_count, tsm_remote_options other) {
    post *p = calloc(1, sizeof *p);
    char message[256];
    size_t bytes;
    p->file = read_file(path, &bytes);
    if (!p->file || tsm_program_open(&p->program, p->file, bytes, message, sizeof message) != TSM_OK) {
        fprintf(stderr, "%s cannot be opened\n", path);
        exit(1);
    }
    for (int i = 0; i < POST_WORKERS; i++) {
        box *b = &p->boxes[i];
        b->post = p;
        b->number = i;
        b->buffer = aligned_alloc(64, POST_ARENA);
        const tsm_options o = {
            .platform = {.context = b, .nanoseconds = clock_of}, .message = b->text, .message_bytes = sizeof b->text};
        const tsm_transport t = {.context = b, .send = send, .receive = receive, .reserve = i == 1 ? reserve : NULL};
        tsm_remote_options r = other;
        r.size = sizeof r;
        r.workers = names;
        r.worker_count = POST_WORKERS;
        r.self = (size_t)i;
        r.allowed = allowed;
        r.allowed_count = allowed_count;
        if (tsm_instance_init(&b->inst, &p->program, &o, b->buffer, POST_ARENA) != TSM_OK ||
            tsm_remote_open(b->inst, &t, &r) != TSM_OK) {
            fprintf(stderr, "%s: %s\n", path, b->text);
            exit(1);
        }
    }
    return p;
}

void post_close(post *p) {
    for (int i = 0; i < POST_WORKERS; i++) /* which may write to each other once more */
        tsm_remote_close(p->boxes[i].inst);
    for (int i = 0; i < POST_WORKERS; i++) {
        box *b = &p->boxes[i];
        for (letter *l = b->first, *next; l; l = next) {
            next = l->next;
            free(l);
        }
        free(b->open);
        free(b->buffer);
        free(b->draft);
    }
    free(p->file);
    free(p);
}

void post_set_hooks(post *p, post_hooks hooks) {
    p->hooks = hooks;
}

tsm_instance *post_worker(post *p, int worker) {
    return p->boxes[worker].inst;
}

tsm_status post_call_at(post *p, int worker, const char *method, const tsm_value *arguments, size_t n,
                        tsm_value *result) {
    box *b = &p->boxes[worker];
    const bool was_busy = b->is_busy;
    *result = tsm_none();
    b->is_busy = true;
    const tsm_status status = tsm_call(b->inst, tsm_method(&p->program, method), arguments, n, result);
    b->is_busy = was_busy;
    return status;
}

tsm_status post_call(post *p, const char *method, tsm_value *result) {
    tsm_instance *inst = p->boxes[0].inst;
    tsm_value arguments[POST_WORKERS] = {tsm_none(), tsm_none(), tsm_none()};
    tsm_status status = TSM_OK;
    for (int i = 0; i < POST_WORKERS && status == TSM_OK; i++)
        status = tsm_str_new(inst, &arguments[i], names[(i + 1) % POST_WORKERS], strlen(names[0]));
    *result = tsm_none();
    if (status == TSM_OK)
        status = post_call_at(p, 0, method, arguments, POST_WORKERS, result);
    for (int i = 0; i < POST_WORKERS; i++)
        tsm_release(inst, arguments[i]);
    return status;
}

void post_settle(post *p) {
    for (size_t before = SIZE_MAX; before != p->sent;) {
        before = p->sent;
        let_others_serve(p);
    }
}

void post_cut(post *p, int worker, bool is_cut) {
    p->boxes[worker].is_cut = is_cut;
}

void post_fill(post *p, bool is_full) {
    p->is_full = is_full;
}

void post_pass_time(post *p, uint64_t nanoseconds) {
    p->time += nanoseconds;
}

uint64_t post_time(const post *p) {
    return p->time;
}

size_t post_sent(const post *p) {
    return p->sent;
}
