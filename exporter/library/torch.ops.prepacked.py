# What torch.utils.mobile_optimizer makes of convolutions and linear layers: prepacked::name is the function
# prepacked_name. The layer itself and the clamp after it are ordinary operators here, which the exporter packs and
# fuses in its own way.


def clamped(y: Tensor, low: Optional[number], high: Optional[number]) -> Tensor:
  if low is None and high is None:
    return y
  return torch.clamp(y, low, high)


def prepacked_linear_clamp_prepack(W: Tensor, B: Optional[Tensor], output_min: Optional[number],
                                   output_max: Optional[number]) -> __torch__.torch.classes.xnnpack.LinearOpContext:
  if W.dtype != 6 or (B is not None and B.dtype != 6):
    ops.prim.RaiseException("XNNPACK Linear not available! Reason: weight and bias have to be of float32.")
  return __torch__.torch.classes.xnnpack.LinearOpContext(W, B, output_min, output_max)


def prepacked_linear_clamp_run(X: Tensor, W_prepack: __torch__.torch.classes.xnnpack.LinearOpContext) -> Tensor:
  y = torch.linear(X, W_prepack.weight, W_prepack.bias)
  return __torch__.torch.ops.prepacked.clamped(y, W_prepack.low, W_prepack.high)


def prepacked_conv2d_clamp_prepack(W: Tensor, B: Optional[Tensor], stride: List[int], padding: List[int], dilation: List[int],
                                   groups: int, output_min: Optional[number],
                                   output_max: Optional[number]) -> __torch__.torch.classes.xnnpack.Conv2dOpContext:
  return __torch__.torch.classes.xnnpack.Conv2dOpContext(W, B, stride, padding, dilation, groups, output_min, output_max)


def prepacked_conv2d_clamp_run(X: Tensor, W_prepack: __torch__.torch.classes.xnnpack.Conv2dOpContext) -> Tensor:
  y = torch.conv2d(X, W_prepack.weight, W_prepack.bias, W_prepack.stride, W_prepack.padding, W_prepack.dilation, W_prepack.groups)
  return __torch__.torch.ops.prepacked.clamped(y, W_prepack.low, W_prepack.high)


def prepacked_conv2d_transpose_clamp_prepack(W: Tensor, B: Optional[Tensor], stride: List[int], padding: List[int],
                                             output_padding: List[int], dilation: List[int], groups: int, output_min: Optional[number],
                                             output_max: Optional[number]
                                             ) -> __torch__.torch.classes.xnnpack.TransposeConv2dOpContext:
  return __torch__.torch.classes.xnnpack.TransposeConv2dOpContext(W, B, stride, padding, output_padding, dilation, groups, output_min,
                                                                   output_max)


def prepacked_conv2d_transpose_clamp_run(X: Tensor, W_prepack: __torch__.torch.classes.xnnpack.TransposeConv2dOpContext) -> Tensor:
  y = torch.conv_transpose2d(X, W_prepack.weight, W_prepack.bias, W_prepack.stride, W_prepack.padding, W_prepack.output_padding,
                             W_prepack.groups, W_prepack.dilation)
  return __torch__.torch.ops.prepacked.clamped(y, W_prepack.low, W_prepack.high)


# ---- What was packed ----

def sizes_of(t: Optional[Tensor]) -> Optional[List[int]]:
  if t is None:
    return None
  return torch.size(t)


def prepacked_unpack_prepacked_sizes_linear(W_prepack: Any) -> Any:
  if not isinstance(W_prepack, __torch__.torch.classes.xnnpack.LinearOpContext):
    ops.prim.RaiseException("Expected a value of type LinearOpContext")
    return None
  return (torch.size(W_prepack.weight), __torch__.torch.ops.prepacked.sizes_of(W_prepack.bias))


def prepacked_unpack_prepacked_sizes_conv2d(W_prepack: Any) -> Any:
  if not isinstance(W_prepack, __torch__.torch.classes.xnnpack.Conv2dOpContext):
    ops.prim.RaiseException("Expected a value of type Conv2dOpContext")
    return None
  return (torch.size(W_prepack.weight), __torch__.torch.ops.prepacked.sizes_of(W_prepack.bias), W_prepack.stride, W_prepack.padding,
          W_prepack.dilation, W_prepack.groups)
