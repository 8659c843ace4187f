#!/usr/bin/env python3
"""Makes networks for tools/bench-peers, with random weights: OUT/NAME/model.mlpackage, model.onnx and inputs.npz.

    tools/bench-networks.py OUT [NAME...]
    tools/bench-peers OUT/unet/model.mlpackage OUT/unet/model.onnx OUT/unet/inputs.npz

NAME is one of:
- a classifier of torchvision: densenet121, googlenet, shufflenet_v2_x1_0, squeezenet1_1, ...
- a network of timm: timm/levit_128s
- edsr, unet, espcn, esrgan, lstm_text, gru_text, lstm_speech, gru_words, crnn, table, table_64, table_transformer, tcn,
  convtasnet, graph
Default: twenty of them. Needs torch, torchvision, onnx, timm for its networks, and coremltools with a numpy that it
supports (coremltools 9: before 2.4).
"""

import argparse
import pathlib
import shutil

import numpy
import torch
from torch import nn
from torch.nn import functional

ALL = ("edsr", "unet", "googlenet", "shufflenet_v2_x1_0", "densenet121", "squeezenet1_1", "resnext50_32x4d", "lstm_text", "gru_text", "lstm_speech",
       "gru_words", "crnn", "table", "table_64", "table_transformer", "espcn", "esrgan", "tcn", "convtasnet", "graph")


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 3, padding=1) for _ in range(2))

    def forward(self, x):
        return x + 0.1 * self.second(functional.relu(self.first(x)))


class EDSR(nn.Module):
    """2x super-resolution: residual blocks, then pixel shuffle (Lim et al. 2017)."""

    def __init__(self, blocks=16, channels=64):
        super().__init__()
        self.head = nn.Conv2d(3, channels, 3, padding=1)
        self.body = nn.Sequential(*[Residual(channels) for _ in range(blocks)])
        self.tail = nn.Conv2d(channels, channels, 3, padding=1)
        self.wide = nn.Conv2d(channels, 4 * channels, 3, padding=1)
        self.last = nn.Conv2d(channels, 3, 3, padding=1)

    def forward(self, x):
        x = self.head(x)
        return self.last(functional.pixel_shuffle(self.wide(x + self.tail(self.body(x))), 2))


class UNet(nn.Module):
    """Four levels with skip connections, upsampled by transposed convolutions (Ronneberger et al. 2015)."""

    def __init__(self, width=32):
        super().__init__()
        sizes = [width * 2**level for level in range(4)]
        self.down = nn.ModuleList(self.level(*pair) for pair in zip([3, *sizes], sizes))
        self.up = nn.ModuleList(nn.ConvTranspose2d(2 * size, size, 2, stride=2) for size in sizes[-2::-1])
        self.join = nn.ModuleList(self.level(2 * size, size) for size in sizes[-2::-1])
        self.last = nn.Conv2d(width, 2, 1)

    @staticmethod
    def level(inputs, outputs):
        def layer(inputs):
            return nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()

        return nn.Sequential(*layer(inputs), *layer(outputs))

    def forward(self, x):
        kept = []
        for number, level in enumerate(self.down):
            x = level(x)
            if number < 3:
                kept.append(x)
                x = functional.max_pool2d(x, 2)
        for up, join in zip(self.up, self.join):
            x = join(torch.cat([kept.pop(), up(x)], 1))
        return self.last(x)


class Recurrent(nn.Module):
    """A stack of recurrent layers over words or numbers, then a linear layer on their mean or on each step."""

    def __init__(self, cell, inputs, hidden, layers, outputs, words=0, both=False, mean=True):
        super().__init__()
        self.words = nn.Embedding(words, inputs) if words else nn.Identity()
        self.layers = cell(inputs, hidden, layers, batch_first=True, bidirectional=both)
        self.last, self.mean = nn.Linear(hidden * (2 if both else 1), outputs), mean

    def forward(self, x):
        x, _ = self.layers(self.words(x))
        return self.last(x.mean(1) if self.mean else x)


