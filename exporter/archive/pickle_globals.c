/* The classes and functions that pickles may name, with the checks of their arguments. */
#include "exporter/archive/pickle_globals.h"

#include <string.h>

#include "exporter/base/mem.h"

/* ---- arguments ---- */

static size_t argument_count(const pkl_machine *m, const pkl_global *self, const pkl_value *arguments) {
    if (arguments->kind != PKL_TUPLE)
        pkl_fail(m, "%s: its arguments are a %s, not a tuple", self->name, pkl_kind_name(arguments->kind));
    return arguments->seq.count;
}

static pkl_value *any_argument(const pkl_machine *m, const pkl_global *self, const pkl_value *arguments, size_t i) {
    size_t count = argument_count(m, self, arguments);
    if (i >= count)
        pkl_fail(m, "%s: it has %zu arguments; number %zu is missing", self->name, count, i);
    return arguments->seq.items[i];
}

static pkl_value *argument(const pkl_machine *m, const pkl_global *self, const pkl_value *arguments, size_t i,
                           pkl_kind kind) {
    pkl_value *v = any_argument(m, self, arguments, i);
    if (v->kind != kind)
        pkl_fail(m, "%s: argument %zu is a %s, not a %s", self->name, i, pkl_kind_name(v->kind), pkl_kind_name(kind));
    return v;
}

static pt_tensor *tensor_argument(const pkl_machine *m, const pkl_global *self, const pkl_value *arguments, size_t i) {
    return argument(m, self, arguments, i, PKL_TENSOR)->tensor;
}

/* A tuple or list of at most PT_MAX_DIMS integers: sizes or strides. */
static const int64_t *dims_argument(const pkl_machine *m, const pkl_global *self, const pkl_value *arguments, size_t i,
                                    int *count) {
    const pkl_value *v = any_argument(m, self, arguments, i);
    if ((v->kind != PKL_TUPLE && v->kind != PKL_LIST) || v->seq.count > PT_MAX_DIMS)
        pkl_fail(m, "%s: argument %zu is not a tuple of at most %d dimensions", self->name, i, PT_MAX_DIMS);
    int64_t *dims = MEM_ARRAY(int64_t, v->seq.count);
    for (size_t d = 0; d < v->seq.count; d++) {
        if (v->seq.items[d]->kind != PKL_INT)
            pkl_fail(m, "%s: argument %zu holds a %s, not an int", self->name, i, pkl_kind_name(v->seq.items[d]->kind));
        dims[d] = v->seq.items[d]->integer;
    }
    *count = (int)v->seq.count;
    return dims;
}

/* ---- tensors ---- */

static pkl_value *checked_tensor(const pkl_machine *m, const pkl_global *self, pt_tensor *t) {
    const char *fault = pt_tensor_fault(t);
    if (fault)
        pkl_fail(m, "%s: the tensor cannot be used: %s", self->name, fault);
    pkl_value *v = pkl_new(PKL_TENSOR);
    v->tensor = t;
    return v;
}

/* A new tensor from the arguments that all strided ones begin with: storage, offset, sizes, strides. */
static pt_tensor *new_view(const pkl_machine *m, const pkl_global *self, const pkl_value *arguments) {
    const pkl_value *storage = argument(m, self, arguments, 0, PKL_STORAGE);
    pt_tensor *t = MEM_NEW(pt_tensor);
    int strides;
    t->storage = storage->storage.storage;
    t->dtype = storage->storage.dtype;
    t->offset = argument(m, self, arguments, 1, PKL_INT)->integer;
    t->sizes = dims_argument(m, self, arguments, 2, &t->ndim);
    t->strides = dims_argument(m, self, arguments, 3, &strides);
    if (strides != t->ndim)
        pkl_fail(m, "%s: a tensor has %d sizes and %d strides", self->name, t->ndim, strides);
    return t;
}

/* A flag of the last argument that newer writers add. */
static bool lazy_flag(const pkl_machine *m, const pkl_global *self, const pkl_value *flags, const char *name) {
    const pkl_value *flag = pkl_dict_get(flags, name);
    if (flag && flag->kind != PKL_BOOL)
        pkl_fail(m, "%s: %s is a %s, not a bool", self->name, name, pkl_kind_name(flag->kind));
    return flag && flag->boolean;
}

