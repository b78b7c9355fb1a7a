/* Calls between workers of one process: programs.py, messages that are damaged, late or lost, workers that vanish,
 * buffers that are full. Arguments: the programs Calls and Keeping, and a pattern of tests' names where not all are
 * wanted. */
#include "damage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/interpreter/remote.h"
#include "tests/memory/failing_heap.h"

static const char *program, *keeping;

#define FUNCTION(name) "__torch__.programs." #name
static const char *const everything[] = {
    FUNCTION(nothing),      FUNCTION(scale),     FUNCTION(sum_defaults), FUNCTION(assorted),        FUNCTION(describe),
    FUNCTION(fails),        FUNCTION(forks),     FUNCTION(numbers),      FUNCTION(extend),          FUNCTION(bring),
    FUNCTION(here_only),    FUNCTION(hand_back), FUNCTION(is_confirmed), FUNCTION(ask_next),        FUNCTION(make_at),
    FUNCTION(make_counter), FUNCTION(count_on),  FUNCTION(spin),         FUNCTION(forks_and_fails), FUNCTION(ask_later),
    FUNCTION(ask_in_vain),  FUNCTION(no_future)};

static post *open_program(const char *path, tsm_remote_options options) {
    return post_open(path, everything, sizeof everything / sizeof *everything, options);
}
static post *open_all(void) {
    return open_program(program, (tsm_remote_options){0});
}

/* Nobody holds anything of anybody, and all memory is back. */
static void expect_clean(post *p, const size_t used[POST_WORKERS]) {
    post_settle(p);
    for (int i = 0; i < POST_WORKERS; i++)
        assert_int_equal(tsm_remote_count(post_worker(p, i)), 0);
    post_settle(p);
    for (int i = 0; i < POST_WORKERS; i++) {
        tsm_remote_count(post_worker(p, i));
        assert_int_equal(tsm_instance_usage(post_worker(p, i)).used_bytes, used[i]);
    }
}

static void measure(post *p, size_t used[POST_WORKERS]) {
    for (int i = 0; i < POST_WORKERS; i++)
        used[i] = tsm_instance_usage(post_worker(p, i)).used_bytes;
}

static void expect_raised(post *p, tsm_status status, const char *text) {
    const char *error = tsm_error(post_worker(p, 0));
    assert_int_equal(status, TSM_RAISED);
    if (!strstr(error, text))
        fail_msg("'%s' is not in '%s'", text, error);
}

/* ---- Cases ---- */

/* Cases of which no part asks worker 0, which waits. The others are run by three processes (test_remote.py). */
static const char *const quiet[] = {"forward",
                                    "asynchronous",
                                    "keywords",
                                    "keywords_of_all_kinds",
                                    "values_of_all_kinds",
                                    "strided",
                                    "with_timeout",
                                    "forked_there",
                                    "questions",
                                    "owned_here",
                                    "to_the_owner",
                                    "to_a_third",
                                    "to_myself",
                                    "there_and_back",
                                    "confirmed_there",
                                    "mutated_there",
                                    "mutated_here",
                                    "objects",
                                    "copied_object",
                                    "many",
                                    "futures_in_a_list",
                                    "without_arguments",
                                    "not_awaited"};
enum { QUIET = sizeof quiet / sizeof *quiet };

static void test_cases_leave_nothing(void **state) {
    (void)state;
    post *p = open_all();
    size_t used[POST_WORKERS];
    measure(p, used);
    for (int again = 0; again < 2; again++)
        for (size_t i = 0; i < QUIET; i++) {
            tsm_value v;
            const tsm_status status = post_call(p, quiet[i], &v);
            if (status != TSM_OK)
                fail_msg("%s: %s", quiet[i], tsm_error(post_worker(p, 0)));
            tsm_release(post_worker(p, 0), v);
            expect_clean(p, used);
        }
    post_close(p);
}

