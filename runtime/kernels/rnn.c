/* Recurrent networks: LSTM, GRU and simple RNN, as layers over a sequence and as single cells.
 *
 * A cell's gates are one product of the step's input with W_ih and one of the hidden state with W_hh. A layer computes the first for
 * all steps at once. Formulas: torch.nn.LSTM, GRU, RNN. Scratch: 4 * gates * hidden * batch * (steps + 1) + 4 * hidden * batch bytes. */
#include "runtime/kernels/gemm.h"

typedef enum { CELL_LSTM, CELL_GRU, CELL_TANH, CELL_RELU } cell_kind;

static int gates_of(cell_kind kind) { return kind == CELL_LSTM ? 4 : kind == CELL_GRU ? 3 : 1; }

static inline float sigmoid(float v) { return 1 / (1 + expf(-v)); }

/* y[rows][outputs] = a[rows][inputs] W^T + bias, W [outputs][inputs]. */
static tsm_status project(tsm_exec *x, size_t rows, size_t inputs, size_t outputs, const float *a, ptrdiff_t a_row, const float *w,
                          const float *bias, float *y) {
    tsm_finish finish;
    memset(&finish, 0, sizeof finish);
    finish.column_bias = bias;
    gemm_product p = {1, rows, outputs, inputs, a, 0, a_row, 1, w, 0, 1, (ptrdiff_t)inputs, y, 0, (ptrdiff_t)outputs,
                      bias ? &finish : NULL, 0};
    return gemm_f32(x, &p);
}

/* One step for one row: `gi` input gates, `gh` hidden gates, state h (and c) in, new state out. */
static void step(cell_kind kind, size_t hidden, const float *gi, const float *gh, const float *h, const float *c, float *new_h, float *new_c) {
    for (size_t j = 0; j < hidden; j++) {
        switch (kind) {
        case CELL_LSTM: {
            float i = sigmoid(gi[j] + gh[j]), f = sigmoid(gi[hidden + j] + gh[hidden + j]);
            float g = tanhf(gi[2 * hidden + j] + gh[2 * hidden + j]), o = sigmoid(gi[3 * hidden + j] + gh[3 * hidden + j]);
            new_c[j] = f * c[j] + i * g;
            new_h[j] = o * tanhf(new_c[j]);
            break;
        }
        case CELL_GRU: {
            float r = sigmoid(gi[j] + gh[j]), z = sigmoid(gi[hidden + j] + gh[hidden + j]);
            float n = tanhf(gi[2 * hidden + j] + r * gh[2 * hidden + j]);
            new_h[j] = (h[j] - n) * z + n;
            break;
        }
        case CELL_TANH:
            new_h[j] = tanhf(gi[j] + gh[j]);
            break;
        case CELL_RELU:
            new_h[j] = gi[j] + gh[j] > 0 ? gi[j] + gh[j] : 0;
            break;
        }
    }
}

/* Parameters of one direction of one layer. */
typedef struct {
    const float *w_ih, *w_hh, *b_ih, *b_hh;
    size_t inputs;
} cell_parameters;

/* One direction over a sequence [steps][batch][inputs]; writes y[t][b][offset ..] with y_row floats a (t, b) row; h and c [batch][hidden]
 * hold the state and are updated. */
typedef struct {
    cell_kind kind;
    size_t steps, batch, hidden;
    bool backward;
} run_shape;

