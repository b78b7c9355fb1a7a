#!/usr/bin/env python3
"""Holds schema/traits.txt against what operators do: the samples of samples.txt, as PyTorch showed them (facts.json,
made by record.py) and as libtsmobile shows them at -O0.

  test_traits.py TSMC_SERVER TSMRUN_SERVER"""
import concurrent.futures
import itertools
import json
import os
import re
import sys
import unittest

import calls
import dtypes
import mixed
import mobile
import operators
import probes
import quantized
from operators import gen_operators, traits

TSMC, TSMRUN = sys.argv[1:3]
DEFINITIONS = traits.read_definitions()[0]
IMPLEMENTED = operators.implemented()
BY_NAME = {o.name: o for o in IMPLEMENTED}
ROWS, SAMPLES = operators.read_rows(), operators.read_samples()
with open(os.path.join(operators.HERE, "facts.json")) as f:
    TORCH = {sample: set(facts.split()) for sample, facts in json.load(f).items()}
with open(os.path.join(operators.HERE, "overlaps.json")) as f:
    OVERLAPS = json.load(f)


QUANTIZED = calls.recorded(quantized)
# What the pass autodiff puts other operators in the place of, or makes of a function beside derivatives, so that it
# needs no kernel.
BY_AUTODIFF = {"aten::backward", "aten::grad", "aten::retain_grad", "prim::grad", "tsm::checkpoint_begins", "tsm::checkpoint_ends",
               "tsm::entry_read", "tsm::lstm_turns", "tsm::overwritten", "tsm::same_memory", "tsm::saved"}


def words_of(operator):
    return traits.traits_of(ROWS, operator)


def row_of(operator):
    """The row that says what holds for the operator."""
    return operator.name if operator.name in ROWS else operator.base()


def samples():
    return [(name, text) for name, texts in SAMPLES.items() for text in texts]


def observe(some):
    """Sample -> its facts in libtsmobile, or the text of an error."""
    found = {}
    with mobile.Mobile(TSMC, TSMRUN) as m:
        for name, text in some:
            runs = m.probe(BY_NAME[name], text)
            found["%s(%s)" % (name, text)] = runs if isinstance(runs, str) else probes.facts_of(BY_NAME[name], text, runs)
    return found


def observe_all():
    every, workers = samples(), os.cpu_count() or 1
    found = {}
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for part in pool.map(observe, [every[i::workers] for i in range(workers)]):
            found.update(part)
    return found


class Rows(unittest.TestCase):
    def test_every_operator_has_a_row(self):
        """An operator in place has that of the functional one."""
        for base in {o.base() for o in IMPLEMENTED}:
            with self.subTest(base):
                self.assertTrue(base in ROWS or base.endswith("_") and base[:-1] in ROWS, "write its row in schema/traits.txt")

    def test_every_row_has_an_operator(self):
        names = {o.name for o in IMPLEMENTED} | {o.base() for o in IMPLEMENTED} | BY_AUTODIFF
        self.assertEqual(sorted(set(ROWS) - names), [])

    def test_every_trait_has_a_test(self):
        for word, (_, test) in DEFINITIONS.items():
            self.assertTrue(hasattr(Traits, "test_" + test) or hasattr(Programs, "test_" + test), word)

    def test_every_operator_has_a_sample(self):
        """Of the functional overloads that take or give tensors, and of all with words of their own."""
        for row, words in ROWS.items():
            of_row = [o for o in IMPLEMENTED if row_of(o) == row and not o.base().startswith("tsm::")]
            tensors = [o for o in of_row if any(re.match(r"Tensor\??(\[\]|$)", k) for k in o.key() + probes.results_of(o)) and not o.written()]
            if tensors:
                with self.subTest(row):
                    known = any(SAMPLES.get(o.name) for o in of_row) or row in BY_AUTODIFF
                    self.assertTrue(known or row in SAMPLES and not words, "write a sample of it in tests/traits/samples.txt")


class Checks(unittest.TestCase):
    """Tests that gather all that is wrong before they fail."""

    def setUp(self):
        self.wrong = []

    def check(self, holds, where, what):
        if not holds:
            self.wrong.append("%s: %s" % (where, what))

    def tearDown(self):
        self.assertEqual(self.wrong, [], "\n" + "\n".join(self.wrong))