static void test_exceptions(void **state) {
    (void)state;
    static const char *const wanted[][2] = {
        {"raises", "builtins.ValueError: Expected error"},
        {"raises_later", "builtins.ValueError: Expected error"},
        {"raises_in_rref", "builtins.ValueError: Expected error"},
        {"raises_here", "builtins.ValueError: Expected error"},
        {"unknown_keyword",
         "Unknown keyword argument 'third' for operator 'scale'. Schema: scale(Tensor x, float factor=2., "
         "int offset=1) -> Tensor"},
        {"missing_worker", "name:worker0,rank:0 could not find destination name nobody"},
        {"not_owned_here", "Can't call RRef.local_value() on a non-owner RRef."},
        {"not_owned_there", "Can't call RRef.local_value() on a non-owner RRef."}};
    post *p = open_all();
    size_t used[POST_WORKERS];
    measure(p, used);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        tsm_value v;
        expect_raised(p, post_call(p, wanted[i][0], &v), wanted[i][1]);
        expect_clean(p, used);
    }
    post_close(p);
}

/* Functions that give futures (async_execution): the worker that was asked goes on until they have results. */
static void test_asynchronous_functions(void **state) {
    (void)state;
    post *p = open_program(keeping, (tsm_remote_options){.depth = 1});
    size_t used[POST_WORKERS];
    tsm_value v;
    tsm_tensor_view view;
    measure(p, used);
    if (post_call(p, "later", &v) != TSM_OK)
        fail_msg("%s", tsm_error(post_worker(p, 0)));
    assert_true(tsm_tensor_get(v, &view));
    assert_true(*(const float *)view.data == 4 + 4 + 45 * 3 + 10);
    tsm_release(post_worker(p, 0), v);
    expect_clean(p, used);
    static const char *const wanted[][2] = {
        {"later_in_vain", "builtins.ValueError: Expected error"},
        {"held_in_vain", "builtins.ValueError: Expected error"},
        {"not_later", "Async functions must return an IValue of Future type, but got Tensor"}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        expect_raised(p, post_call(p, wanted[i][0], &v), wanted[i][1]);
        expect_clean(p, used);
    }
    post_close(p);
}

/* ---- What is allowed ---- */

static void test_only_what_is_allowed(void **state) {
    (void)state;
    tsm_value v;
    post *p = post_open(program, everything, 1, (tsm_remote_options){0});
    expect_raised(p, post_call(p, "forward", &v), "attempted to get undefined function scale");
    expect_raised(p, post_call(p, "to_a_third", &v), "attempted to get undefined function bring");
    assert_int_equal(post_call(p, "owned_here", &v), TSM_OK); /* what it asks itself */
    tsm_release(post_worker(p, 0), v);
    post_close(p);
    static const char *const unknown[] = {"__torch__.programs.scale=missing", "__torch__.programs.scal"};
    p = post_open(program, unknown, 2, (tsm_remote_options){0});
    expect_raised(p, post_call(p, "forward", &v), "attempted to get undefined function scale");
    post_close(p);
}

static void test_another_function_for_a_name(void **state) {
    (void)state;
    tsm_value v;
    static const char *const renamed[] = {"__torch__.programs.scale=__torch__.programs.assorted"};
    post *p = post_open(program, renamed, 1, (tsm_remote_options){0});
    expect_raised(p, post_call(p, "forward", &v),
                  "Expected a value of type 'str' for argument 's' but instead found type 'float'");
    post_close(p);
    static const char *const other[] = {"__torch__.programs.scale=__torch__.programs.nothing"};
    p = post_open(program, other, 1, (tsm_remote_options){0});
    expect_raised(p, post_call(p, "forward", &v), "expected at most 0 argument(s) but received 3 argument(s)");
    post_close(p);
    static const char *const held[] = {"__torch__.programs.scale=__torch__.programs.scale",
                                       "__torch__.programs.bring=__torch__.programs.extend"};
    p = post_open(program, held, 2, (tsm_remote_options){0});
    expect_raised(p, post_call(p, "to_a_third", &v),
                  "Expected a value of type 'RRef[List[int]]' for argument 'held' but "
                  "instead found type 'RRef[Tensor]'");
    post_close(p);
    static const char *const wrong[] = {"__torch__.programs.scale=__torch__.programs.scale",
                                        "__torch__.programs.bring=__torch__.programs.is_confirmed"};
    p = post_open(program, wrong, 2, (tsm_remote_options){0});
    expect_raised(p, post_call(p, "to_a_third", &v),
                  "worker2 answered with a value of type bool where Tensor is expected");
    post_close(p);
}

