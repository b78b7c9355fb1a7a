"""Models of images and video: classifiers, segmentation, detection, generation, at a few thousand weights each."""
from typing import Dict, List, NamedTuple, Tuple

import torch
from torch import nn, Tensor
import torch.nn.functional as F
import torchvision


def conv_bn(inputs, outputs, kernel=3, stride=1, groups=1, activation=nn.ReLU):
    return nn.Sequential(nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs),
                         activation(inplace=True))


class Residual(nn.Module):
    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.down = None
        if stride != 1 or inputs != outputs:
            self.down = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        same = x
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        if self.down is not None:
            same = self.down(x)
        out += same
        return self.relu(out)


class ResidualNet(nn.Module):
    """After ResNet: four stages, the first of eight channels."""

    def __init__(self):
        super().__init__()
        self.stem = conv_bn(3, 8, 7, 2)
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.stages = nn.Sequential(Residual(8, 8), Residual(8, 12, 2), Residual(12, 16, 2), Residual(16, 24, 2))
        self.fc = nn.Linear(24, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(torch.flatten(F.adaptive_avg_pool2d(self.stages(self.pool(self.stem(x))), 1), 1))


class SqueezeExcitation(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.reduce, self.expand = nn.Conv2d(channels, 4, 1), nn.Conv2d(4, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        return x * F.hardsigmoid(self.expand(F.relu(self.reduce(x.mean((2, 3), keepdim=True)))))


class Inverted(nn.Module):
    def __init__(self, inputs, outputs, kernel, stride, activation):
        super().__init__()
        wide = 3 * inputs
        self.layers = nn.Sequential(conv_bn(inputs, wide, 1, activation=activation), conv_bn(wide, wide, kernel, stride, wide, activation),
                                    SqueezeExcitation(wide), nn.Conv2d(wide, outputs, 1, bias=False), nn.BatchNorm2d(outputs))
        self.keeps = stride == 1 and inputs == outputs

    def forward(self, x: Tensor) -> Tensor:
        return x + self.layers(x) if self.keeps else self.layers(x)


class MobileNet(nn.Module):
    """After MobileNet V3: inverted residuals, depthwise kernels of 3 and 5, squeeze and excitation."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(conv_bn(3, 8, 3, 2, activation=nn.Hardswish), Inverted(8, 8, 3, 1, nn.ReLU),
                                      Inverted(8, 12, 5, 2, nn.Hardswish), Inverted(12, 12, 5, 1, nn.Hardswish), conv_bn(12, 24, 1))
        self.classifier = nn.Sequential(nn.Linear(24, 32), nn.Hardswish(), nn.Dropout(0.2), nn.Linear(32, 10))

    def forward(self, x: Tensor) -> Tensor:
        return self.classifier(self.features(x).mean([2, 3]))


def shuffle(x: Tensor, groups: int) -> Tensor:
    n, c, h, w = x.shape
    return x.view(n, groups, c // groups, h, w).transpose(1, 2).contiguous().view(n, c, h, w)


class ShuffleUnit(nn.Module):
    def __init__(self, channels):
        super().__init__()
        half = channels // 2
        self.branch = nn.Sequential(conv_bn(half, half, 1), nn.Conv2d(half, half, 3, 1, 1, groups=half), conv_bn(half, half, 1))

    def forward(self, x: Tensor) -> Tensor:
        a, b = x.chunk(2, dim=1)
        return shuffle(torch.cat([a, self.branch(b)], 1), 2)


class DenseShuffle(nn.Module):
    """Channel shuffles after ShuffleNet V2, then layers that see all layers before, as in DenseNet."""

    def __init__(self):
        super().__init__()
        self.stem = conv_bn(3, 8, 3, 2)
        self.units = nn.ModuleList([ShuffleUnit(8), ShuffleUnit(8)])
        self.dense = nn.ModuleList([nn.Conv2d(8 + 4 * i, 4, 3, padding=1) for i in range(3)])
        self.fc = nn.Linear(20, 6)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        for unit in self.units:
            x = unit(x)
        seen = [x]
        for layer in self.dense:
            seen.append(F.relu(layer(torch.cat(seen, 1))))
        return self.fc(F.avg_pool2d(torch.cat(seen, 1), 4).amax((2, 3))).softmax(-1)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1, self.down2, self.middle = conv_bn(3, 6), conv_bn(6, 8), conv_bn(8, 12)
        self.up2, self.up1 = nn.ConvTranspose2d(12, 8, 2, 2), nn.ConvTranspose2d(8, 6, 2, 2)
        self.merge2, self.merge1 = conv_bn(16, 8), conv_bn(12, 6)
        self.head = nn.Conv2d(6, 3, 1)

    def forward(self, x: Tensor) -> Dict[str, Tensor]:
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        c = self.middle(F.max_pool2d(b, 2))
        c = F.interpolate(self.up2(c), b.shape[2:], mode="bilinear", align_corners=False)
        c = self.merge2(torch.cat([b, c], 1))
        c = F.interpolate(self.up1(c), a.shape[2:], mode="bilinear", align_corners=False)
        scores = self.head(self.merge1(torch.cat([a, c], 1)))
        return {"scores": scores, "mask": scores.argmax(1)}


class Pyramid(nn.Module):
    """Features of three sizes, the coarse ones added to the fine ones, and dilated convolutions on the coarsest."""

    def __init__(self):
        super().__init__()
        self.stages = nn.ModuleList([conv_bn(3, 6, 3, 2), conv_bn(6, 8, 3, 2), conv_bn(8, 12, 3, 2)])
        self.sides = nn.ModuleList([nn.Conv2d(c, 8, 1) for c in (6, 8, 12)])
        self.holes = nn.ModuleList([nn.Conv2d(8, 4, 3, padding=r, dilation=r) for r in (1, 2, 3)])

    def forward(self, x: Tensor) -> List[Tensor]:
        found: List[Tensor] = []
        for stage, side in zip(self.stages, self.sides):
            x = stage(x)
            found.append(side(x))
        merged = found[-1]
        results = [torch.cat([h(merged) for h in self.holes], 1)]
        for i in range(len(found) - 2, -1, -1):
            merged = found[i] + F.interpolate(merged, size=found[i].shape[-2:], mode="nearest")
            results.append(merged.mean(1))
        return results


class Detections(NamedTuple):
    boxes: Tensor
    scores: Tensor
    labels: Tensor


class Detector(nn.Module):
    """Boxes around grid points, those that overlap a better one of their class removed."""

    def __init__(self, classes: int = 3):
        super().__init__()
        self.classes = classes
        self.backbone = nn.Sequential(conv_bn(3, 8, 3, 2), conv_bn(8, 12, 3, 2))
        self.head = nn.Conv2d(12, 2 * (4 + classes), 3, padding=1)
        self.register_buffer("anchors", torch.tensor([[8.0, 8.0], [14.0, 10.0]]))

    def decode(self, raw: Tensor) -> Tuple[Tensor, Tensor]:
        h, w = raw.shape[-2:]
        raw = raw.view(2, 4 + self.classes, h, w).permute(2, 3, 0, 1)
        ys, xs = torch.meshgrid(torch.arange(h, device=raw.device), torch.arange(w, device=raw.device), indexing="ij")
        center = (torch.stack([xs, ys], -1).to(raw.dtype).unsqueeze(2) + raw[..., :2].sigmoid()) * 4.0
        size = raw[..., 2:4].clamp(max=2.0).exp() * self.anchors
        return torch.cat([center - size / 2, center + size / 2], -1).reshape(-1, 4), raw[..., 4:].reshape(-1, self.classes)

    def forward(self, image: Tensor, threshold: float = 0.5, overlap: float = 0.4) -> Detections:
        boxes, scores = self.decode(self.head(self.backbone(image.unsqueeze(0)))[0])
        best, labels = scores.sigmoid().max(-1)
        chosen = torch.where(best > threshold)[0]
        boxes, best, labels = boxes[chosen], best[chosen], labels[chosen]
        kept = torch.ops.torchvision.nms(boxes + labels.unsqueeze(1).to(boxes.dtype) * 1000.0, best, overlap)[:5]
        return Detections(boxes[kept], best[kept], labels[kept])


class RegionHead(nn.Module):
    """Classifies regions that the caller names, as the second stage of a detector."""

    def __init__(self):
        super().__init__()
        self.backbone = conv_bn(3, 8, 3, 2)
        self.pool = torchvision.ops.RoIAlign(3, 0.5, 2)
        self.fc = nn.Linear(72, 5)

    def forward(self, images: Tensor, regions: List[Tensor]) -> Tensor:
        return self.fc(self.pool(self.backbone(images), regions).flatten(1)).log_softmax(1)


class Style(nn.Module):
    """A picture to a picture: reflected borders, instance normalization, nearest upsampling, tanh."""

    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(nn.ReflectionPad2d(2), nn.Conv2d(3, 6, 5), nn.InstanceNorm2d(6, affine=True), nn.ReLU(),
                                    nn.Conv2d(6, 8, 3, 2, 1), nn.InstanceNorm2d(8, affine=True), nn.ReLU())
        self.decode = nn.Sequential(nn.Upsample(scale_factor=2.0), nn.Conv2d(8, 6, 3, padding=1), nn.PReLU(6), nn.Conv2d(6, 3, 3, padding=1))

    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(self.decode(self.encode(x)))[:, :, :x.size(2), :x.size(3)]


class SuperResolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 8, 5, padding=2), nn.LeakyReLU(0.1), nn.Conv2d(8, 8, 3, padding=1), nn.GELU(),
                                  nn.Conv2d(8, 4, 3, padding=1))

    def forward(self, x: Tensor) -> Tensor:
        return F.pixel_shuffle(self.body(x), 2) + F.interpolate(x, scale_factor=2.0, mode="bicubic", align_corners=False)


class Pose(nn.Module):
    """Heat maps, and from them the expected place of each joint."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv_bn(3, 8, 3, 2), conv_bn(8, 8, 3, 1, 4), nn.ConvTranspose2d(8, 8, 4, 2, 1, groups=2), nn.ELU(),
                                  nn.Conv2d(8, 4, 1))

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        heat = self.body(x)
        n, joints, h, w = heat.shape
        weight = heat.flatten(2).softmax(-1).view(n, joints, h, w)
        ys = (weight.sum(3) * torch.linspace(0, 1, h)).sum(-1)
        xs = (weight.sum(2) * torch.linspace(0, 1, w)).sum(-1)
        return torch.stack([xs, ys], -1), weight.amax((2, 3))


class VisionTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 16, 4, 4)
        self.token = nn.Parameter(torch.randn(1, 1, 16))
        self.positions = nn.Parameter(torch.randn(1, 17, 16))
        self.layers = nn.ModuleList([nn.TransformerEncoderLayer(16, 2, 32, 0.0, "gelu", batch_first=True, norm_first=True) for _ in range(2)])
        self.norm, self.head = nn.LayerNorm(16), nn.Linear(16, 6)

    def forward(self, x: Tensor) -> Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.size(0), -1, -1), x], 1) + self.positions
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x)[:, 0])


