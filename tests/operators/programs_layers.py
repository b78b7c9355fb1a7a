"""Layers that keep state, recurrent cells, pooling of integers, and what the language asks of values."""
from typing import List, Tuple

import torch
import torch.nn.functional as F


def running_statistics(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    mean, var = torch.zeros(2), torch.ones(2)
    planes = x.reshape(4, 2, 3)
    first = F.instance_norm(planes, mean, var, momentum=0.3)
    means, variances = torch.zeros(6), torch.ones(6)
    second = F.batch_norm(x, means, variances, training=True)
    return [first, mean, var, second, means, variances, F.instance_norm(planes, mean, var, use_input_stats=False)]


def cells(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for a in [x, x.to(torch.float64)]:
        h = a[:, :2]
        wi, wh, b = torch.cat([a, -a])[:, :6], torch.cat([h, h * 2]), torch.cat([h[:, 0], h[:, 1]])
        y, c = torch.lstm_cell(a, [h, -h], wi, wh, b, b)
        made += [y, c, torch.gru_cell(a, h, wi[:6], wh[:6], b[:6], b[:6]), torch.rnn_tanh_cell(a, h, wi[:2], wh[:2], b[:2], b[:2]),
                 torch.rnn_relu_cell(a, h, wi[:2], wh[:2])]
        z, h1, c1 = torch.lstm(a.unsqueeze(1), [h[:2].unsqueeze(1), h[2:].unsqueeze(1)], [wi, wh, b, b, wi, wh, b, b], True, 1, 0.0, False,
                               True, False)
        made += [z, h1, c1]
    return made


def wrong_cell(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.rnn_tanh_cell(x, x[:, :2], x[:2, :5], x[:2, :2], None, None)


def integers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    image = (x * 5).to(torch.int64).reshape(1, 1, 4, 6)
    flags = x[0] > 0
    return [F.avg_pool2d(image, 2), F.avg_pool1d(image[0], 3, padding=1), F.avg_pool2d(image, [3, 2], 1, 0, False, True, 5),
            F.conv_transpose2d(image, image[:, :, :2, :2], stride=2), flags.square()]


def wrong_pool(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.adaptive_avg_pool2d(t.reshape(1, 1, 2, 2), [1, 1])


def empty(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    ints: List[int] = []
    flags: List[bool] = []
    floats: List[float] = []
    return [torch.tensor(ints), torch.as_tensor(flags), torch.tensor(floats), torch.tensor([ints, ints])]


def hashes(x: torch.Tensor, t: torch.Tensor) -> Tuple[List[int], List[int]]:
    return ([hash(s) for s in ["", "a", "hello", "eight by", "more than sixteen bytes"]] + [hash(v) for v in [0.0, -0.0, 22.443, -1e300]],
            [hash((1, 2, 3)), hash(("ab", 1.5, True)), hash(((1, 2), 3)), hash(-5), hash(True)])


def wrong_hash(x: torch.Tensor, t: torch.Tensor) -> int:
    return hash((1, [2]))


def packed(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    steps = x.reshape(4, 3, 2)
    data, sizes = torch._pack_padded_sequence(steps, torch.tensor([4, 2, 1]), False)
    padded, lengths = torch._pad_packed_sequence(data, sizes, True, -1.0, 5)
    wi, wh, b = torch.cat([x[:, :2], x[:, 2:4]]), torch.cat([x[:, 4:], -x[:, :2]]), torch.cat([x[:, 5], x[:, 0]])
    h = x[:, :3].reshape(2, 3, 2)
    y, h1, c1 = torch.lstm(data, sizes, [h, -h], [wi, wh, b, b, wi, wh, b, b], True, 1, 0.0, False, True)
    z, h2 = torch.gru(data, sizes, h, [wi[:6], wh[:6], wi[:6], wh[:6]], False, 2, 0.0, False, False)
    v, h3 = torch.rnn_tanh(data, sizes, h[:1], [wi[:2], wh[:2], b[:2], b[:2]], True, 1, 0.0, False, False)
    u, h4 = torch.rnn_relu(data, sizes, h[:1], [wi[:2], wh[:2], b[:2], b[:2]], True, 1, 0.0, False, False)
    return [data, sizes, padded, lengths, y, h1, c1, z, h2, v, h3, u, h4]


def wrong_lengths(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    data, sizes = torch._pack_padded_sequence(x.reshape(4, 3, 2), torch.tensor([1, 2, 3]), False)
    return data


def bags(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    ids, offsets = torch.tensor([0, 2, 1, 3, 3, 1]), torch.tensor([0, 2, 2])
    return [torch.embedding_bag(x, ids, offsets, False, 0, False, x[0])[0], torch.embedding_bag(x, ids, offsets, False, 1)[0],
            torch.embedding_bag(x, ids, offsets, False, 2)[0], torch.embedding_bag(x, ids, torch.tensor([0, 2, 6]), False, 1, False, None, True, 3)[0],
            torch.embedding_bag(x, ids, offsets, False, 2, False, None, False, -1)[0]]


def attention(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k = x.reshape(2, 4, 3), x.flip([0]).reshape(2, 4, 3)
    a, weights = torch._C._nn._scaled_dot_product_attention(q, k, q + k, None, 0.0, True, True)
    b, _ = torch._C._nn._scaled_dot_product_attention(q, k, q, x[:, :4], 0.0, True, False)
    table = x.clone()
    torch.embedding_renorm_(table, t[1:2], 1.0, 2.0)
    return [a, weights, b, table, torch.nn.functional.hardtanh(x, 0.5, -0.5), torch.addr(x > 0, x[:, 0] > 0, x[0] > 0),
            torch.addmm(t.reshape(2, 2), t.reshape(2, 2), t.reshape(2, 2), beta=0.5, alpha=1.5)]


def wrong_bag(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.embedding_bag(x, t, torch.tensor([1, 2]), False, 0)[0]


def rows_beyond_bags(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.embedding_bag(x, t, torch.tensor([0, 2]), False, 0)[0]


def sampling(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    image, grid = x.reshape(1, 2, 3, 4), x.flip([0]).reshape(1, 3, 4, 2)
    volume, points = x.reshape(1, 1, 2, 3, 4), x.reshape(1, 2, 2, 2, 3)
    made = [torch.grid_sampler(image, grid, 0, 0, True), torch.grid_sampler(image, grid, 1, 1, False),
            torch.grid_sampler(image, grid, 2, 2, True), torch.grid_sampler(image, grid, 0, 2, False),
            torch.grid_sampler(volume, points, 0, 0, False), torch.affine_grid_generator(x[:2, :3].reshape(1, 2, 3), [1, 1, 3, 2], True),
            torch.affine_grid_generator(x[:, :3].reshape(1, 3, 4), [1, 1, 2, 3, 2], False)]
    pooled, at = F.max_pool2d_with_indices(x.reshape(1, 1, 4, 6), [2, 2])
    random = torch.tensor([[[0.3, 0.6], [0.1, 0.9]]])
    fraction, places = torch._C._nn.fractional_max_pool2d(x.reshape(1, 2, 3, 4), [2, 2], [2, 2], random)
    deep, positions = torch._C._nn.fractional_max_pool3d(volume, [1, 2, 2], [1, 1, 2], torch.tensor([[[0.5, 0.2, 0.8]]]))
    return made + [F.max_unpool2d(pooled, at, [2, 2]), fraction, places, deep, positions, torch.bilinear(x[:, :2], x, x.reshape(2, 2, 6), x[0, :2])]


def wrong_grid(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.grid_sampler(x.reshape(1, 2, 3, 4), x.reshape(1, 2, 4, 3), 0, 0, False)


def sequences(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    logs = F.log_softmax(torch.stack([x, x.flip([0])], 1), 2)
    labels = torch.tensor([[1, 1, 2], [4, 3, 5]])
    return [torch.ctc_loss(logs, labels, [4, 3], [2, 3], 0, 0), torch.ctc_loss(logs, labels, torch.tensor([4, 4]), torch.tensor([2, 1])),
            torch.ctc_loss(logs, torch.tensor([1, 2, 3, 4, 5]), [4, 1], [2, 3], 0, 2, True),
            F.multilabel_margin_loss(x, torch.tensor([[0, 3, -1, 1, 1, 1], [2, -1, 0, 0, 0, 0], [1, 2, 3, 4, 5, 0], [-1, 1, 1, 1, 1, 1]])),
            torch.native_layer_norm(x, [6], x[0], x[1], 0.1)[1], torch.native_batch_norm(x, None, None, None, None, True, 0.1, 0.1)[2]]


def transposed(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Of several channels: products of matrices, in blocks of channels and of positions."""
    lines, images, cubes = x.reshape(2, 4, 3), x.reshape(1, 4, 2, 3), x.reshape(1, 3, 2, 2, 2)
    many = torch.linspace(-1., 1., 2 * 300).sin().reshape(1, 2, 300)
    weights = torch.linspace(-3., 2., 4 * 40 * 25).cos()
    return [F.conv_transpose1d(lines, weights[:24].reshape(4, 2, 3), None, 2, 1, 1, 1, 2),
            F.conv_transpose1d(lines, weights[:24].reshape(4, 2, 3), x[0, :4], 3, 0, 0, 2),
            F.conv_transpose1d(many, weights[:200].reshape(2, 1, 100), None, 1, 60).sum(2),
            F.conv_transpose2d(images, weights.reshape(4, 40, 5, 5), None, [2, 1], [1, 2], [1, 0]).sum([2, 3]),
            F.conv_transpose2d(images, weights[:96].reshape(4, 2, 4, 3), x[1, :2], 2, 1),
            F.conv_transpose3d(cubes, weights[:48].reshape(3, 2, 2, 2, 2), None, [1, 2, 1], [1, 0, 1])]


def padding_words(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    lines, wide, narrow = x.unsqueeze(0), x.reshape(1, 2, 3, 4), x.sin()[:3].reshape(1, 1, 3, 2, 3)
    three, nine, cube = x[:2, :4].unsqueeze(2).repeat(1, 1, 3), torch.ones(2, 2, 2, 3), torch.ones(2, 1, 2, 1, 3)
    return [torch._convolution_mode(lines, three, None, [1], "same", [2], 1), torch._convolution_mode(lines, three, None, [2], "valid", [1], 1),
            torch._convolution_mode(wide, nine, x[0, :2], [1, 1], "same", [1, 1], 1),
            torch._convolution_mode(narrow, cube, None, [1], "same", [1], 1), F.conv3d(narrow, cube, padding="same"),
            F.conv2d(wide, nine, padding="same", dilation=2)]


def normed_halves(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    images, kind = x.reshape(2, 3, 4).to(torch.bfloat16), torch.bfloat16
    mean, var = x[0, :3].to(kind), x[1, :3].abs().to(kind) + 0.5
    return [F.batch_norm(images, mean, var, x[2, :3].to(kind), x[3, :3].to(kind)),
            F.batch_norm(images, mean.to(torch.float32), var.to(torch.float32), None, None, True), mean, var]


def other_matrix(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return x.to(torch.float64) @ x.t()


def other_bias(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.linear(x.to(torch.float64), torch.ones(2, 6), torch.ones(2))


def wide(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Convolutions of many channels whose weights are no constants: images in one piece and in several, groups,
    strides, one and three dimensions, no batch."""
    w = torch.sin(torch.arange(48 * 16 * 9) * 0.37 + x[0, 0]) * 0.05
    images, bias = torch.cos(torch.arange(2 * 32 * 11 * 9).reshape(2, 32, 11, 9) * 0.11), w[:48]
    many = torch.cos(torch.arange(20 * 16 * 30 * 40) * 0.013).reshape(20, 16, 30, 40)
    square, twice = w[:16 * 16 * 9].reshape(16, 16, 3, 3), torch.cat([w, w * 0.5])[:48 * 32 * 9].reshape(48, 32, 3, 3)
    volumes, lines = images.reshape(2, 16, 2, 11, 9), images.reshape(2, 16, 198)
    return [F.conv2d(images, twice, bias, 1, 1)[:, ::9], F.conv2d(images, w.reshape(48, 16, 3, 3), bias, 2, 1, 1, 2)[:, ::9],
            F.conv2d(images[1], twice, None, 1, 2, 2)[::9], F.conv2d(many, square, bias[:16]).square().sum([2, 3])[:, ::5],
            F.conv2d(many, square[:, :, :2], None, [2, 1], [0, 1]).square().sum([2, 3])[:, ::5],
            F.conv1d(lines, w[:32 * 16 * 5].reshape(32, 16, 5), bias[:32])[:, ::7, ::5],
            F.conv3d(volumes, w[:16 * 16 * 18].reshape(16, 16, 2, 3, 3), bias[:16], 1, 1)[:, ::5, 1]]


def channels_last_convolved(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Channels that lie together, with weights that are no constants: results lie so, too."""
    a = torch.cos(torch.arange(2 * 9 * 7 * 20) * 0.11).reshape(2, 9, 7, 20).permute(0, 3, 1, 2)
    w = torch.sin(torch.arange(20 * 18 * 9) * 0.37 + x[0, 0]).reshape(20, 18, 3, 3)
    v = torch.cos(torch.arange(3 * 4 * 5 * 6) * 0.3).reshape(1, 3, 4, 5, 6).permute(0, 4, 1, 2, 3)
    made = [F.conv2d(a, w[:, :1], None, 1, 1, 1, 20), F.conv2d(a, w[:, 2:3, :2], w[:, 0, 0, 0], [2, 1], [1, 0], 1, 20), F.conv2d(a, w[:, 3:4], None, 1, 4, 3, 20),
            F.conv2d(a[:, :3], w[:3, :1].transpose(2, 3), w[:3, 1, 0, 0], 1, [1, 2], [2, 1], 3), F.conv2d(a[:, ::2], w[:10, :1], None, 2, 1, 1, 10),
            F.conv2d(a[:, :18], w, w[:, 0, 0, 0], 1, 1), F.conv3d(v, w[:6, :8].reshape(6, 1, 2, 4, 9)[:, :, :, :, :3], w[:6, 0, 0, 0], 1, [0, 2, 1], 1, 6)]
    return [torch.cat([y.flatten()[::23], torch.tensor(y.stride())]) for y in made] + [F.conv2d(a[0], w[:, :1], None, 1, 1, 1, 20)[::5, 2]]


def shrunk_transposed(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.conv_transpose2d(x.reshape(1, 4, 2, 3), torch.ones(4, 1, 3, 3), padding=3)


def small_pool(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.max_pool2d(x.reshape(2, 3, 2, 2), 5)


def small_volume(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.avg_pool3d(x.reshape(1, 3, 2, 2, 2), [2, 5, 2], padding=[0, 2, 0])


def strided_same(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch._convolution_mode(x.unsqueeze(0), torch.ones(2, 4, 3), None, [2], "same", [1], 1)


def unknown_padding(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.conv1d(x.unsqueeze(0), torch.ones(2, 4, 3), padding="full")


# Images whose channels lie side by side: groups of few and of many channels, numbers far from 0.
def groups_side_by_side(x: torch.Tensor, t: torch.Tensor):
    strides: List[List[int]] = []
    sums: List[torch.Tensor] = []
    for channels, groups in [(6, 3), (70, 7), (130, 2), (130, 1), (130, 65), (96, 96), (64, 4), (3, 1), (1, 1)]:
        for height, width in [(1, 1), (2, 3), (9, 8)]:
            n = 2 * channels * height * width
            a = torch.sin(torch.arange(n).to(torch.float64) ** 2).reshape(2, channels, height, width) + torch.remainder(torch.arange(channels), 5).reshape(channels, 1, 1)
            w = torch.cos(torch.arange(channels)).to(torch.float64)
            told = torch.cos(torch.arange(n) * 0.1).reshape(2, channels, height, width)
            for d in [a, a[:, :, :, :1], a.unsqueeze(2)]:
                layout = torch.channels_last if d.dim() == 4 else torch.channels_last_3d
                double = torch.group_norm(d.contiguous(memory_format=layout), groups, w)
                float = torch.group_norm(d.to(torch.float32).contiguous(memory_format=layout), groups, w.to(torch.float32), w.to(torch.float32), 0.1)
                strides += [double.stride(), float.stride()]
                sums += [(double.flatten() * told.flatten()[:double.numel()]).sum(), (float.flatten() * told.flatten()[:float.numel()]).sum().to(torch.float64)]
    return strides, torch.stack(sums)


PROGRAMS = [groups_side_by_side, transposed, wide, channels_last_convolved, padding_words, normed_halves, attention, packed, bags, sampling, sequences, running_statistics, cells, integers, empty, hashes]
# What raises, and a part of our text.
FAILURES = {rows_beyond_bags: "index out of range in self", wrong_cell: "input has inconsistent input_size", wrong_pool: "not implemented for 'Long'", wrong_hash: "unhashable type: 'List",
            wrong_lengths: "`lengths` array must be sorted in decreasing order", wrong_bag: "offsets[0] has to be 0",
            wrong_grid: "grid_sampler()", strided_same: "padding='same' is not supported for strided convolutions",
            other_matrix: "expected scalar type Double but found Float", other_bias: "mat1 and mat2 must have the same dtype",
            shrunk_transposed: "Given input size per channel: (2 x 3). Calculated output size per channel: (-2 x -1). Output size is too small",
            small_pool: "Given input size: (3x2x2). Calculated output size: (3x0x0). Output size is too small",
            small_volume: "input image (T: 2 H: 2 W: 2) smaller than kernel size (kT: 2 kH: 5 kW: 2)",
            unknown_padding: "Invalid padding string: 'full'"}
