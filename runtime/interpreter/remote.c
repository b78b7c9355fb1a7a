/* What is awaited of other workers, and who holds what: RRefs are counted as PyTorch counts them. An owner knows every
 * fork of its RRef; a fork that was handed on is kept until the owner knows of the new one. */
#include "runtime/interpreter/remote.h"

#include <string.h>

#include "runtime/value/chars.h"

enum { REMOTE_TICK = 1000 }; /* nanoseconds that handling a message counts as, where there is no clock */
#define REMOTE_SLICE UINT64_C(1000000000)

uint64_t tsm_remote_now(remote_state *r) {
    const tsm_platform *p = &r->x->platform;
    return p->nanoseconds ? p->nanoseconds(p->context) : r->clock;
}

uint32_t tsm_remote_worker(const remote_state *r, const char *name, size_t n) {
    for (size_t i = 0; i < r->options.worker_count; i++)
        if (tsm_chars_length(r->options.workers[i]) == n && !memcmp(r->options.workers[i], name, n))
            return (uint32_t)i;
    return REMOTE_NOBODY;
}

/* ---- RRefs ---- */

static bool remote_same_id(remote_id a, remote_id b) {
    return a.worker == b.worker && a.number == b.number;
}

remote_rref *tsm_remote_find(const remote_state *r, remote_id id, bool owned) {
    remote_rref *rref = r->rrefs;
    while (rref && !(remote_same_id(rref->id, id) && (rref->owner == r->options.self) == owned))
        rref = rref->next;
    return rref;
}

remote_rref *tsm_remote_find_object(const remote_state *r, tsm_value v) {
    remote_rref *rref = r->rrefs;
    while (rref && (v.tag != TSM_TAG_FUTURE || rref->object != tsm_as_future(v)))
        rref = rref->next;
    return rref;
}

remote_rref *tsm_remote_new_rref(remote_state *r, remote_id id, uint32_t owner, uint32_t type) {
    remote_rref *rref = tsm_allocate(r->x, sizeof *rref);
    if (!rref)
        return NULL;
    *rref = (remote_rref){.id = id, .owner = owner, .parent = REMOTE_NOBODY, .type = type};
    if (tsm_make_future(r->x, &rref->object) != TSM_OK) {
        tsm_heap_free(&r->x->heap, rref);
        return NULL;
    }
    rref->object->is_rref = true;
    rref->next = r->rrefs;
    r->rrefs = rref;
    return rref;
}

tsm_status tsm_remote_add_fork(remote_state *r, remote_rref *rref, remote_id id, uint32_t holder) {
    remote_fork *f = tsm_allocate(r->x, sizeof *f);
    if (!f)
        return TSM_OUT_OF_MEMORY;
    *f = (remote_fork){rref->forks, id, holder};
    rref->forks = f;
    return TSM_OK;
}

void tsm_remote_remove_fork(remote_state *r, remote_rref *rref, remote_id id) {
    for (remote_fork **at = &rref->forks; *at; at = &(*at)->next)
        if (remote_same_id((*at)->id, id)) {
            remote_fork *f = *at;
            *at = f->next;
            tsm_heap_free(&r->x->heap, f);
            return;
        }
}

/* An RRef of another worker's can have no value any more. */
static void remote_void(remote_state *r, remote_rref *rref, const char *text, size_t n) {
    if (!rref->is_ready)
        tsm_remote_fail(r, rref->object, text, n);
    rref->is_ready = rref->is_confirmed = true;
}

void tsm_remote_tell_owner(remote_state *r, remote_rref *rref) {
    static const char text[] = "the owner of an RRef cannot be reached";
    remote_call *call = tsm_remote_new_call(r, REMOTE_FORK, rref->owner, r->options.timeout);
    if (!call) {
        remote_void(r, rref, text, sizeof text - 1);
        return;
    }
    tsm_remote_expect(call, rref);
    const remote_message m = {.kind = REMOTE_FORK, .number = call->number, .id = rref->id, .fork = rref->fork};
    rref->is_counted = true;
    if (tsm_remote_send(r, rref->owner, &m) == TSM_OK)
        return;
    rref->is_counted = false;
    tsm_remote_give_up(r, m.number, rref->owner, text, sizeof text - 1);
}

