/* Recurrent networks: LSTM, GRU and simple RNN, as layers over a sequence and as single cells.
 *
 * A cell's gates are one product of the step's input with W_ih and one of the hidden state with W_hh. A layer computes
 * the first for all steps at once. Formulas: torch.nn.LSTM, GRU, RNN. float32 here, float64 in rnn_f64.c, complex
 * numbers and ints in rnn_wide.c. Scratch: 4 * gates * hidden * batch * (steps + 1) + 8 * hidden * batch bytes; with
 * narrow weights that of tsm_gemm_f32_narrow too.
 */
#include "runtime/kernels/nn/rnn.h"

#include "runtime/kernels/nn/narrow.h"
#include "runtime/kernels/pointwise/pointwise.h"
#include "runtime/kernels/random/random.h"

/* y[rows][outputs] = activation(a[rows][inputs] W^T + bias + residual); rows of a are a_row apart, those of y and
 * residual outputs. */
typedef struct {
    size_t rows, inputs, outputs;
    const float *a;
    ptrdiff_t a_row;
    cell_weight w;
    const float *bias, *residual;
    tsm_activation activation;
    float *y;
    ptrdiff_t y_row;
} projection;

static tsm_status rnn_project(tsm_exec *x, const projection *p) {
    tsm_finish finish = {.column_bias = p->bias,
                         .residual = p->residual,
                         .residual_stride = (ptrdiff_t)p->outputs,
                         .activation = p->activation};
    gemm_product g = {.batch = 1,
                      .m = p->rows,
                      .n = p->outputs,
                      .k = p->inputs,
                      .a = p->a,
                      .a_row = p->a_row,
                      .a_col = 1,
                      .b = p->w.data,
                      .b_row = 1,
                      .b_col = (ptrdiff_t)p->inputs,
                      .c = p->y,
                      .c_row = p->y_row,
                      .finish = &finish};
    if (p->w.multiply)
        return p->w.multiply(x, &g, &p->w.narrow);
    return p->w.is_packed ? tsm_gemm_f32_packed(x, &g, p->w.data) : tsm_gemm_f32(x, &g);
}

/* The step of one row. Steps read the weight forward and backward by turns, so that each begins with the part that the
 * step before has left in the first cache. */
static void project_row(const tsm_f32_loops *f32, const projection *p, size_t turn) {
    tsm_finish finish = {.column_bias = p->bias,
                         .residual = p->residual,
                         .residual_stride = (ptrdiff_t)p->outputs,
                         .activation = p->activation};
    tsm_gemm_block g = {.rows = 1,
                        .columns = p->outputs,
                        .taps = 1,
                        .depth = p->inputs,
                        .a = &p->a,
                        .a_step = 1,
                        .b = p->w.data,
                        .b_stride = TSM_PANEL,
                        .b_panel = p->inputs * TSM_PANEL,
                        .c = p->y,
                        .c_stride = (ptrdiff_t)p->outputs,
                        .is_lone_row = true,
                        .from_last = turn % 2,
                        .finish = &finish};
    TSM_F32(f32, gemm, &g);
}

/* Beyond these multiply-adds a step is worth dividing among threads. */
enum { SHARED_STEP = 1 << 18 };

static tsm_status project_step(tsm_exec *x, const projection *p, size_t turn) {
    if (p->rows != 1 || !p->w.is_packed || p->inputs * p->outputs > SHARED_STEP)
        return rnn_project(x, p);
    project_row(loops_f32(x), p, turn);
    return TSM_OK;
}

/* One step for all rows: `gi` the input's gates, h the hidden state with rows h_row apart (and c), the new state to
 * `to`, rows to_row apart. `gates` is scratch; `turn` counts steps. */
