#!/usr/bin/env python3
"""Quantizes a network to int8 activations and weights for tools/bench-peers, with coremltools and with onnxruntime.

    tools/bench-quantized.py OUT MODEL.mlpackage MODEL.onnx INPUTS.npz [--all]

Writes model.mlpackage, model.onnx and inputs.npz to OUT. MODEL.mlpackage must be in fp16, which coremltools quantizes.
Both calibrate the scales with INPUTS. coremltools does not quantize weights of less than 2,048 elements unless --all is
given. Needs numpy, coremltools, onnx, onnxruntime, and coreml-runtime, so that coremltools can predict.
"""

import argparse
import pathlib
import shutil

import coremltools
import coremltools.optimize.coreml as optimize
import numpy
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process


class Once(CalibrationDataReader):
    def __init__(self, inputs):
        self.left = [inputs]

    def get_next(self):
        return self.left.pop() if self.left else None


def with_coremltools(package, inputs, to, threshold):
    model = coremltools.models.MLModel(str(package))
    names = [feature.name for feature in model.get_spec().description.input]
    sample = {name: inputs[name].astype(numpy.float32 if inputs[name].dtype.kind == "f" else numpy.int32) for name in names}
    activations = optimize.experimental.OpActivationLinearQuantizerConfig(mode="linear_symmetric")
    model = optimize.experimental.linear_quantize_activations(model, optimize.OptimizationConfig(global_config=activations), [sample])
    weights = optimize.OpLinearQuantizerConfig(mode="linear_symmetric", granularity="per_channel", weight_threshold=threshold)
    model = optimize.linear_quantize_weights(model, optimize.OptimizationConfig(global_config=weights))
    shutil.rmtree(to, ignore_errors=True)
    model.save(str(to))


def with_onnxruntime(model, inputs, to):
    prepared = to.with_suffix(".prepared.onnx")
    quant_pre_process(str(model), str(prepared), skip_symbolic_shape=True)
    quantize_static(
        str(prepared), str(to), Once(inputs), quant_format=QuantFormat.QDQ, per_channel=True, activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8)
    prepared.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("package", type=pathlib.Path)
    parser.add_argument("onnx", type=pathlib.Path)
    parser.add_argument("inputs", type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="quantize weights of any size")
    given = parser.parse_args()
    inputs = dict(numpy.load(given.inputs))
    given.out.mkdir(parents=True, exist_ok=True)
    with_coremltools(given.package, inputs, given.out / "model.mlpackage", 1 if given.all else 2048)
    with_onnxruntime(given.onnx, inputs, given.out / "model.onnx")
    shutil.copy(given.inputs, given.out / "inputs.npz")


if __name__ == "__main__":
    main()
