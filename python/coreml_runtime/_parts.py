"""The parts of a batch: the rows that a part reads, the file that it writes, and the record that allows to resume."""
import contextlib
import glob
import json
import os
import stat
from dataclasses import dataclass

from . import __version__, _own
from ._library import Error
from ._loading import path_of
from ._tables import pa, predict

RECORD, DONE, LOCK = "_run.json", "_SUCCESS", "_run.lock"
ARROW = (".arrow", ".feather", ".ipc")


@dataclass(frozen=True)
class Part:
    """A slice of one file: `rows` rows, starting at row `first` of the row groups (or record batches) [group, end)."""

    name: str
    path: str
    group: int
    end: int
    first: int
    rows: int


def files_of(patterns):
    """The absolute paths of the files that paths, folders and glob patterns name, without duplicates.

    The files of one pattern are sorted by name. Files that start with "_" or "." are skipped unless named.
    Raises ``Error`` for a pattern without files.
    """
    if isinstance(patterns, (str, os.PathLike)):
        patterns = [patterns]
    if not hasattr(patterns, "__iter__"):
        raise Error(f"the inputs are of type {type(patterns).__name__}, expected paths", "python.value", Error.INVALID_ARGUMENT)
    found = {}
    for pattern in patterns:
        path = path_of(pattern)
        if "\0" in path:
            raise Error(f"{path!a}: a path must not contain a zero byte", "unreadable", Error.IO)
        if os.path.isdir(path):
            some = [
                os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names
                if name.endswith((".parquet", *ARROW)) and not name.startswith(("_", "."))]
        elif os.path.exists(path):
            some = [path]
        else:
            some = [name for name in glob.glob(path, recursive=True) if not os.path.basename(name).startswith(("_", "."))]
        if path not in some:  # skip pipes that a pattern matches: opening one blocks
            some = [name for name in some if not _is_stream(name)]
        if not some:
            raise Error(f"{pattern}: no such file", "unreadable", Error.IO)
        for name in sorted(some):
            found.setdefault(os.path.abspath(name))
    if not found:
        raise Error("there are no inputs, expected files, folders or patterns", "python.value", Error.INVALID_ARGUMENT)
    return list(found)


def _is_stream(path):
    """Whether `path` is not a regular file, such as a pipe. False if stat fails: opening it reports that error."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


def told_of(path):
    """The record's entry for a file: path, size in bytes, modification time in nanoseconds. Raises ``Error``."""
    try:
        told = os.stat(path)
    except OSError as error:
        raise Error(f"{path}: {error.strerror}", "unreadable", Error.IO) from None
    if not stat.S_ISREG(told.st_mode):
        raise Error(f"{path}: expected a file, found a pipe or a device", "unreadable", Error.IO)
    return {"path": path, "size": told.st_size, "modified": told.st_mtime_ns}


class Source:
    """A Parquet or Arrow file, whose row groups (or record batches) can be read separately."""

    def __init__(self, path):
        self.path, self.is_arrow = path, path.endswith(ARROW)
        try:
            if self.is_arrow:
                self.file = pa.ipc.open_file(pa.memory_map(path))
                self.schema = self.file.schema
                self.sizes = [self.file.get_batch(group).num_rows for group in range(self.file.num_record_batches)]
            else:
                import pyarrow.parquet

                self.file = pyarrow.parquet.ParquetFile(path)
                self.schema = self.file.schema_arrow
                told = self.file.metadata
                self.sizes = [told.row_group(group).num_rows for group in range(told.num_row_groups)]
        except (OSError, pa.ArrowException) as error:
            raise Error(f"{path}: no Parquet or Arrow file ({str(error).splitlines()[0]})", "unreadable", Error.IO) from None

    def parts(self, number, rows):
        """Splits the file into parts of at most `rows` rows: several small groups, or a slice of a large one."""
        made, group = [], 0
        name = lambda: f"part-{number:05d}-{len(made):05d}"  # noqa: E731
        while group < len(self.sizes):
            end, total = group + 1, self.sizes[group]
            while end < len(self.sizes) and total + self.sizes[end] <= rows:
                total += self.sizes[end]
                end += 1
            for first in range(0, total, rows):
                made.append(Part(name(), self.path, group, end, first, min(rows, total - first)))
            group = end
        if not made:
            made.append(Part(name(), self.path, 0, 0, 0, 0))
        return made

    def read(self, part, columns):
        groups = range(part.group, part.end)
        try:
            if self.is_arrow:
                table = pa.Table.from_batches([self.file.get_batch(group) for group in groups], self.schema).select(columns)
            else:
                table = self.file.read_row_groups(list(groups), columns=columns)
        except (OSError, pa.ArrowException) as error:
            raise Error(f"{self.path}: row groups {part.group} to {part.end - 1} cannot be read ({error})", "unreadable", Error.IO) from None
        return table.slice(part.first, part.rows)


