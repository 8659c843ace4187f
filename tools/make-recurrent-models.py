#!/usr/bin/env python3
"""Writes Tests/Cases/models/recurrent: small recurrent layers from torch, Keras and TensorFlow graphs, converted to
loops by coremltools.

Tests/ExecutionTests/Passes/Recurrence/RecurrentLoopTests.swift compares the loops with recurrent operations. The
models have random weights. There are no expected outputs.

    pip install coremltools==9.0 torch==2.7.0              (for torch)
    pip install coremltools==9.0 tensorflow-cpu==2.12.0    (for Keras and graphs, in a separate environment)
    tools/make-recurrent-models.py torch|keras|graph [--out Tests/Cases/models/recurrent]
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


def write_graph(out):
    """Writes `dynamic_rnn` and `tf.while_loop` of TensorFlow 1. Makes coremltools detect that version."""
    import tensorflow as tf
    from coremltools.converters import _converters_entry as entry
    from coremltools.converters.mil.frontend.tensorflow import load, ops, tf_op_registry
    entry._HAS_TF_1, entry._HAS_TF_2, entry.TF1Loader = True, False, load.TF1Loader
    tf_op_registry._TF_OPS_REGISTRY["while"] = ops.While
    v1 = tf.compat.v1
    cells = v1.nn.rnn_cell

    def make(name, build, shape=(BATCH, STEPS, INPUTS), flexible=None):
        open_shape = [None if axis == flexible else size for axis, size in enumerate(shape)]
        graph = tf.Graph()
        with graph.as_default(), v1.Session(graph=graph) as session:
            v1.disable_control_flow_v2()
            outputs = tf.nest.flatten(build(v1.placeholder(tf.float32, open_shape, name="x")))
            names = [tf.identity(output, name=f"y{number}").op.name for number, output in enumerate(outputs)]
            session.run(v1.global_variables_initializer())
            random = np.random.RandomState(len(name))
            for weight in v1.global_variables():
                session.run(weight.assign(random.uniform(-0.6, 0.6, weight.shape.as_list())))
            frozen = v1.graph_util.convert_variables_to_constants(session, graph.as_graph_def(add_shapes=True), names)
        graph = tf.Graph()
        with graph.as_default():
            tf.import_graph_def(frozen, name="")
        sizes = [ct.RangeDim(1, 40, default=STEPS) if axis == flexible else size for axis, size in enumerate(shape)]
        save(ct.convert(graph, source="tensorflow", inputs=[ct.TensorType(name="x", shape=sizes)], outputs=names,
                        minimum_deployment_target=IOS15, compute_precision=SINGLE, skip_model_load=True),
             out, f"graph-{name}")

    def both_ways(x):
        return v1.nn.bidirectional_dynamic_rnn(cells.LSTMCell(HIDDEN), cells.LSTMCell(HIDDEN), x, dtype=tf.float32)

    def plain(x):
        random = np.random.RandomState(5)
        weights = [tf.constant(random.uniform(-0.6, 0.6, size).astype(np.float32))
                   for size in [(INPUTS, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN,)]]
        steps = tf.shape(x)[0]

        def body(i, h, rows):
            h = tf.tanh(x[i] @ weights[0] + h @ weights[1] + weights[2])
            return i + 1, h, rows.write(i, h)
        rows = tf.TensorArray(tf.float32, size=steps, element_shape=(BATCH, HIDDEN))
        _, h, rows = tf.while_loop(lambda i, *_: i < steps, body, [tf.constant(0), tf.zeros((BATCH, HIDDEN)), rows])
        return rows.stack(), h

    make("lstm-peepholes", lambda x: v1.nn.dynamic_rnn(cells.LSTMCell(HIDDEN, use_peepholes=True), x, dtype=tf.float32))
    make("gru-flexible", lambda x: v1.nn.dynamic_rnn(cells.GRUCell(HIDDEN), x, dtype=tf.float32), flexible=1)
    make("lstm-both-ways", both_ways)
    make("rnn-flexible", plain, shape=(STEPS, BATCH, INPUTS), flexible=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", choices=["torch", "keras", "graph"])
    parser.add_argument("--out", type=pathlib.Path,
                        default=pathlib.Path(__file__).parent.parent / "Tests/Cases/models/recurrent")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    {"torch": write_torch, "keras": write_keras, "graph": write_graph}[options.source](options.out)


if __name__ == "__main__":
    main()
