#!/usr/bin/env python3
"""Trains the demo's network on scikit-learn's handwritten digits. Writes examples/digits: the model, six test images
and torch's predictions for them.

    pip install torch==2.7.0 coremltools==9.0 scikit-learn==1.5.1 pillow
    tools/make-demo-model.py [--out examples/digits]

The digits (E. Alpaydin, C. Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine Learning Repository, CC BY
4.0) have 8 x 8 pixels with 17 levels. The script enlarges them to 32 x 32 grayscale. A quarter of them is held out from
training. The six images are the first ones of six digits in that quarter. Results are reproducible: seeds are fixed,
and one thread keeps the order of summation.
"""

import argparse
import json
import pathlib
import shutil
import warnings

warnings.filterwarnings("ignore")

import coremltools as ct  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
from PIL import Image  # noqa: E402
from sklearn.datasets import load_digits  # noqa: E402
from sklearn.model_selection import train_test_split  # noqa: E402
from torch import nn  # noqa: E402

LABELS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
SHOWN = [0, 2, 3, 5, 7, 9]
SIDE = 32


def allow_sized_casts():
    """Works around coremltools 9.0, which folds a cast with int(array of shape (1,)): numpy 2.4 rejects that."""
    import coremltools.converters.mil.frontend.torch.ops as ops

    original = ops._cast

    def cast(context, node, dtype, dtype_name):
        value = ops._get_inputs(context, node, expected=1)[0]
        if value.can_be_folded_to_const():
            context.add(ops.mb.const(val=dtype(np.asarray(value.val).reshape(-1)[0]), name=node.name), node.name)
        else:
            original(context, node, dtype, dtype_name)

    ops._cast = cast


def enlarged(digits):
    """(n, 8, 8) with values 0...16 -> (n, 1, SIDE, SIDE) with integers 0...255, as in a PNG."""
    images = torch.tensor(digits, dtype=torch.float32)[:, None] * (255 / 16)
    images = nn.functional.interpolate(images, size=(SIDE, SIDE), mode="bicubic", align_corners=False)
    return images.clamp(0, 255).round()


class Digits(nn.Module):
    """Three convolutions with batch normalization, global average pooling, and a linear layer: 24,000 parameters."""

    def __init__(self):
        super().__init__()

        def stage(inputs, outputs, pool):
            layers = [nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]
            return layers + ([nn.MaxPool2d(2)] if pool else [])

        self.features = nn.Sequential(*stage(1, 16, True), *stage(16, 32, True), *stage(32, 64, False))
        self.head = nn.Linear(64, len(LABELS))

    def forward(self, image):
        return self.head(self.features(image).mean((2, 3))).softmax(1)


def train(images, labels):
    model = Digits()
    epochs, size = 40, 64
    optimiser = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-2)
    steps = epochs * -(-len(images) // size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=steps)
    for _ in range(epochs):
        for chosen in torch.randperm(len(images)).split(size):
            # Augmentation: shift each batch by up to three pixels in each direction.
            batch = nn.functional.pad(images[chosen] / 255, (3, 3, 3, 3))
            top, left = torch.randint(0, 7, (2,)).tolist()
            batch = batch[:, :, top : top + SIDE, left : left + SIDE]
            loss = nn.functional.nll_loss(torch.log(model(batch) + 1e-9), labels[chosen])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    return model.eval()


def convert(model):
    allow_sized_casts()
    traced = torch.jit.trace(model, torch.zeros(1, 1, SIDE, SIDE))
    image = ct.ImageType("image", shape=(1, 1, SIDE, SIDE), scale=1 / 255, color_layout=ct.colorlayout.GRAYSCALE)
    converted = ct.convert(
        traced,
        inputs=[image],
        classifier_config=ct.ClassifierConfig(LABELS),
        convert_to="mlprogram",
        minimum_deployment_target=ct.target.iOS16,
        compute_precision=ct.precision.FLOAT32,
    )
    converted.short_description = "Names the handwritten digit on a 32 by 32 grayscale image, white on black."
    converted.author = "The project's tools/make-demo-model.py"
    converted.license = "Apache-2.0; trained on UCI's Optical Recognition of Handwritten Digits, CC BY 4.0"
    converted.version = "1.0"
    converted.input_description["image"] = "The digit, white on black"
    converted.output_description["classLabel"] = "The most likely digit"
    converted.output_description["classLabel_probs"] = "The probability of each digit"
    return converted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = pathlib.Path(__file__).resolve().parent.parent / "examples" / "digits"
    parser.add_argument("--out", type=pathlib.Path, default=default)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    torch.manual_seed(7)

    digits = load_digits()
    parts = train_test_split(enlarged(digits.images), torch.tensor(digits.target), test_size=0.25, random_state=7)
    images, held_out, labels, truth = parts
    model = train(images, labels)
    with torch.no_grad():
        probabilities = model(held_out / 255)
    accuracy = (probabilities.argmax(1) == truth).float().mean().item()
    print(f"{len(truth)} held-out images: {accuracy:.1%} right")
    package = out / "Digits.mlpackage"
    shutil.rmtree(package, ignore_errors=True)
    convert(model).save(str(package))

    expected = {}
    for digit in SHOWN:
        index = int((truth == digit).nonzero()[0])
        name = LABELS[digit] + ".png"
        Image.fromarray(held_out[index, 0].numpy().astype(np.uint8), mode="L").save(out / name, optimize=True)
        row = probabilities[index]
        best = int(row.argmax())
        expected[name] = {
            "truth": LABELS[digit],
            "classLabel": LABELS[best],
            "probability": round(row[best].item(), 6),
            "classLabel_probs": {label: round(value, 8) for label, value in zip(LABELS, row.tolist())},
        }
    record = {"reference": f"torch {torch.__version__.split('+')[0]}, fp32", "accuracy": round(accuracy, 4), "images": expected}
    (out / "expected.json").write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
