"""Exits of `with` blocks, entered by an exception, that fork functions which raise."""
from typing import Any, List

import torch


def fails(log: List[str]) -> int:
    log.append("forked")
    if len(log) > 0:
        raise ValueError("inner")
    return 1


class Forking:
    def __init__(self, log: List[str]):
        self.log = log

    def __enter__(self) -> int:
        return 1

    def __exit__(self, t: Any, v: Any, tb: Any) -> None:
        f = torch.jit.fork(fails, self.log)
        self.log.append("exit")


class Waiting:
    def __init__(self, log: List[str]):
        self.log = log

    def __enter__(self) -> int:
        return 1

    def __exit__(self, t: Any, v: Any, tb: Any) -> None:
        f = torch.jit.fork(fails, self.log)
        n = torch.jit.wait(f)
        self.log.append("never")


def forking() -> int:
    log: List[str] = []
    with Forking(log) as n:
        log.append("body")
        raise RuntimeError("outer")
    return 1


def waiting() -> int:
    log: List[str] = []
    with Waiting(log) as n:
        with Forking(log) as k:
            raise RuntimeError("outer")
    return 1


class Keeping:
    def __init__(self, log: List[str], kept: List[torch.jit.Future[int]]):
        self.log = log
        self.kept = kept

    def __enter__(self) -> int:
        return 1

    def __exit__(self, t: Any, v: Any, tb: Any) -> None:
        self.kept.append(torch.jit.fork(fails, self.log))


def raises_in_with(log: List[str], kept: List[torch.jit.Future[int]]) -> int:
    with Keeping(log, kept) as n:
        raise RuntimeError("outer")
    return 1


def future_of_exit() -> int:
    log: List[str] = []
    kept: List[torch.jit.Future[int]] = []
    outer = torch.jit.fork(raises_in_with, log, kept)
    return torch.jit.wait(kept[0])
