"""Quantized layers and tensors with arguments that they do not take: each argument of a call that succeeds is put in
turn by others. The form is that of arguments.py; True: the call succeeds."""
from narrow import each

PACKED = "the weight is not packed for these outputs"
MAKE = """q = torch.quantize_per_tensor(torch.arange(%s).reshape(%s).sin(), 0.02, 10, torch.quint8)
    p = torch.quantize_per_tensor(torch.arange(%s).reshape(%s).cos(), 0.02, 0, torch.qint8)
    w, s, z = torch.ops.tsm.quantized_pack(p, 1)
    """
WEIGHTS = {"w": True, "w.int()": PACKED, "w[:0]": PACKED, "torch.stack([w, w], 1)[:, 0]": PACKED, "w[:-1]": PACKED,
           "w[:-48].view(1, -1, 4, 4)": PACKED, "torch.nn.functional.pad(w[:-48].view(1, -1, 4, 4), [0, 0, 0, 12])": True}
SCALES = {"s": True, "s.double()": PACKED, "s[:1]": True, "s[:0]": PACKED, "torch.cat([s, s, s])": PACKED, "torch.ones(4)[::2]": PACKED}
SUMS = {"z": True, "z.int()": True, "z.long()": PACKED, "z[:1]": PACKED, "s": PACKED, "torch.ones(4).int()[::2]": PACKED}
BIASES = {"None": True, "torch.ones(2)": True, "torch.ones(3)": PACKED, "torch.ones(2).double()": PACKED, "torch.ones(4)[::2]": PACKED,
          "torch.tensor([1e30, -1e30])": True, "torch.tensor([float('nan'), float('inf')])": True}
ENDS = {"0.5, 3, False": True, "0.5, 3, True": True, "0.0, 3, False": True, "0.5, 255, False": True, "0.5, 256, False": "outside of quint8",
        "0.5, -1, False": "outside of quint8", "1e-30, 0, True": True, "1e30, 0, True": True}
INPUTS = {"q": True, "q[:0]": True, "q.dequantize()": "expected a tensor of quint8 or qint8",
          "torch.quantize_per_tensor(q.dequantize(), 0.5, 3, torch.qint32)": "expected a tensor of quint8 or qint8",
          "torch.quantize_per_tensor(q.dequantize(), 0.02, -100, torch.qint8)": True,
          "torch.quantize_per_channel(q.dequantize(), torch.ones(4), torch.zeros(4).long(), 1, torch.quint8)": "quantized per tensor",
          "q.int_repr()": "expected a tensor of quint8 or qint8"}


def linear(given, weight, scales, sums, bias, sizes, more):
    return MAKE % (12.0, "3, 4", 8.0, "2, 4") + "return torch.ops.tsm.quantized_linear(%s, %s, %s, %s, %s, %s, %s)" % (
        given, weight, scales, sums, bias, sizes, more)


LINEAR_SIZES = {"[2, 4]": True, "[2]": "2-dimensional|weight", "[2, 4, 1]": "2-dimensional|weight", "[2, 5]": PACKED + "|last dimension", "[3, 4]": PACKED,
                "[0, 4]": "2-dimensional|weight", "[2, 0]": "2-dimensional|weight", "[2**62, 4]": "2-dimensional|weight", "[]": "2-dimensional|weight",
                "[1, 1, 1, 1, 1, 1, 1, 1, 1]": "at most|possible"}
CASES = list(each([dict(INPUTS, **{"q[:, :3]": "The size of the last dimension", "q[0]": True, "q[0, 0]": "The size of the last dimension"}),
                   WEIGHTS, SCALES, SUMS, BIASES, LINEAR_SIZES, ENDS], linear))


def dynamic(given, weight, scales, sums, bias, sizes, relu):
    return linear(given, weight, scales, sums, bias, sizes, relu).replace("quantized_linear(", "quantized_linear_dynamic(")


FLOATS = {"q.dequantize()": True, "q": "expected a float tensor", "q.dequantize().double()": "expected a float tensor",
          "q.dequantize()[:0]": True, "q.dequantize()[:, :3]": "The size of the last dimension", "torch.tensor(1.0)": "The size of the last dimension",
          "q.dequantize() * float('nan')": True, "q.dequantize() * float('inf')": True, "q.dequantize() * 1e30": True, "q.dequantize() * 1e-30": True,
          "q.dequantize() * 0": True, "q.dequantize().abs() + 1": True, "-q.dequantize().abs() - 1": True}
CASES += each([FLOATS, WEIGHTS, SCALES, SUMS, BIASES, LINEAR_SIZES, {"False": True, "True": True}], dynamic)


def conv(given, weight, scales, sums, bias, sizes, stride, padding, dilation, groups, more):
    return MAKE % (100.0, "1, 4, 5, 5", 72.0, "2, 4, 3, 3") + "return torch.ops.tsm.quantized_conv(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)" % (
        given, weight, scales, sums, bias, sizes, stride, padding, dilation, groups, more)


FORM = "a weight of"
CONV_SIZES = {"[2, 4, 3, 3]": True, "[2, 4, 3]": "at most", "[2, 4]": FORM, "[2, 4, 1, 1, 1, 1]": "at most", "[0, 4, 3, 3]": FORM, "[2, 4, 0, 3]": FORM,
              "[2, 4, 3, 2**62]": FORM, "[2, 2**31, 2**31, 3]": FORM, "[3, 4, 3, 3]": PACKED, "[-2, 4, 3, 3]": FORM}
