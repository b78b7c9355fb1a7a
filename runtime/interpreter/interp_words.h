/* The words of which the interpreter's loop is written (interp_loop.h): operands, arithmetic, and what ends an
 * instruction. */
#ifndef TSM_INTERPRETER_INTERP_WORDS_H
#define TSM_INTERPRETER_INTERP_WORDS_H

#include "runtime/interpreter/machine.h"

/* ---- Operands ---- */

/* Position i of n items, negative ones from the end; false when outside. */
static inline bool position(int64_t i, uint32_t n, uint32_t *at) {
#if !defined(__OPTIMIZE_SIZE__)
    if (__builtin_expect((uint64_t)i < n, 1)) {
        *at = (uint32_t)i;
        return true;
    }
#endif
    i += i < 0 ? n : 0;
    *at = (uint32_t)i;
    return i >= 0 && i < n;
}

/* The entry of the key in a register, NULL when there is none. */
#if defined(__OPTIMIZE_SIZE__)
static inline tsm_dict_entry *dict_entry(const machine *m, tsm_value d, uint32_t key) {
    if (key >= m->f->values && key < m->f->ints)
        return tsm_dict_find_int(tsm_as_dict(d), m->s[key].i);
    return tsm_dict_find(tsm_as_dict(d), tsm_machine_read_register(m, key));
}
#else
static inline tsm_dict_entry *dict_entry(const machine *m, tsm_value v, uint32_t key) {
    tsm_dict *d = tsm_as_dict(v);
    if (key < m->f->values) {
        if (m->r[key].tag == TSM_TAG_STR)
            return tsm_dict_find_str(d, tsm_as_str(m->r[key]));
    } else if (key < m->f->ints) {
        const int64_t wanted = m->s[key].i;
        if (d->index) { /* the first place that is looked at holds the key, or nothing, in most cases */
            const uint32_t entry = d->index[tsm_dict_first_slot(d, tsm_dict_hash_int(wanted))];
            if (!entry)
                return NULL;
            if (tsm_dict_is_int_key(&d->entries[entry - 1], wanted))
                return &d->entries[entry - 1];
        }
        return tsm_dict_find_int(d, wanted);
    }
    return tsm_dict_find(d, tsm_machine_read_register(m, key));
}
#endif

/* A slot of an object, NULL when there is none. */
static inline tsm_value *slot_of(tsm_value v, uint32_t slot) {
    return v.tag == TSM_TAG_OBJECT && slot < tsm_as_object(v)->length ? &tsm_as_object(v)->slots[slot] : NULL;
}

#if !defined(__OPTIMIZE_SIZE__)
/* The tag that one of the forms for bools, ints and floats asks for, which stand side by side; 0 for another opcode. */
static inline uint32_t kind_asked(uint32_t op, uint32_t of_bools) {
    return op - of_bools < 3 ? op - of_bools + TSM_TAG_BOOL : 0;
}
_Static_assert(TSM_TAG_BOOL == 1 && TSM_TAG_INT == 2 && TSM_TAG_FLOAT == 3, "they stand in the order of their tags");

static inline int64_t payload_of(const tsm_value *v) {
    return v->tag == TSM_TAG_BOOL ? v->as.b : v->as.i;
}

/* The code's last instruction jumps, returns or raises: behind every other one stands one more. */
static inline bool drops_next(const tsmf_Instruction *in, uint32_t reg) {
    return in[1].op == TSM_OPCODE_DROP && in[1].a == reg;
}

/* Whether `in`, the instruction behind a fetch of a dict into register `reg`, only asks it for a key, fetches a number
 * from it or stores one in the place of another, and could be done with the dict where it lies. */
static inline bool peeked_at_dict(const machine *m, tsm_value dict, uint32_t reg, const tsmf_Instruction *in,
                                  tsm_scalar *s) {
    const bool stores = in->op == TSM_OPCODE_DICT_SET;
    if ((!stores && in->op != TSM_OPCODE_DICT_GET_S && in->op != TSM_OPCODE_DICT_HAS) ||
        (stores ? in->a : in->b) != reg || !drops_next(in, reg) || (stores && in->c < m->f->values))
        return false;
    tsm_dict_entry *e = dict_entry(m, dict, stores ? in->b : in->c);
    if (in->op == TSM_OPCODE_DICT_HAS) {
        s[in->a].i = e != NULL;
        return true;
    }
    if (!e || e->item.tag != tsm_machine_scalar_tag(m->f, stores ? in->c : in->a))
        return false;
    if (stores)
        e->item.as.i = s[in->c].i;
    else
        s[in->a].i = payload_of(&e->item);
    return true;
}

