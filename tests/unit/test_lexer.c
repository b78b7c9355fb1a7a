/* exporter/syntax/lexer: tokens of both dialects, indentation, errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"
#include "exporter/syntax/lexer.h"

/* All tokens, one word each: layout tokens by name, others by their text in the source. */
static const char *tokens_of(const char *text, size_t length, dialect d) {
    source_file *file = source_new("f.py", text, length, 1);
    lexer l;
    lexer_init(&l, file, d, 0, file->length);
    strbuf out = {0};
    for (;;) {
        token t = lexer_next(&l);
        if (t.kind == TOKEN_EOF)
            return strbuf_text(&out);
        strbuf_add(&out, out.length ? " " : "");
        if (t.kind == TOKEN_NEWLINE || t.kind == TOKEN_INDENT || t.kind == TOKEN_DEDENT)
            strbuf_printf(&out, "<%s>", token_text(t.kind));
        else
            strbuf_add_n(&out, file->text + t.start, t.end - t.start);
    }
}

static void check(dialect d, const char *text, const char *expected) {
    assert_string_equal(tokens_of(text, strlen(text), d), expected);
}

static void check_both(const char *text, const char *expected) {
    check(DIALECT_SERIALIZED, text, expected);
    check(DIALECT_PYTHON, text, expected);
}

static void check_error(dialect d, const char *text, const char *expected) {
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        tokens_of(text, strlen(text), d);
        diag_end(&h);
        fail_msg("no error for: %s", text);
    }
    assert_string_equal(h.message, expected);
}

static token_kind kind_of(dialect d, const char *text) {
    source_file *file = source_new("f.py", text, strlen(text), 1);
    lexer l;
    lexer_init(&l, file, d, 0, file->length);
    return lexer_next(&l).kind;
}

static void test_every_spelling(void **state) {
    (void)state;
    for (token_kind k = TOKEN_STRING + 1; k < TOKEN_KIND_COUNT; k++)
        assert_int_equal(kind_of(DIALECT_PYTHON, token_text(k)), k);
}

static void test_python_only(void **state) {
    (void)state;
    assert_int_equal(kind_of(DIALECT_SERIALIZED, "lambda"), TOKEN_IDENT);
    assert_int_equal(kind_of(DIALECT_SERIALIZED, "from"), TOKEN_IDENT);
    assert_int_equal(kind_of(DIALECT_SERIALIZED, "with"), TOKEN_WITH);
    check(DIALECT_SERIALIZED, "a //= b", "a // = b <newline>");
    check(DIALECT_PYTHON, "a //= b", "a //= b <newline>");
    check(DIALECT_SERIALIZED, "a := b", "a : = b <newline>");
    check(DIALECT_SERIALIZED, "f\"a\"", "f \"a\" <newline>");
    check(DIALECT_PYTHON, "f\"{a[\"b\"]} {f\"{'c'}\"}\" 'd'", "f\"{a[\"b\"]} {f\"{'c'}\"}\" 'd' <newline>");
    check(DIALECT_PYTHON, "f\"{a:'>3}{{\" f\"{b\" 'd'", "f\"{a:'>3}{{\" f\"{b\" 'd' <newline>");
    check(DIALECT_PYTHON, "f\"a\" Rb'\\'' u'x' abc'd'", "f\"a\" Rb'\\'' u'x' abc 'd' <newline>");
    check(DIALECT_PYTHON, "caf\xc3\xa9 = 1", "caf\xc3\xa9 = 1 <newline>");
}

static void test_numbers(void **state) {
    (void)state;
    check_both("0 12 1. .5 1.5e-7 1E+3 2j 1.j 0x1F", "0 12 1. .5 1.5e-7 1E+3 2j 1.j 0x1F <newline>");
    check_both("1.x 1e 1..a", "1. x 1 e 1. . a <newline>");
    check(DIALECT_PYTHON, "1_000 0b1_1 0o17 0xF_F 1_0.5_0", "1_000 0b1_1 0o17 0xF_F 1_0.5_0 <newline>");
    check(DIALECT_SERIALIZED, "1_000 0b11", "1 _000 0 b11 <newline>");
}

static void test_strings(void **state) {
    (void)state;
    check_both("'a' \"b'c\" ''", "'a' \"b'c\" '' <newline>");
    check_both("'it\\'s' 'x\\\\'", "'it\\'s' 'x\\\\' <newline>");
    check_both("'''a\n'b''c''' \"\"\"\"d\"\"\"", "'''a\n'b''c''' \"\"\"\"d\"\"\" <newline>");
    check_both("'a\\\nb'", "'a\\\nb' <newline>");
    check_error(DIALECT_SERIALIZED, "x = 'abc\n",
                "unterminated string:\n  File \"f.py\", line 1\nx = 'abc\n    ~~~~ <--- HERE\n");
    check_error(DIALECT_PYTHON, "'''abc\n", "unterminated string:\n  File \"f.py\", line 1\n'''abc\n~~~~~~\n");
}

