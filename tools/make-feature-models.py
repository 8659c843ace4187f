#!/usr/bin/env python3
"""Writes Tests/Cases/models: small models with image, flexible or optional features, converted by coremltools, and
models with custom classes of the application.

Tests/RuntimeTests/Features/FeatureKindTests.swift, Tests/CoreMLTests/CustomCodeTests.swift and Tests/VisionTests have
the expected outputs as one-line formulas.

    pip install coremltools==9.0 numpy
    tools/make-feature-models.py [--out Tests/Cases/models]
"""
import argparse
import pathlib

import coremltools as ct
import numpy as np
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import Symbol
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder
from coremltools.proto import Model_pb2
from coremltools.proto import NeuralNetwork_pb2 as NeuralNetworkParams

TARGET = ct.target.iOS16


def function(body, *shapes):
    return mb.program(input_specs=[mb.TensorSpec(shape=s) for s in shapes], opset_version=TARGET)(body)


def convert(program, inputs, outputs=None, precision=ct.precision.FLOAT32):
    """Converts a program; returns its specification without metadata, which would have the current date."""
    model = ct.convert(program, convert_to="mlprogram", inputs=inputs, outputs=outputs, minimum_deployment_target=TARGET,
                       compute_precision=precision, skip_model_load=True)
    spec = model.get_spec()
    spec.description.ClearField("metadata")
    return spec


def pipeline(models, inputs, outputs):
    """A pipeline of models. `inputs` and `outputs` are (model, feature name) pairs."""
    spec = Model_pb2.Model()
    spec.specificationVersion = 8
    for model, name in inputs:
        spec.description.input.add().CopyFrom(next(f for f in model.description.input if f.name == name))
    for model, name in outputs:
        spec.description.output.add().CopyFrom(next(f for f in model.description.output if f.name == name))
    for model in models:
        spec.pipeline.models.add().CopyFrom(model)
    return spec


def picture(name, shape=(1, 3, 4, 6), layout=ct.colorlayout.RGB, **more):
    return ct.ImageType(name=name, shape=shape, color_layout=layout, **more)


def picture_out(spec):
    """Makes the output an image like the input: coremltools does that only for fixed sizes."""
    spec.description.output[0].type.CopyFrom(spec.description.input[0].type)
    return spec


def invert(picture):
    return mb.sub(x=np.float32(255), y=picture, name="inverted")


def detector():
    """A detector with three fixed boxes; the third overlaps the first. Scores decrease with the brightness."""
    sure = np.array([[0.2, 0.9], [0.8, 0.1], [0.15, 0.85]], np.float32)
    boxes = np.array([[0.3, 0.25, 0.2, 0.3], [0.7, 0.5, 0.2, 0.4], [0.31, 0.25, 0.2, 0.3]], np.float32)

    def body(image):
        light = mb.reshape(x=mb.reduce_mean(x=image, axes=[1, 2, 3], keep_dims=False), shape=[1, 1])
        dark = mb.sub(x=np.float32(1), y=mb.mul(x=light, y=np.float32(0.5 / 255)))
        # Add the rows separately: coremltools writes larger constants to a weight file.
        nothing = mb.mul(x=light, y=np.float32(0))
        rows = [mb.add(x=box[None], y=nothing) for box in boxes]
        return (mb.mul(x=sure, y=dark, name="sure"), mb.concat(values=rows, axis=0, name="boxes"))

    found = convert(function(body, (1, 3, 4, 6)), [picture("image")])
    ct.utils.rename_feature(found, "image", "picture")
    spec = Model_pb2.Model()
    spec.specificationVersion = 8
    suppression = spec.nonMaximumSuppression
    suppression.confidenceInputFeatureName, suppression.coordinatesInputFeatureName = "sure", "boxes"
    suppression.confidenceOutputFeatureName, suppression.coordinatesOutputFeatureName = "confidence", "coordinates"
    suppression.iouThresholdInputFeatureName, suppression.confidenceThresholdInputFeatureName = "iouThreshold", "confidenceThreshold"
    suppression.iouThreshold, suppression.confidenceThreshold = 0.5, 0.25
    suppression.pickTop.perClass = True
    suppression.stringClassLabels.vector.extend(["cat", "dog"])
    spec.description.input.extend(found.description.output)
    for name in ("iouThreshold", "confidenceThreshold"):
        feature = spec.description.input.add(name=name)
        feature.type.doubleType.SetInParent()
        feature.type.isOptional = True
    for name, columns in [("confidence", 2), ("coordinates", 4)]:
        array = spec.description.output.add(name=name).type.multiArrayType
        array.dataType = 65600
        array.shapeRange.sizeRanges.add(lowerBound=0, upperBound=-1)
        array.shapeRange.sizeRanges.add(lowerBound=columns, upperBound=columns)
    whole = [(spec, name) for name in ("iouThreshold", "confidenceThreshold")]
    return pipeline([found, spec], [(found, "picture"), *whole], [(spec, "confidence"), (spec, "coordinates")])


