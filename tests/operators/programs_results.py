"""The dtypes in which operators calculate: those of destinations, of the arguments together, of gradients."""
from typing import List

import torch
import torch.nn.functional as F
from torch import Tensor


def destinations(x: Tensor, t: Tensor) -> List[Tensor]:
    found: List[Tensor] = []
    for dtype in [torch.int16, torch.uint8, torch.float64]:
        y = x.abs() * 3
        o = torch.empty(0, dtype=dtype)
        found += [torch.sum(y, [1], out=o.clone()), torch.prod(y, 1, out=o.clone()), torch.cumsum(y, 1, out=o.clone()), torch.cumprod(y, 1, out=o.clone())]
    half = torch.empty(0, dtype=torch.float64)
    return found + [torch.mean(x.to(torch.float16), [1], out=half), torch.nansum(x > 0, [0], out=torch.empty(0, dtype=torch.bool))]


def lines_into(x: Tensor, t: Tensor) -> List[Tensor]:
    """A destination of as many elements keeps its sizes."""
    number, rows = torch.zeros([]), torch.zeros([2, 3])
    return [torch.linspace(2, 6, 1, out=number.clone()), torch.logspace(0, 2, 6, out=rows.clone()), torch.arange(6, out=rows.clone()), torch.arange(2, 3, out=number.clone()),
            torch.range(1, 6, out=rows.clone()), torch.arange(5, out=rows.clone()), torch.linspace(0, 9, 6, out=rows.to(torch.int64)), torch.range(0, 2.5, 0.5, out=rows.t())]


def whole_powers(x: Tensor, t: Tensor) -> List[Tensor]:
    """Integers lose their fractions before the steps between them are counted."""
    found: List[Tensor] = []
    for dtype in [torch.int64, torch.uint8]:
        found += [torch.logspace(0.5, 3.7, 5, 2.0, dtype=dtype), torch.logspace(1.9, 7.9, 4, 3.0, dtype=dtype), torch.logspace(3, 0, 5, 2.0, dtype=dtype)]
    return found + [torch.logspace(-1.2, 4.9, 4, 2.0, dtype=torch.int32)]


def sums_of_bools(x: Tensor, t: Tensor) -> List[Tensor]:
    whole = torch.stack([t, -t])
    b = torch.empty(0, dtype=torch.bool)
    return [torch.sum(whole, [0], dtype=torch.bool), torch.sum(whole, dtype=torch.bool), torch.prod(whole, 0, dtype=torch.bool), torch.sum(whole, [0], out=b)]


def together(x: Tensor, t: Tensor) -> List[Tensor]:
    small, half, other = (t * 40).to(torch.uint8), x[0].to(torch.bfloat16), x[1].to(torch.float16)
    a, b = torch.tensor(-1, dtype=torch.int8), torch.tensor(0.5, dtype=torch.bfloat16)
    found = [torch.addr(torch.complex(x, x)[:, :4], small, small), torch.addr(x.to(torch.float64)[:, :4], small, small)]
    found += [torch.special.xlog1py(a, b), torch.xlogy(a, b), F.cosine_similarity(x, (x * 3).to(torch.int8)), F.soft_margin_loss(half.float(), half.float() > 0)]
    return found + [F.hardtanh(small, -0.5, 90.0), torch._softmax_backward_data(x.to(torch.float64), x.to(torch.float64).softmax(1), 1, torch.float32)]


def histograms_of_nothing(x: Tensor, t: Tensor) -> List[Tensor]:
    counts, edges = torch.histogram(x[:0].flatten(), 4)
    return [counts, edges]


def circles(x: Tensor, t: Tensor, case: int) -> Tensor:
    image = x.reshape(1, 1, 4, 6)
    if case == 0:
        return F.pad(image, [1, 1], mode="circular")
    if case == 1:
        return F.pad(x, [1, 1, 1, 1], mode="circular")
    return torch.addr(t.reshape(4, 1), t, t[:1], beta=0.5)


def other_dtypes(x: Tensor, t: Tensor, case: int) -> Tensor:
    d = torch.empty(0, dtype=torch.float64)
    if case == 0:
        return torch.mm(x, x.t(), out=d)
    if case == 1:
        return torch.sum(x, [1], dtype=torch.float32, out=d)
    if case == 2:
        return torch.cumsum(x, 1, dtype=torch.float32, out=d)
    if case == 3:
        values, places = torch.topk(x, 2, 1, values=d, indices=torch.empty(0, dtype=torch.int64))
        return values
    if case == 4:
        return torch.mean(t, [0], out=d)
    if case == 5:
        return torch.mean(x, [0], dtype=torch.int64)
    return torch.mean(x, [0], out=torch.empty(0, dtype=torch.int64))


def read_destinations(x: Tensor, t: Tensor, case: int) -> Tensor:
    """A destination that is an argument, too, is not resized."""
    row = x[0].clone()
    if case == 0:
        return torch.add(x, row, out=row)
    if case == 1:
        return torch.maximum(row, x, out=row)
    if case == 2:
        return torch.where(x > 0, row, x, out=row)
    if case == 3:
        return torch.addcmul(x, x, row, out=row)
    if case == 4:
        return torch.cat([row, row], out=row)
    if case == 5:
        return torch.cat([row], out=row)
    return torch.stack([row, row], out=row)


