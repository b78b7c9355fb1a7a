"""Numbers, layouts and types at which operators go other ways than usual."""
from typing import List, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor


def combined(x: Tensor, t: Tensor) -> List[Tensor]:
    index, rows, nan = torch.tensor([[0, 2, 1], [3, 3, 0]]), torch.tensor([0, 2, 0]), float("nan")
    made: List[Tensor] = []
    for dtype in [torch.float32, torch.float64, torch.int64, torch.int8, torch.int16, torch.float16]:
        a, b = (x * 4).to(dtype), (x[2:, :3] * 5).to(dtype)
        for how in ["sum", "prod", "amin", "amax"]:
            made.append(a.scatter_reduce(0, index, b, how).to(torch.float32))
            made.append(a.scatter_reduce(1, index, b, how, include_self=False).to(torch.float32))
        made += [a.index_add(0, rows, a[:3]).to(torch.float32), a.index_add(1, rows, a[:, :3]).to(torch.float32),
                 a.index_put([rows], a[:3], True).to(torch.float32), a.scatter(1, index, b).to(torch.float32),
                 a.scatter(1, index, b, reduce="multiply").to(torch.float32)]
    for dtype in [torch.float32, torch.float64]:
        a, b = (x * 4).to(dtype), (x[2:, :3] * 5).to(dtype)
        a[0, 0] = nan
        b[1, 2] = nan
        made += [a.scatter_reduce(0, index, b, "amin"), a.scatter_reduce(0, index, b, "amax"), a.scatter_reduce(1, index, b, "amax")]
    return made


def combined_complex(x: Tensor, t: Tensor) -> List[Tensor]:
    index, rows = torch.tensor([[0, 2, 1], [3, 3, 0]]), torch.tensor([0, 2, 0])
    made: List[Tensor] = []
    for dtype in [torch.complex64, torch.complex128]:
        a, b = torch.complex(x, x.flip([0])).to(dtype), torch.complex(x, x)[2:, :3].to(dtype)
        made += [a.scatter(0, index, b), a.scatter(1, index, b, reduce="add"), a.scatter(1, index, b, reduce="multiply"),
                 a.scatter_add(0, index, b), a.index_add(0, rows, a[:3]), a.index_put([rows], a[:3], True), a.gather(1, index),
                 a[rows], a.index_select(1, rows), a.take(rows), a.flip([0, 1]), a.roll(1), a.masked_fill(x > 0, 1.5)]
    return made


def columns(x: Tensor, t: Tensor) -> List[Tensor]:
    made: List[Tensor] = []
    image = x.reshape(1, 2, 3, 4)
    for dtype in [torch.float32, torch.float64, torch.complex64, torch.complex128, torch.bfloat16]:
        a = torch._C._nn.im2col(image.to(dtype), [2, 3], [2, 1], [1, 2], [1, 2])
        b = torch._C._nn.col2im(a, [3, 4], [2, 3], [2, 1], [1, 2], [1, 2])
        c = torch._C._nn.col2im(a[0], [3, 4], [2, 3], [2, 1], [1, 2], [1, 2])
        d = torch._C._nn.im2col(image[0].to(dtype), [1, 1], [1, 1], [3, 3], [3, 3])
        made += [a, b, c, d] if a.is_complex() else [a.float(), b.float(), c.float(), d.float()]
    return made


def between(x: Tensor, t: Tensor) -> List[Tensor]:
    """Limits that are tensors, numbers that are none among them."""
    nan, made = float("nan"), torch.jit.annotate(List[Tensor], [])
    for dtype in [torch.float32, torch.float64]:
        a = torch.tensor([1.0, nan, 1.0, 1.0, -3.0, 5.0, 0.5, nan]).to(dtype)
        b = torch.tensor([0.0, 0.0, nan, 0.0, 0.0, 0.0, 0.0, nan]).to(dtype)
        c = torch.tensor([2.0, 2.0, 2.0, nan, 2.0, 2.0, 2.0, 1.0]).to(dtype)
        low, high, none = b[0], c[0], a[1]
        for i in [a, a.repeat(5), a.repeat(3)[::2]]:
            made += [torch.clamp(i, low, high), torch.clamp(i, none, high), torch.clamp(i, low, none), torch.clamp_min(i, none),
                     torch.clamp_max(i, none), torch.clamp(i, nan, 1.0), torch.clamp(i, 0.0, nan)]
        made += [torch.clamp(a, b, c), torch.clamp(a, b, high), torch.clamp(a, low, c), torch.clamp(a[0], b, c), torch.clamp(a[0], low, c),
                 torch.clamp(a[0], b, high), torch.clamp_min(a, b), torch.clamp_max(a, c), torch.clamp(a, c, b), torch.maximum(a, b),
                 torch.minimum(b, a), torch.fmax(a, b), torch.fmin(a, c)]
    i, j = torch.tensor([5, -5, 0, 2]), torch.tensor([1, -1, 3, 2])
    return made + [torch.clamp(i, j, j + 1), torch.clamp(i, j[0], j), torch.clamp_min(i, j), torch.clamp_max(i, j)]