static tsm_status run_direction(tsm_exec *x, const run_shape *s, const cell_parameters *p, const float *a, float *y, size_t y_row, float *h, float *c) {
    size_t width = (size_t)gates_of(s->kind) * s->hidden, rows = s->steps * s->batch;
    float *gi = tsm_scratch(x, (rows + s->batch) * width * sizeof(float));
    if (!gi)
        return TSM_OUT_OF_MEMORY;
    float *gh = gi + rows * width;
    tsm_status status = project(x, rows, p->inputs, width, a, (ptrdiff_t)p->inputs, p->w_ih, p->b_ih, gi);
    for (size_t k = 0; k < s->steps && status == TSM_OK; k++) {
        size_t t = s->backward ? s->steps - 1 - k : k;
        status = project(x, s->batch, s->hidden, width, h, (ptrdiff_t)s->hidden, p->w_hh, p->b_hh, gh);
        for (size_t b = 0; b < s->batch && status == TSM_OK; b++) {
            float *to = y + (t * s->batch + b) * y_row, *state = h + b * s->hidden;
            /* The new state may take the old one's place only when all of it was read: LSTM and RNN read it through gh. */
            step(s->kind, s->hidden, gi + (t * s->batch + b) * width, gh + b * width, state, c ? c + b * s->hidden : NULL, to,
                 c ? c + b * s->hidden : NULL);
            memcpy(state, to, s->hidden * sizeof *state);
        }
    }
    tsm_scratch_free(x, gi);
    return status;
}

static tsm_status read_parameters(tsm_exec *x, const tsm_list *params, size_t at, bool biases, size_t inputs, size_t hidden, int gates,
                                  cell_parameters *p) {
    const tsm_tensor *t[4] = {0};
    for (size_t k = 0; k < (biases ? 4u : 2u); k++) {
        if (at + k >= params->length || params->items[at + k].tag != TSM_TAG_TENSOR)
            return TSM_RAISE(x, "a recurrent layer has too few parameters");
        t[k] = tsm_as_tensor(params->items[at + k]);
        if (t[k]->dtype != TSM_FLOAT32 || !tsm_tensor_is_contiguous(t[k]))
            return TSM_RAISE(x, "recurrent layers want contiguous float32 parameters");
        size_t want = (size_t)gates * hidden * (k == 0 ? inputs : k == 1 ? hidden : 1);
        if ((size_t)t[k]->elements != want)
            return TSM_RAISE(x, "a recurrent layer's parameter %zu has another size than its input wants", at + k);
    }
    *p = (cell_parameters){t[0]->data, t[1]->data, t[2] ? t[2]->data : NULL, t[3] ? t[3]->data : NULL, inputs};
    return TSM_OK;
}

/* The state tensor [layers * directions, batch, hidden] as float32, contiguous, a copy of its own. */
static tsm_status copy_state(tsm_exec *x, tsm_tensor *t, tsm_tensor **out) {
    TSM_TRY(tsm_tensor_make(x, TSM_FLOAT32, t->dims, t->sizes, out));
    tsm_status status = tsm_tensor_copy(x, *out, t);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, *out);
        *out = NULL;
    }
    return status;
}

