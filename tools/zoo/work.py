"""One case in one precision: make, trace, convert, predict, compare, and tell whose fault a difference is."""
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
# What a traced module may differ by from the module itself: the order of sums, no more.
TRACE = 1e-4


def answers(module, samples):
    """What a module says of every sample; a module with states begins anew from those that it has."""
    module = copy.deepcopy(module)
    with torch.no_grad():
        return [[each.detach().double().numpy() for each in tensors(module(*sample))] for sample in samples]


def made(case):
    """The network of a case: every call gives equal weights and samples."""
    torch.manual_seed(case.seed)
    network = case.make()
    network.module.eval()
    return network


def first_line(error):
    """The sentence of an error, without what differs between two runs."""
    text = (str(error).strip() or type(error).__name__).splitlines()[-1]
    return re.sub(r"/\S*/", "", text)[:300]


def run(case, precision, single=(), masks=False):
    """Outcome of one conversion. With `masks` hidden places are -1e4, and operations in `single` stay in single precision."""
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
    """The outcome of a case, where a fault of the converter is told by faults.json's rules."""
    result = run(case, precision)
    if result["outcome"] != "right":
        result = faults.judge(case, precision, result, run)
    return {"case": case.name, "precision": precision, **result}


def attempt(case, precision):
    """As judged; anything raised elsewhere is a failure of the case."""
    torch.set_num_threads(1)
    torch.backends.mha.set_fastpath_enabled(False)  # operators of its own, which the converter does not know
    try:
        return judged(case, precision)
    except Exception as error:
        return {
            "case": case.name, "precision": precision, "outcome": "failed", "detail": f"{type(error).__name__}: {first_line(error)}",
            "trace": traceback.format_exc()[-2000:]}
