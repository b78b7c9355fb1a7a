"""Operators that refuse what they are given, a case after another."""
from typing import List, Optional

import torch
import torch.nn.functional as F
from torch import Tensor


def equations(x: Tensor, t: Tensor, case: int) -> Tensor:
    written = ["i.j,jk", "...i...,j", "i1,j", "ij,jk,kl", "ij", "ijk,ij", "...ijk,ij", "ij,ij->i.j", "ij,ij->...i...",
               "ij,ji", "ij,ij->ii", "ij,ij->k", "ij,ii", "...,...", "ij-ij", "ij.,ij", "ij..,ij", "ij[,ij", "ij{,ij",
               "ij@,ij", "ij,ij->i@"]
    return torch.einsum(written[case], [x, x.reshape(6, 4) if written[case] == "...,..." else x])


def differences_of_masks(x: Tensor, t: Tensor, case: int) -> Tensor:
    mask = x > 0
    if case == 0:
        return mask - mask
    if case == 1:
        return x - mask
    if case == 2:
        return mask - x
    if case == 3:
        return 1 - mask
    if case == 4:
        return mask - 0.5
    if case == 5:
        return torch.sub(x, mask, alpha=2)
    if case == 6:
        return x.sub_(mask)
    if case == 7:
        return torch.rsub(t, mask)
    return torch.rsub(mask, mask)


def distances(x: Tensor, t: Tensor, case: int) -> Tensor:
    if case == 0:
        return torch.pdist(x.reshape(2, 3, 4))
    if case == 1:
        return torch.pdist((x * 4).to(torch.int64))
    if case == 2:
        return torch.pdist(torch.complex(x, x))
    return torch.pdist(x, -1.0)


def columns_of_images(x: Tensor, t: Tensor, case: int) -> Tensor:
    image, columns = x.reshape(1, 1, 4, 6), torch.ones(1, 4, 15)
    if case == 0:
        return torch._C._nn.im2col(image, [0, 2], [1, 1], [0, 0], [1, 1])
    if case == 1:
        return torch._C._nn.im2col(image, [2, 2], [1, 0], [0, 0], [1, 1])
    if case == 2:
        return torch._C._nn.im2col(image, [2, 2], [1, 1], [0, -1], [1, 1])
    if case == 3:
        return torch._C._nn.im2col(image, [2, 2], [1, 1], [0, 0], [0, 1])
    if case == 4:
        return torch._C._nn.im2col(x, [2, 2], [1, 1], [0, 0], [1, 1])
    if case == 5:
        return torch._C._nn.im2col(image, [5, 2], [1, 1], [0, 0], [1, 1])
    if case == 6:
        return torch._C._nn.im2col(image.to(torch.int64), [2, 2], [1, 1], [0, 0], [1, 1])
    if case == 7:
        return torch._C._nn.col2im(columns, [4, 6], [2, 0], [1, 1], [0, 0], [1, 1])
    if case == 8:
        return torch._C._nn.col2im(columns[0, 0], [4, 6], [2, 2], [1, 1], [0, 0], [1, 1])
    if case == 9:
        return torch._C._nn.col2im(columns, [4, 6], [3, 2], [1, 1], [0, 0], [1, 1])
    if case == 10:
        return torch._C._nn.col2im(columns, [4, 7], [2, 2], [1, 1], [0, 0], [1, 1])
    if case == 11:
        return torch._C._nn.col2im(columns, [1, 7], [2, 2], [1, 1], [0, 0], [1, 1])
    return torch._C._nn.col2im(columns.to(torch.int32), [4, 6], [2, 2], [1, 1], [0, 0], [1, 1])


