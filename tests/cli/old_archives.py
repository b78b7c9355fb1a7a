"""Archives whose operators did something else in their version than they do now."""
import os
import zipfile

MODULE = """class PlaceholderModule(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  def forward(self: __torch__.PlaceholderModule,
    x: Tensor) -> Tensor:
    %s
"""
OBJECT = b"\x80\x02c__torch__\nPlaceholderModule\nq\x00)\x81}(X\x08\x00\x00\x00trainingq\x01\x88ub."
TORCH_2 = 11
INPUT = [4, -7, 9]
ROWS = "torch.reshape(torch.div(x, 9), [1, 3, 1])"
MATH = "return torch.sum((torch._scaled_dot_product_attention_math(%s, %s, %s, None, 0., True, %%s))[0])" % (ROWS, ROWS, ROWS)
NOT_INT = "result type Float can't be cast to the desired output type Long"
NO_STEPS = "Arguments for call are not valid"
BYTES = "torch.to(torch.gt(x, 0), dtype=0)"
NO_MASK = "masked_fill_ only supports boolean masks, but got mask with dtype "
NO_CHOICE = "masked_select: expected BoolTensor for mask"
NO_PLACES = "masked_scatter_ only supports boolean masks, but got mask with dtype Byte"
NO_SPECTRUM = "stft requires the return_complex parameter be given for real inputs"
FLOATS = "torch.to(x, dtype=6)"
SPECTRUM = "torch.reshape(torch.sum(torch.stft(torch.repeat(%s, [3]), %s)), [1])"
SIZES = "a, b = %s\n    return torch.tensor(torch.size(b))"
NO_ELEMENTS = "torch.to(torch.empty([0]), dtype=4)"
ROUNDED, CUT = [0, 1, 2, 4, 5, 7, 8, 10], [0, 1, 2, 4, 5, 6, 7, 9]

