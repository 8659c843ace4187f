"""Predicts the rows of Parquet or Arrow files, on this machine or on the workers of an engine.

    python -m coreml_runtime.batch Digits.mlpackage --input 'data/*.parquet' --output out/ --engine ray --resume

The batch splits the rows into parts and writes one file per part, atomically. After a kill, --resume keeps the finished
parts and predicts the others, so that every row is in the output exactly once. The column `error` has the error message
of a row that failed. Workers must see the same files at the same paths.
"""
import argparse
import contextlib
import os
import signal
import sys
import time

from ._library import Error, Stop

ENGINES = ("local", "ray", "spark", "dask", "beam")
#: exit statuses, from sysexits.h; the command `runtime` uses the same ones
STATUS = {Error.INVALID_ARGUMENT: 64, Error.INVALID_MODEL: 65, Error.INVALID_INPUT: 65, Error.UNSUPPORTED: 65, Error.IO: 66, Error.NO_MEMORY: 75}
CODES = {"python.busy": 75, "unwritable": 73}


def run(
    model, inputs, output, *, engine="local", address=None, workers=None, threads=None, resume=False, part_rows=10_000, format="parquet",
    told=None, **options,
):
    """Predicts files of rows into the folder `output`. Returns (rows, failed rows), including those of resumed runs.

    model: the path of a model.
    inputs: a path, folder or glob pattern, or a list of them.
    engine: "local", "ray", "spark", "dask" or "beam".
    address: the address of the engine's cluster. Default: a cluster on this machine.
    workers: the number of concurrent parts. Default: 1 for "local"; other engines choose it.
    threads: threads of one prediction.
    resume: continue the batch in `output`. Without it, an `output` that has a batch raises ``Error``.
    part_rows: most rows of a part.
    format: "parquet" or "arrow", the format of the output files.
    told: a function, called with (finished parts, parts, finished rows, rows) after each part.
    options: further arguments of ``Rows``: columns, outputs, keep, fresh_state, and options of ``Model``.

    Raises ``Error`` for wrong arguments or files. A row that fails does not raise.
    """
    if engine not in ENGINES:
        raise Error(f"engine is {engine!r}, expected one of {', '.join(ENGINES)}", "python.value", Error.INVALID_ARGUMENT)
    if format not in ("parquet", "arrow"):
        raise Error(f"format is {format!r}, expected 'parquet' or 'arrow'", "python.value", Error.INVALID_ARGUMENT)
    for name, number, most in [("part_rows", part_rows, 1 << 40), ("workers", workers, 1024), ("threads", threads, 1024)]:
        if (number is not None or name == "part_rows") and not (isinstance(number, int) and 1 <= number <= most):
            raise Error(f"{name} is {number!r}, expected a number from 1 to {most}", "python.value", Error.INVALID_ARGUMENT)
    try:
        from . import _parts
    except ImportError as error:
        raise Error(f"{error}", "python.missing-package", Error.UNSUPPORTED) from None
    from ._rows import Rows

    rows = Rows(model, threads=threads, **options)
    batch = _parts.Run(output, rows, _parts.files_of(inputs), part_rows, format)
    with batch.locked():
        parts = batch.begin(resume)
        done = batch.done(parts)
        left = [part for part in parts if part.name not in done]
        total = sum(part.rows for part in parts)

        def count():
            return sum(rows for rows, _ in done.values())

        if told is not None:
            told(len(done), len(parts), count(), total)
        if left:
            # A signal may arrive between two parts, so close the generator on every way out.
            with contextlib.closing(_engine(engine)(batch.task(), left, address, workers, threads)) as ended:
                for name, some, failed in ended:
                    done[name] = (some, failed)
                    if told is not None:
                        told(len(done), len(parts), count(), total)
        missing = [part.name for part in parts if not os.path.exists(batch.path(part))]
        if missing:
            raise Error(
                f"{batch.folder}: {missing[0]} and {len(missing) - 1} other parts were not written where this process looks: workers need the same "
                "file system", "python.parts", Error.IO)
        failed = sum(failed for _, failed in done.values())
        batch.end(count(), failed)
    return count(), failed


def _engine(name):
    if name == "local":
        return _local
    from importlib import import_module

    try:
        return import_module(f"coreml_runtime.{name}").parts
    except ImportError as error:
        raise Error(
            f"the engine {name} needs a package: {error}; pip install 'coreml_runtime[{name}]'", "python.missing-package", Error.UNSUPPORTED
        ) from None


