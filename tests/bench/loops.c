/* Times the float32 inner loops against the machine's own limits, measured in the same run: multiply-adds from
 * registers, and reading and writing memory.
 *
 *   bench_loops [TABLE]      TABLE: base, neon, avx2, avx512 (default: what libtsmobile would choose)
 *
 * Prints a Markdown table: for each loop and size its speed and its part of the limit that applies. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/kernels/simd/f32.h"
#include "runtime/kernels/simd/pack.h"

enum { ALIGN = 64, BEST_OF = 7 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static float *floats(size_t n) {
    float *p = aligned_alloc(ALIGN, (n * sizeof *p + ALIGN - 1) / ALIGN * ALIGN);
    if (!p) {
        fputs("bench_loops: no memory\n", stderr);
        exit(2);
    }
    for (size_t i = 0; i < n; i++)
        p[i] = (float)(i % 17) * 0.25f - 2.0f;
    return p;
}

/* Least seconds of one call, by runs of about 20 ms. */
static double seconds_of(void (*run)(void *), void *argument) {
    double best = 1e9, start = now();
    run(argument);
    size_t times = (size_t)(0.02 / (now() - start + 1e-9)) + 1;
    for (int i = 0; i < BEST_OF; i++) {
        start = now();
        for (size_t k = 0; k < times; k++)
            run(argument);
        double one = (now() - start) / (double)times;
        best = one < best ? one : best;
    }
    return best;
}

/* ---- The machine's limits ---- */

#define PEAK(name, target, lanes, registers)                                                                           \
    typedef float name##_vec __attribute__((vector_size(4 * lanes)));                                                  \
    target static void name(void *argument) {                                                                          \
        name##_vec sum[registers], a = {0}, b = {0};                                                                   \
        memset(sum, 0, sizeof sum);                                                                                    \
        a += 1.0000001f;                                                                                               \
        b += 0.9999999f;                                                                                               \
        __asm__ volatile("" : "+m"(a), "+m"(b));                                                                       \
        for (int i = 0; i < 10000; i++) {                                                                              \
            _Pragma("GCC unroll 32") for (int r = 0; r < registers; r++) sum[r] = sum[r] * a + b;                      \
        }                                                                                                              \
        float *out = argument;                                                                                         \
        for (int r = 0; r < registers; r++)                                                                            \
            for (int l = 0; l < lanes; l++)                                                                            \
                *out += sum[r][l];                                                                                     \
    }

#if defined(__x86_64__)
PEAK(peak_avx512, __attribute__((target("avx512f,fma"))), 16, 12)
PEAK(peak_avx2, __attribute__((target("avx2,fma"))), 8, 12)
PEAK(peak_base, , 4, 12)
#else
PEAK(peak_base, , 4, 24)
#endif

static double peak_gflops(const tsm_f32_loops *f32) {
    float out = 0;
    int registers = 12;
    void (*run)(void *) = peak_base;
#if defined(__x86_64__)
    run = f32->lanes == 16 ? peak_avx512 : f32->lanes == 8 ? peak_avx2 : peak_base;
#else
    registers = 24;
#endif
    size_t lanes = f32->lanes < 4 ? 4 : f32->lanes;
    return 2.0 * 10000 * registers * (double)lanes / seconds_of(run, &out) / 1e9;
}

typedef struct {
    float *to, *from;
    size_t n;
} copy_work;

static void run_copy(void *argument) {
    const copy_work *w = argument;
    memcpy(w->to, w->from, w->n * sizeof *w->to);
}

/* Bytes read and written a second by memcpy on arrays of this many floats. */
static double bandwidth(size_t n) {
    copy_work w = {floats(n), floats(n), n};
    double s = seconds_of(run_copy, &w);
    free(w.to);
    free(w.from);
    return 2.0 * (double)n * sizeof(float) / s;
}

/* ---- Loops ---- */

typedef struct {
    const tsm_f32_loops *f32;
    size_t m, n, k, channels, taps;
    float *a, *b, *c, *bias;
} work;

static work make(const tsm_f32_loops *f32, size_t m, size_t n, size_t k) {
    work w = {
        .f32 = f32, .m = m, .n = n, .k = k, .a = floats(m * k + 64), .c = floats(m * n + 64), .bias = floats(n + 64)};
    w.b = floats(tsm_pack_floats(n, k) + 64);
    return w;
}