@dataclass(frozen=True)
class Task:
    """The work of an engine's worker: predicts one part and writes its file atomically. Picklable."""

    rows: object
    folder: str
    suffix: str

    def __call__(self, part, threads=1, find=None):
        model = self.rows.open(threads, find)
        source = Source(part.path)
        names = source.schema.names
        needed = [*self.rows.kept(model, names), *(name for name in self.rows.taken(model, names).values() if name not in (self.rows.keep or []))]
        table = predict(self.rows, model, source.read(part, needed))
        failed = table.num_rows - table.column(self.rows.ERROR).null_count
        told = {"coreml_runtime": __version__, "model": self.rows.digest, "part": part.name, "rows": str(table.num_rows), "failed": str(failed)}
        table = table.replace_schema_metadata({**(table.schema.metadata or {}), **{key: text.encode() for key, text in told.items()}})
        write(table, self.path(part))
        return part.name, table.num_rows, failed

    def path(self, part):
        return os.path.join(self.folder, part.name + self.suffix)

    def written(self, part):
        """(name, rows, failed rows) of a finished part. Raises ``Error`` if another batch wrote its file."""
        path = self.path(part)
        _own.check(path)
        told = dict(Source(path).schema.metadata or {})
        failed = told.get(b"failed", b"")
        expected = {b"model": self.rows.digest, b"rows": str(part.rows), b"part": part.name}
        told.setdefault(b"part", part.name.encode())  # files of older versions lack this key
        if any(told.get(key) != value.encode() for key, value in expected.items()) or not failed.isdigit():
            raise Error(f"{path}: it is not what this batch has written there", "python.resume", Error.INVALID_ARGUMENT)
        return part.name, part.rows, int(failed)


def write(table, path):
    """Writes a table atomically. If two workers write the same part, their rows are equal and the last file stays."""
    with _own.writing(path) as file:
        try:
            if path.endswith(".arrow"):
                with pa.ipc.new_file(file, table.schema) as writer:
                    writer.write_table(table)
            else:
                import pyarrow.parquet

                pyarrow.parquet.write_table(table, file)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
            raise Error(f"{path}: the rows cannot be written ({str(error).splitlines()[0]})", "runtime.failed", Error.FAILED) from None


class Run:
    """An output folder: its record, its parts, and which of them are done."""

    def __init__(self, folder, rows, files, part_rows, format):
        self.folder, self.suffix = os.path.abspath(path_of(folder)), f".{format}"
        self.rows = rows
        self.record = {
            "model": rows.digest, "options": {
                "columns": rows.columns, "outputs": rows.outputs, "keep": rows.keep, "model": {key: str(value) for key, value in rows.options.items()},
                "rows": part_rows, "format": format},
            "inputs": [told_of(path) for path in files]}
        self.part_rows = part_rows

    @contextlib.contextmanager
    def locked(self):
        try:
            os.makedirs(self.folder, exist_ok=True)
        except (OSError, ValueError) as error:
            raise _own.unwritable(self.folder, getattr(error, "strerror", None) or str(error)) from None
        with _own.locked(os.path.join(self.folder, LOCK)) as is_ours:
            if not is_ours:
                raise Busy(f"{self.folder}: another batch writes there")
            yield

    def begin(self, resume):
        """Starts or resumes a batch; returns all parts, those of an earlier run first.

        Raises ``Error``, and changes no file, if the folder has a batch of another model, options or input files.
        """
        path = os.path.join(self.folder, RECORD)
        files = {each["path"]: each for each in self.record["inputs"]}
        there = _own.check(path)
        if not there:
            if any(name.startswith("part-") for name in os.listdir(self.folder)):
                raise Error(
                    f"{self.folder}: it has parts and no record of the batch that made them ({RECORD})", "python.resume", Error.INVALID_ARGUMENT)
        elif not resume:
            raise Error(f"{self.folder}: a batch was there before: --resume goes on with it", "python.resume", Error.INVALID_ARGUMENT)
        else:
            before = self._before(path)
            for word, told in [("model", "another model"), ("options", "other options")]:
                if before[word] != self.record[word]:
                    raise Error(f"{self.folder}: the batch in this folder used {told}", "python.resume", Error.INVALID_ARGUMENT)
            for each in before["inputs"]:
                now = files.pop(each["path"], None)
                if now != each:
                    what = "is not among the files of this batch" if now is None else "has changed since"
                    raise Error(f"{each['path']}: the batch in {self.folder} used this file, and it {what}", "python.resume", Error.INVALID_ARGUMENT)
            self.record["inputs"] = before["inputs"] + list(files.values())
        parts = [
            part for number, each in enumerate(self.record["inputs"]) for part in Source(each["path"]).parts(number, self.part_rows)]
        if not there or files:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self.folder, DONE))
            self.note(RECORD, json.dumps(self.record, indent=1))
        for name in os.listdir(self.folder):
            if name.startswith((".part-", f".{RECORD}.", f".{DONE}.")):  # temporary file of a killed process
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(self.folder, name))
        return parts

    @staticmethod
    def _before(path):
        """The record of the earlier run. Raises ``Error`` if it is damaged."""
        try:
            before = json.loads(_own.read(path) or b"")
            if isinstance(before["options"], dict) and all(
                    isinstance(each["path"], str) and {"size", "modified"} <= each.keys() for each in before["inputs"]) and "model" in before:
                return before
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            pass
        raise Error(
            f"{path}: it is damaged, so the parts beside it cannot be verified: choose another output folder, or remove this one",
            "python.resume", Error.INVALID_INPUT)

    def note(self, name, text):
        with _own.writing(os.path.join(self.folder, name)) as file:
            file.write(text.encode(errors="surrogateescape"))

    def path(self, part):
        return self.task().path(part)

    def done(self, parts):
        """{name: (rows, failed rows)} of the finished parts."""
        task = self.task()
        return {part.name: task.written(part)[1:] for part in parts if os.path.exists(task.path(part))}

    def task(self):
        return Task(self.rows, self.folder, self.suffix)

    def end(self, rows, failed):
        self.note(DONE, json.dumps({"rows": rows, "failed": failed, "model": self.rows.digest}) + "\n")


class Busy(Error):
    def __init__(self, message, code="python.busy", status=Error.FAILED):
        super().__init__(message, code, status)


