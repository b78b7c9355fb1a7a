/** @file
 * libtsmobile: runs TorchScript programs (.tsm files, made by tsmc) inside one buffer that the caller supplies.
 *
 * A day's use:
 *
 *     tsm_program program; // lives as long as its instances; a few pointers, no memory of its own
 *     tsm_program_open(&program, file, file_bytes, message, sizeof message);
 *     tsm_instance *inst;
 *     tsm_instance_init(&inst, &program, &options, buffer, buffer_bytes);
 *     tsm_value x, y;
 *     tsm_tensor_wrap(inst, &x, TSM_FLOAT32, 4, sizes, NULL, pixels);
 *     if (tsm_call(inst, tsm_method(&program, "forward"), &x, 1, &y) != TSM_OK)
 *         puts(tsm_error(inst));
 *
 * The library never allocates, prints, aborts or keeps global state. The file is read where it lies (flash, mmap) and
 * never written; many instances may share one program, one instance per thread. */
#ifndef TSMOBILE_H
#define TSMOBILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @def TSM_API
 * Before a declaration: a function that the shared library has for programs. */
#if !defined(TSM_API)
#if defined(__GNUC__) && !defined(_WIN32)
#define TSM_API __attribute__((visibility("default")))
#else
#define TSM_API
#endif
#endif

/** @def TSM_NULLABLE
 * Which pointers may be NULL, as Swift and clang's checks want to know: those that are marked. Members of structs that
 * programs declare are, too, since Swift makes an empty struct only where its pointers may be NULL. */
/** @def TSM_NONNULL
 * A pointer that is never NULL, where that does not go without saying. */
#if defined(__clang__)
#define TSM_NULLABLE _Nullable
#define TSM_NONNULL _Nonnull
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#pragma clang assume_nonnull begin
#else
#define TSM_NULLABLE
#define TSM_NONNULL
#endif

/** @name Version
 * @{ */

/** Before 1.0.0, 0. */
#define TSM_VERSION_MAJOR 0
/** Grows with new functions, operators and instructions of files; before 1.0.0 also where an interface changes. */
#define TSM_VERSION_MINOR 3
/** Grows where something was mended. */
#define TSM_VERSION_PATCH 0
/** The three numbers as text. */
#define TSM_VERSION_STRING "0.3.0"
/** The version as a number that grows: 10203 is 1.2.3. */
#define TSM_VERSION_NUMBER (TSM_VERSION_MAJOR * 10000 + TSM_VERSION_MINOR * 100 + TSM_VERSION_PATCH)

/** The TSM_VERSION_NUMBER of the library that is linked, which may be newer than this header's. */
TSM_API uint32_t tsm_version(void);

/** @}
 * @name Status
 * @{ */

/** Every status with its text. */
#define TSM_STATUS_LIST(X)                                                                                             \
    X(OK, "no error")                                                                                                  \
    X(RAISED, "the program raised an exception")                                                                       \
    X(OUT_OF_MEMORY, "the buffer is too small")                                                                        \
    X(BAD_FILE, "the file is damaged or is not a .tsm file")                                                           \
    X(UNSUPPORTED, "the file needs something that this runtime does not have")                                         \
    X(BAD_ARGUMENT, "an argument does not fit the method")                                                             \
    X(OUT_OF_FUEL, "the limit on executed instructions was reached")                                                   \
    X(TOO_DEEP, "the limit on nested calls was reached")                                                               \
    X(INTERNAL, "internal fault")

/** Whether a function did what it was asked for. */
typedef enum {
#define X(name, text) TSM_##name,
    TSM_STATUS_LIST(X)
#undef X
} tsm_status;

/** The text of a status; never NULL. */
TSM_API const char *tsm_status_text(tsm_status status);

/** @}
 * @name Types of values
 * @{ */

/** Element types, numbered as PyTorch's ScalarType, which has gaps. X(NAME, number, bytes per element, PyTorch's name)
 */
