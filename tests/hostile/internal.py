"""Operators that tsmc puts in place of PyTorch's, with arguments that it never gives them: only a damaged file does.
The form is that of arguments.py; True: the call succeeds."""
import re

S = "x = torch.ones(2, 3, 4)\n    b = torch.ones(2, 3, 3) > 0\n    "
FITS = "torch.ops.tsm.attention_fits"
KEYS = "x = torch.ones(2, 3, 4)\n    k = torch.ones(2, 4, 200)\n    v = torch.ones(2, 200, 4)\n    "
PACKED = "w, s, z = torch.ops.tsm.quantized_pack(torch.quantize_per_tensor(torch.ones(2, 4), 0.5, 0, torch.qint8), 1)\n    " \
         "q = torch.quantize_per_tensor(torch.ones(3, 4), 0.5, 10, torch.quint8)\n    "
PACKED_CONV = "w, s, z = torch.ops.tsm.quantized_pack(torch.quantize_per_tensor(torch.ones(2, 4, 3, 3), 0.5, 0, torch.qint8), 1)\n    " \
              "q = torch.quantize_per_tensor(torch.ones(1, 4, 5, 5), 0.5, 10, torch.quint8)\n    "
NESTED = "n = torch._nested_tensor_from_mask(torch.ones(2, 3, 4), torch.tensor([[True, True, False], [True, False, False]]))\n    "
MASKED = """a = torch.arange(48.0).sin().reshape(2, 3, 8)
    w = torch.arange(192.0).cos().reshape(24, 8)
    b = torch.arange(24.0) / 20
    p = torch.arange(64.0).sin().reshape(8, 8)
    c = torch.ones(8)
    m = torch.tensor([[False, True, True], [False, False, True], [False, False, False]])
    """


def masked(body):
    """Calls of f: attention with a mask, of a kind, whose weights are wanted."""
    return re.sub(r"f\((m[^,]*(?:\[[^]]*\][^,]*)?(?:\([^)]*\)[^,]*)?), (\d), (True|False)\)",
                  r"torch._native_multi_head_attention(a, a, a, 8, 2, w, b, p, c, \1, \3, False, \2)[0]", body)


def pointwise(code, numbers="torch.ones(2)", tensors="torch.ones(3), None, None, None"):
    return "return torch.ops.tsm.pointwise(%s, '%s', %s)" % (tensors, code, numbers)


NUMBERS_FIRST = "a = torch.arange(20.0) + 1\n    made = torch.ops.tsm.pointwise(a, None, None, None, '%s', torch.tensor([6.0, 4.0]))\n    " \
                "assert torch.allclose(made, %s)"


def attention(query="x", keys="k", value="v", added="None", filled="None", dim=-1, batch=False):
    return KEYS + "assert not %s(%s, %s, %s, %s, %s, %d, %s)" % (FITS, query, keys, value, added, filled, dim, batch)


def convolution(given="x", weight="torch.ones(1, 3, 3, 4, 16)", bias="None", residual="None", outputs=5, stride="[1, 1]", padding="[0, 0]",
                dilation="[1, 1]", groups=1, activation=0):
    return "x = torch.ones(1, 4, 5, 5)\n    return torch.ops.tsm.convolution(%s, %s, %s, %s, %d, %s, %s, %s, %d, %d, 0.0, 0.0)" % (
        given, weight, bias, residual, outputs, stride, padding, dilation, groups, activation)


def lstm(given="x", state="[h, h]", params="[w, u]", layers=1):
    return "x = torch.ones(3, 2, 4)\n    h = torch.zeros(1, 2, 4)\n    w = torch.ones(1, 4, 16)\n    u = torch.ones(1, 4, 16)\n    " \
           "return torch.ops.tsm.lstm(%s, %s, %s, False, %d, 0.0, False, False, False)" % (given, state, params, layers)


def linear(tensors="w, s, z", bias="None", sizes="[2, 4]", given="q", more="0.5, 3, False", name="quantized_linear"):
    return PACKED + "return torch.ops.tsm.%s(%s, %s, %s, %s, %s)" % (name, given, tensors, bias, sizes, more)


def conv(tensors="w, s, z", bias="None", sizes="[2, 4, 3, 3]", given="q", stride="[1, 1]", padding="[0, 0]", dilation="[1, 1]", groups=1,
         more="0.5, 3, False"):
    return PACKED_CONV + "return torch.ops.tsm.quantized_conv(%s, %s, %s, %s, %s, %s, %s, %d, %s)" % (
        given, tensors, bias, sizes, stride, padding, dilation, groups, more)


def lookup(given="q", table="t", more="0.5, 3"):
    return PACKED + "t = torch.arange(256).to(torch.uint8)\n    return torch.ops.tsm.quantized_lookup(%s, %s, %s)" % (given, table, more)


