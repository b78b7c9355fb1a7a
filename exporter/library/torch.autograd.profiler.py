# `with torch.profiler.record_function(name)`: there is no profiler that names could be told to.
class record_function:
  name : str
  args : Optional[str]
  def __init__(self: __torch__.torch.autograd.profiler.record_function, name: str, args: Optional[str]=None) -> NoneType:
    self.name = name
    self.args = args
  def __enter__(self: __torch__.torch.autograd.profiler.record_function) -> __torch__.torch.autograd.profiler.record_function:
    return self
  def __exit__(self: __torch__.torch.autograd.profiler.record_function, exc_type: Any, exc_value: Any, traceback: Any) -> NoneType:
    pass
