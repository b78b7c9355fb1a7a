"""Programs that call functions of other workers. record.py runs them with three workers of PyTorch, test_processes.py
with three of tsmobile; each method of Calls is one case: it gets the names of two other workers and of this one.
Keeping has cases of tsmobile alone."""
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch
import torch.distributed.rpc as rpc
from torch import Tensor
from torch.distributed.rpc import RRef
from torch.futures import Future


class Reading(NamedTuple):
    value: Tensor
    label: str


@torch.jit.script
class Counter:
    def __init__(self, start: int):
        self.count = start

    def advance(self, by: int) -> int:
        self.count += by
        return self.count


# ---- What workers serve ----


@torch.jit.script
def nothing() -> int:
    return 0


@torch.jit.script
def scale(x: Tensor, factor: float = 2.0, offset: int = 1) -> Tensor:
    return x * factor + offset


@torch.jit.script
def sum_defaults(a: Tensor, b: Tensor, c: Tensor = torch.tensor([3, 3]), d: Tensor = torch.tensor([4, 4])) -> Tensor:
    return a + b + c + d


@torch.jit.script
def assorted(t: Tensor, s: str, i: int, f: float = 0.5, more: str = "?", flag: bool = False) -> Tuple[Tensor, str, int, float, bool]:
    return t + 1, s + more, i * 2, f, flag


@torch.jit.script
def describe(x: Dict[str, List[int]], y: Optional[Tensor], z: Reading) -> Tuple[int, bool, Reading]:
    total = 0
    for key in x:
        for item in x[key]:
            total += item
    return total, y is None, Reading(z.value * 2, z.label + "!")


@torch.jit.script
def fails(x: Tensor) -> Tensor:
    if x.numel() > 0:
        raise ValueError("Expected error")
    return x


@torch.jit.script
def forks_and_fails(x: Tensor) -> Tensor:
    return torch.jit.wait(torch.jit.fork(fails, x))


@torch.jit.script
def forks(x: Tensor) -> Tensor:
    return torch.jit.wait(torch.jit.fork(scale, x))


@torch.jit.script
def numbers(first: int) -> List[int]:
    return [first, first + 1, first + 2]


@torch.jit.script
def extend(held: RRef[List[int]]) -> None:
    held.local_value().append(4)
    held.to_here().append(5)
    held.to_here(5.0).append(6)


@torch.jit.script
def bring(held: RRef[Tensor]) -> Tensor:
    return held.to_here()


@torch.jit.script
def here_only(held: RRef[Tensor]) -> Tensor:
    return held.local_value()


@torch.jit.script
def hand_back(held: RRef[Tensor]) -> RRef[Tensor]:
    return held


@torch.jit.script
def is_confirmed(held: RRef[Tensor]) -> bool:
    return held.confirmed_by_owner()


@torch.jit.script
def ask_next(to: str, x: Tensor) -> Tensor:
    return rpc.rpc_sync(to, scale, (x, 3.0))


@torch.jit.script
def make_at(to: str, x: Tensor) -> RRef[Tensor]:
    return rpc.remote(to, scale, (x,))


@torch.jit.script
def make_counter(start: int) -> Counter:
    return Counter(start)


@torch.jit.script
def count_on(held: RRef[Counter], by: int) -> int:
    return held.local_value().advance(by)


@torch.jit.script
def spin(n: int) -> int:
    total = 0
    for i in range(n):
        total += i % 7
    return total


# ---- Cases: each worker runs them at once, so all ask and serve at the same time ----