class Video(nn.Module):
    """Convolutions over frames, rows and columns, then a GRU over the frames that are left."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(1, 6, (2, 3, 3), padding=(0, 1, 1))
        self.norm = nn.BatchNorm3d(6)
        self.gru = nn.GRU(24, 12, batch_first=True)
        self.fc = nn.Linear(12, 4)

    def forward(self, clip: Tensor) -> Tensor:
        x = F.max_pool3d(F.relu(self.norm(self.conv(clip))), (1, 2, 2))
        x = F.adaptive_avg_pool3d(x, (x.size(2), 2, 2)).permute(0, 2, 1, 3, 4).flatten(2)
        return self.fc(self.gru(x)[0][:, -1])


class Decoder(nn.Module):
    """The second half of an autoencoder: a vector to a picture. Noise is the caller's."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 8 * 3 * 3)
        self.layers = nn.Sequential(nn.Unflatten(1, (8, 3, 3)), nn.ConvTranspose2d(8, 6, 3, 2, 1, 1), nn.GroupNorm(2, 6), nn.SiLU(),
                                    nn.ConvTranspose2d(6, 1, 4, 2, 1), nn.Sigmoid())

    def forward(self, mean: Tensor, log_variance: Tensor, noise: Tensor) -> Tensor:
        return self.layers(self.fc(mean + (0.5 * log_variance).exp() * noise))


