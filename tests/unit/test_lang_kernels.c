/* The operators on numbers, strings, lists and dicts give PyTorch's results.
 *
 * tests/data/lang_vectors.txt (made by make_lang_vectors.py from PyTorch 1.13.1) has one case a line:
 *
 *   aten::pop.t [1 2 3] -1 = 3 ; [1 2]          operator, arguments = results ; the first argument afterwards
 *   aten::pop.t [] -1 ! "pop from empty list"   the text of the error
 *
 * Values: 3 int, 0x1.8p+1 inf nan float, true false none, c0x1p+0,0x1p+1 complex, "a\x0a" str, [..] list, (..) tuple,
 * {key item ..} dict, d"cuda:1" device, t"float32" [2 1] [0x1p+0 inf] Tensor (dtype, sizes, elements). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/kernels/kernel.h"
#include "runtime/operators/operator_table.h"
#include "tests/unit/heap_check.h"

enum { BUFFER_BYTES = 1 << 20, MAX_VALUES = 8, MESSAGE_BYTES = 2048, TEXT_BYTES = 4096 };

static _Alignas(64) uint8_t buffer[BUFFER_BYTES];
static char message[MESSAGE_BYTES];

static void start(tsm_exec *x) {
    memset(x, 0, sizeof *x);
    tsm_heap_init(&x->heap, buffer, sizeof buffer);
    x->message = message;
    x->message_bytes = sizeof message;
    x->grad_enabled = true;
    x->fuel = INT64_MAX;
}

/* ---- Reading values ---- */

typedef struct {
    tsm_exec *x;
    const char *at;
} reader;

static void check(tsm_status status) {
    if (status != TSM_OK)
        fail_msg("%s", message);
}

