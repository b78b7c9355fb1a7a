#!/usr/bin/env python3
"""The site is made without a warning, its links lead somewhere, and what would be a hole in it stops the build.

    test_site.py"""
import html.parser
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SKIPPED = 77
SOURCES = ("mkdocs.yml", "docs", "toolchain/site", "runtime/include", "platform/platform.h")


def build(root, folder):
    return subprocess.run([sys.executable, os.path.join(root, "toolchain/site/build.py"), folder], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


class Page(html.parser.HTMLParser):
    """The names and the links of a page."""

    def __init__(self, path):
        super().__init__()
        self.names, self.links = set(), []
        with open(path, encoding="utf-8") as f:
            self.feed(f.read())

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key in ("id", "name"):
                self.names.add(value)
            elif key in ("href", "src") and value:
                self.links.append(value)


def check_links(folder):
    """Every link to a file of the site, and from documents to a name in one. (Doxygen links to members of a union that
    it gives no name.)"""
    pages, api = {}, os.path.join(folder, "api")
    for where, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(where, name)
                pages[path] = Page(path)
    faults, count = [], 0
    for path in pages:
        if os.path.basename(path) == "404.html":  # for servers: its links begin at the server's root
            continue
        for link in pages[path].links:
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(url.path))) if url.path else path
            count += 1
            if not os.path.exists(target):
                faults.append("%s: no file %s" % (os.path.relpath(path, folder), link))
            elif path.startswith(api):
                continue
            elif url.fragment and target in pages and urllib.parse.unquote(url.fragment) not in pages[target].names | {"__skip"}:
                faults.append("%s: no name %s" % (os.path.relpath(path, folder), link))
    if faults:
        sys.exit("\n".join(faults))
    print("ok: %d links in %d pages" % (count, len(pages)))


def edited(root, name, before, after):
    path = os.path.join(root, name)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    assert before in text, (name, before)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace(before, after, 1))


def check_refusals(folder):
    """Holes, and what the build says of each."""
    holes = [
        ("docs/index.md", "# tsmobile\n", "# tsmobile\n\n[lost](lost.md)\n", "lost.md"),
        ("docs/index.md", "# tsmobile\n", "# tsmobile\n\n`docs/lost.md`\n", "lost.md"),
        ("mkdocs.yml", "      - state.md\n", "", "state.md"),
        ("runtime/include/tsmobile.h", "/** Bytes of an element. */\n", "", "tsm_dtype_size"),
        ("runtime/include/tsmobile.hpp", "    /** How many elements there are. */\n", "", "size"),
    ]
    for number, (name, before, after, said) in enumerate(holes):
        root = os.path.join(folder, str(number))
        for source in SOURCES:
            target = os.path.join(root, source)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            copy = shutil.copytree if os.path.isdir(os.path.join(ROOT, source)) else shutil.copy
            copy(os.path.join(ROOT, source), target)
        edited(root, name, before, after)
        done = build(root, os.path.join(root, "site"))
        if not done.returncode or said not in done.stdout:
            sys.exit("%s with %r for %r: exit status %d\n%s" % (name, after, before, done.returncode, done.stdout))
    print("ok: %d holes are refused" % len(holes))


def main():
    missing = [program for program in ("mkdocs", "doxygen") if not shutil.which(program)]
    if missing:
        print("SKIPPED: %s missing, so no site was made.\n`toolchain/setup.sh docs` installs what is needed." % " and ".join(missing))
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        done = build(ROOT, os.path.join(folder, "site"))
        if done.returncode:
            sys.exit(done.stdout)
        check_links(os.path.join(folder, "site"))
        check_refusals(folder)


if __name__ == "__main__":
    main()