#define TSM_DTYPE_LIST(X)                                                                                              \
    X(UINT8, 0, 1, "uint8")                                                                                            \
    X(INT8, 1, 1, "int8")                                                                                              \
    X(INT16, 2, 2, "int16")                                                                                            \
    X(INT32, 3, 4, "int32")                                                                                            \
    X(INT64, 4, 8, "int64")                                                                                            \
    X(FLOAT16, 5, 2, "float16")                                                                                        \
    X(FLOAT32, 6, 4, "float32")                                                                                        \
    X(FLOAT64, 7, 8, "float64")                                                                                        \
    X(COMPLEX32, 8, 4, "complex32")                                                                                    \
    X(COMPLEX64, 9, 8, "complex64")                                                                                    \
    X(COMPLEX128, 10, 16, "complex128")                                                                                \
    X(BOOL, 11, 1, "bool")                                                                                             \
    X(QINT8, 12, 1, "qint8")                                                                                           \
    X(QUINT8, 13, 1, "quint8")                                                                                         \
    X(QINT32, 14, 4, "qint32")                                                                                         \
    X(BFLOAT16, 15, 2, "bfloat16")                                                                                     \
    X(FLOAT8_E5M2, 23, 1, "float8_e5m2")                                                                               \
    X(FLOAT8_E4M3FN, 24, 1, "float8_e4m3fn")                                                                           \
    X(FLOAT8_E5M2FNUZ, 25, 1, "float8_e5m2fnuz")                                                                       \
    X(FLOAT8_E4M3FNUZ, 26, 1, "float8_e4m3fnuz")                                                                       \
    X(UINT16, 27, 2, "uint16")                                                                                         \
    X(UINT32, 28, 4, "uint32")                                                                                         \
    X(UINT64, 29, 8, "uint64")

/** The type of a tensor's elements. */
typedef enum {
#define X(NAME, number, bytes, text) TSM_##NAME = number,
    TSM_DTYPE_LIST(X)
#undef X
        TSM_DTYPE_COUNT
} tsm_dtype;

/** A size, stride or offset of a tensor, in elements. */
typedef ptrdiff_t tsm_dim;

/** The most dimensions that a tensor may have. */
#define TSM_MAX_DIMS 8

/** Every tag with its type. Tags up to TSM_TAG_DEVICE live in the value itself; the others point to counted objects in
 * the buffer. X(NAME, TorchScript's name of the type) */
#define TSM_TAG_LIST(X)                                                                                                \
    X(NONE, "NoneType")                                                                                                \
    X(BOOL, "bool")                                                                                                    \
    X(INT, "int")                                                                                                      \
    X(FLOAT, "float")                                                                                                  \
    X(DEVICE, "Device")                                                                                                \
    X(COMPLEX, "complex")                                                                                              \
    X(STR, "str")                                                                                                      \
    X(TENSOR, "Tensor")                                                                                                \
    X(LIST, "List")                                                                                                    \
    X(TUPLE, "Tuple")                                                                                                  \
    X(DICT, "Dict")                                                                                                    \
    X(OBJECT, "Object")                                                                                                \
    X(ENUM, "Enum")                                                                                                    \
    X(FUTURE, "Future")                                                                                                \
    X(GENERATOR, "Generator")

/** What a value is. */
typedef enum {
#define X(NAME, text) TSM_TAG_##NAME,
    TSM_TAG_LIST(X)
#undef X
        TSM_TAG_COUNT
} tsm_tag;

/** What counted objects in the buffer begin with; the library's own. */
typedef struct tsm_object_header tsm_object_header;
/** A program with its state, inside the caller's buffer: see tsm_instance_init. */
typedef struct tsm_instance tsm_instance;

/** One value: 16 bytes. dtype, layout and memory_format are ints with PyTorch's numbers. */
typedef struct {
    uint32_t tag;      /**< a tsm_tag, which says which member of `as` holds */
    uint32_t reserved; /**< 0 */
    union {
        bool b;          /**< TSM_TAG_BOOL */
        int64_t i;       /**< TSM_TAG_INT */
        double f;        /**< TSM_TAG_FLOAT */
        uint32_t device; /**< type in the low 16 bits (0 cpu, 1 cuda, ...), index + 1 in the high ones (0: none) */
        tsm_object_header *TSM_NULLABLE o; /**< tags behind TSM_TAG_DEVICE: ask by the functions below */
    } as;                                  /**< the value */
} tsm_value;

