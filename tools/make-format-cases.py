#!/usr/bin/env python3
"""Writes Tests/Cases/pictures/formats: small images in every supported format and some unsupported ones.

formats.json has the pixels that Pillow reads from each image. For formats that Pillow cannot read or write, it has the
pixels that numpy wrote into the file.

    pip install pillow==13.0.0 numpy
    tools/make-format-cases.py [--out Tests/Cases/pictures/formats]
"""
import argparse
import io
import json
import pathlib
import struct

import numpy as np
from PIL import Image, ImageOps

WIDTH, HEIGHT = 7, 5
random = np.random.default_rng(1717)
RGBA = random.integers(0, 256, (HEIGHT, WIDTH, 4)).astype(np.uint8)
RGBA[0, 0, 3], RGBA[0, 1, 3] = 0, 255
RGB = RGBA[:, :, :3].copy()
GRAY = RGB[:, :, 0].copy()
PALETTE = random.integers(0, 256, (16, 3)).astype(np.uint8)
INDICES = random.integers(0, 16, (HEIGHT, WIDTH)).astype(np.uint8)
SMOOTH = np.stack([np.add.outer(np.arange(16) * 8, np.arange(24) * 4), np.add.outer(np.arange(16) * 4, 255 - np.arange(24) * 8),
                   np.full((16, 24), 90)], 2).astype(np.uint8)


def opaque(rgb):
    rgb = np.asarray(rgb)
    if rgb.ndim == 2:
        rgb = np.repeat(rgb[:, :, None], 3, 2)
    return np.concatenate([rgb, np.full(rgb.shape[:2] + (1,), 255, np.uint8)], 2)


def saved(array, form, mode=None, **options):
    picture = array if isinstance(array, Image.Image) else Image.fromarray(array, mode)
    made = io.BytesIO()
    picture.save(made, form, **options)
    return made.getvalue()


def paletted(**options):
    picture = Image.fromarray(INDICES, "P")
    picture.putpalette(PALETTE.tobytes())
    return picture


def seen(data):
    """The RGBA pixels that Pillow reads, turned upright."""
    return np.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGBA"))


# ---- TIFF variants that Pillow cannot write

def tiff(planes, photometric, *, big=False, order="<", bits=8, extra=(), tile=None, colours=None, orientation=None, rows=2, planar=False, invalid=None):
    """A TIFF file in strips of `rows` rows or in tiles. `planes`: (height, width, samples), from 0 to 2 ** bits - 1."""
    height, width, samples = planes.shape
    blocks = []
    chosen = [planes[:, :, index:index + 1] for index in range(samples)] if planar else [planes]
    for plane in chosen:
        if tile:
            for top in range(0, height, tile):
                for left in range(0, width, tile):
                    block = np.zeros((tile, tile, plane.shape[2]), int)
                    part = plane[top:top + tile, left:left + tile]
                    block[:part.shape[0], :part.shape[1]] = part
                    blocks.append(packed(block, bits, order))
        else:
            blocks += [packed(plane[top:top + rows], bits, order) for top in range(0, height, rows)]
    short, long, wide = ("H", 3), ("I", 4), (("Q", 16) if big else ("I", 4))
    tags = {256: (long, [width]), 257: (long, [height]), 258: (short, [bits] * samples), 259: (short, [1]), 262: (short, [photometric]),
            277: (short, [samples]), 284: (short, [2 if planar else 1])}
    if orientation:
        tags[274] = (short, [orientation])
    if extra:
        tags[338] = (short, list(extra))
    if colours is not None:
        tags[320] = (short, [int(value) for value in np.asarray(colours).T.ravel()])
    head = 16 if big else 8
    starts, data = [], b""
    for block in blocks:
        starts.append(head + len(data))
        data += block + b"\0" * (len(block) % 2)
    if tile:
        tags.update({322: (long, [tile]), 323: (long, [tile]), 324: (wide, starts), 325: (wide, [len(block) for block in blocks])})
    else:
        tags.update({273: (wide, starts), 278: (long, [rows]), 279: (wide, [len(block) for block in blocks])})
    tags.update(invalid or {})
    directory = head + len(data)
    entry, room, count = (20, 8, "Q") if big else (12, 4, "H")
    beyond = directory + struct.calcsize("<" + count) + entry * len(tags) + (8 if big else 4)
    entries, rest = b"", b""
    for tag, ((letter, kind), values) in sorted(tags.items()):
        content = struct.pack(f"{order}{len(values)}{letter}", *values)
        if len(content) > room:
            place = beyond + len(rest)
            rest += content + b"\0" * (len(content) % 2)
            content = struct.pack(order + ("Q" if big else "I"), place)
        entries += struct.pack(f"{order}HH{'Q' if big else 'I'}", tag, kind, len(values)) + content.ljust(room, b"\0")
    mark = b"II" if order == "<" else b"MM"
    start = mark + (struct.pack(order + "HHHQ", 43, 8, 0, directory) if big else struct.pack(order + "HI", 42, directory))
    return start + data + struct.pack(order + count, len(tags)) + entries + (b"\0" * 8 if big else b"\0" * 4) + rest


