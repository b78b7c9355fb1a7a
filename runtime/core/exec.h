/* What a running program can reach: the surroundings of every kernel.
 *
 * Kernels (runtime/kernels/) include this header through kernels/kernel.h and nothing else of core/. */
#ifndef TSM_CORE_EXEC_H
#define TSM_CORE_EXEC_H

#include "runtime/core/alloc.h"
#include "runtime/core/text.h"
#include "runtime/core/value.h"

typedef tsm_status (*tsm_kernel)(tsm_exec *x, const tsm_value *const *in, tsm_value *out);

/* How an operator's kernel is used. In-place and out= variants without a kernel of their own run the functional kernel
 * with `dest` set and copy the result where it was not written straight there. */
typedef enum { TSM_OP_FUNCTIONAL, TSM_OP_INPLACE, TSM_OP_OUT } tsm_op_kind;

/* What an input's value may be: a bit for each tag, and in the upper half for each tag that the items of a list may
 * have. The interpreter checks this before each call, so that no file can make a kernel mistake one kind of value for
 * another. */
#define TSM_TAKES(TAG) (UINT32_C(1) << TSM_TAG_##TAG)
#define TSM_TAKES_ITEM(TAG) (TSM_TAKES(TAG) << TSM_TAKES_ITEMS)
enum { TSM_TAKES_ITEMS = 16 };
#define TSM_TAKES_ALL_ITEMS (UINT32_C(0xffff) << TSM_TAKES_ITEMS)
#define TSM_TAKES_ALL UINT32_MAX

/* A row of the operator table (made by schema/gen_operators.py). */
typedef struct {
    const char *name; /* "aten::add.Tensor" */
    tsm_kernel kernel;
    uint8_t kind;          /* tsm_op_kind; the destination is the first input (in-place) or the last (out=) */
    uint8_t inputs;        /* of the schema; 255: variable */
    uint8_t outputs;       /* 255: variable */
    const uint32_t *takes; /* for each schema input what its value may be (below); 0 ends it */
    uint32_t written;      /* bit i: input i is changed. Constants of the file are refused there. */
} tsm_operator;

extern const tsm_operator tsm_operator_table[];
extern const size_t tsm_operator_count;

/* The row of an operator by its full name; NULL when this runtime does not have it. */
const tsm_operator *tsm_operator_find(const char *name);

/* Who says where large blocks lie. */
typedef struct {
    void *(*take)(tsm_exec *x, size_t bytes); /* NULL: in the heap */
    bool (*give)(tsm_exec *x, void *block);   /* false: the block is the heap's */
} tsm_placement;

struct tsm_exec {
    tsm_heap heap;                  /* the instance's buffer */
    const tsm_placement *placement; /* NULL: all blocks lie in the heap */
    size_t placed_bytes;            /* that `placement` has placed so far, for the profile */
    uint32_t calls;                 /* of operators, since the instance was made */
    tsm_platform platform;
    const tsm_operator *op; /* the operator being run */
    uint32_t inputs;        /* how many it was given */
    uint32_t outputs;       /* how many are wanted */
    /* Bit i is set when this is the last use of input i: when it has no other count, its memory may be reused for the
     * result. */
    uint64_t dying;
    tsm_tensor *dest; /* of in-place and out= variants, else NULL */
    char *message;
    size_t message_bytes;
    struct tsm_random
        *random; /* the program's generator, in the heap (kernels/random/random.h); NULL until something asks for it */
    bool grad_enabled;
    /* The inner loops for this machine's instruction set: chosen at first use (kernels/nn/nn.h), NULL until then. */
    const struct tsm_f32_loops *f32;
    const struct tsm_q8_loops *q8;
    tsm_instance *instance;
};

/* Writes the error text and returns `status`. The format knows %d %u (int, unsigned), %ld %lu (int64_t, uint64_t as
 * int64_t), %zu, %zd, %s, %.*s (int, const char *), %c, %g (double, as TorchScript's str) and %%. */
tsm_status tsm_fail(tsm_exec *x, tsm_status status, const char *format, ...);

/* The same for a request that the heap refused: TSM_OUT_OF_MEMORY, with the number of bytes that were missing. */
tsm_status tsm_fail_memory(tsm_exec *x);
/* Formats as tsm_fail does into `to`, at most n bytes with the terminating zero; returns the length without it. */
size_t tsm_format(char *to, size_t n, const char *format, ...);

/* Raises a RuntimeError of the program: tsm_fail(x, TSM_RAISED, ...). */
#define TSM_RAISE(x, ...) tsm_fail((x), TSM_RAISED, __VA_ARGS__)

/* Leaves the function with the status when it is not TSM_OK. */
#define TSM_TRY(call)                                                                                                  \
    do {                                                                                                               \
        tsm_status status_ = (call);                                                                                   \
        if (status_ != TSM_OK)                                                                                         \
            return status_;                                                                                            \
    } while (0)

/* ---- Memory ---- */