static void test_indentation(void **state) {
    (void)state;
    check_both("a:\n  b\n  c:\n    d\ne\n",
               "a : <newline> <indent> b <newline> c : <newline> <indent> d <newline> <dedent> <dedent> e <newline>");
    check_both("a:\n  b", "a : <newline> <indent> b <newline> <dedent>");
    check_both("a\n\n   \n      # comment\nb\n", "a <newline> b <newline>");
    check_both("a:\r\n  b\r\n", "a : <newline> <indent> b <newline> <dedent>");
    check(DIALECT_PYTHON, "a:\n\tb\n        c\n", "a : <newline> <indent> b <newline> c <newline> <dedent>");
    check(DIALECT_SERIALIZED, "a:\n\tb\n c\n", "a : <newline> <indent> b <newline> c <newline> <dedent>");
    check_error(DIALECT_PYTHON, "a:\n    b\n  c\n",
                "invalid indent level 2:\n  File \"f.py\", line 3\na:\n    b\n  c\n");
}

static void test_joined_lines(void **state) {
    (void)state;
    check_both("f(a,\n  b\n)\nc", "f ( a , b ) <newline> c <newline>");
    check_both("a + \\\n  b\n", "a + b <newline>");
    check_both("[\n# comment\n1]", "[ 1 ] <newline>");
}

static void test_invalid_tokens(void **state) {
    (void)state;
    check_error(DIALECT_SERIALIZED, "a ; b",
                "expected a valid token but found ';' here:\n  File \"f.py\", line 1\na ; b\n  ~ <--- HERE\n");
    check_error(DIALECT_PYTHON, "$",
                "expected a valid token but found '$' here:\n  File \"f.py\", line 1\n$\n~ <--- HERE\n");
    check_error(DIALECT_SERIALIZED, "a \x01",
                "expected a valid token but found byte 0x01 here:\n  File \"f.py\", line 1\na \x01\n  ~ <--- HERE\n");
}

static void test_zero_bytes(void **state) {
    (void)state;
    static const char text[] = "'a\0b' c";
    const char *tokens = tokens_of(text, sizeof(text) - 1, DIALECT_SERIALIZED);
    assert_memory_equal(tokens, "'a\0b' c <newline>", sizeof("'a\0b' c <newline>"));
}

static void test_type_comments(void **state) {
    (void)state;
    static const char text[] =
        "a  # type: int\nb  # type: ignore\nc # type: ignore[attr-defined]\n# note # type: (x)\n";
    source_file *file = source_new("f.py", text, sizeof(text) - 1, 1);
    lexer l;
    lexer_init(&l, file, DIALECT_PYTHON, 0, file->length);
    while (lexer_next(&l).kind != TOKEN_EOF)
        ;
    assert_int_equal(arrlen(l.type_comments), 2);
    assert_memory_equal(text + l.type_comments[0], " int", 4);
    assert_memory_equal(text + l.type_comments[1], " (x)", 4);
}

/* The printer of archives does not escape the values of Enum members. */
static void test_enum_values(void **state) {
    (void)state;
    static const char text[] = "  A = \"a\"b\n\"\n  c\"\n  B = 3\n";
    source_file *file = source_new("f.py", text, sizeof(text) - 1, 1);
    lexer l;
    lexer_init(&l, file, DIALECT_SERIALIZED, 0, file->length);
    assert_int_equal(lexer_next(&l).kind, TOKEN_INDENT);
    lexer_next(&l);
    lexer_next(&l);
    token value = lexer_next_enum_value(&l);
    assert_int_equal(value.kind, TOKEN_STRING);
    assert_int_equal(value.end - value.start, strlen("\"a\"b\n\"\n  c\""));
    assert_int_equal(lexer_next(&l).kind, TOKEN_NEWLINE);
    lexer_next(&l);
    lexer_next(&l);
    assert_int_equal(lexer_next_enum_value(&l).kind, TOKEN_NUMBER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_spelling), cmocka_unit_test(test_python_only), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_strings),        cmocka_unit_test(test_indentation), cmocka_unit_test(test_joined_lines),
        cmocka_unit_test(test_invalid_tokens), cmocka_unit_test(test_zero_bytes),  cmocka_unit_test(test_type_comments),
        cmocka_unit_test(test_enum_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
