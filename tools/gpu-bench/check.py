"""The main program of ./run: checks a device against this machine's CPU, times networks and products, and compares with
PyTorch."""

import argparse
import json
import os
import pathlib
import platform
import re
import signal
import subprocess
import sys
import time

import known_issues
import scores
import speeds

HERE = pathlib.Path(__file__).resolve().parent
PARTS = ("devices", "cases", "models", "networks", "products", "torch", "known")


class Machine:
    """Starts the commands of this folder with the right loader and libraries."""

    def __init__(self):
        self.loader = os.environ.get("GPU_CHECK_LOADER", "").split()
        self.environment = dict(os.environ)
        for name in ("PYTHONHOME", "PYTHONDONTWRITEBYTECODE"):
            self.environment.pop(name, None)
        # The environment for programs of the machine, such as its Python, with the machine's libraries.
        self.foreign = dict(self.environment)
        self.foreign["LD_LIBRARY_PATH"] = os.environ.get("GPU_CHECK_HOST_LIBRARIES", "")

    def command(self, name, *arguments):
        return [*self.loader, str(HERE / "bin" / name), *map(str, arguments)]

    def ask(self, *arguments, timeout=600, environment={}, reads=True):
        """The parsed output of `runtime ARGUMENTS --json`, or nothing. Raises `RuntimeError` with its error message."""
        try:
            run = subprocess.run(
                self.command("runtime", *arguments, *(["--json"] if reads else ["--quiet"])), capture_output=True, text=True,
                env={**self.environment, **environment}, stdin=subprocess.DEVNULL, timeout=timeout)
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"not done after {timeout} s") from None
        if run.returncode < 0:
            raise RuntimeError(f"ended by signal {-run.returncode}")
        if run.returncode != 0:
            words = (run.stderr.strip().splitlines() or [f"ended with {run.returncode}"])[-1]
            raise RuntimeError(words[:300])
        return json.loads(run.stdout) if reads else None

    def facts(self):
        """Lines that describe the machine."""
        names = re.findall(r"^model name\s*:\s*(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
        lines = [f"{platform.platform()}, {os.cpu_count()} processors{', ' + names[0] if names else ''}"]
        try:
            query = "--query-gpu=name,driver_version,memory.total,clocks.max.sm,power.limit"
            run = subprocess.run(["nvidia-smi", query, "--format=csv,noheader"], capture_output=True, text=True, env=self.foreign)
            lines += run.stdout.strip().splitlines() if run.returncode == 0 else []
        except OSError:
            pass
        return lines


class Report:
    """Collects the results and prints each at once."""

    def __init__(self, folder):
        self.folder, self.passed, self.failed, self.skipped = folder, 0, [], []
        self.sections, self.values, self.start = [], {}, time.monotonic()
        folder.mkdir(parents=True, exist_ok=True)

    def say(self, text):
        print(f"[{time.monotonic() - self.start:6.0f} s] {text}", flush=True)

    def passes(self, count=1):
        self.passed += count

    def fails(self, what):
        self.failed.append(what)
        self.say(f"FAILED: {what}")

    def skips(self, what):
        self.skipped.append(what)
        self.say(f"skipped: {what}")

    def section(self, title, lines, **values):
        self.sections.append(f"## {title}\n\n" + "\n".join(lines))
        self.values.update(values)
        self.write()

    def write(self):
        """Writes the report files. Called after every part, so that results survive the loss of the machine."""
        lines = ["# Report of gpu-check", *self.sections]
        for title, items in (("Failed", self.failed), ("Skipped", self.skipped)):
            if items:
                lines.append(f"## {title}\n\n" + "\n".join(f"- {item}" for item in items))
        lines.append(f"{self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped")
        (self.folder / "report.md").write_text("\n\n".join(lines) + "\n")
        values = dict(self.values, passed=self.passed, failed=self.failed, skipped=self.skipped)
        (self.folder / "report.json").write_text(json.dumps(values, indent=1) + "\n")


def table(head, rows):
    """The lines of a Markdown table."""
    return ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"] + [
        "| " + " | ".join("" if cell is None else str(cell) for cell in row) + " |" for row in rows]