class Calls(torch.nn.Module):
    def forward(self, a: str, b: str, me: str) -> Tensor:
        return rpc.rpc_sync(a, scale, (torch.ones(2, 2),))

    @torch.jit.export
    def without_arguments(self, a: str, b: str, me: str) -> Tuple[int, int, int]:
        return rpc.rpc_sync(a, nothing), rpc.rpc_async(b, nothing, ()).wait(), rpc.remote(me, nothing, (), {}).to_here()

    @torch.jit.export
    def asynchronous(self, a: str, b: str, me: str) -> Tensor:
        one = rpc.rpc_async(a, scale, (torch.ones(3),))
        two = rpc.rpc_async(b, scale, (torch.ones(3), 5.0))
        three = rpc.rpc_async(me, scale, (torch.ones(3), 5.0, 7))
        return one.wait() + two.wait() * three.wait()

    @torch.jit.export
    def keywords(self, a: str, b: str, me: str) -> Tuple[Tensor, Tensor, Tensor]:
        x = torch.tensor([1, 1])
        none: Dict[str, Tensor] = {}
        some = {"c": torch.tensor([2, 2])}
        all = {"d": torch.tensor([3, 3]), "c": torch.tensor([2, 2])}
        return (rpc.rpc_sync(a, sum_defaults, (x, x + 1), none), rpc.rpc_async(a, sum_defaults, (x, x + 1), some).wait(),
                rpc.remote(b, sum_defaults, (x, x + 1), all).to_here())

    @torch.jit.export
    def keywords_of_all_kinds(self, a: str, b: str, me: str) -> Tuple[Tensor, str, int, float, bool]:
        named: Dict[str, Any] = {"more": "_named", "flag": True, "f": 2.5}
        return rpc.rpc_sync(a, assorted, (torch.ones(2), "given", 3), named)

    @torch.jit.export
    def values_of_all_kinds(self, a: str, b: str, me: str) -> Tuple[int, bool, Reading]:
        return rpc.rpc_sync(a, describe, ({"x": [1, 2], "y": [3]}, None, Reading(torch.arange(4).t(), "r")))

    @torch.jit.export
    def strided(self, a: str, b: str, me: str) -> Tensor:
        return rpc.rpc_sync(a, scale, (torch.arange(12).reshape(3, 4).t()[1:], 1.0))

    @torch.jit.export
    def with_timeout(self, a: str, b: str, me: str) -> Tensor:
        return rpc.rpc_sync(a, scale, (torch.ones(2),), {}, 30.0) + rpc.rpc_async(b, scale, (torch.ones(2),), {}, 0.0).wait()

    @torch.jit.export
    def forked_there(self, a: str, b: str, me: str) -> Tensor:
        return rpc.rpc_sync(a, forks, (torch.ones(2),))

    @torch.jit.export
    def through_another(self, a: str, b: str, me: str) -> Tensor:
        return rpc.rpc_sync(a, ask_next, (b, torch.ones(2))) + rpc.rpc_sync(a, ask_next, (me, torch.ones(2)))

    @torch.jit.export
    def unknown_keyword(self, a: str, b: str, me: str) -> Tensor:
        return rpc.rpc_sync(a, scale, (torch.ones(2),), {"third": 1})

    @torch.jit.export
    def missing_worker(self, a: str, b: str, me: str) -> Tensor:
        return rpc.rpc_sync("nobody", scale, (torch.ones(2),))

    @torch.jit.export
    def raises(self, a: str, b: str, me: str) -> Tensor:
        return rpc.rpc_sync(a, fails, (torch.ones(2),))

    @torch.jit.export
    def raises_later(self, a: str, b: str, me: str) -> Tensor:
        return rpc.rpc_async(a, forks_and_fails, (torch.ones(2),)).wait()

    @torch.jit.export
    def raises_in_rref(self, a: str, b: str, me: str) -> Tensor:
        return rpc.remote(a, fails, (torch.ones(2),)).to_here()

    @torch.jit.export
    def raises_here(self, a: str, b: str, me: str) -> Tensor:
        return rpc.remote(me, fails, (torch.ones(2),)).to_here()

    @torch.jit.export
    def not_awaited(self, a: str, b: str, me: str) -> int:
        rpc.rpc_async(a, fails, (torch.ones(2),))
        return rpc.rpc_async(a, nothing).wait()

    @torch.jit.export
    def too_slow(self, a: str, b: str, me: str) -> int:
        return rpc.rpc_sync(a, spin, (20000000,), {}, 0.05)

    # RRefs

    @torch.jit.export
    def questions(self, a: str, b: str, me: str) -> Tuple[bool, bool, bool]:
        there = rpc.remote(a, scale, (torch.ones(2),))
        here = rpc.remote(me, scale, (torch.ones(2),))
        return there.is_owner(), here.is_owner(), there.owner_name() == a and here.owner_name() == me

    @torch.jit.export
    def owned_here(self, a: str, b: str, me: str) -> Tensor:
        return rpc.remote(me, scale, (torch.ones(2),)).local_value()

    @torch.jit.export
    def not_owned_here(self, a: str, b: str, me: str) -> Tensor:
        return rpc.remote(a, scale, (torch.ones(2),)).local_value()

    @torch.jit.export
    def to_the_owner(self, a: str, b: str, me: str) -> Tensor:
        held = rpc.remote(a, scale, (torch.ones(2),))
        return rpc.rpc_sync(held.owner(), here_only, (held,)) + rpc.rpc_sync(a, bring, (held,))

    @torch.jit.export
    def to_a_third(self, a: str, b: str, me: str) -> Tensor:
        held = rpc.remote(a, scale, (torch.ones(2),))
        return rpc.rpc_sync(b, bring, (held,))

    @torch.jit.export
    def to_myself(self, a: str, b: str, me: str) -> Tensor:
        held = rpc.remote(a, scale, (torch.ones(2),))
        return rpc.rpc_sync(me, bring, (held,))

    @torch.jit.export
    def mine_to_another(self, a: str, b: str, me: str) -> Tensor:
        held = rpc.remote(me, scale, (torch.ones(2),))
        return rpc.rpc_sync(a, bring, (held,))

    @torch.jit.export
    def not_owned_there(self, a: str, b: str, me: str) -> Tensor:
        held = rpc.remote(a, scale, (torch.ones(2),))
        return rpc.rpc_sync(b, here_only, (held,))

    @torch.jit.export
    def there_and_back(self, a: str, b: str, me: str) -> Tensor:
        held = rpc.remote(a, scale, (torch.ones(2),))
        back = rpc.rpc_sync(b, hand_back, (held,))
        return back.to_here() + rpc.remote(a, hand_back, (held,)).to_here().to_here()

    @torch.jit.export
    def confirmed_there(self, a: str, b: str, me: str) -> Tuple[bool, bool]:
        held = rpc.remote(a, scale, (torch.ones(2),))
        return rpc.rpc_sync(b, is_confirmed, (held,)), rpc.remote(b, is_confirmed, (held,)).to_here()

    @torch.jit.export
    def made_by_another(self, a: str, b: str, me: str) -> Tensor:
        held = rpc.rpc_sync(a, make_at, (b, torch.ones(2)))
        mine = rpc.rpc_sync(a, make_at, (me, torch.ones(2)))
        return held.to_here() + mine.local_value()

    @torch.jit.export
    def mutated_there(self, a: str, b: str, me: str) -> List[int]:
        held = rpc.remote(a, numbers, (1,))
        rpc.rpc_sync(a, extend, (held,))
        return held.to_here()

    @torch.jit.export
    def mutated_here(self, a: str, b: str, me: str) -> List[int]:
        held = rpc.remote(me, numbers, (1,))
        held.local_value().append(7)
        extend(held)
        return held.to_here()

    @torch.jit.export
    def objects(self, a: str, b: str, me: str) -> Tuple[int, int]:
        held = rpc.remote(a, make_counter, (10,))
        one = rpc.rpc_sync(a, count_on, (held, 5))
        return one, rpc.rpc_async(a, count_on, (held, 7)).wait()

    @torch.jit.export
    def copied_object(self, a: str, b: str, me: str) -> Tuple[int, int, int]:
        held = rpc.remote(a, make_counter, (10,))
        copy = held.to_here()
        copy.advance(100)
        return rpc.rpc_sync(a, count_on, (held, 5)), held.to_here().count, copy.count

    @torch.jit.export
    def many(self, a: str, b: str, me: str) -> Tensor:
        held: List[RRef[Tensor]] = []
        for i in range(20):
            held.append(rpc.remote(a if i % 2 == 0 else b, scale, (torch.ones(2) * i,)))
        total = torch.zeros(2)
        for one in held:
            total += one.to_here()
        return total

    @torch.jit.export
    def futures_in_a_list(self, a: str, b: str, me: str) -> Tensor:
        asked: List[Future[Tensor]] = []
        for i in range(10):
            asked.append(rpc.rpc_async(a, scale, (torch.ones(2) * i,)))
        total = torch.zeros(2)
        for one in asked:
            total += one.wait()
        return total


