/* Tensors while modules are constructed. */
#include <string.h>

#include "exporter/base/limits.h"
#include "exporter/python/py_eval.h"
#include "runtime/value/float8.h"

/* ---- Making ---- */

/* Products of sizes, of strides among them, are calculated without a check afterwards. */
static void check_sizes(pt_dtype dtype, const int64_t *sizes, int ndim) {
    uint64_t most = INT64_MAX / pt_dtype_size(dtype);
    for (int d = 0; d < ndim; d++) {
        if (sizes[d] > 0 && (uint64_t)sizes[d] > most)
            limit_fail(OVER_MEMORY);
        most /= sizes[d] > 0 ? (uint64_t)sizes[d] : 1;
    }
}

py_value *py_tensor_new(pt_dtype dtype, const int64_t *sizes, int ndim, double fill, bool is_random) {
    py_value *v = py_new(PY_TENSOR);
    check_sizes(dtype, sizes, ndim);
    py_tensor *t = v->tensor = MEM_NEW(py_tensor);
    t->dtype = dtype;
    t->ndim = ndim;
    t->sizes = MEM_ARRAY(int64_t, ndim + 1);
    if (ndim)
        memcpy(t->sizes, sizes, (size_t)ndim * sizeof *sizes);
    t->fill = fill;
    t->is_random = is_random;
    return v;
}

py_value *py_tensor_of(pt_tensor *data) {
    py_value *v = py_tensor_new(data->dtype, data->sizes, data->ndim, 0, false);
    v->tensor->data = data;
    return v;
}

/* ---- Elements ---- */

typedef struct {
    double real, imaginary;
    int64_t integer;
} element;

static element element_of_integer(int64_t v) {
    return (element){(double)v, 0, v};
}

static element element_of_real(double real, double imaginary) {
    return (element){real, imaginary, real > -9e18 && real < 9e18 ? (int64_t)real : 0};
}

static element load_element(const void *p, pt_dtype dtype) {
    switch (dtype) {
    case PT_INT8:
        return element_of_integer(*(const int8_t *)p);
    case PT_INT16:
        return element_of_integer(*(const int16_t *)p);
    case PT_INT32:
        return element_of_integer(*(const int32_t *)p);
    case PT_INT64:
        return element_of_integer(*(const int64_t *)p);
    case PT_UINT16:
        return element_of_integer(*(const uint16_t *)p);
    case PT_UINT32:
        return element_of_integer(*(const uint32_t *)p);
    case PT_UINT64:
        return element_of_integer((int64_t) * (const uint64_t *)p);
    case PT_FLOAT8_E5M2:
    case PT_FLOAT8_E4M3FN:
    case PT_FLOAT8_E5M2FNUZ:
    case PT_FLOAT8_E4M3FNUZ:
        return element_of_real(tsm_float_of_float8((tsm_dtype)dtype, *(const uint8_t *)p), 0);
    case PT_FLOAT16:
        return element_of_real(tsm_float_of_half(*(const uint16_t *)p), 0);
    case PT_BFLOAT16:
        return element_of_real(tsm_float_of_bfloat16(*(const uint16_t *)p), 0);
    case PT_FLOAT32:
        return element_of_real(*(const float *)p, 0);
    case PT_FLOAT64:
        return element_of_real(*(const double *)p, 0);
    case PT_COMPLEX64:
        return element_of_real(((const float *)p)[0], ((const float *)p)[1]);
    case PT_COMPLEX128:
        return element_of_real(((const double *)p)[0], ((const double *)p)[1]);
    default: /* uint8, bool */
        return element_of_integer(*(const uint8_t *)p);
    }
}

