/* What the program asks of other workers: the operators of schema/operators_tsm.txt, with PyTorch's errors. */
#include <string.h>

#include "runtime/interpreter/remote.h"
#include "runtime/value/chars.h"

/* Operands of a call. */
enum { ASK_TO, ASK_FUNCTION, ASK_ARGUMENTS, ASK_KEYWORDS, ASK_TIMEOUT };

/* ---- Arguments ---- */

static bool ask_is_named(tsm_value key, const char *name) {
    if (key.tag != TSM_TAG_STR)
        return false;
    const tsm_str *s = tsm_as_str(key);
    return s->length == tsm_chars_length(name) && !memcmp(s->text, name, s->length);
}

static tsm_dict_entry *ask_find_keyword(const tsm_dict *d, const char *name) {
    tsm_dict_entry *e;
    for (size_t at = 0; d && tsm_dict_next(d, &at, &e);)
        if (ask_is_named(e->key, name))
            return e;
    return NULL;
}

/* Refuses keyword arguments that the function does not take. */
static tsm_status ask_check_keywords(tsm_exec *x, tsmf_Method m, const tsm_dict *d) {
    tsm_dict_entry *e;
    for (size_t at = 0; tsm_dict_next(d, &at, &e);) {
        if (e->key.tag != TSM_TAG_STR)
            return TSM_RAISE(x, "a keyword argument's name is no string");
        const tsm_str *name = tsm_as_str(e->key);
        bool is_known = false;
        for (uint32_t i = 0; i < tsmf_Method_arguments_len(m); i++)
            is_known |= ask_is_named(e->key, tsmf_Argument_name(tsmf_Method_arguments(m, i)));
        if (is_known)
            continue;
        const char *schema = tsmf_Method_schema(m), *end = schema;
        while (*end && *end != '(')
            end++;
        return TSM_RAISE(x, "Unknown keyword argument '%.*s' for operator '%.*s'. Schema: %s", (int)name->length,
                         name->text, (int)(end - schema), schema, schema);
    }
    return TSM_OK;
}

/* All arguments in the order of the schema, as a tuple. */
static tsm_status ask_fill(remote_state *r, tsmf_Method m, const tsm_tuple *given, const tsm_dict *d, tsm_tuple *all) {
    for (uint32_t i = 0; i < all->length; i++) {
        const tsmf_Argument a = tsmf_Method_arguments(m, i);
        const tsm_dict_entry *e = ask_find_keyword(d, tsmf_Argument_name(a));
        const uint32_t otherwise = tsmf_Argument_default_value(a);
        if (given && i < given->length) {
            if (e)
                return TSM_RAISE(r->x, "Argument '%s' specified both as positional and keyword argument. Schema: %s",
                                 tsmf_Argument_name(a), tsmf_Method_schema(m));
            all->items[i] = tsm_hold(given->items[i]);
        } else if (e)
            all->items[i] = tsm_hold(e->item);
        else if (otherwise != TSM_NO_INDEX)
            all->items[i] = tsm_hold(r->inst->constants[otherwise]);
        else
            return TSM_RAISE(r->x, "%s() is missing value for argument '%s'. Declaration: %s", tsmf_Method_name(m),
                             tsmf_Argument_name(a), tsmf_Method_schema(m));
    }
    return d ? ask_check_keywords(r->x, m, d) : TSM_OK;
}

