"""Sequences of different lengths, through each kind of recurrent layer."""
from typing import Dict, Optional, Tuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pack_sequence, pad_packed_sequence, pad_sequence


class Packed(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 3, num_layers=2, bidirectional=True, batch_first=True)
        self.gru = nn.GRU(6, 5)
        self.rnn = nn.RNN(5, 2, nonlinearity="relu")
        self.start = nn.Parameter(torch.zeros(1, 1, 5))

    def tail(self, x: PackedSequence, state: Optional[Tensor]) -> Tuple[PackedSequence, Tensor]:
        y, _ = self.gru(x, state)
        return self.rnn(y)

    def forward(self, x: Tensor, lengths: Tensor) -> Tuple[Tensor, Tensor, Tensor, Dict[str, Tensor]]:
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        y, (h, c) = self.lstm(packed)
        z, last = self.tail(y, self.start.expand(1, x.size(0), 5).contiguous())
        padded, counts = nn.utils.rnn.pad_packed_sequence(z, batch_first=True, padding_value=-1.0, total_length=6)
        plain, sizes = pad_packed_sequence(pack_sequence([x[0], x[1, :2]]))
        more = {"hidden": h, "cell": c, "plain": plain, "sizes": sizes, "padded": pad_sequence([x[0, :1], x[1]], batch_first=True)}
        again, _ = self.lstm(pack_padded_sequence(x, [5, 4, 4], batch_first=True), (h, c))
        return padded, counts, last + again.data.sum(), more