/* ---- Damage ---- */

static void test_damaged_messages(void **state) {
    (void)state;
    damage_all(open_all, post_call, "forward", false, false);
    damage_all(open_all, post_call, "forward", true, false);
    damage_all(open_all, post_call, "to_a_third", false, false);
}

static void test_forged_messages(void **state) {
    (void)state;
    static const char *const methods[] = {"keywords_of_all_kinds", "values_of_all_kinds", "to_a_third",
                                          "copied_object"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        damage_all(open_all, post_call, methods[i], false, true);
        damage_all(open_all, post_call, methods[i], true, true);
    }
}

static void test_damage_is_told(void **state) {
    (void)state;
    post *p = open_all();
    tsm_value v;
    damage d = {.message = 0, .at = 60, .flip = 1};
    size_t used[POST_WORKERS];
    measure(p, used);
    post_set_hooks(p, (post_hooks){damage_message, NULL, &d});
    const uint64_t before = post_time(p);
    expect_raised(p, post_call(p, "forward", &v), "a message from worker0 is refused: it is damaged");
    assert_true(post_time(p) - before < 1000000000); /* at once, not when its time was over */
    expect_clean(p, used);
    d = (damage){.message = 1, .at = 60, .flip = 1}; /* the answer */
    expect_raised(p, post_call(p, "forward", &v), "a message from worker1 is refused: it is damaged");
    expect_clean(p, used);
    post_close(p);
}

/* ---- Time, loss ---- */

typedef struct {
    post *post;
    int to;
    uint8_t bytes[4096];
    size_t n, skip;
} late;

/* Keeps a message back. */
static size_t keep_back(void *context, int from, int to, uint8_t *bytes, size_t n, size_t room) {
    late *l = context;
    (void)from, (void)room;
    if (l->n || to != l->to || l->skip-- > 0)
        return n;
    l->skip = 0;
    memcpy(l->bytes, bytes, n);
    l->n = n;
    return 0;
}

static void test_late_answers(void **state) {
    (void)state;
    static const char *const methods[] = {"forward", "to_the_owner", "to_a_third", "there_and_back"};
    post *p = open_all();
    size_t used[POST_WORKERS];
    measure(p, used);
    for (size_t i = 0; i < 4; i++)
        for (size_t skip = 0; skip < 3; skip++) {
            late l = {.post = p, .to = 0, .skip = skip};
            tsm_value v;
            post_set_hooks(p, (post_hooks){keep_back, NULL, &l});
            const uint64_t before = post_time(p);
            const tsm_status status = post_call(p, methods[i], &v);
            post_set_hooks(p, (post_hooks){0});
            if (status != TSM_OK) {
                expect_raised(
                    p, status,
                    "RPCErr:1:RPC ran for more than set timeout (60000 ms) and will now be marked with an error");
                assert_true(post_time(p) - before >= UINT64_C(60000000000));
            }
            tsm_release(post_worker(p, 0), v);
            if (l.n)
                post_put(p, 0, l.bytes, l.n);
            expect_clean(p, used);
        }
    post_close(p);
}

