#!/usr/bin/python3
"""Times models of every kind against PyTorch, in one run, on one thread and on two.

  zoo.py TSMC TSMRUN [--rounds N] [--seconds S] [--only NAME...] [--markdown FILE]

Where models.py has ten models and several peers, this has one model or more of every family that torchvision 0.14 and
torchaudio 0.13 build, and some written here, all of a size that phones run. PyTorch runs each twice: in the JIT, frozen
and optimized (`torch.jit.optimize_for_inference`), and in the lite interpreter what `optimize_for_mobile` makes, where
it can. A row's ratio is tsmobile's time over the faster one's. Contenders alternate, a round each, for about S seconds;
the least time counts. Answers are compared first. Rows of FILE for other models stay.

Needs python3-torch, python3-torchvision and python3-torchaudio of Debian."""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from typing import List, Tuple

import torch
from torch import nn
from torch.jit.mobile import _load_for_lite_interpreter
from torch.utils.mobile_optimizer import optimize_for_mobile
import torchaudio
import torchvision.models as tv

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import key_values, replace_table, write_json  # noqa: E402
from models import settle, tensor_json  # noqa: E402


class Unet(nn.Module):
    """Encoder and decoder of three levels with skips, transposed convolutions on the way up."""

    def __init__(self, width: int = 16):
        super().__init__()

        def block(a, b):
            return nn.Sequential(nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(),
                                 nn.Conv2d(b, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU())

        self.down1, self.down2, self.down3 = block(3, width), block(width, 2 * width), block(2 * width, 4 * width)
        self.pool = nn.MaxPool2d(2)
        self.up2, self.up1 = nn.ConvTranspose2d(4 * width, 2 * width, 2, 2), nn.ConvTranspose2d(2 * width, width, 2, 2)
        self.join2, self.join1, self.out = block(4 * width, 2 * width), block(2 * width, width), nn.Conv2d(width, 2, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(self.pool(a))
        c = self.up2(self.down3(self.pool(b)))
        c = self.up1(self.join2(torch.cat([b, c], 1)))
        return self.out(self.join1(torch.cat([a, c], 1)))


class CachedBlock(nn.Module):
    """A decoder layer of GPT-2's form for one new token: keys and values of earlier tokens are given and returned."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x, past: Tuple[torch.Tensor, torch.Tensor]):
        q, k, v = self.qkv(self.ln1(x)).chunk(3, -1)
        shape = [x.size(0), x.size(1), self.heads, self.size]
        q, k, v = [t.reshape(shape).transpose(1, 2) for t in (q, k, v)]
        k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.size)
        mixed = torch.matmul(torch.softmax(scores, -1), v).transpose(1, 2).reshape(x.shape)
        x = x + self.proj(mixed)
        return x + self.down(nn.functional.gelu(self.up(self.ln2(x)), approximate="tanh")), (k, v)


class Decoder(nn.Module):
    """Four such layers, a list of their caches, and the next token's logits."""

    def __init__(self, words: int = 5000, width: int = 256, heads: int = 8):
        super().__init__()
        self.embed, self.ln = nn.Embedding(words, width), nn.LayerNorm(width)
        self.blocks = nn.ModuleList(CachedBlock(width, heads) for _ in range(4))

    def forward(self, token, past: List[Tuple[torch.Tensor, torch.Tensor]]):
        x = self.embed(token)
        new: List[Tuple[torch.Tensor, torch.Tensor]] = []
        for i, block in enumerate(self.blocks):
            x, kv = block(x, past[i])
            new.append(kv)
        return torch.matmul(self.ln(x), self.embed.weight.t()), new


class Graph(nn.Module):
    """Two rounds of messages over the edges of a graph: gather, transform, scatter."""

    def __init__(self, width: int = 32):
        super().__init__()
        self.message, self.update = nn.Linear(2 * width, width), nn.GRUCell(width, width)

    def forward(self, x, edges):
        for _ in range(2):
            m = torch.relu(self.message(torch.cat([x[edges[0]], x[edges[1]]], 1)))
            x = self.update(torch.zeros_like(x).index_add(0, edges[1], m), x)
        return x


class Boxed(nn.Module):
    """A detection model as the JIT returns it, its losses left out."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, images: List[torch.Tensor]):
        return self.model(images)[1]


class Tokens(nn.Module):
    """A tagger: embedding, a bidirectional LSTM, a linear layer."""

    def __init__(self):
        super().__init__()
        self.embed, self.lstm, self.out = nn.Embedding(8000, 96), nn.LSTM(96, 96, 1, batch_first=True, bidirectional=True), nn.Linear(192, 17)

    def forward(self, x):
        return self.out(self.lstm(self.embed(x))[0])


class Denoiser(nn.Module):
    """Magnitudes of a spectrogram, a mask of gated recurrent units, and back to samples."""

    def __init__(self):
        super().__init__()
        self.gru, self.out = nn.GRU(161, 128, 1, batch_first=True), nn.Linear(128, 161)
        self.register_buffer("window", torch.hann_window(320))

    def forward(self, x):
        s = torch.stft(x, 320, 160, 320, self.window, return_complex=True)
        mask = torch.sigmoid(self.out(self.gru(s.abs().transpose(1, 2))[0])).transpose(1, 2)
        return torch.istft(s * mask, 320, 160, 320, self.window, length=x.size(-1))


def image(size=224, batch=1):
    return lambda: (torch.randn(batch, 3, size, size),)


def classifier(name, size=224, **options):
    return lambda: tv.get_model(name, weights=None, **options), image(size)


def int8(name):
    def make():
        torch.backends.quantized.engine = "qnnpack"
        model = settle(getattr(tv.quantization, name)(quantize=False), (1, 3, 224, 224))
        model.fuse_model(is_qat=False)
        model.qconfig = torch.ao.quantization.get_default_qconfig("qnnpack")
        torch.ao.quantization.prepare(model, inplace=True)
        with torch.no_grad():
            model(torch.randn(1, 3, 224, 224))
        return torch.ao.quantization.convert(model)
    return make, image()


def dynamic(make, inputs):
    def quantized():
        torch.backends.quantized.engine = "qnnpack"
        return torch.ao.quantization.quantize_dynamic(make().eval(), {nn.Linear, nn.LSTM}, dtype=torch.qint8)
    return quantized, inputs


def detector(name, **options):
    def make():
        return Boxed(getattr(tv.detection, name)(weights=None, weights_backbone=None, num_classes=21, **options))
    return make, lambda: ([torch.rand(3, 240, 320)],)


def segmenter(name):
    def make():
        return getattr(tv.segmentation, name)(weights=None, weights_backbone=None)
    return make, image(160)


def wav2vec2():
    return torchaudio.models.wav2vec2_model(
        "group_norm", [(128, 10, 5), (128, 3, 2), (128, 3, 2), (128, 3, 2), (128, 2, 2), (128, 2, 2)], False, 192, 0.0, 32, 4, 4, 4, 0.0,
        768, 0.0, 0.0, False, 0.0, 29)


def encoder():
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True), 4)


LENGTHS = torch.tensor([120])
ZOO = {
    "alexnet": classifier("alexnet"),
    "convnext_tiny": classifier("convnext_tiny"),
    "densenet121": classifier("densenet121"),
    "efficientnet_b2": classifier("efficientnet_b2"),
    "efficientnet_v2_s": classifier("efficientnet_v2_s"),
    "googlenet": classifier("googlenet", init_weights=False, aux_logits=False),
    "inception_v3": classifier("inception_v3", 299, init_weights=False, aux_logits=False),
    "maxvit_t": classifier("maxvit_t"),
    "mnasnet1_0": classifier("mnasnet1_0"),
    "mobilenet_v3_large": classifier("mobilenet_v3_large"),
    "regnet_x_400mf": classifier("regnet_x_400mf"),
    "regnet_y_800mf": classifier("regnet_y_800mf"),
    "resnet50": classifier("resnet50"),
    "resnext50_32x4d": classifier("resnext50_32x4d"),
    "shufflenet_v2_x1_5": classifier("shufflenet_v2_x1_5"),
    "swin_t": classifier("swin_t"),
    "swin_v2_t": classifier("swin_v2_t", 256),
    "vgg11_bn": classifier("vgg11_bn"),
    "vit_b_32": classifier("vit_b_32"),
    "resnet18 int8": int8("resnet18"),
    "shufflenet_v2_x1_0 int8": int8("shufflenet_v2_x1_0"),
    "deeplabv3_mobilenet_v3_large": segmenter("deeplabv3_mobilenet_v3_large"),
    "fcn_resnet50": segmenter("fcn_resnet50"),
    "lraspp_mobilenet_v3_large": segmenter("lraspp_mobilenet_v3_large"),
    "unet": (Unet, image(160)),
    "fasterrcnn_mobilenet_v3_large_320_fpn": detector("fasterrcnn_mobilenet_v3_large_320_fpn", box_score_thresh=0.02),
    "ssdlite320_mobilenet_v3_large": detector("ssdlite320_mobilenet_v3_large", topk_candidates=100),
    "r3d_18": (lambda: tv.video.r3d_18(weights=None), lambda: (torch.randn(1, 3, 8, 64, 64),)),
    "conformer": (lambda: torchaudio.models.Conformer(80, 4, 256, 4, 31), lambda: (torch.randn(1, 120, 80), LENGTHS)),
    "conv_tasnet": (lambda: torchaudio.models.ConvTasNet(msk_num_layers=5, msk_num_stacks=2, msk_num_hidden_feats=256), lambda: (torch.randn(1, 1, 8000),)),
    "emformer": (lambda: torchaudio.models.Emformer(128, 4, 512, 4, segment_length=8, left_context_length=16, right_context_length=2),
                 lambda: (torch.randn(1, 66, 128), torch.tensor([64]))),
    "wav2vec2": (wav2vec2, lambda: (torch.randn(1, 16000),)),
    "melspectrogram": (lambda: torchaudio.transforms.MelSpectrogram(16000, n_fft=400, hop_length=160, n_mels=80), lambda: (torch.randn(1, 16000),)),
    "denoiser": (Denoiser, lambda: (torch.randn(1, 16000),)),
    "decoder with cache": (Decoder, lambda: (torch.tensor([[7]]), [(torch.randn(1, 8, 100, 32), torch.randn(1, 8, 100, 32)) for _ in range(4)])),
    "transformer encoder": (encoder, lambda: (torch.randn(1, 128, 256),)),
    "tagger": (Tokens, lambda: (torch.randint(0, 8000, (1, 40)),)),
    "tagger, dynamic int8": dynamic(Tokens, lambda: (torch.randint(0, 8000, (1, 40)),)),
    "graph network": (Graph, lambda: (torch.randn(2000, 32), torch.randint(0, 2000, (2, 12000)))),
}


def value_json(v):
    if isinstance(v, torch.Tensor):
        return tensor_json(v) if v.dtype == torch.float32 else {"tensor": {"dtype": "int64", "shape": list(v.shape), "data": v.flatten().tolist()}}
    if isinstance(v, tuple):
        return {"tuple": [value_json(e) for e in v]}
    return [value_json(e) for e in v]


def leaves(v):
    """The tensors of a result, in order: of PyTorch's own, and of the JSON that tsmrun writes."""
    if isinstance(v, torch.Tensor):
        return [v]
    if isinstance(v, dict) and "tensor" in v:
        return [torch.tensor([float(e) for e in v["tensor"]["data"]]).reshape(v["tensor"]["shape"])]
    if isinstance(v, dict):
        v = v["dict"] if "dict" in v else v["tuple"] if "tuple" in v else list(v.items())
    return [t for e in v for t in leaves(e)] if isinstance(v, (list, tuple)) else []


class Row:
    def __init__(self, name, folder, options):
        self.name, self.options, self.times = name, options, {}
        torch.manual_seed(7)
        make, inputs = ZOO[name]
        model, self.args = make().eval(), inputs()
        if name not in ("resnet18 int8",) and len(self.args) == 1 and isinstance(self.args[0], torch.Tensor) and self.args[0].dim() == 4:
            model = settle(model, tuple(self.args[0].shape))
        try:
            scripted = torch.jit.script(model)
        except Exception:  # what script refuses is traced
            scripted = torch.jit.trace(model, self.args, check_trace=False)
        path = os.path.join(folder, "model")
        scripted.save(path + ".pt")
        self.expected = [t.float() for t in leaves(torch.jit.load(path + ".pt")(*inputs_copy(self.args)))]
        self.peers = {"JIT": torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.load(path + ".pt").eval()))}
        try:
            optimize_for_mobile(torch.jit.load(path + ".pt").eval())._save_for_lite_interpreter(path + ".ptl")
            self.peers["lite"] = _load_for_lite_interpreter(path + ".ptl")
            self.peers["lite"](*inputs_copy(self.args))
        except Exception as e:  # some models are refused by its optimizer or lack operators there
            print("%s: not in the lite interpreter: %s" % (name, str(e).splitlines()[0][:100]), file=sys.stderr)
            self.peers.pop("lite", None)
        self.tsm, self.inputs = path + ".tsm", write_json(path + ".json", [value_json(a) for a in self.args])
        subprocess.run([options.tsmc, path + ".pt", "-o", self.tsm], check=True)
        self.check(os.path.join(folder, "out.json"))

    def check(self, out):
        subprocess.run([self.options.tsmrun, self.tsm, "--inputs", self.inputs, "--outputs", out], check=True)
        got = leaves(json.load(open(out)))
        worst = max([float((g - e).abs().max()) / max(1.0, float(e.abs().max())) for g, e in zip(got, self.expected) if e.numel()] + [0.0])
        if [g.shape for g in got] != [e.shape for e in self.expected] or worst > (0.05 if "int8" in self.name else 1e-3):
            print("%s: differs from PyTorch by %g of the largest" % (self.name, worst), file=sys.stderr)

    def measure(self, threads):
        """The least milliseconds of each contender."""
        torch.set_num_threads(threads)
        least, runs, end = {}, 2, time.perf_counter() + self.options.seconds
        turn = 0
        while turn < self.options.rounds or time.perf_counter() < end:
            out = subprocess.run([self.options.tsmrun, self.tsm, "--inputs", self.inputs, "--bench", str(runs), "--threads", str(threads)],
                                 check=True, capture_output=True, text=True).stdout
            ours = key_values(out)["min_ms"]
            least["tsmobile"] = min(least.get("tsmobile", ours), ours)
            for who, run in self.peers.items():
                for _ in range(runs + 1):
                    args = inputs_copy(self.args)
                    start = time.perf_counter()
                    run(*args)
                    took = (time.perf_counter() - start) * 1e3
                    least[who] = min(least.get(who, took), took)
            if turn == 0:
                runs = max(2, min(100, int(100 / max(least["tsmobile"], 1e-3))))
            turn += 1
        return least


