"""A module whose buffers are made by nn.Buffer."""
import torch
from torch import Tensor, nn


class Shared(nn.Module):
    def __init__(self, table: Tensor):
        super().__init__()
        self.table = table

    def forward(self, x: Tensor) -> Tensor:
        return x + self.table


class Buffers(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Buffer(torch.ones(3))
        self.offset = nn.parameter.Buffer(torch.tensor([1.0, 2.0, 3.0]), persistent=False)
        self.count = nn.Buffer(torch.zeros(2), persistent=False)
        self.count = torch.full((2,), 4.0)
        self.empty = nn.Buffer()
        table = nn.Buffer(torch.arange(3.0))
        self.first, self.second = Shared(table), Shared(table)
        self.kinds = [isinstance(self.scale, nn.Buffer), isinstance(self.scale, nn.Parameter), isinstance(torch.ones(2), nn.Buffer)]
        self.names = [name for name, _ in self.named_buffers()]
        self.amounts = [len(list(self.parameters())), len(list(self.buffers()))]

    def forward(self, x: Tensor):
        self.count += 1
        return self.second(self.first(x * self.scale)) + self.offset, self.count, self.empty, self.kinds, self.names, self.amounts
