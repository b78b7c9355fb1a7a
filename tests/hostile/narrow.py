"""Layers with narrow weights (tsm::narrow_...), which tsmc --weights writes, with arguments that it never gives them:
each argument of a call that succeeds is put in turn by others. The form is that of arguments.py; True: the call
succeeds."""

WEIGHT = "the weight is not narrow and packed|the weight is not packed for these outputs"
# What stands for a narrow weight of 1 panel and 4 inputs, `h` or, with scales, `b`; True where the call succeeds.
WEIGHTS = {"h": True, "h.float()": WEIGHT, "h[0]": WEIGHT, "h[:, :0]": WEIGHT, "h[0, 0, 0]": WEIGHT, "h[:, :, :15]": WEIGHT,
           "torch.ones(1, 16, 4).half().permute(0, 2, 1)": WEIGHT, "torch.ones(2, 4, 16).half()": WEIGHT, "b": WEIGHT,
           "torch.ones(1, 4, 16).int()": WEIGHT}
SCALES = {"s": True, "None": WEIGHT, "s[:15]": WEIGHT, "s.double()": WEIGHT, "torch.ones(32)[::2]": WEIGHT, "s[:0]": WEIGHT,
          "torch.ones(17)": WEIGHT}
OUTPUTS = {"5": True, "16": True, "-1": "not packed", "17": "not packed", "99": "not packed", "%d" % (2**63 - 1): "not packed"}
TENSORS = "x = torch.ones(2, 3, 4)\n    h = torch.ones(1, 4, 16).half()\n    b = torch.ones(1, 4, 16).to(torch.int8)\n    " \
          "s = torch.ones(16)\n    "
ACTIVATIONS = {"0": True, "1": True, "-1": "activation", "99": "activation"}


def each(arguments, call):
    """Calls with one argument at a time as its dict says; the first key of each is what it is else."""
    usual = [next(iter(others)) for others in arguments]
    for i, others in enumerate(arguments):
        for text, wanted in others.items():
            yield call(*usual[:i], text, *usual[i + 1:]), wanted


def linear(given, weight, scales, bias, residual, outputs, activation):
    return TENSORS + "return torch.ops.tsm.narrow_linear(%s, %s, %s, %s, %s, %s, %s, 0.0, 0.0)" % (
        given, weight, scales, bias, residual, outputs, activation)


LINEAR_INPUTS = {"x": True, "x[0, 0]": True, "x[:0]": True, "x.permute(1, 0, 2)": True, "x[0, 0, 0]": "cannot be multiplied",
                 "x[:, :, :3]": "cannot be multiplied", "x.double()": "dtype|scalar type", "x.half()": "dtype|scalar type"}
BIASES = {"None": True, "torch.ones(5)": True, "torch.ones(4)": "bias", "torch.ones(5).double()": "bias", "torch.ones(10)[::2]": "bias"}
LINEAR_RESIDUALS = {"None": True, "torch.ones(2, 3, 5)": True, "torch.ones(5)": True, "torch.ones(4)": "must match|shape|size",
                    "torch.ones(2, 3, 5).double()": True}
CASES = list(each([LINEAR_INPUTS, WEIGHTS, {"None": True, "s": WEIGHT}, BIASES, LINEAR_RESIDUALS, OUTPUTS, ACTIVATIONS], linear))
CASES += each([{"x": True}, {"b": True, "h": WEIGHT}, SCALES, BIASES, LINEAR_RESIDUALS, OUTPUTS, ACTIVATIONS], linear)


# One dimension: 1 panel, 3 taps of 4 channels.
IMAGES = {"x": True, "x[0]": True, "x[:0]": True, "x.permute(0, 2, 1).contiguous().permute(0, 2, 1)": True, "x[0, 0]": "Expected 2D",
          "x[:, :3]": "to have 4 channels", "x[:, :, :2]": "Kernel size", "x.double()": "should be the same", "x.half()": "should be the same"}
CONV_WEIGHTS = {"h": True, "h.float()": WEIGHT, "h[0]": "not packed", "h[:, :0]": WEIGHT, "h[0, 0]": WEIGHT, "h[:, :, :, :15]": WEIGHT, "h[0, 0, 0, 0]": WEIGHT,
                "h.unsqueeze(0).unsqueeze(0).unsqueeze(0)": "not packed", "torch.ones(1, 3, 16, 4).half().permute(0, 1, 3, 2)": WEIGHT,
                "torch.ones(2, 3, 4, 16).half()": WEIGHT, "b": WEIGHT}
