#!/usr/bin/env python3
"""Writes cases of the differential tests with expected values from numpy and torch.

Writes Tests/Cases/{elementwise,activation,reduction,normalization,compression}.json. These files have later cases that
this script does not make and would remove, so run it in a copy of the tree. Needs numpy, scipy and torch.
usage: tools/make-cases.py
"""
import json, os
import numpy as np, torch
import torch.nn.functional as F

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Tests", "Cases")
rng = np.random.default_rng(7)


def value(a, const=None):
    a = np.asarray(a)
    word = {"float32": "fp32", "int32": "int32", "bool": "bool", "float16": "fp16", "uint8": "uint8", "int8": "int8"}[str(a.dtype)]
    def one(x):
        if a.dtype == bool: return int(x)
        if a.dtype.kind in "iu": return int(x)
        x = float(x)
        return "nan" if x != x else "inf" if x == float("inf") else "-inf" if x == float("-inf") else float(np.float32(x))
    flat = [one(x) for x in a.ravel()]
    d = {word: flat if a.ndim else flat[0], "shape": list(a.shape)}
    if const is not None: d["const"] = const
    return d


def case(op, inputs, expected=None, rows=None, name=None, rtol=2e-5, atol=1e-6):
    c = {"op": op}
    if name: c["name"] = name
    c["inputs"] = {k: v if isinstance(v, (dict, int, str, bool, list)) else value(v) for k, v in inputs.items()}
    if rtol != 1e-5: c["rtol"] = rtol
    if atol != 1e-6: c["atol"] = atol
    if rows: c["rows"] = rows
    if expected is not None: c["expected"] = [value(e) for e in expected]
    return c


def f32(*shape, low=None, high=None):
    if low is not None: return (low + (high - low) * rng.random(shape)).astype(np.float32)
    return rng.standard_normal(shape).astype(np.float32)


def write(name, cases):
    with open(os.path.join(OUT, name + ".json"), "w") as f:
        f.write("[\n" + ",\n".join("  " + json.dumps(c) for c in cases) + "\n]\n")


T = torch.from_numpy
edge = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-30, 65504, -3.5, 0.5, 1.5, 2.5], np.float32)

# ---- elementwise
from scipy import special
cases = [
    {"op": "const", "inputs": {"val": 3}, "expected": [3]},
    {"op": "identity", "inputs": {"x": [1, 2]}, "expected": [[1, 2]]},
]
unary = {"abs": np.abs, "acos": np.arccos, "asin": np.arcsin, "atan": np.arctan, "atanh": np.arctanh, "ceil": np.ceil, "cos": np.cos, "cosh": np.cosh,
         "erf": special.erf, "exp": np.exp, "exp2": np.exp2, "floor": np.floor, "round": np.round, "sign": np.sign, "sin": np.sin, "sinh": np.sinh,
         "sqrt": np.sqrt, "square": np.square, "tan": np.tan, "tanh": np.tanh}