static void store_element(void *p, pt_dtype dtype, element e) {
    switch (dtype) {
    case PT_INT8:
        *(int8_t *)p = (int8_t)e.integer;
        break;
    case PT_INT16:
        *(int16_t *)p = (int16_t)e.integer;
        break;
    case PT_INT32:
        *(int32_t *)p = (int32_t)e.integer;
        break;
    case PT_INT64:
        *(int64_t *)p = e.integer;
        break;
    case PT_UINT16:
        *(uint16_t *)p = (uint16_t)e.integer;
        break;
    case PT_UINT32:
        *(uint32_t *)p = (uint32_t)e.integer;
        break;
    case PT_UINT64:
        *(uint64_t *)p = (uint64_t)e.integer;
        break;
    case PT_FLOAT8_E5M2:
    case PT_FLOAT8_E4M3FN:
    case PT_FLOAT8_E5M2FNUZ:
    case PT_FLOAT8_E4M3FNUZ:
        *(uint8_t *)p = tsm_float8_of_float((tsm_dtype)dtype, (float)e.real);
        break;
    case PT_FLOAT16:
        *(uint16_t *)p = tsm_half_of_float((float)e.real);
        break;
    case PT_BFLOAT16:
        *(uint16_t *)p = tsm_bfloat16_of_float((float)e.real);
        break;
    case PT_FLOAT32:
        *(float *)p = (float)e.real;
        break;
    case PT_FLOAT64:
        *(double *)p = e.real;
        break;
    case PT_COMPLEX64:
        ((float *)p)[0] = (float)e.real;
        ((float *)p)[1] = (float)e.imaginary;
        break;
    case PT_COMPLEX128:
        ((double *)p)[0] = e.real;
        ((double *)p)[1] = e.imaginary;
        break;
    case PT_BOOL:
        *(uint8_t *)p = e.real != 0 || e.imaginary != 0;
        break;
    default: /* uint8 */
        *(uint8_t *)p = (uint8_t)e.integer;
    }
}

/* The storage offset of t's element at a row-major position of `shape`, to which t broadcasts. */
static int64_t offset_of(const pt_tensor *t, const pt_tensor *shape, int64_t position) {
    int64_t offset = t->offset;
    for (int d = shape->ndim; d-- > 0;) {
        int64_t at = position % shape->sizes[d];
        int own = d - (shape->ndim - t->ndim);
        position /= shape->sizes[d];
        if (own >= 0 && t->sizes[own] != 1)
            offset += at * t->strides[own];
    }
    return offset;
}

static bool broadcasts_to(const pt_tensor *from, const pt_tensor *to) {
    for (int i = 0; i < from->ndim; i++) {
        int d = to->ndim - 1 - i;
        int64_t size = from->sizes[from->ndim - 1 - i];
        if (size != 1 && (d < 0 || size != to->sizes[d]))
            return false;
    }
    return true;
}

bool pt_tensor_assign(pt_tensor *to, const pt_tensor *from) {
    if (!broadcasts_to(from, to))
        return false;
    size_t size = pt_dtype_size(to->dtype), from_size = pt_dtype_size(from->dtype);
    int64_t count = pt_tensor_numel(to);
    bool in_order = pt_tensor_is_contiguous(to) && pt_tensor_is_contiguous(from) && pt_tensor_numel(from) == count;
    for (int64_t i = 0; i < count; i++) {
        int64_t to_offset = in_order ? to->offset + i : offset_of(to, to, i);
        int64_t from_offset = in_order ? from->offset + i : offset_of(from, to, i);
        uint8_t *at = (uint8_t *)to->storage->data + (size_t)to_offset * size;
        const uint8_t *source = from->storage->data + (size_t)from_offset * from_size;
        if (to->dtype == from->dtype)
            memcpy(at, source, size);
        else
            store_element(at, to->dtype, load_element(source, from->dtype));
    }
    return true;
}

