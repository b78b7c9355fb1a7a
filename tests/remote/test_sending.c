/* Calls of other workers as only a hostile program makes them, and values of every kind (make_sending.py); messages
 * that no worker writes, transports that fail, workers without memory and without a clock. Arguments: the program, and
 * a pattern of tests' names where not all are wanted. */
#include "damage.h"
#include "forge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/interpreter/remote.h"
#include "tests/interface/state_values.h"
#include "tests/memory/failing_heap.h"
#include "tests/memory/read_file.h"

static const char *program;

/* Functions that workers serve. */
static const char *const served[] = {"echo",  "give_none", "give_module", "take_tensors",
                                     "fails", "strange",   "nest",        "echoes"};
enum { SERVED = sizeof served / sizeof *served };

static post *open_with(tsm_remote_options options) {
    return post_open(program, served, SERVED, options);
}

static post *open_all(void) {
    return open_with((tsm_remote_options){0});
}

/* ---- Values, which the functions that take them release ---- */

static tsm_value text(post *p, const char *s) {
    tsm_value v;
    assert_int_equal(tsm_str_new(post_worker(p, 0), &v, s, strlen(s)), TSM_OK);
    return v;
}

static tsm_value tuple_of(post *p, tsm_value a) {
    tsm_value v;
    assert_int_equal(tsm_tuple_new(post_worker(p, 0), &v, &a, 1), TSM_OK);
    tsm_release(post_worker(p, 0), a);
    return v;
}

static tsm_value dict_with(post *p, tsm_value key, tsm_value item) {
    tsm_value v;
    assert_int_equal(tsm_dict_new(post_worker(p, 0), &v), TSM_OK);
    assert_int_equal(tsm_dict_set(post_worker(p, 0), v, key, item), TSM_OK);
    tsm_release(post_worker(p, 0), key);
    tsm_release(post_worker(p, 0), item);
    return v;
}

/* In so many tuples. */
static tsm_value deep(post *p, tsm_value v, int levels) {
    for (int i = 0; i < levels; i++)
        v = tuple_of(p, v);
    return v;
}

/* ---- Calls ---- */

static tsm_status call_at(post *p, int worker, const char *method, const tsm_value *arguments, size_t n,
                          tsm_value *out) {
    const tsm_status status = post_call_at(p, worker, method, arguments, n, out);
    for (size_t i = 0; i < n; i++)
        tsm_release(post_worker(p, worker), arguments[i]);
    return status;
}

static tsm_status one(post *p, const char *method, tsm_value argument, tsm_value *out) {
    return call_at(p, 0, method, &argument, 1, out);
}

static tsm_value expect(post *p, tsm_status status, const tsm_value *v) {
    if (status != TSM_OK)
        fail_msg("%d: %s", (int)status, tsm_error(post_worker(p, 0)));
    return *v;
}

static tsm_value get(post *p, const char *method, tsm_value argument) {
    tsm_value v;
    const tsm_status status = one(p, method, argument, &v);
    return expect(p, status, &v);
}

/* What a method of this program asks a worker with arguments for a function. */
static tsm_status ask(post *p, const char *method, const char *worker, const char *function, tsm_value arguments,
                      tsm_value *out) {
    const tsm_value all[] = {text(p, worker), text(p, function), arguments, tsm_none(), tsm_none()};
    return call_at(p, 0, method, all, 5, out);
}

static tsm_value get_asked(post *p, const char *method, const char *worker, const char *function, tsm_value arguments) {
    tsm_value v;
    const tsm_status status = ask(p, method, worker, function, arguments, &v);
    return expect(p, status, &v);
}

static void release(post *p, tsm_value v) {
    tsm_release(post_worker(p, 0), v);
}

static void expect_error(post *p, tsm_status status, tsm_status wanted, const char *message) {
    const char *error = tsm_error(post_worker(p, 0));
    if (status != wanted || !strstr(error, message))
        fail_msg("'%s' (%d) is not in '%s' (%d)", message, (int)wanted, error, (int)status);
}

static void expect_raised(post *p, tsm_status status, const char *message) {
    expect_error(p, status, TSM_RAISED, message);
}

/* ---- Values of every kind ---- */

enum { SENT_TURNED = 9 }; /* its place in make_sending.py */

static tsm_status send_everything(post *p, const char *method, tsm_value *out) {
    return ask(p, "sync", "worker1", "echo", tuple_of(p, get(p, method, tsm_int(0))), out);
}

static void test_values_come_back(void **state) {
    (void)state;
    post *p = open_all();
    const tsm_value sent = get(p, "sent", tsm_int(0));
    tsm_value back;
    expect(p, send_everything(p, "sent", &back), &back);
    const size_t n = tsm_sequence_size(sent);
    assert_true(n > SENT_TURNED);
    assert_int_equal(tsm_sequence_size(back), n);
    for (size_t i = 0; i < n; i++) {
        const tsm_value a = tsm_sequence_get(sent, i), b = tsm_sequence_get(back, i);
        if (i == SENT_TURNED)
            continue;
        if (!alike(post_worker(p, 0), a, post_worker(p, 0), b))
            fail_msg("value %zu comes back as another one", i);
    }
    tsm_tensor_view a, b; /* which is laid out row by row now */
    assert_true(tsm_tensor_get(tsm_sequence_get(sent, SENT_TURNED), &a));
    assert_true(tsm_tensor_get(tsm_sequence_get(back, SENT_TURNED), &b));
    for (int row = 0; row < 2; row++)
        assert_memory_equal(&((uint32_t *)a.data)[2 * row],
                            (&(uint32_t[]){((uint32_t *)b.data)[row], ((uint32_t *)b.data)[2 + row]}), 8);
    release(p, sent);
    release(p, back);
    post_close(p);
}

