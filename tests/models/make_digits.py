#!/usr/bin/python3
"""Trains the digits model: a small convolutional network on scikit-learn's 8x8 images of handwritten digits.

    make_digits.py [FOLDER]      writes digits.pt and digits_test.bin there (default: beside this script)

Needs python3-torch and python3-sklearn (toolchain/setup.sh torch). The files it made are committed, so that nothing
else needs PyTorch; the same versions of the packages make the same weights and the same digits_test.bin again.

digits_test.bin holds the images kept back from training and PyTorch's answers. All numbers are little-endian:

    bytes 0..7    "TSMDIGIT"
    uint32        images n
    uint32        height h
    uint32        width w
    uint32        classes c
    uint8[n,h,w]  pixels 0 to 16; the model's input is pixel / 16
    uint8[n]      labels
    uint8[n]      the class that PyTorch predicts
    zeros         up to a multiple of 4 bytes from the start
    float32[n,c]  PyTorch's output, the score of every class
"""
import os
import struct
import sys

import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

SEED = 7
EPOCHS = 40
BATCH = 64
LEVELS = 16


class Digits(nn.Module):
    """Two pooled convolution stages and a linear layer: about 9,000 weights."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(),
            nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(24, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2))
        self.classify = nn.Linear(24 * 2 * 2, 10)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return self.classify(torch.flatten(self.features(image), 1))


def train(images, labels):
    model = Digits().train()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
    for epoch in range(EPOCHS):
        total = 0.0
        for batch in torch.randperm(len(images)).split(BATCH):
            loss = nn.functional.cross_entropy(model(images[batch]), labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)
        schedule.step()
        if epoch % 10 == 9:
            print("epoch %2d: loss %.4f" % (epoch + 1, total / len(images)))
    return model.eval()


def write_test_set(path, pixels, labels, scores):
    n, height, width = pixels.shape
    out = bytearray(b"TSMDIGIT" + struct.pack("<4I", n, height, width, scores.shape[1]))
    out += bytes(pixels.flatten().tolist()) + bytes(labels.tolist()) + bytes(scores.argmax(1).tolist())
    out += bytes(-len(out) % 4)
    out += struct.pack("<%df" % scores.numel(), *scores.flatten().tolist())
    with open(path, "wb") as f:
        f.write(out)


def record_plain_name(module_class):
    """Makes the archive name this file without its folder, so that it does not depend on where it was made."""
    for f in vars(module_class).values():
        if callable(f):
            f.__code__ = f.__code__.replace(co_filename=os.path.basename(__file__))


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else here
    os.chdir(here)
    record_plain_name(Digits)
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)

    digits = load_digits()
    pixels = torch.from_numpy(digits.images).to(torch.uint8)
    labels = torch.from_numpy(digits.target)
    kept, held = train_test_split(torch.arange(len(labels)), test_size=0.2, random_state=SEED, stratify=labels)
    images = (pixels.float() / LEVELS).unsqueeze(1)

    model = train(images[kept], labels[kept])
    with torch.no_grad():
        scores = model(images[held])
    right = (scores.argmax(1) == labels[held]).sum().item()
    torch.jit.script(model).save(os.path.join(folder, "digits.pt"))
    write_test_set(os.path.join(folder, "digits_test.bin"), pixels[held], labels[held], scores)
    print("%d of %d held-out images right (%.1f %%)" % (right, len(held), 100.0 * right / len(held)))


if __name__ == "__main__":
    main()
