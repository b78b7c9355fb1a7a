"""The state dicts of nets.py: names and sizes of tensors."""


def linear(name, inputs, outputs):
    return {name + ".weight": (outputs, inputs), name + ".bias": (outputs,)}


def convolution(name, depth, outputs, kernel):
    return {name + ".weight": (outputs, depth, kernel, kernel), name + ".bias": (outputs,)}


def lstm(name, inputs, hidden, layers):
    sizes = {}
    for layer in range(layers):
        for end in ("_l%d" % layer, "_l%d_reverse" % layer):
            sizes[name + ".weight_ih" + end] = (4 * hidden, inputs if layer == 0 else 2 * hidden)
            sizes[name + ".weight_hh" + end] = (4 * hidden, hidden)
            sizes[name + ".bias_ih" + end] = sizes[name + ".bias_hh" + end] = (4 * hidden,)
    return sizes


STATES = {
    "Mlp": {**linear("first", 200, 300), **linear("second", 300, 77), **linear("last", 77, 10)},
    "Convolutions": {**convolution("first", 3, 32, 7), **convolution("second", 32, 64, 3), **convolution("groups", 16, 64, 3),
                     **convolution("depthwise", 1, 64, 3), **convolution("last", 64, 40, 1)},
    "Recurrent": {"table.weight": (300, 48), **lstm("lstm", 48, 64, 2), "gru.weight_ih_l0": (120, 128),
                  "gru.weight_hh_l0": (120, 40), **linear("last", 40, 30)},
    "Embedding": {"table.weight": (1000, 60), **linear("last", 60, 7)},
    "Transformer": {"table.weight": (300, 64), **linear("qkv", 64, 192), **linear("out", 64, 64), **linear("wide", 64, 256),
                    **linear("narrow", 256, 64), "norm.weight": (64,), "norm.bias": (64,), "mix": (64, 64)},
    "Large": linear("layer", 1200, 800),
    "Learning": {"weight": (40, 60)},
    "Halves": {**convolution("first", 3, 24, 3), **convolution("depthwise", 1, 24, 3), **convolution("groups", 12, 40, 3),
               "lines.weight": (20, 40, 3), **linear("half", 20, 33), "last.weight": (10, 33)},
}