/* Whether only this holds an RRef: then nothing is awaited of it, and the owner has its value. */
static bool remote_is_given_up(const remote_state *r, const remote_rref *rref) {
    if (rref->object->header.references > 1)
        return false;
    return !rref->forks || (rref->is_ready && rref->owner != r->options.self);
}

static void remote_free_rref(remote_state *r, remote_rref *rref) {
    for (remote_fork *f = rref->forks, *next; f; f = next) {
        next = f->next;
        tsm_heap_free(&r->x->heap, f);
    }
    tsm_drop(r->x, tsm_of(TSM_TAG_FUTURE, rref->object));
    tsm_heap_free(&r->x->heap, rref);
}

/* Tells other workers; false: there was no memory for the message, and the caller has to send it again. Who cannot be
 * reached keeps nothing. */
static bool remote_tell(remote_state *r, uint32_t worker, remote_kind kind, const remote_rref *rref) {
    const remote_message m = {.kind = kind, .id = rref->id, .fork = rref->fork};
    const tsm_status status = tsm_remote_send(r, worker, &m);
    r->x->message[0] = 0;
    return status != TSM_OUT_OF_MEMORY;
}

static void remote_accept(remote_state *r, remote_rref *rref) {
    rref->owes_accept = !remote_tell(r, rref->parent, REMOTE_ACCEPT, rref);
}

/* What an RRef holds may be the last to have another one. */
static void remote_sweep(remote_state *r) {
    for (remote_rref **at = &r->rrefs; *at;) {
        remote_rref *rref = *at;
        if (rref->owes_accept)
            remote_accept(r, rref);
        if (rref->owes_accept || !remote_is_given_up(r, rref) ||
            (rref->is_counted && !remote_tell(r, rref->owner, REMOTE_DELETE, rref))) {
            at = &rref->next;
            continue;
        }
        *at = rref->next;
        remote_free_rref(r, rref);
        at = &r->rrefs;
    }
}

/* ---- Answers ---- */

remote_call *tsm_remote_new_call(remote_state *r, remote_kind kind, uint32_t worker, uint64_t timeout) {
    remote_call *call = tsm_allocate(r->x, sizeof *call);
    if (!call)
        return NULL;
    const uint64_t now = tsm_remote_now(r);
    *call = (remote_call){.next = r->calls,
                          .number = ++r->last_number,
                          .deadline = timeout < UINT64_MAX - now ? now + timeout : UINT64_MAX,
                          .timeout = timeout,
                          .worker = worker,
                          .type = TSM_NO_INDEX,
                          .kind = kind};
    r->calls = call;
    return call;
}

void tsm_remote_expect(remote_call *call, remote_rref *rref) {
    call->rref = rref;
    tsm_hold(tsm_of(TSM_TAG_FUTURE, rref->object));
}

remote_call *tsm_remote_pending(const remote_state *r, const tsm_future *f) {
    remote_call *call = r->calls;
    while (call && call->future != f)
        call = call->next;
    return call;
}

void tsm_remote_finish(remote_state *r, tsm_future *f, tsm_value value) {
    const tsm_value old = f->value;
    f->value = value;
    tsm_drop(r->x, old);
}

void tsm_remote_fail(remote_state *r, tsm_future *f, const char *text, size_t n) {
    tsm_value error;
    if (tsm_make_str(r->x, text, n, &error) != TSM_OK)
        error = tsm_hold(r->no_memory);
    f->failed = true;
    tsm_remote_finish(r, f, error);
}

static void remote_unlink_call(remote_state *r, const remote_call *call) {
    remote_call **at = &r->calls;
    while (*at != call)
        at = &(*at)->next;
    *at = call->next;
}

/* The owner knows of a fork, or is lost: who handed it on need not keep its own for it. */
static void remote_confirm(remote_state *r, remote_rref *rref, remote_kind kind) {
    rref->is_confirmed = true;
    if (kind != REMOTE_FORK)
        return;
    rref->owes_accept = true;
    remote_accept(r, rref);
}

