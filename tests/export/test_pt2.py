#!/usr/bin/env python3
"""What tsmc says and does with files of torch.export: damaged and newer ones, examples, source lines, several methods,
the container of PyTorch 2.8.

    test_pt2.py TSMC TSMRUN [unittest's options]"""
import io
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from answers import differs  # noqa: E402
from packs import read_pack  # noqa: E402

TSMC, TSMRUN = sys.argv[1], sys.argv[2]
OK, RAISED, BAD_INPUT = 0, 1, 2
PROGRAM = "serialized_exported_program.json"


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.cases = {p["id"]: p for p in read_pack(os.path.join(HERE, "cases.tar.xz"))}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, members, folder=""):
        with zipfile.ZipFile(self.path(name), "w") as archive:
            for member, data in members:
                archive.writestr(zipfile.ZipInfo(folder + member), data)
        return self.path(name)

    def changed(self, change, case="exported/Cond"):
        """A file whose program `change` has changed."""
        members = dict(self.cases[case]["archive"])
        program = json.loads(members[PROGRAM])
        change(program)
        members[PROGRAM] = json.dumps(program).encode()
        return self.write("changed.pt2", members.items())

    def export(self, path, *options):
        return run(TSMC, path, "-o", self.path("out.tsm"), *options)

    def refused(self, path, text):
        p = self.export(path)
        self.assertEqual((p.returncode, text in p.stderr), (BAD_INPUT, True), p.stderr)

    def call(self, inputs, *options):
        with open(self.path("in.json"), "w") as f:
            json.dump(inputs, f)
        return run(TSMRUN, self.path("out.tsm"), "--inputs", self.path("in.json"), *options)


def nodes(program):
    return program["graph_module"]["graph"]["nodes"]


