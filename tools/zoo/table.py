"""The report: a table by family, and a line for each failure."""
import collections

COLUMNS = ["family", "models", "converted", "predictions", "right", "wrong", "refused", "failed", "converter faults"]
# Failures of the runtime, not of the converter: outcome -> column.
OURS = {"wrong": "wrong", "refused": "refused", "crashed": "failed", "hung": "failed", "failed": "failed", "not converted": "failed"}


def line(row):
    """The line for a finished case."""
    detail = row.get("kind") or row.get("detail") or f"{row.get('error', 0):.1e}"
    hints = f"; explained by {', '.join(row['hints'])}" if row.get("hints") else ""
    return f"{row['case']} {row['precision']}: {row['outcome']} ({detail}{hints}), {row['seconds']} s"


def summed(rows):
    """The columns of a family, without its name. A model counts once per precision."""
    count = collections.Counter(row["outcome"] for row in rows)
    ours = collections.Counter(OURS[row["outcome"]] for row in rows if row["outcome"] in OURS)
    kinds = collections.Counter(row["kind"] for row in rows if row["outcome"] == "converter")
    compared = [row for row in rows if "error" in row]
    refused = sum(row["outcome"] == "refused" for row in rows)
    return [
        len({row["case"] for row in rows}), len(compared) + refused, sum(row["predictions"] for row in compared), count["right"], ours["wrong"],
        ours["refused"], ours["failed"], ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items())) or "0"]


def report(rows, listed):
    """Prints the table and the failures; returns the exit status."""
    families = collections.defaultdict(list)
    for row in rows:
        families[row["case"].split("/")[0]].append(row)
    print("| " + " | ".join(COLUMNS) + " |")
    print("| " + " | ".join(["---"] * len(COLUMNS)) + " |")
    for name, part in sorted(families.items()):
        print("| " + " | ".join(str(each) for each in [name, *summed(part)]) + " |")
    print("| " + " | ".join(str(each) for each in ["all", *summed(rows)]) + " |")
    bad = [row for row in rows if row["outcome"] in OURS]
    for row in bad:
        print(line(row))
    for row in rows:
        kind = listed.get(f"{row['case']} {row['precision']}")
        if kind and row["outcome"] == "right":
            print(f"{row['case']} {row['precision']}: listed as {kind} in faults.json, and right")
    return 1 if bad else 0