static tsm_status step(tsm_exec *x, const run_shape *s, const cell_parameters *p, size_t turn, const float *gi,
                       float *gates, const float *h, ptrdiff_t h_row, float *c, float *to, ptrdiff_t to_row) {
    size_t width = (size_t)rnn_gates(s->kind) * s->hidden;
    projection q = {
        .rows = s->batch, .inputs = s->state, .outputs = width, .a = h, .a_row = h_row, .w = p->w_hh, .bias = p->b_hh};
    if (s->kind == CELL_TANH || s->kind == CELL_RELU) {
        q.residual = gi;
        q.activation = s->kind == CELL_TANH ? TSM_ACT_TANH : TSM_ACT_RELU;
        q.y = to;
        q.y_row = to_row;
        return project_step(x, &q, turn);
    }
    /* A GRU needs both sums apart: the reset gate multiplies the hidden one. */
    q.residual = s->kind == CELL_LSTM ? gi : NULL;
    q.y = gates;
    q.y_row = (ptrdiff_t)width;
    TSM_TRY(project_step(x, &q, turn));
    const tsm_f32_loops *f32 = loops_f32(x);
    for (size_t b = 0; b < s->batch; b++) {
        float *new_h = to + (ptrdiff_t)b * to_row;
        if (s->kind == CELL_LSTM)
            TSM_F32(f32, lstm, s->hidden, gates + b * width, c + b * s->hidden, c + b * s->hidden, new_h);
        else
            TSM_F32(f32, gru, s->hidden, gi + b * width, gates + b * width, h + (ptrdiff_t)b * h_row, new_h);
    }
    return TSM_OK;
}

/* A step whose result, in `full` [batch][hidden], is projected into the new state. */
static tsm_status projected_step(tsm_exec *x, const run_shape *s, const cell_parameters *p, size_t turn,
                                 const float *gi, float *gates, const float *h, ptrdiff_t h_row, float *c, float *full,
                                 float *to, ptrdiff_t to_row) {
    projection q = {.rows = s->batch,
                    .inputs = s->hidden,
                    .outputs = s->state,
                    .a = full,
                    .a_row = (ptrdiff_t)s->hidden,
                    .w = p->w_hr,
                    .y = to,
                    .y_row = to_row};
    TSM_TRY(step(x, s, p, turn, gi, gates, h, h_row, c, full, (ptrdiff_t)s->hidden));
    return rnn_project(x, &q);
}

/* One direction over a sequence [steps][batch][inputs]; writes y[t][b][offset ..] with y_row floats a (t, b) row; h
 * [batch][state] and c [batch][hidden] hold the state and are updated. */
static tsm_status direction_f32(tsm_exec *x, const run_shape *s, const cell_parameters *p, const float *a, float *y,
                                size_t y_row, float *h, float *c) {
    size_t width = (size_t)rnn_gates(s->kind) * s->hidden, rows = s->steps * s->batch;
    size_t projected = p->w_hr.data ? s->batch * s->hidden : 0;
    float *gi = tsm_scratch(x, ((rows + s->batch) * width + projected) * sizeof(float));
    if (!gi)
        return TSM_OUT_OF_MEMORY;
    projection all = {.rows = rows,
                      .inputs = p->inputs,
                      .outputs = width,
                      .a = a,
                      .a_row = (ptrdiff_t)p->inputs,
                      .w = p->w_ih,
                      .bias = p->b_ih,
                      .y = gi,
                      .y_row = (ptrdiff_t)width};
    tsm_status status = rnn_project(x, &all);
    const float *state = h;
    ptrdiff_t state_row = (ptrdiff_t)s->state;
    for (size_t k = 0; k < s->steps && status == TSM_OK; k++) {
        size_t t = s->backward ? s->steps - 1 - k : k;
        float *to = y + t * s->batch * y_row;
        float *of_input = gi + t * s->batch * width, *gates = gi + rows * width;
        status = projected ? projected_step(x, s, p, k, of_input, gates, state, state_row, c, gates + s->batch * width,
                                            to, (ptrdiff_t)y_row)
                           : step(x, s, p, k, of_input, gates, state, state_row, c, to, (ptrdiff_t)y_row);
        state = to;
        state_row = (ptrdiff_t)y_row;
    }
    for (size_t b = 0; b < s->batch && s->steps && status == TSM_OK; b++)
        memcpy(h + b * s->state, state + (ptrdiff_t)b * state_row, s->state * sizeof *h);
    tsm_scratch_free(x, gi);
    return status;
}