static void test_values_that_are_not_sent(void **state) {
    (void)state;
    post *p = open_all();
    tsm_value v;
    expect_raised(p, send_everything(p, "nested", &v), "a nested tensor cannot be sent to another worker");
    const tsm_value later = get_asked(p, "later", "worker1", "echo", tuple_of(p, tsm_int(1)));
    tsm_retain(later);
    expect_raised(p, ask(p, "sync", "worker1", "echo", tuple_of(p, later), &v),
                  "a future cannot be sent to another worker");
    release(p, later);
    /* The arguments are one level; a dict's items are one more. */
    v = get_asked(p, "sync", "worker1", "echo", tuple_of(p, deep(p, tsm_int(1), REMOTE_MOST_LEVELS - 1)));
    release(p, v);
    static const char *const many = "a value for another worker has more than 8 levels";
    expect_raised(p, ask(p, "sync", "worker1", "echo", tuple_of(p, deep(p, tsm_int(1), REMOTE_MOST_LEVELS)), &v), many);
    for (int levels = 0; levels < 2; levels++)
        expect_raised(p,
                      ask(p, "sync", "worker1", "echo",
                          tuple_of(p, deep(p, dict_with(p, tsm_int(1), tuple_of(p, tsm_int(2))),
                                           REMOTE_MOST_LEVELS - 2 + levels)),
                          &v),
                      many);
    v = get(p, "nameless", tsm_int(0)); /* a class of no name is known by it, too */
    release(p, get_asked(p, "sync", "worker1", "echo", tuple_of(p, v)));
    post_close(p);
}

static void test_every_byte_of_values(void **state) {
    (void)state;
    damage_all(open_all, send_everything, "sent", false, true);
    damage_all(open_all, send_everything, "sent", true, true);
}

/* ---- Operands that no compiler writes ---- */

static void test_operands(void **state) {
    (void)state;
    post *p = open_all();
    const struct {
        tsm_value operands[5];
        const char *message;
    } cases[] = {
        {{tsm_int(1), text(p, "echo"), tsm_none(), tsm_none(), tsm_none()}, "is neither a name nor a WorkerInfo"},
        {{text(p, "worker1"), text(p, "echo"), tsm_none(), tsm_none(), tsm_int(1)},
         "timeout of a remote call is no float"},
        {{text(p, "worker1"), text(p, "echo"), tsm_int(1), tsm_none(), tsm_none()},
         "arguments of a remote call are no tuple"},
        {{text(p, "worker1"), text(p, "echo"), tsm_none(), tsm_int(1), tsm_none()},
         "keyword arguments of a remote call are no dict"},
        {{text(p, "worker1"), text(p, "lost"), tsm_none(), tsm_none(), tsm_none()},
         "attempted to get undefined function lost"},
        {{text(p, "worker1"), text(p, "echo"), tsm_none(), tsm_none(), tsm_none()},
         "echo() is missing value for argument 'x'. Declaration: echo(Any x, Any y=5) -> Any"},
        {{text(p, "worker1"), text(p, "echo"), tuple_of(p, tsm_int(1)), dict_with(p, tsm_int(2), tsm_int(3)),
          tsm_none()},
         "a keyword argument's name is no string"},
        {{text(p, "worker1"), text(p, "echo"), tuple_of(p, tsm_int(1)), dict_with(p, text(p, "x"), tsm_int(3)),
          tsm_none()},
         "Argument 'x' specified both as positional and keyword argument. Schema: echo(Any x, Any y=5) -> Any"},
        {{text(p, "worker1"), text(p, "strange"), tuple_of(p, tsm_int(1)), dict_with(p, text(p, "z"), tsm_int(3)),
          tsm_none()},
         "Unknown keyword argument 'z' for operator 'strange'. Schema: strange"},
    };
    tsm_value v;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_raised(p, call_at(p, 0, "sync", cases[i].operands, 5, &v), cases[i].message);
    expect_raised(p, ask(p, "sync", "worker1", "strange", get(p, "sent", tsm_int(0)), &v),
                  "strange() expected at most 1 argument(s) but received 21 argument(s). Declaration: strange");
    expect_error(p, one(p, "wait", tsm_int(1), &v), TSM_BAD_FILE, "a program waits for what is no future");
    expect_error(p, one(p, "planned", text(p, "worker1"), &v), TSM_BAD_FILE,
                 "a call with planned memory asks another worker");
    expect_raised(p, one(p, "planned", tsm_int(1), &v),
                  "is neither a name nor a WorkerInfo"); /* the plan is not for it */
    post_close(p);
}

static void test_keywords(void **state) {
    (void)state;
    post *p = open_all();
    tsm_value named = dict_with(p, text(p, "x"), tsm_int(7)), v;
    const tsm_value all[] = {text(p, "worker1"), text(p, "echo"), tsm_none(), named, tsm_none()};
    v = expect(p, call_at(p, 0, "sync", all, 5, &v), &v);
    assert_int_equal(v.as.i, 7);
    named = dict_with(p, text(p, "y"), tsm_int(7));
    const tsm_value unknown = text(p, "z");
    assert_int_equal(tsm_dict_set(post_worker(p, 0), named, unknown, tsm_int(1)), TSM_OK);
    release(p, unknown);
    const tsm_value more[] = {text(p, "worker1"), text(p, "echo"), tuple_of(p, tsm_int(1)), named, tsm_none()};
    expect_raised(p, call_at(p, 0, "sync", more, 5, &v), "Unknown keyword argument 'z' for operator 'echo'");
    post_close(p);
}

/* ---- What answers are ---- */

