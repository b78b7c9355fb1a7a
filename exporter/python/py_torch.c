/* torch.*, and methods of tensors. */
#include <string.h>

#include "exporter/program/builtins.h"
#include "exporter/python/py_eval.h"

/* ---- Making tensors ---- */

static pt_dtype dtype_argument(const py_machine *m, const py_arguments *a, pt_dtype otherwise) {
    py_value *v = py_argument(a, SIZE_MAX, "dtype");
    if (!v || v->kind == PY_NONE)
        return otherwise;
    if (v->kind != PY_DTYPE)
        py_fail(m, "dtype must be torch.dtype, not %s", py_type_name(v));
    return (pt_dtype)v->integer;
}

/* Sizes given one by one or as one sequence, from `position` on. Returns an stb_ds array. */
static int64_t *sizes_argument(py_machine *m, const py_arguments *a, size_t position) {
    int64_t *sizes = NULL, size;
    py_value *first = py_argument(a, position, "size");
    bool is_one = first && (first->kind == PY_LIST || first->kind == PY_TUPLE);
    py_value **items = is_one ? first->items : a->items;
    for (size_t i = is_one ? 0 : position; i < arrlenu(items); i++) {
        if (!py_integer(items[i], &size) || size < 0)
            py_fail(m, "the size of a tensor must be a list of integers");
        arrput(sizes, size);
    }
    if (arrlenu(sizes) > PT_MAX_DIMS)
        py_fail(m, "a tensor has at most %d dimensions", PT_MAX_DIMS);
    return sizes;
}

static py_value *make_filled(py_machine *m, const py_arguments *a, size_t position, double fill, bool is_random,
                             pt_dtype dtype) {
    int64_t *sizes = sizes_argument(m, a, position);
    return py_tensor_new(dtype_argument(m, a, dtype), sizes, (int)arrlenu(sizes), fill, is_random);
}

static py_value *make_full(py_machine *m, const py_arguments *a) {
    py_value *value = py_required(m, a, 1, "fill_value");
    double fill;
    if (!py_number(value, &fill))
        py_fail(m, "full(): argument 'fill_value' must be Number, not %s", py_type_name(value));
    py_arguments size = {NULL, a->keywords};
    arrput(size.items, py_required(m, a, 0, "size"));
    pt_dtype dtype = value->kind == PY_BOOL ? PT_BOOL : value->kind == PY_INT ? PT_INT64 : PT_FLOAT32;
    return make_filled(m, &size, 0, fill, false, dtype);
}

static py_value *make_like(py_machine *m, const py_arguments *a, double fill, bool is_random) {
    py_value *like = py_required(m, a, 0, "input");
    if (like->kind != PY_TENSOR)
        py_fail(m, "argument 'input' must be Tensor, not %s", py_type_name(like));
    return py_tensor_new(dtype_argument(m, a, like->tensor->dtype), like->tensor->sizes, like->tensor->ndim, fill,
                         is_random);
}

static bool is_sequence(const py_value *v) {
    return v && (v->kind == PY_LIST || v->kind == PY_TUPLE);
}

/* The numbers at the bottom of nested lists, in order. */
static void collect_numbers(py_machine *m, py_value *v, const int64_t *sizes, size_t depths, py_value ***numbers) {
    stack_check();
    if (!depths) {
        double number;
        if (!py_number(v, &number))
            py_fail(m, "a tensor of '%s' cannot be made at compile time", py_type_name(v));
        arrput(*numbers, v);
        return;
    }
    if (!is_sequence(v) || (int64_t)arrlenu(v->items) != sizes[0])
        py_fail(m, "ValueError: expected sequence of length %lld", (long long)sizes[0]);
    for (size_t i = 0; i < arrlenu(v->items); i++)
        collect_numbers(m, v->items[i], sizes + 1, depths - 1, numbers);
}

static pt_dtype common_dtype(py_value *const *numbers) {
    pt_dtype dtype = arrlenu(numbers) ? PT_BOOL : PT_FLOAT32;
    for (size_t i = 0; i < arrlenu(numbers); i++) {
        if (numbers[i]->kind == PY_FLOAT)
            return PT_FLOAT32;
        dtype = numbers[i]->kind == PY_INT ? PT_INT64 : dtype;
    }
    return dtype;
}