pt_tensor *py_tensor_data(py_tensor *t) {
    if (t->data)
        return t->data;
    pt_tensor *data = t->data = MEM_NEW(pt_tensor);
    int64_t *strides = MEM_ARRAY(int64_t, t->ndim + 1), count = pt_sizes_numel(t->ndim, t->sizes);
    pt_contiguous_strides(t->ndim, t->sizes, strides);
    size_t size = pt_dtype_size(t->dtype), bytes = (size_t)count * size;
    uint8_t *elements = mem_alloc_aligned(bytes ? bytes : 1, 64);
    for (int64_t i = 0; i < count && t->fill != 0; i++)
        store_element(elements + (size_t)i * size, t->dtype, element_of_real(t->fill, 0));
    *data = (pt_tensor){.dtype = t->dtype, .ndim = t->ndim, .sizes = t->sizes, .strides = strides};
    data->storage = MEM_NEW(pt_storage);
    *data->storage = (pt_storage){"", "cpu", elements, bytes};
    return data;
}

void py_tensor_fill(py_tensor *t, double fill, bool is_random) {
    py_tensor one = {.dtype = t->dtype, .fill = fill};
    if (!t->data)
        t->fill = fill;
    else if (!is_random)
        pt_tensor_assign(t->data, py_tensor_data(&one));
    t->is_random = is_random;
}

static py_value *number_value(element e, pt_dtype dtype) {
    if (dtype == PT_BOOL)
        return py_bool(e.integer != 0);
    return pt_dtype_is_floating(dtype) ? py_float(e.real) : py_int(e.integer);
}

/* The element at an offset of the storage. */
static py_value *number_at(const pt_tensor *t, int64_t offset) {
    const uint8_t *p = (const uint8_t *)t->storage->data + (size_t)offset * pt_dtype_size(t->dtype);
    float single[2];
    double parts[2];
    if (t->dtype == PT_COMPLEX64) {
        memcpy(single, p, sizeof single);
        return py_complex((double)single[0], (double)single[1]);
    }
    if (t->dtype == PT_COMPLEX128) {
        memcpy(parts, p, sizeof parts);
        return py_complex(parts[0], parts[1]);
    }
    return number_value(load_element(p, t->dtype), t->dtype);
}

py_value *py_tensor_item(py_machine *m, const py_value *v) {
    pt_tensor *t = py_tensor_data(v->tensor);
    if (v->tensor->is_random)
        py_fail(m, "a random number decides what is constructed, which cannot be known at compile time");
    if (pt_tensor_numel(t) != 1)
        py_fail(m, "ValueError: only one element tensors can be converted to Python scalars");
    return number_at(t, t->offset);
}

static py_value *list_from(const pt_tensor *t, int dim, int64_t offset) {
    stack_check();
    if (dim == t->ndim)
        return number_at(t, offset);
    py_value *list = py_new(PY_LIST);
    for (int64_t i = 0; i < t->sizes[dim]; i++)
        arrput(list->items, list_from(t, dim + 1, offset + i * t->strides[dim]));
    return list;
}

py_value *py_tensor_list(py_machine *m, py_value *v) {
    pt_tensor *t = py_tensor_data(v->tensor);
    if (v->tensor->is_random)
        py_fail(m, "a random number decides what is constructed, which cannot be known at compile time");
    return list_from(t, 0, t->offset);
}

/* ---- Operators ---- */

static ir_constant *list_constant(const py_value *v) {
    ir_constant *c = const_new(CONST_LIST, NULL);
    const type *element_type = NULL;
    bool has_float = false;
    for (size_t i = 0; i < arrlenu(v->items); i++)
        has_float |= v->items[i]->kind == PY_FLOAT;
    c->list.count = (uint32_t)arrlenu(v->items);
    c->list.items = MEM_ARRAY(ir_constant *, c->list.count + 1);
    for (uint32_t i = 0; i < c->list.count; i++) {
        double number;
        bool widens = has_float && py_number(v->items[i], &number);
        ir_constant *item = widens ? const_float(number) : py_argument_constant(v->items[i]);
        if (!item)
            return NULL;
        c->list.items[i] = item;
        element_type = element_type ? type_unify(element_type, item->type, false) : item->type;
        if (!element_type)
            return NULL;
    }
    c->type = type_list(element_type ? element_type : type_basic(TYPE_INT));
    return c;
}