/* The same of any container: whether `in`, behind its fetch into register `reg`, only fetches a number from it or
 * stores one into it, and could be done with the container where it lies. `has_dicts`: the loop has their
 * instructions. */
static inline bool peeked(const machine *m, tsm_value container, uint32_t reg, const tsmf_Instruction *in,
                          tsm_scalar *s, bool has_dicts) {
    tsm_value *item;
    uint32_t kind, at;
    if (container.tag == TSM_TAG_LIST) {
        tsm_list *l = tsm_as_list(container);
        kind = kind_asked(in->op, TSM_OPCODE_LIST_GET_B);
        if (kind) {
            if (in->b != reg || !drops_next(in, reg) || !position(s[in->c].i, l->length, &at))
                return false;
            item = &l->items[at];
            if (item->tag != kind)
                return false;
            s[in->a].i = payload_of(item);
            return true;
        }
        kind = kind_asked(in->op, TSM_OPCODE_LIST_SET_B);
        if (!kind || in->a != reg || !drops_next(in, reg) || !position(s[in->b].i, l->length, &at))
            return false;
        item = &l->items[at];
    } else if (container.tag == TSM_TAG_TUPLE) {
        kind = kind_asked(in->op, TSM_OPCODE_TUPLE_GET_B);
        if (!kind || in->b != reg || !drops_next(in, reg) || in->c >= tsm_as_tuple(container)->length)
            return false;
        item = &tsm_as_tuple(container)->items[in->c];
        if (item->tag != kind)
            return false;
        s[in->a].i = payload_of(item);
        return true;
    } else if (has_dicts && container.tag == TSM_TAG_DICT) {
        return peeked_at_dict(m, container, reg, in, s);
    } else {
        kind = kind_asked(in->op, TSM_OPCODE_GET_ATTR_B);
        if (kind) {
            item = slot_of(container, in->c);
            if (in->b != reg || !drops_next(in, reg) || !item || item->tag != kind)
                return false;
            s[in->a].i = payload_of(item);
            return true;
        }
        kind = kind_asked(in->op, TSM_OPCODE_SET_ATTR_B);
        item = slot_of(container, in->b);
        if (!kind || in->a != reg || !drops_next(in, reg) || !item)
            return false;
    }
    if (item->tag != kind)
        return false;
    item->as.i = s[in->c].i;
    return true;
}

/* Puts the items of a tuple into the registers of an operand list, where all of them are scalars, or values whose
 * registers hold nothing that has to be counted. */
static inline bool unpacked(machine *m, tsm_value tuple, const uint32_t *list) {
    const uint32_t n = list[1], *to = list + 2;
    const tsm_tuple *t = tsm_as_tuple(tuple);
    if (tuple.tag != TSM_TAG_TUPLE || t->length != n || n > MACHINE_FREE)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (to[i] < m->f->values ? tsm_is_object(m->r[to[i]]) : t->items[i].tag != tsm_machine_scalar_tag(m->f, to[i]))
            return false;
    for (uint32_t i = 0; i < n; i++)
        if (to[i] < m->f->values)
            put_value(m, &m->r[to[i]], tsm_hold(t->items[i]));
        else
            m->s[to[i]].i = payload_of(&t->items[i]);
    return true;
}

/* Behind a fetch of a tuple into register `reg`: the operand list of the instruction that takes it apart, where nobody
 * needs the tuple any more; else NULL. */
static inline const uint32_t *taken_apart(const machine *m, tsm_value tuple, uint32_t reg, const tsmf_Instruction *in) {
    return tuple.tag == TSM_TAG_TUPLE && in->op == TSM_OPCODE_TUPLE_UNPACK && in->a == reg && drops_next(in, reg)
               ? m->f->operands + (in->b | (uint32_t)in->c << 16)
               : NULL;
}