/* `own` is the dtype that the function's name states; PT_DTYPE_COUNT: it follows from the numbers. */
static py_value *make_tensor(py_machine *m, const py_arguments *a, py_value *data, pt_dtype own) {
    if (data->kind == PY_TENSOR)
        return own == PT_DTYPE_COUNT ? py_tensor_convert(data, dtype_argument(m, a, data->tensor->dtype)) : data;
    int64_t *sizes = NULL;
    for (py_value *v = data; is_sequence(v); v = arrlenu(v->items) ? v->items[0] : NULL)
        arrput(sizes, (int64_t)arrlenu(v->items));
    py_value **numbers = NULL;
    collect_numbers(m, data, sizes, arrlenu(sizes), &numbers);
    pt_dtype dtype = dtype_argument(m, a, own == PT_DTYPE_COUNT ? common_dtype(numbers) : own);
    py_value *t = py_tensor_new(dtype, sizes, (int)arrlenu(sizes), 0, false);
    pt_tensor place = *py_tensor_data(t->tensor);
    place.ndim = 0;
    for (size_t i = 0; i < arrlenu(numbers); i++) {
        bool is_real = numbers[i]->kind == PY_FLOAT;
        pt_tensor *one = py_tensor_data(py_tensor_new(is_real ? PT_FLOAT64 : PT_INT64, NULL, 0, 0, false)->tensor);
        if (is_real)
            *(double *)one->storage->data = numbers[i]->real;
        else
            py_integer(numbers[i], (int64_t *)one->storage->data);
        place.offset = (int64_t)i;
        pt_tensor_assign(&place, one);
    }
    return t;
}

static py_value *make_parameter(py_machine *m, const py_arguments *a) {
    py_value *data = py_argument(a, 0, "data"), *v = py_new(PY_TENSOR);
    if (!data)
        data = py_tensor_new(PT_FLOAT32, (int64_t[]){0}, 1, 0, false);
    if (data->kind != PY_TENSOR)
        py_fail(m, "Parameter data must be a Tensor, not %s", py_type_name(data));
    py_value *requires_grad = py_argument(a, 1, "requires_grad");
    v->tensor = data->tensor;
    v->is_parameter = true;
    v->tensor->is_frozen = requires_grad && !py_truth(m, requires_grad);
    return v;
}

/* Buffer(data, *, persistent=True) */
static py_value *make_buffer(py_machine *m, const py_arguments *a) {
    py_value *data = py_argument(a, 0, "data"), *persistent = py_argument(a, SIZE_MAX, "persistent");
    py_value *v = py_new(PY_TENSOR);
    if (!data || data->kind == PY_NONE)
        data = py_tensor_new(PT_FLOAT32, (int64_t[]){0}, 1, 0, false);
    if (data->kind != PY_TENSOR)
        py_fail(m, "Buffer data must be a Tensor, not %s", py_type_name(data));
    v->tensor = data->tensor;
    v->is_buffer = true;
    v->is_persistent = !persistent || py_truth(m, persistent);
    return v;
}

/* ---- torch ---- */

/* The dtype of tensors of a class like LongTensor; PT_DTYPE_COUNT: the name is no such class. */
static pt_dtype class_dtype(const char *name) {
    static const struct {
        const char *name;
        pt_dtype dtype;
    } classes[] = {
        {"Tensor", PT_FLOAT32},   {"FloatTensor", PT_FLOAT32}, {"DoubleTensor", PT_FLOAT64}, {"HalfTensor", PT_FLOAT16},
        {"LongTensor", PT_INT64}, {"IntTensor", PT_INT32},     {"ShortTensor", PT_INT16},    {"CharTensor", PT_INT8},
        {"ByteTensor", PT_UINT8}, {"BoolTensor", PT_BOOL},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!strcmp(classes[i].name, name))
            return classes[i].dtype;
    return PT_DTYPE_COUNT;
}

static bool has_complex(const py_value *v) {
    stack_check();
    for (size_t i = 0; is_sequence(v) && i < arrlenu(v->items); i++)
        if (has_complex(v->items[i]))
            return true;
    return v->kind == PY_COMPLEX;
}

