/* Winograd's transforms of f32_loops.h in vector C: F(4x4, 3x3) at the points 0, 1, -1, 2, -2 and infinity. Each row of
 * G is without its fraction, which stands in the same row of B^T instead: weights are transformed at every call. */

/* B^T d for one column: six numbers at distance `step`. */
VEC_INLINE void winograd_bt(vec_f32 *to, const vec_f32 *d, const size_t step) {
    vec_f32 d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step], d5 = d[5 * step];
    vec_f32 a = d2 * (2.0f / 3) - d4 * (1.0f / 6), b = d1 * (2.0f / 3) - d3 * (1.0f / 6);
    vec_f32 c = d4 * (1.0f / 24) - d2 * (1.0f / 24), e = d3 - d1;
    to[0] = d0 - 1.25f * d2 + 0.25f * d4;
    to[step] = a + b;
    to[2 * step] = a - b;
    to[3 * step] = c + e * (1.0f / 12);
    to[4 * step] = c - e * (1.0f / 12);
    to[5 * step] = 4.0f * d1 - 5.0f * d3 + d5;
}

static void loop_winograd_input(float *v, size_t v_position, const float *const *pixels, size_t channels) {
    for (size_t c = 0; c < channels; c += VEC_LANES) {
        vec_f32 d[36], t[36];
        UNROLL for (size_t i = 0; i < 6; i++) {
            UNROLL for (size_t k = 0; k < 6; k++) d[i * 6 + k] = vec_load(pixels[i * 6 + k] + c);
        }
        UNROLL for (size_t k = 0; k < 6; k++) winograd_bt(t + k, d + k, 6);
        UNROLL for (size_t i = 0; i < 6; i++) {
            winograd_bt(d + i * 6, t + i * 6, 1);
            UNROLL for (size_t k = 0; k < 6; k++) vec_store(v + (i * 6 + k) * v_position + c, d[i * 6 + k]);
        }
    }
}

/* G g for one column: three numbers become six. */
VEC_INLINE void winograd_g(vec_f32 *to, const vec_f32 *g, const size_t to_step, const size_t step) {
    vec_f32 g0 = g[0], g1 = g[step], g2 = g[2 * step];
    vec_f32 near = g0 + g2, far = g0 + g2 * 4.0f, twice = g1 + g1;
    to[0] = g0;
    to[to_step] = near + g1;
    to[2 * to_step] = near - g1;
    to[3 * to_step] = far + twice;
    to[4 * to_step] = far - twice;
    to[5 * to_step] = g2;
}

#if defined(TSM_BY_HAND_AARCH64)
void tsm_winograd_weight_a64(float *u, const float *w, size_t depth); /* winograd_aarch64.S */
_Static_assert(TSM_WINOGRAD_ROW == 37 * 16, "winograd_aarch64.S knows this");
#define loop_winograd_weight tsm_winograd_weight_a64
#else
static void loop_winograd_weight(float *u, const float *w, size_t depth) {
    for (size_t k = 0; k < depth; k++)
        for (size_t lane = 0; lane < TSM_PANEL; lane += VEC_LANES) {
            vec_f32 g[9], t[18], row[6];
            UNROLL for (size_t i = 0; i < 9; i++) g[i] = vec_load(w + (i * depth + k) * TSM_PANEL + lane);
            UNROLL for (size_t i = 0; i < 3; i++) winograd_g(t + i, g + i, 3, 3);
            UNROLL for (size_t i = 0; i < 6; i++) {
                winograd_g(row, t + i * 3, 1, 1);
                UNROLL for (size_t p = 0; p < 6; p++)
                    vec_store(u + k * TSM_WINOGRAD_ROW + (i * 6 + p) * TSM_PANEL + lane, row[p]);
            }
        }
}

#endif

/* A^T m for one column: six numbers become four. */
VEC_INLINE void winograd_at(vec_f32 *to, const vec_f32 *m, const size_t to_step, const size_t step) {
    vec_f32 m1 = m[step], m2 = m[2 * step], m3 = m[3 * step], m4 = m[4 * step];
    vec_f32 near_sum = m1 + m2, near_difference = m1 - m2, far_sum = m3 + m4, far_difference = m3 - m4;
    to[0] = m[0] + near_sum + far_sum;
    to[to_step] = near_difference + 2.0f * far_difference;
    to[2 * to_step] = near_sum + 4.0f * far_sum;
    to[3 * to_step] = near_difference + 8.0f * far_difference + m[5 * step];
}

static void loop_winograd_output(float *const *pixels, const float *const *residuals, const float *m, size_t m_position,
                                 const tsm_finish *finish) {
    float low, high;
    clamp_bounds(finish, false, &low, &high);
    for (size_t lane = 0; lane < TSM_PANEL; lane += VEC_LANES) {
        vec_f32 t[24], column[6], row[4],
            bias = finish->column_bias ? vec_load(finish->column_bias + lane) : vec_set(0.0f);
        UNROLL for (size_t k = 0; k < 6; k++) {
            UNROLL for (size_t i = 0; i < 6; i++) column[i] = vec_load(m + (i * 6 + k) * m_position + lane);
            winograd_at(t + k, column, 6, 1);
        }
        UNROLL for (size_t i = 0; i < 4; i++) {
            winograd_at(row, t + i * 6, 1, 1);
            UNROLL for (size_t k = 0; k < 4; k++) {
                vec_f32 s = row[k] + bias;
                if (!pixels[i * 4 + k])
                    continue;
                if (residuals[i * 4 + k])
                    s += vec_load(residuals[i * 4 + k] + lane);
                vec_store(pixels[i * 4 + k] + lane, vec_at_most(vec_at_least(s, vec_set(low)), vec_set(high)));
            }
        }
    }
    if (!is_clamp(finish->activation))
        for (size_t p = 0; p < 16; p++)
            if (pixels[p])
                loop_activate(pixels[p], pixels[p], TSM_PANEL, finish->activation, finish->low, finish->high);
}
