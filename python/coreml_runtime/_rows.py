"""Prediction of table rows, shared by all engines. Each process opens the model once; each failed row has an error."""
import collections
import math
import os
import threading

import numpy as np

from . import _values
from ._digest import digest
from ._library import Error
from ._loading import path_of

_models, _opening = {}, threading.Lock()


class Rows:
    """Maps the columns of a table to a model's inputs and outputs. Engines pickle it and send it to their workers.

    model: the path of a model. Each worker opens it there and raises ``Error`` if the files have another digest.
    columns: {input: column} for inputs whose column has another name.
    outputs: {output: column} for outputs whose column is to have another name.
    keep: the table's columns to copy to the results. None: all that are not inputs.
    threads: threads of one prediction. None: what the engine assigns to a task.
    fresh_state: start each row of a stateful model with a state of zeros. Otherwise such a model raises ``Error``,
        because the order of rows is not defined.
    options: options of ``Model``.

    Results have two more columns: ``error`` (the message of a failed row, else null) and ``model`` (the digest).
    """

    ERROR, MODEL = "error", "model"

    def __init__(self, model, *, columns=None, outputs=None, keep=None, threads=None, fresh_state=False, **options):
        self.path = os.path.abspath(path_of(model))
        for word, given in [("columns", columns), ("outputs", outputs)]:
            if given is not None and not isinstance(given, dict):
                raise Error(f"{word} is of type {type(given).__name__}, expected a dictionary of names", "python.value", Error.INVALID_ARGUMENT)
        if isinstance(keep, (str, bytes)) or keep is not None and not hasattr(keep, "__iter__"):
            raise Error(f"keep is of type {type(keep).__name__}, expected a list of columns", "python.value", Error.INVALID_ARGUMENT)
        for name, column in (outputs or {}).items():
            if not isinstance(name, str) or not isinstance(column, str):
                raise Error(f"outputs has {name!r}: {column!r}, expected two names", "python.value", Error.INVALID_ARGUMENT)
        if not isinstance(fresh_state, (bool, np.bool_)):
            raise Error(f"fresh_state is {fresh_state!r}, expected True or False", "python.value", Error.INVALID_ARGUMENT)
        if not os.path.exists(self.path):
            raise Error(f"{self.path}: No such file or directory", "unreadable", Error.IO)
        self.columns, self.outputs = dict(columns or {}), dict(outputs or {})
        self.keep = None if keep is None else list(keep)
        for name in self.keep or []:
            if self.keep.count(name) > 1:
                raise Error(f"keep names the column {name!r} twice", "python.value", Error.INVALID_ARGUMENT)
        self.threads, self.fresh_state, self.options = threads, bool(fresh_state), options
        self.digest = digest(self.path)

    def open(self, threads=1, find=None):
        """The ``Model``, opened once per process for the same files and options. Thread-safe.

        find: a function from a base name to a path, for a model that is not at its path.
        """
        threads = self.threads or threads
        path = self.path
        if find is not None and not os.path.exists(path):
            path = find(os.path.basename(path))
        key = (path, self.digest, threads, repr(sorted(self.options.items())))
        with _opening:
            model = _models.get(key)
            if model is None:
                model = _models[key] = self._opened(path, threads)
        return self._checked(model)

    def _opened(self, path, threads):
        from ._model import Model

        if not os.path.exists(path):
            raise Error(f"{path}: No such file or directory; workers open the model at its path", "unreadable", Error.IO)
        found = digest(path)
        if found != self.digest:
            raise Error(
                f"{path}: the rows are for the model with the digest {self.digest[:12]}, and the files here have {found[:12]}", "python.digest",
                Error.INVALID_MODEL)
        return Model(path, threads=threads, **self.options)

    def _checked(self, model):
        """Returns `model`. Raises ``Error`` for unknown inputs or outputs, and for states without fresh_state."""
        if model.states and not self.fresh_state:
            raise Error(
                f"{self.path}: the model keeps {', '.join(repr(each.name) for each in model.states)} between predictions: fresh_state "
                "(--fresh-state) begins each row with zeros", "runtime.invalid-input")
        for word, given, known in [("input", self.columns, model.inputs), ("output", self.outputs, model.outputs)]:
            names = [each.name for each in known]
            for name in given:
                if name not in names:
                    raise Error(f"the model has no {word} '{name}'; it has {', '.join(names)}", "runtime.invalid-input")
        return model

    def column(self, feature):
        return self.columns.get(feature.name, feature.name)

    def output(self, feature):
        return self.outputs.get(feature.name, feature.name)

    def taken(self, model, names):
        """{input: column} for a table with the columns `names`. Raises ``Error`` if a required column is missing."""
        names = list(names)
        for each in model.inputs:
            if self.column(each) not in names and not each.optional:
                raise Error(
                    f"the table has no column '{self.column(each)}' for the input '{each.name}'; it has {', '.join(map(str, names)) or 'none'}",
                    "runtime.invalid-input")
        taken = {each.name: self.column(each) for each in model.inputs if self.column(each) in names}
        _once(taken.values(), names)
        return taken

    def kept(self, model, names):
        """The columns of a table to copy to the results. Raises ``Error`` if one has the name of a result."""
        names = list(names)
        taken = set(self.taken(model, names).values())
        kept = [name for name in names if name not in taken] if self.keep is None else self.keep
        results = [self.output(each) for each in model.outputs] + [self.ERROR, self.MODEL]
        known = set(names)
        for name in kept:
            if name not in known:
                raise Error(f"the table has no column '{name}' to keep; it has {', '.join(map(str, names))}", "runtime.invalid-input")
            if name in results:
                raise Error(
                    f"the column '{name}' would be kept beside a result of that name: name others in `keep`, or rename the output",
                    "runtime.invalid-input")
        _once(kept, names)
        if len(set(results)) < len(results):
            raise Error(f"two results have one name among {', '.join(results)}: rename an output", "runtime.invalid-input")
        return kept

    def predict(self, model, columns, count):
        """Predicts `count` rows; returns ``Results``.

        columns: {input: an array with a row axis, or a list with None for missing values}.
        """
        inputs = {each.name: each for each in model.inputs}
        _values.hold_something(columns, count)
        columns = {name: _fitting(column, inputs[name]) for name, column in columns.items()}
        odd = np.zeros(count, bool)
        for name, column in columns.items():
            odd |= True if model.states else _unusual(column, inputs[name].kind)
        results, errors = [None] * count, {}
        whole = None
        plain = np.flatnonzero(~odd)
        if len(plain) and columns:
            stacked = {name: _plain(column, plain, count, inputs[name].kind) for name, column in columns.items()}
            whole, left = _in_columns(model, stacked, len(plain))
            if len(plain) == count and not left:
                return Results(model, count, whole, None, {})
            alone = set(left)
            for place, row in enumerate(plain):
                if place in alone:
                    odd[row] = True
                else:
                    results[row] = {name: values[place] for name, values in whole.items()}
        def alone(row):
            values = {name: column[row] for name, column in columns.items() if column[row] is not None}
            try:
                return model.predict(values, state=model.make_state() if model.states else None)
            except Error as error:
                return error

        left = [int(row) for row in np.flatnonzero(odd)] if columns else range(count)
        for row, result in zip(left, model.side_by_side(alone, left)):
            if isinstance(result, Error):
                errors[row] = result.message
            else:
                results[row] = result
        good = [row for row in range(count) if row not in errors]
        values = {each.name: [results[row][each.name] for row in good] for each in model.outputs}
        return Results(model, count, values, good if errors else None, errors)