def _local(task, parts, address, workers, threads):
    """The engine "local": `workers` threads of this process share one model."""
    from concurrent.futures import ThreadPoolExecutor, as_completed

    workers = workers or 1
    cores = len(os.sched_getaffinity(0))
    stop = Stop()
    pool = ThreadPoolExecutor(workers, initializer=stop.join)
    try:
        for future in as_completed([pool.submit(task, part, max(1, cores // workers)) for part in parts]):
            yield future.result()
    except BaseException:
        # After Ctrl-C, SIGTERM or a failed part, nobody uses the results of the running parts.
        stop.set()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class Progress:
    """Prints progress: one line that updates itself on a terminal, else one line every COREML_PROGRESS_SECONDS (30).

    With COREML_PROGRESS_SECONDS=0 it prints only on a terminal.
    """

    def __init__(self):
        self.began = self.said = time.monotonic()
        self.first = None
        try:
            self.every = float(os.environ.get("COREML_PROGRESS_SECONDS") or 30)
        except ValueError:
            self.every = 30.0

    def __call__(self, parts, of, rows, total):
        now = time.monotonic()
        if self.first is None:
            self.first = rows
        is_terminal = sys.stderr.isatty()
        if not is_terminal and (self.every == 0 or now - self.said < self.every):
            return
        self.said = now
        rate = (rows - self.first) / max(now - self.began, 1e-9)
        line = f"predicting: {parts} of {of} parts, {rows} of {total} rows, {rate:.0f} rows/s"
        print(f"\r\033[K{line}" if is_terminal else line, end="" if is_terminal else "\n", file=sys.stderr, flush=True)

    def end(self):
        if sys.stderr.isatty():
            print(file=sys.stderr)


def _pairs(texts):
    for text in texts:
        if "=" not in text:
            raise Error(f"'{text}' is no pair: expected NAME=COLUMN", "python.value", Error.INVALID_ARGUMENT)
    return dict(text.split("=", 1) for text in texts)


def main(arguments=None):
    options = argparse.ArgumentParser(prog="python -m coreml_runtime.batch", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("model", help="a .mlmodel, .mlpackage or .mlmodelc")
    options.add_argument("--input", nargs="+", required=True, metavar="FILE", help="Parquet or Arrow files, folders of them, or patterns")
    options.add_argument("--output", required=True, metavar="FOLDER")
    options.add_argument("--engine", choices=ENGINES, default="local")
    options.add_argument("--address", help="the engine's cluster: a Ray address, a Spark master, a Dask scheduler, a Beam job service or "
                         "--address='OPTIONS OF BEAM'; default: a cluster on this machine")
    options.add_argument("--resume", action="store_true", help="continue the batch in the output folder")
    options.add_argument("--rows", type=int, default=10_000, metavar="N", help="most rows of a part, the unit that a kill may lose; default: %(default)s")
    options.add_argument("--format", choices=("parquet", "arrow"), default="parquet", help="format of the output files; default: %(default)s")
    options.add_argument("--column", action="append", default=[], metavar="INPUT=COLUMN", help="the column for an input, if their names differ")
    options.add_argument("--name", action="append", default=[], metavar="OUTPUT=COLUMN", help="the column name for an output, if it is to differ")
    options.add_argument("--keep", metavar="COLUMN,...", help="columns to copy to the output; default: all that are not inputs")
    options.add_argument("--workers", type=int, help="number of concurrent parts, with --engine local, ray, dask or beam")
    options.add_argument("--threads", type=int, help="threads of one prediction")
    options.add_argument("--max-failures", type=int, metavar="N", help="exit with status 1 if more than N rows failed")
    options.add_argument("--fresh-state", action="store_true", help="start each row of a stateful model with a state of zeros")
    for name in ("compute-units", "device", "function", "memory-limit", "fit"):
        options.add_argument(f"--{name}")
    try:
        given = options.parse_args(arguments)
    except SystemExit as ended:
        return 64 if ended.code else 0
    if given.max_failures is not None and given.max_failures < 0:
        print(f"batch: --max-failures is {given.max_failures}, expected 0 or more", file=sys.stderr)
        return 64
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    progress = Progress()
    names = ("compute_units", "device", "function", "memory_limit", "fit")
    more = {name: getattr(given, name) for name in names if getattr(given, name) is not None}
    try:
        rows, failed = run(
            given.model, given.input, given.output, engine=given.engine, address=given.address, workers=given.workers, threads=given.threads,
            resume=given.resume, part_rows=given.rows, format=given.format, columns=_pairs(given.column), outputs=_pairs(given.name),
            keep=None if given.keep is None else [name for name in given.keep.split(",") if name], told=progress,
            fresh_state=given.fresh_state, **more)
    except Error as error:
        print(f"batch: {error}", file=sys.stderr)
        return CODES.get(error.code, STATUS.get(error.status, 70))
    except OSError as error:
        print(f"batch: {error.filename or given.output}: {error.strerror or error}", file=sys.stderr)
        return 74
    except Exception as error:  # noqa: BLE001  an engine's error or our bug; python -X dev shows the traceback
        if sys.flags.dev_mode:
            raise
        print(f"batch: {type(error).__name__}: {' '.join(str(error).split())}", file=sys.stderr)
        return 70
    except KeyboardInterrupt:
        print("batch: stopped; --resume goes on with it", file=sys.stderr)
        return 130
    finally:
        progress.end()
    print(f"{rows} rows in {given.output}" + (f", {failed} of them failed" if failed else ""), file=sys.stderr)
    if given.max_failures is not None:
        return 1 if failed > given.max_failures else 0
    return 65 if rows and failed == rows else 0


if __name__ == "__main__":
    sys.exit(main())