static void test_answers(void **state) {
    (void)state;
    post *p = open_all();
    tsm_value v = tsm_none();
    const tsm_value seconds[] = {get_asked(p, "remote", "worker1", "echo", tuple_of(p, tsm_int(1))), tsm_int(1)};
    v = expect(p, call_at(p, 0, "to_here", seconds, 2, &v), &v); /* an int counts as a float */
    assert_int_equal(v.as.i, 1);
    v = get_asked(p, "sync", "worker1", "give_none", tuple_of(p, tsm_int(1))); /* where a Tensor is declared */
    assert_int_equal(v.tag, TSM_TAG_NONE);
    const tsm_value module = get_asked(p, "remote", "worker1", "give_module", tuple_of(p, tsm_int(1)));
    const tsm_value here[] = {module, tsm_float(-1)};
    expect_raised(
        p, call_at(p, 0, "to_here", here, 2, &v),
        " is an RRef to a ScriptModule. It can't be sent through RPC from owner, WorkerInfo(id=1, name=worker1)");
    /* An RRef goes through where anything may. */
    const tsm_value held = get_asked(p, "remote", "worker1", "echo", tuple_of(p, tsm_int(9)));
    tsm_retain(held);
    const tsm_value back = get_asked(p, "sync", "worker2", "echo", tuple_of(p, held));
    tsm_retain(back);
    const tsm_value name = get(p, "owner_name", back);
    size_t n;
    const char *owner = tsm_str_get(name, &n);
    assert_memory_equal(owner, "worker1", n);
    release(p, name);
    const tsm_value fetch[] = {back, tsm_float(-1)};
    v = expect(p, call_at(p, 0, "to_here", fetch, 2, &v), &v);
    assert_int_equal(v.as.i, 9);
    release(p, held);
    post_close(p);
}

/* Entries of `allowed` for other functions whose names begin alike. */
static void test_names_that_begin_alike(void **state) {
    (void)state;
    static const char *const alone[] = {"echoes", "echo=fails"};
    tsm_value v;
    post *p = post_open(program, alone, 1, (tsm_remote_options){0});
    expect_raised(p, ask(p, "sync", "worker1", "echo", tuple_of(p, tsm_int(1)), &v),
                  "attempted to get undefined function echo");
    post_close(p);
    p = post_open(program, alone, 2, (tsm_remote_options){0});
    expect_raised(p, ask(p, "sync", "worker1", "echo", tuple_of(p, tsm_int(1)), &v), "expected at most 1 argument(s)");
    post_close(p);
}

/* ---- Time ---- */

static size_t swallow_all(void *context, int from, int to, uint8_t *bytes, size_t n, size_t room) {
    (void)context, (void)from, (void)to, (void)bytes, (void)n, (void)room;
    return 0;
}

typedef struct {
    post *post;
    uint64_t until;
} patience;

static void lose_later(void *context, int worker) {
    const patience *w = context;
    (void)worker;
    if (post_time(w->post) >= w->until)
        tsm_remote_lost(post_worker(w->post, 0), "worker1");
}

/* 0 seconds, and more than a clock can count, are no limit. */
static void test_no_limit(void **state) {
    (void)state;
    static const double seconds[] = {0, 1e10};
    for (int i = 0; i < 2; i++) {
        post *p = open_all();
        patience w = {p, UINT64_C(500000000000)};
        tsm_value v;
        post_set_hooks(p, (post_hooks){swallow_all, lose_later, &w});
        const tsm_value all[] = {text(p, "worker1"), text(p, "echo"), tuple_of(p, tsm_int(1)), tsm_none(),
                                 tsm_float(seconds[i])};
        expect_raised(p, call_at(p, 0, "sync", all, 5, &v), "worker worker1 is lost");
        assert_true(post_time(p) >= w.until);
        post_close(p);
    }
}

static void test_own_value_in_time(void **state) {
    (void)state;
    post *p = open_with((tsm_remote_options){.depth = 1});
    tsm_value v;
    /* What is served asks its own worker, which serves nothing inside of that. */
    expect_raised(p, ask(p, "sync", "worker0", "nest", tuple_of(p, text(p, "worker0")), &v),
                  "RPC ran for more than set timeout (60000 ms)");
    const tsm_value here[] = {get_asked(p, "remote", "worker0", "echo", tuple_of(p, tsm_int(4))), tsm_float(0)};
    v = expect(p, call_at(p, 0, "to_here", here, 2, &v), &v); /* without a limit */
    assert_int_equal(v.as.i, 4);
    post_close(p);
    p = open_with((tsm_remote_options){.depth = 2});
    v = get_asked(p, "sync", "worker0", "nest", tuple_of(p, text(p, "worker0")));
    assert_int_equal(v.as.i, 5);
    post_close(p);
}

/* ---- Questions about RRefs ---- */

static bool is(post *p, const char *question, tsm_value rref) {
    tsm_retain(rref);
    return get(p, question, rref).as.b;
}

static void test_questions(void **state) {
    (void)state;
    post *p = open_all();
    const tsm_value here = get_asked(p, "remote", "worker0", "echo", tuple_of(p, tsm_int(1)));
    const tsm_value there = get_asked(p, "remote", "worker1", "echo", tuple_of(p, tsm_int(1)));
    assert_true(is(p, "is_owner", here) && !is(p, "is_owner", there));
    assert_true(is(p, "confirmed", here));
    post_settle(p);
    assert_true(is(p, "confirmed", there));
    assert_true(tsm_remote_count(post_worker(p, 0)) == 1 && tsm_remote_count(post_worker(p, 1)) == 1);
    post_set_hooks(p, (post_hooks){swallow_all, NULL, NULL});
    const tsm_value unheard = get_asked(p, "remote", "worker2", "echo", tuple_of(p, tsm_int(1)));
    assert_false(is(p, "confirmed", unheard));
    assert_int_equal(tsm_remote_count(post_worker(p, 0)), 3); /* two RRefs and a call */
    tsm_remote_lost(post_worker(p, 0), "worker2");
    assert_false(is(p, "confirmed", unheard));
    tsm_remote_close(post_worker(p, 0));
    const tsm_remote_options o = {.size = sizeof o, .workers = (const char *const[]){"worker0"}, .worker_count = 1};
    assert_int_equal(tsm_remote_open(post_worker(p, 0), &(tsm_transport){0}, &o), TSM_OK);
    tsm_value v;
    expect_raised(p, one(p, "is_owner", there, &v), "the RRef belongs to a worker that has ended");
    release(p, here);
    release(p, unheard);
    post_close(p);
}

