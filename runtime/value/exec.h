/* What a running program can reach: the surroundings of every kernel.
 *
 * It stands with the values because making and dropping them needs the heap. The interpreter fills it in. */
#ifndef TSM_VALUE_EXEC_H
#define TSM_VALUE_EXEC_H

#include "runtime/value/alloc.h"
#include "runtime/value/text.h"
#include "runtime/value/value.h"

typedef tsm_status (*tsm_kernel)(tsm_exec *x, const tsm_value *const *in, tsm_value *out);

/* How an operator's kernel is used. In-place and out= variants without a kernel of their own run the functional kernel
 * with `dest` set and copy the result where it was not written straight there. */
typedef enum { TSM_OP_FUNCTIONAL, TSM_OP_INPLACE, TSM_OP_OUT } tsm_op_kind;

/* What the destination of an in-place or out= operator may share with its other inputs: any elements, all of them or
 * none, none, or what tsm_check_put says (runtime/tensor/overlap.h; the words overlap=... of schema/traits.txt). */
typedef enum { TSM_OVERLAP_ANY, TSM_OVERLAP_ALL, TSM_OVERLAP_NONE, TSM_OVERLAP_PUT } tsm_overlap_rule;

/* What an input's value may be: a bit for each tag, and in the upper half for each tag that the items of a list may
 * have. The interpreter checks this before each call, so that no file can make a kernel mistake one kind of value for
 * another. */
#define TSM_ACCEPTS(TAG) (UINT32_C(1) << TSM_TAG_##TAG)
#define TSM_ACCEPTS_ITEM(TAG) (TSM_ACCEPTS(TAG) << TSM_ACCEPTS_ITEMS)
enum { TSM_ACCEPTS_ITEMS = 16 };
#define TSM_ACCEPTS_ALL_ITEMS (UINT32_C(0xffff) << TSM_ACCEPTS_ITEMS)
#define TSM_ACCEPTS_ALL UINT32_MAX

/* Kinds of dtypes that operators may refuse. A quantized tensor is refused wherever it stands; of the others the first
 * tensor counts, or what all tensors promote to (OF_PROMOTED). MIXED: tensors of several dtypes, which there are only
 * where there are others than float32. */
enum {
    TSM_KIND_BOOL = 1,
    TSM_KIND_INTS = 2,
    TSM_KIND_COMPLEX = 4,
    TSM_KIND_QUANTIZED = 8,
    TSM_KIND_OF_PROMOTED = 16,
    TSM_KIND_HALF = 32,
    TSM_KIND_MIXED = 64
};

/* What a register of ints, floats or bools holds. */
typedef union {
    int64_t i; /* of bools: 0 or 1 */
    double f;
} tsm_scalar;

/* What an operator computes for numbers of exactly its schema's kinds, of which it has one or two; its result is one
 * such number. False: nothing was stored, the kernel knows what is wrong. */
typedef bool (*tsm_register_kernel)(const tsm_scalar *in, tsm_scalar *out);

/* What an operator of at most TSM_SHORT_INPUTS inputs and one result does in ordinary cases, for inputs that nobody has
 * looked at: it asks for their tags itself. Its caller charges what the kernel's call would, and inputs are not
 * changed. False: nothing was made, the kernel does it or knows what is wrong. */
enum { TSM_SHORT_INPUTS = 4 };
typedef bool (*tsm_short_kernel)(tsm_exec *x, const tsm_value *in, tsm_value *out);

/* Where size matters most, all calls go one way. */
#ifdef __OPTIMIZE_SIZE__
#define TSM_ON_REGISTERS(kernel) NULL
#else
#define TSM_ON_REGISTERS(kernel) kernel
#endif