/* A block of the heap for what a value holds; freed by tsm_heap_free. NULL with a text when the buffer is full. */
void *tsm_allocate(tsm_exec *x, size_t bytes);
/* A block for elements of tensors or for scratch, aligned to 64 bytes, in the heap or, from TSM_LARGE_BYTES on, where
 * `placement` says; given back in any order. NULL with a text when the buffer is full. */
enum { TSM_LARGE_BYTES = 256 };
void *tsm_scratch(tsm_exec *x, size_t bytes);
void tsm_scratch_free(tsm_exec *x, void *p);

/* ---- Tensors ---- */

size_t tsm_element_size(tsm_dtype dtype);
/* A contiguous tensor, elements uninitialized. `out` has one count. */
tsm_status tsm_tensor_make(tsm_exec *x, tsm_dtype dtype, int dims, const tsm_dim *sizes, tsm_tensor **out);
/* With given strides (elements; must be >= 0); the storage covers what they reach. */
tsm_status tsm_tensor_make_strided(tsm_exec *x, tsm_dtype dtype, int dims, const tsm_dim *sizes, const tsm_dim *strides,
                                   tsm_tensor **out);
/* Same dtype class and layout order as PyTorch's empty_like(preserve_format): dense tensors keep their stride order. */
tsm_status tsm_tensor_make_like(tsm_exec *x, const tsm_tensor *like, tsm_dtype dtype, tsm_tensor **out);
/* A tensor object whose storage and data are still to be set. */
tsm_status tsm_tensor_shell(tsm_exec *x, tsm_dtype dtype, int dims, const tsm_dim *sizes, const tsm_dim *strides,
                            tsm_tensor **out);
/* Bytes that a storage needs for these sizes and strides, from its first element; false when they cannot be counted. */
bool tsm_tensor_reach(int dims, const tsm_dim *sizes, const tsm_dim *strides, size_t element, size_t *bytes);
/* A view of t's storage. `offset` in elements from t->data. Shares t's quantizer. */
tsm_status tsm_tensor_view_of(tsm_exec *x, tsm_tensor *t, int dims, const tsm_dim *sizes, const tsm_dim *strides,
                              tsm_dim offset, tsm_tensor **out);
/* A 0-dim tensor. */
tsm_status tsm_tensor_scalar(tsm_exec *x, tsm_dtype dtype, tsm_value number, tsm_tensor **out);
bool tsm_tensor_is_contiguous(const tsm_tensor *t);
/* NHWC order of a 4-dim tensor (NDHWC of a 5-dim one). */
bool tsm_tensor_is_channels_last(const tsm_tensor *t);
/* Row-major strides for sizes. */
void tsm_strides_contiguous(int dims, const tsm_dim *sizes, tsm_dim *strides);
/* t itself (with one more count) when contiguous, else a contiguous copy. */
tsm_status tsm_tensor_contiguous(tsm_exec *x, tsm_tensor *t, tsm_tensor **out);
/* Copies elements of src into dst with broadcasting and conversion, as Tensor.copy_; shapes are checked. */
tsm_status tsm_tensor_copy(tsm_exec *x, tsm_tensor *dst, const tsm_tensor *src);
/* Same elements in another dtype (t itself with one more count when it is that already). */
tsm_status tsm_tensor_to(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, tsm_tensor **out);
/* Makes `t` have these sizes, as resize_ does: keeps the storage when it is large enough. */
tsm_status tsm_tensor_resize(tsm_exec *x, tsm_tensor *t, int dims, const tsm_dim *sizes);
/* Lets t stand for src's memory and shape (set_, resize of out=). */
tsm_status tsm_tensor_adopt(tsm_exec *x, tsm_tensor *t, tsm_tensor *src);
/* One element as a number (by linear position in row-major order, any strides). */
tsm_value tsm_tensor_item(tsm_exec *x, const tsm_tensor *t, tsm_dim linear, tsm_status *status);
static inline void tsm_tensor_drop(tsm_exec *x, tsm_tensor *t) {
    if (t)
        tsm_drop(x, tsm_of_tensor(t));
}

/* ---- Output ---- */

/* A growing text in the buffer (for print, str, format): zero-initialize, free with tsm_text_free. After a failure it
 * takes nothing more. */
typedef struct {
    char *text;
    size_t length, capacity;
    tsm_status status;
} tsm_text;
tsm_status tsm_text_add(tsm_exec *x, tsm_text *t, const char *s, size_t n);
void tsm_text_free(tsm_exec *x, tsm_text *t);
/* Appends v as TorchScript's print and str show it. `type` decides nothing: values know themselves. */
tsm_status tsm_text_add_value(tsm_exec *x, tsm_text *t, tsm_value v);
void tsm_print(tsm_exec *x, const char *text, size_t n);
void tsm_warn(tsm_exec *x, const char *text, size_t n);

/* A device by its name ("cuda:1"), with PyTorch's errors. */
tsm_status tsm_device_read(tsm_exec *x, const char *text, size_t n, tsm_value *out);

/* Names of classes for printing (from the program's types). */
const char *tsm_type_name(tsm_exec *x, uint32_t type);

#endif
