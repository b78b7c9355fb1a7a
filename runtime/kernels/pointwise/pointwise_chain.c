/* tsm::pointwise: a chain of pointwise operators on float32 tensors as one pass. All steps run on a block of elements
 * before the next block, so that intermediate values stay in the first cache. tsm::pointwise_fits says whether, for
 * these tensors, the chain gives the same result as the single operators; the program holds those too, and runs them
 * where it does not. Steps that read only tensors which are smaller than the result (the root of a mean, say, by which
 * each row is divided) run once on these. Scratch: what at most CHAIN_KEPT such steps make. */
#include "runtime/kernels/pointwise/pointwise_chain.h"

#include "runtime/kernels/kernel.h"
#include "runtime/kernels/loops.h"
#include "runtime/kernels/pointwise/pointwise.h"
#include "runtime/kernels/simd/vmath.h"
#include "runtime/tensor/iter.h"

/* Elements of a block: few enough for the stack, of which microcontrollers, and machines of 32 bits, have little. */
enum { CHAIN_BLOCK = LOOPS_SCRATCH_LIMIT < 64 * 1024 ? 32 : TSM_WORD_BYTES == 8 ? 512 : 256 };

typedef enum { ARITHMETIC_STEP, FUNCTION_STEP, BOUNDED_STEP } step_kind;

/* By letter: its kind + 1, 0 where there is no such step. */
static const uint8_t step_kinds[128] = {
#define ARITHMETIC(letter, NAME) [letter] = ARITHMETIC_STEP + 1,
#define FUNCTION(letter, NAME) [letter] = FUNCTION_STEP + 1,
#define BOUNDED(letter, NAME) [letter] = BOUNDED_STEP + 1,
#include "runtime/kernels/pointwise/pointwise_steps.def"
#undef ARITHMETIC
#undef FUNCTION
#undef BOUNDED
};

/* Results of steps on smaller tensors, at most; elements of a result up to which its steps run on all of them: it is
 * one pass, and so would be theirs. The same everywhere, since memory is planned elsewhere. */
enum { CHAIN_KEPT = 2, CHAIN_LEAST = 512 };

typedef struct {
    const tsm_f32_loops *f32;
    const char *code;
    size_t steps;
    const float *numbers;
    size_t number_count;
    int tensors;
} chain;

/* ---- Reading ---- */

/* -1: no step. */
static inline int kind_of(char letter) {
    return (unsigned char)letter < sizeof step_kinds ? step_kinds[(unsigned char)letter] - 1 : -1;
}

static bool chain_is_number(const chain *c, char operand, size_t count) {
    return operand >= 'A' && operand <= 'Z' && (size_t)(operand - 'A') + count <= c->number_count;
}

/* `written`: registers that hold something, as bits. */
static bool is_tensor(const chain *c, char operand, unsigned written) {
    if (operand >= 'a' && operand < 'a' + CHAIN_TENSORS)
        return operand - 'a' < c->tensors;
    return operand >= '0' && operand < '0' + CHAIN_REGISTERS && (written >> (operand - '0') & 1);
}

static bool is_sound(const chain *c) {
    unsigned written = 0;
    if (c->steps == 0 || c->steps > CHAIN_STEPS)
        return false;
    for (size_t i = 0; i < c->steps; i++) {
        const char *step = c->code + i * CHAIN_STEP_TEXT;
        int kind = kind_of(step[0]);
        bool fits = kind == ARITHMETIC_STEP
                        ? (is_tensor(c, step[2], written) || chain_is_number(c, step[2], 1)) &&
                              (is_tensor(c, step[3], written) || chain_is_number(c, step[3], 1))
                        : is_tensor(c, step[2], written) &&
                              (kind == FUNCTION_STEP || chain_is_number(c, step[3], step[0] == 'c' ? 2 : 1));
        bool is_last = i + 1 == c->steps, to_register = step[1] >= '0' && step[1] < '0' + CHAIN_REGISTERS;
        if (kind < 0 || !fits || (is_last ? step[1] != 'y' : !to_register))
            return false;
        if (to_register)
            written |= 1u << (step[1] - '0');
    }
    return true;
}

/* ---- Running ---- */

/* What a block's steps read and write. */
typedef struct {
    float *y;
    const float *tensors[CHAIN_TENSORS + CHAIN_KEPT];
    float registers[CHAIN_REGISTERS][CHAIN_BLOCK];
} workplace;

