"""Repeats the known issues of GPUs, whose causes are unknown (docs/internals/known-issues.md).

    python3 tools/gpu-bench/known_issues.py --runtime .build/release/runtime [--device ID] [--size N]

./run does the same as its part `known`. Without an NVIDIA GPU each issue is skipped by name. Needs numpy. The exit
status is 1 if an issue was repeated.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import chains

SHORT_K = "short-k"
ROWS = 12  # launches that come again are a graph from the third time on
REPEATED = "REPEATED"
BOUND = 0.05  # largest error, relative to the largest result of the CPU
LIFTED = {"COREML_WARP_SHORT_K": "on"}
# Each way of launching, so that a repeated issue also tells which one has it.
WAYS = {"CUDA": {}, "CUDA, serial": {"COREML_CUDA": "serial"}, "OpenCL alone": {"COREML_CUDA": "off"}}


class Network:
    """A network of fp16 convolutions and products with K below 64, as the first blocks of EfficientNet-B0 have."""

    def __init__(self, size):
        self.weights, self.lines, self.count, self.shape, self.last = chains.Weights(), [], 0, [1, 3, size, size], "x0"
        self.source = self.shape
        self.lines += [
            chains.constant("two", "int32", [2, 2]), chains.constant("one", "int32", [1, 1]), chains.constant("ungrouped", "int32", 1),
            chains.constant("same", "string", "same"), chains.constant("space", "int32", [2, 3]), chains.constant("yes", "bool", True),
            chains.constant("no", "bool", False), chains.constant("half", "string", "fp16"), chains.constant("single", "string", "fp32"),
            chains.constant("none", "int32", [0] * 4)]
        self.lines.append(f"tensor<fp16, {self.shape}> x0 = cast(dtype = half, x = x);")

    def put(self, shape, call):
        self.count += 1
        self.shape, self.last = shape, f"x{self.count}"
        self.lines.append(f"tensor<fp16, {shape}> {self.last} = {call};")
        return self.last

    def constant(self, shape, terms, scale=1.0):
        self.count += 1
        self.lines.append(self.weights.text(f"c{self.count}", "fp16", shape, scale * (3 / terms) ** 0.5))
        return f"c{self.count}"

    def conv(self, outputs, kernel=1, stride="one", depthwise=False):
        batch, inputs, height, width = self.shape
        groups, each = "ungrouped", inputs
        if depthwise:
            self.count += 1
            groups, each = f"groups{self.count}", 1
            self.lines.append(chains.constant(groups, "int32", inputs))
        w, b = self.constant([outputs, each, kernel, kernel], each * kernel * kernel), self.constant([outputs], 100)
        step = 2 if stride == "two" else 1
        return self.put(
            [batch, outputs, -(-height // step), -(-width // step)],
            f"conv(bias = {b}, dilations = one, groups = {groups}, pad = none, pad_type = same, strides = {stride}, weight = {w}, "
            f"x = {self.last})")

    def silu(self):
        return self.put(self.shape, f"silu(x = {self.last})")

    def product(self, outputs):
        """A product with the pixels as its second factor, which is laid out across K."""
        batch, inputs, height, width = self.shape
        self.count += 1
        flat, image = f"flat{self.count}", f"image{self.count}"
        self.lines += [
            chains.constant(flat, "int32", [batch, inputs, height * width]), chains.constant(image, "int32", [batch, outputs, height, width])]
        pixels = self.put([batch, inputs, height * width], f"reshape(shape = {flat}, x = {self.last})")
        w = self.constant([1, outputs, inputs], inputs)
        self.put([batch, outputs, height * width], f"matmul(transpose_x = no, transpose_y = no, x = {w}, y = {pixels})")
        return self.put([batch, outputs, height, width], f"reshape(shape = {image}, x = {self.last})")

    def block(self, wide, outputs, kernel=3, stride="one", product=False):
        """An inverted bottleneck with squeeze and excitation."""
        source, inputs = self.last, self.shape[1]
        self.product(wide) if product else self.conv(wide)
        self.silu()
        self.conv(wide, kernel, stride, depthwise=True)
        image, shape = self.silu(), self.shape
        self.put([1, wide, 1, 1], f"reduce_mean(axes = space, keep_dims = yes, x = {self.last})")
        self.conv(max(inputs // 4, 4))
        self.silu()
        self.conv(wide)
        gate = self.put(self.shape, f"sigmoid(x = {self.last})")
        self.put(shape, f"mul(x = {image}, y = {gate})")
        self.conv(outputs)
        if stride == "one" and inputs == outputs:
            self.put(self.shape, f"add(x = {self.last}, y = {source})")

    def write(self, folder):
        self.lines.append(f"tensor<fp32, {self.shape}> y = cast(dtype = single, x = {self.last});")
        body = "\n".join("    " + line for line in self.lines)
        self.weights.write(folder / "weights" / "weight.bin")
        (folder / "model.mil").write_text(
            f"program(1.3)\n{{\n  func main<ios18>(tensor<fp32, {self.source}> x) {{\n{body}\n  }} -> (y);\n}}\n")
        feature = {"type": "MultiArray", "dataType": "Float32"}
        (folder / "metadata.json").write_text(json.dumps([{
            "specificationVersion": 9, "inputSchema": [{"name": "x", "shape": str(self.source), **feature}],
            "outputSchema": [{"name": "y", "shape": str(self.shape), **feature}]}]))


def short_k_network(folder, size):
    network = Network(size)
    network.conv(32, 3, "two")
    network.silu()
    for product in (False, True):
        network.block(32, 16, product=product)
        network.block(96, 24, product=product)
        network.block(144, 24, product=product)
        network.block(100, 20, kernel=5, product=product)  # rows that are not whole chunks of eight elements
        network.block(120, 20, kernel=5, product=product)
    network.write(folder)


def steps(ask, model, device, environment):
    """(output, kernel, refusals) of each step of the plan on the device."""
    plan = ask("plan", model, "--device", device, environment=environment)
    return [(step["output"], step["kernel"], step["passedOver"]) for step in plan["steps"]]


def short_k(ask, device, folder, size, say):
    """(outcome, lines) for products with K below 64 whose second factor is laid out across K."""
    import numpy

    model, rows = folder / "short_k.mlmodelc", folder / "rows"
    short_k_network(model, size)
    rows.mkdir()
    generator = numpy.random.default_rng(1)
    for row in range(ROWS):
        numpy.savez(rows / f"{row:02}.npz", x=generator.standard_normal((1, 3, size, size), dtype=numpy.float32))

    def predict(name, place, environment):
        out = folder / name
        ask("predict", model, "--batch", rows, "--output", out, *place, environment=environment, reads=False)
        return numpy.stack([numpy.load(out / f"{row:02}.npz")["y"] for row in range(ROWS)])

    expected = predict("cpu", ["--compute-units", "cpuOnly"], {})
    largest = float(numpy.abs(expected).max())
    short = {
        output for output, _, refusals in steps(ask, model, device, {})
        if any(" less than 64" in refusal["reason"] for refusal in refusals)}
    lines, outcome = [], "not tried: the planner chose no such kernel"
    for way, environment in WAYS.items():
        environment = {**LIFTED, **environment}
        taken = [kernel for output, kernel, _ in steps(ask, model, device, environment) if output in short and ".mma." in kernel]
        found = predict(way, ["--device", device], environment)
        finite = numpy.isfinite(found)
        bad = int((~finite).sum())
        error = float(numpy.abs(found - expected)[finite].max(initial=0)) / largest
        lines.append(f"{way}: {len(taken)} steps by such kernels, {bad} of {found.size} results are not finite, error {error:.2g}")
        say(f"{SHORT_K}: {lines[-1]}")
        if taken and (bad or error > BOUND):
            outcome = REPEATED
        elif taken and outcome != REPEATED:
            outcome = "not repeated"
    return outcome, lines


def check(ask, listing, named, size, say):
    """({issue: (outcome, lines)}, {issue: why it was skipped})."""
    def fits(device):
        return device["id"] == named if named else device["kind"] == "gpu" and device["vendor"].startswith("NVIDIA")

    device = next(filter(fits, listing["openCL"]), None)
    if device is None:
        return {}, {SHORT_K: f"there is no OpenCL device '{named}'" if named else "there is no NVIDIA GPU"}
    with tempfile.TemporaryDirectory(prefix="known-issues-") as folder:
        try:
            return {SHORT_K: short_k(ask, device["id"], pathlib.Path(folder), size, say)}, {}
        except RuntimeError as error:
            return {}, {SHORT_K: str(error)}


def main():
    parser = argparse.ArgumentParser(prog="known_issues.py")
    parser.add_argument("--runtime", required=True, help="the command `runtime`, as `swift build -c release` makes it")
    parser.add_argument("--device", help="a device that `runtime devices` lists; default: the first NVIDIA GPU")
    parser.add_argument("--size", type=int, default=224, help="height and width of the images; less for slow devices such as PoCL")
    options = parser.parse_args()

    def ask(*arguments, environment={}, reads=True):
        command = [options.runtime, *map(str, arguments), *(["--json"] if reads else ["--quiet"])]
        run = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env={**os.environ, **environment})
        if run.returncode != 0:
            raise RuntimeError((run.stderr.strip().splitlines() or [f"ended with {run.returncode}"])[-1])
        return json.loads(run.stdout) if reads else None

    found, skipped = check(ask, ask("devices"), options.device, options.size, print)
    for issue, (outcome, _) in found.items():
        print(f"{issue}: {outcome}")
    for issue, why in skipped.items():
        print(f"{issue}: skipped: {why}")
    sys.exit(1 if any(outcome == REPEATED for outcome, _ in found.values()) else 0)


if __name__ == "__main__":
    main()
