/* exporter/syntax: sources and their messages, trees of both dialects. Dumps and messages are PyTorch 1.13.1's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"
#include "exporter/syntax/parser.h"

/* ---- helpers ---- */

static ast_node *parse(dialect d, const char *text) {
    return parse_file(source_new("f.py", text, strlen(text), 1), d);
}

static ast_node *parse_value(dialect d, const char *text) {
    return parse_expression(source_new("f.py", text, strlen(text), 1), d);
}

/* The dump on one line, with names in place of their nodes: "(+ a b)" for "(+ (variable (ident a)) (variable (ident
 * b)))". */
static const char *dump_of(const ast_node *node) {
    static const char variable[] = "(variable (ident ";
    strbuf text = {0}, line = {0}, out = {0};
    ast_print(node, &text);
    for (const char *s = strbuf_text(&text); *s; s++) {
        if (*s == '\n')
            s += strspn(s, "\n ") - 1;
        strbuf_add_n(&line, s, 1);
    }
    for (const char *s = strbuf_text(&line); *s;) {
        size_t length = 1, skip = 1;
        if (!strncmp(s, variable, sizeof(variable) - 1)) {
            s += sizeof(variable) - 1;
            length = strcspn(s, ")");
            skip = length + 2;
        }
        strbuf_add_n(&out, s, length);
        s += skip;
    }
    return strbuf_text(&out);
}

static void check_value(dialect d, const char *text, const char *expected) {
    assert_string_equal(dump_of(parse_value(d, text)), expected);
}

static void check_values(const char *text, const char *python, const char *serialized) {
    check_value(DIALECT_PYTHON, text, python);
    check_value(DIALECT_SERIALIZED, text, serialized);
}

static void check_both(const char *text, const char *expected) {
    check_values(text, expected, expected);
}

/* Compares the statements of a file, in brackets of their own. */
static void check_file(dialect d, const char *text, const char *expected) {
    strbuf out = {0};
    ast_node *file = parse(d, text);
    for (uint32_t i = 0; i < file->sequence.count; i++)
        strbuf_printf(&out, "%s%s", i ? " " : "", dump_of(file->sequence.items[i]));
    assert_string_equal(strbuf_text(&out), expected);
}

static void check_files(const char *text, const char *expected) {
    check_file(DIALECT_PYTHON, text, expected);
    check_file(DIALECT_SERIALIZED, text, expected);
}

static void check_error(dialect d, const char *text, const char *expected) {
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        parse(d, text);
        diag_end(&h);
        fail_msg("no error for: %s", text);
    }
    assert_false(h.internal);
    assert_string_equal(h.message, expected);
}

/* The message that compiling the file's first function gives. */
static void check_refused(const char *text, const char *expected) {
    const ast_node *def = parse(DIALECT_PYTHON, text)->sequence.items[0];
    assert_int_equal(def->kind, AST_DEF);
    assert_non_null(def->def->error);
    const ast_node *error = def->def->error;
    assert_string_equal(source_error_text(error->range, error->unsupported.message), expected);
}

/* The same for the body of a function f(a), of which only the first line of the message is compared. */
static void check_refused_body(const char *body, const char *expected) {
    const ast_node *def = parse(DIALECT_PYTHON, mem_printf("def f(a):\n%s\n", body))->sequence.items[0];
    assert_non_null(def->def->error);
    assert_string_equal(def->def->error->unsupported.message, expected);
}

/* ---- expressions ---- */

static void test_atoms(void **state) {
    (void)state;
    check_both("a", "a");
    check_both("True", "(True)");
    check_both("False", "(False)");
    check_both("None", "(None)");
    check_both("...", "(dots)");
    check_both("Ellipsis", "(dots)");
    check_both("((a))", "a");
    check_both("()", "(tuple-literal (list))");
    check_both("(a,)", "(tuple-literal (list a))");
    check_both("[a, *b,]", "(list-literal (list a (starred b)))");
    check_both("{1: a, 2: b,}", "(dict-literal (list (const 1) (const 2)) (list a b))");
    check_both("{}", "(dict-literal (list) (list))");
}

static void check_integer(dialect d, const char *text, int64_t expected) {
    ast_node *node = parse_value(d, text);
    assert_int_equal(node->kind, AST_INT);
    assert_true(node->number.integer == expected);
}

static void check_real(dialect d, const char *text, ast_kind kind, double expected, const char *shown) {
    ast_node *node = parse_value(d, text);
    assert_int_equal(node->kind, kind);
    assert_true(node->number.real == expected);
    assert_string_equal(node->number.text.bytes, shown);
}