/* NULL: a number. */
static const float *operand(const workplace *w, char o) {
    return o >= 'a' ? w->tensors[o - 'a'] : o <= '9' ? w->registers[o - '0'] : NULL;
}

#define EACH(expression)                                                                                               \
    TSM_INDEPENDENT for (size_t i = 0; i < n; i++) y[i] = expression;                                                  \
    break

static void run_function(const chain *c, char letter, float *y, const float *a, const float *numbers, size_t n) {
    static const struct {
        char letter;
        uint8_t activation;
    } activations[] = {
        {'r', TSM_ACT_RELU},  {'s', TSM_ACT_SIGMOID},    {'t', TSM_ACT_TANH},      {'w', TSM_ACT_SILU},
        {'g', TSM_ACT_GELU},  {'G', TSM_ACT_GELU_TANH},  {'h', TSM_ACT_HARDSWISH}, {'i', TSM_ACT_HARDSIGMOID},
        {'c', TSM_ACT_CLAMP}, {'l', TSM_ACT_LEAKY_RELU},
    };
    switch (letter) {
    case 'n':
        EACH(-a[i]);
    case 'm':
        EACH(fabsf(a[i]));
    case 'q':
        EACH(sqrtf(a[i]));
    case 'v':
        EACH(1.0f / sqrtf(a[i]));
    case 'e':
        EACH(vm_exp(a[i]));
    default:
        for (size_t k = 0; k < sizeof activations / sizeof *activations; k++)
            if (activations[k].letter == letter)
                TSM_F32(c->f32, activate, y, a, n, (tsm_activation)activations[k].activation,
                        numbers ? numbers[0] : 0.0f, letter == 'c' ? numbers[1] : 0.0f);
    }
}

/* Each of the two operands is an array (a, b) or, where that is NULL, a number (s, t). */
#define EACH_OF_TWO(op)                                                                                                \
    do {                                                                                                               \
        if (a && b)                                                                                                    \
            TSM_INDEPENDENT for (size_t i = 0; i < n; i++) y[i] = a[i] op b[i];                                        \
        else if (a)                                                                                                    \
            TSM_INDEPENDENT for (size_t i = 0; i < n; i++) y[i] = a[i] op t;                                           \
        else if (b)                                                                                                    \
            TSM_INDEPENDENT for (size_t i = 0; i < n; i++) y[i] = s op b[i];                                           \
        else                                                                                                           \
            for (size_t i = 0; i < n; i++)                                                                             \
                y[i] = s op t;                                                                                         \
    } while (0)

static void run_arithmetic(const chain *c, const workplace *w, const char *step, float *y, size_t n) {
    const float *a = operand(w, step[2]), *b = operand(w, step[3]);
    float s = a ? 0.0f : c->numbers[step[2] - 'A'], t = b ? 0.0f : c->numbers[step[3] - 'A'];
    switch (step[0]) {
    case '+':
        EACH_OF_TWO(+);
        break;
    case '-':
        EACH_OF_TWO(-);
        break;
    case '*':
        EACH_OF_TWO(*);
        break;
    default:
        EACH_OF_TWO(/);
        break;
    }
}

static void chain_run_step(const chain *c, workplace *w, const char *step, size_t n) {
    float *y = step[1] == 'y' ? w->y : w->registers[step[1] - '0'];
    if (kind_of(step[0]) == ARITHMETIC_STEP)
        run_arithmetic(c, w, step, y, n);
    else
        run_function(c, step[0], y, operand(w, step[2]),
                     chain_is_number(c, step[3], 1) ? c->numbers + (step[3] - 'A') : NULL, n);
}

/* A loop of tsm_map: p[0] is the result, the tensors follow. */
static void run_chain(const void *context, void *const *p, tsm_dim n) {
    const chain *c = context;
    workplace w;
    for (size_t done = 0, now; done < (size_t)n; done += now) {
        now = (size_t)n - done < CHAIN_BLOCK ? (size_t)n - done : CHAIN_BLOCK;
        w.y = (float *)p[0] + done;
        for (int t = 0; t < c->tensors; t++)
            w.tensors[t] = (const float *)p[1 + t] + done;
        for (size_t i = 0; i < c->steps; i++)
            chain_run_step(c, &w, c->code + i * CHAIN_STEP_TEXT, now);
    }
}

