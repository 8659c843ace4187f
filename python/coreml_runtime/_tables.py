"""Prediction of Arrow tables: conversion of columns to inputs and of outputs to columns."""
import io
import math

import numpy as np

from ._library import Error

try:
    import pyarrow as pa
except ImportError:
    raise ImportError("tables need the package pyarrow: pip install 'coreml_runtime[batch]'") from None

NUMBERS = {"float16": pa.float32(), "float32": pa.float32(), "float64": pa.float64(), "int32": pa.int32(), "int8": pa.int8()}
#: rows per call, to bound the memory for intermediate values of a long table
PIECE = 8192


# ---- inputs

def column_of(column, feature):
    """The values of an Arrow column for an input.

    Returns an array with a row axis if all rows have one shape, else a list with None for null.
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if isinstance(column, pa.ChunkedArray):  # combine_chunks may return one again, such as for zero chunks
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    if isinstance(column, pa.DictionaryArray):
        column = column.dictionary_decode()
    if isinstance(column, pa.ExtensionArray):
        if hasattr(column, "to_numpy_ndarray") and column.null_count == 0:
            return column.to_numpy_ndarray()
        shape = getattr(column.type, "shape", None)
        column = column.storage
        if shape is not None and feature.kind == "tensor":
            rows = column.to_pylist()
            return [None if row is None else np.asarray(row).reshape(tuple(shape)) for row in rows]
    if feature.kind == "tensor":
        array = _array(column)
        if array is not None:
            return array
    rows = column.to_pylist()
    if feature.kind == "image":
        rows = [_picture(row) for row in rows]
    elif feature.kind == "dictionary" and pa.types.is_map(column.type):
        rows = [None if row is None else dict(row) for row in rows]
    elif feature.kind == "dictionary" and pa.types.is_struct(column.type):
        rows = [None if row is None else {key: value for key, value in row.items() if value is not None} for row in rows]
    return rows


def _read(column, feature, name):
    try:
        return column_of(column, feature)
    except (pa.ArrowException, ImportError, OverflowError, TypeError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise Error(
            f"the column '{name}' of the type {column.type} cannot be read as the input '{feature.name}', a {feature.kind} ({reason})",
            "runtime.invalid-input") from None


def _picture(row):
    """An image's bytes or path. Hugging Face data sets store a struct of both."""
    if isinstance(row, dict):
        row = row.get("bytes") or row.get("path")
    if isinstance(row, list):
        return np.asarray(row, np.uint8)
    return row


