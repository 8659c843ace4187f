#!/usr/bin/env python3
"""Writes seed inputs for `tools/fuzz --seeds` to DIR/<target>/<name>: many small files, made from this repository only.

    pip install coremltools==9.0 numpy pillow
    python3 tools/fuzz_seeds DIR [--smallest]

--smallest: only the smallest input of each kind (the part of its name before the first dash).
"""
import argparse
import pathlib

import classical
import features
import folders
import networks
import programs

root = pathlib.Path(__file__).resolve().parent.parent.parent


def encoded(model): return model.SerializeToString(deterministic=True)


def targets():
    """Yields (target, name, bytes)."""
    made_networks, made_classical = list(networks.seeds()), list(classical.seeds())
    made_programs = list(programs.seeds(root / "Tests/Cases"))
    for name, model in made_networks:
        yield "network", name, encoded(model)
    for name, model in made_classical:
        yield "classical", name, encoded(model)
    for name, functions, weights in made_programs:
        text = programs.text(functions).encode()
        yield "text", name, text
        yield "plan", name, text
        yield "program", name, encoded(programs.model(functions)) + (folders.MARK + b"\1" + weights if weights else b"")
    for name, data in folders.espresso():
        yield "espresso", name, data
    few = [item for item in made_classical if "glm" in item[0] or "scaler" in item[0]] + made_networks[:1]
    for name, data in folders.bundle(few, list(programs.by_hand())):
        yield "bundle", name, data
    models = [model for _, model in made_networks + made_classical] + [programs.model(functions) for _, functions, _ in made_programs]
    table = (root / "Tests/SpecDump/Generated/DumpTable.swift").read_text()
    for target, inputs in [
            ("spec", features.messages(models, table)), ("blob", features.blobs()), ("npy", features.arrays()), ("npz", features.npz()),
            ("json", features.jsons()), ("table", features.tables()), ("lines", features.lines()), ("picture", features.pictures())]:
        for name, data in inputs:
            yield target, name, data


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--smallest", action="store_true")
    options = parser.parse_args()
    smallest, count = {}, {}
    for target, name, data in targets():
        key = (target, name.split("-")[0] if options.smallest else name)
        if key not in smallest or len(data) < len(smallest[key]):
            smallest[key] = data
    for (target, name), data in smallest.items():
        file = options.out / target / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        inputs, size = count.get(target, (0, 0))
        count[target] = (inputs + 1, size + len(data))
    for target, (inputs, size) in count.items():
        print(f"{target:10} {inputs:5} inputs {size:8} bytes")


main()
