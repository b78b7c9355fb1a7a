#!/usr/bin/python3
"""Makes classifier.pt, and the pictures to try it with: a network that names the shape in a picture.

    make_model.py [FOLDER]        writes there (default: beside this script)

What an app needs of a model is in the archive, not in the app: pictures of any size come in as the bytes that a decoder
gives, names and probabilities come out. A network of torchvision goes through the same class:

    weights = torchvision.models.MobileNet_V2_Weights.DEFAULT
    Classifier(torchvision.models.mobilenet_v2(weights=weights), weights.meta["categories"], 224)

Needs PyTorch and Pillow; takes a minute. The files that it made are committed."""
import json
import math
import os
import random
import sys
from typing import List, Tuple

import torch
import torch.nn.functional as F
from PIL import Image, ImageDraw
from torch import Tensor, nn

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from sources import folder_to_write_to, without_folder  # noqa: E402

SIDE = 48
SHAPES = {"circle": 0, "triangle": 3, "square": 4, "pentagon": 5, "star": -5, "cross": -4}


class Classifier(nn.Module):
    """A network, with what stands before and behind it."""

    def __init__(self, network: nn.Module, labels: List[str], side: int):
        super().__init__()
        self.network = network
        self.labels = labels
        self.side = side
        self.register_buffer("mean", torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1), persistent=False)

    def prepare(self, picture: Tensor) -> Tensor:
        """The middle square of a picture [height, width, 3] of bytes, as the network wants it."""
        height, width = picture.size(0), picture.size(1)
        square = min(height, width)
        top, left = (height - square) // 2, (width - square) // 2
        x = picture[top:top + square, left:left + square].permute(2, 0, 1).unsqueeze(0).float() / 255
        x = F.interpolate(x, size=[self.side, self.side], mode="bilinear", align_corners=False, antialias=True)
        return (x - self.mean) / self.std

    def forward(self, picture: Tensor, most: int = 3) -> List[Tuple[str, float]]:
        """The likeliest names of what is in the picture, with their probabilities, the first one first."""
        if picture.dim() != 3 or picture.size(2) != 3 or picture.dtype != torch.uint8:
            raise ValueError("a picture is a tensor of bytes with the sizes [height, width, 3]")
        scores = torch.softmax(self.network(self.prepare(picture))[0], 0)
        best = torch.topk(scores, min(most, len(self.labels)))
        return [(self.labels[int(i)], float(p)) for p, i in zip(best[0], best[1])]


def layer(channels, results, stride):
    """A depthwise and a pointwise convolution, as in MobileNet."""
    return nn.Sequential(nn.Conv2d(channels, channels, 3, stride, 1, groups=channels, bias=False), nn.BatchNorm2d(channels), nn.ReLU6(),
                         nn.Conv2d(channels, results, 1, bias=False), nn.BatchNorm2d(results), nn.ReLU6())


def network():
    return nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU6(),
                         layer(16, 32, 1), layer(32, 48, 2), layer(48, 64, 1), layer(64, 96, 2), layer(96, 96, 1),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.1), nn.Linear(96, len(SHAPES)))


def outline(corners, x, y, radius, turn):
    """The corners of a shape; a negative number of them is that of a star's or cross's points."""
    if corners == -4:
        a, points = 0.3, []
        for quarter in range(4):
            c, s = round(math.cos(quarter * math.pi / 2)), round(math.sin(quarter * math.pi / 2))
            points += [(c * u - s * v, s * u + c * v) for u, v in ((1, -a), (1, a), (a, a))]
    else:
        n = -2 * corners if corners < 0 else corners
        points = [(math.cos(2 * math.pi * i / n) * r, math.sin(2 * math.pi * i / n) * r)
                  for i, r in ((i, 0.42 if corners < 0 and i % 2 else 1) for i in range(n))]
    c, s = math.cos(turn) * radius, math.sin(turn) * radius
    return [(x + c * u - s * v, y + s * u + c * v) for u, v in points]


def colour(rng):
    return tuple(rng.randrange(256) for _ in range(3))


def draw(rng, name, width, height):
    """A picture with one of the shapes, on a background that is not plain."""
    ground = Image.effect_noise((width, height), rng.uniform(5, 40)).convert("RGB")
    picture = Image.blend(ground, Image.new("RGB", (width, height), colour(rng)), rng.uniform(0.5, 0.8))
    pen = ImageDraw.Draw(picture)
    for _ in range(rng.randrange(4)):
        ends = [(rng.randrange(width), rng.randrange(height)) for _ in range(2)]
        pen.line(ends, fill=colour(rng), width=max(1, width // 60))
    ink, middle = colour(rng), picture.resize((1, 1)).getpixel((0, 0))
    while sum(abs(a - b) for a, b in zip(ink, middle)) < 150:
        ink = colour(rng)
    side = min(width, height)
    radius = side * rng.uniform(0.22, 0.4)
    x = width / 2 + rng.uniform(-1, 1) * (side / 2 - radius) * 0.8
    y = height / 2 + rng.uniform(-1, 1) * (side / 2 - radius) * 0.8
    if name == "circle":
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=ink)
    else:
        pen.polygon(outline(SHAPES[name], x, y, radius, rng.uniform(0, 2 * math.pi)), fill=ink)
    return picture


def tensor(picture):
    width, height = picture.size
    return torch.frombuffer(bytearray(picture.tobytes()), dtype=torch.uint8).view(height, width, 3)


def batch(classifier, rng, n):
    names = [rng.choice(list(SHAPES)) for _ in range(n)]
    pictures = [classifier.prepare(tensor(draw(rng, name, 72, 72))) for name in names]
    return torch.cat(pictures), torch.tensor([list(SHAPES).index(name) for name in names])


def train(classifier, steps=800):
    rng = random.Random(16)
    net = classifier.network.train()
    optimizer = torch.optim.AdamW(net.parameters(), 4e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 8e-3, steps)
    with torch.no_grad():
        images, labels = batch(classifier, rng, 5000)
    for step in range(steps):
        rows = torch.randint(len(labels), (64,))
        x = images[rows]
        x = x.flip(3) if step % 2 else x
        loss = F.cross_entropy(net(x), labels[rows], label_smoothing=0.05)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 100 == 99:
            print("step %4d: loss %.3f" % (step + 1, loss.item()), flush=True)
    net.eval()
    with torch.no_grad():
        images, labels = batch(classifier, rng, 600)
        print("%.1f %% of 600 new pictures are right" % (100 * (net(images).argmax(1) == labels).float().mean().item()))


def main():
    folder = folder_to_write_to(sys.argv)
    without_folder(Classifier)
    random.seed(16)
    torch.manual_seed(16)
    classifier = Classifier(network(), list(SHAPES), SIDE)
    train(classifier)
    program = torch.jit.script(classifier.eval())
    program.save(os.path.join(folder, "classifier.pt"))
    rng, answers = random.Random(7), {}
    for name, size in (("star.jpg", (320, 240)), ("cross.png", (160, 200))):
        path = os.path.join(folder, name)
        draw(rng, name[:-4], *size).save(path)
        answers[name] = program(tensor(Image.open(path).convert("RGB")))
        print("%-10s %s" % (name, answers[name]))
    with open(os.path.join(folder, "expected.json"), "w", encoding="utf-8") as f:
        json.dump(answers, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