TSM_LOOPS(chain, "pointwise", {[TSM_LANE_F32] = run_chain})

/* ---- Steps on smaller tensors ---- */

/* Where the operands of each step come from: an earlier step, or CHAIN_STEPS and the number of a tensor; and on which
 * tensors it depends, as bits. */
typedef struct {
    int8_t from[CHAIN_STEPS][2];
    uint8_t tensors[CHAIN_STEPS];
} chain_flow;
enum { FROM_NOWHERE = -1 };

static void trace(const chain *c, chain_flow *f) {
    int8_t writers[CHAIN_REGISTERS] = {0};
    for (size_t i = 0; i < c->steps; i++) {
        const char *step = c->code + i * CHAIN_STEP_TEXT;
        const int operands = kind_of(step[0]) == ARITHMETIC_STEP ? 2 : 1;
        f->tensors[i] = 0;
        for (int k = 0; k < 2; k++) {
            const char o = k < operands ? step[2 + k] : '.';
            int8_t *from = &f->from[i][k];
            *from = FROM_NOWHERE; /* a number */
            if (o >= 'a')
                *from = (int8_t)(CHAIN_STEPS + (o - 'a'));
            else if (o >= '0' && o < '0' + CHAIN_REGISTERS)
                *from = writers[o - '0'];
            if (*from != FROM_NOWHERE)
                f->tensors[i] |= (uint8_t)(*from < CHAIN_STEPS ? f->tensors[*from] : 1 << (*from - CHAIN_STEPS));
        }
        if (step[1] != 'y')
            writers[step[1] - '0'] = (int8_t)i;
    }
}

/* A part of a chain: the steps that its last one needs, and what its letters from a on stand for, as in chain_flow. */
typedef struct {
    char text[CHAIN_STEPS * CHAIN_STEP_TEXT];
    size_t steps;
    int8_t reads[CHAIN_TENSORS + CHAIN_KEPT];
    int count;
} chain_part;

static char letter_of(chain_part *part, int8_t from) {
    int i = 0;
    while (i < part->count && part->reads[i] != from)
        i++;
    if (i == part->count)
        part->reads[part->count++] = from;
    return (char)('a' + i);
}

/* `kept`: steps that ran before, as bits. */
static void write_part(const chain *c, const chain_flow *f, size_t last, uint32_t kept, chain_part *part) {
    uint32_t needed = UINT32_C(1) << last;
    for (size_t i = last + 1; i-- > 0;)
        for (int k = 0; k < 2 && (needed >> i & 1); k++)
            if (f->from[i][k] >= 0 && f->from[i][k] < CHAIN_STEPS)
                needed |= UINT32_C(1) << f->from[i][k] & ~kept;
    part->steps = 0;
    part->count = 0;
    for (size_t i = 0; i <= last; i++) {
        if (!(needed >> i & 1))
            continue;
        char *to = part->text + part->steps++ * CHAIN_STEP_TEXT;
        memcpy(to, c->code + i * CHAIN_STEP_TEXT, CHAIN_STEP_TEXT);
        for (int k = 0; k < 2; k++) {
            const int8_t from = f->from[i][k];
            if (from >= CHAIN_STEPS || (from >= 0 && (kept >> from & 1)))
                to[2 + k] = letter_of(part, from);
        }
        if (i == last)
            to[1] = 'y';
    }
}

/* Some of a chain's tensors. */
typedef struct {
    tsm_tensor *tensors[CHAIN_TENSORS + CHAIN_KEPT];
    int count;
} chain_tensors;

/* Results of steps on smaller tensors. */
typedef struct {
    tsm_tensor *tensors[CHAIN_KEPT];
    int8_t steps[CHAIN_KEPT];
    int count;
    uint32_t bits; /* the steps */
} chain_kept;

static tsm_status shape_of(tsm_exec *x, const chain_tensors *t, int *dims, tsm_dim *sizes) {
    *dims = 0;
    for (int i = 0; i < t->count; i++)
        TSM_TRY(tsm_broadcast_shapes(x, *dims, sizes, t->tensors[i]->dims, t->tensors[i]->sizes, dims, sizes));
    return TSM_OK;
}

