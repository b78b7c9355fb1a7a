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