def _array(column):
    """A column of numbers, or of nested lists with one length per level, as an array. None for other columns.

    Does not copy, except for booleans.
    """
    lengths = []
    while pa.types.is_list(column.type) or pa.types.is_large_list(column.type) or pa.types.is_fixed_size_list(column.type):
        if column.null_count or len(column) == 0:
            return None
        if pa.types.is_fixed_size_list(column.type):
            length = column.type.list_size
        else:
            sizes = np.diff(column.offsets.to_numpy())
            length = int(sizes[0])
            if (sizes != length).any():
                return None
        lengths.append(length)
        column = column.flatten()
    kind = column.type
    if column.null_count or not (pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
        return None
    values = column.to_numpy(zero_copy_only=False)
    return values.reshape(-1, *lengths) if lengths and math.prod(lengths) else None if lengths else values


# ---- outputs

def _nested(kind, depth):
    for _ in range(depth):
        kind = pa.list_(kind)
    return kind


def fields_of(feature, name):
    """The Arrow fields of an output.

    A tensor becomes nested lists, one level per axis. Without a declared shape it becomes a flat list and a second
    field ``<name>_shape``. fp16 becomes float32, and an image becomes a PNG file.
    """
    if feature.kind == "tensor":
        kind = NUMBERS[feature.dtype or "float32"]
        if feature.shape:
            return [pa.field(name, _nested(kind, len(feature.shape)))]
        return [pa.field(name, pa.list_(kind)), pa.field(f"{name}_shape", pa.list_(pa.int64()))]
    item = pa.int64() if feature.key == "int64" else pa.string()
    kinds = {
        "int64": pa.int64(), "double": pa.float64(), "string": pa.string(), "image": pa.binary(), "dictionary": pa.map_(item, pa.float64()),
        "sequence": pa.list_(item)}
    return [pa.field(name, kinds[feature.kind])]


def arrays_of(results, feature):
    """The Arrow arrays of an output, one per field of `fields_of`."""
    values = results.values[feature.name]
    fields = fields_of(feature, feature.name)
    if feature.kind == "tensor":
        if feature.shape:
            return [_lists(values, fields[0].type, len(feature.shape), tuple(feature.shape), results, feature)]
        flat = [np.ravel(value).astype(np.float32) if value.dtype == np.float16 else np.ravel(value) for value in values]
        shapes = [list(value.shape) for value in values]
        return [pa.array(results.spread(flat), fields[0].type), pa.array(results.spread(shapes), fields[1].type)]
    spread = results.spread(values)
    if feature.kind == "image":
        spread = [None if value is None else _png(value) for value in spread]
    elif feature.kind == "dictionary":
        spread = [None if value is None else list(value.items()) for value in spread]
    return [pa.array(spread, fields[0].type)]


def _lists(values, kind, depth, declared, results, feature):
    if not isinstance(values, np.ndarray):
        if len({value.shape for value in values}) > 1:
            nested = [value.astype(np.float32).tolist() if value.dtype == np.float16 else value.tolist() for value in values]
            return pa.array(results.spread(nested), kind)
        values = np.stack(values) if len(values) else np.empty((0, *declared), feature.dtype)
    if values.ndim != depth + 1:
        if math.prod(values.shape[1:]) != math.prod(declared):
            raise Error(f"the output '{feature.name}' has the shape {values.shape[1:]}, and the model declares {declared}", "runtime.failed", Error.FAILED)
        values = values.reshape(-1, *declared)
    if values.size > np.iinfo(np.int32).max:
        raise Error(
            f"the output '{feature.name}' of {len(values)} rows has {values.size} numbers: predict fewer rows at once", "runtime.failed",
            Error.FAILED)
    shape = values.shape
    column = pa.array(np.ascontiguousarray(values).reshape(-1).astype(np.float32 if values.dtype == np.float16 else values.dtype, copy=False))
    for axis in range(depth, 0, -1):
        count = math.prod(shape[:axis])
        offsets = np.arange(count + 1, dtype=np.int32) * np.int32(shape[axis])
        if axis == 1 and results.good is not None:
            ends = np.zeros(results.count, np.int32)
            ends[results.good] = shape[1]
            is_null = np.ones(results.count + 1, bool)
            is_null[results.good] = False
            is_null[-1] = False
            offsets = pa.array(np.concatenate([[0], np.cumsum(ends)]).astype(np.int32), mask=is_null)
        column = pa.ListArray.from_arrays(offsets, column)
    return column


def _png(value):
    try:
        from PIL import Image
    except ImportError:
        raise Error("columns of pictures need the package pillow, which is not installed", "python.missing-package", Error.UNSUPPORTED) from None
    image = value if hasattr(value, "save") else Image.fromarray(value)
    data = io.BytesIO()
    if image.mode == "F":
        image.save(data, "TIFF")  # PNG stores at most 16 bits per channel
    else:
        image.save(data, "PNG")
    return data.getvalue()


def result_schema(rows, model):
    fields = [field for each in model.outputs for field in fields_of(each, rows.output(each))]
    return pa.schema([*fields, pa.field(rows.ERROR, pa.string()), pa.field(rows.MODEL, pa.string())])


def schema(rows, model, given):
    """The schema of the result of `predict` for tables of the schema `given`."""
    kept = [given.field(name) for name in rows.kept(model, given.names)]
    return pa.schema([*kept, *result_schema(rows, model)])


def results_table(rows, model, columns, count):
    """Predicts `count` rows; returns a table of the outputs, the error and the digest."""
    pieces = []
    for start in range(0, max(count, 1), PIECE):
        size = min(PIECE, count - start)
        results = rows.predict(model, {name: column[start:start + size] for name, column in columns.items()}, size)
        arrays = [array for each in model.outputs for array in arrays_of(results, each)]
        arrays += [pa.array(results.sentences(), pa.string()), pa.repeat(pa.scalar(rows.digest, pa.string()), size)]
        pieces.append(pa.Table.from_arrays(arrays, schema=result_schema(rows, model)))
    return pieces[0] if len(pieces) == 1 else pa.concat_tables(pieces)


def predict(rows, model, table):
    """Predicts a table or record batch. Returns a table of the kept columns, the outputs, the error and the digest."""
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    kept = table.select(rows.kept(model, table.column_names))
    inputs = {each.name: each for each in model.inputs}
    taken = rows.taken(model, table.column_names)
    columns = {name: _read(table.column(column), inputs[name], column) for name, column in taken.items()}
    made = results_table(rows, model, columns, table.num_rows)
    for name, column in zip(made.column_names, made.columns):
        kept = kept.append_column(made.schema.field(name), column)
    return kept
