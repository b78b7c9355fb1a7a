/* What devices are called, and devices from their names. */
#ifndef TSM_VALUE_DEVICE_H
#define TSM_VALUE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* In the order of PyTorch's DeviceType, whose numbers values and files hold; those of PyTorch 2 at the end. */
#define TSM_DEVICE_NAMES                                                                                               \
    "cpu\0cuda\0mkldnn\0opengl\0opencl\0ideep\0hip\0fpga\0ort\0xla\0vulkan\0metal\0xpu\0mps\0meta\0hpu\0ve\0lazy\0ipu" \
    "\0privateuseone\0mtia\0maia"
enum { TSM_DEVICE_TYPES = 22, TSM_DEVICE_MAX_INDEX = 127 };

/* TSM_DEVICE_NAMES, for tsm_name_at. */
extern const char tsm_device_names[];

/* What may be wrong with a name. */
typedef enum {
    TSM_DEVICE_GOOD,
    TSM_DEVICE_EMPTY,
    TSM_DEVICE_MALFORMED,
    TSM_DEVICE_UNKNOWN,
    TSM_DEVICE_FAR
} tsm_device_fault;
/* What PyTorch says then, with texts where %.*s stands: the whole name; its type; its index, and the whole name. */
#define TSM_DEVICE_SAYS_EMPTY "Device string must not be empty"
#define TSM_DEVICE_SAYS_MALFORMED "Invalid device string: '%.*s'"
#define TSM_DEVICE_SAYS_UNKNOWN                                                                                        \
    "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, ort, xla, lazy, vulkan, "      \
    "mps, meta, hpu, privateuseone device type at start of device string: %.*s"
#define TSM_DEVICE_SAYS_FAR "Could not parse device index '%.*s' in device string '%.*s'"

/* A name of n bytes is TYPE or TYPE:INDEX; the first `type_length` bytes are the type. */
typedef struct {
    tsm_device_fault fault;
    size_t type_length;
    uint32_t device; /* as values hold it: the type, and the index + 1 (0: none) << 16 */
} tsm_device_name;

/* Digits without leading zeros; false when there is anything else. Numbers that are too large are not wrapped. */
static inline bool tsm_device_index(const char *text, size_t n, uint32_t *index) {
    *index = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        if (*index <= TSM_DEVICE_MAX_INDEX)
            *index = *index * 10 + (uint32_t)(text[i] - '0');
    }
    return n > 0 && (text[0] != '0' || n == 1);
}

/* `names`: TSM_DEVICE_NAMES. */
static inline tsm_device_name tsm_device_scan(const char *names, const char *text, size_t n) {
    tsm_device_name d = {n ? TSM_DEVICE_MALFORMED : TSM_DEVICE_EMPTY, 0, 0};
    uint32_t index = 0;
    while (d.type_length < n &&
           (((text[d.type_length] | 32) >= 'a' && (text[d.type_length] | 32) <= 'z') || text[d.type_length] == '_'))
        d.type_length++;
    const size_t m = d.type_length;
    const bool plain = m == n;
    if (!m || (!plain && (text[m] != ':' || !tsm_device_index(text + m + 1, n - m - 1, &index))))
        return d;
    d.fault = TSM_DEVICE_UNKNOWN;
    /* Character by character: of a loop to the end of a name compilers make a call of strlen. */
    size_t at = 0;
    bool same = true;
    for (uint32_t type = 0; type < TSM_DEVICE_TYPES && d.fault == TSM_DEVICE_UNKNOWN; names++)
        if (*names) {
            same = same && at < m && *names == text[at];
            at++;
        } else {
            if (same && at == m) {
                d.fault = index > TSM_DEVICE_MAX_INDEX ? TSM_DEVICE_FAR : TSM_DEVICE_GOOD;
                d.device = type | (plain ? 0 : (index + 1) << 16);
            }
            type++;
            at = 0;
            same = true;
        }
    return d;
}

#endif
