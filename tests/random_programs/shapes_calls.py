"""The calls of shapes.py, by families of operators. Each function writes the inputs of one call into a Case and returns
the expressions of what is shown of it. What PyTorch leaves open is not asked for: places of equal elements, unstable
orders, signs of vectors."""
import math

KEEP = ["", "", ", keepdim=True"]


def of_numbers(c, distinct=False):
    """An input of a reduction, its sizes and its element type."""
    dtype = c.floats() if distinct or c.chance(0.7) else c.dtype()
    shape = c.shape(c.rank(), empty=not distinct)
    kind = "special" if dtype.startswith("float") and not distinct and c.chance(0.08) else None
    return c.tensor(shape, dtype, kind, distinct), shape, dtype


# ---- Reductions ----

def sums(c):
    x, shape, _ = of_numbers(c)
    axes, keep = c.axes(len(shape)), c.r.choice(KEEP)
    dtype = c.pick("", "", "", ", dtype=torch.float32", ", dtype=torch.float64", ", dtype=torch.int64")
    if "int" in dtype:
        keep, x = keep, x + ".nan_to_num(0.0, 1.0, 1.0)"
    name = c.pick("sum", "sum", "mean", "nansum", "nanmean")
    if name in ("mean", "nanmean") and "int" in dtype:
        dtype = ", dtype=torch.float32"
    if c.chance(0.2):
        return ["%s.%s(%s)" % (x, name, dtype[2:])]
    return ["%s.%s(%s%s%s)" % (x, name, axes, keep, dtype)]


def extremes(c):
    x, shape, _ = of_numbers(c)
    axis, axes, keep = c.axis(len(shape)), c.axes(len(shape)), c.r.choice(KEEP)
    return c.pick(["%s.amax(%s%s)" % (x, axes, keep)], ["%s.amin(%s%s)" % (x, axes, keep)], ["%s.argmax(%s%s)" % (x, axis, keep)],
                  ["%s.argmin(%s%s)" % (x, axis, keep)], ["%s.argmax()" % x], ["%s.max()" % x], ["%s.min()" % x],
                  ["%s.max(%s%s)[0]" % (x, axis, keep), "%s.max(%s%s)[1]" % (x, axis, keep)],
                  ["%s.min(%s%s)[0]" % (x, axis, keep), "%s.min(%s%s)[1]" % (x, axis, keep)],
                  ["torch.aminmax(%s, dim=%s%s)[1]" % (x, axis, keep), "torch.aminmax(%s)[0]" % x])


def spreads(c):
    x, shape, dtype = of_numbers(c)
    axes, keep = c.axes(len(shape)), c.r.choice(KEEP)
    name = c.pick("var", "std")
    how = c.pick("%s, unbiased=%s" % (axes, c.pick(True, False)), "dim=%s, correction=%d" % (axes, c.pick(0, 1, 2)))
    return c.pick(["%s.%s(%s%s)" % (x, name, how, keep)], ["%s.%s(%s%s)" % (x, name, how, keep)], ["%s.%s()" % (x, name)],
                  ["torch.%s_mean(%s, %s%s)[%d]" % (name, x, how, keep, i) for i in ((0,) if "special" in c.lines[-1] else (0, 1))])


def norms(c):
    x, shape, dtype = of_numbers(c)
    axis, axes, keep = c.axis(len(shape)), c.axes(len(shape)), c.r.choice(KEEP)
    p = c.pick("2", "1", "0", "3", "0.5", "float('inf')", "-float('inf')", "2.0", "-1")
    if dtype == "bfloat16":
        x = c.name(x + ".float()")  # PyTorch adds up in bfloat16.
    return [c.pick("torch.linalg.vector_norm(%s, %s, %s%s)" % (x, p, axes, keep), "%s.norm(%s, %s%s)" % (x, p, axis, keep), "%s.norm()" % x,
                   "%s.norm(%s, %s%s)" % (x, p, axes, keep), "F.normalize(%s, %s, %d)" % (x, c.pick("2.0", "1.0"), axis),
                   "torch.dist(%s, %s * 0.5, %s)" % (x, x, p), "%s.renorm(%s, %d, 1.5)" % (x, c.pick("2", "1"), axis))]


def logical(c):
    x, shape, _ = of_numbers(c)
    axis, keep = c.axis(len(shape)), c.r.choice(KEEP)
    return [c.pick("%s.all(%s%s)", "%s.any(%s%s)") % (x, axis, keep)] if c.chance(0.6) else \
        [c.pick("%s.all()" % x, "%s.any()" % x, "%s.count_nonzero(%d)" % (x, axis), "%s.count_nonzero()" % x, "%s.nonzero()" % x)]


def products(c):
    x, shape, dtype = of_numbers(c)
    axis, axes, keep = c.axis(len(shape)), c.axes(len(shape)), c.r.choice(KEEP)
    if c.chance(0.4):
        return ["torch.logsumexp(%s, %s%s)" % (x, axes, keep)]
    return [c.pick("(%s * 0.5).prod(%d%s)" % (x, axis, keep), "%s.sign().prod(%d%s)" % (x, axis, keep), "(%s * 0.25).prod()" % x)]


def scans(c):
    x, shape, dtype = of_numbers(c)
    if dtype == "bfloat16":
        x = c.name(x + ".float()")
    axis = c.axis(len(shape))
    some = ["%s.cumsum(%d)", "%s.cumsum(%d)", "%s.cumsum(%d, dtype=torch.float64)", "(%s * 0.7).cumprod(%d)", "%s.logcumsumexp(%d)"]
    if c.chance(0.4):
        name = c.pick("cummax", "cummin")
        return ["%s.%s(%d)[%d]" % (x, name, axis, i) for i in (0, 1)]
    return [c.r.choice(some) % (x, axis)]


def ranked(c):
    x, shape, dtype = of_numbers(c, True)
    axis, keep = c.axis(len(shape)), c.r.choice(KEEP)
    name = c.pick("median", "nanmedian", "kthvalue", "mode", "quantile")
    shown = (0, 1) if dtype in ("float32", "float64") and len(shape) and shape[axis % len(shape)] < 1000 else (0,)
    if name == "kthvalue":
        end = shape[axis] if len(shape) and -len(shape) <= axis < len(shape) else 1
        return ["%s.kthvalue(%d, %d%s)[%d]" % (x, c.r.randrange(end) + 1, axis, keep, i) for i in shown]
    if name == "mode":
        y = c.tensor(shape, c.pick("int64", "float32", "uint8", "int32"))
        return ["%s.mode(%d%s)[0]" % (y, axis, keep)]
    if name == "quantile":
        q = c.pick("0.5", "0.3", "torch.tensor([0.1, 0.9, 0.5])")
        if q[0] == "t":
            q += ".to(%s.dtype)" % x
        return ["torch.%s(%s, %s, %d%s, interpolation='%s')" % (c.pick("quantile", "nanquantile"), x, q, axis, keep,
                                                               c.pick("linear", "lower", "higher", "midpoint", "nearest"))]
    if c.chance(0.2):
        return ["%s.%s()" % (x, name)]
    return ["%s.%s(%d%s)[%d]" % (x, name, axis, keep, i) for i in shown]


# ---- Softmax and layers that normalize ----

def softmaxes(c):
    x, shape, dtype = of_numbers(c)
    axis = c.axis(len(shape))
    to = c.pick("", "", ", dtype=torch.float32", ", dtype=torch.float64")
    return [c.pick("F.softmax(%s, %d%s)", "F.softmax(%s, %d%s)", "F.log_softmax(%s, %d%s)", "F.softmin(%s, %d%s)") % (x, axis, to)]


def layer_norms(c):
    dtype = c.floats()
    if dtype == "bfloat16":
        c.tolerance = 0.3  # PyTorch rounds on the way.
    shape = c.shape(c.rank(1), empty=False)
    k = c.r.randrange(1, len(shape) + 1)
    if math.prod(shape[-k:]) == 1 and dtype == "bfloat16":
        dtype = "float32"
    x, inner = c.tensor(shape, dtype), shape[-k:]
    w = c.tensor(inner, dtype) if c.chance(0.6) else "None"
    b = c.tensor(inner, dtype) if c.chance(0.5) else "None"
    return ["F.layer_norm(%s, %s, %s, %s, %s)" % (x, inner, w, b, c.pick("1e-5", "0.1"))]


def channel_norms(c):
    dtype = c.floats()
    if dtype == "bfloat16":
        c.tolerance = 0.3
    rank = c.pick(2, 3, 3, 4, 4, 4, 5)
    shape = c.shape(rank, empty=False)
    channels = shape[1]
    if math.prod(shape[2:]) == 1 and dtype == "bfloat16":
        dtype = "float32"
    name = c.pick("batch_norm", "batch_norm", "group_norm", "instance_norm", "batch_norm_training", "local_response_norm")
    x = c.tensor(shape, dtype)
    w = c.tensor([channels], dtype) if c.chance(0.7) else "None"
    b = c.tensor([channels], dtype) if c.chance(0.7) else "None"
    if name == "batch_norm":
        return ["F.batch_norm(%s, %s, %s, %s, %s)" % (x, c.tensor([channels], dtype), c.tensor([channels], dtype, "positive"), w, b)]
    if name == "batch_norm_training":
        m, v = c.name("plain([%d], 3 + n).to(torch.%s)" % (channels, dtype)), c.name("positive([%d], 4 + n).to(torch.%s)" % (channels, dtype))
        y = c.name("F.batch_norm(%s, %s, %s, %s, %s, True, %s)" % (x, m, v, w, b, c.pick("0.1", "0.5")))
        return [y, m, v]
    if name == "group_norm":
        groups = c.r.choice([g for g in range(1, channels + 1) if channels % g == 0])
        return ["F.group_norm(%s, %d, %s, %s)" % (x, groups, w, b)]
    if name == "instance_norm":
        return ["F.instance_norm(%s, None, None, %s, %s)" % (x, w, b)]
    return ["F.local_response_norm(%s, %d)" % (x, c.pick(1, 2, 3, 5))]