with np.errstate(all="ignore"):
    for op, fn in unary.items():
        x = f32(3, 37, low=-0.95, high=0.95) if op in ("acos", "asin", "atanh") else f32(3, 37) * 3
        if op == "sqrt": x = np.abs(x)
        cases.append(case(op, {"x": x}, [fn(x.astype(np.float64)).astype(np.float32)], [op + ".vector"], atol=2e-6))
        if op in ("abs", "ceil", "floor", "round", "square", "exp", "tanh", "erf"):
            cases.append(case(op, {"x": edge}, [fn(edge.astype(np.float64)).astype(np.float32)], name="edges"))
    xi = rng.integers(-9, 9, (4, 7)).astype(np.int32)
    cases += [case("abs", {"x": xi}, [np.abs(xi)], ["abs.vector"]), case("sign", {"x": xi}, [np.sign(xi)]), case("square", {"x": xi}, [xi * xi])]
    x = f32(5, 13) * 2
    cases += [
        case("clip", {"x": x, "alpha": np.float32(-0.5), "beta": np.float32(1.25)}, [np.clip(x, -0.5, 1.25)], ["clip.vector"]),
        case("clip", {"x": edge, "alpha": np.float32(-0.5), "beta": np.float32(1.25)}, [np.clip(edge, -0.5, 1.25)], name="edges"),
        case("threshold", {"x": x, "alpha": np.float32(0.3)}, [np.maximum(x, np.float32(0.3))], ["threshold.vector"]),
        case("inverse", {"x": x, "epsilon": np.float32(0.1)}, [1 / (x.astype(np.float64) + np.float32(0.1))][0:0] or [(1 / (x.astype(np.float64) + np.float64(np.float32(0.1)))).astype(np.float32)], ["inverse.vector"], rtol=1e-4),
        case("log", {"x": np.abs(x), "epsilon": np.float32(0.01)}, [np.log(np.abs(x).astype(np.float64) + np.float64(np.float32(0.01))).astype(np.float32)], ["log.vector"]),
        case("rsqrt", {"x": np.abs(x), "epsilon": np.float32(0.01)}, [(1 / np.sqrt(np.abs(x).astype(np.float64) + np.float64(np.float32(0.01)))).astype(np.float32)], ["rsqrt.vector"]),
        case("logical_not", {"x": np.array([True, False, True])}, [np.array([False, True, False])], ["logical_not.vector"]),
        case("cast", {"x": np.array([1.7, -1.7, 0, 300, -5e9, np.nan], np.float32), "dtype": "int32"}, [np.array([1, -1, 0, 300, -2147483648, 0], np.int32)], ["cast.vector"]),
        case("cast", {"x": np.array([1.7, 0, -2], np.float32), "dtype": "bool"}, [np.array([True, False, True])], ["cast.vector"]),
        case("cast", {"x": np.array([3, -4], np.int32), "dtype": "fp32"}, [np.array([3, -4], np.float32)], ["cast.vector"]),
        case("cast", {"x": np.array([0.1, 65520, 1e-8], np.float32), "dtype": "fp16"}, [np.array([0.1, np.inf, 1e-8], np.float32).astype(np.float16)], ["cast.vector"]),
        case("cast", {"x": np.array([300, -300], np.int32), "dtype": "int8"}, [np.array([127, -128], np.int8)]),
    ]
    binary = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "real_div": np.divide, "maximum": np.maximum, "minimum": np.minimum,
              "floor_div": np.floor_divide, "mod": np.mod, "pow": np.power, "equal": np.equal, "not_equal": np.not_equal, "greater": np.greater,
              "greater_equal": np.greater_equal, "less": np.less, "less_equal": np.less_equal}
    shapes = [((2, 3, 5), (2, 3, 5)), ((2, 3, 5), (3, 1)), ((1, 5), (4, 1)), ((7,), ()), ((), (2, 2)), ((2, 1, 4, 1), (3, 1, 6)), ((0, 3), (3,))]
    for op, fn in binary.items():
        for n, (a, b) in enumerate(shapes):
            x, y = f32(*a), f32(*b)
            if op == "pow": x = np.abs(x)
            if op in ("floor_div", "mod"): x, y = x * 5, np.sign(y) * (np.abs(y) + 0.5) if y.size else y
            if op in ("equal", "not_equal", "greater_equal", "less_equal"): x, y = np.round(x), np.round(y)
            x, y = np.asarray(x, np.float32), np.asarray(y, np.float32)
            r = fn(x, y)
            cases.append(case(op, {"x": x, "y": value(y, False)}, [r if r.dtype == bool else r.astype(np.float32)], [op + ".vector"] if r.size else None, rtol=1e-4, atol=1e-5))
        a, b = rng.integers(-9, 9, (3, 4)).astype(np.int32), rng.integers(1, 5, (4,)).astype(np.int32)
        if op in ("pow", "real_div"): continue
        r = fn(a, b)
        cases.append(case(op, {"x": a, "y": value(b, False)}, [r if r.dtype == bool else r.astype(np.int32)]))
    for op, fn in {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}.items():
        a, b = rng.random((3, 5)) > 0.5, rng.random((5,)) > 0.5
        cases.append(case(op, {"x": a, "y": value(b, False)}, [fn(a, b)], [op + ".vector"]))
    c, a, b = rng.random((3, 1)) > 0.5, f32(3, 4), f32(4)
    cases += [case("select", {"cond": c, "a": a, "b": value(b, False)}, [np.where(c, a, b)], ["select.vector"]),
              case("select", {"cond": c, "a": a.astype(np.int32), "b": value(np.array(3, np.int32), False)}, [np.where(c, a.astype(np.int32), 3).astype(np.int32)], ["select.vector"])]
write("elementwise", cases)