static tsm_status map_chain(tsm_exec *x, const chain *c, const chain_tensors *t, tsm_tensor *y) {
    tsm_map m;
    tsm_map_start(&m);
    tsm_map_out(&m, TSM_LANE_F32, y);
    for (int i = 0; i < t->count; i++)
        tsm_map_in(&m, TSM_LANE_F32, t->tensors[i]);
    return tsm_map_run(x, &m, tsm_loops_choose(x, &chain_loops, TSM_LANE_F32), c);
}

/* The part as a chain, and its tensors. */
static chain chain_of_part(const chain *c, const chain_part *part, const chain_tensors *own, const chain_kept *kept,
                           chain_tensors *t) {
    chain made = *c;
    made.code = part->text;
    made.steps = part->steps;
    made.tensors = t->count = part->count;
    for (int i = 0; i < part->count; i++) {
        const int from = part->reads[i];
        t->tensors[i] = from >= CHAIN_STEPS ? own->tensors[from - CHAIN_STEPS] : NULL;
        for (int k = 0; k < kept->count; k++)
            if (kept->steps[k] == from)
                t->tensors[i] = kept->tensors[k];
    }
    return made;
}

/* Whether the broadcast shape of some tensors, given as bits, has fewer elements than the whole. */
static tsm_status is_smaller(tsm_exec *x, const chain_tensors *own, unsigned bits, tsm_dim whole, bool *is) {
    chain_tensors some = {.count = 0};
    for (int i = 0; i < own->count; i++)
        if (bits >> i & 1)
            some.tensors[some.count++] = own->tensors[i];
    int dims;
    tsm_dim sizes[TSM_MAX_DIMS], elements = 1;
    TSM_TRY(shape_of(x, &some, &dims, sizes));
    for (int d = 0; d < dims; d++)
        elements *= sizes[d]; /* at most those of the result */
    *is = some.count && elements < whole;
    return TSM_OK;
}

/* Runs the steps up to `last`, and keeps their result. */
static tsm_status keep_step(tsm_exec *x, const chain *c, const chain_flow *f, int8_t last, const chain_tensors *own,
                            chain_kept *kept) {
    chain_part part;
    chain_tensors t;
    write_part(c, f, (size_t)last, 0, &part);
    const chain sub = chain_of_part(c, &part, own, kept, &t);
    int dims;
    tsm_dim sizes[TSM_MAX_DIMS];
    tsm_tensor *made;
    TSM_TRY(shape_of(x, &t, &dims, sizes));
    TSM_TRY(tsm_tensor_make(x, TSM_FLOAT32, dims, sizes, &made));
    kept->tensors[kept->count] = made;
    kept->steps[kept->count++] = last;
    kept->bits |= UINT32_C(1) << last;
    return map_chain(x, &sub, &t, made);
}

/* Keeps the results that are smaller than the chain's and that other steps read. */
static tsm_status keep_smaller_steps(tsm_exec *x, const chain *c, const chain_flow *f, const chain_tensors *own,
                                     tsm_dim whole, chain_kept *kept) {
    const int most = TSM_MAP_OPERANDS - 1 - own->count;
    bool smaller[1 << CHAIN_TENSORS];
    for (unsigned bits = 0; bits < 1u << own->count; bits++)
        TSM_TRY(is_smaller(x, own, bits, whole, &smaller[bits]));
    for (size_t i = 0; i < c->steps; i++)
        for (int k = 0; k < 2 && !smaller[f->tensors[i]]; k++) {
            const int8_t from = f->from[i][k];
            if (from >= 0 && from < CHAIN_STEPS && smaller[f->tensors[from]] && !(kept->bits >> from & 1) &&
                kept->count < CHAIN_KEPT && kept->count < most)
                TSM_TRY(keep_step(x, c, f, from, own, kept));
        }
    return TSM_OK;
}

static tsm_status run_in_parts(tsm_exec *x, const chain *c, const chain_tensors *own, tsm_tensor *y) {
    chain_flow f;
    chain_kept kept = {.count = 0};
    trace(c, &f);
    tsm_status status = keep_smaller_steps(x, c, &f, own, y->elements, &kept);
    if (status == TSM_OK) {
        chain_part part;
        chain_tensors t;
        write_part(c, &f, c->steps - 1, kept.bits, &part);
        const chain rest = chain_of_part(c, &part, own, &kept, &t);
        status = map_chain(x, &rest, &t, y);
    }
    for (int i = 0; i < kept.count; i++)
        tsm_tensor_drop(x, kept.tensors[i]);
    return status;
}

