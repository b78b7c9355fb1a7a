/* Opcodes of the lite interpreter by name and number; versions of files. */
#include "exporter/lite/lite.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"

#define LITE_OPCODE(NAME, operands) {#NAME, operands},
static const struct {
    const char *name, *operands;
} opcodes[] = {
#include "exporter/lite/lite_opcodes.def"
};
#undef LITE_OPCODE

const char *lite_opcode_name(lite_opcode op) {
    return opcodes[op].name;
}

const char *lite_opcode_operands(lite_opcode op) {
    return opcodes[op].operands;
}

static lite_opcode checked(const lite_module *m, size_t op) {
    if (opcodes[op].operands[0] == '!')
        diag_fail("%s: instruction %s is not one of mobile programs", m->file, opcodes[op].name);
    return (lite_opcode)op;
}

lite_opcode lite_opcode_named(const lite_module *m, const char *name) {
    for (size_t i = 0; i < LITE_OPCODE_COUNT; i++)
        if (!strcmp(opcodes[i].name, name))
            return checked(m, i);
    diag_fail("%s: instruction '%s' is not known", m->file, name);
}

lite_opcode lite_opcode_numbered(const lite_module *m, unsigned number) {
    if (number >= LITE_OPCODE_COUNT)
        diag_fail("%s: instruction number %u is not known", m->file, number);
    return checked(m, number);
}

const char *lite_operator_name(const char *name, const char *overload) {
    return intern(*overload ? mem_printf("%s.%s", name, overload) : name);
}

void lite_check_version(const lite_module *m, int64_t version) {
    if (version < LITE_MIN_VERSION || version > LITE_MAX_VERSION)
        diag_fail("%s: its bytecode has version %lld; versions %d to %d are supported", m->file, (long long)version,
                  LITE_MIN_VERSION, LITE_MAX_VERSION);
}