static bool take(reader *r, const char *word) {
    size_t n = strlen(word);
    if (strncmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

static void skip_blanks(reader *r) {
    while (*r->at == ' ')
        r->at++;
}

static double read_float(reader *r) {
    char *end;
    double v = strtod(r->at, &end);
    r->at = end;
    return v;
}

static size_t read_text(reader *r, char *text) {
    size_t n = 0;
    assert_true(take(r, "\""));
    while (*r->at != '"') {
        if (take(r, "\\x")) {
            char digits[3] = {r->at[0], r->at[1], 0};
            text[n++] = (char)strtol(digits, NULL, 16);
            r->at += 2;
        } else {
            text[n++] = *r->at++;
        }
    }
    r->at++;
    return n;
}

static tsm_value read_value(reader *r);

/* Values up to `close`, as a list. */
static tsm_value read_items(reader *r, const char *close) {
    tsm_list *l;
    check(tsm_make_list(r->x, 0, &l));
    for (skip_blanks(r); !take(r, close); skip_blanks(r)) {
        tsm_value v = read_value(r);
        check(tsm_list_append(r->x, l, v));
        tsm_drop(r->x, v);
    }
    return tsm_of(TSM_TAG_LIST, l);
}

static tsm_value read_tuple(reader *r) {
    tsm_value items = read_items(r, ")");
    tsm_list *l = tsm_as_list(items);
    tsm_tuple *t;
    check(tsm_make_tuple(r->x, l->length, 0, &t));
    for (uint32_t i = 0; i < l->length; i++)
        t->items[i] = tsm_hold(l->items[i]);
    tsm_drop(r->x, items);
    return tsm_of(TSM_TAG_TUPLE, t);
}

static tsm_value read_dict(reader *r) {
    tsm_value items = read_items(r, "}");
    tsm_list *l = tsm_as_list(items);
    tsm_dict *d;
    check(tsm_make_dict(r->x, 0, &d));
    for (uint32_t i = 0; i < l->length; i += 2)
        check(tsm_dict_put(r->x, d, l->items[i], l->items[i + 1]));
    tsm_drop(r->x, items);
    return tsm_of(TSM_TAG_DICT, d);
}

static tsm_value read_number(reader *r) {
    size_t n = strcspn(r->at, " ])},;");
    if (memchr(r->at, 'x', n) || memchr(r->at, 'n', n))
        return tsm_float(read_float(r));
    char *end;
    tsm_value v = tsm_int((int64_t)strtoll(r->at, &end, 10));
    assert_ptr_not_equal(end, r->at);
    r->at = end;
    return v;
}

static void set_element(tsm_tensor *t, uint32_t i, tsm_value v) {
    switch (t->dtype) {
    case TSM_FLOAT32:
        ((float *)t->data)[i] = (float)v.as.f;
        break;
    case TSM_FLOAT64:
        ((double *)t->data)[i] = v.as.f;
        break;
    case TSM_INT64:
        ((int64_t *)t->data)[i] = v.as.i;
        break;
    case TSM_UINT8:
        ((uint8_t *)t->data)[i] = (uint8_t)v.as.i;
        break;
    case TSM_BOOL:
        ((bool *)t->data)[i] = v.as.b;
        break;
    default:
        fail_msg("dtype %d is not read", t->dtype);
    }
}

static tsm_dtype read_dtype(reader *r) {
    static const char *const names[TSM_DTYPE_COUNT] = {
#define X(NAME, number, bytes, text) [number] = text,
        TSM_DTYPE_LIST(X)
#undef X
    };
    char text[64] = {0};
    read_text(r, text);
    for (int d = 0; d < TSM_DTYPE_COUNT; d++)
        if (names[d] && strcmp(text, names[d]) == 0)
            return (tsm_dtype)d;
    fail_msg("unknown dtype %s", text);
    return TSM_FLOAT32;
}

static tsm_value read_tensor(reader *r) {
    tsm_dtype dtype = read_dtype(r);
    tsm_dim sizes[TSM_MAX_DIMS];
    tsm_tensor *t;
    assert_true(take(r, " ["));
    tsm_value shape = read_items(r, "]");
    tsm_list *l = tsm_as_list(shape);
    for (uint32_t i = 0; i < l->length; i++)
        sizes[i] = (tsm_dim)l->items[i].as.i;
    check(tsm_tensor_make(r->x, dtype, (int)l->length, sizes, &t));
    assert_true(take(r, " ["));
    tsm_value elements = read_items(r, "]");
    assert_int_equal(tsm_as_list(elements)->length, t->elements);
    for (uint32_t i = 0; i < tsm_as_list(elements)->length; i++)
        set_element(t, i, tsm_as_list(elements)->items[i]);
    tsm_drop(r->x, shape);
    tsm_drop(r->x, elements);
    return tsm_of_tensor(t);
}

static tsm_value read_value(reader *r) {
    char text[TEXT_BYTES];
    tsm_value v = tsm_none();
    if (take(r, "none"))
        return v;
    if (take(r, "true"))
        return tsm_bool(true);
    if (take(r, "false"))
        return tsm_bool(false);
    if (take(r, "["))
        return read_items(r, "]");
    if (take(r, "("))
        return read_tuple(r);
    if (take(r, "{"))
        return read_dict(r);
    if (take(r, "c")) {
        double re = read_float(r);
        assert_true(take(r, ","));
        check(tsm_make_complex(r->x, re, read_float(r), &v));
        return v;
    }
    if (take(r, "t"))
        return read_tensor(r);
    bool device = take(r, "d");
    if (!device && *r->at != '"')
        return read_number(r);
    size_t n = read_text(r, text);
    check(device ? tsm_device_read(r->x, text, n, &v) : tsm_make_str(r->x, text, n, &v));
    return v;
}

/* ---- Comparing ---- */

/* Functions of the C library may differ in the last bits from those that PyTorch was built with. */
static bool floats_match(double a, double b) {
    if (a == b || (isnan(a) && isnan(b)))
        return signbit(a) == signbit(b) || isnan(a);
    return isfinite(a) && isfinite(b) && fabs(a - b) <= 1e-13 * fmax(fabs(a), fabs(b));
}

static bool complexes_match(const tsm_complex_object *a, const tsm_complex_object *b) {
    double slack = 1e-13 * fmax(hypot(a->re, a->im), hypot(b->re, b->im));
    return (floats_match(a->re, b->re) || fabs(a->re - b->re) <= slack) &&
           (floats_match(a->im, b->im) || fabs(a->im - b->im) <= slack);
}

static bool match(tsm_value a, tsm_value b);

static bool items_match(const tsm_value *a, size_t m, const tsm_value *b, size_t n) {
    for (size_t i = 0; m == n && i < n; i++)
        if (!match(a[i], b[i]))
            return false;
    return m == n;
}

static bool dicts_match(const tsm_dict *a, const tsm_dict *b) {
    size_t i = 0, k = 0;
    tsm_dict_entry *m, *n;
    while (tsm_dict_next(a, &i, &m))
        if (!tsm_dict_next(b, &k, &n) || !match(m->key, n->key) || !match(m->item, n->item))
            return false;
    return a->length == b->length;
}

static bool match(tsm_value a, tsm_value b) {
    if (a.tag != b.tag)
        return false;
    switch (a.tag) {
    case TSM_TAG_FLOAT:
        return floats_match(a.as.f, b.as.f);
    case TSM_TAG_COMPLEX:
        return complexes_match(tsm_as_complex(a), tsm_as_complex(b));
    case TSM_TAG_LIST:
        return items_match(tsm_as_list(a)->items, tsm_as_list(a)->length, tsm_as_list(b)->items,
                           tsm_as_list(b)->length);
    case TSM_TAG_TUPLE:
        return items_match(tsm_as_tuple(a)->items, tsm_as_tuple(a)->length, tsm_as_tuple(b)->items,
                           tsm_as_tuple(b)->length);
    case TSM_TAG_DICT:
        return dicts_match(tsm_as_dict(a), tsm_as_dict(b));
    default:
        return tsm_plain_equal(a, b);
    }
}

/* ---- Running ---- */

typedef struct {
    tsm_value arguments[MAX_VALUES], results[MAX_VALUES], expected[MAX_VALUES], after;
    const tsm_value *in[MAX_VALUES];
    size_t n_arguments, n_expected;
    bool has_after;
    char error[MESSAGE_BYTES];
    size_t error_bytes;
    bool raises;
} test_case;

static const tsm_operator *find_operator(const char *name, size_t n) {
    for (size_t i = 0; i < tsm_operator_count; i++)
        if (strlen(tsm_operator_table[i].name) == n && memcmp(tsm_operator_table[i].name, name, n) == 0)
            return &tsm_operator_table[i];
    return NULL;
}

static void read_case(reader *r, test_case *c) {
    for (skip_blanks(r); *r->at != '=' && *r->at != '!'; skip_blanks(r))
        c->arguments[c->n_arguments++] = read_value(r);
    c->raises = *r->at++ == '!';
    skip_blanks(r);
    if (c->raises) {
        c->error_bytes = read_text(r, c->error);
        return;
    }
    for (; *r->at && *r->at != ';'; skip_blanks(r))
        c->expected[c->n_expected++] = read_value(r);
    c->has_after = take(r, ";");
    skip_blanks(r);
    if (c->has_after)
        c->after = read_value(r);
}

/* Is the outcome the expected one? */
static bool is_right(tsm_exec *x, test_case *c, tsm_status status) {
    if (c->raises)
        return status == TSM_RAISED && strlen(message) == c->error_bytes &&
               memcmp(message, c->error, c->error_bytes) == 0;
    return status == TSM_OK && items_match(c->results, x->op->outputs, c->expected, c->n_expected) &&
           (!c->has_after || match(c->arguments[0], c->after));
}

static void drop_all(tsm_exec *x, tsm_value *v, size_t n) {
    for (size_t i = 0; i < n; i++)
        tsm_drop(x, v[i]);
}

static void set_inputs(tsm_exec *x, test_case *c) {
    for (size_t i = 0; i < c->n_arguments; i++)
        c->in[i] = &c->arguments[i];
    x->inputs = (uint32_t)c->n_arguments;
    x->outputs = (uint32_t)c->n_expected;
}

static void drop_case(tsm_exec *x, test_case *c) {
    drop_all(x, c->arguments, c->n_arguments);
    drop_all(x, c->expected, c->n_expected);
    tsm_drop(x, c->after);
}

static void report(tsm_exec *x, const test_case *c, const char *line, tsm_status status) {
    tsm_text t = {0};
    for (size_t i = 0; status == TSM_OK && i < x->op->outputs; i++)
        tsm_text_add_value(x, &t, c->results[i]);
    print_error("%s\n    gives %.*s %s\n", line, (int)t.length, t.text ? t.text : "", message);
    tsm_text_free(x, &t);
}

static bool run_case(tsm_exec *x, const char *line, size_t room) {
    (void)room;
    static test_case c;
    memset(&c, 0, sizeof c);
    memset(message, 0, sizeof message);
    size_t used = x->heap.used, name = strcspn(line, " ");
    x->op = find_operator(line, name);
    if (!x->op) {
        print_error("no kernel: %s\n", line);
        return false;
    }
    reader r = {x, line + name};
    read_case(&r, &c);
    set_inputs(x, &c);
    tsm_status status = x->op->kernel(x, c.in, c.results);
    bool right = is_right(x, &c, status);
    if (!right)
        report(x, &c, line, status);
    if (status == TSM_OK)
        drop_all(x, c.results, x->op->outputs);
    drop_case(x, &c);
    if (x->heap.used != used)
        print_error("%s\n    leaks %zu bytes\n", line, x->heap.used - used);
    return right && x->heap.used == used;
}

/* Takes all of the heap but one free block of about `room` bytes. */
static size_t fill_heap(tsm_exec *x, size_t room, void **blocks, size_t most) {
    void *spare = room ? tsm_heap_alloc(&x->heap, room) : NULL;
    size_t n = 0;
    for (size_t size = BUFFER_BYTES; size >= 16; size /= 2)
        for (void *p; n < most && (p = tsm_heap_alloc(&x->heap, size)) != NULL;)
            blocks[n++] = p;
    assert_true(n < most);
    tsm_heap_free(&x->heap, spare);
    return n;
}

/* Runs the case with so little memory: it may fail, but must not leave results or blocks behind. */
static bool run_starved(tsm_exec *x, const char *line, size_t room) {
    static test_case c;
    static void *blocks[256];
    memset(&c, 0, sizeof c);
    size_t used = x->heap.used, name = strcspn(line, " ");
    x->op = find_operator(line, name);
    reader r = {x, line + name};
    read_case(&r, &c);
    set_inputs(x, &c);
    size_t n = fill_heap(x, room, blocks, sizeof blocks / sizeof blocks[0]);
    tsm_status status = x->op->kernel(x, c.in, c.results);
    for (size_t i = 0; i < n; i++)
        tsm_heap_free(&x->heap, blocks[i]);
    bool clean = true;
    for (size_t i = 0; i < x->op->outputs; i++)
        clean = clean && (status == TSM_OK || c.results[i].tag == TSM_TAG_NONE);
    if (status == TSM_OK)
        drop_all(x, c.results, x->op->outputs);
    drop_case(x, &c);
    if (!clean || x->heap.used != used)
        print_error("%s\n    with %zu bytes: leaks %zu bytes\n", line, room, x->heap.used - used);
    return clean && x->heap.used == used;
}

/* Calls `run` for every case of the file; the number of those that failed. */
static int count_wrong(tsm_exec *x, bool (*run)(tsm_exec *, const char *, size_t), size_t room, int every) {
    static char line[16384];
    FILE *f = fopen("tests/data/lang_vectors.txt", "r");
    assert_non_null(f);
    int wrong = 0, cases = 0;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] && line[0] != '#' && cases++ % every == 0)
            wrong += !run(x, line, room);
    }
    fclose(f);
    assert_true(cases > 5000);
    assert_true(heap_check(&x->heap));
    return wrong;
}