class Traits(Checks):
    @classmethod
    def setUpClass(cls):
        cls.mobile = observe_all()

    def each(self):
        """Sample, its operator, the words, what PyTorch shows, what libtsmobile shows."""
        for name, text in samples():
            sample = "%s(%s)" % (name, text)
            here = self.mobile[sample]
            yield sample, BY_NAME[name], words_of(BY_NAME[name]), TORCH[sample], here if isinstance(here, set) else set()

    def each_row(self):
        """Row, its words, what PyTorch shows in some sample of it, what libtsmobile shows in some."""
        rows = {}
        for _, operator, words, torch, here in self.each():
            known = rows.setdefault(row_of(operator), (words, set(), set()))
            known[1].update(torch)
            known[2].update(here)
        return [(row, *known) for row, known in rows.items()]

    def test_samples_run(self):
        for sample, _, _, _, _ in self.each():
            self.check(isinstance(self.mobile[sample], set), sample, self.mobile[sample])

    def test_overlaps(self):
        """overlaps.json has what PyTorch raised; a rule holds for all it was called with."""
        for name, record in OVERLAPS.items():
            rule, said = traits.overlap_rule(ROWS, BY_NAME[name]), {(k.split()[1], v) for k, v in record.items() if k[0].isdigit()}
            refused = {arrangement for arrangement, v in said if v == "input"}
            self.check(rule == "any" or refused or not {"part", "same"} & {a for a, _ in said}, name, "overlap=%s, but PyTorch computes" % rule)
            self.check(not {"same", "plain"} & refused or rule in ("none", "put"), name, "shares no elements: say overlap=none")
            self.check("part" not in refused or rule != "any", name, "refuses to share a part: say overlap=all")

    def test_quantized(self):
        """quantized.json.xz has what PyTorch did with quantized tensors; what it refuses by name has the word."""
        said = {row_of(BY_NAME[name]): {"computes"} for name, text in samples() if any(t[0] in "qs" for t in probes.tensors_of(text))}
        for sample, answers in QUANTIZED.items():
            name = sample.partition("(")[0]
            said.setdefault(row_of(BY_NAME[name]), set()).update(a if isinstance(a, str) else "computes" for a in answers)
        for row, answers in said.items():
            refuses = bool({traits.NOT_QUANTIZED, traits.ASKED} & set(ROWS.get(row, [])))
            self.check(not refuses or "computes" not in answers, row, "quantized=no, but PyTorch computes")
            self.check(refuses or answers != {"refused"}, row, "PyTorch refuses quantized tensors: say quantized=no")

    def test_dtypes(self):
        """dtypes.json.xz and mixed.json.xz have what PyTorch did with other dtypes; it computes nothing of those that a
        word refuses. Where that is not so, mixed_differences.txt says why."""
        kinds = {"bool": "bool=no", "uint8": "ints=no", "int64": "ints=no", "complex64": "complex=no", "float16": "half=no"}
        shown = {}
        known = calls.read_differences(mixed)
        recorded = [(k, *r) for k in (dtypes, mixed) for r in calls.recorded(k).items()]
        for kind, sample, answers in recorded:
            name, _, call = sample.partition("(")
            words, first = words_of(BY_NAME[name]), probes.TENSOR.search(call).group()
            for variant, answer in zip(kind.variants(call[:-1]), answers):
                if kind is mixed and (name, mixed.label(variant)) in known:
                    continue
                all_of = [variant.get(t, probes.DTYPES[t[0]][0]) for t in probes.tensors_of(call)]
                chosen = all_of if "promotes" in words else [variant.get(first, probes.DTYPES[first[0]][0])]
                word = kinds.get(chosen[0]) if len(set(chosen)) == 1 else None
                for word in {word, "mixed=no" if len(set(all_of)) > 1 else None} & set(words):
                    self.check(isinstance(answer, str), sample, "%s, but PyTorch computes" % word)
                    shown.setdefault(row_of(BY_NAME[name]), set()).add(word)
        for row, words in ROWS.items():
            self.check(set(words) & {*kinds.values(), "mixed=no"} <= shown.get(row, set()), row, "no sample shows a word about dtypes")

    def test_memory(self):
        for row, words, torch, here in self.each_row():
            self.check(("returns_input" in words) == ("shares" in torch | here), row,
                       "returns_input, but no sample shares memory" if "returns_input" in words else "shares memory: say returns_input")
        for row, words, torch, here in self.each_row():
            if all(o.written() for o in IMPLEMENTED if row_of(o) == row):
                self.check(("writes_no_elements" in words) != ("writes" in torch | here), row, "writes_no_elements")
            if {"running_stats", "writes_noise"} & set(words):
                self.check("writes" in torch & here, row, "no sample writes to an argument")
        for row, words in ROWS.items():
            if {"writes_no_elements", "resizes"} & set(words) and row not in BY_AUTODIFF:
                self.check(any(SAMPLES.get(o.name) for o in IMPLEMENTED if row_of(o) == row), row, "has no sample")
        for sample, operator, words, torch, here in self.each():
            if not operator.written():
                self.check({"running_stats", "writes_noise"} & set(words) or "writes" not in torch | here, sample, "writes to an argument that is not marked")

    def test_randomness(self):
        for sample, operator, words, torch, here in self.each():
            may_vary = {"random", "uninitialized"} & set(words) or any(k.startswith("Generator") for k in operator.key())
            self.check(may_vary or "varies" not in torch | here, sample, "two calls give something else: say random or uninitialized")
        for row, words, torch, here in self.each_row():
            if "random" in words:
                self.check("varies" in torch & here, row, "random, but two calls give the same")
            elif "uninitialized" in words:
                self.check("varies" in torch, row, "uninitialized, but two calls give the same")

    def test_sizes(self):
        for row, words, torch, here in self.each_row():
            self.check(("sizes=elements" in words or "sizes=masks" in words) == ("sizes_vary" in torch | here), row,
                       "other elements %s other sizes" % ("give" if "sizes_vary" in torch | here else "do not give"))
            self.check(("sizes=floats" in words) == ("floats_decide" in torch), row,
                       "other floats %s other sizes" % ("give" if "floats_decide" in torch else "do not give"))
        for sample, operator, words, torch, here in self.each():
            if "sizes=masks" in words:
                self.check(("sizes_vary" in torch) == bool(re.search(r", .*\b[bu]\d", sample)), sample, "sizes do not depend on masks")
        for row, words, torch, here in self.each_row():
            self.check(("resizes" in words) == ("resizes" in torch), row, "resizes")

    def test_places(self):
        """Elements from the front are as many, and lie as far apart, as those that a sample takes."""
        with mobile.Mobile(TSMC, TSMRUN) as m:
            for name, text in samples():
                operator = BY_NAME[name]
                if "sizes=any_place" not in words_of(operator):
                    continue
                at = next((i for i, a in enumerate(operator.arguments) if a[1] in ("index", "start")), None)
                given = re.findall(r"\[[^]]*\]|[^,\s][^,]*", text)
                self.check(at is not None and at < len(given) and given[at] != "0", name, "has no argument `index` or `start`")
                runs = [m.probe(operator, t) for t in (text, ", ".join(given[:at] + ["0"] + given[at + 1:]))]
                found = [(probes.sizes_in(r[0]["tuple"][0]), r[0]["tuple"][1]) for r in runs]
                self.check(found[0] == found[1], name, "other places give other sizes")

    def test_rank(self):
        for row, words, torch, here in self.each_row():
            if "rank=same" in words:
                self.check("other_rank" not in torch | here and "same_rank" in torch & here, row, "the result has another rank")
        for sample, _, words, torch, here in self.each():
            sizes = [len(probes.tensor(n, 0)["tensor"]["shape"]) for n in probes.tensors_of(sample)]
            if "rank=rows" in words and sizes[1:2] == [2]:
                self.check("same_rank" in torch & here, sample, "the result has another rank")
        for row, words, torch, here in self.each_row():
            if "rank=rows" in words:
                self.check("other_rank" in torch & here, row, "say rank=same, or write a sample with a vector")
            if "rank=common" in words:
                self.check("uncommon_rank" not in torch | here and "common_rank" in torch & here, row,
                           "the result has another rank than all arguments")

    def test_form(self):
        for row, words, torch, here in self.each_row():
            if "reads=form" in words:
                self.check("differs_for_elements" not in torch | here and "same_for_elements" in torch & here, row, "sees elements")

    def test_strides(self):
        for row, words, torch, here in self.each_row():
            if any(w.startswith("strides=") for w in words):
                self.check("differs_for_strides" not in torch | here and "same_for_strides" in here, row, "sees strides")
            if "strides=own" in words:
                self.check("other_strides" not in torch | here, row, "the result's strides follow those of arguments")

    def test_functional(self):
        """What the pass functionalize assumes about dtypes and sizes of results."""
        for row, words in ROWS.items():
            if "functional" in words or "functional=floats" in words:
                of_row = ["%s(%s)" % (o.name, t) for o in IMPLEMENTED if o.base() == row[:-1]
                          for t in SAMPLES.get(o.name, []) if re.match("[fn]", t)]
                self.check(of_row and all("like_input" in TORCH[s] & self.mobile[s] for s in of_row), row,
                           "gives another dtype or other sizes than its argument")
        for operator in IMPLEMENTED:
            if any(w.startswith("functional") for w in words_of(operator)):
                self.check(sum("Tensor" in k for k in operator.key()) == 1, operator.name, "a second tensor may decide the dtype")
        for sample, operator, words, torch, here in self.each():
            if "dtype=same" in words and re.match("[dfn]", sample.partition("(")[2]):
                self.check("same_dtype" in torch & here, sample, "gives another dtype than its argument")

    def test_gradient(self):
        for row, words, torch, here in self.each_row():
            if "gradient=none" in words:
                self.check("gradient" not in torch, row, "a gradient passes")

    def test_training(self):
        """The traits of training, by comparing calls whose argument for training is True and False."""
        m, trained = mobile.Mobile(TSMC, TSMRUN), set()
        self.addCleanup(m.close)
        for sample, operator, words, _, _ in self.each():
            names = [a[1].split("=")[0] for a in operator.arguments]
            flag = next((i for i, n in enumerate(names) if n in ("train", "training", "use_input_stats")), None)
            given = gen_operators.split_top(sample.partition("(")[2][:-1])
            if flag is None or len(given) <= flag or given[flag] != "True":
                continue
            trained.add(row_of(operator))
            off_text = ", ".join(given[:flag] + ["False"] + given[flag + 1:])
            on, off = m.probe(operator, ", ".join(given)), m.probe(operator, off_text)
            if isinstance(off, str):  # some want running statistics then
                continue
            if "backward" not in sample and names[flag] != "use_input_stats":
                self.check(("trains" in words) == (not probes.same(on[:3], off[:3])), sample, "trains")
            self.check(("off_is_identity" in words) == (flag == 2 and self.is_identity(operator, given, off)), sample, "off_is_identity")
            given = [probes.tensor(n, 0) for n in probes.tensors_of(sample)]
            if not operator.written():
                writes = not probes.same(on[0]["tuple"][2], given)
                self.check(bool({"running_stats", "writes_noise"} & set(words)) == writes, sample, "running_stats")
                self.check(probes.same(off[0]["tuple"][2], given), sample, "writes though it is off")
        for row, words in ROWS.items():
            is_of_passes = row.startswith("tsm::")  # PyTorch has no such operator
            if {"trains", "off_is_identity", "running_stats"} & set(words) and not is_of_passes:
                self.check(row in trained, row, "has no sample that trains")

    @staticmethod
    def is_identity(operator, given, runs):
        """The result has the elements of argument 0 and shares its memory."""
        plain, changed = runs[probes.PLAIN]["tuple"], runs[probes.CHANGED]["tuple"]
        return probes.same(plain[0], probes.tensor(given[0], 0)) and not probes.same(changed[2], plain[2])