def pictures(*sizes):
    return [[torch.rand(s) * 2 - 1] for s in sizes]


SCRIPTED_TRACED_FROZEN = ("scripted", "traced", "frozen")
MODELS = [
    (ResidualNet, SCRIPTED_TRACED_FROZEN + ("mobile",), lambda: pictures((1, 3, 32, 32), (2, 3, 40, 36), (1, 3, 64, 48))),
    (MobileNet, SCRIPTED_TRACED_FROZEN + ("mobile",), lambda: pictures((1, 3, 32, 32), (1, 3, 24, 40), (2, 3, 16, 16))),
    (DenseShuffle, ("scripted", "frozen"), lambda: pictures((1, 3, 16, 16), (2, 3, 24, 16))),
    (UNet, ("scripted", "frozen"), lambda: pictures((1, 3, 16, 16), (1, 3, 13, 18))),
    (Pyramid, ("scripted",), lambda: pictures((1, 3, 24, 24), (1, 3, 17, 21))),
    (Detector, ("scripted", "frozen"),
     lambda: [[torch.rand(3, 32, 32), 0.5, 0.4], [torch.rand(3, 24, 40), 0.52, 0.2], [torch.rand(3, 16, 16), 0.99, 0.4]]),
    (RegionHead, ("scripted",),
     lambda: [[torch.rand(2, 3, 16, 16), [torch.tensor([[1.0, 2.0, 9.0, 8.0], [0.0, 0.0, 15.0, 15.0]]), torch.tensor([[3.0, 3.0, 7.5, 12.0]])]],
              [torch.rand(1, 3, 20, 12), [torch.tensor([[2.0, 2.0, 5.0, 5.0]])]]]),
    (Style, ("scripted", "traced"), lambda: pictures((1, 3, 12, 12), (1, 3, 12, 12))),
    (SuperResolution, SCRIPTED_TRACED_FROZEN, lambda: pictures((1, 1, 8, 8), (2, 1, 6, 9))),
    (Pose, ("scripted", "frozen"), lambda: pictures((1, 3, 16, 16), (2, 3, 12, 20))),
    (VisionTransformer, ("scripted", "frozen"), lambda: pictures((1, 3, 16, 16), (3, 3, 16, 16))),
    (Video, ("scripted", "traced"), lambda: pictures((1, 1, 4, 8, 8), (1, 1, 4, 8, 8))),
    (Decoder, ("scripted", "mobile"), lambda: [[torch.randn(1, 6), torch.randn(1, 6), torch.randn(1, 6)] for _ in range(2)]),
]
