/* Code generation where the program is too long for a text (tests/passes/codegen has those), equal weights, and
 * positions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "exporter/codegen/lower_function.h"
#include "exporter/codegen/merge_storages.h"
#include "exporter/codegen/pack_calls.h"
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

static void add_frame(image *m, uint32_t caller, uint32_t line) {
    const image_frame f = {0, caller, {0, line, line + 1}, {IMAGE_NO_INDEX, 0, 0}};
    arrput(m->frames, f);
}

static image_function function_with(const image_debug_entry *entries, size_t n) {
    image_function f = {.name = "f"};
    for (size_t i = 0; i < n; i++)
        arrput(f.debug, entries[i]);
    return f;
}

/* What the steps say of an instruction. */
static uint32_t call_of(const image_function *f, uint32_t instruction) {
    uint32_t call = f->first_call, at = 0, found = IMAGE_NO_INDEX;
    for (size_t i = 0; i < arrlenu(f->steps) && (at += f->steps[i].instructions) <= instruction; i++)
        found = call += (uint32_t)f->steps[i].calls;
    return found;
}

static void steps_lead_to_every_entry(void **state) {
    (void)state;
    static const image_debug_entry entries[] = {{0, 500},      {1, 499},    {2, 627},     {257, 499},    {512, 0},
                                                {1000, 60000}, {1001, 400}, {70000, 401}, {70001, 59999}};
    enum { COUNT = sizeof entries / sizeof entries[0], FRAMES = 60001 };
    image m = {.functions = NULL};
    for (uint32_t i = 0; i < FRAMES; i++)
        add_frame(&m, i % 7 ? i - 1 : i % 2 ? i / 2 : IMAGE_NO_INDEX, i % 1000);
    arrput(m.functions, function_with(entries, COUNT));
    image_frame *before = m.frames;
    pack_calls(&m);
    assert_int_equal(arrlenu(m.frames), 1000);
    assert_int_equal(arrlenu(m.calls), FRAMES);
    for (uint32_t i = 0; i < FRAMES; i++) {
        image_frame f = m.frames[m.calls[i].frame];
        assert_int_equal(f.caller, IMAGE_NO_INDEX);
        f.caller = m.calls[i].caller ? i - m.calls[i].caller : IMAGE_NO_INDEX;
        assert_memory_equal(&f, &before[i], sizeof f);
    }
    assert_null(m.functions[0].debug);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(call_of(&m.functions[0], entries[i].pc), entries[i].frame);
        if (i)
            assert_int_equal(call_of(&m.functions[0], entries[i].pc - 1), entries[i - 1].frame);
    }
}

static void frames_that_calls_cannot_number_stay(void **state) {
    (void)state;
    static const image_debug_entry entry = {0, 0};
    enum { MOST = UINT16_MAX + 1 };
    for (int is_far = 0; is_far < 2; is_far++)
        for (uint32_t count = MOST; count <= MOST + 1; count++) {
            image m = {.functions = NULL};
            for (uint32_t i = 0; i < count; i++)
                add_frame(&m, is_far && i + 1 == count ? 0 : IMAGE_NO_INDEX, is_far ? 0 : i);
            arrput(m.functions, function_with(&entry, 1));
            pack_calls(&m);
            const bool is_packed = count == MOST;
            assert_int_equal(arrlenu(m.calls), is_packed ? count : 0);
            assert_int_equal(arrlenu(m.frames), is_packed && is_far ? 1 : count);
            assert_int_equal(arrlenu(m.functions[0].debug), !is_packed);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_loops_jump_far),
        cmocka_unit_test(equal_bytes_are_stored_once),
        cmocka_unit_test(steps_lead_to_every_entry),
        cmocka_unit_test(frames_that_calls_cannot_number_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
