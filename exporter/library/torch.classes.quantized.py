# The parameters of quantized layers, which PyTorch keeps in C++ objects: the weight as it is before packing, for whom
# unpacks it (who does not, has no second copy: attributes that nobody reads are left out), and packed for libtsmobile's
# inner loops. Methods are those that programs can call. How objects of convolutions come out of archives:
# exporter/program/packed_params.c.


class LinearPackedParamsBase:
  weight : Tensor
  bias : Optional[Tensor]
  sizes : List[int]
  packed : Tensor
  scales : Tensor
  sums : Tensor

  # Weights of half precision are used as they are.
  def __init__(self: __torch__.torch.classes.quantized.LinearPackedParamsBase, weight: Tensor, bias: Optional[Tensor]) -> NoneType:
    self.weight = weight
    self.bias = bias
    self.sizes = torch.size(weight)
    packed, scales, sums = weight, weight, weight
    if ops.prim.is_quantized(weight):
      packed, scales, sums = ops.tsm.quantized_pack(weight, 1)
    self.packed = packed
    self.scales = scales
    self.sums = sums

  def __setstate__(self: __torch__.torch.classes.quantized.LinearPackedParamsBase, state: Tuple[Tensor, Optional[Tensor]]) -> NoneType:
    _0 = (self).__init__((state)[0], (state)[1])

  def unpack(self: __torch__.torch.classes.quantized.LinearPackedParamsBase) -> Tuple[Tensor, Optional[Tensor]]:
    return (self.weight, self.bias)


class Conv2dPackedParamsBase:
  _weight : Tensor
  _bias : Optional[Tensor]
  _sizes : List[int]
  _packed : Tensor
  _scales : Tensor
  _sums : Tensor
  _stride : List[int]
  _padding : List[int]
  _output_padding : List[int]
  _dilation : List[int]
  _groups : int
  _transpose : bool

  def __init__(self: __torch__.torch.classes.quantized.Conv2dPackedParamsBase, weight: Tensor, bias: Optional[Tensor], stride: List[int],
               padding: List[int], output_padding: List[int], dilation: List[int], groups: int, transpose: bool) -> NoneType:
    self._weight = weight
    self._bias = bias
    self._stride = stride
    self._padding = padding
    self._output_padding = output_padding
    self._dilation = dilation
    self._groups = groups
    self._transpose = transpose
    self._sizes = torch.size(weight)
    packed, scales, sums = weight, weight, weight
    if not transpose:
      packed, scales, sums = ops.tsm.quantized_pack(weight, groups)
    self._packed = packed
    self._scales = scales
    self._sums = sums

  def __setstate__(self: __torch__.torch.classes.quantized.Conv2dPackedParamsBase,
                   state: Tuple[Tensor, Optional[Tensor], List[int], List[int], List[int], List[int], int, bool]) -> NoneType:
    _0 = (self).__init__((state)[0], (state)[1], (state)[2], (state)[3], (state)[4], (state)[5], (state)[6], (state)[7])

  def unpack(self: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> Tuple[Tensor, Optional[Tensor]]:
    return (self._weight, self._bias)

  def stride(self: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> List[int]:
    return self._stride

  def padding(self: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> List[int]:
    return self._padding

  def output_padding(self: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> List[int]:
    return self._output_padding

  def dilation(self: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> List[int]:
    return self._dilation

  def groups(self: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> int:
    return self._groups

  def transpose(self: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> bool:
    return self._transpose


class Conv3dPackedParamsBase:
  _weight : Tensor
  _bias : Optional[Tensor]
  _sizes : List[int]
  _packed : Tensor
  _scales : Tensor
  _sums : Tensor
  _stride : List[int]
  _padding : List[int]
  _output_padding : List[int]
  _dilation : List[int]
  _groups : int
  _transpose : bool

  def __init__(self: __torch__.torch.classes.quantized.Conv3dPackedParamsBase, weight: Tensor, bias: Optional[Tensor], stride: List[int],
               padding: List[int], output_padding: List[int], dilation: List[int], groups: int, transpose: bool) -> NoneType:
    self._weight = weight
    self._bias = bias
    self._stride = stride
    self._padding = padding
    self._output_padding = output_padding
    self._dilation = dilation
    self._groups = groups
    self._transpose = transpose
    self._sizes = torch.size(weight)
    packed, scales, sums = weight, weight, weight
    if not transpose:
      packed, scales, sums = ops.tsm.quantized_pack(weight, groups)
    self._packed = packed
    self._scales = scales
    self._sums = sums

  def __setstate__(self: __torch__.torch.classes.quantized.Conv3dPackedParamsBase,
                   state: Tuple[Tensor, Optional[Tensor], List[int], List[int], List[int], List[int], int, bool]) -> NoneType:
    _0 = (self).__init__((state)[0], (state)[1], (state)[2], (state)[3], (state)[4], (state)[5], (state)[6], (state)[7])

  def unpack(self: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> Tuple[Tensor, Optional[Tensor]]:
    return (self._weight, self._bias)

  def stride(self: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> List[int]:
    return self._stride

  def padding(self: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> List[int]:
    return self._padding

  def output_padding(self: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> List[int]:
    return self._output_padding

  def dilation(self: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> List[int]:
    return self._dilation

  def groups(self: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> int:
    return self._groups

  def transpose(self: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> bool:
    return self._transpose


# A table of rows of bytes (two numbers of 4 bits in one, the lower first), each row with a scale and a zero point,
# which are floats.
class EmbeddingPackedParamsBase:
  rows : Tensor
  scales : Tensor
  zero_points : Tensor
  bits : int

  def __init__(self: __torch__.torch.classes.quantized.EmbeddingPackedParamsBase, rows: Tensor, scales: Tensor, zero_points: Tensor,
               bits: int) -> NoneType:
    self.rows = rows
    self.scales = scales
    self.zero_points = zero_points
    self.bits = bits

  def __setstate__(self: __torch__.torch.classes.quantized.EmbeddingPackedParamsBase, state: Tuple[Tensor, Tensor, Tensor, int]) -> NoneType:
    _0 = (self).__init__((state)[0], (state)[1], (state)[2], (state)[3])
