# torchaudio's operators that are made of others: torchaudio::name is the function torchaudio_name. (torchaudio 0.13's
# documentation of functional.lfilter and functional.overdrive gives the formulas.)


def torchaudio_recurse(x: Tensor, a: Tensor, before: Tensor) -> Tensor:
  return ops.tsm.recursive_filter(torch.contiguous(x), torch.contiguous(a), torch.contiguous(before))


def torchaudio__lfilter(waveform: Tensor, a_coeffs: Tensor, b_coeffs: Tensor) -> Tensor:
  batch, channels, order = torch.size(waveform, 0), torch.size(waveform, 1), torch.size(a_coeffs, 1) - 1
  if torch.size(a_coeffs, 0) != channels or torch.size(b_coeffs, 0) != channels:
    ops.prim.RaiseException(torch.format("expected coefficients for each of {} channels, got them for {} and {}", channels,
                                         torch.size(a_coeffs, 0), torch.size(b_coeffs, 0)), "builtins.RuntimeError")
  b = torch.unsqueeze(torch.flip(b_coeffs / torch.slice(a_coeffs, 1, 0, 1), [1]), 1)
  x = torch.conv1d(torch.constant_pad_nd(waveform, [order, 0]), b, None, [1], [0], [1], channels)
  a = torch.slice(a_coeffs, 1, 1) / torch.slice(a_coeffs, 1, 0, 1)
  before = torch.zeros([batch, channels, order], dtype=ops.prim.dtype(waveform))
  return __torch__.torch.ops.torchaudio.torchaudio_recurse(x, a, before)


def torchaudio__lfilter_core_loop(input_signal_windows: Tensor, a_coeffs_flipped: Tensor, padded_output_waveform: Tensor) -> None:
  order = torch.size(a_coeffs_flipped, 1) - 1
  outputs = torch.slice(padded_output_waveform, 2, order)
  x = input_signal_windows - outputs * torch.slice(a_coeffs_flipped, 1, order)
  a = torch.flip(torch.slice(a_coeffs_flipped, 1, 0, order), [1])
  y = __torch__.torch.ops.torchaudio.torchaudio_recurse(x, a, torch.slice(padded_output_waveform, 2, 0, order))
  torch.copy_(outputs, y)


def torchaudio__overdrive_core_loop(waveform: Tensor, temp: Tensor, last_in: Tensor, last_out: Tensor, output_waveform: Tensor) -> None:
  x = torch.unsqueeze(temp - torch.cat([torch.unsqueeze(last_in, 1), torch.slice(temp, 1, 0, -1)], 1), 1)
  a = torch.full([1, 1], -0.995, dtype=ops.prim.dtype(temp))
  y = torch.squeeze(__torch__.torch.ops.torchaudio.torchaudio_recurse(x, a, torch.reshape(last_out, [-1, 1, 1])), 1)
  torch.copy_(output_waveform, waveform * 0.5 + y * 0.75)
  if torch.size(temp, 1) > 0:
    torch.copy_(last_in, torch.select(temp, 1, -1))
    torch.copy_(last_out, torch.select(y, 1, -1))


def torchaudio_is_sox_available() -> bool:
  return False


def torchaudio_is_kaldi_available() -> bool:
  return False


def torchaudio_is_ffmpeg_available() -> bool:
  return False


def torchaudio_cuda_version() -> Optional[int]:
  return None


# ---- Alignment ----