# TorchScript does not let programs name such functions, but Python does (jit/rpc_test.py of PyTorch's tests).
@rpc.functions.async_execution
@torch.jit.script
def ask_later(to: str, x: Tensor) -> Future[Tensor]:
    return rpc.rpc_async(to, scale, (x, 3.0))


@rpc.functions.async_execution
@torch.jit.script
def ask_in_vain(to: str, x: Tensor) -> Future[Tensor]:
    return rpc.rpc_async(to, fails, (x,))


@rpc.functions.async_execution
@torch.jit.script
def no_future(x: Tensor) -> Tensor:
    return x


class Keeping(torch.nn.Module):
    answers: List[Future[Tensor]]
    held: List[RRef[Tensor]]

    def __init__(self):
        super().__init__()
        self.answers = []
        self.held = []

    def forward(self, a: str, b: str, me: str) -> int:
        return len(self.answers) + len(self.held)

    @torch.jit.export
    def keep_answer(self, a: str, b: str, me: str) -> None:
        self.answers.append(rpc.rpc_async(a, scale, (torch.ones(2),)))

    @torch.jit.export
    def await_answer(self, a: str, b: str, me: str) -> Tensor:
        return self.answers[0].wait()

    @torch.jit.export
    def keep_theirs(self, a: str, b: str, me: str) -> None:
        self.held.append(rpc.remote(a, scale, (torch.ones(2),)))

    @torch.jit.export
    def keep_mine(self, a: str, b: str, me: str) -> None:
        self.held.append(rpc.remote(me, scale, (torch.ones(2),)))

    @torch.jit.export
    def drop(self, a: str, b: str, me: str) -> None:
        self.held.clear()

    # More than a connection takes, in both directions at the same time.
    @torch.jit.export
    def much_at_once(self, a: str, b: str, me: str) -> bool:
        sent = torch.ones(1 << 18)
        asked: List[Future[Tensor]] = []
        for i in range(8):
            asked.append(rpc.rpc_async(a if i % 2 == 0 else b, scale, (sent, float(i))))
        right = True
        for i in range(8):
            right = right and bool((asked[i].wait() == i + 1).all())
        return right

    # More than a worker would run one inside of the other.
    @torch.jit.export
    def later(self, a: str, b: str, me: str) -> Tensor:
        held: List[RRef[Tensor]] = []
        for i in range(10):
            held.append(rpc.remote(a, ask_later, (b, torch.ones(2) * i)))
        total = rpc.rpc_sync(a, ask_later, (b, torch.ones(2))) + rpc.rpc_async(me, ask_later, (a, torch.ones(2))).wait()
        for one in held:
            total += one.to_here()
        return total

    @torch.jit.export
    def later_in_vain(self, a: str, b: str, me: str) -> Tensor:
        return rpc.rpc_sync(a, ask_in_vain, (b, torch.ones(2)))

    @torch.jit.export
    def held_in_vain(self, a: str, b: str, me: str) -> Tensor:
        return rpc.remote(a, ask_in_vain, (b, torch.ones(2))).to_here()

    @torch.jit.export
    def not_later(self, a: str, b: str, me: str) -> Tensor:
        return rpc.rpc_sync(a, no_future, (torch.ones(2),))

    # An RRef whose request is lost.
    @torch.jit.export
    def hand_on(self, a: str, b: str, me: str) -> Tensor:
        return rpc.rpc_sync(b, bring, (self.held[0],))

    @torch.jit.export
    def bring_here(self, a: str, b: str, me: str) -> Tensor:
        return self.held[0].to_here()

    # For as long as it takes to end one of the two.
    @torch.jit.export
    def ask_for_long(self, a: str, b: str, me: str) -> int:
        return rpc.rpc_sync(a, spin, (1000000000000,), {}, 100.0)

    @torch.jit.export
    def keep_many(self, a: str, b: str, me: str) -> int:
        for i in range(50):
            self.held.append(rpc.remote(a if i % 2 == 0 else b, scale, (torch.ones(2),)))
        for one in self.held:
            one.to_here()
        return len(self.held)