/* An own timeout is shorter than that of the worker. */
static void test_timeouts(void **state) {
    (void)state;
    post *p = open_all();
    tsm_value v;
    late l = {.post = p, .to = 0};
    post_set_hooks(p, (post_hooks){keep_back, NULL, &l});
    const uint64_t before = post_time(p);
    expect_raised(p, post_call(p, "too_slow", &v),
                  "RPCErr:1:RPC ran for more than set timeout (50 ms) and will now be marked with an error");
    assert_true(post_time(p) - before < 1000000000);
    post_close(p);
    p = post_open(program, everything, 2, (tsm_remote_options){.timeout = 7000000});
    l = (late){.post = p, .to = 0};
    post_set_hooks(p, (post_hooks){keep_back, NULL, &l});
    expect_raised(p, post_call(p, "forward", &v), "RPC ran for more than set timeout (7 ms)");
    post_close(p);
}

/* Of an RRef whose request never came nobody knows whether it is there. */
static void test_an_rref_that_is_not_made(void **state) {
    (void)state;
    static const char text[] =
        "RRef creation via rpc.remote() timed out, and it is possible that the RRef on the owner node does not exist.";
    post *p = open_program(keeping, (tsm_remote_options){0});
    tsm_value v;
    late l = {.post = p, .to = 1};
    post_set_hooks(p, (post_hooks){keep_back, NULL, &l});
    assert_int_equal(post_call(p, "keep_theirs", &v), TSM_OK);
    tsm_release(post_worker(p, 0), v);
    post_set_hooks(p, (post_hooks){0});
    post_pass_time(p, UINT64_C(61000000000));
    post_settle(p);
    expect_raised(p, post_call(p, "bring_here", &v), text);
    expect_raised(p, post_call(p, "hand_on", &v), text);
    assert_int_equal(post_call(p, "drop", &v), TSM_OK);
    post_put(p, 1, l.bytes, l.n); /* the request comes at last: its answer finds nobody */
    post_settle(p);
    assert_int_equal(tsm_remote_count(post_worker(p, 0)), 0);
    post_close(p);
}

/* Everybody hears that worker 1 is lost. */
static void lose(void *context, int worker) {
    (void)worker;
    tsm_remote_lost(post_worker(context, 0), "worker1");
    tsm_remote_lost(post_worker(context, 2), "worker1");
}

static void test_workers_that_vanish(void **state) {
    (void)state;
    static const char *const methods[] = {"forward", "to_the_owner", "raises_in_rref", "asynchronous"};
    tsm_value v;
    for (size_t i = 0; i < 4; i++) {
        post *p = open_all();
        post_cut(p, 1, true);
        expect_raised(p, post_call(p, methods[i], &v), "worker worker1 cannot be reached");
        post_cut(p, 1, false);
        post_settle(p);
        assert_int_equal(tsm_remote_count(post_worker(p, 0)), 0);
        post_close(p);
    }
}

static size_t swallow_answers(void *context, int from, int to, uint8_t *bytes, size_t n, size_t room) {
    (void)context, (void)to, (void)bytes, (void)room;
    return from == 1 ? 0 : n;
}

static void test_lost_while_awaited(void **state) {
    (void)state;
    static const char *const methods[] = {"forward", "to_the_owner", "raises_in_rref", "asynchronous", "to_a_third"};
    for (size_t i = 0; i < 5; i++) {
        post *p = open_all();
        tsm_value v;
        post_set_hooks(p, (post_hooks){swallow_answers, lose, p});
        const uint64_t before = post_time(p);
        expect_raised(p, post_call(p, methods[i], &v), "worker1 is lost");
        assert_true(post_time(p) - before < UINT64_C(61000000000));
        post_cut(p, 1, true);
        post_set_hooks(p, (post_hooks){0});
        tsm_remote_lost(post_worker(p, 2), "worker1");
        post_settle(p);
        if (tsm_remote_count(post_worker(p, 0)))
            fail_msg("%s: worker 0 waits for something yet", methods[i]);
        assert_int_equal(post_call(p, "owned_here", &v), TSM_OK);
        tsm_release(post_worker(p, 0), v);
        post_close(p);
    }
}

