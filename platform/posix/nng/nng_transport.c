/* A worker pulls messages from one socket that all others push into; for each other one it has a socket to push into.
 * nng connects, and connects again, by itself. Two workers that send each other more than the connection takes would
 * both wait for the other to receive, so a worker whose message does not go takes what has come and keeps it. */
#include "platform/posix/nng/nng_transport.h"

#include <nng/nng.h>
#include <nng/protocol/pipeline0/pull.h>
#include <nng/protocol/pipeline0/push.h>
#include <nng/supplemental/tls/tls.h>
#include <nng/supplemental/util/platform.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SEND_MS = 5000,    /* what is not sent by then cannot be sent */
    GONE_MS = 2000,    /* the same of a worker that was connected before: longer than connecting again takes */
    TRY_MS = 1,        /* how often sending looks whether something has come */
    CLOSE_SECONDS = 3, /* what is not closed by then is left to the end of the process */
    LOOK_MS = 20       /* how often receiving looks whether somebody was lost */
};

typedef struct {
    const char *name;
    nng_socket socket;
    atomic_bool is_connected, is_lost;
    atomic_bool is_gone;  /* it was connected, and is not any more */
    atomic_bool is_stuck; /* the last message to it did not go in time */
} peer;

/* A message that came while one was sent. */
typedef struct kept {
    struct kept *next;
    nng_msg *message;
} kept;

struct nng_transport {
    nng_socket in;
    nng_msg *open;  /* the message that was received last */
    nng_msg *draft; /* one that is written */
    kept *first, **end;
    tsm_instance *inst;
    pthread_mutex_t lock; /* of is_closed */
    pthread_cond_t closed;
    bool is_closed;
    size_t count;
    peer peers[];
};

/* nng calls these on threads of its own. */
static void on_connected(nng_pipe pipe, nng_pipe_ev event, void *context) {
    (void)pipe, (void)event;
    atomic_store(&((peer *)context)->is_gone, false);
    atomic_store(&((peer *)context)->is_stuck, false);
    atomic_store(&((peer *)context)->is_connected, true);
}
static void on_gone(nng_pipe pipe, nng_pipe_ev event, void *context) {
    (void)pipe, (void)event;
    atomic_store(&((peer *)context)->is_connected, false);
    atomic_store(&((peer *)context)->is_gone, true);
    atomic_store(&((peer *)context)->is_lost, true);
}

/* A whole file as text. */
static char *read_text(const char *path) {
    FILE *f = path ? fopen(path, "rb") : NULL;
    enum { MOST = 1 << 16 };
    char *text = f ? calloc(1, MOST) : NULL;
    if (text && (fread(text, 1, MOST - 1, f) == 0 || ferror(f))) {
        free(text);
        text = NULL;
    }
    if (f)
        fclose(f);
    return text;
}

/* Both sides show certificates, and believe those that the authority has signed. NULL: they cannot be read. */
static nng_tls_config *tls_of(const nng_transport_options *o, nng_tls_mode mode) {
    nng_tls_config *tls;
    if (nng_tls_config_alloc(&tls, mode))
        return NULL;
    char *certificate = read_text(o->certificate), *key = read_text(o->key), *authority = read_text(o->authority);
    const bool good = certificate && key && authority && !nng_tls_config_auth_mode(tls, NNG_TLS_AUTH_MODE_REQUIRED) &&
                      !nng_tls_config_ca_chain(tls, authority, NULL) &&
                      !nng_tls_config_own_cert(tls, certificate, key, NULL);
    free(certificate);
    free(key);
    free(authority);
    if (good)
        return tls;
    nng_tls_config_free(tls);
    return NULL;
}

static bool is_tls(const char *url) {
    return !strncmp(url, "tls", 3);
}

static int start_listener(nng_transport *t, const nng_transport_options *o) {
    nng_listener listener;
    int failed = nng_listener_create(&listener, t->in, o->listen);
    if (!failed && is_tls(o->listen)) {
        nng_tls_config *tls = tls_of(o, NNG_TLS_MODE_SERVER);
        failed = tls ? nng_listener_set_ptr(listener, NNG_OPT_TLS_CONFIG, tls) : NNG_ECRYPTO;
        if (tls)
            nng_tls_config_free(tls);
    }
    if (!failed)
        nng_listener_set_size(listener, NNG_OPT_RECVMAXSZ, o->message_bytes);
    return failed ? failed : nng_listener_start(listener, 0);
}

