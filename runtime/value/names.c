/* Sizes and names of element types, names of tags. */
#include "runtime/value/value.h"

#define X(NAME, number, bytes, text) [number] = bytes,
static const uint8_t dtype_sizes[] = {TSM_DTYPE_LIST(X)};
#undef X
#define X(NAME, number, bytes, text) [number] = text,
static const char *const dtype_names[] = {TSM_DTYPE_LIST(X)};
#undef X

size_t tsm_dtype_size(tsm_dtype dtype) {
    return (unsigned)dtype < TSM_DTYPE_COUNT ? dtype_sizes[dtype] : 1;
}
const char *tsm_dtype_name(tsm_dtype dtype) {
    return (unsigned)dtype < TSM_DTYPE_COUNT ? dtype_names[dtype] : "?";
}

const char *tsm_tag_name(uint32_t tag) {
    static const char *const names[] = {
#define X(NAME, text) text,
        TSM_TAG_LIST(X)
#undef X
    };
    return tag < TSM_TAG_COUNT ? names[tag] : "?";
}
