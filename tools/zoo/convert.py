"""Converts a case with coremltools and predicts it with the library."""
import contextlib
import tempfile
import types

import coremltools as ct
import numpy as np
import torch
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.frontend.torch import torch_op_registry as registry

# Operators that the converter supports under another name; users register such synonyms, too.
SYNONYMS = {"bitwise_or": "logical_or", "swapaxes": "transpose", "multiply": "mul"}
TYPES = {torch.int32: np.int32, torch.int64: np.int32, torch.float32: np.float32, torch.bool: np.int32}


def unsafe_chunk(context, node):
    """Converts a split into equal parts along an axis, which recurrent cells use."""
    x, parts, axis = (context[name] for name in node.inputs)
    context.add(mb.split(x=x, num_splits=parts.val, axis=axis.val, name=node.name), torch_name=node.name)


def register_synonyms():
    table = registry._TORCH_OPS_REGISTRY
    if table.get_func("unsafe_chunk") is None:
        table.set_func_by_name(unsafe_chunk, "unsafe_chunk")
    for name, known in SYNONYMS.items():
        if table.get_func(name) is None:
            table.set_func_by_name(table.get_func(known), name)


def input_types(network):
    """The input types of the case; by default the shapes of the first sample, with the names x0, x1 and so on."""
    if network.inputs is not None:
        return network.inputs
    return [
        ct.TensorType(name=f"x{number}", shape=tuple(each.shape), dtype=TYPES[each.dtype]) for number, each in enumerate(network.samples[0])]


def convert(network, traced, precision, target, single=()):
    """The converted model. Operations whose types are in `single` stay in fp32."""
    register_synonyms()
    if precision == "fp32":
        chosen = ct.precision.FLOAT32
    elif single:
        chosen = ct.transform.FP16ComputePrecision(op_selector=lambda operation: operation.op_type not in single)
    else:
        chosen = ct.precision.FLOAT16
    more = {"states": network.states} if network.states else {}
    return ct.convert(
        traced, inputs=input_types(network), convert_to="mlprogram", compute_precision=chosen, minimum_deployment_target=getattr(ct.target, target),
        skip_model_load=True, **more)


def save(model, folder):
    path = f"{folder}/model.mlpackage"
    model.save(path)
    return path


def feed(names, sample):
    """The inputs of one sample as arrays by name."""
    return {name: each.to(torch.int32).numpy() if TYPES[each.dtype] is np.int32 else each.numpy() for name, each in zip(names, sample)}


def predict(model, network):
    """The outputs of every sample, in the order of the model's outputs. Raises the library's Error."""
    import coreml_runtime

    spec = model.get_spec()
    inputs, outputs = ([each.name for each in part] for part in (spec.description.input, spec.description.output))
    with tempfile.TemporaryDirectory() as folder, coreml_runtime.Model(save(model, folder), compute_units="cpu_only") as opened:
        state = opened.make_state() if network.states else None
        rows = []
        for sample in network.samples:
            answer = opened.predict(feed(inputs, sample), state=state)
            rows.append([np.asarray(answer[name]) for name in outputs])
        return rows


@contextlib.contextmanager
def finite_masks():
    """Within this context, models use -1e4 as the minimum of their type, a value that fp16 can represent."""
    kept = torch.finfo

    def finfo(*type):
        found = kept(*type)
        names = ("bits", "dtype", "eps", "max", "resolution", "smallest_normal", "tiny")
        return types.SimpleNamespace(min=-1e4, **{name: getattr(found, name) for name in names})

    torch.finfo = finfo
    try:
        yield
    finally:
        torch.finfo = kept
