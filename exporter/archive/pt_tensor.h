/* Tensors as they stand in an archive: a view (sizes, strides, offset) of a storage that several tensors may share. */
#ifndef TSMC_ARCHIVE_PT_TENSOR_H
#define TSMC_ARCHIVE_PT_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The element types, numbered as PyTorch's ScalarType (which serialized code uses as plain integers).
 * X(NAME, number, name as in torch.NAME, bytes of one storage element, elements packed in one, storage class) */
#define PT_DTYPES(X)                                                                                                   \
    X(UINT8, 0, "uint8", 1, 1, "ByteStorage")                                                                          \
    X(INT8, 1, "int8", 1, 1, "CharStorage")                                                                            \
    X(INT16, 2, "int16", 2, 1, "ShortStorage")                                                                         \
    X(INT32, 3, "int32", 4, 1, "IntStorage")                                                                           \
    X(INT64, 4, "int64", 8, 1, "LongStorage")                                                                          \
    X(FLOAT16, 5, "float16", 2, 1, "HalfStorage")                                                                      \
    X(FLOAT32, 6, "float32", 4, 1, "FloatStorage")                                                                     \
    X(FLOAT64, 7, "float64", 8, 1, "DoubleStorage")                                                                    \
    X(COMPLEX32, 8, "complex32", 4, 1, "ComplexHalfStorage")                                                           \
    X(COMPLEX64, 9, "complex64", 8, 1, "ComplexFloatStorage")                                                          \
    X(COMPLEX128, 10, "complex128", 16, 1, "ComplexDoubleStorage")                                                     \
    X(BOOL, 11, "bool", 1, 1, "BoolStorage")                                                                           \
    X(QINT8, 12, "qint8", 1, 1, "QInt8Storage")                                                                        \
    X(QUINT8, 13, "quint8", 1, 1, "QUInt8Storage")                                                                     \
    X(QINT32, 14, "qint32", 4, 1, "QInt32Storage")                                                                     \
    X(BFLOAT16, 15, "bfloat16", 2, 1, "BFloat16Storage")                                                               \
    X(QUINT4X2, 16, "quint4x2", 1, 2, "QUInt4x2Storage")                                                               \
    X(QUINT2X4, 17, "quint2x4", 1, 4, "QUInt2x4Storage")                                                               \
    X(BITS1X8, 18, "bits1x8", 1, 8, "Bits1x8Storage")                                                                  \
    X(BITS2X4, 19, "bits2x4", 1, 4, "Bits2x4Storage")                                                                  \
    X(BITS4X2, 20, "bits4x2", 1, 2, "Bits4x2Storage")                                                                  \
    X(BITS8, 21, "bits8", 1, 1, "Bits8Storage")                                                                        \
    X(BITS16, 22, "bits16", 2, 1, "Bits16Storage")                                                                     \
    X(FLOAT8_E5M2, 23, "float8_e5m2", 1, 1, "Float8_e5m2Storage")                                                      \
    X(FLOAT8_E4M3FN, 24, "float8_e4m3fn", 1, 1, "Float8_e4m3fnStorage")                                                \
    X(FLOAT8_E5M2FNUZ, 25, "float8_e5m2fnuz", 1, 1, "Float8_e5m2fnuzStorage")                                          \
    X(FLOAT8_E4M3FNUZ, 26, "float8_e4m3fnuz", 1, 1, "Float8_e4m3fnuzStorage")                                          \
    X(UINT16, 27, "uint16", 2, 1, "UInt16Storage")                                                                     \
    X(UINT32, 28, "uint32", 4, 1, "UInt32Storage")                                                                     \
    X(UINT64, 29, "uint64", 8, 1, "UInt64Storage")

#define PT_DTYPE_ENUM(NAME, number, name, size, packed, storage) PT_##NAME = number,
typedef enum { PT_DTYPES(PT_DTYPE_ENUM) PT_DTYPE_COUNT } pt_dtype;
#undef PT_DTYPE_ENUM

/* Numbered as PyTorch's Layout. */
typedef enum { PT_STRIDED, PT_SPARSE_COO, PT_SPARSE_CSR } pt_layout;

typedef enum {
    PT_NOT_QUANTIZED,
    PT_PER_TENSOR_AFFINE,
    PT_PER_CHANNEL_AFFINE,
    PT_PER_CHANNEL_AFFINE_FLOAT_QPARAMS,
} pt_qscheme;

