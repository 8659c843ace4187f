#!/usr/bin/python3
"""Runs the `runtime` command on damaged models and inputs, one process each, and checks how each process ends.

    tools/fuzz-models.py [--models 20000] [--inputs 5000] [--seed 1] [--jobs 2] [--keep FOLDER] [--memory-limit]
    tools/fuzz-models.py --seed 2 --from 8000            continues an interrupted run
    tools/fuzz-models.py --seed 1 --only model:17        repeats one run and keeps its files

Originals are the demo's model and, if ../shared exists, small conformance cases and real models. Damage of files:
flipped bits, truncation, removed or repeated ranges, edited lengths of protobuf fields, edited header fields of weight
files. Damage of .npz inputs: also changes inside with a corrected checksum, and zeros that compress a thousandfold.

Each run must end within 20 s with status 0, 64, 65, 74 or 75, and with one line on stderr unless the status is 0. It
may use at most max(64 MB, 4 times the size of the model's files) of memory. --memory-limit gives the command half of
that as its limit. Every run depends only on the seed and its number. Build first:
swift build -c release --static-swift-stdlib --product runtime.
"""

import argparse
import base64
import collections
import concurrent.futures
import io
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DIGITS = ROOT / "examples" / "digits"
FORMATS = ROOT / "Tests" / "Cases" / "pictures" / "formats"
ALLOWED = {0, 64, 65, 74, 75}
SECONDS = 20
MEMORY = 64 << 20
SMALL = 4 << 20  # largest original in bytes: copies of larger models would take most of the time
JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//wAALCAAg"
    "ACABAREA/8QAGAABAQEBAQAAAAAAAAAAAAAABwUEAwb/xAAkEAABAwMFAAIDAAAAAAAAAAABAgMEAAURBhITITEHFSJSYf/aAAgBAQAAPwDxGnrT9pNQlS9qc90utvw9"
    "MQG0cyVkjzNaYF3Vd4zqS1sSRjdRTrW3Mw56lNOhZUexnyotuuLkAlTeQf5V6zh7UdwaEqUUhKvCaTLs8LFYeOI1vUUY3AUI3CQ9ImOrfUoqKj0T5WWu8aQ9FdS6yopU"
    "k56pc0RfV3y2Ox5jO8oGMkUe6vhNRbk4Wsdq8qHGb5ZLbf7KApRt3x4w9DadWofmnNVhGY0bbXeJIO8dEURXieufPddUeirqv//Z")


def files_of(path):
    return sorted(f for f in path.rglob("*") if f.is_file()) if path.is_dir() else [path]


def size_of(path):
    return sum(f.stat().st_size for f in files_of(path))


def originals(folder, rng):
    """[(model, inputs or None)]: the demo's model, and small cases sampled from ../shared, unpacked to `folder`."""
    found = [(DIGITS / "Digits.mlpackage", DIGITS / "three.png")]
    shared = ROOT.parent / "shared"
    for archive, count in (("corpus/corpus-dev.tar.gz", 400), ("models/models-dev.tar.xz", 40)):
        if not (shared / archive).exists():
            print(f"no {archive} in ../shared: skipping its models")
            continue
        with tarfile.open(shared / archive) as packed:
            packed.extractall(folder)
        cases = sorted(p.parent for p in folder.rglob("meta.json"))
        cases = [c for c in cases if not any(c == m.parent for m, _ in found)]
        chosen = []
        for case in rng.sample(cases, len(cases)):
            model = next((p for p in (case / "model.mlmodel", case / "model.mlpackage", case / "model.mlmodelc") if p.exists()), None)
            inputs = next((p for p in (case / "inputs.npz", case / "inputs_0.npz") if p.exists()), None)
            if model is not None and size_of(model) <= SMALL:
                chosen.append((model, inputs))
            if len(chosen) == count:
                break
        found += chosen
    return found


# ---- damage

