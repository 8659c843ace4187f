#!/usr/bin/env python3
"""Writes Tests/Cases/interface: small models for the tests of the C interface, made by coremltools.

    pip install coremltools==9.0 numpy
    tools/make-interface-models.py [--out Tests/Cases/interface]
"""
import argparse
import pathlib

import coremltools as ct
import numpy as np
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import types
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder, SgdParams
from coremltools.proto import FeatureTypes_pb2 as Features
from coremltools.proto import Model_pb2


def convert(program, inputs, outputs=None, target=ct.target.iOS18, **more):
    model = ct.convert(program, convert_to="mlprogram", inputs=inputs, outputs=outputs, minimum_deployment_target=target,
                       compute_precision=ct.precision.FLOAT32, skip_model_load=True, **more)
    spec = model.get_spec()
    spec.description.ClearField("metadata")
    return spec


def sums():
    """y = 2 a + b, z = sum(a) in fp16. `a` has shape (rows, 3) with 1 to 8 rows; `b` is optional with default 0.5."""
    rows = ct.RangeDim(1, 8, default=2)

    @mb.program(input_specs=[mb.TensorSpec(shape=(ct.converters.mil.mil.Symbol("rows"), 3)), mb.TensorSpec(shape=(1, 3))],
                opset_version=ct.target.iOS18)
    def program(a, b):
        y = mb.add(x=mb.mul(x=a, y=np.float32(2)), y=b, name="y")
        z = mb.cast(x=mb.reduce_sum(x=a, axes=[0, 1], keep_dims=False), dtype="fp16")
        return y, mb.expand_dims(x=z, axes=[0], name="z")

    spec = convert(program, [ct.TensorType("a", shape=(rows, 3)), ct.TensorType("b", shape=(1, 3), default_value=np.full((1, 3), 0.5, np.float32))])
    metadata = spec.description.metadata
    metadata.shortDescription, metadata.versionString = "sums of arrays", "7"
    metadata.author, metadata.license = "nobody", "any"
    metadata.userDefined["colour"] = "blue"
    return spec


def running_sum():
    """total += x, y = total. The state has four fp16 elements."""

    @mb.program(input_specs=[mb.TensorSpec(shape=(4,)), mb.StateTensorSpec(shape=(4,), dtype=types.fp16)], opset_version=ct.target.iOS18)
    def program(x, total):
        sum = mb.add(x=mb.cast(x=mb.read_state(input=total), dtype="fp32"), y=x)
        written = mb.coreml_update_state(state=total, value=mb.cast(x=sum, dtype="fp16"))
        return mb.cast(x=written, dtype="fp32", name="y")

    return convert(program, None)


def endless():
    """Loops while x / 2 + 1 is positive: forever, unless the condition is false for the first x."""

    @mb.program(input_specs=[mb.TensorSpec(shape=(1,))], opset_version=ct.target.iOS18)
    def program(x):
        def goes_on(n):
            return mb.greater(x=mb.squeeze(x=n, axes=[0]), y=np.float32(0))

        def body(n):
            return mb.add(x=mb.mul(x=n, y=np.float32(0.5)), y=np.float32(1))

        return mb.identity(x=mb.while_loop(_cond=goes_on, _body=body, loop_vars=(x,)), name="y")

    return convert(program, None)


def kinds():
    """A model that returns an input of every kind unchanged."""
    spec = Model_pb2.Model()
    spec.specificationVersion = 4
    spec.identity.MergeFromString(b"")

    def feature(name):
        out = spec.description.output.add()
        out.name = name
        return out.type

    feature("integer").int64Type.MergeFromString(b"")
    feature("number").doubleType.MergeFromString(b"")
    feature("text").stringType.MergeFromString(b"")
    feature("words").dictionaryType.stringKeyType.MergeFromString(b"")
    feature("numbers").dictionaryType.int64KeyType.MergeFromString(b"")
    texts = feature("texts").sequenceType
    texts.stringType.MergeFromString(b"")
    texts.sizeRange.lowerBound, texts.sizeRange.upperBound = 0, 5
    integers = feature("integers").sequenceType
    integers.int64Type.MergeFromString(b"")
    integers.sizeRange.lowerBound, integers.sizeRange.upperBound = 0, -1
    for name, space in [("colour", Features.ImageFeatureType.RGB), ("gray", Features.ImageFeatureType.GRAYSCALE),
                        ("gray16", Features.ImageFeatureType.GRAYSCALE_FLOAT16)]:
        image = feature(name).imageType
        image.width, image.height, image.colorSpace = 3, 2, space
    for out in spec.description.output:
        spec.description.input.add().CopyFrom(out)
        spec.description.input[-1].type.isOptional = False
    return spec


def line():
    """An updatable model y = w x + b, with w = 0 and b = 0."""
    builder = NeuralNetworkBuilder([("x", datatypes.Array(2))], [("y", datatypes.Array(1))], disable_rank5_shape_mapping=True)
    builder.add_inner_product("dense", np.zeros((1, 2), np.float32), np.zeros(1, np.float32), 2, 1, True, "x", "y")
    builder.make_updatable(["dense"])
    builder.set_mean_squared_error_loss("loss", ("y", datatypes.Array(1)))
    builder.set_sgd_optimizer(SgdParams(lr=0.05, batch=4, momentum=0))
    builder.set_epochs(40, allowed_set=[1, 2, 40, 1000000])
    return builder.spec


def plane():
    """y = 2 a + 3 b + 0.5; all features are numbers."""
    model = Model_pb2.Model(specificationVersion=1)
    for features, name in [(model.description.input, "a"), (model.description.input, "b"), (model.description.output, "y")]:
        features.add(name=name).type.doubleType.SetInParent()
    model.description.predictedFeatureName = "y"
    model.glmRegressor.weights.add().value.extend([2, 3])
    model.glmRegressor.offset.append(0.5)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("Tests/Cases/interface"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for make in [sums, running_sum, endless, kinds, line, plane]:
        (out / f"{make.__name__.replace('_', '-')}.mlmodel").write_bytes(make().SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
