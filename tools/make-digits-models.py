#!/usr/bin/env python3
"""Writes models for on-device training, from scikit-learn's handwritten digits: Tests/Cases/digits and
examples/DrawingClassifier.

Tests/Cases/digits has classifiers with ten labels, trained on eight of them. `learn.npz` has 20 examples of each of the
ten labels. `held.npz` has 500 examples for evaluation only.
- `Digits.mlmodel` has two updatable inner products, for training on all of `learn.npz`.
- `NewDigits.mlmodel` has an updatable last inner product, for training on the 40 examples of the labels 8 and 9 in
  `learn.npz`. The script selects its learning rate and number of epochs with digits that are in neither file.

examples/DrawingClassifier has a pipeline of an embedding, trained on the digits 0 to 7, and a nearest-neighbor
classifier without examples; and drawings as PNG.

Needs coremltools, numpy, scikit-learn and torch. usage: tools/make-digits-models.py
"""
import os, struct, zlib
import numpy as np, torch, torch.nn as nn
import coremltools as ct
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder
from coremltools.proto import FeatureTypes_pb2 as ft, Model_pb2
from sklearn.datasets import load_digits

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
KNOWN, PER_LABEL, HELD, SIDE = 8, 20, 500, 32


def data():
    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    return (digits.images[order] / 16).astype(np.float32)[:, None], digits.target[order]


def trained(x, y, width=8, hidden=48, smoothing=0.0):
    """Trains a small network on the labels below KNOWN; the weights of the other labels stay zero."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16 * width, hidden), nn.ReLU(), nn.Linear(hidden, 10))
    with torch.no_grad(): net[6].weight[KNOWN:], net[6].bias[KNOWN:] = 0, 0
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3, weight_decay=1e-4)
    for _ in range(600):
        rows = torch.randperm(len(x))[:64]
        loss = nn.functional.cross_entropy(net(x[rows])[:, :KNOWN], y[rows], label_smoothing=smoothing)
        optimizer.zero_grad(); loss.backward(); optimizer.step()
    return [p.detach().numpy() for p in net.parameters()]


def layers(builder, weights, x, last):
    """Adds the layers of the network up to the layer `last` ('features' or 'scores')."""
    c, cb, w1, b1, w2, b2 = weights
    width, hidden = len(cb), len(b1)
    builder.add_convolution("conv", 1, width, 3, 3, 1, 1, "same", 1, np.transpose(c, (2, 3, 1, 0)), cb, True, input_name=x, output_name="a")
    builder.add_activation("relu1", "RELU", "a", "b")
    builder.add_pooling("pool", 2, 2, 2, 2, "MAX", "VALID", "b", "c")
    builder.add_flatten("flat", 0, "c", "d")
    builder.add_inner_product("dense1", w1, b1, 16 * width, hidden, True, "d", "e")
    builder.add_activation("relu2", "RELU", "e", "features")
    if last == "scores": builder.add_inner_product("dense2", w2, b2, hidden, 10, True, "features", "scores")


def features(weights, x):
    """The input of the network's last inner product."""
    c, cb, w1, b1 = (torch.tensor(w) for w in weights[:4])
    x = nn.functional.max_pool2d(torch.relu(nn.functional.conv2d(torch.tensor(x), c, cb, padding=1)), 2)
    return torch.relu(x.flatten(1) @ w1.T + b1).numpy()


def choice(x, y, new, others):
    """(learning rate, epochs) for training on the examples `new` in mini-batches of one.

    Of the settings with an accuracy above 93 % for the known labels, it takes the one with the best accuracy for the
    new labels. It measures both on digits outside of the training: 200 with known labels, which are also excluded from
    the base network's training, and those of `others` with new labels.
    """
    unseen = np.random.default_rng(5).permutation(others[y[others] < KNOWN])[:200]
    fresh = others[y[others] >= KNOWN]
    seen = np.setdiff1d(np.where(y < KNOWN)[0], unseen)
    weights = trained(torch.tensor(x[seen]), torch.tensor(y[seen]), **WIDE)
    values, targets, best = features(weights, x), np.eye(10, dtype=np.float32), (0, 0, 0, 0)
    for rate in (0.0002, 0.0005, 0.001, 0.002, 0.005):
        w, b = weights[4].copy(), weights[5].copy()
        for epoch in range(1, 41):
            for row in new:
                scores = w @ values[row] + b
                chances = np.exp(scores - scores.max())
                slope = chances / chances.sum() - targets[y[row]]
                w -= rate * np.outer(slope, values[row])
                b -= rate * slope
            right = lambda rows: float(np.mean((values[rows] @ w.T + b).argmax(1) == y[rows]))
            if right(unseen) > 0.93: best = max(best, (right(fresh), right(unseen), rate, epoch))
    print("selected: rate %g, %d epochs; accuracy on held-out digits: %.3f for the new labels, %.3f for the known ones" % (best[2], best[3], best[0], best[1]))
    return best[2:]


WIDE = dict(width=16, hidden=256, smoothing=0.1)


