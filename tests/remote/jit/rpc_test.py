"""Above stands torch/testing/_internal/distributed/rpc/jit/rpc_test.py of PyTorch, as it is installed. Each case
has the name of a test there and does what it does, with the functions that stand there: where the test's Python calls
another worker, a program does. A case gets the names of two other workers and of this one."""


@torch.jit.script
def add_one(x: Tensor) -> Tensor:
    return torch.add(x, 1)


@torch.jit.script
def make_my_script_class(a: int) -> MyScriptClass:
    return MyScriptClass(a)


@torch.jit.script
def value_of_my_script_class(a: int) -> int:
    return MyScriptClass(a).get_value()


@torch.jit.script
def echo(value: int) -> int:
    return value


@torch.jit.script
def return_my_script_class_rref(rref: RRef[MyScriptClass]) -> RRef[MyScriptClass]:
    return rref


@torch.jit.script
def rref_tensor_is_owner(rref_var: RRef[Tensor]) -> bool:
    return rref_var.is_owner()


def nonexisting_script():
    return 0


@torch.jit.script
def future_wait_in_script(fut: Future[Tensor]) -> Tensor:
    return fut.wait()


@torch.jit.script
def future_return(dst: str, inputs: Tuple[Tensor, Tensor]) -> Future[Tensor]:
    return rpc.rpc_async(dst, two_args_two_kwargs, inputs)


@torch.jit.script
def use_class_rref_on_owner(rref: RRef[MyScriptClass]) -> int:
    args = (rref,)
    kwargs: Dict[str, Any] = {}
    fut = rpc.rpc_async(rref.owner(), script_rref_get_value_my_script_class, args, kwargs)
    return fut.wait()


@torch.jit.script
def use_module_rref_on_owner(rref: RRef[MyModuleInterface]) -> Tensor:
    args = (rref,)
    kwargs: Dict[str, Any] = {}
    fut = rpc.rpc_async(rref.owner_name(), script_rref_run_forward_my_script_module, args, kwargs)
    return fut.wait()