/* The owner gives up what a lost worker held, and nothing of others. */
static void test_forks_of_the_lost(void **state) {
    (void)state;
    post *p = open_all();
    tsm_value held[2];
    for (int i = 0; i < 2; i++) {
        tsm_value all[5] = {tsm_none(), tsm_none(), tsm_none(), tsm_none(), tsm_none()}, five = tsm_int(5);
        tsm_instance *inst = post_worker(p, 1 + i);
        assert_int_equal(tsm_str_new(inst, &all[0], "worker0", 7), TSM_OK);
        assert_int_equal(tsm_str_new(inst, &all[1], "echo", 4), TSM_OK);
        assert_int_equal(tsm_tuple_new(inst, &all[2], &five, 1), TSM_OK);
        assert_int_equal(call_at(p, 1 + i, "remote", all, 5, &held[i]), TSM_OK);
    }
    post_settle(p);
    assert_int_equal(tsm_remote_count(post_worker(p, 0)), 2);
    tsm_remote_lost(post_worker(p, 0), "worker1");
    assert_int_equal(tsm_remote_count(post_worker(p, 0)), 1);
    tsm_release(post_worker(p, 1), held[0]);
    tsm_release(post_worker(p, 2), held[1]);
    post_settle(p);
    assert_int_equal(tsm_remote_count(post_worker(p, 0)), 0);
    post_close(p);
}

/* A worker that cannot be reached gets nothing of an RRef: what was written for it is taken back, and no more. */
static void test_not_sent_after_all(void **state) {
    (void)state;
    post *p = open_all();
    const tsm_value held = get_asked(p, "remote", "worker1", "echo", tuple_of(p, tsm_int(1)));
    const tsm_value mine = get_asked(p, "remote", "worker0", "echo", tuple_of(p, tsm_int(1)));
    tsm_value v;
    post_settle(p);
    post_set_hooks(p, (post_hooks){swallow_all, NULL, NULL}); /* these stay written */
    for (int i = 0; i < 2; i++) {
        tsm_retain(held);
        release(p, get_asked(p, "later", "worker2", "echo", tuple_of(p, held)));
    }
    post_cut(p, 2, true);
    tsm_retain(held);
    expect_raised(p, ask(p, "later", "worker2", "echo", tuple_of(p, held), &v), "worker worker2 cannot be reached");
    tsm_retain(mine);
    expect_raised(p, ask(p, "later", "worker2", "echo", tuple_of(p, mine), &v), "worker worker2 cannot be reached");
    assert_int_equal(tsm_remote_count(post_worker(p, 0)), 3); /* two calls, and the RRef of worker 1 */
    release(p, held);
    release(p, mine);
    assert_int_equal(tsm_remote_count(post_worker(p, 0)), 3); /* which worker 2 may have */
    tsm_remote_lost(post_worker(p, 0), "worker2");
    assert_int_equal(tsm_remote_count(post_worker(p, 0)), 0);
    post_close(p);
}

/* The transport's memory is full: the call raises, and the next one goes through. */
static void test_no_room_for_a_message(void **state) {
    (void)state;
    post *p = open_all();
    const char *const names[] = {"worker2", "echo"};
    for (int is_full = 1; is_full >= 0; is_full--) {
        tsm_value all[5] = {tsm_none(), tsm_none(), tsm_none(), tsm_none(), tsm_none()}, v;
        const tsm_value three = tsm_int(3);
        for (int i = 0; i < 2; i++)
            assert_int_equal(tsm_str_new(post_worker(p, 1), &all[i], names[i], strlen(names[i])), TSM_OK);
        assert_int_equal(tsm_tuple_new(post_worker(p, 1), &all[2], &three, 1), TSM_OK);
        post_fill(p, is_full);
        assert_int_equal(call_at(p, 1, "sync", all, 5, &v), is_full ? TSM_RAISED : TSM_OK);
        if (is_full)
            assert_non_null(strstr(tsm_error(post_worker(p, 1)), "bytes cannot be sent: there is no memory"));
    }
    post_close(p);
}

/* ---- Forged messages ---- */

/* What worker 0 says to worker 1. */
typedef struct {
    uint8_t kind;
    char text[512];
} reply;

static size_t take_reply(void *context, int from, int to, uint8_t *bytes, size_t n, size_t room) {
    reply *r = context;
    const size_t body = 28 + (size_t)bytes[6] + 4;
    (void)room;
    assert_true(from == 0 && to == 1);
    r->kind = bytes[5];
    if (r->kind == REMOTE_ERROR)
        snprintf(r->text, sizeof r->text, "%.*s", (int)(n - body - 4), (const char *)bytes + body + 4);
    return 0;
}

static void deliver(post *p, forgery *f) {
    damage_fit_sums(f->bytes, f->n);
    post_put(p, 0, f->bytes, f->n);
    assert_int_equal(tsm_remote_serve(post_worker(p, 0), 0), TSM_OK);
}

static void expect_refused(post *p, forgery *f, const char *message) {
    reply r = {0};
    post_set_hooks(p, (post_hooks){take_reply, NULL, &r});
    deliver(p, f);
    post_set_hooks(p, (post_hooks){0});
    if (r.kind != REMOTE_ERROR || !strstr(r.text, message))
        fail_msg("'%s' is not in '%s' (%d)", message, r.text, r.kind);
}

