"""A multilayer perceptron whose layers are chosen by arguments."""
import torch
from torch import nn
import torch.nn.functional as F

ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "tanh": torch.tanh}


class Layer(nn.Module):
    def __init__(self, inputs, outputs, *, activation="relu"):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.activation = ACTIVATIONS[activation]

    def forward(self, x):
        return self.activation(self.linear(x))


class MLP(nn.Module):
    def __init__(self, inputs=6, hidden=(8, 8), classes=3, **options):
        super(MLP, self).__init__()
        sizes = [inputs] + list(hidden)
        self.layers = nn.ModuleList([Layer(a, b, **options) for a, b in zip(sizes[:-1], sizes[1:])])
        self.head = nn.Linear(sizes[-1], classes)
        self.register_buffer("scale", torch.tensor([0.5, 1.0, 2.0]))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x) * self.scale
