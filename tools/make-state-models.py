#!/usr/bin/env python3
"""Writes Tests/Cases/models/states: small models of coremltools whose loops and branches read and write a state.

Tests/RuntimeTests/StatesInBlocksTests.swift predicts with them. `coreml_update_state` is what writes; where nobody reads what it gives,
coremltools takes it for dead and leaves it out.

    pip install coremltools==9.0
    tools/make-state-models.py [--out Tests/Cases/models/states]
"""
import argparse
import pathlib

import coremltools as ct
from coremltools.converters.mil.mil import Builder as mb, types

SPECS = [mb.TensorSpec((2,)), mb.StateTensorSpec((2,), dtype=types.fp16)]


def program(body):
    return mb.program(input_specs=SPECS, opset_version=ct.target.iOS18)(body)


def added(state, value):
    return mb.coreml_update_state(state=state, value=mb.add(x=mb.read_state(input=state), y=value))


def loop(x, s):
    """Three rounds, each of which adds x to the state."""
    half = mb.cast(x=x, dtype="fp16")
    rounds = mb.while_loop(
        _cond=lambda i, v: mb.less(x=i, y=3), _body=lambda i, v: (mb.add(x=i, y=1), added(s, half)), loop_vars=(0, half))
    return mb.cast(x=rounds[1], dtype="fp32", name="y")


def branch(x, s):
    """Adds x to the state where its sum is more than 0."""
    half = mb.cast(x=x, dtype="fp16")
    is_more = mb.greater(x=mb.reduce_sum(x=x, keep_dims=False), y=0.0)
    result = mb.cond(pred=is_more, _true_fn=lambda: added(s, half), _false_fn=lambda: mb.read_state(input=s))
    return mb.cast(x=result, dtype="fp32", name="y")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path,
                        default=pathlib.Path(__file__).parent.parent / "Tests/Cases/models/states")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name, body in {"loop": loop, "branch": branch}.items():
        model = ct.convert(program(body), convert_to="mlprogram", minimum_deployment_target=ct.target.iOS18,
                           skip_model_load=True)
        model.save(str(options.out / f"{name}.mlpackage"))
        print(name)


if __name__ == "__main__":
    main()
