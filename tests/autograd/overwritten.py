"""Programs that write to what an operator before has read or made. PyTorch raises where it kept the value for the
gradient (RAISING), and else gives the gradient (PROGRAMS); arguments as in programs.py."""
import torch
import torch.nn.functional as F
from torch import Tensor


def of_the_write_itself(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    h.mul_(p)
    h.pow_(2)
    return torch.autograd.grad([h.sum()], [x, y, p])


def that_nobody_reads(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    z = h.sin()
    h[0] = 1
    return torch.autograd.grad([z.sum()], [x])


def of_a_sum(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x @ y.t()
    h -= h.max(1, keepdim=True)[0]
    z = x / p
    z += 1
    return torch.autograd.grad([(h * h).sum() + z.sum()], [x, y, p])


def each_turn_its_own(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    for _ in range(int(t[2])):
        h = h * p + x
        h += 1
    return torch.autograd.grad([h.sum()], [x, p])


def turns_that_only_add(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = torch.zeros(3, 4)
    z = x.sum()
    for k in range(int(t[2])):
        h[:, k] = x[:, k] * 2
        z = z + (h[:, k] + p[:, k]).sum()
    return torch.autograd.grad([z], [x, p])


def in_every_turn(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    for _ in range(int(t[2])):
        h.mul_(p)
    return torch.autograd.grad([h.sum()], [x, p])


def rows_of_a_recurrence(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = torch.zeros(3, 4)
    h[0] = x[0]
    for k in range(1, int(t[2])):
        h[k] = torch.tanh(h[k - 1] + p[k])
    return torch.autograd.grad([h.sum()], [x, p])


def of_an_activation(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = F.silu(x * y)
    h.add_(p)
    F.hardswish(h * 2, inplace=True)
    return torch.autograd.grad([h.sum()], [x, p])


def of_the_shape(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    h.unsqueeze_(0)
    h.transpose_(1, 2)
    h += 1
    v = (x * p).unsqueeze(0)
    v.squeeze_(0)
    part = v[0]
    v.t_()
    return torch.autograd.grad([(h * h).sum() + (v @ y).exp().sum() + part.sum()], [x, y, p])


def shape_of_exp(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x.exp()
    h.unsqueeze_(0)
    return torch.autograd.grad([h.sum()], [x])


def result_of_exp(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x.exp()
    h += 1
    return torch.autograd.grad([h.sum()], [x])


def result_of_a_write(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    h.exp_()
    h += 1
    return torch.autograd.grad([h.sum()], [x])


def factor(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    z = h * p
    h += p
    return torch.autograd.grad([(z + h).sum()], [x, p])


def part_of_a_factor(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    z = h[0] * p[0]
    h[1] = 1.0
    return torch.autograd.grad([z.sum() + h.sum()], [x, p])


def factor_in_a_branch(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    z = h * p
    if bool(p.sum() > 0):
        h += p
    return torch.autograd.grad([(z + h).sum()], [x, p])


def within_a_branch(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    if bool(p.sum() > 0):
        z = h.sin()
        h *= p
    else:
        z = h * 2
    return torch.autograd.grad([(z + h).sum()], [x, p])


def in_each_turn(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    for _ in range(int(t[2])):
        h = h.exp()
        h += 1
    return torch.autograd.grad([h.sum()], [x])


def in_the_next_turn(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    for _ in range(int(t[2])):
        h += x
        h = h.exp()
    return torch.autograd.grad([h.sum()], [x])


def rows_of_products(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = torch.zeros(3, 4)
    h[0] = x[0]
    for k in range(1, int(t[2])):
        h[k] = h[k - 1] * p[k]
    return torch.autograd.grad([h.sum()], [x, p])


def of_a_layer(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = F.dropout(torch.relu(x @ p.t()), 0.0, True)
    h.masked_fill_(h > 1, 0.0)
    return torch.autograd.grad([h.sum()], [x, p])


def of_a_softmax(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = torch.softmax(x * p, 1)
    h[h < 0.1] = 0.0
    return torch.autograd.grad([h.sum()], [x, p])


def product(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    z = (x * y).prod()
    z += 1
    return torch.autograd.grad([z], [x])


def product_of_rows(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    z = torch.prod(x * y, 1)
    z += p[:, 0]
    return torch.autograd.grad([z.sum()], [x])


def logarithm_of_a_distribution(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    z = torch.special.log_ndtr(x)
    z *= 2
    return torch.autograd.grad([z.sum()], [x])


def elements_that_are_put(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = y[0, :2] * 2
    z = torch.put(x, t[:2], h)
    h += 1
    return torch.autograd.grad([z.sum() + h.sum()], [x, y])


def rows_that_are_copied(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = y[:2] * 2
    z = torch.index_copy(x, 0, t[:2], h)
    h += 1
    return torch.autograd.grad([z.sum() + h.sum()], [x, y])


def what_is_averaged(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    z = torch.var_mean(h, dim=[1], unbiased=True)[1]
    h += 1
    return torch.autograd.grad([z.sum() + h.sum()], [x])


def what_is_averaged_with_a_deviation(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    z = torch.std_mean(h, unbiased=True)[1]
    h += 1
    return torch.autograd.grad([z + h.sum()], [x])


def of_what_only_sizes_are_asked(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    z = torch.tile(h, (2, 1))
    h += 1
    k = F.rrelu(x * p)
    k *= 2
    return torch.autograd.grad([(z * z).sum() + h.exp().sum() + k.sum()], [x, p])


def by_itself(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    h.mul_(h)
    return torch.autograd.grad([h.sum()], [x])


def result_of_an_activation(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = torch.tanh(x * y)
    h.relu_()
    return torch.autograd.grad([h.sum()], [x])


def by_a_view_of_before(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    row = h.view(-1)[4:8]
    z = h.sin()
    if bool(p.sum() > 0):
        row.mul_(2.0)
    return torch.autograd.grad([z.sum() + h.sum()], [x])


def result_that_need_not_be_copied(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x.tanh().contiguous()
    h += y
    return torch.autograd.grad([h.pow(2).sum()], [x])


# Which tensor it is that is written to is decided when these run.


def read_from_an_item(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs = [x * y, p * 2]
    s = hs[int(t[1])].sin().sum()
    hs[int(t[1])].mul_(2.0)
    return torch.autograd.grad([s + torch.stack(hs).sum()], [x, p])


def kept_result_of_an_item(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs = [(x * y).exp(), p * 2]
    hs[int(t[1])] += 1
    return torch.autograd.grad([torch.stack(hs).sum()], [x, p])


def name_of_a_branch(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    s = h.tanh()
    v = s if int(t[0]) == 2 else h * 2
    v.view(-1)[0] = 0.0
    return torch.autograd.grad([(s + v).sum()], [x, y])


def of_the_turn_before(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs = [x * y, p * 2]
    s = x.sum()
    for i in range(int(t[2])):
        s = s + hs[i % 2].sin().sum()
        hs[(i + 1) % 2].mul_(0.5)
    return torch.autograd.grad([s], [x, p])


def own_result(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs = [x * y, p * 2]
    hs[int(t[1])].sigmoid_()
    hs[int(t[1])].mul_(y)
    return torch.autograd.grad([torch.stack(hs).sum()], [x, p])


def argument_changed(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs = [x * y, p * 2]
    hs[int(t[1])].mul_(hs[1])
    hs[1] += 1
    return torch.autograd.grad([torch.stack(hs).sum()], [x, y, p])


def another_item(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs = [(x * y).exp(), p * 2]
    s = hs[int(t[1])].sin().sum()
    hs[int(t[2]) % 2] += 1
    return torch.autograd.grad([s + torch.stack(hs).sum()], [x, p])


def before_it_is_read(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs = [x * y, p * 2]
    s = x.sum()
    for i in range(int(t[2])):
        hs[(i + 1) % 2].mul_(0.5)
        s = s + hs[(i + 1) % 2].clone().sin().sum()
    return torch.autograd.grad([s], [x, p])


def own_argument(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs = [x * y, p * 2]
    hs[int(t[1])].mul_(y)
    hs[int(t[1])].mul_(hs[1])
    return torch.autograd.grad([torch.stack(hs).sum()], [x, y, p])


def not_reached(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs = [x * y, p * 2]
    s = hs[int(t[1])].sin()
    hs[int(t[1])].mul_(2.0)
    ks = [s, x * 2]
    return torch.autograd.grad([torch.stack(hs).sum() + ks[int(t[0]) % 2 + 1].sum()], [x, p])


def elements_of_its_own(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    """Which are read before, or are other elements."""
    h, z = x * y, x * 2
    h.masked_fill_(x > 0, h[0, 0])
    h[0] += h[1]
    h[:, 0].copy_(h[:, 1])
    z.fill_(z[1, 1])
    z += z
    return torch.autograd.grad([(h * z * p).sum()], [x, y, p])


def numbers_by_masks(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    """Fill, and may be elements of what is filled; copies may be anything."""
    h, z = x * y, x * 2
    h[h > 0] = h[0, 0]
    masks = [x > 0]
    h.index_put_(masks, h[1, :1])
    h[:, t[:2]] = z[:, 1:3]
    z[1:].index_put_((t[1:2],), z[0])
    z[t[:2]] = z[t[1:] % 3]
    return torch.autograd.grad([(h * z * p).sum()], [x, y, p])


def rows_put_in_another_order(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    rows = [t[:2]]
    h.index_put_(rows, h[:2])
    return torch.autograd.grad([h.sum()], [x])


def number_put_at_indices(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    h[t[:2]] = h[0, 0]
    return torch.autograd.grad([h.sum()], [x])


def number_added_by_a_mask(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    h.index_put_((x > 0,), h[0, 0], accumulate=True)
    return torch.autograd.grad([h.sum()], [x])


def row_put_by_a_mask(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    h[h[:, 0] > -9] = h[1]
    return torch.autograd.grad([h.sum()], [x])


def item_put_into_itself(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs = [x * y, x * 2]
    for k in range(2):
        hs[k][t[:1]] = hs[k][0]
    return torch.autograd.grad([(hs[0] * hs[1]).sum()], [x])


def rows_by_one_of_them(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    h -= h[0]
    return torch.autograd.grad([h.sum()], [x])


def rows_by_the_next(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    h[1:] = h[:-1]
    return torch.autograd.grad([h.sum()], [x])


def row_by_its_element(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    h[0] = h[0, 0]
    return torch.autograd.grad([h.sum()], [x])


def rows_towards_one(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    if bool(p.sum() * 0 == 0):
        h.lerp_(h[1], 0.5)
    return torch.autograd.grad([h.sum()], [x])


def rows_added_to_themselves(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    h.index_add_(0, torch.tensor([1]), h[:1])
    return torch.autograd.grad([h.sum()], [x])


def item_by_its_row(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs = [x * y, x * 2]
    for k in range(2):
        hs[k] -= hs[k][0]
    return torch.autograd.grad([(hs[0] * hs[1]).sum()], [x])


PROGRAMS = [elements_of_its_own, numbers_by_masks, of_the_write_itself, that_nobody_reads, of_a_sum, each_turn_its_own, turns_that_only_add, in_every_turn, rows_of_a_recurrence,
            of_an_activation, of_the_shape, of_what_only_sizes_are_asked, another_item, before_it_is_read, own_argument, not_reached]
RAISING = [result_that_need_not_be_copied, by_itself, result_of_an_activation, by_a_view_of_before, result_of_exp, shape_of_exp, result_of_a_write, factor, part_of_a_factor, factor_in_a_branch, within_a_branch, in_each_turn, in_the_next_turn,
           rows_of_products, of_a_layer, of_a_softmax, product, product_of_rows, logarithm_of_a_distribution,
           elements_that_are_put, rows_that_are_copied, what_is_averaged, what_is_averaged_with_a_deviation]
RAISING_AT_RUN_TIME = [rows_put_in_another_order, number_put_at_indices, number_added_by_a_mask, row_put_by_a_mask, item_put_into_itself,
                       rows_by_one_of_them, rows_by_the_next, row_by_its_element, rows_towards_one, rows_added_to_themselves, item_by_its_row,
                       read_from_an_item, kept_result_of_an_item, name_of_a_branch, of_the_turn_before, own_result, argument_changed]