# What lines are for that call operators with effects: without them the program gives or prints something else.
EFFECTS = {
    "prim::Print": ("print(x)", "x"),
    "aten::_print": ("torch._print('x')", "x"),
    "aten::save": ("torch.save(x, 'saved.pt')", "x"),
    "prim::RaiseException": ("raise Exception('stop')", "x"),
    "aten::warn": ("warnings.warn('careful')", "x"),
    "aten::manual_seed": ("torch.manual_seed(3)", "torch.rand(2)"),
    "aten::_assert_async": ("torch._assert_async(x[0] * 0)", "x"),
    "aten::sym_constrain_range": ("torch.sym_constrain_range(x.dim(), max=0)", "x"),
    "aten::sym_constrain_range_for_size": ("torch.sym_constrain_range_for_size(x.dim() - 9)", "x"),
    "aten::wait": ("torch.jit.wait(torch.jit.fork(stop, x))", "x"),
    "tsm::check_dtypes": ("torch.complex(x, x).xlogy_(x)", "x"),
    "tsm::check_overlap": ("y = torch.cat([x, x])\n    torch.sort(y[1:4], values=y[:3], indices=torch.zeros(3, dtype=torch.long))", "x"),
    "tsm::check_put": ("h = x * 2\n    h.requires_grad_(True)\n    z = h * 2\n    z[torch.tensor([1])] = z[0]\n    torch.autograd.grad([z.sum()], [h])", "x"),
    "aten::set_grad_enabled": ("torch.set_grad_enabled(False)", "torch.is_grad_enabled()"),
    "tsm::form_message": ("if x.dim() > 0:\n        raise ValueError(f'{x.dim()}')", "x"),
    "tsm::rpc_sync": ("rpc.rpc_sync('other', stop, (x,))", "x"),
    "tsm::rpc_async": ("rpc.rpc_async('other', stop, (x,))", "x"),
    "tsm::rpc_remote": ("rpc.remote('other', stop, (x,))", "x"),
}