/* What numbers of the dtype are calculated in; results of half precision are rounded at the end. */
static tsm_dtype work_dtype(tsm_dtype dtype) {
    if (tsm_dtype_is_complex(dtype))
        return TSM_COMPLEX128;
    if (tsm_dtype_kinds[dtype] & TSM_KIND_HALF)
        return TSM_FLOAT32;
    return dtype == TSM_FLOAT32 || dtype == TSM_FLOAT64 ? dtype : TSM_INT64;
}

/* The same for any dtype; pointers lead to numbers of work_dtype. */
static tsm_status run_direction(tsm_exec *x, const run_shape *s, const cell_parameters *p, const void *a, void *y,
                                size_t y_row, void *h, void *c) {
    TSM_TRY(tsm_charge_product(x, tsm_work(s->steps, s->batch), tsm_work(s->hidden, (uint64_t)rnn_gates(s->kind)),
                               p->inputs + s->state + (p->w_hr.data ? s->state : 0)));
    switch (work_dtype(s->dtype)) {
    case TSM_FLOAT32:
        return direction_f32(x, s, p, a, y, y_row, h, c);
    case TSM_FLOAT64:
        return tsm_rnn_direction_f64(x, s, p, a, y, y_row, h, c);
    case TSM_COMPLEX128:
        return tsm_rnn_direction_complex(x, s, p, a, y, y_row, h, c);
    default:
        return tsm_rnn_direction_ints(x, s, p, a, y, y_row, h);
    }
}

static bool is_packed_for(const tsm_tensor *t, size_t outputs, size_t inputs) {
    return t->dims == 3 && (size_t)t->sizes[0] == tsm_pack_panels(outputs) && (size_t)t->sizes[1] == inputs &&
           t->sizes[2] == TSM_PANEL;
}

static bool is_matrix(const tsm_tensor *t, size_t rows, size_t columns) {
    return t->dims == 2 && (size_t)t->sizes[0] == rows && (size_t)t->sizes[1] == columns;
}

/* A weight of `outputs` rows of `inputs`; *fits: it is one, packed or not. */
static cell_weight read_weight(const tsm_tensor *t, bool is_packed, size_t outputs, size_t inputs, bool *fits) {
    *fits &= is_packed ? is_packed_for(t, outputs, inputs) : is_matrix(t, outputs, inputs);
    return (cell_weight){.data = t->data, .is_packed = is_packed};
}

enum { RNN_PARAMETERS = 5 };

/* How parameters lie in the list. `narrow`: with two tensors of scales behind those of a direction; reads a weight and
 * its scales. */
typedef struct {
    bool biases, packed;
    tsm_status (*narrow)(tsm_exec *x, const tsm_tensor *weight, const tsm_tensor *scales, cell_weight *w);
} parameters_form;

/* Of one direction whose cell state is not projected. */
static size_t parameters_count(const parameters_form *form) {
    return (form->biases ? 4 : 2) + (form->narrow ? 2 : 0);
}