def three_operands(x: Tensor, t: Tensor) -> List[Tensor]:
    d, z, i = x.double(), torch.complex(x, x.flip([0])), (x * 3).to(torch.int64)
    w = torch.complex(x.abs() + 1, x)
    return [torch.addcmul(x, x, x, value=0.0), torch.addcmul(d, d, d), torch.addcmul(z, z, w, value=2.0), torch.addcmul(i, i, i, value=3),
            torch.addcdiv(d, d, d), torch.addcdiv(z, z, w), torch.addcdiv(z, z, w, value=0.5), torch.addcmul(i[0], i, i[:, :1]),
            torch.lerp(x, d.float() + 1, 0.3), torch.lerp(x, x + 1, 0.7), torch.lerp(d, d + 1, d), torch.lerp(z, w, 0.25), torch.lerp(z, w, z),
            torch.lerp(x, x + 1, torch.tensor(0.5)), torch.lerp(x, x[0], x.t().contiguous().t())]


def close(x: Tensor, t: Tensor) -> List[Tensor]:
    inf, nan, made = float("inf"), float("nan"), torch.jit.annotate(List[Tensor], [])
    a = torch.tensor([1.0, inf, nan, inf, -inf, 1.0, 3.0, nan, 1.0])
    b = torch.tensor([1.0, inf, nan, -inf, -inf, inf, 3.00001, 1.0, nan])
    for dtype in [torch.float32, torch.float64, torch.complex64, torch.complex128]:
        for equal in [True, False]:
            made += [torch.isclose(a.to(dtype), b.to(dtype), equal_nan=equal), torch.isclose(a.to(dtype), b.to(dtype), 0.0, 0.0, equal)]
    i = torch.tensor([1, 2, 100, -5])
    z, w = torch.complex(a, b), torch.complex(b, a)
    return made + [torch.isclose(i, i + 1, rtol=0.05), torch.isclose(i, i + 1, atol=1.0), torch.isclose(i, i), torch.isclose(z, w),
                   torch.isclose(z, z, equal_nan=True), torch.eq(z, w), torch.ne(z, w), torch.logical_or(z, w), torch.logical_and(z * 0, w),
                   torch.logical_xor(z, w * 0), torch.logical_not(z), torch.logical_or(torch.complex(a * 0, a), torch.complex(a * 0, b * 0))]


def whole_powers(x: Tensor, t: Tensor) -> List[Tensor]:
    a = torch.tensor([1, -1, -1, 2, 0, -3, 7, 1])
    e = torch.tensor([-2, -3, -4, -1, 3, 3, 0, -1])
    least = torch.tensor([-9223372036854775807, 7, -7, 6, -6])
    by = torch.tensor([-1, -1, 2, -4, -4])
    return [torch.pow(a, e), torch.pow(a.int(), e.int()), torch.pow(a, 3), torch.div(least, by, rounding_mode="trunc"), torch.fmod(least, by),
            torch.div(least, by, rounding_mode="floor"), torch.remainder(least, by), torch.div(least[1:].int(), by[1:].int(), rounding_mode="trunc"),
            torch.floor_divide(x * 3, 0.1), torch.floor_divide(x, -0.3), torch.remainder(x, -0.3), torch.fmod(x, 0.3)]


def complex_limits(x: Tensor, t: Tensor) -> List[Tensor]:
    inf, nan = float("inf"), float("nan")
    parts = torch.tensor([0.0, 1.0, -1.0, inf, -inf, nan])
    z = torch.complex(parts.unsqueeze(1).expand(6, 6).contiguous(), parts.unsqueeze(0).expand(6, 6).contiguous()).flatten().to(torch.complex128)
    finite = z[torch.isfinite(z)]
    return [finite.sqrt(), finite.exp(), finite.sin(), finite.cos(), finite.sinh(), finite.cosh(), finite.tanh(), finite.asinh(), finite.abs(),
            finite.sgn(), finite.reciprocal()[1:], finite * finite.flip([0]), torch.isnan(z), torch.isinf(z), torch.isfinite(z), finite.cumsum(0),
            finite.cumprod(0), finite.prod(), finite.mean(), torch.angle(finite)]


def pixels(x: Tensor, t: Tensor) -> List[Tensor]:
    """Channels that are shuffled, in layouts of several kinds."""
    image = torch.arange(2.0 * 8 * 3 * 5).reshape(2, 8, 3, 5)
    last = image.to(memory_format=torch.channels_last)
    return [torch.channel_shuffle(image, 2), torch.channel_shuffle(last, 4), torch.channel_shuffle(last[:, :, 1:], 2),
            torch.channel_shuffle(last[:, :, :, 1:], 2), torch.channel_shuffle(last[:1, :, 1:2], 2), torch.channel_shuffle(last[:, :, ::2], 2),
            torch.channel_shuffle(last.double(), 2), torch.channel_shuffle(last[:0], 2), torch.channel_shuffle(image[0], 3) if t[0] > 9 else image,
            torch.channel_shuffle(image.permute(0, 3, 1, 2)[:, :4], 2), torch.channel_shuffle(last.to(torch.int32), 1)]


