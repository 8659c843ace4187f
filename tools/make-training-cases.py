#!/usr/bin/env python3
"""Writes Tests/Cases/training: small updatable networks, examples, and the results of the same training in torch.

There is a folder for each network (multi-layer perceptron, convolutional, recurrent, two transformer blocks) and
optimizer (SGD, SGD with momentum, Adam). It has the model with its initial weights, `train.npz`, `inputs.npz`, the
outputs before and after, and the loss of each epoch in `meta.json`. `weights.npz` has the elements of each weight
before and after, in the layout of the format (`before_0`, `after_0`, ..).

Needs coremltools, numpy and torch. Seeds are fixed, so the output is reproducible except for insignificant bytes.
usage: tools/make-training-cases.py
"""
import json, os, shutil
import numpy as np, torch
import coremltools as ct
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder
from coremltools.proto import FeatureTypes_pb2 as ft

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Tests", "Cases", "training")
EXAMPLES, BATCH, EPOCHS, CLASSES = 10, 4, 3, 3
# Adam divides by the magnitude of the gradient. For a weight without influence on the loss (the bias of an attention's
# keys) it would turn rounding errors, which differ between programs, into steps. A large eps prevents that.
EPS = 1e-4
OPTIMISERS = {"sgd": 0.05, "momentum": 0.03, "adam": 0.01}


class Net:
    """A network in two forms: layers of a builder, and the same function in torch with the same weights."""

    def __init__(self, seed, shape, exact):
        self.rng = np.random.default_rng(seed)
        self.shape, self.w = shape, {}
        self.builder = NeuralNetworkBuilder(
            [("x", datatypes.Array(*shape))], [(self.output, datatypes.Array(self.classes))], disable_rank5_shape_mapping=exact)

    def weight(self, name, *shape, scale=None):
        value = (self.rng.standard_normal(shape) * (scale or 1 / np.sqrt(np.prod(shape[1:]) or 1))).astype(np.float32)
        self.w[name] = torch.tensor(value, requires_grad=True)
        return value

    output, classes, loss = "prob", CLASSES, "cce"


class Perceptron(Net):
    def __init__(self):
        super().__init__(1, (6,), False)
        b = self.builder
        b.add_inner_product("ip1", self.weight("w1", 8, 6), self.weight("b1", 8), 6, 8, True, "x", "h")
        b.add_activation("tanh", "TANH", "h", "t")
        b.add_inner_product("ip2", self.weight("w2", 3, 8), self.weight("b2", 3), 8, 3, True, "t", "y")
        b.add_softmax("softmax", "y", "prob")

    def forward(self, x):
        w = self.w
        return torch.tanh(x @ w["w1"].T + w["b1"]) @ w["w2"].T + w["b2"]


class Convolutional(Net):
    def __init__(self):
        super().__init__(2, (1, 8, 8), False)
        b = self.builder
        def conv(name, k, cin, cout, x, y):
            b.add_convolution(name, cin, cout, k, k, 1, 1, "same", 1, np.transpose(self.weight("w" + name, cout, cin, k, k), (2, 3, 1, 0)), self.weight("b" + name, cout),
                              True, input_name=x, output_name=y)
        conv("c1", 3, 1, 4, "x", "a")
        b.add_activation("r1", "RELU", "a", "b")
        b.add_pooling("p1", 2, 2, 2, 2, "MAX", "VALID", "b", "c")
        conv("c2", 3, 4, 5, "c", "d")
        b.add_activation("r2", "SIGMOID", "d", "e")
        b.add_pooling("p2", 2, 2, 2, 2, "AVERAGE", "VALID", "e", "f")
        b.add_flatten("flat", 0, "f", "g")
        b.add_inner_product("ip", self.weight("w3", 3, 20), self.weight("b3", 3), 20, 3, True, "g", "y")
        b.add_softmax("softmax", "y", "prob")

    def forward(self, x):
        w, F = self.w, torch.nn.functional
        x = F.max_pool2d(torch.relu(F.conv2d(x, w["wc1"], w["bc1"], padding=1)), 2)
        x = F.avg_pool2d(torch.sigmoid(F.conv2d(x, w["wc2"], w["bc2"], padding=1)), 2)
        return x.flatten(1) @ w["w3"].T + w["b3"]