/* Views whose data are to be conjugated or negated when read get a storage of their own in which they are. */
static void resolve_lazy_view(const pkl_machine *m, const pkl_global *self, const pkl_value *arguments, size_t i,
                              pt_tensor *t) {
    if (argument_count(m, self, arguments) <= i)
        return;
    bool conjugated = lazy_flag(m, self, arguments->seq.items[i], "conj");
    bool negated = lazy_flag(m, self, arguments->seq.items[i], "neg");
    if (!pt_tensor_resolve(t, conjugated, negated))
        pkl_fail(m, "%s: a tensor of type %s cannot be %s", self->name, pt_dtype_name(t->dtype),
                 conjugated ? "conjugated" : "negated");
}

/* _rebuild_tensor(storage, offset, sizes, strides)
 * _rebuild_tensor_v2(storage, offset, sizes, strides, requires_grad, hooks[, metadata])
 * _rebuild_tensor_v3(storage, offset, sizes, strides, requires_grad, hooks, dtype[, metadata]); self->number is the
 * version. */
static pkl_value *rebuild_tensor(pkl_machine *m, const pkl_global *self, pkl_value *arguments) {
    pt_tensor *t = new_view(m, self, arguments);
    if (self->number >= 2)
        t->requires_grad = argument(m, self, arguments, 4, PKL_BOOL)->boolean;
    if (self->number == 3)
        t->dtype = (pt_dtype)argument(m, self, arguments, 6, PKL_DTYPE)->integer;
    resolve_lazy_view(m, self, arguments, self->number == 3 ? 7 : 6, t);
    return checked_tensor(m, self, t);
}

/* _rebuild_qtensor(storage, offset, sizes, strides, quantizer, requires_grad, hooks), where the quantizer is
 * (torch.per_tensor_affine, scale, zero point) or (torch.per_channel_affine, scales, zero points, axis). torch.save
 * calls per_channel_affine what has zero points of floats, too. */
static pkl_value *rebuild_qtensor(pkl_machine *m, const pkl_global *self, pkl_value *arguments) {
    pt_tensor *t = new_view(m, self, arguments);
    const pkl_value *quantizer = argument(m, self, arguments, 4, PKL_TUPLE);
    const pkl_global *scheme = argument(m, self, quantizer, 0, PKL_GLOBAL)->global;
    if (scheme->kind != PKL_GLOBAL_QSCHEME)
        pkl_fail(m, "%s: '%s' is not a quantization scheme", self->name, scheme->name);
    t->qscheme = (pt_qscheme)scheme->number;
    if (t->qscheme == PT_PER_TENSOR_AFFINE) {
        t->scale = argument(m, self, quantizer, 1, PKL_FLOAT)->number;
        t->zero_point = argument(m, self, quantizer, 2, PKL_INT)->integer;
    } else {
        t->scales = tensor_argument(m, self, quantizer, 1);
        t->zero_points = tensor_argument(m, self, quantizer, 2);
        if (t->zero_points->dtype == PT_FLOAT32)
            t->qscheme = PT_PER_CHANNEL_AFFINE_FLOAT_QPARAMS;
        int64_t axis = argument(m, self, quantizer, 3, PKL_INT)->integer;
        t->axis = axis < 0 || axis > PT_MAX_DIMS ? -1 : (int)axis;
    }
    t->requires_grad = argument(m, self, arguments, 5, PKL_BOOL)->boolean;
    return checked_tensor(m, self, t);
}

/* _rebuild_parameter(data, requires_grad, hooks), _rebuild_parameter_with_state(..., state): the state, Python
 * attributes of the parameter, is of no use to a program. */
static pkl_value *rebuild_parameter(pkl_machine *m, const pkl_global *self, pkl_value *arguments) {
    pt_tensor *t = MEM_NEW(pt_tensor);
    *t = *tensor_argument(m, self, arguments, 0);
    t->requires_grad = argument(m, self, arguments, 1, PKL_BOOL)->boolean;
    t->is_parameter = true;
    return checked_tensor(m, self, t);
}

