"""Operators that the other programs do not use, a family in each function."""
from typing import Any, Dict, List, Optional, Tuple

import torch
from torch import Tensor


@torch.jit.script
class Thing:
    def __init__(self, n: int):
        self.n = n


def other_names_of_unary(x: Tensor, t: Tensor) -> List[Tensor]:
    small = torch.tanh(x)
    return [torch.absolute(x), torch.arccos(small), torch.arccosh(x.abs() + 1), torch.arcsin(small), torch.arcsinh(x),
            torch.arctan(x), torch.arctanh(small), torch.deg2rad(x), torch.fix(x), torch.negative(x), torch.positive(x),
            torch.sinc(x), torch.logit(small.abs()), torch.nan_to_num(torch.log(x), 1.0, 2.0, 3.0), torch.signbit(x),
            torch.round(x, decimals=2), torch._conj(torch.complex(x, x)), torch._conj_physical(torch.complex(x, x))]


def other_names_of_binary(x: Tensor, t: Tensor) -> List[Tensor]:
    y = x.flip([0])
    return [torch.arctan2(x, y), torch.hypot(x, y), torch.fmax(x, y), torch.copysign(x, -2.0), torch.divide(x, y),
            torch.divide(x, 3.0), torch.multiply(x, y), torch.multiply(x, 3.0), torch.subtract(x, y),
            torch.subtract(x, 3.0), torch.greater(x, y), torch.less(x, y), torch.not_equal(x, y),
            torch.linalg.matmul(x, y.t()), torch.remainder(7, t + 1)]


def bits(x: Tensor, t: Tensor) -> List[Tensor]:
    return [torch.bitwise_and(6, t), torch.bitwise_or(6, t), torch.bitwise_xor(6, t), torch.bitwise_left_shift(6, t),
            torch.bitwise_right_shift(60, t), torch.bitwise_right_shift(t + 60, t), torch.bitwise_xor(t, t + 1), t ^ 3,
            t.__xor__(5)]


def limits(x: Tensor, t: Tensor) -> List[Tensor]:
    low, high = torch.full_like(x, -0.5), torch.full_like(x, 0.5)
    return [torch.clamp(x, low, high), torch.clamp_max(x, high), torch.clamp_min(x, low), torch.clip(x, -0.3, 0.3),
            torch.clip(x, low, high), torch.where(x > 0, 1.5, -2.5), torch.argmin(x, 1)]


def special_of_one(x: Tensor, t: Tensor) -> List[Tensor]:
    unit = torch.sigmoid(x)
    return [torch.special.digamma(unit), torch.special.psi(unit), torch.special.erf(x), torch.special.erfc(x),
            torch.special.erfinv(unit), torch.special.exp2(x), torch.special.expit(x), torch.special.expm1(x),
            torch.special.gammaln(unit), torch.special.i0(x), torch.special.log1p(unit), torch.special.logit(unit),
            torch.special.round(x), torch.special.sinc(x)]


def special_of_two(x: Tensor, t: Tensor) -> List[Tensor]:
    a, b = x.abs() + 0.5, x.flip([1]).abs() + 0.5
    return [torch.special.gammainc(a, b), torch.special.gammaincc(a, b), torch.special.zeta(a + 1, 2.5)]


def chebyshev(x: Tensor, t: Tensor) -> List[Tensor]:
    y = torch.tanh(x)
    return [torch.special.chebyshev_polynomial_t(y, 3), torch.special.chebyshev_polynomial_t(0.3, t),
            torch.special.chebyshev_polynomial_u(y, 3), torch.special.chebyshev_polynomial_u(0.3, t),
            torch.special.chebyshev_polynomial_v(y, 3), torch.special.chebyshev_polynomial_v(0.3, t),
            torch.special.chebyshev_polynomial_w(y, 3), torch.special.chebyshev_polynomial_w(0.3, t)]


def shifted_chebyshev(x: Tensor, t: Tensor) -> List[Tensor]:
    y = torch.sigmoid(x)
    return [torch.special.shifted_chebyshev_polynomial_t(0.3, t),
            torch.special.shifted_chebyshev_polynomial_u(y, torch.full_like(y, 3.0)),
            torch.special.shifted_chebyshev_polynomial_u(y, 3), torch.special.shifted_chebyshev_polynomial_v(y, 3),
            torch.special.shifted_chebyshev_polynomial_v(0.3, t), torch.special.shifted_chebyshev_polynomial_w(y, 3),
            torch.special.shifted_chebyshev_polynomial_w(0.3, t)]