# ---- activation
x = f32(2, 3, 5) * 3
t = T(x)
v = np.float32
cases = [
    case("relu", {"x": x}, [F.relu(t).numpy()], ["relu.vector"]), case("relu6", {"x": x * 4}, [F.relu6(t * 4).numpy()], ["relu6.vector"]),
    case("sigmoid", {"x": x * 5}, [torch.sigmoid(t * 5).numpy()], ["sigmoid.vector"]), case("silu", {"x": x}, [F.silu(t).numpy()], ["silu.vector"]),
    case("softplus", {"x": x * 20}, [np.logaddexp(0, x.astype(np.float64) * 20).astype(np.float32)], ["softplus.vector"]), case("softsign", {"x": x}, [F.softsign(t).numpy()], ["softsign.vector"]),
    case("gelu", {"x": x}, [F.gelu(t).numpy()], ["gelu.vector"], atol=2e-6), case("gelu", {"x": x, "mode": "TANH_APPROXIMATION"}, [F.gelu(t, approximate="tanh").numpy()], ["gelu.vector"], atol=2e-6),
    case("gelu", {"x": x, "mode": "SIGMOID_APPROXIMATION"}, [(t * torch.sigmoid(1.702 * t)).numpy()], ["gelu.vector"], atol=2e-6),
    case("clamped_relu", {"x": x, "alpha": v(0.2), "beta": v(2)}, [torch.minimum(F.leaky_relu(t, 0.2), torch.tensor(2.0)).numpy()], ["clamped_relu.vector"]),
    case("elu", {"x": x, "alpha": v(0.7)}, [F.elu(t, 0.7).numpy()], ["elu.vector"]), case("elu", {"x": x}, [F.elu(t).numpy()]),
    case("leaky_relu", {"x": x, "alpha": v(0.3)}, [F.leaky_relu(t, 0.3).numpy()], ["leaky_relu.vector"]),
    case("linear_activation", {"x": x, "alpha": v(0.5), "beta": v(-1)}, [(0.5 * t - 1).numpy()], ["linear_activation.vector"]),
    case("scaled_tanh", {"x": x, "alpha": v(1.7), "beta": v(0.6)}, [(1.7 * torch.tanh(0.6 * t)).numpy()], ["scaled_tanh.vector"]),
    case("sigmoid_hard", {"x": x}, [torch.clamp(0.2 * t + 0.5, 0, 1).numpy()], ["sigmoid_hard.vector"]),
    case("thresholded_relu", {"x": x, "alpha": v(0.4)}, [torch.where(t >= 0.4, t, torch.zeros(())).numpy()], ["thresholded_relu.vector"]),
]
al = f32(3)
cases += [case("prelu", {"x": x, "alpha": value(al, True)}, [F.prelu(t, T(al)).numpy()], ["prelu.vector"]),
          case("softplus_parametric", {"x": x, "alpha": value(al, True), "beta": value(np.abs(al), True)}, [(T(al)[None, :, None] * torch.log1p(torch.exp(T(np.abs(al))[None, :, None] * t))).numpy()], ["prelu.vector"], rtol=1e-4)]
for axis in (-1, 0, 1, 2): cases.append(case("softmax", {"x": x * 10, "axis": axis}, [F.softmax(t * 10, axis).numpy()], ["softmax.vector"]))
write("activation", cases)

# ---- reduction
cases = []
x = f32(2, 3, 4, 5)
d = x.astype(np.float64)
red = {"reduce_sum": np.sum, "reduce_mean": np.mean, "reduce_prod": np.prod, "reduce_max": np.max, "reduce_min": np.min, "reduce_l1_norm": lambda a, **k: np.sum(np.abs(a), **k),
       "reduce_l2_norm": lambda a, **k: np.sqrt(np.sum(a * a, **k)), "reduce_sum_square": lambda a, **k: np.sum(a * a, **k), "reduce_log_sum": lambda a, **k: np.log(np.sum(a, **k)),
       "reduce_log_sum_exp": lambda a, **k: np.log(np.sum(np.exp(a), **k))}
for op, fn in red.items():
    s, sd = (np.abs(x), np.abs(d)) if op == "reduce_log_sum" else (x, d)
    for axes, keep, row in (([1], True, True), ([-1], False, True), ([2, 3], False, True), ([0, 2], True, False), (None, False, True)):
        i = {"x": s}
        if axes is not None: i["axes"] = axes
        i["keep_dims"] = keep
        r = fn(sd, axis=None if axes is None else tuple(axes), keepdims=keep)
        cases.append(case(op, i, [np.asarray(r, np.float32)], [op + ".vector"] if row else None, atol=1e-5))
xi = rng.integers(-5, 5, (3, 4)).astype(np.int32)
for op, fn in (("reduce_sum", np.sum), ("reduce_max", np.max), ("reduce_min", np.min), ("reduce_prod", np.prod)):
    cases.append(case(op, {"x": xi, "axes": [1]}, [fn(xi, axis=1).astype(np.int32)], [op + ".vector"]))
