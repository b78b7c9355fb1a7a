/* What other workers ask for: functions that the program exports and the options allow, and what RRefs hold. */
#include <string.h>

#include "runtime/interpreter/remote.h"
#include "runtime/value/chars.h"

/* ---- Answers ---- */

static void serve_answer(remote_state *r, uint32_t worker, uint64_t number, tsm_value value) {
    const remote_message m = {.kind = REMOTE_RESULT, .number = number, .value = value};
    if (tsm_remote_send(r, worker, &m) != TSM_OK)
        tsm_remote_refuse(r, worker, number);
}

static void serve_error(remote_state *r, uint32_t worker, uint64_t number, const char *text, size_t n) {
    const remote_message m = {.kind = REMOTE_ERROR, .number = number, .text = text, .text_bytes = n};
    tsm_remote_send(r, worker, &m); /* who cannot be reached sees its time end */
}

void tsm_remote_refuse(remote_state *r, uint32_t worker, uint64_t number) {
    serve_error(r, worker, number, r->x->message, tsm_chars_length(r->x->message));
    r->x->message[0] = 0;
}

/* ---- Functions ---- */

/* An entry of `allowed` is a function's name, or "NAME=METHOD": calls of NAME are calls of a method. The method's name;
 * NULL: the entry is for another function. */
static const char *serve_match(const char *entry, const char *name, size_t n) {
    const size_t length = tsm_chars_length(entry);
    if (length < n || memcmp(entry, name, n))
        return NULL;
    return length == n ? entry : entry[n] == '=' ? entry + n + 1 : NULL;
}

/* The method that calls of a function are calls of; -1: there is none, or it is not allowed. What a worker asks itself
 * is. */
static int serve_method(const remote_state *r, uint32_t sender, const char *name, size_t n) {
    for (uint32_t k = 0; sender == r->options.self && k < tsmf_Program_methods_len(r->inst->root); k++) {
        const char *own = tsmf_Method_name(tsmf_Program_methods(r->inst->root, k));
        if (tsm_chars_length(own) == n && !memcmp(own, name, n))
            return (int)k;
    }
    for (size_t i = 0; i < r->options.allowed_count; i++) {
        const char *method = serve_match(r->options.allowed[i], name, n);
        for (uint32_t k = 0; method && k < tsmf_Program_methods_len(r->inst->root); k++)
            if (!tsm_chars_compare(tsmf_Method_name(tsmf_Program_methods(r->inst->root, k)), method))
                return (int)k;
    }
    return -1;
}

/* RRefs are for values of the types that the schema says. */
static tsm_status serve_check_rrefs(remote_state *r, int method, const tsm_tuple *arguments) {
    const tsmf_Method m = tsmf_Program_methods(r->inst->root, (uint32_t)method);
    for (uint32_t i = 0; i < arguments->length && i < tsmf_Method_arguments_len(m); i++) {
        const tsmf_Argument a = tsmf_Method_arguments(m, i);
        const tsmf_Type t = tsmf_Program_types(r->inst->root, tsmf_Argument_type(a));
        const remote_rref *rref = tsm_remote_find_object(r, arguments->items[i]);
        if (rref && tsmf_Type_kind(t) == TSMF_TypeKind_Future && tsmf_Type_elements(t)[0] != rref->type)
            return TSM_RAISE(r->x,
                             "%s() Expected a value of type '%s' for argument '%s' but instead found type 'RRef[%s]'.",
                             tsmf_Method_name(m), tsmf_Type_text(t), tsmf_Argument_name(a),
                             tsmf_Type_text(tsmf_Program_types(r->inst->root, rref->type)));
    }
    return TSM_OK;
}

/* ---- Requests ---- */

void tsm_remote_free_request(remote_state *r, remote_request *q) {
    tsm_drop(r->x, q->arguments);
    if (q->given)
        tsm_drop(r->x, tsm_of(TSM_TAG_FUTURE, q->given));
    if (q->rref) /* which its object's count has kept */
        tsm_drop(r->x, tsm_of(TSM_TAG_FUTURE, q->rref->object));
    tsm_heap_free(&r->x->heap, q);
}

/* The RRef whose value another worker makes here; the worker itself has made it already when it asks itself. */
static remote_rref *serve_new_rref(remote_state *r, const remote_message *m, uint32_t sender, int method) {
    if (sender == r->options.self)
        return tsm_remote_find(r, m->id, true);
    if (tsm_remote_find(r, m->id, true)) {
        TSM_RAISE(r->x, "an RRef is made twice");
        return NULL;
    }
    const tsmf_Method of = tsmf_Program_methods(r->inst->root, (uint32_t)method);
    remote_rref *rref = tsm_remote_new_rref(r, m->id, (uint32_t)r->options.self, tsmf_Method_result(of));
    if (!rref)
        return NULL;
    rref->is_confirmed = true;
    if (tsm_remote_add_fork(r, rref, m->fork, sender) == TSM_OK)
        return rref;
    tsm_remote_fail(r, rref->object, "", 0);
    rref->is_ready = true; /* given up at the next tidying */
    return NULL;
}