/* What a lost worker held is given up by the owner. */
static void test_owner_forgets_the_lost(void **state) {
    (void)state;
    post *p = open_all();
    size_t used[POST_WORKERS];
    tsm_value v;
    measure(p, used);
    if (post_call(p, "made_by_another", &v) != TSM_OK)
        fail_msg("%s", tsm_error(post_worker(p, 0)));
    post_cut(p, 1, true);
    tsm_remote_lost(post_worker(p, 0), "worker1");
    tsm_remote_lost(post_worker(p, 2), "worker1");
    tsm_remote_lost(post_worker(p, 2), "nobody");
    post_settle(p);
    assert_int_equal(tsm_remote_count(post_worker(p, 0)), 0);
    assert_int_equal(tsm_remote_count(post_worker(p, 2)), 0);
    post_close(p);
}

/* ---- Memory ---- */

/* Each allocation, of whichever worker, fails once. */
static void test_every_allocation_fails(void **state) {
    (void)state;
    static const char *const methods[] = {"asynchronous",        "keywords_of_all_kinds",
                                          "values_of_all_kinds", "to_a_third",
                                          "there_and_back",      "objects",
                                          "owned_here",          "later"};
    const size_t count = sizeof methods / sizeof *methods;
    for (size_t i = 0; i < count; i++) {
        bool has_failed = true;
        for (size_t at = 0; has_failed; at++) {
            post *p = open_program(i == count - 1 ? keeping : program, (tsm_remote_options){0});
            tsm_value v;
            failing_heap_at(at);
            const tsm_status status = post_call(p, methods[i], &v);
            has_failed = failing_heap.requests > at;
            failing_heap_at(FAILING_NEVER);
            tsm_release(post_worker(p, 0), v);
            if (status != TSM_OK && status != TSM_RAISED && status != TSM_OUT_OF_MEMORY)
                fail_msg("%s, allocation %zu: %d %s", methods[i], at, (int)status, tsm_error(post_worker(p, 0)));
            post_settle(p);
            post_pass_time(p, UINT64_C(120000000000)); /* what was never answered ends */
            post_settle(p);
            if (post_call(p, methods[i], &v) != TSM_OK)
                fail_msg("%s, after allocation %zu failed: %s", methods[i], at, tsm_error(post_worker(p, 0)));
            tsm_release(post_worker(p, 0), v);
            post_close(p);
        }
    }
}

static void test_limits(void **state) {
    (void)state;
    tsm_value v;
    post *p = post_open(program, everything, 2, (tsm_remote_options){.message_bytes = 100});
    expect_raised(p, post_call(p, "forward", &v), "is refused: it has more than 100 bytes");
    assert_int_equal(post_call(p, "owned_here", &v), TSM_OK);
    tsm_release(post_worker(p, 0), v);
    post_close(p);
}

/* ---- Begin and end ---- */

static void test_open(void **state) {
    (void)state;
    post *p = open_all();
    tsm_instance *inst = post_worker(p, 0);
    static const char *const names[] = {"a", "a-name-of-more-than-63-bytes-is-not-taken-because-a-byte-counts-them"};
    const tsm_transport none = {0};
    tsm_remote_options o = {.size = sizeof o, .workers = names, .worker_count = 1};
    assert_int_equal(tsm_remote_open(inst, &none, &o), TSM_BAD_ARGUMENT);
    assert_non_null(strstr(tsm_error(inst), "is a worker already"));
    tsm_remote_close(inst);
    tsm_remote_close(inst);
    assert_int_equal(tsm_remote_count(inst), 0);
    assert_int_equal(tsm_remote_serve(inst, 0), TSM_BAD_ARGUMENT);
    tsm_value v;
    expect_raised(p, post_call(p, "forward", &v),
                  "Current RPC agent is not set! Did you initialize the RPC framework (e.g. "
                  "by calling `rpc.init_rpc`)?");
    o.worker_count = 2;
    assert_int_equal(tsm_remote_open(inst, &none, &o), TSM_BAD_ARGUMENT);
    o.worker_count = 1;
    o.self = 1;
    assert_int_equal(tsm_remote_open(inst, &none, &o), TSM_BAD_ARGUMENT);
    post_close(p);
}