# The likeliest way through the targets with blanks between them (Viterbi): the label at each step, and its score.
def torchaudio_forced_align(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: int) -> Tuple[Tensor, Tensor]:
  steps, n = torch.size(log_probs, 1), torch.size(targets, 1)
  if torch.size(log_probs, 0) != 1:
    ops.prim.RaiseException("The batch dimension for log_probs must be 1 at the current version.")
  if targets.dtype != 3 and targets.dtype != 4:
    ops.prim.RaiseException("targets must be int32 or int64 type")
  if steps != int(torch.amax(input_lengths)):
    ops.prim.RaiseException("input length mismatch")
  if n != int(torch.amax(target_lengths)):
    ops.prim.RaiseException("target length mismatch")
  labels, logs = torch.to(torch.select(targets, 0, 0), 4), torch.select(log_probs, 0, 0)
  places = 2 * n + 1
  chain = torch.full([places], blank, dtype=4)
  chain[1::2] = labels
  skips = torch.zeros([places], dtype=11)
  if n > 0:
    skips[2:] = torch.logical_and(torch.ne(chain[2:], chain[:-2]), torch.ne(chain[2:], blank))
  repeats = int(torch.sum(torch.eq(labels[1:], labels[:-1])))
  if steps < n + repeats:
    ops.prim.RaiseException(torch.format("targets length is too long for CTC. Found log_probs length: {}, targets length: {}, and number of repeats: {}", steps, n, repeats))
  scores = torch.index_select(logs, 1, chain)
  best = torch.full([places], -inf, dtype=logs.dtype)
  best[0:2] = scores[0][0:2]
  ways: List[Tensor] = [torch.zeros([places], dtype=4)]
  for t in range(1, steps):
    one = torch.narrow(torch.constant_pad_nd(best, [1, 0], -inf), 0, 0, places)
    two = torch.masked_fill(torch.narrow(torch.constant_pad_nd(best, [2, 0], -inf), 0, 0, places), torch.logical_not(skips), -inf)
    by_two = torch.logical_and(two > one, two > best)
    by_one = torch.logical_and(torch.logical_and(one > best, one > two), torch.logical_not(by_two))
    best = torch.where(by_two, two, torch.where(by_one, one, best)) + scores[t]
    torch.append(ways, 2 * torch.to(by_two, 4) + torch.to(by_one, 4))
  at = places - 1 if n == 0 or bool(best[-1] > best[-2]) else places - 2
  path = torch.zeros([1, steps], dtype=targets.dtype)
  for k in range(steps):
    t = steps - 1 - k
    path[0, t] = chain[at]
    at = at - int(ways[t][at])
  return (path, torch.unsqueeze(torch.squeeze(torch.gather(logs, 1, torch.unsqueeze(torch.to(path[0], 4), 1)), 1), 0))


# ---- The loss of transducers (A. Graves, "Sequence Transduction with Recurrent Neural Networks", 2012) ----

# Logarithms of the probabilities of blanks, [time, labels + 1], and of the labels, [time, labels].
def transducer_scores(logits: Tensor, labels: Tensor, times: int, n: int, blank: int, fused_log_softmax: bool) -> Tuple[Tensor, Tensor]:
  own = torch.narrow(torch.narrow(logits, 0, 0, times), 1, 0, n + 1)
  logs = torch.log_softmax(torch.to(own, 6), -1) if fused_log_softmax else own
  chosen = torch.expand(torch.reshape(torch.to(torch.narrow(labels, 0, 0, n), 4), [1, n, 1]), [times, n, 1])
  return (torch.select(logs, 2, blank), torch.squeeze(torch.gather(torch.narrow(logs, 1, 0, n), 2, chosen), 2))


# Of all ways to each place: a row follows from the one before by a sum along it.
def transducer_ways(blanks: Tensor, labels: Tensor) -> Tensor:
  times = torch.size(blanks, 0)
  rows: List[Tensor] = []
  before = torch.constant_pad_nd(torch.zeros([1], dtype=blanks.dtype), [0, torch.size(labels, 1)], -inf)
  for t in range(times):
    along = torch.constant_pad_nd(torch.cumsum(labels[t], 0), [1, 0])
    row = torch.logcumsumexp(before - along, 0) + along
    torch.append(rows, row)
    before = row + blanks[t]
  return torch.stack(rows)


# To the end from each place: the same backwards, but that a blank leads on from its own row.
def transducer_rests(blanks: Tensor, labels: Tensor) -> Tensor:
  back = torch.flip(blanks, [0, 1])
  shifted = torch.cat([torch.slice(back, 0, 1), torch.zeros_like(torch.slice(back, 0, 0, 1))], 0)
  return torch.flip(__torch__.torch.ops.torchaudio.transducer_ways(shifted, torch.flip(labels, [0, 1])) + back[0][0], [0, 1])


