/* Lexer of both dialects of TorchScript sources: text to tokens.
 *
 * Indentation becomes NEWLINE, INDENT and DEDENT tokens as in Python; inside of brackets line ends are blanks. The
 * dialects differ in keywords, in numbers (serialized code has only what C's strtod reads), in string prefixes (Python
 * only), in names beyond ASCII (Python only) and in the width of a tab (1 column; in Python up to a multiple of 8). */
#ifndef TSMC_SYNTAX_LEXER_H
#define TSMC_SYNTAX_LEXER_H

#include <stdbool.h>
#include <stdint.h>

#include "exporter/syntax/source.h"

typedef enum {
    DIALECT_SERIALIZED, /* code/ of an archive, type strings */
    DIALECT_PYTHON,     /* .py files */
} dialect;

typedef enum {
#define TOKEN(kind, text, class) TOKEN_##kind,
#include "exporter/syntax/tokens.def"
#undef TOKEN
    TOKEN_KIND_COUNT
} token_kind;

typedef struct {
    token_kind kind;
    uint32_t start, end;
} token;

/* How deep blocks may be indented. */

/* Can be copied, to look ahead and come back. */
typedef struct {
    const source_file *file; /* for error messages */
    dialect dialect;
    uint32_t at, limit;
    uint32_t brackets; /* how many are open */
    bool at_line_start, line_is_empty;
    uint32_t indents[LIMIT_INDENTATION + 1];
    uint32_t indent_count, pending_dedents;
    uint32_t *type_comments; /* stb_ds: offsets behind each "# type:" that is no "# type: ignore", in order */
} lexer;

/* Starts a lexer on bytes [start, limit) of the file, which begin a line. */
void lexer_init(lexer *l, const source_file *file, dialect d, uint32_t start, uint32_t limit);

/* Starts a lexer on bytes [start, limit) that hold one expression: line ends are blanks. */
void lexer_init_expression(lexer *l, const source_file *file, dialect d, uint32_t start, uint32_t limit);

/* The next token; TOKEN_EOF again and again at the end. Fails on what is no token. */
token lexer_next(lexer *l);

/* Reads the rest of the line as the value of a member of an Enum class in serialized code, which the printer puts
 * between quotes without escaping it: the value ends at the last quote before the next member. Returns a STRING token
 * over value and quotes. The lexer stands before the opening quote. */
token lexer_next_enum_value(lexer *l);

/* Where the string ends whose first quote stands at `at`, behind its last quote; 0: not before `limit`. */
uint32_t lexer_string_end(const char *text, uint32_t at, uint32_t limit);

/* The text of the kind in messages ("ident", "for", "("). */
const char *token_text(token_kind kind);

bool token_is_keyword(token_kind kind);

#endif