/* The functions that make tensors; NULL for other functions. */
static py_value *call_maker(py_machine *m, const char *name, py_arguments *a) {
    static const char *const random[] = {"rand", "randn", "empty", NULL};
    static const char *const random_like[] = {"rand_like", "randn_like", "empty_like", NULL};
    pt_dtype own = class_dtype(name);
    bool is_class = own != PT_DTYPE_COUNT, is_data = arrlenu(a->items) && is_sequence(a->items[0]);
    if (!strcmp(name, "tensor") && has_complex(py_required(m, a, 0, "data")))
        return NULL; /* the operator makes it */
    if (!strcmp(name, "tensor") || !strcmp(name, "as_tensor") || (is_class && is_data))
        return make_tensor(m, a, py_required(m, a, 0, "data"), own);
    if (is_class)
        return make_filled(m, a, 0, 0, true, own);
    if (!strcmp(name, "zeros") || !strcmp(name, "ones"))
        return make_filled(m, a, 0, name[0] == 'o', false, PT_FLOAT32);
    if (text_is_among(name, random))
        return make_filled(m, a, 0, 0, true, PT_FLOAT32);
    if (!strcmp(name, "full"))
        return make_full(m, a);
    if (!strcmp(name, "zeros_like") || !strcmp(name, "ones_like"))
        return make_like(m, a, name[0] == 'o', false);
    if (text_is_among(name, random_like))
        return make_like(m, a, 0, true);
    if (!strcmp(name, "randint"))
        return make_filled(m, a, arrlenu(a->items) > 1 ? arrlenu(a->items) - 1 : 1, 0, true, PT_INT64);
    return NULL;
}

static py_value *call_module_path(py_machine *m, const char *name, py_arguments *a) {
    py_arguments rest = {NULL, a->keywords};
    for (size_t i = 1; i < arrlenu(a->items); i++)
        arrput(rest.items, a->items[i]);
    return py_call_module_method(m, py_required(m, a, 0, "self"), name, &rest);
}

/* torch.linalg.NAME and its like; NULL when there is no such operator. */
static py_value *call_in_namespace(py_machine *m, const char *path, const py_arguments *a) {
    static const char *const spaces[] = {"linalg", "fft", "special"};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        const char *prefix = mem_printf("torch.%s.", spaces[i]);
        uint32_t count = 0;
        if (strncmp(path, prefix, strlen(prefix)))
            continue;
        const char *op = mem_printf("aten::%s_%s", spaces[i], path + strlen(prefix));
        if (schema_overloads(op, &count) && count)
            return py_tensor_operator(m, op, a->items, arrlenu(a->items), a->keywords, arrlenu(a->keywords));
    }
    return NULL;
}

/* torch.nn.modules.utils._pair(v) and its like: a tuple that repeats v, unless v is a sequence already. */
static py_value *call_repeated(py_machine *m, const char *name, const py_arguments *a) {
    static const char *const names[] = {"single", "pair", "triple", "quadruple"};
    py_value *v = py_required(m, a, 0, "x"), *tuple = py_new(PY_TUPLE);
    size_t count = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        count = strcmp(names[i], name) ? count : i + 1;
    if (!count)
        py_fail(m, "torch.nn.modules.utils._%s cannot be called at compile time", name);
    if (is_sequence(v)) {
        tuple->items = py_iterate(m, v);
        return tuple;
    }
    for (size_t i = 0; i < count; i++)
        arrput(tuple->items, v);
    return tuple;
}

/* torch.Size(numbers): a tuple. */
static py_value *make_size(py_machine *m, const py_arguments *a) {
    py_value *size = py_new(PY_TUPLE), *given = py_argument(a, 0, NULL);
    if (given)
        size->items = py_iterate(m, given);
    return size;
}