def length_edits(data, rng):
    """Edits the length of one length-delimited protobuf field; parses the message as far as possible to find one."""

    def varint(at):
        value = shift = 0
        while at < len(data) and shift < 64:
            value |= (data[at] & 127) << shift
            at, shift = at + 1, shift + 7
            if data[at - 1] < 128:
                return value, at
        raise ValueError

    places = []

    def walk(at, end, depth):
        while at < end and len(places) < 5000:
            tag, at = varint(at)
            kind = tag & 7
            if kind == 0:
                _, at = varint(at)
            elif kind == 1:
                at += 8
            elif kind == 5:
                at += 4
            elif kind == 2:
                start = at
                length, at = varint(at)
                if at + length > end:
                    raise ValueError
                places.append((start, at, length))
                if depth < 12 and 2 <= length <= 1 << 16:
                    mark = len(places)
                    try:
                        walk(at, at + length, depth + 1)
                    except ValueError:
                        del places[mark:]
                at += length
            else:
                raise ValueError

    try:
        walk(0, len(data), 0)
    except ValueError:
        pass
    if not places:
        return flips(data, rng)
    start, end, length = rng.choice(places)
    new = rng.choice([0, 1, max(length - 1, 0), length + 1, length * 2, 127, 1 << 20, (1 << 31) - 1, 1 << 32, (1 << 63) - 1, (1 << 64) - 1])
    encoded = bytearray()
    while True:
        encoded.append(new & 127 | (128 if new > 127 else 0))
        new >>= 7
        if new == 0:
            return data[:start] + bytes(encoded) + data[end:]


def flips(data, rng):
    data = bytearray(data)
    # Half of the flips are at the beginning, which has the most structure.
    for _ in range(rng.choice([1, 1, 1, 2, 4, 16])):
        if data:
            at = rng.randrange(min(len(data), 4096) if rng.random() < 0.5 else len(data))
            data[at] ^= 1 << rng.randrange(8)
    return bytes(data)


def truncation(data, rng):
    return data[: rng.randrange(len(data) + 1)]


def stretch(data, rng):
    start = rng.randrange(len(data) + 1)
    end = min(len(data), start + rng.choice([1, 2, 8, 64, 1024]))
    return data[:start] + rng.choice([b"", data[start:end] * 2, b"\xff" * (end - start), b"\0" * (end - start)]) + data[end:]


def numbers(data, rng):
    """Overwrites an aligned 64-bit integer: sizes and offsets of weight files, archives, arrays."""
    if len(data) < 16:
        return flips(data, rng)
    at = rng.randrange(0, min(len(data), 512) - 8 if rng.random() < 0.7 else len(data) - 8) // 8 * 8
    value = rng.choice([0, 1, 63, 64, 1 << 31, (1 << 32) - 1, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, rng.getrandbits(64)])
    return data[:at] + struct.pack("<Q", value) + data[at + 8 :]


def digits_edit(data, rng):
    """Replaces one digit in a text: shapes in headers, values in JSON."""
    places = [i for i, byte in enumerate(data[: 1 << 16]) if 48 <= byte <= 57]
    if not places:
        return flips(data, rng)
    at = rng.choice(places)
    return data[:at] + rng.choice([b"0", b"-1", b"1e999", b"999999999999999999999", b"4294967296", b"x", b"NaN"]) + data[at + 1 :]


def array_edit(data, rng):
    """Damages one array of an .npz, or declares a larger shape, with or without data. The archive stays valid."""
    arrays = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            arrays[name] = archive.read(name)
    victim = rng.choice(sorted(arrays))
    array = arrays[victim]
    kind = rng.choice(["inside", "claim", "bomb"])
    if kind == "inside":
        arrays[victim] = rng.choice([flips, truncation, stretch, numbers, digits_edit])(array, rng)
    else:
        at = 10 + struct.unpack("<H", array[8:10])[0]
        size = rng.choice([1 << 22, 1 << 25]) if kind == "bomb" else rng.choice([1 << 22, 1 << 31, 1 << 40, 1 << 62])
        header = f"{{'descr': '<f4', 'fortran_order': {rng.random() < 0.1}, 'shape': (1, {size}), }}".encode()
        array = array[:8] + struct.pack("<H", len(header)) + header + (array[at:] if kind == "claim" else bytes(4 * size))
        arrays[victim] = array
    packed = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if kind == "bomb" else rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in arrays.items():
            archive.writestr(name, content)
    return packed.getvalue()


MODEL_DAMAGE = [flips, flips, truncation, stretch, length_edits, length_edits, length_edits, numbers]
INPUT_DAMAGE = [flips, flips, truncation, stretch, numbers, digits_edit]


# ---- runs