static void expect_taken(post *p, forgery *f) {
    reply r = {0};
    post_set_hooks(p, (post_hooks){take_reply, NULL, &r});
    deliver(p, f);
    post_set_hooks(p, (post_hooks){0});
    if (r.kind != REMOTE_RESULT)
        fail_msg("refused: %s", r.text);
}

static void put_shape(forgery *f, tsm_dtype dtype, int flags, int dims, const uint64_t *sizes) {
    forge_bytes(f, (uint8_t[]){TSM_TAG_TENSOR, (uint8_t)dtype, (uint8_t)dims, (uint8_t)flags}, 4);
    for (int d = 0; d < dims; d++)
        forge_u64(f, sizes[d]);
}

static void expect_tensor_refused(post *p, tsm_dtype dtype, int flags, int dims, const uint64_t *sizes,
                                  const char *message) {
    forgery f = forge_call(1);
    put_shape(&f, dtype, flags, dims, sizes);
    expect_refused(p, &f, message);
}

static void test_forged_tensors(void **state) {
    (void)state;
    post *p = open_all();
    enum { GRAD = 1, QUANTIZED = 2, OTHER = 4 };
    static const char *const damaged = "a tensor is damaged", *const large = "is larger than the address space";
    static const uint64_t small[] = {1}, huge[] = {UINT64_C(1) << 63},
                          product[] = {UINT64_C(1) << 40, UINT64_C(1) << 40}, empty[] = {0, UINT64_C(1) << 62},
                          wide[] = {2, UINT64_C(1) << 61};
    expect_tensor_refused(p, 99, 0, 1, small, damaged);
    expect_tensor_refused(p, TSM_FLOAT32, OTHER, 1, small, damaged);
    expect_tensor_refused(p, TSM_FLOAT32, QUANTIZED, 1, small, damaged);
    expect_tensor_refused(p, TSM_QUINT8, GRAD, 1, small, damaged);
    expect_tensor_refused(p, TSM_FLOAT32, 0, 1, huge, large);
    expect_tensor_refused(p, TSM_FLOAT32, 0, 2, product, large);
    expect_tensor_refused(p, TSM_FLOAT32, 0, 2, empty, large); /* although it has no elements */
    expect_tensor_refused(p, TSM_FLOAT32, 0, 2, wide, large);
    expect_tensor_refused(p, TSM_FLOAT32, 0, 1, small, "it ends too early");
    for (int dims = 9; dims < 256; dims += 246) {
        forgery f = forge_call(1);
        forge_bytes(&f, (uint8_t[]){TSM_TAG_TENSOR, TSM_FLOAT32, (uint8_t)dims, 0}, 4);
        expect_refused(p, &f, damaged);
    }
    post_close(p);
}

static void test_forged_quantizers(void **state) {
    (void)state;
    static const struct {
        uint64_t axis, channels;
        double scale;
        int64_t zero_point;
        const char *message;
    } cases[] = {{UINT64_MAX - 1, 1, 1, 0, "a tensor's scales are damaged"},
                 {72, 1, 1, 0, "a tensor's scales are damaged"},
                 {UINT64_MAX, 99, 1, 0, "a tensor's scales are damaged"},
                 {UINT64_MAX, 0, 1, 0, "do not fit it"},
                 {0, 1, 1, 0, "do not fit it"},
                 {UINT64_MAX, 1, 1, 999, "do not fit it"}};
    post *p = open_all();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        forgery f = forge_call(1);
        put_shape(&f, TSM_QUINT8, 2, 1, (uint64_t[]){2});
        forge_u64(&f, cases[i].axis);
        forge_u64(&f, cases[i].channels);
        forge_bytes(&f, &cases[i].scale, 8);
        forge_bytes(&f, &cases[i].zero_point, 8);
        forge_bytes(&f, "ab", 2);
        expect_refused(p, &f, cases[i].message);
    }
    post_close(p);
}

static void put_class(forgery *f, int tag, const char *name) {
    forge_byte(f, tag);
    forge_text(f, name);
}

static void test_forged_classes(void **state) {
    (void)state;
    post *p = open_all();
    static const char *const unknown = "it has a value of a class that this program does not have";
    static const char *const names[] = {"__torch__.Hume", "__torch__.Home2"};
    for (int i = 0; i < 2; i++) {
        forgery f = forge_call(1);
        put_class(&f, TSM_TAG_OBJECT, names[i]);
        expect_refused(p, &f, unknown);
    }
    forgery f = forge_call(1);
    put_class(&f, TSM_TAG_ENUM, "__torch__.Named");
    expect_refused(p, &f, unknown);
    static const char *const members[] = {"C", "BB", ""};
    for (int i = 0; i < 3; i++) {
        f = forge_call(1);
        put_class(&f, TSM_TAG_ENUM, "__torch__.Home");
        forge_text(&f, members[i]);
        expect_refused(p, &f, "it has an enum's member that this program does not have");
    }
    f = forge_call(1);
    put_class(&f, TSM_TAG_TUPLE, "__torch__.Named");
    forge_u32(&f, 1);
    forge_byte(&f, TSM_TAG_NONE);
    expect_refused(p, &f, "it has a NamedTuple of another length");
    f = forge_call(1);
    put_class(&f, TSM_TAG_OBJECT, "__torch__.Home");
    forge_u32(&f, 1);
    forge_byte(&f, TSM_TAG_NONE);
    expect_refused(p, &f, "it has an object with other attributes");
    f = forge_call(1);
    put_class(&f, TSM_TAG_OBJECT, "__torch__.Home");
    forge_u32(&f, 2);
    forge_byte(&f, TSM_TAG_NONE); /* an int is wanted */
    forge_byte(&f, TSM_TAG_NONE);
    expect_refused(p, &f, "it has an object with attributes of other types");
    post_close(p);
}