ir_constant *py_argument_constant(const py_value *v) {
    stack_check();
    switch (v->kind) {
    case PY_NONE:
        return const_none();
    case PY_BOOL:
        return const_bool(v->boolean);
    case PY_INT:
    case PY_DTYPE:
        return const_int(v->integer);
    case PY_FLOAT:
        return const_float(v->real);
    case PY_COMPLEX:
        return const_complex(v->parts.re, v->parts.im);
    case PY_STR:
        return const_str(v->string.bytes, v->string.length);
    case PY_DEVICE:
        return const_device(v->string.bytes, v->string.length);
    case PY_TENSOR:
        return const_tensor(py_tensor_data(v->tensor));
    case PY_LIST:
    case PY_TUPLE:
        return list_constant(v);
    default:
        return NULL;
    }
}

static py_value *value_of_constant(const py_machine *m, const ir_constant *c) {
    stack_check();
    py_value *list;
    switch (c->kind) {
    case CONST_NONE:
        return py_none();
    case CONST_BOOL:
        return py_bool(c->boolean);
    case CONST_INT:
        return py_int(c->integer);
    case CONST_FLOAT:
        return py_float(c->real);
    case CONST_STR:
        return py_str_n(c->string.bytes, c->string.length);
    case CONST_TENSOR:
        return py_tensor_of(c->tensor);
    case CONST_LIST:
    case CONST_TUPLE:
        list = py_new(c->kind == CONST_LIST ? PY_LIST : PY_TUPLE);
        for (uint32_t i = 0; i < c->list.count; i++)
            arrput(list->items, value_of_constant(m, c->list.items[i]));
        return list;
    case CONST_COMPLEX:
        return py_complex(c->complex.re, c->complex.im);
    case CONST_DEVICE:
        return py_device(c->string.bytes);
    default:
        py_fail(m, "the result of an operator cannot be used at compile time");
    }
}

typedef struct {
    const ir_value *key;
    ir_constant *value;
} computed_value;

/* ---- Operators that return views ---- */

/* A tensor of t's sizes whose elements are the storage offsets of t's elements. */
static ir_constant *places_of(const pt_tensor *t) {
    py_tensor places = {.dtype = PT_INT64, .ndim = t->ndim, .sizes = (int64_t *)(uintptr_t)t->sizes};
    pt_tensor *data = py_tensor_data(&places);
    for (int64_t i = 0; i < pt_tensor_numel(data); i++)
        ((int64_t *)(uintptr_t)data->storage->data)[i] = offset_of(t, t, i);
    return const_tensor(data);
}

/* The view of t's storage whose elements have these offsets; NULL when no strides describe it. */
static pt_tensor *view_of_places(const pt_tensor *t, const pt_tensor *places) {
    const int64_t *at = (const int64_t *)(uintptr_t)places->storage->data + places->offset;
    int64_t *strides = MEM_ARRAY(int64_t, places->ndim + 1), count = 1;
    if (!pt_tensor_numel(places) || !pt_tensor_is_contiguous(places))
        return NULL;
    for (int d = places->ndim; d-- > 0; count *= places->sizes[d])
        strides[d] = places->sizes[d] > 1 ? at[count] - at[0] : count;
    pt_tensor *view = MEM_NEW(pt_tensor);
    *view = *t;
    view->ndim = places->ndim;
    view->sizes = places->sizes;
    view->strides = strides;
    view->offset = at[0];
    for (int64_t i = 0; i < count; i++)
        if (offset_of(view, view, i) != at[i])
            return NULL;
    return view;
}

static bool have_same_form(const pt_tensor *a, const pt_tensor *b) {
    return a->ndim == b->ndim && (!a->ndim || !memcmp(a->sizes, b->sizes, (size_t)a->ndim * sizeof *a->sizes));
}

/* The input of which the result is a view, by the schema; -1: none. */
static int viewed_input(const op_schema *s, const ir_constant *const *inputs) {
    for (uint32_t i = 0; s->return_count == 1 && i < s->argument_count; i++)
        if (s->arguments[i].alias_set & s->returns[0].alias_set && inputs[i]->kind == CONST_TENSOR &&
            inputs[i]->tensor->layout == PT_STRIDED)
            return (int)i;
    return -1;
}