static void test_numbers(void **state) {
    (void)state;
    check_integer(DIALECT_PYTHON, "0b101", 5);
    check_integer(DIALECT_PYTHON, "0o17", 15);
    check_integer(DIALECT_PYTHON, "0xFe", 254);
    check_integer(DIALECT_PYTHON, "1_000", 1000);
    check_integer(DIALECT_PYTHON, "9223372036854775807", INT64_MAX);
    check_integer(DIALECT_SERIALIZED, "0x1F", 31);
    check_integer(DIALECT_SERIALIZED, "-9223372036854775808", INT64_MIN);
    check_real(DIALECT_SERIALIZED, "0x1e", AST_FLOAT, 30, "0x1e");
    check_real(DIALECT_SERIALIZED, "-0.", AST_FLOAT, 0, "-0.");
    check_real(DIALECT_SERIALIZED, "4.j", AST_IMAGINARY, 4, "4.j");
    check_real(DIALECT_SERIALIZED, "1.5000000000000001e+300", AST_FLOAT, 1.5000000000000001e+300,
               "1.5000000000000001e+300");
    check_real(DIALECT_PYTHON, "1e3", AST_FLOAT, 1000, "1000.0");
    check_real(DIALECT_PYTHON, "1_0.5", AST_FLOAT, 10.5, "10.5");
    check_real(DIALECT_PYTHON, "1e16", AST_FLOAT, 1e16, "1e+16");
    check_real(DIALECT_PYTHON, ".00001", AST_FLOAT, 1e-5, "1e-05");
    check_real(DIALECT_PYTHON, "0.1", AST_FLOAT, 0.1, "0.1");
    check_real(DIALECT_PYTHON, "1e3j", AST_IMAGINARY, 1000, "1000j");
    check_both("9223372036854775808",
               "(unsupported Integral constant out of range (must fit in a signed 64 bit integer))");
    check_value(DIALECT_PYTHON, "-9223372036854775808",
                "(unary minus (unsupported Integral constant out of range (must fit in a signed 64 bit integer)))");
    check_values("-5", "(unary minus (const 5))", "(const -5)");
    check_both("-5 ** 2", "(unary minus (pow operator (const 5) (const 2)))");
}

static void check_string(dialect d, const char *text, const char *bytes, size_t length) {
    ast_node *node = parse_value(d, text);
    assert_int_equal(node->kind, AST_STRING);
    assert_int_equal(node->string.length, length);
    assert_memory_equal(node->string.bytes, bytes, length);
}

#define CHECK_STRING(d, text, literal) check_string(d, text, literal, sizeof(literal) - 1)

static void test_strings(void **state) {
    (void)state;
    CHECK_STRING(DIALECT_SERIALIZED, "\"\\a\\b\\f\\n\\r\\t\\v\\\\\\'\\\"\\000\\177\"", "\a\b\f\n\r\t\v\\'\"\0\177");
    CHECK_STRING(DIALECT_SERIALIZED, "'a' \"b\" '''c\nd'''", "abc\nd");
    CHECK_STRING(DIALECT_SERIALIZED, "'a\\\nb'", "a\nb");
    CHECK_STRING(DIALECT_PYTHON, "'\\x41\\101\\0\\u00e9\\U0001F600\\q\\\n'", "AA\0\xc3\xa9\xf0\x9f\x98\x80\\q");
    CHECK_STRING(DIALECT_PYTHON, "r'\\n' u\"b\" '''c\r\nd'''", "\\nbc\nd");
    check_value(DIALECT_PYTHON, "b'a'", "(unsupported Unknown Constant expression type)");
    check_value(DIALECT_PYTHON, "'\\N{BULLET}'", "(unsupported \\N{...} in strings is not supported)");
    check_error(DIALECT_SERIALIZED, "a = \"\\x41\"\n",
                "unsupported hex specifier:\n  File \"f.py\", line 1\na = \"\\x41\"\n    ~~~~~~ <--- HERE\n");
    check_error(DIALECT_SERIALIZED, "a = \"\\400\"\n",
                "ill formed octal specifier:\n  File \"f.py\", line 1\na = \"\\400\"\n    ~~~~~~ <--- HERE\n");
    check_error(DIALECT_PYTHON, "a = '\\xg'\n",
                "truncated \\x, \\u or \\U escape:\n  File \"f.py\", line 1\na = '\\xg'\n    ~~~~~ <--- HERE\n");
}

static void test_format_strings(void **state) {
    (void)state;
    check_value(DIALECT_PYTHON, "f'a{b}{{c}}{d + 1}' 'e{}'",
                "(apply (. (string_literal a{}{c}{}e{}) (ident format)) (list b (+ d (const 1))) (list))");
    check_value(DIALECT_PYTHON, "f\"{a['}:!=']}{b != c}{ {1: 2}[1] }\"",
                "(apply (. (string_literal {}{}{}) (ident format)) (list (subscript a (list (string_literal }:!=))) "
                "(ne b c) (subscript (dict-literal (list (const 1)) (list "
                "(const 2))) (list (const 1)))) (list))");
    check_value(DIALECT_PYTHON, "f'{a!r}'", "(unsupported Don't support conversion in JoinedStr)");
    check_value(DIALECT_PYTHON, "f'{a=}'", "(unsupported Don't support conversion in JoinedStr)");
    check_value(DIALECT_PYTHON, "f'{a:>{w}}'", "(unsupported Don't support formatting in JoinedStr)");
    check_error(DIALECT_PYTHON, "f'}'\n",
                "f-string: single '}' is not allowed:\n  File \"f.py\", line 1\nf'}'\n~~~~ <--- HERE\n");
    check_error(DIALECT_PYTHON, "f'{a'\n",
                "f-string: expecting '}':\n  File \"f.py\", line 1\nf'{a'\n~~~~~ <--- HERE\n");
}