class Refusals(Files):
    def test_newer_schema(self):
        self.refused(self.changed(lambda p: p["schema_version"].update(major=9)), "its schema has version 9; versions 5 to 8 are supported")

    def test_unknown_operator(self):
        self.refused(self.changed(lambda p: nodes(p)[0].update(target="torch.ops.mine.op.default")), "Operator mine::op is not supported")
        self.refused(self.changed(lambda p: nodes(p)[2].update(target="torch.ops.higher_order.flex")), "Higher-order operator flex is not supported")
        self.refused(self.changed(lambda p: nodes(p)[0].update(target="math.lgamma")), "Operator math.lgamma is not supported")

    def test_operators_stand_with_their_lines(self):
        p = self.export(self.changed(lambda p: nodes(p)[0].update(target="torch.ops.mine.op.default")))
        self.assertRegex(p.stderr, r'record.py", line \d+')
        self.assertIn("torch.cond(x.sum() > 0", p.stderr)

    def test_broken_graphs(self):
        def rename(p):
            nodes(p)[0]["inputs"][0]["arg"]["as_tensor"]["name"] = "nobody"
        self.refused(self.changed(rename), "the value 'nobody' is used before it is computed")
        self.refused(self.changed(lambda p: nodes(p).append(nodes(p)[0])), "is computed twice")
        self.refused(self.changed(lambda p: nodes(p)[0]["inputs"].clear()), "Argument self not provided")
        self.refused(self.changed(lambda p: nodes(p)[0]["inputs"][0].update(arg={"as_new": 1})), "an argument of kind 'as_new' is not supported")
        self.refused(self.changed(lambda p: nodes(p)[0]["inputs"][0].update(arg={})), "an argument has not one kind")
        self.refused(self.changed(lambda p: nodes(p)[0].pop("target")), '"target" is missing')
        self.refused(self.changed(lambda p: nodes(p)[0].update(target=3)), "a string is missing")
        self.refused(self.changed(lambda p: nodes(p)[1]["inputs"][1].update(arg={"as_scalar_type": 99})), "there is no dtype with number 99")

    def test_broken_signatures(self):
        def of(p, which):
            return p["graph_module"]["signature"][which]
        self.refused(self.changed(lambda p: of(p, "input_specs")[0]["parameter"].update(parameter_name="gone")), "the file has no tensor 'gone'")
        self.refused(self.changed(lambda p: of(p, "input_specs").pop()), "the arguments have 1 parts; the graph takes 0")
        self.refused(self.changed(lambda p: of(p, "output_specs").pop()), "the result has 1 parts; the graph returns 0")
        self.refused(self.changed(lambda p: of(p, "output_specs").append({"gradient_to_parameter": {}})), "an output of kind 'gradient_to_parameter' is not supported")
        custom = {"custom_obj": {"arg": {"name": "o", "class_fqn": "__torch__.torch.classes.a.B"}, "custom_obj_name": "o"}}
        self.refused(self.changed(lambda p: of(p, "input_specs").append(custom)), "the file has no tensor 'o'")

    def test_objects(self):
        """Those of other classes, and damaged ones."""
        def with_constants(change):
            members = dict(self.cases["exported/Packed"]["archive"])
            with zipfile.ZipFile(io.BytesIO(members["serialized_constants.pt"])) as inner:
                kept = [(i.filename, inner.read(i)) for i in inner.infolist()]
            made = io.BytesIO()
            with zipfile.ZipFile(made, "w") as inner:
                for name, data in kept:
                    inner.writestr(zipfile.ZipInfo(name), change(data) if name.endswith("data.pkl") else data)
            members["serialized_constants.pt"] = made.getvalue()
            return self.write("objects.pt2", members.items())
        self.assertEqual(self.export(with_constants(lambda data: data)).returncode, OK)
        self.refused(with_constants(lambda data: data.replace(b"quantized.EmbeddingPacked", b"quantized.EmbeddingPecked")),
                     "of class __torch__.torch.classes.quantized.EmbeddingPeckedParamsBase; objects of other C++ classes than packed parameters are not supported")
        state = pickle.dumps({"embedding._packed_params._packed_weight": 3}, protocol=2)
        self.refused(with_constants(lambda data: state), "is a int, not a tensor")
        bare = b"\x80\x02ctorch\nScriptObject\n)\x81"
        self.refused(with_constants(lambda data: bare + b"K\x01b."), "a torch.ScriptObject gets no state and name of a class")
        self.refused(with_constants(lambda data: b"\x80\x02}X\x05\0\0\0other" + bare[2:] + b"s."), "the file has no tensor")

    def test_broken_containers(self):
        members = dict(self.cases["exported/Cond"]["archive"])
        self.refused(self.write("a.pt2", [(PROGRAM, b"{")]), "the JSON text ends too early")
        self.refused(self.write("a.pt2", [(PROGRAM, b'{"a" 1}')]), "this is not JSON: a colon must stand here")
        self.refused(self.write("a.pt2", [(PROGRAM, b"{} {}")]), "there is more behind the value")
        self.refused(self.write("a.pt2", [(PROGRAM, members[PROGRAM])]), "the file has no tensor 'l")
        self.refused(self.write("a.pt2", [(PROGRAM, members[PROGRAM]), ("serialized_state_dict.pt", b"PK")]), "is not a zip archive")
        self.refused(self.write("a.pt2", [("other", b"")]), "is a zip archive, but not one of PyTorch's")

    def test_nothing_is_executed(self):
        class Evil:
            def __reduce__(self):
                return os.system, ("touch " + marker,)
        marker = self.path("executed")
        members = dict(self.cases["exported/Cond"]["archive"])
        saved = io.BytesIO()
        with zipfile.ZipFile(saved, "w") as archive:
            archive.writestr("archive/data.pkl", pickle.dumps(Evil(), 2))
            archive.writestr("archive/version", "3")
        members["serialized_state_dict.pt"] = saved.getvalue()
        self.refused(self.write("a.pt2", members.items()), "system")
        self.assertFalse(os.path.exists(marker))

    def test_types_of_tensors(self):
        """Tensors with attributes: of what function, type and arguments they are made is checked."""
        members = dict(self.cases["exported/Cond"]["archive"])
        rebuild = b"ctorch._tensor\n_rebuild_from_type_v2\n"
        for made, text in ((b"(%sctorch\nTensor\n)}t" % rebuild, "'torch._tensor._rebuild_from_type_v2' does not make a tensor"),
                           (b"(ctorch\nSize\nctorch\nTensor\n()t}t", "'torch.Size' does not make a tensor"),
                           (b"(ctorch\nSize\nctorch\nSize\n)}t", "'torch.Size' is not a type of tensors"),
                           (b"(ctorch\nTensor\nctorch\nTensor\n)}t", "'torch.Tensor' does not make a tensor"),
                           (b"(ctorch\nSize\nctests\nOwn\n)}t", "'tests.Own', which is not supported"), (b"(t", "it has 0 arguments; number 0 is missing"),
                           (b"(ctorch\nSize\nctorch\nTensor\n]}t", "argument 2 is a list, not a tuple"), (b"N", "its arguments are a None, not a tuple")):
            saved = io.BytesIO()
            with zipfile.ZipFile(saved, "w") as archive:
                archive.writestr("archive/data.pkl", b"\x80\x02}X\x01\x00\x00\x00x" + rebuild + made + b"Rs.")
                archive.writestr("archive/version", "3")
            members["serialized_state_dict.pt"] = saved.getvalue()
            self.refused(self.write("a.pt2", members.items()), text)

    def test_deep_graphs(self):
        depth = 1000000
        self.refused(self.write("a.pt2", [(PROGRAM, b"[" * depth + b"]" * depth)]), "values inside one another")

        def nest(p):
            text = '{"type": null, "context": null, "children_spec": []}'
            for _ in range(300):
                text = '{"type": "builtins.tuple", "context": "null", "children_spec": [%s]}' % text
            p["graph_module"]["module_call_graph"][0]["signature"]["out_spec"] = "[1, %s]" % text
        self.refused(self.changed(nest), "types inside one another")


