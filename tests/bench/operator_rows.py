"""The rows of operators.py: a name, the arguments, and the expression that is timed.

An argument is NAME=KIND:SHAPE. SHAPE is a name of SIZES. KIND: f float32, d float64, h half, z complex; p positive
float32; s symmetric positive definite; l int64 (0 to 99), u uint8, b bool; x rows and c columns of the argument
before, y columns of it for each element."""

SIZES = {  # shape: tiny, middle, large
    "map": ((3, 4, 4), (32, 56, 56), (64, 224, 224)),
    "image": ((1, 3, 8, 8), (1, 16, 56, 56), (1, 32, 224, 224)),
    "rows": ((2, 8), (128, 512), (1024, 4096)),
    "row": ((8,), (512,), (4096,)),
    "column": ((2, 1), (128, 1), (1024, 1)),
    "line": ((16,), (65536,), (4194304,)),
    "square": ((3, 3), (64, 64), (256, 256)),
    "points": ((4, 3), (512, 32), (2048, 64)),
    "table": ((5, 4), (5000, 64), (50000, 64)),
    "chosen": ((4,), (512,), (20000,)),
    "batch": ((1, 3, 3), (16, 16, 16), (64, 64, 64)),
    "signal": ((1, 1, 32), (1, 16, 2048), (4, 32, 16384)),
    "volume": ((1, 2, 4, 4, 4), (1, 8, 8, 28, 28), (1, 16, 16, 56, 56)),
    "kernel1": ((1, 1, 3), (16, 16, 3), (32, 32, 3)),
    "kernel2": ((3, 3, 3, 3), (16, 16, 3, 3), (32, 32, 3, 3)),
    "kernel3": ((2, 2, 3, 3, 3), (8, 8, 3, 3, 3), (16, 16, 3, 3, 3)),
}

# Elementwise, of one argument: every operator on "a", and what its argument is.
UNARY = {
    "f:map": "abs neg relu sigmoid tanh exp expm1 sin cos tan sinh cosh asin acos atan asinh floor ceil round trunc frac sign erf erfc square "
             "gelu silu mish softplus elu selu celu hardtanh hardswish hardsigmoid leaky_relu logsigmoid isnan isfinite signbit relu6 hardshrink "
             "softshrink tanhshrink rad2deg sgn sinc exp2 reciprocal",
    "p:map": "log log2 log10 log1p sqrt rsqrt lgamma digamma acosh logit",
    "d:map": "exp sigmoid tanh sqrt floor abs",
    "h:map": "relu exp sigmoid abs",
    "l:line": "abs neg sign",
    "b:line": "logical_not",
}
FUNCTIONAL = set("gelu silu mish softplus elu selu celu hardtanh hardswish hardsigmoid leaky_relu logsigmoid relu6 hardshrink softshrink "
                 "tanhshrink".split())

BINARY = {
    "a=f:map b=f:map": ("a + b", "a - b", "a * b", "a / b", "torch.maximum(a, b)", "torch.minimum(a, b)", "a > b", "a == b", "torch.atan2(a, b)",
                        "torch.fmod(a, b)", "torch.remainder(a, b)", "torch.floor_divide(a, b)", "torch.hypot(a, b)", "torch.lerp(a, b, 0.3)",
                        "torch.logaddexp(a, b)", "torch.copysign(a, b)", "torch.addcmul(a, a, b)", "torch.addcdiv(a, a, b)", "torch.where(a > b, a, b)",
                        "torch.add(a, b, alpha=0.5)", "torch.nn.functional.mse_loss(a, b)", "torch.nn.functional.l1_loss(a, b)",
                        "torch.nn.functional.smooth_l1_loss(a, b)", "torch.dist(a, b)"),
    "a=f:map": ("a + 1.5", "a * 2.0", "a / 3.0", "a > 0.5", "torch.pow(a, 2.0)", "torch.pow(a, 3.0)", "torch.clamp(a, -1.0, 1.0)", "torch.clamp(a, min=0.0)",
                "a.to(torch.int64)", "a.to(torch.int32)", "a.to(torch.uint8)", "a.to(torch.float64)", "a.to(torch.float16)", "a.to(torch.bool)",
                "torch.nan_to_num(a)", "torch.masked_fill(a, a > 0.0, 0.0)", "torch.full_like(a, 2.0)", "torch.zeros_like(a)", "a.clone()", "torch.polar(a, a)",
                "torch.heaviside(a, a)"),
    "a=p:map": ("torch.pow(a, 0.7)", "torch.xlogy(a, a)", "torch.pow(2.0, a)"),
    "a=f:rows b=f:row": ("a + b", "a * b", "a - b"),
    "a=f:rows b=f:column": ("a + b", "a * b", "a / b"),
    "a=d:map b=d:map": ("a + b", "a * b", "a / b", "a > b"),
    "a=h:map b=h:map": ("a + b", "a * b"),
    "a=l:line b=l:line": ("a + b", "a * b", "a // (b + 1)", "a % (b + 1)", "a > b", "a & b", "a << 2", "a == b"),
    "a=l:line": ("a.to(torch.float32)", "a.to(torch.int32)", "torch.clamp(a, 10, 50)", "torch.bitwise_not(a)"),
    "a=b:line b=b:line": ("a & b", "a | b", "a ^ b", "torch.logical_and(a, b)", "a == b"),
    "a=b:line": ("a.to(torch.float32)", "torch.any(a)", "torch.all(a)", "torch.sum(a)"),
    "a=u:line": ("a.to(torch.float32)", "a.to(torch.int64)"),
    "a=f:map b=b:map": ("torch.where(b, a, a)", "torch.masked_fill(a, b, 1.0)", "torch.masked_select(a, b)", "a[b]", "torch.masked_scatter(a, b, a)"),
    "a=z:map b=z:map": ("a * b", "a + b", "torch.abs(a)", "torch.angle(a)"),
}