static void drop(work *w) {
    free(w->a);
    free(w->b);
    free(w->c);
    free(w->bias);
}

static void run_gemm(void *argument) {
    const work *w = argument;
    tsm_finish finish = {.column_bias = w->bias, .activation = TSM_ACT_RELU};
    for (size_t i = 0; i < w->m; i += w->f32->gemm_rows) {
        const float *rows[16];
        size_t n = w->m - i < w->f32->gemm_rows ? w->m - i : w->f32->gemm_rows;
        for (size_t r = 0; r < n; r++)
            rows[r] = w->a + (i + r) * w->k;
        tsm_gemm_block g = {.rows = n,
                            .columns = w->n,
                            .taps = 1,
                            .depth = w->k,
                            .a = rows,
                            .a_step = n,
                            .b = w->b,
                            .b_stride = TSM_PANEL,
                            .b_panel = w->k * TSM_PANEL,
                            .c = w->c + i * w->n,
                            .c_stride = (ptrdiff_t)w->n,
                            .finish = &finish};
        w->f32->gemm(&g);
    }
}

/* A line of w->m pixels, 3x3 or 5x5 (w->taps), stride 1. */
static void run_depthwise(void *argument) {
    const work *w = argument;
    const float *rows[5];
    size_t at[5];
    tsm_finish finish = {.column_bias = w->bias, .activation = TSM_ACT_RELU};
    for (size_t r = 0; r < w->taps; r++) {
        rows[r] = w->a + r * (w->m + w->taps) * w->channels;
        at[r] = r * w->taps * TSM_PANEL;
    }
    tsm_depthwise_run d = {.pixels = w->m,
                           .channels = w->channels,
                           .row_count = w->taps,
                           .taps = w->taps,
                           .rows = rows,
                           .column_step = (ptrdiff_t)w->channels,
                           .begin = -(ptrdiff_t)(w->taps / 2),
                           .width = (ptrdiff_t)w->m,
                           .stride = 1,
                           .dilation = 1,
                           .w = w->b,
                           .w_rows = at,
                           .w_panel = w->taps * w->taps * TSM_PANEL,
                           .out = w->c,
                           .out_stride = (ptrdiff_t)w->channels,
                           .finish = &finish};
    w->f32->depthwise(&d);
}

static void run_softmax(void *argument) {
    const work *w = argument;
    for (size_t i = 0; i < w->m; i++)
        w->f32->softmax(w->c + i * w->n, w->a + i * w->n, w->n);
}

static void run_normalize(void *argument) {
    const work *w = argument;
    for (size_t i = 0; i < w->m; i++) {
        double mean, squares;
        w->f32->moments(w->a + i * w->n, w->n, &mean, &squares);
        w->f32->normalize(w->c + i * w->n, w->a + i * w->n, w->n, (float)mean, 0.5f, w->bias, w->bias);
    }
}

static void run_silu(void *argument) {
    const work *w = argument;
    w->f32->activate(w->c, w->a, w->m * w->n, TSM_ACT_SILU, 0, 0);
}

static void run_max_rows(void *argument) {
    const work *w = argument;
    const float *rows[9];
    for (size_t i = 0; i + 9 <= w->m; i++) {
        for (size_t r = 0; r < 9; r++)
            rows[r] = w->a + (i + r) * w->n;
        w->f32->max_rows(w->c + i * w->n, rows, 9, w->n);
    }
}

static void print_flops(const char *what, double flops, double seconds, double peak) {
    printf("| %s | %.1f GFLOP/s | %.0f%% of multiply-adds |\n", what, flops / seconds / 1e9,
           100 * flops / seconds / 1e9 / peak);
}

/* Prints the speed of a loop over `elements` and its part of the nearer limit. Each element takes `operations`, each as
 * long as a multiply-add, and moves `bytes`. Divisions are not counted, because they have a unit of their own. */
static void print_row(const char *what, double elements, double operations, double bytes, double seconds, double peak,
                      double bandwidth) {
    double arithmetic = elements * operations * 2 / (peak * 1e9), memory = elements * bytes / bandwidth;
    printf("| %s | %.2f elements/ns | %.0f%% of %s |\n", what, elements / seconds / 1e9,
           100 * (arithmetic > memory ? arithmetic : memory) / seconds,
           arithmetic > memory ? "multiply-adds" : "memcpy");
}