static void test_forged_values(void **state) {
    (void)state;
    post *p = open_all();
    forgery f = forge_call(1);
    for (int i = 0; i < 9; i++) {
        forge_byte(&f, TSM_TAG_LIST);
        forge_u32(&f, 1);
    }
    forge_byte(&f, TSM_TAG_NONE);
    expect_refused(p, &f, "a value has too many levels");
    f = forge_call(1);
    forge_byte(&f, TSM_TAG_GENERATOR);
    expect_refused(p, &f, "it has a value of no kind");
    f = forge_call(1);
    forge_byte(&f, TSM_TAG_LIST);
    forge_u32(&f, 1000);
    expect_refused(p, &f, "it ends too early");
    f = forge_call(1);
    forge_byte(&f, TSM_TAG_NONE);
    forge_byte(&f, 0);
    expect_refused(p, &f, "it is too long");
    f = forge_message(REMOTE_CALL, "worker1", 1);
    forge_text(&f, "echo");
    forge_byte(&f, TSM_TAG_NONE);
    expect_refused(p, &f, "it has no arguments");
    post_close(p);
}

/* RRefs of types that the program does not have, of nobody, and forks without a number. */
static void test_forged_rrefs(void **state) {
    (void)state;
    static const struct {
        const char *owner, *type;
        uint64_t fork;
        const char *message;
    } cases[] = {{"worker9", "Any", 1, "it names a worker that is not known here"},
                 {"worker0", "Any", 1, "it has an RRef that does not exist"},
                 {"worker2", "Anything", 1, "it has an RRef of a type that this program does not have"},
                 {"worker2", "Any", 0, "it has an RRef of a type that this program does not have"}};
    post *p = open_all();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        forgery f = forge_call(1);
        forge_byte(&f, TSM_TAG_FUTURE);
        forge_byte(&f, 7);
        forge_bytes(&f, cases[i].owner, 7);
        forge_id(&f, "worker2", 1);
        forge_u64(&f, cases[i].fork);
        forge_text(&f, cases[i].type);
        expect_refused(p, &f, cases[i].message);
    }
    /* Of another type than it was made for. */
    forgery f = forge_create(1);
    expect_taken(p, &f);
    f = forge_call(2);
    forge_byte(&f, TSM_TAG_FUTURE);
    forge_byte(&f, 7);
    forge_bytes(&f, "worker0", 7);
    forge_id(&f, "worker1", 1);
    forge_u64(&f, 0);
    forge_text(&f, "Tensor");
    expect_refused(p, &f, "it has an RRef that does not exist");
    post_close(p);
}

static void test_made_twice(void **state) {
    (void)state;
    post *p = open_all();
    forgery f = forge_create(1);
    expect_taken(p, &f);
    /* Behind a question that waits for an RRef that nobody has made. */
    forgery question = forge_message(REMOTE_FETCH, "worker1", 1);
    forge_id(&question, "worker1", 9);
    deliver(p, &question);
    assert_int_equal(tsm_remote_count(post_worker(p, 0)), 2);
    f = forge_create(1);
    expect_refused(p, &f, "an RRef is made twice");
    assert_int_equal(tsm_remote_count(post_worker(p, 0)), 2);
    question = forge_message(REMOTE_FETCH, "worker1", 2);
    forge_id(&question, "worker1", 0);
    expect_refused(p, &question, "the RRef does not exist any more");
    post_close(p);
}

/* Workers do not ask for modules. One that is asked all the same does not give them. */
static void test_forged_fetch_of_a_module(void **state) {
    (void)state;
    post *p = open_all();
    forgery f = forge_create_by(1, "give_module", 1);
    expect_taken(p, &f);
    forgery question = forge_message(REMOTE_FETCH, "worker1", 1);
    forge_id(&question, "worker1", 1);
    expect_refused(p, &question, "it is an RRef to a ScriptModule. It can't be sent through RPC from owner, worker0");
    post_close(p);
}

/* A question waits for an RRef that a message on its way makes, until that has come and could not make it. */
static void test_never_made(void **state) {
    (void)state;
    static const remote_kind kinds[] = {REMOTE_FETCH, REMOTE_FORK};
    post *p = open_all();
    for (int i = 0; i < 2; i++) {
        const uint64_t number = 7 + (uint64_t)i;
        forgery question = forge_message(kinds[i], "worker1", 1);
        forge_id(&question, "worker1", number);
        if (kinds[i] == REMOTE_FORK)
            forge_id(&question, "worker1", 99);
        deliver(p, &question);
        assert_int_equal(tsm_remote_count(post_worker(p, 0)), 1);
        forgery f = forge_message(REMOTE_CREATE, "worker1", 2);
        forge_u64(&f, number);
        forge_u64(&f, number + 50);
        forge_text(&f, "not allowed");
        forge_byte(&f, TSM_TAG_TUPLE);
        forge_text(&f, "");
        forge_u32(&f, 0);
        expect_refused(p, &f, "the RRef does not exist any more");
        assert_int_equal(tsm_remote_count(post_worker(p, 0)), 0);
    }
    post_close(p);
}

/* Nobody takes a count away that he did not get: forks of others, and the owner's own RRefs. */
static void test_counts_of_others(void **state) {
    (void)state;
    post *p = open_all();
    forgery f = forge_create(1);
    expect_taken(p, &f);
    static const remote_kind kinds[] = {REMOTE_ACCEPT, REMOTE_DELETE, REMOTE_DELETE};
    for (int i = 0; i < 3; i++) {
        forgery of = forge_message(kinds[i], "worker1", 0);
        forge_id(&of, "worker1", i == 2 ? 9 : 1); /* the RRef; there is none of this number */
        forge_id(&of, "worker1", i == 0 ? 51 : 99);
        deliver(p, &of);
        assert_int_equal(tsm_remote_count(post_worker(p, 0)), 1);
    }
    f = forge_message(REMOTE_DELETE, "worker1", 0);
    forge_id(&f, "worker1", 1);
    forge_id(&f, "worker1", 51);
    deliver(p, &f);
    assert_int_equal(tsm_remote_count(post_worker(p, 0)), 0);
    post_close(p);
}

