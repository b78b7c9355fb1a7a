"""Programs that ask for gradients. Each takes x and y [3, 4] of floats, both requiring gradients, p [3, 4] of positive
ones, which does too, and t [3] of class numbers."""
from typing import List, Optional

import torch
import torch.nn.functional as F


def of(out: torch.Tensor, inputs: List[torch.Tensor]) -> List[Optional[torch.Tensor]]:
    """The gradients of a sum in which every element of `out` has another weight."""
    weights = torch.cos(torch.arange(out.numel())).reshape(out.shape)
    return torch.autograd.grad([(out * weights).sum()], inputs, retain_graph=True)


def arithmetic(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    row, column = y[0], p[:, :1]
    return (of(x + y, [x, y]), of(torch.add(x, row, alpha=3), [x, y]), of(x - column, [x, p]), of(torch.sub(x, y, alpha=2.5), [x, y]),
            of(2 - x, [x]), of(torch.rsub(x, y, alpha=2), [x, y]), of(x * row, [x, y]), of(x * 3, [x]), of(x / column, [x, p]), of(x / 4, [x]),
            of(x + 1 - 2, [x]), of(1 / p, [p]), of(x ** 3, [x]), of(p ** 0.5, [p]), of(x ** 0, [x]), of(p ** y, [p, y]), of(2.0 ** y, [y]))


def mixed(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    return (of(torch.lerp(x, y, 0.3), [x, y]), of(torch.addcmul(x, y, p, value=0.5), [x, y, p]), of(torch.addcdiv(x, y, p, value=2), [x, y, p]),
            of(x.double() * y, [x, y]), of(-x, [x]), of(x * x * x, [x]), of((x * y) * (x + y), [x, y]),
            of(x.long().float() * x, [x]))


def functions(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    s = torch.sigmoid(x) * 0.9
    return (of(torch.exp(x), [x]), of(torch.exp2(x), [x]), of(torch.expm1(x), [x]), of(torch.log(p), [p]), of(torch.log2(p), [p]),
            of(torch.log10(p), [p]), of(torch.log1p(p), [p]), of(torch.sqrt(p), [p]), of(torch.rsqrt(p), [p]), of(torch.reciprocal(p), [p]),
            of(torch.square(x), [x]), of(torch.abs(x), [x]), of(torch.sin(x), [x]), of(torch.cos(x), [x]), of(torch.tan(x), [x]),
            of(torch.asin(s), [x]), of(torch.acos(s), [x]), of(torch.atan(x), [x]), of(torch.sinh(x), [x]), of(torch.cosh(x), [x]),
            of(torch.tanh(x), [x]), of(torch.sigmoid(x), [x]), of(torch.erf(x), [x]))


def activations(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    z = x * 5
    return (of(F.relu(x), [x]), of(F.relu6(z), [x]), of(F.hardtanh(x), [x]), of(F.leaky_relu(x, 0.2), [x]), of(F.threshold(x, 0.1, 2.0), [x]),
            of(F.silu(x), [x]), of(F.logsigmoid(x), [x]), of(F.hardsigmoid(z), [x]), of(F.softplus(z, 2.0, 3.0), [x]), of(F.hardswish(z), [x]),
            of(F.gelu(x), [x]), of(F.gelu(x, approximate="tanh"), [x]), of(F.elu(x, 0.7), [x]), of(torch.clamp(x, -0.5, 0.5), [x]),
            of(torch.clamp(x, max=0.2), [x]), of(torch.clamp_min(x, 0), [x]), of(torch.clamp_max(x, 0), [x]), of(F.relu(x * 2, inplace=True), [x]))


def choices(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    same = torch.where(x > 0, x, y)
    mask = x > y
    value = p.sum()
    return (of(torch.maximum(x, y), [x, y]), of(torch.minimum(x, same), [x, y]), of(torch.max(x, y[0]), [x, y]), of(torch.min(x, y), [x, y]),
            of(same, [x, y]), of(x.masked_fill(mask, 0.5), [x]), of(x.masked_fill(mask, value), [x, p]), of(torch.tril(x, 1), [x]),
            of(torch.triu(x), [x]))


def sums(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    return (of(x.sum(), [x]), of(x.sum(1), [x]), of(x.sum([-1, 0], keepdim=True), [x]), of(x.mean(), [x]), of(x.mean(0), [x]),
            of(x.mean([0, 1]), [x]), of(x.cumsum(1), [x]), of(torch.logsumexp(x, [1]), [x]), of(x.max(), [x]), of(x.min(), [x]),
            of(x.amax(1), [x]), of(x.amin([0, 1], keepdim=True), [x]), of(x.max(1)[0], [x]), of(x.min(0, keepdim=True)[0], [x]),
            of(torch.topk(x, 2, 1)[0], [x]), of(torch.sort(x, 1)[0], [x]), of(x.var(), [x]), of(x.var([1], unbiased=False), [x]), of(x.std(), [x]),
            of(x.std([0]), [x]), of(torch.norm(x), [x]), of(torch.norm(x, 2, [1]), [x]), of(torch.norm(x, 1.0, [0], True), [x]),
            of(torch.norm(x, 3, [1]), [x]))


def softmaxes(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    return of(F.softmax(x, 1), [x]), of(F.log_softmax(x, 0), [x]), of(F.softmin(x, -1), [x])


def products(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    batch, other = torch.stack([x, y]), torch.stack([p, y])
    return (of(x.mm(y.t()), [x, y]), of(torch.bmm(batch, other.transpose(1, 2)), [x, y, p]), of(x.mv(y[0]), [x, y]), of(x[0].dot(y[1]), [x, y]),
            of(torch.addmm(p[:, :3], x, y.t(), beta=2, alpha=3), [x, y, p]), of(torch.baddbmm(x[:, :3], batch, other.mT, alpha=2), [x, y, p]),
            of(torch.matmul(x[0], y[0]), [x, y]), of(torch.matmul(x[:, 0], batch), [x, y]), of(torch.matmul(batch, p[0]), [x, y, p]),
            of(torch.matmul(batch, p.t()), [x, y, p]), of(torch.matmul(x, other.mT), [x, y, p]), of(F.linear(batch, p, x[:, 0]), [x, y, p]),
            of(torch.einsum("ij,kj->ik", x, y), [x, y]), of(torch.einsum("bij, kj -> bi", batch, p), [x, y, p]), of(torch.einsum("ij->i", x), [x]))


def shapes(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    return (of(x.view(4, 3), [x]), of(x.reshape(2, -1), [x]), of(torch.flatten(x), [x]), of(x[:1].squeeze(), [x]), of(x[:, :1].squeeze(1), [x]),
            of(x.unsqueeze(1), [x]), of(x.view_as(y), [x]), of(x[:1].expand(5, 4), [x]), of(x[:1].expand_as(y), [x]), of(x.double(), [x]),
            of(x.t().contiguous(), [x]), of(x.clone(), [x]), of(x.permute(1, 0), [x]), of(x.transpose(0, 1), [x]), of(x.T, [x]),
            of(x.movedim(0, 1), [x]), of(x.select(1, 2), [x]), of(x[1:, ::2], [x]), of(x.narrow(1, 1, 2), [x]), of(x.diagonal(), [x]),
            of(x.flip([0, 1]), [x]), of(x.roll([1, 2], [0, 1]), [x]), of(x.repeat(2, 1, 3), [x]), of(F.pad(x, [1, 2]), [x]))


def lists(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    a, b = x.chunk(2, 1)
    first, second, third = x.unbind(0)
    parts = torch.split(x, [1, 3], 1)
    return (of(torch.cat([x, y.double(), x[:1]]), [x, y]), of(torch.cat([x, p], 1), [x, p]), of(torch.stack([x, y, x], 1), [x, y]), of(a * 2, [x]),
            of(a * b, [x]), of(first * third, [x]), of(parts[1], [x]), of(x.split(3, 1)[0], [x]))


def indices(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    at = torch.tensor([[0, 1, 1, 2], [3, 3, 0, 0], [1, 2, 3, 0]])
    rows = torch.tensor([2, 0, 2])
    return (of(x.index_select(1, rows), [x]), of(x.gather(1, at), [x]), of(x[rows], [x]), of(x[rows, t], [x]), of(x[x > 0], [x]),
            of(x.scatter_add(1, at, y), [x, y]), of(x.index_add(0, rows, y, alpha=2), [x, y]), of(F.embedding(rows, x), [x]),
            of(F.embedding(rows, x, padding_idx=2), [x]))


def layers(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    mean, var = torch.zeros(4), torch.ones(4) * 2
    weight, bias = p[0], y[0]
    torch.manual_seed(3)
    dropped = F.dropout(x * y, 0.4)
    group = x.reshape(3, 4, 1).expand(3, 4, 2) * y[:, :2].reshape(3, 1, 2)
    return (of(dropped, [x, y]), of(F.group_norm(group, 2, weight, bias), [x, y, p]), of(F.layer_norm(x, [4], weight, bias), [x, y, p]), of(F.layer_norm(x, [3, 4]), [x]),
            of(F.batch_norm(x, mean, var, weight, bias), [x, y, p]), of(F.batch_norm(x, None, None, weight, bias, True), [x, y, p]))


def images(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    image = torch.cat([x, y, p]).reshape(1, 1, 6, 6)
    kernel = x[:2].reshape(2, 1, 2, 2)
    line = x.reshape(1, 2, 6)
    planes = torch.cat([image, image * 2], 1)
    return (of(F.conv2d(image, kernel, y[0, :2]), [x, y, p]), of(F.conv2d(image, kernel, None, 2, 1), [x, y, p]),
            of(F.conv2d(image, kernel, None, [1, 2], [0, 1], [2, 1]), [x, y, p]), of(F.conv1d(line, y.reshape(3, 2, 2), p[:, 0], 2), [x, y, p]),
            of(F.conv2d(planes, p[:2].detach().reshape(2, 1, 2, 2), None, 1, 0, 1, 2), [x, y, p]), of(F.max_pool2d(image, 2), [x, y, p]),
            of(F.max_pool2d(image, 3, 1, 1), [x, y, p]), of(F.adaptive_avg_pool2d(planes, 1), [x, y, p]),
            of(F.adaptive_avg_pool2d(planes, [3, 2]), [x, y, p]), of(F.avg_pool2d(image, 2), [x, y, p]), of(F.avg_pool2d(image, 3, 2, 1), [x, y, p]),
            of(F.conv2d(planes, torch.cat([x, p])[:4].reshape(4, 1, 2, 2), None, 1, 0, 1, 2), [x, y, p]))


def losses(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    return (of(F.mse_loss(x, y), [x, y]), of(F.l1_loss(x, y, reduction="sum"), [x, y]), of(F.smooth_l1_loss(x, y), [x, y]),
            of(F.cross_entropy(x, t), [x]), of(F.cross_entropy(x, t, label_smoothing=0.1), [x]), of(F.nll_loss(F.log_softmax(x, 1), t), [x]),
            of(F.binary_cross_entropy(torch.sigmoid(x), torch.sigmoid(y)), [x, y]), of(F.binary_cross_entropy_with_logits(x, torch.sigmoid(y)), [x, y]),
            of(F.kl_div(F.log_softmax(x, 1), F.softmax(y, 1), reduction="batchmean"), [x]), of(F.huber_loss(x, y), [x, y]),
            of(F.cosine_similarity(x, y), [x, y]))


def backward(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    loss = (x * y).sum() + x.mean()
    loss.backward()
    g, h = x.grad, y.grad
    return g, h, p.grad is None, loss.detach()


def accumulated(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    (x * x).sum().backward()
    first = x.grad
    assert first is not None
    kept = first.clone()
    (x * y).backward(torch.ones_like(x))
    g = x.grad
    assert g is not None
    total = g.clone()
    g.zero_()
    torch.autograd.backward([x.sum(), (x * 3).sum()])
    return kept, total, first, y.grad


def leaves(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    w = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    v = torch.ones(4).requires_grad_()
    h = x.detach() * w
    h.retain_grad()
    (h * h * v).sum().backward()
    return w.grad, v.grad, h.grad, x.grad is None


def without(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    with torch.no_grad():
        a = x * 3
    torch.set_grad_enabled(False)
    b = y * 2
    torch.set_grad_enabled(True)
    c = x * a + y * b
    return torch.autograd.grad([c.sum()], [x, y]), torch.autograd.grad([(x.detach() * x).sum()], [x])


def options(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    z = x * 2
    w = torch.exp(z)
    both: List[Optional[torch.Tensor]] = [torch.ones_like(w), y]
    one: List[Optional[torch.Tensor]] = [None, torch.tensor(2.0)]
    return (torch.autograd.grad([w, z], [x, z], both, retain_graph=True),
            torch.autograd.grad([w.sum()], [x, y], retain_graph=True, allow_unused=True), torch.autograd.grad([z.sum(), w.sum()], [x], one))


def second_order(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    first = torch.autograd.grad([(torch.sin(x) * x * y).sum()], [x], create_graph=True)[0]
    assert first is not None
    second = torch.autograd.grad([(first * first).sum()], [x, y])
    fixed = torch.autograd.grad([(x * x).sum()], [x])[0]
    assert fixed is not None
    return first, second, torch.autograd.grad([(fixed * x).sum()], [x])


def branches(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    if bool(x.sum() > 0):
        z = torch.exp(x) * y
        if z.dim() > 5:
            z = z + 1
        else:
            z = z * x
    else:
        z = x * 2 * p
    if bool(x.sum() < 0):
        w = torch.exp(x) * y
    else:
        w = p + y
        if w.size(0) == 7:
            raise RuntimeError("seven rows")
    return torch.autograd.grad([(z * w).sum()], [x, y, p])


def loops(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    h = torch.zeros(3, 4)
    states: List[torch.Tensor] = []
    for i in range(3):
        h = torch.tanh(h * y + x * (i + 1))
        for k in range(2):
            h = h + p
        states.append(h)
    return of(torch.stack(states, 1), [x, y, p])


def descent(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    w = torch.zeros(4)
    errors: List[float] = []
    for i in range(20):
        w.requires_grad_()
        loss = F.mse_loss(x.detach().mv(w), y.detach()[:, 0])
        g = torch.autograd.grad([loss], [w])[0]
        assert g is not None
        errors.append(float(loss))
        w = w.detach() - 0.1 * g
    return w, errors


def steps(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    w = torch.zeros(4).requires_grad_()
    for i in range(10):
        loss = F.mse_loss(x.detach().mv(w), y.detach()[:, 0])
        g = torch.autograd.grad([loss], [w])[0]
        assert g is not None
        with torch.no_grad():
            w -= 0.1 * g
    return w.detach()


def updated(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    w = torch.ones(4).requires_grad_()
    (x.detach() * w * w).sum().backward()
    first = w.grad
    assert first is not None
    with torch.no_grad():
        w -= first * 0.5
        first.zero_()
    (y.detach() * w * w).sum().backward()
    return w.detach(), w.grad


def raise_vector(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    return torch.autograd.grad([x * 2], [x])


def raise_flag_of_a_result(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    a = x * y
    a.requires_grad_(False)
    return torch.autograd.grad([a.sum()], [x])


def raise_flag_in_turns(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    w = torch.ones(4).requires_grad_()
    a = w * 2
    for k in range(int(t[2])):
        a = a * y[k]
        a.requires_grad_(k < 1)
    return torch.autograd.grad([a.sum()], [w])


def raise_phase_of_singular_vectors(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    u = torch.linalg.svd(torch.complex(x, y), full_matrices=False)[0]
    return torch.autograd.grad([torch.real(u[1]).sum()], [x])


def raise_phase_of_eigenvectors(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    v = torch.linalg.eig(torch.complex(x, y)[:, :3])[1]
    return torch.autograd.grad([torch.real(v[1]).sum()], [x])


def raise_phase_of_hermitian(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    z = torch.complex(x, y)
    v = torch.linalg.eigh(z @ z.conj().t())[1]
    return torch.autograd.grad([torch.real(v[1]).sum()], [x])


PROGRAMS = [arithmetic, mixed, functions, activations, choices, sums, softmaxes, products, shapes, lists, indices, layers, images, losses, backward,
            accumulated, leaves, without, options, second_order, branches, loops, descent, steps, updated]
RAISING = [raise_vector, raise_flag_of_a_result, raise_flag_in_turns, raise_phase_of_singular_vectors, raise_phase_of_eigenvectors, raise_phase_of_hermitian]