/** None. Like the other scalars it owns nothing. */
static inline tsm_value tsm_none(void) {
    tsm_value v = {TSM_TAG_NONE, 0, {false}};
    v.as.i = 0;
    return v;
}
/** A bool. */
static inline tsm_value tsm_bool(bool b) {
    tsm_value v = {TSM_TAG_BOOL, 0, {false}};
    v.as.i = b;
    return v;
}
/** An int. */
static inline tsm_value tsm_int(int64_t i) {
    tsm_value v = {TSM_TAG_INT, 0, {false}};
    v.as.i = i;
    return v;
}
/** A float. */
static inline tsm_value tsm_float(double f) {
    tsm_value v = {TSM_TAG_FLOAT, 0, {false}};
    v.as.f = f;
    return v;
}

/** @}
 * @name Making values
 * Objects in an instance's buffer are counted. A function that stores a new value into `*out` gives the caller one
 * count; give it back with tsm_release. Values handed to a function stay the caller's. All that return a status return
 * TSM_OK, TSM_OUT_OF_MEMORY or TSM_BAD_ARGUMENT, with a text in tsm_error.
 * @{ */

/** Takes one count more of an object; scalars have none. Each needs a tsm_release. */
TSM_API void tsm_retain(tsm_value v);
/** Gives one count of an object back; the last one frees it. */
TSM_API void tsm_release(tsm_instance *inst, tsm_value v);
/** Whether anything besides the caller's one count holds an object, or the memory of a tensor: an attribute, a
 * container, another tensor. Memory that a tensor wraps may go when nothing does and the tensor is released. Linked
 * only into programs that call it. */
TSM_API bool tsm_is_shared(tsm_value v);

/** A complex number. */
TSM_API tsm_status tsm_complex_new(tsm_instance *inst, tsm_value *out, double re, double im);
/** A copy of n bytes of text (bytes, not necessarily zero-terminated or UTF-8). */
TSM_API tsm_status tsm_str_new(tsm_instance *inst, tsm_value *out, const char *TSM_NULLABLE text, size_t n);
/** A contiguous tensor with uninitialized elements. `sizes` has `dims` sizes, of which there may be none. */
TSM_API tsm_status tsm_tensor_new(tsm_instance *inst, tsm_value *out, tsm_dtype dtype, int dims,
                                  const tsm_dim *TSM_NULLABLE sizes);
/** A tensor over the caller's memory, which must outlive it. `strides` in elements, or NULL for row-major. The program
 * may write to this memory if it mutates its argument. */
TSM_API tsm_status tsm_tensor_wrap(tsm_instance *inst, tsm_value *out, tsm_dtype dtype, int dims,
                                   const tsm_dim *TSM_NULLABLE sizes, const tsm_dim *TSM_NULLABLE strides,
                                   void *TSM_NULLABLE data);
/** Makes a tensor quantized per tensor (channel axis -1) or per channel; `scales` and `zero_points` are copied. The
 * dtype must be one of the quantized ones. */
TSM_API tsm_status tsm_tensor_set_quantizer(tsm_instance *inst, tsm_value tensor, int axis, tsm_dim channels,
                                            const double *scales, const int64_t *zero_points);
/** The same per channel with zero points that are floats, as weights of embeddings have them in PyTorch
 * (torch.per_channel_affine_float_qparams). */
TSM_API tsm_status tsm_tensor_set_float_quantizer(tsm_instance *inst, tsm_value tensor, int axis, tsm_dim channels,
                                                  const double *scales, const double *zero_points);
/** A list. Containers take counts of their own of the values put into them. */
TSM_API tsm_status tsm_list_new(tsm_instance *inst, tsm_value *out, const tsm_value *TSM_NULLABLE items, size_t n);
/** A tuple. */
TSM_API tsm_status tsm_tuple_new(tsm_instance *inst, tsm_value *out, const tsm_value *TSM_NULLABLE items, size_t n);
/** An empty dict. */
TSM_API tsm_status tsm_dict_new(tsm_instance *inst, tsm_value *out);
/** Puts an item into a dict, in place of the one with an equal key. */
TSM_API tsm_status tsm_dict_set(tsm_instance *inst, tsm_value dict, tsm_value key, tsm_value item);
/** A device by its name: "cpu", "cuda:1". */
TSM_API tsm_status tsm_device_parse(tsm_instance *inst, tsm_value *out, const char *text);
/** An enum member, by the class's qualified name (or its last part) and the member's name. */
TSM_API tsm_status tsm_enum_find(tsm_instance *inst, tsm_value *out, const char *class_name, const char *member);

