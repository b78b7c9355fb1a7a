"""Programs that once broke a promise: see tests/fuzz/fuzz_source.c. Those that tsmc refuses are among them."""
import torch


class TwiceNamed(torch.nn.Module):
    def __init__(self, self=1):
        super().__init__()

    def forward(self, x: int):
        return x


class OfNoClass:
    def make(x):
        return super().make()


class CallsSuper(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.x = OfNoClass.make(3)

    def forward(self, x: int):
        return x


def draws_unused(n: int):
    torch.manual_seed(n)
    kept = torch.dropout(torch.ones(n), 0.5, True)
    kept = torch.dropout(torch.ones(n), 0.5, True)
    return int(kept.sum())