CASES = [
    # ---- Boxes ----
    ("return torch.ops.tsm.nms(torch.zeros(2, 3), torch.tensor([0, 1]), 0.5)", "shape .n, 4."),
    ("return torch.ops.tsm.nms(torch.zeros(2), torch.tensor([0, 1]), 0.5)", "shape .n, 4."),
    ("return torch.ops.tsm.nms(torch.zeros(2, 4).double(), torch.tensor([0, 1]), 0.5)", "shape .n, 4."),
    ("return torch.ops.tsm.nms(torch.zeros(4, 2).t(), torch.tensor([0, 1]), 0.5)", "shape .n, 4.|an index for each"),
    ("return torch.ops.tsm.nms(torch.zeros(4, 4).t(), torch.tensor([0, 1]), 0.5)", "shape .n, 4."),
    ("return torch.ops.tsm.nms(torch.zeros(2, 4), torch.tensor([0, 2]), 0.5)", "index 2 is out of range"),
    ("return torch.ops.tsm.nms(torch.zeros(2, 4), torch.tensor([0, -1]), 0.5)", "index -1 is out of range"),
    ("return torch.ops.tsm.nms(torch.zeros(2, 4), torch.tensor([0]), 0.5)", "an index for each"),
    ("return torch.ops.tsm.nms(torch.zeros(2, 4), torch.tensor([[0, 1]]), 0.5)", "an index for each"),
    ("return torch.ops.tsm.nms(torch.zeros(2, 4), torch.tensor([0.0, 1.0]), 0.5)", "an index for each"),
    ("return torch.ops.tsm.nms(torch.zeros(2, 4), torch.tensor([0, 1, 2, 3])[::2], 0.5)", "an index for each"),
    # ---- Signals ----
    ("return torch.ops.tsm.recursive_filter(torch.ones(1, 2, 9), torch.ones(2, 3), torch.ones(1, 2, 3, 1))", "expected contiguous"),
    ("return torch.ops.tsm.recursive_filter(torch.ones(1, 2, 9), torch.ones(3, 3), torch.ones(1, 2, 3))", "do not fit the signal"),
    ("return torch.ops.tsm.recursive_filter(torch.ones(1, 2, 9), torch.ones(2, 3), torch.ones(2, 2, 3))", "do not fit the signal"),
    ("return torch.ops.tsm.recursive_filter(torch.ones(1, 2, 9), torch.ones(2, 3), torch.ones(1, 3, 3))", "do not fit the signal"),
    ("return torch.ops.tsm.recursive_filter(torch.ones(1, 2, 9), torch.ones(2, 3), torch.ones(1, 2, 2))", "do not fit the signal"),
    ("return torch.ops.tsm.recursive_filter(torch.ones(1, 2, 9), torch.ones(2, 3).double(), torch.ones(1, 2, 3))", "expected contiguous"),
    ("return torch.ops.tsm.recursive_filter(torch.ones(1, 2, 9), torch.ones(3, 2).t(), torch.ones(1, 2, 3))", "expected contiguous"),
    ("return torch.ops.tsm.recursive_filter(torch.ones(1, 2, 9).int(), torch.ones(2, 3), torch.ones(1, 2, 3))", "expected contiguous"),
    # ---- Positions in images ----
    ("return torch.ops.aten.upsample_nearest1d(torch.ones(1, 1, 4), [3], 1e-320)", None),
    ("return torch.ops.aten.upsample_linear1d(torch.ones(1, 1, 4), [3], False, 1e-320)", None),
    ("return torch.ops.aten.upsample_bicubic2d(torch.ones(1, 1, 4, 4), [3, 3], False, 1e-320, 1e-320)", None),
    ("return torch.ops.aten.upsample_nearest1d(torch.ones(1, 1, 4), None, [1e300])", "the sizes of a tensor are too large for any memory"),
    ("return torch.ops.aten.upsample_nearest1d(torch.ones(1, 1, 4), None, [float('nan')])", "should be greater than 0"),
    # ---- Images of bytes ----
    ("return torch.ops.tsm.upsample_bytes_aa(torch.ones(1, 1, 4, 4), [2, 2], [2.0, 2.0], False)", "should be greater than 0"),
    ("return torch.ops.tsm.upsample_bytes_aa(torch.ones(1, 4, 4).byte(), [2, 2], [2.0, 2.0], False)", "should be greater than 0"),
    ("return torch.ops.tsm.upsample_bytes_aa(torch.ones(1, 0, 4, 4).byte(), [2, 2], [2.0, 2.0], False)", "should be greater than 0"),
    ("return torch.ops.tsm.upsample_bytes_aa(torch.ones(1, 1, 4, 4).byte(), [0, 2], [2.0, 2.0], False)", "should be greater than 0"),
    ("return torch.ops.tsm.upsample_bytes_aa(torch.ones(1, 1, 4, 4).byte(), [2, 0], [2.0, 2.0], False)", "should be greater than 0"),
    ("return torch.ops.tsm.upsample_bytes_aa(torch.ones(1, 1, 4, 4).byte(), [2, 2], [2.0], False)", "should be greater than 0"),
    ("return torch.ops.tsm.upsample_bytes_aa(torch.ones(1, 1, 4, 4).byte(), [2, 2], [2.0, -1.0], False)", "the scale"),
    ("return torch.ops.tsm.upsample_bytes_aa(torch.ones(1, 1, 4, 4).byte(), [2, 2], [5.0, 1.0], False)", "the scale"),
    ("return torch.ops.tsm.upsample_bytes_aa(torch.ones(1, 1, 4, 4).byte(), [2**31 - 1, 2], [2.0, 2.0], True)", "more bytes are needed"),
    ("return torch.ops.tsm.upsample_bytes_aa(torch.ones(1, 1, 4, 4).byte(), [2, 2], [0.0, 0.0], True)", None),
    ("return torch.ops.tsm.upsample_smoothed(torch.ones(1, 1, 4, 4).byte(), [2, 2], [2.0, 2.0], False)", "should be greater than 0"),
    ("return torch.ops.tsm.upsample_smoothed(torch.ones(1, 4, 4), [2, 2], [2.0, 2.0], False)", "should be greater than 0"),
    ("return torch.ops.tsm.upsample_smoothed(torch.ones(1, 1, 4, 4), [2, -2], [2.0, 2.0], False)", "should be greater than 0"),
    ("return torch.ops.tsm.upsample_smoothed(torch.ones(1, 1, 4, 4), [2, 2], [2.0, float('nan')], False)", "the scale"),
    ("return torch.ops.tsm.upsample_smoothed(torch.ones(1, 0, 4, 4), [2, 2], [2.0, 2.0], False)", None),
    ("return torch.ops.tsm.upsample_smoothed(torch.ones(1, 1, 4, 4), [90, 80], [4.0, 3.0], True)", None),
    ("return torch.ops.tsm.upsample_smoothed(torch.ones(1, 1, 4, 4).double(), [2, 2], [0.0, 0.0], True)", None),
    # ---- Chains of arithmetic ----
    (pointwise(""), "the chain is damaged"), (pointwise("+ya"), "the chain is damaged"),
    (pointwise("+yaa" * 40), "the chain is damaged"), (pointwise("+xaa"), "the chain is damaged"),
    (pointwise("\\x7fyaa"), "the chain is damaged"), (pointwise("\\u00e9yaa"), "the chain is damaged"),
    (pointwise("+yab"), "the chain is damaged"), (pointwise("+yba"), "the chain is damaged"),
    (pointwise("+yaC"), "the chain is damaged"), (pointwise("+yCa"), "the chain is damaged"),
    (pointwise("+ya0"), "the chain is damaged"), (pointwise("+y~a"), "the chain is damaged"),
    (pointwise("+y0a"), "the chain is damaged"), (pointwise("+yZa"), "the chain is damaged"),
    (pointwise("+9aa+yaa"), "the chain is damaged"), (pointwise("+!aa+yaa"), "the chain is damaged"),
    (pointwise("+yaa+yaa"), "the chain is damaged"), (pointwise("cyaB"), "the chain is damaged"), (pointwise("cybA"), "the chain is damaged"),
    (pointwise("+yaa", "torch.ones(2).double()"), "the chain is damaged"), (pointwise("+yaa", "torch.ones(4)[::2]"), "the chain is damaged"),
    (pointwise("+yaa", tensors="torch.ones(3).int(), None, None, None"), "tensor 0 is not float32"),
    (pointwise("+yab", tensors="torch.ones(3), torch.ones(2), None, None"), "must match"),
    ("return torch.ops.tsm.pointwise_fits(torch.quantize_per_tensor(torch.ones(2), 0.5, 0, torch.quint8), None, None, None)", None),
    *[(NUMBERS_FIRST % (code, wanted), True) for op in "+-*/" for code, wanted in ((op + "yAa", "6.0 %s a" % op), (op + "yAB", "torch.full_like(a, 6.0 %s 4.0)" % op))],
    # ---- Attention that was spelled out ----
    (KEYS + "assert %s(x, k, v, None, None, -1, True)" % FITS, None),
    (attention(query="x[0, 0]"), None), (attention(keys="k[0, 0]"), None), (attention(value="v[0, 0]"), None),
    (attention(query="x[:, :, :0]"), None), (attention(query="torch.ones(3, 3, 4)"), None), (attention(dim=1), None),
    (attention(added="torch.ones(1, 1, 1, 1)"), None), (attention(filled="torch.ones(5) > 0"), None),
    (attention(added="torch.ones(5)"), None), (attention(value="torch.ones(3, 200, 4)"), None), (attention(value="v[:, 1:]"), None),
    (attention(query="x[0]", batch=True), None), (attention(keys="k[0]", batch=True), None), (attention(value="v[0]", batch=True), None),
    (attention(keys="k[:1]", batch=True), None), (attention(value="v[:1]", batch=True), None), (attention(query="x.double()"), None),
    (attention(keys="k.double()"), None), (attention(value="v.double()"), None), (attention(added="v.double()"), None),
    (attention(filled="v"), None), (attention(query="torch.quantize_per_tensor(x, 0.5, 0, torch.quint8)"), None),
    (KEYS + "return torch.ops.tsm.softmax_attention(x.double(), k, v, 1.0, None, None, 0.0, False)", "to have the same dtype"),
    (KEYS + "return torch.ops.tsm.softmax_attention(x, k[0, 0], v, 1.0, None, None, 0.0, False)", "does not take"),
    (KEYS + "return torch.ops.tsm.softmax_attention(x, k, v, 1.0, v.double(), None, 0.0, False)", "does not take"),
    (KEYS + "return torch.ops.tsm.softmax_attention(x, k, v, 1.0, None, v, 0.0, False)", "does not take"),
    # ---- Factors of matrices ----
    ("return torch.ops.tsm.lu(torch.ones(3, 3).double(), True)", "tsm..lu. expected batches of matrices in dou"), ("return torch.ops.tsm.lu(torch.ones(1, 3, 3), True)", "tsm..lu. expected batches of matrices in dou"),
    ("return torch.ops.tsm.cholesky(torch.ones(1, 3, 2).double())", "tsm..cholesky. expected batches of matrices"), ("return torch.ops.tsm.cholesky(torch.ones(3, 3).double())", "tsm..cholesky. expected batches of matrices"),
    ("return torch.ops.tsm.geqrf(torch.ones(3, 3).double())", "tsm..geqrf. expected batches of matrices in"), ("return torch.ops.tsm.geqrf(torch.ones(1, 3, 3))", "tsm..geqrf. expected batches of matrices in"),
    ("return torch.ops.tsm.row_order(torch.ones(2), 3)", "Expected pivots to be batches of 32.bit inte"), ("return torch.ops.tsm.row_order(torch.ones(1, 2).int() * 9, 3)", "pivots given must all be greater or equal to"),
    ("return torch.ops.tsm.row_order(torch.zeros(1, 2).int(), 3)", "pivots given must all be greater or equal to"), ("return torch.ops.tsm.row_order(torch.ones(1, 2).int(), -1)", None),
    ("return torch.ops.tsm.reflections(torch.ones(1, 3, 3).double(), torch.ones(3).double(), 3)", "tsm..reflections. expected batches of matric"),
    ("return torch.ops.tsm.reflections(torch.ones(1, 3, 3).double(), torch.ones(1, 3).float(), 3)", "tsm..reflections. expected batches of matric"),
    ("return torch.ops.tsm.reflections(torch.ones(1, 3, 3).double(), torch.ones(2, 3).double(), 3)", "tsm..reflections. expected batches of matric"),
    ("return torch.ops.tsm.reflections(torch.ones(1, 3, 3).double(), torch.ones(1, 4).double(), 3)", "tsm..reflections. expected batches of matric"),
    ("return torch.ops.tsm.reflections(torch.ones(1, 3, 3).double(), torch.ones(1, 3).double(), 4)", "tsm..reflections. expected batches of matric"),
    ("return torch.ops.tsm.reflections(torch.ones(1, 3, 3).double(), torch.ones(1, 3).double(), -1)", "tsm..reflections. expected batches of matric"),
    ("return torch.ops.tsm.reflections(torch.ones(3, 3).double(), torch.ones(1, 3).double(), 3)", "tsm..reflections. expected batches of matric"),
    ("return torch.ops.tsm.reflections(torch.ones(1, 3, 3).double(), torch.ones(1, 6).double()[:, ::2], 3)", None),
    ("return torch.ops.tsm.substitute(torch.ones(3, 3).double(), torch.ones(1, 3, 3).double(), True, False)", "tsm..substitute. expected batches of matrice"),
    ("return torch.ops.tsm.substitute(torch.ones(1, 3, 3).double(), torch.ones(3, 3).double(), True, False)", "tsm..substitute. expected batches of matrice"),
    ("return torch.ops.tsm.substitute(torch.ones(1, 3, 3).double(), torch.ones(1, 3, 3).float(), True, False)", "tsm..substitute. expected batches of matrice"),
    ("return torch.ops.tsm.substitute(torch.ones(1, 3, 3).double(), torch.ones(2, 3, 3).double(), True, False)", "tsm..substitute. expected batches of matrice"),
    ("return torch.ops.tsm.substitute(torch.ones(1, 3, 2).double(), torch.ones(1, 3, 3).double(), True, False)", "tsm..substitute. expected batches of matrice"),
    ("return torch.ops.tsm.substitute(torch.ones(1, 3, 3).double(), torch.ones(1, 2, 3).double(), True, False)", "tsm..substitute. expected batches of matrice"),
    ("return torch.ops.tsm.svd(torch.ones(3, 3).double(), True)", "tsm..svd. expected a batch of tall matrices"), ("return torch.ops.tsm.svd(torch.ones(1, 3, 3), True)", "tsm..svd. expected a batch of tall matrices"),
    ("return torch.ops.tsm.svd(torch.eye(3).double().unsqueeze(0), True, float('nan'))", None), ("return torch.ops.tsm.svd(torch.ones(1, 3, 3).double(), True, float('inf'))", None),
    ("return torch.ops.tsm.svd(torch.ones(3, 3).double(), True, 0.0)", "tsm..svd.epsilon. expected a batch of tall matrices"),
    ("return torch.ops.tsm.svd(torch.ones(2, 3, 3).double().permute(0, 2, 1), True)", "tsm..svd. expected a batch of tall matrices"),
    ("return torch.ops.tsm.eigh(torch.ones(3, 3).double(), True, 1e-7, True)", "tsm..eigh. expected a batch of square matric"), ("return torch.ops.tsm.eigh(torch.ones(1, 3, 2).double(), True, 1e-7, True)", "tsm..eigh. expected a batch of square matric"),
    ("return torch.ops.tsm.eigh(torch.ones(1, 3, 3), True, 1e-7, True)", "tsm..eigh. expected a batch of square matric"), ("return torch.ops.tsm.eig(torch.ones(3, 3).double(), 1e-7, True)", "tsm..eig. expected a batch of square matrice"),
    ("return torch.ops.tsm.eig(torch.ones(1, 3, 2).double(), 1e-7, True)", "tsm..eig. expected a batch of square matrice"), ("return torch.ops.tsm.eig(torch.ones(1, 3, 3), 1e-7, True)", "tsm..eig. expected a batch of square matrice"),
    ("return torch.ops.tsm.eigh(torch.arange(9.0).reshape(1, 3, 3).double().permute(0, 2, 1), True, 1e-7, True)", "tsm..eigh. expected a batch of square matric"),
    # ---- Packed weights ----
    (S + "return torch.ops.tsm.linear(x, torch.ones(1, 4, 16).double(), None, None, 5, 0, 0.0, 0.0)", "tsm..linear. the weight is not packed for th"),
    (S + "return torch.ops.tsm.linear(x, torch.ones(4, 16), None, None, 5, 0, 0.0, 0.0)", "tsm..linear. the weight is not packed for th"),
    (S + "return torch.ops.tsm.linear(x, torch.ones(1, 16, 4).permute(0, 2, 1), None, None, 5, 0, 0.0, 0.0)", "tsm..linear. the weight is not packed for th"),
    (S + "return torch.ops.tsm.linear(x, torch.ones(1, 4, 15), None, None, 5, 0, 0.0, 0.0)", "tsm..linear. the weight is not packed for th"),
    (S + "return torch.ops.tsm.linear(x, torch.ones(1, 4, 16), None, None, -1, 0, 0.0, 0.0)", "tsm..linear. the weight is not packed for th"),
    (S + "return torch.ops.tsm.linear(x, torch.ones(1, 4, 16), None, None, 99, 0, 0.0, 0.0)", "tsm..linear. the weight is not packed for th"),
    (S + "return torch.ops.tsm.linear(x, torch.ones(1, 5, 16), None, None, 5, 0, 0.0, 0.0)", "cannot be multiplied|fit"),
    (S + "return torch.ops.tsm.linear(x[0, 0], torch.ones(1, 5, 16), None, None, 5, 0, 0.0, 0.0)", "cannot be multiplied|fit"),
    (S + "return torch.ops.tsm.linear(x, torch.ones(1, 4, 16), torch.ones(4), None, 5, 0, 0.0, 0.0)", "tsm..linear. the bias does not fit the outpu"),
    (S + "return torch.ops.tsm.linear(x, torch.ones(1, 4, 16), torch.ones(5).double(), None, 5, 0, 0.0, 0.0)", "tsm..linear. the bias does not fit the outpu"),
    (S + "return torch.ops.tsm.linear(x, torch.ones(1, 4, 16), torch.ones(1, 5), None, 5, 0, 0.0, 0.0)", "tsm..linear. the bias does not fit the outpu"),
    (S + "return torch.ops.tsm.linear(x, torch.ones(1, 4, 16), torch.ones(10)[::2], None, 5, 0, 0.0, 0.0)", "tsm..linear. the bias does not fit the outpu"),
    (S + "return torch.ops.tsm.linear(x, torch.ones(1, 4, 16), None, None, 5, 99, 0.0, 0.0)", "tsm..linear. there is no activation 99"),
    (S + "return torch.ops.tsm.linear(x, torch.ones(1, 4, 16), None, None, 5, -1, 0.0, 0.0)", "tsm..linear. there is no activation .1"),
    (S + "return torch.ops.tsm.linear(x, torch.ones(1, 4, 16), None, torch.ones(2, 3, 5), 5, 1, 0.0, 0.0)", None),
    (S + "return torch.ops.tsm.linear(x, torch.ones(1, 4, 16), None, torch.ones(2, 3, 5).double(), 5, 1, 0.0, 0.0)", None),
    (S + "return torch.ops.tsm.linear(x, torch.ones(1, 4, 16), None, torch.ones(3, 5), 5, 1, 0.0, 0.0)", None),
    (S + "return torch.ops.tsm.linear(x, torch.ones(1, 4, 16), None, torch.ones(2, 3, 1), 5, 1, 0.0, 0.0)", None),
    (S + "return torch.ops.tsm.linear(x, torch.ones(1, 4, 16), None, torch.ones(2, 2, 5), 5, 1, 0.0, 0.0)", "must match|broadcast"),
    (convolution(), True), (convolution(weight="torch.ones(1, 36, 16).double()"), "tsm..convolution. the weight is not packed"), (convolution(weight="torch.ones(36, 16)"), "tsm..convolution. the weight is not packed"),
    (convolution(weight="torch.ones(1, 16, 36).permute(0, 2, 1)"), "tsm..convolution. the weight is not packed"), (convolution(weight="torch.ones(2, 36, 16)"), "tsm..convolution. the weight is not packed"),
    (convolution(weight="torch.ones(1, 36, 15)"), "tsm..convolution. the weight is not packed"), (convolution(outputs=-1), "tsm..convolution. the weight is not packed"), (convolution(outputs=99), "tsm..convolution. the weight is not packed"),
    (convolution(groups=0), "tsm..convolution. the weight is not packed"), (convolution(groups=3), "tsm..convolution. the weight is not packed"), (convolution(stride="[0, 1]"), "non-positive stride is not supported"), (convolution(padding="[-1, 0]"), "negative padding is not supported"),
    (convolution(dilation="[0, 1]"), "kernel size and dilation should be greater"), (convolution(dilation="[9, 9]"), "Kernel size can.t be greater"), (convolution(given="x[:, :3]"), "to have 4 channels, but got 3"),
    (convolution(given="x[0, 0]"), "Expected 3D .unbatched. or 4D"), (convolution(given="x[0]"), True), (convolution(given="x[:0]"), True), (convolution(given="x.double()"), "Input type .float64. and weight type"),
    (convolution(given="x[0]", residual="torch.ones(5, 3, 3)"), True), (convolution(residual="torch.ones(1, 5, 3, 3).double()"), True),
    (convolution(residual="torch.ones(1, 5, 3, 1)"), True), (convolution(residual="torch.ones(5, 3, 3)"), True),
    (convolution(residual="torch.ones(1, 5, 3, 2)"), "must match the size of tensor b"), (convolution(residual="torch.ones(1, 5, 3, 3).to(torch.complex64)", activation=1), "a residual of type complex64"),
    (convolution(bias="torch.ones(4)"), "the bias does not fit the outputs"), (convolution(bias="torch.ones(10)[::2]"), "the bias does not fit the outputs"), (convolution(activation=99), "there is no activation 99"),
    (convolution(given="x[0]", residual="torch.ones(5, 3, 2)"), "must match the size of tensor b"), (convolution(given="x[0, :3]"), "to have 4 channels, but got 3"),
    # ---- Layers with memory ----
    (lstm(), None), (lstm(state="[h]"), "lstm expects two hidden states"), (lstm(params="[torch.ones(2, 4, 16), u]"), "a recurrent layer.s parameters from 0 on hav"), (lstm(params="[w, u[:0]]"), "have other sizes"),
    (lstm(params="[w[:, :3].contiguous(), u]"), "a recurrent layer.s parameters from 0 on hav"), (lstm(params="[w, u[:, :, :15].contiguous()]"), "a recurrent layer.s parameters from 0 on hav"), (lstm(params="[w]"), "a recurrent layer got an incorrect number of"),
    (lstm(params="[w, u.double()]"), "recurrent layers want parameters of the"), (lstm(params="[w[0], u]"), "a recurrent layer.s parameters from 0 on hav"), (lstm(layers=2), "Expected hidden size .2, 2, 4., got another"), (lstm(layers=-1), "Expected hidden size ..1, 2, 4., got another"),
    (lstm(given="x[0]"), "RNN. expected 3.D input and hidden states"), (lstm(state="[h, h[0]]"), "RNN. expected 3.D input and hidden states"), (lstm(state="[h[0], h]"), "RNN. expected 3.D input and hidden states"), (lstm(state="[h, h[:, :1]]"), "Expected hidden size .1, 2, 4., got another"),
    (lstm(state="[h[:, :1], h[:, :1]]"), "Expected hidden size .1, 2, 4., got another"), (lstm(given="x.int()"), "tsm..lstm is implemented for float32 and flo"),
    # ---- Quantized ones ----
    (linear(), None), (linear(given="torch.ones(3, 4)"), "expected a tensor of quint8 or qint8, got fl"), (linear(given="q[:, :3]"), "The size of the last dimension of the input,"), (linear(given="q[0, 0]"), "The size of the last dimension of the input,"),
    (linear(tensors="w.int(), s, z"), "the weight is not packed for these outputs"), (linear(tensors="w, s.double(), z"), "the weight is not packed for these outputs"), (linear(tensors="w, s, z.double()"), "the weight is not packed for these outputs"),
    (linear(tensors="w, s[:0], z"), "the weight is not packed for these outputs"), (linear(tensors="w, torch.cat([s, s, s]), z"), "the weight is not packed for these outputs"), (linear(tensors="w, torch.cat([s, s]), z.int()"), None), (linear(tensors="w, s, z[:1]"), "the weight is not packed for these outputs"), (linear(sizes="[2]"), "The weight tensor for quantized..linear.prep"), (linear(sizes="[2, 4, 1]"), "The weight tensor for quantized..linear.prep"),
    (linear(sizes="[-2, 4]"), "The weight tensor for quantized..linear.prep"), (linear(sizes="[2, 5]"), "the weight is not packed for these outputs"), (linear(sizes="[99, 4]"), "the weight is not packed for these outputs"), (linear(bias="torch.ones(3)"), "the weight is not packed for these outputs"),
    (linear(bias="torch.ones(2).double()"), "the weight is not packed for these outputs"), (linear(bias="torch.ones(1, 2)"), None), (linear(more="0.5, 300, False"), "zero.point 300 is outside of quint8"),
    (linear(more="0.0, 3, False"), None), (linear(given="q.dequantize()", more="False", name="quantized_linear_dynamic"), None),
    (linear(given="q", more="False", name="quantized_linear_dynamic"), "expected a float tensor, got quint8"),
    (linear(given="q.dequantize()[:, :3]", more="False", name="quantized_linear_dynamic"), "The size of the last dimension of the input,"),
    (linear(given="q.dequantize()", more="False", name="quantized_linear_dynamic", tensors="w[:1], s, z"), None),
    (linear(given="q.dequantize()", more="False", name="quantized_linear_dynamic", bias="torch.ones(3)"), "the weight is not packed for these outputs"),
    (linear(given="q.dequantize() * float('nan')", more="False", name="quantized_linear_dynamic"), None),
    (conv(), None), (conv(given="torch.ones(1, 4, 5, 5)"), "expected a tensor of quint8 or qint8, got fl"), (conv(given="q[0]"), None), (conv(given="q[:, :3]"), "Given groups.1, weight of size .2, 4, ....,"),
    (conv(given="q[0, 0]"), "Expected 3D .unbatched. or 4D .batched. inpu"), (conv(tensors="w.int(), s, z"), "the weight is not packed for these outputs"), (conv(tensors="w, s.double(), z"), "the weight is not packed for these outputs"), (conv(tensors="w, s, z[:1]"), "the weight is not packed for these outputs"),
    (conv(tensors="w, s[:0], z"), "the weight is not packed for these outputs"), (conv(tensors="w, torch.cat([s, s, s]), z"), "the weight is not packed for these outputs"), (conv(tensors="w, torch.cat([s, s]), z.int()"), None), (conv(tensors="w[:1], s, z"), None), (conv(sizes="[2, 4, 3]"), "argument 6 has 2 items, at most 1 are possib"), (conv(sizes="[2, 4, 0, 3]"), "quantized..conv... a weight of 4 dimensions"),
    (conv(sizes="[-2, 4, 3, 3]"), "quantized..conv... a weight of 4 dimensions"), (conv(sizes="[2, 4, 2**31, 3]"), "the weight is not packed for these outputs"), (conv(bias="torch.ones(3)"), "the weight is not packed for these outputs"), (conv(stride="[0, 1]"), "non.positive stride is not supported"),
    (conv(padding="[-1, 0]"), "negative padding is not supported"), (conv(dilation="[0, 1]"), "kernel size and dilation should be greater t"), (conv(dilation="[9, 1]"), ".5.. Kernel size. .19.. Kernel size can.t be"), (conv(groups=0), "quantized..conv... a weight of 4 dimensions"), (conv(groups=3), "quantized..conv... a weight of 4 dimensions"),
    (lookup(), None), (lookup(given="torch.ones(3, 4)"), "takes bytes that are quantized per tensor"), (lookup(table="t[1:]"), "a table has 256 bytes"), (lookup(table="t.int()"), "a table has 256 bytes"), (lookup(table="t.view(16, 16)"), "a table has 256 bytes"),
    (lookup(table="torch.zeros(512, dtype=torch.uint8)[::2]"), "a table has 256 bytes"), (lookup(more="0.5, 256"), "zero.point 256 is outside of quint8"), (lookup(more="0.0, 0"), None), (lookup(given="q[:0]"), None), (lookup(given="q.t()"), None),
    (lookup(given="torch.quantize_per_tensor(torch.ones(3, 4), 0.5, 0, torch.qint32)"), "takes bytes that are quantized per tensor"),
    (lookup(given="torch.quantize_per_channel(torch.ones(3, 4), torch.ones(3), torch.zeros(3), 0, torch.quint8)"), "takes bytes that are quantized per tensor"),
    (conv(more="0.5, -1, False"), "zero.point .1 is outside of quint8"), (conv(stride="[1]"), None), (conv(given="q[:0]"), None),
    # ---- Others ----
    ("return torch.ops.tsm.cat_shuffled([torch.ones(1, 2, 2, 2)])", None),
    ("return torch.ops.tsm.cat_shuffled([torch.ones(1, 2, 2, 2), torch.ones(1, 2, 2, 3)])", "Sizes of tensors must match except in dimens"),
    ("return torch.ops.tsm.nested_like(torch.ones(2, 3), torch._nested_tensor_from_mask(torch.ones(2, 3, 4), torch.ones(2, 3) > 0))", "other sizes"),
    ("return torch.ops.tsm.nested_like(torch.ones(2, 3, 5), torch._nested_tensor_from_mask(torch.ones(2, 3, 4), torch.ones(2, 3) > 0))",
     "other sizes"),
    (NESTED + "assert torch.ops.tsm.nested_mask(n) is not None", None), (NESTED + "assert torch.ops.tsm.nested_mask(n[1:]) is None", None),
    (NESTED + "assert torch.ops.tsm.nested_mask(n[:, 1:]) is None", None), (NESTED + "assert torch.ops.tsm.nested_mask(n[:, :, 1:]) is None", None),
    (NESTED + "assert torch.ops.tsm.nested_mask(n[:1]) is None", None), (NESTED + "assert torch.ops.tsm.nested_mask(n[0]) is None", None),
    (NESTED + "assert torch.ops.tsm.nested_mask(n[:0]) is None", None), (NESTED + "assert torch.ops.tsm.nested_mask(n.transpose(1, 2)) is None", None),
    (NESTED + "assert torch.ops.tsm.nested_mask(n.transpose(0, 1)) is None", None), (NESTED + "return n[1:].to_padded_tensor(0.0)", "not nested"),
    (NESTED + "return n.to_padded_tensor(0.0, [2, 3, 4, 5])", "at most 3 are possible"),
    ("return torch._nested_tensor_from_mask(torch.ones(2, 0, 4), torch.ones(2, 0) > 0)", "a nested tensor of nothing"),
    # ---- Attention masks that PyTorch 1.13 does not take on a CPU ----
    (MASKED + masked("s = f(m, 0, True)\n    assert torch.allclose(s, f(m.expand(2, 2, 3, 3), 1, True), 1e-4, 1e-4)\n    assert torch.allclose(s, f(m, 0, False), 1e-4, 1e-4)"), None),
    (MASKED + masked("s = f(m.float() * -5, 0, True)\n    assert torch.allclose(s, f(m.float().expand(2, 2, 3, 3) * -5, 1, False), 1e-4, 1e-4)"), None),
    (MASKED + masked("assert torch.allclose(f(m.double() * -5, 0, False).float(), f(m.float() * -5, 0, False), 1e-4, 1e-4)"), None),
    (MASKED + masked("return f(m[0, 0], 0, True)"), "another shape than the scores"), (MASKED + masked("return f(m[0], 0, True)"), "another shape than the scores"),
    (MASKED + masked("return f(m[:, :2], 0, True)"), "another shape than the scores"), (MASKED + masked("return f(m[:2], 0, True)"), "another shape than the scores"),
    (MASKED + masked("return f(m, 1, True)"), "another shape than the scores"),
    (MASKED + "return torch._native_multi_head_attention(a[0], a, a, 8, 2, w, b, p, c)[0]", "expected 3-D query"),
    (MASKED + "return torch._native_multi_head_attention(a, a, a, 8, 0, w, b, p, c)[0]", "expected 3-D query"),
    (MASKED + "return torch._native_multi_head_attention(a, a, a, 8, 3, w, b, p, c)[0]", "expected 3-D query"),
    (MASKED + "return torch._native_multi_head_attention(a, a, a, 6, 2, w, b, p, c)[0]", "expected 3-D query"),
    (MASKED + "return torch._native_multi_head_attention(a, a, a, 8, 2, w[:16], b, p, c)[0]", "expected 3-D query"),
    ("return torch.ops.tsm.linspace_integers(0, 5, -1, 4)", "number of steps must be non.negative"), ("return torch.ops.tsm.linspace_integers(0, 5, 3, 99)", "unknown dtype 30"),
    ("x = torch.ones(3)\n    torch.ops.tsm.set_item_(x, 1, 0, 1.0)", "Dimension out of range .expected to be in ra"), ("x = torch.ones(3)\n    torch.ops.tsm.set_item_(x, 0, 3, 1.0)", "index 3 out of range for tensor of size .3."),
    ("return torch.ops.tsm.float_item(torch.ones(3), 5, 0)", "Dimension out of range"), ("return torch.ops.tsm.int_item(torch.ones(3), 0, 3)", "index 3 out of range for tensor of size .3."), ("return torch.ops.tsm.bool_item(torch.ones(2, 3), 0, 1)", "more than one value is ambiguous"), ("return torch.ops.tsm.float_item(torch.ones(2, 3), 0, 1)", "with 3 elements cannot be converted"),
    ("x = torch.ones(3)\n    torch.ops.tsm.set_item_(x, 0, 0, 'word')", None), ("x = torch.ones(3)\n    torch.ops.tsm.set_number_(x, 'word')", None),
]
