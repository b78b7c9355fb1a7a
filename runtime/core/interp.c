/* The interpreter: one loop over the instructions of opcodes.def, no recursion in C.
 *
 * What the verifier has proved (program.c) is not checked again: opcodes, registers and their runs, constants, jumps, the shapes of
 * operand lists. What it cannot prove is checked where it is used: tags of values in value registers, slots of objects, depth. */
#include <math.h>
#include <string.h>

#include "runtime/core/machine.h"

/* ---- Instructions that are too long for the loop ---- */

/* RAISE: the message, and the exception's class when it is known. */
static tsm_status raise(machine *m, const uint32_t *words) {
    tsm_value message = read_word(m, words[0]), kind = read_word(m, words[1]);
    if (message.tag != TSM_TAG_STR || (kind.tag != TSM_TAG_STR && kind.tag != TSM_TAG_NONE))
        return wrong_tag(m);
    const tsm_str *text = tsm_as_str(message);
    if (kind.tag == TSM_TAG_NONE)
        return TSM_RAISE(m->x, "%.*s", (int)text->length, text->text);
    m->inst->names_class = true;
    const tsm_str *name = tsm_as_str(kind);
    return TSM_RAISE(m->x, "%.*s: %.*s", (int)name->length, name->text, (int)text->length, text->text);
}

static tsm_status print_values(machine *m, const uint32_t *list) {
    tsm_text t = {0};
    tsm_status status = TSM_OK;
    for (uint32_t i = 0; i < list[0] && status == TSM_OK; i++) {
        if (i)
            status = tsm_text_add(m->x, &t, " ", 1);
        if (status == TSM_OK)
            status = tsm_text_add_value(m->x, &t, read_word(m, list[2 + i]));
    }
    if (status == TSM_OK)
        status = tsm_text_add(m->x, &t, "\n", 1);
    if (status == TSM_OK)
        tsm_print(m->x, t.text, t.length);
    tsm_text_free(m->x, &t);
    drop_last_uses(m, list + 2, list[0]);
    return status;
}

/* Each WARN site speaks once. */
static tsm_status warn(machine *m, uint32_t site, const uint32_t *list) {
    tsm_value text = read_word(m, list[2]);
    if (text.tag != TSM_TAG_STR)
        return wrong_tag(m);
    if (!m->inst->warned[site]) {
        m->inst->warned[site] = 1;
        tsm_warn(m->x, tsm_as_str(text)->text, tsm_as_str(text)->length);
    }
    drop_last_uses(m, list + 2, list[0]);
    return TSM_OK;
}

static tsm_status construct_list(machine *m, const uint32_t *list, tsm_value *out) {
    tsm_list *l;
    uint32_t n = list[0];
    TSM_TRY(tsm_make_list(m->x, n, &l));
    tsm_set_type(&l->header, list[2 + n]);
    for (uint32_t i = 0; i < n; i++)
        l->items[i] = take_word(m, list[2 + i]);
    l->length = n;
    *out = tsm_of(TSM_TAG_LIST, l);
    return TSM_OK;
}

static tsm_status construct_tuple(machine *m, const uint32_t *list, uint32_t type, tsm_value *out) {
    tsm_tuple *t;
    TSM_TRY(tsm_make_tuple(m->x, list[0], type, &t));
    for (uint32_t i = 0; i < list[0]; i++)
        t->items[i] = take_word(m, list[2 + i]);
    *out = tsm_of(TSM_TAG_TUPLE, t);
    return TSM_OK;
}

static tsm_status construct_dict(machine *m, const uint32_t *list, tsm_value *out) {
    tsm_dict *d;
    uint32_t n = list[0];
    TSM_TRY(tsm_make_dict(m->x, n / 2, &d));
    tsm_set_type(&d->header, list[2 + n]);
    tsm_status status = TSM_OK;
    for (uint32_t i = 0; i < n && status == TSM_OK; i += 2)
        status = tsm_dict_put(m->x, d, read_word(m, list[2 + i]), read_word(m, list[3 + i]));
    *out = tsm_of(TSM_TAG_DICT, d);
    if (status != TSM_OK)
        tsm_drop(m->x, *out);
    else
        drop_last_uses(m, list + 2, n);
    return status;
}

