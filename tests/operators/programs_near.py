"""Lines long enough for loops that take the usual numbers by blocks, with the unusual ones among them: what is near and
what is far, NaN, infinities, zeros, and what is left over behind the last block. Sizes and norms that are equal or far
from each other."""
from typing import List

import torch
import torch.nn.functional as F


def line_with_ends(x: torch.Tensor) -> torch.Tensor:
    """45 numbers around 0, ends at their usual places, and a block of far ones."""
    ends = torch.tensor([0.0, -0.0, 1e-30, -1e-30, 8.0, -8.0, 8.1, -25.0, float("inf"), -float("inf"), float("nan")])
    return torch.cat([torch.linspace(-7.9, 7.7, 45), ends, torch.linspace(9.0, 60.0, 31)])


def special_lines(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = line_with_ends(x)
    u = torch.cat([torch.linspace(0.0, 1.0, 70), torch.tensor([-0.5, 1.5, 1e-12, 0.25, 0.75, float("nan")]), torch.linspace(0.001, 0.002, 31)])
    p = a.abs()
    return [torch.special.bessel_j0(a), torch.special.bessel_j1(a), torch.special.bessel_y0(p), torch.special.bessel_y1(p), torch.special.bessel_y0(-p[:9]), torch.special.i0e(a), torch.special.i1e(a),
            torch.i0(a[:56]), torch.special.i1(a[:56]), torch.special.ndtri(u), torch.erfinv(2 * u - 1), torch.erfinv(torch.linspace(-0.001, 0.001, 67)),
            torch.special.gammainc(p[:45] + 0.5, p[:45].flip(0)), torch.special.gammaincc(p[:45] + 0.5, p[:45].flip(0)), torch.special.gammaincc(p[:8] * 1e-5, p[:8] * 0.1)]


def polynomial_lines(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.linspace(-1.5, 1.5, 53)
    n = torch.tensor([5.0]).expand(53)
    mixed = torch.remainder(torch.arange(0, 53), 7)
    return [torch.special.chebyshev_polynomial_t(a, n), torch.special.chebyshev_polynomial_u(a, 6), torch.special.chebyshev_polynomial_v(a, 3), torch.special.chebyshev_polynomial_w(a, 2),
            torch.special.shifted_chebyshev_polynomial_t(a, 4), torch.special.shifted_chebyshev_polynomial_w(a, 3), torch.special.hermite_polynomial_h(a, 5), torch.special.hermite_polynomial_he(a, 5),
            torch.special.laguerre_polynomial_l(a, 5), torch.special.legendre_polynomial_p(a, 5), torch.special.legendre_polynomial_p(a, mixed), torch.special.legendre_polynomial_p(a, -1),
            torch.special.legendre_polynomial_p(a, 0), torch.special.legendre_polynomial_p(a.to(torch.float64), 9),
            torch.isnan(torch.special.chebyshev_polynomial_t(torch.full([40], 50.0), 3000))]


def complex_lines(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    z = torch.complex(torch.linspace(-3.0, 3.0, 150), torch.linspace(2.0, -4.0, 150))
    w = torch.complex(torch.linspace(0.5, 2.0, 150), torch.linspace(-1.0, 5.0, 150))
    scale = torch.ones([150])
    scale[40:60] = 1e-25
    scale[100:110] = 1e25
    twice = torch.clone(z)
    twice.div_(w)
    return [z / w, z * scale / w, z / (w * scale), torch.reciprocal(w), torch.reciprocal(w * scale), twice, torch.exp(z), torch.exp(z * 2.0), torch.exp(torch.complex(z.real, 0 * z.imag)),
            torch.sum(z), torch.sum(z.reshape(3, 50), [1]), torch.sum(z.reshape(3, 50), [0]), torch.mean(z[:31]), torch.sum(z[:5])]


def no_numbers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Quotients without finite answers."""
    z = torch.complex(torch.linspace(1.0, 2.0, 70), torch.linspace(2.0, 3.0, 70))
    w = torch.clone(z)
    w[7] = 0
    w[68] = 0
    return [torch.isfinite(torch.abs(z / w)), torch.isfinite(torch.abs(torch.reciprocal(w))), torch.isfinite(torch.abs(torch.complex(z.real / 0, z.imag) / z))]


def bfloat16_lines(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = line_with_ends(x).to(torch.bfloat16)
    numbers = torch.linspace(-3.0, 3.0, 90).to(torch.bfloat16)
    return [a.to(torch.float32), (-a).to(torch.float32), (a * 0.25).to(torch.float32), (a / a).to(torch.float32), torch.maximum(a, -a).to(torch.float32), line_with_ends(x).to(torch.int32)[:40],
            torch.log_softmax(numbers.reshape(2, 45), 1).to(torch.float32), torch.log_softmax(numbers.reshape(45, 2).t(), 1).to(torch.float32), torch.log_softmax(a[:50], 0).to(torch.float32)]


def areas(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Inverses of hyperbolic functions, powers of two, and signs: large, tiny and other arguments."""
    infinity = float("inf")
    ends = torch.tensor([0.0, -0.0, 1.0, -1.0, infinity, -infinity, float("nan"), 1e-45, -1e-40, 3e38, -3e38, 1e19, 1.1e9, -1e9, 0.99999994, 1.0000001, 2.0, 128.0, -149.0, -150.5, 127.5])
    made: List[torch.Tensor] = []
    for n in [3, 21, 70]:
        a = torch.cat([torch.linspace(-1.5, 3.0, n), ends])
        made += [torch.asinh(a), torch.acosh(a), torch.atanh(a), torch.exp2(a), torch.sign(a), torch.signbit(torch.asinh(a[:n])), torch.exp2(torch.arange(-n, n).to(torch.float32)), torch.sign(a.to(torch.float64)),
                 torch.signbit(torch.sign(a.to(torch.float64))), torch.acosh(a.to(torch.float64)), torch.asinh(a[::2])]
    return made


def floats_to_longs(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Numbers in and out of the range of int32, in lines of several lengths."""
    large = torch.tensor([2147483520.0, 2147483648.0, -2147483648.0, -2147483904.0, 3e9, -3e9, 1e18, -9e18, 0.99, -0.99, -0.0])
    made: List[torch.Tensor] = []
    for n in [0, 1, 5, 9, 40]:
        near = torch.linspace(-700.5, 900.25, n)
        for a in [near, torch.cat([near, large, near, large.flip([0])])]:
            made += [a.to(torch.int64), (a.to(torch.float64) + 0.375).to(torch.int64), a[::2].to(torch.int64), a.to(torch.float64)[1:].to(torch.int64)]
    return made


def searched_lines(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Many values in sorted rows, in rows that are not, and in none; with equal numbers, infinities and NaN."""
    infinity, nan = float("inf"), float("nan")
    made: List[torch.Tensor] = []
    values = torch.cat([torch.linspace(-6.0, 6.0, 49), torch.tensor([infinity, -infinity, nan, 0.0, -0.0])])
    for n in [0, 1, 2, 3, 7, 16, 33]:
        row = (torch.arange(n) // 2).to(torch.float32) - 3.0
        ended = torch.cat([torch.tensor([-infinity]), row, torch.tensor([infinity])])
        for right in [False, True]:
            made += [torch.searchsorted(row, values, right=right), torch.searchsorted(ended, values.to(torch.float64), right=right), torch.bucketize(values, row, out_int32=True, right=right),
                     torch.searchsorted(row.flip([0]), values, right=right), torch.searchsorted(torch.arange(n), torch.arange(-3, 40), right=right),
                     torch.searchsorted(torch.stack([row, row * 2]), torch.stack([values, values * 3]), right=right), torch.searchsorted(torch.stack([row, -row]), torch.stack([values, values]), right=right),
                     torch.searchsorted(torch.cat([row, torch.tensor([nan])]), values[:51], right=right)]
    k = torch.arange(-20, 60)
    return made + [torch.isin(k, k[::7]), torch.isin(k, t), torch.isin(k.to(torch.int32), (k * 3).to(torch.int32), invert=True)]


def extremes_of_short_rows(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Many rows of few elements, of which some are equal, NaN or infinite."""
    made: List[torch.Tensor] = []
    line = torch.remainder(torch.arange(5 * 70 * 20) * 37, 11) - 5
    for n in [1, 2, 5, 8, 16, 17]:
        rows = line.reshape(5, 70, 20)[:, :, :n]
        floats = rows.to(torch.float32)
        floats[1, 3] = float("nan")
        floats[2, 60:, n // 2] = float("nan")
        floats[3, 7] = float("inf")
        floats[3, 8] = -float("inf")
        for a in [rows, floats, floats.to(torch.float64), rows.to(torch.int32), rows.to(torch.int8), rows.to(torch.uint8), floats.to(torch.bfloat16), rows.contiguous()]:
            made += [a.argmax(2), a.argmin(2), a.max(2)[0], a.min(2)[1], a.amax([2]), a[:, ::2].argmax(2), a[1].amin(1)]
    return made


def running_halves(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Sums of whole numbers and products of powers of two in lines of several lengths, of bfloat16."""
    made: List[torch.Tensor] = []
    for n in [1, 3, 64, 65, 130]:
        a = (torch.remainder(torch.arange(7 * n) * 37, 5) - 2).to(torch.float32).reshape(7, n)
        b = a.to(torch.bfloat16)
        q = torch.pow(2.0, a * (1 - torch.remainder(torch.arange(n), 2))).to(torch.bfloat16)
        made += [torch.cumsum(b, 1), torch.cumsum(b, 0), torch.cumsum(b[:4], 1), torch.cumsum(b[1:4], 1), torch.cumsum(b[:, ::2], 1), torch.cumprod(q[:, :5], 1), torch.cumsum(b.t(), 0),
                 torch.cumsum(a, 1, dtype=torch.bfloat16), torch.cumsum(torch.cat([b, b * float("inf")]), 1)]
    return made


def common_divisors(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.cat([torch.arange(-40, 41) * 6, torch.tensor([0, 0, 9223372036854775807, 6700417 * 641, -12, 1])])
    b = torch.cat([torch.arange(81) * 4 - 100, torch.tensor([0, 8, 7, 641 * 97, 0, -1])])
    return [torch.gcd(a, b), torch.lcm(a[:81], b[:81]), torch.gcd(a[:81].to(torch.int32), b[:81].to(torch.int32)), torch.gcd((a[40:60] % 100).to(torch.uint8), (b[40:60] % 90).to(torch.uint8)), torch.gcd(a, b[3:4]),
            torch.gcd(a.unsqueeze(1)[:9], b[:11])]


def thresholds(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.tensor([0.1, 0.2, -1.0, float("nan"), float("inf")])
    return [torch.nn.functional.threshold(a, 0.1, 20.0), torch.nn.functional.threshold(a.to(torch.float64), 0.1, 20.0), torch.threshold(torch.arange(0, 40), 7, -2)]


def thresholds_of_ints(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """The bound and the value are numbers of the element type: floats are cut off, and no ints go through doubles."""
    a = torch.tensor([-5, -1, 0, 1, 2, 3, 9223372036854775807, -9223372036854775807, 9007199254740993])
    return [torch.threshold(a, 1.5, 2.7), torch.threshold(a, -1.5, 9), torch.threshold(a, 9007199254740992, 7), torch.threshold(a, 0.9, -0.9), torch.threshold(a.to(torch.int32), 1.9, 4),
            torch.threshold(a.to(torch.uint8), 100, 3)]


def running_lines(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.remainder(torch.arange(0, 7 * 131) * 37, 101).to(torch.float32).reshape(7, 131) * 0.25 - 9.0
    a[2, 100] = float("nan")
    short = a[:, :5] * 0.2
    return [torch.cumsum(a, 0), torch.cumsum(a, 1), torch.cumsum(a.t(), 0), torch.cumsum(a.t(), 1), torch.cumsum(a[:, ::2], 1), torch.cumsum(a[::2], 0), torch.cumprod(short, 0), torch.cumprod(short, 1),
            torch.cumprod(short.t(), 1), torch.cumsum(a[:6].reshape(2, 3, 131), 1), torch.cummax(a, 0)[0], torch.cummax(a.t(), 1)[1], torch.cummin(a.t(), 0)[0], torch.cummin(a[:, ::3], 1)[1],
            torch.cummax(a.to(torch.float64), 0)[1], torch.cummin(a.nan_to_num().to(torch.int64), 0)[0]]


def middles(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    n = torch.remainder(torch.arange(0, 3000) * 7919, 3001)
    wide = (n - 1500) * 1000000007
    a = n.to(torch.float32) * 0.5 - 700.0
    a[17] = float("nan")
    rows = n[:2600].reshape(2, 1300)
    return [torch.median(n), torch.median(wide), torch.median(a), torch.nanmedian(a), torch.median(torch.remainder(n, 5)), torch.median(rows, 1)[1], torch.median(torch.remainder(rows, 3), 1)[1],
            torch.median(-wide), torch.median(a[20:].to(torch.float64)), torch.median(n.to(torch.uint8)), torch.median(torch.full([300], 4))]


def weighted_windows(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    image = torch.remainder(torch.arange(0, 3 * 9 * 37) * 29, 23).to(torch.float32).reshape(1, 3, 9, 37) - 11.0
    w = torch.remainder(torch.arange(0, 3 * 25), 7).to(torch.float32).reshape(3, 1, 5, 5) - 3.0
    b = torch.tensor([0.5, -1.0, 2.0])
    c = torch.nn.functional.conv2d
    return [c(image, w, b, padding=2, groups=3), c(image, w, None, groups=3), c(image, w[:, :, :3, :3], b, stride=2, padding=1, groups=3), c(image, w[:, :, :3, :3], b, padding=2, dilation=2, groups=3),
            c(image, w, b, padding=[4, 40], groups=3), c(image[:, :, :2, :3], w, b, padding=2, groups=3), c(torch.transpose(image, 2, 3), w[:, :, :1], b, groups=3)]


def transposed_doubles(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = (torch.remainder(torch.arange(0, 4 * 5 * 19) * 29, 23).to(torch.float64) - 11.0).reshape(1, 4, 5, 19)
    w = (torch.remainder(torch.arange(0, 4 * 6 * 9), 7).to(torch.float64) - 3.0).reshape(4, 6, 3, 3)
    b = torch.arange(0, 6).to(torch.float64)
    c = torch.nn.functional.conv_transpose2d
    return [c(a, w, b), c(a, w, None, stride=2, padding=1, output_padding=1), c(a, w[:, :2], None, groups=2), c(a, w[:, :1], None, groups=4, dilation=2), torch.nn.functional.conv_transpose1d(a[0, :, 0], w[:, :, 0], b, stride=3)]


def resized_doubles(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = (torch.remainder(torch.arange(0, 2 * 4 * 5 * 7) * 29, 23).to(torch.float64) / 7.0).reshape(1, 2, 4, 5, 7)
    r = torch.nn.functional.interpolate
    return [r(a[:, 0], scale_factor=2.0), r(a[:, 0], size=[3, 11], mode="bilinear", align_corners=False), r(a[:, 0], size=[9, 4], mode="bilinear", align_corners=True), r(a[:, 0], size=[1, 1], mode="bilinear"),
            r(a[:, 0], scale_factor=1.5, mode="bicubic"), r(a, scale_factor=2.0, mode="trilinear"), r(a[:, :, 0, 0], size=13, mode="linear"), r(a[:, 0], size=[3, 3], mode="nearest-exact"),
            torch.nn.functional.adaptive_avg_pool2d(a[:, 0], [1, 1]), torch.nn.functional.adaptive_avg_pool2d(a[:, 0], [3, 2]), torch.nn.functional.avg_pool2d(a[:, 0], 3, 2, 1),
            torch.nn.functional.avg_pool3d(a, 2, count_include_pad=False, padding=1), torch.nn.functional.adaptive_avg_pool1d(torch.arange(0, 70).to(torch.float64).reshape(1, 2, 35), 2),
            torch.nn.functional.layer_norm(a, [7]), torch.nn.functional.layer_norm(a, [5, 7], a[0, 0, 0], a[0, 1, 1]), torch.nn.functional.group_norm(a, 2, torch.arange(1, 3).to(torch.float64), None),
            torch.nn.functional.group_norm(a, 1)]


def products_of_ints(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.remainder(torch.arange(0, 11 * 19) * 31, 47).reshape(11, 19) - 20
    b = torch.remainder(torch.arange(0, 19 * 21) * 17, 53).reshape(19, 21) - 20
    wide = a * 4611686018427387905
    z = torch.complex(a.to(torch.float64), a.flip(0).to(torch.float64))
    w = torch.complex(b.to(torch.float64), b.flip(1).to(torch.float64))
    return [a @ b, a @ b.t().contiguous().t(), b.t() @ a.t(), a[:, ::2] @ b[::2], torch.mv(a, b[:, 3]), wide @ b, a.to(torch.int32) @ b.to(torch.int32), z @ w, torch.mv(z, w[:, 2]), z.t() @ z,
            z.to(torch.complex64) @ w.to(torch.complex64)]


def odd_lengths(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for n in [3, 5, 7, 21, 56, 140]:
        a = torch.remainder(torch.arange(0, 9 * n) * 29, 23).to(torch.float32).reshape(9, n) - 11.0
        exact = torch.view_as_real(torch.fft.fft(a.to(torch.float64)))
        miss = (torch.view_as_real(torch.fft.fft(a)) - exact).abs().amax() + (torch.view_as_real(torch.fft.rfft(a)) - exact[:, :n // 2 + 1]).abs().amax()
        back = (torch.fft.irfft(torch.fft.rfft(a), n) - a).abs().amax() + (torch.fft.irfft(torch.fft.rfft(a.to(torch.float64)), n) - a).abs().amax()
        made = made + [exact[::8], miss < 0.001, back < 0.0001]
    return made


def taken(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.arange(0, 300).to(torch.float32)
    i = torch.remainder(torch.arange(0, 150) * 7919, 300)
    back = i - 300
    return [a[i], a[back], a[i[::2]], torch.take(a, back), a.reshape(30, 10)[torch.remainder(i, 30) - 30], a.reshape(30, 10).t()[:, torch.remainder(i, 30)], torch.index_select(a, 0, i.to(torch.int32)),
            torch.unique_consecutive(torch.div(i, 100, rounding_mode="floor"))]


def taken_beyond(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    i = torch.arange(0, 150)
    i[140] = -301
    return torch.arange(0, 300)[i]


def powers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    ends = torch.tensor([0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 0.5, 1e-30, 1e30, 3e38, float("inf"), -float("inf"), float("nan")])
    bases = torch.repeat_interleave(ends, 14)
    return [torch.pow(bases, ends.repeat([14])), torch.pow(torch.linspace(0.0, 9.0, 70), 1.7), torch.pow(2.5, torch.linspace(-9.0, 9.0, 70))]


def logarithms_of_sums(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.remainder(torch.arange(0, 7 * 131) * 37, 101).to(torch.float32).reshape(7, 131) * 0.25 - 9.0
    a[:, 3] = -float("inf")
    a[2, 100] = float("inf")
    a[4, 99] = float("nan")
    return [torch.logsumexp(a, [0]), torch.logsumexp(a[1:2], [0]), torch.logsumexp(a[:6].reshape(2, 3, 131), [1]), torch.logsumexp(a[:6].reshape(3, 2, 131), [0, 1], True), torch.logsumexp(a.t(), [1]),
            torch.logsumexp(a.t(), [0]), torch.sum(a[:, :90], [0]), torch.sum(a[:6, 4:90].reshape(2, 3, 86), [0, 1])]


def counted(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    n = torch.remainder(torch.arange(0, 300) * 7, 5)
    return [torch.nonzero(n), torch.nonzero(n[::3]), torch.nonzero(n.reshape(3, 100) - 2), torch.nonzero(n.to(torch.float32) - 1.0), torch.nonzero(n * 0), torch.nonzero(n[0]), torch.masked_select(n, n > 2),
            torch.arange(-3, 200, 7), torch.arange(0.5, 40.0, 0.75), torch.arange(20.0, -1.0, -0.5), torch.arange(0, 3.5, 0.5, dtype=torch.float64), torch.linspace(-1.0, 2.0, 77), torch.linspace(3.0, 1.0, 1),
            torch.linspace(-1.0, 2.0, 2)]


def rows_of_bytes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.arange(0, 4 * 90).to(torch.float32).reshape(4, 90)
    b = a.to(torch.uint8)
    return [a.unfold(1, 16, 8).contiguous(), a.unfold(1, 11, 3).contiguous(), b.unfold(1, 21, 5).contiguous(), a.reshape(2, 2, 9, 10)[:, :, ::2].transpose(0, 1).contiguous(), b.unfold(1, 9, 80).contiguous(),
            torch.nn.functional.pad(b.reshape(1, 4, 9, 10), [1, 1, 1, 1]), torch.nn.functional.pad(b[:, :10], [1, 2, 0, 1], value=7.0)]


def windows_of_one(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.remainder(torch.arange(0, 4 * 70) * 37, 101).to(torch.float32).reshape(1, 4, 70)
    a[0, 1, 33] = float("nan")
    image = a.reshape(1, 2, 10, 14)
    p = torch.nn.functional.max_pool1d
    return [p(a, 5, 1, 2), p(a, 3, 1), p(a, 3, 1, 1, 30), p(a, 2, 1, 1, 69), p(a, 40, 1), p(a[:, :, :2], 2, 1, 1), torch.nn.functional.max_pool2d(image, 3, 1, 1), torch.nn.functional.max_pool2d(image, [2, 3], 1, [1, 0], [2, 4])]


def sets_and_segments(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    n = torch.remainder(torch.arange(0, 80) * 7919, 61)
    a = n.to(torch.float32) * 0.5
    a[5] = float("nan")
    rows = torch.arange(0, 24).to(torch.float32).reshape(8, 3)
    lengths = torch.tensor([2, 0, 5, 1])
    image = torch.remainder(torch.arange(0, 2 * 12 * 8) * 37, 101).to(torch.float32).reshape(1, 2, 12, 8)
    image[0, 1, 5, 5] = float("nan")
    values, places = torch.nn.functional.adaptive_max_pool2d(image, [4, 2], return_indices=True)
    return [torch.isin(n, n[:9]), torch.isin(n, n[:9], invert=True), torch.isin(a, a[3:7]), torch.isin(n.reshape(8, 10)[:, ::2], n[:3]), torch.isin(n, n[:1]), torch.isin(n, n[:0]), torch.isin(n, a[:4]),
            torch.segment_reduce(rows, "sum", lengths=lengths), torch.segment_reduce(rows, "mean", lengths=lengths), torch.segment_reduce(rows, "max", lengths=torch.tensor([2, 5, 1])),
            torch.segment_reduce(rows.to(torch.float64), "sum", lengths=lengths), torch.segment_reduce(rows[:, 0], "mean", lengths=lengths), values, places,
            torch.nn.functional.adaptive_max_pool2d(image, [5, 3]), torch.searchsorted(torch.arange(0, 50, 3), n), torch.searchsorted(torch.arange(0, 50, 3), n, right=True),
            torch.searchsorted(torch.tensor([3.0, 1.0, 2.0]), a, sorter=torch.tensor([1, 2, 0])), torch.bucketize(n, torch.arange(0, 50, 3), out_int32=True)]


def rows_combined(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    a = torch.remainder(torch.arange(0, 6 * 37) * 29, 101).to(torch.float32).reshape(6, 37) * 0.25 - 9.0
    a[1, 3], a[4, 5], a[0, 7] = float("nan"), float("nan"), float("inf")
    i = torch.tensor([2, 0, 2, 5])
    rows = i.unsqueeze(1).expand(4, 37)
    for kind in [torch.float32, torch.float64, torch.int64, torch.int32]:
        v = torch.nan_to_num(a, 3.0, 8.0).to(kind) if kind == torch.int64 or kind == torch.int32 else a.to(kind)
        for reduce in ["sum", "prod", "amin", "amax"]:
            made = made + [torch.scatter_reduce(v, 0, rows, v[1:5], reduce), torch.scatter_reduce(v, 0, rows, v[1:5], reduce, include_self=False)]
        made = made + [torch.scatter(v, 0, rows, v[1:5]), torch.scatter_add(v, 0, rows, v[1:5]), torch.index_add(v, 0, i, v[1:5], alpha=2), torch.index_copy(v, 0, i, v[1:5])]
    return made


def rows_beyond(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.scatter_add(torch.zeros(3, 8), 0, torch.tensor([1, 3]).unsqueeze(1).expand(2, 8), torch.ones(2, 8))


def chosen(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    n = torch.remainder(torch.arange(0, 300) * 37, 101)
    for kind in [torch.bool, torch.uint8, torch.int16, torch.float16, torch.int32, torch.float64, torch.complex128]:
        v = torch.where(n > 50, n, n - n).to(kind)
        for mask in [n > 97, n > 5, n < 0, n >= 0]:
            made = made + [v[mask], torch.masked_select(v.reshape(3, 100)[:, ::2], mask.reshape(3, 100)[:, 1::2]), v.reshape(60, 5)[mask[:60]], v.reshape(30, 10).t()[mask.reshape(10, 30)]]
            w = v.clone()
            w[mask] = v[:1].to(kind)
            w.reshape(60, 5)[mask[:60]] = v.reshape(60, 5)[mask[:60]].flip([0])
            made = made + [w]
        made = made + [torch.unique_consecutive(n.to(torch.int32) // 7)]
    return made


# Edges are exact: where they are rounded PyTorch's vectors and its loops round differently.
def bins(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for kind in [torch.float32, torch.float64]:
        a = (torch.remainder(torch.arange(0, 400) * 37, 101) * 0.0625 - 3.0).to(kind)
        ends = torch.tensor([-1.0, 1.0, 0.99999994, -1.0000001, float("inf"), -float("inf"), 1e30], dtype=kind)
        for count in [1, 4, 64]:
            made = made + [torch.histogram(torch.cat([a, ends]), count, range=[-1.0, 1.0])[0], torch.histogram(a, count, range=[-2.0, 6.0], weight=a.abs())[0],
                           torch.histogram(a.reshape(20, 20).t(), count, range=[-1.0, 3.0], density=True)[0], torch.histogram(a[:4] * 0, count)[0]]
        made = made + [torch.histogram(torch.arange(0, 33).to(kind), 32)[0]]
    return made


# What follows from the edges themselves, of steps that are wide, and too narrow or too small for floats.
def bins_by_edges(x: torch.Tensor, t: torch.Tensor) -> List[bool]:
    made: List[bool] = []
    for kind in [torch.float32, torch.float64]:
        a = (torch.remainder(torch.arange(0, 400) * 37, 101) * 0.07 - 3.0).to(kind)
        for v in [a, a + 1e6, a * 1e-40, a * 0]:
            for count in [1, 7, 50]:
                counts, edges = torch.histogram(v, count)
                made = made + [torch.equal(counts, torch.histogram(v, edges)[0])]
    return made


def special_and_outside(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Where nothing is taken, what is no number at the nearest place is not taken either."""
    volume = x.clone().reshape(1, 1, 2, 3, 4)
    volume[0, 0, 0, 0, 0], volume[0, 0, 1, 2, 3] = float("nan"), float("inf")
    places = torch.tensor([[-3.0, -3.0, -3.0], [3.0, 3.0, 3.0], [0.1, 0.2, -0.3]]).reshape(1, 1, 1, 3, 3)
    weight = torch.tensor([1.0, float("nan"), float("inf"), 2.0])
    return [F.grid_sample(volume, places, "bilinear", "zeros", False),
            torch.histogramdd(torch.tensor([[0.5], [7.0], [-3.0], [0.2]]), [2], range=[0.0, 1.0], weight=weight)[0]]


FAILURES = {taken_beyond: "index -301 is out of bounds for dimension 0 with size 300", rows_beyond: "index 3 is out of bounds for dimension 0 with size 3"}
def equal_sizes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Linear resizing to the size that is there copies, whatever the factor; other modes do not."""
    a = x.reshape(1, 2, 3, 4)
    d = a.to(torch.float64)
    return [F.interpolate(a[0], scale_factor=1.2, mode="linear"), F.interpolate(a, scale_factor=1.3, mode="bilinear"), F.interpolate(d, scale_factor=1.2, mode="bilinear"),
            F.interpolate(a, scale_factor=[1.2, 2.5], mode="bilinear"), F.interpolate(a.unsqueeze(0), scale_factor=1.1, mode="trilinear"),
            F.interpolate(a, scale_factor=1.3, mode="bicubic"), F.interpolate(a[0], scale_factor=1.3, mode="nearest"), F.interpolate(a, scale_factor=1.3, mode="nearest-exact"),
            F.interpolate(a, scale_factor=1.3, mode="bilinear", align_corners=True)]


def margins_with_nan(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """What is no number violates no margin."""
    a = x[:3].clone()
    a[0, 1], a[1, 0], a[2, 3] = float("nan"), float("inf"), -float("inf")
    wanted, several = torch.tensor([0, 0, 3]), torch.tensor([[1, 2, -1, 0, 0, 0], [0, -1, 0, 0, 0, 0], [3, 1, -1, 0, 0, 0]])
    return [F.multi_margin_loss(a, wanted, reduction="none"), F.multi_margin_loss(a, wanted, p=2, reduction="none"), F.multi_margin_loss(a, 5 - wanted),
            F.multilabel_margin_loss(a, several, reduction="none"), F.multilabel_margin_loss(a[1:2], several[1:2])]


def unequal_matrices(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Exponentials of a batch: large, small, zero, infinite; none has to do with the others."""
    a = x[:2, :4].reshape(2, 2, 2)
    b = torch.stack([a[0] * 30, a[1] * 1e-3, a[0] * 0, a[1]])
    b[3, 0, 0] = float("inf")
    return [torch.matrix_exp(a), torch.matrix_exp(b)[:3], torch.matrix_exp(torch.complex(a, a.flip(0)))]


PROGRAMS = [extremes_of_short_rows, searched_lines, running_halves, common_divisors, special_lines, areas, floats_to_longs, polynomial_lines, complex_lines, no_numbers, bfloat16_lines, thresholds, thresholds_of_ints, running_lines, middles, weighted_windows, transposed_doubles, resized_doubles, products_of_ints, odd_lengths,
            taken, powers, logarithms_of_sums, counted, rows_of_bytes, windows_of_one, sets_and_segments, rows_combined, chosen, bins, bins_by_edges, equal_sizes, margins_with_nan, unequal_matrices, special_and_outside]