def shaped(x: Tensor, t: Tensor) -> List[Tensor]:
    """Sizes of 0 and 1, and types of one, two and sixteen bytes."""
    made: List[Tensor] = []
    for dtype in [torch.uint8, torch.int16, torch.int32, torch.float64, torch.complex128, torch.bool]:
        a = x.to(dtype)
        b = torch.cat([a, a[:0], a[1:]]).flip([0, 1]).roll([1, -2], [0, 1])
        made += [b, b.gather(0, torch.tensor([[6, 0, 1, 5, 2, 2]])), b.take_along_dim(torch.tensor([[0], [5], [1], [3], [2], [4], [0]]), 1),
                 b.index_select(0, t), b[:, t], b.repeat_interleave(2, 0), b.t().contiguous(), b.expand(2, 7, 6).clone(), b.unfold(0, 3, 2),
                 b.diagonal(1), b.tril(), F.pad(a, [1, -1, 0, 2])]
    return made


def windows(x: Tensor, t: Tensor) -> List[Tensor]:
    """Convolutions and pools of one to three dimensions, of types and layouts that are seldom."""
    made: List[Tensor] = []
    volume, w = torch.arange(2.0 * 2 * 4 * 5 * 6).sin().reshape(2, 2, 4, 5, 6), torch.arange(4.0 * 2 * 2 * 3 * 2).cos().reshape(4, 2, 2, 3, 2)
    for dtype in [torch.float32, torch.float64]:
        v, k = volume.to(dtype), w.to(dtype)
        made += [F.conv3d(v, k, stride=2, padding=2), F.conv3d(v, k[:, :1], padding=1, groups=2), F.conv3d(v[0], k, dilation=2),
                 F.conv3d(v[:, :1].expand(2, 4, 4, 5, 6), k[:, :1], groups=4, padding=[2, 0, 3]), F.conv3d(v[:0], k), F.conv2d(v[0], k[:, 0, :1].expand(4, 4, 3, 2)
                 .contiguous()[:, :4]), F.conv_transpose3d(v, k.transpose(0, 1).contiguous(), stride=2, padding=1, output_padding=1),
                 F.conv_transpose2d(v[0, :, :2], k[:2, 0], dilation=2), F.conv_transpose1d(v[0, 0, :, :4], k[:4, 0, 0][:, :, :], padding=1),
                 F.max_pool3d(v, 3, 2, 1), F.max_pool3d(v[0], 2, 1, 0, 2), F.avg_pool3d(v, 3, 2, 1), F.adaptive_avg_pool3d(v, [2, 3, 1]),
                 F.adaptive_max_pool3d(v, [2, 3, 1]), F.max_pool2d(v[0], 5, 3, 2, 1, True), F.max_pool2d(v[:, 0].to(memory_format=torch.channels_last), 4, 1, 2),
                 F.max_pool1d(v[0, 0], 3, 1, 1), F.max_pool2d(v[0].to(torch.float64), 3, 1, 1), F.lp_pool2d(v[0].abs(), 2.0, 2)]
    hole = volume[0, :, :2].clone()
    hole[0, 0, 1, 1] = float("nan")
    return made + [F.max_pool2d(hole, 2), F.max_pool2d(hole, 2, 1), F.max_pool2d(hole.to(memory_format=torch.channels_last), 2), F.max_pool3d(hole, 2, 1),
                   F.fractional_max_pool2d(hole.unsqueeze(0)[0], 2, [2, 3], _random_samples=torch.full([2, 2, 2], 0.3)), F.max_pool1d(hole[0, 0], 2, 1)]


def masks(x: Tensor, t: Tensor) -> List[Tensor]:
    """Attention whose masks are of each kind."""
    a = torch.arange(2.0 * 3 * 8).sin().reshape(2, 3, 8)
    w, b, p, c = torch.arange(24.0 * 8).cos().reshape(24, 8), torch.arange(24.0) / 20, torch.arange(64.0).sin().reshape(8, 8), torch.ones(8)
    keys, pairs = torch.tensor([[False, True, False], [False, False, True]]), torch.tensor([[False, True, True], [False, False, True], [False, False, False]])
    whole, made = pairs.expand(2, 2, 3, 3), torch.jit.annotate(List[Tensor], [])
    for mask in [keys, whole, keys.reshape(2, 1, 1, 3).expand(2, 2, 3, 3)]:
        y, weights = torch._native_multi_head_attention(a, a, a, 8, 2, w, b, p, c, mask, True, mask.dim() == 2, 1)
        z, none = torch._native_multi_head_attention(a, a, a, 8, 2, w, b, p, c, mask, False, True, 1)
        made += [y, weights, z]
    y, weights = torch._native_multi_head_attention(a, a, a, 8, 2, w, b, p, c, None, True, False)
    d, e = torch._native_multi_head_attention(a.double(), a.double(), a.double(), 8, 2, w.double(), b.double(), p.double(), c.double(), keys, False, True, 1)
    return made + [y, weights, d]


