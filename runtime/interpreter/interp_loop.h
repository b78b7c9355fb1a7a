/* The interpreter's loop. A template: RUN is the function's name, IS_LARGE whether it has all instructions or the SMALL
 * ones of opcodes.def; both are the includer's, and end here. */
static tsm_status RUN(tsm_instance *inst, uint32_t function, const tsm_value *arguments, uint32_t n,
                      tsm_value *result) {
#if TSM_COMPUTED_GOTO
#define LABEL_SMALL(NAME) label_##NAME
#if IS_LARGE
#define LABEL_LARGE(NAME) label_##NAME
#else
#define LABEL_LARGE(NAME) missing
#endif
    static const void *const labels[] = {
#define OP(NAME, since, operands, formula, loops) &&LABEL_##loops(NAME),
#include "runtime/interpreter/opcodes.def"
#undef OP
#undef LABEL_SMALL
#undef LABEL_LARGE
    };
    const void *const *table = labels;
    __asm__("" : "+r"(table)); /* so that it stays in a register */
#endif
    machine m = {.inst = inst, .x = &inst->exec, .result = {TSM_TAG_NONE, 0, {.i = 0}}};
    int64_t fuel = inst->exec.fuel;
    inst->names_class = false;
    tsm_status status = tsm_machine_push_frame(&m, function, TSM_FRAME_CALL, 0);
    const tsm_function *f = &inst->functions[function];
    for (uint32_t i = 0; i < n && status == TSM_OK; i++)
        status = tsm_machine_store(&m, f, inst->stack, f->parameters[i], tsm_hold(arguments[i]));
    if (status != TSM_OK) {
        while (m.depth)
            tsm_machine_pop_frame(&m);
        return status;
    }
    tsm_value *r;
    tsm_scalar *s;
    const tsmf_Instruction *pc;
    uint32_t at;
    tsm_value v;
#if defined(__OPTIMIZE_SIZE__)
    const tsm_value *from;
    uint32_t kind = 0;
    int64_t b = 0, c;
    bool stores; /* or it is decided by b whether to jump */
#if IS_LARGE
    double x = 0, y;
#endif
#else
    tsm_value made;
    const uint32_t *parts;
#endif
#if IS_LARGE
    int64_t divisor;
    tsm_value *slot;
#if !defined(__OPTIMIZE_SIZE__)
    tsm_dict_entry *found;
#endif
#endif

enter:
    tsm_machine_enter(&m);
    r = m.r;
    s = m.s;
    pc = m.f->code + m.frame->pc - 1;
    fuel -= (int64_t)m.f->length - m.frame->pc;
    if (fuel < 0)
        goto low_fuel;
next:
    NEXT;
#if !TSM_COMPUTED_GOTO
dispatch:
    switch (pc->op) {
#endif

        CASE(LOADC) : SET_BORROWED(m.inst->constants[D]);
        BINARY(LOADC_S, INT, m.inst->constants[D].as.i)
        BINARY(LOADI, INT, SIGNED_D)
        BINARY(LOADB, INT, B != 0)
        CASE(MOVE) : SET_FROM_ANY(B);
        CASE(MOVE_S) : {
            if (B >= m.f->values) {
                s[A] = s[B];
                NEXT;
            }
            SET_SCALAR(r[B]);
        }
        CASE(TAKE) : {
            v = r[B];
            r[B].tag = TSM_TAG_NONE;
            goto set_value;
        }
        CASE(DROP) : {
            empty_value(&m, &r[A]);
            NEXT;
        }

        INT_CASES(INT_LIST)
        LITERAL_LIST(LITERAL_CASE)
        BINARY(NOT_B, INT, !INT(B))

        BRANCH(JMP, true)
        BRANCH(JT, INT(A))
        BRANCH(JF, !INT(A))
        COMPARE_LIST(COMPARE_CASE)
        COMPARE_LITERAL_LIST(COMPARE_LITERAL_CASE)
        BRANCH(JNONE, r[A].tag == TSM_TAG_NONE)
        BRANCH(JNOTNONE, r[A].tag != TSM_TAG_NONE)
        CASE(LOOP) : {
            const int64_t next = INT(A) = WRAP(INT(A), +, 1);
            if (next < INT(B))
                JUMP(SIGNED_C);
            NEXT;
        }
        CASE(CALL) : {
            CHECK(tsm_machine_push_call(&m, A, TSM_FRAME_CALL, LIST(D)));
            SUSPEND;
            goto enter;
        }
        CASE(RET) : {
            bool done;
            SUSPEND;
            if (fuel < 0)
                goto out_of_fuel;
            status = tsm_machine_leave(&m, tsm_machine_take_word(&m, LIST(D)[2]), &done);
            if (status != TSM_OK)
                goto unwind;
            if (done)
                goto finished;
            goto enter;
        }
        CASE(RAISE) : FAIL(tsm_machine_raise(&m, LIST(D) + 2));

        CASE(OP) : {
#if IS_LARGE && !defined(__OPTIMIZE_SIZE__)
            const tsm_operator *called = m.inst->operators[A];
            if (called->on_registers && (called->result_tag ? tsm_machine_run_on_registers(&m, called, LIST(D))
                                                            : tsm_machine_run_on_values(&m, called, LIST(D))))
                NEXT;
#endif
            m.frame->pc = (uint32_t)(pc + 1 - m.f->code); /* callbacks of the profile ask for the place */
            CHECK(tsm_machine_run_operator(&m, A, LIST(D)));
            NEXT;
        }

        BINARY(IS_NONE, INT, ANY(B).tag == TSM_TAG_NONE)
        BINARY(NOT_NONE, INT, ANY(B).tag != TSM_TAG_NONE)

        CASE(LIST_CONSTRUCT) : {
            CHECK(tsm_machine_construct_list(&m, LIST(D), &MADE));
            SET_VALUE(MADE);
        }
        CASE(LIST_UNPACK) : {
            CHECK(tsm_machine_unpack(&m, TSM_TAG_LIST, r[A], LIST(D)));
            NEXT;
        }
        CASE(LEN) : CASE(LIST_LEN) : { /* all of them have their length at one place */
            if (!(1u << r[B].tag & (1u << TSM_TAG_LIST | 1u << TSM_TAG_DICT | 1u << TSM_TAG_STR)))
                goto wrong_type;
            INT(A) = tsm_as_list(r[B])->length;
            NEXT;
        }
#define FIND_IN_LIST                                                                                                   \
    EXPECT(B, LIST);                                                                                                   \
    if (UNLIKELY(!position(INT(C), tsm_as_list(r[B])->length, &at)))                                                   \
    goto bad_index
        FETCH_NUMBER(LIST_GET, FIND_IN_LIST, tsm_as_list(r[B])->items[at])
        PEEK(LIST_PEEK, FIND_IN_LIST, tsm_as_list(r[B])->items[at])
        FETCH(LIST_GET, FIND_IN_LIST, tsm_as_list(r[B])->items[at])

        CASE(TUPLE_CONSTRUCT) : {
            CHECK(tsm_machine_construct_tuple(&m, LIST(D), 0, &MADE));
            SET_VALUE(MADE);
        }
#define FIND_IN_TUPLE                                                                                                  \
    EXPECT(B, TUPLE);                                                                                                  \
    if (UNLIKELY(C >= tsm_as_tuple(r[B])->length))                                                                     \
    goto wrong_type
        FETCH_NUMBER(TUPLE_GET, FIND_IN_TUPLE, tsm_as_tuple(r[B])->items[C])
        FETCH(TUPLE_GET, FIND_IN_TUPLE, tsm_as_tuple(r[B])->items[C])
        CASE(TUPLE_UNPACK) : {
#if !defined(__OPTIMIZE_SIZE__)
            if (unpacked(&m, r[A], LIST(D)))
                NEXT;
#endif
            CHECK(tsm_machine_unpack(&m, TSM_TAG_TUPLE, r[A], LIST(D)));
            NEXT;
        }

        CASE(GUARD) : {
            CHECK(tsm_machine_guard(&m, LIST(D), &INT(A)));
            NEXT;
        }

#if IS_LARGE
        INT_CASES(LARGE_INT_LIST)
        LITERAL_CASE(MULK_I, MUL_I, WRAP(b, *, c))
        CASE(FLOORDIV_I) : {
            divisor = INT(C);
            if (!divisor)
                FAIL(TSM_RAISE(m.x, "division by 0"));
            goto floor_divide;
        }
        CASE(REM_I) : {
            divisor = INT(C);
            if (!divisor)
                FAIL(TSM_RAISE(m.x, "integer modulo by zero"));
            goto remainder;
        }
        CASE(FLOORDIVK_I) : {
            divisor = C;
            SHIFT_OR_GO_ON(INT(B) >> __builtin_ctz(C));
            goto floor_divide;
        }
        CASE(REMK_I) : {
            divisor = C;
            SHIFT_OR_GO_ON(INT(B) & (divisor - 1));
            goto remainder;
        }
        BINARY(NEG_I, INT, WRAP(0, -, INT(B)))
        BINARY(DIV_I, FLOAT, (double)INT(B) / (double)INT(C))
        BINARY(I2F, FLOAT, (double)INT(B))

        FLOAT_CASES(FLOAT_LIST)
        BINARY(NEG_F, FLOAT, -FLOAT(B))
        FLOAT_COMPARE_CASES(FLOAT_COMPARE_LIST)
        BINARY(F2I, INT, to_int(FLOAT(B)))

        BINARY(B2I, INT, INT(B))
        BINARY(I2B, INT, INT(B) != 0)

        FLOAT_JUMP_CASES(FLOAT_JUMP_LIST)
        CASE(ADD_I_LOOP) : {
            const int64_t *left = &INT(B), *right = &INT(C), *limit = &INT(pc[1].b);
            int64_t *sum = &INT(A), *counter = &INT(pc[1].a);
            do {
                *sum = WRAP(*left, +, *right);
                *counter = WRAP(*counter, +, 1);
                if (*counter >= *limit) {
                    pc++;
                    NEXT;
                }
            } while ((fuel -= 2) >= 0);
            pc--;
            goto low_fuel;
        }
        CASE(INTERFACE_CALL) : {
            uint32_t target = 0;
            CHECK(tsm_machine_find_method(&m, tsm_machine_read_word(&m, LIST(D)[2]), A, &target));
            CHECK(tsm_machine_push_call(&m, target, TSM_FRAME_CALL, LIST(D)));
            SUSPEND;
            goto enter;
        }
        CASE(FORK) : {
            CHECK(tsm_machine_push_call(&m, A, TSM_FRAME_FORK, LIST(D)));
            SUSPEND;
            goto enter;
        }
        CASE(WAIT) : {
            CHECK(tsm_machine_wait_for(&m, r[B], &MADE));
            SET_VALUE(MADE);
        }

        CASE(PRINT) : {
            CHECK(tsm_machine_print_values(&m, LIST(D)));
            NEXT;
        }
        CASE(WARN) : {
            CHECK(tsm_machine_warn(&m, A, LIST(D)));
            NEXT;
        }
        CASE(UNWRAP) : {
            if (r[B].tag == TSM_TAG_NONE)
                FAIL(TSM_RAISE(m.x, "Unwrapping null optional"));
            SET_BORROWED(r[B]);
        }

        CASE(ISINSTANCE) : {
            v = ANY(B);
            CHECK(tsm_machine_is_any_of(&m, v, LIST(C), &INT(A)));
            NEXT;
        }
        BINARY(IS, INT, tsm_values_identical(ANY(B), ANY(C)))

#define FIND_ITEM_TO_SET                                                                                               \
    EXPECT(A, LIST);                                                                                                   \
    if (UNLIKELY(!position(INT(B), tsm_as_list(r[A])->length, &at)))                                                   \
        goto bad_index;                                                                                                \
    slot = &tsm_as_list(r[A])->items[at]
        STORE_NUMBER(LIST_SET, FIND_ITEM_TO_SET)
        CASE(LIST_SET) : {
            FIND_ITEM_TO_SET;
            goto set_slot;
        }
        CASE(LIST_POP) : {
            EXPECT(B, LIST);
            tsm_list *l = tsm_as_list(r[B]);
            if (!l->length)
                FAIL(TSM_RAISE(m.x, "pop from empty list"));
            if (!position(INT(C), l->length, &at))
                goto bad_index;
            CHECK(machine_charge_many(&m, l->length - at)); /* those behind it move */
            v = tsm_list_take(l, at);
            goto set_owned;
        }
        CASE(LIST_APPEND) : {
            EXPECT(A, LIST);
            tsm_list *l = tsm_as_list(r[A]);
            if (l->length < l->capacity)
                l->items[l->length++] = tsm_hold(ANY(B));
            else
                CHECK(tsm_list_append(m.x, l, ANY(B)));
            NEXT;
        }

        CASE(NAMED_TUPLE_CONSTRUCT) : {
            CHECK(tsm_machine_construct_tuple(&m, LIST(C), B + 1u, &MADE));
            SET_VALUE(MADE);
        }
        CASE(TUPLE_INDEX) : {
            EXPECT(B, TUPLE);
            if (!position(INT(C), tsm_as_tuple(r[B])->length, &at))
                FAIL(TSM_RAISE(m.x, "Tuple list index out of range"));
            SET_BORROWED(tsm_as_tuple(r[B])->items[at]);
        }
        CASE(TUPLE_SLICE) : {
            CHECK(tsm_machine_slice_tuple(&m, r[B], LIST(C), &MADE));
            SET_VALUE(MADE);
        }

        CASE(DICT_CONSTRUCT) : {
            CHECK(tsm_machine_construct_dict(&m, LIST(D), &MADE));
            SET_VALUE(MADE);
        }
#define FIND_IN_DICT                                                                                                   \
    EXPECT(B, DICT);                                                                                                   \
    tsm_dict_entry *e = dict_entry(&m, r[B], C)
#define FIND_KEY                                                                                                       \
    FIND_IN_DICT;                                                                                                      \
    if (!e)                                                                                                            \
    goto missing_key
#define FIND_KEY_OR_GO_ON                                                                                              \
    FIND_IN_DICT;                                                                                                      \
    if (!e)                                                                                                            \
    NEXT
        PEEK(DICT_PEEK, FIND_KEY, e->item)
        FETCH_ENTRY(DICT_GET, FIND_KEY)
        FETCH_ENTRY(DICT_GET_OR, FIND_KEY_OR_GO_ON)
        CASE(DICT_SET) : {
            EXPECT(A, DICT);
            tsm_dict_entry *e = dict_entry(&m, r[A], B);
            if (e) {
                slot = &e->item;
                goto set_slot;
            }
            CHECK(tsm_dict_add(m.x, tsm_as_dict(r[A]), ANY(B), ANY(C)));
            NEXT;
        }
        CASE(DICT_HAS) : {
            FIND_IN_DICT;
            INT(A) = e != NULL;
#if !defined(__OPTIMIZE_SIZE__)
            const tsmf_Instruction *fetch = e ? fetch_of_found(pc) : NULL;
            if (fetch) {
                fuel += fetch - (pc + 2);
                pc = fetch;
                found = e;
                goto fetch_found;
            }
#endif
            NEXT;
        }

        CASE(CREATE_OBJECT) : {
            tsm_object *object;
            CHECK(tsm_make_object(m.x, D, tsmf_Type_elements_len(tsmf_Program_types(m.inst->root, D)), &object));
            SET_VALUE(tsm_of(TSM_TAG_OBJECT, object));
        }
#define FIND_SLOT                                                                                                      \
    slot = slot_of(r[B], C);                                                                                           \
    if (UNLIKELY(!slot))                                                                                               \
    goto wrong_type
        PEEK(ATTR_PEEK, FIND_SLOT, *slot)
        FETCH_NUMBER(GET_ATTR, FIND_SLOT, *slot)
        FETCH(GET_ATTR, FIND_SLOT, *slot)
#define FIND_SLOT_TO_SET                                                                                               \
    slot = slot_of(r[A], B);                                                                                           \
    if (UNLIKELY(!slot))                                                                                               \
    goto wrong_type
        STORE_NUMBER(SET_ATTR, FIND_SLOT_TO_SET)
        CASE(SET_ATTR) : {
            FIND_SLOT_TO_SET;
            goto set_slot;
        }

        CASE(STR_BYTE) : {
            EXPECT(B, STR);
            if (UNLIKELY(!position(INT(C), tsm_as_str(r[B])->length, &at)))
                goto no_letter;
            SET_INT((uint8_t)tsm_as_str(r[B])->text[at]);
        }
        CASE(STR_GET) : {
            EXPECT(B, STR);
            if (UNLIKELY(!position(INT(C), tsm_as_str(r[B])->length, &at)))
                goto no_letter;
            CHECK(tsm_make_str(m.x, tsm_as_str(r[B])->text + at, 1, &MADE));
            SET_VALUE(MADE);
        }
        CASE(CMP_STR) : {
#if !defined(__OPTIMIZE_SIZE__)
            if (ordered(r[B], r[C], &INT(A)))
                NEXT;
#endif
            CHECK(tsm_machine_compare_strings(&m, r[B], r[C], &INT(A)));
            NEXT;
        }
#endif
#if !TSM_COMPUTED_GOTO
#if !IS_LARGE
    default:
        goto missing;
#endif
    }
#endif

#if IS_LARGE && !defined(__OPTIMIZE_SIZE__)
fetch_found:
    if (pc->op != TSM_OPCODE_DICT_GET_S) {
        v = found->item;
        if (pc->op == TSM_OPCODE_DICT_PEEK)
            goto peek;
        SET_VALUE(tsm_hold(v));
    }
number_of_found:
    if (UNLIKELY(found->item.tag != tsm_machine_scalar_tag(m.f, A)))
        goto wrong_type;
    INT(A) = payload_of(&found->item);
    if (added_in_place(found, pc, s))
        pc += 2;
    NEXT;
#endif
#if defined(__OPTIMIZE_SIZE__)
literal:
    c = SIGNED_C;
with_c:
    b = INT(B);
    stores = true;
    goto calculate;
compare:
    c = INT(B);
    goto with_a;
compare_literal:
    c = SIGNED_B;
with_a:
    b = INT(A);
    stores = false;
calculate:
    OPAQUE(kind);
    switch (kind) {
        INT_LIST(INT_VALUE)
        FURTHER_LITERAL_LIST(INT_VALUE)
#if IS_LARGE
        LARGE_INT_LIST(INT_VALUE)
#endif
    }
#if IS_LARGE
store_or_jump:
#endif
    OPAQUE(stores);
    if (stores)
        goto set_int;
    if (b)
        JUMP(SIGNED_C);
    NEXT;
jump:
    JUMP(SIGNED_D);
#if IS_LARGE
calculate_floats:
    switch (pc->op) { FLOAT_LIST(FLOAT_VALUE) }
set_float:
    FLOAT(A) = x;
    NEXT;
compare_floats:
    switch (pc->op) { FLOAT_COMPARE_LIST(INT_VALUE) FLOAT_JUMP_LIST(INT_VALUE) }
    goto store_or_jump;
#endif

set_int:
    INT(A) = b;
    NEXT;
set_any: /* a scalar has no count, and what a damaged file has in its place stays until the instance ends */
    if (A >= m.f->values)
        goto set_scalar;
set_borrowed:
    v = *from;
    tsm_hold(v);
#endif
set_value : {
    tsm_value old = r[A];
    r[A] = v;
    tsm_drop(m.x, old);
    NEXT;
}
#if !defined(__OPTIMIZE_SIZE__)
peek:
    if (peeked(&m, v, A, pc + 1, s, IS_LARGE)) {
        pc += 2;
        NEXT;
    }
    parts = taken_apart(&m, v, A, pc + 1);
    if (parts && unpacked(&m, v, parts)) {
        pc += 2;
        NEXT;
    }
    SET_VALUE(tsm_hold(v));
#endif
#if IS_LARGE
set_owned:
    if (A >= m.f->values)
        SET_SCALAR(v);
    goto set_value;
set_slot:
#if !defined(__OPTIMIZE_SIZE__)
    if (C >= m.f->values && slot->tag == tsm_machine_scalar_tag(m.f, C)) {
        slot->as.i = INT(C);
        NEXT;
    }
#endif
    v = *slot;
    *slot = tsm_hold(ANY(C));
    tsm_drop(m.x, v);
    NEXT;
#endif
set_scalar:
    if (SCALAR.tag != tsm_machine_scalar_tag(m.f, A))
        goto wrong_type;
    INT(A) = SCALAR.tag == TSM_TAG_BOOL ? SCALAR.as.b : SCALAR.as.i;
    NEXT;

#if IS_LARGE
floor_divide:
    INT(A) = floor_div(INT(B), divisor);
    NEXT;
remainder:
    INT(A) = floor_rem(INT(B), divisor);
    NEXT;

#else
missing:
    FAIL(tsm_fail(m.x, TSM_UNSUPPORTED, "operators.c was made for programs without instruction %u: make it again",
                  pc->op));
#endif

wrong_type:
    FAIL(tsm_machine_wrong_tag(&m));
#if IS_LARGE
no_letter:
    FAIL(tsm_machine_no_letter(&m, r[B], INT(C)));
missing_key:
    FAIL(tsm_machine_missing_key(&m, ANY(C)));
#endif
bad_index:
    FAIL(TSM_RAISE(m.x, "list index out of range"));
failed:
    SUSPEND;
unwind:
    status = tsm_machine_unwind(&m, status);
    if (status == TSM_OK)
        goto enter;
finished:
    tsm_plan_end(m.inst);
    m.inst->instructions = (uint64_t)(m.x->fuel - fuel);
    *result = m.result;
    return status;

low_fuel:
    if (FUEL_LEFT >= 0)
        goto next;
    SUSPEND;
out_of_fuel:
    status = tsm_machine_out_of_fuel(m.x);
    goto unwind;
}
#undef RUN
#undef IS_LARGE
