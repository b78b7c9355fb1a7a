#!/usr/bin/env python3
"""Numbers fetched from containers in containers: where the interpreter does three instructions at once, results and
errors are those of the instructions one by one, whatever stands behind each and whatever the containers hold.

  test_fetches.py TSMRUN_SERVER"""
import itertools
import json
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, os.pardir, "verification"), os.path.join(HERE, os.pardir)]
import tsm_file  # noqa: E402
from fork_server import ForkServer  # noqa: E402
from programs import *  # noqa: E402,F403

INNER, OTHER, OUT = V + 1, V + 2, I + 2  # registers: what is fetched first; the second argument; the result
OK, BAD_FILE = 0, 2
WRONG_TYPE, NO_ITEM, NO_KEY = "a value is of another type than the file says", "list index out of range", "KeyError: "


def no_more(c):
    return c


def drop(c):
    return c("DROP", INNER)


def drop_another(c):
    return c("DROP", V + 3)


def move(c):
    return c("MOVE", V + 3, INNER)


ENDS = [drop, drop_another, move, no_more]
# (how the second is fetched, from which register)
SECOND = [(how, where) for how in ("LIST_GET_S", "LIST_GET_I", "TUPLE_GET_S", "TUPLE_GET_I") for where in (INNER, OTHER)]
INDICES = {"LIST": [0, 1, -1, -2, 2, -3], "TUPLE": [0, 1, 2]}
KEYS = [0, 1, 2]
STORED = 99
ITEMS = [[10, 11], (10, 11), [], (), 7, None, "ab", [None, "s"], ("s", None), [[1], [2]], {0: 10, 1: 11}, {1: "s"}, {}]


def methods():
    """(name, code, how the second is fetched, from where, at which index)"""
    for (how, where), end in itertools.product(SECOND, ENDS):
        first = "LIST_GET" if how.endswith("_S") else "LIST_PEEK"
        if first == "LIST_GET" and end is not drop:
            continue
        for index in INDICES[how.split("_")[0]]:
            c = Code().wide("LOADI", I, 0).wide("LOADI", I + 1, index % 2**32)(first, INNER, V, I)
            c(how, OUT, where, I + 1 if how.startswith("LIST") else index)
            yield "%s_%s_%d_%s_%d" % (first, how, where, end.__name__, index), end(c).listed("RET", 0, [OUT]), how, where, index
    for how, where, end in [("LIST_SET_I", INNER, drop), ("LIST_SET_I", INNER, no_more), ("LIST_SET_I", OTHER, drop), ("LIST_SET", INNER, drop)]:
        for index in INDICES["LIST"]:
            c = Code().wide("LOADI", I, 0).wide("LOADI", I + 1, index % 2**32).wide("LOADI", OUT, STORED)
            c("LIST_PEEK", INNER, V, I)(how, where, I + 1, OUT)
            c = end(c)("DROP", INNER)("LIST_GET", INNER, V, I)("LIST_GET_I", OUT, where, I + 1)
            yield "%s_%d_%s_%d" % (how, where, end.__name__, index), c.listed("RET", 0, [OUT]), how, where, index
    for how, where, end, key in itertools.product(("DICT_GET_S", "DICT_HAS", "DICT_SET"), (INNER, OTHER), ENDS, KEYS):
        c = Code().wide("LOADI", I, 0).wide("LOADI", I + 1, key).wide("LOADI", OUT, STORED)("LIST_PEEK", INNER, V, I)
        out = B if how == "DICT_HAS" else OUT
        c = end(c(how, where, I + 1, OUT) if how == "DICT_SET" else c(how, out, where, I + 1))
        if how == "DICT_SET":
            c("DROP", INNER)("LIST_GET", INNER, V, I).wide("LOADI", OUT, 0)("DICT_GET_S", OUT, where, I + 1)
        yield "%s_%d_%s_%d" % (how, where, end.__name__, key), c.listed("RET", 0, [out]), how, where, key


def expected_of_dict(how, container, key):
    if not isinstance(container, dict):
        return WRONG_TYPE
    if how == "DICT_HAS":
        return key in container
    if how == "DICT_SET":
        return STORED
    if key not in container:
        return NO_KEY
    return container[key] if type(container[key]) is int else WRONG_TYPE


def expected(how, container, index):
    """The number, or what the error says."""
    if how.startswith("DICT"):
        return expected_of_dict(how, container, index)
    wanted = list if how.startswith("LIST") else tuple
    if type(container) is not wanted:
        return WRONG_TYPE
    if not -len(container) <= index < len(container):
        return NO_ITEM if wanted is list else WRONG_TYPE
    if how.startswith("LIST_SET"):
        return STORED
    return container[index] if type(container[index]) is int else WRONG_TYPE


def as_json(v):
    if isinstance(v, tuple):
        return {"tuple": [as_json(item) for item in v]}
    if isinstance(v, dict):
        return {"dict": [[key, as_json(item)] for key, item in v.items()]}
    return [as_json(item) for item in v] if isinstance(v, list) else v


class Fetches(unittest.TestCase):
    def test_all(self):
        made = list(methods())
        other = {"LIST": [20, 21], "TUPLE": (20, 21), "DICT": {0: 20, 1: 21}}
        arguments = [{"name": "x", "type": 0}, {"name": "y", "type": 0}]
        program = {"version": 1, "features": ["instructions of 0.3.0"], "types": [a_type("Any")],
                   "functions": [function(name, code, [V, OTHER]) for name, code, *_ in made],
                   "methods": [{"name": name, "function": i, "arguments": arguments, "result": 0, "schema": name + "(Any x, Any y)"}
                               for i, (name, *_) in enumerate(made)],
                   "stack_registers": 64, "stack_frames": 4}
        with tempfile.TemporaryDirectory() as folder, ForkServer(os.path.abspath(sys.argv[1])) as tsmrun:
            path, inputs, outputs = (os.path.join(folder, name) for name in ("fetches.tsm", "in.json", "out.json"))
            with open(path, "wb") as f:
                f.write(tsm_file.write(program))
            for name, _, how, where, index in made:
                pairs = [([item], other[how.split("_")[0]]) for item in ITEMS]
                answers = [(pair, expected(how, pair[0][0] if where == INNER else pair[1], index)) for pair in pairs]
                good = [(pair, answer) for pair, answer in answers if isinstance(answer, int)]
                calls = [[pair for pair, _ in good]] + [[pair] for pair, answer in answers if not isinstance(answer, int)]
                for call in filter(None, calls):
                    with open(inputs, "w") as f:
                        json.dump([[as_json(v) for v in pair] for pair in call], f)
                    p = tsmrun.run([path, "--method", name, "--sequence", inputs, "--outputs", outputs])
                    if call is calls[0]:
                        self.assertEqual(p.returncode, OK, (name, call, p.stderr))
                        with open(outputs) as f:
                            self.assertEqual(json.load(f), [answer for _, answer in good], (name, call))
                    else:
                        text = dict((id(pair), answer) for pair, answer in answers)[id(call[0])]
                        self.assertIn(p.returncode, (1, BAD_FILE), (name, call))
                        self.assertIn(text, p.stderr, (name, call))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
