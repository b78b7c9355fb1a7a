/* Conversions between numbers, texts and other values; enums, optionals, tuples, devices and dtypes; what programs ask
 * of their surroundings. */
#include "runtime/kernels/language/lang.h"
#include "runtime/kernels/language/parse_number.h"
#include "runtime/value/chars.h"

/* ---- To bool, int, float, complex ---- */

TSM_KERNEL(aten_Bool_int) {
    TSM_UNUSED_IO();
    return ret_bool(out, cx_nonzero(lang_number_of(*in[0]).c));
}
TSM_KERNEL_ALIAS(aten_Bool_float, aten_Bool_int);

TSM_KERNEL(aten_Int_float) {
    TSM_UNUSED_IO();
    lang_number n = lang_number_of(*in[0]);
    return ret_int(out, n.kind == LANG_INT ? n.i : lang_truncate(n.c.re));
}
TSM_KERNEL_ALIAS(aten_Int_bool, aten_Int_float);

/* Unlike int(float) this one refuses what does not fit. */
TSM_KERNEL(aten_Int_Scalar) {
    lang_number n = lang_number_of(*in[0]);
    if (n.kind != LANG_INT && (n.c.im != 0 || !(n.c.re >= -0x1p63 && n.c.re < 0x1p63)))
        return TSM_RAISE(x, "value cannot be converted to type int without overflow");
    return ret_int(out, n.kind == LANG_INT ? n.i : (int64_t)n.c.re);
}

TSM_KERNEL(aten_Int_str) {
    const tsm_str *s = arg_str(in, 0);
    size_t used;
    int64_t v;
    if (!tsm_parse_int(s->text, s->length, &used, &v))
        return TSM_RAISE(x, "stoll");
    if (used != s->length)
        return TSM_RAISE(x, "invalid literal for int() with base 10: '%.*s'", (int)s->length, s->text);
    return ret_int(out, v);
}

TSM_KERNEL(aten_Float_int) {
    TSM_UNUSED_IO();
    return ret_float(out, lang_number_of(*in[0]).c.re);
}
TSM_KERNEL_ALIAS(aten_Float_bool, aten_Float_int);
TSM_KERNEL_ALIAS(aten_Float_Scalar, aten_Float_int);

TSM_KERNEL(aten_Float_str) {
    const tsm_str *s = arg_str(in, 0);
    size_t used;
    double v;
    if (!tsm_parse_double(s->text, s->length, &used, &v))
        return TSM_RAISE(x, "stod");
    if (used != s->length)
        return TSM_RAISE(x, "could not convert string to float: '%.*s'", (int)s->length, s->text);
    return ret_float(out, v);
}

TSM_KERNEL(aten_Complex_Scalar) {
    return lang_ret_complex(x, out, lang_number_of(*in[0]).c);
}

/* PyTorch narrows int parts to C's int. */
static double complex_part(tsm_value v) {
    return v.tag == TSM_TAG_INT ? (int32_t)(uint32_t)v.as.i : lang_number_of(v).c.re;
}

TSM_KERNEL(aten_Complex_float_float) {
    return lang_ret_complex(x, out, cx(complex_part(*in[0]), complex_part(*in[1])));
}
TSM_KERNEL_ALIAS(aten_Complex_bool_bool, aten_Complex_float_float);
TSM_KERNEL_ALIAS(aten_Complex_bool_float, aten_Complex_float_float);
TSM_KERNEL_ALIAS(aten_Complex_bool_int, aten_Complex_float_float);
TSM_KERNEL_ALIAS(aten_Complex_float_bool, aten_Complex_float_float);
TSM_KERNEL_ALIAS(aten_Complex_float_int, aten_Complex_float_float);
TSM_KERNEL_ALIAS(aten_Complex_int_bool, aten_Complex_float_float);
TSM_KERNEL_ALIAS(aten_Complex_int_float, aten_Complex_float_float);
TSM_KERNEL_ALIAS(aten_Complex_int_int, aten_Complex_float_float);

/* ---- Identity ---- */

/* PyTorch's hashes are those of its C++ library: MurmurHash64A (public domain, by A. Appleby) of the bytes of strs and
 * floats. */
static uint64_t hash_bytes(const uint8_t *bytes, size_t n) {
    const uint64_t factor = 0xc6a4a7935bd1e995u;
    uint64_t hash = 0xc70f6907u ^ (n * factor);
    for (; n >= 8; bytes += 8, n -= 8) {
        uint64_t word = 0;
        for (int i = 7; i >= 0; i--)
            word = word << 8 | bytes[i];
        word *= factor;
        hash = (hash ^ (word ^ word >> 47) * factor) * factor;
    }
    if (n) {
        uint64_t word = 0;
        while (n--)
            word = word << 8 | bytes[n];
        hash = (hash ^ word) * factor;
    }
    hash = (hash ^ hash >> 47) * factor;
    return hash ^ hash >> 47;
}

