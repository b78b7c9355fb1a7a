"""Numbers as elements: which an element type takes, and what floats become that do not fit into an int."""
import math
from typing import List

import torch


def converted(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y = torch.tensor([math.nan, math.inf, -math.inf, 1e20, -1e10, 3e9, 70000.0, -300.0])
    parts: List[torch.Tensor] = []
    for z in [y, y.to(torch.float64), y.repeat(9), y.to(torch.float16), y[6]]:
        parts += [z.to(torch.uint8), z.to(torch.int8), z.to(torch.int16), z.to(torch.int32), z.to(torch.int64)]
    wide = torch.tensor([300, -1, 1 << 40])
    return parts + [wide.to(torch.uint8), wide.to(torch.int8), wide.to(torch.int16), wide.to(torch.int32)]


def taken(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    b = torch.tensor([1, 2], dtype=torch.uint8)
    h = torch.tensor([1.0, 2.0], dtype=torch.float16)
    return [torch.full([1], -1, dtype=torch.uint8), b.masked_fill(b > 1, -255), torch.full([1], math.inf, dtype=torch.float16),
            torch.full([1], 300, dtype=torch.bool), torch.tensor(300, dtype=torch.uint8), torch.tensor([1e39], dtype=torch.int32),
            torch.tensor(0.1 + 1j, dtype=torch.complex128), h.fill_(65504), b + 300, torch.tensor([1e39])]


def full_byte(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.full([1], 300, dtype=torch.uint8)


def scalar_half(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.scalar_tensor(70000.0, dtype=torch.float16)


def masked_short(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return t.to(torch.int16).masked_fill_(t > 1, 40000)


def chosen_byte(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.where(t > 1, t.to(torch.uint8), -256)


def scattered_char(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return t.to(torch.int8).scatter(0, t[1:2], 128)


def padded_int(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.constant_pad_nd(t.to(torch.int32), [1, 1], 1 << 31)


def clamped_byte(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return t.to(torch.uint8).clamp(max=256)


def scaled_byte(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.add(t.to(torch.uint8), t.to(torch.uint8), alpha=300)


def large_tensor(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.tensor(1e39, dtype=torch.float64)


def large_item(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    x[0, 0] = 1e39
    return x


def long_nan(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return t.fill_(math.nan)


PROGRAMS = [converted, taken]
OVERFLOWS = "value cannot be converted to type %s without overflow"
FAILURES = {full_byte: OVERFLOWS % "uint8_t", scalar_half: OVERFLOWS % "at::Half", masked_short: OVERFLOWS % "int16_t",
            chosen_byte: OVERFLOWS % "uint8_t", scattered_char: OVERFLOWS % "int8_t", padded_int: OVERFLOWS % "int",
            clamped_byte: OVERFLOWS % "uint8_t", scaled_byte: OVERFLOWS % "uint8_t", large_tensor: OVERFLOWS % "float",
            large_item: OVERFLOWS % "float", long_nan: OVERFLOWS % "int64_t"}
