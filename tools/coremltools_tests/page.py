"""The page for docs, generated from results.json."""
import collections
import json
import pathlib
import re

REASONS = pathlib.Path(__file__).resolve().parent / "reasons.json"
COLUMNS = ["tests", "passed", "failed", "skipped", "expected to fail", "not run", "predict", "of these passed"]
INTRODUCTION = """# The tests of coremltools

The results so far of coremltools 9.0's own tests with a stock coremltools and this project's wheel. [testing.md](testing.md#the-tests-of-coremltools) says how to run them.
`tools/coremltools_tests --page` writes this page from `tools/coremltools_tests/results.json`. The column `predict` counts the tests that asked
for a prediction, including those whose model was refused. The other tests convert and inspect programs.
"""
HEAD = "| | " + " | ".join(COLUMNS) + " |\n| --- |" + " ---: |" * len(COLUMNS)


def family(file):
    """The group of a test file: its folder up to a fixed depth, such as `converters/mil/frontend/torch`."""
    parts = file.split("/")[:-1]
    return "/".join(parts[: {"converters": 4, "optimize": 2}.get(parts[0], 3 if parts[1:2] == ["optimize"] else 2)])


def reason_of(failure, reasons):
    """The known reason of a failure, or None."""
    said = " ".join([failure["error"], *failure["where"]])
    for known in reasons:
        if re.search(known["test"], failure["id"]) and re.search(known.get("error", ""), said, re.DOTALL):
            return known["reason"]
    return None


def row(name, counts):
    return f"| {name} | " + " | ".join(f"{counts[column]:,}" for column in COLUMNS) + " |"


def page(known):
    families, total = collections.defaultdict(collections.Counter), collections.Counter()
    parts = collections.defaultdict(list)
    for name, part in known["parts"].items():
        parts[name.rsplit(" ", 1)[0]].append(part)
    for file in sorted({*known["files"], *parts}):
        counts = collections.Counter()
        for part in parts[file]:
            counts.update(part["counts"])
        ran = sum(part["tests"] for part in parts[file])
        counts["tests"] = max(known["files"].get(file, 0), ran)
        counts["not run"] = counts["tests"] - ran
        families[family(file)] += counts
        total += counts
    lines = [INTRODUCTION, HEAD, *(row(f"`{name}`", counts) for name, counts in sorted(families.items())), row("all", total)]
    share = 100 * total["of these passed"] / total["predict"] if total["predict"] else 0
    lines.append(f"\nOf the {total['predict']:,} tests that predict, {share:.2f} % pass.")
    return "\n".join([*lines, failed(known), skipped(known), admitted(known), uncollected(known)])


def failed(known):
    reasons = json.loads(REASONS.read_text())
    found = collections.defaultdict(list)
    for part in known["parts"].values():
        for failure in part["failures"]:
            found[reason_of(failure, reasons)].append(failure)
    lines = ["\n## Failures\n"]
    for reason, failures in sorted(found.items(), key=lambda item: (item[0] is None, -len(item[1]), item[0])):
        predict = sum(failure["predicts"] for failure in failures)
        lines.append(f"**{reason or 'No reason is known.'}** {len(failures):,} tests; {predict:,} of them predict:\n")
        functions = collections.defaultdict(list)
        for failure in failures:
            functions[failure["id"].split("[")[0]].append(failure)
        for function, same in sorted(functions.items()):
            times = f" ({len(same)})" if len(same) > 1 else ""
            lines.append(f"- `{function}`{times}: {same[0]['error'][:160]}")
        lines.append("")
    return "\n".join(lines)


def skipped(known):
    skips = collections.Counter()
    for part in known["parts"].values():
        skips.update(part["skips"])
    rows = [f"| {count:,} | {said or 'none'} |" for said, count in skips.most_common()]
    return "\n".join(["## Skipped tests\n\n| tests | stated reason |\n| ---: | --- |", *rows, ""])


def admitted(known):
    rows = [
        f"- `{name}`: {most:.3g} of the largest element" for part in known["parts"].values() for name, most in sorted(part["strict"].items())]
    return "\n".join(["## Passed only within the wide tolerance of half precision\n", *(rows or ["Nothing."]), ""])


def uncollected(known):
    rows = [f"- `{file}`: {said}" for file, said in sorted(known.get("not collected", {}).items())]
    return "\n".join(["## Not collected\n", *rows]) if rows else ""
