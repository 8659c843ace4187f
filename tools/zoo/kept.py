"""Results of earlier runs, a line of JSON each."""
import hashlib
import json
import pathlib


def version(library):
    """Tells the library and the cases: results of others are no use."""
    found = hashlib.sha256()
    sources = sorted(pathlib.Path(__file__).parent.glob("*.py")) + [pathlib.Path(__file__).parent / "requirements.txt"]
    for path in [pathlib.Path(library), *sources]:
        with path.open("rb") as file:
            found.update(hashlib.file_digest(file, "sha256").digest())
    return found.hexdigest()[:16]


class Results:
    """A file of results, or none."""

    def __init__(self, path, library):
        self.path, self.version = path, version(library) if path else None

    def finished(self, listed):
        """What need not run again, by case and precision: right, or the converter's fault as it is listed now. Failures run again."""
        if self.path is None or not self.path.exists():
            return {}
        rows = {}
        for line in self.path.read_text().splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue  # a run ended within this line
            if row.get("version") == self.version:
                rows[row["case"], row["precision"]] = row
        return {
            key: row for key, row in rows.items()
            if row["outcome"] == "right" or row["outcome"] == "converter" and listed.get(" ".join(key)) == row["kind"]}

    def add(self, row):
        if self.path is None:
            return
        with self.path.open("ab") as file:
            file.write(json.dumps({**row, "version": self.version}).encode() + b"\n")