# Gradients of the scores: what share of all ways passes by each blank and each label.
def transducer_gradient(logits: Tensor, targets: Tensor, blanks: Tensor, labels: Tensor, blank: int, clamp: float, fused_log_softmax: bool) -> Tensor:
  times, n = torch.size(blanks, 0), torch.size(labels, 1)
  ways, rests = __torch__.torch.ops.torchaudio.transducer_ways(blanks, labels), __torch__.torch.ops.torchaudio.transducer_rests(blanks, labels)
  total = rests[0][0]
  last = torch.full([1, n + 1], -inf, dtype=blanks.dtype)
  last[0, n] = 0
  by_blank = -torch.exp(ways + blanks + torch.cat([torch.slice(rests, 0, 1), last], 0) - total)
  by_label = -torch.exp(torch.slice(ways, 1, 0, n) + labels + torch.slice(rests, 1, 1) - total)
  own = torch.narrow(torch.narrow(logits, 0, 0, times), 1, 0, n + 1)
  made = torch.zeros_like(own)
  torch.add_(torch.select(made, 2, blank), by_blank)
  chosen = torch.expand(torch.reshape(torch.to(torch.narrow(targets, 0, 0, n), 4), [1, n, 1]), [times, n, 1])
  torch.scatter_add_(torch.narrow(made, 1, 0, n), 2, chosen, torch.unsqueeze(by_label, 2))
  if fused_log_softmax:
    made = made - torch.softmax(own, -1) * torch.sum(made, [-1], True)
  if clamp > 0.0:
    made = torch.clamp(made, -clamp, clamp)
  return torch.constant_pad_nd(made, [0, 0, 0, torch.size(logits, 1) - n - 1, 0, torch.size(logits, 0) - times])


def torchaudio_rnnt_loss(logits: Tensor, targets: Tensor, logit_lengths: Tensor, target_lengths: Tensor, blank: int, clamp: float,
                         fused_log_softmax: bool) -> Tuple[Tensor, Optional[Tensor]]:
  costs: List[Tensor] = []
  slopes: List[Tensor] = []
  if blank < 0 or blank >= torch.size(logits, 3):
    ops.prim.RaiseException("blank must be within [0, logits.shape[-1])")
  for b in range(torch.size(logits, 0)):
    x = torch.to(logits[b], 6)
    blanks, labels = __torch__.torch.ops.torchaudio.transducer_scores(x, targets[b], int(logit_lengths[b]), int(target_lengths[b]), blank, fused_log_softmax)
    torch.append(costs, -__torch__.torch.ops.torchaudio.transducer_rests(blanks, labels)[0][0])
    torch.append(slopes, __torch__.torch.ops.torchaudio.transducer_gradient(x, targets[b], blanks, labels, blank, clamp, fused_log_softmax))
  gradients: Optional[Tensor] = torch.to(torch.stack(slopes), logits.dtype)
  return (torch.to(torch.stack(costs), logits.dtype), gradients)


def torchaudio_rnnt_loss_alphas(logits: Tensor, targets: Tensor, logit_lengths: Tensor, target_lengths: Tensor, blank: int, clamp: float) -> Tensor:
  made = torch.zeros([torch.size(logits, 0), torch.size(logits, 1), torch.size(logits, 2)], dtype=logits.dtype)
  for b in range(torch.size(logits, 0)):
    times, n = int(logit_lengths[b]), int(target_lengths[b])
    blanks, labels = __torch__.torch.ops.torchaudio.transducer_scores(logits[b], targets[b], times, n, blank, True)
    torch.copy_(torch.narrow(torch.narrow(made[b], 0, 0, times), 1, 0, n + 1), __torch__.torch.ops.torchaudio.transducer_ways(blanks, labels))
  return made


def torchaudio_rnnt_loss_betas(logits: Tensor, targets: Tensor, logit_lengths: Tensor, target_lengths: Tensor, blank: int, clamp: float) -> Tensor:
  made = torch.zeros([torch.size(logits, 0), torch.size(logits, 1), torch.size(logits, 2)], dtype=logits.dtype)
  for b in range(torch.size(logits, 0)):
    times, n = int(logit_lengths[b]), int(target_lengths[b])
    blanks, labels = __torch__.torch.ops.torchaudio.transducer_scores(logits[b], targets[b], times, n, blank, True)
    torch.copy_(torch.narrow(torch.narrow(made[b], 0, 0, times), 1, 0, n + 1), __torch__.torch.ops.torchaudio.transducer_rests(blanks, labels))
  return made
