"""Kernels that take whole lines at once: pooling, resizing and reductions, at sizes where their vectors, blocks and
the items that are left over all have work. Large results are folded into seven numbers."""
from typing import List

import torch
import torch.nn.functional as F


def wave(n: int) -> torch.Tensor:
    i = torch.arange(n, dtype=torch.float32)
    return torch.sin(i * 1.7) * 3.0 + torch.cos(i * i * 0.01)


def folded(y: torch.Tensor) -> torch.Tensor:
    """Sums of every seventh element, so that an error shows at which of them it is."""
    flat = y.reshape(-1).to(torch.float64)
    return torch.stack([flat[k::7].sum() for k in range(7)])


def largest_of_windows(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(2 * 3 * 11 * 13).reshape(2, 3, 11, 13)
    v = wave(2 * 5 * 6 * 9).reshape(1, 2, 5, 6, 9)
    missing = a.clone()
    missing[0, 1, 4, 5] = float("nan")
    return [F.max_pool2d(a, 2), F.max_pool2d(a, 3, 2, 1), F.max_pool2d(a, [3, 1], [1, 3], [1, 0]), F.max_pool2d(a, 3, 1, 1, 2),
            F.max_pool2d(a, 7, 1, 3), F.max_pool2d(a, [2, 3], 2, 1, 1, True), F.max_pool2d(missing, 3, 2, 1), F.max_pool1d(a[0], 4),
            F.max_pool1d(a[0], 5, 3, 2), F.max_pool3d(v, 2), F.max_pool3d(v, [3, 2, 3], [1, 2, 2], [1, 1, 0]), F.max_pool3d(v, 3, 2, 1, 1, True),
            F.max_pool2d(a.to(torch.float64), 3, 2, 1), F.max_pool2d(a[:, :, :8, :8], [8, 8])]


def windows_beside_the_image(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    one = torch.tensor([[[[5.0]]]])
    last = torch.ones(1, 2, 1, 1).as_strided([1, 2, 1, 1], [2, 1, 2, 2])
    return [F.max_pool2d(one, 2, 1, 1, 2), F.max_pool2d(one.to(torch.float64), 2, 1, 1, 2), F.max_pool1d(one[0], 2, 1, 1, 2), F.max_pool3d(one[None], 2, 1, 1, 2),
            F.max_pool2d(last, 2, 1, 1, 2)]


def largest_of_cells(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Cells of several sizes, with equal elements, several that are no numbers, or all the least; short, long lines."""
    made: List[torch.Tensor] = []
    for kind in [torch.float32, torch.float64]:
        a = torch.round(wave(2 * 3 * 11 * 13) * 2.0).to(kind).reshape(2, 3, 11, 13)
        a[0, 1] = float("-inf")
        a[1, 0, 2:9:3, ::4], a[1, 2, 5, 6] = float("nan"), float("nan")
        for size in [(1, 1), (3, 5), (4, 1), (2, 13), (11, 3), (17, 20)]:
            values, places = F.adaptive_max_pool2d(a, size, return_indices=True)
            made += [values, places]
        wide = torch.round(wave(2 * 3 * 200) * 2.0).to(kind).reshape(2, 3, 200)
        wide[0, 1, 33::50] = float("nan")
        tall = wide.reshape(2, 3, 1, 200).expand(2, 3, 4, 200).clone()
        tall[1, :, 1, 7:] += 1.0
        for n in [1, 3, 7, 60]:
            values, places = F.adaptive_max_pool1d(wide, n, return_indices=True)
            more, at = F.adaptive_max_pool2d(tall, [3, n], return_indices=True)
            made += [values, places, more, at]
        deep = torch.round(wave(2 * 2 * 5 * 4 * 7) * 2.0).to(kind).reshape(2, 2, 5, 4, 7)
        deep[0, 1, 1:4, 1, 3] = float("nan")
        for n in [1, 2, 3]:
            values, places = F.adaptive_max_pool3d(deep, [n, 3, 2], return_indices=True)
            made += [values, places]
    a = wave(2 * 3 * 11 * 13).reshape(2, 3, 11, 13)
    return made + [F.adaptive_max_pool2d(a.to(memory_format=torch.channels_last), [3, 4]), F.adaptive_max_pool2d(a[1], [3, 4]), F.adaptive_max_pool1d(a[:, :, 3], 5), F.adaptive_max_pool2d(a[:0], [3, 4]),
                   F.adaptive_max_pool2d(a.to(torch.bfloat16), [3, 4]), F.adaptive_max_pool1d(a[0, :, 0], 5), F.adaptive_max_pool2d(a[:, 1:2].expand(2, 3, 11, 13).transpose(2, 3), [3, 4])]


def bags_of_rows(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Bags of no, few and many rows: more than one call takes; equal numbers, ignored rows, tables that lie turned."""
    made: List[torch.Tensor] = []
    chosen = torch.remainder(torch.arange(150) * 7919, 41)
    starts = torch.tensor([0, 0, 3, 4, 90, 90, 91, 150])
    by = wave(150)
    for kind in [torch.float32, torch.float64]:
        for width in [1, 8, 37]:
            table = torch.round(wave(41 * width) * 2.0).to(kind).reshape(41, width)
            for mode in ["sum", "mean", "max"]:
                made += [folded(F.embedding_bag(chosen, table, starts, mode=mode)), folded(F.embedding_bag(chosen, table, starts, mode=mode, padding_idx=7)),
                         folded(F.embedding_bag(chosen, table, starts, mode=mode, include_last_offset=True)), folded(F.embedding_bag(chosen.reshape(3, 50), table, mode=mode))]
            made += [folded(F.embedding_bag(chosen, table, starts, mode="sum", per_sample_weights=by.to(kind))),
                     folded(F.embedding_bag(chosen, table, starts, mode="sum", per_sample_weights=by.to(kind), padding_idx=3))]
            made += list(torch.embedding_bag(table, chosen, starts, False, 2, False, None, False, 7))[1:]
    table = wave(41 * 9).reshape(9, 41).t()
    holes = table.clone()
    holes[chosen[5]], holes[chosen[0], 4] = float("nan"), float("nan")
    return made + [F.embedding_bag(chosen, table, starts, mode="mean"), F.embedding_bag(chosen, holes, starts, mode="max"), F.embedding_bag(chosen, wave(41 * 9).reshape(41, 9).to(torch.float16), starts, mode="sum"),
                   F.embedding_bag(chosen[:0], table, starts[:2], mode="max"), F.embedding_bag(chosen[:0], table, starts[:0], mode="sum")]


def images_put_together(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Images whose channels lie together, along each dimension; one has one channel, another lies otherwise."""
    made: List[torch.Tensor] = []
    for kind in [torch.float32, torch.float64, torch.uint8]:
        a = (wave(2 * 3 * 4 * 5) * 20.0 + 100.0).to(kind).reshape(2, 4, 5, 3).permute(0, 3, 1, 2)
        one, wide = a[:, :1].contiguous(memory_format=torch.channels_last), a.repeat(1, 200, 1, 1).contiguous(memory_format=torch.channels_last)
        for d in range(4):
            made += [folded(torch.cat([a, a + 1], d)), folded(torch.cat([a, a + 1, a], d)), folded(torch.cat([a, a.contiguous()], d)), folded(torch.cat([a, a.flip(0)], d))]
        made += [folded(torch.cat([a, one], 1)), folded(torch.cat([one, a, one], 1)), folded(torch.cat([one, one], 1)), folded(torch.cat([wide, a], 1)), folded(torch.cat([a, a[:, :0]], 1)), folded(torch.cat([a[:, 1:], a], 1)),
                 torch.cat([a, a], 1).as_strided([12], [7])]
        v = (wave(2 * 3 * 2 * 4 * 5) * 20.0 + 100.0).to(kind).reshape(2, 2, 4, 5, 3).permute(0, 4, 1, 2, 3)
        for d in range(5):
            made += [folded(torch.cat([v, v + 1], d))]
    return made


def means_of_windows(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(2 * 3 * 11 * 13).reshape(2, 3, 11, 13)
    v = wave(2 * 5 * 6 * 9).reshape(1, 2, 5, 6, 9)
    return [F.avg_pool2d(a, 2), F.avg_pool2d(a, 3, 2, 1), F.avg_pool2d(a, 3, 2, 1, True, False), F.avg_pool2d(a, [1, 5], [3, 1], [0, 2]),
            F.avg_pool2d(a, 3, 2, 1, True, True, 5), F.avg_pool1d(a[0], 4), F.avg_pool1d(a[0], 5, 3, 2, True, False), F.avg_pool3d(v, 2),
            F.avg_pool3d(v, 3, 2, 1, True, False), F.adaptive_avg_pool2d(a, [1, 1]), F.adaptive_avg_pool2d(a, [7, 5]), F.adaptive_avg_pool2d(a, [20, 3]),
            F.adaptive_avg_pool1d(a[0], 4), F.adaptive_avg_pool3d(v, [2, 4, 3]), F.avg_pool2d(wave(1600).reshape(1, 1, 40, 40), 40),
            F.interpolate(a, size=[5, 9], mode="area")]


def resized(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(2 * 3 * 7 * 9).reshape(2, 3, 7, 9)
    v = wave(2 * 3 * 4 * 5).reshape(1, 2, 3, 4, 5)
    hole = a.clone()
    hole[1, 2, 3, 4] = float("inf")
    return [folded(F.interpolate(a, scale_factor=2.0, mode="nearest")), folded(F.interpolate(a, size=[3, 20], mode="nearest-exact")),
            folded(F.interpolate(a, scale_factor=2.0, mode="bilinear", align_corners=False)), F.interpolate(a, size=[3, 4], mode="bilinear", align_corners=True),
            F.interpolate(a, size=[1, 1], mode="bilinear", align_corners=False), folded(F.interpolate(a, scale_factor=1.7, mode="bicubic", align_corners=False)),
            F.interpolate(a, size=[2, 5], mode="bicubic", align_corners=True), folded(F.interpolate(a[0], scale_factor=3.0, mode="linear", align_corners=False)),
            folded(F.interpolate(a[0], size=40, mode="nearest")), folded(F.interpolate(v, scale_factor=2.0, mode="trilinear", align_corners=False)),
            F.interpolate(v, size=[2, 3, 4], mode="trilinear", align_corners=True), folded(F.interpolate(v, size=[5, 2, 9], mode="nearest")),
            F.interpolate(a[:, :, :1, :1], size=[2, 3], mode="bicubic", align_corners=False), F.interpolate(a[:, :, :1], size=[4, 3], mode="bilinear", align_corners=False),
            F.interpolate(hole, size=[5, 6], mode="bilinear", align_corners=False)]


# Images whose channels lie together stay so.
def resized_pixels(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for channels in [3, 10]:
        a = wave(2 * 4 * 5 * channels).reshape(2, 4, 5, channels).permute(0, 3, 1, 2)
        for images in [a, a.to(torch.float64), a[:, :, ::2, 1:], (a * 100).to(torch.uint8)]:
            modes = ["nearest", "nearest-exact", "bilinear", "bicubic"] if images.is_floating_point() else ["nearest", "nearest-exact"]
            for mode in modes:
                grown, other = F.interpolate(images, scale_factor=2.0, mode=mode), F.interpolate(images, size=[3, 7], mode=mode)
                made += [folded(grown), folded(other), torch.tensor(grown.stride()), torch.tensor(other.stride())]
    v = wave(2 * 3 * 4 * 5 * 3).reshape(2, 3, 4, 5, 3).permute(0, 4, 1, 2, 3)
    for mode in ["nearest", "trilinear"]:
        grown = F.interpolate(v, scale_factor=1.5, mode=mode)
        made += [folded(grown), torch.tensor(grown.stride())]
    return made


def extremes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(5 * 333).reshape(5, 333)
    r: List[torch.Tensor] = []
    for b in [a, a.to(torch.float64), (a * 100).to(torch.int64), (a * 10).to(torch.int32)]:
        for n in [333, 97, 32, 31, 5, 1]:
            c = b[:, :n]
            most, where = torch.max(c, 1)
            least, there = torch.min(c, 1)
            r += [most, where, least, there, torch.amax(c, [0]).sum(), torch.argmax(c, 0), torch.argmin(c, 0), torch.max(c), torch.min(c.t())]
    return r


def extremes_with_nan(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for at in [0, 3, 40, 95, 96, 99]:
        a = wave(300).reshape(3, 100)
        a[1, at] = float("nan")
        a[1, 99] = float("nan")
        most, where = torch.max(a, 1)
        r += [most, where, torch.argmin(a, 1), torch.argmax(a, 0), torch.amin(a, [0])[at], torch.argmax(a.to(torch.float64), 1), torch.amax(a), torch.aminmax(a)[0]]
    return r


def totals(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(3 * 1031).reshape(3, 1031)
    r: List[torch.Tensor] = []
    for b in [a, a.to(torch.float64), (a * 100).to(torch.int64)]:
        for n in [1031, 513, 64, 33, 7]:
            c = b[:, :n]
            r += [c.sum(1), c.sum(), c.t().sum(0), torch.prod(c[:, :60] * 0.5, 1)]
    for n in [1031, 513, 64, 33, 7]:
        r += [torch.norm(a[:, :n], 2, [1]), torch.norm(a[:, :n].to(torch.float64)), torch.logsumexp(a[:, :n], [1]), torch.logsumexp(a[:, :n].to(torch.float64), [1]),
              torch.norm(a[:, :n].to(torch.float16).to(torch.float32)), torch.prod(torch.ones(3, n) * 1.01, 1)]
    return r


def norms_of_extremes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    tiny, huge = torch.full([300], 1e-24, dtype=torch.float64), torch.full([300], 1e18, dtype=torch.float64)
    return [torch.norm(tiny), torch.norm(huge), torch.norm(torch.cat([tiny, huge]).to(torch.float32)), torch.norm(torch.zeros(300)), torch.norm(torch.full([40], float("nan")))]


def merged_dims(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(3 * 4 * 5 * 6).reshape(3, 4, 5, 6)
    p = a.permute(0, 2, 3, 1)
    return [a.sum([1, 2]), a.sum([2, 3]), a.sum([0, 3]), p.sum([1, 2]), p.sum([0, 1, 2]), p.amax([1, 2]), a.amax([0, 1]), a[:, :1].sum([1]), a[:, :, 1:3].sum([2, 3]),
            a[:, :0].sum([1]), torch.std(p, [1, 2]), a.expand(2, 3, 4, 5, 6).sum([0, 1]), torch.cumsum(p, 3).sum(2), torch.argmax(p, 3), torch.argmax(p, 0)]


def halves(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.cat([wave(100), torch.tensor([0.0, -0.0, 65504.0, 65519.0, 65520.0, 1e9, -1e9, 6e-8, 3e-8, 2.9e-8, -6.1e-5, 6.09e-5, 1e-40, 2049.0, 2051.0, float("inf"), float("-inf"), float("nan")])])
    return [a.to(torch.float16), a.to(torch.float16).to(torch.float32), a.to(torch.bfloat16).to(torch.float32), a.to(torch.float16) + 1, a.to(torch.float16).to(torch.float64),
            a.to(torch.float16).abs().sum(dtype=torch.float64)]


def columns(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(6 * 130).reshape(6, 130)
    return [folded(a + a[:, :1]), folded(a / a[:, 3:4]), folded(a * a[:, :1].to(torch.float64)), folded(torch.where(a[:, :1] > 0, a, a[:1])),
            folded(a.expand(2, 6, 130) + torch.tensor(2, dtype=torch.int16)), folded((a * 10).to(torch.int32) + (a[:, :1] * 10).to(torch.uint8)),
            folded(torch.complex(a, a).abs() + a[:, 5:6].to(torch.float16))]


def double_convolutions(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, w = wave(2 * 4 * 11 * 13).to(torch.float64).reshape(2, 4, 11, 13), wave(6 * 4 * 3 * 3).to(torch.float64).reshape(6, 4, 3, 3)
    v = wave(2 * 5 * 6 * 7).to(torch.float64).reshape(1, 2, 5, 6, 7)
    n = torch.arange(1, 2 * 11 * 13 + 1).reshape(1, 2, 11, 13)
    return [folded(F.conv2d(a, w)), folded(F.conv2d(a, w, w[:, 0, 0, 0], [2, 3], [1, 2])), folded(F.conv2d(a, w, None, 1, 4, 3)), folded(F.conv2d(a, w[:, :2], None, 1, 1, 1, 2)),
            folded(F.conv2d(a, w[:, :, :1, :2], None, [1, 5], [0, 1])), folded(F.conv1d(a[0], w[:, :1, 0].expand(6, 11, 3), None, 2, 2)),
            folded(F.conv3d(v, w[:, :2, :2, :2].reshape(6, 2, 2, 2, 1), None, [1, 2, 3], 1)), F.conv2d(n, torch.arange(12).reshape(1, 2, 2, 3), None, 2, 1)]


def transposed_planes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Transposed convolutions of one channel for each group."""
    a, w = wave(2 * 4 * 7 * 11).reshape(2, 4, 7, 11), wave(4 * 3 * 3 * 5).reshape(4, 3, 3, 5)
    b, v, n = a.to(torch.float64), a[:, :, 1:3].reshape(2, 2, 2, 2, 11), torch.arange(1, 34).reshape(1, 3, 11)
    return [folded(F.conv_transpose2d(a, w[:, :1], None, 1, 0, 0, 4)), folded(F.conv_transpose2d(a, w, wave(12), [2, 3], [1, 4], [1, 2], 4)),
            folded(F.conv_transpose2d(b, w[:, :1].to(torch.float64), None, 1, [2, 9], 0, 4, [2, 3])), folded(F.conv_transpose2d(a[1], w[:, 1:2, :1, :1], None, 3, 0, 2, 4)),
            folded(F.conv_transpose3d(v, w[:2, :2].reshape(2, 2, 3, 1, 5), None, [1, 2, 1], [1, 0, 2], [0, 1, 0], 2)),
            F.conv_transpose1d(n, torch.arange(6).reshape(3, 1, 2), None, 2, 1, 1, 3)]


def strided_convolutions(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, w = wave(2 * 4 * 9 * 23).reshape(2, 4, 9, 23), wave(6 * 4 * 3 * 3).reshape(6, 4, 3, 3)
    return [folded(F.conv1d(a[0], w[:2].reshape(4, 9, 2), None, 3, 5, 4)), folded(F.conv1d(a[0], w[:2].reshape(8, 9, 1), None, 2, 3)), folded(F.conv2d(a, w, w[:, 0, 0, 0], [1, 2], [2, 9]).abs()),
            folded(F.conv2d(a, w[:, :, :1], None, [2, 4], [0, 3], [1, 5])), folded(F.conv2d(a, w[:, :2, :, :1], None, 3, 1, 1, 2)),
            folded(F.conv1d(a[:, :3].reshape(2, 3, 207), w.reshape(24, 3, 3), None, 2, 1))]


def padded_rows(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(2 * 3 * 4 * 5).reshape(1, 2, 3, 4, 5)
    r: List[torch.Tensor] = []
    for b in [a, a.to(torch.float64), (a * 50).to(torch.int16), a.transpose(3, 4), a[:, :, :, ::2]]:
        r.append(F.pad(b, [1, 1, 1, 1, 1, 1], value=2.)[0, 0])
        r.append(F.pad(b, [9, 2, -1, 0], value=7.)[0, 1])
        r.append(F.pad(b, [-2, 8, 0, 3, 0, -1])[0, 0])
    return r


def stretched(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Resized images, rows-major and channels-last; some lines of the output are made of one line of the input."""
    r: List[torch.Tensor] = []
    for kind in [torch.float32, torch.float64]:
        a = wave(2 * 5 * 7 * 9).to(kind).reshape(2, 5, 7, 9)
        v = a[:, :4, :6].reshape(2, 4, 3, 2, 9)
        for b in [a, a.permute(0, 2, 3, 1), a[:1].permute(0, 3, 1, 2), a[:, :, :1], a[:, :, :, :1]]:
            r.append(folded(F.interpolate(b, size=[11, 13])))
            r.append(folded(F.interpolate(b, size=[3, 20], mode="nearest-exact")))
            r.append(folded(F.interpolate(b, size=[8, 5], mode="bilinear")))
            r.append(folded(F.interpolate(b, scale_factor=1.7, mode="bicubic")))
        for c in [v, v.permute(0, 4, 1, 2, 3)]:
            r.append(folded(F.interpolate(c, size=[5, 4, 3])))
            r.append(folded(F.interpolate(c, size=[5, 1, 3], mode="trilinear")))
        r.append(folded(F.interpolate(a[0], size=4)))
    return r


def smoothed(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Resized with smoothing: a number that is none or endless shows around its place only."""
    a = wave(2 * 3 * 19 * 90).reshape(2, 3, 19, 90)
    b = a[:, :, :9, :11].clone()
    b[0, 0, 4, 5] = float("nan")
    b[1, 2, 8, 0] = float("inf")
    r: List[torch.Tensor] = []
    for kind in [torch.float32, torch.float64]:
        for mode in ["bilinear", "bicubic"]:
            for image in [a.to(kind), a.to(kind).transpose(2, 3)]:
                r.append(folded(F.interpolate(image, size=[7, 2], mode=mode, antialias=True).abs()))
                r.append(folded(F.interpolate(image, size=[40, 13], mode=mode, antialias=True, align_corners=True).abs()))
                r.append(folded(F.interpolate(image, scale_factor=[0.3, 1.7], mode=mode, antialias=True).abs()))
            r.append(torch.nan_to_num(F.interpolate(b.to(kind), size=[6, 8], mode=mode, antialias=True), 77., 88., -99.)[:, ::2])
    return r


def named(y: torch.Tensor) -> torch.Tensor:
    return folded(torch.nan_to_num(y.to(torch.float64), 77., 888., -99.))


def greatest_places(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Maxima with their places, and maxima of elements that have no loops of their own."""
    a = wave(2 * 11 * 14).reshape(2, 11, 14)
    a[0, 3, 4:7] = float("nan")
    a[1, 5] = float("-inf")
    a[1, 7, 2:9] = float("inf")
    r: List[torch.Tensor] = []
    for kind in [torch.float32, torch.float64]:
        b = a.to(kind)
        for stride in [1, 2, 3]:
            for y in [F.max_pool2d(b, 2, stride), F.max_pool2d(b, [3, 4], stride, [1, 2], 1, True), F.max_pool2d(b, [2, 3], stride, [1, 1], [4, 5])]:
                r.append(named(y))
            for y in F.max_pool2d_with_indices(b, [3, 2], stride, [1, 1], [1, 2], True):
                r.append(named(y))
        for y in F.max_pool3d_with_indices(b.unsqueeze(0), [2, 3, 3], [1, 2, 2], 1):
            r.append(named(y))
    return r


def orders(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(700)
    a[3:9] = float("nan")
    a[20:24] = -0.0
    a[30:33] = 0.0
    a[40] = float("inf")
    a[41] = float("-inf")
    a[50:300] = torch.floor(a[50:300])
    ints = torch.arange(900) * 7919 % 1000003 * 31 % 500009 - 250000
    r: List[torch.Tensor] = []
    for b in [a, a.to(torch.float64) * 1.1, a.to(torch.float16), ints, ints * 4294967311, ints.to(torch.int8), ints > 0, a[:100]]:
        for down in [False, True]:
            values, places = torch.sort(b, stable=True, dim=0, descending=down)
            r += [folded(torch.nan_to_num(values.to(torch.float32), 7.0, 9.0, -9.0)), folded(places * torch.arange(places.numel()))]
    return r


def medians(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.floor(wave(5 * 301)).reshape(5, 301)
    missing = a.clone()
    missing[1, 7] = float("nan")
    missing[1, 9] = float("nan")
    missing[2] = float("nan")
    r: List[torch.Tensor] = []
    for b in [a, missing, a.to(torch.float64), a.to(torch.int32), a[:, :1], a[:, :4]]:
        value, place = torch.median(b, 1)
        r += [value, place]
        if b.is_floating_point():
            value, place = torch.nanmedian(b, 1)
            r += [value, torch.where(torch.isnan(value), 0, place)]
    return r


def distinct_of_many(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.floor(wave(1200)).reshape(3, 400)
    values, inverse, counts = torch._unique2(a.to(torch.int64), True, True, True)
    others, none, nothing = torch._unique2(a)
    zero, _0, _1 = torch._unique2(a[:0])
    return [values, inverse, counts, others, none, nothing, zero, torch._unique2(a[0], True, True, False)[1]]


def running_extremes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.floor(wave(3 * 150) * 3).reshape(3, 150)
    missing = a.clone()
    missing[1, 70] = float("nan")
    r: List[torch.Tensor] = []
    for b in [a, missing, a.to(torch.int32), a.t(), a[:, :1]]:
        for d in [0, 1]:
            most, where = torch.cummax(b, d)
            least, there = torch.cummin(b, d)
            r += [most, where, least, there]
    return r


def softmaxes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(4 * 6 * 150).reshape(4, 6, 150)
    far = a * 40
    far[1, 2, 3] = float("nan")
    far[2, 0, 5] = float("inf")
    far[3, 1:4] = float("-inf")
    r: List[torch.Tensor] = []
    for b in [a, far, a.transpose(0, 2), a.to(torch.float64), a[:, :1]]:
        for d in [0, 1, 2]:
            r += [torch.softmax(b, d).sum(0), torch.log_softmax(b, d)[0]]
    return r


def bounds(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(70)
    a[3] = float("nan")
    nan = float("nan")
    return [torch.clamp(a, -1.0, 1.0), torch.clamp(a, min=0.5), torch.clamp(a, max=0), torch.clamp(a, 2.0, 1.0), torch.clamp(a.to(torch.float64), -1, 1.5),
            torch.clamp(a[:3], nan, 1.0), torch.clamp(a[:3], 0.0, nan), torch.clamp(a[4:].to(torch.int32), 0, 2), torch.clamp(a[4:].to(torch.int32), -0.5, 1.5),
            torch.clamp(a.to(torch.bfloat16), -1.0, 1.0), F.relu6(a * 4), F.hardtanh(a, -0.5, 0.25),
            torch.log2(a.abs() + 0.001), torch.log10(torch.tensor([1.0, 10.0, 1000.0, 1e-40, 0.0, -1.0, float("inf")])), torch.log2(torch.tensor([1.0, 8.0, 0.125, 1e-40, 0.0, -1.0]))]


def zero_divisor_far_behind(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    d = torch.ones(300, dtype=torch.int64)
    d[299] = 0
    return torch.arange(300) // d


def zero_divisor_in_columns(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    d = torch.ones(30, 30, dtype=torch.int32)
    d[29, 3] = 0
    return torch.arange(900).reshape(30, 30) % d.t()


def largest_of_nothing(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.max_pool2d(torch.zeros(1, 1, 0, 0), 2, 1, 1)


def mean_of_nothing(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.adaptive_avg_pool2d(torch.zeros(1, 1, 0, 0), [0, 0])


def whole_divisions(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    large = torch.tensor([1, 3, 7, (1 << 31), (1 << 32) + 1, (1 << 49) + 3, (1 << 50) - 1, (1 << 50), (1 << 50) + 1, (1 << 51) - 1, (1 << 51), (1 << 52) + 5, (1 << 53) - 1, (1 << 53) + 1, (1 << 62), 9223372036854775807])
    numbers = torch.cat([large, -large, large - 1, large.to(torch.int32).to(torch.int64)])
    rows, columns = numbers.unsqueeze(1), torch.cat([large, -large])
    made: List[torch.Tensor] = []
    for d in [columns, columns[:5], columns[16:21]]:
        made += [rows // d, rows % d, torch.fmod(rows, d), torch.div(rows, d, rounding_mode="trunc")]
    small = torch.arange(-130, 126).to(torch.int8)
    return made + [small // 7, small % -7, torch.fmod(small, -3), torch.full_like(small, 100) // torch.clamp_min(small, 1)]


def put_where(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    rows = torch.arange(0, 600).reshape(150, 4).to(torch.float32)
    chosen = torch.remainder(torch.arange(0, 150), 3) == 1
    whole, number, spread, columns, wide = rows.clone(), rows.clone(), rows.clone(), rows.t().clone().t(), rows.clone()
    whole[chosen] = -rows[:50]
    number[rows > 300] = torch.tensor(7.0)
    spread[chosen] = rows[3]
    columns[columns < 250] = rows.flatten()[:250]
    wide[chosen, 1:3] = rows[:50, :2]
    halves = rows.to(torch.float64)
    halves[:, 1:][halves[:, :3] > 500] = halves.flatten()[:74].clone()
    return [whole, number, spread, columns, wide, halves, torch.masked_scatter(rows, rows > 77, -rows)]


def put_into_the_mask(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    flags = torch.remainder(torch.arange(0, 300), 7) < 3
    flags[1:][flags[:-1]] = torch.arange(0, 128) < 64
    return flags


def put_too_many_where(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    rows = x.clone()
    rows[x > 0] = torch.zeros(100)
    return rows


def chosen_on_lines(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    rows = torch.arange(0, 600).reshape(4, 150).to(torch.float32)
    places = torch.remainder(torch.arange(0, 600) * 7919, 150).reshape(4, 150)
    other = rows.t().contiguous()
    columns = places[0]
    return [torch.gather(rows, 1, places), torch.gather(other, 0, places.t().contiguous()), torch.gather(rows.to(torch.float64), 1, places[:, ::2]),
            torch.index_select(rows, 1, columns), torch.index_select(rows.to(torch.bool), 1, columns), rows[:, columns], torch.scatter(rows, 1, places, -rows),
            torch.scatter_add(rows, 1, places, rows), torch.scatter_add(rows.to(torch.int64), 1, places, places), torch.scatter(other, 0, places.t(), other + 1)]


def complements_of_errors(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    line = torch.linspace(-6.0, 10.5, 200)
    return [torch.erfc(line), torch.nn.functional.gelu(line), torch.nn.functional.gelu(line.reshape(4, 50).t(), approximate="tanh"), torch.nn.functional.silu(line.reshape(4, 50).t())]


def rows_joined(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(7 * 300).reshape(7, 300)
    whole = torch.round(a * 10)
    outs: List[torch.Tensor] = []
    for dtype in [torch.float64, torch.int64, torch.int32, torch.int16, torch.uint8, torch.bool]:
        rows = torch.abs(whole).to(dtype)
        outs += [folded(torch.sum(rows, 0)), folded(torch.prod(rows[:, ::100], 0).to(torch.float64)), folded(torch.sum(rows.reshape(7, 3, 100), [0, 1]))]
        if dtype != torch.bool:
            outs += [folded(torch.amax(rows, 0)), folded(torch.max(rows, 0)[1])]
    for dtype in [torch.float16, torch.bfloat16]:
        rows = whole.to(dtype)
        outs += [folded(torch.sum(rows, 0)), folded(torch.mean(rows, 0)), folded(torch.amin(rows, 0)), folded(torch.max(rows, 0)[0]), folded(torch.max(rows, 0)[1])]
    strips = wave(9 * 5 * 40).reshape(9, 5, 40)[:, :, :33].to(torch.float64)
    nothing = torch.zeros(2, 0)
    outs += [torch.logsumexp(nothing, [1]), torch.sum(nothing, 1), torch.prod(nothing, 1), torch.linalg.vector_norm(nothing, 2.0, [1])]
    return outs + [torch.prod(strips[:3, :2], 0), torch.sum(strips, 0), torch.mean(strips, [0, 1]), torch.sum(torch.zeros(0, 4, dtype=torch.int64), 0)]


def short_runs(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    outs: List[torch.Tensor] = []
    for n in [1, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63]:
        a = wave(5 * n).reshape(5, n)
        holed = a.clone()
        holed[2, n - 1] = float("nan")
        for b in [a, a.to(torch.float64)]:
            outs += [torch.amax(b, 1), torch.amin(b, 1), torch.max(b, 1)[1], torch.sum(b, 1), torch.prod(b, 1), torch.linalg.vector_norm(b, 2.0, [1])]
        outs += [torch.amax(holed, 1), torch.amin(holed.to(torch.float64), 1), torch.max(holed, 1)[1]]
    return outs


def distances(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    outs: List[torch.Tensor] = []
    for d in [0, 1, 15, 16, 17, 33, 256]:
        a = wave(37 * d).reshape(37, d)
        b = wave(2 * 35 * d).reshape(2, 35, d)
        for p in [0.0, 1.0, 2.0, 3.0, float("inf")]:
            outs += [folded(torch.pdist(a.to(torch.float64), p)), folded(torch.pdist(a[:3], p)),
                     folded(torch.cdist(a, b, p, compute_mode="donot_use_mm_for_euclid_dist"))]
    return outs


def strides_that_stay(x: torch.Tensor, t: torch.Tensor) -> List[List[int]]:
    a = wave(4 * 5 * 6 * 7).reshape(4, 5, 6, 7).permute(0, 3, 1, 2)
    plane = wave(30).reshape(5, 6).t()
    return [torch.flip(a, [3]).stride(), torch.flip(a[:, :2], [1]).stride(), torch.flip(plane, [0]).stride(), torch.roll(a, 1, 2).stride(), torch.roll(a, 4, 0).stride(),
            torch.roll(plane, 1, 0).stride(), torch.roll(a, [1, 2], [1, 3]).stride(), torch.roll(a, 3).stride(), F.pad(a, [1, 1, 1, 1]).stride(),
            F.pad(a, [0, 1], value=2.0).stride(), F.pad(a, [1, 1, 1, 1], "reflect").stride(), F.pad(plane, [1, 1]).stride(), F.pad(a[0], [1, 1]).stride()]


def places_that_stay(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    c = a.permute(0, 3, 1, 2)
    outs = [torch.flip(c, [3]), torch.flip(c, [0, 2]), torch.roll(c, [1, 2], [1, 3]), torch.roll(c, 2, 0), torch.flip(a[0, 0].t(), [1])]
    for pads in [[1, 2], [0, 0, 1, 2], [0, 0, 2, -1], [0, 0, 0, 0, 1, 1], [1, 0, -1, 2, 0, 1], [0, 0, 0, 0, 0, 0, 1, 0]]:
        outs += [F.pad(a, pads, value=0.5), F.pad(c, pads, value=0.5), F.pad(c[:, 1:], pads), F.pad(a.transpose(1, 2), pads)]
    outs += [torch.softmax(c, 1), torch.log_softmax(c, 1), torch.softmax(c.to(torch.float64), 2), torch.softmax(a[0, 0].t(), 1)]
    return [folded(y) for y in outs]


def taken_apart(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    inf = float("inf")
    few = torch.tensor([0.0, -0.0, 1.0, -2.0, 0.75, 1e-45, -3e-39, 1.17549435e-38, 3.4e38, inf, -inf, float("nan")])
    many = torch.tensor([5e-324, -1e-310, 2.2250738585072014e-308, 1.7e308, 3.0], dtype=torch.float64)
    outs: List[torch.Tensor] = []
    for a in [few, many, wave(200), wave(200).reshape(20, 10).t()[:, ::3], few.to(torch.float16), few.to(torch.bfloat16)]:
        mantissa, exponent = torch.frexp(a)
        outs += [mantissa, exponent]
    g = x.clone().requires_grad_()
    torch.frexp(g)[0].sum().backward()
    grad = g.grad
    return outs + ([grad] if grad is not None else [])


def searched(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    outs: List[torch.Tensor] = []
    unsorted = torch.tensor([3.0, 1.0, 2.0, 5.0, 4.0, 0.0, 6.0])
    for n in range(8):
        outs += [torch.searchsorted(torch.arange(n), torch.arange(-1, 9)), torch.searchsorted(torch.arange(n) / 2, torch.arange(-1, 9) / 4, right=True),
                 torch.searchsorted(unsorted[:n], torch.arange(-1, 9) / 2)]
    return outs + [torch.repeat_interleave(torch.tensor([2, 0, 3, 0])), torch.repeat_interleave(torch.tensor([0, 0])), torch.tril_indices(4, 3, 1), torch.tril_indices(3, 5, -1),
                   torch.triu_indices(4, 3, 1), torch.triu_indices(5, 3, -2), torch.tril_indices(0, 3), torch.triu_indices(3, 0), torch.tril_indices(3, 3, -9),
                   torch.triu_indices(3, 3, 9, dtype=torch.int32)]


# Powers between ends, and the places of triangles of other shapes.
def made(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    outs: List[torch.Tensor] = []
    for kind in [torch.float32, torch.float64, torch.bfloat16, torch.int32, torch.int64]:
        for base in [10.0, 2.0, 0.5, 1.0, 3.7]:
            outs += [torch.logspace(0, 4, 9, base, dtype=kind), torch.logspace(3, 1, 70, base, dtype=kind), torch.logspace(2, 2, 1, base, dtype=kind)]
    outs += [torch.logspace(-3.3, 2.1, 100), torch.logspace(-0.3, 1.7, 33, -2.0), torch.logspace(0.0, float("inf"), 5), torch.logspace(30.0, 60.0, 7), torch.logspace(1, 2, 0)]
    for rows in range(5):
        for columns in range(4):
            for offset in range(-5, 6):
                outs += [torch.tril_indices(rows, columns, offset), torch.triu_indices(rows, columns, offset, dtype=torch.int32)]
    return outs + [torch.tril_indices(3, 3, 1 << 62), torch.triu_indices(3, 3, 1 << 62), torch.tril_indices(1 << 50, 0), torch.triu_indices(0, 1 << 50)]


def nearly_singular(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    outs: List[torch.Tensor] = []
    a = wave(8 * 5).reshape(8, 5).to(torch.float64)
    b = wave(8 * 2).reshape(8, 2).to(torch.float64)
    for gap in [1.0, 1e-6, 1e-18]:
        close = a.clone()
        close[:, 4] = close[:, 3] + gap * close[:, 4]
        fit = torch.linalg.lstsq(close, b, driver="gelsd")
        outs += [fit[2], torch.matmul(close, fit[0])]
        if gap > 1e-9:  # PyTorch's own driver finds other ranks than the others do
            outs.append(torch.matmul(close, torch.linalg.lstsq(close, b)[0]))
    return outs


FAILURES = {put_into_the_mask: "unsupported operation: some elements of the input tensor", put_too_many_where: "shape mismatch: value tensor", largest_of_nothing: "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input",
            mean_of_nothing: "Expected input to have non-zero size for non-batch dimensions",
            zero_divisor_far_behind: "ZeroDivisionError", zero_divisor_in_columns: "ZeroDivisionError"}
def magnitudes(y: torch.Tensor) -> torch.Tensor:
    """Sums that lose no digits."""
    return folded(y.abs())


def depthwise_planes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Planes of one channel each with weights that are no constants: in one piece and in bands, elements that are
    strides apart, more taps than are added at once, lines and kernels beside the image, volumes."""
    w = wave(3 * 20 * 9 * 11) * 0.1 + x[0, 0] * 0.01
    r: List[torch.Tensor] = []
    for size in [1, 5, 14, 31, 120]:
        a = wave(2 * 3 * size * (size + 2)).reshape(2, 3, size, size + 2)
        for kernel in [1, 2, 3, 5, 7, 9]:
            k = w[:3 * kernel * kernel].reshape(3, 1, kernel, kernel)
            for stride in [1, 2, 3]:
                for dilation in [1, 2, 5]:
                    pad = (kernel - 1) * dilation // 2 + 1
                    r.append(magnitudes(F.conv2d(a, k, w[:3], stride, pad, dilation, 3)))
        r += [magnitudes(F.conv2d(a, w[:6 * 5].reshape(6, 1, 1, 5), None, [1, 2], [0, 2], 1, 3)), magnitudes(F.conv2d(a, w[:3 * 9 * 11].reshape(3, 1, 9, 11), None, 1, [8, 9], 1, 3))]
        r += [magnitudes(F.conv1d(a.reshape(2, 3, -1), w[:3 * 70].reshape(3, 1, 70), w[:3], 1, 40, 1, 3)), magnitudes(F.conv1d(a.reshape(2, 3, -1), w[:6 * 4].reshape(6, 1, 4), w[:6], 3, 70, 20, 3))]
    v = wave(2 * 3 * 7 * 9 * 10).reshape(2, 3, 7, 9, 10)
    for stride in [1, 2]:
        for dilation in [1, 2]:
            r += [magnitudes(F.conv3d(v, w[:6 * 27].reshape(6, 1, 3, 3, 3), w[:6], stride, 2, dilation, 3)), magnitudes(F.conv3d(v, w[:3 * 90].reshape(3, 1, 2, 5, 9), None, stride, [3, 4, 9], dilation, 3))]
    return [torch.cat([y.unsqueeze(0) for y in r])]


PROGRAMS = [depthwise_planes, made, largest_of_windows, largest_of_cells, bags_of_rows, images_put_together, windows_beside_the_image, means_of_windows, resized, resized_pixels, extremes, extremes_with_nan, totals, norms_of_extremes, merged_dims, halves, columns,
            double_convolutions, transposed_planes, strided_convolutions, padded_rows, stretched, smoothed, greatest_places, orders, medians, distinct_of_many, running_extremes, softmaxes, bounds, whole_divisions, put_where, chosen_on_lines, complements_of_errors, rows_joined, short_runs, distances, strides_that_stay,
            places_that_stay, taken_apart, searched, nearly_singular]
