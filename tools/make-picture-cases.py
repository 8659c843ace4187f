#!/usr/bin/env python3
"""Writes Tests/Cases/pictures/pillow.json: an image resized by Pillow for each VNImageCropAndScaleOption, and colors
converted to luma and chroma by numpy (ITU-R BT.601-7, JFIF).

    pip install pillow==13.0.0 numpy
    tools/make-picture-cases.py [--out Tests/Cases/pictures/pillow.json]
"""
import argparse
import json
import pathlib

import numpy as np
from PIL import Image

CENTER_CROP, SCALE_FIT, SCALE_FILL, FIT_TURNED, FILL_TURNED = 0, 1, 2, 0x101, 0x102
RED, BLUE = 0.299, 0.114
GREEN = 1 - RED - BLUE


def scaled(image, size, box=None):
    """Resizes with Pillow's bilinear filter, which averages over all source pixels when it downscales."""
    return image.resize(size, Image.Resampling.BILINEAR, box=box)


def fitted(image, option, width, height):
    if option in (FIT_TURNED, FILL_TURNED):
        # Pillow rotates counterclockwise.
        return fitted(image.transpose(Image.Transpose.ROTATE_90), option & 0xFF, width, height)
    if option == SCALE_FILL:
        return scaled(image, (width, height))
    across, down = width / image.width, height / image.height
    if option == CENTER_CROP:
        factor = max(across, down)
        wide, high = width / factor, height / factor
        left, top = (image.width - wide) / 2, (image.height - high) / 2
        return scaled(image, (width, height), (left, top, left + wide, top + high))
    factor = min(across, down)
    wide, high = (max(int(size * factor + 0.5), 1) for size in image.size)
    whole = Image.new("RGB", (width, height))
    whole.paste(scaled(image, (wide, high)), ((width - wide) // 2, (height - high) // 2))
    return whole


def video(rgb, full):
    """uint8 luma and (Cb, Cr) chroma; each block of 2 x 2 pixels shares the chroma of its mean color."""
    offset, luma_scale, difference_scale = (0, 1, 1) if full else (16, 219 / 255, 224 / 255)
    weights = np.array([RED, GREEN, BLUE])
    height, width, _ = rgb.shape
    luma = np.clip(np.floor(offset + luma_scale * (rgb @ weights) + 0.5), 0, 255)
    differences = np.zeros(((height + 1) // 2, (width + 1) // 2, 2))
    back = np.zeros(rgb.shape)
    for y in range(differences.shape[0]):
        for x in range(differences.shape[1]):
            mean = rgb[2 * y:2 * y + 2, 2 * x:2 * x + 2].reshape(-1, 3).mean(0)
            both = np.array([(mean[2] - mean @ weights) / (2 - 2 * BLUE), (mean[0] - mean @ weights) / (2 - 2 * RED)])
            differences[y, x] = np.clip(np.floor(128 + difference_scale * both + 0.5), 0, 255)
    for y in range(height):
        for x in range(width):
            blue, red = (differences[y // 2, x // 2] - 128) / difference_scale
            light = (luma[y, x] - offset) / luma_scale
            r, b = light + (2 - 2 * RED) * red, light + (2 - 2 * BLUE) * blue
            back[y, x] = r, (light - RED * r - BLUE * b) / GREEN, b
    return luma, differences, np.clip(np.floor(back + 0.5), 0, 255)


def numbers(array):
    return np.asarray(array).astype(int).ravel().tolist()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent / "Tests/Cases/pictures/pillow.json")
    arguments = parser.parse_args()
    random = np.random.default_rng(17)
    source = random.integers(0, 256, (7, 10, 3))
    image = Image.fromarray(source.astype(np.uint8))
    fits = []
    for option in (CENTER_CROP, SCALE_FIT, SCALE_FILL, FIT_TURNED, FILL_TURNED):
        for width, height in [(4, 4), (5, 9), (12, 3), (13, 16), (10, 7), (1, 1)]:
            fits.append({"option": option, "width": width, "height": height, "rgb": numbers(fitted(image, option, width, height))})
    colours = []
    for full in (False, True):
        for width, height in [(4, 2), (5, 3), (1, 1)]:
            rgb = random.integers(0, 256, (height, width, 3))
            luma, differences, back = video(rgb.astype(float), full)
            colours.append({"full": full, "width": width, "height": height, "rgb": numbers(rgb), "luma": numbers(luma),
                            "differences": numbers(differences), "back": numbers(back)})
    cases = {"width": 10, "height": 7, "rgb": numbers(source), "fits": fits, "video": colours}
    arguments.out.write_text(json.dumps(cases) + "\n")


if __name__ == "__main__":
    main()
