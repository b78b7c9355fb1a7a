"""What mkdocs does with a page before it reads it: pages that are named become links, and lists and tables are where
GitHub sees them."""
import os
import re

NAMED = re.compile(r"`docs/([\w-]+\.md)`")
FENCE = re.compile(r"\s*(```|~~~)")
ITEM = re.compile(r"([*-]|\d+\.) |\|")


def prose(markdown):
    """(line, whether it is none of code that is fenced or indented) of each line."""
    fenced = False
    for line in markdown.split("\n"):
        fence = FENCE.match(line)
        fenced ^= fence is not None
        yield line, not fenced and not fence and not line.startswith("    ")


def on_page_markdown(markdown, page, config, files):
    """Called by mkdocs for each page."""
    lines = []
    here = os.path.basename(page.file.src_path)
    for line, is_prose in prose(markdown):
        if is_prose:
            line = NAMED.sub(lambda name: name[0] if name[1] == here else "[%s](%s)" % (title(name[1], config), name[1]), line)
            # Python-Markdown wants an empty line before a list or table.
            before = lines[-1] if lines else ""
            if ITEM.match(line) and before and not ITEM.match(before) and not before.startswith(" "):
                lines.append("")
        lines.append(line)
    return "\n".join(lines)


def title(name, config):
    """The heading of a page; a name that is none is left for mkdocs to complain of."""
    try:
        with open(os.path.join(config["docs_dir"], name), encoding="utf-8") as page:
            return page.readline().lstrip("# ").strip()
    except FileNotFoundError:
        return name