/* Operators that are run at compile time return copies. A result that should be a view is therefore made to share the
 * argument's storage: the operator is run again, on a tensor of the offsets of the argument's elements, and so returns
 * the offsets of the view's elements. */
static void share_storages(const py_machine *m, const ir_node *n, const ir_constant **inputs, ir_constant **outputs) {
    int viewed = n->schema ? viewed_input(n->schema, inputs) : -1;
    if (viewed < 0 || outputs[0]->kind != CONST_TENSOR || outputs[0]->tensor->dtype != inputs[viewed]->tensor->dtype)
        return;
    const ir_constant *from = inputs[viewed];
    ir_constant *places[1];
    inputs[viewed] = places_of(from->tensor);
    if (m->program->evaluate(n, inputs, places) && places[0]->kind == CONST_TENSOR &&
        places[0]->tensor->dtype == PT_INT64 && have_same_form(places[0]->tensor, outputs[0]->tensor)) {
        pt_tensor *view = view_of_places(from->tensor, places[0]->tensor);
        outputs[0] = view ? const_tensor(view) : outputs[0];
    }
    inputs[viewed] = from;
}

/* Runs one of the nodes that schema matching made for a call: the operator, or a conversion of an argument. */
static void run_node(py_machine *m, const ir_node *n, computed_value **values, const char *op) {
    if (n->kind == IR_CONSTANT) {
        hmput(*values, ir_out(n, 0), n->constant ? n->constant : const_none());
        return;
    }
    uint32_t count = ir_input_count(n);
    if (n->kind == IR_LIST_CONSTRUCT) {
        ir_constant *list = const_new(CONST_LIST, ir_out(n, 0)->type);
        list->list.items = MEM_ARRAY(ir_constant *, count + 1);
        list->list.count = count;
        for (uint32_t i = 0; i < count; i++)
            list->list.items[i] = hmget(*values, ir_in(n, i));
        hmput(*values, ir_out(n, 0), list);
        return;
    }
    const ir_constant **inputs = MEM_ARRAY(const ir_constant *, count + 1);
    ir_constant **outputs = MEM_ARRAY(ir_constant *, ir_output_count(n) + 1);
    for (uint32_t i = 0; i < count; i++)
        inputs[i] = hmget(*values, ir_in(n, i));
    if (!m->program->evaluate || !m->program->evaluate(n, inputs, outputs))
        py_fail(m, "%s cannot be computed at compile time", op);
    share_storages(m, n, inputs, outputs);
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        hmput(*values, ir_out(n, i), outputs[i]);
}

static bool has_random(const py_value *v) {
    stack_check();
    if (v->kind == PY_TENSOR)
        return v->tensor->is_random;
    for (size_t i = 0; (v->kind == PY_LIST || v->kind == PY_TUPLE) && i < arrlenu(v->items); i++)
        if (has_random(v->items[i]))
            return true;
    return false;
}

static void add_argument(constant_argument **arguments, const py_machine *m, const char *op, const char *name,
                         const py_value *v, bool *is_random) {
    constant_argument a = {name, py_argument_constant(v)};
    if (!a.value)
        py_fail(m, "a '%s' cannot be an argument of %s at compile time", py_type_name(v), op);
    arrput(*arguments, a);
    *is_random |= has_random(v);
}

