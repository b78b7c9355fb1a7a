#!/usr/bin/python3
"""Makes voice.pt, and recording.wav to try it with: a network that hears whether somebody speaks.

    make_model.py [FOLDER]        writes voice.pt, voice.json, recording.wav and expected.json there

Each call takes 32 ms of sound and gives the probability of a voice. What was heard before is in the module's attribute
`hidden`, so the program on the board keeps nothing. The voices that it learns from are synthetic (espeak-ng), the noise
is made here: it shows the way onto a board, and is no match for a detector that has heard people.

Needs PyTorch, torchaudio and espeak-ng; takes minutes. The files that it made are committed."""
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import wave

import torch
import torch.nn.functional as F
import torchaudio
from torch import Tensor, nn

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from sources import folder_to_write_to, without_folder  # noqa: E402

RATE, CHUNK, WINDOW, BANDS, HIDDEN = 8000, 256, 128, 20, 24
SENTENCES = ["good morning", "please open the door", "what time is it", "the quick brown fox jumps over the lazy dog", "seven eight nine ten",
             "turn on the light in the kitchen", "how much is the fish", "it will rain tomorrow in the north", "where do we go from here",
             "my telephone number is four two one", "thank you very much", "switch the radio off", "there is somebody at the door"]
VOICES = ["en", "en-us", "en+f2", "en+f4", "en-us+m3", "en+m7", "de", "fr", "es+f3", "it"]