static void test_results(void **state) {
    (void)state;
    tsm_exec x;
    start(&x);
    assert_int_equal(count_wrong(&x, run_case, 0, 1), 0);
}

static void test_full_buffers(void **state) {
    (void)state;
    tsm_exec x;
    start(&x);
    for (size_t room = 0; room <= 512; room += room < 256 ? 32 : 128)
        assert_int_equal(count_wrong(&x, run_starved, room, 3), 0);
}

/* ---- What has no line of its own in the file ---- */

static tsm_status call(tsm_exec *x, const char *name, tsm_value *arguments, size_t n, tsm_value *results,
                       size_t n_results) {
    const tsm_value *in[MAX_VALUES];
    for (size_t i = 0; i < n; i++)
        in[i] = &arguments[i];
    x->op = find_operator(name, strlen(name));
    assert_non_null(x->op);
    x->inputs = (uint32_t)n;
    x->outputs = (uint32_t)n_results;
    return x->op->kernel(x, in, results);
}

static tsm_value make_text(tsm_exec *x, const char *text) {
    tsm_value v;
    check(tsm_make_str(x, text, strlen(text), &v));
    return v;
}

static void test_enums(void **state) {
    (void)state;
    tsm_exec x;
    start(&x);
    size_t used = x.heap.used;
    tsm_value red, green, same, result;
    check(tsm_make_enum(&x, 4, 0, "RED", tsm_int(7), &red));
    check(tsm_make_enum(&x, 4, 0, "RED", tsm_int(7), &same));
    check(tsm_make_enum(&x, 4, 1, "GREEN", tsm_int(7), &green));
    check(call(&x, "aten::eq.enum", (tsm_value[]){red, same}, 2, &result, 1));
    assert_true(result.as.b);
    check(call(&x, "aten::ne.enum", (tsm_value[]){red, green}, 2, &result, 1));
    assert_true(result.as.b);
    check(call(&x, "prim::EnumValue.int", &green, 1, &result, 1));
    assert_int_equal(result.as.i, 7);
    check(call(&x, "prim::EnumName", &green, 1, &result, 1));
    assert_string_equal(tsm_as_str(result)->text, "GREEN");
    tsm_drop(&x, result);
    tsm_drop(&x, red);
    tsm_drop(&x, same);
    tsm_drop(&x, green);
    assert_int_equal(x.heap.used, used);
}