static tsm_status unpack(machine *m, uint32_t tag, tsm_value v, const uint32_t *list) {
    if (v.tag != tag)
        return wrong_tag(m);
    uint32_t n = list[1], have = tag == TSM_TAG_LIST ? tsm_as_list(v)->length : tsm_as_tuple(v)->length;
    const tsm_value *items = tag == TSM_TAG_LIST ? tsm_as_list(v)->items : tsm_as_tuple(v)->items;
    if (have != n)
        return TSM_RAISE(m->x, "Expected %u elements in a list but found %u", n, have);
    tsm_hold(v); /* one of the results may take v's register */
    tsm_status status = TSM_OK;
    for (uint32_t i = 0; i < n && status == TSM_OK; i++)
        status = store_top(m, list[2 + i], tsm_hold(items[i]));
    tsm_drop(m->x, v);
    return status;
}

static tsm_status slice_tuple(machine *m, tsm_value v, const uint32_t *list, tsm_value *out) {
    if (v.tag != TSM_TAG_TUPLE || list[2] > list[3] || list[3] > tsm_as_tuple(v)->length)
        return wrong_tag(m);
    tsm_tuple *t;
    TSM_TRY(tsm_make_tuple(m->x, list[3] - list[2], 0, &t));
    for (uint32_t i = 0; i < t->length; i++)
        t->items[i] = tsm_hold(tsm_as_tuple(v)->items[list[2] + i]);
    *out = tsm_of(TSM_TAG_TUPLE, t);
    return TSM_OK;
}

static bool is_any_of(const machine *m, tsm_value v, const uint32_t *list) {
    for (uint32_t i = 0; i < list[0]; i++)
        if (tsm_value_is(m->inst, v, list[2 + i]))
            return true;
    return false;
}

/* Position i of n items, negative ones from the end; false when outside. */
static inline bool position(int64_t i, uint32_t n, uint32_t *at) {
    i += i < 0 ? n : 0;
    *at = (uint32_t)i;
    return i >= 0 && i < n;
}

/* *out is borrowed. */
static tsm_status dict_lookup(machine *m, tsm_value d, tsm_value key, tsm_value *out) {
    if (d.tag != TSM_TAG_DICT)
        return wrong_tag(m);
    const tsm_dict_entry *e = tsm_dict_find(tsm_as_dict(d), key);
    if (e) {
        *out = e->item;
        return TSM_OK;
    }
    tsm_text t = {0};
    tsm_status status = tsm_text_add_value(m->x, &t, key);
    status = status == TSM_OK ? TSM_RAISE(m->x, "KeyError: %.*s", (int)t.length, t.text) : status;
    tsm_text_free(m->x, &t);
    return status;
}

static tsm_status wait_for(machine *m, tsm_value v, tsm_value *out) {
    if (v.tag != TSM_TAG_FUTURE)
        return wrong_tag(m);
    const tsm_future *f = tsm_as_future(v);
    if (f->failed)
        return TSM_RAISE(m->x, "%.*s", (int)tsm_as_str(f->value)->length, tsm_as_str(f->value)->text);
    *out = tsm_hold(f->value);
    return TSM_OK;
}

/* A slot of an object, NULL when there is none. */
static inline tsm_value *slot_of(tsm_value v, uint32_t slot) {
    return v.tag == TSM_TAG_OBJECT && slot < tsm_as_object(v)->length ? &tsm_as_object(v)->slots[slot] : NULL;
}

/* ---- Arithmetic ---- */

/* 64-bit arithmetic that wraps around. */
#define WRAP(a, op, b) ((int64_t)((uint64_t)(a)op(uint64_t)(b)))

static inline int64_t floor_div(int64_t a, int64_t b) {
    if (b == -1)
        return WRAP(0, -, a);
    int64_t q = a / b;
    return q - (a % b && (a < 0) != (b < 0));
}

static inline int64_t floor_rem(int64_t a, int64_t b) {
    if (b == -1)
        return 0;
    int64_t rest = a % b;
    return rest + (rest && (rest < 0) != (b < 0) ? b : 0);
}