MOVES = {
    "a=f:map": ("torch.roll(a, [3], [1])", "torch.roll(a, [3, 2], [1, 2])", "torch.flip(a, [2])", "torch.flip(a, [0, 1])", "torch.permute(a, [2, 0, 1]).contiguous()",
                "a.transpose(1, 2).contiguous()", "torch.cat([a, a], 0)", "torch.cat([a, a], 2)", "torch.stack([a, a], 2)", "torch.rot90(a, 1, [1, 2])",
                "a.repeat([1, 2, 1])", "a.repeat_interleave(2, 1)", "torch.repeat_interleave(a, 2, 2)", "torch.tril(a)", "torch.triu(a, 1)", "a[:, ::2, ::2].clone()", "a[:, 1:].contiguous()",
                "torch.diff(a)", "torch.nonzero(a > 0.5)", "torch.narrow(a, 1, 1, 3).contiguous()", "a.unfold(2, 3, 1).contiguous()",
                "torch.diagonal(a, 0, 1, 2).clone()", "torch.tile(a, [2, 1, 1])"),
    "a=f:image": ("torch.nn.functional.pad(a, [1, 1, 1, 1])", "torch.nn.functional.pad(a, [1, 1, 1, 1], mode='reflect')",
                  "torch.nn.functional.pad(a, [1, 1, 1, 1], mode='replicate')", "torch.nn.functional.pad(a, [2, 2, 2, 2], mode='circular')",
                  "torch.pixel_unshuffle(a, 2)", "a.to(memory_format=torch.channels_last)", "torch.nn.functional.unfold(a, [3, 3])"),
    "a=f:table i=x:chosen": ("a[i]", "torch.index_select(a, 0, i)", "torch.embedding(a, i)", "a[i, 1]", "torch.index_fill(a, 0, i, 1.0)", "a.index_put([i], a[i], True)",
                             "a.index_put([i], a[i])", "torch.index_add(a, 0, i, a[i])", "torch.index_copy(a, 0, i, a[i])"),
    "a=f:rows i=y:rows": ("torch.gather(a, 1, i)", "torch.scatter(a, 1, i, a)", "torch.scatter_add(a, 1, i, a)", "torch.scatter(a, 1, i, 1.0)",
                          "torch.take_along_dim(a, i, 1)", "torch.gather(a, 1, i[:, :4])"),
    "a=f:rows i=c:chosen": ("a[:, i]", "torch.index_select(a, 1, i)", "torch.index_add(a, 1, i, a[:, i])", "a[0, i]"),
    "i=l:line": ("torch.nn.functional.one_hot(i, 100)", "torch.bincount(i)"),
}

