"""python -m tsmobile: reports about models, and the program tsmc that comes with the package."""
from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from typing import List, NoReturn

from . import __version__
from .errors import BadOption
from .export import TSMC
from .report import report


class Parser(argparse.ArgumentParser):
    """Wrong usage is said in one line, as tsmc says it."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, "%s: %s; --help lists the options\n" % (self.prog, message))


def main(arguments: List[str]) -> int:
    """Returns the exit status: 0 done, 1 the model does not run, 2 wrong usage."""
    if arguments[:1] == ["tsmc"]:
        return subprocess.run([TSMC, *arguments[1:]], check=False).returncode
    parser = Parser(prog="python -m tsmobile", description="Exports TorchScript models and says whether they run.")
    parser.add_argument("--version", action="version", version="tsmobile " + __version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="report|tsmc")
    asked = commands.add_parser("report", help="whether a model would run, its methods, sizes, operators and the buffer that it needs")
    asked.add_argument("file", help="a .tsm file, or what tsmc takes: .pt, .ptl, .pt2, FILE.py:NAME")
    asked.add_argument("--example", help="arguments to specialize to: .json or .pt")
    asked.add_argument("--target", help="the machine for which memory is planned")
    asked.add_argument("--weights", help="the state dict of a module class")
    asked.add_argument("--json", action="store_true", help="as JSON")
    commands.add_parser("tsmc", help="run tsmc with the arguments that follow")
    given = parser.parse_args(arguments)
    try:
        found = report(given.file, example=given.example, target=given.target, weights=given.weights)
    except OSError as e:
        asked.error("%s: %s" % (e.filename, e.strerror))
    except BadOption as e:
        asked.error(str(e))
    try:
        print(json.dumps(found.as_json(), indent=1) if given.json else found, flush=True)
    except BrokenPipeError:  # nobody reads on, as in `... | head`; Python would write once more at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0 if found.runs else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
