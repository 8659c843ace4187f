"""Prediction of engines' batches: dictionaries of arrays, Arrow tables, pandas frames. Results have the same type."""
import numpy as np

from ._library import Error


def predict(rows, model, batch):
    if isinstance(batch, dict):
        return of_arrays(rows, model, batch)
    kind = type(batch).__module__.split(".")[0]
    if kind == "pandas":
        return of_frame(rows, model, batch)
    if kind == "pyarrow":
        from ._tables import predict

        return predict(rows, model, batch)
    raise Error(f"a batch is of type {type(batch).__name__}, expected a dictionary of arrays, a table or a frame", "python.value", Error.INVALID_INPUT)


def of_arrays(rows, model, batch):
    kept = rows.kept(model, batch)
    taken = {name: _column(batch[column]) for name, column in rows.taken(model, batch).items()}
    count = len(next(iter(batch.values()))) if batch else 0
    results = rows.predict(model, taken, count)
    made = {name: batch[name] for name in kept}
    for each in model.outputs:
        made[rows.output(each)] = results.array(each)
    made[rows.ERROR] = np.array(results.sentences(), object)
    made[rows.MODEL] = np.full(count, rows.digest, object)
    return made


def _column(column):
    return list(column) if isinstance(column, np.ndarray) and column.dtype == object else column


def of_frame(rows, model, frame):
    """A pandas frame with the index and the kept columns of `frame`, and the results as Arrow types."""
    import pandas as pd

    from ._model import is_missing
    from ._tables import results_table

    kept = rows.kept(model, frame.columns)
    columns = {}
    for name, column in rows.taken(model, frame.columns).items():
        values = frame[column]
        if values.dtype.kind in "biuf" and type(values.dtype).__module__.startswith("numpy"):
            columns[name] = values.to_numpy()
        else:
            columns[name] = [None if is_missing(value) else value for value in values]
    table = results_table(rows, model, columns, len(frame))
    made = table.to_pandas(types_mapper=pd.ArrowDtype)
    made.index = frame.index
    return pd.concat([frame[kept], made], axis=1)
