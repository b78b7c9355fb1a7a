# The parameters of layers that torch.utils.mobile_optimizer packed for XNNPACK, which PyTorch keeps in C++ objects.
# Archives hold the weights as they were before packing.


class LinearOpContext:
  weight : Tensor
  bias : Optional[Tensor]
  low : Optional[number]
  high : Optional[number]

  def __init__(self: __torch__.torch.classes.xnnpack.LinearOpContext, weight: Tensor, bias: Optional[Tensor], low: Optional[number],
               high: Optional[number]) -> NoneType:
    self.weight = weight
    self.bias = bias
    self.low = low
    self.high = high

  def __setstate__(self: __torch__.torch.classes.xnnpack.LinearOpContext,
                   state: Tuple[Tensor, Optional[Tensor], Optional[number], Optional[number]]) -> NoneType:
    self.weight, self.bias, self.low, self.high = state

  def unpack(self: __torch__.torch.classes.xnnpack.LinearOpContext
             ) -> Tuple[Tensor, Optional[Tensor], Optional[number], Optional[number]]:
    return (self.weight, self.bias, self.low, self.high)


class Conv2dOpContext:
  weight : Tensor
  bias : Optional[Tensor]
  stride : List[int]
  padding : List[int]
  dilation : List[int]
  groups : int
  low : Optional[number]
  high : Optional[number]

  def __init__(self: __torch__.torch.classes.xnnpack.Conv2dOpContext, weight: Tensor, bias: Optional[Tensor], stride: List[int],
               padding: List[int], dilation: List[int], groups: int, low: Optional[number], high: Optional[number]) -> NoneType:
    self.weight = weight
    self.bias = bias
    self.stride = stride
    self.padding = padding
    self.dilation = dilation
    self.groups = groups
    self.low = low
    self.high = high

  def __setstate__(self: __torch__.torch.classes.xnnpack.Conv2dOpContext,
                   state: Tuple[Tensor, Optional[Tensor], List[int], List[int], List[int], int, Optional[number],
                                Optional[number]]) -> NoneType:
    self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups, self.low, self.high = state

  def unpack(self: __torch__.torch.classes.xnnpack.Conv2dOpContext
             ) -> Tuple[Tensor, Optional[Tensor], List[int], List[int], List[int], int, Optional[number], Optional[number]]:
    return (self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups, self.low, self.high)


class TransposeConv2dOpContext:
  weight : Tensor
  bias : Optional[Tensor]
  stride : List[int]
  padding : List[int]
  output_padding : List[int]
  dilation : List[int]
  groups : int
  low : Optional[number]
  high : Optional[number]

  def __init__(self: __torch__.torch.classes.xnnpack.TransposeConv2dOpContext, weight: Tensor, bias: Optional[Tensor], stride: List[int],
               padding: List[int], output_padding: List[int], dilation: List[int], groups: int, low: Optional[number],
               high: Optional[number]) -> NoneType:
    self.weight = weight
    self.bias = bias
    self.stride = stride
    self.padding = padding
    self.output_padding = output_padding
    self.dilation = dilation
    self.groups = groups
    self.low = low
    self.high = high

  def __setstate__(self: __torch__.torch.classes.xnnpack.TransposeConv2dOpContext,
                   state: Tuple[Tensor, Optional[Tensor], List[int], List[int], List[int], List[int], int, Optional[number],
                                Optional[number]]) -> NoneType:
    self.weight, self.bias, self.stride, self.padding, self.output_padding, self.dilation, self.groups, self.low, self.high = state

  def unpack(self: __torch__.torch.classes.xnnpack.TransposeConv2dOpContext
             ) -> Tuple[Tensor, Optional[Tensor], List[int], List[int], List[int], List[int], int, Optional[number], Optional[number]]:
    return (self.weight, self.bias, self.stride, self.padding, self.output_padding, self.dilation, self.groups, self.low, self.high)
