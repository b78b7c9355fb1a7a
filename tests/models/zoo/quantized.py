"""Quantized models: eager and FX, static and dynamic, as PyTorch's own tools make them. Each is a function that makes
the model."""
import torch
from torch import nn, Tensor
from torch.ao import quantization
from torch.ao.quantization import quantize_fx
from torch.ao.nn.quantized import FloatFunctional


class Unit(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1, self.bn1, self.relu1 = nn.Conv2d(inputs, outputs, 3, stride, 1), nn.BatchNorm2d(outputs), nn.ReLU()
        self.conv2, self.bn2 = nn.Conv2d(outputs, outputs, 3, 1, 1, groups=outputs), nn.BatchNorm2d(outputs)
        self.side = nn.Conv2d(inputs, outputs, 1, stride)
        self.sum = FloatFunctional()

    def forward(self, x: Tensor) -> Tensor:
        return self.sum.add_relu(self.bn2(self.conv2(self.relu1(self.bn1(self.conv1(x))))), self.side(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.dequant = quantization.QuantStub(), quantization.DeQuantStub()
        self.units = nn.Sequential(Unit(3, 8, 1), Unit(8, 12, 2))
        self.pool, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(12, 6)

    def forward(self, x: Tensor) -> Tensor:
        x = self.pool(self.units(self.quant(x)))
        return self.dequant(self.fc(torch.flatten(x, 1)))


class FloatNet(nn.Module):
    """For FX, which puts the quantization in itself."""

    def __init__(self):
        super().__init__()
        self.conv1, self.bn = nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 8, 3, padding=1)
        self.fc = nn.Linear(8, 5)

    def forward(self, x):
        x = torch.relu(self.bn(self.conv1(x)))
        x = torch.cat([nn.functional.hardswish(self.conv2(x)), x], 1).mean([2, 3])
        return self.fc(x[:, 4:12])


def calibrate(model):
    for _ in range(4):
        model(torch.randn(2, 3, 16, 16))
    return model


def quantized_net(configuration):
    model = Net().eval()
    for unit in model.units:
        quantization.fuse_modules(unit, [["conv1", "bn1", "relu1"], ["conv2", "bn2"]], inplace=True)
    model.qconfig = quantization.get_default_qconfig(configuration)
    return quantization.convert(calibrate(quantization.prepare(model)))


def static_net():
    return quantized_net("qnnpack")


def per_channel_net():
    return quantized_net("fbgemm")


def fx_net():
    mapping = quantization.get_default_qconfig_mapping("qnnpack")
    prepared = quantize_fx.prepare_fx(FloatNet().eval(), mapping, (torch.randn(1, 3, 16, 16),))
    return quantize_fx.convert_fx(calibrate(prepared))


class Speaker(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.fc = nn.LSTM(6, 12), nn.Sequential(nn.Linear(12, 10), nn.ReLU(), nn.Linear(10, 4))

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.lstm(x)
        return self.fc(states[-1])


def dynamic_net():
    return quantization.quantize_dynamic(Speaker().eval(), {nn.LSTM, nn.Linear}, dtype=torch.qint8)


def pictures():
    return [[torch.randn(1, 3, 16, 16)], [torch.randn(2, 3, 12, 20)]]


MODELS = [
    (static_net, ("scripted", "frozen"), pictures),
    (per_channel_net, ("scripted",), pictures),
    (fx_net, ("scripted", "traced"), lambda: [[torch.randn(1, 3, 16, 16)], [torch.randn(1, 3, 16, 16)]]),
    (dynamic_net, ("scripted",), lambda: [[torch.randn(5, 1, 6)], [torch.randn(2, 3, 6)]]),
]