/* What no worker can be told of is dropped. */
static void test_no_messages(void **state) {
    (void)state;
    post *p = open_all();
    forgery f = forge_call(1);
    forge_byte(&f, TSM_TAG_NONE);
    for (size_t n = 0; n < 45; n++) {
        post_put(p, 0, f.bytes, n);
        assert_int_equal(tsm_remote_serve(post_worker(p, 0), 0), TSM_OK);
    }
    static const int kinds[] = {0, REMOTE_ACCEPT + 1};
    for (int i = 0; i < 2; i++) {
        f.bytes[5] = (uint8_t)kinds[i];
        deliver(p, &f);
    }
    f = forge_message(REMOTE_CALL, "worker7", 1);
    deliver(p, &f);
    /* As from itself: nobody is allowed to be. */
    f = forge_message(REMOTE_CALL, "worker0", 1);
    forge_text(&f, "ecko");
    forge_byte(&f, TSM_TAG_TUPLE);
    forge_text(&f, "");
    forge_u32(&f, 0);
    deliver(p, &f);
    assert_int_equal(post_sent(p), 0);
    assert_int_equal(tsm_remote_count(post_worker(p, 0)), 0);
    post_close(p);
}

/* ---- Workers that are alone ---- */

typedef struct {
    tsm_instance *inst;
    uint64_t time, waited;
    const char *lose; /* the worker that is lost when something is sent */
} lonely;

static _Alignas(64) uint8_t lonely_buffer[1 << 16];
static char lonely_text[512];

static bool send_nothing(void *context, const char *worker, const void *bytes, size_t n) {
    const lonely *l = context;
    (void)worker, (void)bytes, (void)n;
    if (l->lose)
        tsm_remote_lost(l->inst, l->lose);
    return !l->lose;
}

static const void *receive_nothing(void *context, uint64_t nanoseconds, size_t *n) {
    lonely *l = context;
    (void)n;
    l->waited += nanoseconds;
    l->time = UINT64_MAX;
    return NULL;
}

static uint64_t lonely_clock(void *context) {
    return ((lonely *)context)->time;
}

static const char *const two[] = {"worker0", "worker1"};

static tsm_instance *open_alone(tsm_program *loaded, lonely *l, bool has_clock) {
    const tsm_options o = {.platform = {.context = l, .nanoseconds = has_clock ? lonely_clock : NULL},
                           .message = lonely_text,
                           .message_bytes = sizeof lonely_text};
    const tsm_transport t = {.context = l, .send = send_nothing, .receive = receive_nothing};
    const tsm_remote_options r = {.size = sizeof r, .workers = two, .worker_count = 2};
    assert_int_equal(tsm_instance_init(&l->inst, loaded, &o, lonely_buffer, sizeof lonely_buffer), TSM_OK);
    assert_int_equal(tsm_remote_open(l->inst, &t, &r), TSM_OK);
    return l->inst;
}

static tsm_status ask_alone(tsm_program *loaded, tsm_instance *inst, const char *method, tsm_value argument,
                            tsm_value *out) {
    tsm_value all[5] = {tsm_none(), tsm_none(), tsm_none(), tsm_none(), tsm_none()};
    assert_int_equal(tsm_str_new(inst, &all[0], "worker1", 7), TSM_OK);
    assert_int_equal(tsm_str_new(inst, &all[1], "echo", 4), TSM_OK);
    assert_int_equal(tsm_tuple_new(inst, &all[2], &argument, 1), TSM_OK);
    const tsm_status status = tsm_call(inst, tsm_method(loaded, method), all, 5, out);
    for (int i = 0; i < 5; i++)
        tsm_release(inst, all[i]);
    return status;
}

static void load_program(tsm_program *loaded, void **file) {
    size_t bytes;
    *file = read_file(program, &bytes);
    assert_non_null(*file);
    assert_int_equal(tsm_program_open(loaded, *file, bytes, lonely_text, sizeof lonely_text), TSM_OK);
}

/* Without a clock the waiting is the time. */
static void test_without_a_clock(void **state) {
    (void)state;
    tsm_program loaded;
    void *file;
    load_program(&loaded, &file);
    lonely l = {0};
    tsm_value v;
    tsm_instance *inst = open_alone(&loaded, &l, false);
    assert_int_equal(tsm_remote_serve(inst, 5000000000), TSM_OK);
    assert_int_equal(l.waited, 5000000000);
    l.waited = 0;
    assert_int_equal(ask_alone(&loaded, inst, "sync", tsm_int(1), &v), TSM_RAISED);
    assert_non_null(strstr(tsm_error(inst), "RPC ran for more than set timeout (60000 ms)"));
    assert_int_equal(l.waited, UINT64_C(60000000000));
    tsm_remote_close(inst);
    tsm_remote_lost(inst, "worker1"); /* which this is no worker any more to mind */
    free(file);
}

/* Serving for ever ends when the clock does. */
static void test_for_ever(void **state) {
    (void)state;
    tsm_program loaded;
    void *file;
    load_program(&loaded, &file);
    lonely l = {.time = 5};
    tsm_instance *inst = open_alone(&loaded, &l, true);
    assert_int_equal(tsm_remote_serve(inst, UINT64_MAX - 1), TSM_OK);
    assert_int_equal(l.waited, 1000000000);
    tsm_remote_close(inst);
    free(file);
}