static int start_dialer(const peer *p, const char *address, const nng_transport_options *o) {
    nng_dialer dialer;
    int failed = nng_dialer_create(&dialer, p->socket, address);
    if (!failed && is_tls(address)) {
        nng_tls_config *tls = tls_of(o, NNG_TLS_MODE_CLIENT);
        failed = tls ? nng_dialer_set_ptr(dialer, NNG_OPT_TLS_CONFIG, tls) : NNG_ECRYPTO;
        if (tls)
            nng_tls_config_free(tls);
    }
    if (!failed) {
        nng_dialer_set_ms(dialer, NNG_OPT_RECONNMINT, LOOK_MS);
        nng_dialer_set_ms(dialer, NNG_OPT_RECONNMAXT, 1000);
    }
    return failed ? failed : nng_dialer_start(dialer, NNG_FLAG_NONBLOCK);
}

static int open_peer(peer *p, const char *name, const char *address, const nng_transport_options *o) {
    p->name = name;
    int failed = nng_push0_open(&p->socket);
    if (failed)
        return failed;
    nng_socket_set_ms(p->socket, NNG_OPT_SENDTIMEO, TRY_MS);
    nng_pipe_notify(p->socket, NNG_PIPE_EV_ADD_POST, on_connected, p);
    nng_pipe_notify(p->socket, NNG_PIPE_EV_REM_POST, on_gone, p);
    return start_dialer(p, address, o);
}

nng_transport *nng_transport_open(const nng_transport_options *o, char *message, size_t message_bytes) {
    nng_transport *t = calloc(1, sizeof *t + o->count * sizeof *t->peers);
    const char *where = o->listen;
    if (!t)
        return NULL;
    t->end = &t->first;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->closed, NULL);
    int failed = nng_pull0_open(&t->in);
    if (!failed && o->listen)
        failed = start_listener(t, o);
    while (!failed && t->count < o->count) {
        where = o->addresses[t->count];
        failed = open_peer(&t->peers[t->count], o->names[t->count], where, o);
        t->count++;
    }
    if (!failed)
        return t;
    snprintf(message, message_bytes, "%s: %s", where, nng_strerror(failed));
    nng_transport_close(t);
    return NULL;
}

static bool are_all_connected(nng_transport *t) {
    for (size_t i = 0; i < t->count; i++)
        if (!atomic_load(&t->peers[i].is_connected))
            return false;
    return true;
}

bool nng_transport_wait(nng_transport *t, unsigned milliseconds) {
    const nng_time end = nng_clock() + milliseconds;
    while (!are_all_connected(t)) {
        if (nng_clock() >= end)
            return false;
        nng_msleep(1);
    }
    return true;
}

static void keep_what_came(nng_transport *t) {
    for (;;) {
        kept *k = malloc(sizeof *k);
        if (!k || nng_recvmsg(t->in, &k->message, NNG_FLAG_NONBLOCK)) {
            free(k);
            return;
        }
        k->next = NULL;
        *t->end = k;
        t->end = &k->next;
    }
}

/* NULL: nothing is kept. */
static nng_msg *take_kept(nng_transport *t) {
    kept *k = t->first;
    if (!k)
        return NULL;
    nng_msg *message = k->message;
    t->first = k->next;
    if (!t->first)
        t->end = &t->first;
    free(k);
    return message;
}

static void drop_draft(nng_transport *t) {
    if (t->draft)
        nng_msg_free(t->draft);
    t->draft = NULL;
}

static void *reserve(void *context, size_t n) {
    nng_transport *t = context;
    drop_draft(t);
    if (nng_msg_alloc(&t->draft, n)) {
        t->draft = NULL;
        return NULL;
    }
    return nng_msg_body(t->draft);
}

/* A worker that is gone may be back soon; it is waited for once, and so is one that takes nothing: who ends says to
 * many that they have their RRefs back. */