static void test_precedence(void **state) {
    (void)state;
    check_both("a | b ^ c & d << e + f * g ** h", "(| a (^ b (& c (<< d (+ e (* f (pow operator g h)))))))");
    check_both("a - b - c", "(- (- a b) c)");
    check_both("a ** b ** c", "(pow operator a (pow operator b c))");
    check_both("a // b % c @ d >> e", "(>> (@ (% (floordiv a b) c) d) e)");
    check_both("-a ** b", "(unary minus (pow operator a b))");
    check_both("a ** -b", "(pow operator a (unary minus b))");
    check_both("-a.b[c](d)", "(unary minus (apply (subscript (. a (ident b)) (list c)) (list d) (list)))");
    check_both("not a == b", "(not (eq a b))");
    check_both("a is not b", "(is not a b)");
    check_both("a not in b", "(not (in a b))");
    check_both("a if b else c if d else e", "(if b a (if d c e))");
    check_both("a <= b", "(le a b)");
    check_both("a >= b", "(ge a b)");
    check_both("a != b", "(ne a b)");
}

static void test_precedence_that_differs(void **state) {
    (void)state;
    check_values("a or b and c", "(or a (and b c))", "(and (or a b) c)");
    check_values("~a + b", "(+ (~ a) b)", "(~ (+ a b))");
    check_values("a < b < c", "(and (< a b) (< b c))", "(< (< a b) c)");
    check_values("a < b not in c == d", "(and (and (< a b) (not (in b c))) (eq c d))", "(eq (not (in (< a b) c)) d)");
    check_value(DIALECT_SERIALIZED, "a == not b", "(eq a (not b))");
    check_error(DIALECT_PYTHON, "a == not b\n",
                "expected ident but found 'not' here:\n  File \"f.py\", line 1\na == not b\n     ~~~ <--- HERE\n");
}

static void test_primaries(void **state) {
    (void)state;
    check_both("a.b.c", "(. (. a (ident b)) (ident c))");
    check_both("f(a, *b, k=c,)", "(apply f (list a (starred b)) (list (attribute (ident k) c)))");
    check_both("f(k=a, *b)", "(apply f (list (starred b)) (list (attribute (ident k) a)))");
    check_both("a[1, b:, :, ::c, ...]",
               "(subscript a (list (const 1) (slice expr (option b) (option) (option)) (slice expr (option) "
               "(option) (option)) (slice expr (option) (option) (option c)) (dots)))");
    check_values("a[(1, 2)]", "(subscript a (list (const 1) (const 2)))",
                 "(subscript a (list (tuple-literal (list (const 1) (const 2)))))");
    check_both("Tuple[()]", "(subscript Tuple (list (tuple-literal (list))))");
    check_value(DIALECT_SERIALIZED, "d.for", "(. d (ident for))");
    check_value(DIALECT_SERIALIZED, "f(from=1, in=2)",
                "(apply f (list) (list (attribute (ident from) (const 1)) (attribute (ident in) (const 2))))");
    check_error(DIALECT_PYTHON, "d.for\n",
                "expected ident but found 'for' here:\n  File \"f.py\", line 1\nd.for\n  ~~~ <--- HERE\n");
}

static void test_comprehensions(void **state) {
    (void)state;
    check_both("[a for b in c]", "(list comprehension a b c)");
    check_both("f(a for b in c)", "(apply f (list (list comprehension a b c)) (list))");
    check_both("{a: b for c in d}", "(dict comprehension a b c d)");
    check_value(DIALECT_PYTHON, "(a for b, c in d)", "(list comprehension a (tuple-literal (list b c)) d)");
}

static void test_type_strings(void **state) {
    (void)state;
    check_value(DIALECT_SERIALIZED, "Dict[str, List[Optional[Tensor]]]",
                "(subscript Dict (list str (subscript List (list (subscript Optional (list Tensor))))))");
    check_value(DIALECT_SERIALIZED, "__torch__.m.P[NamedTuple, [[x, int]]]",
                "(subscript (. (. __torch__ (ident m)) (ident P)) (list NamedTuple (list-literal (list (list-literal "
                "(list x int))))))");
}

static void test_dotted_names(void **state) {
    (void)state;
    assert_ptr_equal(ast_dotted_name(parse_value(DIALECT_PYTHON, "a.b.c")), intern("a.b.c"));
    assert_null(ast_dotted_name(parse_value(DIALECT_PYTHON, "a().b")));
}

/* ---- statements ---- */

static void test_assignments(void **state) {
    (void)state;
    check_files("a = b = c\n", "(assign (list a b) (option c) (option))");
    check_files("a, b, = c\n", "(assign (list (tuple-literal (list a b))) (option c) (option))");
    check_files("*a, b = c\n", "(assign (list (tuple-literal (list (starred a) b))) (option c) (option))");
    check_files("a : int = b, c\n", "(assign (list a) (option (tuple-literal (list b c))) (option int))");
    check_files("a.b[1] = c\n", "(assign (list (subscript (. a (ident b)) (list (const 1)))) (option c) (option))");
    check_files("a: int\n", "(assign (list a) (option) (option int))");
    check_files("a += b\n", "(aug_assign a (+) b)");
    check_files("a **= b, c\n", "(aug_assign a (pow operator) (tuple-literal (list b c)))");
    static const char *const signs[] = {"-", "*", "/", "%", "&", "|", "^", "<<", ">>"};
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        check_files(mem_printf("a %s= b\n", signs[i]), mem_printf("(aug_assign a (%s) b)", signs[i]));
}