def bands() -> Tensor:
    """Triangles [BANDS, WINDOW / 2 + 1] over the frequencies of a window, as wide as the ear's."""
    top = 2595 * math.log10(1 + RATE / 2 / 700)
    edges = [700 * (10 ** (top * i / (BANDS + 1) / 2595) - 1) * WINDOW / RATE for i in range(BANDS + 2)]
    k = torch.arange(WINDOW // 2 + 1).float()
    return torch.stack([torch.clamp(torch.minimum((k - a) / (b - a), (c - k) / (c - b)), min=0) for a, b, c in zip(edges, edges[1:], edges[2:])])


class Voice(nn.Module):
    def __init__(self):
        super().__init__()
        k = torch.arange(WINDOW // 2 + 1).float().unsqueeze(1) * torch.arange(WINDOW).float() * (2 * math.pi / WINDOW)
        window = torch.hann_window(WINDOW)
        self.step = WINDOW // 2
        self.register_buffer("waves", torch.cat([torch.cos(k) * window, torch.sin(k) * window]).unsqueeze(1))
        self.register_buffer("bands", bands())
        self.register_buffer("hidden", torch.zeros(1, HIDDEN))
        self.mix = nn.Linear(3 * BANDS, 32)
        self.remember = nn.GRUCell(32, HIDDEN)
        self.decide = nn.Linear(HIDDEN, 1)

    def features(self, chunks: Tensor) -> Tensor:
        """[chunks, 60]: how loud the bands are at three times of each chunk [chunks, 256]."""
        x = F.conv1d(chunks.unsqueeze(1), self.waves, stride=self.step)
        half = self.bands.size(1)
        loud = torch.matmul(self.bands, x[:, :half] ** 2 + x[:, half:] ** 2)
        return torch.log(loud + 1e-3).flatten(1) * 0.25

    def forward(self, chunk: Tensor) -> Tensor:
        """The probability [1] that somebody speaks in the next 256 samples, from -1 to 1."""
        x = torch.relu(self.mix(self.features(chunk.unsqueeze(0))))
        self.hidden.copy_(self.remember(x, self.hidden))
        return torch.sigmoid(self.decide(self.hidden))[0]


def speak(text: str, voice: str, speed: int, pitch: int) -> Tensor:
    with tempfile.NamedTemporaryFile(suffix=".wav") as f:
        subprocess.run(["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(pitch), "-w", f.name, text], check=True)
        with wave.open(f.name) as w:
            rate, data = w.getframerate(), w.readframes(w.getnframes())
    x = torch.frombuffer(bytearray(data), dtype=torch.int16).float() / 32768
    return torchaudio.functional.resample(x, rate, RATE)


def noise(rng: random.Random, n: int) -> Tensor:
    """What is to be heard besides voices: hiss, hum, beeps, knocks."""
    t = torch.arange(n) / RATE
    x = torch.randn(n) * rng.uniform(0.001, 0.02)
    kind = rng.randrange(4)
    if kind == 0:
        x = x + torch.cumsum(torch.randn(n), 0).sub_(torch.randn(1)).div_(200) * rng.uniform(0.02, 0.1) * torch.hann_window(n)
    elif kind == 1:
        x = x + sum(math.pow(0.6, k) * torch.sin(2 * math.pi * 50 * (k + 1) * t + k) for k in range(6)) * rng.uniform(0.005, 0.05)
    for _ in range(rng.randrange(4)):
        at, long = rng.randrange(n), rng.randrange(400, 4000)
        piece = t[:max(0, min(long, n - at))]
        if rng.random() < 0.5:
            x[at:at + long] += torch.sin(2 * math.pi * rng.uniform(300, 3000) * piece) * rng.uniform(0.02, 0.2)
        else:
            x[at:at + long] += torch.randn(len(piece)) * torch.exp(-piece * 60) * rng.uniform(0.05, 0.4)
    return x


def scene(rng: random.Random, spoken, chunks: int):
    """(samples, whether somebody speaks in each chunk): some sentences with pauses, in noise."""
    n = chunks * CHUNK
    clean, at = torch.zeros(n), rng.randrange(n // 3)
    while at < n:
        x = rng.choice(spoken)
        x = x[:n - at]
        clean[at:at + len(x)] += x * rng.uniform(0.15, 0.9)
        at += len(x) + rng.randrange(2000, 16000)
    loud = F.max_pool1d((clean.view(chunks, CHUNK) ** 2).mean(1).view(1, 1, -1), 5, 1, 2)[0, 0]
    return (clean + noise(rng, n)).clamp(-1, 1), (loud > 1e-5).float()


def train(net: Voice, rng: random.Random, spoken, steps=260, size=12, chunks=94):
    optimizer = torch.optim.Adam(net.parameters(), 5e-3)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = 6e-3 * (1 - step / steps) + 1e-4
        scenes = [scene(rng, spoken, chunks) for _ in range(size)]
        x = torch.relu(net.mix(net.features(torch.cat([s.view(chunks, CHUNK) for s, _ in scenes])))).view(size, chunks, -1)
        h, outputs = torch.zeros(size, HIDDEN), []
        for i in range(chunks):
            h = net.remember(x[:, i], h)
            outputs.append(net.decide(h)[:, 0])
        loss = F.binary_cross_entropy_with_logits(torch.stack(outputs, 1), torch.stack([label for _, label in scenes]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 19:
            print("step %3d: loss %.3f" % (step + 1, loss.item()), flush=True)


def main():
    folder = folder_to_write_to(sys.argv)
    without_folder(Voice)
    torch.manual_seed(8)
    rng = random.Random(8)
    spoken = [speak(rng.choice(SENTENCES), rng.choice(VOICES), rng.randrange(120, 220), rng.randrange(20, 80)) for _ in range(60)]
    net = Voice()
    torch.jit.script(net)  # complains now rather than in some minutes
    train(net, rng, spoken)
    program = torch.jit.script(net.eval())
    program.save(os.path.join(folder, "voice.pt"))
    n = 4 * RATE // CHUNK * CHUNK
    sound = torch.randn(n) * 0.004
    for at, text, voice in ((5000, "is anybody there", "en+f3"), (21000, "yes", "en-us+m2")):
        x = speak(text, voice, 160, 50)[:n - at] * 0.6
        sound[at:at + len(x)] += x
    t = torch.arange(2400) / RATE
    sound[16500:18900] += 0.1 * torch.sin(2 * math.pi * 880 * t)  # a beep is no voice
    samples = (sound.clamp(-1, 1) * 32767).to(torch.int16)
    with wave.open(os.path.join(folder, "recording.wav"), "wb") as w:
        w.setnchannels(1)
        w.setsampwidth(2)
        w.setframerate(RATE)
        w.writeframes(bytes(samples.numpy().tobytes()))
    with torch.no_grad():
        answers = [float(program(chunk.float() / 32768)) for chunk in samples.view(-1, CHUNK)]
    print(" ".join("%.2f" % p for p in answers))
    with open(os.path.join(folder, "expected.json"), "w") as f:
        json.dump([float("%.7g" % p) for p in answers], f)
        f.write("\n")
    with open(os.path.join(folder, "voice.json"), "w") as f:
        json.dump([{"tensor": {"dtype": "float32", "shape": [CHUNK], "data": [0] * CHUNK}}], f)
        f.write("\n")


if __name__ == "__main__":
    main()
