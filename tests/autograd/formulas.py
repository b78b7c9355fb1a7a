"""Expressions whose gradients are compared with PyTorch's and with differences of their values, all in float64. x, y
and p (positive) are [3, 4], image is [1, 2, 6, 4], t is [3] of class numbers."""

EXPRESSIONS = [
    # functions
    "torch.atan2(x, y)", "torch.hypot(x, y)", "torch.acosh(p + 1.5)", "torch.asinh(x)", "torch.atanh(torch.tanh(x))", "torch.lgamma(p)",
    "torch.digamma(p)", "torch.erfc(x)", "torch.erfinv(torch.tanh(x))", "torch.sinc(x)", "torch.frac(x)", "torch.nan_to_num(x)", "torch.deg2rad(x)",
    "torch.rad2deg(x)", "torch.fmod(x, 0.7)", "torch.fmod(x, p)", "torch.remainder(x, 0.7)", "torch.remainder(x, p)",
    "torch.div(x, p, rounding_mode=None)", "torch.div(x, p, rounding_mode='floor') + x", "torch.fmax(x, y)", "torch.fmin(x, y)",
    "torch.clamp_min(x, y)", "torch.clamp_max(x, y)", "torch.lerp(x, y, p)", "torch.logaddexp(x, y)", "torch.xlogy(x, p)", "torch.polygamma(1, p)",
    # activations
    "F.prelu(x, y[0])", "F.prelu(x, y[0, :1])", "F.glu(x, 1)", "F.mish(x)", "F.hardshrink(x, 0.3)", "F.softshrink(x, 0.3)", "torch.logit(p / 10)",
    "torch.logit(p, 0.3)", "F.celu(x, 0.7)", "F.selu(x)", "F.tanhshrink(x)", "F.softsign(x)", "F.rrelu(x)",
    # products, selections
    "torch.prod(x)", "torch.prod(x * (y > 0), 1)", "torch.prod(x, 0, keepdim=True)", "torch.cumprod(x, 1)", "torch.masked_select(x, y > 0)",
    "torch.kthvalue(x, 2, 1)[0]", "torch.median(x, 1)[0]", "torch.where(x > 0, x, 0.5)", "torch.where(x > 0, 0.5, x)",
    "torch.scatter(x, 1, torch.tensor([[0, 1], [2, 3], [1, 0]]), y[:, :2])", "torch.scatter(x, 1, torch.tensor([[0, 1], [2, 3], [1, 0]]), 2.0)",
    "torch.index_fill(x, 0, torch.tensor([0, 2]), 3.0)", "torch.var(x, dim=1, correction=0, keepdim=False)", "torch.std(x, dim=None, correction=2, keepdim=False)",
    "torch.linalg.vector_norm(x, 3, [1])", "torch.linalg.vector_norm(x)", "torch.norm(x, 1.5, [0])", "torch.norm(x, 0.5, [1], True)",
    # shapes
    "x.unfold(1, 2, 1)", "x[:1].broadcast_to(3, 4)", "image.movedim([0, 1], [2, 3])", "torch.tile(x, (2, 1))",
    "torch.rot90(x)", "torch.cdist(x, y)", "torch.kron(x, y)",
    # layers
    "F.conv_transpose2d(image, image.reshape(2, 3, 4, 2)[:, :, :3], x[0, :3], stride=2, padding=1, output_padding=1)",
    "F.conv_transpose2d(image, torch.cat([x, y]).reshape(2, 1, 4, 3), None, 1, 0, 0, 2, 2)", "F.conv_transpose1d(image.reshape(1, 2, 24), image[0, :, :3], y[0, :3])",
    "F.conv_transpose3d(image.unsqueeze(2), torch.cat([x, y]).reshape(2, 2, 1, 2, 3), x[0, :2])", "F.avg_pool1d(image[0], 2)",
    "F.avg_pool1d(image[0], 3, 2, 1, True, False)", "F.avg_pool2d(image, 3, 2, 1, True, False)", "F.avg_pool3d(image, 2)", "F.adaptive_avg_pool1d(image[0], 3)",
    "F.adaptive_avg_pool2d(image, [4, 3])", "F.adaptive_avg_pool3d(image, [2, 4, 3])", "F.max_pool1d(image[0], 2)", "F.max_pool3d(image, 2)",
    "F.lp_pool2d(image, 2.0, 2)", "F.pixel_shuffle(image.reshape(1, 8, 2, 3), 2)",
    "F.interpolate(image, scale_factor=2.0, mode='nearest')", "F.interpolate(image, size=[3, 5], mode='nearest')",
    "F.interpolate(image, size=[5, 7], mode='bilinear')", "F.interpolate(image, scale_factor=1.5, mode='bilinear', align_corners=True)",
    "F.interpolate(image, size=[7, 3], mode='bicubic')", "F.interpolate(image[0], size=[7], mode='linear')", "F.interpolate(image[0], size=[3], mode='nearest')",
    "F.interpolate(image.unsqueeze(0), size=[3, 5, 6], mode='trilinear')", "F.interpolate(image.unsqueeze(0), size=[3, 5, 6], mode='nearest')",
    "F.interpolate(image, size=[3, 2], mode='area')", "F.unfold(image, 2)", "F.fold(image.reshape(1, 8, 6), [3, 4], 2)", "F.pad(image, [1, 1, 2, 0], mode='reflect')",
    "F.pad(image, [1, 2, 0, 1], mode='replicate')", "F.pad(image[0], [2, 1], mode='reflect')", "F.pad(image[0], [2, 1], mode='replicate')",
    "F.instance_norm(image, None, None, x[0, :2], y[0, :2])", "F.local_response_norm(image, 2)", "F.embedding_bag(t.reshape(1, 3), x)",
    "F.embedding_bag(t, x, torch.tensor([0, 1]), mode='sum')", "F.bilinear(x, y, image.reshape(3, 4, 4), p[0, :3])", "F.normalize(x)",
    # losses
    "F.poisson_nll_loss(x, p)", "F.gaussian_nll_loss(x, y, p)", "F.hinge_embedding_loss(x, torch.sign(y.detach()))", "F.soft_margin_loss(x, torch.sign(y.detach()))",
    "F.margin_ranking_loss(x, y, torch.sign(p))", "F.triplet_margin_loss(x, y, p)", "F.cosine_embedding_loss(x, y, torch.tensor([1, -1, 1]))",
    "F.multi_margin_loss(x, t)", "F.multilabel_soft_margin_loss(x, (y > 0).double())", "F.pairwise_distance(x, y)",
    # linear algebra, special functions, other names, places
    "torch.special.i1e(x)", "torch.special.i1(x)", "torch.special.i0(x)", "torch.special.i0e(x)", "torch.i0(x)",
    "torch.special.log_ndtr(x)", "torch.special.ndtri(torch.sigmoid(x))", "torch.special.erfcx(x)",
    "torch.special.zeta(torch.full_like(p, 2.5).detach(), p)", "torch.special.zeta(2.5, p)",
    "torch.special.polygamma(2, p)", "torch.special.expm1(x)", "torch.special.exp2(x)", "torch.special.gammaln(p)",
    "torch.special.psi(p)", "torch.special.erf(x)", "torch.special.erfc(x)", "torch.special.erfinv(torch.tanh(x))",
    "torch.special.expit(x)", "torch.special.log1p(p)", "torch.special.logit(torch.sigmoid(x))",
    "torch.special.sinc(x)", "torch.special.round(x) + x", "torch.copysign(x, y)", "torch.copysign(x, -1.0)",
    "torch.index_copy(x, 0, torch.tensor([0, 2]), y[:2])",
    "torch.scatter_reduce(x, 1, torch.tensor([[0, 1], [2, 2], [1, 1]]), y[:, :2], \"sum\")",
    "torch.scatter_reduce(x, 1, torch.tensor([[0, 1], [2, 2], [1, 1]]), y[:, :2], \"prod\")",
    "torch.scatter_reduce(x, 1, torch.tensor([[0, 1], [2, 2], [1, 1]]), y[:, :2], \"mean\")",
    "torch.scatter_reduce(x, 1, torch.tensor([[0, 1], [2, 2], [1, 1]]), y[:, :2], \"amax\")",
    "torch.scatter_reduce(x, 1, torch.tensor([[0, 1], [2, 2], [1, 1]]), y[:, :2], \"amin\", include_self=False)",
    "torch.clamp(x, y, p)", "torch.clip(x, y, p)", "torch.clip(x, -0.5, 0.5)",
    "torch.var_mean(x, dim=[1], unbiased=True)[0]", "torch.var_mean(x, dim=[1], unbiased=True)[1]",
    "F.interpolate(image, size=[3, 5], mode='nearest-exact')",
    "F.interpolate(image[0], size=[3], mode='nearest-exact')",
    "F.interpolate(image.unsqueeze(0), size=[3, 5, 6], mode='nearest-exact')", "torch.angle(x)", "torch.absolute(x)",
    "torch.arccos(torch.tanh(x))", "torch.arcsin(torch.tanh(x))", "torch.arctan(x)", "torch.arcsinh(x)",
    "torch.arccosh(p + 1.5)", "torch.arctanh(torch.tanh(x))", "torch.arctan2(x, y)", "torch.fix(x) + x",
    "torch.negative(x)", "torch.subtract(x, y)", "torch.multiply(x, y)", "torch.divide(x, p)",
    "torch.true_divide(x, p)", "torch.concat([x, y])", "torch.concatenate([x, y], 1)",
    "torch.cholesky_solve(y, torch.linalg.cholesky(x @ x.t() + torch.eye(3, dtype=torch.float64)))",
    "torch.cholesky_inverse(torch.linalg.cholesky(x @ x.t() + torch.eye(3, dtype=torch.float64)))",
    "torch.linalg.cholesky(x @ x.t() + torch.eye(3, dtype=torch.float64))",
    "torch.linalg.cholesky(x @ x.t() + torch.eye(3, dtype=torch.float64), upper=True)",
    "torch.cholesky(x @ x.t() + torch.eye(3, dtype=torch.float64))",
    "torch.linalg.cholesky_ex(x @ x.t() + torch.eye(3, dtype=torch.float64))[0]", "torch.linalg.inv(x[:, :3])",
    "torch.linalg.inv_ex(x[:, :3])[0]", "torch.inverse(x[:, :3])", "torch.linalg.det(x[:, :3])",
    "torch.det(x[:, :3])", "torch.logdet(x @ x.t())", "torch.slogdet(x[:, :3])[1]",
    "torch.linalg.slogdet(x[:, :3])[1]", "torch.linalg.solve(x[:, :3], y)", "torch.linalg.solve_ex(x[:, :3], y)[0]",
    "torch.linalg.solve_triangular(torch.triu(x[:, :3]) + torch.eye(3, dtype=torch.float64), y, upper=True)",
    "torch.triangular_solve(y, torch.triu(x[:, :3]) + torch.eye(3, dtype=torch.float64))[0]",
    "torch.linalg.qr(x.t())[0]", "torch.linalg.qr(x.t())[1]", "torch.qr(x.t())[1]", "torch.linalg.svdvals(x)",
    "torch.svd(x)[1]", "torch.linalg.svd(x, full_matrices=False)[1]",
    "torch.linalg.svd(x, full_matrices=False)[0].abs()", "torch.linalg.eigvalsh(x @ x.t())",
    "torch.linalg.eigh(x @ x.t())[0]", "torch.linalg.eigh(x @ x.t())[1].abs()", "torch.symeig(x @ x.t(), True)[0]",
    "torch.linalg.matrix_power(x[:, :3], -2)", "torch.linalg.pinv(x)", "torch.pinverse(x)",
    "torch.linalg.pinv(x @ x.t(), hermitian=True)", "torch.linalg.lstsq(x.t(), y.t())[0]",
    "torch.linalg.lu(x[:, :3])[1]", "torch.linalg.lu_factor(x[:, :3])[0]",
    "torch.lu_solve(y, torch.linalg.lu_factor(x[:, :3])[0], torch.linalg.lu_factor(x[:, :3])[1])",
    "torch.linalg.lu_solve(torch.linalg.lu_factor(x[:, :3])[0], torch.linalg.lu_factor(x[:, :3])[1], y)",
    "torch.linalg.norm(x, 'nuc')", "torch.linalg.norm(x, 2)", "torch.linalg.matrix_norm(x, 2)",
    "torch.linalg.matrix_norm(x, 'nuc')", "torch.linalg.tensorinv(image.reshape(6, 8)[:, :6].reshape(6, 2, 3), 1)",
    "torch.linalg.tensorsolve(x[:, :3].reshape(3, 3), y[:, 0])", "torch.linalg.cond(x)", "torch.linalg.vecdot(x, y)",
    "torch.put(x, torch.tensor([0, 5]), y[0, :2], False)", "torch.put(x, torch.tensor([0, 5]), y[0, :2], True)",
    "torch.index_put(x, [torch.tensor([0, 2])], y[:2])", "torch.index_put(x, [torch.tensor([0, 2])], y[:2], True)",
    "torch.diag(x[0])", "torch.diag(x)", "torch.diag_embed(x)", "torch.diagflat(x[0])",
    "torch.as_strided(x, [2, 2], [4, 1], 1)", "torch.true_divide(x, 3)", "torch.cov(x)",
    "torch.diagonal_scatter(x, y[0, :3])", "torch._softmax(x, 1, False)", "torch._log_softmax(x, 1, False)",
    "torch.convolution(image, image[:, :, :2, :2], x[0, :1], [1, 1], [0, 0], [1, 1], False, [0, 0], 1)",
    "torch.logcumsumexp(x, 1)",
    # complex numbers and Fourier transforms
    "torch.view_as_real(torch.fft.fft(x))", "torch.view_as_real(torch.fft.ifft(torch.complex(x, y), norm='ortho'))", "torch.fft.rfft(x).abs()",
    "torch.fft.rfft(x, n=7, norm='forward').real", "torch.fft.irfft(torch.complex(x, y))", "torch.fft.irfft(torch.complex(x, y), n=5, norm='ortho')",
    "torch.view_as_real(torch.fft.rfft2(image))", "torch.fft.irfft2(torch.complex(image, image * 2), s=[5, 6])", "torch.fft.irfft2(torch.complex(x, y))",
    "torch.fft.hfft(torch.complex(x, y))", "torch.view_as_real(torch.fft.ihfft(x).resolve_conj())", "torch.fft.fftn(torch.complex(x, y)).imag",
    "torch.view_as_real(torch.fft.fftshift(torch.fft.fft2(x)))", "torch.polar(p, x).imag", "torch.angle(torch.complex(x, y))", "torch.complex(x, y).abs()",
    "torch.sgn(torch.complex(x, y)).real", "(torch.complex(x, y) * torch.complex(y, p)).imag", "(torch.complex(x, y) / torch.complex(y, p)).real",
    "torch.complex(x, y).exp().real", "torch.complex(x, y).pow(3).imag", "torch.complex(x, y).sqrt().imag", "torch.complex(x, y).tanh().real",
    "(torch.complex(x, y) * p).imag", "torch.complex(x, y).conj().imag", "torch.complex(x, y).log().real", "torch.linalg.norm(torch.complex(x, y))",
    "torch.linalg.vector_norm(torch.complex(x, y), 3, [1])", "torch.norm(torch.complex(x, y), 1.5, [0])", "torch.var(torch.complex(x, y))",
    "torch.view_as_complex(torch.stack([x, y], -1)).prod(1).real",
    "torch.view_as_real(torch.complex(x, y) @ torch.complex(p, x).t())", "torch.view_as_real(torch.linalg.solve(torch.complex(x, y)[:, :3], torch.complex(p, x)))",
    "torch.linalg.pinv(torch.complex(x, y)).real", "torch.linalg.eigvalsh(torch.complex(x, y) @ torch.complex(x, y).t().conj())",
    "torch.linalg.svdvals(torch.complex(x, y))", "torch.linalg.det(torch.complex(x, y)[:, :3]).real",
    "torch.view_as_real(torch.linalg.qr(torch.complex(x, y))[0])", "torch.view_as_real(torch.linalg.qr(torch.complex(x, y))[1])",
    "torch.view_as_real(torch.linalg.qr(torch.complex(x, y).t())[0] @ torch.complex(p, x)[:, :3].t())",
    "torch.view_as_real(torch.linalg.qr(torch.complex(x, y)[:, :3], 'complete')[0])", "torch.linalg.qr(torch.complex(x, y).t())[1].abs()",
    "torch.linalg.svd(torch.complex(x, y), full_matrices=False)[0].abs()", "torch.linalg.svd(torch.complex(x, y).t(), full_matrices=False)[2].abs()",
    "torch.linalg.svd(torch.complex(x, y))[1]", "[torch.view_as_real(s[0] @ s[2].t().conj()) for s in [torch.svd(torch.complex(x, y))]][0]",
    "[torch.view_as_real(s[0][:, 1] * s[2][0, 1].conj()) for s in [torch.svd(torch.complex(x, y).t())]][0]",
    "torch.linalg.cholesky(torch.complex(x, y) @ torch.complex(x, y).t().conj()).real",
    "torch.linalg.slogdet(torch.complex(x, y)[:, :3])[1]", "torch.view_as_real(torch.cumprod(torch.complex(x, y), 1))",
    "torch.view_as_real(torch.stft(image.flatten(), 8, 4, window=torch.hann_window(8, dtype=torch.float64), return_complex=True))",
    "torch.stft(image.reshape(2, 24), 8, 3, normalized=True, return_complex=True).abs()",
    "torch.istft(torch.complex(image.reshape(3, 16)[:, :12], image.reshape(3, 16)[:, 4:]), 4, 2, window=torch.hamming_window(4, dtype=torch.float64))",
    "torch.linalg.eigvals(x[:, :3]).abs()", "torch.linalg.eig(x[:, :3])[1].abs()", "torch.linalg.eig(torch.complex(x, y)[:, :3])[0].imag",
    # what has other names, gives more, or is made of others
    "torch.linalg.householder_product(x.t(), p[0, :3])", "torch.orgqr(x.t(), p[1, :2])", "torch.meshgrid([x[0], y[:, 0]], indexing='xy')[0]",
    "torch.meshgrid([x[0], y[:, 0], p[1, :2]], indexing='xy')[2]", "torch.nn.utils.rnn.pad_sequence([x, y[:2], p[:1]], padding_value=2.0)",
    "torch.nn.utils.rnn.pad_sequence([x[:1], y], batch_first=True)", "F.pad(image.unsqueeze(0), [1, 1, 2, 1, 1, 0], mode='reflect')",
    "torch.linalg.matmul(x, y.t())",
    "F.interpolate(image, size=[3, 3], mode='bilinear', antialias=True)",
    # labels of einsum, bags
    "torch.einsum('ij,kj', x, y)", "torch.einsum('ba', x) @ y", "torch.einsum('ii', x @ y.t())",
    "torch.einsum('iij,jk->ik', torch.stack([x[:3, :3], y[:3, :3], p[:3, 1:]]), y.t()[:3])",
    "torch.einsum('iii->i', torch.stack([x[:3, :3], y[:3, :3], p[:3, 1:]]))",
    "torch.einsum('b...d,...d->b...', image[0], y[0])",
    "torch.einsum('...ij,...jk->...ik', x.view(3, 1, 4), y.view(1, 4, 3))", "torch.einsum('i j, k -> i k', x, y[0])",
    "F.embedding_bag(torch.tensor([0, 2, 1, 1]), x, torch.tensor([0, 2]), mode='max')",
    "F.embedding_bag(torch.tensor([[0, 2], [1, 1]]), x, mode='max')", "abs(x - 0.3)",
    # steps
    "torch.floor(x) + y", "torch.ceil(x)", "torch.round(x)", "torch.round(x, decimals=1)", "torch.sign(x)", "torch.trunc(x)", "torch.fix(x)",
    "torch.poisson(p * 0.0)", "torch.bernoulli(torch.ones_like(x * p) + 0.0 * x)",
    # images without a batch, more at the end than the stride
    "F.conv1d(image[0, :, 0], image[:, :, 0, :3], y[0, :1], stride=2, padding=1)", "F.conv2d(image[0], image[:, :, :2, :3], y[0, :1], padding=1)",
    "F.conv3d(image, image.unsqueeze(0)[:, :, :1, :2, :2])", "F.conv2d(image[0], image[0, :, :2, :2].unsqueeze(1), y[0, :2], groups=2)",
    "F.conv_transpose1d(image[0, :, 0], image[:, :, 0, :3].transpose(0, 1), y[0, :1], stride=2)", "F.conv_transpose2d(image[0], image[:, :, :2, :3].transpose(0, 1))",
    "F.conv_transpose3d(image, image[0, 0, :2, :2].reshape(1, 1, 1, 2, 2), y[0, :1])",
    "F.conv_transpose2d(image, image[:, :, :2, :2].transpose(0, 1), None, 2, 0, (3, 2), 1, 4)",
    "torch.view_as_real(torch.complex(x, y)[:, :0].unbind(0)[1])",
    # the greatest of regions, rows reduced into rows
    "torch.ops.aten.fractional_max_pool2d(image, [2, 2], [3, 2], torch.full([1, 2, 2], 0.4, dtype=torch.float64))[0]",
    "torch.ops.aten.fractional_max_pool3d(image, [1, 2, 2], [1, 3, 2], torch.full([1, 1, 3], 0.4, dtype=torch.float64))[0]",
    "torch.index_reduce(x, 0, torch.tensor([0, 2, 0]), y, 'amax')", "torch.index_reduce(x, 0, torch.tensor([0, 2, 0]), y, 'amin', include_self=False)",
]


