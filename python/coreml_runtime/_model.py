"""``Model``, ``State``, ``compile`` and ``devices``: the main API of the package."""
import collections
import contextlib
import ctypes
import json
import math
import os
import threading
import time
from typing import NamedTuple

import numpy as np

from . import _library as library
from . import _values
from ._arrays import Arrays, Numbers
from ._description import Description, Table, html_table, text_table
from ._digest import digest
from ._library import C, Error, Handle, PredictOptions, call, encoded, make
from ._loading import compiled, model as open_model
from ._loading import path_of
from ._together import alike, side_by_side


class State:
    """The tensors that a stateful model keeps between predictions. ``Model.make_state`` creates one, filled with zeros.

    ``state["name"]`` returns a copy as a numpy array, ``state["name"] = array`` overwrites the tensor. ``names`` is a
    tuple of the names. A state fits every model and function whose states have the same names, types and shapes.

    Raises ``Error`` for an unknown name, for a value of another shape, and on pickling.
    """

    def __init__(self, model):
        self._model = model
        self._handle = make("state_create", model._open().handle)
        self.names = tuple(each.name for each in model.states)

    def __copy__(self):
        """An independent state with the same values."""
        copied = State(self._model)
        for name in self.names:
            copied[name] = self[name]
        return copied

    def __deepcopy__(self, memo):
        return self.__copy__()

    def __reduce_ex__(self, protocol):
        raise Error("a state cannot be pickled: its arrays can, as state[name]", "python.value", Error.INVALID_ARGUMENT)

    def __getitem__(self, name):
        return _values.array_of(make("state_read", self._handle, encoded(name, "the name of a state")))

    def __iter__(self):
        return iter(self.names)

    def __setitem__(self, name, value):
        encoded_name = encoded(name, "the name of a state")
        with _values.reading(name, value):
            call("state_write", self._handle, encoded_name, _values.tensor(_values.as_array(value, name), "float32", name))

    def __repr__(self):
        return f"State({', '.join(self.names)})"


class Opened(NamedTuple):
    """The handle of an open model and its prepared calls."""

    handle: Handle
    arrays: Arrays


