"""Writes models with a chain of matrix products, convolutions or attentions.

The input is a scalar, the output the mean of the last result, and everything between stays on the device. The time of
one product is the difference between chains of two lengths, which excludes copies. Needs no packages, because the
target machine may have none.
"""

import json
import pathlib
import random
import struct

LENGTHS = (1, 9)
INT4 = 8  # type code of int4 in a weight file
TYPES = {"fp32": ("f", 2, 4), "fp16": ("e", 1, 2)}  # (format of `struct`, type code in a weight file, bytes)


class Weights:
    """A weight file. A record of 64 bytes precedes each entry."""

    def __init__(self):
        self.bytes, self.count = bytearray(64), 0

    def append(self, kind, count, scale):
        letter, number, size = TYPES[kind]
        # Repeat a few thousand random values: this is fast, and the speed of kernels does not depend on values.
        source = random.Random(count)
        table = struct.pack(f"<4099{letter}", *(source.uniform(-scale, scale) for _ in range(4099)))
        data = (table * (count * size // len(table) + 1))[: count * size]
        offset = len(self.bytes)
        self.bytes += struct.pack("<IIQQQ", 0xDEADBEEF, number, len(data), offset + 64, 0).ljust(64, b"\0")
        self.bytes += data
        self.bytes += bytes(-len(self.bytes) % 64)
        self.count += 1
        return offset

    def text(self, name, kind, shape, scale):
        """The line of a program that declares the constant `name` with `shape`."""
        count = 1
        for size in shape:
            count *= size
        tensor = f"tensor<{kind}, {list(shape)}>"
        place = f'path = string("@model_path/weights/weight.bin"), offset = uint64({self.append(kind, count, scale)})'
        return f"{tensor} {name} = const()[val = {tensor}(BLOBFILE({place}))];"

    def nibbles(self, count):
        """Appends `count` int4 codes; returns their offset."""
        offset = len(self.bytes)
        data = bytes(random.Random(count).randrange(256) for _ in range(4099)) * (count // 2 // 4099 + 1)
        self.bytes += struct.pack("<IIQQQ", 0xDEADBEEF, INT4, count // 2, offset + 64, 0).ljust(64, b"\0")
        self.bytes += data[: count // 2]
        self.bytes += bytes(-len(self.bytes) % 64)
        self.count += 1
        return offset

    def coded(self, name, shape, block, scale):
        """Program lines for the fp16 constant `name`, stored as int4 with a scale per `block` elements of a row."""
        rows, columns = shape
        place = f'path = string("@model_path/weights/weight.bin"), offset = uint64({self.nibbles(rows * columns)})'
        codes = f"tensor<int4, {list(shape)}>"
        return [
            f"{codes} {name}_codes = const()[val = {codes}(BLOBFILE({place}))];",
            self.text(f"{name}_scale", "fp16", [rows, columns // block], scale / 8),
            f"tensor<fp16, {list(shape)}> {name} = constexpr_blockwise_shift_scale(data = {name}_codes, scale = {name}_scale);"]

    def write(self, path):
        self.bytes[:8] = struct.pack("<II", self.count, 2)
        path.parent.mkdir(parents=True)
        path.write_bytes(self.bytes)


def constant(name, kind, value):
    """The line of a program that declares a small constant. A list is a vector."""
    kind = f"tensor<{kind}, [{len(value)}]>" if isinstance(value, list) else kind
    value = json.dumps(value)
    return f"{kind} {name} = const()[val = {kind}({value})];"


class Product:
    """C = A B. A is m x k, and B is a constant k x k matrix."""

    def __init__(self, m, k):
        self.m, self.k = m, k
        self.name, self.flops = f"gemm {m}x{k}x{k}", 2 * m * k * k
        self.shape, self.weight, self.constants = [m, k], [k, k], []

    def step(self, kind, x, y):
        return f"tensor<{kind}, {self.shape}> {y} = linear(bias = b, weight = w, x = {x});"

    def fields(self):
        return {"product": "gemm", "m": self.m, "k": self.k}


class Convolution:
    """A convolution that keeps the number of channels and the image size."""

    def __init__(self, images, channels, size, kernel, groups=1):
        self.images, self.channels, self.size, self.kernel, self.groups = images, channels, size, kernel, groups
        kind = "depthwise" if groups == channels else "conv"
        self.name = f"{kind} {kernel}x{kernel} {images}x{channels}x{size}x{size}"
        self.flops = 2 * images * channels * size * size * (channels // groups) * kernel * kernel
        self.shape, self.weight = [images, channels, size, size], [channels, channels // groups, kernel, kernel]
        self.constants = [
            constant("ones", "int32", [1, 1]), constant("groups", "int32", groups), constant("pad", "int32", [kernel // 2] * 4),
            constant("custom", "string", "custom")]

    def step(self, kind, x, y):
        return (
            f"tensor<{kind}, {self.shape}> {y} = conv(bias = b, dilations = ones, groups = groups, pad = pad, pad_type = custom, "
            f"strides = ones, weight = w, x = {x});")

    def fields(self):
        return {
            "product": "conv", "images": self.images, "channels": self.channels, "size": self.size, "kernel": self.kernel,
            "groups": self.groups}


class Attention:
    """Attention with `heads` heads. Queries, keys and values are the same tensor."""

    def __init__(self, heads, length, depth):
        self.heads, self.length, self.depth = heads, length, depth
        self.name, self.flops = f"attention {heads}x{length}x{depth}", 4 * heads * length * length * depth
        self.shape, self.weight, self.constants = [1, heads, length, depth], [1, 1], []

    def step(self, kind, x, y):
        return f"tensor<{kind}, {self.shape}> {y} = scaled_dot_product_attention(key = {x}, query = {x}, value = {x});"

    def fields(self):
        return {"product": "attention", "heads": self.heads, "length": self.length, "depth": self.depth}


PRODUCTS = [Product(m, k) for k in (1024, 2048, 4096) for m in (1, 16, 128, 512, 2048, 4096)] + [
    Convolution(images, channels, size, kernel)
    for images in (1, 32)
    for channels, size, kernel in ((64, 56, 3), (128, 28, 3), (256, 14, 3), (512, 7, 3), (64, 56, 1), (256, 14, 1), (640, 32, 3))
] + [Convolution(images, 144, 56, 3, groups=144) for images in (1, 32)] + [
    Attention(heads, length, depth) for heads, length, depth in ((12, 128, 64), (12, 1024, 64), (16, 4096, 64), (8, 4096, 128), (8, 4096, 40))]


def precisions(product):
    """The precisions to time a product in. int4 weights help only if the product is memory-bound, so for small m."""
    return ("fp32", "tf32", "fp16") + (("int4",) if isinstance(product, Product) and product.m <= 16 else ())


def small(products, count):
    """The `count` smallest products of each class."""
    kinds = {}
    for product in sorted(products, key=lambda product: product.flops):
        kinds.setdefault(type(product), []).append(product)
    return [product for kind in kinds.values() for product in kind[:count]]


def write(product, kind, length, folder):
    """Writes a model of `length` products to a new `folder`. `kind` is fp32, fp16, or int4 (fp16 with int4 weights)."""
    folder = pathlib.Path(folder)
    weights = Weights()
    terms = 1
    for size in product.weight[1:]:
        terms *= size
    is_coded, kind = kind == "int4", "fp16" if kind == "int4" else kind
    scale = (3 / terms) ** 0.5
    lines = weights.coded("w", product.weight, 32, scale) if is_coded else [weights.text("w", kind, product.weight, scale)]
    lines += [weights.text("b", kind, [product.weight[0]], 0.1), weights.text("a", kind, product.shape, 1.0)]
    rank = len(product.shape)
    one = [1] * rank
    lines += product.constants + [constant("axes", "int32", list(range(rank))), constant("keep", "bool", True)]
    number, mean = ("x", "y") if kind == "fp32" else ("s", "y0")
    if kind == "fp16":
        lines += [constant("half", "string", "fp16"), constant("single", "string", "fp32")]
        lines.append("tensor<fp16, [1]> s = cast(dtype = half, x = x);")
    lines.append(f"tensor<{kind}, {product.shape}> x0 = add(x = a, y = {number});")
    lines += [product.step(kind, f"x{index}", f"x{index + 1}") for index in range(length)]
    lines.append(f"tensor<{kind}, {one}> {mean} = reduce_mean(axes = axes, keep_dims = keep, x = x{length});")
    if kind == "fp16":
        lines.append(f"tensor<fp32, {one}> y = cast(dtype = single, x = y0);")
    body = "\n".join("    " + line for line in lines)
    weights.write(folder / "weights" / "weight.bin")
    (folder / "model.mil").write_text(f"program(1.3)\n{{\n  func main<ios18>(tensor<fp32, [1]> x) {{\n{body}\n  }} -> (y);\n}}\n")
    feature = {"type": "MultiArray", "dataType": "Float32"}
    schema = {
        "specificationVersion": 9, "inputSchema": [{"name": "x", "shape": "[1]", **feature}],
        "outputSchema": [{"name": "y", "shape": str(one), **feature}]}
    (folder / "metadata.json").write_text(json.dumps([schema]))
