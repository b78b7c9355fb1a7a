/* Charging the work of operators. */
#include "runtime/tensor/work.h"

#include "runtime/tensor/promotion.h"

tsm_status tsm_charge_limited(tsm_exec *x, uint64_t units) {
    if (__builtin_add_overflow(x->work, units, &x->work))
        x->work = UINT64_MAX;
    if (x->work <= (uint64_t)x->fuel)
        return TSM_OK;
    return tsm_fail(x, TSM_OUT_OF_FUEL, "the limit on executed instructions was reached: %s would do more work",
                    tsm_op_name(x));
}

uint64_t tsm_work_sorting(uint64_t n) {
    uint64_t levels = 1;
    while (levels < 63 && n >> levels)
        levels++;
    return tsm_work(n, levels);
}

/* What lies in one value; items of lists count as what they are when they are tensors or texts. */
static uint64_t size_of(tsm_value v) {
    switch (v.tag) {
    case TSM_TAG_TENSOR:
        return (uint64_t)tsm_as_tensor(v)->elements;
    case TSM_TAG_STR:
        return tsm_as_str(v)->length;
    case TSM_TAG_LIST:
        return tsm_as_list(v)->length;
    case TSM_TAG_TUPLE:
        return tsm_as_tuple(v)->length;
    case TSM_TAG_DICT:
        return tsm_as_dict(v)->used;
    default:
        return 0;
    }
}

static uint64_t size_with_items(tsm_value v) {
    uint64_t sum = size_of(v);
    if (v.tag != TSM_TAG_LIST)
        return sum;
    const tsm_list *l = tsm_as_list(v);
    for (uint32_t i = 0; i < l->length && tsm_is_object(l->items[i]); i++)
        if (__builtin_add_overflow(sum, size_of(l->items[i]), &sum))
            return UINT64_MAX;
    return sum;
}

static tsm_status charge_inputs(tsm_exec *x, const tsm_value *const *in) {
    for (uint32_t i = 0; i < x->inputs && !x->op->is_light; i++)
        TSM_TRY(tsm_charge_limited(x, size_with_items(*in[i])));
    return TSM_OK;
}

/* Whether a result that is a view will be copied to the tensor that the operator writes. */
static bool is_copied(const tsm_exec *x, const tsm_value *const *in, const tsm_value *result) {
    const tsm_op_kind kind = x->op->kind;
    if (!x->op->is_light || kind == TSM_OP_FUNCTIONAL)
        return false;
    return result->as.o != in[kind == TSM_OP_OUT ? x->inputs - 1 : 0]->as.o;
}

/* Results that are new, and what the kernel counted; tensors are charged where they are made. */
static tsm_status charge_outputs(tsm_exec *x, const tsm_value *const *in, const tsm_value *out) {
    tsm_status status = tsm_charge_limited(x, 0);
    for (uint32_t i = 0; i < x->outputs && status == TSM_OK; i++)
        if (out[i].tag == TSM_TAG_TENSOR ? is_copied(x, in, &out[i])
                                         : tsm_is_object(out[i]) && out[i].as.o->references == 1)
            status = tsm_charge_limited(x, size_of(out[i]));
    for (uint32_t i = 0; i < x->outputs && status != TSM_OK; i++)
        tsm_drop(x, out[i]);
    return status;
}

static TSM_OUT_OF_LINE tsm_status run_limited(tsm_exec *x, const tsm_value *const *in, tsm_value *out) {
    x->is_charged = true;
    tsm_status status = charge_inputs(x, in);
    if (status == TSM_OK)
        status = x->op->kernel(x, in, out);
    if (status == TSM_OK)
        status = charge_outputs(x, in, out);
    else if (x->work > (uint64_t)x->fuel) /* whatever the kernel says: it did not look further (tsm_values_equal) */
        status = tsm_charge_limited(x, 0);
    x->is_charged = false;
    return status;
}

#ifndef __OPTIMIZE_SIZE__
bool tsm_count_short_call(tsm_exec *x, const tsm_operator *op, const tsm_value *in, tsm_value out) {
    uint64_t units = tsm_is_object(out) && out.as.o->references == 1 ? size_of(out) : 0;
    for (uint32_t i = 0; i < op->inputs && !op->is_light; i++)
        units += size_with_items(in[i]);     /* sums of lengths: far from the largest number */
    if (units > (uint64_t)x->fuel - x->work) /* no call goes on with more work than fuel */
        return false;
    x->work += units;
    return true;
}
#endif

static bool value_is_quantized(tsm_value v) {
    return v.tag == TSM_TAG_TENSOR && tsm_dtype_is_quantized((tsm_dtype)tsm_as_tensor(v)->dtype);
}

