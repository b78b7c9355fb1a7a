"""The form of texts: what files begin with, how long lines, functions and files are, how they end.

- Every C file, header and Python file begins with a comment that says what it is.
- Comments are at most 120 columns wide, and so is C code (which clang-format breaks).
- Functions have at most 80 lines, files of code at most 1,000.
- No line ends with spaces, every file ends with one end of line.
"""
import ast
import io
import re
import tokenize

import habits

COLUMNS, FUNCTION_LINES, FILE_LINES = 120, 80, 1000
C = (".c", ".h", ".cc", ".S", ".def")
COMMENT_MARKS = {".sh": "#", ".cmake": "#", "CMakeLists.txt": "#", ".fbs": "//", ".ld": "/*"}
# Data that programs write, in which spaces and line ends are theirs.
DATA = (".json", ".pt", ".ptl", ".pth", ".npy", ".png", ".jpg", ".wav", ".svg", ".gz", ".zip", ".bin", ".tsm", ".xz")


def first_line_faults(path, text):
    if path.endswith(".py"):
        text = re.sub(r"^#!.*\n", "", text)
        begins = text.startswith(('"""', 'r"""', "# "))
    else:
        begins = text.startswith(("/*", "//"))
    if not begins:
        yield "%s:1: the file does not begin with a comment that says what it is" % path


def python_comment_lines(text):
    """The numbers of lines that belong to comments and docstrings."""
    lines, statement_begins = set(), True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        docstring = token.type == tokenize.STRING and statement_begins and token.string.startswith(('"""', 'r"""'))
        if docstring or token.type == tokenize.COMMENT:
            lines.update(range(token.start[0], token.end[0] + 1))
        statement_begins = token.type in (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT)
    return lines


def column_faults(path, text):
    lines = text.split("\n")
    if path.endswith(".py"):
        asked = python_comment_lines(text)
    elif path.endswith(C):
        asked = range(1, len(lines) + 1)
    else:
        mark = next((m for ending, m in COMMENT_MARKS.items() if path.endswith(ending)), None)
        asked = [n for n, line in enumerate(lines, 1) if mark and line.lstrip().startswith(mark)]
    for n in sorted(asked):
        if len(lines[n - 1]) > COLUMNS:
            yield "%s:%d: %d columns; %d are allowed" % (path, n, len(lines[n - 1]), COLUMNS)


def end_faults(path, text):
    for n, line in enumerate(text.split("\n"), 1):
        if line != line.rstrip():
            yield "%s:%d: spaces at the end of the line" % (path, n)
    if text and (not text.endswith("\n") or text.endswith("\n\n")):
        yield "%s: the file does not end with one end of line" % path


def c_functions(text):
    """(first line, lines) of each function's body, by clang-format's layout: its braces stand in or end column 0's
    lines."""
    start = None
    for n, line in enumerate(text.split("\n"), 1):
        if line.endswith("{") and not line.startswith(("#", "}")):
            start = n if not line.startswith(" ") or start is None else start
        elif line == "}" and start:
            yield start, n - start + 1
            start = None


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            yield node.lineno, node.end_lineno - node.lineno + 1


def length_faults(path, text):
    count = text.count("\n")
    if count > FILE_LINES:
        yield "%s: %d lines; %d are allowed" % (path, count, FILE_LINES)
    functions = python_functions if path.endswith(".py") else c_functions
    for line, count in functions(text):
        if count > FUNCTION_LINES:
            yield "%s:%d: a function of %d lines; %d are allowed" % (path, line, count, FUNCTION_LINES)


def faults_of(path):
    text = habits.read(path)
    yield from column_faults(path, text)
    yield from end_faults(path, text)
    if path.endswith((".c", ".h", ".cc", ".py")):
        yield from first_line_faults(path, text)
        yield from length_faults(path, text)


if __name__ == "__main__":
    texts = [path for path in habits.files() if not path.endswith(DATA)]
    habits.finish([fault for path in texts for fault in faults_of(path)], "texts of %d files" % len(texts))