py_value *py_call_torch(py_machine *m, const char *path, py_arguments *a) {
    static const char *const without_effect[] = {"torch.no_grad", "torch.manual_seed", "torch.jit.script",
                                                 "torch.jit.Attribute", NULL};
    if (!strcmp(path, "torch.nn.Parameter") || !strcmp(path, "torch.nn.parameter.Parameter"))
        return make_parameter(m, a);
    if (!strcmp(path, "torch.nn.Buffer") || !strcmp(path, "torch.nn.parameter.Buffer"))
        return make_buffer(m, a);
    if (!strncmp(path, "torch.nn.init.", 14))
        return py_call_init(m, path + 14, a);
    if (!strcmp(path, "torch.jit.annotate"))
        return py_required(m, a, 1, "the_value");
    if (!strncmp(path, "torch.nn.modules.utils._", 24))
        return call_repeated(m, path + 24, a);
    if (!strcmp(path, "torch.cuda.is_available") || !strncmp(path, "torch.jit.is_", 13))
        return py_bool(false);
    if (!strncmp(path, "torch.nn.Module.", 16))
        return call_module_path(m, path + 16, a);
    if (text_is_among(path, without_effect))
        return arrlenu(a->items) ? a->items[0] : py_none();
    if (!strcmp(path, "torch.device"))
        return py_call_device(m, a);
    if (!strcmp(path, "torch.Size"))
        return make_size(m, a);
    py_value *special = call_in_namespace(m, path, a);
    if (special)
        return special;
    if (strncmp(path, "torch.", 6) || (strchr(path + 6, '.') && strncmp(path, "torch.nn.functional.", 20)))
        return NULL;
    const char *name = strrchr(path, '.') + 1;
    if (!strcmp(path, "torch.finfo") || !strcmp(path, "torch.iinfo"))
        return py_call_limits(m, path, a);
    if (!strcmp(name, "is_tensor"))
        return py_bool(py_required(m, a, 0, NULL)->kind == PY_TENSOR);
    if (!strcmp(name, "get_default_dtype"))
        return py_resolve_path(m, "torch.float32");
    bool is_functional = !strncmp(path, "torch.nn.functional.", 20);
    const char *package = is_functional ? "torch.nn.functional" : "torch.functional";
    const char *function_name = mem_printf("__torch__.%s.%s", package, name), *op = mem_printf("aten::%s", name);
    py_value *made = is_functional ? NULL : call_maker(m, name, a);
    uint32_t count = 0;
    if (!made && builtin_library_load(m->program, package) && program_find_function(m->program, function_name))
        op = function_name;
    else if (made || !schema_overloads(op, &count) || !count)
        return made;
    return py_tensor_operator(m, op, a->items, arrlenu(a->items), a->keywords, arrlenu(a->keywords));
}

/* ---- Methods of tensors ---- */

static const char *const same_tensor[] = {"detach", "contiguous", "cpu", "cuda", "requires_grad_", "detach_", NULL};
static const char *const random_in_place[] = {"uniform_", "normal_", "random_", "bernoulli_", "exponential_", NULL};
/* Methods that take sizes one by one. */
static const char *const takes_sizes[] = {"view", "reshape", "repeat", "expand", "permute", "tile", NULL};
static const struct {
    const char *name;
    pt_dtype dtype;
} conversions[] = {
    {"float", PT_FLOAT32}, {"double", PT_FLOAT64}, {"half", PT_FLOAT16}, {"bfloat16", PT_BFLOAT16},
    {"long", PT_INT64},    {"int", PT_INT32},      {"bool", PT_BOOL},
};

pt_dtype py_conversion_dtype(const char *name) {
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++)
        if (!strcmp(conversions[i].name, name))
            return conversions[i].dtype;
    return PT_DTYPE_COUNT;
}

py_value *py_tensor_convert(py_value *v, pt_dtype dtype) {
    if (v->tensor->dtype == dtype)
        return v;
    py_value *to = py_tensor_new(dtype, v->tensor->sizes, v->tensor->ndim, v->tensor->fill, v->tensor->is_random);
    if (v->tensor->data)
        pt_tensor_assign(py_tensor_data(to->tensor), v->tensor->data);
    return to;
}

/* "add" of "add_"; NULL when the method does not work in place. */
static const char *functional_name(const char *name) {
    size_t n = strlen(name);
    return n > 1 && name[n - 1] == '_' && name[n - 2] != '_' ? mem_strndup(name, n - 1) : NULL;
}

