"""The known faults of the converter, listed in faults.json, and the checks that confirm them.

A kind of fault in faults.json has a reason and a check. `masks` and `single` can be combined:

    sentence: REGEX         the conversion fails with a message that matches
    masks: true             the case is right if models use -1e4 instead of the minimum of their type
    single: [TYPE, ...]     the case is right in fp16 if operations of these types stay in fp32

faults.json lists a case by its name and precision under one kind. Any outcome but "right" that is not listed, or whose
check fails, stays unchanged and fails the run.
"""
import json
import pathlib
import re

FILE = pathlib.Path(__file__).parent / "faults.json"


def load():
    """({kind name: kind}, {"NAME PRECISION": kind name})."""
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
    """Whether the check of a kind confirms that it explains a result."""
    if "sentence" in kind:
        return result["outcome"] == "not converted" and re.search(kind["sentence"], result["detail"]) is not None
    if result["outcome"] != "wrong":
        return False
    mended = run(case, precision, single=tuple(kind.get("single", ())), masks=kind.get("masks", False))
    result["mended"] = mended.get("error", mended["outcome"])
    return mended["outcome"] == "right"


def judge(case, precision, result, run):
    """The result, with the outcome "converter" if a fault of the converter is listed and confirmed."""
    kinds, cases = load()
    name = cases.get(f"{case.name} {precision}")
    if name is not None and shown(kinds[name], case, precision, result, run):
        return {**result, "outcome": "converter", "kind": name}
    if name is None:
        # A hint for listing a new case.
        hints = [each for each, kind in kinds.items() if shown(kind, case, precision, dict(result), run)]
        return {**result, "hints": hints}
    return {**result, "listed": name}
