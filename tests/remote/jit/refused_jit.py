"""Functions that PyTorch refuses to compile: each follows rpc_test.py or dist_autograd_test.py of PyTorch, and defines
f. LEFT_OUT: what tsmc refuses in words of its own."""

SOURCES = {
    "test_less_than_needed_args_are_specified": """
def f(dst: str):
    args = (torch.tensor([1, 1]),)
    kwargs = {}
    return rpc.rpc_async(dst, two_args_two_kwargs, args, kwargs).wait()
""",
    "test_more_than_needed_args_are_specified": """
def f(dst: str):
    args = (torch.tensor([1]), torch.tensor([2]), torch.tensor([3]), torch.tensor([4]), torch.tensor([5]))
    kwargs = {}
    return rpc.rpc_async(dst, two_args_two_kwargs, args, kwargs).wait()
""",
    "test_torchscript_function_exception": """
def f(dst: str):
    return rpc.rpc_sync(dst, one_arg, (torch.tensor(10), torch.tensor(20)))
""",
    "test_torchscript_functions_not_supported": """
def f(dst: str):
    return rpc.rpc_sync(dst, MyScriptClass, (3,))
""",
    "a_builtin": """
def f(dst: str):
    return rpc.remote(dst, torch.add, (torch.ones(2, 2), 1))
""",
    "a_class_is_no_module_of_the_interface": """
def f(dst: str) -> Tensor:
    return rpc.rpc_sync(dst, run_ref_script_module, (rpc.remote(dst, make_my_script_class, (1,)), torch.ones(1)))
""",
}

LEFT_OUT = {
    "test_async_function_wrong_decorator_order": ("""
@torch.jit.script
@rpc.functions.async_execution
def wrong(to: str, x: Tensor) -> torch.futures.Future[Tensor]:
    return rpc.rpc_async(to, local_add, (x, x))

def f(to: str, x: Tensor) -> Tensor:
    return rpc.rpc_sync(to, wrong, (to, x))
""", "async_execution has to stand above @torch.jit.script"),
    "test_get_gradients": ("""
def f(context_id: int) -> Dict[Tensor, Tensor]:
    return dist_autograd.get_gradients(context_id)
""", "torch.distributed.autograd is not supported: gradients do not cross workers"),
    "test_dist_backward": ("""
def f(context_id: int, loss: Tensor):
    dist_autograd.backward(context_id, [loss])
""", "torch.distributed.autograd is not supported: gradients do not cross workers"),
}
