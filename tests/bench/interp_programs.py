"""The programs of the interpreter benchmark. Each class is one program: forward(n) makes n turns of a loop that spends
its time in one part of the language. interp.lua holds the same programs in Lua, under the same names."""
from typing import Dict, List, Tuple

import torch
from torch import nn


class SumInt(nn.Module):
    """Integer addition."""

    def forward(self, n: int) -> int:
        total = 0
        for i in range(n):
            total += i
        return total


class Collatz(nn.Module):
    """A while loop with branches, remainder and division."""

    def forward(self, n: int) -> int:
        turns = 0
        x = 27
        while turns < n:
            if x % 2 == 0:
                x = x // 2
            else:
                x = x * 3 + 1
            if x == 1:
                x = 27
            turns += 1
        return x


class Fibonacci(nn.Module):
    """Two loop variables that change places."""

    def forward(self, n: int) -> int:
        a = 0
        b = 1
        for _ in range(n):
            a, b = b, (a + b) % 1000003
        return a


class Logistic(nn.Module):
    """Float arithmetic."""

    def forward(self, n: int) -> int:
        x = 0.5
        for _ in range(n):
            x = 3.7 * x * (1.0 - x)
        return int(x * 1000000.0)


class ListAppend(nn.Module):
    """Lists of 100 numbers that grow and are dropped."""

    def forward(self, n: int) -> int:
        total = 0
        for i in range(n // 100):
            numbers: List[int] = []
            for j in range(100):
                numbers.append(i + j)
            total += numbers[i % 100] + len(numbers)
        return total


class ListUpdate(nn.Module):
    """Reading and writing items of a list."""

    def forward(self, n: int) -> int:
        slots = [0] * 64
        for i in range(n):
            k = i % 64
            slots[k] = slots[k] + i
        return slots[5]


class StringDict(nn.Module):
    """Strings that are put together and looked up."""

    def forward(self, n: int) -> int:
        counts: Dict[str, int] = {}
        for i in range(n):
            key = "k" + str(i % 16)
            if key in counts:
                counts[key] = counts[key] + 1
            else:
                counts[key] = 1
        return counts["k3"] + len(counts)


class IntDict(nn.Module):
    """A dict with int keys."""

    def forward(self, n: int) -> int:
        sums: Dict[int, int] = {}
        for i in range(n):
            k = i % 64
            sums[k] = sums.get(k, 0) + i
        return sums[7]


class TupleCall(nn.Module):
    """A method that takes and returns two numbers."""

    def advance(self, a: int, b: int) -> Tuple[int, int]:
        return b, a + b

    def forward(self, n: int) -> int:
        pair = (1, 1)
        for _ in range(n):
            pair = self.advance(pair[0] % 1000, pair[1] % 1000)
        return pair[0]


class OneElement(nn.Module):
    """Two operators a turn on a tensor of one element."""

    def forward(self, n: int) -> int:
        x = torch.zeros(1)
        for i in range(n):
            x = x * 2.0 + 1.0
            if i % 16 == 0:
                x = x * 0.0
        return int(x.item())


class FourByFour(nn.Module):
    """The same on a 4x4 tensor."""

    def forward(self, n: int) -> int:
        x = torch.zeros(4, 4)
        for i in range(n):
            x = x * 2.0 + 1.0
            if i % 16 == 0:
                x = x * 0.0
        return int(x[0, 0].item())


class MatrixProduct(nn.Module):
    """A 4x4 matrix product and an addition a turn."""

    def forward(self, n: int) -> int:
        a = torch.eye(4)
        x = torch.ones(4, 4)
        for _ in range(n):
            x = torch.matmul(x, a) + a
        return int(x[0, 1].item())


class SetItem(nn.Module):
    """Writing one element of a small tensor."""

    def forward(self, n: int) -> int:
        x = torch.zeros(16)
        for i in range(n):
            x[i % 16] = float(i)
        return int(x[3].item())


# Program, turns of one timed run.
PROGRAMS = [
    (SumInt, 1000000), (Collatz, 300000), (Fibonacci, 500000), (Logistic, 500000), (ListAppend, 300000), (ListUpdate, 300000),
    (StringDict, 20000), (IntDict, 200000), (TupleCall, 200000), (OneElement, 10000), (FourByFour, 10000), (MatrixProduct, 10000),
    (SetItem, 10000),
]