/* `t` receives contiguous tensors that lie where *p points to; the caller drops them, also after a failure. */
static tsm_status read_parameters(tsm_exec *x, const tsm_list *params, size_t at, const parameters_form *form,
                                  size_t inputs, const run_shape *s, tsm_tensor **t, cell_parameters *p) {
    size_t width = (size_t)rnn_gates(s->kind) * s->hidden, first = at;
    bool fits = true, projects = s->state != s->hidden;
    for (size_t k = 0; k < (projects ? RNN_PARAMETERS : RNN_PARAMETERS - 1); k++) { /* w_ih, w_hh, b_ih, b_hh, w_hr */
        if (!form->biases && (k == 2 || k == 3))
            continue;
        if (at >= params->length)
            return TSM_RAISE(x, "a recurrent layer got an incorrect number of RNN parameters");
        tsm_tensor *given = tsm_as_tensor(params->items[at++]);
        const bool may_be_narrow = form->narrow && k < 2 && s->dtype == TSM_FLOAT32;
        if (given->dtype != s->dtype && !may_be_narrow)
            return TSM_RAISE(x, "recurrent layers want parameters of the input's type, %s", tsm_dtype_name(s->dtype));
        const tsm_dtype read = may_be_narrow ? (tsm_dtype)given->dtype : work_dtype(s->dtype);
        TSM_TRY(tsm_kernel_contiguous(x, given, read, &t[k]));
        fits &= k < 2 || k == 4 || (size_t)t[k]->elements == width;
    }
    *p = (cell_parameters){.w_ih = read_weight(t[0], form->packed, width, inputs, &fits),
                           .w_hh = read_weight(t[1], form->packed, width, s->state, &fits),
                           .b_ih = t[2] ? t[2]->data : NULL,
                           .b_hh = t[3] ? t[3]->data : NULL,
                           .inputs = inputs};
    if (projects)
        p->w_hr = read_weight(t[4], form->packed, s->state, s->hidden, &fits);
    if (!fits)
        return TSM_RAISE(x, "a recurrent layer's parameters from %zu on have other sizes than its input wants", first);
    for (size_t k = 0; form->narrow && k < 2; k++) {
        if (at + k >= params->length)
            return TSM_RAISE(x, "a recurrent layer got an incorrect number of RNN parameters");
        TSM_TRY(form->narrow(x, t[k], tsm_as_tensor(params->items[at + k]), k ? &p->w_hh : &p->w_ih));
    }
    return TSM_OK;
}

/* The state tensor [layers * directions, batch, hidden], contiguous, a copy of its own. */
static tsm_status copy_state(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, tsm_tensor **out) {
    TSM_TRY(tsm_tensor_make(x, dtype, t->dims, t->sizes, out));
    tsm_status status = tsm_tensor_copy(x, *out, t);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, *out);
        *out = NULL;
    }
    return status;
}

/* What one layer gives the next in training mode; takes the place of *y. */
static tsm_status drop_between_layers(tsm_exec *x, tsm_tensor **y, double probability) {
    tsm_value arguments[] = {tsm_of_tensor(*y), tsm_float(probability), tsm_bool(true)}, dropped;
    if ((*y)->dtype != TSM_FLOAT32 && (*y)->dtype != TSM_FLOAT64)
        return TSM_RAISE(x, "\"bernoulli_scalar_cpu_\" not implemented for '%s'",
                         tsm_dtype_class_name((tsm_dtype)(*y)->dtype));
    TSM_TRY(tsm_kernel_call(x, tsm_k_aten_dropout, 3, arguments, &dropped));
    tsm_tensor_drop(x, *y);
    *y = tsm_as_tensor(dropped);
    return TSM_OK;
}

/* Results in the program's dtype; takes the tensors' counts. */
static tsm_status rnn_give_results(tsm_exec *x, tsm_dtype dtype, tsm_tensor *y, tsm_tensor *h, tsm_tensor *c,
                                   tsm_value *out) {
    tsm_tensor *const made[] = {y, h, c};
    tsm_status status = TSM_OK;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3; i++) {
        if (!made[i])
            continue;
        status = tsm_kernel_finish(x, status, made[i], dtype, &out[count]);
        count += status == TSM_OK;
    }
    while (status != TSM_OK && count)
        tsm_drop(x, out[--count]);
    return status;
}

