"""What a report says: lines of JSON, each a test (`id`) or a file whose tests were collected (`file`); the last line of each counts."""
import collections
import json
import pathlib
import re

REASONS = pathlib.Path(__file__).resolve().parent / "reasons.json"
COLUMNS = ["collected", "passed", "failed", "skipped", "expected to fail", "not run", "predict", "of these passed"]
HEAD = "| {} | " + " | ".join(COLUMNS) + " |\n| --- |" + " ---: |" * len(COLUMNS)


def write(path, record):
    with open(path, "a") as file:
        file.write(json.dumps(record) + "\n")


def read(paths):
    """{id: test}, {file: what was collected}."""
    tests, files = {}, {}
    for path in paths:
        with open(path) as lines:
            for line in lines:
                record = json.loads(line)
                if "id" in record:
                    tests[record["id"]] = record
                else:
                    files[record["file"]] = record
    return tests, files


def file_of(test):
    return test["id"].split("::")[0]


def by_file(tests):
    found = collections.defaultdict(list)
    for test in tests:
        found[file_of(test)].append(test)
    return found


def family(file):
    """The folder of a file, as deep as there is something to tell apart: `test/neural_network`, `converters/mil/frontend/torch`."""
    parts = file.split("/")[:-1]
    return "/".join(parts[: {"converters": 4, "optimize": 2}.get(parts[0], 3 if parts[1:2] == ["optimize"] else 2)])


def outcome(test):
    return "expected to fail" if test["xfail"] else test["outcome"]


def predicts(test):
    """Whether a test asked for a prediction, or would have, had its model not been refused."""
    return bool(test["events"].get("predict") or test["refused"])


def reason_of(test, reasons):
    """The reason known for a failure, or none."""
    said = " ".join([test.get("error", ""), *test["refused"], *test.get("where", [])])
    for known in reasons:
        if re.search(known["test"], test["id"]) and re.search(known.get("error", ""), said, re.DOTALL):
            return known["reason"]
    return None


def short(text, length):
    text = " ".join(text.split()).replace("|", "\\|").replace("`", "'")
    return text if len(text) <= length else text[: length - 1] + "…"


def row(name, counts):
    return f"| {name} | " + " | ".join(f"{counts[column]:,}" for column in COLUMNS) + " |"


def table(tests, files):
    """The table by family; all of it together."""
    families, total = collections.defaultdict(collections.Counter), collections.Counter()
    known = by_file(tests.values())
    for file in sorted(set(files) | set(known)):
        counts = collections.Counter(outcome(test) for test in known[file])
        counts["collected"] = max(files.get(file, {}).get("collected", 0), len(known[file]))
        counts["not run"] = counts["collected"] - len(known[file])
        compared = [test for test in known[file] if predicts(test) and outcome(test) in ("passed", "failed")]
        counts["predict"] = len(compared)
        counts["of these passed"] = sum(outcome(test) == "passed" for test in compared)
        families[family(file)] += counts
        total += counts
    return [HEAD.format("tests"), *(row(f"`{name}`", counts) for name, counts in sorted(families.items())), row("all", total)], total


def page(paths):
    tests, files = read(paths)
    lines, total = table(tests, files)
    print("\n".join(lines))
    share = 100 * total["of these passed"] / total["predict"] if total["predict"] else 0
    print(f"\nOf the tests that predict, {share:.2f} % pass.")

    reasons = json.loads(REASONS.read_text())
    failures = collections.defaultdict(list)
    for test in tests.values():
        if outcome(test) == "failed":
            failures[reason_of(test, reasons)].append(test)
    print("\n## What failed\n")
    for reason, found in sorted(failures.items(), key=lambda item: (item[0] is None, -len(item[1]))):
        print(f"**{reason or 'No reason is known.'}** {len(found):,}, of which {sum(map(predicts, found)):,} predict:\n")
        functions = collections.defaultdict(list)
        for test in found:
            functions[test["id"].split("[")[0]].append(test)
        for function, same in sorted(functions.items()):
            print(f"- `{function}`" + (f" ({len(same)})" if len(same) > 1 else "") + f": {short(' '.join(same[0]['refused'][:1]) or same[0].get('error', ''), 160)}")
        print()

    skips = collections.Counter(short(test.get("error", ""), 110) or "no reason is given" for test in tests.values() if outcome(test) == "skipped")
    if skips:
        print("## What skipped itself\n\n| tests | what they say |\n| ---: | --- |")
        print("\n".join(f"| {count:,} | {said} |" for said, count in skips.most_common()))
    left = [(file, told) for file, told in sorted(files.items()) if told["error"]]
    if left:
        print("\n## What could not be collected\n\n" + "\n".join(f"- `{file}`: {short(told['error'], 160)}" for file, told in left))
    strict = [test for test in tests.values() if test["strict"] and outcome(test) == "passed"]
    if strict:
        print("\n## What only half precision's wide tolerance admits\n")
        print("\n".join(f"- `{test['id']}`: {max(test['strict']):.3g} of the largest number" for test in sorted(strict, key=lambda test: test["id"])))