class CRNN(nn.Module):
    """Text line recognition: convolutions, then two bidirectional LSTM layers (Shi et al. 2015)."""

    def __init__(self):
        super().__init__()

        def layer(inputs, outputs, kernel=3, padding=1):
            return nn.Sequential(nn.Conv2d(inputs, outputs, kernel, padding=padding, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())

        self.picture = nn.Sequential(
            layer(1, 64), nn.MaxPool2d(2), layer(64, 128), nn.MaxPool2d(2), layer(128, 256), layer(256, 256), nn.MaxPool2d((2, 1)),
            layer(256, 512), layer(512, 512), nn.MaxPool2d((2, 1)), layer(512, 512, 2, 0))
        self.steps = Recurrent(nn.LSTM, 512, 256, 2, 37, both=True, mean=False)

    def forward(self, x):
        return self.steps(self.picture(x).squeeze(2).permute(0, 2, 1))


class Table(nn.Sequential):
    """Three linear layers with batch normalization."""

    def __init__(self, columns=30, width=256):
        sizes = [columns, width, width, width]
        layers = [part for pair in zip(sizes, sizes[1:]) for part in (nn.Linear(*pair), nn.BatchNorm1d(pair[1]), nn.ReLU())]
        super().__init__(*layers, nn.Linear(width, 2), nn.Softmax(-1))


class TableTransformer(nn.Module):
    """A transformer over table columns, one token per column (Gorishniy et al. 2021)."""

    def __init__(self, columns=30, width=64, layers=3, heads=8):
        super().__init__()
        self.weight, self.bias = (nn.Parameter(0.1 * torch.randn(columns, width)) for _ in range(2))
        self.first = nn.Parameter(torch.randn(1, 1, width))
        part = lambda: nn.ModuleList(
            [nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width), nn.LayerNorm(width),
             nn.Linear(width, 4 * width), nn.Linear(4 * width, width)])
        self.layers, self.last = nn.ModuleList(part() for _ in range(layers)), nn.Linear(width, 2)
        self.heads = heads

    def forward(self, x):
        x = torch.cat([self.first, x.unsqueeze(-1) * self.weight + self.bias], 1)
        for norm, joined, out, second, wide, narrow in self.layers:
            q, k, v = joined(norm(x)).reshape(1, 31, 3, self.heads, 64 // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
            x = x + out(functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(1, 31, 64))
            x = x + narrow(functional.gelu(wide(second(x))))
        return self.last(x[:, 0])


class ESPCN(nn.Sequential):
    """3x super-resolution: three convolutions, then pixel shuffle (Shi et al. 2016)."""

    def __init__(self):
        super().__init__(
            nn.Conv2d(1, 64, 5, padding=2), nn.Tanh(), nn.Conv2d(64, 32, 3, padding=1), nn.Tanh(), nn.Conv2d(32, 9, 3, padding=1),
            nn.PixelShuffle(3))


class Dense(nn.Module):
    def __init__(self, channels=64, growth=32):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Conv2d(channels + number * growth, growth if number < 4 else channels, 3, padding=1) for number in range(5))

    def forward(self, x):
        parts = [x]
        for layer in self.layers:
            parts.append(functional.leaky_relu(layer(torch.cat(parts, 1)), 0.2) if len(parts) < 5 else layer(torch.cat(parts, 1)))
        return x + 0.2 * parts[-1]


class ESRGAN(nn.Module):
    """2x super-resolution: dense residual blocks (Wang et al. 2018)."""

    def __init__(self):
        super().__init__()
        self.head, self.body = nn.Conv2d(3, 64, 3, padding=1), nn.Sequential(*[Dense() for _ in range(4)])
        self.wide, self.last = nn.Conv2d(64, 64, 3, padding=1), nn.Conv2d(64, 3, 3, padding=1)

    def forward(self, x):
        x = self.head(x)
        x = functional.interpolate(x + self.body(x), scale_factor=2, mode="nearest")
        return self.last(functional.leaky_relu(self.wide(x), 0.2))


class TCN(nn.Module):
    """Eight layers of dilated convolutions (Bai et al. 2018)."""

    def __init__(self, inputs=64, width=128):
        super().__init__()
        self.head, self.last = nn.Conv1d(inputs, width, 1), nn.Conv1d(width, 20, 1)
        self.body = nn.ModuleList(
            nn.Sequential(nn.Conv1d(width, width, 3, padding=2**k, dilation=2**k), nn.ReLU(), nn.Conv1d(width, width, 1)) for k in range(8))

    def forward(self, x):
        x = self.head(x)
        for part in self.body:
            x = x + part(x)
        return self.last(x)