class Saved(pickle.Unpickler):
    """Tensors of torch.save's records as (record, dtype, offset, sizes, strides)."""

    def __init__(self, data):
        self.archive = zipfile.ZipFile(io.BytesIO(data))
        self.top = self.archive.namelist()[0].split("/")[0]
        super().__init__(io.BytesIO(self.archive.read(self.top + "/data.pkl")))

    def persistent_load(self, key):
        return key

    def find_class(self, module, name):
        if name == "_rebuild_tensor_v2":
            return lambda storage, offset, sizes, strides, *rest: (storage[2], offset, sizes, strides)
        if name == "_rebuild_parameter":
            return lambda tensor, *rest: tensor
        return (lambda *given: dict(*given)) if name == "OrderedDict" else name

    def record(self, key):
        return self.archive.read("%s/data/%s" % (self.top, key))


class Container(Files):
    """The container of PyTorch 2.8: a record for each storage, views in JSON."""

    FLOAT, STRIDED = 7, 7

    def members(self, case):
        old = dict(self.cases[case]["archive"])
        made = [("archive_format", b"pt2"), ("models/model.json", old[PROGRAM])]
        for folder, what, record, prefix in (("weights", "weights", "serialized_state_dict.pt", "weight_"), ("constants", "constants", "serialized_constants.pt", "tensor_")):
            saved, config = Saved(old[record]), {}
            for name, (key, offset, sizes, strides) in saved.load().items():
                meta = {"dtype": self.FLOAT, "sizes": [{"as_int": n} for n in sizes], "requires_grad": False, "device": {"type": "cpu", "index": None},
                        "strides": [{"as_int": n} for n in strides], "storage_offset": {"as_int": offset}, "layout": self.STRIDED}
                config[name] = {"path_name": prefix + key, "is_param": False, "use_pickle": False, "tensor_meta": meta}
                made.append(("data/%s/%s%s" % (folder, prefix, key), saved.record(key)))
            made.append(("data/%s/model_%s_config.json" % (folder, what), json.dumps({"config": config}).encode()))
        return made + [("data/sample_inputs/model.pt", old["serialized_example_inputs.pt"])]

    def test_answers(self):
        for case in ("exported/Convolutions", "core/Counter"):
            made = self.members(case)
            path = self.write("new.pt2", [m for n, m in enumerate(made) if m[0] not in [x[0] for x in made[:n]]], "package/")
            p = self.export(path, "--bundle")
            self.assertEqual(p.returncode, OK, p.stderr)
            first = self.cases[case]["calls"][0]
            p = self.call(first["inputs"], "--outputs", self.path("out.json"))
            self.assertEqual(p.returncode, OK, p.stderr)
            with open(self.path("out.json")) as f:
                self.assertIsNone(differs(json.load(f), first["output"], "result", 1e-4, 2e-5))

    def test_damage(self):
        made = dict(self.members("exported/Cond"))
        config = json.loads(made["data/weights/model_weights_config.json"])

        def refused(text, change):
            changed = json.loads(json.dumps(config))
            change(changed["config"]["layer.weight"])
            members = dict(made, **{"data/weights/model_weights_config.json": json.dumps(changed).encode()})
            self.refused(self.write("new.pt2", members.items(), "package/"), text)
        refused("the file has no record data/weights/nothing", lambda c: c.update(path_name="nothing"))
        refused("a tensor ", lambda c: c["tensor_meta"]["storage_offset"].update(as_int=10 ** 9))
        refused("has not as many strides as sizes", lambda c: c["tensor_meta"]["strides"].pop())
        refused("there is no dtype with number 77", lambda c: c["tensor_meta"].update(dtype=77))
        refused('"path_name" is missing', lambda c: c.pop("path_name"))
        self.refused(self.write("new.pt2", [("archive_format", b"pt2")], "package/"), "holds no program of torch.export")

    def test_several_programs(self):
        """Each is a method of its name; one can be chosen."""
        cases = {"encode": "exported/Convolutions", "count": "core/Counter"}
        members = {}
        for name, case in cases.items():
            for member, data in self.members(case):
                data = data.replace(b'"path_name": "', b'"path_name": "%s_' % name.encode()) if member.endswith("config.json") else data
                for kind in ("weights/weight_", "constants/tensor_"):
                    folder, record = kind.split("/")
                    member = member.replace("data/" + kind, "data/%s/%s_%s" % (folder, name, record))
                members[member.replace("/model", "/" + name)] = data
        path = self.write("new.pt2", members.items(), "package/")
        for given, methods in ((path, list(cases)), (path + ":count", ["count"])):
            p = self.export(given)
            self.assertEqual(p.returncode, OK, p.stderr)
            for method in methods:
                first = self.cases[cases[method]]["calls"][0]
                p = self.call(first["inputs"], "--method", method, "--outputs", self.path("out.json"))
                self.assertEqual(p.returncode, OK, p.stderr)
                with open(self.path("out.json")) as f:
                    self.assertIsNone(differs(json.load(f), first["output"], "result", 1e-4, 2e-5))
        self.refused(path + ":decode", "holds no program 'decode'; it holds encode, count")
        members["models/a b.json"] = members["models/count.json"]
        self.refused(self.write("new.pt2", members.items(), "package/"), "no method can have the name of 'a b'")


