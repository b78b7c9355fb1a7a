#!/usr/bin/env python3
"""Puts the page of reports together and writes it as two strings of C, before and behind the data.

    embed_page.py PAGE.html PAGE.css PAGE.js OUT.c

The page allows no style and no script but its own two, which it names by their SHA-256: text that got into the page in
any other way could not run."""
import base64
import hashlib
import sys

PER_LINE = 24


def hash_of(text):
    return "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def page_of(html, css, js):
    """The page's text, with @DATA@ where the data goes."""
    if "</script" in js or "</style" in css:
        raise ValueError("a script or style would end inside of its text")
    for mark, text in (("@STYLE_HASH@", hash_of(css)), ("@SCRIPT_HASH@", hash_of(js)), ("@STYLE@", css), ("@SCRIPT@", js)):
        if html.count(mark) != 1:
            raise ValueError("%s stands %d times in the page" % (mark, html.count(mark)))
        html = html.replace(mark, text)
    return html


def array_of(name, text):
    data = text.encode()
    lines = [",".join(map(str, data[i:i + PER_LINE])) for i in range(0, len(data), PER_LINE)]
    return "const char %s[] = {%s};\nconst size_t %s_bytes = %d;\n" % (name, ",\n".join(lines), name, len(data))


def main():
    html, css, js = (open(path, encoding="utf-8").read() for path in sys.argv[1:4])
    head, tail = page_of(html, css, js).split("@DATA@")
    with open(sys.argv[4], "w", encoding="utf-8") as f:
        f.write("/* Made by embed_page.py. */\n#include <stddef.h>\n"
                "extern const char report_page_head[], report_page_tail[];\n"
                "extern const size_t report_page_head_bytes, report_page_tail_bytes;\n")
        f.write(array_of("report_page_head", head) + array_of("report_page_tail", tail))


if __name__ == "__main__":
    main()