/* A row of the operator table (made by schema/gen_operators.py). */
typedef struct {
    const char *name; /* "aten::add.Tensor" */
    tsm_kernel kernel;
    uint8_t kind;                   /* tsm_op_kind; the destination is the first input (in-place) or the last (out=) */
    uint8_t inputs;                 /* of the schema; 255: variable */
    uint8_t outputs;                /* 255: variable */
    bool is_light : 1;              /* looks at few elements or items of its inputs, however many there are */
    unsigned overlap : 5;           /* tsm_overlap_rule */
    bool is_exact : 1;              /* the destination of an out= operator must have the result's dtype */
    unsigned refuses : 7;           /* TSM_KIND_...: PyTorch has no implementation of it for such tensors */
    unsigned result_tag : 2;        /* of on_registers; TSM_TAG_NONE: the operator may have on_values instead */
    const uint32_t *accepted_types; /* for each schema input what its value may be (above); 0 ends it */
    uint32_t written;               /* bit i: input i is changed. Constants of the file are refused there. */
    union {                         /* what does the same on a shorter way; NULL: nothing does */
        tsm_register_kernel on_registers;
        tsm_short_kernel on_values;
    };
} tsm_operator;

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
    int64_t fuel;                   /* of each call: tsm_options.fuel, or the largest number */
    uint64_t work; /* units that operators charged in this call (runtime/tensor/work.h); shown where there is a limit */
    bool is_limited;    /* fuel was given */
    bool is_charged;    /* an operator runs whose work is charged */
    uint8_t made_kinds; /* TSM_KIND_... of the tensors made so far: operators are asked whether they take them */
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
    /* The inner loops for this machine's instruction set: chosen at first use (kernels/loops.h), NULL until then. */
    const struct tsm_f32_loops *f32;
    const struct tsm_q8_loops *q8;
    /* Of the program's types, for texts: ask by tsm_type_name and tsm_type_annotation. */
    const char *(*type_text)(tsm_exec *x, uint32_t type, bool is_annotation);
    /* What speaks to other workers (runtime/value/remote.h); NULL: nothing does. */
    const struct tsm_remote_hook *remote;
};

/* The qualified name of a class, enum or NamedTuple; others have none. */
static inline const char *tsm_type_name(tsm_exec *x, uint32_t type) {
    return x->type_text(x, type, false);
}
/* As TorchScript writes the type: List[int]. */
static inline const char *tsm_type_annotation(tsm_exec *x, uint32_t type) {
    return x->type_text(x, type, true);
}

/* Writes the error text and returns `status`. The format knows %d %u (int, unsigned), %ld %lu (int64_t, uint64_t as
 * int64_t), %zu, %zd, %s, %.*s (int, const char *), %c and %%. */
tsm_status tsm_fail(tsm_exec *x, tsm_status status, const char *format, ...);

/* The same for a request that the heap refused: TSM_OUT_OF_MEMORY, with the number of bytes that were missing. */
tsm_status tsm_fail_memory(tsm_exec *x);
/* Formats as tsm_fail does into `to`, at most n bytes with the terminating zero; returns the length without it. */
size_t tsm_format(char *to, size_t n, const char *format, ...);

/* The operator being run, for error texts. */
static inline const char *tsm_op_name(const tsm_exec *x) {
    return x->op ? x->op->name : "operator";
}

/* Raises a RuntimeError of the program: tsm_fail(x, TSM_RAISED, ...). */
#define TSM_RAISE(x, ...) tsm_fail((x), TSM_RAISED, __VA_ARGS__)

/* Leaves the function with the status when it is not TSM_OK. */
#define TSM_TRY(call)                                                                                                  \
    do {                                                                                                               \
        tsm_status status_ = (call);                                                                                   \
        if (status_ != TSM_OK)                                                                                         \
            return status_;                                                                                            \
    } while (0)

/* Counts work beside the instructions; false when it is more than the limit. */
bool tsm_count_work(tsm_exec *x, size_t units);

/* ---- Memory ---- */

/* A block of the heap for what a value holds; freed by tsm_heap_free. NULL with a text when the buffer is full. */
void *tsm_allocate(tsm_exec *x, size_t bytes);
/* A block for elements of tensors or for scratch, aligned to 64 bytes, in the heap or, from TSM_LARGE_BYTES on, where
 * `placement` says; given back in any order. NULL with a text when the buffer is full. */
enum { TSM_LARGE_BYTES = 256 };
void *tsm_scratch(tsm_exec *x, size_t bytes);
void tsm_scratch_free(tsm_exec *x, void *p);

/* ---- Output ---- */

/* A growing text in the buffer (for print, str, format): zero-initialize, free with tsm_text_free. After a failure it
 * takes nothing more. With is_fixed it lies elsewhere, and what goes beyond its capacity is left out. */
typedef struct {
    char *text;
    size_t length, capacity;
    tsm_status status;
    bool is_fixed;
} tsm_text;
tsm_status tsm_text_add(tsm_exec *x, tsm_text *t, const char *s, size_t n);
void tsm_text_free(tsm_exec *x, tsm_text *t);

void tsm_print(tsm_exec *x, const char *text, size_t n);
void tsm_warn(tsm_exec *x, const char *text, size_t n);

/* A device by its name ("cuda:1"), with PyTorch's errors. */
tsm_status tsm_device_read(tsm_exec *x, const char *text, size_t n, tsm_value *out);

#endif