static void test_tuples_and_optionals(void **state) {
    (void)state;
    tsm_exec x;
    start(&x);
    tsm_value results[2], none = tsm_none();
    tsm_tuple *t;
    check(tsm_make_tuple(&x, 2, 0, &t));
    t->items[0] = tsm_int(5);
    t->items[1] = tsm_bool(true);
    tsm_value tuple = tsm_of(TSM_TAG_TUPLE, t);
    check(call(&x, "prim::TupleUnpack", &tuple, 1, results, 2));
    assert_int_equal(results[0].as.i, 5);
    assert_true(results[1].as.b);
    assert_int_equal(call(&x, "prim::TupleUnpack", &tuple, 1, results, 1), TSM_RAISED);
    check(call(&x, "prim::TupleIndex", (tsm_value[]){tuple, tsm_int(-2)}, 2, results, 1));
    assert_int_equal(results[0].as.i, 5);
    assert_int_equal(call(&x, "prim::TupleIndex", (tsm_value[]){tuple, tsm_int(2)}, 2, results, 1), TSM_RAISED);
    assert_int_equal(call(&x, "aten::_unwrap_optional", &none, 1, results, 1), TSM_RAISED);
    assert_string_equal(message, "Unwrapping null optional");
    tsm_drop(&x, tuple);
}

