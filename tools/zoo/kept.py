"""Results of earlier runs, one line of JSON each."""
import hashlib
import json
import pathlib


def version(library):
    """A digest of the library and the cases. Results are reused only for the same digest."""
    found = hashlib.sha256()
    sources = sorted(pathlib.Path(__file__).parent.glob("*.py")) + [pathlib.Path(__file__).parent / "requirements.txt"]
    for path in [pathlib.Path(library), *sources]:
        with path.open("rb") as file:
            found.update(hashlib.file_digest(file, "sha256").digest())
    return found.hexdigest()[:16]


class Results:
    """A file of results; without a path it does nothing."""

    def __init__(self, path, library):
        self.path, self.version = path, version(library) if path else None

    def finished(self, listed):
        """Results to reuse, by case and precision: "right", or a fault of the converter as currently listed."""
        if self.path is None or not self.path.exists():
            return {}
        rows = {}
        for line in self.path.read_text().splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue  # incomplete line of an interrupted run
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
