"""Times networks (TorchScript) and chains of products in PyTorch.

Reads a plan, {"device", "seconds", "rows"}, from the file in its argument. Prints one JSON object per line:
{"torch", "device"} or {"none": why}, then {"row", "ms", "copies_ms"} or {"row", "error"}.

On a GPU it replays a CUDA graph. `copies_ms` includes the copies of inputs from and outputs to pinned memory.
"""

import json
import statistics
import sys
import time


def say(**values):
    print(json.dumps(values), flush=True)


class Timer:
    """Times a function of tensors, with inputs on the device, and with copies from and to the host."""

    def __init__(self, torch, device, seconds):
        self.torch, self.device, self.seconds = torch, device, seconds

    def wait(self):
        if self.device == "cuda":
            self.torch.cuda.synchronize()

    def median(self, body):
        for _ in range(3):
            body()
        self.wait()
        times, start = [], time.perf_counter()
        while len(times) < 10 or time.perf_counter() - start < self.seconds:
            before = time.perf_counter()
            body()
            self.wait()
            times.append((time.perf_counter() - before) * 1e3)
        return statistics.median(times)

    def prepared(self, function, inputs):
        """(a function without arguments that computes, the tensors that it writes its results to)."""
        torch = self.torch
        with torch.no_grad():
            if self.device != "cuda":
                return (lambda: function(*inputs)), function(*inputs)
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(3):
                    function(*inputs)
            torch.cuda.current_stream().wait_stream(side)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                outputs = function(*inputs)
            return graph.replay, outputs


def network(torch, timer, row):
    import numpy

    model = torch.jit.load(row["file"], map_location=timer.device).eval()
    kind = torch.float16 if row["precision"] == "fp16" else torch.float32
    model = model.to(kind)
    host = []
    for name, array in numpy.load(row["inputs"]).items():
        axis = row["axes"].get(name)
        if axis is not None and row["batch"] > 1:
            array = numpy.concatenate([array] * row["batch"], axis)
        tensor = torch.from_numpy(array)
        tensor = tensor.to(kind) if tensor.is_floating_point() else tensor
        host.append(tensor.pin_memory() if timer.device == "cuda" else tensor)
    inputs = [tensor.to(timer.device) for tensor in host]
    replay, outputs = timer.prepared(model, inputs)
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    results = [torch.empty_like(output, device="cpu", pin_memory=timer.device == "cuda") for output in outputs]

    def with_copies():
        for source, target in zip(host, inputs):
            target.copy_(source, non_blocking=True)
        replay()
        for source, target in zip(outputs, results):
            target.copy_(source, non_blocking=True)

    with torch.no_grad():
        return {"ms": timer.median(replay), "copies_ms": timer.median(with_copies)}


def chain(torch, timer, row):
    kind = torch.float16 if row["precision"] == "fp16" else torch.float32
    functional = torch.nn.functional

    def numbers(shape, scale):
        return ((torch.rand(shape, device=timer.device) * 2 - 1) * scale).to(kind)

    if row["product"] == "gemm":
        shape, weight = [row["m"], row["k"]], numbers([row["k"], row["k"]], (3 / row["k"]) ** 0.5)
        bias = numbers([row["k"]], 0.1)
        step = lambda x: functional.linear(x, weight, bias)
    elif row["product"] == "attention":
        shape = [1, row["heads"], row["length"], row["depth"]]
        step = lambda x: functional.scaled_dot_product_attention(x, x, x)
    else:
        channels, kernel, groups = row["channels"], row["kernel"], row["groups"]
        shape = [row["images"], channels, row["size"], row["size"]]
        terms = channels // groups * kernel * kernel
        weight, bias = numbers([channels, channels // groups, kernel, kernel], (3 / terms) ** 0.5), numbers([channels], 0.1)
        step = lambda x: functional.conv2d(x, weight, bias, padding=kernel // 2, groups=groups)
    start, number = numbers(shape, 1.0), numbers([1], 1.0)

    def run(length):
        def function(number):
            x = start + number
            for _ in range(length):
                x = step(x)
            return x.float().mean()

        return function

    with torch.no_grad():
        short, long = (timer.median(timer.prepared(run(length), [number])[0]) for length in row["lengths"])
    ms = (long - short) / (row["lengths"][1] - row["lengths"][0])
    return {"ms": ms if ms > 0 else None}


def main():
    plan = json.load(open(sys.argv[1]))
    try:
        import torch
    except ImportError:
        return say(none=f"{sys.executable} has no PyTorch")
    device = plan["device"]
    if device == "cuda" and not torch.cuda.is_available():
        return say(none=f"PyTorch {torch.__version__} of {sys.executable} sees no GPU")
    say(torch=torch.__version__, device=torch.cuda.get_device_name() if device == "cuda" else device)
    torch.backends.cudnn.benchmark = True
    timer = Timer(torch, device, plan["seconds"])
    for row in plan["rows"]:
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = row["precision"] == "tf32"
        try:
            say(row=row["row"], **(network if row["kind"] == "network" else chain)(torch, timer, row))
        except Exception as error:  # a failed row must not prevent the others
            say(row=row["row"], error=f"{type(error).__name__}: {error}"[:300])
        if device == "cuda":
            torch.cuda.empty_cache()


main()
