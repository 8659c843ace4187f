"""The format of a report: one line of JSON per test (`id`) or collected file (`file`). The last line of each counts."""
import collections
import json


def write(path, record):
    with open(path, "a") as file:
        file.write(json.dumps(record) + "\n")


def read(paths):
    """({id: test}, {file: record of its collection})."""
    tests, files = {}, {}
    for path in paths:
        with open(path) as lines:
            for line in lines:
                record = json.loads(line)
                if "id" in record:
                    tests[record["id"]] = record
                else:
                    before = files.get(record["file"], {}).get("parts", {})
                    files[record["file"]] = {**record, "parts": {**before, **record.get("parts", {})}}
    return tests, files


def file_of(test):
    return test["id"].split("::")[0]


def by_file(tests):
    found = collections.defaultdict(list)
    for test in tests:
        found[file_of(test)].append(test)
    return found


def outcome(test):
    return "expected to fail" if test["xfail"] else test["outcome"]


def predicts(test):
    """Whether a test has predicted, or would have if its model had not been rejected."""
    return bool(test["events"].get("predict") or test["refused"])


def short(text, length):
    text = " ".join(text.split()).replace("|", "\\|").replace("`", "'")
    return text if len(text) <= length else text[: length - 1] + "…"
