"""Digits by Dask: python3 with_dask.py 'rows/*.parquet' out"""
import pathlib
import sys

import dask.dataframe
from distributed import Client

from coreml_runtime import dask as coreml

model = pathlib.Path(__file__).resolve().parent.parent / "digits/Digits.mlpackage"
if __name__ == "__main__":
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        client.register_plugin(coreml.Opened(model))
        coreml.predict(dask.dataframe.read_parquet(sys.argv[1], dtype_backend="pyarrow"), model).to_parquet(sys.argv[2])
