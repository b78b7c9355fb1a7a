/* Sizes and names of element types, names of tags. */
#include "runtime/value/value.h"

const char *tsm_name_at(const char *names, unsigned position) {
    while (position--)
        while (*names++) {
        }
    return names;
}

#define X(NAME, number, bytes, text) [number] = bytes,
static const uint8_t dtype_sizes[] = {TSM_DTYPE_LIST(X)};
#undef X

size_t tsm_dtype_size(tsm_dtype dtype) {
    return tsm_dtype_exists(dtype) ? dtype_sizes[dtype] : 1;
}

const char *tsm_dtype_name(tsm_dtype dtype) {
#define X(NAME, number, bytes, text) text "\0"
    return tsm_dtype_exists(dtype) ? tsm_name_at(TSM_DTYPE_LIST(X), tsm_dtype_position(dtype)) : "?";
#undef X
}

const char *tsm_tag_name(uint32_t tag) {
#define X(NAME, text) text "\0"
    return tag < TSM_TAG_COUNT ? tsm_name_at(TSM_TAG_LIST(X), tag) : "?";
#undef X
}