# The kernel's peak memory of a child includes its memory before exec, which is that of its parent. So small helper
# processes start the children. Protocol: a line {arguments, environment, folder, seconds} -> [status, late, bytes].
STARTER = """
import json, os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
for line in sys.stdin:
    work = json.loads(line)
    os.chdir(work["folder"])
    files = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
             (os.POSIX_SPAWN_OPEN, 2, "stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)]
    child = os.posix_spawn(work["arguments"][0], work["arguments"], work["environment"], file_actions=files, setsigmask=())
    late = signal.sigtimedwait({signal.SIGCHLD}, work["seconds"]) is None
    if late:
        os.kill(child, signal.SIGKILL)
        signal.sigwait({signal.SIGCHLD})
    _, ended, usage = os.wait4(child, 0)
    print(json.dumps([os.waitstatus_to_exitcode(ended), late, usage.ru_maxrss << 10]), flush=True)
"""


class Starter:
    """A helper process that starts one program at a time. Each thread has its own."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, "-I", "-S", "-c", STARTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, arguments, environment, folder):
        work = {"arguments": arguments, "environment": environment, "folder": str(folder), "seconds": SECONDS}
        self.process.stdin.write(json.dumps(work) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


class Fuzzer:
    def __init__(self, arguments, folder):
        self.arguments, self.folder, self.threads = arguments, folder, threading.local()
        self.originals = originals(folder / "originals", random.Random(f"{arguments.seed}/originals"))
        self.inputs = [(DIGITS / "Digits.mlpackage", "image.png", (DIGITS / "three.png").read_bytes()),
                       (DIGITS / "Digits.mlpackage", "image.jpg", JPEG),
                       *((DIGITS / "Digits.mlpackage", f"image.{kind}", (FORMATS / f"seven.{kind}").read_bytes())
                         for kind in ("webp", "tiff", "gif", "bmp")),
                       (DIGITS / "Digits.mlpackage", "row.json", b'{"image": {"image": "three.png"}}')]
        for model, inputs in self.originals[1:]:
            if inputs is not None and inputs.stat().st_size < 1 << 18:
                self.inputs.append((model, "row.npz", inputs.read_bytes()))
                self.inputs.append((model, "row.json", self.as_json(inputs)))

    @staticmethod
    def as_json(path):
        """The arrays of an .npz in the exact JSON format for inputs."""
        row = {}
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                data = archive.read(name)
                header_end = 10 + struct.unpack("<H", data[8:10])[0]
                header = eval(data[10:header_end], {"__builtins__": {}})  # a header written by numpy: only originals get here
                kind = {"<f4": ("float32", "f"), "<f8": ("double", "d"), "<i4": ("int32", "i")}.get(header["descr"])
                if kind:
                    values = [v for (v,) in struct.iter_unpack("<" + kind[1], data[header_end:])][:4096]
                    row[name[:-4]] = {"shape": list(header["shape"]), "dataType": kind[0], "data": values}
        return json.dumps(row).encode()

    def prepare(self, kind, number, folder):
        """Writes the damaged files to `folder`; returns the arguments of the command and the size of the model."""
        rng = random.Random(f"{self.arguments.seed}/{kind}/{number}")
        if kind == "model":
            original, inputs = rng.choice(self.originals)
            model = folder / original.name
            shutil.copytree(original, model) if original.is_dir() else shutil.copy(original, model)
            victims = files_of(model)
            weights = [3 if v.suffix == ".mlmodel" else 1 for v in victims]
            victim = rng.choices(victims, weights)[0]
            victim.write_bytes(rng.choice(MODEL_DAMAGE)(victim.read_bytes(), rng))
            command = rng.choice(["predict", "predict", "predict", "inspect", "compile"])
            if command == "predict":
                given = [] if inputs is None else ["--input", str(inputs)]
                return ["predict", str(model), *given, "--no-cache", "--compute-units", "cpuOnly", "--json"], size_of(model)
            if command == "inspect":
                return ["inspect", str(model), "--stage", rng.choice(["spec", "program", "optimized", "placed"]), "--json"], size_of(model)
            return ["compile", str(model), "-o", str(folder)], size_of(model)
        model, name, data = rng.choice(self.inputs)
        path = folder / name
        damage = array_edit if name.endswith(".npz") and rng.random() < 0.5 else rng.choice(INPUT_DAMAGE)
        data = damage(data, rng)
        path.write_bytes(data)
        given = f"image={path}" if name.startswith("image") else str(path)
        return ["predict", str(model), "--input", given, "--no-cache", "--compute-units", "cpuOnly", "--json"], size_of(model) + len(data)

    def run(self, kind, number):
        """-> (status, what is wrong or None)"""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        try:
            arguments, size = self.prepare(kind, number, folder)
            if self.arguments.memory_limit:
                arguments += ["--memory-limit", str(max(MEMORY, 4 * size) // 2)]
            environment = dict(os.environ, HOME=str(folder), XDG_CACHE_HOME=str(folder / "cache"), TMPDIR=str(folder))
            if not hasattr(self.threads, "starter"):
                self.threads.starter = Starter()
            status, late, memory = self.threads.starter.run([self.arguments.runtime, *arguments], environment, folder)
            said, limit = (folder / "stderr").read_text(errors="replace"), max(MEMORY, 4 * size)
            wrong = None
            if late:
                wrong = f"did not end within {SECONDS} s"
            elif status < 0:
                wrong = f"ended by {signal.Signals(-status).name}"
            elif status not in ALLOWED:
                wrong = f"ended with status {status}"
            elif status != 0 and len(said.strip().splitlines()) != 1:
                wrong = f"status {status} with {len(said.strip().splitlines())} lines on stderr"
            elif memory > limit:
                wrong = f"held {memory >> 20} MB, {limit >> 20} MB are allowed"
            if wrong or self.arguments.only:
                kept = self.arguments.keep / f"{kind}-{self.arguments.seed}-{number}"
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(folder, kept)
                line = " ".join(arguments).replace(str(folder), str(kept))
                (kept / "command").write_text(f"{self.arguments.runtime} {line}\n# {wrong}\n{said}")
                if wrong:
                    print(f"{kind}:{number} {wrong}: {kept}\n  {said.strip()[:300]}", flush=True)
            return status, wrong, said.strip()[:500], memory
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=20_000)
    parser.add_argument("--from", type=int, default=0, dest="first", help="number of runs to skip; models run before inputs")
    parser.add_argument("--inputs", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--runtime", default=str(ROOT / ".build" / "release" / "runtime"))
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "fuzz-failures")
    parser.add_argument("--memory-limit", action="store_true")
    parser.add_argument("--only", help="KIND:NUMBER")
    parser.add_argument("--sentences", action="store_true", help="also print the most frequent error messages")
    arguments = parser.parse_args()
    if not os.access(arguments.runtime, os.X_OK):
        sys.exit(f"tools/fuzz-models.py: {arguments.runtime} is not built")
    arguments.runtime = os.path.abspath(arguments.runtime)
    arguments.keep = arguments.keep.absolute()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    # The children inherit these limits, so that no run can exhaust the machine.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        fuzzer = Fuzzer(arguments, pathlib.Path(folder))
        if arguments.only:
            kind, number = arguments.only.split(":")
            print(*fuzzer.run(kind, int(number)), sep="\n")
            return
        work = [("model", i) for i in range(arguments.models)] + [("input", i) for i in range(arguments.inputs)]
        work = work[arguments.first:]
        statuses, sentences, failures, most = collections.Counter(), collections.Counter(), 0, 0
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for done, ((kind, _), result) in enumerate(zip(work, pool.map(lambda item: fuzzer.run(*item), work)), 1):
                status, wrong, said, memory = result
                statuses[kind, status] += 1
                failures += wrong is not None
                most = max(most, memory)
                if status:
                    sentences["".join("#" if c.isdigit() else c for c in said.split(": ", 2)[-1])[:110]] += 1
                if done % 1000 == 0:
                    print(f"{done} of {len(work)} runs, {failures} failed", flush=True)
    print(f"{len(fuzzer.originals)} originals, seed {arguments.seed}, most memory {most >> 20} MB")
    for (kind, status), count in sorted(statuses.items()):
        print(f"  {kind:6s} status {status:4d}: {count}")
    if arguments.sentences:
        for sentence, count in sentences.most_common(40):
            print(f"  {count:6d}  {sentence}")
    if failures:
        sys.exit(f"tools/fuzz-models.py: {failures} of {len(work)} runs failed; see {arguments.keep}")


if __name__ == "__main__":
    main()