py_value *py_tensor_operator(py_machine *m, const char *op, py_value *const *items, size_t count,
                             const py_keyword *keywords, size_t keyword_count) {
    bool is_random = false;
    constant_argument *arguments = NULL;
    for (size_t i = 0; i < count; i++)
        add_argument(&arguments, m, op, NULL, items[i], &is_random);
    for (size_t i = 0; i < keyword_count; i++)
        if (strcmp(keywords[i].name, "device") && strcmp(keywords[i].name, "requires_grad"))
            add_argument(&arguments, m, op, keywords[i].name, keywords[i].value, &is_random);
    const ir_node *n =
        m->program->front_end->emit_call(m->program, op, arguments, (uint32_t)arrlenu(arguments), m->range);
    computed_value *values = NULL;
    for (const ir_node *k = ir_first(n->graph->block); k != n->graph->block->result; k = k->next)
        run_node(m, k, &values, op);
    is_random |= n->schema && schema_is_nondeterministic(n->schema);
    py_value *tuple = py_new(PY_TUPLE);
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        py_value *v = value_of_constant(m, hmget(values, ir_out(n, i)));
        if (v->kind == PY_TENSOR)
            v->tensor->is_random = is_random;
        arrput(tuple->items, v);
    }
    return arrlenu(tuple->items) == 1 ? tuple->items[0] : tuple;
}

/* ---- Subscripts: views ---- */

/* A view that is being made; its sizes and strides have room for every dimension that indices may add. */
typedef struct {
    pt_tensor *view;
    int64_t *sizes, *strides;
    int dim;            /* the next dimension to index */
    py_value **tensors; /* for each dimension before `dim` the tensor that indexes it, or None: an stb_ds array */
    bool has_tensors;
} indexing;

static void take_index(const py_machine *m, indexing *x, int64_t at) {
    int64_t size = x->sizes[x->dim];
    if (at < -size || at >= size)
        py_fail(m, "IndexError: index %lld is out of bounds for dimension %d with size %lld", (long long)at, x->dim,
                (long long)size);
    x->view->offset += (at < 0 ? at + size : at) * x->strides[x->dim];
    x->view->ndim--;
    for (int d = x->dim; d < x->view->ndim; d++) {
        x->sizes[d] = x->sizes[d + 1];
        x->strides[d] = x->strides[d + 1];
    }
}

static void take_slice(const py_machine *m, indexing *x, const py_value *slice) {
    int64_t size = x->sizes[x->dim], start = 0, stop = size, step = 1;
    py_integer(slice->items[0], &start);
    py_integer(slice->items[1], &stop);
    py_integer(slice->items[2], &step);
    if (step <= 0)
        py_fail(m, "slice step must be positive");
    start += start < 0 ? size : 0;
    stop += stop < 0 ? size : 0;
    start = start < 0 ? 0 : start > size ? size : start;
    stop = stop < start ? start : stop > size ? size : stop;
    x->sizes[x->dim] = (stop - start + step - 1) / step;
    x->view->offset += start * x->strides[x->dim];
    x->strides[x->dim] *= step;
    x->dim++;
    arrput(x->tensors, py_none());
}

/* A list that is used as an index becomes a tensor. */
static py_value *index_tensor(py_machine *m, py_value *v) {
    py_arguments a = {0};
    arrput(a.items, v);
    return v->kind == PY_LIST ? py_call_torch(m, "torch.tensor", &a) : v;
}

/* How many dimensions an index replaces: a mask as many as it has, others one, None none. */
static int dimensions_of(const py_value *v) {
    bool is_mask = v->kind == PY_TENSOR && (v->tensor->dtype == PT_BOOL || v->tensor->dtype == PT_UINT8);
    return is_mask ? v->tensor->ndim : v->kind == PY_NONE ? 0 : 1;
}

static void take_tensor(indexing *x, py_value *v) {
    arrput(x->tensors, v);
    x->has_tensors = true;
    x->dim += dimensions_of(v);
}

static void add_dimension(indexing *x) {
    for (int d = x->view->ndim; d > x->dim; d--) {
        x->sizes[d] = x->sizes[d - 1];
        x->strides[d] = x->strides[d - 1];
    }
    x->sizes[x->dim] = x->strides[x->dim] = 1;
    x->view->ndim++;
    x->dim++;
    arrput(x->tensors, py_none());
}

static bool is_ellipsis(const py_value *v) {
    return v->kind == PY_PATH && !strcmp(v->path, "builtins.Ellipsis");
}

static bool takes_dimension(const py_value *v) {
    return v->kind == PY_SLICE || v->kind == PY_INT || v->kind == PY_TENSOR;
}

