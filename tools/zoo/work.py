"""Runs one case in one precision: make, trace, convert, predict, compare, and attribute a difference."""
import contextlib
import copy
import re
import traceback

import torch

import convert
import faults
from case import tensors
from compare import over_samples

TOLERANCE = {"fp32": 1e-3, "fp16": 2e-2}
# Largest difference between a traced module and the module, which only the order of summation may cause.
TRACE = 1e-4


def answers(module, samples):
    """The outputs of a module for every sample. Works on a copy, so it does not change the module's states."""
    module = copy.deepcopy(module)
    with torch.no_grad():
        return [[each.detach().double().numpy() for each in tensors(module(*sample))] for sample in samples]


def made(case):
    """The network of a case. Every call returns equal weights and samples."""
    torch.manual_seed(case.seed)
    network = case.make()
    network.module.eval()
    return network


def first_line(error):
    """The last line of an error message, without parts that differ between runs."""
    text = (str(error).strip() or type(error).__name__).splitlines()[-1]
    return re.sub(r"/\S*/", "", text)[:300]


def run(case, precision, single=(), masks=False):
    """The outcome of one conversion. `masks`: masked positions are -1e4. Operations in `single` stay in fp32."""
    import coreml_runtime

    with convert.finite_masks() if masks else contextlib.nullcontext():
        network = made(case)
        if case.check:
            return case.check(network, precision, case)
        expected = answers(network.module, network.samples)
        try:
            with torch.no_grad():
                traced = torch.jit.trace(copy.deepcopy(network.module), network.samples[0], check_trace=False)
            drift = 0.0 if network.states else over_samples(expected, answers(traced, network.samples))
            model = convert.convert(network, traced, precision, case.target, single)
        except Exception as error:
            return {"outcome": "not converted", "detail": f"{type(error).__name__}: {first_line(error)}"}
    if drift > TRACE:
        return {"outcome": "not converted", "detail": f"the trace is off by {drift:.2g}"}
    try:
        found = convert.predict(model, network)
    except coreml_runtime.Error as error:
        return {"outcome": "refused", "detail": first_line(error)}
    error = over_samples(expected, found)
    right = error <= TOLERANCE[precision]
    return {"outcome": "right" if right else "wrong", "error": error, "predictions": len(network.samples)}


def judged(case, precision):
    """The outcome of a case, after the rules of faults.json for faults of the converter."""
    result = run(case, precision)
    if result["outcome"] != "right":
        result = faults.judge(case, precision, result, run)
    return {"case": case.name, "precision": precision, **result}


def attempt(case, precision):
    """Like `judged`; any other exception is a failure of the case."""
    torch.set_num_threads(1)
    torch.backends.mha.set_fastpath_enabled(False)  # it uses operators that the converter does not support
    try:
        return judged(case, precision)
    except Exception as error:
        return {
            "case": case.name, "precision": precision, "outcome": "failed", "detail": f"{type(error).__name__}: {first_line(error)}",
            "trace": traceback.format_exc()[-2000:]}