/* Whether a result is what the function's schema says. */
static bool remote_is_expected(remote_state *r, const remote_call *call, tsm_value *v) {
    const tsmf_Type t = tsmf_Program_types(r->inst->root, call->type);
    const bool is_none = tsmf_Type_kind(t) == TSMF_TypeKind_Tensor && v->tag == TSM_TAG_NONE;
    return is_none || tsm_value_is(r->inst, *v, call->type);
}

static void remote_finish_call(remote_state *r, const remote_call *call, tsm_value value) {
    char text[256];
    if (remote_is_expected(r, call, &value)) {
        tsm_remote_finish(r, call->future, value);
        return;
    }
    const size_t n = tsm_format(text, sizeof text, "%s answered with a value of type %s where %s is expected",
                                r->options.workers[call->worker], tsm_tag_name(value.tag),
                                tsmf_Type_text(tsmf_Program_types(r->inst->root, call->type)));
    tsm_drop(r->x, value);
    tsm_remote_fail(r, call->future, text, n);
}

/* An answer has come, or will never come: a value (owned), or an error's text. Takes the call away. */
static void remote_answer(remote_state *r, remote_call *call, tsm_value value, const char *error, size_t n) {
    remote_unlink_call(r, call);
    if (error && call->future)
        tsm_remote_fail(r, call->future, error, n);
    else if (call->future)
        remote_finish_call(r, call, value);
    else {
        if (error)
            remote_void(r, call->rref, error, n);
        tsm_drop(r->x, value);
        remote_confirm(r, call->rref, call->kind); /* of an RRef without a value, too: its parent may let it go */
        tsm_drop(r->x, tsm_of(TSM_TAG_FUTURE, call->rref->object));
    }
    if (call->future)
        tsm_drop(r->x, tsm_of(TSM_TAG_FUTURE, call->future));
    tsm_heap_free(&r->x->heap, call);
}

static remote_call *remote_find_call(const remote_state *r, uint64_t number, uint32_t worker) {
    remote_call *call = r->calls;
    while (call && !(call->number == number && call->worker == worker))
        call = call->next;
    return call;
}

void tsm_remote_give_up(remote_state *r, uint64_t number, uint32_t worker, const char *text, size_t n) {
    remote_call *call = remote_find_call(r, number, worker);
    if (call) /* the transport may have said that the worker is lost: then it has its answer */
        remote_answer(r, call, tsm_none(), text, n);
}

/* An answer whose call is over is read all the same: RRefs in it are given back. */
static void remote_take_answer(remote_state *r, remote_message *m, uint32_t sender, tsm_status read) {
    remote_call *call = remote_find_call(r, m->number, sender);
    if (!call) {
        tsm_drop(r->x, m->value);
        return;
    }
    const bool is_error = read != TSM_OK || m->kind == REMOTE_ERROR;
    const char *error = read != TSM_OK ? r->x->message : m->text;
    remote_answer(r, call, m->value, is_error ? error : NULL, read != TSM_OK ? tsm_chars_length(error) : m->text_bytes);
}

/* ---- Messages ---- */

static void remote_take_accept(remote_state *r, const remote_message *m) {
    for (remote_rref *rref = r->rrefs; rref; rref = rref->next)
        if (remote_same_id(rref->id, m->id) && rref->owner != r->options.self)
            tsm_remote_remove_fork(r, rref, m->fork);
}

static void remote_take_delete(remote_state *r, const remote_message *m) {
    remote_rref *rref = tsm_remote_find(r, m->id, true);
    if (rref)
        tsm_remote_remove_fork(r, rref, m->fork);
}

static tsm_status remote_read(remote_state *r, const uint8_t *bytes, size_t n, uint32_t sender, uint64_t serial,
                              bool whole, remote_message *m) {
    const char *name = r->options.workers[sender];
    if (n > r->options.message_bytes && sender != r->options.self)
        return TSM_RAISE(r->x, "a message from %s is refused: it has more than %zu bytes", name,
                         r->options.message_bytes);
    if (!whole)
        return TSM_RAISE(r->x, "a message from %s is refused: it is damaged", name);
    return tsm_remote_read_body(r, bytes, n, sender, serial, m);
}

