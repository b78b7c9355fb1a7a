"""What PyTorch 2 calculates in half precision, and 1.13 did not; not-a-number in complex numbers."""
from typing import List, Tuple

import torch


def weights(x: torch.Tensor, gates: int, inputs: int) -> List[torch.Tensor]:
    a = (torch.arange(gates * 5 * inputs) * 37 % 101).reshape(gates * 5, inputs) * 0.01 - 0.5
    b = (torch.arange(gates * 25) * 53 % 97).reshape(gates * 5, 5) * 0.01 - 0.5
    c = (torch.arange(gates * 5) * 7 % 11) * 0.05
    return [a.to(x.dtype), b.to(x.dtype), c.to(x.dtype), (c - 0.25).to(x.dtype)]


def layers(x: torch.Tensor, dtype: torch.dtype) -> List[torch.Tensor]:
    y = x.reshape(3, 2, 4).to(dtype)
    h, c = torch.full([2, 2, 5], 0.5, dtype=dtype), torch.full([2, 2, 5], -0.25, dtype=dtype)
    found = list(torch.lstm(y, [h, c], weights(y, 4, 4) + weights(y, 4, 5), True, 2, 0.0, False, False, False))
    found += list(torch.lstm(y, [h, c], weights(y, 4, 4) + weights(y, 4, 4), True, 1, 0.0, False, True, False))
    found += list(torch.gru(y, h[:1], weights(y, 3, 4), True, 1, 0.0, False, False, False))
    found += list(torch.rnn_tanh(y, h[:1], weights(y, 1, 4), True, 1, 0.0, False, False, False))
    found += list(torch.rnn_relu(y, h[:1], weights(y, 1, 4), True, 1, 0.0, False, False, False))
    packed, sizes = torch._pack_padded_sequence(y, torch.tensor([3, 2]), False)
    return found + list(torch.lstm(packed, sizes, [h[:1], c[:1]], weights(y, 4, 4), True, 1, 0.0, False, False))


def cells(x: torch.Tensor, dtype: torch.dtype) -> List[torch.Tensor]:
    y = x[:2, :4].to(dtype)
    h, c = torch.full([2, 5], 0.5, dtype=dtype), torch.full([2, 5], -0.25, dtype=dtype)
    a, b, d = weights(y, 4, 4), weights(y, 3, 4), weights(y, 1, 4)
    found = list(torch.lstm_cell(y, [h, c], a[0], a[1], a[2], a[3]))
    return found + [torch.gru_cell(y, h, b[0], b[1], b[2], b[3]), torch.rnn_tanh_cell(y, h, d[0], d[1], d[2], d[3]), torch.rnn_relu_cell(y, h, d[0], d[1])]


# The last digit is rounded after every operator there: types and shapes, and whether numbers are those of float32.
def recurrent(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    found: List[torch.Tensor] = []
    for dtype in [torch.float16, torch.bfloat16]:
        near = 0.004 if dtype == torch.float16 else 0.03
        for half, full in zip(layers(x, dtype) + cells(x, dtype), layers(x, torch.float32) + cells(x, torch.float32)):
            found += [torch.zeros_like(half), (half.to(torch.float32) - full).abs() < near]
    return found


def chances(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y = x.to(torch.float16)
    torch.manual_seed(4)
    found = [torch.bernoulli(y, 0.5), y.clone().bernoulli_(0.25), torch.multinomial(y.abs(), 3), torch.multinomial(y.abs(), 9, True)]
    return found + [torch.dropout(y, 0.5, True), torch.feature_dropout(y, 0.5, True)]


# Without the digits of the results themselves, which are rounded after every step there.
def rest(made: Tuple[torch.Tensor, torch.Tensor, torch.Tensor]) -> List[torch.Tensor]:
    return [torch.zeros_like(made[0]), made[1], made[2]]


def statistics(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    found: List[torch.Tensor] = []
    for dtype in [torch.float16, torch.bfloat16]:
        y = x.reshape(2, 3, 4).to(dtype)
        w = x[0, :3].abs() + 1
        h = w.to(dtype)
        m, v, n, u = w * 0.5, w * 2, h * 0.5, h * 2
        found += rest(torch.native_batch_norm(y, w, w, m, v, True, 0.1, 1e-5)) + [m, v]
        found += rest(torch.native_batch_norm(y, h, h, n, u, True, 0.1, 1e-5)) + [n, u]
        found += rest(torch.native_batch_norm(y, w, w, m, v, False, 0.1, 1e-5)) + rest(torch.native_batch_norm(y, None, None, None, None, True, 0.1, 1e-5))
        found += rest(torch.native_batch_norm(y, None, w, None, None, True, 0.1, 1e-5)) + rest(torch._native_batch_norm_legit(y, w, w, True, 0.1, 1e-5))
        found += list(torch.batch_norm_update_stats(y, m, v, 0.1)) + list(torch.batch_norm_update_stats(y, None, None, 0.1))
        found += rest(torch.native_group_norm(y, w, w, 2, 3, 4, 3, 1e-5)) + rest(torch.native_group_norm(y, None, None, 2, 3, 4, 1, 1e-5))
        found += rest(torch.native_layer_norm(y, [4], x[0, :4].abs(), x[1, :4], 1e-5)) + rest(torch.native_layer_norm(y, [4], None, None, 1e-5))
    return found


def replaced_parts(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    nan, inf = float("nan"), float("inf")
    z = torch.complex(torch.tensor([nan, inf, 1.0, -inf]), torch.tensor([-inf, nan, 2.0, nan]))
    double = z.to(torch.complex128)
    return [torch.nan_to_num(z), torch.nan_to_num(z, 3.0, 4.0, -5.0), torch.nan_to_num(double), double.clone().nan_to_num_(posinf=2.0)]


def remainders(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """By numbers and tensors without dimensions, which are rounded to the half first."""
    found: List[torch.Tensor] = []
    for dtype in [torch.float16, torch.bfloat16]:
        y = (torch.arange(8) * 0.37 - 1.2).to(dtype)
        found += [y % 0.1, torch.fmod(y, 0.3), y % torch.tensor(0.1), torch.fmod(torch.tensor(5.1), y), torch.remainder(2.7, y), y[::2].remainder_(0.1), y % y.flip(0), y[0] % 0.1]
    return found


def mixed_dtypes(x: torch.Tensor, t: torch.Tensor, case: int) -> torch.Tensor:
    y = x.reshape(3, 2, 4)
    return torch.gru(y.to(torch.float16), torch.zeros([1, 2, 5], dtype=torch.float16), weights(y, 3, 4), True, 1, 0.0, False, False, False)[0]


PROGRAMS = [recurrent, chances, statistics, replaced_parts, remainders]
FAULTS = {mixed_dtypes: [("mat1 and mat2 must have the same dtype", "recurrent layers want parameters of the input's type, float16")]}