def sizes_of_views(x: Tensor, t: Tensor) -> List[Tensor]:
    z = torch.view_as_complex(x.reshape(4, 3, 2))
    return [z, torch.view_as_real(z), x.flatten(0, 0), x[0, 0].flatten(), x[0].unflatten(0, [2, -1]), x.movedim([0, 1], [1, 0]), x.swapaxes(0, 1),
            x[:0].flatten(), x.unfold(1, 6, 1), x[0, 0].unfold(0, 1, 1), x.as_strided([2, 2], [1, 6], 3), x[:, :0].unfold(0, 2, 1)]


def drawn(x: Tensor, t: Tensor) -> List[Tensor]:
    torch.manual_seed(3)
    big = 4611686018427387904
    return [torch.randint(-big, big, [5]), torch.randint(0, 8589934592, [5]), torch.randint(3, [5], dtype=torch.uint8), torch.randint(-3, 3, [5], dtype=torch.int16),
            torch.empty(5, dtype=torch.int64).random_(), torch.empty(5).random_(), torch.empty(5, dtype=torch.float64).random_(),
            torch.empty(5, dtype=torch.int32).random_(), torch.empty(5, dtype=torch.int8).random_(), torch.empty(5, dtype=torch.bool).random_(),
            torch.empty(5, dtype=torch.float64).random_(-5, None), torch.empty(5).random_(100), torch.poisson(torch.tensor([0.0, 0.5, 9.0, 11.0, 500.0])),
            torch.multinomial(torch.tensor([0.1, 0.0, 3.0]), 2), torch.multinomial(torch.ones(2, 3).double(), 5, True), torch.bernoulli(torch.ones(2, 3).double() / 2),
            torch.bernoulli(x.sigmoid()), F.rrelu(x, 0.1, 0.3, True), F.rrelu(x.double(), 0.1, 0.3, True), F.dropout(x, 1.0), F.dropout(x, 0.0),
            torch.feature_dropout(x.reshape(2, 2, 6), 0.5, True), F.alpha_dropout(x, 0.5, True), torch.empty(4).geometric_(0.3), torch.empty(4).log_normal_(0.1, 0.2),
            torch.empty(4).cauchy_(), torch.empty(4).exponential_(), torch.randperm(7), torch.rand(20).double(), torch.randn(33), torch.normal(x, x.abs())]


def numbers_of_text(x: Tensor, t: Tensor) -> List[float]:
    texts = ["0.1", "1e23", "9007199254740993", "9007199254740992.99999999999999999999", "1.7976931348623157e308", "2.2250738585072014e-308",
             "0x1p3", "0x.8", "0x1.8p-1", "0xA", "0x1.fffffffffffff8p0", "0x1.00000000000008p0", "0x1.000000000000080000001p0", "0x1p-1022", "123456789012345678901234567890",
             "1e-5", "  7", "-0.0", "+3.25", "inf", "-Infinity", "8.5e+2", "0x123456789abcdef123", "5e-1", "00012.50", "1e0000000000000000000002", "0.000000000000000000000000000001",
             "3.", ".5", "179769313486231570000000000000000000000", "2.00000000000000011102230246251565404236316680908203125",
             "2.00000000000000011102230246251565404236316680908203124", "2.00000000000000011102230246251565404236316680908203126"]
    return [float(s) for s in texts]


def words(x: Tensor, t: Tensor) -> Tuple[List[str], List[bool], List[int]]:
    texts = ["", "a", "\t", "\x7f", "a\nb\r\nc", "\n", "~ ", "xxxxxxxxxxxxxxxx"]
    lines: List[str] = []
    for s in texts:
        lines += s.splitlines() + s.splitlines(True)
    floats = ["%d %i" % (3, 7), "%d" % 3.9, "%d" % -1e20, "%E %e" % (12.5, 1e-9), "%c%c" % ("z", 65), "%s" % x.shape, "%f" % 2]
    printed = [s.isprintable() for s in texts] + [s.isspace() for s in texts] + [s.isalnum() for s in texts] + [s.istitle() for s in texts]
    counted = [s.count("x", 3, 9) for s in texts] + [s.count("xx") for s in texts]
    return lines + floats, printed, counted + ["abab".count("ab", 9), "abab".count("ab", -3)]