REDUCTIONS = {
    "a=f:rows": ("torch.sum(a)", "torch.sum(a, [1])", "torch.sum(a, [0])", "torch.mean(a, [1])", "torch.mean(a, [0])", "torch.std(a, [1])", "torch.std(a)", "torch.var(a, [0])",
                 "torch.norm(a)", "torch.norm(a, 2, [1])", "torch.max(a)", "torch.max(a, 1)[0]", "torch.argmax(a, 1)", "torch.argmax(a, 0)", "torch.amax(a, [1])", "torch.amin(a, [0])",
                 "torch.prod(a, 1)", "torch.cumsum(a, 1)", "torch.cumsum(a, 0)", "torch.cumprod(a, 1)", "torch.cummax(a, 1)[0]", "torch.logsumexp(a, [1])", "torch.softmax(a, 1)",
                 "torch.softmax(a, 0)", "torch.log_softmax(a, 1)", "torch.sort(a, 1)[0]", "torch.argsort(a, 1)", "torch.topk(a, 5 if a.size(1) > 5 else 1, 1)[0]", "torch.median(a, 1)[0]", "torch.kthvalue(a, 2, 1)[0]", "torch.mode(a, 1)[0]",
                 "torch.layer_norm(a, [a.size(1)])", "torch.nn.functional.normalize(a, 2.0, 1)", "torch.cosine_similarity(a, a, 1)", "torch.aminmax(a)[0]", "torch.count_nonzero(a)", "torch.nn.functional.glu(a, 1)"),
    "a=d:rows": ("torch.sum(a, [1])", "torch.softmax(a, 1)"),
    "a=l:line": ("torch.sum(a)", "torch.max(a)", "torch.unique(a)", "torch.sort(a)[0]", "torch.cumsum(a, 0)", "torch.argmax(a)"),
    "a=f:image": ("torch.mean(a, [2, 3])", "torch.group_norm(a, 1)", "torch.instance_norm(a, None, None, None, None, True, 0.1, 1e-5, False)", "torch.amax(a, [2, 3])", "torch.sum(a, [1])"),
    "a=f:line": ("torch.histc(a, 50)", "torch.bucketize(a, torch.tensor([-1.0, 0.0, 1.0]))", "torch.quantile(a, 0.5) if a.numel() < 1000000 else a[0]"),
}

PRODUCTS = {
    "a=f:square b=f:square": ("torch.mm(a, b)", "a @ b.t()", "torch.kron(a[:8, :8], b[:8, :8])", "torch.cdist(a, b)", "torch.outer(a[0], b[0])", "torch.mv(a, b[0])", "torch.einsum('ij,kj->ik', a, b)"),
    "a=d:square b=d:square": ("torch.mm(a, b)", "torch.linalg.solve(a, b)", "torch.linalg.svdvals(a)", "torch.linalg.qr(a)[0]", "torch.linalg.inv(a)", "torch.linalg.det(a)"),
    "a=s:square": ("torch.linalg.cholesky(a)", "torch.linalg.eigh(a)[0]", "torch.linalg.eigvalsh(a)", "torch.linalg.inv(a)", "torch.linalg.solve(a, a)", "torch.linalg.svd(a)[1]", "torch.linalg.lstsq(a, a)[0]",
                   "torch.linalg.matrix_rank(a)", "torch.linalg.pinv(a)", "torch.linalg.matrix_exp(a * 0.01)", "torch.linalg.lu_factor(a)[0]", "torch.linalg.eigvals(a)"),
    "a=f:batch b=f:batch": ("torch.bmm(a, b)", "torch.matmul(a, b)", "torch.baddbmm(a, a, b)", "torch.linalg.solve(a, b)", "torch.linalg.inv(a)"),
    "a=f:points b=f:points": ("torch.cdist(a, b)", "torch.pdist(a[:64])"),
}

LAYERS = {
    "a=f:image": ("torch.nn.functional.avg_pool2d(a, 2)", "torch.nn.functional.max_pool2d(a, 2)", "torch.nn.functional.adaptive_avg_pool2d(a, [1, 1])", "torch.nn.functional.adaptive_avg_pool2d(a, [7, 7])",
                  "torch.nn.functional.interpolate(a, scale_factor=2.0, mode='nearest')", "torch.nn.functional.interpolate(a, scale_factor=2.0, mode='bilinear', align_corners=False)",
                  "torch.nn.functional.interpolate(a, scale_factor=2.0, mode='bicubic', align_corners=False)", "torch.nn.functional.interpolate(a, scale_factor=0.5, mode='area')",
                  "torch.nn.functional.grid_sample(a, a[:, :2].permute(0, 2, 3, 1).contiguous(), align_corners=False)", "torch.nn.functional.max_pool2d(a, 3, 2, 1)"),
    "a=f:signal": ("torch.nn.functional.avg_pool1d(a, 4)", "torch.nn.functional.max_pool1d(a, 4)", "torch.fft.rfft(a)", "torch.fft.fft(a)", "torch.fft.irfft(torch.fft.rfft(a))",
                   "torch.nn.functional.interpolate(a, scale_factor=2.0, mode='linear', align_corners=False)"),
    "a=f:volume": ("torch.nn.functional.avg_pool3d(a, 2)", "torch.nn.functional.max_pool3d(a, 2)"),
    "a=f:image w=f:kernel2": ("torch.conv2d(a, w)", "torch.conv2d(a, w, None, [1, 1], [1, 1])", "torch.conv_transpose2d(a, w)"),
    "a=d:image w=d:kernel2": ("torch.conv2d(a, w, None, [1, 1], [1, 1])",),
    "a=f:signal w=f:kernel1": ("torch.conv1d(a, w)",),
    "a=f:volume w=f:kernel3": ("torch.conv3d(a, w)",),
}
