"""Prints the checks of habits for docs/conventions.md: the name of each, and the first line of its text."""
import ast
import re

import habits

for name in re.findall(r"^tsm_habit\((\w+)", habits.read("tests/habits/CMakeLists.txt"), re.M):
    said = ast.get_docstring(ast.parse(habits.read("tests/habits/%s.py" % name)))
    first = re.sub(r"\s+", " ", said.split("\n\n")[0])
    print("* `habits.%s`: %s" % (name, re.sub(r"^\w+\.py [^:]*: ", "", first)))