/** @}
 * @name Looking at values
 * @{ */

/** What a tensor holds. Pointers of this and of the functions below stay good as long as the value is held. */
typedef struct {
    tsm_dtype dtype;                         /**< of the elements */
    int dims;                                /**< the number of dimensions */
    const tsm_dim *TSM_NULLABLE sizes;       /**< as many as `dims` */
    const tsm_dim *TSM_NULLABLE strides;     /**< as many as `dims`, in elements */
    void *TSM_NULLABLE data;                 /**< the first element */
    int quantizer_axis;                      /**< -2: not quantized; -1: per tensor; else the dimension of channels */
    tsm_dim quantizer_channels;              /**< how many scales and zero points there are; 1 per tensor */
    const double *TSM_NULLABLE scales;       /**< an element q is the number (q - zero point) * scale */
    const int64_t *TSM_NULLABLE zero_points; /**< of the same channels; NULL where they are floats */
    const double *TSM_NULLABLE float_zero_points; /**< of the same channels; NULL where they are ints */
} tsm_tensor_view;
/** Looks at a tensor; false where the value is none. */
TSM_API bool tsm_tensor_get(tsm_value v, tsm_tensor_view *view);
/** The parts of a complex number; false where the value is none. */
TSM_API bool tsm_complex_get(tsm_value v, double *re, double *im);
/** The n bytes of a string; NULL where the value is none. No zero stands behind those that are in the file. */
TSM_API const char *TSM_NULLABLE tsm_str_get(tsm_value v, size_t *n);
/** The number of items of a list or tuple; 0 where the value is none. */
TSM_API size_t tsm_sequence_size(tsm_value v);
/** Item i of a list or tuple, borrowed: it lives as long as something holds it. None where there is no item i. */
TSM_API tsm_value tsm_sequence_get(tsm_value v, size_t i);
/** The number of items of a dict; 0 where the value is none. */
TSM_API size_t tsm_dict_size(tsm_value v);
/** Item i of a dict in the order of insertion, and its key, both borrowed; None where there is no item i. */
TSM_API void tsm_dict_get(tsm_value v, size_t i, tsm_value *key, tsm_value *item);
/** The qualified name of an object's or enum member's class; "" where the value is neither. */
TSM_API const char *tsm_class_name(tsm_instance *inst, tsm_value v);
/** The number of an object's attributes; 0 where the value is none. */
TSM_API size_t tsm_object_size(tsm_value v);
/** The name of attribute i, and its value, borrowed; "" and None where there is no attribute i. */
TSM_API const char *tsm_object_attribute(tsm_instance *inst, tsm_value v, size_t i, tsm_value *item);
/** The name of an enum member, and its value, borrowed; "" where the value is none. */
TSM_API const char *tsm_enum_get(tsm_instance *inst, tsm_value v, tsm_value *item);
/** Bytes of an element. */
TSM_API size_t tsm_dtype_size(tsm_dtype dtype);
/** PyTorch's name of an element type: "float32"; "?" where there is no such type. */
TSM_API const char *tsm_dtype_name(tsm_dtype dtype);
/** Writes "cpu", "cuda:1", ... and returns the length; at most 24 bytes with the terminating zero. */
TSM_API size_t tsm_device_text(tsm_value v, char *text, size_t n);

/** @}
 * @name Platform
 * @{ */

/** An operator that has run. */
typedef struct {
    const char *name;         /**< as PyTorch writes it: "aten::add.Tensor" */
    const tsm_value *outputs; /**< what it gave, borrowed */
    size_t output_count;      /**< how many */
    uint32_t function;        /**< where it stands: see tsm_place_get */
    uint32_t instruction;     /**< in the function */
} tsm_operator_call;

/** What the runtime may ask of its surroundings. Any member may be NULL: nothing is printed then, the time is 0, and
 * torch.save() raises. */
