/* Code generation where the program is too long for a text (tests/passes/codegen has those), and equal weights. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "exporter/codegen/lower_function.h"
#include "exporter/codegen/merge_storages.h"
#include "exporter/schema/graph_parser.h"
#include "exporter/source/load.h"

static const image *lower(ir_graph *g) {
    static const char nothing[] = "def none() -> int:\n    return 0\n";
    source_options options = {0};
    program *p = program_load_source("test.py", nothing, strlen(nothing), "none", &options);
    image_builder *u = builder_new(p, (codegen_options){.strip_debug = true});
    uint32_t index;
    builder_function(u, program_new_function(p, "f", g, NULL));
    function *f = builder_next_function(u, &index);
    lower_function(u, f, index);
    return builder_image(u);
}

/* A loop over n of a body with `nodes` additions. */
static const image *lower_long_loop(int nodes) {
    strbuf b = {0};
    strbuf_add(&b, "graph(%n.0 : int, %x.1 : int):\n"
                   "  %2 : bool = prim::Constant[value=1]()\n"
                   "  %3 : int = prim::Loop(%n.0, %2, %x.1)\n"
                   "    block0(%i.4 : int, %5 : int):\n");
    for (int i = 0; i < nodes; i++)
        strbuf_printf(&b, "      %%%d : int = aten::add(%%%d, %%i.4)\n", i + 6, i + 5);
    strbuf_printf(&b,
                  "      -> (%%2, %%%d)\n"
                  "  return (%%3)\n",
                  nodes + 5);
    return lower(ir_parse(strbuf_text(&b), NULL, NULL));
}

static uint32_t count_opcode(const image *m, opcode op) {
    uint32_t count = 0;
    for (size_t i = 0; i < arrlenu(m->functions[0].code); i++)
        count += m->functions[0].code[i].op == op;
    return count;
}

static void long_loops_jump_far(void **state) {
    (void)state;
    assert_int_equal(count_opcode(lower_long_loop(1000), OPCODE_LOOP), 1);
    const image *m = lower_long_loop(40000);
    assert_int_equal(count_opcode(m, OPCODE_LOOP), 0);
    assert_int_equal(count_opcode(m, OPCODE_JT), 1);
}

static void add_stored(image *m, const char *bytes, bool is_mutable) {
    image_storage storage = {.data = (const uint8_t *)bytes, .bytes = strlen(bytes), .is_mutable = is_mutable};
    image_constant constant = {.tensor = MEM_NEW(image_tensor)};
    constant.tensor->storage = (uint32_t)arrlenu(m->storages);
    arrput(m->storages, storage);
    arrput(m->constants, constant);
}

static void equal_bytes_are_stored_once(void **state) {
    (void)state;
    image m = {0};
    static const char *const bytes[] = {"one weight", "one weighs", "one weight", "", "one weight", ""};
    for (size_t i = 0; i < 6; i++)
        add_stored(&m, bytes[i], i == 4); /* constants that the program changes are not shared */
    merge_storages(&m);
    assert_int_equal(arrlenu(m.storages), 4);
    for (size_t i = 0; i < 6; i++) {
        const image_storage *s = &m.storages[m.constants[i].tensor->storage];
        assert_int_equal(s->bytes, strlen(bytes[i]));
        assert_memory_equal(s->data, bytes[i], s->bytes);
        assert_int_equal(s->is_mutable, i == 4);
    }
    assert_int_equal(m.constants[0].tensor->storage, m.constants[2].tensor->storage);
    assert_int_equal(m.constants[3].tensor->storage, m.constants[5].tensor->storage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_loops_jump_far),
        cmocka_unit_test(equal_bytes_are_stored_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
