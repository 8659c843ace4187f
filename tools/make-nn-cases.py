#!/usr/bin/env python3
"""Writes Tests/Cases/nn.json: cases of the `nn.` operations.

The expected values come from torch, or from numpy in fp64 with the equations of the layers. Needs numpy and torch.
Seeds are fixed, so the output is reproducible. usage: tools/make-nn-cases.py
"""
import json, os
import numpy as np, torch

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Tests", "Cases", "nn.json")
rng = np.random.default_rng(11)
WORDS = {"float32": "fp32", "int32": "int32"}


def value(a, const=False):
    a = np.asarray(a)
    word = WORDS[str(a.dtype)]
    d = {word: [float(f"{x:.7g}") if word == "fp32" else int(x) for x in a.ravel()], "shape": list(a.shape)}
    if const: d["const"] = True
    return d


def f32(*shape, scale=1.0):
    return np.round(scale * rng.standard_normal(shape), 3).astype(np.float32)


def case(op, name, inputs, expected, rows, rtol=2e-5, atol=2e-6):
    return {"op": op, "name": name, "inputs": {k: value(v) if isinstance(v, np.ndarray) else v for k, v in inputs.items()}, "rtol": rtol, "atol": atol,
            "rows": rows, "expected": [value(np.asarray(e, np.int32 if np.asarray(e).dtype.kind == "i" else np.float32)) for e in expected]}


ACTIVATIONS = {
    "sigmoid": lambda x, a, b: 1 / (1 + np.exp(-x)), "tanh": lambda x, a, b: np.tanh(x), "relu": lambda x, a, b: np.maximum(x, 0),
    "linear_activation": lambda x, a, b: a * x + b, "sigmoid_hard": lambda x, a, b: np.clip(a * x + b, 0, 1),
    "scaled_tanh": lambda x, a, b: a * np.tanh(b * x),
}
PARAMETERS = {"linear_activation": (1.0, 0.0), "sigmoid_hard": (0.2, 0.5), "scaled_tanh": (1.7159, 2 / 3)}


def act(name):
    a, b = PARAMETERS.get(name, (0, 0))
    return lambda x: ACTIVATIONS[name](np.clip(x, -50, 50), a, b), lambda x: ACTIVATIONS[name](x, a, b)


def act_inputs(prefix, name):
    d = {prefix: name}
    if name in PARAMETERS:
        d[prefix + "_alpha"], d[prefix + "_beta"] = ({"fp32": float(np.float32(p))} for p in PARAMETERS[name])
    return d


def steps(x, reverse): return x[::-1] if reverse else x


def weights(gates, inputs, hidden, scale):
    return {"weight_ih": f32(gates * hidden, inputs, scale=scale), "weight_hh": f32(gates * hidden, hidden, scale=scale), "bias": f32(gates * hidden)}


def lstm(name, acts=("sigmoid", "tanh", "tanh"), s=3, b=2, n_in=3, h=4, sequence=True, reverse=False, peephole=False, coupled=False, clip=None, scale=0.5):
    w = weights(4, n_in, h, scale)
    x, h0, c0 = f32(s, b, n_in), f32(b, h), f32(b, h)
    p = f32(3 * h) if peephole else np.zeros(3 * h, np.float32)
    (f, _), (g, _), (_, out) = (act(a) for a in acts)
    H, C, seq = h0.astype(float), c0.astype(float), []
    for xt in steps(x.astype(float), reverse):
        i, fg, o, z = np.split(xt @ w["weight_ih"].T.astype(float) + H @ w["weight_hh"].T + w["bias"], 4, axis=1)
        i = f(i + p[:h] * C)
        fg = 1 - i if coupled else f(fg + p[h:2 * h] * C)
        C = np.clip(fg * C + i * g(z), -(clip or 50), clip or 50)
        H = f(o + p[2 * h:] * C) * out(C)
        seq.append(H)
    inputs = {"x": x, "initial_h": h0, "initial_c": c0, **w, "output_sequence": sequence}
    if peephole: inputs["peephole"] = p
    if coupled: inputs["coupled_gates"] = True
    if clip: inputs["clip"] = {"fp32": clip}
    if reverse: inputs["direction"] = "reverse"
    for prefix, a in zip(("recurrent_activation", "cell_activation", "activation"), acts): inputs.update(act_inputs(prefix, a))
    return case("nn.lstm", name, inputs, [np.stack(seq) if sequence else seq[-1][None], H, C], ["nn.lstm.cell"])


def gru(name, acts=("sigmoid", "tanh"), s=3, b=2, n_in=3, h=4, sequence=True, reverse=False, scale=0.5):
    w = weights(3, n_in, h, scale)
    x, h0 = f32(s, b, n_in), f32(b, h)
    (f, _), (g, _) = (act(a) for a in acts)
    H, seq = h0.astype(float), []
    wi, wr, wz = np.split(w["weight_hh"].astype(float), 3)[0], np.split(w["weight_hh"].astype(float), 3)[1], np.split(w["weight_hh"].astype(float), 3)[2]
    for xt in steps(x.astype(float), reverse):
        r, o, z = np.split(xt @ w["weight_ih"].T.astype(float) + w["bias"], 3, axis=1)
        r, z = f(r + H @ wi.T), f(z + H @ wz.T)
        H = (1 - z) * g(o + (r * H) @ wr.T) + z * H
        seq.append(H)
    inputs = {"x": x, "initial_h": h0, **w, "output_sequence": sequence}
    if reverse: inputs["direction"] = "reverse"
    for prefix, a in zip(("recurrent_activation", "activation"), acts): inputs.update(act_inputs(prefix, a))
    return case("nn.gru", name, inputs, [np.stack(seq) if sequence else seq[-1][None], H], ["nn.gru.cell"])