def nested(x: Tensor, t: Tensor, case: int) -> Tensor:
    rows, mask = x.reshape(2, 3, 4), torch.tensor([[True, True, False], [True, False, False]])
    if case == 0:
        return torch._nested_tensor_from_mask(rows, mask.int())
    if case == 1:
        return torch._nested_tensor_from_mask(rows, mask[0])
    if case == 2:
        return torch._nested_tensor_from_mask(x, mask)
    if case == 3:
        return torch._nested_tensor_from_mask(rows, mask[:1])
    if case == 4:
        return torch._nested_tensor_from_mask(rows, mask[:, :2])
    if case == 5:
        return torch._nested_tensor_from_mask(rows, mask.flip([1]))
    made = torch._nested_tensor_from_mask(rows, mask)
    if case == 6:
        return made.to_padded_tensor(0.0, [2, 1, 4])
    if case == 7:
        return made.to_padded_tensor(0.0, [2, 3, 3])
    return made.to_padded_tensor(0.0, [2, 3])


def layers_with_memory(x: Tensor, t: Tensor, case: int) -> Tensor:
    steps, h, c = x.reshape(3, 2, 4), torch.zeros(1, 2, 5), torch.zeros(1, 2, 5)
    w, u, b = torch.ones(20, 4), torch.ones(20, 5), torch.ones(20)
    if case == 0:
        return torch.lstm(steps, [h], [w, u, b, b], True, 1, 0.0, False, False, False)[0]
    if case == 1:
        return torch.lstm(steps, [h, c, c], [w, u, b, b], True, 1, 0.0, False, False, False)[0]
    if case == 2:
        return torch.lstm(steps, [h, c], [w, u, b], True, 1, 0.0, False, False, False)[0]
    if case == 3:
        return torch.lstm(steps, [h, torch.zeros(1, 3, 5)], [w, u, b, b], True, 1, 0.0, False, False, False)[0]
    if case == 4:
        return torch.lstm(steps, [h[:, :1], c[:, :1]], [w, u, b, b], True, 1, 0.0, False, False, False)[0]
    if case == 5:
        return torch.lstm(steps, [h, c], [w[:, :3], u, b, b], True, 1, 0.0, False, False, False)[0]
    if case == 6:
        return torch.lstm(steps, [h, c], [w.double(), u, b, b], True, 1, 0.0, False, False, False)[0]
    if case == 7:
        return torch.lstm(steps, [h, c], [w, u[:, :4], b, b], True, 1, 0.0, False, False, False)[0]
    if case == 8:
        return torch.gru(steps, torch.zeros(2, 2, 5), [w[:15], u[:15], b[:15], b[:15]], True, 1, 0.0, False, False, False)[0]
    if case == 9:
        return torch.rnn_tanh(steps, h[0], [w[:5], u[:5], b[:5], b[:5]], True, 1, 0.0, False, False, False)[0]
    if case == 10:
        return torch.rnn_relu(steps, h, [w[:5], u[:5], b[:4], b[:5]], True, 1, 0.0, False, False, False)[0]
    if case == 11:
        return torch.lstm_cell(steps[0], [h[0]], w, u, b, b)[0]
    if case == 12:
        return torch.lstm_cell(steps[0], [h[0], torch.zeros(3, 5)], w, u, b, b)[0]
    if case == 13:
        return torch.lstm_cell(steps[0, :1], [h[0], c[0]], w, u, b, b)[0]
    if case == 14:
        return torch.gru_cell(steps[0], h[0], w, u[:15], b[:15], b[:15])
    if case == 15:
        return torch.gru_cell(steps, h[0], w[:15], u[:15], b[:15], b[:15])
    if case == 16:
        return torch.rnn_tanh_cell(steps[0], h, w[:5], u[:5], b[:5], b[:5])
    return torch.rnn_relu_cell(steps[0], h[0], w[:5], u[:5], b[:4], b[:5])


