"""Times networks and matrix products on a device, and in PyTorch if the machine has it."""

import json
import pathlib
import shutil
import subprocess
import tempfile

import chains

HERE = pathlib.Path(__file__).resolve().parent
# Network -> (batch sizes, precisions), ordered by arithmetic, because a sample takes the first ones. networks.py makes
# the files. tf32 uses the fp32 file with low precision allowed.
NETWORKS = {
    "gpt2_states": ((1, 16), ("fp16", "int4")),
    "gpt2_decode": ((1, 16), ("fp16", "int4")),
    "efficientnet_b0": ((1,), ("fp32", "tf32", "fp16")),
    "resnet50": ((1, 32), ("fp32", "tf32", "fp16")),
    "yolov8n": ((1,), ("fp32", "tf32", "fp16")),
    "bert_base": ((1, 8, 32), ("fp32", "tf32", "fp16")),
    "whisper_tiny_enc": ((1,), ("fp32", "tf32", "fp16")),
    "unet_block": ((1,), ("fp32", "tf32", "fp16")),
    "vit_b_16": ((1,), ("fp32", "tf32", "fp16")),
}
# Largest allowed error of a network with random weights against PyTorch in fp32, relative to the largest output.
BOUNDS = {"fp32": 1e-3, "tf32": 2e-2, "fp16": 5e-2}
SUFFIXES = {"fp32": "", "tf32": "", "fp16": "_f16", "int4": "_int4"}


def low(precision):
    return ["--precision", "low"] if precision == "tf32" else []


def networks(machine, report, device, options):
    """([{name, precision, ms, error}] for the networks in the pack, the plan of rows for PyTorch)."""
    folder, rows, plan, timed = HERE / "networks", [], [], set()
    for name, (batches, precisions) in NETWORKS.items():
        if not (folder / name / "inputs.npz").exists():
            report.skips(f"{name}: not in the pack")
            continue
        for batch in batches:
            for precision in precisions:
                title = f"{name} b{batch} {precision}"
                stem = "model" + (f"_b{batch}" if batch > 1 else "")
                model, inputs = folder / name / f"{stem}{SUFFIXES[precision]}.mlpackage", folder / name / "inputs.npz"
                if not model.exists():
                    report.skips(f"{title}: not in the pack")
                    continue
                if options.sample is not None and (batch > 1 or (name not in timed and len(timed) == options.sample)):
                    report.skips(f"{title}: beyond the sample")
                    continue
                timed.add(name)
                report.say(title)
                arguments = ["bench", model, "--input", inputs, "--device", device["id"], *low(precision)]
                arguments += ["--iterations", 1] if options.sample is not None else ["--seconds", options.seconds, "--warm-up", 10]
                arguments += ["--batch-size", batch] if batch > 1 else []
                compares = batch == 1 and precision in BOUNDS and (folder / name / "outputs.npz").exists()
                arguments += ["--compare", folder / name / "outputs.npz"] if compares else []
                try:
                    found = machine.ask(*arguments, timeout=1800)
                except RuntimeError as error:
                    report.fails(f"{title}: {error}")
                    continue
                error = found.get("error")
                if compares and not (error is not None and error <= BOUNDS[precision]):
                    report.fails(f"{title}: an error of {error}, at most {BOUNDS[precision]} is expected")
                else:
                    report.passes()
                rows.append({"name": title, "precision": precision, "ms": found["latency"]["p50"], "error": error})
                script = folder / name / f"{stem}.pt"
                if script.exists():
                    plan.append({
                        "row": title, "kind": "network", "file": str(script), "inputs": str(inputs), "batch": batch,
                        "axes": json.loads((folder / name / "meta.json").read_text())["batch_axis"],
                        # PyTorch has no int4 for arbitrary modules, so compare with fp16.
                        "precision": "fp16" if precision == "int4" else precision})
    return rows, plan


