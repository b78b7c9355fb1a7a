/* hash() and id(). */
#include "runtime/kernels/language/lang.h"

/* PyTorch's hashes are those of its C++ library: MurmurHash64A (public domain, by A. Appleby) of the bytes of strs and
 * floats. */
static uint64_t lang_hash_bytes(const uint8_t *bytes, size_t n) {
    const uint64_t factor = 0xc6a4a7935bd1e995u;
    uint64_t hash = 0xc70f6907u ^ (n * factor);
    for (; n >= 8; bytes += 8, n -= 8) {
        uint64_t word = 0;
        for (int i = 7; i >= 0; i--)
            word = word << 8 | bytes[i];
        word *= factor;
        hash = (hash ^ (word ^ word >> 47) * factor) * factor;
    }
    if (n) {
        uint64_t word = 0;
        while (n--)
            word = word << 8 | bytes[n];
        hash = (hash ^ word) * factor;
    }
    hash = (hash ^ hash >> 47) * factor;
    return hash ^ hash >> 47;
}

static uint64_t hash_float(double f) {
    uint64_t bits;
    uint8_t bytes[8];
    if (f == 0) /* both zeros are equal */
        return 0;
    memcpy(&bits, &f, sizeof bits);
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(bits >> 8 * i);
    return lang_hash_bytes(bytes, sizeof bytes);
}

/* Tuples are hashed item by item, at most `depth` levels deep. */
static tsm_status lang_hash_of(tsm_exec *x, tsm_value v, int depth, uint64_t *out) {
    TSM_TRY(tsm_charge(x, 1));
    switch (v.tag) {
    case TSM_TAG_BOOL:
        *out = v.as.b;
        break;
    case TSM_TAG_INT:
        *out = (uint64_t)v.as.i;
        break;
    case TSM_TAG_FLOAT:
        *out = hash_float(v.as.f);
        break;
    case TSM_TAG_STR:
        TSM_TRY(tsm_charge(x, tsm_as_str(v)->length));
        *out = lang_hash_bytes((const uint8_t *)tsm_as_str(v)->text, tsm_as_str(v)->length);
        break;
    case TSM_TAG_ENUM:
        *out = (uint64_t)tsm_as_enum(v)->type << 32 | tsm_as_enum(v)->member;
        break;
    case TSM_TAG_DEVICE:
        *out = (v.as.device & 0xffff) << 16 | (((v.as.device >> 16) - 1) & 0xff);
        break;
    case TSM_TAG_NONE:
        *out = 0;
        break;
    case TSM_TAG_TUPLE: {
        uint64_t all = 0;
        if (!depth)
            return TSM_RAISE(x, "hash() of tuples in tuples more than %d levels deep", TSM_EQUAL_DEPTH);
        TSM_TRY(tsm_charge(x, tsm_as_tuple(v)->length));
        for (uint32_t i = 0; i < tsm_as_tuple(v)->length; i++) {
            uint64_t item;
            TSM_TRY(lang_hash_of(x, tsm_as_tuple(v)->items[i], depth - 1, &item));
            all ^= item + 0x9e3779b9u + (all << 6) + (all >> 2);
        }
        *out = all;
        break;
    }
    case TSM_TAG_LIST:
    case TSM_TAG_DICT:
    case TSM_TAG_COMPLEX:
        return TSM_RAISE(x, "unhashable type: '%s'", tsm_tag_name(v.tag));
    default:
        *out = (uint64_t)(uintptr_t)v.as.o;
        break;
    }
    return TSM_OK;
}

TSM_KERNEL(aten_hash_generic) {
    uint64_t hash;
    TSM_TRY(lang_hash_of(x, *in[0], TSM_EQUAL_DEPTH, &hash));
    return ret_int(out, (int64_t)hash);
}

TSM_KERNEL_LIGHT(prim_id) {
    TSM_UNUSED_IO();
    return ret_int(out, tsm_is_object(*in[0]) ? (int64_t)(uintptr_t)in[0]->as.o : 0);
}
