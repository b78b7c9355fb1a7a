/* Lists of sizes: broadcast, squeezed, unsqueezed. */
#include "runtime/kernels/language/lang.h"

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
    int m = tsm_arg_ints(x, in, 0, a, TSM_MAX_DIMS), n = m < 0 ? -1 : tsm_arg_ints(x, in, 1, b, TSM_MAX_DIMS), dims;
    if (n < 0)
        return TSM_RAISED;
    TSM_TRY(tsm_broadcast_shapes(x, n, b, m, a, &dims, sizes)); /* errors name the second list first */
    return ret_sizes(x, out, sizes, dims);
}

TSM_KERNEL(aten__size_if_not_equal) {
    TSM_UNUSED_IO();
    *out = tsm_values_equal(x, *in[0], *in[1]) ? tsm_none() : tsm_hold(*in[0]);
    return TSM_OK;
}

/* The sizes without dimensions of size 1: without all of these, or only without the one at `only`. */
static tsm_status ret_squeezed(tsm_exec *x, const tsm_value *const *in, tsm_value *out, bool all, int64_t only) {
    tsm_dim sizes[TSM_MAX_DIMS];
    int n = tsm_arg_ints(x, in, 0, sizes, TSM_MAX_DIMS), kept = 0;
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
    int n = tsm_arg_ints(x, in, 0, sizes, TSM_MAX_DIMS), dim;
    if (n < 0)
        return TSM_RAISED;
    TSM_TRY(tsm_wrap_dim(x, arg_int(in, 1), n + 1, &dim));
    memmove(sizes + dim + 1, sizes + dim, (size_t)(n - dim) * sizeof *sizes);
    sizes[dim] = 1;
    return ret_sizes(x, out, sizes, n + 1);
}
