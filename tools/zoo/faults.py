"""Whose fault a difference is: faults.json lists those of the converter, and each must show that it is one.

A kind in faults.json has a reason and a way to show it; `masks` and `single` may go together:

    sentence: REGEX         the conversion fails with that sentence
    masks: true             the case is right once models write -1e4 where they write the smallest number of their type
    single: [TYPE, ...]     the case is right in half precision once operations of those types stay in single precision

A case is listed by its name and precision under one kind. Anything else than "right" that is not listed, or whose kind does not show
itself, stays as it is and fails the run.
"""
import json
import pathlib
import re

FILE = pathlib.Path(__file__).parent / "faults.json"


def load():
    """The kinds by name, and the kind of each listed case by "NAME PRECISION"."""
    found = json.loads(FILE.read_text())
    kinds, cases = found["kinds"], {}
    for kind, names in found["cases"].items():
        if kind not in kinds:
            raise ValueError(f"{FILE}: there is no kind {kind!r}")
        for name in names:
            for each in [name] if " " in name else [f"{name} fp32", f"{name} fp16"]:
                if each in cases:
                    raise ValueError(f"{FILE}: {each!r} is listed twice")
                cases[each] = kind
    return kinds, cases


def shown(kind, case, precision, result, run):
    """Whether a kind explains a result."""
    if "sentence" in kind:
        return result["outcome"] == "not converted" and re.search(kind["sentence"], result["detail"]) is not None
    if result["outcome"] != "wrong":
        return False
    mended = run(case, precision, single=tuple(kind.get("single", ())), masks=kind.get("masks", False))
    result["mended"] = mended.get("error", mended["outcome"])
    return mended["outcome"] == "right"


def judge(case, precision, result, run):
    """The result, as a fault of the converter where one is listed and shown."""
    kinds, cases = load()
    name = cases.get(f"{case.name} {precision}")
    if name is not None and shown(kinds[name], case, precision, result, run):
        return {**result, "outcome": "converter", "kind": name}
    if name is None:
        # A hint for listing a new case.
        hints = [each for each, kind in kinds.items() if shown(kind, case, precision, dict(result), run)]
        return {**result, "hints": hints}
    return {**result, "listed": name}
