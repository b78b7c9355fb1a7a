/* Other workers: calls of their functions, and RRefs to what they hold (docs/remote.md).
 *
 * remote_wire.c writes and reads values and messages, remote.c keeps what is awaited and who holds what, remote_serve.c
 * runs what others ask for, remote_ask.c does what the program asks for. All of it lies in the instance's heap; workers
 * are known by their place in tsm_remote_options.workers. */
#ifndef TSM_INTERPRETER_REMOTE_H
#define TSM_INTERPRETER_REMOTE_H

#include "runtime/interpreter/instance.h"
#include "runtime/value/remote.h"

enum {
    REMOTE_MARK = 0x524d5354, /* "TSMR" */
    REMOTE_VERSION = 1,
    REMOTE_MOST_NAME = 63,  /* bytes of a worker's name */
    REMOTE_MOST_LEVELS = 8, /* of containers in a value */
    REMOTE_DEPTH = 4,       /* calls that are served inside of waits */
};
#define REMOTE_NOBODY UINT32_MAX /* no worker's number */

typedef enum {
    REMOTE_CALL = 1, /* run a function, answer with its result */
    REMOTE_CREATE,   /* run a function, keep its result; answered at once */
    REMOTE_RESULT,   /* the answer, or None where only an answer is wanted */
    REMOTE_ERROR,    /* the answer: a text */
    REMOTE_FETCH,    /* answer with what an RRef holds */
    REMOTE_FORK,     /* to the owner: I have a fork of your RRef; answered */
    REMOTE_DELETE,   /* to the owner: I have it no more */
    REMOTE_ACCEPT,   /* to who handed a fork on: the owner knows of it */
} remote_kind;

/* The number that a worker gave: unlike that of all others. */
typedef struct {
    uint32_t worker;
    uint64_t number;
} remote_id;

typedef struct remote_fork {
    struct remote_fork *next;
    remote_id id;
    uint32_t holder;
} remote_fork;

/* An RRef that the program has, or that others have of a value here. The program sees `object`, of which this holds a
 * count: when it is the only one, the program has the RRef no more. */
typedef struct remote_rref {
    struct remote_rref *next;
    tsm_future *object; /* the owner's: the value, or the error, once is_ready */
    remote_id id, fork; /* fork: of users */
    uint32_t owner, parent;
    uint32_t type;      /* of the value, in the program's types */
    bool is_ready;      /* of a user: it can have no value, `object` has the error */
    bool is_confirmed;  /* the owner knows of it */
    bool is_counted;    /* the owner, another worker, may have a fork for it: to be told when it is given up */
    bool owes_accept;   /* its parent is still to be told so: there was no memory for the message */
    uint64_t wanted_by; /* the request that it is an argument of; 0: none */
    remote_fork *forks; /* the owner's: who has it. A user's: those handed on of which the owner does not know yet */
} remote_rref;

/* An answer that is awaited. */
typedef struct remote_call {
    struct remote_call *next;
    uint64_t number, deadline, timeout; /* nanoseconds; UINT64_MAX: none */
    uint32_t worker, type;
    remote_kind kind;
    tsm_future *future; /* of CALL and FETCH: gets the result; counted */
    remote_rref *rref;  /* of CREATE and FORK; its object is held */
} remote_call;

/* What another worker waits for. */
typedef struct remote_request {
    struct remote_request *next;
    uint64_t number, serial;
    uint32_t sender;
    remote_kind kind;
    int method;
    bool is_async;       /* the function gives a future, whose value is the answer */
    tsm_future *given;   /* which it has given, and which is waited for; counted */
    tsm_value arguments; /* a tuple */
    remote_rref *rref;   /* of CREATE, FETCH and FORK; its object is held. NULL: it is not made yet */
    remote_id id, fork;  /* of FETCH and FORK */
} remote_request;

typedef struct {
    struct tsm_remote_hook hook; /* first: the program's kernels find it */
    tsm_instance *inst;
    tsm_exec *x;
    tsm_transport transport;
    tsm_remote_options options;
    remote_rref *rrefs;
    remote_call *calls;
    remote_request *requests; /* in order of arrival */
    uint64_t last_number, last_serial;
    uint64_t *last_created; /* by worker: the number of the last RRef that it made here */
    uint64_t clock;         /* where the platform has none: the time that was waited */
    uint32_t active;        /* calls of the program under way, one inside the other */
    tsm_value no_memory;    /* the error where there is no memory for one */
} remote_state;

