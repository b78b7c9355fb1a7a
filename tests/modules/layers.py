"""Layers of torch.nn, each with values that __init__ computes, so that no weights are needed."""
import torch
from torch import nn

# Each: what makes the layer, and the sizes of its inputs; "tokens" are integers below 6.
LAYERS = {
    "linear": (lambda: nn.Linear(4, 3), [(2, 4)]),
    "identity": (lambda: nn.Identity(54, unused=1), [(2, 2)]),
    "flatten": (lambda: nn.Flatten(), [(2, 3, 2)]),
    "unflatten": (lambda: nn.Unflatten(1, (2, 3)), [(2, 6)]),
    "conv1d": (lambda: nn.Conv1d(4, 6, 3, stride=2, padding=1, groups=2), [(1, 4, 9)]),
    "conv2d_reflect": (lambda: nn.Conv2d(2, 3, (3, 2), padding=(1, 0), padding_mode="reflect"), [(1, 2, 5, 5)]),
    "conv2d_same": (lambda: nn.Conv2d(2, 3, 4, padding="same"), [(1, 2, 5, 5)]),
    "conv2d_valid": (lambda: nn.Conv2d(2, 3, 3, padding="valid", bias=False), [(1, 2, 5, 5)]),
    "conv3d": (lambda: nn.Conv3d(2, 3, 2), [(1, 2, 3, 3, 3)]),
    # Enough channels for Winograd's filtering: lines of several lengths, planes in the padding.
    "conv2d_dilated": (lambda: nn.Conv2d(16, 16, 3, padding=(2, 3), dilation=(2, 3)), [(1, 16, 11, 13)]),
    "conv3d_planes": (lambda: nn.Conv3d(16, 16, 3, (2, 1, 1), (2, 1, 1), (2, 1, 2)), [(2, 16, 3, 8, 9)]),
    "conv_transpose1d": (lambda: nn.ConvTranspose1d(3, 4, 3, stride=2, output_padding=1), [(1, 3, 4)]),
    "conv_transpose2d": (lambda: nn.ConvTranspose2d(3, 2, 3, 2, 1, bias=False), [(1, 3, 3, 3)]),
    "conv_transpose3d": (lambda: nn.ConvTranspose3d(2, 2, 2, 2), [(1, 2, 2, 2, 2)]),
    "batch_norm1d": (lambda: nn.BatchNorm1d(3), [(4, 3)]),
    "batch_norm2d": (lambda: nn.BatchNorm2d(3, affine=False), [(1, 3, 3, 3)]),
    "batch_norm2d_input": (lambda: nn.BatchNorm2d(3, track_running_stats=False), [(2, 3, 3, 3)]),
    "batch_norm3d": (lambda: nn.BatchNorm3d(2), [(1, 2, 2, 2, 2)]),
    "layer_norm": (lambda: nn.LayerNorm([3, 4]), [(2, 3, 4)]),
    "group_norm": (lambda: nn.GroupNorm(2, 4), [(2, 4, 3)]),
    "instance_norm1d": (lambda: nn.InstanceNorm1d(3), [(2, 3, 5)]),
    "instance_norm2d": (lambda: nn.InstanceNorm2d(3, affine=True), [(1, 3, 3, 3)]),
    "instance_norm3d": (lambda: nn.InstanceNorm3d(2, track_running_stats=True), [(1, 2, 2, 2, 2)]),
    "local_response_norm": (lambda: nn.LocalResponseNorm(3), [(1, 5, 2, 2)]),
    "local_response_norm_3": (lambda: nn.LocalResponseNorm(2, alpha=0.1), [(1, 5, 3)]),
    "dropout": (lambda: nn.Dropout(0.3), [(2, 3)]),
    "dropout1d": (lambda: nn.Dropout1d(), [(1, 2, 3)]),
    "dropout2d": (lambda: nn.Dropout2d(), [(1, 2, 2, 2)]),
    "alpha_dropout": (lambda: nn.AlphaDropout(), [(2, 3)]),
    "embedding": (lambda: nn.Embedding(6, 3, padding_idx=1), ["tokens"]),
    "rnn_relu": (lambda: nn.RNN(3, 4, num_layers=2, nonlinearity="relu"), [(3, 2, 3)]),
    "rnn_both": (lambda: nn.RNN(3, 4, bidirectional=True), [(3, 2, 3)]),
    "lstm": (lambda: nn.LSTM(3, 4, bias=False), [(3, 2, 3)]),
    "lstm_single": (lambda: nn.LSTM(3, 4), [(3, 3)]),
    "gru": (lambda: nn.GRU(3, 4, 2, batch_first=True), [(2, 3, 3)]),
    "gru_state": (lambda: nn.GRU(3, 4), [(3, 2, 3), (1, 2, 4)]),
    "rnn_cell": (lambda: nn.RNNCell(3, 4, nonlinearity="relu"), [(3,)]),
    "lstm_cell": (lambda: nn.LSTMCell(3, 4), [(2, 3)]),
    "gru_cell": (lambda: nn.GRUCell(3, 4), [(2, 3), (2, 4)]),
    "attention": (lambda: nn.MultiheadAttention(4, 2), [(3, 2, 4), (5, 2, 4), (5, 2, 4)]),
    "attention_widths": (lambda: nn.MultiheadAttention(4, 2, batch_first=True, kdim=3, vdim=2),
                         [(2, 3, 4), (2, 5, 3), (2, 5, 2)]),
    "attention_extra": (lambda: nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True),
                        [(3, 4), (5, 4), (5, 4)]),
    "encoder_layer": (lambda: nn.TransformerEncoderLayer(4, 2, 6, batch_first=True, norm_first=True, activation="gelu"),
                      [(2, 3, 4)]),
    "decoder": (lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 6), 2, nn.LayerNorm(4)),
                [(3, 2, 4), (5, 2, 4)]),
    "transformer": (lambda: nn.Transformer(4, 2, 1, 1, 6), [(5, 2, 4), (3, 2, 4)]),
    "threshold": (lambda: nn.Threshold(0.1, 20), [(2, 3)]),
    "relu": (lambda: nn.ReLU(), [(2, 3)]),
    "relu6": (lambda: nn.ReLU6(), [(2, 3)]),
    "hardtanh": (lambda: nn.Hardtanh(-2, 2), [(2, 3)]),
    "sigmoid": (lambda: nn.Sigmoid(), [(2, 3)]),
    "hardsigmoid": (lambda: nn.Hardsigmoid(), [(2, 3)]),
    "tanh": (lambda: nn.Tanh(), [(2, 3)]),
    "silu": (lambda: nn.SiLU(), [(2, 3)]),
    "mish": (lambda: nn.Mish(), [(2, 3)]),
    "hardswish": (lambda: nn.Hardswish(), [(2, 3)]),
    "elu": (lambda: nn.ELU(0.5), [(2, 3)]),
    "celu": (lambda: nn.CELU(), [(2, 3)]),
    "selu": (lambda: nn.SELU(), [(2, 3)]),
    "glu": (lambda: nn.GLU(), [(2, 4)]),
    "gelu": (lambda: nn.GELU(), [(2, 3)]),
    "gelu_tanh": (lambda: nn.GELU("tanh"), [(2, 3)]),
    "hardshrink": (lambda: nn.Hardshrink(), [(2, 3)]),
    "leaky_relu": (lambda: nn.LeakyReLU(0.2), [(2, 3)]),
    "log_sigmoid": (lambda: nn.LogSigmoid(), [(2, 3)]),
    "softplus": (lambda: nn.Softplus(2, 10), [(2, 3)]),
    "softshrink": (lambda: nn.Softshrink(), [(2, 3)]),
    "prelu": (lambda: nn.PReLU(3), [(2, 3)]),
    "softsign": (lambda: nn.Softsign(), [(2, 3)]),
    "tanhshrink": (lambda: nn.Tanhshrink(), [(2, 3)]),
    "softmin": (lambda: nn.Softmin(1), [(2, 3)]),
    "softmax": (lambda: nn.Softmax(dim=1), [(2, 3)]),
    "softmax2d": (lambda: nn.Softmax2d(), [(1, 3, 2, 2)]),
    "log_softmax": (lambda: nn.LogSoftmax(-1), [(2, 3)]),
    "max_pool1d": (lambda: nn.MaxPool1d(2), [(1, 2, 6)]),
    "max_pool2d": (lambda: nn.MaxPool2d(3, 2, 1, ceil_mode=True), [(1, 2, 6, 6)]),
    "max_pool2d_indices": (lambda: nn.MaxPool2d(2, return_indices=True), [(1, 1, 4, 4)]),
    "max_pool3d": (lambda: nn.MaxPool3d(2), [(1, 1, 4, 4, 4)]),
    "avg_pool1d": (lambda: nn.AvgPool1d(2), [(1, 2, 6)]),
    "avg_pool2d": (lambda: nn.AvgPool2d((2, 3), padding=1), [(1, 2, 5, 5)]),
    "avg_pool3d": (lambda: nn.AvgPool3d(2), [(1, 1, 4, 4, 4)]),
    "lp_pool1d": (lambda: nn.LPPool1d(2, 3), [(1, 2, 9)]),
    "lp_pool2d": (lambda: nn.LPPool2d(2, (3, 2)), [(1, 2, 6, 6)]),
    "adaptive_avg_pool1d": (lambda: nn.AdaptiveAvgPool1d(2), [(1, 2, 7)]),
    "adaptive_avg_pool2d": (lambda: nn.AdaptiveAvgPool2d((None, 2)), [(1, 2, 3, 5)]),
    "adaptive_avg_pool3d": (lambda: nn.AdaptiveAvgPool3d(2), [(1, 1, 4, 4, 4)]),
    "reflection_pad1d": (lambda: nn.ReflectionPad1d(2), [(1, 2, 5)]),
    "reflection_pad2d": (lambda: nn.ReflectionPad2d((1, 2, 0, 1)), [(1, 1, 4, 4)]),
    "replication_pad2d": (lambda: nn.ReplicationPad2d(1), [(1, 1, 3, 3)]),
    "replication_pad3d": (lambda: nn.ReplicationPad3d(1), [(1, 1, 2, 2, 2)]),
    "zero_pad2d": (lambda: nn.ZeroPad2d(1), [(1, 1, 2, 2)]),
    "constant_pad1d": (lambda: nn.ConstantPad1d((1, 2), 3), [(1, 2, 3)]),
    "constant_pad3d": (lambda: nn.ConstantPad3d(1, 0.5), [(1, 1, 2, 2, 2)]),
    "upsample": (lambda: nn.Upsample(scale_factor=2), [(1, 2, 2, 3)]),
    "upsample_bilinear": (lambda: nn.Upsample(size=(5, 6), mode="bilinear", align_corners=True), [(1, 1, 3, 4)]),
    "upsample_linear": (lambda: nn.Upsample(size=7, mode="linear"), [(1, 2, 4)]),
    "upsample_bicubic": (lambda: nn.Upsample(scale_factor=(2.0, 1.5), mode="bicubic"), [(1, 1, 4, 4)]),
    "upsampling_bilinear2d": (lambda: nn.UpsamplingBilinear2d(scale_factor=2), [(1, 1, 3, 3)]),
    "channel_shuffle": (lambda: nn.ChannelShuffle(2), [(1, 4, 2, 2)]),
    "pairwise_distance": (lambda: nn.PairwiseDistance(), [(3, 4), (3, 4)]),
    "multi_label_soft_margin": (lambda: nn.MultiLabelSoftMarginLoss(), [(3, 4), (3, 4)]),
    "conv_transpose2d_batch_norm": (
        lambda: nn.Sequential(nn.ConvTranspose2d(4, 6, 3, 2, 1, 1, groups=2), nn.BatchNorm2d(6)), [(1, 4, 3, 3)]),
    "conv_transpose1d_batch_norm": (
        lambda: nn.Sequential(nn.ConvTranspose1d(3, 4, 2, bias=False), nn.BatchNorm1d(4)), [(2, 3, 4)]),
}


def settle(layer):
    """Numbers between -0.5 and 0.7 in place of random ones."""
    for i, parameter in enumerate(layer.parameters()):
        values = (torch.arange(parameter.numel()) * (3 + i) + i) % 13
        parameter.data = (values.float() * 0.1 - 0.5).view(parameter.shape)
    return layer


class One(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.layer = settle(LAYERS[name][0]())

    def forward(self, x):
        return self.layer(x)


class Two(One):
    def forward(self, x, y):
        return self.layer(x, y)


class Three(One):
    def forward(self, x, y, z):
        return self.layer(x, y, z)