def rnn(name, activation="tanh", s=3, b=2, n_in=3, h=4, sequence=True, reverse=False, scale=0.5):
    w = weights(1, n_in, h, scale)
    x, h0 = f32(s, b, n_in), f32(b, h)
    f, _ = act(activation)
    H, seq = h0.astype(float), []
    for xt in steps(x.astype(float), reverse):
        H = f(xt @ w["weight_ih"].T.astype(float) + H @ w["weight_hh"].T + w["bias"])
        seq.append(H)
    inputs = {"x": x, "initial_h": h0, **w, "output_sequence": sequence, **act_inputs("activation", activation)}
    if reverse: inputs["direction"] = "reverse"
    return case("nn.rnn", name, inputs, [np.stack(seq) if sequence else seq[-1][None], H], ["nn.rnn.cell"])


def torch_lstm():
    torch.manual_seed(5)
    m = torch.nn.LSTM(5, 6, 1)
    x = f32(4, 3, 5)
    h0, c0 = f32(3, 6), f32(3, 6)
    with torch.no_grad():
        y, (h, c) = m(torch.tensor(x), (torch.tensor(h0)[None], torch.tensor(c0)[None]))
    order = lambda t: np.concatenate([np.split(t.detach().numpy(), 4)[k] for k in (0, 1, 3, 2)])  # torch: i, f, z, o
    inputs = {"x": x, "initial_h": h0, "initial_c": c0, "weight_ih": order(m.weight_ih_l0), "weight_hh": order(m.weight_hh_l0),
              "bias": order(m.bias_ih_l0 + m.bias_hh_l0), "output_sequence": True, "recurrent_activation": "sigmoid", "cell_activation": "tanh", "activation": "tanh"}
    return case("nn.lstm", "torch.nn.LSTM", inputs, [y.numpy(), h.numpy()[0], c.numpy()[0]], ["nn.lstm.cell"])


x = np.array([0, -0.0, 1e-4, -0.5, 1, 3, -1000, 1e6], np.float32)
y = np.array([1, 1.0001, 1.5, 2, 10, 1e4, 1e6, 3], np.float32)
cases = [
    {**case("nn.asinh", "", {"x": x}, [np.arcsinh(x.astype(float))], []), "rows": []},
    {**case("nn.acosh", "", {"x": y}, [np.arccosh(y.astype(float))], []), "rows": []},
    lstm("forward"), lstm("last step, backward", sequence=False, reverse=True), lstm("peepholes and a clipped cell", peephole=True, clip=0.3),
    lstm("coupled gates", coupled=True, peephole=True), lstm("hard sigmoid, scaled tanh", acts=("sigmoid_hard", "scaled_tanh", "scaled_tanh")),
    lstm("gates clamped to 50", acts=("sigmoid", "linear_activation", "relu"), scale=60.0), lstm("one item", b=1, h=17, s=5), lstm("nine items", b=9, h=5),
    torch_lstm(),
    gru("forward"), gru("last step, backward", sequence=False, reverse=True), gru("hard sigmoid, relu, clamped", acts=("sigmoid_hard", "relu"), scale=60.0),
    gru("one item", b=1, h=19), gru("nine items, linear", b=9, acts=("sigmoid", "linear_activation")),
    rnn("forward"), rnn("relu, clamped, backward", activation="relu", reverse=True, scale=60.0), rnn("last step", sequence=False, b=1, h=18),
]
boxes = np.array([[[5, 5, 4, 4], [5.2, 5, 4, 4], [20, 20, 2, 2]], [[1, 1, 2, 2], [8, 8, 2, 2], [1.1, 1, 2, 2]]], np.float32)
scores = np.array([[[0.6], [0.9], [0.7]], [[0.1], [0.2], [0.15]]], np.float32)
nms = {"boxes": boxes, "scores": scores, "iou_threshold": {"fp32": 0.5}, "score_threshold": {"fp32": 0.5}, "max_boxes": 2}
cases.append({**case("nn.non_maximum_suppression", "a batch item without a box above the threshold keeps its best", nms, [
    np.array([[[5.2, 5, 4, 4], [20, 20, 2, 2]], [[8, 8, 2, 2], [0, 0, 0, 0]]]), np.array([[[0.9], [0.7]], [[0.2], [0]]]),
    np.array([[1, 2], [1, -1]]), np.array([2, 1])], []), "rows": []})
for c in cases:
    if not c["rows"]: del c["rows"]
with open(OUT, "w") as f:
    f.write("[\n" + ",\n".join("  " + json.dumps(c) for c in cases) + "\n]\n")