HEAD = "| model | tsmobile | JIT | lite | ratio | two threads: tsmobile | JIT | lite | ratio |"
RATIOS = (3, 7)  # of a row's cells


def line_of(name, cells):
    return "| " + " | ".join([name] + cells) + " |"


def table_of(rows):
    mean = ["" for _ in range(8)]
    for at in RATIOS:
        ratios = [float(cells[at]) for cells in rows.values()]
        mean[at] = "%.2f" % math.exp(sum(map(math.log, ratios)) / len(ratios))
    return "\n".join([HEAD, "| --- |" + " ---: |" * 8] + [line_of(n, rows[n]) for n in ZOO if n in rows] + [line_of("geometric mean", mean)])


def read_rows(path):
    """The rows of a document's table: those of models that are not timed now stay."""
    with open(path) as f:
        text = f.read().partition("<!-- zoo -->")[2].partition("<!-- end -->")[0]
    rows = {}
    for line in text.splitlines():
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        if cells[0] in ZOO and len(cells) == 9:
            rows[cells[0]] = cells[1:]
    return rows


def inputs_copy(args):
    """Lists may be changed by the program; tensors are not."""
    return [list(a) if isinstance(a, list) else a for a in args]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tsmc")
    parser.add_argument("tsmrun")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--only", nargs="*", default=list(ZOO))
    parser.add_argument("--markdown")
    options = parser.parse_args()
    rows = read_rows(options.markdown) if options.markdown else {}
    for name in options.only:
        with tempfile.TemporaryDirectory() as folder, torch.no_grad():
            row, cells = Row(name, folder, options), []
            for threads in (1, 2):
                least = row.measure(threads)
                ratio = least["tsmobile"] / min(v for k, v in least.items() if k != "tsmobile")
                cells += ["%.2f" % least[k] if k in least else "" for k in ("tsmobile", "JIT", "lite")] + ["%.2f" % ratio]
        rows[name] = cells
        print(line_of(name, cells), flush=True)
        if options.markdown:
            replace_table(options.markdown, table_of(rows), "zoo")
    print(table_of(rows).splitlines()[-1])


if __name__ == "__main__":
    main()
