"""Fourier transforms, short-time transforms and windows."""
from typing import List

import torch


def parts(z: torch.Tensor) -> torch.Tensor:
    return torch.view_as_real(z.resolve_conj())


def one_dimension(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    z = torch.fft.fft(x)
    lengths = torch.cat([x.flatten(), x.flatten().flip(0) * 0.5])
    made = [parts(z), torch.fft.ifft(z).real, torch.fft.irfft(torch.fft.rfft(x, 7), 7), torch.fft.hfft(z, 9, norm="ortho"),
            parts(torch.fft.ihfft(x, 5, 0, "forward")), parts(torch.fft.fft(t)),
            parts(torch.fft.rfft(x, 3, 0, "ortho")), parts(torch.fft.ifft(x, 8, -1, "forward"))]
    for n in [1, 2, 12, 31, 37, 45]:
        made.append(parts(torch.fft.fft(lengths, n)))
        made.append(parts(torch.fft.rfft(lengths.to(torch.float64), n)))
    return made


# Sums over the points of lines, weighed by where they stand.
def weighed(z: torch.Tensor) -> torch.Tensor:
    n = z.size(1)
    return (torch.view_as_real(z.resolve_conj()) * torch.cos(torch.arange(2 * n) * 0.37).reshape(n, 2)).sum([1, 2])


# Lengths with large prime factors, alone and among neighbours; 101, 122, 398 and 1009 go through the chirp.
def prime_factors(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for n in [37, 41, 43, 74, 97, 101, 122, 129, 134, 265, 301, 398, 597, 796, 995, 1009, 1414]:
        for rows in [1, 3, 9]:
            a = torch.sin(torch.arange(rows * n).to(torch.float64) ** 2).reshape(rows, n)
            z = torch.fft.fft(a)
            made += [weighed(z), weighed(torch.fft.ifft(z * z)), weighed(torch.fft.rfft(a.to(torch.float32))), torch.fft.irfft(z[:, :n // 2 + 1], n).sum(1)]
    return made


def dimensions(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    z = torch.fft.fft2(x)
    cube = x.reshape(2, 3, 4)
    return [parts(z), torch.fft.ifft2(z).real, parts(torch.fft.rfftn(cube)),
            torch.fft.irfftn(torch.fft.rfftn(cube), [2, 3, 4]), parts(torch.fft.fftn(cube, [3, 5], [0, 2], "ortho")),
            parts(torch.fft.ifftn(cube)), torch.fft.irfft2(z, [3, 5]), parts(torch.fft.rfft2(cube, dim=[0, 1])),
            torch.fft.hfft2(z), parts(torch.fft.ihfftn(cube)), torch.fft.hfftn(z, [4, 4], norm="forward")]


def frequencies(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return [torch.fft.fftfreq(7, 0.5), torch.fft.fftfreq(4), torch.fft.rfftfreq(6, 0.1), torch.fft.fftshift(x), torch.fft.ifftshift(x, [1]),
            torch.fft.fftshift(x[:3], [0])]


def windows(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return [torch.hann_window(6), torch.hann_window(6, False), torch.hamming_window(5), torch.hamming_window(5, False, 0.5),
            torch.hamming_window(5, True, 0.5, 0.4), torch.blackman_window(6), torch.blackman_window(1), torch.bartlett_window(7),
            torch.bartlett_window(6, False), torch.kaiser_window(6), torch.kaiser_window(5, False, 4.0), torch.hann_window(0),
            torch.hann_window(4, dtype=torch.float64)]


def short_time(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    lines = torch.cat([x.reshape(1, 24), x.reshape(1, 24).flip(1)])
    w = torch.hann_window(6)
    z = torch.stft(lines, 8, 2, 6, w, return_complex=True)
    made = [parts(z), torch.istft(z, 8, 2, 6, w), torch.istft(z, 8, 2, 6, w, length=20),
            torch.istft(torch.stft(lines, 8, 2, window=torch.hamming_window(8), return_complex=True), 8, 2,
                        window=torch.hamming_window(8), length=30)]
    y = torch.stft(lines[0], 6, center=False, normalized=True, onesided=False, return_complex=True)
    made.append(parts(y))
    made.append(torch.istft(torch.stft(lines[0], 4, normalized=True, return_complex=True), 4, normalized=True))
    return made


def no_points(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.fft.rfft(x, 0)


def bad_norm(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.fft.fft(x, norm="both")


def complex_to_rfft(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.fft.rfft(torch.fft.fft(x))


def repeated_dimension(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.fft.fftn(x, dim=[0, 0])


def short_line(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.stft(x[0], 64, center=False, return_complex=True)


def holes_between_windows(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    z = torch.stft(x.flatten(), 8, 8, window=torch.hann_window(8), return_complex=True)
    return torch.istft(z, 8, 8, window=torch.hann_window(8))


PROGRAMS = [prime_factors, one_dimension, dimensions, frequencies, windows, short_time]
FAILURES = {
    no_points: "Invalid number of data points (0) specified",
    bad_norm: "Invalid normalization mode: \"both\"",
    complex_to_rfft: "rfft expects a real input tensor",
    repeated_dimension: "FFT dims must be unique",
    short_line: "stft: expected 0 < n_fft < 6, but got n_fft=64",
    holes_between_windows: "window overlap add min: 1",
}