def products(machine, report, device, options):
    """([{name, precision, ms, tflops}] for the products, the plan of rows for PyTorch)."""
    rows, plan = [], []
    wanted = chains.PRODUCTS if options.sample is None else chains.small(chains.PRODUCTS, options.sample)
    for product in wanted:
        for precision in chains.precisions(product):
            title = f"{product.name} {precision}"
            kind = "fp32" if precision == "tf32" else precision
            report.say(title)
            times = []
            try:
                for length in chains.LENGTHS:
                    with tempfile.TemporaryDirectory(prefix="gpu-check-") as folder:
                        model = pathlib.Path(folder) / "chain.mlmodelc"
                        chains.write(product, kind, length, model)
                        arguments = ["bench", model, "--device", device["id"], *low(precision)]
                        arguments += ["--iterations", 5] if options.sample is not None else ["--seconds", options.seconds / 4]
                        times.append(machine.ask(*arguments, "--warm-up", 3)["latency"]["p50"])
            except RuntimeError as error:
                report.fails(f"{title}: {error}")
                continue
            report.passes()
            ms = (times[1] - times[0]) / (chains.LENGTHS[1] - chains.LENGTHS[0])
            rows.append({
                "name": title, "precision": precision, "ms": ms if ms > 0 else None,
                "tflops": product.flops / ms / 1e9 if ms > 0 else None})
            # PyTorch has no int4 for arbitrary modules, so compare with fp16.
            theirs = "fp16" if precision == "int4" else precision
            plan.append({"row": title, "kind": "chain", "precision": theirs, "lengths": chains.LENGTHS, **product.fields()})
    return rows, plan


def peers(machine, report, plan, options):
    """PyTorch's results by row. Empty, with the reason in the report, if there is no PyTorch that finds a GPU."""
    python = shutil.which(options.torch)
    if not plan:
        return {}
    if python is None:
        report.skips(f"PyTorch for {len(plan)} rows: there is no {options.torch}")
        return {}
    found = {}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"device": "cuda", "seconds": options.seconds, "rows": plan}, file)
        file.flush()
        run = subprocess.Popen(
            [python, str(HERE / "peers.py"), file.name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=machine.foreign, stdin=subprocess.DEVNULL)
        for line in run.stdout:
            answer = json.loads(line)
            if "none" in answer:
                report.skips(f"PyTorch for {len(plan)} rows: {answer['none']}")
            elif "torch" in answer:
                found[""] = answer
                report.say(f"PyTorch {answer['torch']} on {answer['device']}")
            else:
                if "error" in answer:
                    report.skips(f"PyTorch for {answer['row']}: {answer['error']}")
                found[answer["row"]] = answer
        if run.wait() != 0:
            report.skips(f"PyTorch: peers.py ended with {run.returncode}")
    return found


def digits(value, places=3):
    return None if value is None else f"{value:.{places}f}"


def measure(machine, report, device, parts, options, table):
    """Times the parts; adds their tables to the report."""
    lines, plan = {}, []
    for part, rows in (("networks", networks), ("products", products)):
        if part in parts:
            lines[part], wanted = rows(machine, report, device, options)
            plan += wanted
    beside = peers(machine, report, plan, options) if "torch" in parts else {}
    for part, rows in lines.items():
        for row in rows:
            row["torch"] = beside.get(row["name"])
            theirs = (row["torch"] or {}).get("ms")
            row["ratio"] = theirs / row["ms"] if theirs and row["ms"] else None
        if part == "networks":
            head = ["network", "ms", "error", "PyTorch ms", "with copies, ms", "PyTorch / ours"]
            cells = [[
                row["name"], digits(row["ms"]), None if row["error"] is None else f"{row['error']:.1g}",
                digits((row["torch"] or {}).get("ms")), digits((row["torch"] or {}).get("copies_ms")), digits(row["ratio"], 2)
            ] for row in rows]
            remark = (
                "Times are medians of one prediction with copies of the inputs to the device and of the outputs back. PyTorch replays a CUDA "
                "graph, without and with these copies. It has fp16 weights where ours are int4.")
        else:
            head = ["product", "ms", "Tflop/s", "PyTorch ms", "PyTorch Tflop/s", "PyTorch / ours"]
            cells = []
            for row in rows:
                theirs = (row["torch"] or {}).get("ms")
                speed = row["tflops"] * row["ms"] / theirs if theirs and row["ms"] else None
                cells.append([
                    row["name"], digits(row["ms"], 4), digits(row["tflops"]), digits(theirs, 4), digits(speed), digits(row["ratio"], 2)])
            remark = (
                f"The time of a product is the difference between a chain of {chains.LENGTHS[1]} and one of {chains.LENGTHS[0]}, per further product. "
                "PyTorch (cuBLAS, cuDNN) runs the same chains as CUDA graphs, with fp16 weights where ours are int4. No time: noise exceeded the difference.")
        report.section(part.capitalize(), [*table(head, cells), "", remark], **{part: rows}, torch=beside.get(""))