# ---- Element by element ----

UNARY = """abs neg sign sqrt exp floor ceil round reciprocal square sigmoid trunc frac log1p sin cos tan asin acos atan sinh cosh tanh asinh
acosh atanh exp2 expm1 log log2 log10 rsqrt erf erfc erfinv lgamma digamma isnan isinf isfinite isposinf isneginf signbit logical_not
nan_to_num sgn positive deg2rad rad2deg i0 sinc logit""".split()
ACTIVATIONS = ["relu", "relu6", "silu", "mish", "hardswish", "hardsigmoid", "hardtanh", "elu", "selu", "celu", "gelu", "softplus", "softsign",
               "logsigmoid", "tanhshrink", "softshrink", "hardshrink", "leaky_relu"]
SPECIALS = "entr erfcx i0e i1 i1e ndtri log_ndtr psi gammaln expit exp2 ndtr".split()
BINARY = """add sub mul div true_divide maximum minimum fmax fmin atan2 hypot copysign logaddexp logaddexp2 pow fmod remainder
floor_divide eq ne lt le gt ge logical_and logical_or logical_xor xlogy float_power heaviside nextafter bitwise_and bitwise_or bitwise_xor gcd lcm
ldexp isclose rsub""".split()


def unary_text(c, x):
    kind = c.r.randrange(10)
    if kind < 6:
        return "torch.%s(%s)" % (c.r.choice(UNARY), x)
    if kind < 8:
        return "F.%s(%s)" % (c.r.choice(ACTIVATIONS), x)
    if kind == 8:
        return "torch.special.%s(%s)" % (c.r.choice(SPECIALS), x)
    return c.pick("%s.clamp(-1, 1)", "%s.clamp(min=0.5)", "%s.clamp(max=1)", "%s.pow(2)", "%s.pow(3)", "%s.pow(-1)", "%s.pow(0.5)", "%s.pow(-0.5)",
                  "%s.round(decimals=1)", "F.gelu(%s, approximate='tanh')", "F.leaky_relu(%s, 0.2)", "F.elu(%s, 0.5)", "F.hardtanh(%s, -0.5, 1.5)",
                  "F.threshold(%s, 0.5, 2.0)", "F.softplus(%s, 2.0, 1.0)", "%s.polygamma(1)", "torch.mvlgamma(%s.abs() + 2, 2)", "%s.pow(1.5)",
                  "torch.pow(2, %s)", "torch.pow(0.5, %s)", "%s.bitwise_not()", "%s.logit(0.1)", "F.softshrink(%s, 0.25)") % x


def unary(c):
    dtype = c.floats() if c.chance(0.75) else c.dtype()
    kind = "special" if dtype[:5] == "float" and c.chance(0.2) else "positive" if dtype[:5] == "float" and c.chance(0.3) else None
    return [unary_text(c, c.tensor(c.shape(c.rank()), dtype, kind))]


def broadcast(c, shape):
    """A shape that is broadcast to `shape`."""
    some = [1 if c.chance(0.25) else s for s in shape]
    return some[c.r.randrange(len(some) + 1):] if c.chance(0.3) else some


def pair(c, shape=None):
    """Two inputs to be broadcast to `shape`, and the second one's type."""
    shape = c.shape(c.rank()) if shape is None else shape
    a = c.floats() if c.chance(0.6) else c.dtype()
    b = a if c.chance(0.65) else c.dtype()
    x, y = shape, broadcast(c, shape)
    if c.chance(0.2):
        x, y = y, x
    special = a == b == "float32" and c.chance(0.1)
    return c.tensor(x, a, "special" if special else None), c.tensor(y, b, "special" if special and c.chance(0.5) else None), a, b


def binary(c):
    name = c.r.choice(BINARY)
    x, y, a, b = pair(c)
    if name in ("fmod", "remainder", "floor_divide", "pow", "gcd", "lcm", "ldexp"):
        if not ("float" in a or "float" in b):
            y = "(%s.abs() + 1)" % y if b != "bool" else "%s.int().add(1)" % y
    if name == "pow" and "int" in a:
        y = "(%s %% 3)" % y
    if name == "isclose" and a != b:
        name = "eq"
    if name in ("div", "true_divide") and c.chance(0.3):
        if not ("float" in a or "float" in b):
            y = "(%s.abs() + 1)" % y if b != "bool" else "%s.int().add(1)" % y
        return ["torch.div(%s, %s, rounding_mode='%s')" % (x, y, c.pick("floor", "trunc"))]
    if name in ("add", "sub", "rsub") and c.chance(0.3):
        return ["torch.%s(%s, %s, alpha=%s)" % (name, x, y, c.pick("2", "-3"))]
    if c.chance(0.2):
        y = c.pick("2", "3", "0.5", "-1.5", "n + 1", "2.5")
        if name in ("gcd", "lcm", "ldexp", "nextafter", "heaviside", "isclose", "hypot", "atan2", "logaddexp", "logaddexp2", "fmax", "fmin", "maximum",
                    "minimum", "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor"):
            name = c.pick("add", "mul", "div", "sub", "eq", "lt", "remainder", "pow")
        if name == "pow" and "int" in a:
            y = "2"
        elif c.chance(0.15) and name in ("add", "mul", "sub", "div"):
            return ["%s %s %s" % (c.pick("3", "0.5"), {"add": "+", "mul": "*", "sub": "-", "div": "/"}[name], x)]
    if name in ("add", "mul") and c.chance(0.2):
        return ["%s(%s, %s)" % ("torch." + name, x, y) + c.pick(" * 0.5", ".relu()", " > 0", ".sum()", ".abs().sqrt()", ".to(torch.float32)")]
    return ["torch.%s(%s, %s)" % (name, x, y)]


def shifts(c):
    dtype = c.r.choice(["int64", "int32", "int16", "int8", "uint8"])
    shape = c.shape(c.rank())
    x, y = c.tensor(shape, dtype), c.tensor(broadcast(c, shape), dtype, "counts")
    return [c.pick("%s << (%s %% 3)", "%s >> (%s %% 3)", "%s & %s", "%s | %s", "%s ^ %s", "%s // %s", "%s %% %s") % (x, y)]


def ternary(c):
    shape = c.shape(c.rank())
    name = c.pick("where", "where", "lerp", "addcmul", "addcdiv", "clamp", "clamp", "where_number", "masked_fill")
    x, y, a, b = pair(c, shape)
    if name == "where":
        return ["torch.where(%s, %s, %s)" % (c.tensor(broadcast(c, shape), "bool"), x, y)]
    if name == "where_number":
        return ["torch.where(%s > 0, %s, %s)" % (x, x, c.pick("0.5", "2", "-1.5"))]
    if name == "masked_fill":
        return ["%s.masked_fill(%s, %s)" % (x, c.tensor(broadcast(c, shape), "bool"), c.pick("0", "1", "-2") if "float" not in a else "0.5")]
    if name == "clamp":
        z = c.tensor(broadcast(c, shape), b)
        return ["torch.clamp(%s, %s, %s)" % (x, y, z), "torch.clamp(%s, min=%s)" % (x, y)][:c.pick(1, 2)]
    dtype = c.floats()
    x, y, z = c.tensor(shape, dtype), c.tensor(broadcast(c, shape), dtype), c.tensor(broadcast(c, shape), dtype)
    if name == "lerp":
        return ["torch.lerp(%s, %s, %s)" % (x, y, c.pick(z, "0.25", "0.75"))]
    return ["torch.%s(%s, %s, %s%s)" % (name, x, y, z + ".abs().add(0.5)" if name == "addcdiv" else z, c.pick("", ", value=0.5", ", value=-2"))]


