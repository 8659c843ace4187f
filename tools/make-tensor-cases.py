#!/usr/bin/env python3
"""Writes Tests/Cases/numpy/tensors.json: cases of MLTensor's operations with numpy's results.

    tools/make-tensor-cases.py    needs numpy

A case has the name of the operation, its inputs, its arguments and the expected outputs. The seed is fixed, so the file
changes only with this script.
"""
import itertools
import json
import pathlib

import numpy as np

random = np.random.default_rng(20)
cases = []
TYPES = {"Float": np.float32, "Float16": np.float16, "Int32": np.int32, "Int8": np.int8, "Int16": np.int16,
         "UInt8": np.uint8, "UInt16": np.uint16, "UInt32": np.uint32, "Bool": np.bool_}
NAMES = {np.dtype(kind): name for name, kind in TYPES.items()}


def written(array):
    array = np.asarray(array)
    if array.dtype == np.int64:
        array = array.astype(np.int32)
    if array.dtype == np.float64:
        array = array.astype(np.float32)
    flat = array.reshape(-1)
    values = [str(v) if not np.isfinite(v) else float(str(v)) for v in flat] if array.dtype.kind == "f" \
        else [int(v) for v in flat]
    return {"type": NAMES[array.dtype], "shape": list(array.shape), "values": values}


def case(operation, inputs, outputs, **arguments):
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    cases.append({"operation": operation, "inputs": [written(x) for x in inputs],
                  "arguments": arguments, "outputs": [written(x) for x in outputs]})


def numbers(shape, kind="Float", low=-4.0, high=4.0):
    if kind == "Bool":
        return random.integers(0, 2, shape).astype(bool)
    if kind in ("Float", "Float16"):
        return random.uniform(low, high, shape).astype(TYPES[kind])
    low = 0 if kind.startswith("U") else int(low)
    return random.integers(low, max(int(high), low + 2), shape).astype(TYPES[kind])


# Binary elementwise operations.
PAIRS = [((3,), (3,)), ((2, 3), (2, 3)), ((2, 1), (1, 3)), ((2, 3, 4), (4,)), ((4,), ()), ((), (2, 2)), ((2, 1, 3), (5, 1))]
for (a, b), kind in itertools.product(PAIRS, ["Float", "Float16", "Int32"]):
    x, y = numbers(a, kind), numbers(b, kind)
    safe = np.where(np.abs(y) < 0.5, np.ones_like(y), y).astype(TYPES[kind])
    for name, function in {"add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum, "min": np.minimum}.items():
        case(name, [x, y], function(x, y))
    quotient = np.trunc(x / safe).astype(np.int32) if kind == "Int32" else (x / safe)
    case("div", [x, safe], quotient)
    case("mod", [x, safe], np.mod(x, safe))
    for name, function in {"equal": np.equal, "notEqual": np.not_equal, "greater": np.greater, "greaterEqual": np.greater_equal,
                           "less": np.less, "lessEqual": np.less_equal}.items():
        case(name, [x, y], function(x, y))
    if kind == "Float":
        base = np.abs(x) + 0.1
        case("pow", [base, y], np.power(base, y))
    mask = numbers(np.broadcast_shapes(a, b), "Bool")
    case("replaceWhere", [x, y, mask], np.where(mask, y, x))
for kind in ["Int8", "Int16", "UInt8", "UInt16", "UInt32"]:
    x, y = numbers((2, 3), kind), numbers((2, 3), kind, 1, 5)
    case("add", [x, y], x + y)
    case("mul", [x, y], x * y)
    case("max", [x, y], np.maximum(x, y))
    case("less", [x, y], x < y)
for (a, b) in PAIRS:
    x, y = numbers(a, "Bool"), numbers(b, "Bool")
    case("and", [x, y], x & y)
    case("or", [x, y], x | y)
    case("xor", [x, y], x ^ y)
    case("not", [x], ~x)
# Operands of two types: the result has the wider one.
for one, other in [("Float", "Int32"), ("Float16", "Float"), ("Int8", "Int32"), ("Bool", "Float"), ("UInt8", "Int16")]:
    x, y = numbers((2, 3), one), numbers((3,), other)
    wide = TYPES[other] if one in ("Float16", "Int8", "Bool", "UInt8") else np.float32
    case("add", [x, y], (x.astype(wide) + y.astype(wide)))
    case("mul", [y, x], (x.astype(wide) * y.astype(wide)))

# Unary elementwise operations.
UNARY = {
    "abs": (np.abs, -4, 4), "acos": (np.arccos, -0.99, 0.99), "acosh": (np.arccosh, 1.001, 20), "asin": (np.arcsin, -0.99, 0.99),
    "asinh": (np.arcsinh, -20, 20), "atan": (np.arctan, -5, 5), "atanh": (np.arctanh, -0.95, 0.95), "ceil": (np.ceil, -4, 4),
    "cos": (np.cos, -6, 6), "cosh": (np.cosh, -3, 3), "exp": (np.exp, -5, 3), "exp2": (np.exp2, -5, 5), "floor": (np.floor, -4, 4),
    "log": (np.log, 0.01, 9), "negate": (np.negative, -4, 4), "reciprocal": (np.reciprocal, 0.2, 4), "round": (np.round, -4, 4),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 0.1, 9), "sign": (np.sign, -4, 4), "sin": (np.sin, -6, 6), "sinh": (np.sinh, -3, 3),
    "sqrt": (np.sqrt, 0, 9), "square": (np.square, -4, 4), "tan": (np.tan, -1.2, 1.2), "tanh": (np.tanh, -3, 3),
}
for name, (function, low, high) in UNARY.items():
    for shape in [(), (5,), (2, 3), (2, 1, 4)]:
        x = numbers(shape, "Float", low, high)
        case(name, [x], function(x))
    x = numbers((3, 2), "Float16", low, high)
    case(name, [x], function(x.astype(np.float32)).astype(np.float16))
