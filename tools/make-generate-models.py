#!/usr/bin/env python3
"""Writes Tests/Cases/generate: models that are difficult for code generation.

`names.mlmodel` returns its inputs. Its names and descriptions are keywords or special in the target languages.
`functions.mlpackage` has two functions.

    pip install coremltools==9.0 numpy
    tools/make-generate-models.py [--out Tests/Cases/generate]
"""
import argparse
import pathlib
import tempfile

import coremltools as ct
import numpy as np
from coremltools.converters.mil import Builder as mb
from coremltools.proto import FeatureTypes_pb2 as Features
from coremltools.proto import Model_pb2

NAMES = [
    "CO2 Emissions(g/km)", "963", "class", "self", "init", "Type", "in", "None", "id", "a b", "a_b", "a\"b", "_", "größe", "日本",
    "🙂", "featureNames", "provider", "MLFeatureValue", "description", "newest", "features", "__hidden", "x\u202ey",
    "*/ line\n#error \\", "${HOME} \\(x) %s",
]
TEXTS = [
    "ends a comment */ and begins one /* in Swift", "two lines\n#error of text", "a quote \"\"\" of Python", "a backslash \\", "a trigraph ??/",
    "turned \u202e round", "\u0000 zero and \u2028 separator", "\\(fatalError()) \\u{22}", "`code` ``` @objc",
]


def names():
    spec = Model_pb2.Model()
    spec.specificationVersion = 4
    spec.identity.MergeFromString(b"")
    metadata = spec.description.metadata
    metadata.shortDescription = "gives what it is given */ \"\"\"\nsecond line \\"
    metadata.author, metadata.license, metadata.versionString = "some*/body \\", "any\n#error", "1 ??/"
    for index, name in enumerate(NAMES):
        feature = spec.description.output.add()
        feature.name, feature.shortDescription = name, TEXTS[index % len(TEXTS)]
        if index % 5 == 1:
            array = feature.type.multiArrayType
            array.shape.extend([2])
            array.dataType = Features.ArrayFeatureType.FLOAT32
        elif index % 5 == 2:
            image = feature.type.imageType
            image.width, image.height, image.colorSpace = 3, 2, Features.ImageFeatureType.RGB
        elif index % 5 == 3:
            feature.type.stringType.MergeFromString(b"")
        else:
            feature.type.doubleType.MergeFromString(b"")
    for feature in spec.description.output:
        spec.description.input.add().CopyFrom(feature)
    return spec


def functions(out):
    """Writes a package with the functions `double` (the default): 2 x, and `half-life`: x / 2."""

    def made(factor):
        @mb.program(input_specs=[mb.TensorSpec(shape=(3,))], opset_version=ct.target.iOS18)
        def program(x):
            return mb.mul(x=x, y=np.float32(factor), name="y")

        return ct.convert(program, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS18, skip_model_load=True,
                          compute_precision=ct.precision.FLOAT32)

    with tempfile.TemporaryDirectory() as folder:
        described = ct.utils.MultiFunctionDescriptor()
        for name, factor in [("half-life", 0.5), ("double", 2.0)]:
            path = f"{folder}/{name}.mlpackage"
            made(factor).save(path)
            described.add_function(path, src_function_name="main", target_function_name=name)
        described.default_function_name = "double"
        ct.utils.save_multifunction(described, str(out))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent / "Tests/Cases/generate")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    (out / "names.mlmodel").write_bytes(names().SerializeToString(deterministic=True))
    functions(out / "functions.mlpackage")


if __name__ == "__main__":
    main()
