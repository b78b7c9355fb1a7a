"""A residual network for small images."""
import torch
from torch import nn, Tensor


def conv3x3(inputs, outputs, stride=1):
    return nn.Conv2d(inputs, outputs, kernel_size=3, stride=stride, padding=1, bias=False)


class Block(nn.Module):
    expansion = 1

    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        self.conv1 = conv3x3(inputs, outputs, stride)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = conv3x3(outputs, outputs)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.shortcut = None
        if stride != 1 or inputs != outputs * self.expansion:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        out = self.relu(self.norm1(self.conv1(x)))
        out = self.norm2(self.conv2(out))
        identity = x if self.shortcut is None else self.shortcut(x)
        return self.relu(out + identity)


class ResidualCNN(nn.Module):
    def __init__(self, block=Block, counts=(1, 2), width=6, classes=4):
        super().__init__()
        self.channels = width
        self.stem = nn.Sequential(conv3x3(3, width), nn.BatchNorm2d(width), nn.ReLU(inplace=True))
        for i, count in enumerate(counts):
            setattr(self, f"stage{i + 1}", self.make_stage(block, width * 2 ** i, count, stride=1 if i == 0 else 2))
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(self.channels, classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(module, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.constant_(module.weight, 1)
                nn.init.constant_(module.bias, 0)

    def make_stage(self, block, outputs, count, stride):
        blocks = [block(self.channels, outputs, stride)]
        self.channels = outputs * block.expansion
        blocks += [block(self.channels, outputs) for _ in range(1, count)]
        return nn.Sequential(*blocks)

    def forward(self, x):
        x = self.stage2(self.stage1(self.stem(x)))
        return self.fc(torch.flatten(self.pool(x), 1))