case("round", [np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5], np.float32)], np.round(np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5], np.float32)))
case("asinh", [np.array([1e-4, -1e-4, 1e-3, 1e4], np.float32)], np.arcsinh(np.array([1e-4, -1e-4, 1e-3, 1e4], np.float32)))
for name in ["abs", "negate", "sign", "square"]:
    x = numbers((2, 4), "Int32")
    case(name, [x], UNARY[name][0](x))
for shape in [(6,), (2, 3)]:
    for kind in ["Float", "Int32"]:
        x = numbers(shape, kind)
        case("clamp", [x], np.clip(x, -1, 2), low=-1, high=2)
        case("clampFrom", [x], np.maximum(x, TYPES[kind](1)), low=1)
        case("clampThrough", [x], np.minimum(x, TYPES[kind](0)), high=0)


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


for shape in [(5,), (2, 3), (2, 3, 4)]:
    for axis in range(-len(shape), len(shape)):
        x = numbers(shape)
        case("softmax", [x], softmax(x, axis), axis=axis)

# Casts.
for one, other in itertools.product(["Float", "Float16", "Int32", "Int8", "UInt8", "Bool"], repeat=2):
    x = numbers((2, 3), one, 0, 9)
    case("cast", [x], np.trunc(x).astype(TYPES[other]) if other not in ("Float", "Float16", "Bool") and one != "Bool" else x.astype(TYPES[other]),
         type=other)
case("cast", [np.array([-2.7, -0.5, 0.5, 2.7], np.float32)], np.array([-2, 0, 0, 2], np.int32), type="Int32")

# Reductions.
SHAPES = [(6,), (2, 3), (2, 3, 4)]
for shape, kind in itertools.product(SHAPES, ["Float", "Int32", "Float16"]):
    x = numbers(shape, kind, -3, 3)
    axes = [list(c) for n in range(1, len(shape) + 1) for c in itertools.combinations(range(len(shape)), n)]
    for axis, keep in itertools.product(axes, [False, True]):
        for name, function in {"sum": np.sum, "reduceMin": np.min, "reduceMax": np.max, "product": np.prod}.items():
            if name == "product" and kind == "Float16":
                continue
            wide = x.astype(np.float32) if kind == "Float16" else x
            expected = function(wide, axis=tuple(axis), keepdims=keep)
            case(name, [x], np.asarray(expected).astype(TYPES[kind]), axes=axis, keep=keep)
        if kind == "Float":
            case("mean", [x], np.mean(x, axis=tuple(axis), keepdims=keep), axes=axis, keep=keep)
    for axis in range(-len(shape), len(shape)):
        case("argmax", [x], np.argmax(x, axis), axis=axis)
        case("argmin", [x], np.argmin(x, axis), axis=axis)
    case("argmaxOfAll", [x], np.argmax(x))
    case("argminOfAll", [x], np.argmin(x))
for shape in SHAPES:
    x = numbers(shape, "Bool")
    for axis in range(len(shape)):
        case("all", [x], np.all(x, axis), axes=[axis], keep=False)
        case("any", [x], np.any(x, axis), axes=[axis], keep=False)