static void serve_found(remote_request *q, remote_rref *rref) {
    q->rref = rref;
    if (rref)
        tsm_hold(tsm_of(TSM_TAG_FUTURE, rref->object));
}

static remote_request *serve_queue(remote_state *r, const remote_message *m, uint32_t sender, uint64_t serial) {
    remote_request *q = tsm_allocate(r->x, sizeof *q), **at = &r->requests;
    if (!q)
        return NULL;
    *q = (remote_request){.number = m->number,
                          .serial = serial,
                          .sender = sender,
                          .kind = m->kind,
                          .is_async = m->is_async,
                          .arguments = tsm_hold(m->value)};
    while (*at)
        at = &(*at)->next;
    *at = q;
    return q;
}

tsm_status tsm_remote_undefined(const remote_state *r, const char *name, size_t n) {
    size_t at = n;
    while (at && name[at - 1] != '.')
        at--;
    return TSM_RAISE(r->x, "attempted to get undefined function %.*s", (int)(n - at), name + at);
}

static tsm_status serve_take_function(remote_state *r, const remote_message *m, uint32_t sender, uint64_t serial) {
    const int method = serve_method(r, sender, m->text, m->text_bytes);
    if (method < 0)
        return tsm_remote_undefined(r, m->text, m->text_bytes);
    TSM_TRY(serve_check_rrefs(r, method, tsm_as_tuple(m->value)));
    remote_request *q = serve_queue(r, m, sender, serial);
    if (!q)
        return TSM_OUT_OF_MEMORY;
    q->method = method;
    if (m->kind == REMOTE_CALL)
        return TSM_OK;
    serve_found(q, serve_new_rref(r, m, sender, method));
    if (!q->rref) {
        remote_request **at = &r->requests;
        while (*at != q)
            at = &(*at)->next;
        *at = q->next;
        tsm_remote_free_request(r, q);
        return TSM_RAISED;
    }
    serve_answer(r, sender, m->number, tsm_none());
    return TSM_OK;
}

/* Whether an RRef that is not here was: or the message that was to make it has come, and could not. */
static bool serve_is_over(const remote_state *r, remote_id id) {
    return id.number <= r->last_created[id.worker];
}

static tsm_status serve_say_over(remote_state *r) {
    return TSM_RAISE(r->x, "the RRef does not exist any more");
}

/* An RRef that another worker asks for may be made by a message that is on its way: then it is waited for. */
static tsm_status serve_take_question(remote_state *r, const remote_message *m, uint32_t sender, uint64_t serial) {
    remote_rref *rref = tsm_remote_find(r, m->id, true);
    if (!rref && serve_is_over(r, m->id))
        return serve_say_over(r);
    remote_request *q = serve_queue(r, m, sender, serial);
    if (!q)
        return TSM_OUT_OF_MEMORY;
    q->id = m->id;
    q->fork = m->fork;
    serve_found(q, rref);
    return TSM_OK;
}

void tsm_remote_take_request(remote_state *r, remote_message *m, uint32_t sender, uint64_t serial) {
    const bool is_question = m->kind == REMOTE_FORK || m->kind == REMOTE_FETCH;
    const tsm_status status = (is_question ? serve_take_question : serve_take_function)(r, m, sender, serial);
    if (status != TSM_OK)
        tsm_remote_refuse(r, sender, m->number);
    tsm_drop(r->x, m->value);
    m->value = tsm_none();
}

/* ---- Running ---- */

/* The interpreter's registers and frames, and what an operator knows of its call: those of the call that waits are put
 * aside for one that is served meanwhile. */
typedef struct {
    tsm_value *stack;
    tsm_frame *frames;
    tsm_exec exec;
    uint64_t instructions;
} serve_aside;

static tsm_status serve_put_aside(remote_state *r, serve_aside *a) {
    tsm_instance *inst = r->inst;
    *a = (serve_aside){inst->stack, inst->frames, *r->x, inst->instructions};
    const size_t registers = inst->stack_slots * sizeof *inst->stack, frames = inst->frame_limit * sizeof *inst->frames;
    uint8_t *memory = tsm_scratch(r->x, registers + frames + sizeof *inst->frames);
    if (!memory)
        return TSM_OUT_OF_MEMORY;
    inst->stack = (tsm_value *)(void *)memory;
    inst->frames = (tsm_frame *)(void *)(memory + registers);
    r->x->grad_enabled = true;
    return TSM_OK;
}

static void serve_bring_back(remote_state *r, const serve_aside *a) {
    tsm_instance *inst = r->inst;
    tsm_exec *x = r->x;
    tsm_scratch_free(x, inst->stack);
    inst->stack = a->stack;
    inst->frames = a->frames;
    inst->instructions = a->instructions;
    x->work = a->exec.work;
    x->is_charged = a->exec.is_charged;
    x->op = a->exec.op;
    x->inputs = a->exec.inputs;
    x->outputs = a->exec.outputs;
    x->dying = a->exec.dying;
    x->dest = a->exec.dest;
    x->grad_enabled = a->exec.grad_enabled;
}