def choices(x: Tensor, t: Tensor, case: int) -> Tensor:
    weights = torch.ones(2, 3)
    if case == 0:
        return torch.multinomial(weights[0, 0], 1)
    if case == 1:
        return torch.multinomial(weights.int(), 1)
    if case == 2:
        return torch.multinomial(weights, 0)
    if case == 3:
        return torch.multinomial(weights, 4)
    if case == 4:
        return torch.multinomial(weights[:, :0], 2, True)
    if case == 5:
        return torch.multinomial(weights * -1, 2)
    if case == 6:
        return torch.multinomial(weights * float("inf"), 2)
    if case == 7:
        return torch.multinomial(weights * float("nan"), 2)
    if case == 8:
        return torch.multinomial(weights * 0, 2)
    if case == 9:
        return torch.multinomial(weights * -1, 2, True)
    if case == 10:
        return torch.multinomial(weights * float("inf"), 2, True)
    if case == 11:
        return torch.multinomial(weights * float("nan"), 2, True)
    if case == 12:
        return torch.multinomial(weights * 0, 2, True)
    if case == 13:
        return torch.bernoulli(weights * 2)
    if case == 14:
        return torch.bernoulli(weights * float("nan"))
    if case == 15:
        return torch.bernoulli(weights, float("nan"))
    if case == 16:
        return torch.bernoulli(weights, -0.5)
    if case == 17:
        return torch.bernoulli(weights.int())
    if case == 18:
        return weights.to(torch.complex64).bernoulli_(0.5)
    if case == 19:
        return torch.poisson(weights * -1)
    if case == 20:
        return torch.poisson(weights.int())
    return torch.poisson(weights * float("nan"))


def padded_more(x: Tensor, t: Tensor) -> Tensor:
    """A nested tensor with more sequences than it has."""
    rows, mask = x.reshape(2, 3, 4), torch.tensor([[True, True, False], [True, False, False]])
    return torch._nested_tensor_from_mask(rows, mask).to_padded_tensor(0.5, [3, 4, 5])


def parts_of_weights(x: Tensor, t: Tensor) -> List[Tensor]:
    """Weights of recurrent layers that are not contiguous."""
    steps, h, w = x.reshape(3, 2, 4), torch.zeros(1, 2, 3), torch.arange(12 * 8).to(torch.float32).sin().reshape(12, 8)
    a, b, c = torch.lstm(steps, [h, h], [w[:, 2:6], w[:, 5:], w[:, 0], w[:, 7]], True, 1, 0.0, False, False, False)
    d, e = torch.gru(steps.double(), h.double(), [w.double()[:9, ::2], w.double()[3:, :3]], False, 1, 0.0, False, False, False)
    return [a, b, c, d, e]