# Sorting.
for shape, kind in itertools.product(SHAPES, ["Float", "Int32"]):
    x = random.permutation(int(np.prod(shape))).reshape(shape).astype(TYPES[kind]) - TYPES[kind](3)
    for axis in range(-len(shape), len(shape)):
        case("argsort", [x], np.argsort(x, axis), axis=axis, descending=False)
        case("argsort", [x], np.argsort(-x, axis), axis=axis, descending=True)
        small = (np.abs(x) % 3 + 1).astype(TYPES[kind])
        case("cumulativeSum", [x], np.cumsum(x, axis).astype(TYPES[kind]), axis=axis)
        case("cumulativeProduct", [small], np.cumprod(small, axis).astype(TYPES[kind]), axis=axis)
    for k in range(1, shape[-1] + 1):
        places = np.argsort(-x, -1)[..., :k]
        case("topK", [x], [np.take_along_axis(x, places, -1), places], k=k)

# Shapes.
for kind in ["Float", "Int32", "Bool"]:
    x = numbers((2, 3, 4), kind)
    for shape in [[24], [4, 6], [-1, 2], [2, 3, 2, 2], [1, 24, 1]]:
        case("reshape", [x], x.reshape(shape), shape=shape)
    case("flatten", [x], x.reshape(-1))
    case("transpose", [x], x.transpose())
    for order in itertools.permutations(range(3)):
        case("permute", [x], x.transpose(order), order=list(order))
    for axes in [[0], [1], [-1], [0, 2], [0, 1, 2]]:
        case("reverse", [x], np.flip(x, axes), axes=axes)
    for axes in [[0], [1], [-1], [3], [0, 2]]:
        case("expand", [x], np.expand_dims(x, axes), axes=axes)
    y = x.reshape(1, 2, 1, 12)
    case("squeeze", [y], y.squeeze())
    case("squeezeAt", [y], y.squeeze(0), axes=[0])
    case("squeezeAt", [y], y.squeeze((0, 2)), axes=[0, 2])
    for reps in [[1, 2, 1], [2, 1, 3], [1, 1, 1]]:
        case("tile", [x], np.tile(x, reps), multiples=reps)
    for axis in [0, 1, 2, -1]:
        case("concatenate", [x, x, x], np.concatenate([x, x, x], axis), axis=axis)
        case("stack", [x, x], np.stack([x, x], axis), axis=axis)
        case("unstack", [x], [np.take(x, i, axis) for i in range(x.shape[axis])], axis=axis)
    case("split", [x], np.split(x, 2, 2), count=2, axis=2)
    case("split", [x], np.split(x, 3, 1), count=3, axis=1)
    case("splitSizes", [x], np.split(x, [1], 1), sizes=[1, 2], axis=1)
    case("splitSizes", [x], np.split(x, [1, 3], -1), sizes=[1, 2, 1], axis=-1)
for shape in [(4, 4), (3, 5), (2, 3, 3)]:
    x = numbers(shape)
    for lower, upper in [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 2)]:
        i, j = np.indices(shape[-2:])
        mask = ((lower < 0) | (i - j <= lower)) & ((upper < 0) | (j - i <= upper))
        case("band", [x], np.where(mask, x, 0).astype(np.float32), lower=lower, upper=upper)

# Padding.
for shape, sizes in [((4,), [(1, 2)]), ((3, 4), [(0, 1), (2, 0)]), ((2, 3, 4), [(1, 1), (0, 0), (2, 3)])]:
    for kind in ["Float", "Int32"]:
        x = numbers(shape, kind)
        flat = [n for pair in sizes for n in pair]
        case("pad", [x], np.pad(x, sizes, constant_values=TYPES[kind](7)), sizes=flat, value=7)
        case("padReflection", [x], np.pad(x, sizes, mode="reflect"), sizes=flat)
        case("padSymmetric", [x], np.pad(x, sizes, mode="symmetric"), sizes=flat)


# Resizing of the last two axes, height and width.
def resized(x, height, width, method):
    h, w = x.shape[-2:]

    def places(size, new):
        i = np.arange(new, dtype=np.float64)
        if method == "nearest":
            return np.floor((i + 0.5) * size / new)
        if method == "corners":
            return i * (size - 1) / (new - 1) if new > 1 else i * 0
        return np.clip((i + 0.5) * size / new - 0.5, 0, size - 1)

    rows, columns = places(h, height), places(w, width)

    def mixed(values, at, axis):
        low = np.floor(at).astype(int)
        high = np.minimum(low + 1, values.shape[axis] - 1)
        shape = [1] * values.ndim
        shape[axis] = len(at)
        share = (at - low).reshape(shape)
        return np.take(values, low, axis) * (1 - share) + np.take(values, high, axis) * share

    return mixed(mixed(x.astype(np.float64), rows, x.ndim - 2), columns, x.ndim - 1).astype(np.float32)


for shape, (height, width) in itertools.product([(4, 6), (3, 4, 6), (2, 3, 4, 6)], [(8, 12), (2, 3), (5, 9), (4, 6)]):
    x = numbers(shape)
    for method in ["nearest", "corners", "centers"]:
        case("resize", [x], resized(x, height, width, method), size=[height, width], method=method)