def ordered(x: Tensor, t: Tensor) -> Tuple[bool, bool, bool, bool, bool, bool, bool, List[Tuple[int, str]], List[int], bool]:
    a, b = [[1, 2], [3]], [[1, 2], [4]]
    u, v = [(1, "b"), (0, "c"), (1, "a")], [5, 3, 8, 1, 9, 2, 7, 7, 0, 4, 6, 11, 15, 13, 12, 14, 10, -1, 20, 16]
    u.sort()
    v.sort(reverse=True)
    k = [[x[0], x[1]], [x[2]]]
    return (len(a) == len(b), a[0] == b[0], a[1] == b[1], x.dim() < 3, t.dim() < 1, k[0][0].dim() > 0, len(u) > 2, u, v, [1.5, 2.0] == [1.5, 2.5])


def of_memory(x: Tensor, t: Tensor) -> Tuple[List[int], List[bool]]:
    e = x[0, :1].expand(4)
    views = [x, x.t(), x[:, ::2], e, x[:0], x.unfold(1, 4, 1), x[::2, ::2]]
    same = [x.is_set_to(x), x.is_set_to(x.t()), x.is_set_to(x[1:]), x.is_set_to(x.view(4, 6)), x.is_set_to(x.view(24)), x.is_set_to(x.view(6, 4)),
            x.is_set_to(x.clone()), x[:, :1].is_set_to(x[:, :1].t().t()), x[:1].is_set_to(x[0].view(1, 6)), x[:2].is_set_to(x[:4:2])]
    return [torch._debug_has_internal_overlap(v) for v in views], same


def sums_of_mass(x: Tensor, t: Tensor) -> List[Tensor]:
    """Sums, orders and products at their edges."""
    inf, nan = float("inf"), float("nan")
    a = torch.tensor([[1.0, nan, inf, -inf, 2.0, 2.0], [0.0, -0.0, 3.0, 3.0, -1.0, nan]])
    made: List[Tensor] = []
    for dtype in [torch.float32, torch.float64]:
        b = a.to(dtype)
        made += [b.max(1)[0].float(), b.min(1)[0].float(), b.max(0)[1], b.argmax(1), b.argmin(0), b.nansum(1).float(), b.sort(1)[0].float(), b.cummax(1)[0].float(),
                 b.cummin(1)[1], b.nan_to_num(0.0).median(1)[0].float(), b.kthvalue(2, 1)[0].float(), b.topk(2, 1)[0].float(),
                 b.amax([0, 1]).float(), b.any(1), b.all(0), b[:, :0].sum(1).float(), b[:, :0].prod(1).float(), b[:0].any(0), b.isnan().sum()]
    i = torch.tensor([[3, -3, 0], [7, 7, -9]])
    return made + [i.prod(1), i.cumsum(0), i.cumprod(1), i.max(0)[1], i.sum(dtype=torch.float64), i.to(torch.uint8).sum(), i.to(torch.bool).sum(),
                   torch.special.zeta(torch.tensor([2.0, 3.0, 2.0, 1.0]), torch.tensor([-1.5, -2.5, -1.0, 2.0])),
                   torch.special.gammainc(torch.tensor([1.0, 0.0, inf, 2.0, 1e-3, 50.0]), torch.tensor([0.0, 1.0, 1.0, inf, 30.0, 50.0])),
                   torch.special.gammaincc(torch.tensor([1.0, 0.0, inf, 2.0, 1e-3, 50.0]), torch.tensor([0.0, 1.0, 1.0, inf, 30.0, 50.0])),
                   torch.polygamma(2, x.abs() + 0.1), torch.digamma(torch.tensor([0.0, -1.0, -0.5, 0.25, 30.0])), torch.logit(x.sigmoid(), 0.1)]


def quantized(x: Tensor, t: Tensor) -> List[Tensor]:
    q, c = torch.quantize_per_tensor(x, 0.05, 10, torch.quint8), torch.quantize_per_channel(x, torch.tensor([0.1, 0.2, 0.05, 0.01]), torch.tensor([0, 5, -3, 1]), 0, torch.qint8)
    i = torch.quantize_per_tensor(x, 0.05, 0, torch.qint8)
    image = torch.quantize_per_tensor(x.reshape(1, 3, 2, 4), 0.05, 10, torch.quint8)
    made = [torch.quantize_per_tensor_dynamic(x, torch.quint8, False), torch.quantize_per_tensor_dynamic(x, torch.qint8, False),
            torch.quantize_per_tensor_dynamic(x.abs(), torch.quint8, False), torch.quantize_per_tensor_dynamic(-x.abs(), torch.quint8, False),
            torch.quantize_per_tensor_dynamic(x * 0, torch.quint8, False), torch.quantize_per_tensor_dynamic(x * 1e-38, torch.quint8, False),
            torch.ops.quantized.mul(q, q, 0.1, 3),
            torch.ops.quantized.add(i, i, 0.1, 3), torch.ops.quantized.add_relu(q, q, 2.0, 3),
            torch.ops.quantized.mul(q.reshape(1, 4, 6), q.reshape(1, 4, 6), 0.1, 3), q.clone().copy_(x + 1), F.interpolate(image, [4, 3]),
            F.max_pool2d(image, 2), F.avg_pool2d(image, 2),
            F.adaptive_avg_pool2d(image, [1, 2]), torch.cat([q, q]), torch.ops.quantized.cat([q, q], 0, 0.1, 2),
            q.flip([0]), q[t % 4], q.relu(), q.sort(1)[0], q.topk(2, 1)[0], torch.clamp(q, -0.5, 0.5), torch.quantized_max_pool2d(image, [2, 2])]
    return [m.dequantize() for m in made] + [c.dequantize(), c.int_repr(), q.max().dequantize(), q.min(1)[0].dequantize(), q.mean().dequantize()]


