# What archives call for `with torch.profiler.record_function(name)`; the tensor is a handle that nobody reads.


def profiler__record_function_enter(name: str, args: Optional[str]) -> Tensor:
  return torch.zeros([1])


def profiler__record_function_exit(_0: Tensor):
  pass
