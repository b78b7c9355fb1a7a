#!/usr/bin/env python3
"""Makes a program's manual page and its completion for bash from the text that it prints for --help.

    tool_pages.py OPTIONS.c NAME VERSION FOLDER

OPTIONS.c is the source that has the text, in `usage[]` and what follows it (`usage_of_more[]`): programs for other
machines have pages, too. Writes NAME.1 and NAME.bash to FOLDER."""
import os
import re
import sys

SUMMARY = {"tsmc": "compile TorchScript programs for libtsmobile", "tsmrun": "run, check, time and profile .tsm files"}
SEE_ALSO = {"tsmc": "tsmrun", "tsmrun": "tsmc"}


def usage_of(path):
    """The strings `usage...`, whose pieces the compiler would join."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    bodies = re.findall(r'\busage\w*\[\] =\n((?:\s*"(?:\\.|[^"\\])*"\n?)+);', text)
    pieces = re.findall(r'"((?:\\.|[^"\\])*)"', "".join(bodies))
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], "".join(pieces))


def escaped(text):
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"), flags=re.M)


def options_of(text):
    """[(how it is written, what it does)]; lines that are further in belong to what stands above, and show where what
    options do begins: one space before it is enough."""
    found = []
    column = re.search(r"\n(   +)\S", text)
    column = len(column[1]) if column else 0
    for line in text.split("\n"):
        option = re.match(r"  (-\S(?:.*?\S)?)(?:  +(.*))?$", line)
        if option and not option[2] and line[column - 1:column] == " " and len(line[:column].split()) <= 2:
            found.append([line[:column].strip(), line[column:]])
        elif option:
            found.append([option[1], option[2] or ""])
        elif found and line.startswith("   "):
            found[-1][1] += " " + line.strip()
    return found


def page(name, version, text):
    head, _, rest = text.partition("\n  -")
    synopsis, _, about = head.partition("\n")
    lines = ['.TH %s 1 "" "tsmobile %s" "tsmobile"' % (name.upper(), version)]
    lines += [".SH NAME", "%s \\- %s" % (name, escaped(SUMMARY[name]))]
    lines += [".SH SYNOPSIS", ".B " + escaped(synopsis.replace("usage: ", "")), ".SH DESCRIPTION", escaped(about.strip())]
    lines += [".SH OPTIONS"]
    rest = "  -" + rest
    for option, what in options_of(rest):
        lines += [".TP", ".B " + escaped(option), escaped(what.strip())] if what else [".TP", ".B " + escaped(option)]
    ending = [line for line in rest.split("\n") if line and not line.startswith(" ")]
    if ending:
        lines += [".SH NOTES"] + [escaped(line) for line in ending]
    lines += [".SH SEE ALSO", ".BR %s (1)" % SEE_ALSO[name]]
    return "\n".join(lines) + "\n"


def completion(name, text):
    """Options, and files where an option or the program wants one."""
    options = sorted(set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)))
    return """# bash completion for %s
_%s() {
    local current=${COMP_WORDS[COMP_CWORD]}
    if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "%s" -- "$current"))
    else
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$current"))
    fi
}
complete -F _%s %s
""" % (name, name, " ".join(options), name, name)


def main():
    source, name, version, folder = sys.argv[1:]
    text = usage_of(source)
    for ending, made in ((".1", page(name, version, text)), (".bash", completion(name, text))):
        with open(os.path.join(folder, name + ending), "w", encoding="utf-8") as f:
            f.write(made)


if __name__ == "__main__":
    main()