/* How two strings are ordered, where their addresses or first letters tell. */
static inline bool ordered(tsm_value left, tsm_value right, int64_t *order) {
    if (left.tag != TSM_TAG_STR || right.tag != TSM_TAG_STR)
        return false;
    const tsm_str *a = tsm_as_str(left), *b = tsm_as_str(right);
    if (a != b && (!a->length || !b->length || a->text[0] == b->text[0]))
        return false;
    *order = a == b ? 0 : (uint8_t)a->text[0] < (uint8_t)b->text[0] ? -1 : 1;
    return true;
}

/* `d[k] += n`, where `fetch` has just fetched the number of entry e into its register: whether an addition follows and
 * the sum is stored where the number was, and could be done with the entry at hand. */
static inline bool added_in_place(tsm_dict_entry *e, const tsmf_Instruction *fetch, tsm_scalar *s) {
    const tsmf_Instruction *in = fetch + 1;
    tsm_scalar sum;
    uint32_t kind = TSM_TAG_INT;
    switch (in->op) {
    case TSM_OPCODE_ADDK_I:
        sum.i = (int64_t)((uint64_t)s[in->b].i + (uint64_t)(int16_t)in->c);
        break;
    case TSM_OPCODE_ADD_I:
        sum.i = (int64_t)((uint64_t)s[in->b].i + (uint64_t)s[in->c].i);
        break;
    case TSM_OPCODE_ADD_F:
        sum.f = s[in->b].f + s[in->c].f;
        kind = TSM_TAG_FLOAT;
        break;
    default:
        return false;
    }
    if (in[1].op != TSM_OPCODE_DICT_SET || in[1].a != fetch->b || in[1].b != fetch->c || in[1].c != in->a ||
        e->item.tag != kind || fetch->a == fetch->c || in->a == fetch->c) /* the key may be a register of this kind */
        return false;
    s[in->a] = sum;
    e->item.as.i = sum.i;
    return true;
}

/* Behind `k in d`, where k was found: the fetch of d[k] that a jump by the answer leads to, NULL when another
 * instruction follows. */
static inline const tsmf_Instruction *fetch_of_found(const tsmf_Instruction *has) {
    const tsmf_Instruction *fetch = has + 2;
    if (has[1].op == TSM_OPCODE_JT && (int16_t)has[1].c >= 0) /* forward */
        fetch += (uint32_t)has[1].b | (uint32_t)has[1].c << 16;
    else if (has[1].op != TSM_OPCODE_JF)
        return NULL;
    return has[1].a == has->a && fetch->b == has->b && fetch->c == has->c &&
                   (fetch->op == TSM_OPCODE_DICT_GET_S || fetch->op == TSM_OPCODE_DICT_GET ||
                    fetch->op == TSM_OPCODE_DICT_PEEK)
               ? fetch
               : NULL;
}
#endif

/* Where instructions leave the way that they take nearly always. */
#if defined(__GNUC__)
#define UNLIKELY(condition) __builtin_expect(condition, 0)
#else
#define UNLIKELY(condition) (condition)
#endif

/* ---- Arithmetic ---- */

/* 64-bit arithmetic that wraps around. */
#define WRAP(a, op, b) ((int64_t)((uint64_t)(a)op(uint64_t)(b)))

/* Numbers that are not negative and have 32 bits divide faster, on machines without a division of 64 bits by far. */
static inline bool divide_small(int64_t a, int64_t b) {
    return ((uint64_t)a | (uint64_t)b) <= UINT32_MAX;
}

static inline int64_t floor_div(int64_t a, int64_t b) {
    if (divide_small(a, b))
        return (uint32_t)a / (uint32_t)b;
    if (b == -1)
        return WRAP(0, -, a);
    int64_t q = a / b;
    return q - (a % b && (a < 0) != (b < 0));
}