static void test_simple_statements(void **state) {
    (void)state;
    check_files("f(a)\n", "(expression statement (apply f (list a) (list)))");
    check_files("return\n", "(return (None))");
    check_files("return a,\n", "(return (tuple-literal (list a)))");
    check_files("raise A(b)\n", "(raise (apply A (list b) (list)))");
    check_file(DIALECT_PYTHON, "raise A from b\n", "(raise A)");
    check_files("assert a\n", "(assert a (option))");
    check_files("assert a, 'b'\n", "(assert a (option (string_literal b)))");
    check_files("del a, b[1]\n", "(del (list a (subscript b (list (const 1)))))");
    check_files("pass\nbreak\ncontinue\n", "(pass) (break) (continue)");
    check_file(DIALECT_PYTHON, "a; b;\n", "(expression statement a) (expression statement b)");
    check_file(DIALECT_SERIALIZED, "global a, b\n", "(global (list (ident a) (ident b)))");
}

static void test_compound_statements(void **state) {
    (void)state;
    check_files("if a:\n  b\nelif c:\n  d\nelse:\n  e\n",
                "(if a (list (expression statement b)) (list (if c (list (expression statement d)) (list (expression "
                "statement e)))))");
    check_files("while a: b\n", "(while a (list (expression statement b)))");
    check_files("for a, b in c:\n  pass\n", "(for (list (tuple-literal (list a b))) (list c) (list (pass)))");
    check_files("with a as b, c:\n  pass\n",
                "(with (list (withitem a (option b)) (withitem c (option))) (list (pass)))");
    check_file(DIALECT_PYTHON, "with (a as b, c,):\n  pass\n",
               "(with (list (withitem a (option b)) (withitem c (option))) (list (pass)))");
    check_file(DIALECT_PYTHON, "with (a).b as c:\n  pass\n",
               "(with (list (withitem (. a (ident b)) (option c))) (list (pass)))");
    check_file(DIALECT_PYTHON, "match = 1\nmatch(2)\n",
               "(assign (list match) (option (const 1)) (option)) (expression statement (apply match (list (const 2)) "
               "(list)))");
}

static void test_functions(void **state) {
    (void)state;
    check_files("def f(a: int, b=3, *, c: str) -> int:\n  return a\n",
                "(def (ident f) (decl (list (param (ident a) (option int) (option) (False)) (param (ident b) (option) "
                "(option (const 3)) (False)) (param (ident c) "
                "(option str) (option) (True))) (option int)) (list (return a)))");
    check_file(DIALECT_SERIALIZED, "def f():\n  def g():\n    return a\n  b = fork(g)\n",
               "(def (ident f) (decl (list) (option)) (list (def (ident g) (decl (list) (option)) (list (return a))) "
               "(assign (list b) (option (apply fork (list g) (list))) (option))))");
    const ast_node *def = parse(DIALECT_PYTHON, "@a.b\n@c(1)\ndef f(): pass\n")->sequence.items[0];
    assert_int_equal(def->def->decorators.count, 2);
    assert_null(def->def->error);
}

/* The dump of PyTorch breaks lines at 40 columns. */
static void test_dump_layout(void **state) {
    (void)state;
    strbuf out = {0};
    ast_print(parse(DIALECT_PYTHON, "def inc(n: int):\n    n = n + 1\n    return n\n")->sequence.items[0], &out);
    assert_string_equal(strbuf_text(&out), "(def\n"
                                           "  (ident inc)\n"
                                           "  (decl\n"
                                           "    (list\n"
                                           "      (param\n"
                                           "        (ident n)\n"
                                           "        (option (variable (ident int)))\n"
                                           "        (option)\n"
                                           "        (False)))\n"
                                           "    (option))\n"
                                           "  (list\n"
                                           "    (assign\n"
                                           "      (list (variable (ident n)))\n"
                                           "      (option\n"
                                           "        (+\n"
                                           "          (variable (ident n))\n"
                                           "          (const 1)))\n"
                                           "      (option))\n"
                                           "    (return (variable (ident n)))))");
}

static void test_classes(void **state) {
    (void)state;
    const char *text = "class M(Module):\n"
                       "  __parameters__ = [\"w\", ]\n"
                       "  w : Tensor\n"
                       "  for : int\n"
                       "  __annotations__[\"0\"] = __torch__.L\n"
                       "  n : Final[int] = 5\n"
                       "  def forward(self: __torch__.M) -> Tensor:\n"
                       "    return self.w\n";
    const ast_class *c = parse(DIALECT_SERIALIZED, text)->sequence.items[0]->class_def;
    assert_ptr_equal(c->name, intern("M"));
    assert_int_equal(c->bases.count, 1);
    assert_int_equal(c->body.count, 6);
    assert_string_equal(dump_of(c->body.items[2]), "(assign (list for) (option) (option int))");
    assert_string_equal(dump_of(c->body.items[3]), "(assign (list (subscript __annotations__ (list (string_literal "
                                                   "0)))) (option (. __torch__ (ident L))) (option))");
    assert_int_equal(c->body.items[5]->kind, AST_DEF);

    c = parse(DIALECT_PYTHON, "@d\nclass A(B, metaclass=C):\n    x = 1\n")->sequence.items[0]->class_def;
    assert_int_equal(c->decorators.count, 1);
    assert_int_equal(c->bases.items[1]->kind, AST_ATTRIBUTE);
}

