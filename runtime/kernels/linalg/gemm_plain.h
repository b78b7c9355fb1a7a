/* A matrix product for types without loops of their own, in tiles of columns that stay in registers; where columns of B
 * are not consecutive, element by element. A template: ELEMENT and NAME are the includer's, and end here. */
static void NAME(const gemm_any *g) {
    enum { TILE = 8 };
    const ELEMENT *a = g->a, *b = g->b;
    for (size_t i = 0; i < g->m; i++, a += g->a_row) {
        ELEMENT *c = (ELEMENT *)g->c + (ptrdiff_t)i * g->c_row;
        size_t n = 0;
        for (; g->b_col == 1 && n + TILE <= g->n; n += TILE) {
            ELEMENT sum[TILE] = {0};
            for (size_t k = 0; k < g->k; k++) {
                const ELEMENT s = a[(ptrdiff_t)k * g->a_col], *row = b + (ptrdiff_t)k * g->b_row + n;
                for (int t = 0; t < TILE; t++)
                    sum[t] += s * row[t];
            }
            memcpy(c + n, sum, sizeof sum);
        }
        for (; n < g->n; n++) {
            const ELEMENT *column = b + (ptrdiff_t)n * g->b_col;
            ELEMENT part[TILE] = {0}, sum = 0;
            size_t k = 0;
            for (; g->a_col == 1 && g->b_row == 1 && k + TILE <= g->k; k += TILE)
                for (int t = 0; t < TILE; t++)
                    part[t] += a[k + (size_t)t] * column[k + (size_t)t];
            for (; k < g->k; k++)
                sum += a[(ptrdiff_t)k * g->a_col] * column[(ptrdiff_t)k * g->b_row];
            for (int t = 0; t < TILE; t++)
                sum += part[t];
            c[n] = sum;
        }
    }
}
#undef ELEMENT
#undef NAME
