"""The structure and the compute plan of a model, as coremltools' classes."""
import json
import os
import re

from . import _library as library
from . import _loading
from . import devices as list_devices

#: file inside a compiled neural network or pipeline that lists its layers, which the compiled program no longer has
KEPT = "structure.json"
ELEMENTWISE = {"add", "multiply", "average", "max", "min", "dot", "unary", "subtract", "divide"}


def keep(source, compiled):
    """Writes the layers of the neural network or pipeline `source` into the compiled model."""
    from coremltools.models.utils import load_spec

    told = _told_of(load_spec(source))
    if told is not None:
        with open(os.path.join(compiled, KEPT), "w") as file:
            json.dump(told, file)


def _told_of(spec, name=""):
    kind = spec.WhichOneof("Type") or ""
    if kind.startswith("neuralNetwork"):
        layers = [
            [layer.name, _word(layer.WhichOneof("layer") or ""), list(layer.input), list(layer.output)] for layer in getattr(spec, kind).layers]
        return {"layers": layers}
    if kind.startswith("pipeline"):
        pipeline = spec.pipeline if kind == "pipeline" else getattr(spec, kind).pipeline
        names = list(pipeline.names) or [f"model{place}" for place in range(len(pipeline.models))]
        return {"models": [[name, _told_of(model)] for name, model in zip(names, pipeline.models)]}
    return None


def _word(layer):
    """The type of a layer with the name that Core ML reports, such as `elementwise`, `inner_product`."""
    plain = re.sub("Broadcastable$|Static$|Dynamic$", "", layer)
    return "elementwise" if plain in ELEMENTWISE else re.sub("(?<=[a-z])(?=[A-Z])", "_", layer).lower()


def structure(path):
    kept = os.path.join(path, KEPT)
    if os.path.exists(kept):
        with open(kept) as file:
            return _of_kept(json.load(file))
    library.use()
    told = json.loads(library.text("structure", library.encoded(path, "the path")))
    return _of_program(told["functions"])


def _of_kept(told):
    from coremltools.models import compute_plan as ct
    from coremltools.libcoremlpython import _MLModelStructureNeuralNetworkLayerProxy as Proxy

    if told is None:
        return ct.MLModelStructure(None, None, None)
    if "models" in told:
        return ct.MLModelStructure(None, None, ct.MLModelStructurePipeline([(name, _of_kept(model)) for name, model in told["models"]]))
    layers = [ct.MLModelStructureNeuralNetworkLayer(*layer, Proxy([layer[0]])) for layer in told["layers"]]
    return ct.MLModelStructure(ct.MLModelStructureNeuralNetwork(layers), None, None)


def _of_program(functions):
    from coremltools.models import compute_plan as ct
    from coremltools.libcoremlpython import _MLModelStructureProgramOperationProxy as Proxy

    def named(values):
        return [ct.MLModelStructureProgramNamedValueType(value["name"], ct.MLModelStructureProgramValueType()) for value in values]

    def argument(bindings):
        return ct.MLModelStructureProgramArgument([
            ct.MLModelStructureProgramBinding(item.get("name"), None if "name" in item else ct.MLModelStructureProgramValue())
            for item in bindings])

    def operation(told):
        return ct.MLModelStructureProgramOperation(
            {name: argument(bindings) for name, bindings in told["inputs"].items()}, told["type"], named(told["outputs"]),
            [block(each) for each in told["blocks"]], Proxy(told["origins"]))

    def block(told):
        return ct.MLModelStructureProgramBlock(named(told["inputs"]), [operation(each) for each in told["operations"]], told["outputs"])

    program = ct.MLModelStructureProgram({
        name: ct.MLModelStructureProgramFunction(named(each["inputs"]), block(each["block"])) for name, each in functions.items()})
    return ct.MLModelStructure(None, program, None)


def devices():
    """coremltools' device objects by the ids of this runtime: the CPU, and the GPUs that models use by default."""
    from coremltools.models import compute_device as ct
    from coremltools.libcoremlpython import _MLCPUComputeDeviceProxy, _MLGPUComputeDeviceProxy

    found = {"cpu": ct.MLCPUComputeDevice(_MLCPUComputeDeviceProxy())}
    for device in list_devices():
        if device["kind"] == "gpu":
            found[device["id"]] = ct.MLGPUComputeDevice(_MLGPUComputeDeviceProxy())
    return found


def planned(proxy, path, units):
    """A compute plan proxy for the model at `path`. It finds the step of an operation or layer by its output names."""
    from coremltools.models import compute_plan as ct

    handle = _loading.model(path, {"computeUnits": units})
    steps = []

    def gather(found):
        for step in found:
            steps.append(step)
            for block in step["blocks"]:
                gather(block["steps"])

    gather(json.loads(library.text("model_plan", handle, None))["steps"])
    total = sum(step["cost"] for step in steps) or 1.0
    found = {}
    for step in steps:
        for name in step["origins"] or [step["output"]]:
            kind, cost = found.get(name, (None, 0.0))
            found[name] = (kind if kind == "gpu" else step["device"], cost + step["cost"] / total / max(len(step["origins"]), 1))
    known = devices() if units in ("all", "cpuAndGPU") else {"cpu": None}
    if known["cpu"] is None:
        from coremltools.libcoremlpython import _MLCPUComputeDeviceProxy
        from coremltools.models.compute_device import MLCPUComputeDevice

        known = {"cpu": MLCPUComputeDevice(_MLCPUComputeDeviceProxy())}

    def entry(item):
        names = getattr(item.__proxy__, "names", None) or []
        names = [*names, *(output.name for output in getattr(item, "outputs", []))]
        return next((found[name] for name in names if name in found), None)

    def usage(item):
        what = entry(item)
        if what is None:
            return None
        others = [device for key, device in known.items() if key != "cpu"]
        preferred = others[0] if what[0] != "cpu" and others else known["cpu"]
        return ct.MLComputePlanDeviceUsage(preferred, [known["cpu"]] + ([preferred] if preferred is not known["cpu"] else []))

    def cost(item):
        what = entry(item)
        return None if what is None else ct.MLComputePlanCost(min(what[1], 1.0))

    made = proxy()
    made.model_structure, made.usage, made.cost = structure(path), usage, cost
    return made