static void test_enum_classes(void **state) {
    (void)state;
    const char *text = "class E(Enum):\n  A = \"x\"y\\n\"\n  B = \"z\"\ndef f():\n  pass\n";
    const ast_node *file = parse(DIALECT_SERIALIZED, text);
    assert_int_equal(file->sequence.count, 2);
    const ast_node *first = file->sequence.items[0]->class_def->body.items[0];
    assert_string_equal(first->assign.value->string.bytes, "x\"y\\n");
    check_file(DIALECT_SERIALIZED, "class E(Enum):\n  A = -1\n",
               "(class (ident E) (list Enum) (list (assign (list A) (option (const -1)) (option))))");
}

static void check_import(const ast_import_name *name, const char *module, const char *imported, const char *bound) {
    assert_string_equal(name->module, module);
    if (imported)
        assert_string_equal(name->name, imported);
    else
        assert_null(name->name);
    assert_string_equal(name->bound, bound);
}

static void test_imports(void **state) {
    (void)state;
    const ast_node *file =
        parse(DIALECT_PYTHON, "import a.b, c.d as e\nfrom ..f.g import (h as i, j,)\nfrom k import *\n");
    check_import(&file->sequence.items[0]->import.names[0], "a.b", NULL, "a");
    check_import(&file->sequence.items[0]->import.names[1], "c.d", NULL, "e");
    check_import(&file->sequence.items[1]->import.names[0], "..f.g", "h", "i");
    check_import(&file->sequence.items[1]->import.names[1], "..f.g", "j", "j");
    check_import(&file->sequence.items[2]->import.names[0], "k", "*", "*");
}

/* What old archives begin with. */
static void test_old_archives(void **state) {
    (void)state;
    check_file(DIALECT_SERIALIZED, "op_version_set = 1\nimport __torch__.a.for\n",
               "(assign (list op_version_set) (option (const 1)) (option)) (import (ident __torch__.a.for) (ident "
               "__torch__))");
}

/* ---- "# type:" comments ---- */

static void test_type_comments(void **state) {
    (void)state;
    const char *decl = "(def (ident f) (decl (list (param (ident a) (option int) (option) (False)) (param (ident b) "
                       "(option str) (option) (False))) (option float)) (list (return a)))";
    check_files("def f(a, b):\n    # type: (int, str) -> float\n    return a\n", decl);
    check_files("def f(a, b):  # type: (int, str) -> float\n    return a  # type: ignore[x]\n", decl);
    check_file(DIALECT_PYTHON,
               "def f(a,  # type: int\n      b  # type: str\n      ):\n    # type: (...) -> float\n    return a\n",
               decl);
    const ast_class *c = parse(DIALECT_PYTHON, "class C:\n"
                                               "    def m(self, a):\n"
                                               "        # type: (int) -> int\n"
                                               "        pass\n"
                                               "    @staticmethod\n"
                                               "    def s(a):\n"
                                               "        # type: (int) -> int\n"
                                               "        pass\n")
                             ->sequence.items[0]
                             ->class_def;
    assert_null(c->body.items[0]->def->params.items[0]->param.type);
    assert_non_null(c->body.items[0]->def->params.items[1]->param.type);
    assert_non_null(c->body.items[1]->def->params.items[0]->param.type);
}

static void test_wrong_type_comments(void **state) {
    (void)state;
    check_refused("def f(a, b):\n    # type: (int) -> int\n    return a\n",
                  "Number of type annotations (1) did not match the number of function parameters (2):\n"
                  "  File \"f.py\", line 1\n"
                  "def f(a, b):\n"
                  "~~~~~~~~~~ <--- HERE\n"
                  "    # type: (int) -> int\n"
                  "    return a\n");
    check_refused_body("    a = []  # type: List[int]",
                       "A '# type:' comment in a function must state its signature: '# type: (...) -> ...'");
    check_refused_body("    a  # type: int\n    b  # type: int",
                       "Return type line '# type: (...) -> ...' not found on multiline type annotation");
}

/* ---- what cannot be compiled ---- */

