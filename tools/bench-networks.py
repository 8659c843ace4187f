#!/usr/bin/env python3
"""Makes networks for tools/bench-peers: for each NAME, OUT/NAME/model.mlpackage, model.onnx and inputs.npz, with weights at random.

    tools/bench-networks.py OUT [NAME...]
    tools/bench-peers OUT/unet/model.mlpackage OUT/unet/model.onnx OUT/unet/inputs.npz

NAME is edsr, unet, or one of torchvision's classifiers (densenet121, googlenet, shufflenet_v2_x1_0, squeezenet1_1, ...); without any, those of
docs/performance.md. Needs torch, torchvision, onnx, and coremltools with a numpy that it knows (coremltools 9: before 2.4).
"""

import argparse
import pathlib
import shutil

import numpy
import torch
from torch import nn
from torch.nn import functional

ALL = ("edsr", "unet", "googlenet", "shufflenet_v2_x1_0", "densenet121", "squeezenet1_1")


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 3, padding=1) for _ in range(2))

    def forward(self, x):
        return x + 0.1 * self.second(functional.relu(self.first(x)))


class EDSR(nn.Module):
    """Twice the size: residual blocks, then shuffled pixels (Lim et al. 2017)."""

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
    """Four levels, joined across; up by transposed convolutions (Ronneberger et al. 2015)."""

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


def network(name):
    """A network, and the side of the pictures that it takes."""
    if name == "edsr":
        return EDSR(), 96
    if name == "unet":
        return UNet(), 192
    import torchvision

    options = {"aux_logits": False, "init_weights": False} if name == "googlenet" else {}
    return torchvision.models.get_model(name, weights=None, **options), 224


def make(name, folder):
    import coremltools

    torch.manual_seed(1)
    module, side = network(name)
    module.eval()
    picture = torch.randn(1, 3, side, side)
    folder.mkdir(parents=True, exist_ok=True)
    numpy.savez(folder / "inputs.npz", x=picture.numpy())
    torch.onnx.export(
        module, (picture,), str(folder / "model.onnx"), dynamo=False, opset_version=17, input_names=["x"], output_names=["y"])
    with torch.no_grad():
        traced = torch.jit.trace(module, (picture,), check_trace=False)
    package = coremltools.convert(
        traced, convert_to="mlprogram", compute_precision=coremltools.precision.FLOAT32,
        inputs=[coremltools.TensorType("x", tuple(picture.shape))], outputs=[coremltools.TensorType("y")])
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
