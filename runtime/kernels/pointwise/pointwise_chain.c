/* tsm::pointwise: a chain of pointwise operators on float32 tensors as one pass. All steps run on a block of elements
 * before the next block, so that intermediate values stay in the first cache. tsm::pointwise_fits says whether, for
 * these tensors, the chain gives the same result as the single operators; the program holds those too, and runs them
 * where it does not. Scratch: none. */
#include "runtime/kernels/pointwise/pointwise_chain.h"

#include "runtime/kernels/kernel.h"
#include "runtime/kernels/loops.h"
#include "runtime/kernels/pointwise/pointwise.h"
#include "runtime/kernels/simd/vmath.h"
#include "runtime/tensor/iter.h"

/* Elements of a block: few enough for the stack, of which microcontrollers, and machines of 32 bits, have little. */
enum { CHAIN_BLOCK = LOOPS_SCRATCH_LIMIT < 64 * 1024 ? 32 : sizeof(void *) == 8 ? 512 : 256 };

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
    const float *tensors[CHAIN_TENSORS];
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

/* ---- The operators ---- */

static int tensors_of(const tsm_value *const *in, tsm_tensor **tensors) {
    int n = 0;
    while (n < CHAIN_TENSORS && !arg_is_none(in, n)) {
        tensors[n] = arg_tensor(in, n);
        n++;
    }
    return n;
}

static tsm_status shape_of(tsm_exec *x, int n, tsm_tensor *const *tensors, int *dims, tsm_dim *sizes) {
    *dims = 0;
    for (int i = 0; i < n; i++)
        TSM_TRY(tsm_broadcast_shapes(x, *dims, sizes, tensors[i]->dims, tensors[i]->sizes, dims, sizes));
    return TSM_OK;
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
    tsm_tensor *tensors[CHAIN_TENSORS], *y;
    const tsm_str *code = arg_str(in, CHAIN_TENSORS);
    const tsm_tensor *numbers = arg_tensor(in, CHAIN_TENSORS + 1);
    chain c = {.f32 = loops_f32(x),
               .code = code->text,
               .steps = code->length / CHAIN_STEP_TEXT,
               .tensors = tensors_of(in, tensors)};
    c.numbers = numbers->data;
    c.number_count = (size_t)numbers->elements;
    if (numbers->dtype != TSM_FLOAT32 || !tsm_tensor_is_contiguous(numbers) || code->length % CHAIN_STEP_TEXT ||
        !is_sound(&c))
        return tsm_fail(x, TSM_BAD_FILE, "%s: the chain is damaged", x->op->name);
    for (int i = 0; i < c.tensors; i++)
        if (tensors[i]->dtype != TSM_FLOAT32)
            return tsm_fail(x, TSM_BAD_FILE, "%s: tensor %d is not float32", x->op->name, i);
    const tsm_loop run = tsm_loops_choose(x, &chain_loops, TSM_LANE_F32);
    y = tsm_straight_result(x, in, c.tensors);
    if (y) {
        void *p[1 + CHAIN_TENSORS] = {y->data};
        for (int i = 0; i < c.tensors; i++)
            p[1 + i] = tensors[i]->data;
        run(&c, p, y->elements);
        return ret_tensor(out, y);
    }
    int dims;
    tsm_dim sizes[TSM_MAX_DIMS];
    TSM_TRY(shape_of(x, c.tensors, tensors, &dims, sizes));
    TSM_TRY(tsm_out_pointwise(x, in, TSM_FLOAT32, dims, sizes, &y));
    tsm_map m;
    tsm_map_start(&m);
    tsm_map_out(&m, TSM_LANE_F32, y);
    for (int i = 0; i < c.tensors; i++)
        tsm_map_in(&m, TSM_LANE_F32, tensors[i]);
    tsm_status status = tsm_map_run(x, &m, run, &c);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return ret_tensor(out, y);
}
