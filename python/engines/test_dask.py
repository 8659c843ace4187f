"""Dask with two workers."""
import time

import numpy as np
import pandas as pd
import pyarrow.dataset
import pytest

pytest.importorskip("distributed")
import dask.array
import dask.dataframe
from distributed import Client, LocalCluster

from conftest import BAD, DIGITS, LINE, ROWS, SUMS, Killer, check, parts_are_there, told
from coreml_runtime import Error
from coreml_runtime import dask as coreml
from coreml_runtime.batch import run


@pytest.fixture(scope="module")
def client():
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        client.register_plugin(coreml.Opened(SUMS))
        yield client


def test_frames(client, data):
    frame = dask.dataframe.read_parquet(data, dtype_backend="pyarrow")
    made = coreml.predict(frame, SUMS)
    began = time.monotonic()
    done = made.compute()
    told("dask, frames on two workers", time.monotonic() - began)
    assert list(made.columns) == list(done.columns) and (made.dtypes == done.dtypes).all()
    check({name: [None if value is pd.NA else value for value in done[name]] for name in done.columns})


def test_arrays(client):
    array = dask.array.from_array(np.random.default_rng(1).random((1000, 2)), chunks=(100, 1))
    made = coreml.predict_array(array, LINE)
    done = made.compute()
    assert made.shape == done.shape == (1000, 1) and made.dtype == done.dtype == np.float64
    with pytest.raises(Error, match="no output 'other'"):
        coreml.predict_array(array, LINE, output="other")


def test_pictures(client):
    frame = pd.DataFrame({"image": [str(DIGITS / "seven.png"), "/nowhere.png", str(DIGITS / "two.png")]})
    done = coreml.predict(dask.dataframe.from_pandas(frame, npartitions=2), DIGITS / "Digits.mlpackage").compute()
    assert done["classLabel"].tolist()[::2] == ["seven", "two"] and "No such file" in done["error"].tolist()[1]


def test_what_is_wrong_is_one_error(client):
    with pytest.raises(Error, match="no column 'a' for the input 'a'; it has b"):
        coreml.predict(dask.dataframe.from_pandas(pd.DataFrame({"b": [1]}), npartitions=1), SUMS)


def test_a_worker_that_is_killed(client, data, tmp_path):
    pids = lambda: list(client.run(lambda: __import__("os").getpid()).values())  # noqa: E731
    workers = pids()
    with Killer(parts_are_there(tmp_path / "out"), lambda: workers) as killer:
        assert run(SUMS, data, tmp_path / "out", engine="dask", part_rows=1000) == (ROWS, len(BAD))
    assert killer.killed in workers
    check(pyarrow.dataset.dataset(tmp_path / "out", format="parquet").to_table().to_pydict())
