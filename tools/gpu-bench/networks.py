#!/usr/bin/env python3
"""Makes the networks for `tools/gpu-check pack --networks OUT`, in the batch sizes and precisions of speeds.py.

Writes packages for the runtime and, for each batch size, TorchScript for PyTorch.

    tools/gpu-bench/networks.py --builder FILE.py OUT [--only NAME,..] [--repeat-weights]

FILE.py defines the networks. `build(name)` returns a PyTorch module and its inputs by name, for batch size 1.
`MODELS[name]` is (.., .., batch axis of each input, batch axis of each output). The script calls `patch_coremltools()`
first, if it exists. Needs torch, torchvision and coremltools. With --repeat-weights, weights and inputs repeat their
first few thousand elements. The work stays the same, and archives are 100x smaller.
"""

import argparse
import importlib.util
import json
import pathlib
import shutil

import decoder
import numpy
import speeds
import torch

# Network with caches as states -> the builder's network with caches as inputs.
DECODERS = {"gpt2_states": "gpt2_decode"}


def builder(path):
    found = importlib.util.spec_from_file_location("builder", path)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def convert(traced, inputs, outputs, precision, states=()):
    """Converts a traced network to a package."""
    import coremltools
    from coremltools.optimize import coreml as optimize

    kinds = [numpy.int32 if tensor.dtype == torch.int64 else numpy.float32 for tensor in inputs.values()]
    package = coremltools.convert(
        traced, convert_to="mlprogram", minimum_deployment_target=coremltools.target.iOS18,
        inputs=[
            coremltools.TensorType(name, tuple(tensor.shape), dtype=kind) for (name, tensor), kind in zip(inputs.items(), kinds)],
        outputs=[coremltools.TensorType(name, dtype=numpy.float32) for name in outputs], states=list(states) or None,
        compute_precision=coremltools.precision.FLOAT32 if precision == "fp32" else coremltools.precision.FLOAT16)
    if precision == "int4":
        blocks = optimize.OpLinearQuantizerConfig(mode="linear_symmetric", dtype="int4", granularity="per_block", block_size=32)
        package = optimize.linear_quantize_weights(package, optimize.OptimizationConfig(global_config=blocks))
    return package


def repeat(network, row, count=4099):
    """Makes each parameter and input repeat its first `count` elements.

    Parameters of batch normalizations repeat their first element, because converters multiply weights by them.
    """

    def fill(tensor, count):
        flat = tensor.view(-1)
        if len(flat) > count:
            flat.copy_(flat[:count].clone().repeat(-(-len(flat) // count))[:len(flat)])

    with torch.no_grad():
        for module in network.modules():
            is_normal = isinstance(module, torch.nn.modules.batchnorm._BatchNorm)
            for tensor in [*module.parameters(recurse=False), *(module.buffers(recurse=False) if is_normal else ())]:
                fill(tensor, 1 if is_normal else count)
        for tensor in row.values():
            fill(tensor, count)


def make(source, name, folder, repeats):
    import coremltools

    batches, precisions = speeds.NETWORKS[name]
    built = DECODERS.get(name, name)
    axes, outputs = source.MODELS[built][2:4]
    network, row = source.build(built)
    decodes = name in DECODERS
    if decodes:
        row = {key: row[key] for key in ("token", "position")}
        axes, outputs = {key: axes[key] for key in row}, ["logits"]
    if repeats:
        repeat(network, row)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with torch.no_grad():
        results = (decoder.Decoder(network, 1, indexed=False) if decodes else network)(*row.values())
    results = results if isinstance(results, tuple) else (results,)
    numpy.savez(folder / "inputs.npz", **{key: value.numpy() for key, value in row.items()})
    numpy.savez(folder / "outputs.npz", **{key: value.numpy() for key, value in zip(outputs, results)})
    (folder / "meta.json").write_text(json.dumps({"batch_axis": axes}))
    for batch in batches:
        stem = "model" + (f"_b{batch}" if batch > 1 else "")
        inputs = {
            key: value if axes[key] is None or batch == 1 else torch.cat([value] * batch, axes[key])
            for key, value in row.items()}
        with torch.no_grad():
            timed = decoder.Decoder(network, batch, indexed=True) if decodes else network
            traced = torch.jit.trace(timed, tuple(inputs.values()), check_trace=False)
            traced.save(str(folder / f"{stem}.pt"))
            if decodes:
                timed = decoder.Decoder(network, batch, indexed=False).eval()
                traced = torch.jit.trace(timed, tuple(inputs.values()), check_trace=False)
        for precision in precisions:
            if precision == "tf32":  # uses the fp32 file
                continue
            file = folder / f"{stem}{speeds.SUFFIXES[precision]}.mlpackage"
            states = timed.states(coremltools, numpy) if decodes else ()
            convert(traced, inputs, outputs, precision, states).save(str(file))
            print(file, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--builder", type=pathlib.Path, required=True)
    parser.add_argument("--only", default=",".join(speeds.NETWORKS))
    parser.add_argument("--repeat-weights", action="store_true")
    parser.add_argument("out", type=pathlib.Path)
    options = parser.parse_args()
    source = builder(options.builder)
    getattr(source, "patch_coremltools", lambda: None)()
    for name in options.only.split(","):
        make(source, name, options.out / name, options.repeat_weights)


main()
