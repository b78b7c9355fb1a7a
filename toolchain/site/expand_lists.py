#!/usr/bin/env python3
"""Doxygen's filter of headers: enums that are made of a list become enums with a comment behind each name.

    expand_lists.py HEADER

Such an enum is `#define X(parameters) NAME,`, a list of calls of X, `#undef X`. The comment is the text in the list's
row, and for a dtype the size of its elements. Other headers stay as they are."""
import re
import sys

ENUM = re.compile(r"#define X\(([\w, ]+)\) (TSM_\w*##\w+(?: = \w+)?),\n\s*(\w+_LIST)\(X\)\n#undef X\n")
CALL = re.compile(r'X\(((?:"[^"]*"|[^()"])*)\)')
ARGUMENT = re.compile(r'"[^"]*"|[^\s,][^,]*')


def rows(text, name):
    """The arguments of each call of X in the list's #define."""
    body = re.search(r"#define %s\(X\)((?:.*\\\n)+.*\n)" % name, text)[1]
    return [ARGUMENT.findall(call) for call in CALL.findall(body)]


def member(parameters, pattern, row):
    """One name of the enum, with its comment."""
    values = dict(zip(parameters, row))
    code = "".join(values.get(word, word) for word in re.split(r"(\W+)", pattern)).replace("##", "")
    size = ", %s bytes an element" % values["bytes"] if "bytes" in values else ""
    return "    %s, /**< %s%s */\n" % (code, values["text"].strip('"'), size)


def expanded(text):
    return ENUM.sub(lambda enum: "".join(member(enum[1].split(", "), enum[2], row) for row in rows(text, enum[3])), text)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as header:
        sys.stdout.write(expanded(header.read()))