def special_numbers() -> Tensor:
    inf, nan = float("inf"), float("nan")
    # TorchScript takes -0.0 for 0.0 where both are written.
    return torch.tensor([-1e-300, 0.0, inf, -inf, nan, 1e-40, -1e-40, 3e38, -3e38, -100.0, 100.0, -1e-8, 1e-8, -20.0, 1.0, -1.0])


def said_of(y: Tensor) -> List[Tensor]:
    """Numbers, and what comparing numbers does not see: signs of zeros, and which are 0."""
    return [y, torch.signbit(y) & ~torch.isnan(y), y == 0]


def activations(x: Tensor, t: Tensor) -> List[Tensor]:
    """At numbers where formulas for others would be wrong."""
    made: List[Tensor] = []
    for times in [1, 5]:
        v = special_numbers().repeat(times)
        for dtype in [torch.float32, torch.float64]:
            a, slope = v.to(dtype), torch.tensor([-1e-300, 0.25])[times // 5:times // 5 + 1].to(dtype)
            for y in [F.silu(a), torch.tanh(a), F.relu(a), F.relu6(a), F.hardtanh(a), torch.sigmoid(a), F.hardswish(a), F.hardsigmoid(a),
                      F.elu(a), F.selu(a), F.celu(a, 0.5), F.leaky_relu(a), F.hardshrink(a), F.softshrink(a), F.threshold(a, 0.0, 0.0),
                      F.gelu(a, approximate="tanh"), F.prelu(a, slope), a.clamp(0.0, 6.0), a.clamp_max(0.0), F.softplus(a), F.logsigmoid(a)]:
                made += said_of(y)
            made += [F.gelu(a), F.mish(a)]
    return made


def chains_of_activations(x: Tensor, t: Tensor) -> List[Tensor]:
    """Each step of a chain between others that keep signs, at the same numbers. First steps differ: none is shared."""
    made: List[Tensor] = []
    for times in [1, 5]:
        v = special_numbers().repeat(times)
        made += said_of(torch.neg(v * 2.0) * 0.5 * 0.75)
        made += said_of(torch.abs(v * 2.0625) * 0.5 * 0.75)
        made += said_of(torch.sqrt(v * 2.125) * 0.5 * 0.75)
        made += said_of(torch.rsqrt(v * 2.1875) * 0.5 * 0.75)
        made += said_of(torch.exp(v * 2.25) * 0.5 * 0.75)
        made += said_of(F.relu(v * 2.3125) * 0.5 * 0.75)
        made += said_of(torch.sigmoid(v * 2.375) * 0.5 * 0.75)
        made += said_of(torch.tanh(v * 2.4375) * 0.5 * 0.75)
        made += said_of(F.silu(v * 2.5) * 0.5 * 0.75)
        made += said_of(F.gelu(v * 2.5625, approximate="tanh") * 0.5 * 0.75)
        made += said_of(F.hardswish(v * 2.625) * 0.5 * 0.75)
        made += said_of(F.hardsigmoid(v * 2.6875) * 0.5 * 0.75)
        made += said_of(torch.clamp(v * 2.75, 0.0, 6.0) * 0.5 * 0.75)
        made += said_of(F.leaky_relu(v * 2.8125, 0.25) * 0.5 * 0.75)
        made += said_of((v * 3.0 + v) * 0.5) + said_of((v * 3.0625 - v) * 0.5) + said_of((v * 3.125 * v) * 0.5) + said_of((v * 3.1875 / v) * 0.5)
        made.append(F.gelu(v * 3.25) * 0.5 * 0.75)
    return made


def equal_numbers(x: Tensor, t: Tensor) -> List[Tensor]:
    """Which of 0. and -0. is the greatest, where that does not depend on how many numbers there are."""
    made, nan = torch.jit.annotate(List[Tensor], []), float("nan")
    for dtype in [torch.float32, torch.float64]:
        a, b = torch.tensor([0.0, -1e-300, nan, 1.0, 2.0]).to(dtype), torch.tensor([-1e-300, 0.0, 1.0, nan, 2.0]).to(dtype)
        for times in [1, 3, 8]:
            c, d = a.repeat(times), b.repeat(times)
            made += said_of(torch.fmax(c, d)) + said_of(torch.fmin(c, d))
        for pair in [a[:2], b[:2], a[:2].repeat(9)]:
            made += said_of(pair.max(0)[0]) + said_of(pair.min(0)[0]) + said_of(pair.amax(0)) + said_of(pair.amin(0))
            made += [pair.max(0)[1], pair.min(0)[1], pair.argmax(), pair.argmin()]
    return made


def parts_of_nothing(x: Tensor, t: Tensor) -> List[List[int]]:
    """How many parts there are of tensors without elements."""
    made: List[List[int]] = []
    none, rows = torch.zeros(0), torch.zeros(3, 0)
    for parts in [none.chunk(2), rows.chunk(3, 1), rows.chunk(2, 0), rows.chunk(5), none.unsafe_chunk(3), none.split(0), none.split(2), none.tensor_split(3),
                  none.unsafe_split(0), none.unsafe_split(3), none.tensor_split([1, 2]), none.split([0, 0]), none.unsafe_split_with_sizes([0, 0]),
                  t.chunk(3), t.chunk(9), t.unsafe_chunk(3), t.split(3), t.split(9)]:
        made.append([len(parts)])
        for part in parts:
            made.append(part.size())
    return made


def rounded_scales(x: Tensor, t: Tensor) -> List[Tensor]:
    """Scales of fake quantization are float32, and so are their reciprocals; products are of the input's dtype."""
    made: List[Tensor] = []
    scale, zero = torch.tensor(0.0117647061), torch.tensor(3, dtype=torch.int32)
    for dtype in [torch.float32, torch.float64]:
        a, one = x.to(dtype), torch.tensor([0.0117647061, 0.0117647061, 0.0117647061, 0.0117647061])
        a[0, 0] = -1.5  # halfway
        for y in [torch.fake_quantize_per_tensor_affine(a, scale, zero, -128, 127),
                  torch.fake_quantize_per_tensor_affine(a, scale.to(dtype) + 1e-10, zero, -128, 127),
                  torch.fake_quantize_per_tensor_affine(a, 0.0117647061, 3, -128, 127),
                  torch.fake_quantize_per_channel_affine(a, one, torch.tensor([3, 0, 1, -5], dtype=torch.int32), 0, -128, 127)]:
            made.append(y)
            if dtype == torch.float64:  # what the scale's rounding makes of it
                made.append((y - torch.round(y / 0.0117647061) * 0.0117647061) * 1e9)
    return made


def without_elements(x: Tensor, t: Tensor, case: int) -> Tensor:
    none, rows, nothing = torch.zeros(0), torch.zeros(3, 0), torch.zeros(0, 0)
    if case == 0:
        return none.max()
    if case == 1:
        return none.min()
    if case == 2:
        return rows.max(1)[0]
    if case == 3:
        return rows.min(1)[1]
    if case == 4:
        return rows.amax(1)
    if case == 5:
        return rows.amin([])
    if case == 6:
        return rows.argmax(1)
    if case == 7:
        return none.argmin()
    if case == 8:
        return nothing.max(1)[0]
    if case == 9:
        return none.amin(0)
    if case == 10:
        return rows.median(1)[0]
    return rows.kthvalue(1, 1)[0]


def divergences(x: Tensor, t: Tensor) -> List[Tensor]:
    """Targets that are 0, below 0 and no number, under inputs without bound."""
    target = torch.tensor([0.0, 0.0, -1.0, 0.5, 0.0, float("nan"), float("inf")])
    guess = torch.tensor([-float("inf"), 1.0, 1.0, 2.0, float("nan"), 1.0, 1.0])
    return [F.kl_div(guess, target, reduction="none"), F.kl_div(guess, target, reduction="none", log_target=True), F.kl_div(guess[:2], target[:2], reduction="sum"),
            F.kl_div(x, x.to(torch.float64), reduction="none")]


def named_types(x: Tensor, t: Tensor, case: int) -> Tensor:
    if case == 0:
        return t.mean()
    if case == 1:
        return t.to(torch.int32).mean(0)
    if case == 2:
        return (t > 0).mean()
    if case == 3:
        return t.norm()
    if case == 4:
        return t.softmax(0)
    if case == 5:
        return t.log_softmax(0)
    if case == 6:
        return F.layer_norm(t, [4])
    if case == 7:
        return torch.where(t, x[:, 0], x[:, 1])
    return torch.index_put(x[0], [t], t)


def parts_of_chains(x: Tensor, t: Tensor) -> List[Tensor]:
    """Chains some of whose steps are on smaller tensors than their results."""
    whole = torch.arange(2 * 24 * 16).view(2, 24, 16) * 0.01 + x[0, 0]
    column, row, plane, few = whole.mean(2, keepdim=True), whole[0, :1], whole.mean(0, keepdim=True), whole[:1, :, :1]
    root = torch.sqrt(column * column + 1.0)
    made = [torch.rsqrt(column * column + 1e-5) * whole, root * whole + root, torch.exp(column * -0.5) * whole + torch.tanh(row * 2.0),
            (whole - column) / torch.sqrt(plane * plane + 9.0) * torch.sigmoid(row * 0.5), torch.relu(column * row + 1.0) * whole,
            torch.sigmoid(torch.sqrt(few * few + 4.0) * column) * whole, torch.sqrt(column * column + 2.0) + torch.abs(row * 2.0),
            torch.exp(column * -0.25) * torch.exp(row * -0.5) * torch.exp(plane * -0.75) * whole, torch.rsqrt(column[:, :, 0] * 2.0 + 40.0) * x[0, 1]]
    return [v[..., ::5, ::3] for v in made]


def lone_masks(x: Tensor, t: Tensor) -> List[Tensor]:
    yes, no = torch.tensor(True), torch.tensor(False)
    made = [x.clone(), x.clone(), x.clone()]
    made[0][yes] = 5.0
    made[1][no] = 5.0
    made[2][no] = torch.ones(1)
    return made + [t[t > 1], x[t > 0, :2]]


def lone_mask_faults(x: Tensor, t: Tensor, case: int) -> Tensor:
    yes = torch.tensor(True)
    if case == 0:
        return x[yes]
    if case == 1:
        return t.sum()[yes]
    if case == 2:
        return torch.ops.aten.index_put(t.sum(), [yes], t[0])
    return torch.ops.aten.index_put(x, [yes], x[0])


def incomplete_gammas(x: Tensor, t: Tensor):
    """At 0 and infinity, of NaN too."""
    v = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -1.0, 2.0, 1e6])
    w = v.to(torch.float64)
    return torch.igamma(v.unsqueeze(1), v), torch.igammac(v.unsqueeze(1), v), torch.igamma(w.unsqueeze(1), w), torch.igammac(w.unsqueeze(1), w)


