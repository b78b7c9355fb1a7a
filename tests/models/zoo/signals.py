"""Models of sound, of sensors, of graphs and of tables."""
from typing import Dict, List, Optional, Tuple

import torch
from torch import nn, Tensor
import torch.nn.functional as F


class Features(nn.Module):
    """Logarithms of the energy in bands of the spectrum."""

    def __init__(self, size: int = 32, hop: int = 16, bands: int = 8):
        super().__init__()
        self.size, self.hop = size, hop
        self.register_buffer("window", torch.hann_window(size))
        self.register_buffer("bands", torch.rand(bands, size // 2 + 1))

    def forward(self, wave: Tensor) -> Tensor:
        spectrum = torch.stft(wave, self.size, self.hop, window=self.window, center=True, return_complex=True)
        return (self.bands @ spectrum.abs().pow(2.0)).clamp(min=1e-6).log()


class Keywords(nn.Module):
    """Features, then dilated convolutions with residuals."""

    def __init__(self):
        super().__init__()
        self.features = Features()
        self.inlet = nn.Conv1d(8, 12, 1)
        self.layers = nn.ModuleList([nn.Conv1d(12, 24, 3, padding=d, dilation=d) for d in (1, 2, 4)])
        self.norms = nn.ModuleList([nn.BatchNorm1d(12) for _ in range(3)])
        self.fc = nn.Linear(12, 6)

    def forward(self, wave: Tensor) -> Tensor:
        x = self.inlet(self.features(wave))
        for layer, norm in zip(self.layers, self.norms):
            x = norm(x + F.glu(layer(x), dim=1))
        return self.fc(x.mean(-1)).log_softmax(-1)


class VoiceDetector(nn.Module):
    """Chunks of a wave one by one; the state of the LSTM stays in attributes until reset() is called."""

    h: Tensor
    c: Tensor

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 8, 8, 4)
        self.cell = nn.LSTMCell(8, 10)
        self.fc = nn.Linear(10, 1)
        self.h, self.c = torch.zeros(1, 10), torch.zeros(1, 10)

    @torch.jit.export
    def reset(self):
        self.h, self.c = torch.zeros(1, 10), torch.zeros(1, 10)

    @torch.jit.export
    def chunk(self, wave: Tensor) -> float:
        x = F.relu(self.conv(wave.view(1, 1, -1)))
        for t in range(x.size(2)):
            self.h, self.c = self.cell(x[:, :, t], (self.h, self.c))
        return float(self.fc(self.h).sigmoid())

    def forward(self, wave: Tensor, size: int, threshold: float = 0.5) -> Tuple[List[Tuple[int, int]], List[float]]:
        self.reset()
        spans, start = torch.jit.annotate(List[Tuple[int, int]], []), -1
        heard: List[float] = []
        for i, part in enumerate(wave.split(size)):
            if part.numel() >= 8:
                heard.append(self.chunk(part))
            speaks = len(heard) > i and heard[i] > threshold
            if speaks and start < 0:
                start = i
            elif not speaks and start >= 0:
                spans.append((start, i))
                start = -1
        if start >= 0:
            spans.append((start, len(wave.split(size))))
        return spans, heard


class LineReader(nn.Module):
    """Convolutions and a recurrent layer over the columns of a picture; repeated letters become one."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8),
                                  nn.ReLU(), nn.MaxPool2d((2, 1)))
        self.rnn = nn.GRU(16, 10, bidirectional=True)
        self.fc = nn.Linear(20, 12)
        self.letters = "-abcdefghijk"

    def forward(self, line: Tensor) -> Tuple[str, Tensor]:
        x = self.conv(line.unsqueeze(0))
        x = x.flatten(1, 2).permute(2, 0, 1)
        scores = self.fc(self.rnn(x)[0]).squeeze(1).log_softmax(-1)
        text, last = "", 0
        best: List[int] = scores.argmax(-1).tolist()
        for n in best:
            if n != 0 and n != last:
                text += self.letters[n]
            last = n
        return text, scores.max(-1)[0]


class Separator(nn.Module):
    """Convolution in, masks by gated recurrent layers, transposed convolution out."""

    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Conv1d(1, 12, 8, 4, bias=False), nn.ConvTranspose1d(12, 1, 8, 4, bias=False)
        self.norm = nn.GroupNorm(1, 12)
        self.rnn = nn.LSTM(12, 10, batch_first=True)
        self.mask = nn.Linear(10, 24)

    def forward(self, wave: Tensor) -> Tensor:
        seen = self.encoder(wave.unsqueeze(1)).relu()
        states = self.rnn(self.norm(seen).transpose(1, 2))[0]
        masks = self.mask(states).sigmoid().transpose(1, 2).unflatten(1, (2, 12))
        parts = (masks * seen.unsqueeze(1)).flatten(0, 1)
        return self.decoder(parts).view(wave.size(0), 2, -1)


class GraphNet(nn.Module):
    """Messages along the edges of a graph, with weights by attention."""

    def __init__(self):
        super().__init__()
        self.lines = nn.ModuleList([nn.Linear(6, 8), nn.Linear(8, 8)])
        self.attention = nn.ParameterList([nn.Parameter(torch.randn(16)), nn.Parameter(torch.randn(16))])
        self.fc = nn.Linear(8, 3)

    def layer(self, x: Tensor, edges: Tensor, a: Tensor) -> Tensor:
        source, target = edges[0], edges[1]
        score = F.leaky_relu(torch.cat([x[source], x[target]], 1) @ a, 0.2).exp()
        total = torch.zeros(x.size(0)).index_add(0, target, score) + 1e-9
        return torch.zeros_like(x).scatter_add_(0, target.unsqueeze(1).expand(-1, x.size(1)),
                                                x[source] * (score / total[target]).unsqueeze(1))

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        for line, a in zip(self.lines, self.attention):
            x = F.elu(self.layer(line(x), edges, a))
        return self.fc(x).log_softmax(-1)


class Recommender(nn.Module):
    """Embeddings of features and their products in pairs, as factorization machines have them, and a deep part."""

    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleDict({"user": nn.Embedding(10, 6), "item": nn.Embedding(14, 6), "hour": nn.Embedding(24, 6)})
        self.deep = nn.Sequential(nn.Linear(18, 8), nn.BatchNorm1d(8), nn.Mish(), nn.Linear(8, 1))

    def forward(self, features: Dict[str, Tensor]) -> Tensor:
        found: List[Tensor] = []
        for name, table in self.tables.items():
            if name not in features:
                raise KeyError(name)
            found.append(table(features[name]))
        x = torch.stack(found, 1)
        pairs = 0.5 * (x.sum(1).pow(2) - x.pow(2).sum(1)).sum(1, keepdim=True)
        return (pairs + self.deep(x.flatten(1))).sigmoid().squeeze(1)


class Forecast(nn.Module):
    """A series normalized by its own statistics; trend and season forecast apart; missing values are filled in."""

    def __init__(self, seen: int = 12, ahead: int = 4):
        super().__init__()
        self.trend, self.season = nn.Linear(seen, ahead), nn.Linear(seen, ahead)
        self.levels = [0.1, 0.5, 0.9]

    def forward(self, series: Tensor, season: Optional[int] = None) -> Tuple[Tensor, Tensor]:
        missing = torch.isnan(series)
        filled = torch.where(missing, torch.nansum(series, 1, keepdim=True) / (~missing).sum(1, keepdim=True), series)
        mean, deviation = filled.mean(1, keepdim=True), filled.std(1, keepdim=True) + 1e-5
        x = (filled - mean) / deviation
        if season is not None:
            x = x - x.roll(season, 1) * 0.5
        smooth = F.avg_pool1d(F.pad(x.unsqueeze(1), [2, 2], mode="replicate"), 5, 1).squeeze(1)
        forecast = (self.trend(smooth) + self.season(x - smooth)) * deviation + mean
        return forecast, torch.quantile(forecast, torch.tensor(self.levels), 1)


class Experts(nn.Module):
    """Each row goes to the two experts that a gate prefers."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(6, 4)
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(6, 8), nn.SiLU(), nn.Linear(8, 3)) for _ in range(4)])

    def forward(self, x: Tensor) -> Tensor:
        weights, chosen = self.gate(x).softmax(-1).topk(2, -1)
        result = torch.zeros(x.size(0), 3)
        for number, expert in enumerate(self.experts):
            rows, place = torch.where(chosen == number)
            if rows.numel() > 0:
                result[rows] += weights[rows, place].unsqueeze(1) * expert(x[rows])
        return result


