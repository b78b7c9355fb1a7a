/* Code generation where the program is too long for a text (tests/passes/codegen has those), equal weights, and
 * positions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "exporter/codegen/code_positions.h"
#include "exporter/codegen/lower_function.h"
#include "exporter/codegen/merge_storages.h"
#include "exporter/codegen/pair_grammar.h"
#include "exporter/schema/graph_parser.h"
#include "exporter/source/load.h"
#include "runtime/interpreter/positions.h"

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

/* ---- Positions ---- */

/* Reads what code_positions made of an image. */
static tsm_positions coded(image *m) {
    code_positions(m);
    assert_true(m->positions && m->position_symbols && !m->strings && !m->files && !m->frames);
    size_t bytes;
    return tsm_positions_of(tsmf_root(image_write(m, &bytes)));
}

static void expect_text(tsm_positions *of, uint32_t record, const char *wanted) {
    tsm_record r;
    tsm_record_open(&r, of, record);
    for (; *wanted; wanted++)
        assert_int_equal(tsm_record_next(&r), (uint8_t)*wanted);
    assert_int_equal(tsm_record_next(&r), 0);
}

static void add_function(image *m, const image_debug_entry *entries, size_t n) {
    static const image_instruction leave = {OPCODE_RET, 0, 0, 0};
    image_function f = {.name = "f"};
    arrput(f.code, leave);
    for (size_t i = 0; i < n; i++)
        arrput(f.debug, entries[i]);
    arrput(m->functions, f);
}

enum { FILES = 300, FRAMES = 60001 };

static image_frame frame_of(uint32_t i) {
    const image_source_range none = {IMAGE_NO_INDEX, 0, 0}, here = {i % FILES, 7000 + i % 91, 7002 + i % 91 * 2},
                             there = {i % 7, 7000 + i % 3, 7000 + i % 3};
    return (image_frame){i % 11,
                         i % 7   ? i - 1
                         : i % 2 ? i / 2
                                 : IMAGE_NO_INDEX,
                         i % 13 ? here : none, i % 5 ? none : there};
}

static void expect_range(tsm_positions *of, const image *m, const uint32_t *range, image_source_range r) {
    if (r.file == IMAGE_NO_INDEX) {
        assert_int_equal(range[TSM_RANGE_LINE], 0);
        return;
    }
    const image_file *file = &m->files[r.file];
    expect_text(of, range[TSM_RANGE_FILE], file->name);
    expect_text(of, range[TSM_RANGE_TEXT], file->text);
    assert_int_equal(range[TSM_RANGE_LINE], file->first_line);
    assert_int_equal(range[TSM_RANGE_START], r.start - file->offset);
    assert_int_equal(range[TSM_RANGE_LENGTH], r.end - r.start);
}

/* What is read of a frame. */
static void expect_place(tsm_positions *of, const image *m, uint32_t i) {
    uint32_t place[TSM_PLACE_COLUMNS];
    assert_true(tsm_position_place(of, i, place));
    expect_text(of, place[TSM_PLACE_FUNCTION], m->strings[m->frames[i].function_name]);
    expect_range(of, m, place + TSM_PLACE_SERIALIZED, m->frames[i].serialized);
    expect_range(of, m, place + TSM_PLACE_ORIGINAL, m->frames[i].original);
    assert_int_equal(tsm_position_caller(of, i), m->frames[i].caller);
}