for op, fn in (("reduce_argmax", np.argmax), ("reduce_argmin", np.argmin)):
    cases += [case(op, {"x": x, "axis": a, "keep_dims": k}, [np.asarray(np.expand_dims(fn(x, axis=a), a) if k else fn(x, axis=a), np.int32)], [op + ".vector"]) for a, k in ((1, False), (-1, True), (0, False))]
    cases.append(case(op, {"x": xi, "axis": 0, "keep_dims": False}, [fn(xi, axis=0).astype(np.int32)], [op + ".vector"]))
for ex, rev in ((False, False), (True, False), (False, True), (True, True)):
    r = np.flip(d, 1) if rev else d
    r = np.cumsum(r, 1) - (r if ex else 0)
    cases.append(case("cumsum", {"x": x, "axis": 1, "exclusive": ex, "reverse": rev}, [(np.flip(r, 1) if rev else r).astype(np.float32)], ["cumsum.vector"], atol=1e-5))
for asc in (True, False):
    o = np.argsort(d if asc else -d, axis=2, kind="stable")
    cases.append(case("argsort", {"x": x, "axis": 2, "ascending": asc}, [o.astype(np.int32)]))
    k = np.take(o, range(2), 2)
    cases.append(case("topk", {"x": x, "k": 2, "axis": 2, "ascending": asc}, [np.take_along_axis(x, k, 2), k.astype(np.int32)]))
cases.append(case("topk", {"x": x, "k": 1, "return_indices": False}, [np.max(x, -1, keepdims=True)]))
write("reduction", cases)

# ---- normalization
cases = []
for shape in ((2, 3, 5), (2, 3, 4, 5), (1, 4, 2, 3, 2)):
    x = f32(*shape); t = T(x); c = shape[1]
    m, va, g, b = f32(c), f32(c, low=0.5, high=2), f32(c), f32(c)
    k = lambda a: value(a, True)
    cases.append(case("batch_norm", {"x": x, "mean": k(m), "variance": k(va), "gamma": k(g), "beta": k(b), "epsilon": v(1e-3)}, [F.batch_norm(t, T(m), T(va), T(g), T(b), False, 0, 1e-3).numpy()], ["batch_norm.vector"], atol=1e-5))
    cases.append(case("batch_norm", {"x": x, "mean": k(m), "variance": k(va)}, [F.batch_norm(t, T(m), T(va), None, None, False, 0, 1e-5).numpy()], atol=1e-5))
    if len(shape) < 5:
        cases.append(case("instance_norm", {"x": x, "gamma": k(g), "beta": k(b), "epsilon": v(1e-3)}, [F.instance_norm(t, None, None, T(g), T(b), True, 0, 1e-3).numpy()], ["instance_norm.vector"], atol=1e-5))
    cases.append(case("instance_norm", {"x": x}, [F.instance_norm(t).numpy()], atol=1e-5))
    for last in (1, 2):
        n = shape[-last:]; g2, b2 = f32(*n), f32(*n)
        cases.append(case("layer_norm", {"x": x, "axes": [-a for a in range(last, 0, -1)], "gamma": k(g2), "beta": k(b2), "epsilon": v(1e-4)}, [F.layer_norm(t, n, T(g2), T(b2), 1e-4).numpy()], ["layer_norm.rows"], atol=1e-5))
    mu, sd = x.mean(1, keepdims=True), x.std(1, keepdims=True)
    cases.append(case("layer_norm", {"x": x, "axes": [1]}, [((x - mu) / np.sqrt(sd ** 2 + 1e-5)).astype(np.float32)], rtol=1e-4, atol=1e-5))
    cases.append(case("l2_norm", {"x": x, "epsilon": v(1e-3)}, [(x / np.sqrt((x.astype(np.float64) ** 2).sum((-3, -2, -1), keepdims=True) + 1e-3)).astype(np.float32)], ["l2_norm.rows"], atol=1e-5))
    for size in (1, 3, 4):
        cases.append(case("local_response_norm", {"x": x, "size": size, "alpha": v(0.5), "beta": v(0.6), "k": v(1.5)}, [F.local_response_norm(t, size, 0.5, 0.6, 1.5).numpy()], ["local_response_norm.vector"], rtol=1e-4, atol=1e-5))
write("normalization", cases)