def tensor(name):
    return {"as_tensor": {"name": name}}


def node(target, inputs, *outputs):
    return {"target": target, "inputs": [{"name": n, "arg": a} for n, a in inputs], "outputs": [tensor(o) for o in outputs], "metadata": {}}


class HigherOrder(Files):
    """Operators that PyTorch 2.6 does not export for CPUs, or only around operators of one's own."""

    def answers(self, changed, *wanted):
        p = self.export(self.changed(changed, "exported/Changes"))
        self.assertEqual(p.returncode, OK, p.stderr)
        p = self.call([{"tensor": {"dtype": "float32", "shape": [2, 3], "data": [1, 2, 3, 4, 5, 6]}}], "--outputs", self.path("out.json"))
        self.assertEqual(p.returncode, OK, p.stderr)
        with open(self.path("out.json")) as f:
            self.assertEqual(json.load(f)["tensor"]["data"], list(wanted))

    def test_auto_functionalized(self):
        def change(p):
            operator = ("", {"as_operator": "torch.ops.aten.mul_.Tensor"})
            nodes(p)[0] = node("torch.ops.higher_order.auto_functionalized", [operator, ("self", tensor("x")), ("other", {"as_int": 2})], "result", "copy")
            nodes(p)[1] = node("torch.ops.aten.add.Tensor", [("self", tensor("copy")), ("other", tensor("x"))], "add")
        self.answers(change, 3, 6, 9, 12, 15, 18)

        def change_list(p):
            operator = ("", {"as_operator": "torch.ops.aten._foreach_mul_.Scalar"})
            nodes(p)[0] = node("torch.ops.higher_order.auto_functionalized", [operator, ("self", {"as_tensors": [{"name": "x"}]}), ("scalar", {"as_int": 2})], "copy")
        self.refused(self.changed(change_list, "exported/Changes"), "aten::_foreach_mul_.Scalar writes to a List[Tensor]; that is not supported here")

    def scan(self, *arguments):
        step = {"inputs": [tensor("a"), tensor("b")], "outputs": [tensor("c")], "nodes": [node("torch.ops.aten.sub.Tensor", [("self", tensor("a")), ("other", tensor("b"))], "c")]}
        given = [("", {"as_graph": {"name": "step", "graph": step}}), ("", {"as_tensors": [{"name": "x"}]})] + [("", a) for a in arguments]
        return lambda p: nodes(p).__setitem__(slice(None), [node("torch.ops.higher_order.associative_scan", given, "add")])

    def test_associative_scan(self):
        self.answers(self.scan({"as_int": 0}), 1, 2, 3, -3, -3, -3)
        self.answers(self.scan({"as_int": 1}), 1, -1, -4, 4, -1, -7)
        self.answers(self.scan({"as_tensors": []}), 1, 2, 3, -3, -3, -3)

    def test_parts_of_unknown_sizes(self):
        """The file names as many parts as the example had; of others there may be more, not less."""
        def split(names, dim=1, size={"as_expr": {"expr_str": "s0", "hint": {"as_int": 3}}}):
            def change(p):
                p["graph_module"]["graph"]["tensor_values"]["x"]["sizes"][1] = size
                made = node("torch.ops.aten.split.Tensor", [("self", tensor("x")), ("split_size", {"as_int": 1}), ("dim", {"as_int": dim})])
                made["outputs"] = [{"as_tensors": [{"name": n} for n in names]}]
                nodes(p)[:] = [made, node("torch.ops.aten.add.Tensor", [("self", tensor(names[0])), ("other", tensor(names[1]))], "add")]
            return change
        self.answers(split(["a", "b"]), 3, 9)
        self.answers(split(["a", "b", "c"], -1), 3, 9)
        for change, text in ((split(["a", "b", "c", "d"]), "Expected 4 elements in a list but found 3"), (split(["a", "b"], size={"as_int": 3}), "Expected 2 elements in a list but found 3"),
                             (split(["a"] + ["b", "c"], 0), "Expected 3 elements in a list but found 2")):
            self.assertEqual(self.export(self.changed(change, "exported/Changes"), "--no-example").returncode, OK)
            p = self.call([{"tensor": {"dtype": "float32", "shape": [2, 3], "data": [1, 2, 3, 4, 5, 6]}}])
            self.assertEqual((p.returncode, text in p.stderr), (RAISED, True), p.stderr)

    def test_autocast(self):
        def change(p):
            region = nodes(p)[0]["inputs"]
            region[4]["arg"]["as_graph"]["graph"]["nodes"][0]["target"] = "torch.ops.aten.einsum.default"
        self.refused(self.changed(change, "exported/Autocast"), "aten::einsum in a region of autocast is not supported")