bool py_is_tensor_method(const char *name) {
    static const char *const others[] = {"to",        "item",  "tolist", "new_zeros", "new_ones",
                                         "new_empty", "zero_", "fill_",  NULL};
    uint32_t count = 0;
    return text_is_among(name, same_tensor) || text_is_among(name, random_in_place) || text_is_among(name, others) ||
           py_conversion_dtype(name) != PT_DTYPE_COUNT ||
           (schema_overloads(mem_printf("aten::%s", name), &count) && count);
}

/* to(dtype), to(device), to(other) */
static py_value *call_to(py_value *self, const py_arguments *a) {
    py_value *to = py_argument(a, 0, "dtype");
    if (to && to->kind == PY_DTYPE)
        return py_tensor_convert(self, (pt_dtype)to->integer);
    return to && to->kind == PY_TENSOR ? py_tensor_convert(self, to->tensor->dtype) : self;
}

static py_value *call_operator_method(py_machine *m, py_value *self, const char *name, const py_arguments *a) {
    py_value **items = NULL;
    arrput(items, self);
    if (text_is_among(name, takes_sizes) && arrlenu(a->items) && a->items[0]->kind == PY_INT) {
        py_value *sizes = py_new(PY_LIST);
        sizes->items = a->items;
        arrput(items, sizes);
    } else
        for (size_t i = 0; i < arrlenu(a->items); i++)
            arrput(items, a->items[i]);
    return py_tensor_operator(m, mem_printf("aten::%s", name), items, arrlenu(items), a->keywords,
                              arrlenu(a->keywords));
}

static py_value *call_size(py_machine *m, const py_value *self, const py_arguments *a) {
    py_value *shape = py_new(PY_TUPLE), *dim = py_argument(a, 0, "dim");
    for (int i = 0; i < self->tensor->ndim; i++)
        arrput(shape->items, py_int(self->tensor->sizes[i]));
    return dim ? py_subscript(m, shape, dim) : shape;
}

static py_value *call_in_place(py_machine *m, py_value *self, const char *name, py_arguments *a) {
    double fill = 0;
    bool fills = !strcmp(name, "fill_") || !strcmp(name, "zero_");
    if (!strcmp(name, "fill_") && !py_number(py_required(m, a, 0, "value"), &fill))
        py_fail(m, "fill_ takes a number at compile time");
    if (fills || text_is_among(name, random_in_place)) {
        py_tensor_fill(self->tensor, fill, !fills);
        return self;
    }
    py_value *result =
        !strcmp(name, "copy_") ? py_required(m, a, 0, "src") : call_operator_method(m, self, functional_name(name), a);
    if (result->kind != PY_TENSOR || !pt_tensor_assign(py_tensor_data(self->tensor), py_tensor_data(result->tensor)))
        py_fail(m, "%s cannot be computed at compile time", name);
    self->tensor->is_random = result->tensor->is_random;
    return self;
}

py_value *py_call_tensor_method(py_machine *m, py_value *self, const char *name, py_arguments *a) {
    py_value *requires_grad = strcmp(name, "requires_grad_") ? NULL : py_argument(a, 0, "requires_grad");
    if (requires_grad)
        self->tensor->is_frozen = !py_truth(m, requires_grad);
    if (text_is_among(name, same_tensor))
        return self;
    if (!strcmp(name, "to"))
        return call_to(self, a);
    if (py_conversion_dtype(name) != PT_DTYPE_COUNT)
        return py_tensor_convert(self, py_conversion_dtype(name));
    if (!strncmp(name, "new_", 4))
        return make_filled(m, a, 0, !strcmp(name, "new_ones"), !strcmp(name, "new_empty"), self->tensor->dtype);
    if (!strcmp(name, "item"))
        return py_tensor_item(m, self);
    if (!strcmp(name, "tolist"))
        return py_tensor_list(m, self);
    if (!strcmp(name, "size"))
        return call_size(m, self, a);
    if (!strcmp(name, "dim"))
        return py_int(self->tensor->ndim);
    if (!strcmp(name, "numel"))
        return py_int(pt_sizes_numel(self->tensor->ndim, self->tensor->sizes));
    return functional_name(name) ? call_in_place(m, self, name, a) : call_operator_method(m, self, name, a);
}
