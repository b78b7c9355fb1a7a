/* Pickles (Python's object serialization, protocol 2) as PyTorch writes them, read as data.
 *
 * Nothing is ever executed: opcodes, classes and functions come from closed lists, and what is not on them is refused
 * by name. The result is a tree of values in which everything the pickle shares is one pointer. It is finite: no value
 * contains itself, and no chain of values is longer than LIMIT_VALUE_DEPTH, so it may be walked by plain recursion. A
 * walk that must not visit shared values twice can mark them in `user`.
 *
 * Opcodes: docs.python.org/3/library/pickletools; the subset and PyTorch's use of it:
 * torch/csrc/jit/serialization/pickler.cpp and torch/serialization.py. */
#ifndef TSMC_ARCHIVE_PICKLE_H
#define TSMC_ARCHIVE_PICKLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exporter/archive/pt_tensor.h"

/* The kinds of values and their names. */
#define PKL_KINDS(X)                                                                                                   \
    X(NONE, "None")                                                                                                    \
    X(BOOL, "bool")                                                                                                    \
    X(INT, "int")                                                                                                      \
    X(FLOAT, "float")                                                                                                  \
    X(COMPLEX, "complex")                                                                                              \
    X(STR, "str")                                                                                                      \
    X(LIST, "list")                                                                                                    \
    X(TUPLE, "tuple")                                                                                                  \
    X(DICT, "dict")                                                                                                    \
    X(DEVICE, "device")                                                                                                \
    X(DTYPE, "dtype")                                                                                                  \
    X(LAYOUT, "layout")                                                                                                \
    X(TENSOR, "tensor")                                                                                                \
    X(STORAGE, "storage")                                                                                              \
    X(OBJECT, "object")                                                                                                \
    X(ENUM, "enum")                                                                                                    \
    X(GLOBAL, "class or function")

#define PKL_KIND_ENUM(NAME, name) PKL_##NAME,
typedef enum { PKL_KINDS(PKL_KIND_ENUM) PKL_KIND_COUNT } pkl_kind;
#undef PKL_KIND_ENUM

typedef struct pkl_value pkl_value;
typedef struct pkl_global pkl_global; /* pickle_globals.h */

typedef struct {
    pkl_value *key, *value;
} pkl_entry;

struct pkl_value {
    pkl_kind kind;
    uint32_t height; /* 1 + the greatest height among the values it contains */
    /* LIST and DICT: the type that TorchScript's writer attached, such as "List[int]" or "Dict[str, Tensor]"; NULL
     * without. */
    const char *type;
    void *user; /* for whoever walks the tree; NULL at first */
    union {
        bool boolean;
        int64_t integer; /* INT; DTYPE: a pt_dtype; LAYOUT: a pt_layout */
        double number;
        struct {
            double real, imag;
        } complex;
        struct {
            const char *text; /* zero-terminated; may hold zero bytes and any encoding */
            size_t length;
        } str; /* STR; DEVICE: "cpu", "cuda:0" */
        struct {
            pkl_value **items;
            size_t count;
        } seq; /* LIST, TUPLE (named tuples and torch.Size are tuples too) */
        struct {
            pkl_entry *entries; /* in order of insertion; of equal keys the last one counts */
            size_t count;
        } dict;
        pt_tensor *tensor;
        struct {
            pt_storage *storage;
            pt_dtype dtype;
            int64_t numel;
        } storage;
        struct {
            const char *class_name; /* qualified, interned: "__torch__.a.b.C" */
            /* The attributes as a dict with string keys; what __getstate__ returned, of any kind, where the class has a
             * __setstate__ that is to be run on it; NULL when the pickle gives none. */
            pkl_value *state;
        } object;
        struct {
            const char *class_name;
            pkl_value *value;
        } enumerator;
        const pkl_global *global; /* a class or function that is itself the value */
    };
};

/* What to read. */
/* Finds the storage that a persistent id names; returns NULL when it is missing. `size` is the number of bytes that the
 * pickle expects at least; with 0 the record need not exist. `number` is how many bytes make one number. */
typedef pt_storage *(*pkl_find_storage)(void *context, const char *key, const char *device, uint64_t size,
                                        size_t number);

typedef struct {
    const char *name; /* for messages: "model.pt: data.pkl" */
    const uint8_t *bytes;
    size_t size;
    pkl_find_storage find_storage; /* NULL: persistent ids are refused */
    void *context;
} pkl_input;

/* Reads a whole pickle; diag_fail on anything malformed, unknown or beyond the limits. */
pkl_value *pkl_load(const pkl_input *input);

/* "list", "tensor", ...: for messages. */
const char *pkl_kind_name(pkl_kind kind);

/* Whether v is a string equal to text. */
bool pkl_is_str(const pkl_value *v, const char *text);

/* The value under a string key, or NULL; also NULL when dict is not a dict. */
pkl_value *pkl_dict_get(const pkl_value *dict, const char *key);

#endif