/* All layers. `states`: hidden (and cell) states. Results: output, then the states. */
static tsm_status run_layers(tsm_exec *x, cell_kind kind, tsm_tensor *input, tsm_tensor *h0, tsm_tensor *c0, const tsm_list *params,
                             bool biases, int64_t layers, bool bidirectional, bool batch_first, tsm_value *out) {
    if (input->dims != 3 || h0->dims != 3 || (c0 && c0->dims != 3))
        return TSM_RAISE(x, "RNN: expected 3-D input and hidden states");
    int directions = bidirectional ? 2 : 1, gates = gates_of(kind);
    tsm_tensor *h = NULL, *c = NULL, *now = NULL, *in_order = NULL;
    tsm_dim order_sizes[3] = {input->sizes[1], input->sizes[0], input->sizes[2]};
    tsm_dim order_strides[3] = {input->strides[1], input->strides[0], input->strides[2]};
    tsm_status status = batch_first ? tsm_tensor_view_of(x, input, 3, order_sizes, order_strides, 0, &in_order)
                                    : tsm_tensor_view_of(x, input, 3, input->sizes, input->strides, 0, &in_order);
    if (status == TSM_OK)
        status = nn_contiguous(x, in_order, TSM_FLOAT32, &now);
    tsm_tensor_drop(x, in_order);
    if (status == TSM_OK)
        status = copy_state(x, h0, &h);
    if (status == TSM_OK && c0)
        status = copy_state(x, c0, &c);
    if (status == TSM_OK && (h->sizes[0] != layers * directions || h->sizes[1] != now->sizes[1] ||
                             (c && memcmp(c->sizes, h->sizes, 3 * sizeof *h->sizes))))
        status = TSM_RAISE(x, "Expected hidden size (%ld, %zd, %zd), got another", layers * directions, (ptrdiff_t)now->sizes[1],
                           (ptrdiff_t)h->sizes[2]);
    size_t at = 0;
    for (int64_t l = 0; l < layers && status == TSM_OK; l++) {
        run_shape s = {kind, (size_t)now->sizes[0], (size_t)now->sizes[1], (size_t)h->sizes[2], false};
        tsm_dim sizes[3] = {now->sizes[0], now->sizes[1], h->sizes[2] * directions};
        tsm_tensor *y = NULL;
        status = tsm_tensor_make(x, TSM_FLOAT32, 3, sizes, &y);
        for (int d = 0; d < directions && status == TSM_OK; d++) {
            cell_parameters p;
            status = read_parameters(x, params, at, biases, (size_t)now->sizes[2], s.hidden, gates, &p);
            at += biases ? 4 : 2;
            s.backward = d == 1;
            size_t state = (size_t)(l * directions + d) * s.batch * s.hidden;
            if (status == TSM_OK)
                status = run_direction(x, &s, &p, now->data, (float *)y->data + (size_t)d * s.hidden, (size_t)sizes[2],
                                       (float *)h->data + state, c ? (float *)c->data + state : NULL);
        }
        tsm_tensor_drop(x, now);
        now = y;
    }
    tsm_tensor *result = NULL;
    if (status == TSM_OK && batch_first) {
        tsm_dim sizes[3] = {now->sizes[1], now->sizes[0], now->sizes[2]}, strides[3] = {now->strides[1], now->strides[0], now->strides[2]};
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
    out[0] = tsm_of_tensor(result);
    out[1] = tsm_of_tensor(h);
    if (c)
        out[2] = tsm_of_tensor(c);
    return TSM_OK;
}

static tsm_status check_layer(tsm_exec *x, const tsm_value *const *in, int training_at, int dropout_at) {
    if (arg_bool(in, training_at) && arg_float(in, dropout_at) != 0)
        return tsm_fail(x, TSM_UNSUPPORTED, "%s with dropout in training mode is not supported; export the model after eval()", x->op->name);
    if (arg_tensor(in, 0)->dtype != TSM_FLOAT32)
        return tsm_fail(x, TSM_UNSUPPORTED, "%s is implemented for float32 only", x->op->name);
    return TSM_OK;
}

TSM_KERNEL(aten_lstm_input) {
    const tsm_list *states = arg_list(in, 1);
    TSM_TRY(check_layer(x, in, 6, 5));
    if (states->length != 2 || states->items[0].tag != TSM_TAG_TENSOR || states->items[1].tag != TSM_TAG_TENSOR)
        return TSM_RAISE(x, "lstm expects two hidden states");
    return run_layers(x, CELL_LSTM, arg_tensor(in, 0), tsm_as_tensor(states->items[0]), tsm_as_tensor(states->items[1]), arg_list(in, 2),
                      arg_bool(in, 3), arg_int(in, 4), arg_bool(in, 7), arg_bool(in, 8), out);
}
static tsm_status plain_layers(tsm_exec *x, const tsm_value *const *in, cell_kind kind, tsm_value *out) {
    TSM_TRY(check_layer(x, in, 6, 5));
    return run_layers(x, kind, arg_tensor(in, 0), arg_tensor(in, 1), NULL, arg_list(in, 2), arg_bool(in, 3), arg_int(in, 4), arg_bool(in, 7),
                      arg_bool(in, 8), out);
}
TSM_KERNEL(aten_gru_input) { return plain_layers(x, in, CELL_GRU, out); }
TSM_KERNEL(aten_rnn_tanh_input) { return plain_layers(x, in, CELL_TANH, out); }
TSM_KERNEL(aten_rnn_relu_input) { return plain_layers(x, in, CELL_RELU, out); }

/* ---- Cells ---- */

/* One step: input [batch, inputs], states [batch, hidden]. */
static tsm_status run_cell(tsm_exec *x, cell_kind kind, tsm_tensor *input, tsm_tensor *h0, tsm_tensor *c0, const tsm_value *const *in, int first,
                           tsm_value *out) {
    if (input->dims != 2 || h0->dims != 2 || input->dtype != TSM_FLOAT32)
        return TSM_RAISE(x, "%s expects float32 input and hidden state of 2 dimensions", x->op->name);
    int gates = gates_of(kind);
    tsm_tensor *a = NULL, *h = NULL, *c = NULL, *y = NULL, *weights[4] = {0};
    size_t batch = (size_t)h0->sizes[0], hidden = (size_t)h0->sizes[1], inputs = (size_t)input->sizes[1];
    tsm_status status = nn_contiguous(x, input, TSM_FLOAT32, &a);
    if (status == TSM_OK)
        status = copy_state(x, h0, &h);
    if (status == TSM_OK && c0)
        status = copy_state(x, c0, &c);
    for (int k = 0; k < 4 && status == TSM_OK; k++)
        status = nn_contiguous_or_null(x, arg_tensor_or_null(in, first + k), TSM_FLOAT32, &weights[k]);
    if (status == TSM_OK) {
        size_t width = (size_t)gates * hidden;
        const size_t want[] = {width * inputs, width * hidden, width, width};
        for (int k = 0; k < 4; k++)
            if (weights[k] && (size_t)weights[k]->elements != want[k])
                status = TSM_RAISE(x, "%s: input has inconsistent input_size: got %zu", x->op->name, inputs);
        if (input->sizes[0] != h0->sizes[0])
            status = TSM_RAISE(x, "%s: Input batch size %zd doesn't match hidden batch size %zd", x->op->name, (ptrdiff_t)input->sizes[0],
                               (ptrdiff_t)h0->sizes[0]);
    }
    if (status == TSM_OK)
        status = tsm_tensor_make(x, TSM_FLOAT32, 2, h0->sizes, &y);
    if (status == TSM_OK) {
        cell_parameters p = {weights[0]->data, weights[1]->data, weights[2] ? weights[2]->data : NULL,
                             weights[3] ? weights[3]->data : NULL, inputs};
        run_shape s = {kind, 1, batch, hidden, false};
        status = run_direction(x, &s, &p, a->data, y->data, hidden, h->data, c ? c->data : NULL);
    }
    tsm_tensor_drop(x, a);
    tsm_tensor_drop(x, h);
    for (int k = 0; k < 4; k++)
        tsm_tensor_drop(x, weights[k]);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        tsm_tensor_drop(x, c);
        return status;
    }
    out[0] = tsm_of_tensor(y);
    if (c)
        out[1] = tsm_of_tensor(c);
    return TSM_OK;
}
TSM_KERNEL(aten_lstm_cell) {
    const tsm_list *states = arg_list(in, 1);
    if (states->length != 2 || states->items[0].tag != TSM_TAG_TENSOR || states->items[1].tag != TSM_TAG_TENSOR)
        return TSM_RAISE(x, "lstm_cell expects two hidden states");
    return run_cell(x, CELL_LSTM, arg_tensor(in, 0), tsm_as_tensor(states->items[0]), tsm_as_tensor(states->items[1]), in, 2, out);
}
TSM_KERNEL(aten_gru_cell) { return run_cell(x, CELL_GRU, arg_tensor(in, 0), arg_tensor(in, 1), NULL, in, 2, out); }
TSM_KERNEL(aten_rnn_tanh_cell) { return run_cell(x, CELL_TANH, arg_tensor(in, 0), arg_tensor(in, 1), NULL, in, 2, out); }
TSM_KERNEL(aten_rnn_relu_cell) { return run_cell(x, CELL_RELU, arg_tensor(in, 0), arg_tensor(in, 1), NULL, in, 2, out); }