# ---- compression, random, classify
u8 = rng.integers(0, 255, (4, 6)).astype(np.uint8)
sc, zp = f32(4), rng.integers(0, 9, (4,)).astype(np.uint8)
lut = f32(1, 1, 4, 1)
ind = rng.integers(0, 4, (4, 6)).astype(np.uint8)
mask = (rng.random((4, 6)) > 0.5).astype(np.uint8)
nz = f32(int(mask.sum()))
dense = np.zeros((4, 6), np.float32); dense[mask == 1] = nz
bs, bo = f32(2, 3), rng.integers(0, 4, (2, 3)).astype(np.uint8)
up = lambda a: np.repeat(np.repeat(a, 2, 0), 2, 1)
lut2 = f32(2, 1, 4, 1)
vec = f32(1, 1, 4, 2)
i8 = (u8.astype(np.int16) - 128).astype(np.int8)
cases = [
    case("constexpr_affine_dequantize", {"quantized_data": u8, "zero_point": zp, "scale": sc, "axis": 0}, [((u8.astype(np.float64) - zp[:, None]) * sc[:, None]).astype(np.float32)], atol=1e-4),
    case("constexpr_cast", {"source_val": np.array([0.5, 2], np.float16), "output_dtype": "fp32"}, [np.array([0.5, 2], np.float32)]),
    case("constexpr_lut_to_dense", {"indices": ind, "lut": lut}, [lut.ravel()[ind]]),
    case("constexpr_lut_to_dense", {"indices": ind, "lut": lut2}, [np.where(np.arange(4)[:, None] < 2, lut2[0].ravel()[ind], lut2[1].ravel()[ind])], name="two palettes"),
    case("constexpr_lut_to_dense", {"indices": ind, "lut": vec, "vector_axis": 0}, [np.stack([vec[0, 0, :, 0][ind], vec[0, 0, :, 1][ind]], 1).reshape(8, 6)], name="vectors"),
    case("constexpr_sparse_to_dense", {"nonzero_data": nz, "mask": mask}, [dense]),
    case("constexpr_blockwise_shift_scale", {"data": u8, "scale": bs, "offset": bo}, [((u8.astype(np.float64) - up(bo)) * up(bs)).astype(np.float32)], atol=1e-4),
    case("constexpr_blockwise_shift_scale", {"data": u8, "scale": bs}, [(u8.astype(np.float64) * up(bs)).astype(np.float32)], atol=1e-4),
    case("constexpr_lut_to_sparse", {"indices_mask": mask, "indices_nonzero_data": ind[mask == 1], "lut": lut}, [mask, lut.ravel()[ind[mask == 1]]]),
    case("constexpr_sparse_blockwise_shift_scale", {"data_mask": mask, "nonzero_data": u8[mask == 1], "scale": bs, "offset": bo}, [mask, ((u8.astype(np.float64) - up(bo)) * up(bs)).astype(np.float32)[mask == 1]], atol=1e-4),
    case("quantize", {"input": f32(4, 5) * 20, "scale": np.array([0.1, 0.2, 0.3, 0.4], np.float32), "zero_point": np.array([0, 1, -2, 3], np.int8), "axis": 0, "output_dtype": "int8"}),
    case("dequantize", {"input": u8, "scale": v(0.25), "zero_point": np.uint8(3)}, [((u8.astype(np.float32) - 3) * 0.25)]),
    case("dequantize", {"input": i8, "scale": sc, "axis": 0}, [i8.astype(np.float64) * sc[:, None]], rows=["dequantize.vector"], name="an axis"),
    case("random_bernoulli", {"shape": [3], "prob": v(1.0), "seed": 1}, [np.ones(3, np.float32)]),
    case("random_uniform", {"shape": [3], "low": v(2.0), "high": v(2.0), "seed": 1}, [np.full(3, 2, np.float32)]),
    case("random_normal", {"shape": [3], "mean": v(4.0), "stddev": v(0.0), "seed": 1}, [np.full(3, 4, np.float32)]),
    case("random_categorical", {"x": np.array([[0, 0, 1]], np.float32), "mode": "probs", "size": 4, "seed": 1}, [np.full((1, 4), 2, np.float32)]),
    {"op": "classify", "inputs": {"probabilities": value(np.array([0.1, 0.7, 0.2], np.float32)), "classes": {"string": ["a", "b", "c"]}}, "expected": [{"string": "b"}]},
]
for one in cases:
    # Weights are constants.
    if one["op"].startswith("constexpr_"):
        for given in one["inputs"].values():
            if isinstance(given, dict): given["const"] = True
    if one["op"] in ("constexpr_affine_dequantize", "constexpr_lut_to_dense", "constexpr_sparse_to_dense", "constexpr_blockwise_shift_scale"):
        one["rows"] = ["constexpr.decoded"]
write("compression", cases)
