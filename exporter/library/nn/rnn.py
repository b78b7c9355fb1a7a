# Modules of torch.nn: recurrent layers and cells.
import torch
from torch import Tensor
from torch.nn import Module, Parameter
from torch.nn.utils.rnn import PackedSequence
from typing import Optional, Tuple

class RNNBase(Module):
    def __init__(self, gates, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size,
                 dtype):
        super().__init__()
        if proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self.directions = 2 if bidirectional else 1
        self.output_size = proj_size if proj_size > 0 else hidden_size
        self.flat_weights = []
        for layer in range(num_layers):
            inputs = input_size if layer == 0 else self.output_size * self.directions
            for suffix in ["", "_reverse"][:self.directions]:
                self.add_layer("_l{}{}".format(layer, suffix), gates * hidden_size, inputs, dtype)

    def add_layer(self, suffix, rows, inputs, dtype):
        self.add("weight_ih" + suffix, torch.empty(rows, inputs, dtype=dtype))
        self.add("weight_hh" + suffix, torch.empty(rows, self.output_size, dtype=dtype))
        if self.bias:
            self.add("bias_ih" + suffix, torch.empty(rows, dtype=dtype))
            self.add("bias_hh" + suffix, torch.empty(rows, dtype=dtype))
        if self.proj_size > 0:
            self.add("weight_hr" + suffix, torch.empty(self.proj_size, self.hidden_size, dtype=dtype))

    def add(self, name, values):
        parameter = Parameter(values)
        setattr(self, name, parameter)
        self.flat_weights.append(parameter)

    def flatten_parameters(self) -> None:
        pass

    # A state of zeros for an input with a batch.
    def zeros(self, input: Tensor, size: int) -> Tensor:
        batch = input.size(0) if self.batch_first else input.size(1)
        shape = [self.num_layers * self.directions, batch, size]
        return torch.zeros(shape, dtype=input.dtype, device=input.device)

    # The same for packed sequences.
    def packed_zeros(self, input: PackedSequence, size: int) -> Tensor:
        shape = [self.num_layers * self.directions, int(input.batch_sizes[0]), size]
        return torch.zeros(shape, dtype=input.data.dtype, device=input.data.device)

    # A state with its sequences in another order.
    def ordered(self, state: Tensor, order: Optional[Tensor]) -> Tensor:
        return state if order is None else state.index_select(1, order)

    def check_input(self, input: Tensor) -> None:
        if input.dim() != 2 and input.dim() != 3:
            raise RuntimeError("expected 2D or 3D input, got {}D".format(input.dim()))
        if input.size(-1) != self.input_size:
            raise RuntimeError("input.size(-1) must be equal to input_size. Expected {}, got {}".format(
                self.input_size, input.size(-1)))