def _once(columns, names):
    """Raises ``Error`` if the table has a column twice."""
    counts = collections.Counter(names)
    for name in columns:
        if counts[name] > 1:
            raise Error(f"the table has {counts[name]} columns '{name}', expected one", "runtime.invalid-input")


def _in_columns(model, columns, count):
    """Predicts rows in batches; returns (outputs by name, indexes of the rows that failed).

    The caller predicts failed rows separately. A failed row splits its batch, so the other rows succeed.
    """
    pieces, left, start = [], [], 0
    while start < count:
        end = count
        while True:
            try:
                if end > start:
                    pieces.append(model.predict_batch({name: column[start:end] for name, column in columns.items()}))
                break
            except Error as error:
                end = start + (getattr(error, "row", 0) if end == count else 0)
        if end < count:
            left.append(end)
            pieces.append(None)
        start = end + 1
    if not left:
        return pieces[0], left
    whole = {}
    for each in model.outputs:
        values = []
        for piece in pieces:
            values.extend([None] if piece is None else piece[each.name])
        whole[each.name] = values
    return whole, left


def _fitting(column, feature):
    """A column in the input's type. Flat values, and numbers for tensors of one element, get the declared shape."""
    if feature.kind != "tensor":
        is_read = feature.kind == "image" or feature.kind == "double" and isinstance(column, np.ndarray) and column.dtype.kind in "iuf"
        return column.tolist() if isinstance(column, np.ndarray) and not is_read else column
    shape = tuple(feature.shape or ())
    if isinstance(column, np.ndarray) and column.dtype != object:
        return column.reshape(column.shape[:1] + shape) if _is_flat(column.shape[1:], shape, feature) else column
    return [_tensor(value, shape, feature) for value in column]