static void test_unsupported(void **state) {
    (void)state;
    static const struct {
        const char *body, *message;
    } cases[] = {
        {"    try: pass\n    except E as e: pass\n    else: pass\n    finally: pass", "try blocks aren't supported"},
        {"    try: pass\n    finally: pass", "try blocks aren't supported"},
        {"    return lambda x, *y, z=1: x", "Lambda aren't supported"},
        {"    yield a", "Yield aren't supported"},
        {"    x = yield", "Yield aren't supported"},
        {"    x = yield from a", "YieldFrom aren't supported"},
        {"    await a", "Await aren't supported"},
        {"    return {a, b}", "Set aren't supported"},
        {"    return {b for b in a}", "SetComp aren't supported"},
        {"    if (b := a): pass", "NamedExpr aren't supported"},
        {"    type b = int | a[int]", "TypeAlias aren't supported"},
        {"    type b[T: int = str, *U, **V] = int", "TypeAlias aren't supported"},
        {"    match a:\n        case [1, *_] if b: pass\n        case _:\n            pass", "Match aren't supported"},
        {"    global a", "global variables aren't supported"},
        {"    nonlocal a", "nonlocal variables aren't supported"},
        {"    import a", "import statements aren't supported"},
        {"    from a import b", "import statements aren't supported"},
        {"    class C: pass", "class definitions aren't supported"},
        {"    def g(): pass", "function definitions aren't supported"},
        {"    try: pass\n    except* E: pass", "TryStar aren't supported"},
        {"    async def g(): pass", "async function definitions aren't supported"},
        {"    async for b in a: pass", "async for loops aren't supported"},
        {"    async with a: pass", "async with statements aren't supported"},
        {"    while a: pass\n    else: pass",
         "else branches of while loops aren't supported (PyTorch's words: __init__(): incompatible constructor "
         "arguments. The following argument types are supported:)"},
        {"    for b in a: lambda: b\n    else: pass", "else branches of for loops aren't supported"},
        {"    for b in a: pass\n    else: pass", "else branches of for loops aren't supported"},
        {"    raise",
         "raise statements without an exception aren't supported (PyTorch's words: 'NoneType' object has no "
         "attribute 'lineno')"},
        {"    return {**a}", "Dict expansion (e.g. `{**dict}`) is not supported"},
        {"    return {a: a, **a}",
         "Dict expansion (e.g. `{**dict}`) is not supported (PyTorch's words: 'NoneType' object "
         "has no attribute 'lineno')"},
        {"    a //= 2",
         "unsupported kind of augmented assignment: FloorDiv:\nunsupported kind of augumented assignment: FloorDiv"},
        {"    a @= b",
         "unsupported kind of augmented assignment: MatMult:\nunsupported kind of augumented assignment: MatMult"},
        {"    b: int", "annotated assignments without assigned value aren't supported"},
        {"    self.b: int = 1",
         "Type annotations on instance attributes must be declared in __init__, not 'f': SourceRange at"},
        {"    return +a",
         "unsupported unary operator: UAdd (PyTorch's words: 'UnaryOp' object has no attribute 'range')"},
        {"    return {**a}", "Dict expansion (e.g. `{**dict}`) is not supported"},
        {"    return g(**a)", "keyword-arg expansion is not supported"},
        {"    return [b for b in a if b]", "Comprehension ifs are not supported yet"},
        {"    return [b for b in a for c in b]", "Only a single generator is currently supported"},
        {"    return __jit_a", "names of variables used in JIT-ed functions can't start with __jit"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_refused_body(cases[i].body, cases[i].message);
}

/* Only the function around an unsupported form cannot be compiled. */
static void test_unsupported_elsewhere(void **state) {
    (void)state;
    const char *text = "try:\n    import a\nexcept E:\n    a = None\n"
                       "@d(lambda x: x)\n"
                       "def f(x=lambda: 1):\n    return x\n"
                       "def g():\n    try: pass\n    finally: pass\n"
                       "def h[T: int, *U](type: T, *, match: int):\n    type = match\n    return type\n"
                       "class C[T]:\n    pass\n";
    const ast_node *file = parse(DIALECT_PYTHON, text);
    assert_int_equal(file->sequence.items[0]->kind, AST_UNSUPPORTED);
    assert_int_equal(file->sequence.items[0]->unsupported.parts.items[0]->kind, AST_IMPORT);
    assert_null(file->sequence.items[1]->def->error);
    assert_non_null(file->sequence.items[2]->def->error);
    assert_null(file->sequence.items[3]->def->error);
}

static void test_unsupported_parameters(void **state) {
    (void)state;
    static const char message[] =
        "Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults:\n";
    check_refused("def f(a, *b):\n    return 1\n", mem_printf("%s  File \"f.py\", line 1\ndef f(a, *b):\n"
                                                              "         ~~ <--- HERE\n    return 1\n",
                                                              message));
    check_refused("def f(a, **kw):\n    return 1\n", mem_printf("%s  File \"f.py\", line 1\ndef f(a, **kw):\n"
                                                                "          ~~~ <--- HERE\n    return 1\n",
                                                                message));
    check_refused("def f(*, b=10):\n    return 1\n", mem_printf("%s  File \"f.py\", line 1\ndef f(*, b=10):\n"
                                                                "           ~~ <--- HERE\n    return 1\n",
                                                                message));
}

/* ---- errors and their texts ---- */

static void test_syntax_errors(void **state) {
    (void)state;
    check_error(DIALECT_SERIALIZED, "def f():\n  return a b\n",
                "expected newline but found 'ident' here:\n  File \"f.py\", line 2\ndef f():\n  return a b\n"
                "           ~ <--- HERE\n");
    check_error(DIALECT_SERIALIZED, "f(a\n", "expected ) but found 'eof' here:\n  File \"f.py\", line 2\nf(a\n");
    check_error(DIALECT_SERIALIZED, "a = for\n",
                "expected ident but found 'for' here:\n  File \"f.py\", line 1\na = for\n    ~~~ <--- HERE\n");
    check_error(DIALECT_SERIALIZED, "def f(*a): pass\n",
                "expected , but found 'ident' here:\n  File \"f.py\", line 1\ndef f(*a): pass\n       ~ <--- HERE\n");
    check_error(DIALECT_SERIALIZED, "{a}\n",
                "expected : but found '}' here:\n  File \"f.py\", line 1\n{a}\n  ~ <--- HERE\n");
    check_error(DIALECT_PYTHON, "if a:\nb\n",
                "expected indent but found 'ident' here:\n  File \"f.py\", line 2\nif a:\nb\n~ <--- HERE\n");
    check_error(DIALECT_PYTHON, "a b\n",
                "expected newline but found 'ident' here:\n  File \"f.py\", line 1\na b\n  ~ <--- HERE\n");
}

static const char *highlight(const char *text, uint32_t start, uint32_t end) {
    strbuf out = {0};
    source_highlight(source_range_make(source_new("m.py", text, strlen(text), 10), start, end), &out);
    return strbuf_text(&out);
}

static void test_highlight(void **state) {
    (void)state;
    const char *text = "one\n  two\nthree four\n\n  five\nsix\n";
    assert_string_equal(highlight(text, 16, 20),
                        "  File \"m.py\", line 12\none\n  two\nthree four\n      ~~~~ <--- HERE\n\n"
                        "  five\n");
    assert_string_equal(highlight(text, 6, 28),
                        "  File \"m.py\", line 11\none\n  two\n  ~~~\nthree four\n~~~~~~~~~~\n\n"
                        "  five\n  ~~~~ <--- HERE\nsix\n");
    assert_string_equal(highlight(text, 0, 3), "  File \"m.py\", line 10\none\n~~~ <--- HERE\n  two\nthree four\n");
    assert_string_equal(highlight("a b", 2, 3), "  File \"m.py\", line 10\na b\n  ~ <--- HERE\n");
    assert_string_equal(highlight("", 0, 0), "  File \"m.py\", line 10\n");
}

/* A function of a .py file is shown alone, its blank lines indented like it; comments in its block belong to it. */
static void test_function_window(void **state) {
    (void)state;
    const char *text = "x = 1\n"
                       "class C:\n"
                       "    @deco\n"
                       "    def f(self):\n"
                       "\n"
                       "        y = '''a\n"
                       "        b\n"
                       "      c'''\n"
                       "        return {y}\n"
                       "\n"
                       "        # end\n"
                       "    # outside\n"
                       "    z = 2\n";
    const ast_node *method = parse(DIALECT_PYTHON, text)->sequence.items[1]->class_def->body.items[0];
    const ast_node *error = method->def->error;
    assert_string_equal(source_error_text(error->range, error->unsupported.message), "Set aren't supported:\n"
                                                                                     "  File \"f.py\", line 9\n"
                                                                                     "        b\n"
                                                                                     "      c'''\n"
                                                                                     "        return {y}\n"
                                                                                     "               ~ <--- HERE\n"
                                                                                     "    \n"
                                                                                     "        # end\n");
    strbuf out = {0};
    source_highlight(method->def->body.items[0]->assign.targets.items[0]->range, &out);
    assert_string_equal(strbuf_text(&out), "  File \"f.py\", line 6\n"
                                           "    def f(self):\n"
                                           "    \n"
                                           "        y = '''a\n"
                                           "        ~ <--- HERE\n"
                                           "        b\n"
                                           "      c'''\n");
    /* PyTorch parses a method after it took its indentation off. */
    assert_string_equal(method->def->body.items[0]->assign.value->string.bytes, "a\n    b\n  c");
}

static bool original_of(void *data, uint32_t offset, source_range *original) {
    if (offset < 4)
        return false;
    *original = source_range_make(data, 0, 3);
    return true;
}

static void test_generated_code(void **state) {
    (void)state;
    source_file *author = source_new("author.py", "abc + d\n", 8, 7);
    source_file *code = source_new("code/m.py", "x = add(abc, d)\n", 16, 1);
    code->original = original_of;
    code->original_data = author;
    strbuf out = {0};
    source_highlight(source_range_make(code, 4, 7), &out);
    assert_string_equal(strbuf_text(&out),
                        "  File \"author.py\", line 7\nabc + d\n~~~ <--- HERE\n"
                        "Serialized   File \"code/m.py\", line 1\nx = add(abc, d)\n    ~~~ <--- HERE\n");
    out = (strbuf){0};
    source_highlight(source_range_make(code, 0, 1), &out);
    assert_string_equal(strbuf_text(&out), "  File \"code/m.py\", line 1\nx = add(abc, d)\n~ <--- HERE\n");
}

static void test_callers(void **state) {
    (void)state;
    source_file *file = source_new("m.py", "g()\nh()\n", 8, 1);
    source_call outer, inner;
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        source_call_push(&outer, "f", source_range_make(file, 0, 0));
        source_call_at(source_range_make(file, 0, 3));
        source_call_push(&inner, "g", source_range_make(file, 4, 5));
        source_fail(source_range_make(file, 4, 7), "undefined value %s", "h");
    }
    assert_string_equal(h.message, "undefined value h:\n"
                                   "  File \"m.py\", line 2\ng()\nh()\n~~~ <--- HERE\n"
                                   "'g' is being compiled since it was called from 'f'\n"
                                   "  File \"m.py\", line 1\ng()\n~~~ <--- HERE\nh()\n");
    assert_null(diag_context());
    source_call_at(source_range_make(file, 0, 1));
    source_call_push(&outer, "f", source_range_make(file, 0, 0));
    source_call_pop(&outer);
    assert_null(diag_context());
}

/* ---- bounds ---- */

static const char *repeated(const char *before, const char *part, int times, const char *after) {
    strbuf out = {0};
    strbuf_add(&out, before);
    for (int i = 0; i < times; i++)
        strbuf_add(&out, part);
    strbuf_add(&out, after);
    return strbuf_text(&out);
}

static void check_too_deep_in(dialect d, const char *text, const char *expected) {
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        parse(d, text);
        diag_end(&h);
        fail_msg("no error");
    }
    assert_memory_equal(h.message, expected, strlen(expected));
}