class Recurrent(Net):
    output, classes, loss = "y", 2, "mse"

    def __init__(self):
        super().__init__(3, (5, 1, 3, 1, 1), False)
        b = self.builder
        gates = lambda name, *shape: [self.weight(f"{name}{g}", *shape) for g in range(4)]
        b.add_unilstm("lstm", gates("h", 4, 4), gates("x", 4, 3), gates("b", 4), 4, 3, ["x"], ["s", "sh", "sc"])
        b.add_inner_product("ip", self.weight("w", 2, 4), self.weight("c", 2), 4, 2, True, "s", "y")

    def forward(self, x):
        w = self.w
        x = x[:, :, 0, :, 0, 0]
        h = c = torch.zeros(x.shape[0], 4)
        for t in range(x.shape[1]):
            i, f, o, g = (x[:, t] @ w[f"x{k}"].T + h @ w[f"h{k}"].T + w[f"b{k}"] for k in range(4))
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return h @ w["w"].T + w["c"]


class Transformer(Net):
    D, T = 6, 4

    def __init__(self):
        super().__init__(4, (1, self.T, self.D), True)
        b, D, x = self.builder, self.D, "x"
        def linear(name, x, y, n, m):
            w = self.weight("w" + name, m, n)
            b.add_batched_mat_mul(name, [x], y, weight_matrix_rows=n, weight_matrix_columns=m, W=w.T.copy(), bias=self.weight("b" + name, m))
        def norm(name, x, y):
            b.add_layer_normalization(name, x, y, [D], 1 + self.weight("g" + name, D, scale=0.1), self.weight("e" + name, D, scale=0.1), 1e-5)
            self.w["g" + name].data += 1
        for k in "12":
            norm("n" + k, x, "n" + k)
            for part in "qkv": linear(part + k, "n" + k, part + k, D, D)
            b.add_batched_mat_mul("s" + k, ["q" + k, "k" + k], "s" + k, transpose_b=True)
            b.add_elementwise("c" + k, ["s" + k], "c" + k, "MULTIPLY", alpha=float(1 / np.sqrt(D)))
            b.add_softmax_nd("a" + k, "c" + k, "a" + k, -1)
            b.add_batched_mat_mul("m" + k, ["a" + k, "v" + k], "m" + k)
            linear("o" + k, "m" + k, "o" + k, D, D)
            b.add_add_broadcastable("r" + k, [x, "o" + k], "r" + k)
            norm("l" + k, "r" + k, "l" + k)
            linear("u" + k, "l" + k, "u" + k, D, 8)
            b.add_gelu("t" + k, "u" + k, "t" + k, "EXACT")
            linear("d" + k, "t" + k, "d" + k, 8, D)
            b.add_add_broadcastable("x" + k, ["r" + k, "d" + k], "x" + k)
            x = "x" + k
        b.add_reduce_mean("mean", x, "mean", axes=[1], keepdims=False)
        linear("head", "mean", "y", D, 3)
        b.add_softmax_nd("softmax", "y", "prob", -1)

    def forward(self, x):
        w, F = self.w, torch.nn.functional
        x = x.reshape(-1, self.T, self.D)
        linear = lambda name, x: x @ w["w" + name].T + w["b" + name]
        norm = lambda name, x: F.layer_norm(x, (self.D,), w["g" + name], w["e" + name], 1e-5)
        for k in "12":
            n = norm("n" + k, x)
            q, key, v = (linear(p + k, n) for p in "qkv")
            a = torch.softmax(q @ key.transpose(1, 2) * float(np.float32(1 / np.sqrt(self.D))), -1)
            x = x + linear("o" + k, a @ v)
            x = x + linear("d" + k, F.gelu(linear("u" + k, norm("l" + k, x))))
        return linear("head", x.mean(1))


def updatable(net, optimiser):
    """The builder's model with all weights updatable, a loss and an optimizer."""
    spec = net.builder.spec
    spec.isUpdatable, spec.specificationVersion = True, max(spec.specificationVersion, 4)
    network = spec.neuralNetwork
    for layer in network.layers:
        marked = False
        def mark(message):
            nonlocal marked
            for field, value in message.ListFields():
                for part in (value if field.is_repeated else [value]) if field.type == field.TYPE_MESSAGE else []:
                    if field.message_type.name == "WeightParams" and len(part.floatValue): part.isUpdatable = marked = True
                    elif field.message_type.name != "WeightParams": mark(part)
        mark(getattr(layer, layer.WhichOneof("layer")))
        layer.isUpdatable = marked
    params = network.updateParams
    loss = params.lossLayers.add()
    loss.name, target = "loss", net.output + "_true"
    own = loss.categoricalCrossEntropyLossLayer if net.loss == "cce" else loss.meanSquaredErrorLossLayer
    own.input, own.target = net.output, target
    def put(parameter, value):
        parameter.defaultValue = value
        if isinstance(value, int): parameter.range.minValue, parameter.range.maxValue = 1, 1000
        else: parameter.range.maxValue = 1.0
    own = params.optimizer.adamOptimizer if optimiser == "adam" else params.optimizer.sgdOptimizer
    put(own.learningRate, OPTIMISERS[optimiser])
    put(own.miniBatchSize, BATCH)
    if optimiser == "adam":
        put(own.beta1, 0.9); put(own.beta2, 0.999); put(own.eps, EPS)
    else: put(own.momentum, 0.9 if optimiser == "momentum" else 0.0)
    put(params.epochs, EPOCHS)
    params.shuffle.defaultValue = False
    x = spec.description.trainingInput.add()
    x.CopyFrom(spec.description.input[0])
    y = spec.description.trainingInput.add()
    y.name = target
    y.type.multiArrayType.shape.append(1 if net.loss == "cce" else net.classes)
    y.type.multiArrayType.dataType = ft.ArrayFeatureType.INT32 if net.loss == "cce" else ft.ArrayFeatureType.FLOAT32
    return spec