def _is_flat(found, shape, feature):
    return len(found) <= 1 and len(found) != len(shape) and shape != () and feature.flexibility == "fixed" and math.prod(found) == math.prod(shape)


def _tensor(value, shape, feature):
    if value is None:
        return None
    if isinstance(value, list) and len({item.dtype for item in value if isinstance(item, np.ndarray)}) > 1:
        return value  # a common type, float64 for int64 and uint64, would hide numbers that the prediction of a row refuses
    try:
        array = value if isinstance(value, np.ndarray) else np.asarray(value)
        if array.dtype == object:
            array = np.array([np.asarray(item).tolist() for item in array])
    except (TypeError, ValueError):
        return value  # ragged or not numeric: the prediction of the row reports the error
    return array.reshape(shape) if _is_flat(array.shape, shape, feature) else array


def _unusual(column, kind):
    """A boolean mask of the rows that cannot be part of a batch."""
    if kind == "string":
        return np.array([type(text) is not str for text in column], bool)
    if kind == "double" and not isinstance(column, np.ndarray):
        return np.array([type(value) is not float and not (type(value) is int and abs(value) < 1 << 53) for value in column], bool)
    if kind not in ("tensor", "double"):
        return np.ones(len(column), bool)
    return _unlike(column) if isinstance(column, list) else np.zeros(len(column), bool)


def _plain(column, rows, count, kind):
    """The column of the rows that are predicted as a batch."""
    if isinstance(column, np.ndarray):
        return column if len(rows) == count else column[rows]
    values = column if len(rows) == count else [column[row] for row in rows]
    return values if kind == "string" else np.array(values, np.float64) if kind == "double" else np.stack(values)


def _unlike(column):
    """A boolean mask of the rows whose shape or type differs from the most common one."""
    kinds = [(value.shape, value.dtype) if isinstance(value, np.ndarray) and value.dtype != object else None for value in column]
    counted = {}
    for kind in kinds:
        counted[kind] = counted.get(kind, 0) + 1
    counted.pop(None, None)
    common = max(counted, key=counted.get) if counted else None
    return np.array([kind is None or kind != common for kind in kinds], bool)


class Results:
    """The results of `count` rows.

    values: {output: values of the rows in `good`}. good: indexes of the successful rows; None if all succeeded.
    errors: {row: message}.
    """

    def __init__(self, model, count, values, good, errors):
        self.model, self.count, self.values, self.good, self.errors = model, count, values, good, errors

    def sentences(self):
        return [self.errors.get(row) for row in range(self.count)]

    def spread(self, values):
        """`values` with one item per row, None for failed rows."""
        if self.good is None:
            return list(values)
        places = [None] * self.count
        for row, value in zip(self.good, values):
            places[row] = value
        return places

    def array(self, feature):
        """An output as a numpy array with a row axis. A failed row is NaN, 0 for integers, or None for other types."""
        values = self.values[feature.name]
        if feature.kind in ("int64", "double"):
            values = np.asarray(values, np.int64 if feature.kind == "int64" else np.float64)
        elif feature.kind == "tensor" and not isinstance(values, np.ndarray):
            if not values and feature.shape and feature.flexibility == "fixed":
                values = np.empty((0, *feature.shape), feature.dtype)
            elif len({value.shape for value in values}) == 1:
                values = np.stack(values)
        if isinstance(values, np.ndarray):
            if self.good is None:
                return values
            filled = np.full((self.count, *values.shape[1:]), np.nan if values.dtype.kind == "f" else 0, values.dtype)
            filled[self.good] = values
            return filled
        objects = np.empty(self.count, object)
        for row, value in enumerate(self.spread(values)):
            objects[row] = value
        return objects
