# Sequences of different lengths, packed: the steps one behind the other, of each step the sequences that are still
# running.


class PackedSequence(NamedTuple):
  data : Tensor
  batch_sizes : Tensor
  sorted_indices : Optional[Tensor]
  unsorted_indices : Optional[Tensor]


def invert_permutation(permutation: Optional[Tensor]) -> Optional[Tensor]:
  if permutation is None:
    return None
  return torch.scatter(torch.empty_like(permutation), 0, permutation, torch.arange(torch.numel(permutation)))


def pack_padded_sequence(input: Tensor, lengths: Tensor, batch_first: bool=False,
                         enforce_sorted: bool=True) -> __torch__.torch.nn.utils.rnn.PackedSequence:
  sorted_indices: Optional[Tensor] = None
  sorted_input = input
  sorted_lengths = torch.to(lengths, 4)
  if not enforce_sorted:
    sorted_lengths, indices = torch.sort(sorted_lengths, -1, True)
    sorted_input = torch.index_select(input, 0 if batch_first else 1, indices)
    sorted_indices = indices
  data, batch_sizes = torch._pack_padded_sequence(sorted_input, sorted_lengths, batch_first)
  return __torch__.torch.nn.utils.rnn.PackedSequence(data, batch_sizes, sorted_indices,
                                                     __torch__.torch.nn.utils.rnn.invert_permutation(sorted_indices))


def pack_padded_sequence__2(input: Tensor, lengths: List[int], batch_first: bool=False,
                            enforce_sorted: bool=True) -> __torch__.torch.nn.utils.rnn.PackedSequence:
  return __torch__.torch.nn.utils.rnn.pack_padded_sequence(input, torch.tensor(lengths), batch_first, enforce_sorted)


def pad_packed_sequence(sequence: __torch__.torch.nn.utils.rnn.PackedSequence, batch_first: bool=False, padding_value: float=0.0,
                        total_length: Optional[int]=None) -> Tuple[Tensor, Tensor]:
  length = torch.size(sequence.batch_sizes, 0)
  if total_length is not None:
    if total_length < length:
      ops.prim.RaiseException(torch.format("Expected total_length to be at least the length of the longest sequence in input, but got "
                                           "total_length={} and max sequence length being {}", total_length, length),
                              "builtins.ValueError")
    length = total_length
  padded, lengths = torch._pad_packed_sequence(sequence.data, sequence.batch_sizes, batch_first, padding_value, length)
  order = sequence.unsorted_indices
  if order is not None:
    padded = torch.index_select(padded, 0 if batch_first else 1, order)
    lengths = torch.index_select(lengths, 0, order)
  return (padded, lengths)


def pad_sequence(sequences: List[Tensor], batch_first: bool=False, padding_value: float=0.0) -> Tensor:
  return torch.pad_sequence(sequences, batch_first, padding_value)


def pack_sequence(sequences: List[Tensor], enforce_sorted: bool=True) -> __torch__.torch.nn.utils.rnn.PackedSequence:
  lengths = [torch.size(s, 0) for s in sequences]
  return __torch__.torch.nn.utils.rnn.pack_padded_sequence__2(torch.pad_sequence(sequences), lengths, False, enforce_sorted)