static void test_raising(void **state) {
    (void)state;
    tsm_exec x;
    start(&x);
    tsm_value text = make_text(&x, "no good"), class = make_text(&x, "builtins.ValueError");
    assert_int_equal(call(&x, "prim::RaiseException", (tsm_value[]){text, tsm_none()}, 2, NULL, 0), TSM_RAISED);
    assert_string_equal(message, "no good");
    assert_int_equal(call(&x, "prim::RaiseException", (tsm_value[]){text, class}, 2, NULL, 0), TSM_RAISED);
    assert_string_equal(message, "builtins.ValueError: no good");
    assert_int_equal(call(&x, "aten::remainder.int", (tsm_value[]){tsm_int(5), tsm_int(0)}, 2, &text, 1), TSM_RAISED);
    assert_string_equal(message, "integer modulo by zero");
}

static void test_hashes(void **state) {
    (void)state;
    tsm_exec x;
    start(&x);
    tsm_value a, b, text = make_text(&x, "ab"), again = make_text(&x, "ab");
    check(call(&x, "aten::hash.generic", &text, 1, &a, 1));
    check(call(&x, "aten::hash.generic", &again, 1, &b, 1));
    assert_true(a.as.i == b.as.i);
    check(call(&x, "aten::hash.generic", (tsm_value[]){tsm_float(0.0)}, 1, &a, 1));
    check(call(&x, "aten::hash.generic", (tsm_value[]){tsm_float(-0.0)}, 1, &b, 1));
    assert_true(a.as.i == b.as.i);
}