static indexing begin_view(const pt_tensor *data, size_t indices) {
    size_t room = (size_t)data->ndim + indices + 1;
    indexing x = {.view = MEM_NEW(pt_tensor), .sizes = MEM_ARRAY(int64_t, room), .strides = MEM_ARRAY(int64_t, room)};
    *x.view = *data;
    x.view->sizes = x.sizes;
    x.view->strides = x.strides;
    for (int d = 0; d < data->ndim; d++) {
        x.sizes[d] = data->sizes[d];
        x.strides[d] = data->strides[d];
    }
    return x;
}

static void take_ellipsis(indexing *x, py_value *const *behind, size_t count) {
    int taken = 0;
    for (size_t i = 0; i < count; i++)
        taken += takes_dimension(behind[i]) ? dimensions_of(behind[i]) : 0;
    for (; x->dim < x->view->ndim - taken; x->dim++)
        arrput(x->tensors, py_none());
}

/* A view of the tensor's memory under ints, slices, None and an ellipsis; tensors among the indices are collected
 * for aten::index. */
static indexing view_of(py_machine *m, py_value *v, py_value *index) {
    py_value *one[] = {index}, **parts = NULL;
    py_value *const *given = index->kind == PY_TUPLE ? index->items : one;
    for (size_t i = 0; i < (index->kind == PY_TUPLE ? arrlenu(index->items) : 1); i++)
        arrput(parts, index_tensor(m, given[i]));
    size_t count = arrlenu(parts);
    indexing x = begin_view(py_tensor_data(v->tensor), count);
    for (size_t i = 0; i < count; i++) {
        if (takes_dimension(parts[i]) && x.dim >= x.view->ndim)
            py_fail(m, "IndexError: too many indices for tensor of dimension %d", v->tensor->ndim);
        if (parts[i]->kind == PY_SLICE)
            take_slice(m, &x, parts[i]);
        else if (parts[i]->kind == PY_INT)
            take_index(m, &x, parts[i]->integer);
        else if (parts[i]->kind == PY_TENSOR)
            take_tensor(&x, parts[i]);
        else if (parts[i]->kind == PY_NONE)
            add_dimension(&x);
        else if (is_ellipsis(parts[i]))
            take_ellipsis(&x, parts + i + 1, count - i - 1);
        else
            py_fail(m, "indexing a tensor by a '%s' is not supported at compile time", py_type_name(parts[i]));
    }
    return x;
}

/* aten::index or aten::index_put of the view by the tensors. */
static py_value *index_by_tensors(py_machine *m, const indexing *x, py_value *to) {
    py_value *indices = py_new(PY_LIST);
    indices->items = x->tensors;
    py_value *items[] = {py_tensor_of(x->view), indices, to};
    return py_tensor_operator(m, to ? "aten::index_put" : "aten::index", items, to ? 3 : 2, NULL, 0);
}

py_value *py_tensor_index(py_machine *m, py_value *v, py_value *index) {
    indexing x = view_of(m, v, index);
    py_value *result = x.has_tensors ? index_by_tensors(m, &x, NULL) : py_tensor_of(x.view);
    result->tensor->is_random |= v->tensor->is_random;
    return result;
}

void py_tensor_set_index(py_machine *m, py_value *v, py_value *index, py_value *to) {
    stack_check();
    double number;
    indexing x = view_of(m, v, index);
    pt_tensor *view = x.view;
    if (py_number(to, &number))
        to = py_tensor_new(PT_FLOAT64, NULL, 0, number, false);
    if (to->kind != PY_TENSOR)
        py_fail(m, "can't assign a %s to a tensor", py_type_name(to));
    if (x.has_tensors)
        to = index_by_tensors(m, &x, py_tensor_convert(to, v->tensor->dtype));
    if (!pt_tensor_assign(view, py_tensor_data(to->tensor)))
        py_fail(m, "the shape of the value does not fit the part of the tensor that it is assigned to");
    v->tensor->is_random |= to->tensor->is_random;
}
