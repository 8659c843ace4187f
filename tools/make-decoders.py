#!/usr/bin/env python3
"""Writes two ML programs with the shape of GPT-2 and random weights: `step` and `whole`.

`step` returns the logits of the next token. `whole` also samples the token: top-k, softmax, and a random number as an
input. Both keep keys and values in states. `tools/bench-decoding` compares `step` and sampling by MLTensor to `whole`.

    pip install coremltools==9.0
    tools/make-decoders.py OUT [--layers 12 --width 768 --words 50257 --context 512 --top 40]
"""
import argparse
import pathlib

import coremltools as ct
import numpy as np
from coremltools.converters.mil.mil import Builder as mb, types

TEMPERATURE = 0.8


def decoder(sizes, samples):
    width, heads, context, half = sizes.width, sizes.width // 64, sizes.context, np.float16
    random = np.random.default_rng(1)

    def weights(*shape):
        return (random.standard_normal(shape) * 0.02).astype(half)

    names = [f"{kind}{layer}" for layer in range(sizes.layers) for kind in ("k", "v")]
    specs = [mb.TensorSpec((1, 1), dtype=types.int32), mb.TensorSpec((1,), dtype=types.int32)] + [mb.TensorSpec((1,), dtype=types.fp16)] * samples
    specs += [mb.StateTensorSpec((1, heads, context, 64), dtype=types.fp16) for _ in names]
    inputs = ["token", "position"] + ["chance"] * samples + names

    def norm(x):
        return mb.layer_norm(x=x, axes=[-1], gamma=np.ones(width, half), beta=np.zeros(width, half), epsilon=half(1e-5))

    def linear(x, rows, columns):
        return mb.linear(x=x, weight=weights(rows, columns), bias=np.zeros(rows, half))

    def body(**values):
        position = values["position"]
        table = weights(sizes.words, width)
        x = mb.add(x=mb.gather(x=table, indices=values["token"], axis=0), y=mb.expand_dims(x=mb.gather(x=weights(context, width), indices=position, axis=0), axes=[0]))
        begin = mb.concat(values=[[0, 0], position, [0]], axis=0)
        end = mb.concat(values=[[1, heads], mb.add(x=position, y=1), [64]], axis=0)
        later = mb.greater(x=np.arange(context, dtype=np.int32).reshape(1, 1, 1, context), y=position)
        mask = mb.mul(x=mb.cast(x=later, dtype="fp16"), y=half(-1e4))
        for layer in range(sizes.layers):
            parts = mb.split(x=linear(norm(x), 3 * width, width), num_splits=3, axis=-1)
            query, key, value = (mb.reshape(x=part, shape=(1, heads, 1, 64)) for part in parts)
            kept = []
            for name, new in (("k", key), ("v", value)):
                state = values[f"{name}{layer}"]
                kept.append(mb.coreml_update_state(state=state, value=mb.slice_update(x=mb.read_state(input=state), update=new, begin=begin, end=end)))
            scores = mb.add(x=mb.mul(x=mb.matmul(x=query, y=kept[0], transpose_y=True), y=half(0.125)), y=mask)
            seen = mb.matmul(x=mb.softmax(x=scores, axis=-1), y=kept[1])
            x = mb.add(x=x, y=linear(mb.reshape(x=seen, shape=(1, 1, width)), width, width))
            x = mb.add(x=x, y=linear(mb.gelu(x=linear(norm(x), 4 * width, width), mode="TANH_APPROXIMATION"), width, 4 * width))
        logits = mb.reshape(x=mb.linear(x=norm(x), weight=table), shape=(1, sizes.words))
        if not samples:
            return mb.identity(x=logits, name="logits")
        best, places = mb.topk(x=mb.real_div(x=logits, y=half(TEMPERATURE)), k=sizes.top, axis=-1)
        sums = mb.cumsum(x=mb.softmax(x=best, axis=-1), axis=-1)
        # The first token whose cumulative probability exceeds the random number.
        beyond = mb.cast(x=mb.greater(x=sums, y=values["chance"]), dtype="fp16")
        place = mb.reduce_argmax(x=beyond, axis=-1, keep_dims=True)
        return mb.gather_along_axis(x=places, indices=place, axis=-1, name="next")

    source = f"def main({', '.join(inputs)}):\n    return body({', '.join(f'{name}={name}' for name in inputs)})"
    scope = {"body": body}
    exec(source, scope)  # the parameters of the function become the inputs of the program
    return mb.program(input_specs=specs, opset_version=ct.target.iOS18)(scope["main"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    for name, size in (("layers", 12), ("width", 768), ("words", 50257), ("context", 512), ("top", 40)):
        parser.add_argument(f"--{name}", type=int, default=size)
    sizes = parser.parse_args()
    sizes.out.mkdir(parents=True, exist_ok=True)
    for name, samples in (("step", False), ("whole", True)):
        ct.convert(decoder(sizes, samples), minimum_deployment_target=ct.target.iOS18, skip_model_load=True).save(str(sizes.out / f"{name}.mlpackage"))


if __name__ == "__main__":
    main()