def other_polynomials(x: Tensor, t: Tensor) -> List[Tensor]:
    return [torch.special.hermite_polynomial_h(x, 3), torch.special.hermite_polynomial_h(0.3, t),
            torch.special.hermite_polynomial_he(x, 3), torch.special.hermite_polynomial_he(0.3, t),
            torch.special.laguerre_polynomial_l(x, 3), torch.special.laguerre_polynomial_l(0.3, t),
            torch.special.legendre_polynomial_p(x, 3), torch.special.legendre_polynomial_p(0.3, t)]


def tensors_as_keys(x: Tensor, t: Tensor) -> Tuple[List[int], List[bool], List[int]]:
    d: Dict[Tensor, int] = {x: 1, t: 2}
    copied, again, made = d.copy(), dict(d), dict([(x, 5)])
    there = [x in d, x.clone() in d]
    del d[t]
    d[t] = 3
    found = [d.get(t, 7), copied.get(x.clone(), 8), copied.pop(x), copied.pop(x, 9), again.popitem()[1],
             made.setdefault(t, 4), len(d.keys()), len(d.items()), sum(d.values())]
    maybe = d.get(x)
    found.append(-1 if maybe is None else maybe)
    made.update(d)
    d.clear()
    empty, listed = torch.ops.aten.dict(), torch.ops.aten.dict(made.items())
    return [len(made), len(d), len(empty), len(listed)], there, found


def lists_of_tensors(x: Tensor, t: Tensor) -> Tuple[bool, bool, int, List[Tensor]]:
    some = [t[0], t[1], t[2], t[3]]
    other = [t[0], t[1], t[2], t[2]]
    same, differ, count = some == [t[0], t[1], t[2], t[3]], some != other, other.count(t[2])
    some.sort()
    some.remove(t[2])
    return same, differ, count, some


def made_of_numbers(x: Tensor, t: Tensor) -> Tuple[List[Tensor], List[int]]:
    made = [torch.as_tensor(True), torch.as_tensor(2.5), torch.as_tensor(3), torch.scalar_tensor(2.5), x.clone().fill_(t[0]),
            torch.ops.prim.NumToTensor(True), torch.ops.prim.NumToTensor(x.size(0))]
    shapes = torch.empty_strided([2, 3], [3, 1]).size() + x.new_empty([2, 5]).size()
    return made, shapes


def questions(x: Tensor, t: Tensor) -> Tuple[List[bool], List[int]]:
    a, b = Thing(1), Thing(1)
    return ([torch.is_nonzero(t[0]), torch.is_same_size(x, t), torch.is_signed(t), id(a) == id(a), id(a) == id(b),
             torch.ops.aten.has_torch_function(x),
             torch._nested_tensor_from_mask_left_aligned(x[None], x[None, :, 0] < 10)],
            torch.ops.prim.infer_unsqueeze_size([2, 3], 1) +
            [torch.promote_types(x.dtype, t.dtype), torch.result_type(1, 2.5), torch.ops.torchvision._cuda_version()] +
            [int(torch.count_nonzero(x > 0, [0, 1])), int(torch.count_nonzero(x > 0, [1])[2])])


def places(x: Tensor, t: Tensor) -> List[bool]:
    return [x.is_cpu, x.is_cuda, x.is_ipu, x.is_meta, x.is_mkldnn, x.is_mps, x.is_nested, x.is_ort, x.is_sparse,
            x.is_sparse_csr, x.is_vulkan, x.is_xpu]


def shapes_and_parts(x: Tensor, t: Tensor) -> List[Tensor]:
    first, second = torch.split_with_sizes(x, [2, 4], 1)
    return [first, second, torch.swapaxes(x, 0, 1), torch.swapdims(x, 0, 1), x.reshape_as(x.t()),
            torch.broadcast_to(t, [2, 4]), torch.concat([x, x], 1), torch.ops.aten._unsafe_view(x, [3, 8]),
            torch.ops.aten.index(x, [torch.clamp_max(t, 3)]),
            torch.scatter(x, 1, t[:, None], 2.0, reduce="add")]