# These need other workers: tests/remote. The marks do not run: tests/autograd. Masks of bytes in archives of
# PyTorch 2: tests/cli/test_old_operators.py.
EFFECTS_ELSEWHERE = ["tsm::check_filling", "tsm::checkpoint_begins", "tsm::checkpoint_ends", "tsm::entry_read", "tsm::overwritten", "tsm::same_memory", "tsm::saved", "tsm::rpc_wait", "tsm::rref_confirmed_by_owner", "tsm::rref_local_value", "tsm::rref_to_here"]


# Operator with setting -> an operator that changes it.
SETTINGS = {"aten::is_grad_enabled": "torch.set_grad_enabled(False)"}


STOP = "def stop(x: torch.Tensor):\n    if x.dim() > 0:\n        raise Exception('stop')\n    return x\n"


class Programs(Checks):
    """Traits that are tested by whole programs."""

    def setUp(self):
        super().setUp()
        self.m = mobile.Mobile(TSMC, TSMRUN)
        self.addCleanup(self.m.close)

    @staticmethod
    def rows_with(*wanted):
        return [(row, words) for row, words in ROWS.items() if any(w.startswith(wanted) for w in words)]

    @staticmethod
    def samples_of(row):
        return [(o, t) for o in IMPLEMENTED if row_of(o) == row for t in SAMPLES.get(o.name, [])]

    def answer(self, text, calls, *options):
        p = self.m.export(text, "f", options)
        self.assertEqual(p.returncode, 0, p.stderr + text)
        return self.m.call(calls)

    def test_answers(self):
        """Operators with always=true or always=false: their kernels give that answer too."""
        for row, words in self.rows_with("always="):
            operator = BY_NAME[row]
            runs = self.m.probe(operator, SAMPLES[row][0] if SAMPLES.get(row) else "x" * bool(operator.arguments))
            self.check(not isinstance(runs, str) and runs[0]["tuple"][0] is ("always=true" in words), row, runs)

    def test_numbers(self):
        """Operators with total, called with the extremes of their numbers."""
        extremes = {"int": [0, -1, 3, 2**63 - 1, -2**63], "float": [0.0, -1.5, 1e308, float("inf"), float("nan")], "bool": [False, True]}
        for row, _ in self.rows_with("total"):
            called = 0
            for operator in [o for o in IMPLEMENTED if row_of(o) == row]:
                types = [a[0] for a in operator.arguments]
                if not types or not set(types) <= set(extremes):
                    continue
                names = ["a%d" % i for i in range(len(types))]
                program = "import torch\ndef f(%s):\n    return torch.ops.%s(%s)\n" % (
                    ", ".join(map("%s: %s".__mod__, zip(names, types))), operator.base().replace("::", "."), ", ".join(names))
                calls = list(map(list, itertools.product(*(extremes[t] for t in types))))
                answers = self.answer(program, calls)
                self.check(isinstance(answers, list) and len(answers) == len(calls), operator.name, answers)
                called += len(calls)
            self.check(called, row, "was not called")

    def test_fusion(self):
        """After a convolution the operator is fused, so that no call of it is left."""
        for row, words in self.rows_with("fuses"):
            operator = BY_NAME[row]
            call = self.rest_of_call(row)
            self.check(call is not None, row, "no sample to put behind a convolution")
            program = ("import torch\nclass M(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                       "        self.c = torch.nn.Conv2d(3, 4, 2)\n        self.c.weight.data = torch.ones(4, 3, 2, 2)\n"
                       "        self.c.bias.data = torch.ones(4)\n        self.k = torch.ones(4)\n"
                       "    def forward(self, x: torch.Tensor):\n        return torch.ops.%s(self.c(x)%s)\n" %
                       (operator.base().replace("::", "."), call))
            p = self.m.export(program, "M", ("--eval",))
            self.check(p.returncode == 0 and "tsm::convolution" in self.m.operators() and
                       not {row, row.rstrip("_")} & set(self.m.operators()), row, "is not fused" + p.stderr)

    @staticmethod
    def rest_of_call(row):
        """The arguments after the first of a sample without other tensors."""
        if row == "aten::batch_norm":
            return ", self.k, self.k, self.k, self.k, False, 0.1, 1e-05, False"
        for text in SAMPLES.get(row, []) + SAMPLES.get(row[:-1], []):
            rest = gen_operators.split_top(text)[1:]
            if "True" not in rest and not probes.tensors_of(", ".join(rest)):
                return "".join(", " + r for r in rest)
        return None

    def test_steps(self):
        """With a second operator it makes a chain, which gives what the two give one by one."""
        for row, words in self.rows_with(traits.STEP):
            chained = 0
            for operator, text in self.samples_of(row):
                names = probes.tensors_of(text)
                if not names or any(n[0] not in "fn" for n in names) or not any(w.startswith(traits.STEP) for w in words_of(operator)):
                    continue
                program = "import torch\ndef f(%s):\n    return torch.ops.aten.tanh(torch.ops.%s(%s))\n" % (
                    ", ".join("%s: torch.Tensor" % n for n in names), operator.base().replace("::", "."), text)
                calls = [[probes.tensor(n, k) for n in names] for k in range(2)]
                plain = self.answer(program, calls, "-O0")
                self.check(probes.same(self.answer(program, calls), plain), "%s(%s)" % (operator.name, text), "the chain gives something else")
                chained += "tsm::pointwise" in self.m.operators()
            self.check(chained, row, "makes no chain")

    def compare(self, where, lines, names):
        """A program gives the same with and without optimization."""
        program = "import torch\nfrom typing import Dict, List\ndef f(%s):\n    %s\n" % (
            ", ".join("%s: torch.Tensor" % n for n in names), "\n    ".join(lines))
        calls = [[probes.tensor(n, 0) for n in names]]
        plain = self.answer(program, calls, "-O0")
        self.check(probes.same(self.answer(program, calls), plain), where, "-O2 gives something else:\n" + program)

    def test_results_that_are_arguments(self):
        """A sum that is written to by another name is not taken for an equal one."""
        for row, _ in self.rows_with("returns_input"):
            for operator, text in self.samples_of(row):
                names, results = probes.tensors_of(text), probes.results_of(operator)
                if "shares" not in TORCH["%s(%s)" % (operator.name, text)] or any(n[0] not in "df" for n in names) or results[0] != "Tensor":
                    continue
                twice = ["a_%s = %s + 1.0" % (n, n) for n in names], ["b_%s = %s + 1.0" % (n, n) for n in names]
                call = probes.TENSOR.sub(lambda m: "a_" + m.group(), text)
                take = "y" if len(results) == 1 else "y[0]"
                self.compare(row, twice[0] + ["y = torch.ops.%s(%s)" % (operator.base().replace("::", "."), call)] + twice[1] +
                             ["%s.fill_(77)" % take, "return y, " + ", ".join("b_%s * 2.0" % n for n in names)], names)

    def test_arguments_that_are_written(self):
        """What is written to without a mark is not taken for an equal sum."""
        for row, _ in self.rows_with("running_stats", "writes_noise"):
            for operator, text in self.samples_of(row):
                names, given = probes.tensors_of(text), gen_operators.split_top(text)
                if "True" not in given or operator.written():
                    continue
                written = given[3] if given[3] in names else given[1]
                arguments = ["a" if g == written and i in (1, 3) else g for i, g in enumerate(given)]
                if written not in names:
                    continue
                self.compare(row, ["a = %s + 1.0" % written, "b = %s + 1.0" % written,
                                   "y = torch.ops.%s(%s)" % (operator.base().replace("::", "."), ", ".join(arguments)),
                                   "return y, b * 2.0, a * 3.0"], names)

    def test_operators_in_place(self):
        """They become functional where nobody can tell, neither by the dtype nor by another name of the tensor."""
        self.compare("aten::add_", ["y = torch.conv2d(f1344, f4322)", "y += d1433.neg()", "return y"], ["d1433", "f1344", "f4322"])
        self.compare("aten::relu_", ["y = torch.conv2d(n1344, f4322)", "z = y.type_as(f4322)", "y.relu_()", "return z * 2.0"],
                     ["f4322", "n1344"])
        for row, _ in self.rows_with("functional"):
            for text in [t for o in IMPLEMENTED if o.base() == row[:-1] for t in SAMPLES.get(o.name, [])]:
                (name,), call = probes.tensors_of(text), "torch.ops.%s" % row.replace("::", ".")
                for letter in "bi":  # made into floats, or not taken
                    other = letter + name[1:]
                    self.compare(row, ["y = %s.clone()" % other, "%s(%s)" % (call, text.replace(name, "y")), "return y"], [other])

    def test_random_calls(self):
        """Two calls are not taken for one."""
        for row, _ in self.rows_with("random"):
            for operator, text in self.samples_of(row):
                if operator.written() or "varies" not in TORCH["%s(%s)" % (operator.name, text)]:
                    continue
                names, call = probes.tensors_of(text), "torch.ops.%s(%s)" % (operator.base().replace("::", "."), text)
                program = "import torch\ndef f(%s):\n    return %s, %s\n" % (", ".join("%s: torch.Tensor" % n for n in names), call, call)
                a, b = self.answer(program, [[probes.tensor(n, 0) for n in names]])[0]["tuple"]
                self.check(not probes.same(a, b), "%s(%s)" % (operator.name, text), "two calls became one")

    def test_containers(self):
        """Items that come into a container stay the same objects, and memory that becomes a tensor's is shared."""
        programs = {"aten::extend": ["a: List[torch.Tensor] = []", "a.extend(b)", "y = a[0]"],
                    "aten::set_": ["y = torch.zeros(1)", "torch.ops.aten.set_(y, b[0])"],
                    "aten::set_data": ["y = torch.zeros(1)", "torch.ops.aten.set_data(y, b[0])"],
                    "aten::update": ["a: Dict[str, torch.Tensor] = {}", "a.update({'k': b[0]})", "y = a['k']"]}
        self.assertEqual(sorted(row for row, _ in self.rows_with("stores_items")), sorted(programs))
        for row, lines in programs.items():
            self.compare(row, ["b = [f3 + 1.0]"] + lines + ["c = f3 + 1.0", "y.add_(10.0)", "return b[0], c * 2.0"], ["f3"])

    def test_effects(self):
        """The call is not removed although nobody uses a result of it."""
        self.assertEqual(sorted(row for row, _ in self.rows_with("effects")), sorted(list(EFFECTS) + EFFECTS_ELSEWHERE))
        for row, (line, result) in EFFECTS.items():
            shown = []
            for lines in ([line], []):
                program = "import torch\nimport warnings\nimport torch.distributed.rpc as rpc\n%s\ndef f(x: torch.Tensor):\n    %s\n" % (STOP, "\n    ".join(lines + ["return " + result]))
                p = self.m.export(program, "f")
                self.assertEqual(p.returncode, 0, p.stderr)
                shown.append(self.m.all_of([probes.tensor("f3", 0)]))
            self.check(shown[0] != shown[1], row, "the program does the same without it")

    def test_settings(self):
        """Asked before a change, behind it, and in a loop whose turns it changes in: optimization gives the same."""
        self.assertEqual(sorted(row for row, _ in self.rows_with("setting")), sorted(SETTINGS))
        for row, change in SETTINGS.items():
            ask = "torch.ops.%s()" % row.replace("::", ".")
            program = ("import torch\ndef f(n: int):\n    l = [%s]\n    for i in range(n):\n        l.append(%s)\n        if i == 1:\n"
                       "            %s\n    l.append(%s)\n    return l\n" % (ask, ask, change, ask))
            plain = self.answer(program, [[4]], "-O0")
            self.check(plain == self.answer(program, [[4]]), row, plain)
            self.check("true" in json.dumps(plain) and "false" in json.dumps(plain), row, "is the same before and behind %s" % change)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