CASES += each([dict(INPUTS, **{"q[0]": True, "q[0, 0]": "Expected 3D", "q[:, :3]": "Given groups", "q.contiguous(memory_format=torch.channels_last)": True,
                               "q.transpose(2, 3)": True, "q[:, :, :2]": "Kernel size"}),
               WEIGHTS, SCALES, SUMS, BIASES, CONV_SIZES, {"[1, 1]": True, "[2, 3]": True, "[0, 1]": "stride", "[1]": True, "[1, 1, 1]": "at most|items"},
               {"[0, 0]": True, "[2, 1]": True, "[-1, 0]": "padding"}, {"[1, 1]": True, "[2, 2]": True, "[0, 1]": "dilation", "[9, 1]": "Kernel size"},
               {"1": True, "0": FORM, "-1": FORM, "3": FORM, "2": PACKED + "|Given groups", "2**32": FORM}, ENDS], conv)
# Weights that cannot be packed.
WEIGHT = "torch.quantize_per_tensor(torch.ones(%s), 0.5, %s, torch.%s)"
CASES += [("w, s, z = torch.ops.tsm.quantized_pack(%s, %s)\n    return w" % (weight, groups), wanted) for weight, groups, wanted in (
    (WEIGHT % ("4, 4", "0", "qint8"), "1", True), (WEIGHT % ("4, 4", "0", "qint8"), "2", True), (WEIGHT % ("4, 4", "0", "qint8"), "3", FORM + "|cannot"),
    (WEIGHT % ("4, 4", "0", "qint8"), "0", "cannot be packed"), (WEIGHT % ("4", "0", "qint8"), "1", "cannot be packed"),
    (WEIGHT % ("2, 2, 2, 2, 2, 2", "0", "qint8"), "1", "cannot be packed"), (WEIGHT % ("0, 4", "0", "qint8"), "1", "cannot be packed"),
    (WEIGHT % ("4, 4", "1", "qint8"), "1", None), (WEIGHT % ("4, 4", "0", "quint8"), "1", None), ("torch.ones(4, 4)", "1", None),
    (WEIGHT % ("2, 3, 1, 2, 2", "0", "qint8"), "1", True), (WEIGHT % ("4, 1, 3, 3", "0", "qint8"), "4", True),
    ("torch.quantize_per_channel(torch.ones(4, 4), torch.ones(4), torch.zeros(4).long(), 0, torch.qint8)", "1", True),
    ("torch.quantize_per_channel(torch.ones(4, 4), torch.ones(4), torch.zeros(4).long(), 1, torch.qint8)", "1", None),
    ("torch.quantize_per_channel(torch.ones(4, 4), torch.ones(4), torch.tensor([0, 0, 1, 0]), 0, torch.qint8)", "1", None))]

# Operators of PyTorch: what it refuses is refused.
OPERANDS = """f = torch.arange(48.0).reshape(2, 3, 2, 4).sin()
    q = torch.quantize_per_tensor(f, 0.02, 10, torch.quint8)
    r = torch.quantize_per_tensor(f.cos(), 0.01, 100, torch.quint8)
    i = torch.quantize_per_tensor(f, 0.02, 10, torch.qint8)
    l = torch.quantize_per_tensor(f, 0.02, 10, torch.qint32)
    c = torch.quantize_per_channel(f, torch.ones(3) / 10, torch.zeros(3).long(), 1, torch.qint8)
    """
SECOND = {"r": True, "q": True, "r.contiguous(memory_format=torch.channels_last)": True, "r[:, :, :1]": True, "r[:, :, :1, :1]": True, "r[:0]": None,
          "r[:, :2]": "must match|broadcast|same|shape", "i": "operands should have the same data type", "f": "expected quantized tensors",
          "c": "only per tensor quantization"}
OUTS = {"0.05, 20": True, "1e-20, 0": True, "1e20, 0": True, "0.05, 300": "zero.point"}


def public(call):
    return OPERANDS + "return torch.ops.quantized." + call


for _name in ("add", "add_relu", "mul", "mul_relu"):
    CASES += each([{"q": True, "q.contiguous(memory_format=torch.channels_last)": True, "q.transpose(0, 2)": None}, SECOND, OUTS],
                  lambda a, b, more: public("%s(%s, %s, %s)" % (_name, a, b, more)))
    CASES += each([{"i": True}, {"i": True, "i[:, :, :1, :1]": True}, {"0.05, 20": True, "0.05, -200": "zero.point"}],
                  lambda a, b, more: public("%s(%s, %s, %s)" % (_name, a, b, more)))
for _name in ("cat", "cat_relu"):
    CASES += each([{"[q, r]": True, "[q]": True, "[q, r, q]": True, "[q, r[:, :1]]": True, "[]": "non-empty|empty|expected", "[q, i]": None, "[q, f]": None},
                   {"1": True, "-1": None, "4": "range|out of"}, {"None, None": True, "0.05, 20": True, "0.05, 300": None}],
                  lambda a, dim, more: public("%s(%s, %s, %s)" % (_name, a, dim, more)))
GIVEN = {"q": True, "i": True, "q[:0]": True, "q.transpose(1, 3)": True, "f": "quint8 or qint8|quantized", "c": "per tensor|quantized", "l": None}
for _name, _more in (("hardswish", ""), ("sigmoid", ""), ("leaky_relu", "0.1, False, "), ("elu", "")):
    CASES += each([GIVEN, {"0.05, 20": True, "0.05, 300": None}],
                  lambda a, ends: public("%s(%s, %s%s%s)" % (_name, a, _more, ends, ", 1.0" if _name == "elu" else "")))
