"""Small tensors, which have ways of their own through the runtime: numbers stored into items, products that are not
packed, operators whose operands lie as the loop reads them."""
from typing import List

import torch


def fill_items(y: torch.Tensor) -> torch.Tensor:
    y[0, 0] = 3.7
    y[0, -1] = -1.5
    y[1] = 300.0
    y[2, 1] = 16777217.0
    y[2, 2] = 300
    y[3, 0] = True
    y[3, 1:3] = 2.5
    y[:, 4] = 7
    return y


def items_of_types(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return [fill_items(torch.zeros(4, 6, dtype=torch.float32)), fill_items(torch.zeros(4, 6, dtype=torch.float64)),
            fill_items(torch.zeros(4, 6, dtype=torch.float16)), fill_items(torch.zeros(4, 6, dtype=torch.bfloat16)).to(torch.float32),
            fill_items(torch.zeros(4, 6, dtype=torch.int64)), fill_items(torch.zeros(4, 6, dtype=torch.int32)),
            fill_items(torch.zeros(4, 6, dtype=torch.uint8)), fill_items(torch.zeros(4, 6, dtype=torch.bool)),
            fill_items(torch.zeros(4, 6, dtype=torch.complex64)), fill_items(torch.zeros(6, 4).t()[:4]),
            torch.tensor(16777217.0, dtype=torch.int64), torch.tensor([16777217.0], dtype=torch.int64)]


def items_in_loops(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y, z = torch.zeros(4), x.clone()
    for i in range(4):
        y[i] = float(i)
        y[-1 - i] = y[i] + 1
        v = z[i]
        v[2] = 5.0
        z[i, 0] = z[i, 1] * 2.0
        z[i, 3] = int(t[i])
    w = torch.zeros(2, 3)
    row = w[1]
    row[0] = 1.0
    w[0] = 2.0
    return [y, z, w, row]


def item_out_of_range(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    y = torch.zeros(3)
    y[int(t[2])] = 1.0
    return y


def item_of_scalar(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    y = torch.zeros([])
    y[0] = 1.0
    return y


def products(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a: List[torch.Tensor] = []
    for m in range(1, 6):
        for n in range(1, 6):
            for k in range(0, 5):
                p, q = torch.arange(m * k).reshape(m, k) * 0.5 - 1, torch.arange(k * n).reshape(k, n) * 0.25 + x[0, 0]
                a.append(torch.matmul(p, q))
    y = x[:, :4]
    b = torch.stack([y, y + 1])
    return a + [y @ y, y.t() @ y, y @ y.t(), x[:, ::2] @ x[:3, :], b @ b, torch.bmm(b, b.transpose(1, 2)), x[0] @ x[1], x @ x[0], x[:, 0] @ x,
                torch.mm(t.view(2, 2), t.view(2, 2)), torch.addmm(y, y, y, beta=0.5), x.to(torch.float64) @ x.t().to(torch.float64)]


def operators(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y, z = x * 2.0, x[:, :3]
    y = y + 1.0
    y -= x
    y *= y
    u = z + z
    v = z * x[:, 3:]
    w = x.t() + x.t()
    s = torch.ones([]) + 1
    s += 2.5
    a = t + 1
    b = a * 3 - t
    c = a * 1.5
    d = 2.0 - x
    e = (x > 0.0).to(torch.int64) + (x > x.flip([0])).to(torch.int64)
    row = x.clone()
    row[1] += row[0]
    return [y, u, v, w, s, a, b, c, d, e, row, x + t.view(4, 1), torch.add(x, x, alpha=3), x.to(torch.float64) + x, (t.to(torch.int32) + t) * 2.5,
            x.relu() + x.sigmoid() * x.tanh()]


def shifted(x: torch.Tensor, by: torch.Tensor = None, times: int = 2) -> torch.Tensor:
    return x + by * times


def default_that_is_no_tensor(x: torch.Tensor, t: torch.Tensor):
    """PyTorch passes a tensor that is not defined where nothing is given, and fails at its first use."""
    return shifted(x, t[0]), shifted(x, by=t[1], times=3)


PROGRAMS = [default_that_is_no_tensor, items_of_types, items_in_loops, products, operators]
FAILURES = {item_out_of_range: "select(): index 5 out of range for tensor of size [3] at dimension 0",
            item_of_scalar: "select() cannot be applied to a 0-dim tensor."}