CONV_RESIDUALS = {"None": True, "torch.ones(2, 5, 3)": True, "torch.ones(5, 1)": True, "torch.ones(2, 5, 2)": "must match|shape|size"}
ROOM = [{"[1]": True, "[2]": True, "[0]": "stride", "[-1]": "stride", "[1, 1]": "at most 1|items"},
        {"[0]": True, "[2]": True, "[-1]": "padding"}, {"[1]": True, "[2]": True, "[0]": "dilation", "[9]": "Kernel size"},
        {"1": True, "0": WEIGHT, "-1": WEIGHT, "3": WEIGHT}]


def convolution(given, weight, scales, bias, residual, outputs, stride, padding, dilation, groups):
    return TENSORS.replace("ones(2, 3, 4)", "ones(2, 4, 5)").replace("ones(1, 4, 16)", "ones(1, 3, 4, 16)") + \
        "return torch.ops.tsm.narrow_convolution(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, 0, 0.0, 0.0)" % (
            given, weight, scales, bias, residual, outputs, stride, padding, dilation, groups)


CASES += each([IMAGES, CONV_WEIGHTS, {"None": True, "s": WEIGHT}, BIASES, CONV_RESIDUALS, OUTPUTS] + ROOM, convolution)
CASES += each([IMAGES, {"b": True, "h": WEIGHT}, SCALES, BIASES, CONV_RESIDUALS, OUTPUTS] + ROOM, convolution)
# Depthwise weights stay floats: 16 channels in groups of one are none, whatever their form.
CASES += [("x = torch.ones(1, 16, 5)\n    return torch.ops.tsm.narrow_convolution(x, torch.ones(1, 3, 1, 16).half(), None, None, None, 16, [1], "
           "[0], [1], 16, 0, 0.0, 0.0)", WEIGHT),
          ("x = torch.ones(1, 1, 5)\n    return torch.ops.tsm.narrow_convolution(x, torch.ones(1, 3, 1, 16).half(), None, None, None, 1, [1], "
           "[0], [1], 1, 0, 0.0, 0.0)", True)]


# Layers of 16 bits: all cases of those above but for scales, with halves where there were floats.
def half_linear(given, weight, bias, residual, outputs, activation):
    return TENSORS.replace("ones(2, 3, 4)", "ones(2, 3, 4).half()") + "return torch.ops.tsm.half_linear(%s, %s, %s, %s, %s, %s, 0.0, 0.0)" % (
        given, weight, bias, residual, outputs, activation)


def half_convolution(given, weight, bias, residual, outputs, stride, padding, dilation, groups):
    return TENSORS.replace("ones(2, 3, 4)", "ones(2, 4, 5).half()").replace("ones(1, 4, 16)", "ones(1, 3, 4, 16)") + \
        "return torch.ops.tsm.half_convolution(%s, %s, %s, %s, %s, %s, %s, %s, %s, 0, 0.0, 0.0)" % (
            given, weight, bias, residual, outputs, stride, padding, dilation, groups)


def of_halves(cases, others):
    return {text: wanted for text, wanted in cases.items() if text != "x.half()"} | {text: others for text in ("x.float()", "x.to(torch.bfloat16)")}


CASES += each([of_halves(LINEAR_INPUTS, "scalar type"), dict(WEIGHTS, **{"h.to(torch.bfloat16)": "scalar type"}), BIASES, LINEAR_RESIDUALS, OUTPUTS, ACTIVATIONS],
              half_linear)
CASES += each([of_halves(IMAGES, "should be the same"), dict(CONV_WEIGHTS, **{"h.to(torch.bfloat16)": "should be the same"}), BIASES, CONV_RESIDUALS, OUTPUTS] + ROOM,
              half_convolution)
CASES += [("x = torch.ones(1, 16, 5).half()\n    y = torch.ops.tsm.half_convolution(x, torch.ones(1, 3, 1, 16).half(), None, None, 16, [1], [0], [1], "
           "16, 0, 0.0, 0.0)\n    assert torch.equal(y, torch.full([1, 16, 3], 3.0).half())\n    return y", True)]


def embedding(table, scales, indices, rows):
    """3 rows of 4 numbers, or the same packed."""
    return "t = torch.arange(12.0).reshape(3, 4)\n    h = t.half()\n    b = t.to(torch.int8)\n    s = torch.ones(16)\n    " \
           "p = torch.nn.functional.pad(h.t(), [0, 13]).unsqueeze(0)\n    q = torch.nn.functional.pad(t.t(), [0, 13]).to(torch.int8).unsqueeze(0)\n    " \
           "i = torch.tensor([[2, 0], [1, 1]])\n    return torch.ops.tsm.narrow_embedding(%s, %s, %s, %s)" % (table, scales, indices, rows)