def fake_numbers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """What is no number, and what no int can hold, is the least step; half precision does not limit the steps."""
    found: List[torch.Tensor] = []
    for dtype in [torch.float32, torch.float16]:
        v = torch.tensor([float("nan"), 1.0, float("inf"), -float("inf"), -300.0, 300.0, 1e30]).to(dtype)
        one, zero = torch.tensor([0.1]), torch.tensor([3], dtype=torch.int32)
        found += [torch.fake_quantize_per_tensor_affine(v, 0.1, 3, 0, 255), torch.fake_quantize_per_tensor_affine(v, 0.001, 0, -128, 127),
                  torch.fake_quantize_per_tensor_affine(v, one, zero, -8, 7), torch.fake_quantize_per_channel_affine(v.reshape(1, -1), one, zero, 0, 0, 15),
                  torch.ops.aten.fake_quantize_per_tensor_affine_cachemask(v, 0.1, 3, 0, 255)[1]]
    return found


def laid_out(x: Tensor, t: Tensor) -> List[Tensor]:
    """The first operand of the result's shape decides how the result lies, also where another one is last used."""
    found: List[Tensor] = []
    for k in range(3):
        y = (x.t().contiguous() * (k + 1)).t()
        z = x + y if k == 0 else torch.where(x > 0, x, y) if k == 1 else torch.addcmul(x, y, y)
        found.append(z.view(-1))
    y = x.t().contiguous() * 2
    return found + [(y.t() + x).t().view(-1)]


def losses_of_bools(x: Tensor, t: Tensor) -> List[Tensor]:
    y = x > 0
    return [F.mse_loss(x, y), F.mse_loss(y, x), F.mse_loss(x, y, reduction="none"), F.smooth_l1_loss(x, y), F.smooth_l1_loss(y, x, reduction="sum"),
            F.huber_loss(x, y), F.huber_loss(x, y, reduction="none", delta=0.5), F.mse_loss(x.to(torch.float64), y)]


def answers_into(x: Tensor, t: Tensor) -> List[Tensor]:
    """Destinations of bools or bytes, whatever is asked."""
    found: List[Tensor] = []
    for given in [x > 0, (x > 0).to(torch.uint8) * 3, x, torch.zeros([0, 3], dtype=torch.uint8), torch.tensor(2, dtype=torch.uint8)]:
        for dtype in [torch.bool, torch.uint8]:
            found.append(torch.any(given, out=torch.zeros([], dtype=dtype)))
            found.append(torch.all(given, out=torch.zeros([], dtype=dtype)))
            found.append(torch.any(given, -1, True, out=torch.zeros([0], dtype=dtype)))
            found.append(torch.all(given, 0, out=torch.zeros([0], dtype=dtype)))
        found += [given.any(), given.all(), given.any(0), given.all(-1, True)]
    return found


def other_answers(x: Tensor, t: Tensor, case: int):
    if case == 0:
        return torch.any(x, out=torch.zeros([], dtype=torch.int8))
    if case == 1:
        return torch.all(x, 0, out=torch.zeros([0]))
    if case == 2:
        return torch.all(x > 0, out=torch.zeros([], dtype=torch.int64))
    if case == 3:
        return torch.var(x, [1], True, False, out=torch.zeros([0], dtype=torch.complex64))
    return torch.var_mean(t, [0], True, False)[0]


def variances_into(x: Tensor, t: Tensor) -> List[Tensor]:
    """Are those of elements of the destination's type."""
    found: List[Tensor] = []
    for given in [torch.bfloat16, torch.float16, torch.float32, torch.float64, torch.complex64]:
        y = x.to(given)
        for dtype in [torch.bfloat16, torch.float16, torch.float32, torch.float64]:
            if dtype == torch.float32 or dtype == torch.float64 or given != torch.complex64:
                found.append(torch.var(y, [1], True, False, out=torch.zeros([0], dtype=dtype)).to(torch.float64))
            if dtype == torch.float32 or dtype == torch.float64:
                found.append(torch.std(y, [0], correction=0, keepdim=True, out=torch.zeros([0], dtype=dtype)).to(torch.float64))
    return found


PROGRAMS = [answers_into, variances_into, laid_out, fake_numbers, losses_of_bools, destinations, lines_into, whole_powers, sums_of_bools, together, histograms_of_nothing]
SHAPES, SHARED = "output with shape [6] doesn't match the broadcast shape [4, 6]", "unsupported operation: some elements of the input tensor"
FAULTS = {other_answers: ["any only supports bool tensor for result, got: Char", "all only supports bool tensor for result, got: Float",
                          "all only supports bool tensor for result, got: Long", "not implemented for 'ComplexFloat'",
                          "var_mean only support floating point and complex dtypes"],
          read_destinations: [SHAPES] * 4 + [SHARED] * 3,
          circles: ["Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now"] * 2 + ["For integral input tensors, argument beta"],
          other_dtypes: [("Expected out tensor to have dtype float, but got double instead", "Expected out tensor to have dtype float32, but got float64 instead")] * 3 +
                        ["Expected out tensor to have dtype float, but got double instead", "Input dtype must be either a floating point or complex dtype. Got: Long",
                         "Optional dtype must be either a floating point or complex dtype. Got: Long", "result type Float can't be cast to the desired output type Long"]}