/* A transport may say from `send`, too, that a worker is lost: then the call has its answer when sending has failed. */
static void test_lost_while_sending(void **state) {
    (void)state;
    static const char *const methods[] = {"sync", "later", "remote"};
    tsm_program loaded;
    void *file;
    load_program(&loaded, &file);
    for (int i = 0; i < 3; i++) {
        lonely l = {.lose = "worker1"};
        tsm_value v;
        tsm_instance *inst = open_alone(&loaded, &l, true);
        const size_t used = tsm_instance_usage(inst).used_bytes;
        assert_int_equal(ask_alone(&loaded, inst, methods[i], tsm_int(1), &v), TSM_RAISED);
        assert_non_null(strstr(tsm_error(inst), "worker worker1 cannot be reached"));
        assert_int_equal(tsm_remote_count(inst), 0);
        assert_int_equal(tsm_instance_usage(inst).used_bytes, used);
        tsm_remote_close(inst);
    }
    free(file);
}

/* ---- Begin, memory ---- */

static void test_options(void **state) {
    (void)state;
    tsm_program loaded;
    void *file;
    load_program(&loaded, &file);
    lonely l = {0};
    tsm_instance *inst = open_alone(&loaded, &l, true);
    tsm_remote_close(inst);
    const size_t used = tsm_instance_usage(inst).used_bytes;
    static const char *many[UINT16_MAX + 1];
    for (size_t i = 0; i < sizeof many / sizeof *many; i++)
        many[i] = "worker";
    tsm_remote_options o = {.size = sizeof o, .workers = many, .worker_count = sizeof many / sizeof *many};
    assert_int_equal(tsm_remote_open(inst, &(tsm_transport){0}, &o), TSM_BAD_ARGUMENT);
    o.worker_count = 2;
    for (uint64_t number = 0; number < 2; number++) {
        failing_heap_at(number);
        assert_int_equal(tsm_remote_open(inst, &(tsm_transport){0}, &o), TSM_OUT_OF_MEMORY);
        failing_heap_at(FAILING_NEVER);
        assert_int_equal(tsm_instance_usage(inst).used_bytes, used);
    }
    assert_int_equal(tsm_remote_open(inst, &(tsm_transport){0}, &o), TSM_OK);
    tsm_remote_close(inst);
    free(file);
}

/* One allocation fails, of whichever worker, or all from one on: a call has an end, later ones are answered, and nobody
 * keeps anything of anybody; an RRef of which its receiver could not read goes when that is lost. */
static void let_fail(const char *how, const char *whom, bool sends_rref, bool all) {
    bool has_failed = true;
    for (uint64_t at = 0; has_failed; at++) {
        post *p = open_all();
        tsm_value v;
        const tsm_value sent = sends_rref ? get_asked(p, "remote", "worker1", "echo", tuple_of(p, tsm_int(1)))
                                          : get(p, "sent", tsm_int(0));
        const tsm_value operands[] = {text(p, whom), text(p, "echo"), tuple_of(p, sent), tsm_none(), tsm_none()};
        failing_heap.all_behind = all;
        failing_heap_at(at);
        const tsm_status status = call_at(p, 0, how, operands, 5, &v);
        post_settle(p);
        has_failed = failing_heap.requests > at;
        failing_heap_at(FAILING_NEVER);
        failing_heap.all_behind = false;
        if (status != TSM_OK && status != TSM_RAISED && status != TSM_OUT_OF_MEMORY)
            fail_msg("%s, allocation %d: %d %s", how, (int)at, (int)status, tsm_error(post_worker(p, 0)));
        release(p, v);
        post_settle(p);
        post_pass_time(p, UINT64_C(120000000000)); /* what was never answered ends */
        post_settle(p);
        v = get_asked(p, "sync", "worker1", "echo", tuple_of(p, tsm_int(3)));
        assert_int_equal(v.as.i, 3);
        static const char *const names[] = {"worker0", "worker1", "worker2"};
        for (int i = 0; i < POST_WORKERS && sends_rref; i++)
            for (int other = 1; other < POST_WORKERS; other++)
                tsm_remote_lost(post_worker(p, i), names[(i + other) % POST_WORKERS]);
        post_settle(p);
        for (int i = 0; i < POST_WORKERS; i++)
            if (tsm_remote_count(post_worker(p, i)))
                fail_msg("%s, allocation %d: worker %d keeps something", how, (int)at, i);
        post_close(p);
    }
}

static void test_no_memory(void **state) {
    (void)state;
    static const char *const ways[] = {"sync", "remote"};
    static const char *const workers[] = {"worker2", "worker0"};
    for (int way = 0; way < 16; way++)
        let_fail(ways[way & 1], workers[way >> 3], way & 2, way & 4);
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 2;
    program = argv[1];
    if (argc > 2)
        cmocka_set_test_filter(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_come_back),
        cmocka_unit_test(test_values_that_are_not_sent),
        cmocka_unit_test(test_every_byte_of_values),
        cmocka_unit_test(test_operands),
        cmocka_unit_test(test_keywords),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_names_that_begin_alike),
        cmocka_unit_test(test_no_limit),
        cmocka_unit_test(test_own_value_in_time),
        cmocka_unit_test(test_questions),
        cmocka_unit_test(test_forks_of_the_lost),
        cmocka_unit_test(test_not_sent_after_all),
        cmocka_unit_test(test_forged_tensors),
        cmocka_unit_test(test_forged_quantizers),
        cmocka_unit_test(test_forged_classes),
        cmocka_unit_test(test_forged_values),
        cmocka_unit_test(test_forged_rrefs),
        cmocka_unit_test(test_made_twice),
        cmocka_unit_test(test_forged_fetch_of_a_module),
        cmocka_unit_test(test_never_made),
        cmocka_unit_test(test_no_room_for_a_message),
        cmocka_unit_test(test_counts_of_others),
        cmocka_unit_test(test_no_messages),
        cmocka_unit_test(test_without_a_clock),
        cmocka_unit_test(test_for_ever),
        cmocka_unit_test(test_lost_while_sending),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