class Controller(nn.Module):
    """A policy with discrete and continuous actions; observations are normalized by running statistics."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.randn(5))
        self.register_buffer("variance", torch.rand(5) + 0.5)
        self.body = nn.Sequential(nn.Linear(5, 12), nn.Tanh(), nn.Linear(12, 12), nn.Tanh())
        self.choice, self.force, self.value = nn.Linear(12, 3), nn.Linear(12, 2), nn.Linear(12, 1)

    def forward(self, observation: Tensor) -> Dict[str, Tensor]:
        x = self.body(((observation - self.mean) / (self.variance + 1e-8).sqrt()).clamp(-5.0, 5.0))
        return {"action": self.choice(x).argmax(-1), "force": torch.tanh(self.force(x)), "value": self.value(x).squeeze(-1)}


def waves(*lengths):
    return [torch.sin(torch.arange(n) * 0.3) * torch.rand(n) for n in lengths]


MODELS = [
    (Keywords, ("scripted", "traced", "frozen"), lambda: [[w.unsqueeze(0)] for w in waves(160, 160)]),
    (VoiceDetector, ("scripted",), lambda: [[w, 32, 0.4212] for w in waves(400, 64, 3)]),
    (LineReader, ("scripted", "frozen"), lambda: [[torch.randn(1, 8, 20) * 4], [torch.randn(1, 8, 33) * 4]]),
    (Separator, ("scripted", "frozen"), lambda: [[torch.stack(waves(64, 64))], [torch.stack(waves(100))]]),
    (GraphNet, ("scripted",),
     lambda: [[torch.randn(5, 6), torch.randint(0, 5, (2, 9))], [torch.randn(2, 6), torch.tensor([[0, 1], [1, 0]])]]),
    (Recommender, ("scripted",),
     lambda: [[{"user": torch.tensor([1, 2]), "item": torch.tensor([3, 13]), "hour": torch.tensor([0, 23])}], [{"user": torch.tensor([1])}]]),
    (Forecast, ("scripted",),
     lambda: [[torch.randn(2, 12), None], [torch.randn(1, 12).masked_fill(torch.arange(12) % 5 == 0, float("nan")), 3]]),
    (Experts, ("scripted", "frozen"), lambda: [[torch.randn(5, 6)], [torch.randn(1, 6)]]),
    (Controller, ("scripted", "mobile"), lambda: [[torch.randn(5)], [torch.randn(5)]]),
]