/* int(float) as the machine of the oracle does it: what does not fit is the most negative number. */
static inline int64_t to_int(double v) { return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN; }

/* ---- The loop ---- */

#if defined(__GNUC__) && !defined(TSM_SWITCH_DISPATCH)
#define TSM_COMPUTED_GOTO 1
#else
#define TSM_COMPUTED_GOTO 0
#endif

/* `pc` stands at the instruction being executed. */
#if TSM_COMPUTED_GOTO
#pragma GCC diagnostic ignored "-Wpedantic" /* labels as values */
#define CASE(NAME) label_##NAME
#define DISPATCH goto *labels[pc->op]
#else
#define CASE(NAME) case TSM_OPCODE_##NAME
#define DISPATCH goto dispatch
#endif
#define NEXT                                                                                                                 \
    do {                                                                                                                     \
        pc++;                                                                                                                \
        DISPATCH;                                                                                                            \
    } while (0)

/* Operands. D lies in b and c: four bytes at a multiple of four, since a vector's elements follow its 32-bit length. */
#define A (pc->a)
#define B (pc->b)
#define C (pc->c)
#define SIGNED_B ((int16_t)pc->b)
#define SIGNED_C ((int16_t)pc->c)
#define D ((uint32_t)pc->b | (uint32_t)pc->c << 16)
#define SIGNED_D ((int32_t)D)
#define LIST(at) (m.f->operands + (at))
#define INT(reg) s[reg].i
#define FLOAT(reg) s[reg].f
#define ANY(reg) read_register(&m, reg)

#define FAIL(call)                                                                                                           \
    do {                                                                                                                     \
        status = (call);                                                                                                     \
        goto failed;                                                                                                         \
    } while (0)
#define CHECK(call)                                                                                                          \
    do {                                                                                                                     \
        status = (call);                                                                                                     \
        if (status != TSM_OK)                                                                                                \
            goto failed;                                                                                                     \
    } while (0)

/* Executed instructions are counted without a cost for each: at any time, fuel minus the position of pc is what is left. Straight
 * code makes pc grow; only jumps, calls and returns adjust fuel. It is looked at in jumps and calls, so a function may run past
 * the limit by its own length. */
#define JUMP(offset)                                                                                                         \
    do {                                                                                                                     \
        int32_t offset_ = (offset);                                                                                          \
        pc += offset_ + 1;                                                                                                   \
        if ((fuel += offset_) < 0)                                                                                           \
            goto out_of_fuel;                                                                                                \
        DISPATCH;                                                                                                            \
    } while (0)
/* Behind the instruction at pc the top frame stands still: another one runs, or none. */
#define SUSPEND                                                                                                              \
    do {                                                                                                                     \
        m.frame->pc = (uint32_t)(pc + 1 - m.f->code);                                                                        \
        fuel -= m.frame->pc;                                                                                                 \
    } while (0)

/* Puts an owned value into value register a; a borrowed one's payload into scalar register a. The tails are shared: code size. */
#define SET_VALUE(source)                                                                                                    \
    do {                                                                                                                     \
        v = (source);                                                                                                        \
        goto set_value;                                                                                                      \
    } while (0)
#define SET_SCALAR(source)                                                                                                   \
    do {                                                                                                                     \
        v = (source);                                                                                                        \
        goto set_scalar;                                                                                                     \
    } while (0)