void tsm_remote_handle(remote_state *r, const uint8_t *bytes, size_t n) {
    remote_message m;
    uint32_t sender;
    bool whole;
    if (!tsm_remote_read_head(r, bytes, n, &m, &sender, &whole))
        return; /* nobody can be told */
    const uint64_t serial = ++r->last_serial;
    const tsm_status read = remote_read(r, bytes, n, sender, serial, whole, &m);
    if (m.kind == REMOTE_CREATE && m.id.number > r->last_created[sender])
        r->last_created[sender] = m.id.number; /* whether it can be made or not: who asks for it need not wait */
    switch (m.kind) {
    case REMOTE_RESULT:
    case REMOTE_ERROR:
        remote_take_answer(r, &m, sender, read);
        break;
    case REMOTE_ACCEPT:
        if (read == TSM_OK)
            remote_take_accept(r, &m);
        break;
    case REMOTE_DELETE:
        if (read == TSM_OK)
            remote_take_delete(r, &m);
        break;
    default:
        if (read == TSM_OK)
            tsm_remote_take_request(r, &m, sender, serial);
        else
            tsm_remote_refuse(r, sender, m.number);
    }
    r->x->message[0] = 0;
}

/* ---- Time ---- */

/* That the time of a call is over. */
static size_t remote_say_late(const remote_call *call, char *text, size_t most) {
    if (call->kind == REMOTE_CREATE)
        return tsm_format(text, most,
                          "RRef creation via rpc.remote() timed out, and it is possible that the RRef on "
                          "the owner node does not exist.");
    return tsm_format(text, most,
                      "RPCErr:1:RPC ran for more than set timeout (%lu ms) and will now be marked with an error",
                      call->timeout / 1000000);
}

static void remote_expire(remote_state *r) {
    const uint64_t now = tsm_remote_now(r);
    for (remote_call *call = r->calls, *next; call; call = next) {
        next = call->next;
        if (call->deadline == UINT64_MAX || call->deadline > now)
            continue;
        char text[128];
        const size_t n = remote_say_late(call, text, sizeof text);
        remote_answer(r, call, tsm_none(), text, n);
        next = r->calls; /* telling others may have changed the list */
    }
}

void tsm_remote_tidy(remote_state *r) {
    remote_expire(r);
    remote_sweep(r);
}

static uint64_t remote_earliest(const remote_state *r, uint64_t until) {
    for (const remote_call *call = r->calls; call; call = call->next)
        until = call->deadline < until ? call->deadline : until;
    return until;
}

bool tsm_remote_step(remote_state *r, uint64_t until) {
    tsm_remote_tidy(r);
    if (tsm_remote_run(r))
        return true;
    const uint64_t now = tsm_remote_now(r), wake = remote_earliest(r, until);
    const uint64_t most = wake > now ? wake - now : 0, wait = most < REMOTE_SLICE ? most : REMOTE_SLICE;
    size_t n = 0;
    const uint8_t *bytes = r->transport.receive(r->transport.context, wait, &n);
    r->clock += bytes ? REMOTE_TICK : wait;
    if (bytes)
        tsm_remote_handle(r, bytes, n);
    return bytes != NULL;
}

/* ---- Workers that are lost ---- */

static void remote_lose_forks(remote_state *r, remote_rref *rref, uint32_t worker) {
    for (remote_fork *f = rref->forks, *next; f; f = next) {
        next = f->next;
        if (f->holder == worker)
            tsm_remote_remove_fork(r, rref, f->id);
    }
}

void tsm_remote_lost(tsm_instance *inst, const char *worker) {
    remote_state *r = remote_of(&inst->exec);
    const uint32_t lost = r ? tsm_remote_worker(r, worker, tsm_chars_length(worker)) : REMOTE_NOBODY;
    if (lost == REMOTE_NOBODY)
        return;
    char text[128];
    const size_t n = tsm_format(text, sizeof text, "EOF: end of file (worker %s is lost)", worker);
    for (remote_call *call = r->calls; call;)
        if (call->worker == lost) {
            remote_answer(r, call, tsm_none(), text, n);
            call = r->calls;
        } else
            call = call->next;
    r->last_created[lost] = 0; /* it may begin again */
    for (remote_rref *rref = r->rrefs; rref; rref = rref->next) {
        remote_lose_forks(r, rref, lost);
        if (rref->owner == lost) {
            rref->is_counted = false;
            remote_void(r, rref, text, n);
        }
    }
}