def as_ints(x: Tensor) -> Tensor:
    """Floats and doubles, bit by bit: digits and exponents."""
    digits, exponents = torch.frexp(x)
    return torch.stack([(digits.to(torch.float64) * 2.0**53).to(torch.int64), exponents.to(torch.int64)])


def between_ends(x: Tensor, t: Tensor):
    doubles: List[Tensor] = []
    floats: List[Tensor] = []
    halves: List[Tensor] = []
    for n in [0, 1, 2, 3, 7, 15, 16, 21, 32, 33, 65, 100]:
        for ends in [(-1.0, 1.0), (0.1, -3.3), (-7.3, 5.9)]:
            doubles.append(torch.linspace(ends[0], ends[1], n, dtype=torch.float64))
            floats.append(torch.linspace(ends[0], ends[1], n))
            halves.append(torch.linspace(ends[0], ends[1], n, dtype=torch.float16).to(torch.float32))
            halves.append(torch.linspace(ends[0], ends[1], n, dtype=torch.bfloat16).to(torch.float32))
    return as_ints(torch.cat(doubles)), as_ints(torch.cat(floats)), as_ints(torch.cat(halves))


def bins_of_their_edges(x: Tensor, t: Tensor):
    edges = torch.linspace(-7.3, 5.9, 101)
    counts, between = torch.histogram(edges, 100)
    return as_ints(counts), as_ints(between)