def changed_in_place(x: Tensor, t: Tensor) -> List[Tensor]:
    a, b, c, d = x.clone(), x.clone(), x[:, :1].clone(), x[None, :, :1].clone()
    a.t_()
    b.transpose_(0, 1).unsqueeze_(0)
    c.squeeze_(1)
    d.squeeze_()
    e, f, g = x.clone(), x.clone(), x.clone()
    e.swapaxes_(0, 1)
    f.swapdims_(0, 1)
    g.as_strided_([3, 2], [2, 1])
    return [a, b, c, d, e, f, g]


def converted(x: Tensor, t: Tensor) -> List[Tensor]:
    wanted: Optional[int] = None
    if bool(t[0] == 2):
        wanted = 7
    copies = [torch.ops.aten._to_copy(x), torch.ops.aten._to_copy(x, dtype=torch.float64), x.to(wanted), x.to(False)]
    return copies + [t.to(torch.float64, False, True), x.to(non_blocking=False, copy=True), torch._softmax(x, 1, False), torch._log_softmax(x, 1, False)]


def corrected(x: Tensor, t: Tensor) -> List[Tensor]:
    variance, mean = torch.var_mean(x, [1], correction=2)
    return [torch.var(x, [1], correction=2), torch.std(x, [0], correction=0, keepdim=True), variance, mean]


def padded(x: Tensor, t: Tensor) -> List[Tensor]:
    planes, volumes = x[None], x.view(1, 2, 2, 2, 3)
    return [torch.ops.aten.reflection_pad2d(planes, [1, 2, 2, 1]), torch.ops.aten.replication_pad2d(planes, [1, 2, 2, 1]),
            torch.ops.aten.reflection_pad3d(volumes, [1, 1, 1, 1, 1, 1]),
            torch.ops.aten.replication_pad3d(volumes, [1, 2, 1, 0, 2, 1])]


def resized(x: Tensor, t: Tensor) -> List[Tensor]:
    images, volumes = x[None, None], x.view(1, 1, 2, 4, 3)
    return [torch.ops.aten.upsample_nearest2d(images, [6, 9]), torch.ops.aten.upsample_bilinear2d(images, [6, 9], False),
            torch.ops.aten.upsample_nearest3d(volumes, [3, 6, 5]),
            torch.ops.aten.upsample_trilinear3d(volumes, [3, 6, 5], True),
            torch.ops.aten._upsample_nearest_exact3d(volumes, [3, 6, 5])]


def convolved(x: Tensor, t: Tensor) -> Tensor:
    return torch.ops.aten._convolution(x[None, None], x[None, None, :2, :3], None, [1, 1], [0, 1], [1, 1], False, [0, 0], 1,
                                       False, False, True)


def quantized(x: Tensor, t: Tensor) -> Tuple[List[Tensor], int, Any]:
    q = torch.quantize_per_tensor(x, 0.05, 3, torch.quint8)
    c = torch.quantize_per_channel(x, torch.tensor([0.1, 0.05, 0.02, 0.1]), torch.tensor([0, 3, 1, 2]), 0, torch.qint8)
    both = torch.dequantize([q, q])
    anything: Any = (q, 3)
    return ([both[0], torch.dequantize(qtensors=[q])[0], torch.dequantize(qtensor=q),
             torch.dequantize(q), torch.dequantize(torch.ops.quantized.cat_relu([q, q], 0, 0.05, 3)),
             torch.dequantize(torch.ops.quantized.sigmoid(q, 0.00390625, 0)), torch.q_per_channel_zero_points(c)],
            torch.q_per_channel_axis(c), torch.dequantize(tensors=anything))


def random_numbers(x: Tensor, t: Tensor) -> List[Tensor]:
    torch.manual_seed(11)
    noise = torch.zeros_like(x)
    return [torch.randint(10, [5], generator=None), torch.randint(3, 10, [5], generator=None),
            torch.randn([5], generator=None), torch.randperm(7, generator=None), torch.bernoulli(x, torch.sigmoid(x)),
            torch.ops.aten.rrelu_with_noise(x, noise, 0.1, 0.3, False)]


PROGRAMS = [other_names_of_unary, other_names_of_binary, bits, limits, special_of_one, special_of_two, chebyshev,
            shifted_chebyshev, other_polynomials, tensors_as_keys, lists_of_tensors, made_of_numbers, questions, places,
            shapes_and_parts, changed_in_place, converted, corrected, padded, resized, convolved, quantized,
            random_numbers]
