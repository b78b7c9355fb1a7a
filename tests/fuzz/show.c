/* Shows calls of operators as text. */
#include "tests/fuzz/show.h"

#include <inttypes.h>
#include <stdio.h>

#include "runtime/interpreter/machine.h"
#include "runtime/tensor/tensor.h"

enum { MAX_NESTING = 3, MOST_BYTES = 32 };

static void show_tensor(const tsm_tensor *t) {
    fprintf(stderr, "tensor of dtype %d, sizes [", t->dtype);
    for (int d = 0; d < t->dims; d++)
        fprintf(stderr, " %" PRIdPTR, (intptr_t)t->sizes[d]);
    fputs(" ], strides [", stderr);
    for (int d = 0; d < t->dims; d++)
        fprintf(stderr, " %" PRIdPTR, (intptr_t)t->strides[d]);
    fprintf(stderr, " ], flags %x", t->flags);
    if (t->quantizer)
        fprintf(stderr, ", quantizer: axis %d, channels %" PRIdPTR, t->quantizer->axis,
                (intptr_t)t->quantizer->channels);
    fputs(", bytes", stderr);
    const uint8_t *data = t->data, *end = (const uint8_t *)t->storage->data + t->storage->bytes;
    for (size_t i = 0; t->elements && i < MOST_BYTES && data + i < end; i++)
        fprintf(stderr, "%s%02x", i % tsm_dtype_size((tsm_dtype)t->dtype) ? "" : " ", data[i]);
}

static void show_items(const tsm_value *items, size_t n, int depth);

static void show_value(tsm_value v, int depth) {
    switch (v.tag) {
    case TSM_TAG_BOOL:
        fputs(v.as.b ? "true" : "false", stderr);
        break;
    case TSM_TAG_INT:
        fprintf(stderr, "%" PRId64, v.as.i);
        break;
    case TSM_TAG_FLOAT:
        fprintf(stderr, "%.17g as float", v.as.f);
        break;
    case TSM_TAG_STR:
        fprintf(stderr, "\"%.*s\"", (int)tsm_as_str(v)->length, tsm_as_str(v)->text);
        break;
    case TSM_TAG_TENSOR:
        show_tensor(tsm_as_tensor(v));
        break;
    case TSM_TAG_LIST:
        show_items(tsm_as_list(v)->items, tsm_as_list(v)->length, depth);
        break;
    case TSM_TAG_TUPLE:
        show_items(tsm_as_tuple(v)->items, tsm_as_tuple(v)->length, depth);
        break;
    default:
        fprintf(stderr, "value of tag %u", (unsigned)v.tag);
    }
}

static void show_items(const tsm_value *items, size_t n, int depth) {
    fputs("{", stderr);
    for (size_t i = 0; i < n && depth < MAX_NESTING; i++) {
        fputs(i ? "; " : "", stderr);
        show_value(items[i], depth + 1);
    }
    fputs("}", stderr);
}

void show_call(const tsm_operator *op, const tsm_value *registers, const uint32_t *words, size_t n) {
    fprintf(stderr, "%s\n", op->name);
    for (size_t i = 0; i < n; i++) {
        fprintf(stderr, "    %zu, register %u%s: ", i, words[i] & TSM_WORD_INDEX,
                words[i] & TSM_WORD_LAST_USE ? " used last" : "");
        show_value(registers[words[i] & TSM_WORD_INDEX], 0);
        fputs("\n", stderr);
    }
}
