"""What stands above is torch/testing/_internal/distributed/rpc/jit/rpc_test_faulty.py of PyTorch, as it is installed.
There messages come late; here the function that is called takes its time."""
@torch.jit.script
def slow_sum(first_arg: Tensor, second_arg: Tensor, times: int = 20000000) -> Tensor:
    total = 0
    for i in range(times):
        total += i % 7
    return first_arg + second_arg + min(total, 0)


@torch.jit.script
def await_in_caller(fut: torch.futures.Future[Tensor]) -> Tensor:
    return fut.wait()


class Cases(torch.nn.Module):
    def forward(self, a: str, b: str, me: str) -> Tensor:
        args = (torch.tensor([1, 1]), torch.tensor([2, 2]))
        kwargs = {"first_kwarg": torch.tensor([2, 2]), "second_kwarg": torch.tensor([3, 3])}
        return rpc_async_call_with_timeout(a, args, kwargs, 20.0)

    @torch.jit.export
    def test_timeout_in_torchscript_function(self, a: str, b: str, me: str) -> Tensor:
        args = (torch.tensor([1, 1]), torch.tensor([2, 2]))
        kwargs: Dict[str, int] = {}
        return rpc.rpc_async(a, slow_sum, args, kwargs, 0.05).wait()

    @torch.jit.export
    def test_timeout_in_torchscript_function_without_one(self, a: str, b: str, me: str) -> Tensor:
        args = (torch.tensor([1, 1]), torch.tensor([2, 2]))
        kwargs = {"first_kwarg": torch.tensor([2, 2]), "second_kwarg": torch.tensor([3, 3])}
        return rpc_async_call_with_timeout(a, args, kwargs, 0.0)

    @torch.jit.export
    def test_timeout_in_python(self, a: str, b: str, me: str) -> Tensor:
        args = (torch.tensor([1, 1]), torch.tensor([2, 2]))
        kwargs: Dict[str, int] = {}
        return await_in_caller(rpc.rpc_async(a, slow_sum, args, kwargs, 0.05))

    @torch.jit.export
    def test_timeout_in_python_without_one(self, a: str, b: str, me: str) -> Tensor:
        args = (torch.tensor([1, 1]), torch.tensor([2, 2]))
        kwargs = {"first_kwarg": torch.tensor([2, 2]), "second_kwarg": torch.tensor([3, 3])}
        return await_in_caller(rpc_async_call_with_timeout_future_ret(a, args, kwargs, 0.0)) + await_in_caller(rpc_async_call_future_ret(a, args, kwargs))

    @torch.jit.export
    def test_rref_to_here_timeout_in_jit(self, a: str, b: str, me: str) -> Tensor:
        return rref_to_here_with_timeout(rpc.remote(a, slow_sum, (torch.tensor(1), torch.tensor(1))), 0.01)

    @torch.jit.export
    def test_rref_to_here_timeout_in_jit_that_is_long(self, a: str, b: str, me: str) -> Tensor:
        return rref_to_here_with_timeout(rpc.remote(a, slow_sum, (torch.tensor(1), torch.tensor(1), 10)), 100.0)

    @torch.jit.export
    def rref_as_argument(self, a: str, b: str, me: str) -> Tensor:
        return rpc_async_with_rref_arg(a, (rpc.remote(b, slow_sum, (torch.tensor(1), torch.tensor(1), 10)),))