static uint64_t hash_float(double f) {
    uint64_t bits;
    uint8_t bytes[8];
    if (f == 0) /* both zeros are equal */
        return 0;
    memcpy(&bits, &f, sizeof bits);
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(bits >> 8 * i);
    return hash_bytes(bytes, sizeof bytes);
}

/* Tuples are hashed item by item, at most `depth` levels deep. */
static tsm_status hash_of(tsm_exec *x, tsm_value v, int depth, uint64_t *out) {
    switch (v.tag) {
    case TSM_TAG_BOOL:
        *out = v.as.b;
        break;
    case TSM_TAG_INT:
        *out = (uint64_t)v.as.i;
        break;
    case TSM_TAG_FLOAT:
        *out = hash_float(v.as.f);
        break;
    case TSM_TAG_STR:
        *out = hash_bytes((const uint8_t *)tsm_as_str(v)->text, tsm_as_str(v)->length);
        break;
    case TSM_TAG_ENUM:
        *out = (uint64_t)tsm_as_enum(v)->type << 32 | tsm_as_enum(v)->member;
        break;
    case TSM_TAG_DEVICE:
        *out = (v.as.device & 0xffff) << 16 | (((v.as.device >> 16) - 1) & 0xff);
        break;
    case TSM_TAG_NONE:
        *out = 0;
        break;
    case TSM_TAG_TUPLE: {
        uint64_t all = 0;
        if (!depth)
            return TSM_RAISE(x, "hash() of tuples in tuples more than %d levels deep", TSM_EQUAL_DEPTH);
        for (uint32_t i = 0; i < tsm_as_tuple(v)->length; i++) {
            uint64_t item;
            TSM_TRY(hash_of(x, tsm_as_tuple(v)->items[i], depth - 1, &item));
            all ^= item + 0x9e3779b9u + (all << 6) + (all >> 2);
        }
        *out = all;
        break;
    }
    case TSM_TAG_LIST:
    case TSM_TAG_DICT:
    case TSM_TAG_COMPLEX:
        return TSM_RAISE(x, "unhashable type: '%s'", tsm_tag_name(v.tag));
    default:
        *out = (uint64_t)(uintptr_t)v.as.o;
        break;
    }
    return TSM_OK;
}

TSM_KERNEL(aten_hash_generic) {
    uint64_t hash;
    TSM_TRY(hash_of(x, *in[0], TSM_EQUAL_DEPTH, &hash));
    return ret_int(out, (int64_t)hash);
}

TSM_KERNEL(prim_id) {
    TSM_UNUSED_IO();
    return ret_int(out, tsm_is_object(*in[0]) ? (int64_t)(uintptr_t)in[0]->as.o : 0);
}

/* ---- Enums, optionals, tuples ---- */

TSM_KERNEL(prim_EnumName) {
    const char *name = tsm_as_enum(*in[0])->name;
    return lang_ret_str(x, out, name, tsm_chars_length(name));
}

TSM_KERNEL(prim_EnumValue_int) {
    TSM_UNUSED_IO();
    *out = tsm_hold(tsm_as_enum(*in[0])->value);
    return TSM_OK;
}
TSM_KERNEL_ALIAS(prim_EnumValue_float, prim_EnumValue_int);
TSM_KERNEL_ALIAS(prim_EnumValue_str, prim_EnumValue_int);

TSM_KERNEL(prim_unchecked_cast) {
    TSM_UNUSED_IO();
    *out = tsm_hold(*in[0]);
    return TSM_OK;
}
TSM_KERNEL_ALIAS(prim_unchecked_unwrap_optional, prim_unchecked_cast);

TSM_KERNEL(aten__unwrap_optional) {
    if (arg_is_none(in, 0))
        return TSM_RAISE(x, "Unwrapping null optional");
    *out = tsm_hold(*in[0]);
    return TSM_OK;
}

TSM_KERNEL(prim_Uninitialized) {
    TSM_UNUSED_IO();
    *out = tsm_none();
    return TSM_OK;
}

TSM_KERNEL(prim_TupleIndex) {
    size_t at;
    if (in[0]->tag != TSM_TAG_TUPLE || !lang_position(arg_int(in, 1), tsm_as_tuple(*in[0])->length, &at))
        return TSM_RAISE(x, "Tuple list index out of range");
    *out = tsm_hold(tsm_as_tuple(*in[0])->items[at]);
    return TSM_OK;
}