/* _rebuild_from_type_v2(function, type, arguments, state): tensors with Python attributes, which are of no use to a
 * program: buffers of torch.nn.Buffer, and what PyTorch's compiler has marked. Subclasses of tensors are refused with
 * their type. */
static pkl_value *rebuild_from_type(pkl_machine *m, const pkl_global *self, pkl_value *arguments) {
    const pkl_global *function = argument(m, self, arguments, 0, PKL_GLOBAL)->global;
    const pkl_global *type = argument(m, self, arguments, 1, PKL_GLOBAL)->global;
    if (function->kind != PKL_GLOBAL_FUNCTION || function->call == self->call)
        pkl_fail(m, "%s: '%s' does not make a tensor", self->name, function->name);
    if (type->kind != PKL_GLOBAL_TENSOR)
        pkl_fail(m, "%s: '%s' is not a type of tensors", self->name, type->name);
    pkl_value *v = function->call(m, function, argument(m, self, arguments, 2, PKL_TUPLE));
    if (v->kind != PKL_TENSOR)
        pkl_fail(m, "%s: '%s' does not make a tensor", self->name, function->name);
    return v;
}

/* The sparse tensors have two forms:
 *   TorchScript's writer: (layout number, sizes, requires_grad, COO: indices, values | CSR: row starts, columns,
 * values, hooks) torch.save:           (layout, (COO: indices, values, sizes, ... | CSR: row starts, columns, values,
 * sizes)) */
static pkl_value *rebuild_sparse(pkl_machine *m, const pkl_global *self, pkl_value *arguments) {
    const pkl_value *layout = any_argument(m, self, arguments, 0);
    bool python = layout->kind == PKL_LAYOUT;
    if (!python && layout->kind != PKL_INT)
        pkl_fail(m, "%s: argument 0 is a %s, not a layout", self->name, pkl_kind_name(layout->kind));
    if (layout->integer != PT_SPARSE_COO && layout->integer != PT_SPARSE_CSR)
        pkl_fail(m, "%s: layout %lld is not supported", self->name, (long long)layout->integer);
    const pkl_value *parts = python ? argument(m, self, arguments, 1, PKL_TUPLE) : arguments;
    pt_tensor *t = MEM_NEW(pt_tensor);
    t->layout = (pt_layout)layout->integer;
    size_t at = python ? 0 : 3;
    if (t->layout == PT_SPARSE_COO)
        t->indices = tensor_argument(m, self, parts, at++);
    else {
        t->row_starts = tensor_argument(m, self, parts, at++);
        t->columns = tensor_argument(m, self, parts, at++);
    }
    t->values = tensor_argument(m, self, parts, at++);
    t->sizes = dims_argument(m, self, parts, python ? at : 1, &t->ndim);
    t->dtype = t->values->dtype;
    if (!python)
        t->requires_grad = argument(m, self, arguments, 2, PKL_BOOL)->boolean;
    pkl_charge_indices(m, t->indices ? pt_tensor_numel(t->indices)
                                     : pt_tensor_numel(t->row_starts) + pt_tensor_numel(t->columns));
    return checked_tensor(m, self, t);
}

/* ---- containers ---- */

/* build_intlist(list) and its like, and the older IntList, which takes the bare list. */
static pkl_value *build_list(pkl_machine *m, const pkl_global *self, pkl_value *arguments) {
    static const char *const types[] = {"List[int]", "List[float]", "List[bool]", "List[Tensor]"};
    pkl_value *list = arguments->kind == PKL_LIST ? arguments : argument(m, self, arguments, 0, PKL_LIST);
    list->type = types[self->number];
    return list;
}

/* restore_type_tag(container, type) */
static pkl_value *restore_type_tag(pkl_machine *m, const pkl_global *self, pkl_value *arguments) {
    pkl_value *container = any_argument(m, self, arguments, 0);
    if (container->kind != PKL_LIST && container->kind != PKL_DICT)
        pkl_fail(m, "%s: a %s gets a type", self->name, pkl_kind_name(container->kind));
    container->type = argument(m, self, arguments, 1, PKL_STR)->str.text;
    return container;
}