enum { PT_MAX_DIMS = 64 };

/* Raw bytes; there is one of these for each record of the archive, so equal pointers mean shared memory. */
typedef struct pt_storage {
    const char *key;     /* the record's name: "data/0" */
    const char *device;  /* where it was when saved: "cpu", "cuda:0" */
    const uint8_t *data; /* NULL when size is 0 */
    size_t size;         /* in bytes */
} pt_storage;

typedef struct pt_tensor {
    pt_dtype dtype;
    pt_layout layout;
    bool requires_grad;
    bool is_parameter; /* saved as a torch.nn.Parameter (torch.save only; in a TorchScript archive the code tells) */
    int ndim;
    const int64_t *sizes; /* ndim of them */
    const char *name;     /* of the attribute that holds it, for reports; NULL: not known */

    /* Strided tensors: element (i, j, ...) is at offset + i * strides[0] + j * strides[1] ... in the storage. */
    pt_storage *storage;
    const int64_t *strides;
    int64_t offset;

    /* Quantized tensors (strided): per tensor, or one scale and zero point for each index along `axis`. */
    pt_qscheme qscheme;
    double scale;
    int64_t zero_point;
    int axis;
    struct pt_tensor *scales, *zero_points;

    /* Sparse tensors have no storage: COO has indices [sparse_dims, n] and values; CSR row starts, columns and values.
     */
    struct pt_tensor *indices, *row_starts, *columns, *values;
} pt_tensor;

/* "float32"; for any value of the enumeration. */
const char *pt_dtype_name(pt_dtype dtype);

/* Whether programs can have tensors of the type: not of packed elements and bits without a meaning. */
bool pt_dtype_is_usable(pt_dtype dtype);

/* Whether elements are real numbers of any precision. */
bool pt_dtype_is_floating(pt_dtype dtype);

/* Whether elements are complex numbers of any precision. */
bool pt_dtype_is_complex(pt_dtype dtype);

/* Bytes of one element of a storage of that type. */
size_t pt_dtype_size(pt_dtype dtype);

/* How many elements of a tensor one element of a storage holds: 1 but for quint4x2 and the like. */
int pt_dtype_packed(pt_dtype dtype);

/* Looks a type up by "float32"; false when there is none. Aliases (float, double, half, int, long, short) are known
 * too. */
bool pt_dtype_from_name(const char *name, pt_dtype *dtype);

/* Looks a type up by "FloatStorage"; false when there is none. */
bool pt_dtype_from_storage_class(const char *name, pt_dtype *dtype);

/* Number of elements of a tensor with these sizes: 0 when one of them is, and INT64_MAX when it would be greater. */
int64_t pt_sizes_numel(int ndim, const int64_t *sizes);

/* Writes the strides of elements in row-major order without gaps. As in PyTorch a size of 0 counts as 1 in them; those
 * of empty tensors that would be greater than INT64_MAX are that. */
void pt_contiguous_strides(int ndim, const int64_t *sizes, int64_t *strides);

/* Number of elements. */
int64_t pt_tensor_numel(const pt_tensor *t);

/* Element i of a strided vector of float32, float64, int32 or int64, as the parameters of quantizers are. */
double pt_tensor_number(const pt_tensor *t, int64_t i);

/* Bytes of the elements in row-major order without gaps. */
size_t pt_tensor_bytes(const pt_tensor *t);

/* Whether a strided tensor's elements lie in row-major order without gaps. */
bool pt_tensor_is_contiguous(const pt_tensor *t);

/* Returns the elements of a strided tensor in row-major order, pt_tensor_bytes of them: in place if it is contiguous,
 * copied otherwise. Packed types (quint4x2, quint2x4) must be contiguous with an offset at a whole byte: diag_fail
 * otherwise. */
const void *pt_tensor_data(const pt_tensor *t);

/* Gives the tensor a storage of its own whose elements are conjugated, negated, or both, as is_conj() and is_neg() of
 * the saved tensor ask for; nothing when neither does. False when the type's elements cannot be. */
bool pt_tensor_resolve(pt_tensor *t, bool conjugated, bool negated);

/* Tells what is wrong with a tensor made from a file: sizes that overflow, elements outside of the storage, parts of
 * the wrong type or shape, or an expansion (stride 0) to far more than the file holds. Returns NULL when it can be
 * used. */
const char *pt_tensor_fault(const pt_tensor *t);

#endif