/* ---- Begin and end ---- */

static bool remote_options_fit(const tsm_remote_options *o) {
    for (size_t i = 0; i < o->worker_count; i++)
        if (tsm_chars_length(o->workers[i]) > REMOTE_MOST_NAME)
            return false;
    return o->self < o->worker_count && o->worker_count <= UINT16_MAX;
}

tsm_status tsm_remote_open(tsm_instance *inst, const tsm_transport *transport, const tsm_remote_options *options) {
    static const char no_memory[] = "the buffer is too small";
    tsm_exec *x = &inst->exec;
    if (x->remote)
        return tsm_fail(x, TSM_BAD_ARGUMENT, "the instance is a worker already");
    if (!remote_options_fit(options))
        return tsm_fail(x, TSM_BAD_ARGUMENT, "a worker's name is longer than %d bytes, or this worker is none of them",
                        REMOTE_MOST_NAME);
    const size_t bytes = sizeof(remote_state) + options->worker_count * sizeof(uint64_t);
    remote_state *r = tsm_allocate(x, bytes);
    if (!r)
        return TSM_OUT_OF_MEMORY;
    memset(r, 0, bytes);
    r->last_created = (uint64_t *)(void *)(r + 1);
    r->hook.ask = tsm_remote_ask;
    r->inst = inst;
    r->x = x;
    r->transport = *transport;
    r->options = *options;
    if (!r->options.timeout)
        r->options.timeout = 60 * REMOTE_SLICE;
    if (!r->options.message_bytes)
        r->options.message_bytes = inst->buffer_bytes / 4;
    if (!r->options.depth)
        r->options.depth = REMOTE_DEPTH;
    const tsm_status status = tsm_make_str_in_place(x, no_memory, sizeof no_memory - 1, &r->no_memory);
    if (status != TSM_OK) {
        tsm_heap_free(&x->heap, r);
        return status;
    }
    x->remote = &r->hook;
    return TSM_OK;
}

tsm_status tsm_remote_serve(tsm_instance *inst, uint64_t nanoseconds) {
    remote_state *r = remote_of(&inst->exec);
    if (!r)
        return tsm_fail(&inst->exec, TSM_BAD_ARGUMENT, "the instance is no worker");
    const uint64_t now = tsm_remote_now(r), until = nanoseconds < UINT64_MAX - now ? now + nanoseconds : UINT64_MAX;
    bool did_something;
    do
        did_something = tsm_remote_step(r, until);
    while (nanoseconds ? tsm_remote_now(r) < until : did_something);
    tsm_remote_tidy(r);
    return TSM_OK;
}

size_t tsm_remote_count(tsm_instance *inst) {
    remote_state *r = remote_of(&inst->exec);
    if (!r)
        return 0;
    tsm_remote_tidy(r);
    size_t n = 0;
    for (const remote_call *call = r->calls; call; call = call->next)
        n++;
    for (const remote_request *q = r->requests; q; q = q->next)
        n++;
    for (const remote_rref *rref = r->rrefs; rref; rref = rref->next)
        n += rref->owner != r->options.self || rref->forks;
    return n;
}

void tsm_remote_close(tsm_instance *inst) {
    static const char text[] = "the worker has ended";
    tsm_exec *x = &inst->exec;
    remote_state *r = remote_of(x);
    if (!r)
        return;
    while (r->calls)
        remote_answer(r, r->calls, tsm_none(), text, sizeof text - 1);
    while (r->requests) {
        remote_request *q = r->requests;
        r->requests = q->next;
        tsm_remote_free_request(r, q);
    }
    while (r->rrefs) {
        remote_rref *rref = r->rrefs;
        r->rrefs = rref->next;
        remote_free_rref(r, rref);
    }
    tsm_drop(x, r->no_memory);
    tsm_heap_free(&x->heap, r);
    x->remote = NULL;
}