/* Equal items of a list of pairs keep their order, in both directions. */
static void test_sort_is_stable(void **state) {
    (void)state;
    tsm_exec x;
    start(&x);
    tsm_list *l;
    check(tsm_make_list(&x, 0, &l));
    for (int i = 0; i < 100; i++) {
        tsm_value v = i % 2 ? tsm_float(i / 10) : tsm_int(i / 10); /* equal, but told apart by their kinds */
        check(tsm_list_insert(&x, l, (size_t)(i * 7 % (i + 1)), v));
    }
    tsm_value kinds[100];
    for (int reverse = 0; reverse <= 1; reverse++) {
        memcpy(kinds, l->items, sizeof kinds);
        check(call(&x, "aten::sort.int", (tsm_value[]){tsm_of(TSM_TAG_LIST, l), tsm_bool(reverse)}, 2, NULL, 0));
        for (int value = 0; value < 10; value++) {
            int from = 0, at = reverse ? (9 - value) * 10 : value * 10;
            for (int i = 0; i < 10; i++, from++, at++) {
                while ((kinds[from].tag == TSM_TAG_INT ? (double)kinds[from].as.i : kinds[from].as.f) != value)
                    from++;
                assert_memory_equal(&l->items[at], &kinds[from], sizeof kinds[0]);
            }
        }
    }
    tsm_drop(&x, tsm_of(TSM_TAG_LIST, l));
}

static tsm_list *list_of(tsm_exec *x, const tsm_value *items, size_t n) {
    tsm_list *l;
    check(tsm_make_list(x, n, &l));
    for (size_t i = 0; i < n; i++)
        check(tsm_list_append(x, l, items[i]));
    return l;
}