/* OrderedDict(): the items follow. */
static pkl_value *ordered_dict(pkl_machine *m, const pkl_global *self, pkl_value *arguments) {
    if (argument_count(m, self, arguments))
        pkl_fail(m, "%s: it is made with arguments", self->name);
    return pkl_new(PKL_DICT);
}

/* torch.Size(tuple) */
static pkl_value *make_size(pkl_machine *m, const pkl_global *self, pkl_value *arguments) {
    return argument(m, self, arguments, 0, PKL_TUPLE);
}

/* ---- scalars ---- */

static double number_argument(const pkl_machine *m, const pkl_global *self, const pkl_value *arguments, size_t i) {
    const pkl_value *v = any_argument(m, self, arguments, i);
    return v->kind == PKL_INT ? (double)v->integer : argument(m, self, arguments, i, PKL_FLOAT)->number;
}

static pkl_value *make_complex(pkl_machine *m, const pkl_global *self, pkl_value *arguments) {
    pkl_value *v = pkl_new(PKL_COMPLEX);
    v->complex.real = number_argument(m, self, arguments, 0);
    v->complex.imag = number_argument(m, self, arguments, 1);
    return v;
}

/* torch.device("cuda:0"), torch.device("cuda", 0) */
static pkl_value *make_device(pkl_machine *m, const pkl_global *self, pkl_value *arguments) {
    const pkl_value *name = argument(m, self, arguments, 0, PKL_STR);
    pkl_value *v = pkl_new(PKL_DEVICE);
    v->str = name->str;
    if (argument_count(m, self, arguments) > 1) {
        int64_t index = argument(m, self, arguments, 1, PKL_INT)->integer;
        v->str.text = mem_printf("%s:%lld", name->str.text, (long long)index);
        v->str.length = strlen(v->str.text);
    }
    return v;
}

/* _get_layout("torch.strided") */
static pkl_value *get_layout(pkl_machine *m, const pkl_global *self, pkl_value *arguments) {
    static const char *const names[] = {"torch.strided", "torch.sparse_coo", "torch.sparse_csr"};
    const pkl_value *name = argument(m, self, arguments, 0, PKL_STR);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pkl_is_str(name, names[i])) {
            pkl_value *v = pkl_new(PKL_LAYOUT);
            v->integer = (int64_t)i;
            return v;
        }
    pkl_fail(m, "%s: layout '%s' is not supported", self->name, name->str.text);
}

/* Tensors of archives before PyTorch 1.4 stood in a table beside the pickle. */
static pkl_value *tensor_from_table(pkl_machine *m, const pkl_global *self, pkl_value *arguments) {
    (void)arguments;
    pkl_fail(m, "%s: tensors in a table beside the pickle (PyTorch 1.3 and older) are not supported", self->name);
}

/* ---- the list ---- */