class Model:
    """A Core ML model.

    source: the path of a ``.mlmodel``, ``.mlpackage`` or ``.mlmodelc``; the bytes of a ``.mlmodel``; or
        ``(bytes, {weight file name: bytes})``.
    compute_units: "all" (default), "cpu_only", "cpu_and_gpu", "cpu_and_ne", or a coremltools ``ComputeUnit``.
    device: the ``id`` of an OpenCL device that ``devices()`` lists, or "cpu".
    function: a function of a multifunction model. Default: the model's default function.
    threads: threads of one prediction. Default: one per core that the process may use.
    memory_limit: limit for the memory that predictions hold, in bytes or as "512M", "2G".
    fit: how an image of another size is resized: "fill" (default, stretches), "crop", "fit" (adds black bars).
    images: the type of output images: "auto" (default, PIL if installed), "pil" or "numpy".
    specialization: "fastPrediction" prepares everything on opening and times the kernels once on this machine.
        "default" prepares with the first prediction.
    precision: "low" allows bf16 matrix products where they are faster; "default" does not.
    low_precision_accumulation: True lets GPU kernels round factors to TF32; they always accumulate in fp32.
    reshape_frequency: with "fastPrediction", "infrequent" also times kernels for shapes that first occur after
        opening. "frequent" (default) does not. "infrequent" keeps plans for 2 shapes instead of 8.
    parameters: model parameters to override, such as {"numberOfNeighbors": 3}.

    Raises ``Error`` if the file is missing, is not a valid model, or needs something that this machine lacks.
    Thread-safe: any number of threads may predict concurrently. The model closes with ``close()``, at the end of a
    ``with`` block, or when the object is garbage-collected.
    """

    SLOW = 0.05  # seconds; Ctrl-C interrupts the first prediction, and later ones if the previous one was slower

    def __init__(
        self, source, *, compute_units="all", device=None, function=None, threads=None, memory_limit=None, fit="fill", images="auto",
        parameters=None, low_precision_accumulation=None, reshape_frequency=None, specialization=None, precision=None,
    ):
        self._settings = {
            "computeUnits": compute_units, "device": device, "function": function, "threads": threads, "memoryLimit": memory_limit,
            "lowPrecisionAccumulationOnGPU": low_precision_accumulation, "reshapeFrequency": reshape_frequency,
            "specialization": specialization, "precision": precision}
        if images not in ("auto", "pil", "numpy"):
            raise Error(f"images is {images!r}, expected one of 'auto', 'pil', 'numpy'", "python.value", Error.INVALID_ARGUMENT)
        if not isinstance(parameters or {}, dict):
            raise Error(
                f"the parameters are of type {type(parameters).__name__}, expected a dictionary of numbers by name", "python.value",
                Error.INVALID_ARGUMENT)
        self._parameters = dict(parameters or {})
        self.fit, self.images = _values.fit_of(fit), images
        #: absolute path of the source; None for a model opened from bytes
        self.path = os.path.abspath(path_of(source)) if isinstance(source, (str, os.PathLike)) else None
        self._bytes = None if self.path else source
        self._take(open_model(source, self._settings, self._parameters))

    def _take(self, handle):
        out = ctypes.c_char_p()
        call("model_describe", handle, out)
        #: the model's ``Description``
        self.description = Description.of(json.loads(out.value))
        self._inputs = {each.name: each for each in self.description.inputs}
        self._tensors = {name for name, each in self._inputs.items() if each.kind == "tensor"}
        self._tensor_outputs = {each.name for each in self.outputs if each.kind == "tensor"}
        self._pictures = {name for name, each in self._inputs.items() if each.kind == "image"}
        self._slow = True
        # Each prediction reads this reference once, so another thread may close the model during a prediction.
        self._opened = Opened(handle, Arrays(handle, self.description))

    @classmethod
    def _of(cls, handle, like):
        """A model around `handle` with the settings of the model `like`."""
        made = cls.__new__(cls)
        made._settings, made._parameters, made.fit, made.images = like._settings, {}, like.fit, like.images
        made.path = made._bytes = None
        made._take(handle)
        return made

    # ---- description

    inputs = property(lambda self: self.description.inputs, doc="Its inputs, as ``Feature``.")
    outputs = property(lambda self: self.description.outputs, doc="Its outputs, as ``Feature``.")
    states = property(lambda self: self.description.states, doc="Its states, as ``Feature``.")
    metadata = property(lambda self: self.description.metadata, doc="The author's metadata, as ``Metadata``.")
    labels = property(lambda self: self.description.labels, doc="A classifier's labels; None for another model.")

    @property
    def digest(self):
        """SHA-256 over the model's files or bytes, in hex; None for a model that ``update`` returned."""
        if self.path:
            return digest(self.path)
        if self._bytes is None:
            return None
        import hashlib

        data, weights = self._bytes if isinstance(self._bytes, tuple) else (self._bytes, {})
        total = hashlib.sha256(data)
        for name in sorted(weights):
            total.update(hashlib.sha256(weights[name]).digest())
        return total.hexdigest()

    def _title(self):
        return os.path.basename(self.path.rstrip("/")) if self.path else "model in memory"

    def __repr__(self):
        if self._opened is None:
            return f"<{self._title()}, closed>"
        rows = self.description.rows
        return f"{self._title()}" + (f": {self.metadata.description}" if self.metadata.description else "") + "\n" + text_table(
            ["role", "name", "type"], rows)

    def _repr_html_(self):
        return f"<b>{self._title()}</b>" + html_table(["role", "name", "type"], self.description.rows)

    # ---- life cycle

    def _open(self):
        """The ``Opened`` of this model for one call. Raises ``Error`` if it is closed or the process was forked."""
        if library._forked:
            library.use()
        opened = self._opened
        if opened is None:
            raise Error("the model is closed", "python.closed", Error.INVALID_ARGUMENT)
        return opened

    def close(self):
        """Closes the model. Running predictions finish first; later ones raise ``Error``."""
        self._opened = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __reduce__(self):
        if self.path is None and self._bytes is None:
            raise Error("a model that a training has made cannot be pickled: write it to a file", "python.pickle", Error.INVALID_ARGUMENT)
        source = self.path or self._bytes
        more = {"fit": self.fit, "images": self.images, "parameters": self._parameters}
        return (_again, (source, self.digest, self._settings, more))

    # ---- prediction

    def predict(self, data=None, *, state=None, **named):
        """Predicts one row and returns its outputs as a dictionary by name.

        data: a dictionary by input name, a tuple of values in the order of the inputs, or, for a model with one input,
            the value alone. Inputs may also be keyword arguments: ``model.predict(image="seven.png")``.
            - Tensor: a numpy array, an object with DLPack (torch), a list or a number. The library reads float16,
              float32, float64, int8 and int32 in place, with strides. It converts other types as Core ML does.
            - Image: a path, the bytes of a file (PNG, JPEG, WebP, TIFF, GIF, BMP), a PIL image, or a uint8 array
              of shape (height, width[, 3 or 4]).
            - Dictionary, sequence, string, number: the Python type.
        state: a ``State`` of this model or of one with the same states. The prediction changes it. A stateful model
            requires one.

        Outputs are numpy arrays (torch reads them by DLPack), numbers, strings, dictionaries, lists and images.
        Raises ``Error`` for a name, type or shape that the model does not accept.
        """
        if named or type(data) is not dict:
            data = self._named(data, named)
        opened = self._open()
        if len(data) != len(self._inputs) or not data.keys() <= self._inputs.keys():
            data = self._known(data)
        state = self._given(state)
        arrays = self._directly(opened.arrays, data)
        if not self._slow or threading.current_thread() is not threading.main_thread():
            return self._predict(opened, data, arrays, state)
        return self._interruptibly(lambda cancellation: self._predict(opened, data, arrays, state, cancellation))

    __call__ = predict

    def _given(self, state):
        """The handle of `state`, or None. Raises ``Error`` if a stateful model gets no state, naming the Python API."""
        if state is None:
            if self.states:
                names = ", ".join(f"'{each.name}'" for each in self.states)
                raise Error(
                    f"the model keeps {names} between predictions, and no state was given: make_state() makes one, predict(..., state=...) takes it",
                    "runtime.invalid-input")
            return None
        if not isinstance(state, State):
            raise Error(f"the state is of type {type(state).__name__}, expected one of make_state()", "python.value", Error.INVALID_ARGUMENT)
        return state._handle

    def _predict(self, opened, data, arrays, state, cancellation=None):
        """Predicts; `cancellation` stops it. For array inputs it records the output shapes for the next call."""
        began = time.perf_counter()
        pointer = None if state is None else state.pointer
        stop = None if cancellation is None else cancellation.pointer
        results = None
        if arrays is not None:
            key = Numbers if opened.arrays.numbers else opened.arrays.signature(arrays)
            results = opened.arrays.predict(key, arrays, pointer, stop)
        if results is None:
            inputs = self._features(opened.handle, data)
            options = PredictOptions(ctypes.sizeof(PredictOptions), pointer, None, stop)
            outputs = make("predict", opened.handle, inputs, options)
            results = {}
            for each in self.outputs:
                value = _values.python(make("features_get", outputs, encoded(each.name)), self.images)
                results[each.name] = opened.arrays.ordered(each.name, value)
            if arrays is not None and state is None:
                opened.arrays.learn(key, results)
        self._slow = time.perf_counter() - began > self.SLOW
        return results

    def _interruptibly(self, work):
        cancellation = make("cancellation_create")
        try:
            return library.interruptible(lambda: work(cancellation), lambda: C.coreml_cancel(cancellation))
        finally:
            del cancellation

    def _named(self, data, named):
        """`data` and keyword inputs merged by name. Raises ``Error`` for an input that is in both."""
        if data is None:
            return named
        given = self._of_data(data)
        for name in named:
            if name in given:
                raise Error(f"input '{name}' is given twice: among the values and by name", "runtime.invalid-input")
        return {**given, **named}

    def _of_data(self, data):
        if _is_table(data):
            raise Error(f"a table ({type(data).__name__}) is given for one row: predict_batch takes it", "python.value", Error.INVALID_ARGUMENT)
        if hasattr(data, "keys") and not _values.is_pil(data):
            with _values.reading("data", data):
                return {key: data[key] for key in data.keys()}
        names = list(self._inputs)
        if isinstance(data, tuple):
            if len(data) > len(names):
                raise Error(f"{len(data)} values are given for the {len(names)} inputs {', '.join(names)}", "runtime.invalid-input")
            return dict(zip(names, data))
        needed = [each.name for each in self.inputs if not each.optional] if len(names) > 1 else names
        if len(needed) != 1:
            raise Error(f"one value is given for the {len(names)} inputs {', '.join(names)}: a dictionary names them", "runtime.invalid-input")
        return {needed[0]: data}

    def _known(self, data):
        """The inputs of a row without None values. Raises ``Error`` for a name that the model does not have."""
        for name in data:
            if name not in self._inputs:
                raise Error(f"the model has no input '{name}'; it has {', '.join(self._inputs)}", "runtime.invalid-input")
        return {name: value for name, value in data.items() if value is not None}

    def _directly(self, known, data):
        """A row in a form that needs no handles: numbers, or (name, array) pairs. None if the row has none."""
        if known.nothing:
            return None
        if known.numbers:
            return known.number_row(data)
        return self._in_place(data) if data.keys() <= self._tensors else None

    def _in_place(self, data):
        """(name, array) pairs of a row of tensors, each with a type and layout that the library reads."""
        arrays = []
        for name, value in data.items():
            if type(value) is not np.ndarray:
                if value is None:
                    continue
                with _values.reading(name, value):
                    value = _values.as_array(value, name)
            if value.dtype not in _values.CODES or not value.flags.c_contiguous or not value.flags.aligned:
                value = _values.numeric(value, self._inputs[name].dtype, name)
            arrays.append((name, value))
        return arrays

    def _features(self, handle, data):
        inputs = make("features_create")
        for name, value in data.items():
            if value is None:
                continue
            call("features_set", inputs, encoded(name), _values.value(value, self._inputs[name], handle, self.fit))
        return inputs

    async def predict_async(self, data=None, *, state=None, **named):
        """``predict`` without blocking the event loop. Cancelling the task stops the prediction."""
        import asyncio  # its import takes as long as the rest of the package; callers that await have it loaded

        named = data if not named and type(data) is dict else self._named(data, named)
        opened, cancellation = self._open(), make("cancellation_create")
        data, state = self._known(named), self._given(state)
        arrays = self._directly(opened.arrays, data)
        work = asyncio.get_running_loop().run_in_executor(None, self._predict, opened, data, arrays, state, cancellation)
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            C.coreml_cancel(cancellation)
            work.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise

    def predict_batch(self, rows=None, *, on_error="raise", **named):
        """Predicts many rows. Each result equals the single prediction of its row.

        rows: either a list, whose items ``predict`` would accept; returns a list of results. Or columns: a dictionary
            by input name, or a data frame. A column is an array with one more leading axis than the input, or a list
            with one value per row. Returns a dictionary of outputs with the row axis: arrays for tensors and
            numbers, lists for the rest. If all columns and outputs are arrays, one library call predicts all rows.
        on_error: "raise" (default) raises the ``Error`` of the first row that fails; its `row` is the index, and its
            message names the row. "record" (lists only) puts the ``Error`` in place of the result and continues.

        Raises ``Error`` for a stateful model.
        """
        if on_error not in ("raise", "record"):
            raise Error(f"on_error is {on_error!r}, expected 'raise' or 'record'", "python.value", Error.INVALID_ARGUMENT)
        if isinstance(rows, (str, bytes, bytearray, os.PathLike)):
            raise Error(
                f"the rows are {str(rows)[:60]!r}, of type {type(rows).__name__}; expected a list of rows: [path] is one, glob.glob(pattern) gives many",
                "python.value", Error.INVALID_ARGUMENT)
        if _is_table(rows):
            return self._columns(self._known(self._named(_columns_of(rows), named)))
        if isinstance(rows, (list, tuple)) or rows is not None and not hasattr(rows, "keys") and not isinstance(rows, np.ndarray) and hasattr(
                rows, "__iter__") and not hasattr(rows, "__dlpack__"):
            if named:
                raise Error(
                    f"inputs are given by name ({', '.join(named)}) beside a list of rows: a row's own dictionary names them", "python.value",
                    Error.INVALID_ARGUMENT)
            rows = list(rows)
            together = self._rows_together(rows) if len(rows) >= self.TOGETHER else None
            return together or self.side_by_side(lambda row: self._row(*row, on_error), enumerate(rows))
        return self._columns(self._known(self._named(rows, named)))

    #: least rows to batch as columns; most rows and most input bytes per batch
    TOGETHER, PIECE, PIECE_BYTES = 8, 8192, 64 << 20

    def _rows_together(self, rows):
        """The results of uniform rows, batched as columns. None if the rows are not uniform or one of them fails.

        Uniform rows are dictionaries with all inputs, with numbers, strings, or arrays of one shape and type.
        """
        names = self._inputs.keys()
        if self._open().arrays.no_rows or self.states or not names or any(type(row) is not dict or row.keys() != names for row in rows):
            return None
        size = sum(value.nbytes for value in rows[0].values() if isinstance(value, np.ndarray))
        count = max(min(self.PIECE, self.PIECE_BYTES // max(size, 1)), 1)
        results = []
        # For large arrays, the copy into columns costs more than it saves.
        for start in range(0, len(rows), count) if count >= self.TOGETHER else ():
            piece = self._piece(rows[start:start + count])
            if piece is None:
                return None
            results += piece
        return results or None

    def _piece(self, rows):
        arrays, columns = self._open().arrays, {}
        for name, feature in self._inputs.items():
            column = columns[name] = alike([row[name] for row in rows], feature.kind)
            if column is None:
                return None
        try:
            results = self._rows_in_place(arrays, columns, len(rows))
        except Error:
            return None
        if results is None:
            return None
        names = results.keys()
        # A single prediction returns Python numbers, so these rows do too.
        values = [column.tolist() if isinstance(column, np.ndarray) and column.ndim == 1 and name not in self._tensor_outputs else column
                  for name, column in results.items()]
        return [dict(zip(names, row)) for row in zip(*values)]

    def side_by_side(self, work, rows):
        """The results of `work` for each row, in order. Rows with images run concurrently, because decoding is slow."""
        is_wide = self._pictures and not self.states
        return side_by_side(work, rows, min(self._settings["threads"] or len(os.sched_getaffinity(0)), 8) if is_wide else 1)

    def _row(self, place, row, on_error):
        if on_error == "raise":
            with _of_row(place):
                return self.predict(row)
        try:
            return self.predict(row)
        except Error as error:
            return error

    def _columns(self, columns):
        opened = self._open()
        if not columns:
            raise Error("a batch by columns needs one input at least", "runtime.invalid-input")
        columns = {name: self._column(name, value) for name, value in columns.items()}
        counts = {name: len(column) for name, column in columns.items()}
        one, rows = next(iter(counts.items()))
        other = next((name for name, number in counts.items() if number != rows), None)
        if other is not None:
            raise Error(
                f"the inputs have different numbers of rows: {rows} in '{one}' and {counts[other]} in '{other}'", "runtime.invalid-input")
        count = rows
        _values.hold_something(columns, count)
        if count and not opened.arrays.no_rows and all(self._is_column(name, column) for name, column in columns.items()):
            done = self._rows_in_place(opened.arrays, columns, count)
            if done is not None:
                return done
        if not count:
            self._check_shapes(columns)
        results = []
        for row in range(count):
            with _of_row(row):
                results.append(self.predict({name: column[row] for name, column in columns.items()}))
        return {each.name: _stacked([result[each.name] for result in results], each) for each in self.outputs}

    def _column(self, name, column):
        """The column of an input with one value per row; an array for a tensor input."""
        if self._inputs[name].kind == "tensor":
            with _values.reading(name, column):
                column = _values.as_array(column, name)
        if isinstance(column, np.ndarray) and column.ndim == 0:
            raise _values.refused(name, "one number", "an array with a row axis")
        if isinstance(column, (str, bytes, bytearray, os.PathLike)) or hasattr(column, "keys") or not (
                hasattr(column, "__len__") and hasattr(column, "__getitem__")):
            raise _values.refused(name, _values.told(column), "a list or an array with a value for each row")
        return column

    def _check_shapes(self, columns):
        """Raises ``Error`` if an empty batch has columns of the wrong shape. An empty list has no shape to check."""
        for name, column in columns.items():
            feature = self._inputs[name]
            if feature.kind == "tensor" and feature.flexibility == "fixed" and feature.shape and column.ndim > 1 and math.prod(column.shape[1:]) != math.prod(feature.shape):
                raise _values.refused(name, f"an array of the shape {column.shape}", f"a row axis before the shape {tuple(feature.shape)}")

    def _is_column(self, name, column):
        """Whether the library can read the column in one call: tensors, strings, or a 1-D array of numbers."""
        kind = self._inputs[name].kind
        if kind == "string":
            return all(type(text) is str for text in column)
        return name in self._tensors or (
            kind == "double" and isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "iuf")

    def _rows_in_place(self, known, columns, count):
        """The outputs as columns; None if an output has no array form or the library cannot read an input column."""
        arrays, row = [], {}
        for name, column in columns.items():
            if self._inputs[name].kind == "string":
                array, row[name] = _values.texts(column), column[0]
                if array is None:
                    return None
            else:
                array = _values.numeric(column, self._inputs[name].dtype or "float64", name)
                row[name] = array[0]
            arrays.append((name, array))
        with _of_row(0):
            first = self.predict(row)
        outputs = known.rowed(first)
        if outputs is None:
            return None
        try:
            return self._interruptibly(lambda cancellation: known.rows(arrays, outputs, count, cancellation.pointer))
        except Error as error:
            if known.are_others(error):
                return None
            with _of_row(error.row):
                raise

    def make_state(self):
        """A ``State`` filled with zeros, for ``predict(..., state=...)``."""
        return State(self)

    # ---- device placement

    def plan(self, data=None):
        """The execution plan as a ``Table``: one row per step with operation, device, kernel and estimated seconds.

        data: inputs whose shapes the plan is for. Default: the declared shapes.
        """
        handle = self._open().handle
        inputs = None if data is None else self._features(handle, self._known(self._named(data, {})))
        told = json.loads(library.text("model_plan", handle, inputs))
        notes = {key: value for key, value in told.items() if key != "steps"}
        return Table(told["steps"], ["operation", "output", "device", "kernel", "cost", "shape"], notes)

    def profile(self, data, iterations=20):
        """Predicts `iterations` times and returns the steps of ``plan`` with their median seconds, as a ``Table``.

        Each iteration of a stateful model starts with a state of zeros. Raises ``Error`` above 1000000 iterations.
        """
        handle = self._open().handle
        if not isinstance(iterations, (int, np.integer)) or not 0 <= iterations <= 1_000_000:
            raise Error(f"the iterations are {iterations!r}, expected a number up to 1000000", "python.value", Error.INVALID_ARGUMENT)
        inputs = self._features(handle, self._known(self._named(data, {})))
        told = json.loads(library.interruptible(lambda: library.text("model_profile", handle, inputs, iterations)))
        steps = told.pop("steps", [])
        columns = [key for key in ("operation", "output", "device", "kernel", "seconds", "median", "cost") if steps and key in steps[0]]
        return Table(steps, columns, told)

    def update(self, examples, *, parameters=None, progress=None, destination=None):
        """Trains an updatable model and returns the new ``Model``. This model stays unchanged.

        examples: a list of dictionaries by training input name.
        parameters: such as {"learningRate": 0.01, "epochs": 5}. A key may also be (name, layer).
        progress: a function, called with each ``Progress``. A true return value stops the training.
        destination: the path of a ``.mlmodelc`` to write the new model to.

        Raises ``Error`` if the model is not updatable or was not opened from a path.
        """
        from ._update import update

        return update(self, examples, parameters, progress, destination)


def _again(source, expected, settings, more):
    """Opens a pickled model again. Raises ``Error`` if the files at its path have another digest."""
    if isinstance(source, str):
        if not os.path.exists(source):
            raise Error(f"{source}: the model was pickled by its path, and nothing is there", "runtime.io", Error.IO)
        found = digest(source)
        if found != expected:
            raise Error(
                f"{source}: the model was pickled with the digest {expected[:12]}, and the file has {found[:12]}", "python.digest",
                Error.INVALID_MODEL)
    made = Model.__new__(Model)
    names = {
        "computeUnits": "compute_units", "device": "device", "function": "function", "threads": "threads", "memoryLimit": "memory_limit",
        "lowPrecisionAccumulationOnGPU": "low_precision_accumulation", "reshapeFrequency": "reshape_frequency",
        "specialization": "specialization", "precision": "precision"}
    made.__init__(source, **{names[key]: value for key, value in settings.items()}, **more)
    return made


def _is_table(rows):
    """Whether `rows` is a data frame: pandas or a library with the same interface."""
    return hasattr(rows, "columns") and hasattr(rows, "dtypes") and hasattr(rows, "to_numpy")


def is_missing(value):
    """Whether a cell of a data frame is missing: None, NaN or pandas' NA."""
    return value is None or isinstance(value, float) and value != value or type(value).__name__ == "NAType"


def _columns_of(frame):
    """The columns of a data frame by name: arrays of numbers, lists of anything else, with None for missing values."""
    columns, counts = {}, collections.Counter(frame.columns)
    for name, count in counts.items():
        if count > 1:
            raise Error(f"the table has {count} columns {name!r}, expected one", "runtime.invalid-input")
        series = frame[name]
        # pandas' extension types keep a mask of missing values. How to_numpy converts it depends on type and version.
        is_partial = not isinstance(getattr(series, "dtype", None), np.dtype) and hasattr(series, "isna") and bool(series.isna().any())
        array = None if is_partial else series.to_numpy()
        if is_partial or array.dtype == object:
            columns[name] = [None if is_missing(value) else value for value in (series if is_partial else array).tolist()]
        else:
            columns[name] = array
    return columns


@contextlib.contextmanager
def _of_row(row):
    """Adds the index of the row to an ``Error``, as its `row` and in its message."""
    try:
        yield
    except Error as error:
        error.row = row
        error.args = (f"row {row}: {error.message}",)
        raise


def _stacked(values, feature):
    if feature.kind == "tensor" and len({value.shape for value in values}) == 1:
        return np.stack(values)
    if feature.kind in ("int64", "double"):
        return np.array(values, np.int64 if feature.kind == "int64" else np.float64)
    if feature.kind == "tensor" and not values:
        return np.empty((0, *(feature.shape or ())), feature.dtype)
    return values


def compile(path, destination=None):
    """Compiles a ``.mlmodel`` or ``.mlpackage`` into a ``.mlmodelc`` and returns the path of the result.

    destination: path of the result. Default: beside the source, with its name.

    The write is atomic. It replaces a compiled model or an empty folder; anything else raises ``Error``.
    """
    path = path_of(path)
    if destination is None:
        destination = os.path.splitext(path.rstrip("/"))[0] + ".mlmodelc"
    return compiled(path, path_of(destination))


def devices():
    """The CPU and the OpenCL devices that can run models, with their measured properties, as a ``Table``.

    `notes["problems"]` says why devices are not usable. The first call on a machine measures and takes a moment.
    """
    library.use()
    told = json.loads(library.interruptible(lambda: library.text("devices")))
    return Table([told["cpu"], *told["openCL"]], ["id", "name", "kind"], {"problems": told["problems"]})
