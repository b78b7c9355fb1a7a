"""The programs of test_inputs.py: they give back what they get, and scores with names."""
from typing import Dict, NamedTuple, Tuple

import torch


class Result(NamedTuple):
    scores: torch.Tensor
    count: int


def echo(x: torch.Tensor) -> torch.Tensor:
    return x


def text(s: str) -> str:
    return s


def combine(a: torch.Tensor, b: torch.Tensor, n: int = 1) -> torch.Tensor:
    return a - b * n


def picture(image: torch.Tensor, kind: str) -> Tuple[int, str]:
    return image.dim(), kind


def named(x: torch.Tensor) -> Result:
    return Result(x * 2, 7)


def table(x: torch.Tensor) -> Dict[str, torch.Tensor]:
    return {"twice": x * 2, "half": x / 2}


def say(x: torch.Tensor) -> torch.Tensor:
    print("said")
    return x