/* Hidden states have the input's dtype; those of float32 may go with halves, as parameters may. */
static tsm_status check_state(tsm_exec *x, const tsm_tensor *input, const tsm_tensor *state) {
    if (!state || state->dtype == input->dtype ||
        (state->dtype == TSM_FLOAT32 && tsm_dtype_kinds[input->dtype] & TSM_KIND_HALF))
        return TSM_OK;
    return TSM_RAISE(x,
                     "Input and hidden tensors are not the same dtype, found input tensor with %s and hidden tensor "
                     "with %s",
                     tsm_dtype_class_name((tsm_dtype)input->dtype), tsm_dtype_class_name((tsm_dtype)state->dtype));
}

/* All layers. `states`: hidden (and cell) states. `dropout`: of what is handed on between layers, 0 out of training.
 * Results: output, then the states. */
static tsm_status run_layers(tsm_exec *x, cell_kind kind, tsm_tensor *input, tsm_tensor *h0, tsm_tensor *c0,
                             const tsm_list *params, const parameters_form *form, int64_t layers, double dropout,
                             bool bidirectional, bool batch_first, tsm_value *out) {
    if (input->dims != 3 || h0->dims != 3 || (c0 && c0->dims != 3))
        return TSM_RAISE(x, "RNN: expected 3-D input and hidden states");
    TSM_TRY(check_state(x, input, h0));
    TSM_TRY(check_state(x, input, c0));
    const tsm_dtype given = (tsm_dtype)input->dtype, dtype = work_dtype(given);
    const size_t size = tsm_dtype_size(dtype);
    int directions = bidirectional ? 2 : 1;
    tsm_tensor *h = NULL, *c = NULL, *now = NULL, *in_order = NULL;
    tsm_dim order_sizes[3] = {input->sizes[1], input->sizes[0], input->sizes[2]};
    tsm_dim order_strides[3] = {input->strides[1], input->strides[0], input->strides[2]};
    tsm_status status = batch_first ? tsm_tensor_view_of(x, input, 3, order_sizes, order_strides, 0, &in_order)
                                    : tsm_tensor_view_of(x, input, 3, input->sizes, input->strides, 0, &in_order);
    if (status == TSM_OK)
        status = tsm_kernel_contiguous(x, in_order, dtype, &now);
    tsm_tensor_drop(x, in_order);
    if (status == TSM_OK)
        status = copy_state(x, h0, dtype, &h);
    if (status == TSM_OK && c0)
        status = copy_state(x, c0, dtype, &c);
    if (status == TSM_OK && (h->sizes[0] != tsm_dim_mul(tsm_saturate_dim(layers), directions) ||
                             h->sizes[1] != now->sizes[1] || (c && memcmp(c->sizes, h->sizes, 2 * sizeof *h->sizes))))
        status = TSM_RAISE(x, "Expected hidden size (%ld, %zd, %zd), got another",
                           (int64_t)tsm_dim_mul(tsm_saturate_dim(layers), directions), (ptrdiff_t)now->sizes[1],
                           (ptrdiff_t)h->sizes[2]);
    size_t at = 0;
    for (int64_t l = 0; l < layers && status == TSM_OK; l++) {
        run_shape s = {kind,
                       given,
                       (size_t)now->sizes[0],
                       (size_t)now->sizes[1],
                       (size_t)(c ? c : h)->sizes[2],
                       (size_t)h->sizes[2],
                       false};
        tsm_dim sizes[3] = {now->sizes[0], now->sizes[1], h->sizes[2] * directions};
        tsm_tensor *y = NULL;
        status = tsm_tensor_make(x, dtype, 3, sizes, &y);
        for (int d = 0; d < directions && status == TSM_OK; d++) {
            cell_parameters p;
            tsm_tensor *held[RNN_PARAMETERS] = {0};
            status = read_parameters(x, params, at, form, (size_t)now->sizes[2], &s, held, &p);
            at += parameters_count(form) + (s.state != s.hidden);
            s.backward = d == 1;
            size_t row = (size_t)tsm_saturate_dim(l * directions + d) * s.batch * size;
            if (status == TSM_OK)
                status =
                    run_direction(x, &s, &p, now->data, (char *)y->data + (size_t)d * s.state * size, (size_t)sizes[2],
                                  (char *)h->data + row * s.state, c ? (char *)c->data + row * s.hidden : NULL);
            for (int k = 0; k < RNN_PARAMETERS; k++)
                tsm_tensor_drop(x, held[k]);
        }
        tsm_tensor_drop(x, now);
        now = y;
        if (status == TSM_OK && dropout != 0 && l + 1 < layers)
            status = drop_between_layers(x, &now, dropout);
    }
    if (status == TSM_OK && at != params->length)
        status = TSM_RAISE(x, "a recurrent layer got an incorrect number of RNN parameters");
    tsm_tensor *result = NULL;
    if (status == TSM_OK && batch_first) {
        tsm_dim sizes[3] = {now->sizes[1], now->sizes[0], now->sizes[2]},
                strides[3] = {now->strides[1], now->strides[0], now->strides[2]};
        status = tsm_tensor_view_of(x, now, 3, sizes, strides, 0, &result);
        tsm_tensor_drop(x, now);
    } else
        result = now;
    if (status != TSM_OK) {
        tsm_tensor_drop(x, result);
        tsm_tensor_drop(x, h);
        tsm_tensor_drop(x, c);
        return status;
    }
    return rnn_give_results(x, given, result, h, c, out);
}