static void check_too_deep(const char *text, const char *expected) {
    for (dialect d = DIALECT_SERIALIZED; d <= DIALECT_PYTHON; d++)
        check_too_deep_in(d, text, expected);
}

static void test_depth(void **state) {
    (void)state;
    static const char message[] =
        "more than 1000 levels of an expression in source text (tsmc's limit 'expression depth')";
    check_too_deep(repeated("", "(", 5000, ""), message);
    check_too_deep(repeated("", "[", 5000, ""), message);
    check_too_deep(repeated("", "f(", 5000, ""), message);
    check_too_deep(repeated("", "not ", 5000, "a\n"), message);
    check_too_deep(repeated("", "a + ", 5000, "a\n"), message);
    check_too_deep(repeated("", "a ** ", 5000, "a\n"), message);
    check_too_deep(repeated("", "a < ", 5000, "a\n"), message);
    check_too_deep(repeated("", "a.", 5000, "a\n"), message);
    check_too_deep(repeated("", "a if b else ", 5000, "a\n"), message);
    check_too_deep(repeated("if a: b\n", "elif a: b\n", 5000, ""), message);
    strbuf blocks = {0};
    for (int i = 0; i < 300; i++)
        strbuf_printf(&blocks, "%*sif a:\n", i, "");
    check_too_deep(strbuf_text(&blocks), "more than 256 levels of indentation");
    parse(DIALECT_PYTHON, repeated("a = ", "(", 400, repeated("b", ")", 400, "\n")));
}