def weights_of(message):
    """Yields all updatable weights of a message, recursively."""
    for field, value in message.ListFields():
        for part in (value if field.is_repeated else [value]) if field.type == field.TYPE_MESSAGE else []:
            if field.message_type.name != "WeightParams": yield from weights_of(part)
            elif part.isUpdatable: yield np.array(part.floatValue, np.float32)


def layouts(spec, net):
    """For each of torch's weights, its index in the model and its layout: unchanged or transposed.

    Every weight of the model must match exactly one of torch's.
    """
    found, left = {}, list(weights_of(spec.neuralNetwork))
    for name, value in net.w.items():
        value = value.detach().numpy()
        ways = [lambda w: w.ravel()] + ([lambda w: w.T.ravel()] if value.ndim == 2 else [])
        place, way = next((i, way) for i, own in enumerate(left) for way in ways if np.array_equal(own, way(value)))
        found[name] = way
        del left[place]
    assert not left, f"{len(left)} weights of the model are none of torch's"
    return lambda: [way(net.w[name].detach().numpy()).copy() for name, way in found.items()]


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    torch.set_num_threads(1)
    for kind in (Perceptron, Convolutional, Recurrent, Transformer):
        for optimiser, rate in OPTIMISERS.items():
            net = kind()
            spec, rng = updatable(net, optimiser), np.random.default_rng(100)
            x = rng.standard_normal((EXAMPLES,) + net.shape).astype(np.float32)
            y = rng.integers(0, CLASSES, EXAMPLES).astype(np.int32) if net.loss == "cce" else rng.standard_normal((EXAMPLES, net.classes)).astype(np.float32)
            folder = os.path.join(OUT, f"{kind.__name__.lower()}-{optimiser}")
            os.makedirs(folder)
            ct.utils.save_spec(spec, os.path.join(folder, "model.mlmodel"))
            weights = list(net.w.values())
            make = {"sgd": lambda: torch.optim.SGD(weights, lr=rate), "momentum": lambda: torch.optim.SGD(weights, lr=rate, momentum=0.9),
                    "adam": lambda: torch.optim.Adam(weights, lr=rate, eps=EPS)}[optimiser]
            def predict():
                with torch.no_grad():
                    out = net.forward(torch.tensor(x[:4]))
                    return (torch.softmax(out, -1) if net.loss == "cce" else out).numpy()
            np.savez(os.path.join(folder, "expected_before.npz"), **{net.output: predict()})
            numbers = layouts(spec, net)
            before = numbers()
            optimizer, losses = make(), []
            for _ in range(EPOCHS):
                total = 0
                for start in range(0, EXAMPLES, BATCH):
                    xs, ys = torch.tensor(x[start:start + BATCH]), torch.tensor(y[start:start + BATCH])
                    out = net.forward(xs)
                    loss = torch.nn.functional.cross_entropy(out, ys.long()) if net.loss == "cce" else torch.nn.functional.mse_loss(out, ys)
                    optimizer.zero_grad(); loss.backward(); optimizer.step()
                    total += loss.item() * len(xs)
                losses.append(total / EXAMPLES)
            np.savez(os.path.join(folder, "expected_after.npz"), **{net.output: predict()})
            np.savez_compressed(os.path.join(folder, "weights.npz"), **{f"{moment}_{i}": w for moment, all in (("before", before), ("after", numbers())) for i, w in enumerate(all)})
            np.savez(os.path.join(folder, "train.npz"), **{"x": x, net.output + "_true": y})
            np.savez(os.path.join(folder, "inputs.npz"), x=x[:4])
            meta = {"training_inputs": ["x", net.output + "_true"], "torch_loss_per_epoch": losses}
            open(os.path.join(folder, "meta.json"), "w").write(json.dumps(meta) + "\n")


main()