class Uses(Files):
    def test_examples(self):
        path = self.write("a.pt2", self.cases["exported/Convolutions"]["archive"])
        p = run(TSMC, path, "--dump", "plan")
        self.assertEqual(p.returncode, OK, p.stderr)
        self.assertIn("tsm::convolution", p.stdout)
        self.assertEqual(self.export(path, "--bundle").returncode, OK)
        p = run(TSMRUN, self.path("out.tsm"), "--check")
        self.assertEqual(p.returncode, OK, p.stderr)

    def test_plans_for_the_largest_call(self):
        for form in ("exported", "core"):
            path = self.write("a.pt2", self.cases[form + "/Dynamic"]["archive"])
            self.assertEqual(self.export(path, "--bundle").returncode, OK)
            self.assertEqual(run(TSMRUN, self.path("out.tsm"), "--check").returncode, OK)
            info = run(TSMRUN, self.path("out.tsm"), "--info").stdout
            self.assertIn("in   x: Tensor float32[16, 40]", info)
            self.assertIn("in   y: Tensor float32[16, 3]", info)
            self.runs_in(re.search(r"buffer (\d+) bytes", info)[1], [(16, 40), (15, 40), (16, 38), (7, 12)])

    def runs_in(self, bytes_of_buffer, shapes):
        for rows, columns in shapes:
            with open(self.path("in.json"), "w") as f:
                json.dump([{"tensor": {"dtype": "float32", "shape": [rows, n], "data": [0.5] * (rows * n)}} for n in (columns, 3)], f)
            p = run(TSMRUN, self.path("out.tsm"), "--inputs", self.path("in.json"), "--arena", bytes_of_buffer)
            self.assertEqual(p.returncode, OK, (rows, columns, p.stderr))

    def test_no_plan_for_calls_without_bound(self):
        def set_limit(limit):
            def change(program):
                for r in program["range_constraints"].values():
                    r["max_val"] = limit
            return run(TSMC, self.changed(change, "exported/Dynamic"), "--dump", "plan")
        for limit, text in [(None, "only with --example"), (1 << 40, "no memory is planned"), (1 << 62, "only with --example")]:
            p = set_limit(limit)
            self.assertEqual((p.returncode, text in p.stderr), (BAD_INPUT, True), p.stderr)

    def test_files_without_examples(self):
        members = [m for m in self.cases["exported/Cond"]["archive"] if m[0] != "serialized_example_inputs.pt"]
        path = self.write("a.pt2", members)
        self.assertEqual(self.export(path).returncode, OK)
        p = self.export(path, "--bundle")
        self.assertEqual((p.returncode, "has no example inputs" in p.stderr), (BAD_INPUT, True), p.stderr)

    def test_items_of_other_types(self):
        case = self.cases["exported/MixedTrees"]
        self.assertEqual(self.export(self.write("a.pt2", case["archive"])).returncode, OK)
        for key, wrong, text in [("n", {"float": 3.0}, "Expected input at *args[0]['n'] to be of type int"), ("x", 3, "Expected input at *args[0]['x'] to be of type Tensor"),
                                 ("more", [1], "Expected input at *args[0]['more'] to be of type Dict(str, Any)"), ("none", 1, "*args[0]['none'] to be of type NoneType")]:
            batch, items = json.loads(json.dumps(case["calls"][0]["inputs"]))
            batch["dict"] = [[k, wrong if k == key else v] for k, v in batch["dict"]]
            p = self.call([batch, items])
            self.assertEqual((p.returncode, text in p.stderr), (RAISED, True), p.stderr)
            p = self.call([{"dict": [kv for kv in batch["dict"] if kv[0] != key]}, items])
            self.assertEqual((p.returncode, "KeyError: " + key in p.stderr), (RAISED, True), p.stderr)

    def test_fields_in_errors(self):
        """Of a dataclass those of a dict, as in PyTorch; of a namedtuple, whose fields no file has, numbers."""
        leaf, call = {"type": None, "context": None, "children_spec": []}, {"tuple": [{"tensor": {"dtype": "float32", "shape": [1, 3], "data": [1, 2, 3]}}]}
        for kind, context, path in (("tests.Found", '[["score"], []]', "['score']"), ("collections.namedtuple", "tests.Pair", "[0]")):
            def change(p):
                signature = p["graph_module"]["module_call_graph"][0]["signature"]
                spec = json.loads(signature["in_spec"])
                spec[1]["children_spec"][0]["children_spec"] = [{"type": kind, "context": context, "children_spec": [leaf]}]
                signature["in_spec"] = json.dumps(spec)
            self.assertEqual(self.export(self.changed(change, "exported/Changes"), "--no-example").returncode, OK)
            p = self.call([call])
            self.assertEqual((p.returncode, "Expected input at *args[0]%s.shape[0] to be equal to 2, but got 1" % path in p.stderr), (RAISED, True), p.stderr)

    def test_tracebacks(self):
        case = self.cases["exported/Counted"]
        self.assertEqual(self.export(self.write("a.pt2", case["archive"])).returncode, OK)
        p = self.call(case["calls"][2]["inputs"])
        self.assertEqual(p.returncode, RAISED)
        self.assertRegex(p.stderr, r'record.py", line \d+, in forward\n +n = x.sum')

    def operators(self, case, *options):
        p = run(TSMC, self.write("a.pt2", self.cases[case]["archive"]), "--dump", "ops", *options)
        self.assertEqual(p.returncode, OK, p.stderr)
        return {name: int(count) for count, name in map(str.split, p.stdout.splitlines())}

    def test_quantized_layers(self):
        """Nothing but broadcast products stays in floats between the input and the result; weights are packed."""
        floats = ("tsm::convolution", "aten::_convolution", "tsm::linear", "aten::linear", "aten::addmm", "aten::mm", "aten::relu", "aten::reciprocal", "tsm::quantized_pack", "aten::append.t")
        for case in ("exported/QuantizedLayers", "core/QuantizedLayers", "exported/QuantizedWhole", "core/QuantizedWhole"):
            found = self.operators(case, "--no-example")
            self.assertEqual([found.get("tsm::quantized_%s.float_bias" % n) for n in ("conv", "linear")], [3, 2], found)
            self.assertEqual([found.get(n) for n in ("quantized::add_relu", "aten::max_pool2d", "aten::int_repr")], [1, 1, 1], found)
            self.assertEqual([n for n in floats if n in found], [], case)
        for case in ("exported/QuantizedLines", "core/QuantizedLines"):
            found = self.operators(case, "--no-example")
            self.assertEqual([found.get(n) for n in ("tsm::quantized_conv.float_bias", "quantized::cat", "aten::int_repr", "aten::mul.Tensor")], [3, 2, 2, 1], found)
            self.assertNotIn("quantized::mul", found)
            self.assertEqual([n for n in floats + ("aten::cat", "aten::conv1d") if n in found], [], case)
        for case in ("exported/QuantizedLinears", "core/QuantizedLinears"):
            found = self.operators(case, "--no-example")
            self.assertEqual(found.get("tsm::quantized_linear_dynamic"), 2)
            self.assertEqual([n for n in floats[:6] if n in found], [], case)

    def test_quantized_layers_that_stay_floats(self):
        """Weights with zero points, ranges of fewer bits, conversions to other dtypes."""
        def change_inputs(name, at, value):
            def change(p):
                for n in nodes(p):
                    if n["target"].startswith("torch.ops.quantized_decomposed." + name):
                        n["inputs"][at]["arg"] = value
            return change
        for change in (change_inputs("quantize_per_tensor", 3, {"as_int": -64}), change_inputs("dequantize_per_channel", 3, {"as_int": 1}),
                       change_inputs("dequantize_per_channel", 2, tensor("p_wide_bias"))):
            p = run(TSMC, self.changed(change, "exported/QuantizedLayers"), "--dump", "ops", "--no-example")
            self.assertEqual((p.returncode, "tsm::quantized" in p.stdout), (OK, False), p.stderr)

        def leave_as_it_is(p):
            for n in nodes(p):
                if n["target"].startswith("torch.ops.aten.permute"):
                    n["inputs"][1]["arg"] = {"as_ints": [0, 1]}
        p = run(TSMC, self.changed(leave_as_it_is, "core/QuantizedLinears"), "--dump", "ops", "--no-example")
        self.assertEqual((p.returncode, "tsm::quantized" in p.stdout, "permute" in p.stdout), (OK, False, True), p.stdout + p.stderr)

    def test_several_methods(self):
        a, b = (self.write(n, self.cases[c]["archive"]) for n, c in (("a.pt2", "exported/Cond"), ("b.pt2", "core/Counter")))
        p = run(TSMC, a + ":forward", b + ":count", "-o", self.path("out.tsm"))
        self.assertEqual(p.returncode, OK, p.stderr)
        for method, case in (("forward", "exported/Cond"), ("count", "core/Counter")):
            first = self.cases[case]["calls"][0]
            p = self.call(first["inputs"], "--method", method, "--outputs", self.path("out.json"))
            self.assertEqual(p.returncode, OK, p.stderr)
            with open(self.path("out.json")) as f:
                self.assertIsNone(differs(json.load(f), first["output"], "result", 1e-4, 2e-5))
        for inputs, text in (([a, b], "more than one input"), ([a + ":f", b + ":f"], "there are two methods 'f'"), ([a + ":f", b + ":"], "no method is named")):
            p = run(TSMC, *inputs, "-o", self.path("out.tsm"))
            self.assertEqual((p.returncode, text in p.stderr), (BAD_INPUT, True), p.stderr)

    def test_names(self):
        p = run(TSMC, self.write("a.pt2", self.cases["exported/Cond"]["archive"]), "--dump", "types")
        self.assertIn("layer : ", p.stdout)
        self.assertIn("weight : Tensor", p.stdout)
        self.assertRegex(p.stdout, r"forward\(\S+ self, Tensor x\) -> Tensor")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