def classifier(weights, path, layers_trained, rate, batch, momentum, epochs):
    builder = NeuralNetworkBuilder([("image", datatypes.Array(1, 8, 8))], [("probabilities", datatypes.Array(10))], mode="classifier")
    layers(builder, weights, "image", "scores")
    builder.add_softmax("softmax", "scores", "probabilities")
    builder.set_class_labels([str(i) for i in range(10)], predicted_feature_name="label")
    builder.make_updatable(layers_trained)
    builder.set_categorical_cross_entropy_loss(name="loss", input="probabilities")
    from coremltools.models.neural_network import SgdParams
    sgd = SgdParams(lr=rate, batch=batch, momentum=momentum)
    sgd.set_batch(batch, allowed_set=[1, 10, 20])
    builder.set_sgd_optimizer(sgd)
    builder.set_epochs(epochs, allowed_set=list(range(1, 41)))
    ct.utils.save_spec(builder.spec, path)


def drawing_classifier(weights, path):
    """Writes the pipeline: pools a 32 x 32 gray image to 8 x 8, embeds it, and finds the nearest stored drawing."""
    builder = NeuralNetworkBuilder([("drawing", datatypes.Array(1, SIDE, SIDE))], [("embedding", datatypes.Array(48))])
    builder.add_pooling("reduce", SIDE // 8, SIDE // 8, SIDE // 8, SIDE // 8, "AVERAGE", "VALID", "drawing", "small")
    layers(builder, weights, "small", "features")
    builder.add_elementwise("embedding", ["features"], "embedding", "MULTIPLY", alpha=1.0)
    builder.set_pre_processing_parameters(image_input_names=["drawing"], image_scale=1 / 255)
    network = builder.spec
    image = network.description.input[0].type.imageType
    image.width = image.height = SIDE
    image.colorSpace = ft.ImageFeatureType.GRAYSCALE
    def feature(message, name, kind):
        message.name = name
        if kind == "image": message.type.CopyFrom(network.description.input[0].type)
        elif kind == "label": message.type.stringType.SetInParent()
        elif kind == "embedding":
            message.type.multiArrayType.shape.append(48); message.type.multiArrayType.dataType = ft.ArrayFeatureType.FLOAT32
        else: message.type.dictionaryType.stringKeyType.SetInParent()
    def describe(spec, x, training):
        d = spec.description
        feature(d.input.add(), *x)
        feature(d.output.add(), "label", "label"); feature(d.output.add(), "labelProbs", "dictionary")
        d.predictedFeatureName, d.predictedProbabilitiesName = "label", "labelProbs"
        feature(d.trainingInput.add(), *training); feature(d.trainingInput.add(), "label", "label")
        spec.specificationVersion, spec.isUpdatable = 4, True
    knn = Model_pb2.Model()
    describe(knn, ("embedding", "embedding"), ("embedding", "embedding"))
    own = knn.kNearestNeighborsClassifier
    own.nearestNeighborsIndex.numberOfDimensions = 48
    own.nearestNeighborsIndex.linearIndex.SetInParent()
    own.nearestNeighborsIndex.squaredEuclideanDistance.SetInParent()
    own.numberOfNeighbors.defaultValue = 3
    own.numberOfNeighbors.range.minValue, own.numberOfNeighbors.range.maxValue = 1, 10
    own.stringClassLabels.SetInParent(); own.defaultStringLabel = "unknown"; own.inverseDistanceWeighting.SetInParent()
    pipeline = Model_pb2.Model()
    describe(pipeline, ("drawing", "image"), ("drawing", "image"))
    inner = pipeline.pipelineClassifier.pipeline
    inner.names.extend(["Embedding", "Nearest"])
    inner.models.extend([network, knn])
    network.specificationVersion = 4
    ct.utils.save_spec(pipeline, path)


def png(path, pixels):
    rows = b"".join(b"\0" + row.tobytes() for row in pixels.astype(np.uint8))
    chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    head = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, 0, 0, 0, 0)
    open(path, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def main():
    torch.set_num_threads(1)
    x, y = data()
    held, rest = (x[:HELD], y[:HELD]), (x[HELD:], y[HELD:])
    known = rest[1] < KNOWN
    weights = trained(torch.tensor(rest[0][known]), torch.tensor(rest[1][known]))
    cases = os.path.join(ROOT, "Tests", "Cases", "digits")
    os.makedirs(cases, exist_ok=True)
    classifier(weights, os.path.join(cases, "Digits.mlmodel"), ["dense1", "dense2"], 0.1, 10, 0.5, 20)
    rows = np.random.default_rng(1).permutation(np.concatenate([np.where(rest[1] == c)[0][:PER_LABEL] for c in range(10)]))
    save = lambda name, x, y: np.savez_compressed(os.path.join(cases, name), image=x, label=y.astype(np.int32))
    save("learn.npz", rest[0][rows], rest[1][rows])
    save("held.npz", *held)
    rate, epochs = choice(*rest, rows[rest[1][rows] >= KNOWN], np.setdiff1d(np.arange(len(rest[1])), rows))
    wide = trained(torch.tensor(rest[0][known]), torch.tensor(rest[1][known]), **WIDE)
    classifier(wide, os.path.join(cases, "NewDigits.mlmodel"), ["dense2"], rate, 1, 0.0, epochs)
    example = os.path.join(ROOT, "examples", "DrawingClassifier")
    os.makedirs(os.path.join(example, "drawings"), exist_ok=True)
    drawing_classifier(weights, os.path.join(example, "DrawingClassifier.mlmodel"))
    for label, name in ((2, "two"), (4, "four"), (8, "eight")):
        for number, row in enumerate(np.where(held[1] == label)[0][:5]):
            grey = np.kron(held[0][row, 0], np.ones((SIDE // 8, SIDE // 8))) * 255
            png(os.path.join(example, "drawings", f"{name}-{number + 1}.png"), grey)


main()