/* Whether a value is a quantized tensor or a list that holds one. */
static bool value_has_quantized(tsm_value v) {
    if (v.tag != TSM_TAG_LIST)
        return value_is_quantized(v);
    const tsm_list *l = tsm_as_list(v);
    for (uint32_t i = 0; i < l->length && (l->items[i].tag == TSM_TAG_TENSOR || l->items[i].tag == TSM_TAG_NONE); i++)
        if (value_is_quantized(l->items[i]))
            return true;
    return false;
}

tsm_status tsm_refuse_quantized(tsm_exec *x) {
    return TSM_RAISE(x, "Could not run '%s' with arguments from the 'QuantizedCPU' backend.", tsm_op_name(x));
}

static tsm_status refuse_quantized_inputs(tsm_exec *x, const tsm_value *const *in) {
    for (uint32_t i = 0; i < x->inputs; i++)
        if (value_has_quantized(*in[i]))
            return tsm_refuse_quantized(x);
    return TSM_OK;
}

/* The values of input i: those of a list, else itself. A destination has none. */
static const tsm_value *values_of_input(const tsm_exec *x, const tsm_value *const *in, uint32_t i, uint32_t *count) {
    const bool is_destination = x->op->kind == TSM_OP_OUT && i + 1 == x->inputs;
    const tsm_list *l = in[i]->tag == TSM_TAG_LIST ? tsm_as_list(*in[i]) : NULL;
    *count = is_destination ? 0 : l ? l->length : 1;
    return l ? l->items : in[i];
}

/* The tensor that is input i, or the first of the list that is; NULL for other values and destinations. */
static tsm_tensor *tensor_of_input(const tsm_exec *x, const tsm_value *const *in, uint32_t i) {
    uint32_t count;
    const tsm_value *v = values_of_input(x, in, i, &count);
    return count && v->tag == TSM_TAG_TENSOR ? tsm_as_tensor(*v) : NULL;
}

/* What an operator's dtype is chosen by: its first tensor, or all of them; false where there is none. */
static bool dispatched_dtype(const tsm_exec *x, const tsm_value *const *in, tsm_dtype *dtype) {
    tsm_promotion p;
    tsm_promote_start(&p);
    bool found = false;
    for (uint32_t i = 0; i < x->inputs && (!found || x->op->refuses & TSM_KIND_OF_PROMOTED); i++) {
        tsm_tensor *t = tensor_of_input(x, in, i);
        if (!t)
            continue;
        tsm_promote_value(&p, tsm_of_tensor(t));
        found = true;
    }
    *dtype = tsm_promote_end(&p);
    return found;
}

static tsm_status refuse_dtype(tsm_exec *x, const tsm_value *const *in) {
    const unsigned kinds = x->op->refuses & ~(unsigned)TSM_KIND_MIXED;
    tsm_dtype dtype;
    if (!dispatched_dtype(x, in, &dtype) || dtype == TSM_DTYPE_COUNT || !(kinds & tsm_dtype_kinds[dtype]))
        return TSM_OK;
    return TSM_RAISE(x, "\"%s\" not implemented for '%s'", tsm_op_name(x), tsm_dtype_class_name(dtype));
}

/* Parameters of float32 beside halves are what PyTorch has on other devices. */
static bool may_mix(tsm_dtype first, tsm_dtype other) {
    return other == first || (other == TSM_FLOAT32 && tsm_dtype_kinds[first] & TSM_KIND_HALF);
}

static tsm_status refuse_mixed(tsm_exec *x, const tsm_value *const *in) {
    tsm_dtype first = TSM_DTYPE_COUNT;
    for (uint32_t i = 0; i < x->inputs; i++) {
        uint32_t count;
        const tsm_value *v = values_of_input(x, in, i, &count);
        for (; count--; v++) {
            const tsm_dtype dtype = v->tag == TSM_TAG_TENSOR ? (tsm_dtype)tsm_as_tensor(*v)->dtype : first;
            if (first == TSM_DTYPE_COUNT)
                first = dtype;
            if (!may_mix(first, dtype))
                return TSM_RAISE(x, "expected scalar type %s but found %s", tsm_dtype_class_name(first),
                                 tsm_dtype_class_name(dtype));
        }
    }
    return TSM_OK;
}

tsm_status tsm_check_dtypes(tsm_exec *x, const tsm_value *const *in) {
    const unsigned refused = x->made_kinds & x->op->refuses;
    if (refused & TSM_KIND_QUANTIZED)
        TSM_TRY(refuse_quantized_inputs(x, in));
    if (refused & ~(unsigned)(TSM_KIND_QUANTIZED | TSM_KIND_MIXED))
        TSM_TRY(refuse_dtype(x, in));
    return refused & TSM_KIND_MIXED ? refuse_mixed(x, in) : TSM_OK;
}

tsm_status tsm_run_charged(tsm_exec *x, const tsm_value *const *in, tsm_value *out) {
    TSM_TRY(tsm_check_dtypes(x, in));
    return x->is_limited ? run_limited(x, in, out) : x->op->kernel(x, in, out);
}
