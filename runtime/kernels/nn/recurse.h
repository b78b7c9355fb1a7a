/* A signal of `samples` after the `order` outputs before it: y[n] = x[n] - sum over k in [1, order] of a[k - 1] * y[n -
 * k]. A template: ELEMENT and NAME are the includer's, and end here. */
static void NAME(ELEMENT *y, const ELEMENT *x, const ELEMENT *a, const ELEMENT *before, tsm_dim samples,
                 tsm_dim order) {
    for (tsm_dim n = 0; n < samples; n++) {
        ELEMENT sum = x[n];
        for (tsm_dim k = 1; k <= order; k++)
            sum -= a[k - 1] * (k <= n ? y[n - k] : before[order + n - k]);
        y[n] = sum;
    }
}
#undef ELEMENT
#undef NAME