/* Whoever still has an RRef keeps an object that answers no question. */
static void test_close_early(void **state) {
    (void)state;
    post *p = open_all();
    tsm_instance *inst = post_worker(p, 0);
    tsm_value v;
    post_set_hooks(p, (post_hooks){swallow_answers, NULL, NULL});
    assert_int_equal(post_call(p, "many", &v), TSM_RAISED);
    assert_true(tsm_remote_count(post_worker(p, 1)) > 0);
    tsm_remote_close(inst);
    tsm_remote_close(post_worker(p, 1));
    post_close(p);
}

/* ---- State ---- */

static void keep(post *p, const char *method) {
    tsm_value v;
    if (post_call(p, method, &v) != TSM_OK)
        fail_msg("%s: %s", method, tsm_error(post_worker(p, 0)));
    tsm_release(post_worker(p, 0), v);
}

static void expect_not_saved(post *p, const char *text) {
    static uint8_t memory[1 << 12];
    for (int counting = 0; counting < 2; counting++) {
        size_t needed = 1;
        assert_int_equal(tsm_instance_save(post_worker(p, 0), counting ? NULL : memory, sizeof memory, &needed),
                         TSM_UNSUPPORTED);
        assert_string_equal(tsm_error(post_worker(p, 0)), text);
        assert_int_equal(needed, 0);
    }
}

static size_t expect_saved(post *p, uint8_t *memory, size_t n) {
    size_t needed;
    if (tsm_instance_save(post_worker(p, 0), memory, n, &needed) != TSM_OK)
        fail_msg("%s", tsm_error(post_worker(p, 0)));
    return needed;
}

/* Attributes that only other workers could bring back are not saved, whatever else has changed. */
static void test_saving(void **state) {
    (void)state;
    static uint8_t memory[1 << 12];
    const char *rref = "an RRef cannot be saved: it is a part of the workers that count it";
    post *p = open_program(keeping, (tsm_remote_options){0});
    expect_saved(p, memory, sizeof memory);
    keep(p, "keep_answer");
    expect_not_saved(p, "a future whose answer another worker has not given yet cannot be saved");
    keep(p, "await_answer");
    expect_saved(p, memory, sizeof memory);
    static const char *const kinds[] = {"keep_theirs", "keep_mine"};
    for (int i = 0; i < 2; i++) {
        keep(p, kinds[i]);
        expect_not_saved(p, rref);
        post_settle(p);
        expect_not_saved(p, rref);
        keep(p, "drop");
        expect_saved(p, NULL, 0);
    }
    keep(p, "keep_theirs");
    assert_int_equal(tsm_instance_load(post_worker(p, 0), memory, sizeof memory), TSM_OK);
    keep(p, "await_answer"); /* it came with the state */
    post_settle(p);
    assert_int_equal(tsm_remote_count(post_worker(p, 0)), 0);
    post_close(p);
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    program = argv[1];
    keeping = argv[2];
    if (argc > 3)
        cmocka_set_test_filter(argv[3]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases_leave_nothing),
        cmocka_unit_test(test_exceptions),
        cmocka_unit_test(test_asynchronous_functions),
        cmocka_unit_test(test_an_rref_that_is_not_made),
        cmocka_unit_test(test_only_what_is_allowed),
        cmocka_unit_test(test_another_function_for_a_name),
        cmocka_unit_test(test_damage_is_told),
        cmocka_unit_test(test_damaged_messages),
        cmocka_unit_test(test_forged_messages),
        cmocka_unit_test(test_late_answers),
        cmocka_unit_test(test_timeouts),
        cmocka_unit_test(test_workers_that_vanish),
        cmocka_unit_test(test_lost_while_awaited),
        cmocka_unit_test(test_owner_forgets_the_lost),
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_open),
        cmocka_unit_test(test_close_early),
        cmocka_unit_test(test_saving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