/* Whether steps may be on fewer elements than the result has. */
static bool has_parts(const chain_tensors *t, const tsm_tensor *y) {
    bool has = false;
    for (int i = 0; i < t->count; i++)
        has |= t->tensors[i]->elements != y->elements;
    return has && y->elements > CHAIN_LEAST;
}

/* ---- The operators ---- */

static int tensors_of(const tsm_value *const *in, tsm_tensor **tensors) {
    int n = 0;
    while (n < CHAIN_TENSORS && !arg_is_none(in, n)) {
        tensors[n] = arg_tensor(in, n);
        n++;
    }
    return n;
}

/* Sizes of `a` and `b` in dimension d from the end, 1 where there is none. */
static tsm_dim chain_size_from_end(const tsm_tensor *t, int d) {
    return d < t->dims ? t->sizes[t->dims - 1 - d] : 1;
}

static bool shapes_broadcast(const tsm_tensor *a, const tsm_tensor *b) {
    for (int d = 0; d < a->dims && d < b->dims; d++)
        if (chain_size_from_end(a, d) != chain_size_from_end(b, d) && chain_size_from_end(a, d) != 1 &&
            chain_size_from_end(b, d) != 1)
            return false;
    return true;
}

/* Whether tensors of one shape have equal strides. If so, the single operators would give their result the same
 * strides. */
static bool lie_alike(const tsm_tensor *a, const tsm_tensor *b) {
    if (a->dims != b->dims || memcmp(a->sizes, b->sizes, (size_t)a->dims * sizeof *a->sizes))
        return true;
    return !memcmp(a->strides, b->strides, (size_t)a->dims * sizeof *a->strides);
}

TSM_KERNEL(tsm_pointwise_fits) {
    tsm_tensor *tensors[CHAIN_TENSORS];
    int n = tensors_of(in, tensors);
    bool fits = !x->dest;
    for (int i = 0; i < n && fits; i++) {
        fits = tensors[i]->dtype == TSM_FLOAT32 && !tensors[i]->quantizer;
        for (int k = 0; k < i && fits; k++)
            fits = shapes_broadcast(tensors[i], tensors[k]) && lie_alike(tensors[i], tensors[k]);
    }
    return ret_bool(out, fits);
}

TSM_KERNEL(tsm_pointwise) {
    chain_tensors t;
    tsm_tensor *y;
    const tsm_str *code = arg_str(in, CHAIN_TENSORS);
    const tsm_tensor *numbers = arg_tensor(in, CHAIN_TENSORS + 1);
    t.count = tensors_of(in, t.tensors);
    chain c = {.f32 = loops_f32(x), .code = code->text, .steps = code->length / CHAIN_STEP_TEXT, .tensors = t.count};
    c.numbers = numbers->data;
    c.number_count = (size_t)numbers->elements;
    if (numbers->dtype != TSM_FLOAT32 || !tsm_tensor_is_contiguous(numbers) || code->length % CHAIN_STEP_TEXT ||
        !is_sound(&c))
        return tsm_fail(x, TSM_BAD_FILE, "%s: the chain is damaged", x->op->name);
    for (int i = 0; i < t.count; i++)
        if (t.tensors[i]->dtype != TSM_FLOAT32)
            return tsm_fail(x, TSM_BAD_FILE, "%s: tensor %d is not float32", x->op->name, i);
    y = tsm_straight_result(x, in, t.count);
    if (y) {
        void *p[1 + CHAIN_TENSORS] = {y->data};
        for (int i = 0; i < t.count; i++)
            p[1 + i] = t.tensors[i]->data;
        tsm_loops_choose(x, &chain_loops, TSM_LANE_F32)(&c, p, y->elements);
        return ret_tensor(out, y);
    }
    int dims;
    tsm_dim sizes[TSM_MAX_DIMS];
    TSM_TRY(shape_of(x, &t, &dims, sizes));
    TSM_TRY(tsm_out_pointwise(x, in, TSM_FLOAT32, dims, sizes, &y));
    tsm_status status = has_parts(&t, y) ? run_in_parts(x, &c, &t, y) : map_chain(x, &c, &t, y);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return ret_tensor(out, y);
}