TABLE = "the table is not narrow"
TABLES = {"h": True, "t": TABLE, "b": TABLE, "h[0]": TABLE, "h[0, 0]": TABLE, "h[:2]": TABLE, "h.t()": TABLE, "h.unsqueeze(0)": TABLE,
          "h.t().contiguous().t()": TABLE, "p[:, :, :15].contiguous()": TABLE, "h[:, :0].contiguous()": True}
INDICES = {"i": True, "i.int()": True, "i.t()": True, "i[:0]": True, "i[0, 0]": True, "i - 1": "out of range", "i + 1": "out of range",
           "i + 2**40": "out of range", "i - 2**62": "out of range", "i.float()": "int32 or int64", "i.to(torch.int16)": "int32 or int64",
           "i.to(torch.bool)": "int32 or int64", "i.reshape(1, 1, 1, 1, 1, 1, 2, 2)": "at most 8 dimensions"}
ROWS = {"3": True, "2": TABLE, "4": TABLE, "-1": TABLE, "%d" % 2**62: TABLE}
PACKED_ROWS = {"3": True, "2": "out of range", "16": True, "17": TABLE, "-1": TABLE, "%d" % 2**62: TABLE}
ROW_SCALES = {"s": True, "s[:3]": True, "s[:2]": TABLE, "s.double()": TABLE, "torch.ones(32)[::2]": TABLE, "None": TABLE}
CASES += each([TABLES, {"None": True, "s": TABLE}, INDICES, ROWS], embedding)
CASES += each([{"b": True, "h": TABLE}, ROW_SCALES, INDICES, ROWS], embedding)
CASES += each([{"p": True, "p.float()": TABLE, "p.expand(2, 4, 16).contiguous()": TABLE}, {"None": True}, INDICES, PACKED_ROWS], embedding)
CASES += each([{"q": True, "q.short()": TABLE}, {"s": True, "s[:2]": TABLE, "None": TABLE}, INDICES, {"3": True, "17": TABLE}], embedding)
# The numbers are those of the table.
CASES += [(embedding(table, scales, "i", "3").replace("return ", "y = ") + "\n    assert torch.equal(y, t[i])\n    return y", True)
          for table, scales in (("h", "None"), ("b", "s"), ("p", "None"), ("q", "s"))]


def recurrent(name, given, state, first, second, scales, layers):
    return "x = torch.ones(3, 2, 4)\n    h = torch.zeros(1, 2, 4)\n    w = torch.ones(1, 4, 16).half()\n    f = torch.ones(1, 4, 16)\n    " \
           "b = torch.ones(1, 4, 16).to(torch.int8)\n    e = torch.ones(0)\n    s = torch.ones(16)\n    " \
           "return torch.ops.tsm.narrow_%s(%s, %s, [%s, %s, %s], False, %s, 0.0, False, False, False)" % (
               name, given, state, first, second, scales, layers)


PARAMETER = WEIGHT + "|parameters|have other sizes"
RECURRENT = {"w": True, "f": True, "w[0]": PARAMETER, "w[:, :3].contiguous()": PARAMETER, "w[:, :0]": PARAMETER, "w[:, :, :15]": PARAMETER,
             "b": PARAMETER, "w.double()": PARAMETER, "f.permute(0, 2, 1)": PARAMETER, "w.expand(2, 4, 16).contiguous()": PARAMETER}
NO_SCALES = {"e, e": True, "e": "incorrect number", "s, s": True}
for _name, _state, _wrong in (("lstm", "[h, h]", {"[h]": "two hidden states", "[h, h[:, :1]]": "hidden size", "[h[0], h]": "3.D"}),
                              ("gru", "h[:, :, :4]", {"h[:, :1]": "hidden size", "h[0]": "3.D"})):
    _inputs = {"x": True, "x[:, :, :3]": PARAMETER, "x[0]": "3.D", "x.int()": "float"}
    CASES += each([{_name: True}, _inputs, dict({_state: True}, **_wrong), RECURRENT, RECURRENT, NO_SCALES, {"1": True, "2": "hidden size"}], recurrent)
    CASES += each([{_name: True}, _inputs, {_state: True}, {"b": True}, {"b": True, "w": True},
                   {"s, s": True, "s[:15], s": PARAMETER, "e, s": PARAMETER, "s.double(), s": PARAMETER}, {"1": True}], recurrent)
