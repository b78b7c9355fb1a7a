/* Numbers of torch/_export/serde/schema.py: ScalarType, Layout, MemoryFormat; Device. */
#include "exporter/export/codes.h"

#include "exporter/base/mem.h"

typedef struct {
    int8_t schema, torchscript;
} code;

static const code dtypes[] = {
    {1, 0},   /* uint8 */
    {2, 1},   /* int8 */
    {3, 2},   /* int16 */
    {4, 3},   /* int32 */
    {5, 4},   /* int64 */
    {6, 5},   /* float16 */
    {7, 6},   /* float32 */
    {8, 7},   /* float64 */
    {9, 8},   /* complex32 */
    {10, 9},  /* complex64 */
    {11, 10}, /* complex128 */
    {12, 11}, /* bool */
    {13, 15}, /* bfloat16 */
    {28, 27}, /* uint16 */
    {29, 24}, /* float8_e4m3fn */
    {30, 23}, /* float8_e5m2 */
    {31, 26}, /* float8_e4m3fnuz */
    {32, 25}, /* float8_e5m2fnuz */
};

static const code layouts[] = {{1, 1}, {2, 2}, {3, 4}, {4, 5}, {5, 6}, {6, 3}, {7, 0}};

static const code memory_formats[] = {{1, 0}, {2, 2}, {3, 3}, {4, 1}};

static int64_t look_up(json v, const code *codes, size_t count, const char *subject) {
    int64_t number = json_integer(v);
    for (size_t i = 0; i < count; i++)
        if (codes[i].schema == number)
            return codes[i].torchscript;
    json_fail(v, "there is no %s with number %lld", subject, (long long)number);
}

int64_t code_dtype(json v) {
    return look_up(v, dtypes, sizeof dtypes / sizeof *dtypes, "dtype");
}

int64_t code_layout(json v) {
    return look_up(v, layouts, sizeof layouts / sizeof *layouts, "layout");
}

int64_t code_memory_format(json v) {
    return look_up(v, memory_formats, sizeof memory_formats / sizeof *memory_formats, "memory format");
}

const char *code_device(json v) {
    const char *kind = json_string(json_need(v, "type"));
    json index = json_find(v, "index");
    return json_is_null(index) ? kind : mem_printf("%s:%lld", kind, (long long)json_integer(index));
}
