"""Quantized operators: kernels on int8 products and what is made of others. Answers of PyTorch's QNNPACK, compared as
stored integers."""
from typing import List, Tuple

import torch

torch.backends.quantized.engine = "qnnpack"


def image(x: torch.Tensor, channels: int) -> torch.Tensor:
    """[2, channels, 5, 6], quint8, of x's 24 numbers, rotated and scaled differently in each part."""
    parts = [x.flatten().roll(7 * i, 0)[:20] * (1.0 + 0.1 * (i % 5)) for i in range(3 * channels)]
    return torch.quantize_per_tensor(torch.cat(parts).reshape(2, channels, 5, 6), 0.03, 110, torch.quint8)


def weight(x: torch.Tensor, sizes: List[int]) -> torch.Tensor:
    n = 1
    for s in sizes:
        n *= s
    return x.flatten().repeat([n // 24 + 1])[:n].reshape(sizes)


def per_tensor(w: torch.Tensor) -> torch.Tensor:
    return torch.quantize_per_tensor(w, 0.02, 0, torch.qint8)


def per_channel(w: torch.Tensor) -> torch.Tensor:
    scales = torch.arange(1, w.size(0) + 1, dtype=torch.float32) * 0.003 + 0.01
    return torch.quantize_per_channel(w, scales, torch.zeros([w.size(0)], dtype=torch.long), 0, torch.qint8)


# PyTorch keeps the scale of a first result in the packed object, so every call has one of its own.
def conv(q: torch.Tensor, w: torch.Tensor, b: torch.Tensor, stride: int, padding: int, dilation: int, groups: int) -> List[torch.Tensor]:
    p = torch.ops.quantized.conv2d_prepack(w, b, [stride, stride], [padding, padding], [dilation, dilation], groups)
    r = torch.ops.quantized.conv2d_prepack(w, b * 1.0, [stride, stride], [padding, padding], [dilation, dilation], groups)
    return [torch.ops.quantized.conv2d(q, p, 0.2, 77).int_repr(), torch.ops.quantized.conv2d_relu(q, r, 0.1, 3).int_repr()]


def pack_linear(x: torch.Tensor):
    return torch.ops.quantized.linear_prepack(per_tensor(weight(x, [5, 6])), weight(x, [5]))


def convolutions(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    b = weight(x, [40])
    three, eight, twenty, forty = image(x, 3), image(x, 8), image(x, 20), image(x, 40)
    r = conv(three, per_tensor(weight(x, [33, 3, 3, 3])), b[:33], 2, 1, 1, 1)
    r += conv(eight, per_channel(weight(x, [16, 8, 1, 1])), b[:16], 1, 0, 1, 1)
    r += conv(eight, per_channel(weight(x, [17, 8, 3, 2])), b[:17], 1, 1, 1, 1)
    r += conv(twenty, per_tensor(weight(x, [7, 20, 2, 2])), b[:7], 1, 2, 2, 1)
    r += conv(twenty, per_channel(weight(x, [8, 5, 3, 3])), b[:8], 1, 1, 1, 4)
    r += conv(eight, per_channel(weight(x, [40, 4, 3, 3])), b[:40], 2, 1, 1, 2)
    for stride in range(1, 3):
        r += conv(forty, per_channel(weight(x, [40, 1, 3, 3])), b, stride, 1, 1, 40)
        r += conv(twenty, per_tensor(weight(x, [20, 1, 5, 5])), b[:20], stride, 2, 1, 20)
    return r + conv(forty, per_tensor(weight(x, [40, 1, 3, 3])), b, 1, 2, 2, 40)


def odd_convolutions(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    line = torch.quantize_per_tensor(weight(x, [2, 4, 9]), 0.03, 100, torch.quint8)
    p = torch.ops.quantized.conv1d_prepack(per_tensor(weight(x, [6, 4, 3])), weight(x, [6]), [1], [1], [1], 1)
    r = torch.ops.quantized.conv1d_prepack(per_tensor(weight(x, [6, 4, 3])), weight(x, [6]), [1], [1], [1], 1)
    image_p = torch.ops.quantized.conv_transpose2d_prepack(per_tensor(weight(x, [8, 4, 2, 2])), None, [2, 2], [0, 0], [0, 0],
                                                           [1, 1], 1)
    return [torch.ops.quantized.conv1d(line, p, 0.1, 50).int_repr(), torch.ops.quantized.conv1d_relu(line, r, 0.05, 50).int_repr(),
            torch.ops.quantized.conv_transpose2d(image(x, 8), image_p, 0.1317, 60).int_repr()]


def linear_layers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q = torch.quantize_per_tensor(x, 0.02, 128, torch.quint8)
    wide = torch.quantize_per_tensor(weight(x, [9, 37]), 0.02, 128, torch.quint8)
    r = torch.ops.quantized.linear_prepack(per_channel(weight(x, [19, 37])), None)
    return [torch.ops.quantized.linear(q, pack_linear(x), 0.1, 30).int_repr(), torch.ops.quantized.linear_relu(q, pack_linear(x), 0.05, 30).int_repr(),
            torch.ops.quantized.linear(wide, r, 0.2, 90).int_repr(), torch.ops.quantized.linear(wide[:1], r, 0.2, 90).int_repr()]


def dynamic_layers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    p = torch.ops.quantized.linear_prepack(per_tensor(weight(x, [5, 6])), weight(x, [5]))
    r = torch.ops.quantized.linear_prepack(per_channel(weight(x, [18, 6])), None)
    positive = torch.ops.quantized.linear_dynamic(x.abs() + 1.0, p)
    state = torch.ops.quantized.quantized_gru_cell_dynamic(x, x, r, r, weight(x, [18]), weight(x, [18]))
    return [torch.ops.quantized.linear_dynamic(x, p), torch.ops.quantized.linear_relu_dynamic(x, r), positive,
            torch.ops.quantized.linear_dynamic(x * 0.0, p), torch.ops.quantized.linear_dynamic(x * 1e-6, p), state]


def pairs(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, b = torch.quantize_per_tensor(x, 0.02, 128, torch.quint8), torch.quantize_per_tensor(x.flip([1]), 0.017, 100, torch.quint8)
    c = image(x, 20).contiguous(memory_format=torch.channels_last)
    sums = [torch.ops.quantized.add(a, b, 0.03, 120), torch.ops.quantized.add_relu(a, b, 0.03, 9), torch.ops.quantized.add(c, c, 0.05, 128),
            torch.ops.quantized.add(a[:1], b[:1], 0.9, 4), torch.ops.quantized.add_scalar(a, 0.5), torch.ops.quantized.add_scalar(a, 9.0)]
    products = [torch.ops.quantized.mul(a, b, 0.03, 120), torch.ops.quantized.mul_relu(a, b, 0.03, 9), torch.ops.quantized.mul(c, c, 0.05, 128),
                torch.ops.quantized.mul(c, c[:, :, :1, :1], 0.05, 128), torch.ops.quantized.mul_scalar(a, -1.5)]
    joined = [torch.ops.quantized.cat([a, b], 0, 0.025, 110), torch.cat([a, a], 1), torch.ops.quantized.cat([c, c], 1, 0.03, 110)]
    return [q.int_repr() for q in sums + products + joined]


def single(x: torch.Tensor, t: torch.Tensor) -> Tuple[List[torch.Tensor], List[float]]:
    q = torch.quantize_per_tensor(x, 0.03, 100, torch.quint8)
    r = [torch.relu(q), torch.sigmoid(q), torch.tanh(q), torch.ops.quantized.hardswish(q, 0.02, 20), torch.nn.functional.hardsigmoid(q),
         torch.clamp(q, -0.5, 0.5), torch.nn.functional.relu6(q), torch.ops.quantized.leaky_relu(q, 0.1, False, 0.02, 20),
         torch.ops.quantized.elu(q, 0.02, 90), q.flip([0])[1:].reshape(6, 3).t().contiguous(), q.clone(),
         q[:, t], q.repeat([1, 2]) if q.dim() == 1 else q.index_select(0, t[1:2])]
    return ([v.int_repr() for v in r], [v.q_scale() for v in r])


def pools(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q = image(x, 20)
    last = q.contiguous(memory_format=torch.channels_last)
    r = [torch.max_pool2d(q, 2), torch.max_pool2d(last, [3, 2], [2, 1], [1, 0]), torch.nn.functional.adaptive_avg_pool2d(q, 1),
         torch.nn.functional.adaptive_avg_pool2d(last, 1), last.mean([2, 3]), torch.nn.functional.interpolate(q, scale_factor=2.0)]
    return [v.int_repr() for v in r]


def normalizations(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q = image(x, 8)
    w, b = weight(x, [8]), weight(x, [8])
    return [torch.ops.quantized.batch_norm2d(q, w, b, b, w.abs() + 0.5, 1e-3, 0.1, 128).int_repr(),
            torch.ops.quantized.layer_norm(q, [5, 6], None, None, 1e-3, 0.05, 128).int_repr(),
            torch.ops.quantized.group_norm(q, 2, w, b, 1e-3, 0.05, 128).int_repr(),
            torch.ops.quantized.instance_norm(q, w, b, 1e-3, 0.05, 128).int_repr()]


def ranges(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    scale, zero = torch._choose_qparams_per_tensor(x, False)
    into = torch.quantize_per_tensor(x, 0.5, 7, torch.quint8)
    into.copy_(x * 3.0)
    return [torch.quantize_per_tensor(x, scale, zero, torch.quint8).int_repr(), torch.quantize_per_tensor_dynamic(x, torch.qint8, False).int_repr(),
            into.int_repr(), torch._make_per_tensor_quantized_tensor(t.to(torch.uint8), 0.5, 3).int_repr()]


def not_numbers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    nan = x * float("nan")
    return [torch.quantize_per_tensor(nan, 0.5, 7, torch.quint8).int_repr(), torch.quantize_per_tensor(nan, 0.5, 7, torch.qint32).int_repr()]


def infinite_range(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    scale, zero = torch._choose_qparams_per_tensor(x.abs() / 0.0, False)
    assert scale == float("inf") and zero == -2147483648
    return torch.quantize_per_tensor_dynamic(x.abs() / 0.0, torch.quint8, False)


def range_of_no_numbers(x: torch.Tensor, t: torch.Tensor) -> Tuple[float, int]:
    return torch._choose_qparams_per_tensor(x * float("nan"), False)


def sum_of_exponentials(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.logsumexp(torch.quantize_per_tensor(x, 0.5, 7, torch.qint32), 0)


def no_quantizer(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.ops.quantized.add(x, x, 0.1, 0)


def wrong_channels(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    p = torch.ops.quantized.conv2d_prepack(per_tensor(weight(x, [5, 7, 1, 1])), None, [1, 1], [0, 0], [1, 1], 1)
    return torch.ops.quantized.conv2d(image(x, 8), p, 0.1, 0)


def compared(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.quantize_per_tensor(x, 0.05, 3, torch.quint8)
    b = torch.quantize_per_tensor(x, 0.05, -2, torch.qint8)
    return [a == b, a != x, x <= a, a < 1, a >= 0.2, torch.eq(a, a, out=torch.zeros(x.shape, dtype=torch.bool)),
            torch.tensor([torch.equal(a, a), torch.equal(a, b), torch.equal(a, x), torch.equal(b, b)])]


def compared_in_place(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    a = torch.quantize_per_tensor(x, 0.05, 3, torch.quint8)
    return a.eq_(a)


def ints_of_32_bits(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q = torch.quantize_per_tensor(x, 0.05, -2, torch.qint32)
    other = torch.quantize_per_tensor(x, 0.1, 1, torch.qint32)
    images = q.flatten()[:16].reshape(1, 1, 4, 4)
    made = [torch.relu(q), torch.clamp(q, -0.2, 0.7), torch.nn.functional.leaky_relu(q), torch.threshold(q, 0.5, 2.0),
            torch.cat([q, other]), torch.stack([q, q]), torch.max_pool2d(images, [2, 2]), torch.nn.functional.avg_pool2d(images, 2)]
    return [m.int_repr() for m in made] + [torch.sigmoid(q).dequantize(), torch.tensor([m.q_scale() for m in made + [torch.sigmoid(q)]])]


def averages(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q = torch.quantize_per_tensor(weight(x, [1, 2, 6, 6]), 0.05, 77, torch.quint8)
    together = q.contiguous(memory_format=torch.channels_last)
    made: List[torch.Tensor] = []
    for a in [q, together]:
        made += [torch.nn.functional.avg_pool2d(a, 2), torch.nn.functional.adaptive_avg_pool2d(a, [2, 2]),
                 torch.nn.functional.adaptive_avg_pool2d(a, [1, 1])]
    return [m.int_repr() for m in made + [torch.nn.functional.interpolate(q, scale_factor=2.0, mode="bilinear")]]


def in_both_orders(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    images = weight(x, [2, 20, 3, 4]).contiguous(memory_format=torch.channels_last)
    q = torch.quantize_per_tensor(images, 0.05, 77, torch.quint8)
    gate = torch.quantize_per_tensor(weight(x, [2, 20, 1, 1]).abs(), 0.01, 3, torch.quint8)
    made = [torch.ops.quantized.mul(q, gate, 0.03, 100), torch.ops.quantized.mul(gate, q, 0.03, 100),
            torch.ops.quantized.mul_relu(gate, q, 0.03, 100)]
    return [m.int_repr() for m in made]


def products_of_sizes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Operands that are broadcast, or lie in other orders; every other product lies between two steps."""
    images = weight(x, [2, 6, 4, 5])
    a, of_signs = torch.quantize_per_tensor(images, 0.2, 131, torch.quint8), torch.quantize_per_tensor(images, 0.2, 3, torch.qint8)
    last = a.contiguous(memory_format=torch.channels_last)
    made: List[torch.Tensor] = []
    for b in [a[:1, :, :1, :1], a[:1, :1, :1], a[:, :1], a[:, :, :, :1], a[1:, 2:3], a.permute(0, 1, 3, 2).reshape(2, 6, 4, 5), last]:
        made += [torch.ops.quantized.mul(a, b, 0.08, 131), torch.ops.quantized.mul_relu(b, a, 0.08, 131), torch.ops.quantized.mul(last, b, 0.08, 131)]
    made += [torch.ops.quantized.mul(a, a[0, 0, 0], 0.08, 131), torch.ops.quantized.mul(a[0, 0, 0], a, 0.08, 131),
             torch.ops.quantized.mul(a[:, :, :1], a[:1, :, :, :1], 0.08, 131), torch.ops.quantized.mul(last[:, 1:3], a[:, 2:4], 0.08, 131),
             torch.ops.quantized.mul(a[:0], a[:1], 0.08, 131), torch.ops.quantized.mul(a[:, :, :0], a[:, :, :1], 0.08, 131),
             torch.ops.quantized.mul(of_signs, of_signs[:1, :, :1, :1], 0.08, 3)]
    return [m.int_repr() for m in made]


def refused_product(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    q = torch.quantize_per_tensor(x, 0.05, 100, torch.quint8)
    return torch.ops.quantized.mul(q, q[:, :4], 0.05, 100)


def strides(x: torch.Tensor, t: torch.Tensor) -> List[List[int]]:
    images = weight(x, [2, 3, 4, 5])
    together = images.contiguous(memory_format=torch.channels_last)
    volumes = weight(x, [2, 3, 2, 4, 5]).contiguous(memory_format=torch.channels_last_3d)
    alone = weight(x, [2, 8, 1, 1]).contiguous(memory_format=torch.channels_last)
    of_one = weight(x, [2, 1, 4, 5]).contiguous(memory_format=torch.channels_last)
    given = [images, together, together[:, :2], together[:, :, 1:3], together[:, :, :, ::2], images.permute(3, 2, 1, 0), volumes, alone,
             of_one, images[0], images[0, 0].t(), images[:, :1], weight(x, [1, 3, 1, 1]).expand(2, 3, 4, 5)]
    made: List[List[int]] = []
    for a in given:
        scales, zeros = torch.rand(a.size(0)) + 0.1, torch.zeros([a.size(0)], dtype=torch.long)
        for dtype in [torch.quint8, torch.qint32]:
            q = torch.quantize_per_tensor(a, 0.1, 3, dtype)
            made += [q.stride(), q.dequantize().stride(), q.int_repr().stride()]
        c = torch.quantize_per_channel(a, scales, zeros, 0, torch.qint8)
        made += [c.stride(), c.dequantize().stride()]
    slices = torch.quantize_per_tensor(together, 0.1, 3, torch.quint8)[:, :2]
    return made + [slices.dequantize().stride(), slices.int_repr().stride(), torch.cat([together[:, :2], together], 1).stride()]


def channels_together(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    images = weight(x, [2, 3, 4, 5]).contiguous(memory_format=torch.channels_last)
    made: List[torch.Tensor] = []
    for axis in range(2):
        scales = torch.arange(images.size(axis)) * 0.1 + 0.1
        q = torch.quantize_per_channel(images, scales, torch.zeros([images.size(axis)], dtype=torch.long) + axis, axis, torch.qint8)
        made += [q.int_repr(), q.dequantize()]
    q = torch.quantize_per_tensor(images, 0.1, 3, torch.qint8)
    return made + [q.dequantize(), q[:, 1:].dequantize(), q[:, :, ::2].int_repr(), torch.quantize_per_tensor(images[:, 1:], 0.1, 3, torch.qint8).int_repr()]


def filled(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    mask = x > 0
    for kind in range(3):
        dtype = torch.quint8 if kind == 0 else torch.qint8 if kind == 1 else torch.qint32
        q = torch.quantize_per_tensor(x, 0.5, 0 if kind == 2 else 10, dtype)
        for v in [2.3, -2.25, 1e6, -1e6, float("nan"), float("inf"), 1e30]:
            made.append(q.masked_fill(mask, v).int_repr())
        other = torch.quantize_per_tensor(torch.tensor(2.3), 0.25, 1, torch.quint8)
        made += [q.masked_fill(mask, torch.tensor(3, dtype=torch.int64)).int_repr(), q.masked_fill(mask, other).int_repr(),
                 q[0].masked_fill(mask, 1).dequantize(), q[:, 1:].masked_fill(mask[0, 1:], 1.5).dequantize(), q.masked_fill(mask[:0].any(), 1).int_repr()]
        q.masked_fill_(mask, torch.tensor(-1.5))
        q.t().masked_fill_(mask.t().logical_not(), 4)
        out, number = torch.quantize_per_tensor(torch.zeros(4, 6), 0.5, 0 if kind == 2 else 10, dtype), torch.tensor(-1.5)
        made += [q.int_repr(), q.dequantize(), torch.ops.aten.masked_fill(q, mask, 2.25, out=out).int_repr(), torch.ops.aten.masked_fill(q, mask, number, out=out).int_repr()]
    return made


def put(x: torch.Tensor, t: torch.Tensor):
    """Floats at indices: each is quantized by the tensor's own scale."""
    made = torch.jit.annotate(List[torch.Tensor], [])
    for dtype in (torch.quint8, torch.qint8, torch.qint32):
        q = torch.quantize_per_tensor(x, 0.25, 10, dtype)
        q[torch.tensor([1])] = torch.arange(6.0) * 0.3 - 0.7
        q[torch.tensor([0, 2]), torch.tensor([5, 0])] = torch.tensor([1000.0])
        made.append(q.int_repr())
        q[q.dequantize() > 1] = torch.tensor([0.6])
        q.t().index_put_([torch.tensor([3])], x[:, 0])
        made += [q.int_repr(), q.index_put([torch.tensor([[3], [0]])], x[:2].view(2, 1, 6)).dequantize()]
    return made


def not_put(x: torch.Tensor, t: torch.Tensor, case: int):
    q = torch.quantize_per_tensor(x, 0.5, 10, torch.quint8)
    index = torch.tensor([0])
    if case == 0:
        q = torch.quantize_per_channel(x, torch.ones([4]), torch.zeros([4], dtype=torch.int64), 0, torch.quint8)
    return q.index_put_([index], x[:1], case == 1) if case < 2 else q.index_put_([index], x)


def not_filled(x: torch.Tensor, t: torch.Tensor, case: int):
    q = torch.quantize_per_tensor(x, 0.5, 10, torch.quint8)
    mask = x > 0
    if case == 0:
        return torch.quantize_per_channel(x, torch.ones([4]), torch.zeros([4], dtype=torch.int64), 0, torch.quint8).masked_fill(mask, 2.5)
    if case == 1:
        return q[0].masked_fill_(mask, 1.5)
    if case == 2:
        return q.masked_fill(mask, 1j)
    q[mask] = torch.quantize_per_tensor(torch.tensor(2.3), 0.25, 1, torch.quint8)
    return q


# Zero points that are floats: along a dimension, as weights of embeddings have them.
def between_ints(x: torch.Tensor, t: torch.Tensor):
    scales, zeros = torch.tensor([0.02, 0.025, 0.03, 0.5]), torch.tensor([100.3, 127.5, 90.0, -3.25])
    q = torch.quantize_per_channel(x, scales.double(), zeros, 0, torch.quint8)
    w = torch.quantize_per_channel(x.t().contiguous(), scales, zeros.half().double() - 100, 1, torch.qint8)
    made = torch._make_per_channel_quantized_tensor(q.int_repr(), scales, zeros, 0)
    moved = torch._make_per_channel_quantized_tensor(q.int_repr(), scales, zeros + 0.25, 0)
    numbers = [q.dequantize(), q.int_repr(), q.q_per_channel_scales(), q.q_per_channel_zero_points(), w.dequantize(), w.int_repr(), moved.dequantize()]
    return (numbers, q.q_per_channel_axis(), q.qscheme(), torch.equal(q, made),
            torch.equal(q, moved), q.numel(), str(q), q.contiguous().view(4, 6).int_repr())


def tables(x: torch.Tensor, t: torch.Tensor):
    scales, zeros = torch.tensor([0.02, 0.025, 0.03, 0.5]), torch.tensor([100.3, 127.5, 90.0, -3.25])
    table = torch.ops.quantized.embedding_bag_prepack(torch.quantize_per_channel(x, scales, zeros, 0, torch.quint8))
    words, starts = torch.tensor([0, 3, 1, 1, 2]), torch.tensor([0, 2])
    back = torch.ops.quantized.embedding_bag_unpack(table)
    rows = torch.ops.quantized.embedding_byte(table, words)
    zero_points = back.q_per_channel_zero_points().clone()  # PyTorch frees them with the table
    return back.dequantize(), zero_points, back.int_repr(), rows, torch.ops.quantized.embedding_bag_byte(table, words, starts)


def by_channels(q: torch.Tensor):
    return q.int_repr(), q.stride(), q.q_per_channel_scales(), q.q_per_channel_zero_points(), q.q_per_channel_axis()


def by_one(q: torch.Tensor):
    return q.int_repr(), q.stride(), q.q_scale(), q.q_zero_point()


def parts_by_channels(x: torch.Tensor, t: torch.Tensor):
    rows = torch.quantize_per_channel(x, torch.tensor([0.1, 0.2, 0.05, 0.4]), torch.tensor([1, 2, 3, -4]), 0, torch.qint8)
    columns = torch.quantize_per_channel(x[:, :4].contiguous(), torch.tensor([0.1, 0.2, 0.05, 0.4]), t, 1, torch.quint8)
    chosen = [by_one(rows[0]), by_one(rows[-1]), by_one(columns[:, 2]), by_one(rows[1, 2]), by_one(columns[3][1]), by_one(rows.narrow(0, 2, 1)),
              by_one(columns[:, 1:2]), by_one(rows[::4]), by_one(torch.unbind(columns, 1)[3]), by_one(torch.split(rows, [3, 1])[1])]
    kept = [by_channels(rows[1:3]), by_channels(rows[::2]), by_channels(rows[:, 1:5:2]), by_channels(columns[1]), by_channels(columns[:, 1:]),
            by_channels(rows.unsqueeze(0)), by_channels(rows.unsqueeze(1)), by_channels(columns.unsqueeze(-1)), by_channels(torch.chunk(columns, 2, 1)[1])]
    written = rows.clone()
    written[1].copy_(x[0])
    return chosen, kept, by_channels(written), rows[2].contiguous().dequantize(), torch.ops.quantized.add(rows[0], rows[1], 0.1, 2).int_repr()


def no_tables(x: torch.Tensor, t: torch.Tensor, case: int):
    scales, zeros = torch.tensor([0.02, 0.025, 0.03, 0.5]), torch.tensor([100.3, 127.5, 90.0, -3.25])
    q = torch.quantize_per_channel(x, scales, zeros, 0, torch.quint8)
    if case == 3:
        q = torch.quantize_per_channel(x, scales.long(), zeros, 0, torch.quint8)
    elif case == 4:
        q = q.view(24)
    elif case == 5:
        q = torch.relu(q)
    weights = [torch.quantize_per_channel(x, scales, zeros, 0, torch.qint8), torch.quantize_per_channel(x, scales, zeros.abs().long(), 0, torch.quint8),
               torch.quantize_per_channel(x[:, 0], scales, zeros, 0, torch.quint8), q, q, q]
    return torch.ops.quantized.embedding_bag_prepack(weights[case])


# Four dimensions, the second of which is none of channels; PyTorch mixes others up that could lie channels-last.
def volumes_without_batch(x: torch.Tensor, t: torch.Tensor):
    made: List[torch.Tensor] = []
    strides: List[List[int]] = []
    for sizes in [[1, 1, 6, 4], [1, 1, 64, 4], [1, 1, 2, 2], [2, 4, 3, 5]]:
        n = sizes[0] * sizes[1] * sizes[2] * sizes[3]
        for dtype in [torch.quint8, torch.qint8]:
            q = torch.quantize_per_tensor(torch.remainder(torch.arange(n).to(torch.float32) * 7, 41).reshape(sizes), 0.5, 3, dtype)
            for out in [[4, 4, 4], [1, 2, 3], [1, 1, 1]]:
                y = torch.nn.functional.adaptive_avg_pool3d(q, out)
                made += [y.int_repr()]
                strides += [y.stride()]
    return made, strides


PROGRAMS = [volumes_without_batch, between_ints, tables, filled, put, convolutions, odd_convolutions, linear_layers, dynamic_layers, pairs, single, pools, normalizations,
            ranges, not_numbers,
            compared, ints_of_32_bits, averages, in_both_orders, strides, channels_together, products_of_sizes, parts_by_channels]
FAILURES = {infinite_range: "zero_point -2147483648 is", refused_product: "must match the size of tensor b (4)", range_of_no_numbers: "min should be less than or equal to max",
            compared_in_place: "must have dtype 'torch.bool'",
            sum_of_exponentials: "Expected floating point type for result tensor, but got: QInt32", no_quantizer: "expected quantized tensors", wrong_channels: "to have 7 channels, but got 8 channels instead"}
FAULTS = {no_tables: ["qembedding_bag_prepack currently only supports quint8 and quint4x2 weights",
                      "Expect embedding_bag weights to be quantized using kPerChannelAffineFloatQParams",
                      "quantized::embedding_bag_prepack weight tensor rank should be 2", "scale tensor must be floating point",
                      ("weight tensor rank should be 2", "Setting strides is possible only on uniformly quantized tensor"),
                      ("Expected quantizer->qscheme() == kPerTensorAffine", "relu does not take tensors quantized per channel")],
          not_filled: ["masked_fill__quantized_cpu for quantized tensors is currently only supported for per tensor quantized tensors",
                       "output with shape [6] doesn't match the broadcast shape [4, 6]", "value cannot be converted to type float without overflow",
                       "Value argument for quantized input_put should not be quantized"],
          not_put: ["index_put for quantized tensors is currently only supported for per tensor quantized tensors",
                    "index_put for quantized tensors is currently only supported for accumulate=False",
                    "shape mismatch: value tensor"]}
