#!/usr/bin/env python3
"""Writes Tests/Cases/models/states: small models with states, made by coremltools.

- models whose loops and branches read and write a state
- a decoder whose state counts the tokens so far
- `shared`, whose functions `prefill` and `decode` have the same state, while `wide` and `renamed` have others

Used by Tests/RuntimeTests/API/BlockStateTests.swift, Tests/RuntimeTests/API/SharedStateTests.swift and
Tests/CoreMLTests/ArticleTests.swift. `coreml_update_state` writes a state. If nothing reads its result, coremltools
removes it as dead code.

    pip install coremltools==9.0
    tools/make-state-models.py [--out Tests/Cases/models/states]
"""
import argparse
import json
import pathlib
import tempfile

import coremltools as ct
import numpy
from coremltools.converters.mil.mil import Builder as mb, types

SPECS = [mb.TensorSpec((2,)), mb.StateTensorSpec((2,), dtype=types.fp16)]


def program(body):
    return mb.program(input_specs=SPECS, opset_version=ct.target.iOS18)(body)


def added(state, value):
    return mb.coreml_update_state(state=state, value=mb.add(x=mb.read_state(input=state), y=value))


def loop(x, s):
    """A loop of three iterations; each adds x to the state."""
    half = mb.cast(x=x, dtype="fp16")
    rounds = mb.while_loop(
        _cond=lambda i, v: mb.less(x=i, y=3), _body=lambda i, v: (mb.add(x=i, y=1), added(s, half)), loop_vars=(0, half))
    return mb.cast(x=rounds[1], dtype="fp32", name="y")


def branch(x, s):
    """Adds x to the state if sum(x) > 0."""
    half = mb.cast(x=x, dtype="fp16")
    is_more = mb.greater(x=mb.reduce_sum(x=x, keep_dims=False), y=0.0)
    result = mb.cond(pred=is_more, _true_fn=lambda: added(s, half), _false_fn=lambda: mb.read_state(input=s))
    return mb.cast(x=result, dtype="fp32", name="y")


WORDS = 8


@mb.program(input_specs=[mb.TensorSpec((1, 1), dtype=types.int32), mb.StateTensorSpec((WORDS,), dtype=types.fp16)], opset_version=ct.target.iOS18)
def decoder(inputIds, seen):
    """A language model of eight words. The next word, or the one after it, is likeliest; each use lowers its logit."""
    word = mb.reshape(x=inputIds, shape=(1,))

    def said(distance):
        return mb.reshape(x=mb.one_hot(indices=mb.mod(x=mb.add(x=word, y=distance), y=WORDS), one_hot_vector_size=WORDS, on_value=1.0, off_value=0.0),
                          shape=(WORDS,))
    count = mb.coreml_update_state(state=seen, value=mb.add(x=mb.read_state(input=seen), y=mb.cast(x=said(0), dtype="fp16")))
    likely = mb.add(x=mb.mul(x=said(1), y=4.0), y=mb.mul(x=said(2), y=3.0))
    less = mb.mul(x=mb.cast(x=count, dtype="fp32"), y=2.0)
    return mb.reshape(x=mb.sub(x=likely, y=less), shape=(1, WORDS), name="logits")


def adder(times, width=2, state="s"):
    """A program that adds `times` * x to the state and returns the state."""

    def body(x, s):
        scaled = mb.mul(x=mb.cast(x=x, dtype="fp16"), y=mb.const(val=numpy.float16(times)))
        return mb.cast(x=added(s, scaled), dtype="fp32", name="y")

    made = {"s": body, "t": lambda x, t: body(x, t)}[state]
    specs = [mb.TensorSpec((width,)), mb.StateTensorSpec((width,), dtype=types.fp16)]
    return mb.program(input_specs=specs, opset_version=ct.target.iOS18)(made)


def shared(path):
    """Writes one package with several functions."""
    with tempfile.TemporaryDirectory() as folder:
        functions = ct.utils.MultiFunctionDescriptor()
        for name, program in {
            "prefill": adder(1), "decode": adder(10), "wide": adder(1, width=3), "renamed": adder(1, state="t"),
        }.items():
            model = ct.convert(program, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS18, skip_model_load=True)
            model.save(f"{folder}/{name}.mlpackage")
            functions.add_function(f"{folder}/{name}.mlpackage", "main", name)
        functions.default_function_name = "prefill"
        ct.utils.save_multifunction(functions, path)
    without_empty_folders(path)


def without_empty_folders(path):
    """Removes empty weight folders from the package: Git does not store empty folders."""
    manifest = pathlib.Path(path) / "Manifest.json"
    told = json.loads(manifest.read_text())
    for key, item in list(told["itemInfoEntries"].items()):
        place = pathlib.Path(path) / "Data" / item["path"]
        if place.is_dir() and not any(place.iterdir()):
            place.rmdir()
            del told["itemInfoEntries"][key]
    manifest.write_text(json.dumps(told, indent=4) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path,
                        default=pathlib.Path(__file__).parent.parent / "Tests/Cases/models/states")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name, made in {"loop": program(loop), "branch": program(branch), "decoder": decoder}.items():
        model = ct.convert(made, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS18,
                           skip_model_load=True)
        model.save(str(options.out / f"{name}.mlpackage"))
        print(name)
    shared(str(options.out / "shared.mlpackage"))
    print("shared")


if __name__ == "__main__":
    main()
