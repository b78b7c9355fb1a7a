/* tsm::pointwise: a chain of pointwise operators on float32 tensors as one pass. The steps run on one block of elements
 * after the other, so that what lies between them stays in the first cache. tsm::pointwise_fits asks whether tensors
 * are such that the result is that of the single operators; where it is not, the program has those, too. Scratch: none.
 */
#include "runtime/kernels/pointwise_chain.h"

#include "runtime/kernels/iter.h"
#include "runtime/kernels/nn.h"
#include "runtime/kernels/pointwise.h"
#include "runtime/kernels/simd/vmath.h"

/* Elements of a block: few enough for a microcontroller's stack, where there is little. */
enum { BLOCK = NN_SCRATCH_LIMIT >= 64 * 1024 ? 256 : 32 };

typedef enum { ARITHMETIC_STEP, FUNCTION_STEP, BOUNDED_STEP } step_kind;

static const struct {
    char letter;
    uint8_t kind;
} step_list[] = {
#define ARITHMETIC(letter, NAME) {letter, ARITHMETIC_STEP},
#define FUNCTION(letter, NAME) {letter, FUNCTION_STEP},
#define BOUNDED(letter, NAME) {letter, BOUNDED_STEP},
#include "runtime/kernels/pointwise_steps.def"
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

static int kind_of(char letter) {
    for (size_t i = 0; i < sizeof step_list / sizeof *step_list; i++)
        if (step_list[i].letter == letter)
            return step_list[i].kind;
    return -1;
}

static bool is_number(const chain *c, char operand, size_t count) {
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
                        ? (is_tensor(c, step[2], written) || is_number(c, step[2], 1)) &&
                              (is_tensor(c, step[3], written) || is_number(c, step[3], 1))
                        : is_tensor(c, step[2], written) &&
                              (kind == FUNCTION_STEP || is_number(c, step[3], step[0] == 'c' ? 2 : 1));
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
    float registers[CHAIN_REGISTERS][BLOCK];
    float filled[2][BLOCK]; /* numbers as operands */
} workplace;

static const float *operand(const chain *c, workplace *w, const char *step, int i, size_t n) {
    char o = step[2 + i];
    if (o >= 'a')
        return w->tensors[o - 'a'];
    if (o <= '9')
        return w->registers[o - '0'];
    for (size_t k = 0; k < n; k++)
        w->filled[i][k] = c->numbers[o - 'A'];
    return w->filled[i];
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
                c->f32->activate(y, a, n, (tsm_activation)activations[k].activation, numbers ? numbers[0] : 0.0f,
                                 letter == 'c' ? numbers[1] : 0.0f);
    }
}

static void run_step(const chain *c, workplace *w, const char *step, size_t n) {
    float *y = step[1] == 'y' ? w->y : w->registers[step[1] - '0'];
    const float *a = operand(c, w, step, 0, n);
    if (kind_of(step[0]) != ARITHMETIC_STEP) {
        run_function(c, step[0], y, a, is_number(c, step[3], 1) ? c->numbers + (step[3] - 'A') : NULL, n);
        return;
    }
    const float *b = operand(c, w, step, 1, n);
    switch (step[0]) {
    case '+':
        EACH(a[i] + b[i]);
    case '-':
        EACH(a[i] - b[i]);
    case '*':
        EACH(a[i] * b[i]);
    default:
        EACH(a[i] / b[i]);
    }
}

/* A loop of tsm_map: p[0] is the result, the tensors follow. */
static void run_chain(const void *context, void *const *p, tsm_dim n) {
    const chain *c = context;
    workplace w;
    for (size_t done = 0, now; done < (size_t)n; done += now) {
        now = (size_t)n - done < BLOCK ? (size_t)n - done : BLOCK;
        w.y = (float *)p[0] + done;
        for (int t = 0; t < c->tensors; t++)
            w.tensors[t] = (const float *)p[1 + t] + done;
        for (size_t i = 0; i < c->steps; i++)
            run_step(c, &w, c->code + i * CHAIN_STEP_TEXT, now);
    }
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

static tsm_status shape_of(tsm_exec *x, int n, tsm_tensor *const *tensors, int *dims, tsm_dim *sizes) {
    *dims = 0;
    for (int i = 0; i < n; i++)
        TSM_TRY(tsm_broadcast_shapes(x, *dims, sizes, tensors[i]->dims, tensors[i]->sizes, dims, sizes));
    return TSM_OK;
}

/* Sizes of `a` and `b` in dimension d from the end, 1 where there is none. */
static tsm_dim size_from_end(const tsm_tensor *t, int d) {
    return d < t->dims ? t->sizes[t->dims - 1 - d] : 1;
}

static bool shapes_broadcast(const tsm_tensor *a, const tsm_tensor *b) {
    for (int d = 0; d < a->dims && d < b->dims; d++)
        if (size_from_end(a, d) != size_from_end(b, d) && size_from_end(a, d) != 1 && size_from_end(b, d) != 1)
            return false;
    return true;
}

/* Tensors of one shape lie alike, so there is no question how the result lies. */
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
    chain c = {.f32 = nn_f32(x),
               .code = code->text,
               .steps = code->length / CHAIN_STEP_TEXT,
               .tensors = tensors_of(in, tensors)};
    c.numbers = numbers->data;
    c.number_count = (size_t)numbers->elements;
    if (numbers->dtype != TSM_FLOAT32 || !tsm_tensor_is_contiguous(numbers) || code->length % CHAIN_STEP_TEXT ||
        !is_sound(&c))
        return tsm_fail(x, TSM_BAD_FILE, "%s: the chain is damaged", x->op->name);
    int dims;
    tsm_dim sizes[TSM_MAX_DIMS];
    for (int i = 0; i < c.tensors; i++)
        if (tensors[i]->dtype != TSM_FLOAT32)
            return tsm_fail(x, TSM_BAD_FILE, "%s: tensor %d is not float32", x->op->name, i);
    TSM_TRY(shape_of(x, c.tensors, tensors, &dims, sizes));
    TSM_TRY(tsm_out_pointwise(x, in, TSM_FLOAT32, dims, sizes, &y));
    tsm_map m;
    tsm_map_start(&m);
    tsm_map_out(&m, TSM_LANE_F32, y);
    for (int i = 0; i < c.tensors; i++)
        tsm_map_in(&m, TSM_LANE_F32, tensors[i]);
    tsm_status status = tsm_map_run(x, &m, run_chain, &c);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return ret_tensor(out, y);
}
