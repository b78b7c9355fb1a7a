/* Versions of libtsmobile: which opcodes each has, and what becomes of files that need a newer one.
 *
 * This program is linked with an exporter of the next version: tests/unit/CMakeLists.txt appends the opcode NEXT to its
 * copy of opcodes.def, and puts a row for it before those of aten::mul.int into its copy of select.def. The runtime is
 * the one that is built here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "exporter/codegen/codegen.h"
#include "exporter/source/load.h"
#include "runtime/interpreter/opcodes.h"

/* The opcodes of all versions that were released, one a line: "NAME operands version". */
static const char released_opcodes[] = "tests/unit/released_opcodes.txt";

static const char source[] =
    "def f(n: int) -> int:\n    s = 0\n    for i in range(n):\n        s = s + i\n    return s\n";

static image *export_text(const char *text, uint32_t target) {
    program *p = program_load_source("f.py", text, strlen(text), "f", &(source_options){0});
    function **entries = program_entries(p);
    return codegen_run(p, entries, entries, (codegen_options){.target = target});
}

static image *export_for(uint32_t target) {
    return export_text(source, target);
}

static uint8_t *write_image(const image *m, size_t *bytes) {
    uint8_t *file = image_write(m, bytes);
    assert_non_null(file);
    return file;
}

static tsm_status open_image(const image *m, char *message, size_t n) {
    tsm_program p;
    size_t bytes;
    const uint8_t *file = write_image(m, &bytes);
    message[0] = 0;
    return tsm_program_open(&p, file, bytes, message, n);
}

static void opcodes_of_released_versions_stay(void **state) {
    (void)state;
    char name[64], operands[8];
    unsigned major, minor;
    uint32_t op = 0, newest = 0;
    FILE *f = fopen(released_opcodes, "r");
    assert_non_null(f);
    while (fscanf(f, "%63s %7s %u.%u", name, operands, &major, &minor) == 4) {
        uint32_t since = SINCE(major, minor);
        newest = since > newest ? since : newest;
        assert_true(op < TSM_OPCODE_COUNT);
        assert_string_equal(opcode_table[op].name, name);
        assert_string_equal(opcode_table[op].operands, operands);
        assert_int_equal(opcode_table[op].since, since);
        op++;
    }
    assert_true(feof(f));
    fclose(f);
    assert_true(op > 0);
    for (; op < OPCODE_COUNT; op++)
        if (opcode_table[op].since <= newest)
            fail_msg("%s did not exist in %s: its version in opcodes.def must be a newer one", opcode_table[op].name,
                     image_version_text(opcode_table[op].since));
}

static void older_runtimes_get_older_code(void **state) {
    (void)state;
    const image *old = export_for(SINCE(0, 1)), *new = export_for(SINCE(0, 2));
    assert_int_equal(image_version(old), SINCE(0, 1));
    assert_int_equal(arrlenu(old->features), 0);
    assert_int_equal(image_version(new), SINCE(0, 2));
    assert_int_equal(arrlenu(new->features), 1);
    assert_string_equal(new->features[0], "instructions of 0.2.0");
    assert_int_equal(image_version(export_for(0)), SINCE(0, 2));
}

static bool has_opcode(const image *m, opcode op) {
    for (size_t i = 0; i < arrlenu(m->functions[0].code); i++)
        if (m->functions[0].code[i].op == op)
            return true;
    return false;
}

/* What became an instruction in 0.3.0 is an operator for older ones. */
static void strings_and_pops_are_operators_for_older_runtimes(void **state) {
    (void)state;
    static const char text[] = "from typing import List\ndef f(a: str, b: str, l: List[int]) -> int:\n"
                               "    if a[l[0]] < b:\n        return l.pop() << len(a)\n    return 0\n";
    static const opcode added[] = {OPCODE_SHL_I, OPCODE_CMP_STR, OPCODE_LEN, OPCODE_LIST_POP, OPCODE_STR_GET};
    const image *old = export_text(text, SINCE(0, 2)), *now = export_text(text, TSM_THIS_VERSION);
    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        assert_false(has_opcode(old, added[i]));
        assert_true(has_opcode(now, added[i]));
    }
    assert_true(has_opcode(old, OPCODE_OP));
    assert_false(has_opcode(now, OPCODE_OP));
    assert_true(image_version(old) < SINCE(0, 3));
    assert_int_equal(image_version(now), SINCE(0, 3));
}