static void bench_gemm(const tsm_f32_loops *f32, double peak) {
    static const size_t sizes[][3] = {{64, 64, 64},   {128, 128, 128}, {256, 256, 256}, {512, 512, 512},
                                      {3136, 96, 16}, {3136, 16, 96},  {3136, 24, 144}, {784, 144, 24},
                                      {196, 384, 64}, {196, 64, 384},  {49, 320, 960},  {1, 1000, 1280}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char what[64];
        work w = make(f32, sizes[i][0], sizes[i][1], sizes[i][2]);
        snprintf(what, sizeof what, "product %zu x %zu x %zu", w.m, w.n, w.k);
        print_flops(what, 2.0 * (double)(w.m * w.n * w.k), seconds_of(run_gemm, &w), peak);
        drop(&w);
    }
}

static void bench_depthwise(const tsm_f32_loops *f32, double peak) {
    double limit = bandwidth(64 * 1024);
    static const size_t sizes[][3] = {{112, 32, 3}, {56, 144, 3}, {14, 576, 3}, {28, 88, 3},
                                      {28, 72, 5},  {14, 480, 5}, {14, 240, 5}, {7, 576, 5}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char what[64];
        size_t pixels = sizes[i][0], channels = sizes[i][1], taps = sizes[i][2];
        work w = make(f32, pixels, channels, taps * taps * (pixels + 8) * channels / pixels);
        w.channels = channels;
        w.taps = taps;
        snprintf(what, sizeof what, "depthwise %zux%zu, %zu pixels, %zu channels", taps, taps, pixels, channels);
        /* Taps beside the image are no work. What is read: the lines and the weights; written: a line. */
        double inside = (double)(pixels * taps - taps / 2 * (taps / 2 + 1)) * (double)taps,
               elements = (double)(pixels * channels);
        double bytes = (double)(((taps + 1) * pixels + taps * taps) * channels) * sizeof(float);
        print_row(what, elements, inside / (double)pixels, bytes / elements, seconds_of(run_depthwise, &w), peak,
                  limit);
        drop(&w);
    }
}

/* Rows that lie in the second cache. */
static void bench_rows(const tsm_f32_loops *f32, double peak) {
    enum { ROWS = 64, COLUMNS = 1024 };
    work w = make(f32, ROWS, COLUMNS, COLUMNS);
    double limit = bandwidth(ROWS * COLUMNS), all = ROWS * COLUMNS, read_and_written = 2 * sizeof(float);
    /* The exponential: 14. Softmax also compares, subtracts, adds and scales. */
    print_row("softmax of rows of 1024", all, 18, read_and_written, seconds_of(run_softmax, &w), peak, limit);
    /* A sum; a difference and its square; a difference, two products and a sum. */
    print_row("layer_norm of rows of 1024", all, 6, read_and_written, seconds_of(run_normalize, &w), peak, limit);
    print_row("silu", all, 11, read_and_written, seconds_of(run_silu, &w), peak, limit);
    /* Nine numbers read, eight maxima, each with a question about NaN. */
    print_row("maximum of 9 rows", all * (ROWS - 8) / ROWS, 16, 10 * sizeof(float), seconds_of(run_max_rows, &w), peak,
              limit);
    drop(&w);
}

int main(int argc, char **argv) {
    const tsm_f32_loops *f32 = argc > 1 ? tsm_f32_by_name(argv[1]) : tsm_f32_select();
    if (!f32) {
        fprintf(stderr, "bench_loops: this machine has no table '%s'\n", argv[1]);
        return 2;
    }
    double peak = peak_gflops(f32);
    printf("Table %s, %zu lanes: %.1f GFLOP/s of multiply-adds, memcpy %.1f GB/s in the second cache\n\n", f32->name,
           f32->lanes, peak, bandwidth(64 * 1024) / 1e9);
    puts("| loop | speed | part of the limit |\n| --- | --- | --- |");
    bench_gemm(f32, peak);
    bench_depthwise(f32, peak);
    bench_rows(f32, peak);
    return 0;
}