def models():
    yield "detector", detector()

    # The mean of 0.5 x + (1, 2, 3) by channel in BGR order; then a neural network: y = 2 means - 1.
    means = convert(
        function(lambda x: mb.reduce_mean(x=x, axes=[2, 3], keep_dims=False, name="means"), (1, 3, 4, 6)),
        [picture("x", layout=ct.colorlayout.BGR, scale=0.5, bias=[1.0, 2.0, 3.0])])
    network = NeuralNetworkBuilder([("means", datatypes.Array(1, 3))], [("y", datatypes.Array(1, 3))],
                                   disable_rank5_shape_mapping=True)
    network.add_activation("double", "LINEAR", "means", "y", [2.0, -1.0])
    yield "pictureProgramPipeline", pipeline([means, network.spec], [(means, "x")], [(means, "means"), (network.spec, "y")])

    # The negative of an image: with two enumerated sizes, and with a range of sizes.
    negative = function(invert, (1, 3, Symbol("h"), Symbol("w")))
    sizes = ct.EnumeratedShapes(shapes=[(1, 3, 4, 6), (1, 3, 8, 8)], default=(1, 3, 4, 6))
    yield "enumeratedPicture", picture_out(convert(negative, [picture("picture", sizes)]))
    sizes = ct.Shape(shape=(1, 3, ct.RangeDim(2, 8, default=4), ct.RangeDim(3, 9, default=6)))
    ranged = picture_out(convert(negative, [picture("picture", sizes)]))
    yield "rangePicture", ranged

    # The negative of a negative; the second model uses BGR.
    second = picture_out(convert(negative, [picture("picture", layout=ct.colorlayout.BGR)]))
    ct.utils.rename_feature(ranged, "inverted", "middle")
    ct.utils.rename_feature(second, "picture", "middle")
    yield "picturePipeline", pipeline([ranged, second], [(ranged, "picture")], [(second, "inverted")])

    # a + b in fp16; b is optional with default 2.5.
    total = convert(
        function(lambda a, b: mb.add(x=a, y=b, name="sum"), (1, 4), (1, 4)),
        [ct.TensorType(name="a", shape=(1, 4)),
         ct.TensorType(name="b", shape=(1, 4), default_value=np.full((1, 4), 2.5, np.float32))],
        precision=ct.precision.FLOAT16)
    yield "optionalInput", total
    yield "optionalInPipeline", pipeline([total], [(total, "a")], [(total, "sum")])

    # y = 2 x for vectors of 2 or 5 elements.
    sizes = ct.EnumeratedShapes(shapes=[(1, 2), (1, 5)], default=(1, 2))
    yield "enumeratedArray", convert(
        function(lambda x: mb.mul(x=x, y=np.float32(2), name="y"), (1, Symbol("n"))), [ct.TensorType(name="x", shape=sizes)])

    # Two custom layers of the class Swish with different parameters, and a custom model of the class Greeter.
    swish = NeuralNetworkParams.CustomLayerParams()
    swish.className = "Swish"
    swish.parameters["beta"].doubleValue = 2
    swish.weights.add().floatValue.extend([0.5, -0.5])
    network = NeuralNetworkBuilder([("x", datatypes.Array(2, 3))], [("y", datatypes.Array(2, 3))], disable_rank5_shape_mapping=True)
    network.add_custom("swish", ["x"], ["a"], swish)
    network.add_activation("double", "LINEAR", "a", "b", [2.0, 0.0])
    network.add_custom("swish again", ["b"], ["y"], swish)
    yield "customLayer", network.spec
    greeter = Model_pb2.Model()
    greeter.specificationVersion = 3
    greeter.customModel.className = "Greeter"
    greeter.customModel.parameters["greeting"].stringValue = "Hello"
    for feature, name in [(greeter.description.input, "name"), (greeter.description.output, "text")]:
        feature = feature.add()
        feature.name = name
        feature.type.stringType.SetInParent()
    yield "customModel", greeter


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent / "Tests/Cases/models")
out = parser.parse_args().out
out.mkdir(parents=True, exist_ok=True)
for name, spec in models():
    (out / f"{name}.mlmodel").write_bytes(spec.SerializeToString(deterministic=True))