TSM_KERNEL(prim_TupleUnpack) {
    const tsm_tuple *t = in[0]->tag == TSM_TAG_TUPLE ? tsm_as_tuple(*in[0]) : NULL;
    if (!t || t->length != x->outputs)
        return TSM_RAISE(x, "Expected a tuple of %u elements", (unsigned)x->outputs);
    for (uint32_t i = 0; i < t->length; i++)
        out[i] = tsm_hold(t->items[i]);
    return TSM_OK;
}

/* ---- Output and errors ---- */

/* Nanoseconds of the platform's clock. */
TSM_KERNEL(prim_TimePoint) {
    (void)in;
    return ret_int(out, x->platform.nanoseconds ? (int64_t)x->platform.nanoseconds(x->platform.context) : 0);
}
/* Statistics go to PyTorch's logger, of which there is none here. */
TSM_KERNEL(prim_AddStatValue) {
    TSM_UNUSED_IO();
    return TSM_OK;
}

TSM_KERNEL(prim_Print) {
    TSM_UNUSED_IO();
    tsm_text t = {0};
    tsm_status status = TSM_OK;
    for (uint32_t i = 0; i < x->inputs && status == TSM_OK; i++) {
        if (i)
            status = tsm_text_add(x, &t, " ", 1);
        if (status == TSM_OK)
            status = tsm_text_add_value(x, &t, *in[i]);
    }
    if (status == TSM_OK)
        status = tsm_text_add(x, &t, "\n", 1);
    if (status == TSM_OK)
        tsm_print(x, t.text, t.length);
    tsm_text_free(x, &t);
    return status;
}

TSM_KERNEL(aten_warn) {
    TSM_UNUSED_IO();
    tsm_warn(x, arg_str(in, 0)->text, arg_str(in, 0)->length);
    return TSM_OK;
}

TSM_KERNEL(prim_RaiseException) {
    TSM_UNUSED_IO();
    const tsm_str *message = arg_str(in, 0);
    if (arg_is_none(in, 1))
        return TSM_RAISE(x, "%.*s", (int)message->length, message->text);
    return TSM_RAISE(x, "%.*s: %.*s", (int)arg_str(in, 1)->length, arg_str(in, 1)->text, (int)message->length,
                     message->text);
}

TSM_KERNEL(aten_wait) {
    if (in[0]->tag != TSM_TAG_FUTURE)
        return TSM_RAISE(x, "aten::wait: not a Future");
    tsm_value v = tsm_as_future(*in[0])->value;
    if (tsm_as_future(*in[0])->failed && v.tag == TSM_TAG_STR)
        return TSM_RAISE(x, "%.*s", (int)tsm_as_str(v)->length, tsm_as_str(v)->text);
    *out = tsm_hold(v);
    return TSM_OK;
}

/* ---- Surroundings ---- */

TSM_KERNEL(aten_is_scripting) {
    TSM_UNUSED_IO();
    return ret_bool(out, true);
}

TSM_KERNEL(aten__get_tracing_state) {
    TSM_UNUSED_IO();
    return ret_bool(out, false);
}
TSM_KERNEL_ALIAS(aten_has_torch_function, aten__get_tracing_state);
TSM_KERNEL_ALIAS(aten_is_autocast_enabled, aten__get_tracing_state);
TSM_KERNEL_ALIAS(aten_is_autocast_cpu_enabled, aten__get_tracing_state);
TSM_KERNEL_ALIAS(aten_is_vulkan_available, aten__get_tracing_state);
TSM_KERNEL_ALIAS(aten__nnpack_available, aten__get_tracing_state);
TSM_KERNEL_ALIAS(aten__use_cudnn_rnn_flatten_weight, aten__get_tracing_state);

TSM_KERNEL(aten_is_grad_enabled) {
    TSM_UNUSED_IO();
    return ret_bool(out, x->grad_enabled);
}

TSM_KERNEL(aten_set_grad_enabled) {
    TSM_UNUSED_IO();
    x->grad_enabled = arg_bool(in, 0);
    return TSM_OK;
}

/* ---- Devices and dtypes ---- */

TSM_KERNEL(aten_device) {
    return tsm_device_read(x, arg_str(in, 0)->text, arg_str(in, 0)->length, out);
}

TSM_KERNEL(prim_type) {
    char text[24];
    size_t n = tsm_device_text(*in[0], text, sizeof text);
    const char *colon = memchr(text, ':', n);
    return lang_ret_str(x, out, text, colon ? (size_t)(colon - text) : n);
}

