/* Options and metadata that say how files become arguments. */
#include "platform/runner/settings.h"

#include "platform/runner/die.h"
#include <stdlib.h>
#include <string.h>

const char *setting(const tsm_program *program, const char *option, const char *key) {
    if (option)
        return option;
    for (size_t i = 0; i < tsm_metadata_count(program); i++) {
        const char *value;
        if (strcmp(tsm_metadata_get(program, i, &value), key) == 0)
            return value;
    }
    return NULL;
}

int setting_numbers(const char *text, const char *what, double *numbers, int most) {
    int n = 0;
    for (const char *at = text;; at++) {
        char *end;
        const double x = strtod(at, &end);
        if (end == at || (*end && *end != ',') || n == most || x - x != 0) {
            if (most == 1)
                die(EXIT_BAD_INPUT, "%s wants a number, not '%s'", what, text);
            die(EXIT_BAD_INPUT, "%s wants at most %d numbers with commas between them, not '%s'", what, most, text);
        }
        numbers[n++] = x;
        if (!*end)
            return n;
        at = end;
    }
}

int setting_size(const char *text, const char *what, int size[2]) {
    enum { MOST = 16384 };
    const char *at = text;
    for (int n = 0; n < 2; n++) {
        char *end;
        const long x = strtol(at, &end, 10);
        if (end == at || x < 1 || x > MOST || (*end && (n || *end != 'x')))
            break;
        size[n] = (int)x;
        if (!*end)
            return n + 1;
        at = end + 1;
    }
    die(EXIT_BAD_INPUT, "%s wants HEIGHTxWIDTH or one number, of 1 to %d, not '%s'", what, MOST, text);
}

int64_t wanted_size(const input_place *place, int d) {
    return d < place->wanted.rank ? place->wanted.sizes[d] : -1;
}

tsm_value tensor_over(tsm_instance *inst, tsm_dtype dtype, int dims, const tsm_dim *sizes, void *data) {
    tsm_value tensor;
    const tsm_status status = tsm_tensor_wrap(inst, &tensor, dtype, dims, sizes, NULL, data);
    if (status != TSM_OK)
        die_of(status, tsm_error(inst));
    return tensor;
}
