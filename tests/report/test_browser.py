#!/usr/bin/env python3
"""Reports in Chromium: what they show, that no script complains, that no text becomes markup, the keyboard, light and
dark. Without Chromium it is skipped, and says so.

    test_browser.py TSMC TSMRUN [unittest's options]"""
import json
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, need_browser  # noqa: E402
from reports import FILE, HOSTILE, data_of, make, run_tests  # noqa: E402

DRAWN = "document.documentElement.dataset.state === 'drawn'"


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        make(cls.folder.name)
        cls.browser = Browser()
        cls.browser.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.folder.cleanup()

    def at(self, name):
        return os.path.join(self.folder.name, name)

    def open(self, name):
        self.browser.open("file://" + self.at(name))
        self.browser.wait(DRAWN, 20)
        self.assertEqual(self.browser.errors, [])
        self.assertEqual(self.browser.requests(), ["file://" + self.at(name)])
        return data_of(self.at(name))

    def texts(self, selector):
        return self.browser.run("[...document.querySelectorAll(%s)].map(e => e.textContent)" % json.dumps(selector))

    def count(self, selector):
        return self.browser.run("document.querySelectorAll(%s).length" % json.dumps(selector))

    def with_data(self, name, change):
        """A report whose data is changed."""
        data = data_of(self.at("export.html"))
        with open(self.at("export.html"), encoding="utf-8") as f:
            page = f.read()
        text = change(data)
        with open(self.at(name), "w", encoding="utf-8") as f:
            f.write(re.sub(r'(id="data">).*?(</script>)', lambda m: m[1] + text.replace("<", "\\u003c") + m[2], page, flags=re.S))

    def test_export(self):
        data = self.open("export.html")
        self.assertEqual(self.texts("#sections a"), ["Methods", "Graph", "Memory plan", "Sizes", "Targets", "Sources"])
        self.assertEqual(self.count(".figure .block"), sum(len(m["blocks"]) for m in data["memory"]))
        self.assertEqual(self.count("#targets-table tbody tr"), 7)
        self.assertEqual(self.count("#size-tensors tbody tr"), len(data["sizes"]["tensors"]))
        groups = [t for t in self.texts(".tree summary .op")]
        for module in ("first", "layers", "0", "1", "last"):
            self.assertIn(module, groups)
        self.assertIn("self.layers(self.first(x))", "".join(self.texts(".tree summary code")))
        self.assertIn("return self.last(torch.flatten(y, 1))", "".join(self.texts(".source div")))

    def test_run(self):
        data = self.open("run.html")
        self.assertEqual(self.texts("#sections a"), ["Methods", "Run", "Memory while it ran", "Time", "Values",
                                                     "Differences from expected values", "Sources"])
        self.assertEqual(self.count("#time-operators tbody tr"), len(data["run"]["operators"]))
        self.assertEqual(self.count("#differences-table .good"), len(data["run"]["sites"]))
        self.assertEqual(self.count(".figure .curve"), 1)
        shares = [float(t) for t in self.texts("#time-operators td:nth-child(2)")]
        self.assertAlmostEqual(sum(shares), 100, delta=.1 * len(shares))

    def test_parts_of_files(self):
        """A class that occurs many times brings its lines as often; the page shows each line once."""
        def change(data):
            half = len(data["sources"])
            data["sources"] += json.loads(json.dumps(data["sources"]))
            for place in data["places"][::2]:
                place[3] += half if place[3] >= 0 else 0
            # Of this name, but another file.
            other = dict(data["sources"][0], text=data["sources"][0]["text"].replace("e", "E"))
            data["sources"].append(other)
            data["places"][0][3] = len(data["sources"]) - 1
            return json.dumps(data)
        before = self.open("export.html")
        names, lines = self.texts("#sources summary .code"), sum(int(t.split()[-2]) for t in self.texts("#sources summary"))
        self.with_data("parts.html", change)
        self.open("parts.html")
        shown = self.texts("#sources summary .code")
        self.assertEqual(sorted(shown), sorted(names + [before["sources"][0]["name"]]))
        self.assertEqual(sum(int(t.split()[-2]) for t in self.texts("#sources summary")), lines)
        # A link opens the file that it leads to.
        self.browser.run("document.querySelectorAll('#sources details').forEach(d => { d.open = false; })")
        self.browser.run("document.querySelector('.tree a').click()")
        self.assertEqual(self.count("#sources details[open] .chosen"), 1)

    def test_constants_count_once(self):
        """Both branches behind a guard read the same weights."""
        data = self.open("export.html")
        wanted = "%s bytes of constants" % format(sum(data["constants"]), ",")
        self.assertIn(wanted, self.texts(".tree > details > summary")[0])

    def test_long_tables(self):
        def change(data):
            data["sizes"]["tensors"] = [dict(data["sizes"]["tensors"][0], bytes=i + 1, name="t%d" % i) for i in range(100)]
            return json.dumps(data)
        self.with_data("long.html", change)
        self.open("long.html")
        first = "#size-tensors td:first-child"
        self.assertEqual(self.texts(first), [str(n) for n in range(100, 75, -1)])
        for _ in range(2):
            self.browser.run("document.querySelector('#size-tensors th button').click()")
        self.assertEqual(self.texts(first), [str(n) for n in range(1, 26)])
        self.browser.run("document.querySelector('.more').click()")
        self.assertEqual(self.texts(first), [str(n) for n in range(1, 101)])
        self.assertEqual(self.count(".more"), 0)

    def test_narrow(self):
        """On a telephone the page is not wider than the screen, and names of operators are in view."""
        self.browser.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
        try:
            for name in ("export.html", "run.html"):
                self.open(name)
                self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 390)
            right = "Math.max(...[...document.querySelectorAll('#time-operators td:last-child')].map(e => e.getBoundingClientRect().left + 40))"
            self.assertLess(self.browser.run(right), 390)
        finally:
            self.browser.call("Emulation.clearDeviceMetricsOverride")

    def test_hostile_texts(self):
        for name in ("export.html", "run.html"):
            self.open(name)
            self.assertEqual(self.count("img, iframe, object, script:not([type]) ~ script"), 0)
            self.assertEqual(self.count("script"), 2)
            self.assertNotEqual(self.browser.run("document.title"), "pwned")
        self.open("export.html")
        self.assertEqual(self.texts("h1"), [FILE + ":Net"])
        self.assertIn(HOSTILE, self.texts("#metadata td"))

    def test_no_other_script_runs(self):
        self.open("export.html")
        self.browser.run("(() => { const s = document.createElement('script'); s.textContent = 'document.title = \"pwned\"'; document.body.append(s); })()")
        self.assertNotEqual(self.browser.run("document.title"), "pwned")
        self.assertTrue(any("Content Security Policy" in e for e in self.browser.errors), self.browser.errors)

    def test_a_broken_page_is_noticed(self):
        self.with_data("broken.html", lambda data: "{")
        self.browser.open("file://" + self.at("broken.html"))
        self.assertFalse(self.browser.run(DRAWN))
        self.assertTrue(any("JSON" in e for e in self.browser.errors), self.browser.errors)

    def test_a_wrong_pass(self):
        def change(data):
            verify = {"reference": "autodiff", "tolerance": 1e-4, "wrong": "cse: wrong " + HOSTILE, "passes": [{"pass": "inline_calls", "largest": 0}]}
            return json.dumps({"tool": data["tool"], "name": "net.pt", "verify": verify})
        self.with_data("wrong.html", change)
        self.open("wrong.html")
        self.assertEqual(self.texts("#sections a"), ["Differences after passes"])
        self.assertEqual(self.texts("#differences p"), ["A pass changes what the program computes."])
        self.assertEqual(self.texts("#differences pre"), ["cse: wrong " + HOSTILE])

    def test_a_wrong_operator(self):
        data = data_of(self.at("run.html"))
        data["run"]["sites"][1]["difference"].update(agrees=False, largest=.5)
        self.with_data("differs.html", lambda _: json.dumps(data))
        self.open("differs.html")
        self.assertIn(data["run"]["sites"][1]["op"], self.texts("#differences p.bad")[0])
        self.assertEqual(self.count("#differences-table .bad"), 1)

    def test_filter(self):
        data = self.open("run.html")
        wanted = sum("convolution" in s["op"] for s in data["run"]["sites"])
        self.browser.run("(() => { const i = document.querySelector('#run input'); i.value = 'CONVOLUTION'; i.dispatchEvent(new Event('input')); })()")
        self.assertEqual(self.count("#run .leaf"), wanted)

    def test_sorting(self):
        self.open("export.html")
        self.browser.run("document.querySelector('#size-tensors th button').click()")
        numbers = [int(t.replace(",", "")) for t in self.texts("#size-tensors td:first-child")]
        self.assertEqual(numbers, sorted(numbers, reverse=True))
        self.browser.run("document.querySelector('#size-tensors th button').click()")
        self.assertEqual(self.texts("#size-tensors td:first-child")[0].replace(",", ""), str(min(numbers)))

    def test_keyboard(self):
        self.open("export.html")
        self.browser.key("Tab")
        self.assertEqual(self.browser.run("document.activeElement.className"), "skip")
        for _ in range(200):
            self.browser.key("Tab")
            if self.browser.run("document.activeElement.localName === 'summary' && !document.activeElement.parentNode.open"):
                break
        before = self.count(".tree details[open]")
        self.browser.key("Enter", "\r")
        self.assertEqual(self.count(".tree details[open]"), before + 1)

    def test_light_and_dark(self):
        back = "getComputedStyle(document.body).backgroundColor"
        colors = {}
        for scheme in ("light", "dark"):
            self.browser.color_scheme(scheme)
            self.open("export.html")
            colors[scheme] = self.browser.run(back)
        self.assertEqual(colors, {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"})
        self.browser.run("document.getElementById('theme').click()")
        self.assertEqual(self.browser.run(back), colors["light"])
        self.browser.color_scheme("light")


if __name__ == "__main__":
    need_browser()
    run_tests()