def packed(block, bits, order):
    if bits in (8, 16, 32):
        return block.astype(order + f"u{bits // 8}").tobytes()
    lines = block.reshape(block.shape[0], -1)
    digits = (lines[:, :, None] >> np.arange(bits - 1, -1, -1)) & 1
    return np.packbits(digits.reshape(block.shape[0], -1).astype(np.uint8), axis=1).tobytes()


def tiffs():
    deep = random.integers(0, 65536, (HEIGHT, WIDTH, 4))
    deep[0, :3, 0] = [0, 65535, 32896]
    nearest = ((deep + 128) // 257).astype(np.uint8)
    yield "deep-rgb.tiff", tiff(deep[:, :, :3], 2, bits=16), opaque(nearest[:, :, :3])
    yield "deep-rgba-big-endian.tiff", tiff(deep, 2, bits=16, order=">", extra=[2]), nearest
    yield "deep-gray.tiff", tiff(deep[:, :, :1], 1, bits=16), opaque(nearest[:, :, 0])
    yield "deep-planar.tiff", tiff(deep[:, :, :3], 2, bits=16, planar=True), opaque(nearest[:, :, :3])
    yield "tiles.tiff", tiff(RGB.astype(int), 2, tile=16), opaque(RGB)
    wide = random.integers(0, 256, (18, 35, 3))
    yield "many-tiles.tiff", tiff(wide, 2, tile=16), opaque(wide.astype(np.uint8))
    yield "planar-tiles.tiff", tiff(RGBA.astype(int), 2, tile=16, planar=True, extra=[2]), RGBA
    yield "big.tiff", tiff(RGB.astype(int), 2, big=True), opaque(RGB)
    yield "big-endian.tiff", tiff(RGB.astype(int), 2, order=">"), opaque(RGB)
    for bits in (1, 2, 4):
        values = random.integers(0, 1 << bits, (HEIGHT, WIDTH, 1))
        shade = (values[:, :, 0] * 255 // ((1 << bits) - 1)).astype(np.uint8)
        yield f"gray-{bits}.tiff", tiff(values, 1, bits=bits), opaque(shade)
        yield f"white-is-zero-{bits}.tiff", tiff(values, 0, bits=bits), opaque(255 - shade)
    yield "palette-4.tiff", tiff(INDICES[:, :, None].astype(int), 3, bits=4, colours=PALETTE.astype(int) * 257), opaque(PALETTE[INDICES])
    yield "palette-low.tiff", tiff(INDICES[:, :, None].astype(int), 3, bits=4, colours=PALETTE.astype(int)), opaque(PALETTE[INDICES])
    alpha = RGBA[:, :, 3:].astype(int)
    multiplied = np.concatenate([(RGB * alpha + 127) // 255, alpha], 2)
    whole = np.where(alpha == 0, 0, np.minimum((multiplied[:, :, :3] * 255 + alpha // 2) // np.maximum(alpha, 1), 255))
    yield "associated.tiff", tiff(multiplied, 2, extra=[1]), np.concatenate([whole, alpha], 2)
    yield "unspecified.tiff", tiff(RGBA.astype(int), 2, extra=[0]), opaque(RGB)
    for turn in range(1, 9):
        told = tiff(RGB.astype(int), 2, orientation=turn)
        yield f"turned-{turn}.tiff", told, seen(told)


# ---- BMP variants that Pillow cannot write

def bmp(bits, lines, *, width, height, colours=(), compression=0, masks=(), header=40, told=None):
    """A BMP file. `lines` are the rows in stored order; this function pads them."""
    pixels = b"".join(line + b"\0" * (-len(line) % 4) for line in lines)
    if header == 12:
        info = struct.pack("<IHHHH", 12, width, height, 1, bits)
        table = b"".join(bytes(colour[::-1]) for colour in colours)
    else:
        info = struct.pack("<IiiHHIIiiII", header, width, height, 1, bits, compression, len(pixels), 2835, 2835, told if told is not None else len(colours), 0)
        extra = struct.pack(f"<{len(masks)}I", *masks)
        info += extra.ljust(header - 40, b"\0") if header > 40 else extra
        table = b"".join(bytes(colour[::-1]) + b"\0" for colour in colours)
    start = 14 + len(info) + len(table)
    return b"BM" + struct.pack("<IHHI", start + len(pixels), 0, 0, start) + info + table + pixels


def bmps():
    def fields(shifts):
        return [b"".join(struct.pack("<H", sum(int(value) * ((1 << count) - 1) // 255 << place for value, (place, count) in zip(pixel, shifts)))
                         for pixel in row) for row in RGB[::-1]]

    def steps(counts):
        most = (1 << np.array(counts)) - 1
        return opaque(((RGB.astype(int) * most // 255 * 255 + most // 2) // most).astype(np.uint8))
    both = INDICES[::-1]
    nibbles = [bytes((row[x] << 4) | (row[x + 1] if x + 1 < WIDTH else 0) for x in range(0, WIDTH, 2)) for row in both.tolist()]
    yield "four.bmp", bmp(4, nibbles, width=WIDTH, height=HEIGHT, colours=PALETTE.tolist()), opaque(PALETTE[INDICES])
    yield "old.bmp", bmp(4, nibbles, width=WIDTH, height=HEIGHT, colours=PALETTE.tolist(), header=12), opaque(PALETTE[INDICES])
    yield "top-down.bmp", bmp(24, [row[:, ::-1].tobytes() for row in RGB], width=WIDTH, height=-HEIGHT), opaque(RGB)
    yield "555.bmp", bmp(16, fields([(10, 5), (5, 5), (0, 5)]), width=WIDTH, height=HEIGHT), steps([5, 5, 5])
    yield "565.bmp", bmp(16, fields([(11, 5), (5, 6), (0, 5)]), width=WIDTH, height=HEIGHT, compression=3, masks=[0xF800, 0x7E0, 0x1F]), steps([5, 6, 5])
    whole = [row.tobytes() for row in RGBA[::-1]]
    yield "masks.bmp", bmp(32, whole, width=WIDTH, height=HEIGHT, compression=3, masks=[0xFF, 0xFF00, 0xFF0000]), opaque(RGB)
    masks = [0xFF, 0xFF00, 0xFF0000, 0xFF000000]
    yield "alpha.bmp", bmp(32, whole, width=WIDTH, height=HEIGHT, compression=3, masks=masks, header=108), RGBA
    yield "without-alpha.bmp", bmp(32, [row[:, [2, 1, 0, 3]].tobytes() for row in RGBA[::-1]], width=WIDTH, height=HEIGHT), opaque(RGB)


# ---- animations whose first frame covers a part of the canvas

def frame(data, chunk):
    place = data.index(chunk)
    return data[place:place + 8 + struct.unpack("<I", data[place + 4:place + 8])[0]]


def animation():
    """A WebP file with a canvas of 10 x 8 pixels and a frame at (2, 2)."""
    pixels = frame(saved(RGBA, "WEBP", lossless=True, exact=True), b"VP8L")
    pixels += b"\0" * (len(pixels) % 2)

    def three(number):
        return struct.pack("<I", number)[:3]
    body = three(1) + three(1) + three(WIDTH - 1) + three(HEIGHT - 1) + three(100) + b"\0" + pixels
    chunks = b"VP8X" + struct.pack("<I", 10) + struct.pack("<I", 0x12) + three(9) + three(7)
    chunks += b"ANIM" + struct.pack("<IIH", 6, 0, 0) + (b"ANMF" + struct.pack("<I", len(body)) + body) * 2
    canvas = np.zeros((8, 10, 4), np.uint8)
    canvas[2:2 + HEIGHT, 2:2 + WIDTH] = RGBA
    return b"RIFF" + struct.pack("<I", len(chunks) + 4) + b"WEBP" + chunks, canvas


def moved(gif, left, top, width, height):
    """The GIF file with another canvas size and its first frame at (left, top)."""
    data = bytearray(gif)
    data[6:10] = struct.pack("<HH", width, height)
    place = 13 + 3 * (2 << (data[10] & 7)) if data[10] & 0x80 else 13
    while data[place] == 0x21:
        place += 2
        while data[place]:
            place += data[place] + 1
        place += 1
    assert data[place] == 0x2C
    data[place + 1:place + 5] = struct.pack("<HH", left, top)
    return bytes(data)


def by_pillow():
    """Yields (name, file, largest allowed difference of a channel to Pillow)."""
    exif = Image.Exif()
    exif[0x112] = 6
    yield "lossless.webp", saved(RGB, "WEBP", lossless=True), 0
    yield "lossless-alpha.webp", saved(RGBA, "WEBP", lossless=True, exact=True), 0
    yield "lossy.webp", saved(SMOOTH, "WEBP", quality=80), 2
    yield "lossy-alpha.webp", saved(np.dstack([SMOOTH, SMOOTH[:, :, 0]]), "WEBP", quality=80), 2
    yield "turned.webp", saved(RGB, "WEBP", lossless=True, exif=exif), 0
    yield "animated.webp", saved(Image.fromarray(RGB), "WEBP", lossless=True, save_all=True, append_images=[Image.fromarray(255 - RGB)]), 0
    yield "turned.png", saved(RGB, "PNG", exif=exif), 0
    for name in ("raw", "tiff_lzw", "tiff_deflate", "packbits"):
        for mode, array in (("L", GRAY), ("RGB", RGB), ("RGBA", RGBA), ("LA", RGBA[:, :, :2].copy())):
            yield f"{name}-{mode}.tiff", saved(array, "TIFF", mode, compression=name), 0
    yield "zstd.tiff", saved(RGB, "TIFF", compression="zstd"), 0
    yield "predictor.tiff", saved(RGB, "TIFF", compression="tiff_lzw", tiffinfo={317: 2}), 0
    yield "jpeg.tiff", saved(SMOOTH, "TIFF", compression="jpeg", quality=90), 2
    yield "fax.tiff", saved(Image.fromarray(RGB).convert("1"), "TIFF", compression="group4"), 0
    yield "bits.tiff", saved(Image.fromarray(RGB).convert("1"), "TIFF"), 0
    yield "palette.tiff", saved(paletted(), "TIFF"), 0
    yield "inks.tiff", saved(Image.fromarray(RGBA, "CMYK"), "TIFF"), 1
    yield "pages.tiff", saved(Image.fromarray(RGB), "TIFF", save_all=True, append_images=[Image.fromarray(255 - RGB)]), 0
    yield "palette.gif", saved(paletted(), "GIF"), 0
    yield "transparent.gif", saved(paletted(), "GIF", transparency=int(INDICES[2, 2])), 0
    yield "interlaced.gif", saved(Image.fromarray(SMOOTH).quantize(32), "GIF", interlace=1), 0
    yield "gray.gif", saved(GRAY, "GIF"), 0
    yield "animated.gif", saved(paletted(), "GIF", save_all=True, append_images=[Image.fromarray(255 - RGB)], duration=100), 0
    yield "bits.bmp", saved(Image.fromarray(RGB).convert("1"), "BMP"), 0
    yield "gray.bmp", saved(GRAY, "BMP"), 0
    yield "palette.bmp", saved(paletted(), "BMP"), 0
    yield "rgb.bmp", saved(RGB, "BMP"), 0


def refused():
    """Yields (name, file, expected error code, a part of the expected error message)."""
    floats = tiff(np.zeros((2, 2, 1), int), 1, bits=32, invalid={339: (("H", 3), [3])})
    yield "floats.tiff", floats, "image.unsupported", "samples of 32 bits"
    signed = tiff(RGB.astype(int), 2, invalid={339: (("H", 3), [2, 2, 2])})
    yield "signed.tiff", signed, "image.unsupported", "no whole numbers from 0"
    yield "lab.tiff", tiff(RGB.astype(int), 8), "image.unsupported", "CIE L*a*b*"
    yield "differences.tiff", tiff(np.zeros((4, 4, 3), int), 6, rows=4), "image.unsupported", "luma and differences"
    large = tiff(RGB.astype(int), 2, rows=HEIGHT, invalid={number: (("I", 4), [1 << 30]) for number in (256, 257, 278)})
    yield "large.tiff", large, "image.invalid", "pixels"
    yield "large.bmp", bmp(24, [b""], width=1 << 30, height=1 << 30), "image.invalid", "pixels"
    yield "claims.bmp", bmp(24, [b"1234"], width=8000, height=8000), "image.invalid", "cut short"
    yield "runs.bmp", bmp(8, [bytes([7, 0, 0, 1])], width=7, height=1, colours=PALETTE.tolist(), compression=1), "image.unsupported", "run-length"
    yield "palette.bmp", bmp(4, [bytes([0xFF] * 4)], width=7, height=1, colours=PALETTE.tolist()[:5]), "image.invalid", "palette"
    yield "mask.bmp", bmp(32, [bytes(4)], width=1, height=1, compression=3, masks=[0xFF00FF, 0xFF00, 0xFF0000]), "image.invalid", "together"
    beside = moved(saved(paletted(), "GIF"), 5, 5, WIDTH, HEIGHT)
    yield "beside.gif", beside, "image.invalid", "canvas"
    yield "empty.gif", b"GIF89a" + struct.pack("<HHBBB", 4, 4, 0, 0, 0) + b";", "image.invalid", "no frame"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent / "Tests/Cases/pictures/formats")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    pictures, errors = [], []

    def add(name, data, expected, tolerance=0):
        (out / name).write_bytes(data)
        height, width, _ = expected.shape
        pictures.append({"file": name, "width": width, "height": height, "tolerance": tolerance,
                         "rgba": np.asarray(expected).astype(int).ravel().tolist()})
    for name, data, tolerance in by_pillow():
        add(name, data, seen(data), tolerance)
    for name, data, expected in tiffs():
        add(name, data, expected)
    for name, data, expected in bmps():
        add(name, data, expected)
    add("part.webp", *animation())
    canvas = np.zeros((8, 10, 4), np.uint8)
    canvas[2:2 + HEIGHT, 1:1 + WIDTH] = opaque(PALETTE[INDICES])
    add("part.gif", moved(saved(paletted(), "GIF"), 1, 2, 10, 8), canvas)
    for name, data, code, word in refused():
        (out / f"refused-{name}").write_bytes(data)
        errors.append({"file": f"refused-{name}", "code": code, "word": word})
    # A digit for tests of the command and of the Python package.
    seven = Image.open(pathlib.Path(__file__).parent.parent / "examples/digits/seven.png")
    for name, options in [("bmp", {}), ("gif", {}), ("tif", {}), ("tiff", {"compression": "tiff_deflate"}), ("webp", {"lossless": True})]:
        seven.save(out / f"seven.{name}", **options)
    wide = Image.new("L", (seven.width * 2, seven.height))
    wide.paste(seven.convert("L"), (seven.width // 2, 0))
    wide.save(out / "wide.bmp")
    text = ",\n".join(json.dumps(each, separators=(",", ":")) for each in pictures)
    wrong = ",\n".join(json.dumps(each, separators=(",", ":")) for each in errors)
    (out / "formats.json").write_text(f'{{"pictures":[\n{text}\n],"refused":[\n{wrong}\n]}}\n')


if __name__ == "__main__":
    main()