/* Which dtypes a cell takes: floats, and what its activations are defined for. */
static tsm_status check_dtype(tsm_exec *x, const tsm_tensor *t, cell_kind kind, bool takes_others) {
    const tsm_dtype dtype = (tsm_dtype)t->dtype;
    const bool is_int = tsm_dtype_is_integral(dtype) && dtype != TSM_BOOL;
    if (dtype == TSM_FLOAT32 || dtype == TSM_FLOAT64)
        return TSM_OK;
    if (!takes_others)
        return tsm_fail(x, TSM_UNSUPPORTED, "%s is implemented for float32 and float64 only, not %s", tsm_op_name(x),
                        tsm_dtype_name(dtype));
    if (tsm_dtype_kinds[dtype] & TSM_KIND_HALF)
        return TSM_OK;
    if (tsm_dtype_is_complex(dtype) ? kind != CELL_RELU : is_int && (kind == CELL_RELU || kind == CELL_TANH))
        return TSM_OK;
    return TSM_RAISE(x, "\"%s\" not implemented for '%s'", tsm_op_name(x), tsm_dtype_class_name(dtype));
}

/* The probability that the arguments `dropout` and `train` ask for: 0 out of training. */
static double layer_dropout(const tsm_value *const *in) {
    return arg_bool(in, 6) ? arg_float(in, 5) : 0;
}

static parameters_form form_of(const tsm_value *const *in, bool packed) {
    return (parameters_form){.biases = arg_bool(in, 3), .packed = packed};
}

static tsm_status read_narrow(tsm_exec *x, const tsm_tensor *weight, const tsm_tensor *scales, cell_weight *w) {
    if (weight->dtype == TSM_FLOAT32)
        return TSM_OK;
    w->is_packed = false;
    w->multiply = tsm_gemm_f32_narrow;
    return tsm_narrow_read(x, weight, weight->dtype == TSM_INT8 ? scales : NULL, &w->narrow);
}
static parameters_form narrow_form(const tsm_value *const *in) {
    return (parameters_form){.biases = arg_bool(in, 3), .packed = true, .narrow = read_narrow};
}