def in_place(c):
    """A write to a part of a tensor."""
    dtype = c.floats() if c.chance(0.7) else c.r.choice(["int64", "int32", "uint8", "int8"])
    shape = c.shape(c.rank(1))
    y = c.name("%s.clone()" % c.tensor(shape, dtype))
    a = c.r.randrange(len(shape))
    at = ":, " * a
    view, sizes = c.pick(("%s", shape), ("%s.transpose(0, -1)", [*shape[-1:], *shape[1:-1], *shape[:1]] if len(shape) > 1 else shape),
                         ("%s[" + at + "::2]", shape[:a] + [(shape[a] + 1) // 2] + shape[a + 1:]),
                         ("%s[" + at + "1:]", shape[:a] + [max(shape[a] - 1, 0)] + shape[a + 1:]))
    v = view % y
    z = c.tensor(broadcast(c, sizes), dtype if c.chance(0.7) else c.r.choice(["int64", "bool", "uint8", dtype]))
    m = c.tensor(broadcast(c, sizes), "bool")
    number = c.pick("2", "3", "1") if "int" in dtype else c.pick("0.5", "2", "-1.5")
    forms = ["%s.add_(%s)" % (v, z), "%s.mul_(%s)" % (v, z), "%s.sub_(%s)" % (v, z), "%s.copy_(%s)" % (v, z), "%s.add_(%s, alpha=2)" % (v, z),
             "%s.fill_(%s)" % (v, number), "%s.zero_()" % v, "%s.masked_fill_(%s, %s)" % (v, m, number), "%s.clamp_(-1, 2)" % v, "%s.neg_()" % v,
             "%s.mul_(%s)" % (v, number), "%s.abs_()" % v, "%s.pow_(2)" % v, "%s.cumsum_(%d)" % (v, a), "%s.tril_()" % v, "%s.triu_(1)" % v,
             "%s.index_fill_(%d, torch.tensor([0]), %s)" % (v, a, number), "%s.sign_()" % v, "%s.eq_(%s)" % (v, z), "%s.fill_diagonal_(1)" % v]
    if "int" not in dtype:
        forms += ["%s.%s_()" % (v, f) for f in ("exp", "sigmoid", "tanh", "sqrt", "reciprocal", "relu", "floor", "erf", "sin", "rsqrt")]
        forms += ["%s.div_(%s)" % (v, number), "%s.lerp_(%s.to(%s.dtype), 0.25)" % (v, z, y), "F.relu_(%s)" % v, "%s.atan2_(%s)" % (v, z),
                  "%s.addcmul_(%s.to(%s.dtype), %s.to(%s.dtype))" % (v, z, y, z, y), "F.silu(%s, inplace=True)" % v, "F.elu_(%s)" % v,
                  "F.leaky_relu_(%s)" % v, "F.hardtanh_(%s)" % v]
    c.say(c.r.choice(forms))
    return [y]


def into_outputs(c):
    dtype = c.floats()
    shape = c.shape(c.rank(1), empty=False)
    out = c.name("%s.clone()" % c.tensor(shape, dtype))
    turned = "%s.transpose(0, -1)" % out
    sizes = [*shape[-1:], *shape[1:-1], *shape[:1]] if len(shape) > 1 else shape
    x, y = c.tensor(sizes, dtype), c.tensor(broadcast(c, sizes), dtype)
    c.say(c.pick("torch.add(%s, %s, out=%s)", "torch.mul(%s, %s, out=%s)", "torch.maximum(%s, %s, out=%s)", "torch.sub(%s, %s, out=%s)") % (x, y, turned)
          if c.chance(0.5) else c.pick("torch.exp(%s, out=%s)", "torch.sigmoid(%s, out=%s)", "torch.cumsum(%s, 0, out=%s)", "torch.neg(%s, out=%s)",
                                       "torch.clamp(%s, -1, 1, out=%s)", "torch.cat([%s], 0, out=%s)") % (x, turned))
    return [out]


def casts(c):
    a, b = c.dtype(), c.dtype()
    kind = "positive" if "float" in a and b == "uint8" else "counts" if b == "uint8" and "int" in a else None
    x = c.tensor(c.shape(c.rank()), a, kind)
    return [c.pick("%s.to(torch.%s)", "%s.to(torch.%s)", "%s.contiguous().to(torch.%s)", "%s.to(torch.%s).clone()") % (x, b)]


def complexes(c):
    dtype = c.pick("complex64", "complex64", "complex128")
    shape = c.shape(c.rank())
    x, y = c.tensor(shape, dtype, "plain"), c.tensor(broadcast(c, shape), c.pick(dtype, dtype, "float32", "int64", "complex128"))
    axis = c.axis(len(shape))
    some = ["%s + %s" % (x, y), "%s * %s" % (x, y), "%s - %s" % (x, y), "%s / (%s + 3)" % (x, y), "%s == %s" % (x, y)]
    some += ["%s.%s()" % (x, f) for f in "abs angle conj neg exp sin cos tanh sqrt sgn sum mean square reciprocal sigmoid log sinh asin".split()]
    some += ["%s.real" % x, "%s.imag" % x, "%s.sum(%d)" % (x, axis), "%s.cumsum(%d)" % (x, axis), "%s.flip([%d])" % (x, axis), "%s.conj() * %s" % (x, y),
             "torch.cat([%s, %s], %d)" % (x, x, axis), "torch.where(%s.real > 0, %s, %s)" % (x, x, x + ".conj()"), "torch.view_as_real(%s)" % x,
             "%s.mean(%d)" % (x, axis), "torch.polar(%s.abs(), %s.angle())" % (x, x), "%s.pow(2)" % x, "%s.contiguous().conj().clone()" % x,
             "%s.transpose(0, -1).contiguous()" % x, "%s.to(torch.complex64)" % x, "%s.norm()" % x, "%s.var(%d)" % (x, axis)]
    return [c.r.choice(some)]


SAFE = ["%s.relu()", "%s.sigmoid()", "%s.tanh()", "%s.abs()", "-%s", "%s.exp()", "%s.floor()", "%s * 0.5", "%s + 1", "%s.clamp(-1, 1)", "%s.square()", "F.silu(%s)",
        "F.gelu(%s)", "%s.sin()", "1 - %s", "%s.abs().sqrt()", "F.hardswish(%s)", "%s.erf()", "(%s > 0)", "%s.round()", "%s / 3", "F.leaky_relu(%s)", "%s.double()",
        "%s.float()", "%s.transpose(0, -1).contiguous().transpose(0, -1)", "F.softplus(%s)", "%s.abs().log1p()", "F.elu(%s)", "%s.int()"]
JOINED = ["(%s + %s)", "(%s - %s)", "(%s * %s)", "torch.maximum(%s, %s)", "(%s < %s)", "torch.where(%s > 0, %s, 0.25)", "(%s / (%s.abs() + 1))", "torch.atan2(%s, %s)",
          "(%s * 0.5 + %s)", "torch.add(%s, %s, alpha=2)"]


def chains(c):
    """What can be calculated together, element by element; and what is made of it at once."""
    shape = c.shape(c.rank())
    dtype = c.pick("float32", "float32", "float32", "float64", "bfloat16", "int64")
    if dtype == "bfloat16":
        c.tolerance = 0.1
    made = [c.tensor(shape, dtype)] + [c.tensor(broadcast(c, shape), c.pick(dtype, dtype, dtype, "float32", "int32", "bool")) for _ in range(2)]
    for _ in range(c.pick(2, 3, 4, 6)):
        text = c.r.choice(SAFE) % c.r.choice(made) if c.chance(0.5) else c.r.choice(JOINED) % (c.r.choice(made), c.r.choice(made))
        made.append(c.name("(%s).float()" % text if c.chance(0.8) else "(%s) * 1" % text))
    last, axis = made[-1], c.axis(len(shape))
    return [last + c.pick("", "", "", ".sum()", ".sum(-1)", ".mean(0)", ".amax(%d)" % axis, ".softmax(%d)" % axis, ".cumsum(%d)" % axis)] + c.pick([], [made[-2]])


def networks(c):
    """Layers that are calculated together: a convolution or product, what scales and adds, an activation, a window."""
    dtype = c.pick("float32", "float32", "float32", "bfloat16", "float64")
    if dtype == "bfloat16":
        c.tolerance = 0.5
    n, ci, co, h, w = c.pick(1, 1, 2, 3), c.pick(1, 2, 3, 4, 8, 16), c.pick(1, 2, 3, 4, 8, 16, 24), c.pick(1, 2, 3, 5, 7, 8, 14), c.pick(1, 2, 3, 5, 7, 8, 14, 20)
    k, groups = c.pick(1, 1, 3, 3, 5), c.pick(1, 1, 1, 0)
    if groups == 0:
        groups = co = ci
    x = c.tensor([n, ci, h, w], dtype, layout=c.pick(None, "plain", "last", "last"))
    weight = c.name("(plain(%s, 3) * 0.3).to(torch.%s)" % ([co, ci // groups, k, k], dtype)) if c.chance(0.6) else c.tensor([co, ci // groups, k, k], dtype)
    y = c.name("F.conv2d(%s, %s, %s, %d, %d, 1, %d)" % (x, weight, c.tensor([co], dtype) if c.chance(0.5) else "None", c.pick(1, 1, 2), k // 2, groups))
    for _ in range(c.pick(1, 2, 3)):
        form = c.pick("F.batch_norm(%%s, plain([%d], 5).to(torch.%s), positive([%d], 6).to(torch.%s), positive([%d], 7).to(torch.%s), plain([%d], 8).to(torch.%s))" % ((co, dtype) * 4),
                      "F.relu(%s)", "F.relu6(%s)", "F.silu(%s)", "%s + {0} * 0.5", "F.hardswish(%s)", "%s * {0}.mean([2, 3], keepdim=True).sigmoid()", "F.max_pool2d(%s, 3, 1, 1)",
                      "F.avg_pool2d(%s, 3, 2, 1)", "F.adaptive_avg_pool2d(%s, 1)", "F.interpolate(%s, scale_factor=2.0)", "torch.cat([%s, {0}], 2)", "F.pad(%s, [1, 1, 0, 1])",
                      "F.max_pool2d(%s, 2, 2, 1)", "F.group_norm(%s, 1)")
        y = c.name((form % y if "%s" in form else form).replace("{0}", y))
    return [y, y + ".flatten(1).sum(1)"][:c.pick(1, 2) if dtype != "bfloat16" else 1]


# ---- Products ----

def matmuls(c):
    dtype = c.pick(c.floats(), c.floats(), c.floats(), c.floats(), "int64", "complex64", "int32")
    largest = c.largest
    m, k, n = (c.size(300) for _ in range(3))
    while m * k > largest or k * n > largest or m * n > largest:
        m, k, n = (min(s, c.pick(s, 8, 16, 33)) for s in (m, k, n))
    if dtype == "bfloat16":
        c.tolerance = 0.15  # PyTorch rounds what it adds.
    name = c.pick("matmul", "matmul", "mm", "bmm", "mv", "dot", "addmm", "baddbmm", "linear", "linear", "einsum", "addmv", "addr", "outer", "batched", "chain")
    if name == "mm":
        return ["torch.mm(%s, %s)" % (c.tensor([m, k], dtype), c.tensor([k, n], dtype))]
    if name == "dot":
        dtype = "float32" if dtype == "complex64" else dtype  # Of complex numbers this PyTorch gives 0.
        return ["torch.dot(%s, %s)" % (c.tensor([k], dtype), c.tensor([k], dtype))]
    if name == "outer":
        return ["torch.outer(%s, %s)" % (c.tensor([m], dtype), c.tensor([n], dtype))]
    if name == "mv":
        return [c.pick("torch.mv(%s, %s)", "%s @ %s") % (c.tensor([m, k], dtype), c.tensor([k], dtype))]
    scales = c.pick("", "", ", beta=0.5", ", alpha=2", ", beta=0, alpha=0.5") if dtype[:5] == "float" else c.pick("", ", alpha=2")
    if name == "addmm":
        return ["torch.addmm(%s, %s, %s%s)" % (c.tensor(c.pick([m, n], [n], [m, 1], [1, n], [1]), dtype), c.tensor([m, k], dtype), c.tensor([k, n], dtype), scales)]
    if name == "addmv":
        return ["torch.addmv(%s, %s, %s%s)" % (c.tensor([m], dtype), c.tensor([m, k], dtype), c.tensor([k], dtype), scales)]
    if name == "addr":
        return ["torch.addr(%s, %s, %s%s)" % (c.tensor([m, n], dtype), c.tensor([m], dtype), c.tensor([n], dtype), scales)]
    b = c.pick(1, 2, 3, 5, 8, 17)
    if name != "linear":
        m, k, n = (min(s, c.pick(4, 8, 17, 33)) for s in (m, k, n))
    if name == "bmm":
        return ["torch.bmm(%s, %s)" % (c.tensor([b, m, k], dtype), c.tensor([b, k, n], dtype))]
    if name == "baddbmm":
        return ["torch.baddbmm(%s, %s, %s%s)" % (c.tensor(c.pick([b, m, n], [n], [b, 1, n]), dtype), c.tensor([b, m, k], dtype), c.tensor([b, k, n], dtype), scales)]
    if name == "linear":
        lead = c.pick([m], [m], [], [1, m], [2, m], [2, 1, 3])
        bias = c.tensor([n], dtype) if c.chance(0.6) else "None"
        after = c.pick("%s", "%s", "%s.relu()", "%s * 0.5", "F.gelu(%s)") if "float" in dtype else "%s"
        return [after % "F.linear(%s, %s, %s)" % (c.tensor(lead + [k], dtype), c.tensor([n, k], dtype), bias)]
    if name == "einsum":
        q = c.pick(1, 2, 3)
        sizes = {"b": b, "m": m, "k": k, "n": n, "q": q}
        form = c.pick("mk,kn->mn", "bmk,bkn->bmn", "bmk,bnk->bmn", "mk,nk->nm", "bqmk,bqnk->bqmn", "mk,mk->m", "mk,mk->", "mk->km", "mm->m" if m == n else "mk->m",
                      "bmk,kn->bmn", "qmk,bkn->qbmn", "bm,bn->bmn", "mk,k->m", "bmkq,bknq->bmn", "bm,mn,n->b", "...mk,...kn->...mn")
        left = form.split("->")[0].replace("...", "")
        return ["torch.einsum('%s', %s)" % (form, ", ".join(c.tensor([sizes[s] for s in part], dtype) for part in left.split(",")))]
    if name == "chain":
        return ["%s @ %s @ %s" % (c.tensor([m, k], dtype), c.tensor([k, n], dtype), c.tensor([n, b], dtype))]
    batch = c.pick([b], [2, b], [b, 1], [1])
    left, right = broadcast(c, batch), broadcast(c, batch)
    kind = c.r.randrange(4)
    if kind == 0:
        return ["torch.matmul(%s, %s)" % (c.tensor([k], dtype), c.tensor(right + [k, n], dtype))]
    if kind == 1:
        return ["torch.matmul(%s, %s)" % (c.tensor(left + [m, k], dtype), c.tensor([k], dtype))]
    return ["torch.matmul(%s, %s)" % (c.tensor(left + [m, k], dtype), c.tensor(right + [k, n], dtype))]


def attention(c):
    dtype = c.pick("float32", "float32", "float64", "bfloat16")
    if dtype == "bfloat16":
        c.tolerance = 0.15
    lead = c.pick([1], [2], [2, 3], [1, 4])
    q, k, d, e = c.pick(1, 2, 3, 5, 8, 17), c.pick(1, 2, 3, 4, 7, 9, 16, 33), c.pick(1, 2, 4, 8, 16, 20), c.pick(1, 4, 8, 12)
    x, y, z = c.tensor(lead + [q, d], dtype), c.tensor(lead + [k, d], dtype), c.tensor(lead + [k, e], dtype)
    return ["torch.softmax(%s @ %s.transpose(-2, -1) * %s%s, -1) @ %s" % (x, y, c.pick("0.5", "0.25"), " + " + c.tensor([q, k], dtype) if c.chance(0.4) else "", z)]


# ---- Convolutions ----

def convolutions(c):
    d = c.pick(1, 1, 2, 2, 2, 2, 3)
    dtype = c.pick("float32", "float32", "float32", "float32", "float64", "bfloat16", "float16", "int64", "complex64")
    turned = c.chance(0.35)
    if turned and dtype == "bfloat16":
        dtype = "float32"  # PyTorch 1.13 takes the weight's sizes in the wrong order.
    groups = c.pick(1, 1, 1, 1, 2, 3, 4, 8, 16)
    per, out = c.pick(1, 1, 1, 2, 3, 4, 8), c.pick(1, 1, 1, 2, 3, 4, 7)
    if groups == 1:
        per, out = c.pick(1, 2, 3, 4, 8, 16, 17), c.pick(1, 2, 3, 4, 7, 8, 16, 17, 33)
    kernel = [c.pick(1, 1, 2, 3, 3, 3, 4, 5, 7) for _ in range(d)]
    if c.chance(0.5):
        kernel = kernel[:1] * d
    stride, dilation = [c.pick(1, 1, 1, 2, 3) for _ in range(d)], [c.pick(1, 1, 1, 1, 2, 3) for _ in range(d)]
    padding = [c.r.randrange(0, k) for k in kernel]
    if c.chance(0.3):
        stride, dilation = [1] * d, [1] * d
    volume = max(4, c.largest * 2 // (groups * max(per, out)))
    least = [max(1, dl * (k - 1) + 1 - 2 * p) for dl, k, p in zip(dilation, kernel, padding)]
    sizes = [max(s, l) for s, l in zip(c.shape(d, volume, False), least)]
    while math.prod(sizes) * groups * max(per, out) > 20000:
        i = max(range(d), key=lambda k: sizes[k] - least[k])
        if sizes[i] == least[i]:
            break
        sizes[i] = max(least[i], sizes[i] // 2)
    batch = c.pick([1], [1], [2], [3], [])
    layout = c.pick(None, None, "plain", "last")
    x = c.tensor(batch + [groups * per] + sizes, dtype, layout=layout)
    # PyTorch is wrong with complex weights in other layouts.
    w_layout = c.pick("plain", "plain", "last", None) if dtype != "complex64" else "plain"
    after = c.pick("%s", "%s", "%s", "%s.relu()", "%s * 0.5", "F.hardswish(%s)") if "float" in dtype else "%s"
    if turned:
        w = c.tensor([groups * per, out] + kernel, dtype, layout=w_layout)
        b = c.tensor([groups * out], dtype) if c.chance(0.5) else "None"
        more = [c.r.randrange(0, max(s, dl)) for s, dl in zip(stride, dilation)] if c.chance(0.4) else [0] * d
        return [after % "F.conv_transpose%dd(%s, %s, %s, %s, %s, %s, %d, %s)" % (d, x, w, b, stride, padding, more, groups, dilation)]
    w = c.tensor([groups * out, per] + kernel, dtype, layout=w_layout)
    b = c.tensor([groups * out], dtype) if c.chance(0.5) else "None"
    if c.chance(0.12):
        mode = c.pick("same", "valid", "same")
        stride = [1] * d if mode == "same" else stride
        return [after % "F.conv%dd(%s, %s, %s, %s, '%s', %s, %d)" % (d, x, w, b, stride, mode, dilation, groups)]
    return [after % "F.conv%dd(%s, %s, %s, %s, %s, %s, %d)" % (d, x, w, b, stride, padding, dilation, groups)]


# ---- Pooling, pictures ----

def picture(c, d, dtype, largest=None, distinct=False):
    lead = c.pick([1], [2], [3], []) + [c.pick(1, 1, 2, 3, 4, 8, 9, 16, 17)]
    sizes = c.shape(d, max(4, (largest or c.largest * 2) // math.prod(lead)), False)
    return c.tensor(lead + sizes, dtype, distinct=distinct, layout="last" if len(lead) == 2 and d > 1 and c.chance(0.3) else None), sizes, lead


def pools(c):
    d = c.pick(1, 2, 2, 2, 3)
    dtype = c.floats()
    name = c.pick("max", "max", "max", "avg", "avg", "adaptive_avg", "adaptive_max", "lp", "unpool")
    x, sizes, lead = picture(c, d, dtype, distinct=name in ("max", "adaptive_max", "unpool"))
    if name.startswith("adaptive"):
        out = c.pick([c.pick(1, 1, 2, 3, 5, 7) for _ in range(d)], [1] * d, [c.pick(1, s, 2 * s + 1) for s in sizes])
        if name == "adaptive_avg":
            return ["F.adaptive_avg_pool%dd(%s, %s)" % (d, x, out)]
        return ["F.adaptive_max_pool%dd(%s, %s)" % (d, x, out)] if dtype[-2:] == "16" else \
            ["F.adaptive_max_pool%dd_with_indices(%s, %s)[%d]" % (d, x, out, i) for i in (0, 1)]
    kernel = [min(c.pick(1, 2, 2, 3, 3, 4, 5), s) for s in sizes]
    stride = [c.pick(1, 1, 2, 2, 3) for _ in range(d)] if c.chance(0.7) else kernel
    padding = [c.r.randrange(k // 2 + 1) for k in kernel] if c.chance(0.5) else [0] * d
    ceil = c.pick(False, False, True)
    if name == "lp":
        return ["F.lp_pool%dd(%s, %s, %s, %s, %s)" % (min(d, 2), x, c.pick("2.0", "1.0", "3.0"), kernel, stride, ceil)] if d == 2 else \
            ["F.lp_pool1d(%s, 2.0, 2, 2)" % c.tensor([2, 3, 8], dtype)]
    if name == "avg":
        divisor = ", %s" % c.pick("None", "None", "3", "-2") if d > 1 else ""
        return ["F.avg_pool%dd(%s, %s, %s, %s, %s, %s%s)" % (d, x, kernel, stride, padding, ceil, c.pick(True, False), divisor)]
    dilation = [c.pick(1, 1, 2) if 2 * (k - 1) < s else 1 for k, s in zip(kernel, sizes)]
    if name == "unpool":
        y = c.name("F.max_pool%dd_with_indices(%s, %s)" % (d, x, kernel))
        return ["F.max_unpool%dd(%s[0], %s[1], %s, output_size=%s)" % (d, y, y, kernel, sizes)]
    if dtype[-2:] == "16" or c.chance(0.5):
        return ["F.max_pool%dd(%s, %s, %s, %s, %s, %s)" % (d, x, kernel, stride, padding, dilation, ceil)]
    return ["F.max_pool%dd_with_indices(%s, %s, %s, %s, %s, %s)[%d]" % (d, x, kernel, stride, padding, dilation, ceil, i) for i in (0, 1)]


def interpolations(c):
    d = c.pick(1, 2, 2, 2, 2, 3)
    dtype = c.pick("float32", "float32", "float32", "float64", "bfloat16", "uint8")
    x, sizes, lead = picture(c, d, dtype, c.largest)
    if dtype == "bfloat16":
        c.tolerance = 0.3
    if len(lead) == 1:
        x = c.name(x + ".unsqueeze(0)")
    # PyTorch rounds weights and places to bfloat16.
    mode = "area" if dtype == "bfloat16" else c.r.choice(["nearest", "nearest-exact", "area"] + {1: ["linear"] * 2, 2: ["bilinear", "bilinear", "bicubic", "bicubic"], 3: ["trilinear"] * 2}[d])
    out = c.pick([min(c.pick(1, s, 2 * s, 3 * s, s // 2 or 1, s + 1, 7, 3), 100) for s in sizes], [2 * s for s in sizes], [max(1, s // 2) for s in sizes])
    while math.prod(out) > 3000:
        out[out.index(max(out))] //= 2
    corners = ", align_corners=%s" % c.pick("True", "False") if "linear" in mode or mode == "bicubic" else ""
    if "align_corners=False" in corners and mode in ("bilinear", "bicubic") and c.chance(0.25):
        corners += ", antialias=True"
    if c.chance(0.4):
        factor = c.pick("2.0", "0.5", "1.5", "0.7", "3.0", "1.0")
        if float(factor) * min(sizes) >= 1:
            return ["F.interpolate(%s, scale_factor=%s, mode='%s'%s%s)" % (x, [float(factor)] * d, mode, corners, c.pick("", "", ", recompute_scale_factor=True"))]
    return ["F.interpolate(%s, size=%s, mode='%s'%s)" % (x, out, mode, corners)]


def grids(c):
    d = c.pick(2, 2, 2, 3)
    dtype = c.pick("float32", "float32", "float32", "float64")
    lead = [c.pick(1, 1, 2, 3), c.pick(1, 2, 3, 4, 8, 9)]
    x = c.tensor(lead + c.shape(d, max(8, c.largest // math.prod(lead)), False), dtype)
    out = c.shape(d, 200, False)
    mode = c.pick("bilinear", "bilinear", "nearest", "bicubic" if d == 2 else "bilinear")
    g = c.name("%s * %s" % (c.tensor(lead[:1] + out + [d], dtype, "plain"), c.pick("0.61", "0.43", "1.07")))
    if c.chance(0.3):
        theta = c.tensor([lead[0], d, d + 1], dtype)
        g = c.name("F.affine_grid(%s, %s, align_corners=%s)" % (theta, lead + out, c.pick(True, False)))
        # Middles between elements are found as rounding has it.
        mode = "bilinear"
    return ["F.grid_sample(%s, %s, '%s', '%s', %s)" % (x, g, mode,
                                                      c.pick("zeros", "border", "reflection"), c.pick(True, False))]


def pads(c):
    mode = c.pick("constant", "constant", "reflect", "replicate", "circular")
    if mode == "constant":
        shape = c.shape(c.rank(1))
        k = c.r.randrange(1, len(shape) + 1)
        around = [c.pick(0, 0, 1, 2, 3, -1 if shape[len(shape) - 1 - i // 2] > 3 else 0) for i in range(2 * k)]
        dtype = c.floats() if c.chance(0.7) else c.dtype()
        return ["F.pad(%s, %s, value=%s)" % (c.tensor(shape, dtype), around, c.pick("0.0", "1.0", "2.0"))]
    d = c.pick(1, 2, 2, 3)
    lead = [c.pick(1, 2, 3)] + [c.pick(1, 2, 3, 4, 8, 16)]
    sizes = [s + 1 for s in c.shape(d, max(4, c.largest // math.prod(lead)), False)]
    around = []
    for s in reversed(sizes):
        around += [c.r.randrange(0, min(s, 5)), c.r.randrange(0, min(s, 5))]
    if mode != "circular" and c.chance(0.2):
        lead = lead[:1]
    return ["F.pad(%s, %s, mode='%s')" % (c.tensor(lead + sizes, c.floats()), around, mode)]


def patches(c):
    dtype = c.floats()
    if dtype == "bfloat16":
        c.tolerance = 0.1  # PyTorch rounds what it adds.
    kernel, dilation = [c.pick(1, 2, 3), c.pick(1, 2, 3, 4)], [c.pick(1, 1, 2), c.pick(1, 1, 2)]
    stride, padding = [c.pick(1, 1, 2), c.pick(1, 2, 3)], [c.pick(0, 0, 1), c.pick(0, 1, 2)]
    sizes = [max(c.size(40), d * (k - 1) + 1) for k, d in zip(kernel, dilation)]
    batch, channels = c.pick([1], [2], []), c.pick(1, 1, 2, 3, 8)
    blocks = [(s + 2 * p - d * (k - 1) - 1) // t + 1 for s, p, d, k, t in zip(sizes, padding, dilation, kernel, stride)]
    how = "%s, %s, %s, %s" % (kernel, dilation, padding, stride)
    if c.chance(0.5):
        return ["F.unfold(%s, %s)" % (c.tensor((batch or [1]) + [channels] + sizes, dtype), how)]
    return ["F.fold(%s, %s, %s)" % (c.tensor(batch + [channels * math.prod(kernel), math.prod(blocks)], dtype), sizes, how)]


# ---- Moving elements ----

def moves(c):
    dtype = c.floats() if c.chance(0.5) else c.dtype()
    shape = c.shape(c.rank(1))
    x, rank = c.tensor(shape, dtype), len(shape)
    a, b = c.axis(rank), c.axis(rank)
    s = shape[a] if -rank <= a < rank else 1
    times = [c.pick(1, 1, 2, 3) for _ in range(rank + c.pick(0, 0, 1))]
    order = c.r.sample(range(rank), rank)
    some = ["%s.roll(%d, %d)" % (x, c.r.randrange(-70, 70), a), "%s.roll(%d)" % (x, c.r.randrange(-9, 9)), "%s.flip(%s)" % (x, c.axes(rank)),
            "%s.repeat(%s)" % (x, times), "%s.tile(%s)" % (x, times), "%s.repeat_interleave(%d, %d)" % (x, c.pick(1, 2, 3), a),
            "%s.permute(%s).contiguous()" % (x, order), "%s.transpose(%d, %d).contiguous()" % (x, a, b), "%s.transpose(%d, %d).reshape(-1)" % (x, a, b),
            "%s.unfold(%d, %d, %d)" % (x, a, min(s, c.pick(1, 2, 3)), c.pick(1, 2)), "%s.split(%d, %d)[0]" % (x, c.pick(1, 2, 3), a),
            "%s.chunk(3, %d)[-1]" % (x, a), "%s.tensor_split(3, %d)[1]" % (x, a), "%s.movedim(%d, %d).clone()" % (x, a, b),
            "%s.permute(%s).flatten()" % (x, order), "%s.unsqueeze(%d).expand(%s).clone()" % (x, a if a >= 0 else a - 1, "-1" + ", -1" * rank),
            "%s.diff(dim=%d)" % (x, a), "%s.select(%d, -1).clone()" % (x, a), "%s.permute(%s) + 1" % (x, order), "%s.clone()" % x,
            "%s.as_strided(%s, %s, %d)" % (c.name(x + ".contiguous()"), [2, 3], [c.pick(0, 1, 2), 1], 0) if math.prod(shape) > 7 else x + ".t()"]
    if rank > 1:
        some += ["%s.rot90(%d, %s)" % (x, c.r.randrange(-1, 4), c.r.sample(range(rank), 2))] * 2
    return [c.r.choice(some)]


def joins(c):
    rank = c.pick(1, 2, 2, 3, 4)
    shape = c.shape(rank)
    a, dtype = c.r.randrange(rank), c.floats() if c.chance(0.5) else c.dtype()
    name = c.pick("cat", "cat", "cat", "stack", "hstack", "vstack", "dstack", "block_diag", "kron", "meshgrid", "cartesian_prod", "tensordot")
    if name == "cat":
        parts = []
        for _ in range(c.pick(1, 2, 2, 3, 5)):
            parts.append(c.tensor(shape[:a] + [c.pick(shape[a], 1, 2, 0, 3)] + shape[a + 1:], dtype if c.chance(0.8) else c.dtype()))
        return ["torch.cat([%s], %d)" % (", ".join(parts), c.pick(a, a - rank))]
    if name in ("stack", "hstack", "vstack", "dstack"):
        parts = ", ".join(c.tensor(shape, dtype) for _ in range(c.pick(1, 2, 3, 4)))
        return ["torch.%s([%s]%s)" % (name, parts, ", %d" % c.pick(a, a - rank, rank, -1) if name == "stack" else "")]
    if name == "block_diag":
        return ["torch.block_diag(%s, %s)" % (c.tensor(c.shape(2, 60), dtype), c.tensor(c.shape(2, 60), dtype))]
    if name == "kron":
        return ["torch.kron(%s, %s)" % (c.tensor(c.shape(2, 20), dtype, layout="plain"), c.tensor(c.shape(2, 20), dtype, layout="plain"))]
    if name == "tensordot":
        return ["torch.tensordot(%s, %s, dims=([1, 2], [0, 2]))" % (c.tensor([3, 4, 5], "float32"), c.tensor([4, 7, 5], "float32"))]
    parts = ", ".join(c.tensor([c.pick(1, 2, 3, 7)], dtype) for _ in range(c.pick(2, 3)))
    return ["torch.meshgrid([%s], indexing='%s')[1].clone()" % (parts, c.pick("ij", "xy"))] if name == "meshgrid" else ["torch.cartesian_prod(%s)" % parts]


def shuffles(c):
    dtype = c.floats() if c.chance(0.6) else c.dtype()
    f, h, w = c.pick(1, 2, 3), c.pick(1, 2, 3, 5, 9), c.pick(1, 2, 4, 7, 17)
    channels, lead = c.pick(1, 2, 3), c.pick([], [1], [2], [2, 3])
    kind = c.r.randrange(3)
    if kind == 0:
        return ["F.pixel_shuffle(%s, %d)" % (c.tensor(lead + [channels * f * f, h, w], dtype, layout="turned" if len(lead) > 1 else None), f)]
    if kind == 1:
        return ["F.pixel_unshuffle(%s, %d)" % (c.tensor(lead + [channels, h * f, w * f], dtype, layout="turned"), f)]
    return ["F.channel_shuffle(%s, %d)" % (c.tensor([2, channels * f, h, w], dtype), f)]


def indexed_reads(c):
    dtype = c.floats() if c.chance(0.5) else c.dtype()
    shape = c.shape(c.rank(1), empty=False)
    x, rank = c.tensor(shape, dtype), len(shape)
    a = c.r.randrange(rank)
    k = c.size(70)
    name = c.pick("gather", "gather", "index_select", "index_select", "take", "index", "index2", "masked_select", "mask", "take_along_dim", "apart")
    if name == "gather":
        sizes = [c.pick(s, s, max(1, s // 2)) for s in shape]
        sizes[a] = min(k, max(1, c.largest // (math.prod(sizes) // sizes[a])))
        i = c.places(sizes, shape[a])
        return ["%s.gather(%d, %s)" % (x, a, i)]
    if name == "index_select":
        return ["%s.index_select(%d, %s%s)" % (x, a, c.places([k], shape[a]), c.pick("", ".int()"))]
    if name == "take":
        return ["%s.take(%s)" % (x, c.places([k, 2], math.prod(shape)))]
    if name == "take_along_dim":
        return ["torch.take_along_dim(%s, %s, %d)" % (x, c.places(shape, shape[a]), a)]
    if name == "index":
        return ["%s[%s%s]" % (x, ":, " * a, c.places(c.pick([k], [k, 2], []), shape[a]))]
    if name == "index2" and rank > 1:
        b = c.pick([k], [k], [1])
        return ["%s[%s, %s]" % (x, c.places([k], shape[0]), c.places(b, shape[1]))]
    if name == "apart" and rank > 2:
        return ["%s[%s, :, %s]" % (x, c.places([k], shape[0]), c.places([k], shape[2]))]
    if name == "mask":
        return ["%s[%s]" % (x, c.tensor(shape[:c.r.randrange(1, rank + 1)], "bool"))]
    return ["%s.masked_select(%s)" % (x, c.tensor(broadcast(c, shape), "bool"))]


def indexed_writes(c):
    dtype = c.floats() if c.chance(0.6) else c.r.choice(["int64", "int32", "uint8"])
    shape = c.shape(c.rank(1), empty=False)
    rank = len(shape)
    a = c.r.randrange(rank)
    end = shape[a]
    y = c.name("%s.clone()" % c.tensor(shape, dtype)) if c.chance(0.5) else c.tensor(shape, dtype, layout=c.pick("plain", "turned", "stepped"))
    k = c.pick(end, max(1, end // 2), 1)
    some = shape[:a] + [k] + shape[a + 1:]
    many = shape[:a] + [c.size(40)] + shape[a + 1:]
    number = c.pick("2", "3") if "int" in dtype else c.pick("0.5", "2")
    apart = c.name("(torch.arange(%d) * %d + n) %% %d" % (k, c.r.choice([p for p in (1, 7, 3, 5, 11) if math.gcd(p, end) == 1]), end))
    name = c.pick("scatter", "scatter_number", "scatter_add", "scatter_reduce", "index_add", "index_copy", "index_fill", "index_put", "index_put_add",
                  "masked_scatter", "put", "masked_fill", "index_reduce", "mask_put", "slice_scatter")
    wide = apart + "".join(".unsqueeze(0)" for _ in range(a)) + "".join(".unsqueeze(-1)" for _ in range(rank - a - 1)) + ".expand(%s)" % some
    if name == "scatter":
        return ["%s.scatter(%d, %s, %s)" % (y, a, wide, c.tensor(some, dtype))]
    if name == "scatter_number":
        return ["%s.scatter(%d, %s, %s)" % (y, a, c.places(many, end), number)]
    if name == "scatter_add":
        return ["%s.scatter_add(%d, %s, %s)" % (y, a, c.places(many, end), c.tensor(many, dtype))]
    if name == "scatter_reduce":
        return ["%s.scatter_reduce(%d, %s, %s, '%s', include_self=%s)" % (y, a, c.places(many, end), c.tensor(many, dtype), c.pick("sum", "prod", "mean", "amax", "amin"),
                                                                         c.pick(True, False))]
    if name == "index_add":
        return ["%s.index_add(%d, %s, %s%s)" % (y, a, c.places(many[a:a + 1], end), c.tensor(many, dtype), c.pick("", ", alpha=2"))]
    if name == "index_reduce":
        return ["%s.index_reduce(%d, %s, %s, '%s', include_self=%s)" % (y, a, c.places(many[a:a + 1], end), c.tensor(many, dtype), c.pick("prod", "mean", "amax", "amin"),
                                                                       c.pick(True, False))]
    if name == "index_copy":
        return ["%s.index_copy(%d, %s, %s)" % (y, a, apart, c.tensor(some, dtype))]
    if name == "index_fill":
        return ["%s.index_fill(%d, %s, %s)" % (y, a, c.places(many[a:a + 1], end), number)]
    if name == "slice_scatter":
        return ["torch.slice_scatter(%s, %s, %d, 0, %d, 2)" % (y, c.tensor(shape[:a] + [(end + 1) // 2] + shape[a + 1:], dtype), a, end)]
    if name == "masked_fill":
        return ["%s.masked_fill(%s, %s)" % (y, c.tensor(broadcast(c, shape), "bool"), number)]
    if name == "masked_scatter":
        return ["%s.masked_scatter(%s, %s)" % (y, c.tensor(shape, "bool"), c.tensor(shape, dtype))]
    if name == "mask_put":
        return ["%s.index_put((%s,), %s)" % (y, c.tensor(shape[:1], "bool"), c.tensor(broadcast(c, shape[1:]), dtype))]
    if name == "put":
        return ["%s.put(%s, %s, True)" % (y, c.places([5], math.prod(shape)), c.tensor([5], dtype))]
    if name == "index_put":
        values = c.tensor([k] + shape[1:] if a == 0 else broadcast(c, [k] + shape[1:])[-1:], dtype)
        if a:
            return ["%s.index_fill(%d, %s, %s)" % (y, a, apart, number)]
        return ["%s.index_put((%s,), %s)" % (y, apart, values)]
    return ["%s.index_put((%s,), %s, accumulate=True)" % (y, c.places(many[a:a + 1], shape[0]), c.tensor(many[a:a + 1] + shape[1:] if c.chance(0.6) else [1], dtype))]


# ---- Orders ----

def orders(c):
    x, shape, dtype = of_numbers(c, True)
    axis, descending = c.axis(len(shape)), c.pick(True, False)
    s = shape[axis] if -len(shape) <= axis < len(shape) else 1
    is_exact = dtype in ("float32", "float64") and s < 1000
    name = c.pick("sort", "sort", "stable", "topk", "topk", "argsort", "msort", "sort_ties")
    if name == "topk":
        k = c.pick(1, 1, min(s, 2), min(s, 5), s, c.r.randrange(s + 1))
        return ["%s.topk(%d, %d, %s)[%d]" % (x, k, axis, descending, i) for i in ((0, 1) if is_exact else (0,))]
    if name == "stable":
        y = c.tensor(shape, c.pick("int64", "float32", "uint8", "bool", "int32", "bfloat16"))
        return ["torch.sort(%s, stable=True, dim=%d, descending=%s)[%d]" % (y, axis, descending, i) for i in (0, 1)]
    if name == "sort_ties":
        y = c.tensor(shape, c.dtype())
        return ["torch.sort(%s, %d, %s)[0]" % (y, axis, descending)]
    if name == "argsort" and is_exact:
        return ["torch.argsort(%s, %d, %s)" % (x, axis, descending)]
    if name == "msort":
        return ["torch.msort(%s)" % x]
    return ["torch.sort(%s, %d, %s)[%d]" % (x, axis, descending, i) for i in ((0, 1) if is_exact else (0,))]


def sets(c):
    dtype = c.pick("float32", "float64", "int64", "int32", "uint8", "bool")
    x = c.tensor(c.shape(c.rank()), dtype)
    name = c.pick("unique", "unique_consecutive", "searchsorted", "bucketize", "histc", "bincount", "isin", "unique_dim", "searchsorted2")
    if name == "unique":
        y = c.name("torch.unique(%s, sorted=True, return_inverse=True, return_counts=True)" % x)
        return ["%s[%d]" % (y, i) for i in range(3)]
    if name == "unique_consecutive":
        y = c.name("torch.unique_consecutive(%s, return_inverse=True, return_counts=True)" % x)
        return ["%s[%d]" % (y, i) for i in range(3)]
    if name == "unique_dim":
        y = c.name("torch.unique(%s, dim=%d, return_inverse=True, return_counts=True)" % (c.tensor([c.pick(1, 2, 5, 17), c.pick(1, 2, 3)], dtype, "few"), c.pick(0, 1)))
        return ["%s[%d]" % (y, i) for i in range(3)]
    if name.startswith("searchsorted"):
        kind = c.pick("float32", "float64", "int64", "int32")
        lead = [] if name == "searchsorted" else c.pick([1], [2], [3, 2])
        line = c.name("%s.sort(-1)[0]" % c.tensor(lead + [c.size(70)], kind))
        v = c.tensor(lead + [c.size(40)] if lead else c.shape(c.rank()), kind)
        return ["torch.searchsorted(%s, %s, right=%s, out_int32=%s)" % (line, v, c.pick(True, False), c.pick(False, False, True))]
    if name == "bucketize":
        kind = c.pick("float32", "float64", "int64", "uint8")
        return ["torch.bucketize(%s, %s, right=%s)" % (c.tensor(c.shape(c.rank()), c.pick(kind, "float32")), c.name("%s.sort()[0]" % c.tensor([c.size(70)], kind)),
                                                       c.pick(True, False))]
    if name == "histc":
        return ["torch.histc(%s, %d, %s)" % (c.tensor(c.shape(c.rank()), c.pick("float32", "float64")), c.pick(1, 3, 10, 65), c.pick("-1, 1", "0, 0", "-2, 3"))]
    if name == "bincount":
        k = c.size(300)
        return ["torch.bincount(%s%s)" % (c.places([k], 20), c.pick("", ", minlength=30", ", weights=" + c.tensor([k], "float32")))]
    return ["torch.isin(%s, %s, invert=%s)" % (x, c.tensor([c.size(40)], dtype), c.pick(True, False))]


def triangles(c):
    dtype = c.floats() if c.chance(0.6) else c.dtype()
    shape = c.shape(c.pick(2, 2, 3, 4))
    x, k = c.tensor(shape, dtype), c.r.randrange(-4, 5)
    v = c.tensor([c.size(40)], dtype)
    a, b = c.r.sample(range(len(shape)), 2)
    return [c.pick("%s.tril(%d)" % (x, k), "%s.triu(%d)" % (x, k), "torch.diag(%s, %d)" % (v, k), "%s.diagonal(%d, %d, %d).clone()" % (x, k, a, b),
                   "torch.diag_embed(%s, %d)" % (v, k), "torch.diagflat(%s, %d)" % (v, k), "%s.trace()" % c.tensor(c.shape(2), dtype),
                   "torch.tril_indices(%d, %d, %d)" % (c.size(20), c.size(20), k), "torch.triu_indices(%d, %d, %d)" % (c.size(20), c.size(20), k),
                   "torch.vander(%s, %d)" % (v, c.pick(1, 2, 4)), "%s.transpose(-1, -2).tril(%d)" % (x, k), "torch.diag_embed(%s, %d, 0, -1)" % (x, k))]


def embeddings(c):
    dtype = c.floats()
    rows, width = c.size(70) or 1, c.size(70) or 1
    w = c.tensor([rows, width], dtype)
    kind = c.r.randrange(4)
    if kind == 0:
        return ["F.one_hot(%s, %s)" % (c.places(c.shape(c.pick(0, 1, 2, 3), 60), rows), c.pick(str(rows), str(rows + 3)))]
    if kind == 1:
        return ["F.embedding(%s%s, %s%s)" % (c.places(c.shape(c.pick(0, 1, 2, 3), 60), rows), c.pick("", ".int()"), w, c.pick("", ", padding_idx=0"))]
    mode = c.pick("sum", "mean", "max")
    more = ", padding_idx=0" if c.chance(0.3) else ""
    if c.chance(0.5):
        sizes = [c.pick(1, 2, 5, 9), c.pick(1, 2, 3, 8)]
        weights = ", per_sample_weights=%s" % c.tensor(sizes, dtype) if mode == "sum" and c.chance(0.5) else ""
        return ["F.embedding_bag(%s, %s, mode='%s'%s%s)" % (c.places(sizes, rows), w, mode, weights, more)]
    k = c.pick(1, 3, 8, 20)
    offsets = sorted([0] + [c.r.randrange(k + 1) for _ in range(c.pick(0, 1, 3, 6))])
    last = c.chance(0.2)
    if last:
        offsets.append(k)
    return ["F.embedding_bag(%s, %s, torch.tensor(%s), mode='%s', include_last_offset=%s%s)" % (c.places([k], rows), w, offsets, mode, last, more)]


def losses(c):
    dtype = c.pick("float32", "float32", "float64", "bfloat16")
    shape = c.shape(c.rank(1), empty=False)
    x, y = c.tensor(shape, dtype), c.tensor(shape, dtype)
    how = c.pick("mean", "sum", "none")
    rest = c.shape(c.pick(0, 0, 1, 2), 30, False)
    n, k = c.pick(1, 2, 3, 9, 17), c.pick(1, 2, 3, 5, 10, 33)
    logits = c.tensor([n, k] + rest, dtype)
    target = c.places([n] + rest, k)
    vectors = [c.tensor([n, k], dtype) for _ in range(3)]
    return [c.pick("F.mse_loss(%s, %s, reduction='%s')" % (x, y, how), "F.l1_loss(%s, %s, reduction='%s')" % (x, y, how),
                   "F.smooth_l1_loss(%s, %s, reduction='%s', beta=0.5)" % (x, y, how), "F.huber_loss(%s, %s, '%s', 0.5)" % (x, y, how),
                   "F.binary_cross_entropy(%s.sigmoid(), %s.sigmoid(), reduction='%s')" % (x, y, how), "F.soft_margin_loss(%s, %s.sign(), reduction='%s')" % (x, y, how),
                   "F.binary_cross_entropy_with_logits(%s, %s.sigmoid(), reduction='%s')" % (x, y, how), "F.kl_div(%s, %s.sigmoid(), reduction='%s')" % (x, y, how),
                   "F.cross_entropy(%s, %s, reduction='%s'%s)" % (logits, target, how, c.pick("", ", label_smoothing=0.1", ", ignore_index=0")),
                   "F.nll_loss(F.log_softmax(%s, 1), %s, reduction='%s')" % (logits, target, how), "F.poisson_nll_loss(%s, %s.abs(), reduction='%s')" % (x, y, how),
                   "F.cosine_similarity(%s, %s, %d)" % (vectors[0], vectors[1], c.pick(0, 1, -1)), "F.pairwise_distance(%s, %s)" % (vectors[0], vectors[1]),
                   "F.triplet_margin_loss(%s, %s, %s, reduction='%s')" % (vectors[0], vectors[1], vectors[2], how),
                   "torch.cdist(%s, %s, %s)" % (vectors[0], vectors[1], c.pick("2.0", "1.0", "3.0", "0.0")), "torch.pdist(%s)" % vectors[0],
                   "F.multi_margin_loss(%s, %s, reduction='%s')" % (vectors[0], c.places([n], k), how),
                   "F.gaussian_nll_loss(%s, %s, %s.abs() + 0.5, reduction='%s')" % (x, y, x, how))]


def recurrent(c):
    n, i, h = c.pick(1, 2, 3, 9), c.pick(1, 2, 4, 8, 17), c.pick(1, 2, 4, 8, 16, 17)
    dtype, name = c.pick("float32", "float32", "float64"), c.pick("lstm", "gru", "rnn_tanh", "rnn_relu")
    gates = {"lstm": 4, "gru": 3}.get(name, 1)
    weights = ", ".join("%s * 0.3" % c.tensor(s, dtype) for s in ([gates * h, i], [gates * h, h], [gates * h], [gates * h]))
    state = [c.tensor([n, h], dtype) for _ in range(2)]
    if c.chance(0.4):
        x = c.tensor([n, i], dtype)
        if name == "lstm":
            y = c.name("torch.lstm_cell(%s, [%s, %s], %s)" % (x, state[0], state[1], weights))
            return [y + "[0]", y + "[1]"]
        return ["torch.%s_cell(%s, %s, %s)" % (name, x, state[0], weights)]
    t, first = c.pick(1, 2, 5, 12), c.pick(True, False)
    x = c.tensor([n, t, i] if first else [t, n, i], dtype)
    hx = ["%s.unsqueeze(0)" % s for s in state]
    y = c.name("torch.%s(%s, %s, [%s], True, 1, 0.0, False, False, %s)" % (name, x, "[%s, %s]" % tuple(hx) if name == "lstm" else hx[0], weights, first))
    return ["%s[%d]" % (y, k) for k in range(3 if name == "lstm" else 2)]


# ---- Linear algebra, transforms ----

def linear_algebra(c):
    n = c.pick(0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 9, 12, 16, 17, 20, 33) if c.chance(0.98) else 0
    dtype = c.pick("float32", "float64", "float64")
    seed, k = c.r.randrange(300), c.pick(1, 2, 3, 5)
    A = c.name("regular(%d, %d + n).to(torch.%s)" % (n, seed, dtype))
    if c.chance(0.3):
        A = c.name(c.pick("%s.t()" % A, "torch.stack([%s, %s * 2, %s.t()])" % (A, A, A), "torch.stack([%s, %s.t()], -1)[..., 1]" % (A, A), "%s.t().contiguous()" % A))
    b = c.name("%s[..., :%d].flip([-2])" % (A, k))
    S = c.name("%s @ %s.transpose(-2, -1)" % (A, A))
    L = "torch.linalg.cholesky(%s)" % S
    tall = c.name("plain([%d, %d], %d + n).to(torch.%s) + torch.eye(%d, %d, dtype=torch.%s) * 6.0" % (n + k, n, seed, dtype, n + k, n, dtype))
    if c.chance(0.3):
        tall = c.name("%s.t().contiguous().t()" % tall)
    v = c.shape(c.pick(1, 2, 3), 100, False)
    v[-1] = 3
    options = [["torch.linalg.solve(%s, %s)" % (A, b)], ["torch.linalg.inv(%s)" % A], ["torch.det(%s)" % A], [L], ["torch.linalg.cholesky(%s, upper=True)" % S],
               ["torch.linalg.qr(%s, mode='%s')[1].abs()" % (tall, c.pick("reduced", "complete"))], ["torch.linalg.svdvals(%s)" % tall],
               ["torch.linalg.lstsq(%s, %s)[0]" % (tall, c.name("plain([%d, %d], 5).to(torch.%s)" % (n + k, k, dtype)))], ["torch.linalg.pinv(%s)" % tall],
               ["torch.linalg.eigvalsh(%s)" % S], ["torch.matrix_power(%s, %d)" % (A, c.pick(0, 1, 2, 3, 5, -1))], ["torch.matrix_exp(%s * 0.25)" % A],
               ["torch.cholesky_solve(%s, %s)" % (b, L)], ["torch.linalg.slogdet(%s)[0]" % A, "torch.linalg.slogdet(%s)[1]" % A],
               ["torch.linalg.solve_triangular(%s, %s, upper=%s)" % (A, b, c.pick(True, False))], ["torch.cholesky_inverse(%s)" % L],
               ["torch.linalg.cross(%s, %s)" % (c.tensor(v, dtype), c.tensor(v, dtype))], ["torch.linalg.matrix_rank(%s)" % tall],
               ["torch.linalg.matrix_norm(%s, '%s')" % (tall, c.pick("fro", "nuc"))], ["torch.linalg.matrix_norm(%s, %s)" % (tall, c.pick("1", "-1", "2", "-2", "float('inf')"))],
               ["torch.linalg.cond(%s)" % A], ["torch.triangular_solve(%s, %s, upper=%s, transpose=%s)[0]" % (b, A, c.pick(True, False), c.pick(True, False))],
               ["torch.linalg.solve(%s, %s)" % (A, "%s[..., 0]" % b)], ["torch.logdet(%s)" % S], ["torch.linalg.lu_factor(%s)[0]" % A]]
    name = c.chance(0.2)
    if name:
        y = c.name(c.pick("torch.linalg.qr(%s)", "torch.linalg.qr(%s)") % tall)
        return ["%s[0] @ %s[1]" % (y, y)]
    if c.chance(0.1):
        y = c.name("torch.linalg.svd(%s, full_matrices=False)" % tall)
        return ["%s[0] @ torch.diag_embed(%s[1]) @ %s[2]" % (y, y, y)]
    return c.r.choice(options)


def transforms(c):
    is_complex = c.chance(0.5)
    dtype = c.pick("complex64", "complex64", "complex128") if is_complex else c.pick("float32", "float32", "float64", "int64")
    shape = c.shape(c.pick(1, 1, 2, 2, 3), empty=False)
    axis = c.r.randrange(-len(shape), len(shape))
    if c.chance(0.4):
        n = c.r.randrange(1, 140)
        shape[axis] = n if math.prod(shape) // shape[axis] * n < 4000 else shape[axis]
    x = c.tensor(shape, dtype)
    how = "norm='%s'" % c.pick("backward", "ortho", "forward")
    n = c.pick("None", "None", str(c.pick(1, 2, 3, 5, 8, 13, 16, 30)), str(shape[axis]))
    if c.chance(0.25) and len(shape) > 1:
        name = c.pick("fft2", "ifft2", "fftn", "ifftn") if is_complex else c.pick("rfft2", "rfftn", "fft2", "fftn", "ihfft")
        if name != "ihfft":
            return ["torch.fft.%s(%s, %s)" % (name, x, how)]
    if c.chance(0.15):
        return [c.pick("torch.fft.fftshift(%s)", "torch.fft.ifftshift(%s)", "torch.fft.fftshift(%s, [0])") % x]
    if not is_complex and c.chance(0.1) and dtype[0] == "f":
        w = c.pick(4, 8, 9, 16)
        y = c.name("torch.stft(%s, %d, %d, center=True, return_complex=True, window=torch.hann_window(%d, dtype=torch.%s))" % (
            c.tensor(c.pick([40], [2, 33], [65]), dtype), w, c.pick(2, 3, w // 2), w, dtype))
        return [y]
    name = c.pick("fft", "ifft", "irfft", "hfft") if is_complex else c.pick("fft", "rfft", "rfft", "ifft", "ihfft")
    if name in ("irfft", "hfft") and n == "None" and shape[axis] < 2:
        name = "fft"
    return ["torch.fft.%s(%s, %s, %d, %s)" % (name, x, n, axis, how)]


FAMILIES = [(sums, 4), (extremes, 4), (spreads, 3), (norms, 3), (logical, 2), (products, 3), (scans, 3), (ranked, 3), (softmaxes, 3), (layer_norms, 2),
            (channel_norms, 4), (unary, 5), (binary, 7), (shifts, 1), (ternary, 4), (in_place, 4), (into_outputs, 2), (casts, 2), (complexes, 3), (matmuls, 8),
            (chains, 8), (networks, 5), (attention, 2), (convolutions, 8), (pools, 5), (interpolations, 4), (grids, 2), (pads, 3), (patches, 2), (moves, 4), (joins, 4), (shuffles, 1),
            (indexed_reads, 4), (indexed_writes, 5), (orders, 4), (sets, 3), (triangles, 2), (embeddings, 3), (losses, 3), (recurrent, 2), (linear_algebra, 5),
            (transforms, 4)]
ALL = [f for f, weight in FAMILIES for _ in range(weight)]


def write(c):
    return c.r.choice(ALL)(c)
