"""Whether a model would run, and what it needs."""
from __future__ import annotations

import os
import tempfile
import warnings
from typing import Any, Dict, List, Optional

from .errors import BadOption, Error
from .export import Path, export, run_tsmc
from .program import Program


class Report:
    """What report() found. print() shows it."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.runs = False
        self.error: Optional[str] = None
        self.warnings: List[str] = []
        self.info: Dict[str, Any] = {}
        self.operators: Dict[str, int] = {}  # how often each stands in the program after all passes
        self.instance_bytes = 0  # the buffer before any call

    def as_json(self) -> Dict[str, Any]:
        """All of it, for json.dumps."""
        return dict(vars(self))

    def __str__(self) -> str:
        if not self.runs:
            return "%s: does not run\n%s" % (self.file, self.error)
        lines = ["%s: runs" % self.file] + ["warning: " + w for w in self.warnings]
        lines.append("%d bytes of .tsm, %d of them tensors; by %s" % (self.info["bytes"], self.info["tensor_bytes"], self.info["producer"]))
        lines += ["%s: %s" % (m["key"], m["value"]) for m in self.info["metadata"]]
        for method in self.info["methods"]:
            lines += self._method(method)
        lines.append("buffer %d bytes before any call" % self.instance_bytes)
        if self.operators:
            lines.append("operators:")
            lines += ["%6d  %s" % (n, name) for name, n in sorted(self.operators.items(), key=lambda o: -o[1])]
        return "\n".join(lines)

    @staticmethod
    def _method(method: Dict[str, Any]) -> List[str]:
        lines = ["method " + method["schema"]]
        for what, parts in (("in", method["inputs"]), ("out", method["outputs"])):
            for v in parts:
                sizes = "[%s]" % ", ".join("?" if n < 0 else str(n) for n in v["sizes"]) if "sizes" in v else ""
                lines.append("  %-4s %s%s %s%s" % (what, v["name"] + ": " if v["name"] else "", v["type"], v.get("dtype", ""), sizes))
        if method["buffer_bytes"]:
            lines.append("  buffer %d bytes, for arguments as in its example" % method["buffer_bytes"])
        return [line.rstrip() for line in lines]


def _operators(path: str, weights: Optional[Path]) -> Dict[str, int]:
    """What tsmc --dump ops prints."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # export() has shown them
        text = run_tsmc([path, "--dump", "ops"] + (["--weights", os.fspath(weights)] if weights is not None else []))
    counts: Dict[str, int] = {}
    for line in text.splitlines():
        n, name = line.split(None, 1)
        counts[name] = int(n)
    return counts


def _open(found: Report, path: Path) -> None:
    with Program(path) as program:
        found.info = program.info
        found.instance_bytes = program.usage.fixed_bytes
    found.runs = True


def report(file: Path, *, example: Any = None, target: Optional[str] = None, weights: Optional[Path] = None) -> Report:
    """Looks at a .tsm file, or exports a model (a path, as export() takes it) to a file that is thrown away. What
    cannot be exported or opened is not raised: the report says it. Files that are not there and options that do not fit
    say nothing of the model: they are."""
    name = os.fspath(file)
    found = Report(name)
    try:
        if name.endswith(".tsm"):
            _open(found, file)
            return found
        with tempfile.TemporaryDirectory(prefix="tsmobile-") as folder, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = os.path.join(folder, "model.tsm")
            export(file, made, example=example, target=target, weights=weights)
            found.warnings = [str(w.message) for w in caught]
            found.operators = _operators(name, weights)
            _open(found, made)
    except BadOption:
        raise
    except Error as e:
        found.error = str(e)
    return found