class Cases(torch.nn.Module):
    rrefs: List[RRef[Tensor]]

    def __init__(self):
        super().__init__()
        self.rrefs = []
        self.module = MyScriptModule(2)

    @torch.jit.export
    def my_script_module(self, rank: int) -> MyModuleInterface:
        """Serves construct_my_script_module, whose body is Python's."""
        return self.module

    def forward(self, a: str, b: str, me: str) -> Tensor:
        return rpc.rpc_sync(a, one_arg, (torch.ones(2, 2),))

    # RRefAPITest

    @torch.jit.export
    def test_rref_is_owner(self, a: str, b: str, me: str) -> bool:
        return rref_tensor_is_owner(rpc.remote(a, add_one, (torch.ones(2, 2),)))

    @torch.jit.export
    def test_rref_local_value(self, a: str, b: str, me: str) -> Tensor:
        rref = rpc.remote(a, add_one, (torch.ones(2, 2),))
        return rpc.rpc_sync(a, rref_local_value, (rref,))

    @torch.jit.export
    def test_rref_local_value_of_another(self, a: str, b: str, me: str) -> Tensor:
        return rref_local_value(rpc.remote(a, add_one, (torch.ones(2, 2),)))

    @torch.jit.export
    def test_local_rref_local_value(self, a: str, b: str, me: str) -> int:
        return rpc.remote(me, echo, (5,), {}).local_value()

    @torch.jit.export
    def test_user_rrefs_confirmed(self, a: str, b: str, me: str) -> bool:
        rref = rpc.remote(b, add_one, (torch.zeros(2, 2),))
        return rpc.rpc_sync(a, script_check_rref_confirmed, (rref,))

    @torch.jit.export
    def test_user_rrefs_confirmed_remote(self, a: str, b: str, me: str) -> bool:
        rref = rpc.remote(b, add_one, (torch.zeros(2, 2),))
        return rpc.remote(a, script_check_rref_confirmed, (rref,)).to_here()

    @torch.jit.export
    def test_rref_list_mutate(self, a: str, b: str, me: str) -> List[int]:
        list_rref = rpc.remote(a, list_create)
        rpc.rpc_sync(a, rref_list_mutate, (list_rref,))
        return list_rref.to_here()

    # RRefTypingTest

    @torch.jit.export
    def test_rref_as_arg_and_return(self, a: str, b: str, me: str) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
        rref = rpc.remote(me, one_arg, (torch.ones(2, 2),))
        ret = rpc.rpc_sync(a, rref_to_here, (rref,))
        rref1 = rpc.rpc_sync(a, return_rref, (rref,))
        rref2 = rpc.remote(a, rref_to_here, (rref,))
        rref3 = rpc.remote(a, return_rref, (rref,))
        return ret, rref1.to_here(), rref2.to_here(), rref3.to_here().to_here()

    @torch.jit.export
    def test_my_script_module_with_rrefs(self, a: str, b: str, me: str) -> Tensor:
        for _ in range(4):
            self.rrefs.append(rpc.remote(a, add_one, (torch.ones(2, 2),)))
        res_tensor = torch.ones(2, 2)
        for rref in self.rrefs:
            res_tensor += rref.to_here()
        self.rrefs.clear()
        return res_tensor

    @torch.jit.export
    def test_rref_python_annotation(self, a: str, b: str, me: str) -> Tensor:
        return rref_script_annotation(rpc.remote(a, add_one, (torch.ones(2, 2),)))

    # LocalRRefTest

    @torch.jit.export
    def test_create_local_script_class_rref_in_py(self, a: str, b: str, me: str) -> int:
        return rpc.remote(me, make_my_script_class, (3,)).to_here().get_value()

    @torch.jit.export
    def test_return_local_script_class_rref_in_py_and_use_in_script(self, a: str, b: str, me: str) -> int:
        return use_class_rref_on_owner(rpc.remote(a, make_my_script_class, (2,)))

    @torch.jit.export
    def test_return_local_script_module_rref_in_py_and_use_in_script(self, a: str, b: str, me: str) -> Tensor:
        return use_module_rref_on_owner(rpc.remote(a, construct_my_script_module, (2,)))

    # JitRpcOpTest

    @torch.jit.export
    def test_all_kwargs_are_populated_by_defaults(self, a: str, b: str, me: str) -> Tuple[Tensor, Tensor, Tensor]:
        args = (torch.tensor([1, 1]), torch.tensor([2, 2]))
        kwargs: Dict[str, Tensor] = {}
        return script_rpc_async_call(a, args, kwargs), script_rpc_sync_call(a, args, kwargs), script_rpc_remote_call(a, args, kwargs)

    @torch.jit.export
    def test_some_kwargs_are_populated_by_defaults(self, a: str, b: str, me: str) -> Tuple[Tensor, Tensor, Tensor]:
        args = (torch.tensor([1, 1]), torch.tensor([2, 2]))
        kwargs = {"first_kwarg": torch.tensor([2, 2])}
        return script_rpc_async_call(a, args, kwargs), script_rpc_sync_call(a, args, kwargs), script_rpc_remote_call(a, args, kwargs)

    @torch.jit.export
    def test_no_kwargs_are_populated_by_defaults(self, a: str, b: str, me: str) -> Tuple[Tensor, Tensor, Tensor]:
        args = (torch.tensor([1, 1]), torch.tensor([2, 2]))
        kwargs = {"first_kwarg": torch.tensor([2, 2]), "second_kwarg": torch.tensor([3, 3])}
        return script_rpc_async_call(a, args, kwargs), script_rpc_sync_call(a, args, kwargs), script_rpc_remote_call(a, args, kwargs)

    @torch.jit.export
    def test_args_and_kwargs_contain_different_types(self, a: str, b: str, me: str) -> Tuple[Tensor, str, int]:
        args = (torch.tensor([1, 1]), "str_arg", 1)
        kwargs: Dict[str, Any] = {"tensor_kwarg": torch.tensor([3, 3]), "str_kwarg": "_str_kwarg", "int_kwarg": 3}
        return rpc.rpc_async(a, assorted_types_args_kwargs, args, kwargs).wait()

    @torch.jit.export
    def test_kwargs_not_passed(self, a: str, b: str, me: str) -> int:
        args = ()
        return rpc.rpc_async(a, no_arg, args).wait()

    @torch.jit.export
    def test_args_kwargs_are_neither_passed(self, a: str, b: str, me: str) -> int:
        return rpc.rpc_async(a, no_arg).wait()

    @torch.jit.export
    def test_unexepected_kwarg_is_specified(self, a: str, b: str, me: str) -> Tensor:
        args = (torch.tensor([1, 1]), torch.tensor([2, 2]))
        kwargs = {"third_kwarg": torch.tensor([1, 1])}
        return rpc.rpc_async(a, two_args_two_kwargs, args, kwargs).wait()

    @torch.jit.export
    def test_call_script_function_that_raises_remotely_from_script(self, a: str, b: str, me: str) -> int:
        args = ()
        kwargs: Dict[str, Any] = {}
        fut = rpc.rpc_async(a, raise_script, args, kwargs)
        fut.wait()
        return 0

    # FutureTypingTest

    @torch.jit.export
    def test_future_passed_between_python_and_jit(self, a: str, b: str, me: str) -> Tuple[Tensor, Tensor]:
        inputs = (torch.tensor([1, 1]), torch.tensor([2, 2]))
        ret_fut = rpc.rpc_async(a, two_args_two_kwargs, inputs)
        return future_wait_in_script(ret_fut), future_return(a, inputs).wait()

    # JitRpcTest

    @torch.jit.export
    def test_torchscript_function(self, a: str, b: str, me: str) -> Tuple[Tensor, Tensor, Tensor]:
        x = torch.ones(2, 2)
        return rpc.rpc_sync(a, one_arg, (x,)), rpc.remote(a, one_arg, (x,)).to_here(), rpc.remote(me, one_arg, (x,)).to_here()

    @torch.jit.export
    def test_torchscript_functions_not_supported(self, a: str, b: str, me: str) -> int:
        return rpc.rpc_sync(a, value_of_my_script_class, (4,))

    @torch.jit.export
    def test_remote_script_module(self, a: str, b: str, me: str) -> Tensor:
        remote_ref = rpc.remote(a, construct_my_script_module, (2,))
        return rpc.rpc_sync(a, run_ref_script_module, (remote_ref, torch.ones(2)))

    @torch.jit.export
    def test_remote_script_module_to_here(self, a: str, b: str, me: str) -> Tensor:
        remote_ref = rpc.remote(a, construct_my_script_module, (2,))
        return rpc.rpc_sync(me, run_ref_script_module, (remote_ref, torch.ones(2)))

    @torch.jit.export
    def test_rref_jit_pickle_not_supported(self, a: str, b: str, me: str) -> None:
        save_rref(rpc.remote(a, add_one, (torch.ones(2, 2),)), "/dev/null")

    @torch.jit.export
    def test_remote_script_throw(self, a: str, b: str, me: str) -> Tensor:
        return rpc.remote(a, script_raise_func, (torch.ones(2),)).to_here()

    @torch.jit.export
    def test_remote_script_udf(self, a: str, b: str, me: str) -> Tensor:
        return rpc.remote(a, script_fork_wait_udf, (torch.ones(2),)).to_here()

    @torch.jit.export
    def test_async_script_udf(self, a: str, b: str, me: str) -> Tensor:
        return rpc.rpc_async(a, script_fork_wait_udf, (torch.ones(2),)).wait()

    @torch.jit.export
    def test_async_script_throw(self, a: str, b: str, me: str) -> Tensor:
        return rpc.rpc_async(a, script_fork_wait_throw, (torch.ones(2),)).wait()

    @torch.jit.export
    def test_record_function_on_caller_rpc_async(self, a: str, b: str, me: str) -> Tensor:
        return record_function_on_caller_rpc_async(a, "foo")

    @torch.jit.export
    def test_rpc_torchscript_record_function(self, a: str, b: str, me: str) -> Tensor:
        return call_rpc_torchscript_with_record_function(a, "foo")

    @torch.jit.export
    def test_async_function_simple(self, a: str, b: str, me: str) -> Tensor:
        return rpc.rpc_sync(a, async_add, (b, torch.ones(2, 2), torch.ones(2, 2)))

    @torch.jit.export
    def test_async_function_wrong_return_type(self, a: str, b: str, me: str) -> Tensor:
        return rpc.rpc_sync(a, async_wrong_type)

    @torch.jit.export
    def test_async_function_remote(self, a: str, b: str, me: str) -> Tensor:
        return rpc.remote(a, async_add, (b, torch.ones(2, 2), torch.ones(2, 2))).to_here()

    @torch.jit.export
    def test_async_function_remote_multi(self, a: str, b: str, me: str) -> List[Tensor]:
        rrefs: List[RRef[Tensor]] = []
        for i in range(20):
            rrefs.append(rpc.remote(a, async_add, (b, torch.ones(2, 2), torch.ones(2, 2) * i)))
        return [rref.to_here() for rref in rrefs]

    @torch.jit.export
    def test_async_function_wrong_return_type_remote(self, a: str, b: str, me: str) -> Tensor:
        return rpc.remote(a, async_wrong_type).to_here()

    # Of all of them

    @torch.jit.export
    def printing(self, a: str, b: str, me: str) -> bool:
        rref = rpc.remote(a, add_one, (torch.ones(2, 2),))
        other = rpc.remote(me, add_one, (torch.ones(2, 2),))
        print(rref, [rref], (other, 1), {"x": rref})
        print(rpc.rpc_async(a, no_arg))
        return True


class Undefined(torch.nn.Module):
    """Cases of functions that only the worker which asks has."""

    def forward(self, a: str, b: str, me: str) -> int:
        return rpc.rpc_sync(me, no_arg)

    @torch.jit.export
    def test_call_python_function_remotely_from_script_not_supported(self, a: str, b: str, me: str) -> int:
        args = ()
        kwargs: Dict[str, Any] = {}
        fut = rpc.rpc_async(a, python_function, args, kwargs)
        fut.wait()
        return 0

    @torch.jit.export
    def test_call_script_function_that_not_exists_remotely_from_script(self, a: str, b: str, me: str) -> int:
        args = ()
        kwargs: Dict[str, Any] = {}
        return rpc.rpc_async(a, nonexisting_script, args, kwargs).wait()