typedef struct {
    /** Handed to the functions below as it is. */
    void *TSM_NULLABLE context;
    /** print() of the program: n bytes of text, not terminated. */
    void (*TSM_NULLABLE print)(void *TSM_NULLABLE context, const char *text, size_t n);
    /** warnings.warn() of the program. */
    void (*TSM_NULLABLE warn)(void *TSM_NULLABLE context, const char *text, size_t n);
    /** A clock that only moves forward. */
    uint64_t (*TSM_NULLABLE nanoseconds)(void *TSM_NULLABLE context);
    /** Runs task(argument, 0..tasks-1), possibly at the same time on several threads, and returns when all are done.
     * NULL: in order on the calling thread. */
    void (*TSM_NULLABLE parallel)(void *TSM_NULLABLE context, void (*task)(void *TSM_NULLABLE argument, size_t index),
                                  void *TSM_NULLABLE argument, size_t tasks);
    /** torch.save() of the program: writes n bytes at `offset` of the file of this name; pieces come in order, with
     * that at 0 the file is made or emptied, and one without bytes (n is 0) says that the file is complete. False: it
     * cannot be done, and the program gets an exception. */
    bool (*TSM_NULLABLE write)(void *TSM_NULLABLE context, const char *file, uint64_t offset,
                               const void *TSM_NULLABLE data, size_t n);
    /** Told of every operator that has run, with the clock before and after it; only where options.profile is set. */
    void (*TSM_NULLABLE trace)(void *TSM_NULLABLE context, const char *name, uint64_t begin, uint64_t end);
    /** Told of every operator that has run, with what it gave; only where options.profile is set. */
    void (*TSM_NULLABLE observe)(void *TSM_NULLABLE context, tsm_instance *inst, const tsm_operator_call *call);
    /** TSM_FEATURE_*: what the processor has beyond the instructions that the library was compiled for. */
    uint64_t features;
} tsm_platform;

/** What a processor may have. What x86-64 processors have they tell themselves. */
enum {
    TSM_FEATURE_DOT_PRODUCT = 1 /**< AArch64: SDOT (FEAT_DotProd) */
};

/** @}
 * @name Programs
 * @{ */

/** An opened file. Members are the library's own. */
typedef struct {
    const uint8_t *TSM_NULLABLE file;    /**< the caller's */
    size_t file_bytes;                   /**< its length */
    const void *TSM_NULLABLE root;       /**< the first table of the file */
    const uint8_t *TSM_NULLABLE segment; /**< weights */
    size_t segment_bytes;                /**< their length */
} tsm_program;

/** Verifies a whole .tsm (`file` aligned to 64 bytes, `bytes` long) and binds it to this runtime's operators. On
 * failure writes a terminated text of at most `message_bytes` into `message` (may be NULL) and returns TSM_BAD_FILE or
 * TSM_UNSUPPORTED. */
TSM_API tsm_status tsm_program_open(tsm_program *program, const void *file, size_t bytes, char *TSM_NULLABLE message,
                                    size_t message_bytes);

/** Compares an opened file with the checksums in it: whether every byte is what tsmc wrote, weights too. It reads the
 * whole file, which tsm_program_open does not, so nothing else calls it. On TSM_BAD_FILE `message` says which bytes are
 * damaged; TSM_UNSUPPORTED: the file has no checksums, because an older tsmc made it. Checksums find what happens by
 * accident; they do not say who made a file. */
TSM_API tsm_status tsm_program_check_sums(const tsm_program *program, char *TSM_NULLABLE message, size_t message_bytes);

/** The number of methods that can be called from outside. */
TSM_API size_t tsm_method_count(const tsm_program *program);
/** The name of method number `method`, from 0; they stand in the file's order. The text lies in the file. */
TSM_API const char *tsm_method_name(const tsm_program *program, size_t method);
/** The number of the method of this name, or -1. */
TSM_API int tsm_method(const tsm_program *program, const char *name);
/** Its schema as TorchScript prints it: "forward(Tensor x, int n=1) -> Tensor". */
TSM_API const char *tsm_method_schema(const tsm_program *program, size_t method);
/** The number of a method's arguments, without self. */
TSM_API size_t tsm_method_arguments(const tsm_program *program, size_t method);

