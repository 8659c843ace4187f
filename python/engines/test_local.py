"""The engine "local", the baseline for the other engines."""
import time

import pyarrow.dataset

from conftest import BAD, ROWS, SUMS, check, told
from coreml_runtime.batch import run


def test_it_alone(data, tmp_path):
    began = time.monotonic()
    assert run(SUMS, data, tmp_path / "out", part_rows=5000) == (ROWS, len(BAD))
    told("local, one process", time.monotonic() - began)
    check(pyarrow.dataset.dataset(tmp_path / "out", format="parquet").to_table().to_pydict())
