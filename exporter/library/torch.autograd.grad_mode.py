# `with torch.no_grad()` and its opposite.
class no_grad:
  prev : bool
  def __init__(self: __torch__.torch.autograd.grad_mode.no_grad) -> NoneType:
    self.prev = False
  def __enter__(self: __torch__.torch.autograd.grad_mode.no_grad) -> NoneType:
    self.prev = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
  def __exit__(self: __torch__.torch.autograd.grad_mode.no_grad, exc_type: Any, exc_value: Any, traceback: Any) -> NoneType:
    torch.set_grad_enabled(self.prev)


class enable_grad:
  prev : bool
  def __init__(self: __torch__.torch.autograd.grad_mode.enable_grad) -> NoneType:
    self.prev = False
  def __enter__(self: __torch__.torch.autograd.grad_mode.enable_grad) -> NoneType:
    self.prev = torch.is_grad_enabled()
    torch.set_grad_enabled(True)
  def __exit__(self: __torch__.torch.autograd.grad_mode.enable_grad, exc_type: Any, exc_value: Any, traceback: Any) -> NoneType:
    torch.set_grad_enabled(self.prev)