static tsm_status serve_call(remote_state *r, const remote_request *q, tsm_value *result) {
    const tsm_tuple *arguments = tsm_as_tuple(q->arguments);
    const bool is_inside = r->active > 0;
    serve_aside aside;
    *result = tsm_none();
    if (is_inside)
        TSM_TRY(serve_put_aside(r, &aside));
    r->active++;
    const tsm_status status = tsm_call(r->inst, q->method, arguments->items, arguments->length, result);
    r->active--;
    if (is_inside)
        serve_bring_back(r, &aside);
    return status;
}

/* The end of a function: its result (owned), or the text of an error. */
static void serve_result(remote_state *r, const remote_request *q, tsm_value result, const char *error, size_t n) {
    if (q->kind == REMOTE_CREATE) {
        if (q->rref->is_ready) /* the answer to it could not be made: it has an error */
            tsm_drop(r->x, result);
        else if (error)
            tsm_remote_fail(r, q->rref->object, error, n);
        else
            tsm_remote_finish(r, q->rref->object, result);
        q->rref->is_ready = true;
        return;
    }
    if (error)
        serve_error(r, q->sender, q->number, error, n);
    else
        serve_answer(r, q->sender, q->number, result);
    tsm_drop(r->x, result);
}

/* What a future that was waited for has got. */
static void serve_given(remote_state *r, const remote_request *q) {
    const tsm_future *f = q->given;
    if (f->failed)
        serve_result(r, q, tsm_none(), tsm_as_str(f->value)->text, tsm_as_str(f->value)->length);
    else
        serve_result(r, q, tsm_hold(f->value), NULL, 0);
}

/* True: the request waits for the future that its function has given. */
static bool serve_function(remote_state *r, remote_request *q) {
    tsm_value result;
    tsm_status status = serve_call(r, q, &result);
    const char *text = r->x->message;
    const bool is_future = result.tag == TSM_TAG_FUTURE, is_rref = is_future && tsm_as_future(result)->is_rref;
    if (status == TSM_OK && q->is_async) {
        if (is_future && !is_rref) {
            q->given = tsm_as_future(result);
            return true;
        }
        status = TSM_RAISE(r->x, "Async functions must return an IValue of Future type, but got %s",
                           is_rref ? "RRef" : tsm_tag_name(result.tag));
        tsm_drop(r->x, result);
        result = tsm_none();
    }
    serve_result(r, q, result, status == TSM_OK ? NULL : text, tsm_chars_length(text));
    return false;
}

static void serve_fetch(remote_state *r, const remote_request *q) {
    const tsm_future *f = q->rref->object;
    if (tsmf_Type_kind(tsmf_Program_types(r->inst->root, q->rref->type)) == TSMF_TypeKind_Interface) {
        TSM_RAISE(r->x, "it is an RRef to a ScriptModule. It can't be sent through RPC from owner, %s",
                  r->options.workers[r->options.self]);
        tsm_remote_refuse(r, q->sender, q->number);
    } else if (f->failed)
        serve_error(r, q->sender, q->number, tsm_as_str(f->value)->text, tsm_as_str(f->value)->length);
    else
        serve_answer(r, q->sender, q->number, f->value);
}

static void serve_fork(remote_state *r, const remote_request *q) {
    if (tsm_remote_add_fork(r, q->rref, q->fork, q->sender) == TSM_OK)
        serve_answer(r, q->sender, q->number, tsm_none());
    else
        tsm_remote_refuse(r, q->sender, q->number);
}

/* Whether what a request needs is there: the value that it asks for; for a function, that the owners know of the RRefs
 * among its arguments. */
static bool serve_is_due(const remote_state *r, remote_request *q) {
    if (q->kind == REMOTE_FETCH || q->kind == REMOTE_FORK) {
        if (!q->rref)
            serve_found(q, tsm_remote_find(r, q->id, true));
        return q->rref ? q->kind == REMOTE_FORK || q->rref->is_ready : serve_is_over(r, q->id);
    }
    if (q->given)
        return !tsm_remote_pending(r, q->given);
    if (r->active > r->options.depth)
        return false;
    for (const remote_rref *rref = r->rrefs; rref; rref = rref->next)
        if (rref->wanted_by == q->serial && !rref->is_confirmed)
            return false;
    return true;
}

bool tsm_remote_run(remote_state *r) {
    remote_request **at = &r->requests;
    while (*at && !serve_is_due(r, *at))
        at = &(*at)->next;
    remote_request *q = *at;
    if (!q)
        return false;
    *at = q->next;
    const bool is_question = q->kind == REMOTE_FETCH || q->kind == REMOTE_FORK;
    bool is_kept = false;
    if (q->given)
        serve_given(r, q);
    else if (!is_question)
        is_kept = serve_function(r, q);
    else if (!q->rref) {
        serve_say_over(r);
        tsm_remote_refuse(r, q->sender, q->number);
    } else if (q->kind == REMOTE_FETCH)
        serve_fetch(r, q);
    else
        serve_fork(r, q);
    if (is_kept) {
        q->next = r->requests;
        r->requests = q;
    } else
        tsm_remote_free_request(r, q);
    r->x->message[0] = 0;
    return true;
}
