/* torch.nn.init. No random numbers are generated: tensors of random values must get them from a state dict. */
#include <math.h>
#include <string.h>

#include "exporter/python/py_eval.h"

/* torch.nn.init.calculate_gain: the factor that PyTorch recommends for random weights before an activation. */
static double gain_of(const py_machine *m, const char *activation, double slope) {
    static const char *const plain[] = {"linear", "sigmoid", "conv", NULL};
    for (const char *const *name = plain; *name; name++)
        if (!strncmp(activation, *name, strlen(*name)))
            return 1;
    if (!strcmp(activation, "tanh"))
        return 5.0 / 3;
    if (!strcmp(activation, "relu"))
        return sqrt(2.0);
    if (!strcmp(activation, "leaky_relu"))
        return sqrt(2.0 / (1 + slope * slope));
    if (!strcmp(activation, "selu"))
        return 0.75;
    py_fail(m, "ValueError: Unsupported nonlinearity %s", activation);
}

static py_value *call_gain(py_machine *m, const py_arguments *a) {
    py_value *activation = py_required(m, a, 0, "nonlinearity"), *param = py_argument(a, 1, "param");
    double slope = 0.01;
    if (activation->kind != PY_STR)
        py_fail(m, "torch.nn.init.calculate_gain: the nonlinearity must be a string");
    if (param && param->kind != PY_NONE && !py_number(param, &slope))
        py_fail(m, "ValueError: negative_slope is not a valid number");
    return py_float(gain_of(m, activation->string.bytes, slope));
}

/* The numbers of inputs and outputs that a weight connects. */
static py_value *call_fans(py_machine *m, const py_arguments *a) {
    py_value *weight = py_required(m, a, 0, "tensor"), *fans = py_new(PY_TUPLE);
    if (weight->kind != PY_TENSOR || weight->tensor->ndim < 2)
        py_fail(m, "ValueError: Fan in and fan out can not be computed for tensor with fewer than 2 dimensions");
    int64_t field = 1;
    for (int d = 2; d < weight->tensor->ndim; d++)
        field *= weight->tensor->sizes[d];
    arrput(fans->items, py_int(weight->tensor->sizes[1] * field));
    arrput(fans->items, py_int(weight->tensor->sizes[0] * field));
    return fans;
}

static py_value *call_correct_fan(py_machine *m, const py_arguments *a) {
    py_value *mode = py_required(m, a, 1, "mode"), *fans = call_fans(m, a);
    return fans->items[mode->kind == PY_STR && !strcmp(mode->string.bytes, "fan_out")];
}

/* ones on the diagonal of a matrix */
static void fill_eye(py_machine *m, py_tensor *t) {
    if (t->ndim != 2)
        py_fail(m, "ValueError: Only tensors with 2 dimensions are supported");
    py_tensor_fill(t, 0, false);
    py_value *v = py_tensor_of(py_tensor_data(t));
    for (int64_t i = 0; i < t->sizes[0] && i < t->sizes[1]; i++) {
        py_value *at = py_new(PY_TUPLE);
        arrput(at->items, py_int(i));
        arrput(at->items, py_int(i));
        py_tensor_set_index(m, v, at, py_int(1));
    }
}

py_value *py_call_init(py_machine *m, const char *name, py_arguments *a) {
    static const char *const random[] = {"normal_",
                                         "uniform_",
                                         "xavier_uniform_",
                                         "xavier_normal_",
                                         "kaiming_uniform_",
                                         "kaiming_normal_",
                                         "orthogonal_",
                                         "trunc_normal_",
                                         "sparse_",
                                         "dirac_",
                                         "xavier_uniform",
                                         "xavier_normal",
                                         "kaiming_normal",
                                         "kaiming_uniform",
                                         "normal",
                                         "uniform",
                                         NULL};
    double fill = 0;
    if (!strcmp(name, "calculate_gain"))
        return call_gain(m, a);
    if (!strcmp(name, "_calculate_fan_in_and_fan_out"))
        return call_fans(m, a);
    if (!strcmp(name, "_calculate_correct_fan"))
        return call_correct_fan(m, a);
    py_value *t = py_required(m, a, 0, "tensor");
    bool is_random = text_is_among(name, random);
    bool is_constant = !strncmp(name, "constant", 8), is_one = !strcmp(name, "ones_"), is_eye = !strcmp(name, "eye_");
    if (t->kind != PY_TENSOR || !(is_random || is_constant || is_one || is_eye || !strcmp(name, "zeros_")))
        py_fail(m, "torch.nn.init.%s of a '%s' is not supported at compile time", name, py_type_name(t));
    if (is_constant && !py_number(py_required(m, a, 1, "val"), &fill))
        py_fail(m, "torch.nn.init.constant_: the value is no number");
    if (is_eye)
        fill_eye(m, t->tensor);
    else
        py_tensor_fill(t->tensor, is_one ? 1 : fill, is_random);
    return t;
}