static tsm_status lstm(tsm_exec *x, const tsm_value *const *in, parameters_form form, tsm_value *out) {
    const tsm_list *states = arg_list(in, 1);
    TSM_TRY(check_dtype(x, arg_tensor(in, 0), CELL_LSTM, !form.packed));
    if (states->length != 2)
        return TSM_RAISE(x, "lstm expects two hidden states");
    return run_layers(x, CELL_LSTM, arg_tensor(in, 0), tsm_as_tensor(states->items[0]), tsm_as_tensor(states->items[1]),
                      arg_list(in, 2), &form, arg_int(in, 4), layer_dropout(in), arg_bool(in, 7), arg_bool(in, 8), out);
}
TSM_KERNEL(aten_lstm_input) {
    return lstm(x, in, form_of(in, false), out);
}
TSM_KERNEL(tsm_lstm) {
    return lstm(x, in, form_of(in, true), out);
}
TSM_KERNEL(tsm_narrow_lstm) {
    return lstm(x, in, narrow_form(in), out);
}

static tsm_status plain_layers(tsm_exec *x, const tsm_value *const *in, cell_kind kind, parameters_form form,
                               tsm_value *out) {
    TSM_TRY(check_dtype(x, arg_tensor(in, 0), kind, !form.packed));
    if (kind == CELL_TANH && tsm_dtype_is_integral((tsm_dtype)arg_tensor(in, 0)->dtype)) /* floats meet ints */
        return TSM_RAISE(x, "expected m1 and m2 to have the same dtype, but got: float != %s",
                         tsm_dtype_name((tsm_dtype)arg_tensor(in, 0)->dtype));
    return run_layers(x, kind, arg_tensor(in, 0), arg_tensor(in, 1), NULL, arg_list(in, 2), &form, arg_int(in, 4),
                      layer_dropout(in), arg_bool(in, 7), arg_bool(in, 8), out);
}
TSM_KERNEL(aten_gru_input) {
    return plain_layers(x, in, CELL_GRU, form_of(in, false), out);
}
TSM_KERNEL(tsm_gru) {
    return plain_layers(x, in, CELL_GRU, form_of(in, true), out);
}
TSM_KERNEL(tsm_narrow_gru) {
    return plain_layers(x, in, CELL_GRU, narrow_form(in), out);
}
TSM_KERNEL(aten_rnn_tanh_input) {
    return plain_layers(x, in, CELL_TANH, form_of(in, false), out);
}
TSM_KERNEL(aten_rnn_relu_input) {
    return plain_layers(x, in, CELL_RELU, form_of(in, false), out);
}

/* ---- Cells ---- */

/* What a cell works on: all contiguous and of one type. */
typedef struct {
    tsm_tensor *input, *h, *c, *weights[4]; /* W_ih, W_hh and their biases; c and biases may be NULL */
} cell_operands;

static void drop_operands(tsm_exec *x, cell_operands *o) {
    tsm_tensor_drop(x, o->input);
    tsm_tensor_drop(x, o->h);
    for (int k = 0; k < 4; k++)
        tsm_tensor_drop(x, o->weights[k]);
}

static tsm_status rnn_read_operands(tsm_exec *x, tsm_tensor *input, tsm_tensor *h0, tsm_tensor *c0,
                                    const tsm_value *const *in, int first, cell_operands *o) {
    const tsm_dtype dtype = work_dtype((tsm_dtype)input->dtype);
    TSM_TRY(tsm_kernel_contiguous(x, input, dtype, &o->input));
    TSM_TRY(copy_state(x, h0, dtype, &o->h));
    if (c0)
        TSM_TRY(copy_state(x, c0, dtype, &o->c));
    for (int k = 0; k < 4; k++)
        TSM_TRY(tsm_kernel_contiguous_or_null(x, arg_tensor_or_null(in, first + k), dtype, &o->weights[k]));
    return TSM_OK;
}