class ConvTasNet(nn.Module):
    """Separation of two speakers by masks over learned frames (Luo and Mesgarani 2019)."""

    def __init__(self, frames=256, narrow=128, width=256):
        super().__init__()
        self.frames, self.into, self.out = frames, nn.Conv1d(1, frames, 16, stride=8), nn.ConvTranspose1d(frames, 1, 16, stride=8)
        self.norm, self.first, self.masks = nn.GroupNorm(1, frames), nn.Conv1d(frames, narrow, 1), nn.Conv1d(narrow, 2 * frames, 1)
        self.body = nn.ModuleList(
            nn.Sequential(
                nn.Conv1d(narrow, width, 1), nn.PReLU(), nn.GroupNorm(1, width),
                nn.Conv1d(width, width, 3, padding=2**k, dilation=2**k, groups=width), nn.PReLU(), nn.GroupNorm(1, width),
                nn.Conv1d(width, narrow, 1)) for _ in range(2) for k in range(6))

    def forward(self, x):
        frames = functional.relu(self.into(x))
        y = self.first(self.norm(frames))
        for part in self.body:
            y = y + part(y)
        masks = torch.sigmoid(self.masks(y)).view(1, 2, self.frames, -1)
        return self.out((masks * frames.unsqueeze(1)).view(2, self.frames, -1))


class Graph(nn.Module):
    """Three graph convolutions (Kipf and Welling 2016). The last 500 of 628 columns are the adjacency matrix."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(*pair) for pair in ((128, 64), (64, 64), (64, 7)))

    def forward(self, x):
        edges, y = x[:, 128:], x[:, :128]
        for number, layer in enumerate(self.layers):
            y = edges @ layer(y)
            y = functional.relu(y) if number < 2 else y
        return functional.log_softmax(y, -1)


OTHERS = {
    "edsr": lambda: (EDSR(), torch.randn(1, 3, 96, 96)),
    "unet": lambda: (UNet(), torch.randn(1, 3, 192, 192)),
    "espcn": lambda: (ESPCN(), torch.randn(1, 1, 160, 160)),
    "esrgan": lambda: (ESRGAN(), torch.randn(1, 3, 64, 64)),
    "lstm_text": lambda: (Recurrent(nn.LSTM, 200, 256, 2, 5, words=20000, both=True), torch.randint(0, 20000, (1, 128), dtype=torch.int32)),
    "gru_text": lambda: (Recurrent(nn.GRU, 200, 256, 2, 5, words=20000, both=True), torch.randint(0, 20000, (1, 128), dtype=torch.int32)),
    "lstm_speech": lambda: (Recurrent(nn.LSTM, 80, 512, 3, 64, mean=False), torch.randn(1, 200, 80)),
    "gru_words": lambda: (Recurrent(nn.GRU, 40, 128, 2, 10), torch.randn(1, 101, 40)),
    "crnn": lambda: (CRNN(), torch.randn(1, 1, 32, 128)),
    "table": lambda: (Table(), torch.randn(1, 30)),
    "table_64": lambda: (Table(), torch.randn(64, 30)),
    "table_transformer": lambda: (TableTransformer(), torch.randn(1, 30)),
    "tcn": lambda: (TCN(), torch.randn(1, 64, 400)),
    "convtasnet": lambda: (ConvTasNet(), torch.randn(1, 1, 8000)),
    "graph": lambda: (Graph(), torch.randn(500, 628)),
}


def network(name):
    """(network, example inputs) for a name."""
    if name in OTHERS:
        return OTHERS[name]()
    if name.startswith("timm/"):
        import timm

        return timm.create_model(name[5:], pretrained=False, exportable=True), torch.randn(1, 3, 224, 224)
    import torchvision

    options = {"aux_logits": False, "init_weights": False} if name == "googlenet" else {}
    return torchvision.models.get_model(name, weights=None, **options), torch.randn(1, 3, 224, 224)


def make(name, folder):
    import coremltools

    torch.manual_seed(1)
    module, x = network(name)
    module.eval()
    folder.mkdir(parents=True, exist_ok=True)
    numpy.savez(folder / "inputs.npz", x=x.numpy())
    torch.onnx.export(
        module, (x,), str(folder / "model.onnx"), dynamo=False, opset_version=17, input_names=["x"], output_names=["y"])
    with torch.no_grad():
        traced = torch.jit.trace(module, (x,), check_trace=False)
    package = coremltools.convert(
        traced, convert_to="mlprogram", compute_precision=coremltools.precision.FLOAT32,
        inputs=[coremltools.TensorType("x", tuple(x.shape), dtype=numpy.float32 if x.is_floating_point() else numpy.int32)],
        outputs=[coremltools.TensorType("y")])
    shutil.rmtree(folder / "model.mlpackage", ignore_errors=True)
    package.save(str(folder / "model.mlpackage"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("names", nargs="*", default=ALL, metavar="NAME")
    options = parser.parse_args()
    for name in options.names:
        make(name, options.out / name)
        print(options.out / name)


main()