# libtsmobile resamples float64 in float32, so differences of values say less.
def tolerance(expression):
    return 0.3 if "interpolate" in expression else 1e-6


def function(number):
    """A function that gives the gradients of an expression, how a sum of it changes in a direction, and how its
    gradients say that it does."""
    return """
def value_%d(x: Tensor, y: Tensor, p: Tensor, image: Tensor, t: Tensor) -> Tensor:
    out = %s
    return (out * torch.cos(torch.arange(out.numel(), dtype=torch.float64)).reshape(out.shape)).sum()

def formula_%d(x: Tensor, y: Tensor, p: Tensor, image: Tensor, t: Tensor):
    gradients = torch.autograd.grad([value_%d(x, y, p, image, t)], [x, y, p, image], allow_unused=True)
    return gradients, compared(gradients, value_%d(x + e(x), y + e(y), p + e(p), image + e(image), t) -
                               value_%d(x - e(x), y - e(y), p - e(p), image - e(image), t))
""" % (number, EXPRESSIONS[number], number, number, number, number)


def source(numbers):
    """A file with the functions of some expressions, and `all` that gives what each of them does."""
    head = '''from typing import List, Optional
import torch
import torch.nn.functional as F
from torch import Tensor

def e(x: Tensor) -> Tensor:
    return 1e-5 * torch.cos(torch.arange(x.numel(), dtype=torch.float64) + x.numel()).reshape(x.shape)

def compared(gradients: List[Optional[Tensor]], difference: Tensor):
    expected = torch.zeros(1, dtype=torch.float64)
    for g in gradients:
        if g is not None:
            expected = expected + (g * e(g)).sum() * 2
    return float(difference) / 2e-5, float(expected) / 2e-5
'''
    calls = "".join("        formula_%d(x, y, p, image, t),\n" % n for n in numbers)
    return head + "".join(map(function, numbers)) + "\ndef all(x: Tensor, y: Tensor, p: Tensor, image: Tensor, t: Tensor):\n    return (\n%s    )\n" % calls