PROGRAMS = [padded_more, parts_of_weights]
FAULTS = {
    equations: ["einsum(): found '.' for operand 0 that is not part of",
        "einsum(): found '.' for operand 0 for which an ellipsis",
        "einsum(): invalid subscript given at index 1 in the",
        "einsum(): fewer operands were provided than specified",
        "einsum(): more operands were provided than specified in",
        "einsum(): the number of subscripts in the equation (3)",
        "einsum(): the number of subscripts in the equation (3)",
        "einsum(): found '.' for output that is not part of any",
        "einsum(): found '.' for output but an ellipsis (...)",
        "einsum(): subscript j has size 4 for operand 1 which",
        "einsum(): output subscript i appears more than once in",
        "einsum(): output subscript k does not appear in the",
        "einsum(): subscript i is repeated for operand 1 but the",
        "einsum(): dimension 0 covered by ellipsis in operand", "einsum(): invalid subscript given at index 2 in the",
        "einsum(): found '.' for operand 0 that is not part of",
        "einsum(): found '.' for operand 0 that is not part of",
        "einsum(): invalid subscript given at index 2 in the", "einsum(): invalid subscript given at index 2 in the",
        "einsum(): invalid subscript given at index 2 in the", "einsum(): invalid subscript given at index 8 in the"],
    differences_of_masks: ["with two bool tensors is not supported"] + ["with a bool tensor is not supported"] * 2 +
        ["Negation, the `-` operator, on a bool tensor"] + ["with a bool tensor is not supported"] * 4 +
        ["with two bool tensors is not supported"],
    distances: ["pdist only supports 2D tensors, got: 3D", "pdist only supports floating-point dtypes", "pdist only supports floating-point dtypes",
        "pdist only supports non-negative p values"],
    columns_of_images: ["e should be greater than zero", "should be greater than zero",
        "padding should be non-negative, but got pad_height: 0", "stride should be greater than zero",
        ("Dimension out of range (expected to be in range of [-2,", "im2col: Expected 3D or 4D input tensor, but got 2"),
        "calculated shape of the array of sliding blocks", "\"im2col_out_cpu\" not implemented for 'Long'",
        "e should be greater than zero",
        ("Expected 2D or 3D (batch mode) tensor for input with", "col2im: Expected 2D or 3D input tensor, but got 1"),
        "Expected size of input's dimension 1 to be divisible by",
        ", expected size of input's dimension 2 to match the",
        ("Given output_size=(1, 7), kernel_size=(2, 2),", "aten::col2im: the calculated shape of the array of"),
        "\"col2im_out_cpu\" not implemented for 'Int'"],
    nested: ["Expected mask to be of ScalarType Bool, but got Int", "Padding mask should be 2D",
        "Input should be a 3D tensor, N * L * D", "Mask size should match input size",
        "Mask size should match input size", "Mask must be left-aligned without gaps",
        "Value in output_size is less than NestedTensor padded",
        "Value in output_size is less than NestedTensor padded",
        ("Length of output_size does not match NestedTensor dims.", "Value in output_size is less than NestedTensor padded")],
    layers_with_memory: ["lstm expects two hidden states", "lstm expects two hidden states",
        "got an incorrect number of RNN parameters",
        ("The size of tensor a (2) must match the size of tensor", "Expected hidden size (1, 2, 5), got another"),
        ("output with shape [1, 20] doesn't match the broadcast", "Expected hidden size (1, 2, 5), got another"),
        ("mat1 and mat2 shapes cannot be multiplied (6x4 and 3x20)", "a recurrent layer's parameters from 0 on have other"),
        ("self and mat2 must have the same dtype", "recurrent layers want parameters of the input's type,"),
        ("mat1 and mat2 shapes cannot be multiplied (2x5 and 4x20)", "a recurrent layer's parameters from 0 on have other"),
        ("Expected more hidden states in stacked_rnn", "Expected hidden size (1, 2, 5), got another"),
        ("Expected more hidden states in stacked_rnn", "RNN: expected 3-D input and hidden states"),
        ("The expanded size of the tensor (5) must match the", "a recurrent layer's parameters from 0 on have other"),
        "lstm_cell expects two hidden states", "Input batch size 2 doesn't match hidden",
        "Input batch size 1 doesn't match hidden",
        ("The expanded size of the tensor (20) must match the", "aten::gru_cell: input has inconsistent input_size: got 4"),
        ("input has inconsistent input_size: got 2 expected 4", "aten::gru_cell expects input and hidden state of 2"),
        ("Input batch size 2 doesn't match hidden0 batch size 1", "aten::rnn_tanh_cell expects input and hidden state of 2"),
        ("The expanded size of the tensor (5) must match the", "aten::rnn_relu_cell: input has inconsistent input_size:")],
    choices: ["prob_dist must be 1 or 2 dim", "multinomial only supports floating-point dtypes for",
        "cannot sample n_sample <= 0 samples", "cannot sample n_sample > prob_dist.size(-1) samples",
        ("invalid multinomial distribution (sum of probabilities", "cannot sample n_sample > prob_dist.size(-1) samples"),
        "probability tensor contains either `inf`, `nan` or", "probability tensor contains either `inf`, `nan` or",
        "probability tensor contains either `inf`, `nan` or",
        "invalid multinomial distribution (sum of probabilities", "invalid multinomial distribution (encountering",
        "invalid multinomial distribution (encountering", "invalid multinomial distribution (encountering",
        "invalid multinomial distribution (sum of probabilities",
        "Expected p_in >= 0 && p_in <= 1 to be true, but got", "Expected p_in >= 0 && p_in <= 1 to be true, but got",
        "bernoulli_ expects p to be in [0, 1], but got p=nan", "bernoulli_ expects p to be in [0, 1], but got p=-0.5",
        "\"bernoulli_tensor_cpu_p_\" not implemented for 'Int'", "\"bernoulli_scalar_cpu_\" not implemented for",
        "invalid Poisson rate, expected rate to be non-negative", "\"poisson_cpu\" not implemented for 'Int'",
        "invalid Poisson rate, expected rate to be non-negative"],
}