/** The buffer that an instance and a call of this method need when the arguments are as in the example that was given
 * at export (tsmc --example), laid out as there, and wrap the caller's memory (tsm_tensor_wrap): exactly so where
 * addresses have 64 bits, at most so where they have 32. Profiling, threads and results of earlier calls that are still
 * held come on top. 0: it is not known, because there was no example or because it depends on more than types and
 * shapes; run the method and look at tsm_instance_usage. */
TSM_API size_t tsm_method_bytes(const tsm_program *program, size_t method);

/** @}
 * @name What a file says of itself
 * Linked only into programs that ask. Texts are terminated, lie in the file and live as long as it.
 * @{ */

/** Which tsmc wrote the file: "tsmc 0.2.0". */
TSM_API const char *tsm_producer(const tsm_program *program);
/** Metadata: what tsmc --meta was given, and where the program came from ("source", "source.sha256"). */
TSM_API size_t tsm_metadata_count(const tsm_program *program);
/** The key of an entry; its value is written to *value. */
TSM_API const char *tsm_metadata_get(const tsm_program *program, size_t i, const char *TSM_NONNULL *TSM_NONNULL value);
/** What the author wrote about a method; "" when that is not known. */
TSM_API const char *tsm_method_doc(const tsm_program *program, size_t method);

/** An input or output of a method. What is not known: "", -1 and NULL. */
typedef struct {
    const char *name;                  /**< of an argument, of a NamedTuple's field */
    const char *type;                  /**< as TorchScript writes it: "Tensor", "Optional[int]" */
    int dtype;                         /**< of a tensor: a tsm_dtype */
    int rank;                          /**< of a tensor: the number of dimensions */
    const int64_t *TSM_NULLABLE sizes; /**< as many as `rank`; -1: any */
} tsm_value_info;

/** One of tsm_method_arguments inputs. */
TSM_API tsm_value_info tsm_method_input(const tsm_program *program, size_t method, size_t i);
/** How many values a method gives: the items of a tuple, or one. */
TSM_API size_t tsm_method_outputs(const tsm_program *program, size_t method);
/** One of them. */
TSM_API tsm_value_info tsm_method_output(const tsm_program *program, size_t method, size_t i);

/** Where an operator stands in the author's code (as far as that is known), or in the archive's. */
typedef struct {
    char file[256]; /**< its name, of a longer one the beginning */
    uint32_t line;  /**< from 1 */
} tsm_place;

/** The place of an operator call: level 0 is the innermost function, the next ones are the calls that brought it there,
 * as far as tsmc put the called function in the place of the call. False past the last one, and without debug
 * information. */
TSM_API bool tsm_place_get(const tsm_program *program, const tsm_operator_call *call, size_t level, tsm_place *place);

/** Test cases stored in the file by tsmc --bundle. */
TSM_API size_t tsm_bundle_count(const tsm_program *program);

/** @}
 * @name Instances
 * @{ */

/** How an instance is to run; whatever is zero has its default. */
typedef struct {
    size_t size; /**< sizeof(tsm_options), by which a later library knows what a program compiled earlier has; 0: up to
                    `profile` */
    tsm_platform platform; /**< what the system around the library can do; copied */
    uint64_t fuel; /**< the most instructions and units of work that a call may take; 0: no limit (see tsm_call) */
    char *TSM_NULLABLE message; /**< memory for error texts and tracebacks; NULL: a short one inside the buffer */
    size_t message_bytes;       /**< its length */
    bool profile;               /**< count time and bytes per operator */
} tsm_options;

/** Bytes of buffer that an instance takes before any call: registers, constants, attributes. Values made by calls come
 * on top. */
TSM_API size_t tsm_instance_bytes(const tsm_program *program);

/** Lays out an instance in the caller's buffer (aligned to 64 bytes). The buffer and the program's file must outlive
 * it. `options` may be NULL and is copied. On TSM_OUT_OF_MEMORY the text says how many bytes are missing; *out is then
 * NULL and the text is in options->message. */
TSM_API tsm_status tsm_instance_init(tsm_instance *TSM_NULLABLE *TSM_NONNULL out, const tsm_program *program,
                                     const tsm_options *TSM_NULLABLE options, void *buffer, size_t bytes);

/** Puts all attributes back to what the file holds, and random numbers back to their beginning. Values from earlier
 * calls must have been released. */
TSM_API tsm_status tsm_instance_reset(tsm_instance *inst);