/* Numbers of lists, tuples and objects have instructions by kind, which older runtimes do not know. */
static void fetches_know_the_kind_of_numbers(void **state) {
    (void)state;
    static const char text[] =
        "from typing import Dict, List, Tuple\n"
        "def f(a: List[List[int]], t: List[Tuple[float, int]], d: Dict[int, List[bool]], i: int) -> bool:\n"
        "    a[i][i] = a[i + 1][i] + int(t[i][0])\n    return d[i][i] or d[a[i][i]][i]\n";
    static const opcode added[] = {OPCODE_LIST_GET_B,  OPCODE_LIST_GET_I, OPCODE_LIST_SET_I,
                                   OPCODE_TUPLE_GET_F, OPCODE_LIST_PEEK,  OPCODE_DICT_PEEK};
    const image *old = export_text(text, SINCE(0, 2)), *now = export_text(text, TSM_THIS_VERSION);
    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        assert_false(has_opcode(old, added[i]));
        assert_true(has_opcode(now, added[i]));
    }
    assert_true(has_opcode(old, OPCODE_LIST_GET_S));
    assert_true(image_version(old) < SINCE(0, 3));
}

/* The instruction of the newest row that the target has, or an older row's. */
static void rows_of_newer_opcodes_are_not_selected(void **state) {
    (void)state;
    static const char product[] = "def f(n: int, k: int) -> int:\n    return n * k\n",
                      by_literal[] = "def f(n: int) -> int:\n    return n * 3\n";
    const image *newest = export_text(product, 0), *now = export_text(product, TSM_THIS_VERSION),
                *literal = export_text(by_literal, TSM_THIS_VERSION);
    assert_true(has_opcode(newest, OPCODE_NEXT));
    assert_int_equal(image_version(newest), TSM_THIS_VERSION + 1);
    assert_false(has_opcode(now, OPCODE_NEXT));
    assert_true(has_opcode(now, OPCODE_MUL_I));
    assert_true(has_opcode(export_text(by_literal, 0), OPCODE_NEXT));
    assert_true(has_opcode(literal, OPCODE_MULK_I));
}

/* What the exporter of the next version writes when a program needs its new opcode. */
static image *export_for_next_version(void) {
    image *m = export_for(SINCE(0, 1));
    m->functions[0].code[0] = (image_instruction){.op = OPCODE_NEXT};
    return m;
}

static void files_for_newer_runtimes_are_refused_by_version(void **state) {
    (void)state;
    char message[256], wanted[256];
    image *m = export_for_next_version();
    /* Without the version in the file, it would look damaged. */
    assert_int_equal(open_image(m, message, sizeof message), TSM_BAD_FILE);
    assert_int_equal(image_version(m), TSM_THIS_VERSION + 1);
    image_state_version(m);
    assert_int_equal(open_image(m, message, sizeof message), TSM_UNSUPPORTED);
    snprintf(wanted, sizeof wanted, "the file needs libtsmobile %d.%d.0; this is libtsmobile %s", TSM_VERSION_MAJOR,
             TSM_VERSION_MINOR + 1, TSM_VERSION_STRING);
    assert_string_equal(message, wanted);
}

static void versions_are_compared_as_numbers(void **state) {
    (void)state;
    static const struct {
        const char *feature;
        tsm_status status;
    } cases[] = {
        {"instructions of 0.1.0", TSM_OK},
        {"instructions of 0.1.12", TSM_OK},
        {"instructions of 0.10.0", TSM_UNSUPPORTED},
        {"instructions of 1.0.0", TSM_UNSUPPORTED},

        {"instructions of 4294967296.0.0", TSM_UNSUPPORTED},
        {"instructions of x", TSM_UNSUPPORTED},
        {"instructions", TSM_UNSUPPORTED},
        {"telepathy", TSM_UNSUPPORTED},
    };
    char message[256];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        image *m = export_for(SINCE(0, 1));
        arrput(m->features, cases[i].feature);
        assert_int_equal(open_image(m, message, sizeof message), cases[i].status);
        if (cases[i].status != TSM_OK)
            assert_non_null(strstr(message, cases[i].feature + strcspn(cases[i].feature, "0123456789x")));
    }
}

static void the_version_is_one(void **state) {
    (void)state;
    unsigned major, minor, patch;
    assert_int_equal(sscanf(TSM_VERSION_STRING, "%u.%u.%u", &major, &minor, &patch), 3);
    assert_int_equal(major, TSM_VERSION_MAJOR);
    assert_int_equal(minor, TSM_VERSION_MINOR);
    assert_string_equal(TSM_VERSION_STRING, TSMC_VERSION);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opcodes_of_released_versions_stay),
        cmocka_unit_test(older_runtimes_get_older_code),
        cmocka_unit_test(strings_and_pops_are_operators_for_older_runtimes),
        cmocka_unit_test(fetches_know_the_kind_of_numbers),
        cmocka_unit_test(rows_of_newer_opcodes_are_not_selected),
        cmocka_unit_test(files_for_newer_runtimes_are_refused_by_version),
        cmocka_unit_test(versions_are_compared_as_numbers),
        cmocka_unit_test(the_version_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