def filled_by_an_own_element(x: Tensor, t: Tensor) -> Tensor:
    y = x.clone()
    y.masked_fill_(x > 0.5, y[0, 1])
    return y


PROGRAMS = [filled_by_an_own_element, incomplete_gammas, between_ends, bins_of_their_edges, words, ordered, of_memory, sums_of_mass, quantized, masks, sizes_of_views, drawn, numbers_of_text, combined, combined_complex, columns, between, three_operands, close, whole_powers, complex_limits, pixels, shaped, windows,
            activations, chains_of_activations, equal_numbers, parts_of_nothing, rounded_scales, divergences, lone_masks, parts_of_chains]
NO_DIMENSION, OF_DIMENSION = "(): Expected reduction dim to be specified for input.numel() == 0.", "(): Expected reduction dim %d to have non-zero size."
FAULTS = {
    lone_mask_faults: [("INTERNAL ASSERT FAILED", "chooses no elements"), "too many indices", "too many indices",
                       ("INTERNAL ASSERT FAILED", "chooses no elements")],
    without_elements: ["max" + NO_DIMENSION, "min" + NO_DIMENSION, "max" + OF_DIMENSION % 1, "min" + OF_DIMENSION % 1, "amax" + OF_DIMENSION % 1,
                       "amin" + NO_DIMENSION, "argmax" + OF_DIMENSION % 1, "argmin" + NO_DIMENSION, "max" + OF_DIMENSION % 1, "amin" + OF_DIMENSION % 0,
                       "median" + OF_DIMENSION % 1, "kthvalue" + OF_DIMENSION % 1],
    named_types: ["Got: Long", "Got: Int", "Got: Bool", "Got Long instead", "not implemented for 'Long'", "not implemented for 'Long'",
                  "\"LayerNormKernelImpl\" not implemented for 'Long'", "with dtype Long", "got Float for the destination and Long for the source"],
}