#define EXPECT(i, TAG)                                                                                                       \
    if (r[i].tag != TSM_TAG_##TAG)                                                                                           \
    goto wrong_type
#define BINARY(NAME, ACCESS, expression)                                                                                     \
    CASE(NAME) : {                                                                                                           \
        ACCESS(A) = (expression);                                                                                            \
        NEXT;                                                                                                                \
    }
#define BRANCH(NAME, condition, offset)                                                                                      \
    CASE(NAME) : {                                                                                                           \
        if (condition)                                                                                                       \
            JUMP(offset);                                                                                                    \
        NEXT;                                                                                                                \
    }

tsm_status tsm_run(tsm_instance *inst, uint32_t function, const tsm_value *arguments, uint32_t n, tsm_value *result) {
#if TSM_COMPUTED_GOTO
    static const void *const labels[] = {
#define OP(NAME, operands, formula) &&label_##NAME,
#include "runtime/core/opcodes.def"
#undef OP
    };
#endif
    machine m = {.inst = inst, .x = &inst->exec, .result = {TSM_TAG_NONE, 0, {.i = 0}}};
    tsm_exec *const x = m.x;
    /* Half of the range is room for jumps forward, which give back what they skip. */
    const int64_t budget = inst->fuel && inst->fuel < INT64_MAX / 2 ? (int64_t)inst->fuel : INT64_MAX / 2;
    int64_t fuel = budget;
    inst->names_class = false;
    tsm_status status = push_frame(&m, function, TSM_FRAME_CALL, 0);
    const tsm_function *f = &inst->functions[function];
    for (uint32_t i = 0; i < n && status == TSM_OK; i++)
        status = store(&m, f, inst->stack, f->parameters[i], tsm_hold(arguments[i]));
    if (status != TSM_OK) {
        while (m.depth)
            pop_frame(&m);
        return status;
    }
    tsm_value *r;
    tsm_scalar *s;
    const tsmf_Instruction *pc;
    uint32_t at;
    tsm_value v;

enter:
    machine_enter(&m);
    r = m.r;
    s = m.s;
    pc = m.f->code + m.frame->pc;
    fuel += m.frame->pc;
    if (fuel - (int64_t)m.frame->pc < 0)
        goto out_of_fuel;
#if TSM_COMPUTED_GOTO
    DISPATCH;
#else
dispatch:
    switch (pc->op) {
#endif

    CASE(LOADC) : SET_VALUE(tsm_hold(inst->constants[D]));
    BINARY(LOADC_S, INT, inst->constants[D].as.i)
    BINARY(LOADI, INT, SIGNED_D)
    BINARY(LOADB, INT, B != 0)
    CASE(MOVE) : SET_VALUE(tsm_hold(ANY(B)));
    CASE(MOVE_S) : {
        if (B >= m.f->values) {
            s[A] = s[B];
            NEXT;
        }
        SET_SCALAR(r[B]);
    }
    CASE(TAKE) : {
        v = r[B];
        r[B] = tsm_none();
        SET_VALUE(v);
    }
    CASE(DROP) : SET_VALUE(tsm_none());

    BINARY(ADD_I, INT, WRAP(INT(B), +, INT(C)))
    BINARY(SUB_I, INT, WRAP(INT(B), -, INT(C)))
    BINARY(MUL_I, INT, WRAP(INT(B), *, INT(C)))
    BINARY(ADDK_I, INT, WRAP(INT(B), +, (int64_t)SIGNED_C))
    BINARY(MULK_I, INT, WRAP(INT(B), *, (int64_t)SIGNED_C))
    CASE(FLOORDIV_I) : {
        if (!INT(C))
            FAIL(TSM_RAISE(x, "division by 0"));
        INT(A) = floor_div(INT(B), INT(C));
        NEXT;
    }
    CASE(REM_I) : {
        if (!INT(C))
            FAIL(TSM_RAISE(x, "integer modulo by zero"));
        INT(A) = floor_rem(INT(B), INT(C));
        NEXT;
    }
    CASE(FLOORDIVK_I) : {
        int64_t k = SIGNED_C, q = INT(B) / k;
        INT(A) = q - (INT(B) % k < 0);
        NEXT;
    }
    CASE(REMK_I) : {
        int64_t k = SIGNED_C, rest = INT(B) % k;
        INT(A) = rest < 0 ? rest + k : rest;
        NEXT;
    }
    BINARY(NEG_I, INT, WRAP(0, -, INT(B)))
    BINARY(AND_I, INT, INT(B) & INT(C))
    BINARY(OR_I, INT, INT(B) | INT(C))
    BINARY(XOR_I, INT, INT(B) ^ INT(C))
    BINARY(MIN_I, INT, INT(B) < INT(C) ? INT(B) : INT(C))
    BINARY(MAX_I, INT, INT(B) > INT(C) ? INT(B) : INT(C))
    BINARY(EQ_I, INT, INT(B) == INT(C))
    BINARY(NE_I, INT, INT(B) != INT(C))
    BINARY(LT_I, INT, INT(B) < INT(C))
    BINARY(LE_I, INT, INT(B) <= INT(C))
    BINARY(EQK_I, INT, INT(B) == SIGNED_C)
    BINARY(NEK_I, INT, INT(B) != SIGNED_C)
    BINARY(LTK_I, INT, INT(B) < SIGNED_C)
    BINARY(LEK_I, INT, INT(B) <= SIGNED_C)
    BINARY(GTK_I, INT, INT(B) > SIGNED_C)
    BINARY(GEK_I, INT, INT(B) >= SIGNED_C)
    BINARY(DIV_I, FLOAT, (double)INT(B) / (double)INT(C))
    BINARY(I2F, FLOAT, (double)INT(B))

    BINARY(ADD_F, FLOAT, FLOAT(B) + FLOAT(C))
    BINARY(SUB_F, FLOAT, FLOAT(B) - FLOAT(C))
    BINARY(MUL_F, FLOAT, FLOAT(B) * FLOAT(C))
    BINARY(DIV_F, FLOAT, FLOAT(B) / FLOAT(C))
    BINARY(NEG_F, FLOAT, -FLOAT(B))
    BINARY(EQ_F, INT, FLOAT(B) == FLOAT(C))
    BINARY(NE_F, INT, FLOAT(B) != FLOAT(C))
    BINARY(LT_F, INT, FLOAT(B) < FLOAT(C))
    BINARY(LE_F, INT, FLOAT(B) <= FLOAT(C))
    BINARY(F2I, INT, to_int(FLOAT(B)))

    BINARY(NOT_B, INT, !INT(B))
    BINARY(EQ_B, INT, INT(B) == INT(C))
    BINARY(NE_B, INT, INT(B) != INT(C))
    BINARY(B2I, INT, INT(B))
    BINARY(I2B, INT, INT(B) != 0)

    CASE(JMP) : JUMP(SIGNED_D);
    BRANCH(JT, INT(A), SIGNED_D)
    BRANCH(JF, !INT(A), SIGNED_D)
    BRANCH(JEQ_I, INT(A) == INT(B), SIGNED_C)
    BRANCH(JNE_I, INT(A) != INT(B), SIGNED_C)
    BRANCH(JLT_I, INT(A) < INT(B), SIGNED_C)
    BRANCH(JLE_I, INT(A) <= INT(B), SIGNED_C)
    BRANCH(JEQK_I, INT(A) == SIGNED_B, SIGNED_C)
    BRANCH(JNEK_I, INT(A) != SIGNED_B, SIGNED_C)
    BRANCH(JLTK_I, INT(A) < SIGNED_B, SIGNED_C)
    BRANCH(JGEK_I, INT(A) >= SIGNED_B, SIGNED_C)
    BRANCH(JLT_F, FLOAT(A) < FLOAT(B), SIGNED_C)
    BRANCH(JNLT_F, !(FLOAT(A) < FLOAT(B)), SIGNED_C)
    BRANCH(JNONE, r[A].tag == TSM_TAG_NONE, SIGNED_D)
    BRANCH(JNOTNONE, r[A].tag != TSM_TAG_NONE, SIGNED_D)
    CASE(LOOP) : {
        if (++INT(A) < INT(B))
            JUMP(SIGNED_C);
        NEXT;
    }
    CASE(CALL) : {
        CHECK(push_call(&m, A, TSM_FRAME_CALL, LIST(D)));
        SUSPEND;
        goto enter;
    }
    CASE(INTERFACE_CALL) : {
        uint32_t target = 0;
        CHECK(find_method(&m, read_word(&m, LIST(D)[2]), A, &target));
        CHECK(push_call(&m, target, TSM_FRAME_CALL, LIST(D)));
        SUSPEND;
        goto enter;
    }
    CASE(FORK) : {
        CHECK(push_call(&m, A, TSM_FRAME_FORK, LIST(D)));
        SUSPEND;
        goto enter;
    }
    CASE(RET) : {
        bool done;
        SUSPEND;
        status = leave(&m, take_word(&m, LIST(D)[2]), &done);
        if (status != TSM_OK ? !unwind(&m, status) : done)
            goto finished;
        goto enter;
    }
    CASE(WAIT) : {
        CHECK(wait_for(&m, r[B], &v));
        SET_VALUE(v);
    }
    CASE(RAISE) : FAIL(raise(&m, LIST(D) + 2));

    CASE(OP) : {
        CHECK(run_operator(&m, A, LIST(D)));
        NEXT;
    }
    CASE(PRINT) : {
        CHECK(print_values(&m, LIST(D)));
        NEXT;
    }
    CASE(WARN) : {
        CHECK(warn(&m, A, LIST(D)));
        NEXT;
    }

    BINARY(IS_NONE, INT, ANY(B).tag == TSM_TAG_NONE)
    BINARY(NOT_NONE, INT, ANY(B).tag != TSM_TAG_NONE)
    CASE(UNWRAP) : {
        if (r[B].tag == TSM_TAG_NONE)
            FAIL(TSM_RAISE(x, "Unwrapping null optional"));
        SET_VALUE(tsm_hold(r[B]));
    }
    BINARY(ISINSTANCE, INT, is_any_of(&m, ANY(B), LIST(C)))
    BINARY(IS, INT, tsm_values_identical(ANY(B), ANY(C)))

    CASE(LIST_CONSTRUCT) : {
        CHECK(construct_list(&m, LIST(D), &v));
        SET_VALUE(v);
    }
    CASE(LIST_UNPACK) : {
        CHECK(unpack(&m, TSM_TAG_LIST, r[A], LIST(D)));
        NEXT;
    }
    CASE(LIST_LEN) : {
        EXPECT(B, LIST);
        INT(A) = tsm_as_list(r[B])->length;
        NEXT;
    }
    CASE(LIST_GET) : {
        EXPECT(B, LIST);
        if (!position(INT(C), tsm_as_list(r[B])->length, &at))
            goto bad_index;
        SET_VALUE(tsm_hold(tsm_as_list(r[B])->items[at]));
    }
    CASE(LIST_GET_S) : {
        EXPECT(B, LIST);
        if (!position(INT(C), tsm_as_list(r[B])->length, &at))
            goto bad_index;
        SET_SCALAR(tsm_as_list(r[B])->items[at]);
    }
    CASE(LIST_SET) : {
        EXPECT(A, LIST);
        if (!position(INT(B), tsm_as_list(r[A])->length, &at))
            goto bad_index;
        tsm_value *item = &tsm_as_list(r[A])->items[at];
        v = *item;
        *item = tsm_hold(ANY(C));
        tsm_drop(x, v);
        NEXT;
    }
    CASE(LIST_APPEND) : {
        EXPECT(A, LIST);
        tsm_list *l = tsm_as_list(r[A]);
        if (l->length < l->capacity)
            l->items[l->length++] = tsm_hold(ANY(B));
        else
            CHECK(tsm_list_append(x, l, ANY(B)));
        NEXT;
    }

    CASE(TUPLE_CONSTRUCT) : {
        CHECK(construct_tuple(&m, LIST(D), 0, &v));
        SET_VALUE(v);
    }
    CASE(NAMED_TUPLE_CONSTRUCT) : {
        CHECK(construct_tuple(&m, LIST(C), B + 1u, &v));
        SET_VALUE(v);
    }
    CASE(TUPLE_GET) : {
        EXPECT(B, TUPLE);
        if (C >= tsm_as_tuple(r[B])->length)
            goto wrong_type;
        SET_VALUE(tsm_hold(tsm_as_tuple(r[B])->items[C]));
    }
    CASE(TUPLE_GET_S) : {
        EXPECT(B, TUPLE);
        if (C >= tsm_as_tuple(r[B])->length)
            goto wrong_type;
        SET_SCALAR(tsm_as_tuple(r[B])->items[C]);
    }
    CASE(TUPLE_INDEX) : {
        EXPECT(B, TUPLE);
        if (!position(INT(C), tsm_as_tuple(r[B])->length, &at))
            FAIL(TSM_RAISE(x, "Tuple list index out of range"));
        SET_VALUE(tsm_hold(tsm_as_tuple(r[B])->items[at]));
    }
    CASE(TUPLE_UNPACK) : {
        CHECK(unpack(&m, TSM_TAG_TUPLE, r[A], LIST(D)));
        NEXT;
    }
    CASE(TUPLE_SLICE) : {
        CHECK(slice_tuple(&m, r[B], LIST(C), &v));
        SET_VALUE(v);
    }

    CASE(DICT_CONSTRUCT) : {
        CHECK(construct_dict(&m, LIST(D), &v));
        SET_VALUE(v);
    }
    CASE(DICT_GET) : {
        CHECK(dict_lookup(&m, r[B], ANY(C), &v));
        SET_VALUE(tsm_hold(v));
    }
    CASE(DICT_GET_S) : {
        CHECK(dict_lookup(&m, r[B], ANY(C), &v));
        SET_SCALAR(v);
    }
    CASE(DICT_GET_OR) : {
        EXPECT(B, DICT);
        const tsm_dict_entry *e = tsm_dict_find(tsm_as_dict(r[B]), ANY(C));
        if (!e)
            NEXT;
        SET_VALUE(tsm_hold(e->item));
    }
    CASE(DICT_GET_OR_S) : {
        EXPECT(B, DICT);
        const tsm_dict_entry *e = tsm_dict_find(tsm_as_dict(r[B]), ANY(C));
        if (!e)
            NEXT;
        SET_SCALAR(e->item);
    }
    CASE(DICT_SET) : {
        EXPECT(A, DICT);
        CHECK(tsm_dict_put(x, tsm_as_dict(r[A]), ANY(B), ANY(C)));
        NEXT;
    }
    CASE(DICT_HAS) : {
        EXPECT(B, DICT);
        INT(A) = tsm_dict_find(tsm_as_dict(r[B]), ANY(C)) != NULL;
        NEXT;
    }

    CASE(CREATE_OBJECT) : {
        tsm_object *made;
        CHECK(tsm_make_object(x, D, tsmf_Type_elements_len(tsmf_Program_types(inst->root, D)), &made));
        SET_VALUE(tsm_of(TSM_TAG_OBJECT, made));
    }
    CASE(GET_ATTR) : {
        const tsm_value *slot = slot_of(r[B], C);
        if (!slot)
            goto wrong_type;
        SET_VALUE(tsm_hold(*slot));
    }
    CASE(GET_ATTR_S) : {
        const tsm_value *slot = slot_of(r[B], C);
        if (!slot)
            goto wrong_type;
        SET_SCALAR(*slot);
    }
    CASE(SET_ATTR) : {
        tsm_value *slot = slot_of(r[A], B);
        if (!slot)
            goto wrong_type;
        v = *slot;
        *slot = tsm_hold(ANY(C));
        tsm_drop(x, v);
        NEXT;
    }
#if !TSM_COMPUTED_GOTO
    }
#endif

set_value: {
    tsm_value old = r[A];
    r[A] = v;
    tsm_drop(x, old);
    NEXT;
}
set_scalar:
    if (v.tag != scalar_tag(m.f, A))
        goto wrong_type;
    INT(A) = v.tag == TSM_TAG_BOOL ? v.as.b : v.as.i;
    NEXT;

wrong_type:
    FAIL(wrong_tag(&m));
bad_index:
    FAIL(TSM_RAISE(x, "list index out of range"));
out_of_fuel:
    /* What an exit of a `with` may still use when it unwinds is its straight code. */
    status = tsm_fail(x, TSM_OUT_OF_FUEL, "the limit on executed instructions was reached");

failed:
    SUSPEND;
    if (unwind(&m, status))
        goto enter;
finished:
    inst->instructions = (uint64_t)(budget - fuel);
    if (m.pending != TSM_OK)
        return m.pending;
    *result = m.result;
    return TSM_OK;
}
