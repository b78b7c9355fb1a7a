/* A matrix product for types without loops of their own: rows of B are added to rows of C, in order of k. A template:
 * ELEMENT and NAME are the includer's, and end here. */
static void NAME(const gemm_any *g) {
    const ELEMENT *a = g->a, *b = g->b;
    for (size_t i = 0; i < g->m; i++) {
        ELEMENT *c = (ELEMENT *)g->c + (ptrdiff_t)i * g->c_row;
        memset(c, 0, g->n * sizeof *c);
        for (size_t k = 0; k < g->k; k++) {
            ELEMENT s = a[(ptrdiff_t)i * g->a_row + (ptrdiff_t)k * g->a_col];
            const ELEMENT *row = b + (ptrdiff_t)k * g->b_row;
            for (size_t n = 0; n < g->n; n++)
                c[n] += s * row[(ptrdiff_t)n * g->b_col];
        }
    }
}
#undef ELEMENT
#undef NAME