# Upgrader: the first version with today's meaning, the code, and the answers before and since.
CASES = {
    "div_tensor": (4, "return torch.div(x, x[0])", [1, -1, 2], [1.0, -1.75, 2.25]),
    "div_scalar": (4, "return torch.div(x, 2)", [2, -3, 4], [2.0, -3.5, 4.5]),
    "div_out": (4, "return torch.div(x, x[0], out=torch.zeros([3], dtype=4))", [1, -1, 2], NOT_INT),
    "div_inplace_tensor": (4, "return torch.div_(torch.mul(x, 1), x[0])", [1, -1, 2], NOT_INT),
    "div_inplace_scalar": (4, "return torch.div_(torch.mul(x, 1), 2)", [2, -3, 4], NOT_INT),
    "full": (5, "return torch.full([2], 3)", [3.0, 3.0], [3, 3]),
    "full_out": (5, "return torch.full([2], 3, out=torch.zeros([2]))", [3.0, 3.0], [3.0, 3.0]),
    "linspace": (8, "return torch.sum(torch.linspace(0, 1, None))", [50.0], NO_STEPS),
    "linspace_out": (8, "return torch.sum(torch.linspace(0, 1, None, out=torch.zeros([100])))", [50.0], NO_STEPS),
    "logspace": (9, "return torch.sum(torch.logspace(0, 1, None, 2.))", [144.32739], NO_STEPS),
    "logspace_out": (9, "return torch.sum(torch.logspace(0, 1, None, 2., out=torch.zeros([100])))", [144.32739], NO_STEPS),
    "linspace_1": (TORCH_2, "return torch.linspace(0, 10, 8, dtype=4)", CUT, ROUNDED),
    "linspace_1_out": (TORCH_2, "return torch.linspace(0, 10, 8, out=torch.zeros([8], dtype=4))", CUT, ROUNDED),
    "scaled_dot_product_attention_math": (TORCH_2, MATH % "True", [0.6520656], "instead found type 'bool'"),
    "aminmax": (TORCH_2, SIZES % "torch.aminmax(x[0], dim=0, keepdim=True)", [1], []),
    "aminmax_out": (TORCH_2, SIZES % "torch.aminmax(x[0], dim=-1, keepdim=True, min=%s, max=%s)" % (NO_ELEMENTS, NO_ELEMENTS), [1], []),
    "aminmax_dim": (TORCH_2, SIZES % "torch._aminmax(x[0], 0, True)", [1], []),
    "aminmax_dim_out": (TORCH_2, SIZES % "torch._aminmax(x[0], 0, True, out0=%s, out1=%s)" % (NO_ELEMENTS, NO_ELEMENTS), [1], []),
    "masked_fill_number": (TORCH_2, "return torch.masked_fill(x, %s, 1)" % BYTES, [1, -7, 1], NO_MASK),
    "masked_fill_tensor": (TORCH_2, "return torch.masked_fill(x, %s, x[0])" % BYTES, [4, -7, 4], NO_MASK),
    "masked_fill_number_inplace": (TORCH_2, "return torch.masked_fill_(x, %s, 1)" % BYTES, [1, -7, 1], NO_MASK),
    "masked_fill_tensor_inplace": (TORCH_2, "return torch.masked_fill_(x, %s, torch.tensor(2))" % BYTES, [2, -7, 2], NO_MASK),
    "index_put": (TORCH_2, "return torch.index_put(x, annotate(List[Optional[Tensor]], [%s]), torch.tensor([1]))" % BYTES, [1, -7, 1], NO_MASK),
    "index_put_list": (TORCH_2, "return torch.index_put(x, [%s], torch.tensor(1))" % BYTES, [1, -7, 1], NO_MASK),
    "index_put_out": (TORCH_2, "return torch.index_put(x, annotate(List[Optional[Tensor]], [%s]), torch.tensor(1), out=torch.zeros([3], dtype=4))" % BYTES,
                      [1, -7, 1], NO_MASK),
    "index_put_inplace": (TORCH_2, "return torch.index_put_(x, annotate(List[Optional[Tensor]], [%s]), x[1])" % BYTES, [-7, -7, -7], NO_MASK),
    "index_put_inplace_list": (TORCH_2, "return torch.index_put_(x, [%s], torch.tensor(1))" % BYTES, [1, -7, 1], NO_MASK),
    "index_put_impl_inplace": (TORCH_2, "return torch._index_put_impl_(x, annotate(List[Optional[Tensor]], [%s]), torch.tensor(1))" % BYTES, [1, -7, 1],
                               NO_MASK),
    "index_put_impl_inplace_list": (TORCH_2, "return torch._index_put_impl_(x, [%s], torch.tensor(1))" % BYTES, [1, -7, 1], NO_MASK),
    "masked_select": (TORCH_2, "return torch.masked_select(x, %s)" % BYTES, [4, 9], NO_CHOICE),
    "masked_select_out": (TORCH_2, "return torch.masked_select(x, %s, out=torch.zeros([2], dtype=4))" % BYTES, [4, 9], NO_CHOICE),
    "masked_scatter": (TORCH_2, "return torch.masked_scatter(x, %s, torch.neg(x))" % BYTES, [-4, -7, 7], NO_PLACES),
    "masked_scatter_inplace": (TORCH_2, "return torch.masked_scatter_(x, %s, torch.neg(x))" % BYTES, [-4, -7, 7], NO_PLACES),
    "stft": (TORCH_2, "return " + SPECTRUM % (FLOATS, "4, 2"), [24.0], NO_SPECTRUM),
    "stft_center": (TORCH_2, "return " + SPECTRUM % (FLOATS, "4, 2, None, None, False"), [24.0], NO_SPECTRUM),
    "istft": (TORCH_2, "return torch.istft(torch.ones([3, 5, 2]), 4)[:2]", [0.16667, 0.25], "istft requires a complex-valued input tensor"),
}


def write_archive(path, version, code):
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("a/data.pkl", OBJECT)
        z.writestr("a/code/__torch__.py", MODULE % code)
        z.writestr("a/constants.pkl", b"\x80\x02).")
        z.writestr("a/version", "%d\n" % min(version, 10))
        if version == TORCH_2:
            z.writestr("a/byteorder", "little")


def write_new_archives(folder):
    """Name -> an archive of PyTorch 2 for each case whose operators do there what they did not before."""
    found = {}
    for name, (version, code, _, _) in CASES.items():
        if version == TORCH_2:
            found[name] = os.path.join(folder, name + ".pt")
            write_archive(found[name], version, code)
    return found
