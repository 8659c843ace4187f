"""A long-lived `conformance` process that predicts case folders, one at a time."""
import atexit
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import time

import numpy as np
from PIL import Image

SECONDS = 60


class Refused(RuntimeError):
    """The runtime gave no prediction; the sentence says why."""


class Predictor:
    def __init__(self, executable):
        self.executable = executable
        self.root = tempfile.mkdtemp(prefix="coremltools-tests-")
        self.out = f"{self.root}/out"
        os.makedirs(self.out)
        self.process = None
        self.numbers = itertools.count()
        self.cases = []  # of the running test
        atexit.register(self.close)

    def close(self):
        if self.process is not None:
            self.process.kill()
        shutil.rmtree(self.root, ignore_errors=True)

    def forget(self):
        for folder in self.cases:
            shutil.rmtree(folder, ignore_errors=True)
        self.cases = []

    def run(self, model, steps, function="", stateful=False, multi=False, last_writes=None):
        """Predicts `steps`, each {"inputs": dict, "writes": dict of states}; gives (arrays, values) a step. With `last_writes`, states
        that are written after the last step, it gives the arrays of all states instead."""
        name = f"c{next(self.numbers)}"
        folder = f"{self.root}/{name}"
        os.makedirs(folder)
        self.cases.append(folder)
        copy = f"{folder}/model{os.path.splitext(model.rstrip('/'))[1]}"
        shutil.copytree(model, copy) if os.path.isdir(model) else shutil.copy(model, copy)
        with open(f"{folder}/meta.json", "w") as file:
            json.dump({"function_name": function, "steps": len(steps), "multi": multi, "stateful": stateful,
                       "read_states": last_writes is not None}, file)
        for number, step in enumerate(steps):
            suffix = f"_{number}" if multi else ""
            write_inputs(folder, suffix, step["inputs"])
            if step.get("writes"):
                np.savez(f"{folder}/write_state{suffix}.npz", **step["writes"])
        if last_writes:
            np.savez(f"{folder}/write_state_{len(steps)}.npz", **last_writes)
        self.predict(folder, name)
        if last_writes is not None:
            return self.outputs(f"{name}_state")[0]
        return [self.outputs(f"{name}_{number}" if multi else name) for number in range(len(steps))]

    def predict(self, folder, name):
        """Returns when the folder is done. A second one, which does not exist, tells: it is refused after the first is done."""
        if self.process is None:
            log = open(f"{self.root}/log", "ab")
            self.process = subprocess.Popen(
                [self.executable, "--threads", "1", self.out], stdin=subprocess.PIPE, stdout=log, stderr=log, text=True)
        done, failure = f"{self.out}/{name}-done.err", f"{self.out}/{name}.err"
        began, pause = time.time(), 0.0005
        try:
            self.process.stdin.write(f"{folder}\n{self.root}/{name}-done\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it ended; told below
        while not os.path.exists(done):
            status = self.process.poll()
            if status is not None or time.time() - began > SECONDS:
                self.process.kill()
                self.process = None
                raise Refused(f"no prediction in {SECONDS} s" if status is None else f"the process ended with {status}")
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)
        os.remove(done)
        if os.path.exists(failure):
            with open(failure) as file:
                raise Refused(file.read().strip())

    def outputs(self, name):
        arrays, values = {}, {}
        path = f"{self.out}/{name}"
        if os.path.exists(path + ".npz"):
            with np.load(path + ".npz") as file:
                arrays = {key: file[key] for key in file.files}
            os.remove(path + ".npz")
        if os.path.exists(path + ".json"):
            with open(path + ".json") as file:
                values = json.load(file)
            os.remove(path + ".json")
        return arrays, values


def number(value):
    """JSON has no word for NaN and infinities."""
    return float(value) if np.isfinite(value) else str(float(value))


def write_inputs(folder, suffix, inputs):
    """Inputs as a case has them; a RuntimeError for what Core ML's Python interface takes no more than this."""
    arrays, values = {}, {}
    for name, value in inputs.items():
        if isinstance(value, np.ndarray):
            if value.dtype not in (np.float32, np.float64, np.int32, np.int8):
                raise RuntimeError(f"Unsupported array type: {value.dtype}")
            arrays[name] = value
        elif isinstance(value, (int, np.integer)) and not isinstance(value, bool):
            values[name] = {"type": "int64", "value": int(value)}
        elif isinstance(value, (float, np.floating)):
            values[name] = {"type": "double", "value": number(value)}
        elif isinstance(value, (bytes, str)):
            values[name] = {"type": "string", "value": value.decode() if isinstance(value, bytes) else value}
        elif isinstance(value, dict):
            pairs = [[key if isinstance(key, str) else int(key), number(item)] for key, item in value.items()]
            kind = "string" if pairs and isinstance(pairs[0][0], str) else "int64"
            values[name] = {"type": "dictionary", "value": pairs, "keyType": kind}
        elif isinstance(value, Image.Image):
            file = f"image{suffix}_{len(values)}." + ("npy" if value.mode == "F" else "png")
            values[name] = {"type": "image", "mode": value.mode, "width": value.width, "height": value.height, "file": file}
            if value.mode == "F":
                np.save(f"{folder}/{file}", np.asarray(value, np.float32))
            else:
                value.save(f"{folder}/{file}")
        elif isinstance(value, (list, tuple)):
            values[name] = {"type": "list_int", "value": [item if isinstance(item, str) else number(item) for item in value]}
        else:
            raise RuntimeError(f"value type not convertible: {type(value)}")
    if arrays:
        np.savez(f"{folder}/inputs{suffix}.npz", **arrays)
    if values:
        with open(f"{folder}/inputs{suffix}.json", "w") as file:
            json.dump(values, file)


PREDICTOR = Predictor(os.environ["CT_EXECUTABLE"])
