"""Ordinary TorchScript with arguments that no sensible program gives: sizes whose product wraps, dimensions of tensors
without any, numbers near the ends of int64, divisors that are zero in the type they are converted to.

CASES: a function's body, in which powers are computed before it is compiled, since those of ints are floats in
TorchScript; and a part of the message that it must raise. None: it may answer or raise, as long as it ends and
reads and writes nothing that is not its own (test_hostile.py runs it under sanitizers in the debug build)."""

MOST, LEAST = 2**63 - 1, "(-9223372036854775807 - 1)"

def tower(levels):
    """Lists of twice the list below: 2**levels of them by their paths, few in memory."""
    lines = ["a0 = [1]"] + ["a%d = [a%d, a%d]" % (k, k - 1, k - 1) for k in range(1, levels + 1)]
    return "\n    ".join(lines)


def nested(item, levels):
    """A tuple in tuples."""
    return "(" * levels + str(item) + ",)" * levels


def far(expression, dims):
    """Of a one whose neighbours are 2**62 elements away."""
    return "x = torch.ones(1).as_strided(%s, %s)\n    assert (%s).item() == 1" % ([1] * dims, [2**62] * dims, expression)


CASES = [
    # ---- Ways of sampling that there are not ----
    ("return torch.grid_sampler(torch.ones(1, 1, 4, 4), torch.zeros(1, 2, 2, 2), 3, 0, False)", "interpolation_mode 3 with padding_mode 0 is not supported"),
    ("return torch.grid_sampler(torch.ones(1, 1, 4, 4), torch.zeros(1, 2, 2, 2), 0, -1, False)", "interpolation_mode 0 with padding_mode -1 is not"),
    # ---- Messages longer than their memory ----
    ('n = 90000\n    raise ValueError("a long text {}, and what is behind it".format("ab".ljust(n, "c")))', "a long text abccc"),
    # ---- Containers that are shared level by level ----
    (tower(28) + "\n    return str(a28)", "bytes of buffer"),
    (tower(28) + "\n    print(a28)\n    return 1", "bytes of buffer"),
    (tower(3) + "\n    return str(a3), a3", None),
    # ---- Tuples that are nested deeper than they are compared ----
    ("return sorted(torch.jit.annotate(List[Any], [%s, %s]))" % (nested(1, 33), nested(0, 33)), "nested more than 32 deep"),
    ("l = sorted(torch.jit.annotate(List[Any], [%s, %s]))\n    assert str(l[0]) == '%s'" % (nested(1, 30), nested(0, 30), nested(0, 30)),
     None),
    # ---- Sizes that a narrow machine cannot have: they are refused there ----
    ("assert torch.zeros(1).expand(2**40).size(0) == 2**40", None),
    ("assert torch.zeros(0, 2**40).size(1) == 2**40", None),
    ("assert torch.zeros(1).as_strided([2**40], [0]).numel() == 2**40", None),
    # The stride of a dimension with one element may be any number.
    (far("x.scatter(0, torch.zeros(1, dtype=torch.long), 1.0)", 1), None),
    (far("x.scatter_(0, torch.zeros(1, dtype=torch.long), 1.0)", 1), None),
    (far("x.tril()", 2), None),
    (far("x[torch.ones(1, 1) > 0]", 2), None),
    (far("x.repeat(2, 1, 2)[1, 0, 1]", 3), None),
    (far("torch.nn.functional.pad(x, [1, 1])[0, 0, 1]", 3), None),
    # ---- Sizes whose product wraps ----
    ("return torch.zeros(1).view(7, 7905747460161236407)", "is invalid for input of size 1"),
    ("return torch.zeros(1).reshape(7, 7905747460161236407)", "is invalid for input of size 1"),
    ("return torch.zeros(1).view(65536, 65536, 65536, 65536)", "is invalid for input of size 1"),
    ("return torch.zeros(0).view(65536, 65536, 65536, 65536)", "is invalid for input of size 0"),
    ("return torch.zeros(1).view(-1, 7, 7905747460161236407)", "is invalid for input of size 1"),
    ("return torch.zeros(1).repeat(2**32, 2**32)", "too large|overflow|negative dimension"),
    ("return torch.zeros(3).repeat(6148914691236517206)", "too large|overflow|negative dimension"),
    ("return torch.zeros(0, 1).repeat(2**62, 256)", None),
    ("return torch.zeros(2, 1).repeat(0, 2**62)", None),
    ("return torch.zeros(1).expand(2**40, 2**40)", "overflow"),
    ("return torch.zeros(4).as_strided([2**32, 2**32], [0, 0])", "overflow"),
    ("return torch.zeros(4).as_strided([2, 2], [%d, 1])" % MOST, "out of bounds"),
    ("return torch.zeros(4).as_strided([2], [1], %d)" % MOST, "out of bounds"),
    ("return torch.zeros(4).as_strided([2], [1], -1)", "storage offset"),
    ("return torch.zeros(4).as_strided([2], [-1])", "Negative strides"),
    ("return torch.zeros([2**32, 2**32])", "too large|overflow|negative dimension"),
    ("return torch.empty([2**62, 4])", "too large|overflow|negative dimension"),
    ("return torch.zeros(4).new_zeros([2**31, 2**31, 4])", "too large|overflow|negative dimension"),
    ("return torch.ones(2**62)", "too large|overflow|negative dimension"),
    ("x = torch.zeros(4)\n    x.resize_(2**61, 16)\n    return x", "too large|overflow|negative dimension"),
    ("return torch.zeros(2**20).expand(2**43, 2**20)[0, :4]", None),
    # ---- Destinations that overlap ----
    ("x = torch.zeros(1).expand(4)\n    x[:] = 1.0\n    return x", "refers to a single memory location"),
    ("x = torch.ones(4)\n    return torch.cumsum(x[1:], 0, out=x[:-1])", "refer to a single memory location"),
    ("x = torch.ones(9)\n    return torch.sum(torch.ones(2, 3), 0, out=x[:1].expand(3))", "refers to a single memory location"),
    ("x = torch.arange(4)\n    return torch.gather(x, 0, x, out=x)", "refer to a single memory location"),
    ("x = torch.arange(9.0)\n    return torch.max(x[1:5].view(2, 2), 0, max=x[2:4], max_values=torch.zeros(2, dtype=torch.long))",
     "refer to a single memory location"),
    # ---- Memory that is new has no bytes of what was there before ----
    ("x = torch.ones(1000)\n    x = torch.ones(2)\n    x.resize_([900])\n    assert float(x[2:].abs().sum()) == 0.0", None),
    # ---- Memory that several tensors share does not grow ----
    ("x = torch.ones(4)\n    y = x.view(2, 2)\n    x.resize_(100)\n    return y", "shares its memory"),
    ("x = torch.ones(4)\n    y = x[2:]\n    y.resize_(3)\n    return x", "shares its memory"),
    ("x = torch.ones(4)\n    y = x.detach()\n    x.resize_as_(torch.ones(9))\n    return y", "shares its memory"),
    ("x = torch.ones(4)\n    torch.add(torch.ones(9), 1, out=x[:0])\n    return x", "shares its memory"),
    ("x = torch.ones(4)\n    torch.sort(torch.ones(9), values=x[:0], indices=torch.zeros(0, dtype=torch.long))\n    return x",
     "shares its memory"),
    # ---- Tensors without dimensions ----
    ("return torch.tensor(5.0).narrow(0, 0, 3)", "no dimensions"),
    ("return torch.tensor(2**40).narrow(0, 4096, 8)", "no dimensions"),
    ("return torch.chunk(torch.tensor(3.0), 2)", "no dimensions"),
    ("return torch.split(torch.tensor(3.0), 2)", "no dimensions"),
    ("return torch.split(torch.tensor(3), [1, 2])", "no dimensions"),
    ("return torch.tensor(3.0).stride(0)", "no dimensions"),
    ("return torch.tensor(3.0).size(0)", "no dimensions"),
    ("return torch.tensor(3.0).roll(1, 0)", "no dimensions"),
    ("return torch.unbind(torch.tensor(3.0))", "no dimensions"),
    ("return torch.nn.functional.glu(torch.tensor(3.0))", "0-dimensional"),
    ("return torch.tensor(3.0).unflatten(0, [1, 1])", None),
    ("return torch.tensor(3.0).unfold(0, 1, 1)", None),
    ("return torch.tensor(3.0).diagonal()", None),
    ("return torch.tensor(3.0).flip([0])", None),
    ("return torch.tensor(3.0).softmax(0), torch.tensor(3.0).cumsum(0), torch.tensor(3.0).sort(0)", None),
    ("return torch.gather(torch.tensor(3.0), 0, torch.tensor(0))", None),
    ("return torch.tensor_split(torch.tensor(3.0), 2)", None),
    # ---- Numbers near the ends of int64 ----
    ("return torch.arange(9).narrow(0, %d, 1)" % MOST, "exceeds"),
    ("return torch.arange(9).narrow(0, 1, %d)" % MOST, "exceeds"),
    ("return torch.arange(9).narrow(0, %s, 1)" % LEAST, None),
    ("return torch.arange(9)[::%d]" % MOST, None),
    ("return torch.arange(9)[%s:%s]" % (LEAST, MOST), None),
    ("return torch.chunk(torch.arange(9), %d)" % MOST, None),
    ("return torch.split(torch.arange(9), %d)" % MOST, None),
    ("return torch.split(torch.arange(9), [%s, %s, 11])" % (MOST, MOST), "sum exactly"),
    ("return torch.zeros(3, 4).diagonal(%d)" % MOST, None),
    ("return torch.zeros(3, 4).diagonal(%s)" % LEAST, None),
    ("return torch.arange(9).unfold(0, 2, %d)" % MOST, None),
    ("return torch.arange(9).roll(%s)" % LEAST, None),
    ("return torch.arange(9).roll(%d, 0)" % MOST, None),
    ("return torch.arange(9).select(0, %s)" % LEAST, "out of range"),
    ("return torch.flatten(torch.zeros(2, 2), %s, 1)" % LEAST, "out of range"),
    ("return torch.arange(%s, %s, 2**62)" % (LEAST, MOST), None),
    ("return torch.linspace(0.0, 1.0, 3).repeat_interleave(2**62)", None),
    ("return torch.eye(2**32, 2**32)", "too large|overflow|negative dimension"),
    ("return torch.full([2**62, 8], 1)", "too large|overflow|negative dimension"),
    ("return torch.tril_indices(2**31, 2**31)", None),
    ("return torch.nn.functional.one_hot(torch.tensor([1]), 2**62)", None),
    # ---- Divisors that are zero, or -1, in their type ----
    ("return torch.tensor([5], dtype=torch.int8) // 256", "ZeroDivisionError"),
    ("return torch.tensor([5], dtype=torch.uint8) % 256", "ZeroDivisionError"),
    ("return torch.tensor([5], dtype=torch.int32) // torch.tensor(2**32)", "ZeroDivisionError"),
    ("return torch.fmod(torch.tensor([5], dtype=torch.int16), 65536)", "ZeroDivisionError"),
    ("return torch.tensor([%s]) // -1" % LEAST, None),
    ("return torch.tensor([%s]) %% -1" % LEAST, None),
    ("return torch.fmod(torch.tensor([%s]), -1)" % LEAST, None),
    ("return torch.div(torch.tensor([%s]), -1, rounding_mode='trunc')" % LEAST, None),
    ("return torch.tensor([-128], dtype=torch.int8) // -1", None),
    ("n = torch.tensor(%s).item()\n    return int(n) // -1" % LEAST, None),
    ("n = torch.tensor(%s).item()\n    return int(n) %% -1" % LEAST, None),
    ("return torch.abs(torch.tensor([%s])), torch.neg(torch.tensor([%s]))" % (LEAST, LEAST), None),
    ("return torch.gcd(torch.tensor([%s]), torch.tensor([-1]))" % LEAST, None),
    ("return torch.lcm(torch.tensor([%s]), torch.tensor([3]))" % LEAST, None),
    ("return torch.pow(torch.tensor([3]), 2**40)", None),
    ("return torch.bitwise_left_shift(torch.tensor([1]), torch.tensor([%d]))" % MOST, None),
    # ---- Windows ----
    ("return torch.nn.functional.conv2d(torch.ones(1, 1, 8, 8), torch.ones(1, 1, 3, 3), dilation=2**61)", None),
    ("return torch.nn.functional.conv2d(torch.ones(1, 1, 8, 8), torch.ones(1, 1, 3, 3), padding=2**61)", None),
    ("return torch.nn.functional.conv2d(torch.ones(1, 1, 8, 8), torch.ones(1, 1, 3, 3), stride=%d)" % MOST, None),
    ("return torch.nn.functional.conv_transpose2d(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2), stride=2**61)", None),
    ("return torch.nn.functional.avg_pool2d(torch.ones(1, 1, 8, 8), 2**62, 1, 2**61)", None),
    ("return torch.nn.functional.max_pool2d(torch.ones(1, 1, 8, 8), 2, 1, 0, 2**62)", "out of range"),
    ("return torch.nn.functional.max_pool2d(torch.ones(1, 1, 8, 8), 2**62, 1, 2**61)", "out of range"),
    ("return torch.nn.functional.max_pool2d(torch.ones(1, 1, 8, 8), 2000000000, 1, 1000000000)", None),
    ("return torch.nn.functional.max_pool2d(torch.ones(1, 1, 8, 8), 4001, 1, 2000)", None),
    ("return torch.nn.functional.max_pool3d(torch.ones(1, 1, 4, 4, 4), 4001, 4000, 2000, 1, False)", None),
    ("return torch.max_pool1d(torch.ones(1, 8, dtype=torch.complex64), 2)", "not implemented for 'ComplexFloat'"),
    ("return torch.max_pool2d(torch.ones(1, 1, 8, 8, dtype=torch.complex128), 2)", "not implemented for 'ComplexDouble'"),
    ("return torch.max_pool3d(torch.ones(1, 4, 4, 4, dtype=torch.complex128), 2)", "not implemented for 'ComplexDouble'"),
    ("return torch.nn.functional.fractional_max_pool2d(torch.ones(1, 1, 8, 8, dtype=torch.complex64), 2, [3, 3])",
     "not implemented for 'ComplexFloat'"),
    ("return torch.max_pool1d_with_indices(torch.ones(1, 8, dtype=torch.complex128), 2)",
     "not implemented for 'ComplexDouble'"),
    ("return torch.nn.functional.unfold(torch.ones(1, 1, 8, 8), 2, 2**62, 0, 1)", None),
    ("return torch.nn.functional.adaptive_avg_pool2d(torch.ones(1, 1, 8, 8), [2**32, 2**32])", None),
    ("return torch.nn.functional.interpolate(torch.ones(1, 1, 8, 8), [2**32, 2**32])", None),
    ("x = torch.zeros(3, 1, 0).expand(3, 2**60, 0)\n    print(x)\n    return x.flatten()", None),
    ("x = torch.zeros(3, 3, 1, 1, 0).expand(3, 3, 2**60, 2**60, 0).permute(4, 2, 3, 0, 1)\n"
     "    return torch.empty_like(x, memory_format=torch.preserve_format).flatten() + x.flatten()", None),
    ("x = torch.zeros(1, 1, 0, 3).expand(2**60, 2**60, 0, 3).permute(0, 3, 1, 2)\n"
     "    return torch.relu(x).contiguous(memory_format=torch.channels_last)", None),
    ("return torch.nn.functional.interpolate(torch.ones(1, 8, 8, 2).permute(0, 3, 1, 2), [2**32, 2**32])", None),
    ("return torch.nn.functional.interpolate(torch.ones(1, 4, 4, 4, 2).permute(0, 4, 1, 2, 3), 2**24)", None),
    ("return torch.nn.functional.pad(torch.zeros(1, 0, 3), [1, 1, 1, 1], 'replicate')", "non-zero dimensions"),
    ("return torch.nn.functional.pad(torch.zeros(1, 1, 0), [1, 1], 'replicate')", "non-zero dimensions"),
    ("x = torch.zeros(1, 5, 31, 31).contiguous(memory_format=torch.channels_last)\n"
     "    return torch.nn.functional.adaptive_avg_pool3d(x, [4, 40, 40])", None),
    ("return torch.topk(torch.tensor(3.0), 0)", None),
    ("return torch.quantize_per_tensor(torch.zeros(2, 3), 0.5, 1, torch.quint8).to(torch.float32)", "not allowed"),
    ("return torch.nn.functional.batch_norm(torch.zeros(2, 33), torch.zeros(33, 40)[:, :1].t(), torch.ones(33),\n"
     "        None, None, True)", "should contain"),
    ("x = torch.tensor([2, 3, 5])\n    torch.fmod(torch.tensor([4, 4]), x[:2], out=x[1:])\n    return x", None),
    ("x = torch.tensor([2, 3, 5])\n    x[1:].remainder_(x[:2])\n    return x", None),
    ("x = torch.tensor([2, 3, 5])\n    x[1:].floor_divide_(x[:2])\n    return x", None),
    ("return torch.nn.functional.pad(torch.zeros(1, 2, 3), [%s, 1], 'reflect')" % LEAST, None),
    ("return torch.nn.functional.pad(torch.zeros(1, 2, 3), [%s, %s])" % (MOST, MOST), None),
    ("return torch.nn.functional.pad(torch.zeros(1, 2, 3), [%s, %s], 'circular')" % (LEAST, MOST), None),
    ("return torch.nn.functional.conv2d(torch.ones(1, 1, 8, 8), torch.ones(1).expand(1, 1, 2**40, 1), dilation=2**31)",
     "greater than actual"),
    ("return torch.nn.functional.conv_transpose1d(torch.ones(1).expand(1, 1, 2**40), torch.ones(1, 1, 2), stride=2**40)",
     None),
    ("return torch.nn.functional.unfold(torch.ones(1).expand(1, 2**20, 2**20, 2**20), [2**20, 2**20])", None),
    # ---- Indices ----
    ("return torch.arange(3)[torch.tensor([%s])]" % LEAST, "out of range|out of bounds"),
    ("return torch.arange(3).index_select(0, torch.tensor([%s]))" % LEAST, "out of range"),
    ("return torch.gather(torch.zeros(3), 0, torch.tensor([%d]))" % MOST, "out of bounds"),
    ("return torch.zeros(3).scatter(0, torch.tensor([%s]), 1.0)" % LEAST, "out of bounds"),
    ("return torch.ones(2).nansum(dtype=torch.int32)", "nansum_cpu"),
    ("return torch.ones(2).double().nanmean(dtype=torch.bool)", "nansum_cpu"),
    ("return torch.ones(2).int().nansum(dtype=torch.int64), torch.ones(2).nansum(dtype=torch.float64)", None),
    ("return torch.zeros(3).index_add(0, torch.tensor([7]), torch.ones(1))", "out of bounds"),
    ("return torch.zeros(3).index_add(0, torch.tensor([0, 1]), torch.tensor(1.0))", "another shape"),
    ("return torch.zeros(3).index_add(0, torch.tensor([2]), torch.tensor(1.0))", None),
    ("return torch.zeros(3).index_copy(0, torch.tensor([0, 1]), torch.tensor(1.0))", "another shape"),
    ("return torch.zeros(3).index_copy(0, torch.tensor([2]), torch.tensor(1.0))", None),
    ("return torch.zeros(2, 2).index_add(0, torch.tensor([0]), torch.tensor(1.0))", "another shape"),
    ("return torch.take(torch.zeros(3), torch.tensor([%d]))" % MOST, None),
    ("return torch.nn.functional.embedding(torch.tensor([%s]), torch.zeros(3, 2))" % LEAST, "out of range"),
    ("return torch.bincount(torch.tensor([2**62]))", None),
    ("return torch.topk(torch.zeros(3), %d)" % MOST, "out of range"),
    # ---- Quantized ----
    ("return torch.quantize_per_channel(torch.zeros(0, 3), torch.zeros(0), torch.zeros(0), 0, torch.qint8).dequantize()", None),
    ("return torch.quantize_per_channel(torch.zeros(2, 3), torch.ones(2, 1), torch.zeros(2), 0, torch.qint8)", "must have dimension 1"),
    ("return torch.quantize_per_channel(torch.zeros(1, 3), torch.ones(1), torch.tensor(0.0), 0, torch.qint8)", "must have dimension 1"),
    ("q = torch.quantize_per_channel(torch.zeros(2, 3), torch.ones(2), torch.zeros(2), 0, torch.qint8)\n"
     "    p = torch.quantize_per_channel(torch.zeros(3, 2), torch.ones(3), torch.zeros(3), 0, torch.qint8)\n"
     "    return q.copy_(p.t())", None),
    ("q = torch.quantize_per_channel(torch.zeros(2, 3), torch.ones(2), torch.zeros(2), 0, torch.qint8)\n"
     "    return torch.clamp(q, 0.0, 1.0)", None),
    ("q = torch.quantize_per_channel(torch.zeros(2, 3), torch.ones(2), torch.zeros(2), 0, torch.qint8)\n"
     "    return q.select(0, 1)", None),
    ("q = torch.quantize_per_channel(torch.zeros(2, 3), torch.ones(2), torch.zeros(2), 0, torch.qint8)\n"
     "    return q.view(3, 2).dequantize()", None),
    ("q = torch.quantize_per_channel(torch.zeros(2, 3), torch.ones(2), torch.zeros(2), 0, torch.qint8)\n"
     "    return q.t().dequantize()", None),
    ("q = torch.quantize_per_channel(torch.zeros(2, 2), torch.ones(2), torch.zeros(2), 0, torch.qint8)\n"
     "    return q.t()", "uniformly quantized"),
    ("q = torch.quantize_per_channel(torch.zeros(2, 3), torch.ones(2), torch.zeros(2), 0, torch.qint8)\n"
     "    q.resize_(1, 3)\n    return q.dequantize()", "resized"),
    ("q = torch.quantize_per_channel(torch.zeros(2, 3), torch.ones(2), torch.zeros(2), 0, torch.qint8)\n"
     "    q.copy_(torch.ones(3))\n    return q.dequantize()", "channel"),
    ("q = torch.quantize_per_tensor(torch.zeros(1, 1, 4, 4), 0.1, 0, torch.quint8)\n"
     "    return torch.ops.torchvision.roi_align(q, torch.zeros(1, 5), 1.0, 2, 2, 2, True)", None),
    ("return torch.ops.torchvision.roi_align(torch.ones(1, 1, 4, 4), torch.zeros(0, 5), 1.0, 2, 2, %d, True)" % MOST, None),
    ("return torch.ops.torchvision.roi_align(torch.ones(1, 1, 4, 4), torch.ones(1, 5), 1.0, 2, 2, 2, True)", "region 0 names image 1 of 1"),
    ("return torch.ops.torchvision.roi_align(torch.ones(1, 1, 4, 4), -torch.ones(1, 5), 1.0, 2, 2, 2, True)", "region 0 names image -1 of 1"),
    ("return torch.ops.torchvision.roi_align(torch.ones(1, 1, 4, 4), torch.zeros(1, 5), 1.0, 0, 2, 2, True)", "at least one row"),
    ("return torch.ops.torchvision.roi_align(torch.ones(1, 1, 4, 4), torch.zeros(1, 5), 1.0, 2, 0, 2, True)", "at least one row"),
    ("return torch.ops.torchvision.roi_pool(torch.ones(1, 1, 4, 4), torch.tensor([[0.0, float('nan'), 1.0, 2.0, 2.0]]), 1.0, 2, 2)", None),
    ("return torch.searchsorted(torch.arange(3), torch.arange(3), sorter=torch.tensor([0, -1, 2]))", "sorter index out of range"),
    ("return torch.searchsorted(torch.arange(3), torch.arange(3), sorter=torch.tensor([0, 1, 3]))", "sorter index out of range"),
    ("return torch.quantize_per_tensor(torch.ones(2), 1.0, 1000, torch.quint8)", "above upper bound"),
    ("return torch.quantize_per_tensor(torch.ones(2), 1.0, %s, torch.qint8)" % LEAST, "below lower bound"),
    ("return torch.quantize_per_channel(torch.ones(2), torch.ones(2), torch.tensor([1, 1000]), 0, torch.quint8)",
     "above upper bound"),
    ("q = torch.quantize_per_channel(torch.zeros(0, 3), torch.ones(0), torch.zeros(0), 0, torch.qint8)\n"
     "    return torch.relu(q)", "per channel"),
    # ---- Writing to what is read, or to one place twice ----
    ("x = torch.arange(5.0)\n    x[1:] = x[:-1]\n    return x", "refer to a single memory location"),
    ("x = torch.ones(2, 2)\n    return x.add_(x.t())", "refer to a single memory location"),
    ("x = torch.ones(2, 2)\n    return x.copy_(x.t())", "refer to a single memory location"),
    ("x = torch.ones(1).expand(3)\n    return x.add_(1.0)", "refers to a single memory location"),
    ("x = torch.ones(1).expand(3)\n    return x.copy_(torch.ones(3))", "refers to a single memory location"),
    ("x = torch.arange(5.0)\n    return torch.exp(x[1:], out=x[:-1])", "refer to a single memory location"),
    ("x = torch.arange(5.0)\n    return torch.add(x[1:], x[1:], out=x[:-1])", "refer to a single memory location"),
    ("x = torch.arange(5.0)\n    return x[1:].clamp_(x[:-1])", "refer to a single memory location"),
    # ---- Complex numbers for real ones ----
    ("return torch.ops.aten.leaky_relu(torch.ones(2), 1 + 2j)", "without overflow"),
    ("return torch.ops.aten.hardtanh(torch.ones(2), 1j, 1.0)", "without overflow"),
    ("return torch.ops.aten.norm(torch.ones(2), 1 + 2j)", "without overflow"),
    ("return torch.ops.aten.index_add(torch.ones(2), 0, torch.tensor([0]), torch.ones(1), alpha=2j)", "without overflow"),
    ("return torch.ops.aten.addmm(torch.ones(2, 2), torch.ones(2, 2), torch.ones(2, 2), beta=2j)", "without overflow"),
    # ---- Overflow ----
    ("return torch.nn.functional.group_norm(torch.zeros(2, 0, 3), 2**62)", None),
    ("return torch.nn.functional.pad(torch.ones(2, 3), [%s, %d])" % (LEAST, 2**62), "not possible"),
    ("return torch.nn.functional.pad(torch.zeros(1, 0, 3), [0, 0, 1, 1], 'replicate')", "non-zero dimensions"),
    ("x = torch.zeros(1).expand(2**62, 3).narrow(1, 0, 0)\n    return (x + x.expand(5, 2**62, 0)).sum()", None),
    ("x = torch.zeros(1).expand(2**62, 3).narrow(1, 0, 0)\n    return torch.sum(x.unsqueeze(0), [0, 1])", None),
    ("return torch.rsub(torch.tensor([3]), torch.tensor([4]), alpha=%s)" % LEAST, None),
    ("return torch.round(torch.tensor([3.5]), decimals=%s)" % LEAST, None),
    ("return torch.zeros(0, 2**40).cumsum(0)", None),
    ("return torch.tensor([torch.zeros(0)])", "got Tensor"),
    ("return torch.log(torch.tensor([-0.0, -1.0, float('nan'), float('-inf')]))", None),
    # ---- Dtypes and counts that fit into 32 bits only when they are cut ----
    ("return torch.zeros(2, dtype=2**32)", "dtype"),
    ("return torch.zeros(2).sum(dtype=2**32)", "dtype"),
    ("return torch.zeros(2).softmax(0, dtype=2**32 + 6)", "dtype"),
    ("return torch.randperm(2**32 + 1)", "buffer is too small"),
    ("return torch.nn.functional.conv2d(torch.ones(1, 1, 8, 8), torch.ones(1, 1, 3, 3), groups=2**32 + 1)", "groups"),
    ("return torch.nn.functional.group_norm(torch.ones(2, 4, 3), 2**32 + 2)", "num_groups"),
    ("return torch.nn.functional.channel_shuffle(torch.ones(1, 4, 2, 2), 2**32 + 2)", "divisible"),
    # ---- Texts ----
    ("return 'x'.replace('x', 'xx').rjust(%d)" % MOST, None),
    ("return [1] * %d" % MOST, None),
    ("return 'abc'[%s:%s:2]" % (LEAST, MOST), None),
    ("return 'abc'.ljust(2**40), 'abc'.center(%s)" % LEAST, None),
    ("return 'abc'.zfill(%d)" % MOST, None),
]