static tsm_status check_operands(tsm_exec *x, const cell_operands *o, size_t width, size_t inputs, size_t hidden) {
    const size_t columns[] = {inputs, hidden};
    for (int k = 0; k < 4; k++) {
        const tsm_tensor *w = o->weights[k];
        if (w && (k < 2 ? !is_matrix(w, width, columns[k]) : (size_t)w->elements != width))
            return TSM_RAISE(x, "%s: input has inconsistent input_size: got %zu", tsm_op_name(x), inputs);
    }
    if (o->input->sizes[0] != o->h->sizes[0] || (o->c && memcmp(o->c->sizes, o->h->sizes, 2 * sizeof *o->h->sizes)))
        return TSM_RAISE(x, "%s: Input batch size %zd doesn't match hidden batch size %zd", tsm_op_name(x),
                         (ptrdiff_t)o->input->sizes[0], (ptrdiff_t)o->h->sizes[0]);
    return TSM_OK;
}

/* The sums of a cell of ints, which the loop left as they are: their tanh is of floats. */
static tsm_status tanh_of_ints(tsm_exec *x, tsm_value *out) {
    tsm_value made;
    const tsm_status status = tsm_kernel_call(x, tsm_k_aten_tanh, 1, out, &made);
    tsm_drop(x, out[0]);
    if (status == TSM_OK)
        out[0] = made;
    return status;
}

/* One step: input [batch, inputs], states [batch, hidden]. */
static tsm_status run_cell(tsm_exec *x, cell_kind kind, tsm_tensor *input, tsm_tensor *h0, tsm_tensor *c0,
                           const tsm_value *const *in, int first, tsm_value *out) {
    cell_operands o = {0};
    tsm_tensor *y = NULL;
    if (input->dims != 2 || h0->dims != 2 || (c0 && c0->dims != 2))
        return TSM_RAISE(x, "%s expects input and hidden state of 2 dimensions", tsm_op_name(x));
    TSM_TRY(check_dtype(x, input, kind, true));
    const tsm_dtype given = (tsm_dtype)input->dtype;
    size_t batch = (size_t)h0->sizes[0], hidden = (size_t)h0->sizes[1], inputs = (size_t)input->sizes[1];
    tsm_status status = rnn_read_operands(x, input, h0, c0, in, first, &o);
    if (status == TSM_OK)
        status = check_operands(x, &o, (size_t)rnn_gates(kind) * hidden, inputs, hidden);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, work_dtype(given), 2, h0->sizes, &y);
    if (status == TSM_OK) {
        tsm_tensor *const *w = o.weights;
        cell_parameters p = {.w_ih = {.data = w[0]->data},
                             .w_hh = {.data = w[1]->data},
                             .b_ih = w[2] ? w[2]->data : NULL,
                             .b_hh = w[3] ? w[3]->data : NULL,
                             .inputs = inputs};
        run_shape s = {kind, given, 1, batch, hidden, hidden, false};
        status = run_direction(x, &s, &p, o.input->data, y->data, hidden, o.h->data, o.c ? o.c->data : NULL);
    }
    drop_operands(x, &o);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        tsm_tensor_drop(x, o.c);
        return status;
    }
    TSM_TRY(rnn_give_results(x, given, y, o.c, NULL, out));
    return kind == CELL_TANH && work_dtype(given) == TSM_INT64 ? tanh_of_ints(x, out) : TSM_OK;
}
TSM_KERNEL(aten_lstm_cell) {
    const tsm_list *states = arg_list(in, 1);
    if (states->length != 2)
        return TSM_RAISE(x, "lstm_cell expects two hidden states");
    return run_cell(x, CELL_LSTM, arg_tensor(in, 0), tsm_as_tensor(states->items[0]), tsm_as_tensor(states->items[1]),
                    in, 2, out);
}
TSM_KERNEL(aten_gru_cell) {
    return run_cell(x, CELL_GRU, arg_tensor(in, 0), arg_tensor(in, 1), NULL, in, 2, out);
}
TSM_KERNEL(aten_rnn_tanh_cell) {
    return run_cell(x, CELL_TANH, arg_tensor(in, 0), arg_tensor(in, 1), NULL, in, 2, out);
}
TSM_KERNEL(aten_rnn_relu_cell) {
    return run_cell(x, CELL_RELU, arg_tensor(in, 0), arg_tensor(in, 1), NULL, in, 2, out);
}