# Matrix products.
for a, b in [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((2, 2, 3), (3, 4)), ((2, 2, 3), (2, 3, 4)),
             ((2, 1, 2, 3), (1, 3, 3, 2)), ((5, 7), (7, 5))]:
    for kind in ["Float", "Float16"]:
        x, y = numbers(a, kind, -2, 2), numbers(b, kind, -2, 2)
        case("matmul", [x, y], np.matmul(x.astype(np.float32), y.astype(np.float32)).astype(TYPES[kind]))

# Gather, scatter and replace.
for kind in ["Float", "Int32"]:
    x = numbers((4, 3, 5), kind)
    for axis in [0, 1, 2, -1]:
        for shape in [(), (2,), (2, 2)]:
            places = random.integers(0, x.shape[axis], shape).astype(np.int32)
            case("gather", [x, places], np.take(x, places, axis), axis=axis)
    case("gather", [x, np.array([-1, 0], np.int32)], np.take(x, [-1, 0], 1), axis=1)
    places = np.array([[0, 1], [3, 2], [1, 0]], np.int32)
    case("gatherND", [x, places], x[places[:, 0], places[:, 1]])
    case("gatherND", [x, places[:, :1]], x[places[:, 0]])
    for axis in [0, 1, 2]:
        places = random.permutation(x.shape[axis])[:2].astype(np.int32)
        shape = list(x.shape)
        shape[axis] = 2
        update = numbers(shape, kind)
        expected = x.copy()
        key = [slice(None)] * 3
        key[axis] = places
        expected[tuple(key)] = update
        case("replaceAt", [x, update, places], expected, axis=axis)
        case("replaceNumber", [x, x > 0], np.where(x > 0, TYPES[kind](9), x), value=9)

# Subscripts, in Swift's notation.
x = numbers((4, 3, 5))
for text, part in {
    "1": x[1], "-1": x[-1], "1, 2": x[1, 2], "1, 2, 3": x[1, 2, 3], "1..<3": x[1:3], "1...2": x[1:3], "1...": x[1:], "..<2": x[:2],
    "...2": x[:3], "...": x, "..., 0": x[..., 0], "..., -1": x[..., -1], "nil, -1, nil": x[:, -1, :], "0, ...": x[0], "0, ..., 1": x[0, ..., 1],
    "newAxis, 0": x[None, 0], "nil, newAxis": x[:, None], "nil, 1...": x[:, 1:], "fillAll, 0": x[..., 0], "stride": x[0:4:2],
    "0..<1 squeezed": x[0],
}.items():
    case("subscript", [x], np.asarray(part), ranges=text)

# Creation.
case("range", [], np.arange(0, 10, 3, dtype=np.float32), start=0, end=10, stride=3)
case("range", [], np.arange(5, -5, -2, dtype=np.float32), start=5, end=-5, stride=-2)
case("linearSpace", [], np.linspace(-1, 1, 7, dtype=np.float32), start=-1, end=1, count=7)
case("zeros", [], np.zeros((2, 3), np.float32), shape=[2, 3])
case("ones", [], np.ones((2, 3), np.float32), shape=[2, 3])
case("repeating", [], np.full((3, 2), 2.5, np.float32), shape=[3, 2], value=2.5)

# Replacement along an axis at per-element indices, with a tensor and with a number.
for kind, shape in itertools.product(["Float", "Int32"], [(2, 3), (4, 3, 5)]):
    x = numbers(shape, kind)
    for axis in range(-len(shape), len(shape)):
        size = list(shape)
        size[axis] = 2
        places = np.argsort(random.random(shape), axis).take([0, 1], axis).astype(np.int32)
        update = numbers(size, kind)
        expected = x.copy()
        np.put_along_axis(expected, places, update, axis)
        case("replaceAlong", [x, update, places], expected, axis=axis)
        expected = x.copy()
        np.put_along_axis(expected, places, TYPES[kind](9), axis)
        case("replaceNumberAlong", [x, places], expected, axis=axis, value=9)

# Omitted arguments.
x = numbers((2, 3, 4))
case("reverse", [x], np.flip(x), axes=[])
for reps in [[3], [2, 1], [2, 1, 1, 2]]:
    case("tile", [x], np.tile(x, reps), multiples=reps)
case("cumulativeSum", [x], np.cumsum(x, 0))
case("cumulativeProduct", [x], np.cumprod(x, 0))
case("squeezeAt", [x[:1]], x[0], axes=[0, 1])
case("resize", [x], resized(x, 5, 9, "nearest"), size=[5, 9])

path = pathlib.Path(__file__).parent.parent / "Tests/Cases/numpy/tensors.json"
with path.open("w") as file:
    file.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")
print(f"{len(cases)} cases in {path}")