static inline int64_t floor_rem(int64_t a, int64_t b) {
#if defined(__OPTIMIZE_SIZE__)
    return WRAP(a, -, WRAP(floor_div(a, b), *, b));
#else
    if (divide_small(a, b))
        return (uint32_t)a % (uint32_t)b;
    if (b == -1)
        return 0;
    int64_t rest = a % b;
    return rest + (rest && (rest < 0) != (b < 0) ? b : 0);
#endif
}

/* int(float) as PyTorch computes it on x86-64: what does not fit becomes the most negative number. */
static inline int64_t to_int(double v) {
    return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;
}

/* Numbers of two operands: X(NAME, value of b and c), with those of floats x and y; with a literal, and where a jump is
 * decided, X(NAME, the same of registers, value). */
#define INT_LIST(X)                                                                                                    \
    X(ADD_I, WRAP(b, +, c))                                                                                            \
    X(SUB_I, WRAP(b, -, c))                                                                                            \
    X(EQ_I, b == c)                                                                                                    \
    X(NE_I, b != c)                                                                                                    \
    X(LT_I, b < c)                                                                                                     \
    X(LE_I, b <= c)                                                                                                    \
    X(EQ_B, b == c)                                                                                                    \
    X(NE_B, b != c)
#define LARGE_INT_LIST(X)                                                                                              \
    X(MUL_I, WRAP(b, *, c))                                                                                            \
    X(AND_I, b &c)                                                                                                     \
    X(OR_I, b | c)                                                                                                     \
    X(XOR_I, b ^ c)                                                                                                    \
    X(SHL_I, (int64_t)((uint64_t)b << (c & 63)))                                                                       \
    X(SHR_I, b >> (c & 63))                                                                                            \
    X(MIN_I, b < c ? b : c)                                                                                            \
    X(MAX_I, b > c ? b : c)
#define LITERAL_LIST(X)                                                                                                \
    X(ADDK_I, ADD_I, WRAP(b, +, c))                                                                                    \
    X(EQK_I, EQ_I, b == c)                                                                                             \
    X(NEK_I, NE_I, b != c)                                                                                             \
    X(LTK_I, LT_I, b < c)                                                                                              \
    X(LEK_I, LE_I, b <= c)                                                                                             \
    X(GTK_I, GTK_I, b > c)                                                                                             \
    X(GEK_I, GEK_I, b >= c)
/* Those of them that registers do not have. */
#define FURTHER_LITERAL_LIST(X)                                                                                        \
    X(GTK_I, b > c)                                                                                                    \
    X(GEK_I, b >= c)
#define COMPARE_LIST(X)                                                                                                \
    X(JEQ_I, EQ_I, b == c)                                                                                             \
    X(JNE_I, NE_I, b != c)                                                                                             \
    X(JLT_I, LT_I, b < c)                                                                                              \
    X(JLE_I, LE_I, b <= c)
#define COMPARE_LITERAL_LIST(X)                                                                                        \
    X(JEQK_I, EQ_I, b == c)                                                                                            \
    X(JNEK_I, NE_I, b != c)                                                                                            \
    X(JLTK_I, LT_I, b < c)                                                                                             \
    X(JGEK_I, GEK_I, b >= c)
#define FLOAT_LIST(X)                                                                                                  \
    X(ADD_F, x + y)                                                                                                    \
    X(SUB_F, x - y)                                                                                                    \
    X(MUL_F, x *y)                                                                                                     \
    X(DIV_F, x / y)
#define FLOAT_COMPARE_LIST(X)                                                                                          \
    X(EQ_F, x == y)                                                                                                    \
    X(NE_F, x != y)                                                                                                    \
    X(LT_F, x < y)                                                                                                     \
    X(LE_F, x <= y)
#define FLOAT_JUMP_LIST(X)                                                                                             \
    X(JLT_F, x < y)                                                                                                    \
    X(JNLT_F, !(x < y))

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
#define DISPATCH goto *table[pc->op]
#else
#define CASE(NAME) case TSM_OPCODE_##NAME
#define DISPATCH goto dispatch
#endif
#define NEXT                                                                                                           \
    do {                                                                                                               \
        pc++;                                                                                                          \
        DISPATCH;                                                                                                      \
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
#define ANY(reg) tsm_machine_read_register(&m, reg)

#define FAIL(call)                                                                                                     \
    do {                                                                                                               \
        status = (call);                                                                                               \
        goto failed;                                                                                                   \
    } while (0)
#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        status = (call);                                                                                               \
        if (status != TSM_OK)                                                                                          \
            goto failed;                                                                                               \
    } while (0)