static void parse_or_refuse(const char *text, size_t length, dialect dialect) {
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        parse_file(source_new("f.py", text, length, 1), dialect);
        diag_end(&h);
    } else {
        assert_false(h.internal);
    }
}

/* Damaged texts parse or are refused; under the sanitizers this shows reads out of bounds. */
static void test_mutations(void **state) {
    (void)state;
    static const char text[] =
        "import a.b as c\n"
        "class E(Enum):\n  A = \"x\"\n  B = 3\n"
        "class C(Module):\n  __parameters__ = [\"w\", ]\n  def f(self, a=1, *, b: int) -> Tuple[()]:\n"
        "    # type: (int, int) -> float\n    x, *y = f'{a!r:>{b}}' + \"\\101\", -1.5e-3j\n"
        "    for i in [k for k in {1: 2, **z}]:\n      with (a as b):\n        x[1:, ...] //= lambda q: (yield)\n"
        "    match x:\n      case 1: pass\n    return '''\n    s''' if not a < b < c else await d(*e, **g)\n";
    static const char pieces[] = "()[]{}'\"\\\n\t :=*,.#@~x0fjb";
    uint32_t seed = 1;
    for (int round = 0; round < 3000; round++) {
        char *damaged = mem_strndup(text, sizeof(text) - 1);
        size_t length = sizeof(text) - 1;
        for (int i = 0; i <= round % 4; i++) {
            seed = seed * 1664525u + 1013904223u;
            char byte = seed & 64 ? pieces[(seed >> 8) % (sizeof(pieces) - 1)] : (char)(seed >> 8);
            damaged[(seed >> 12) % length] = byte;
        }
        length -= seed >> 31 ? (seed >> 16) % length : 0;
        parse_or_refuse(damaged, length, round & 1 ? DIALECT_PYTHON : DIALECT_SERIALIZED);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atoms),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_format_strings),
        cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_precedence_that_differs),
        cmocka_unit_test(test_primaries),
        cmocka_unit_test(test_comprehensions),
        cmocka_unit_test(test_type_strings),
        cmocka_unit_test(test_dotted_names),
        cmocka_unit_test(test_assignments),
        cmocka_unit_test(test_simple_statements),
        cmocka_unit_test(test_compound_statements),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_dump_layout),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_enum_classes),
        cmocka_unit_test(test_imports),
        cmocka_unit_test(test_old_archives),
        cmocka_unit_test(test_type_comments),
        cmocka_unit_test(test_wrong_type_comments),
        cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_unsupported_elsewhere),
        cmocka_unit_test(test_unsupported_parameters),
        cmocka_unit_test(test_syntax_errors),
        cmocka_unit_test(test_highlight),
        cmocka_unit_test(test_function_window),
        cmocka_unit_test(test_generated_code),
        cmocka_unit_test(test_callers),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
