/* Devices from their names. Linked only where operators or the caller ask for it. */
#include <string.h>

#include "runtime/value/chars.h"
#include "runtime/value/device.h"
#include "runtime/value/exec.h"

enum { MAX_INDEX = 127 };

static bool find_type(const char *text, size_t n, uint32_t *type) {
    const char *name = tsm_device_names;
    for (*type = 0; *type < TSM_DEVICE_TYPES; ++*type, name = tsm_name_at(name, 1))
        if (tsm_chars_length(name) == n && memcmp(name, text, n) == 0)
            return true;
    return false;
}

/* Reads digits without leading zeros; false when there is anything else. Numbers that are too large are not wrapped. */
static bool read_index(const char *text, size_t n, uint32_t *index) {
    *index = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        if (*index <= MAX_INDEX)
            *index = *index * 10 + (uint32_t)(text[i] - '0');
    }
    return n > 0 && (text[0] != '0' || n == 1);
}

static bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

tsm_status tsm_device_read(tsm_exec *x, const char *text, size_t n, tsm_value *out) {
    size_t name = 0;
    uint32_t type, index = 0;
    if (n == 0)
        return TSM_RAISE(x, "Device string must not be empty");
    while (name < n && is_name_character(text[name]))
        name++;
    bool plain = name == n;
    if (!name || (!plain && (text[name] != ':' || !read_index(text + name + 1, n - name - 1, &index))))
        return TSM_RAISE(x, "Invalid device string: '%.*s'", (int)n, text);
    if (!find_type(text, name, &type))
        return TSM_RAISE(x,
                         "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, ort, xla, "
                         "lazy, vulkan, "
                         "mps, meta, hpu, privateuseone device type at start of device string: %.*s",
                         (int)name, text);
    if (index > MAX_INDEX)
        return TSM_RAISE(x, "Could not parse device index '%.*s' in device string '%.*s'", (int)(n - name - 1),
                         text + name + 1, (int)n, text);
    *out = (tsm_value){TSM_TAG_DEVICE, 0, {.i = 0}};
    out->as.device = type | (plain ? 0 : (index + 1) << 16);
    return TSM_OK;
}