/* Executed instructions are counted without a cost for each: in the function at hand, `fuel` is what is left of the
 * limit less the instructions from pc to the function's end. Straight code makes pc grow; only jumps, calls and returns
 * adjust fuel. As long as it is not negative the limit cannot be reached without a jump; when it is, low_fuel looks
 * closer. */
#define JUMP(offset)                                                                                                   \
    do {                                                                                                               \
        int32_t offset_ = (offset);                                                                                    \
        pc += offset_;                                                                                                 \
        if ((fuel += offset_) < 0)                                                                                     \
            goto low_fuel;                                                                                             \
        NEXT;                                                                                                          \
    } while (0)
/* What is left when the instruction at pc is done. */
#define FUEL_LEFT (fuel + ((int64_t)m.f->length - (pc + 1 - m.f->code)))
/* Behind the instruction at pc the top frame stands still, another one runs, or none: fuel is what is left. */
#define SUSPEND                                                                                                        \
    do {                                                                                                               \
        m.frame->pc = (uint32_t)(pc + 1 - m.f->code);                                                                  \
        fuel = FUEL_LEFT;                                                                                              \
    } while (0)

/* Puts an owned value into value register a. The tails are shared: code size. */
#define SET_VALUE(source)                                                                                              \
    do {                                                                                                               \
        v = (source);                                                                                                  \
        goto set_value;                                                                                                \
    } while (0)
/* The same of a value that stays where it is, and of what any register holds; a value's payload into scalar register a.
 * MADE is what functions made. */
#if defined(__OPTIMIZE_SIZE__)
#define MADE v
#define SCALAR (*from)
#define SET_SCALAR(place)                                                                                              \
    do {                                                                                                               \
        from = &(place);                                                                                               \
        goto set_scalar;                                                                                               \
    } while (0)
#define SET_BORROWED(place)                                                                                            \
    do {                                                                                                               \
        from = &(place);                                                                                               \
        goto set_borrowed;                                                                                             \
    } while (0)
#define SET_FROM_ANY(reg)                                                                                              \
    do {                                                                                                               \
        v = ANY(reg);                                                                                                  \
        SET_BORROWED(v);                                                                                               \
    } while (0)
#else
#define MADE made
#define SCALAR v
#define SET_SCALAR(source)                                                                                             \
    do {                                                                                                               \
        v = (source);                                                                                                  \
        goto set_scalar;                                                                                               \
    } while (0)
#define SET_BORROWED(place) SET_VALUE(tsm_hold(place))
#define SET_FROM_ANY(reg) SET_VALUE(tsm_hold(ANY(reg)))
#endif
/* An instruction in both its forms, whose result goes to a value register and to a scalar one. Where code is to be
 * small, one body finds out which. */
#if defined(__OPTIMIZE_SIZE__)
#define FETCH(NAME, find, item)                                                                                        \
    CASE(NAME) : CASE(NAME##_S) : {                                                                                    \
        find;                                                                                                          \
        from = &(item);                                                                                                \
        goto set_any;                                                                                                  \
    }
#define FETCH_ENTRY(NAME, find) FETCH(NAME, find, e->item)
#define FETCH_NUMBER(NAME, find, item) CASE(NAME##_B) : CASE(NAME##_I) : CASE(NAME##_F) :
#define STORE_NUMBER(NAME, find) CASE(NAME##_B) : CASE(NAME##_I) : CASE(NAME##_F) :
#define PEEK(NAME, find, item) CASE(NAME) :
#else
#define FETCH(NAME, find, item)                                                                                        \
    CASE(NAME) : {                                                                                                     \
        find;                                                                                                          \
        SET_BORROWED(item);                                                                                            \
    }                                                                                                                  \
    CASE(NAME##_S) : {                                                                                                 \
        find;                                                                                                          \
        SET_SCALAR(item);                                                                                              \
    }