class RNN(RNNBase):
    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False,
                 dropout=0.0, bidirectional=False, device=None, dtype=None):
        if nonlinearity != "tanh" and nonlinearity != "relu":
            raise ValueError("Unknown nonlinearity '{}'".format(nonlinearity))
        super().__init__(1, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
        self.check_input(input)
        is_batched = input.dim() == 3
        batch_dim = 0 if self.batch_first else 1
        x = input if is_batched else input.unsqueeze(batch_dim)
        if hx is None:
            h = self.zeros(x, self.hidden_size)
        else:
            h = hx if is_batched else hx.unsqueeze(1)
        if self.nonlinearity == "tanh":
            output, hidden = torch.rnn_tanh(x, h, self.flat_weights, self.bias, self.num_layers, self.dropout,
                                            self.training, self.bidirectional, self.batch_first)
        else:
            output, hidden = torch.rnn_relu(x, h, self.flat_weights, self.bias, self.num_layers, self.dropout,
                                            self.training, self.bidirectional, self.batch_first)
        if not is_batched:
            output = output.squeeze(batch_dim)
            hidden = hidden.squeeze(1)
        return output, hidden

    # Of packed sequences.
    def forward__2(self, input: PackedSequence, hx: Optional[Tensor] = None) -> Tuple[PackedSequence, Tensor]:
        if hx is None:
            h = self.packed_zeros(input, self.hidden_size)
        else:
            h = self.ordered(hx, input.sorted_indices)
        if self.nonlinearity == "tanh":
            output, hidden = torch.rnn_tanh(input.data, input.batch_sizes, h, self.flat_weights, self.bias, self.num_layers,
                                            self.dropout, self.training, self.bidirectional)
        else:
            output, hidden = torch.rnn_relu(input.data, input.batch_sizes, h, self.flat_weights, self.bias, self.num_layers,
                                            self.dropout, self.training, self.bidirectional)
        packed = PackedSequence(output, input.batch_sizes, input.sorted_indices, input.unsorted_indices)
        return packed, self.ordered(hidden, input.unsorted_indices)


class GRU(RNNBase):
    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, device=None, dtype=None):
        super().__init__(3, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, dtype)

    def forward(self, input: Tensor, hx: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
        self.check_input(input)
        is_batched = input.dim() == 3
        batch_dim = 0 if self.batch_first else 1
        x = input if is_batched else input.unsqueeze(batch_dim)
        if hx is None:
            h = self.zeros(x, self.hidden_size)
        else:
            h = hx if is_batched else hx.unsqueeze(1)
        output, hidden = torch.gru(x, h, self.flat_weights, self.bias, self.num_layers, self.dropout, self.training,
                                   self.bidirectional, self.batch_first)
        if not is_batched:
            output = output.squeeze(batch_dim)
            hidden = hidden.squeeze(1)
        return output, hidden

    # Of packed sequences.
    def forward__2(self, input: PackedSequence, hx: Optional[Tensor] = None) -> Tuple[PackedSequence, Tensor]:
        if hx is None:
            h = self.packed_zeros(input, self.hidden_size)
        else:
            h = self.ordered(hx, input.sorted_indices)
        output, hidden = torch.gru(input.data, input.batch_sizes, h, self.flat_weights, self.bias, self.num_layers,
                                   self.dropout, self.training, self.bidirectional)
        packed = PackedSequence(output, input.batch_sizes, input.sorted_indices, input.unsorted_indices)
        return packed, self.ordered(hidden, input.unsorted_indices)


class LSTM(RNNBase):
    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, proj_size=0, device=None, dtype=None):
        super().__init__(4, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size,
                         dtype)

    def forward(self, input: Tensor,
                hx: Optional[Tuple[Tensor, Tensor]] = None) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
        self.check_input(input)
        is_batched = input.dim() == 3
        batch_dim = 0 if self.batch_first else 1
        x = input if is_batched else input.unsqueeze(batch_dim)
        if hx is None:
            h = self.zeros(x, self.output_size)
            c = self.zeros(x, self.hidden_size)
        else:
            h = hx[0] if is_batched else hx[0].unsqueeze(1)
            c = hx[1] if is_batched else hx[1].unsqueeze(1)
        output, hidden, cell = torch.lstm(x, [h, c], self.flat_weights, self.bias, self.num_layers, self.dropout,
                                          self.training, self.bidirectional, self.batch_first)
        if not is_batched:
            output = output.squeeze(batch_dim)
            hidden = hidden.squeeze(1)
            cell = cell.squeeze(1)
        return output, (hidden, cell)

    # Of packed sequences.
    def forward__2(self, input: PackedSequence,
                   hx: Optional[Tuple[Tensor, Tensor]] = None) -> Tuple[PackedSequence, Tuple[Tensor, Tensor]]:
        if hx is None:
            h = self.packed_zeros(input, self.output_size)
            c = self.packed_zeros(input, self.hidden_size)
        else:
            h = self.ordered(hx[0], input.sorted_indices)
            c = self.ordered(hx[1], input.sorted_indices)
        output, hidden, cell = torch.lstm(input.data, input.batch_sizes, [h, c], self.flat_weights, self.bias, self.num_layers,
                                          self.dropout, self.training, self.bidirectional)
        packed = PackedSequence(output, input.batch_sizes, input.sorted_indices, input.unsorted_indices)
        return packed, (self.ordered(hidden, input.unsorted_indices), self.ordered(cell, input.unsorted_indices))


class RNNCellBase(Module):
    def __init__(self, gates, input_size, hidden_size, bias, dtype):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        rows = gates * hidden_size
        self.weight_ih = Parameter(torch.empty(rows, input_size, dtype=dtype))
        self.weight_hh = Parameter(torch.empty(rows, hidden_size, dtype=dtype))
        self.register_parameter("bias_ih", Parameter(torch.empty(rows, dtype=dtype)) if bias else None)
        self.register_parameter("bias_hh", Parameter(torch.empty(rows, dtype=dtype)) if bias else None)

    def zeros(self, input: Tensor) -> Tensor:
        return torch.zeros([input.size(0), self.hidden_size], dtype=input.dtype, device=input.device)


class RNNCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(1, input_size, hidden_size, bias, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Optional[Tensor] = None) -> Tensor:
        is_batched = input.dim() == 2
        x = input if is_batched else input.unsqueeze(0)
        if hx is None:
            h = self.zeros(x)
        else:
            h = hx if is_batched else hx.unsqueeze(0)
        if self.nonlinearity == "tanh":
            out = torch.rnn_tanh_cell(x, h, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        else:
            out = torch.rnn_relu_cell(x, h, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return out if is_batched else out.squeeze(0)


class GRUCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(3, input_size, hidden_size, bias, dtype)

    def forward(self, input: Tensor, hx: Optional[Tensor] = None) -> Tensor:
        is_batched = input.dim() == 2
        x = input if is_batched else input.unsqueeze(0)
        if hx is None:
            h = self.zeros(x)
        else:
            h = hx if is_batched else hx.unsqueeze(0)
        out = torch.gru_cell(x, h, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return out if is_batched else out.squeeze(0)


class LSTMCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(4, input_size, hidden_size, bias, dtype)

    def forward(self, input: Tensor, hx: Optional[Tuple[Tensor, Tensor]] = None) -> Tuple[Tensor, Tensor]:
        is_batched = input.dim() == 2
        x = input if is_batched else input.unsqueeze(0)
        if hx is None:
            h = self.zeros(x)
            c = h
        else:
            h = hx[0] if is_batched else hx[0].unsqueeze(0)
            c = hx[1] if is_batched else hx[1].unsqueeze(0)
        hidden, cell = torch.lstm_cell(x, [h, c], self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        if not is_batched:
            hidden = hidden.squeeze(0)
            cell = cell.squeeze(0)
        return hidden, cell