/** Writes what the program has changed in the instance, its state, into the caller's memory: attributes and all that
 * hangs on them, weights that have learned, random numbers. What is as in the file is left out. *needed becomes the
 * number of bytes; with `memory` NULL they are only counted. TSM_OUT_OF_MEMORY: `bytes` are too few, or the instance's
 * buffer has no room for a list of its objects (16 to 48 bytes for each); TSM_UNSUPPORTED: an attribute has a nested
 * tensor, an RRef or a pending future. Linked only into programs that call it; docs/state.md. */
TSM_API tsm_status tsm_instance_save(tsm_instance *inst, void *TSM_NULLABLE memory, size_t bytes, size_t *needed);

/** Brings an instance to a state that an instance of the same program had, on whatever machine. The memory may be
 * longer than the state and has no alignment; it is not needed afterwards. Values from earlier calls must have been
 * released. TSM_BAD_FILE: the memory holds no state, or a damaged one; TSM_BAD_ARGUMENT: it belongs to another program
 * (a file that differs in any byte); TSM_UNSUPPORTED: a newer library wrote it. These leave the instance as it was.
 * TSM_OUT_OF_MEMORY, and TSM_BAD_FILE for a state that somebody has forged, leave it as tsm_instance_reset does. */
TSM_API tsm_status tsm_instance_load(tsm_instance *inst, const void *memory, size_t bytes);

/** Calls a method. Missing trailing arguments take their defaults. Arguments are checked against the schema. *result
 * belongs to the caller. On failure *result is None, the instance stays usable, attributes keep what was stored before
 * the failure (tsm_call_or_restore puts them back).
 *
 * Arguments may be one object given twice, share memory, or be what earlier calls were given or gave back, attributes
 * among it: what the program changes through one name it sees through the others.
 *
 * Every call ends, whatever the program: with `fuel` given, a call that executes more instructions than that ends with
 * TSM_OUT_OF_FUEL. Every instruction of the file's code counts as one, operators too
 * (ADD_I_LOOP as two in each turn); tsm_usage.instructions says how many it were. Elements that operators look at or
 * make are units of work, of which a call may take as many (tsm_usage.work; docs/bounds.md). The count is looked at
 * whenever control goes elsewhere: in jumps that are taken, calls and returns. So TSM_OK means that `fuel` was enough,
 * and a call that is stopped has gone over it by less than the length of one function. Exits of `with` do not run then.
 *
 * Calls through interfaces may call each other in circles. A file has room for a certain number of them, one inside the
 * other (tsmc --interface-depth, 16 unless told otherwise), each with all that it calls directly; a call that goes
 * deeper than there is room ends with TSM_TOO_DEEP. Direct calls need no such limit: tsmc knows how deep they go. */
TSM_API tsm_status tsm_call(tsm_instance *inst, int method, const tsm_value *TSM_NULLABLE arguments, size_t n,
                            tsm_value *result);

/** The same, all or nothing: where the call fails, whatever the reason, attributes and all that hangs on them are as
 * they were before it. What the program may change is copied before the call, into the instance's buffer, which must
 * have room for that. Linked only into programs that call it; docs/state.md. */
TSM_API tsm_status tsm_call_or_restore(tsm_instance *inst, int method, const tsm_value *TSM_NULLABLE arguments,
                                       size_t n, tsm_value *result);

/** The text of the last failure: for TSM_RAISED the traceback and, in its last line, the exception. Never NULL. */
TSM_API const char *tsm_error(const tsm_instance *inst);

/** Reads stored test case i: its method, arguments (a tuple) and expected result (None when not stored). */
TSM_API tsm_status tsm_bundle_get(tsm_instance *inst, size_t i, int *method, tsm_value *arguments, tsm_value *expected,
                                  bool *has_expected);

/** How much of the buffer is in use, and what the last call executed. */
typedef struct {
    size_t buffer_bytes;     /**< all of it */
    size_t fixed_bytes;      /**< laid out by tsm_instance_init */
    size_t used_bytes;       /**< now in use, fixed part included */
    size_t high_water_bytes; /**< most ever in use */
    uint64_t instructions;   /**< executed by the last call */
    uint64_t work;           /**< units of work of its operators; 0 where options.fuel is 0 */
} tsm_usage;
/** How much of the buffer is in use. */
TSM_API tsm_usage tsm_instance_usage(const tsm_instance *inst);

