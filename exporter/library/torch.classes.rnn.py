# The parameters of one layer (in one direction) of a quantized LSTM or GRU, or of such a cell.


class CellParamsBase:
  kind : str
  w_ih : __torch__.torch.classes.quantized.LinearPackedParamsBase
  w_hh : __torch__.torch.classes.quantized.LinearPackedParamsBase
  b_ih : Optional[Tensor]
  b_hh : Optional[Tensor]

  def __init__(self: __torch__.torch.classes.rnn.CellParamsBase, kind: str,
               w_ih: __torch__.torch.classes.quantized.LinearPackedParamsBase, w_hh: __torch__.torch.classes.quantized.LinearPackedParamsBase,
               b_ih: Optional[Tensor], b_hh: Optional[Tensor]) -> NoneType:
    self.kind = kind
    self.w_ih = w_ih
    self.w_hh = w_hh
    self.b_ih = b_ih
    self.b_hh = b_hh

  def __setstate__(self: __torch__.torch.classes.rnn.CellParamsBase,
                   state: Tuple[str, List[Tensor], List[float], List[int], List[__torch__.torch.classes.quantized.LinearPackedParamsBase]]) -> NoneType:
    self.kind = (state)[0]
    tensors = (state)[1]
    packed = (state)[4]
    self.w_ih = packed[0]
    self.w_hh = packed[1]
    if torch.eq((state)[0], "quantized_fp16"):
      self.b_ih = None
      self.b_hh = None
    else:
      self.b_ih = tensors[0]
      self.b_hh = tensors[1]