/* Lists of ints, of floats and of both are sorted in the same way: equal items keep their order. */
static void test_sort_of_numbers(void **state) {
    (void)state;
    tsm_exec x;
    start(&x);
    enum { MOST = 100 };
    static const double floats[] = {0.5, -0.0, 0.0, 3, -7.25, INFINITY, -INFINITY, 1e300};
    for (int kind = 0; kind < 3; kind++)
        for (int n = 0; n < MOST; n += 1 + n / 5)
            for (int reverse = 0; reverse <= 1; reverse++) {
                tsm_value items[MOST];
                uint32_t random = (uint32_t)(n + kind);
                for (int i = 0; i < n; i++) {
                    random = random * 1664525 + 1013904223;
                    items[i] = kind == 0 || (kind == 2 && random >> 31) ? tsm_int((int64_t)(random >> 24) - 128)
                                                                        : tsm_float(floats[random >> 25 & 7]);
                }
                tsm_list *l = list_of(&x, items, (size_t)n);
                check(
                    call(&x, "aten::sort.int", (tsm_value[]){tsm_of(TSM_TAG_LIST, l), tsm_bool(reverse)}, 2, NULL, 0));
                for (int i = 1; i < n; i++) /* the plainest sort that keeps the order of equal items */
                    for (int k = i; k > 0; k--) {
                        const tsm_value a = items[k - 1], b = items[k];
                        const double m = a.tag == TSM_TAG_INT ? (double)a.as.i : a.as.f;
                        const double o = b.tag == TSM_TAG_INT ? (double)b.as.i : b.as.f;
                        if (reverse ? o <= m : m <= o)
                            break;
                        items[k - 1] = b;
                        items[k] = a;
                    }
                for (int i = 0; i < n; i++) {
                    assert_int_equal(l->items[i].tag, items[i].tag);
                    assert_int_equal(l->items[i].as.i, items[i].as.i);
                }
                tsm_drop(&x, tsm_of(TSM_TAG_LIST, l));
            }
}

/* [a, b, c] * times */
static void test_repeated_lists(void **state) {
    (void)state;
    tsm_exec x;
    start(&x);
    const tsm_value text = make_text(&x, "text"), items[] = {text, tsm_int(1), tsm_float(2)};
    for (size_t n = 0; n <= 3; n++)
        for (int64_t times = 0; times < 20; times++) {
            tsm_value result, from = tsm_of(TSM_TAG_LIST, list_of(&x, items, n));
            check(call(&x, "aten::mul.left_t", (tsm_value[]){from, tsm_int(times)}, 2, &result, 1));
            const tsm_list *l = tsm_as_list(result);
            assert_int_equal(l->length, n * (size_t)times);
            for (uint32_t i = 0; i < l->length; i++)
                assert_true(tsm_plain_equal(l->items[i], items[i % n]));
            tsm_drop(&x, result);
            tsm_drop(&x, from);
            assert_int_equal(text.as.o->references, 1);
        }
    tsm_drop(&x, text);
}

static void test_tensor_items(void **state) {
    (void)state;
    tsm_exec x;
    start(&x);
    reader r = {&x, "[t\"float32\" [] [0x1p+1] t\"int64\" [1] [1] t\"float32\" [2] [0x1p+0 0x1p+0]]"};
    tsm_value list = read_value(&r), result;
    tsm_list *l = tsm_as_list(list);
    assert_int_equal(call(&x, "aten::count.Tensor", (tsm_value[]){list, l->items[1]}, 2, &result, 1), TSM_RAISED);
    assert_string_equal(message, "Boolean value of Tensor with more than one value is ambiguous");
    tsm_drop(&x, tsm_list_take(l, 2));
    check(call(&x, "aten::count.Tensor", (tsm_value[]){list, l->items[1]}, 2, &result, 1));
    assert_int_equal(result.as.i, 1);
    check(call(&x, "aten::sort.Tensor", (tsm_value[]){list, tsm_bool(false)}, 2, NULL, 0));
    assert_int_equal(tsm_as_tensor(l->items[0])->dtype, TSM_INT64);
    tsm_drop(&x, list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results),        cmocka_unit_test(test_full_buffers),
        cmocka_unit_test(test_enums),          cmocka_unit_test(test_tuples_and_optionals),
        cmocka_unit_test(test_raising),        cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_sort_is_stable), cmocka_unit_test(test_tensor_items),
        cmocka_unit_test(test_repeated_lists), cmocka_unit_test(test_sort_of_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
