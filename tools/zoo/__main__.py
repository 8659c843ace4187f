"""Converts the cases of the zoo, predicts with the library and compares with the source framework.

tools/check-zoo has the usage.
"""
import argparse
import fnmatch
import logging
import os
import pathlib
import sys
import warnings

warnings.filterwarnings("ignore")
os.environ.update(TRANSFORMERS_OFFLINE="1", HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false", TRANSFORMERS_VERBOSITY="error", TQDM_DISABLE="1")
logging.disable(logging.WARNING)

import families  # noqa: F401, E402
import faults  # noqa: E402
import kept  # noqa: E402
import pool  # noqa: E402
import table  # noqa: E402
import work  # noqa: E402
from case import CASES, PRECISIONS  # noqa: E402


def chosen(options):
    """The (case, precision) pairs that the options select. A pattern is a family or a name with wildcards."""
    names = [
        name for name in CASES
        if not options.patterns or any(name.startswith(f"{each}/") or fnmatch.fnmatch(name, each) for each in options.patterns)]
    return [(CASES[name], precision) for name in names for precision in options.precision or PRECISIONS]


def main():
    parser = argparse.ArgumentParser(prog="tools/check-zoo")
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--precision", action="append", choices=PRECISIONS)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    wanted = chosen(options)
    if not wanted:
        sys.exit("tools/check-zoo: no case has such a name; --list prints them")
    if options.list:
        print("\n".join(dict.fromkeys(case.name for case, _ in wanted)))
        return 0
    _, listed = faults.load()
    unknown = sorted({name for name in listed if name.rsplit(" ", 1)[0] not in CASES})
    if unknown:
        sys.exit(f"tools/check-zoo: faults.json lists {unknown[0]!r}, which is no case")
    results = kept.Results(options.results, os.environ["COREML_RUNTIME_LIBRARY"])
    finished = results.finished(listed)
    rows = [finished[case.name, precision] for case, precision in wanted if (case.name, precision) in finished]
    pending = [(case, precision) for case, precision in wanted if (case.name, precision) not in finished]
    for row in pool.run(work.attempt, pending, options.jobs, options.limit):
        rows.append(row)
        results.add(row)
        print(table.line(row), file=sys.stderr, flush=True)
    return table.report(rows, listed)


sys.exit(main())