TSM_KERNEL(prim_index) {
    TSM_UNUSED_IO();
    uint32_t index = in[0]->as.device >> 16;
    *out = index ? tsm_int((int64_t)index - 1) : tsm_none();
    return TSM_OK;
}

static tsm_status dtype_argument(tsm_exec *x, const tsm_value *const *in, int i, tsm_dtype *dtype) {
    int64_t v = arg_int(in, i);
    if (v < 0 || v >= TSM_DTYPE_COUNT)
        return TSM_RAISE(x, "%s: %ld is not a dtype", tsm_op_name(x), v);
    *dtype = (tsm_dtype)v;
    return TSM_OK;
}

TSM_KERNEL(aten_promote_types) {
    tsm_dtype a = TSM_UINT8, b = TSM_UINT8;
    TSM_TRY(dtype_argument(x, in, 0, &a));
    TSM_TRY(dtype_argument(x, in, 1, &b));
    return ret_int(out, tsm_promote_dtypes(a, b));
}

TSM_KERNEL(aten_can_cast) {
    tsm_dtype from = TSM_UINT8, to = TSM_UINT8;
    TSM_TRY(dtype_argument(x, in, 0, &from));
    TSM_TRY(dtype_argument(x, in, 1, &to));
    return ret_bool(out, tsm_dtype_can_cast(from, to));
}

TSM_KERNEL(aten_result_type_Scalar_Scalar) {
    TSM_UNUSED_IO();
    tsm_promotion p;
    tsm_promote_start(&p);
    tsm_promote_value(&p, *in[0]);
    tsm_promote_value(&p, *in[1]);
    return ret_int(out, tsm_promote_end(&p));
}

/* ---- Sizes ---- */

static tsm_status ret_sizes(tsm_exec *x, tsm_value *out, const tsm_dim *sizes, int n) {
    tsm_list *l;
    TSM_TRY(tsm_make_list(x, (size_t)n, &l));
    for (int i = 0; i < n; i++)
        l->items[l->length++] = tsm_int(sizes[i]);
    *out = tsm_of(TSM_TAG_LIST, l);
    return TSM_OK;
}

TSM_KERNEL(aten__infer_size) {
    tsm_dim a[TSM_MAX_DIMS], b[TSM_MAX_DIMS], sizes[TSM_MAX_DIMS];
    int m = arg_ints(x, in, 0, a, TSM_MAX_DIMS), n = m < 0 ? -1 : arg_ints(x, in, 1, b, TSM_MAX_DIMS), dims;
    if (n < 0)
        return TSM_RAISED;
    TSM_TRY(tsm_broadcast_shapes(x, n, b, m, a, &dims, sizes)); /* errors name the second list first */
    return ret_sizes(x, out, sizes, dims);
}

TSM_KERNEL(aten__size_if_not_equal) {
    TSM_UNUSED_IO();
    *out = tsm_values_equal(*in[0], *in[1]) ? tsm_none() : tsm_hold(*in[0]);
    return TSM_OK;
}

/* Sizes without those that are 1: all of them, or only the one at `only`. */
static tsm_status ret_squeezed(tsm_exec *x, const tsm_value *const *in, tsm_value *out, bool all, int64_t only) {
    tsm_dim sizes[TSM_MAX_DIMS];
    int n = arg_ints(x, in, 0, sizes, TSM_MAX_DIMS), kept = 0;
    if (n < 0)
        return TSM_RAISED;
    for (int i = 0; i < n; i++)
        if (sizes[i] != 1 || !(all || i == only || i - n == only))
            sizes[kept++] = sizes[i];
    return ret_sizes(x, out, sizes, kept);
}

TSM_KERNEL(prim_infer_squeeze_size) {
    return ret_squeezed(x, in, out, true, 0);
}
TSM_KERNEL(prim_infer_squeeze_size_dim) {
    return ret_squeezed(x, in, out, false, arg_int(in, 1));
}

TSM_KERNEL(prim_infer_unsqueeze_size) {
    tsm_dim sizes[TSM_MAX_DIMS + 1];
    int n = arg_ints(x, in, 0, sizes, TSM_MAX_DIMS), dim;
    if (n < 0)
        return TSM_RAISED;
    TSM_TRY(tsm_wrap_dim(x, arg_int(in, 1), n + 1, &dim));
    memmove(sizes + dim + 1, sizes + dim, (size_t)(n - dim) * sizeof *sizes);
    sizes[dim] = 1;
    return ret_sizes(x, out, sizes, n + 1);
}

/* The version of CUDA that torchvision was built with: none. */
TSM_KERNEL(torchvision__cuda_version) {
    TSM_UNUSED_IO();
    return ret_int(out, -1);
}