static tsm_status ask_arguments(remote_state *r, tsmf_Method m, const tsm_value *const *in, tsm_value *out) {
    const tsm_value given = *in[ASK_ARGUMENTS], keywords = *in[ASK_KEYWORDS];
    const uint32_t wanted = tsmf_Method_arguments_len(m);
    tsm_tuple *all;
    if (given.tag != TSM_TAG_TUPLE && given.tag != TSM_TAG_NONE)
        return TSM_RAISE(r->x, "the arguments of a remote call are no tuple");
    if (keywords.tag != TSM_TAG_DICT && keywords.tag != TSM_TAG_NONE)
        return TSM_RAISE(r->x, "the keyword arguments of a remote call are no dict");
    const tsm_tuple *positional = given.tag == TSM_TAG_TUPLE ? tsm_as_tuple(given) : NULL;
    if (positional && positional->length > wanted)
        return TSM_RAISE(r->x, "%s() expected at most %u argument(s) but received %u argument(s). Declaration: %s",
                         tsmf_Method_name(m), wanted, positional->length, tsmf_Method_schema(m));
    TSM_TRY(tsm_make_tuple(r->x, wanted, 0, &all));
    *out = tsm_of(TSM_TAG_TUPLE, all);
    const tsm_status status =
        ask_fill(r, m, positional, keywords.tag == TSM_TAG_DICT ? tsm_as_dict(keywords) : NULL, all);
    if (status != TSM_OK)
        tsm_drop(r->x, *out);
    return status;
}

/* ---- Whom, what, how long ---- */

/* Seconds as nanoseconds; 0 of them is no limit, as in PyTorch. */
static uint64_t ask_duration(const remote_state *r, double seconds) {
    if (!(seconds >= 0)) /* what stands for "not said" is below 0 */
        return r->options.timeout;
    const double nanoseconds = seconds * 1e9;
    return nanoseconds >= 9e18 || seconds == 0 ? UINT64_MAX : (uint64_t)nanoseconds;
}

static tsm_status ask_worker(const remote_state *r, tsm_value to, uint32_t *worker) {
    const tsm_str *name = tsm_as_str(to);
    *worker = tsm_remote_worker(r, name->text, name->length);
    return *worker != REMOTE_NOBODY
               ? TSM_OK
               : TSM_RAISE(r->x, "name:%s,rank:%zu could not find destination name %.*s",
                           r->options.workers[r->options.self], r->options.self, (int)name->length, name->text);
}

static tsm_status ask_method(const remote_state *r, tsm_value function, tsmf_Method *m) {
    const tsm_str *name = tsm_as_str(function);
    for (uint32_t i = 0; i < tsmf_Program_methods_len(r->inst->root); i++) {
        *m = tsmf_Program_methods(r->inst->root, i);
        if (ask_is_named(function, tsmf_Method_name(*m)))
            return TSM_OK;
    }
    return tsm_remote_undefined(r, name->text, name->length);
}

/* ---- Waiting ---- */

/* The result that a future has or gets; every call that is awaited has a time at which it ends. */
static tsm_status ask_wait(remote_state *r, tsm_value v, tsm_value *out) {
    if (v.tag != TSM_TAG_FUTURE)
        return tsm_fail(r->x, TSM_BAD_FILE, "a program waits for what is no future");
    const tsm_future *f = tsm_as_future(v);
    tsm_hold(v); /* whatever is served meanwhile */
    for (const remote_call *call; (call = tsm_remote_pending(r, f));)
        tsm_remote_step(r, call->deadline);
    tsm_status status = TSM_OK;
    if (f->failed)
        status = TSM_RAISE(r->x, "%.*s", (int)tsm_as_str(f->value)->length, tsm_as_str(f->value)->text);
    else
        *out = tsm_hold(f->value);
    tsm_drop(r->x, v);
    return status;
}

/* ---- Calls ---- */

/* Sends a call; `out` gets its future. */
static tsm_status ask_call(remote_state *r, uint32_t worker, remote_message *m, uint64_t timeout, uint32_t type,
                           tsm_value *out) {
    tsm_future *f;
    TSM_TRY(tsm_make_future(r->x, &f));
    const tsm_value future = tsm_of(TSM_TAG_FUTURE, f);
    remote_call *call = tsm_remote_new_call(r, m->kind, worker, timeout);
    if (!call) {
        tsm_drop(r->x, future);
        return TSM_OUT_OF_MEMORY;
    }
    call->future = f;
    call->type = type;
    tsm_hold(future);
    m->number = call->number;
    const tsm_status status = tsm_remote_send(r, worker, m);
    if (status == TSM_OK) {
        *out = future;
        return TSM_OK;
    }
    tsm_remote_give_up(r, m->number, worker, "", 0);
    tsm_drop(r->x, future);
    return status;
}