/** @}
 * @name Other workers
 * Programs that call functions of other workers (torch.distributed.rpc) do so through a transport of the caller's. All
 * of this is linked only into programs that call tsm_remote_open; docs/remote.md.
 * @{ */

/** How messages reach other workers. The library does no networking itself. */
typedef struct {
    /** Handed to the functions below as it is. */
    void *TSM_NULLABLE context;
    /** Sends n bytes to the worker of this name: whole, in the order in which they were sent to it, or not at all.
     * They are the library's again when this returns. False: it cannot be reached. It may call tsm_remote_lost. */
    bool (*send)(void *TSM_NULLABLE context, const char *worker, const void *bytes, size_t n);
    /** Waits for a message, at most so long, and gives its bytes and their number; they stay good until the next call.
     * NULL: none came. It may call tsm_remote_lost. */
    const void *TSM_NULLABLE (*TSM_NONNULL receive)(void *TSM_NULLABLE context, uint64_t nanoseconds, size_t *n);
    /** Memory of the transport's for a message of n bytes, which is written there and then handed to `send`, or is not
     * sent at all. NULL: there is none. Without this function (NULL) messages are written into the instance's buffer.
     */
    void *TSM_NULLABLE (*TSM_NULLABLE reserve)(void *TSM_NULLABLE context, size_t n);
} tsm_transport;

/** Who this worker is and what it does for others; whatever is zero has its default. The strings and arrays must
 * outlive the instance. */
typedef struct {
    size_t size; /**< sizeof(tsm_remote_options) */
    const char *TSM_NULLABLE const *TSM_NULLABLE
        workers;         /**< the names of all workers, this one's too; up to 63 bytes */
    size_t worker_count; /**< how many workers there are */
    size_t self;         /**< which of them this is */
    const char *TSM_NULLABLE const *TSM_NULLABLE allowed; /**< functions that others may call, by qualified name */
    size_t allowed_count;                                 /**< how many of them */
    uint64_t timeout;     /**< nanoseconds that a call may take which names no time itself; 0: 60 s, as in PyTorch */
    size_t message_bytes; /**< the longest message that is taken from others; 0: a quarter of the instance's buffer */
    uint32_t depth;       /**< calls that are served inside of waits, one within the other; 0: 4 */
} tsm_remote_options;

/** Makes an instance a worker: its program may call others, and they may call its functions while it serves
 * (tsm_remote_serve) or waits. What it knows of them lies in the instance's buffer. The transport is copied. */
TSM_API tsm_status tsm_remote_open(tsm_instance *inst, const tsm_transport *transport,
                                   const tsm_remote_options *options);
/** Handles what other workers ask, for so long; 0: what has come already. Functions that fail are no failure of this
 * function: who called them is told. */
TSM_API tsm_status tsm_remote_serve(tsm_instance *inst, uint64_t nanoseconds);
/** Says that a worker cannot answer any more: what waits for it fails at once, and what it held is given up. */
TSM_API void tsm_remote_lost(tsm_instance *inst, const char *worker);
/** How much connects this worker with others: calls that have not been answered, RRefs that it holds or that others
 * hold of it. 0: it can go without a loss. */
TSM_API size_t tsm_remote_count(tsm_instance *inst);
/** Ends being a worker. Calls that wait fail; RRefs that the program still has belong to nobody. */
TSM_API void tsm_remote_close(tsm_instance *inst);

/** @}
 * @name Profile
 * @{ */

/** One row of the profile: an operator. */
typedef struct {
    const char *TSM_NULLABLE name; /**< of the operator */
    uint64_t calls;                /**< how often it ran */
    uint64_t nanoseconds;          /**< by the platform's clock, in all */
    uint64_t bytes;                /**< by which it made the buffer's use grow, in all */
} tsm_profile_row;
/** Row `row` of the profile, in no order; false past the last one. */
TSM_API bool tsm_profile_get(const tsm_instance *inst, size_t row, tsm_profile_row *out);

/** @} */

#if defined(__clang__)
#pragma clang assume_nonnull end
#pragma clang diagnostic pop
#endif

#ifdef __cplusplus
}
#endif
#endif