static inline remote_state *remote_of(tsm_exec *x) {
    return (remote_state *)(void *)(uintptr_t)x->remote;
}

/* ---- remote_wire.c ---- */

/* What a message says beside its head; each kind has some of it. */
typedef struct {
    remote_kind kind;
    bool is_async;   /* of CALL and CREATE: the function gives a future, whose value is the answer */
    uint64_t number; /* of the call that it is, or answers */
    remote_id id, fork;
    const char *text; /* a function's name, an error */
    size_t text_bytes;
    tsm_value value; /* arguments, a result: owned by a reader, borrowed by a writer */
} remote_message;

/* Sends a message. TSM_RAISED: it cannot be written, or not be sent. Forks of RRefs in it are known here afterwards. */
tsm_status tsm_remote_send(remote_state *r, uint32_t worker, const remote_message *m);
/* Reads a message's head. False: it is none. *whole: what follows is as it was sent. */
bool tsm_remote_read_head(remote_state *r, const uint8_t *bytes, size_t n, remote_message *m, uint32_t *sender,
                          bool *whole);
/* Reads the rest of a message whose head was read. RRefs in it become wanted_by `serial`. */
tsm_status tsm_remote_read_body(remote_state *r, const uint8_t *bytes, size_t n, uint32_t sender, uint64_t serial,
                                remote_message *m);

/* ---- remote.c ---- */

uint64_t tsm_remote_now(remote_state *r);
/* The place of a worker of this name; REMOTE_NOBODY: there is none. */
uint32_t tsm_remote_worker(const remote_state *r, const char *name, size_t n);
remote_rref *tsm_remote_find(const remote_state *r, remote_id id, bool owned);
remote_rref *tsm_remote_find_object(const remote_state *r, tsm_value v);
/* A new RRef with an object; NULL when the buffer is full. */
remote_rref *tsm_remote_new_rref(remote_state *r, remote_id id, uint32_t owner, uint32_t type);
tsm_status tsm_remote_add_fork(remote_state *r, remote_rref *rref, remote_id id, uint32_t holder);
void tsm_remote_remove_fork(remote_state *r, remote_rref *rref, remote_id id);
/* Awaits an answer. */
remote_call *tsm_remote_new_call(remote_state *r, remote_kind kind, uint32_t worker, uint64_t timeout);
/* The answer is about this RRef, which stays meanwhile. */
void tsm_remote_expect(remote_call *call, remote_rref *rref);
/* The call whose answer a future gets; NULL: it has what it gets. */
remote_call *tsm_remote_pending(const remote_state *r, const tsm_future *f);
/* A user tells the owner of its fork. */
void tsm_remote_tell_owner(remote_state *r, remote_rref *rref);
/* Gives a future a value (owned), or an error. */
void tsm_remote_finish(remote_state *r, tsm_future *f, tsm_value value);
void tsm_remote_fail(remote_state *r, tsm_future *f, const char *text, size_t n);
/* A call that could not be sent ends with an error, unless it has its answer. */
void tsm_remote_give_up(remote_state *r, uint64_t number, uint32_t worker, const char *text, size_t n);
/* A message that came. */
void tsm_remote_handle(remote_state *r, const uint8_t *bytes, size_t n);
/* Calls whose time is over fail; RRefs that the program has no more are given up. */
void tsm_remote_tidy(remote_state *r);
/* Does one thing that there is to do: runs a request, or handles a message, waiting for one until the time `until`.
 * False: there was none. */
bool tsm_remote_step(remote_state *r, uint64_t until);

/* ---- remote_serve.c ---- */

/* A message that asks for something; m's body has been read. */
void tsm_remote_take_request(remote_state *r, remote_message *m, uint32_t sender, uint64_t serial);
/* Raises the error that there is no function of a qualified name. */
tsm_status tsm_remote_undefined(const remote_state *r, const char *name, size_t n);
/* Answers with the instance's last error. */
void tsm_remote_refuse(remote_state *r, uint32_t worker, uint64_t number);
/* Runs the first request that can be run now. False: there is none. */
bool tsm_remote_run(remote_state *r);
void tsm_remote_free_request(remote_state *r, remote_request *q);

/* ---- remote_ask.c ---- */

tsm_status tsm_remote_ask(tsm_exec *x, tsm_remote_question q, const tsm_value *const *in, tsm_value *out);

#endif
