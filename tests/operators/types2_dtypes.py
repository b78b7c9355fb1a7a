"""uint16, uint32, uint64 and the float8 types: made, converted, copied, printed, and what PyTorch computes of them."""
from typing import List

import torch
from torch import Tensor

def numbers() -> Tensor:
    return torch.tensor([0.0, 1.0, 1.0625, 3.3, 17.0, 200.0, 247.0, 1e-3, 1e-5, 230.0])


def to_and_back(x: Tensor, dtype: int) -> List[Tensor]:
    y = x.to(dtype)
    return [y, y.float(), y.double(), y.half(), y.to(torch.bfloat16).float(), y.to(torch.bool), y.to(torch.int64), y.to(torch.uint8), y.to(torch.complex64)]


def made(dtype: int) -> List[Tensor]:
    a = torch.full([2], 3, dtype=dtype)
    a.fill_(2.0)
    return [torch.zeros([2], dtype=dtype), torch.ones([2], dtype=dtype), a, torch.ones_like(a),
            torch.tensor([1.0, 2.0], dtype=dtype), torch.scalar_tensor(2, dtype=dtype), a.new_zeros([3])]


def moved(x: Tensor, dtype: int) -> List[Tensor]:
    y = x[:6].reshape(2, 3).to(dtype)
    z = y.clone()
    z[0, 1] = 7
    z[1] = y[0]
    return [y.t().contiguous(), torch.cat([y, y], 1), torch.stack([y, y]), y.flip(0), y.roll(1, 0),
                              y.repeat(2, 1), y.index_select(1, torch.tensor([2, 0])), y.expand(2, 2, 3).contiguous(), z,
                              y.repeat_interleave(2), torch.nn.functional.pad(y, [1, 1]), y.diag(), y[:, 1:]]


def compared(x: Tensor, dtype: int) -> List[Tensor]:
    y = x.to(dtype)
    return [y == y.roll(1, 0), y != y, y == 1, y * y, y.any(), y.all(), y.isnan()]


def conversions(x: Tensor, t: Tensor):
    r: List[List[Tensor]] = []
    for dtype in [torch.uint16, torch.uint32, torch.uint64, torch.float8_e5m2, torch.float8_e4m3fn, torch.float8_e5m2fnuz,
                  torch.float8_e4m3fnuz]:
        r.append(to_and_back(numbers(), dtype))
        r.append(made(dtype))
    return r


def movements(x: Tensor, t: Tensor):
    r: List[List[Tensor]] = []
    for dtype in [torch.uint16, torch.uint32, torch.uint64, torch.float8_e5m2, torch.float8_e4m3fn, torch.float8_e5m2fnuz,
                  torch.float8_e4m3fnuz]:
        r.append(moved(numbers(), dtype))
        r.append(compared(numbers(), dtype))
    return r


def signed_floats(x: Tensor, t: Tensor):
    y = torch.cat([-numbers(), numbers() * 1000.0, numbers() / 128.0, torch.tensor([float("inf"), -float("inf"), float("nan"), -0.0])])
    r: List[Tensor] = []
    for dtype in [torch.float8_e5m2, torch.float8_e4m3fn, torch.float8_e5m2fnuz, torch.float8_e4m3fnuz]:
        r.append(y.to(dtype))
        r.append(y.to(dtype).float())
    return r


def large_ints(x: Tensor, t: Tensor):
    big = torch.tensor([-2, 5, 9007199254740993]).to(torch.uint64)
    return [big.float(), big.double(), big.to(torch.int64), big * big, big & big, big | 1, big ^ big, big / 2,
            big.float().to(torch.uint64).to(torch.int64), torch.tensor([-1, 70000, -70000]).to(torch.uint16).to(torch.int64),
            torch.tensor([-1, 8589934599]).to(torch.uint32).to(torch.int64), torch.tensor([3e9]).to(torch.uint32).to(torch.int64),
            torch.full([1], -2, dtype=torch.uint16), torch.full([1], -2, dtype=torch.uint64), big.sum(), big.prod(),
            big.cumsum(0)]


def results(x: Tensor, t: Tensor):
    a, b = torch.tensor([4, 9]).to(torch.uint16), torch.tensor([1.0, 2.0]).to(torch.float8_e4m3fn)
    return [a + 1.5, a * 2.5, a + torch.ones(2), a + torch.ones(2).half(), a.sqrt(), a / a, a * torch.tensor(2.5), torch.cat([a, torch.ones(2)])], \
        [a * 2, a * torch.tensor(True), a * torch.tensor(2)], [a == torch.ones(2)], \
        (a[1].item(), int(a[0]), float(a[0]), bool(a[0]), b[1].item(), int(b[0]), float(b[1]), bool(b[0])), \
        (a.dtype, b.dtype, a.is_floating_point(), b.is_floating_point(), a.is_signed(), b.is_signed(), a.element_size(),
         torch.can_cast(torch.uint16, torch.int8), torch.can_cast(torch.float8_e5m2, torch.int8))


def printed(x: Tensor, t: Tensor):
    y = torch.tensor([[1.5, 2.0], [3.0, 100.0]])
    text = ""
    for dtype in [torch.uint16, torch.uint32, torch.uint64, torch.float8_e5m2, torch.float8_e4m3fn, torch.float8_e5m2fnuz,
                  torch.float8_e4m3fnuz]:
        text += str(y.to(dtype))
    return text


def add_ints(x: Tensor, t: Tensor):
    return torch.ones([2], dtype=torch.uint16) + torch.ones([2], dtype=torch.uint16)


def add_floats(x: Tensor, t: Tensor):
    return torch.ones([2], dtype=torch.float8_e5m2) + 1


def mixed_ints(x: Tensor, t: Tensor):
    return torch.ones([2], dtype=torch.uint16) == torch.ones([2], dtype=torch.int32)


def mixed_floats(x: Tensor, t: Tensor):
    return torch.cat([torch.ones([2], dtype=torch.float8_e5m2), torch.ones([2])])


def less(x: Tensor, t: Tensor):
    return torch.ones([2], dtype=torch.uint64) < 5


def too_great(x: Tensor, t: Tensor):
    return torch.full([2], 70000, dtype=torch.uint16)


def too_great_float(x: Tensor, t: Tensor):
    return torch.full([2], 1e6, dtype=torch.float8_e4m3fn)


def too_great_item(x: Tensor, t: Tensor):
    return torch.tensor([-1]).to(torch.uint64).item()


PROGRAMS = [conversions, movements, signed_floats, large_ints, results, printed]
FAILURES = {
    add_ints: "not implemented for 'UInt16'",
    add_floats: "not implemented for 'Float8_e5m2'",
    mixed_ints: "Promotion for",
    mixed_floats: "Promotion for",
    less: "not implemented for 'UInt64'",
    too_great: "value cannot be converted to type uint16_t without overflow",
    too_great_float: "value cannot be converted to type at::Float8_e4m3fn without overflow",
    too_great_item: "value cannot be converted to type int64_t without overflow",
}