static void positions_are_read_as_they_were(void **state) {
    (void)state;
    static const image_debug_entry entries[] = {{0, 500},      {1, 499},    {2, 627},     {257, 499},    {512, 0},
                                                {1000, 60000}, {1001, 400}, {70000, 401}, {70001, 59999}};
    enum { COUNT = sizeof entries / sizeof entries[0] };
    image m = {.functions = NULL};
    for (int i = 0; i < 11; i++)
        arrput(m.strings, mem_printf("__torch__.Net%d.forward", i));
    for (uint32_t i = 0; i < FILES; i++) {
        const char *text =
            mem_printf("x = %u\n\xc3\xa9 = x * %u\n%s", i, i % 5, i % 4 ? "return x" : "\n\n\n\n\n\n\n\n");
        const image_file f = {mem_printf("code/net_%u.py", i / 2), text, 1 + i * 1000000 % 4001, 7000};
        arrput(m.files, f);
    }
    for (uint32_t i = 0; i < FRAMES; i++)
        arrput(m.frames, frame_of(i));
    add_function(&m, NULL, 0);
    add_function(&m, entries, COUNT);
    const image before = m;
    tsm_positions of = coded(&m);
    assert_null(m.functions[1].debug);
    for (uint32_t i = 0; i < FRAMES; i += i < 300 ? 1 : 997) {
        of.work = 0;
        expect_place(&of, &before, i);
    }
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(tsm_position_call(&of, 1, entries[i].pc), entries[i].frame);
        if (i)
            assert_int_equal(tsm_position_call(&of, 1, entries[i].pc - 1), entries[i - 1].frame);
    }
    assert_int_equal(tsm_position_call(&of, 0, 0), IMAGE_NO_INDEX);
}

static void long_texts_are_cut(void **state) {
    (void)state;
    char *text = mem_alloc(TSM_TEXT_BYTES + 10);
    memset(text, 'x', TSM_TEXT_BYTES + 9);
    image m = {.functions = NULL};
    const image_file file = {"f.py", text, 1, 0};
    const image_frame frame = {0, IMAGE_NO_INDEX, {0, 0, 1}, {IMAGE_NO_INDEX, 0, 0}};
    arrput(m.strings, "f");
    arrput(m.files, file);
    arrput(m.frames, frame);
    tsm_positions of = coded(&m);
    uint32_t place[TSM_PLACE_COLUMNS];
    assert_true(tsm_position_place(&of, 0, place));
    text[TSM_TEXT_BYTES - 1] = 0;
    expect_text(&of, place[TSM_PLACE_SERIALIZED + TSM_RANGE_TEXT], text);
    expect_text(&of, place[TSM_PLACE_SERIALIZED + TSM_RANGE_FILE], "f.py");
}

static void records_of_all_kinds_are_coded(void **state) {
    (void)state;
    enum { MOST = 5000 };
    uint32_t random = 1;
    for (int alphabet = 1; alphabet <= 255; alphabet += alphabet < 4 ? 1 : 50)
        for (size_t length = 0; length <= MOST; length = 3 * length + 1) {
            uint8_t bytes[MOST + 1];
            for (size_t i = 0; i < length; i++) {
                random = random * 1664525 + 1013904223;
                bytes[i] = random >> 28 || i + 1 == length ? (uint8_t)(1 + (random >> 8) % (uint32_t)alphabet) : 0;
            }
            pair_grammar g = pair_grammar_of(bytes, length, 3);
            assert_true(arrlenu(g.symbols) % g.width == 0 && arrlenu(g.symbols) <= length + g.width);
            for (int i = 0; i < g.width; i++)
                arrput(g.symbols, 0);
            const uint32_t words[TSM_POSITIONS_STARTS + 1] = {
                [TSM_POSITIONS_WIDTH] = g.width, [TSM_POSITIONS_STARTS] = 2 * g.rules};
            tsm_positions of = {words, g.symbols, TSM_POSITIONS_STARTS + 1, (uint32_t)arrlenu(g.symbols) / g.width, 0};
            tsm_record t;
            tsm_record_open(&t, &of, 0);
            for (size_t i = 0; i < length; i++)
                assert_int_equal(tsm_record_next(&t), bytes[i]);
            assert_int_equal(tsm_record_next(&t), 0);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_loops_jump_far),
        cmocka_unit_test(equal_bytes_are_stored_once),
        cmocka_unit_test(positions_are_read_as_they_were),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(records_of_all_kinds_are_coded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