static const pkl_global functions[] = {
    {PKL_GLOBAL_FUNCTION, "torch._utils._rebuild_tensor", rebuild_tensor, 1},
    {PKL_GLOBAL_FUNCTION, "torch._utils._rebuild_tensor_v2", rebuild_tensor, 2},
    {PKL_GLOBAL_FUNCTION, "torch._utils._rebuild_tensor_v3", rebuild_tensor, 3},
    {PKL_GLOBAL_FUNCTION, "torch._utils._rebuild_qtensor", rebuild_qtensor, 0},
    {PKL_GLOBAL_FUNCTION, "torch._utils._rebuild_parameter", rebuild_parameter, 0},
    {PKL_GLOBAL_FUNCTION, "torch._utils._rebuild_parameter_with_state", rebuild_parameter, 0},
    {PKL_GLOBAL_FUNCTION, "torch._tensor._rebuild_from_type_v2", rebuild_from_type, 0},
    {PKL_GLOBAL_FUNCTION, "torch._utils._rebuild_sparse_tensor", rebuild_sparse, 0},
    {PKL_GLOBAL_FUNCTION, "torch._utils._rebuild_sparse_csr_tensor", rebuild_sparse, 0},
    {PKL_GLOBAL_FUNCTION, "torch.jit._pickle.build_intlist", build_list, 0},
    {PKL_GLOBAL_FUNCTION, "torch.jit._pickle.build_doublelist", build_list, 1},
    {PKL_GLOBAL_FUNCTION, "torch.jit._pickle.build_boollist", build_list, 2},
    {PKL_GLOBAL_FUNCTION, "torch.jit._pickle.build_tensorlist", build_list, 3},
    {PKL_GLOBAL_FUNCTION, "torch.jit._pickle.restore_type_tag", restore_type_tag, 0},
    {PKL_GLOBAL_FUNCTION, "torch.jit._pickle.build_tensor_from_id", tensor_from_table, 0},
    {PKL_GLOBAL_FUNCTION, "__main__.IntList", build_list, 0},
    {PKL_GLOBAL_FUNCTION, "__main__.TensorID", tensor_from_table, 0},
    {PKL_GLOBAL_FUNCTION, "collections.OrderedDict", ordered_dict, 0},
    {PKL_GLOBAL_FUNCTION, "builtins.complex", make_complex, 0},
    {PKL_GLOBAL_FUNCTION, "__builtin__.complex", make_complex, 0},
    {PKL_GLOBAL_FUNCTION, "torch.device", make_device, 0},
    {PKL_GLOBAL_FUNCTION, "torch.Size", make_size, 0},
    {PKL_GLOBAL_FUNCTION, "torch.serialization._get_layout", get_layout, 0},
    {PKL_GLOBAL_QSCHEME, "torch.per_tensor_affine", NULL, PT_PER_TENSOR_AFFINE},
    {PKL_GLOBAL_QSCHEME, "torch.per_channel_affine", NULL, PT_PER_CHANNEL_AFFINE},
    {PKL_GLOBAL_QSCHEME, "torch.per_channel_affine_float_qparams", NULL, PT_PER_CHANNEL_AFFINE_FLOAT_QPARAMS},
    {PKL_GLOBAL_TENSOR, "torch.Tensor", NULL, 0},
    {PKL_GLOBAL_SCRIPT, "torch.ScriptObject", NULL, 0},
    {PKL_GLOBAL_STORAGE, "torch.UntypedStorage", NULL, PT_UINT8},
    {PKL_GLOBAL_STORAGE, "torch.storage.UntypedStorage", NULL, PT_UINT8},
};

static pkl_value *global_value(const pkl_global *global) {
    pkl_value *v = pkl_new(PKL_GLOBAL);
    v->global = global;
    return v;
}

static pkl_value *new_global(pkl_global_kind kind, const char *name, int number) {
    pkl_global *global = MEM_NEW(pkl_global);
    *global = (pkl_global){kind, name, NULL, number};
    return global_value(global);
}

pkl_value *pkl_find_global(const pkl_machine *m, const char *module, const char *name) {
    static const char script_module[] = "__torch__";
    size_t length = sizeof script_module - 1;
    const char *qualified = intern(mem_printf("%s.%s", module, name));
    if (!strncmp(module, script_module, length) && (!module[length] || module[length] == '.'))
        return new_global(PKL_GLOBAL_CLASS, qualified, 0);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, qualified))
            return global_value(&functions[i]);
    pt_dtype dtype;
    if (!strcmp(module, "torch") && pt_dtype_from_storage_class(name, &dtype))
        return new_global(PKL_GLOBAL_STORAGE, qualified, (int)dtype);
    if (!strcmp(module, "torch") && pt_dtype_from_name(name, &dtype)) {
        pkl_value *v = pkl_new(PKL_DTYPE);
        v->integer = dtype;
        return v;
    }
    pkl_fail(
        m,
        "it needs the Python class or function '%s', which is not supported (of torch.save, only tensors and plain "
        "containers are; a whole module is to be saved by torch.jit.save, or as its state_dict())",
        qualified);
}