/* Sends a call whose result stays there; `out` gets the RRef. */
static tsm_status ask_create(remote_state *r, uint32_t worker, remote_message *m, uint64_t timeout, uint32_t type,
                             tsm_value *out) {
    const uint32_t self = (uint32_t)r->options.self;
    m->id = (remote_id){self, ++r->last_number};
    m->fork = (remote_id){self, ++r->last_number};
    remote_rref *rref = tsm_remote_new_rref(r, m->id, worker, type);
    remote_call *call = rref ? tsm_remote_new_call(r, REMOTE_CREATE, worker, timeout) : NULL;
    if (!call) {
        if (rref)
            rref->is_ready = rref->is_confirmed = true;
        return TSM_OUT_OF_MEMORY;
    }
    const tsm_value object = tsm_hold(tsm_of(TSM_TAG_FUTURE, rref->object));
    rref->fork = m->fork;
    rref->is_counted = worker != self;
    tsm_remote_expect(call, rref);
    m->number = call->number;
    const tsm_status status = tsm_remote_send(r, worker, m);
    if (status == TSM_OK) {
        *out = object;
        return TSM_OK;
    }
    rref->is_counted = false;
    tsm_remote_give_up(r, m->number, worker, "", 0); /* which makes the RRef void, too */
    tsm_drop(r->x, object);
    return status;
}

/* The type of the answer: of an asynchronous function, of what its future gets. */
static uint32_t ask_answer_type(const remote_state *r, tsmf_Method m) {
    const uint32_t type = tsmf_Method_result(m);
    const tsmf_Type t = tsmf_Program_types(r->inst->root, type);
    return tsmf_Method_is_async(m) && tsmf_Type_kind(t) == TSMF_TypeKind_Future ? tsmf_Type_elements(t)[0] : type;
}

static tsm_status ask_function(remote_state *r, tsm_remote_question q, const tsm_value *const *in, tsm_value *out) {
    const tsm_value timeout = *in[ASK_TIMEOUT], to = *in[ASK_TO];
    tsmf_Method method = {NULL};
    uint32_t worker;
    if (to.tag != TSM_TAG_STR)
        return TSM_RAISE(r->x, "the worker of a remote call is neither a name nor a WorkerInfo");
    if (timeout.tag != TSM_TAG_FLOAT && timeout.tag != TSM_TAG_NONE)
        return TSM_RAISE(r->x, "the timeout of a remote call is no float");
    TSM_TRY(ask_method(r, *in[ASK_FUNCTION], &method));
    remote_message m = {.kind = q == TSM_ASKS_REMOTE ? REMOTE_CREATE : REMOTE_CALL,
                        .is_async = tsmf_Method_is_async(method),
                        .text = tsm_as_str(*in[ASK_FUNCTION])->text,
                        .text_bytes = tsm_as_str(*in[ASK_FUNCTION])->length};
    TSM_TRY(ask_arguments(r, method, in, &m.value));
    const uint64_t duration = ask_duration(r, timeout.tag == TSM_TAG_FLOAT ? timeout.as.f : -1);
    const uint32_t type = ask_answer_type(r, method);
    tsm_status status = ask_worker(r, to, &worker);
    if (status == TSM_OK)
        status = (q == TSM_ASKS_REMOTE ? ask_create : ask_call)(r, worker, &m, duration, type, out);
    tsm_drop(r->x, m.value);
    if (status != TSM_OK || q != TSM_ASKS_SYNC)
        return status;
    const tsm_value future = *out;
    status = ask_wait(r, future, out);
    tsm_drop(r->x, future);
    return status;
}

/* ---- RRefs ---- */