def choose(listing, named):
    """The device with the id `named`, or the first GPU. Exits with 2 if there is none."""
    devices = listing["openCL"]
    for device in devices:
        if device["id"] == named or (named is None and device["kind"] == "gpu"):
            return device
    known = ", ".join(f"{device['id']} ({device['kind']}, {device['name']})" for device in devices) or "none"
    for problem in listing["problems"]:
        print(f"not usable: {problem}", file=sys.stderr)
    what = f"there is no device '{named}'" if named else "there is no GPU; select another kind of device with --device"
    print(f"run: {what}. OpenCL devices: {known}", file=sys.stderr)
    sys.exit(2)


def main():
    parser = argparse.ArgumentParser(prog="./run")
    parser.add_argument("--device")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "report")
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--torch", default="python3")
    options = parser.parse_args()
    parts = options.only.split(",")
    if set(parts) - set(PARTS):
        parser.error(f"--only: expected some of {','.join(PARTS)}")
    if options.sample is not None and options.sample < 1:
        parser.error("--sample: expected 1 or more")
    if options.jobs < 1:
        parser.error("--jobs: expected 1 or more")
    machine = Machine()
    listing = machine.ask("devices")
    if options.list:
        for device in listing["openCL"]:
            print(device["id"], device["kind"], device["name"], device["driver"])
        for problem in listing["problems"]:
            print(f"not usable: {problem}", file=sys.stderr)
        if not listing["openCL"]:
            print("run: there is no OpenCL device", file=sys.stderr)
        sys.exit(0 if listing["openCL"] else 2)
    device = choose(listing, options.device)
    report = Report(options.out)
    features = " ".join(sorted(name for name, has in device["features"].items() if has)) or "no features beyond OpenCL 1.2"
    peaks = device["peaks"]
    facts = [*machine.facts(), f"{device['id']}: {device['name']}, driver {device['driver']}, {features}"]
    facts.append(f"measured: {peaks['flops'] / 1e9:.0f} Gflop/s in fp32, {peaks['bytesPerSecond'] / 1e9:.0f} GB/s")
    facts.append((HERE / "PACKED").read_text().strip().replace("\n", "; "))
    for line in facts:
        report.say(line)
    # The device should support the tensor core kernels or the CUDA driver but does not. Without them it is correct, but
    # slower.
    for problem in listing["problems"]:
        if problem.startswith(f"{device['id']}: ") and ("by warps" in problem or "the CUDA driver" in problem):
            report.fails(problem)
    report.section("Machine", [f"- {line}" for line in facts], device=device, machine=facts)
    if "cases" in parts or "models" in parts:
        scores.check(machine, report, device["id"], [name for name in ("cases", "models") if name in parts], options, table)
    if "networks" in parts or "products" in parts:
        speeds.measure(machine, report, device, parts, options, table)
    if "known" in parts:
        size = 224 if options.sample is None else 16
        found, skipped = known_issues.check(machine.ask, listing, options.device, size, report.say)
        for issue, why in skipped.items():
            report.skips(f"known issue {issue}: {why}")
        lines = [f"- {issue}: {outcome}" for issue, (outcome, _) in found.items()]
        lines += [f"- {issue}, {line}" for issue, (_, ways) in found.items() for line in ways]
        report.section("Known issues", lines, known={issue: outcome for issue, (outcome, _) in found.items()})
    report.write()
    print(
        f"gpu-check: {report.passed} passed, {len(report.failed)} failed, {len(report.skipped)} skipped; "
        f"{report.folder / 'report.md'}")
    sys.exit(1 if report.failed else 0)


if __name__ == "__main__":
    # Exit normally on SIGTERM, to remove the unpacked files.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    main()
