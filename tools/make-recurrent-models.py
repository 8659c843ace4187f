#!/usr/bin/env python3
"""Writes Tests/Cases/models/recurrent: small recurrent layers that coremltools writes as loops, from torch and from Keras.

Tests/RuntimeTests/RecurrentLoopTests.swift runs them as loops and as recurrent operations. What the file says is what coremltools makes of
random weights; nothing else is recorded.

    pip install coremltools==9.0 torch==2.7.0              (the models of torch)
    pip install coremltools==9.0 tensorflow-cpu==2.12.0    (those of Keras: in an environment of its own)
    tools/make-recurrent-models.py torch|keras [--out Tests/Cases/models/recurrent]
"""
import argparse
import pathlib

import coremltools as ct
import numpy as np

STEPS, BATCH, INPUTS, HIDDEN = 5, 2, 3, 4
HALF, SINGLE = ct.precision.FLOAT16, ct.precision.FLOAT32
IOS15, IOS17, IOS18 = ct.target.iOS15, ct.target.iOS17, ct.target.iOS18


def save(model, out, name):
    model.save(str(out / f"{name}.mlpackage"))
    print(name)


def write_torch(out):
    import torch

    class Layers(torch.nn.Module):
        def __init__(self, **options):
            super().__init__()
            self.layers = torch.nn.GRU(INPUTS, HIDDEN, **options)

        def forward(self, x, h=None):
            return self.layers(x, h)

    def make(name, target=IOS15, precision=SINGLE, steps=STEPS, flexible=False, state=False, **options):
        torch.manual_seed(len(name))
        batch_first = options.get("batch_first", False)
        shape = [BATCH, steps, INPUTS] if batch_first else [steps, BATCH, INPUTS]
        states = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
        examples = [torch.randn(*shape)] + ([torch.randn(states, BATCH, HIDDEN)] if state else [])
        traced = torch.jit.trace(Layers(**options).eval(), tuple(examples))
        if flexible:
            shape[1 if batch_first else 0] = ct.RangeDim(1, 40, default=steps)
        inputs = [ct.TensorType(name="x", shape=shape)]
        if state:
            inputs.append(ct.TensorType(name="h", shape=examples[1].shape))
        save(ct.convert(traced, inputs=inputs, minimum_deployment_target=target, compute_precision=precision,
                        skip_model_load=True), out, f"torch-{name}")

    make("gru")
    make("gru-half", target=IOS17, precision=HALF, num_layers=2, batch_first=True)
    make("gru-flexible-half", target=IOS17, precision=HALF, flexible=True, num_layers=2, batch_first=True)
    make("gru-flexible", target=IOS18, flexible=True, bias=False)
    make("gru-both-ways-with-states", state=True, num_layers=2, bidirectional=True)
    make("gru-one-step", steps=1)


def write_keras(out):
    import tensorflow as tf
    layers = tf.keras.layers

    def make(name, stack, target=IOS15, precision=SINGLE, flexible=False):
        np.random.seed(len(name))
        model = tf.keras.Sequential(
            [layers.Input(batch_shape=(BATCH, None if flexible else STEPS, INPUTS), name="x")] + stack)
        for weight in model.weights:
            weight.assign(np.random.uniform(-0.6, 0.6, weight.shape))
        inputs = [ct.TensorType(shape=(BATCH, ct.RangeDim(1, 40, default=STEPS), INPUTS))] if flexible else None
        save(ct.convert(model, source="tensorflow", inputs=inputs, minimum_deployment_target=target,
                        compute_precision=precision, skip_model_load=True), out, f"keras-{name}")

    make("lstm", [layers.LSTM(4, return_sequences=True), layers.LSTM(3)])
    make("lstm-flexible", [layers.LSTM(4, return_sequences=True)], flexible=True)
    make("lstm-half", [layers.LSTM(4, return_sequences=True)], target=IOS17, precision=HALF)
    make("lstm-both-ways", [layers.Bidirectional(layers.LSTM(4, return_sequences=True))])
    make("lstm-hard-sigmoid", [layers.LSTM(4, recurrent_activation="hard_sigmoid", activation="relu", use_bias=False)])
    make("gru", [layers.GRU(4, return_sequences=True)])
    make("gru-both-ways", [layers.Bidirectional(layers.GRU(4))])
    make("gru-backwards", [layers.GRU(4, go_backwards=True, return_sequences=True)])
    make("rnn", [layers.SimpleRNN(4, return_sequences=True), layers.SimpleRNN(3, activation="relu")])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", choices=["torch", "keras"])
    parser.add_argument("--out", type=pathlib.Path,
                        default=pathlib.Path(__file__).parent.parent / "Tests/Cases/models/recurrent")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    {"torch": write_torch, "keras": write_keras}[options.source](options.out)


if __name__ == "__main__":
    main()