/* What an RRef holds here: the value is made by a request that is run while this waits. */
static tsm_status ask_own_value(remote_state *r, const remote_rref *rref, uint64_t timeout, tsm_value *out) {
    const uint64_t now = tsm_remote_now(r), until = timeout < UINT64_MAX - now ? now + timeout : UINT64_MAX;
    while (!rref->is_ready && tsm_remote_now(r) < until)
        tsm_remote_step(r, until);
    if (!rref->is_ready)
        return TSM_RAISE(r->x,
                         "RPCErr:1:RPC ran for more than set timeout (%lu ms) and will now be marked with an error",
                         timeout / 1000000);
    return ask_wait(r, tsm_of(TSM_TAG_FUTURE, rref->object), out);
}

static tsm_status ask_to_here(remote_state *r, const remote_rref *rref, double seconds, tsm_value *out) {
    const uint64_t timeout = ask_duration(r, seconds);
    if (rref->owner == r->options.self || rref->is_ready)
        return ask_own_value(r, rref, timeout, out);
    if (tsmf_Type_kind(tsmf_Program_types(r->inst->root, rref->type)) == TSMF_TypeKind_Interface)
        return TSM_RAISE(r->x,
                         "UserRRef(rref_id=GloballyUniqueId(created_on=%u, local_id=%lu), "
                         "fork_id=GloballyUniqueId(created_on=%u, local_id=%lu)) is an RRef to a ScriptModule. It "
                         "can't be sent through RPC from owner, WorkerInfo(id=%u, name=%s), to user, "
                         "WorkerInfo(id=%zu, name=%s).",
                         rref->id.worker, rref->id.number, rref->fork.worker, rref->fork.number, rref->owner,
                         r->options.workers[rref->owner], r->options.self, r->options.workers[r->options.self]);
    remote_message m = {.kind = REMOTE_FETCH, .id = rref->id};
    tsm_value future;
    TSM_TRY(ask_call(r, rref->owner, &m, timeout, rref->type, &future));
    const tsm_status status = ask_wait(r, future, out);
    tsm_drop(r->x, future);
    return status;
}

static tsm_status ask_rref(remote_state *r, tsm_remote_question q, const tsm_value *const *in, tsm_value *out) {
    const remote_rref *rref = tsm_remote_find_object(r, *in[0]);
    if (!rref)
        return TSM_RAISE(r->x, "the RRef belongs to a worker that has ended");
    const bool is_owner = rref->owner == r->options.self;
    const char *name = r->options.workers[rref->owner];
    switch (q) {
    case TSM_ASKS_TO_HERE:
        return ask_to_here(r, rref, in[1]->tag == TSM_TAG_FLOAT ? in[1]->as.f : (double)in[1]->as.i, out);
    case TSM_ASKS_LOCAL_VALUE:
        return is_owner ? ask_own_value(r, rref, r->options.timeout, out)
                        : TSM_RAISE(r->x, "Can't call RRef.local_value() on a non-owner RRef.");
    case TSM_ASKS_IS_OWNER:
        *out = tsm_bool(is_owner);
        return TSM_OK;
    case TSM_ASKS_OWNER_NAME:
        return tsm_make_str(r->x, name, tsm_chars_length(name), out);
    default:
        *out = tsm_bool(is_owner || (rref->is_confirmed && !rref->is_ready));
        return TSM_OK;
    }
}

/* ---- All of it ---- */

tsm_status tsm_remote_ask(tsm_exec *x, tsm_remote_question q, const tsm_value *const *in, tsm_value *out) {
    remote_state *r = remote_of(x);
    if (r->inst->plan.is_running) /* tsmc plans no memory for calls that ask others */
        return tsm_fail(x, TSM_BAD_FILE, "a call with planned memory asks another worker");
    const bool is_first = !r->active;
    r->active += is_first;
    tsm_remote_tidy(r);
    tsm_status status;
    if (q <= TSM_ASKS_REMOTE)
        status = ask_function(r, q, in, out);
    else
        status = q == TSM_ASKS_WAIT ? ask_wait(r, *in[0], out) : ask_rref(r, q, in, out);
    r->active -= is_first;
    return status;
}
