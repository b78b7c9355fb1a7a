#!/usr/bin/env python3
"""The data of tsmc --report and tsmrun --report, and that no text of a program becomes markup. (test_browser.py looks
at the pages.)

    test_report.py TSMC TSMRUN [unittest's options]"""
import collections
import html.parser
import json
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from reports import (BAD_INPUT, FILE, HOSTILE, OK, SHAPES, SOURCE, TSMC, TSMRUN, call, data_of, make,  # noqa: E402
                     run_tests)


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.counts = collections.Counter()

    def handle_starttag(self, tag, attributes):
        self.counts[tag] += 1


def tags_of(path):
    tags = Tags()
    with open(path, encoding="utf-8") as f:
        tags.feed(f.read())
    return tags.counts


def nodes_of(nodes):
    for node in nodes:
        yield node
        for block in node.get("blocks", []):
            yield from nodes_of(block["nodes"])


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        make(cls.folder.name)
        cls.export, cls.ran = (data_of(cls.at(name)) for name in ("export.html", "run.html"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def at(cls, name):
        return os.path.join(cls.folder.name, name)

    def line_of(self, data, place):
        _, _, _, source, line = data["places"][place]
        return data["sources"][source]["name"], line

    def modules_of(self, data, place):
        found = []
        while place >= 0:
            found.insert(0, data["places"][place][1])
            place = data["places"][place][2]
        return found

    def test_hostile_texts(self):
        plain = tags_of(self.at("export.html"))
        self.assertEqual((plain["script"], plain["style"], plain["img"]), (2, 1, 0))
        self.assertEqual(tags_of(self.at("run.html")), plain)
        self.assertIn({"key": "author", "value": HOSTILE}, self.export["program"]["metadata"])
        self.assertEqual(self.export["name"], FILE + ":Net")
        for data in (self.export, self.ran):
            self.assertIn(HOSTILE.replace('"', "'"), "".join(s["text"] for s in data["sources"]))
        with open(self.at("export.html"), encoding="utf-8") as f:
            text = f.read()
        self.assertEqual(text.count("<!--"), 1)
        self.assertIn("default-src 'none'; style-src 'sha256-", text)
        self.assertNotIn("http", re.sub(r'"http://www.w3.org/2000/svg"|http-equiv', "", text))

    def test_graph(self):
        nodes = list(nodes_of(self.export["graph"][0]["nodes"]))
        convolutions = [n for n in nodes if n["op"] == "tsm::convolution" and "shape" in n]
        self.assertEqual([n["shape"] for n in convolutions[-3:]], ["float32[1, 4, 4, 4]"] * 3)
        self.assertEqual([".".join(m for m in self.modules_of(self.export, n["place"]) if m) for n in convolutions[:3]],
                         ["first.conv", "layers.0.conv", "layers.1.conv"])
        self.assertIn("first.conv.weight float32[", convolutions[0]["text"])
        self.assertGreater(convolutions[0]["bytes"], 4 * 4 * 3 * 9)
        linear = next(n for n in nodes if n["op"] == "tsm::linear")
        callers = [self.line_of(self.export, p) for p in (self.export["places"][linear["place"]][2],)]
        self.assertEqual(callers, [(FILE, SOURCE[:SOURCE.index("return self.last")].count("\n") + 1)])

    def test_memory(self):
        (m,) = self.export["memory"]
        self.assertEqual(m["method"], "forward")
        self.assertTrue(m["blocks"])
        for a in m["blocks"]:
            self.assertLessEqual(a["offset"] + a["bytes"], m["region"])
            for b in m["blocks"]:  # what lives at once does not overlap
                if a is not b and a["from"] < b["to"] and b["from"] < a["to"]:
                    self.assertTrue(a["offset"] + a["bytes"] <= b["offset"] or b["offset"] + b["bytes"] <= a["offset"])
        self.assertEqual(m["buffer"], self.export["program"]["methods"][0]["buffer_bytes"])

    def test_plans_of_several_examples(self):
        with open(self.at("larger.json"), "w", encoding="utf-8") as f:
            x = dict(json.load(open(self.at("in.json"), encoding="utf-8"))[0]["tensor"])
            x["shape"], x["data"] = [2] + x["shape"][1:], x["data"] * 2
            json.dump([{"tensor": x}], f)
        call(TSMC, FILE + ":Net", "--weights", "net.pth", "--example", "in.json", "--example", "larger.json", "-o", "two.tsm", "--report",
             "two.html", cwd=self.folder.name)
        small, large = data_of(self.at("two.html"))["memory"]
        self.assertLess(small["region"], large["region"])
        self.assertEqual(small["buffer"], large["buffer"])

    def test_sizes(self):
        sizes = self.export["sizes"]
        self.assertEqual(sum(p["bytes"] for p in sizes["parts"]), self.export["program"]["bytes"])
        self.assertEqual(self.export["program"]["bytes"], os.path.getsize(self.at("net.tsm")))
        names = {t["name"] for t in sizes["tensors"]}
        self.assertLessEqual({n + ".weight" for n in SHAPES}, names)

    def test_targets(self):
        targets = {t["name"]: t for t in self.export["targets"]}
        self.assertEqual(set(targets), {"x86-64", "aarch64", "armv7", "wasm32", "cortex-m4f", "cortex-m55", "rv32imc"})
        for name in ("x86-64", "cortex-m4f"):
            call(TSMC, FILE + ":Net", "--weights", "net.pth", "--eval", "--example", "in.json", "-o", "t.tsm", "--target", name,
                 "--report", "t.html", cwd=self.folder.name)
            alone = data_of(self.at("t.html"))
            self.assertEqual([(t["name"], t["buffer"]) for t in alone["targets"]], [(name, targets[name]["buffer"])])
            self.assertEqual(alone["program"]["methods"][0]["buffer_bytes"], targets[name]["buffer"])
        self.assertLess(targets["wasm32"]["stripped"], targets["wasm32"]["file"])

    def test_the_file_is_the_same_without_a_report(self):
        call(TSMC, FILE + ":Net", "--weights", "net.pth", "--eval", "--example", "in.json", "-o", "again.tsm", "--meta",
             "author=" + HOSTILE, cwd=self.folder.name)
        with open(self.at("net.tsm"), "rb") as a, open(self.at("again.tsm"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_run(self):
        run = self.ran["run"]
        self.assertEqual(sum(s["calls"] for s in run["sites"]), sum(o["calls"] for o in run["operators"]))
        self.assertLessEqual(sum(s["ns"] for s in run["sites"]), sum(o["ns"] for o in run["operators"]))
        with open(self.at("values.json"), encoding="utf-8") as f:
            values = json.load(f)["operators"]
        self.assertEqual(len(values), sum(s["calls"] for s in run["sites"]))
        last = run["sites"][-1]
        self.assertEqual((last["op"], last["outputs"][0]["shape"]), ("tsm::linear", [1, 10]))
        self.assertAlmostEqual(last["outputs"][0]["max"], values[-1]["outputs"][0]["max"], 6)
        self.assertEqual("%s:%d" % self.line_of(self.ran, last["place"]), values[-1]["lines"][0])
        self.assertEqual(max(run["memory"]), max(run["memory"] + [run["fixed_bytes"]]))
        self.assertLessEqual(max(run["memory"]), run["high_water_bytes"])

    def test_expected_values(self):
        self.assertEqual(self.ran["run"]["expected"]["missing"], 0)
        for s in self.ran["run"]["sites"]:
            self.assertEqual((s["difference"]["agrees"], s["difference"]["largest"]), (True, 0), s)
            self.assertTrue(s["difference"]["elements"] or s["outputs"][0].get("kind"), s)
        with open(self.at("values.json"), encoding="utf-8") as f:
            values = json.load(f)
        second = [o for o in values["operators"] if o["operator"] == "tsm::convolution"][1]
        second["outputs"][0]["value"]["tensor"]["data"][5] += 1
        del values["operators"][-1]
        changed = self.compared(values)
        wrong = [s for s in changed["sites"] if not s.get("difference", {"agrees": True})["agrees"]]
        self.assertEqual(len(wrong), 1)
        self.assertAlmostEqual(wrong[0]["difference"]["largest"], 1, 5)
        self.assertEqual(changed["expected"]["missing"], 1)
        self.assertNotIn("difference", changed["sites"][-1])
        # Without elements the statistics are compared, and shapes always.
        for o in values["operators"]:
            o["outputs"][0].pop("value", None)
        second["outputs"][0]["max"] += 1
        first = [o for o in values["operators"] if o["operator"] == "tsm::convolution"][0]
        first["outputs"][0]["shape"][0] = 2
        changed = self.compared(values)
        wrong = [s["difference"] for s in changed["sites"] if not s.get("difference", {"agrees": True})["agrees"]]
        self.assertEqual([(d["why"], round(d["largest"], 4), d["elements"]) for d in wrong], [("the shape", 0, False), (None, 1, False)])

    def compared(self, values):
        with open(self.at("changed.json"), "w", encoding="utf-8") as f:
            json.dump(values, f)
        call(TSMRUN, "net.tsm", "--inputs", "in.json", "--outputs", "o.json", "--report", "changed.html", "--report-expected",
             "changed.json", cwd=self.folder.name)
        return data_of(self.at("changed.html"))["run"]

    def test_wrong_expected_values(self):
        for text, said in (("[1]", '"operators"'), ('{"operators": [{}]}', '"lines"'), ('{"operators": 3}', "array"), ("{", "JSON"),
                           ('{"operators": [{"operator": "x", "lines": [], "outputs": 1}]}', "array")):
            with open(self.at("bad.json"), "w", encoding="utf-8") as f:
                f.write(text)
            self.assertIn(said, call(TSMRUN, "net.tsm", "--inputs", "in.json", "--report", "no.html", "--report-expected", "bad.json",
                                     status=BAD_INPUT, cwd=self.folder.name))
            self.assertFalse(os.path.exists(self.at("no.html")))

    def test_options(self):
        export = (TSMC, FILE + ":Net", "--weights", "net.pth")
        for said, command in (("--report does not go with --dump", (*export, "--report", "x.html", "--dump", "ops")),
                              ("--info goes with", (TSMC, "net.tsm", "--info", "--report", "x.html")),
                              ("--check goes with", (TSMC, "net.tsm", "--check", "--report", "x.html")),
                              ("cannot write no/x.html", (*export, "--report", "no/x.html")),
                              ("cannot write no/x.html", (TSMRUN, "net.tsm", "--inputs", "in.json", "--report", "no/x.html")),
                              ("--report-expected is for", (TSMRUN, "net.tsm", "--report-expected", "values.json")),
                              ("--report goes with neither", (TSMRUN, "net.tsm", "--check", "--report", "x.html")),
                              ("--report goes with neither", (TSMRUN, "net.tsm", "--bench", "1", "--report", "x.html"))):
            self.assertIn(said, call(*command, status=BAD_INPUT, cwd=self.folder.name))
        self.assertFalse(os.path.exists(self.at("x.html")))

    def test_a_program_that_raises_writes_none(self):
        with open(self.at("bad_in.json"), "w", encoding="utf-8") as f:
            f.write('[{"tensor": {"dtype": "float32", "shape": [1], "data": [1.0]}}]')
        call(TSMRUN, "net.tsm", "--inputs", "bad_in.json", "--report", "raised.html", status=1, cwd=self.folder.name)
        self.assertFalse(os.path.exists(self.at("raised.html")))

    def test_without_debug_information_and_example(self):
        call(TSMC, FILE + ":Net", "--weights", "net.pth", "--strip", "-o", "s.tsm", "--report", "s.html", cwd=self.folder.name)
        stripped = data_of(self.at("s.html"))
        self.assertEqual(stripped["targets"], [])
        self.assertNotIn("memory", stripped)
        call(TSMRUN, "s.tsm", "--inputs", "in.json", "--outputs", "o.json", "--report", "s.html", cwd=self.folder.name)
        self.assertEqual({s["place"] for s in data_of(self.at("s.html"))["run"]["sites"]}, {-1})

    def test_verify(self):
        call(TSMC, FILE + ":Net", "--weights", "net.pth", "--eval", "--example", "in.json", "--verify", "--report", "v.html",
             status=OK, cwd=self.folder.name)
        verify = data_of(self.at("v.html"))["verify"]
        self.assertIsNone(verify["wrong"])
        self.assertIn("pack_weights", [p["pass"] for p in verify["passes"]])
        self.assertTrue(all(p["largest"] <= verify["tolerance"] for p in verify["passes"]))


if __name__ == "__main__":
    run_tests()
