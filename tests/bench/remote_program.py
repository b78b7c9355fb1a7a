"""What remote.py times: a tensor goes to another worker and comes back, alone or ten at a time."""
from typing import List

import torch
import torch.distributed.rpc as rpc
from torch import Tensor
from torch.futures import Future


@torch.jit.script
def echo(x: Tensor) -> Tensor:
    return x


class Asking(torch.nn.Module):
    def forward(self, to: str, x: Tensor) -> Tensor:
        return rpc.rpc_sync(to, echo, (x,))

    @torch.jit.export
    def ten(self, to: str, x: Tensor) -> Tensor:
        asked: List[Future[Tensor]] = []
        for i in range(10):
            asked.append(rpc.rpc_async(to, echo, (x,)))
        for one in asked:
            x = one.wait()
        return x

    @torch.jit.export
    def held(self, to: str, x: Tensor) -> Tensor:
        return rpc.remote(to, echo, (x,)).to_here()
