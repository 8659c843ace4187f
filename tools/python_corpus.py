#!/usr/bin/env python3
"""Predicts conformance cases through Python. Reads case folders from standard input, like the executable `conformance`.

    python_corpus.py [--through coreml_runtime|coremltools] OUTPUT     used by `tools/corpus --python THROUGH`

`coremltools` is an unmodified one, with coreml_runtime installed.
"""
import argparse
import json
import pathlib
import sys

import numpy as np


def values_of(folder, stem):
    """{feature: Python value} of a step."""
    found = {}
    arrays = folder / f"{stem}.npz"
    if arrays.exists():
        with np.load(arrays, allow_pickle=False) as file:
            found = {name: file[name] for name in file.files}
    values = folder / f"{stem}.json"
    if values.exists():
        for name, told in json.loads(values.read_text()).items():
            found[name] = value_of(told, folder)
    return found


def value_of(told, folder):
    kind, value = told["type"], told.get("value")
    if kind == "int64":
        return int(value)
    if kind == "double":
        return float(value)
    if kind == "dictionary":
        return {(key if told.get("keyType") == "string" else int(key)): float(number) for key, number in value}
    if kind == "image":
        from PIL import Image

        path = folder / told["file"]
        return Image.fromarray(np.load(path).astype(np.float32)) if path.suffix == ".npy" else Image.open(path).convert(told["mode"])
    if kind == "list_int":
        return np.array([float(number) for number in value])
    return value


def write(result, path):
    arrays, values = {}, {}
    for name, value in result.items():
        if hasattr(value, "mode") and hasattr(value, "convert"):
            value = np.asarray(value.convert("RGB") if value.mode in ("RGBA", "RGB") else value)
            arrays[name] = value.astype(np.float32)
        elif isinstance(value, np.ndarray):
            arrays[name] = value.astype(np.float32) if value.dtype == np.float16 else value.astype(np.int32) if value.dtype == np.int8 else value
        elif isinstance(value, dict):
            kind = "string" if all(isinstance(key, str) for key in value) else "int64"
            values[name] = {"type": "dictionary", "keyType": kind, "value": [[key, float(number)] for key, number in value.items()]}
        elif isinstance(value, list):
            values[name] = {"type": "sequence", "value": value}
        else:
            values[name] = {"type": "string" if isinstance(value, str) else "int64" if isinstance(value, int) else "double", "value": value}
    if arrays:
        np.savez(f"{path}.npz", **arrays)
    if values:
        pathlib.Path(f"{path}.json").write_text(json.dumps(values))


class Ours:
    def __init__(self, path, function):
        import coreml_runtime

        self.model = coreml_runtime.Model(path, compute_units="cpu_only", threads=1, function=function)

    def state(self):
        return self.model.make_state()

    def write_state(self, state, name, value):
        state[name] = value

    def predict(self, data, state):
        return self.model.predict(data, state=state)


def completed(package):
    """Creates the empty folders that a package names but the archive lacks: coremltools needs them to open it."""
    manifest = pathlib.Path(package) / "Manifest.json"
    if manifest.exists():
        for item in json.loads(manifest.read_text()).get("itemInfoEntries", {}).values():
            place = manifest.parent / "Data" / item["path"]
            if not place.exists() and not place.suffix:
                place.mkdir(parents=True)


class Stock:
    def __init__(self, path, function):
        import coremltools as ct

        completed(path)
        units = ct.ComputeUnit.CPU_ONLY
        if path.endswith(".mlmodelc"):
            self.model = ct.models.CompiledMLModel(path, units, function)
        else:
            self.model = ct.models.MLModel(path, compute_units=units, function_name=function)

    def state(self):
        return self.model.make_state()

    def write_state(self, state, name, value):
        state.write_state(name, value)

    def predict(self, data, state):
        return self.model.predict(data, state) if state is not None else self.model.predict(data)


def run(folder, output, kind):
    meta = json.loads((folder / "meta.json").read_text())
    path = next(folder / f"model{suffix}" for suffix in (".mlpackage", ".mlmodel", ".mlmodelc") if (folder / f"model{suffix}").exists())
    model = kind(str(path), meta.get("function_name") or None)
    state = model.state() if meta.get("stateful") else None
    for step in range(meta.get("steps", 1)):
        suffix = f"_{step}" if meta.get("multi") else ""
        for name, value in values_of(folder, f"write_state{suffix}").items():
            model.write_state(state, name, value)
        write(model.predict(values_of(folder, f"inputs{suffix}"), state), output / f"{folder.name}{suffix}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--through", choices=("coreml_runtime", "coremltools"), default="coreml_runtime")
    options.add_argument("output", type=pathlib.Path)
    given = options.parse_args()
    kind = Ours if given.through == "coreml_runtime" else Stock
    for line in sys.stdin:
        folder = pathlib.Path(line.strip())
        if not line.strip():
            continue
        try:
            run(folder, given.output, kind)
        except Exception as error:
            (given.output / f"{folder.name}.err").write_text(f"{type(error).__name__}: {error}\n")


if __name__ == "__main__":
    main()