/* The same of a dict's entry e. */
#define FETCH_ENTRY(NAME, find)                                                                                        \
    CASE(NAME) : {                                                                                                     \
        find;                                                                                                          \
        SET_BORROWED(e->item);                                                                                         \
    }                                                                                                                  \
    CASE(NAME##_S) : {                                                                                                 \
        find;                                                                                                          \
        found = e;                                                                                                     \
        goto number_of_found;                                                                                          \
    }
#endif
/* The forms for one kind of number. They stand in front of the general one, which where code is to be small does their
 * work. */
#if !defined(__OPTIMIZE_SIZE__)
#define FETCH_KIND(NAME, find, item, KIND, payload)                                                                    \
    CASE(NAME) : {                                                                                                     \
        find;                                                                                                          \
        if (UNLIKELY((item).tag != TSM_TAG_##KIND))                                                                    \
            goto wrong_type;                                                                                           \
        INT(A) = (item).as.payload;                                                                                    \
        NEXT;                                                                                                          \
    }
#define FETCH_NUMBER(NAME, find, item)                                                                                 \
    FETCH_KIND(NAME##_I, find, item, INT, i)                                                                           \
    FETCH_KIND(NAME##_F, find, item, FLOAT, i)                                                                         \
    FETCH_KIND(NAME##_B, find, item, BOOL, b)
#define STORE_KIND(NAME, find, KIND)                                                                                   \
    CASE(NAME) : {                                                                                                     \
        find;                                                                                                          \
        if (UNLIKELY(slot->tag != TSM_TAG_##KIND))                                                                     \
            goto set_slot;                                                                                             \
        slot->as.i = INT(C);                                                                                           \
        NEXT;                                                                                                          \
    }
#define PEEK(NAME, find, item)                                                                                         \
    CASE(NAME) : {                                                                                                     \
        find;                                                                                                          \
        v = (item);                                                                                                    \
        goto peek;                                                                                                     \
    }
#define STORE_NUMBER(NAME, find)                                                                                       \
    STORE_KIND(NAME##_I, find, INT)                                                                                    \
    STORE_KIND(NAME##_F, find, FLOAT)                                                                                  \
    STORE_KIND(NAME##_B, find, BOOL)
#endif
#define EXPECT(i, TAG)                                                                                                 \
    if (UNLIKELY(r[i].tag != TSM_TAG_##TAG))                                                                           \
    goto wrong_type
/* `access` is INT or FLOAT. */
#define BINARY(NAME, ACCESS, expression)                                                                               \
    CASE(NAME) : {                                                                                                     \
        SET_##ACCESS(expression);                                                                                      \
    }
#define BRANCH(NAME, condition)                                                                                        \
    CASE(NAME) : {                                                                                                     \
        if (condition)                                                                                                 \
            GO;                                                                                                        \
        NEXT;                                                                                                          \
    }
#if defined(__OPTIMIZE_SIZE__)
#define SET_INT(value)                                                                                                 \
    b = (value);                                                                                                       \
    goto set_int
#define SET_FLOAT(value)                                                                                               \
    x = (value);                                                                                                       \
    goto set_float
#define GO goto jump
#else
#define SET_INT(value)                                                                                                 \
    INT(A) = (value);                                                                                                  \
    NEXT
#define SET_FLOAT(value)                                                                                               \
    FLOAT(A) = (value);                                                                                                \
    NEXT
#define GO JUMP(SIGNED_D)
#endif

/* Instructions of the lists above. Where code is to be small, they find their operands by form, and one body calculates
 * for all forms. */
#if defined(__OPTIMIZE_SIZE__)
#define LABEL(NAME, value) CASE(NAME) :
/* So that the compiler does not make a body for each of a variable's values again. */
#if defined(__GNUC__)
#define OPAQUE(variable) __asm__("" : "+r"(variable))
#else
#define OPAQUE(variable)
#endif
#define INT_CASES(LIST)                                                                                                \
    LIST(LABEL) {                                                                                                      \
        kind = pc->op;                                                                                                 \
        c = INT(C);                                                                                                    \
        goto with_c;                                                                                                   \
    }
#define CASE_OF(NAME, of, form)                                                                                        \
    CASE(NAME) : {                                                                                                     \
        kind = TSM_OPCODE_##of;                                                                                        \
        goto form;                                                                                                     \
    }
#define LITERAL_CASE(NAME, of, value) CASE_OF(NAME, of, literal)
#define COMPARE_CASE(NAME, of, value) CASE_OF(NAME, of, compare)
#define COMPARE_LITERAL_CASE(NAME, of, value) CASE_OF(NAME, of, compare_literal)
#define INT_VALUE(NAME, value)                                                                                         \
    case TSM_OPCODE_##NAME:                                                                                            \
        b = (value);                                                                                                   \
        break;
#define FLOAT_VALUE(NAME, value)                                                                                       \
    case TSM_OPCODE_##NAME:                                                                                            \
        x = (value);                                                                                                   \
        break;
#define FLOAT_CASES(LIST)                                                                                              \
    LIST(LABEL) {                                                                                                      \
        x = FLOAT(B);                                                                                                  \
        y = FLOAT(C);                                                                                                  \
        goto calculate_floats;                                                                                         \
    }
#define FLOAT_COMPARE_CASES(LIST)                                                                                      \
    LIST(LABEL) {                                                                                                      \
        x = FLOAT(B);                                                                                                  \
        y = FLOAT(C);                                                                                                  \
        stores = true;                                                                                                 \
        goto compare_floats;                                                                                           \
    }
#define FLOAT_JUMP_CASES(LIST)                                                                                         \
    LIST(LABEL) {                                                                                                      \
        x = FLOAT(A);                                                                                                  \
        y = FLOAT(B);                                                                                                  \
        stores = false;                                                                                                \
        goto compare_floats;                                                                                           \
    }
#define SHIFT_OR_GO_ON(shifted)
#else
#define NUMBERS(NAME, first, second, statement)                                                                        \
    CASE(NAME) : {                                                                                                     \
        const int64_t b = (first), c = (second);                                                                       \
        statement;                                                                                                     \
        NEXT;                                                                                                          \
    }
#define FLOATS(NAME, first, second, statement)                                                                         \
    CASE(NAME) : {                                                                                                     \
        const double x = (first), y = (second);                                                                        \
        statement;                                                                                                     \
        NEXT;                                                                                                          \
    }
#define JUMP_IF(value)                                                                                                 \
    if (value)                                                                                                         \
    JUMP(SIGNED_C)
#define INT_CASE(NAME, value) NUMBERS(NAME, INT(B), INT(C), INT(A) = (value))
#define INT_CASES(LIST) LIST(INT_CASE)
#define LITERAL_CASE(NAME, of, value) NUMBERS(NAME, INT(B), SIGNED_C, INT(A) = (value))
#define COMPARE_CASE(NAME, of, value) NUMBERS(NAME, INT(A), INT(B), JUMP_IF(value))
#define COMPARE_LITERAL_CASE(NAME, of, value) NUMBERS(NAME, INT(A), SIGNED_B, JUMP_IF(value))
#define FLOAT_CASE(NAME, value) FLOATS(NAME, FLOAT(B), FLOAT(C), FLOAT(A) = (value))
#define FLOAT_CASES(LIST) LIST(FLOAT_CASE)
#define FLOAT_COMPARE_CASE(NAME, value) FLOATS(NAME, FLOAT(B), FLOAT(C), INT(A) = (value))
#define FLOAT_COMPARE_CASES(LIST) LIST(FLOAT_COMPARE_CASE)
#define FLOAT_JUMP_CASE(NAME, value) FLOATS(NAME, FLOAT(A), FLOAT(B), JUMP_IF(value))
#define FLOAT_JUMP_CASES(LIST) LIST(FLOAT_JUMP_CASE)
/* Of a literal divisor: then bits tell quotient and rest, without the division that many machines do not have. */
static inline bool is_power_of_two(uint32_t k) {
    return !(k & (k - 1));
}

#define SHIFT_OR_GO_ON(shifted)                                                                                        \
    if (is_power_of_two(C)) {                                                                                          \
        INT(A) = (shifted);                                                                                            \
        NEXT;                                                                                                          \
    }
#endif

#endif
