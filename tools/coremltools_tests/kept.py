"""The committed results (results.json), by parts of test files.

A part has about a thousand tests, selected by a hash of their names.
"""
import collections
import hashlib
import json
import re

import results

PART = 1000


def belongs(name, part, parts):
    """Whether a test belongs to this part (counted from 1) of its file. Deterministic."""
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) % parts == part - 1


def read(path):
    if not path or not path.exists():
        return {"files": {}, "parts": {}}
    return json.loads(path.read_text())


def write(path, known):
    path.write_text(json.dumps(known, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def parts_of(file, known):
    return max(1, -(-known["files"].get(file, 0) // PART))


def is_there(file, part, parts, known):
    return known["parts"].get(f"{file} {part}/{parts}", {}).get("whole", False)


def placeless(text):
    """An error message without machine-specific folders."""
    return re.sub(r"(/[\w.+-]+)+/site-packages/", "", re.sub(r"/(tmp|dev/shm)/[\w./+-]+", "/tmp/…", text))


def told(tests):
    """The record of a part: counts, failures and the reasons of skipped tests."""
    counts = collections.Counter(results.outcome(test) for test in tests)
    compared = [test for test in tests if results.predicts(test) and results.outcome(test) in ("passed", "failed")]
    counts["predict"] = len(compared)
    counts["of these passed"] = sum(results.outcome(test) == "passed" for test in compared)
    failures = [
        {"id": test["id"], "error": results.short(placeless(" ".join([*test["refused"][:1], test.get("error", "")])), 300), "predicts": results.predicts(test),
         "where": [re.sub(r".*/(site-packages|lib/python[\d.]+)/", "", place) for place in test.get("where", [])[-1:]]} for test in tests if results.outcome(test) == "failed"]
    skips = collections.Counter(results.short(test.get("error", ""), 110) for test in tests if results.outcome(test) == "skipped")
    return {"tests": len(tests), "counts": dict(counts), "failures": failures, "skips": dict(skips),
            "strict": {test["id"]: max(test["strict"]) for test in tests if test["strict"] and results.outcome(test) == "passed"}}


def failures(known, word):
    """The ids of failed tests whose message contains `word`."""
    return [each["id"] for part in known["parts"].values() for each in part["failures"] if word in each["error"]]


def retry(part, tests):
    """Replaces the results of failures by those of their retry."""
    again = [tests[each["id"]] for each in part["failures"] if each["id"] in tests]
    if not again:
        return
    new, counts = told(again), collections.Counter(part["counts"])
    old = [each for each in part["failures"] if each["id"] in tests]
    counts.update(new["counts"])
    counts["failed"] -= len(old)
    counts["predict"] -= sum(each["predicts"] for each in old)
    part["counts"] = {name: count for name, count in counts.items() if count or name in ("predict", "of these passed")}
    part["failures"] = [each for each in part["failures"] if each["id"] not in tests] + new["failures"]
    part["skips"] = dict(collections.Counter(part["skips"]) + collections.Counter(new["skips"]))


def fold(path, reports, library):
    """Merges reports into results.json. Only a complete part replaces a complete part."""
    known = read(path)
    tests, files = results.read(reports)
    for file, found in results.by_file(tests.values()).items():
        if file in files:
            known["files"][file] = files[file]["collected"]
        parts = parts_of(file, known)
        for part in range(1, parts + 1):
            mine = [test for test in found if belongs(test["id"], part, parts)]
            expected = files.get(file, {}).get("parts", {}).get(f"{part}/{parts}")
            whole = expected is not None and len(mine) >= expected
            name = f"{file} {part}/{parts}"
            if file in files and mine and (whole or len(mine) >= known["parts"].get(name, {"tests": 0})["tests"]):
                known["parts"][name] = {**told(mine), "whole": whole, "library": library}
            elif name in known["parts"] and file not in files:
                retry(known["parts"][name], {test["id"]: test for test in mine})
    for file, record in files.items():
        known["files"].setdefault(file, record["collected"])
        if record["error"]:
            known.setdefault("not collected", {})[file] = results.short(record["error"], 160)
        else:
            known.get("not collected", {}).pop(file, None)
    write(path, known)