static bool send_to(nng_transport *t, peer *to, const void *bytes, size_t n) {
    if (!t->draft || bytes != nng_msg_body(t->draft)) {
        void *memory = reserve(t, n);
        if (!memory)
            return false;
        memcpy(memory, bytes, n);
    }
    const int most = atomic_load(&to->is_stuck) ? 0 : atomic_load(&to->is_gone) ? GONE_MS : SEND_MS;
    const nng_time end = nng_clock() + most;
    int failed;
    while ((failed = nng_sendmsg(to->socket, t->draft, 0)) == NNG_ETIMEDOUT && nng_clock() < end)
        keep_what_came(t);
    atomic_store(&to->is_stuck, failed != 0);
    if (!failed) /* it is nng's */
        t->draft = NULL;
    drop_draft(t);
    return !failed;
}

static bool send_bytes(void *context, const char *worker, const void *bytes, size_t n) {
    nng_transport *t = context;
    for (size_t i = 0; i < t->count; i++)
        if (!strcmp(t->peers[i].name, worker))
            return send_to(t, &t->peers[i], bytes, n);
    return false;
}

static void tell_of_lost(nng_transport *t) {
    for (size_t i = 0; i < t->count; i++)
        if (atomic_exchange(&t->peers[i].is_lost, false) && t->inst)
            tsm_remote_lost(t->inst, t->peers[i].name);
}

static const void *receive(void *context, uint64_t nanoseconds, size_t *n) {
    nng_transport *t = context;
    const uint64_t most = (uint64_t)LOOK_MS * 1000000, wait = nanoseconds < most ? nanoseconds : most;
    if (t->open)
        nng_msg_free(t->open);
    t->open = take_kept(t);
    if (t->open) {
        *n = nng_msg_len(t->open);
        return nng_msg_body(t->open);
    }
    nng_socket_set_ms(t->in, NNG_OPT_RECVTIMEO, (nng_duration)((wait + 999999) / 1000000));
    const int failed = nng_recvmsg(t->in, &t->open, wait ? 0 : NNG_FLAG_NONBLOCK);
    if (failed) { /* what a worker had said before it went has been taken */
        t->open = NULL;
        tell_of_lost(t);
        return NULL;
    }
    *n = nng_msg_len(t->open);
    return nng_msg_body(t->open);
}

tsm_transport nng_transport_table(nng_transport *t) {
    return (tsm_transport){t, send_bytes, receive, reserve};
}

void nng_transport_tell(nng_transport *t, tsm_instance *inst) {
    t->inst = inst;
}

/* nng may wait for ever where a connection is made while its socket is closed (nng issue 1543, in 1.5.2 as in later
 * ones), so that a thread of its own closes, which is left behind if need be. */
static void *close_sockets(void *context) {
    nng_transport *t = context;
    for (size_t i = 0; i < t->count; i++)
        nng_close(t->peers[i].socket);
    nng_close(t->in);
    pthread_mutex_lock(&t->lock);
    t->is_closed = true;
    pthread_cond_signal(&t->closed);
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* False: the sockets are not closed in time. */
static bool close_in_time(nng_transport *t) {
    pthread_t thread;
    struct timespec end;
    if (pthread_create(&thread, NULL, close_sockets, t))
        return false;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += CLOSE_SECONDS;
    pthread_mutex_lock(&t->lock);
    int failed = 0;
    while (!t->is_closed && !failed)
        failed = pthread_cond_timedwait(&t->closed, &t->lock, &end);
    const bool is_closed = t->is_closed;
    pthread_mutex_unlock(&t->lock);
    if (is_closed)
        pthread_join(thread, NULL);
    else
        pthread_detach(thread);
    return is_closed;
}

bool nng_transport_close(nng_transport *t) {
    if (!close_in_time(t))
        return false;
    drop_draft(t);
    do {
        if (t->open)
            nng_msg_free(t->open);
        t->open = take_kept(t);
    } while (t->open);
    pthread_cond_destroy(&t->closed);
    pthread_mutex_destroy(&t->lock);
    free(t);
    return true;
}
