"""A model that predicts."""
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
    """What a stateful model keeps between predictions: ``state["name"]`` reads a copy, ``state["name"] = array`` overwrites.

    It fits every model and function that has states of the same names, types and shapes.
    """

    def __init__(self, model):
        self._model = model
        self._handle = make("state_create", model._open().handle)
        self.names = tuple(each.name for each in model.states)

    def __copy__(self):
        """A state of its own with the same values: predictions with one leave the other as it is."""
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
    """A model's handle, and the calls that are prepared of it."""

    handle: Handle
    arrays: Arrays


class Model:
    """A Core ML model: a ``.mlmodel``, ``.mlpackage`` or ``.mlmodelc``, its bytes, or ``(bytes, {name of a weight file: bytes})``.

    compute_units: "all" (default), "cpu_only", "cpu_and_gpu", "cpu_and_ne"; or coremltools' ``ComputeUnit``.
    device: the ``id`` of an OpenCL device, as ``devices()`` lists them.
    function: a function of a multifunction model; its default one otherwise.
    threads: threads of one prediction; one a core that the process may use otherwise.
    memory_limit: what it may hold for predictions, in bytes or as "512M", "2G".
    fit: how pictures of another size are fitted: "fill" (stretched), "crop", "fit" (black beside it).
    images: what pictures come out as: "auto" (PIL where it is installed), "pil" or "numpy".
    specialization: "fastPrediction" prepares all when it is opened, by kernels timed on this machine, once; "default" with the first prediction.
    precision: "low" lets products be of brain floating point (eight bits of significand) where that is faster; "default" does not.
    parameters: numbers that the model allows to be changed, such as {"numberOfNeighbors": 3}.

    Raises ``Error`` for a file that is missing or no sound model, and for one that cannot run here, with a sentence that says why.
    Any number of threads may predict with one model at one time. It closes with the object, with ``close()`` or at the end of ``with``.
    """

    SLOW = 0.05  # seconds from which on a prediction listens to Ctrl-C

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
        #: where it was opened from; None for a model of bytes
        self.path = os.path.abspath(path_of(source)) if isinstance(source, (str, os.PathLike)) else None
        self._bytes = None if self.path else source
        self._take(open_model(source, self._settings, self._parameters))

    def _take(self, handle):
        out = ctypes.c_char_p()
        call("model_describe", handle, out)
        #: everything the model says of itself
        self.description = Description.of(json.loads(out.value))
        self._inputs = {each.name: each for each in self.description.inputs}
        self._tensors = {name for name, each in self._inputs.items() if each.kind == "tensor"}
        self._tensor_outputs = {each.name for each in self.outputs if each.kind == "tensor"}
        self._pictures = {name for name, each in self._inputs.items() if each.kind == "image"}
        self._slow = True
        # What predictions need: each takes hold of it once, so that another thread may close the model meanwhile.
        self._opened = Opened(handle, Arrays(handle, self.description))

    @classmethod
    def _of(cls, handle, like):
        """A model of a handle, with the settings of another."""
        made = cls.__new__(cls)
        made._settings, made._parameters, made.fit, made.images = like._settings, {}, like.fit, like.images
        made.path = made._bytes = None
        made._take(handle)
        return made

    # ---- what it is

    inputs = property(lambda self: self.description.inputs, doc="Its inputs, as ``Feature``.")
    outputs = property(lambda self: self.description.outputs, doc="Its outputs, as ``Feature``.")
    states = property(lambda self: self.description.states, doc="Its states, as ``Feature``.")
    metadata = property(lambda self: self.description.metadata, doc="What its author says, as ``Metadata``.")
    labels = property(lambda self: self.description.labels, doc="A classifier's labels; None for another model.")

    @property
    def digest(self):
        """A SHA-256 over the model's files or bytes; None for a model that a training has made."""
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

    # ---- its life

    def _open(self):
        """What is open of the model, for one call."""
        if library._forked:
            library.use()
        opened = self._opened
        if opened is None:
            raise Error("the model is closed", "python.closed", Error.INVALID_ARGUMENT)
        return opened

    def close(self):
        """Gives back what it holds, once predictions that still run have ended."""
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

    # ---- predicting

    def predict(self, data=None, *, state=None, **named):
        """Predicts one row and gives its outputs by name.

        data: a dictionary by input name; for a model of one input also its value alone, and for any a tuple of values in the order of the
        inputs. Inputs may be given by name instead: ``model.predict(image="seven.png")``. Tensors are arrays of numpy, of torch or whatever
        has DLPack (their memory is read in place, with its strides, where its type is one of float16, float32, float64, int8, int32; other
        types are converted as Core ML does), lists or numbers; images are paths, the bytes of one (PNG, JPEG, WebP, TIFF, GIF, BMP), PIL's, or arrays (height, width[, 3
        or 4]) of uint8; dictionaries and sequences are those of Python.
        state: of ``make_state()``, of this model or of one with the same states: it is changed. A stateful model asks for one.

        Outputs are numpy arrays (which torch reads by DLPack), numbers, texts, dictionaries, lists and pictures. Raises ``Error`` for a name,
        type or shape that the model does not take.
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
        """The handle of a state. One that is missing is told of in Python's words."""
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
        """A prediction that can be stopped if it has a cancellation; of arrays, it learns what comes out."""
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
                results[each.name] = _values.python(make("features_get", outputs, encoded(each.name)), self.images)
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
        """Inputs by name; none may be given in `data` and by name."""
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
        """The inputs of a row, once every name is one of the model's."""
        for name in data:
            if name not in self._inputs:
                raise Error(f"the model has no input '{name}'; it has {', '.join(self._inputs)}", "runtime.invalid-input")
        return {name: value for name, value in data.items() if value is not None}

    def _directly(self, known, data):
        """A row as the library reads it without handles: numbers, or (name, array); None for another."""
        if known.nothing:
            return None
        if known.numbers:
            return known.number_row(data)
        return self._in_place(data) if data.keys() <= self._tensors else None

    def _in_place(self, data):
        """(name, array) of a row of tensors, each of a type and layout that the library reads."""
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
        """``predict`` without blocking the event loop; cancelling the task stops it."""
        import asyncio  # takes as long as the rest of the package, and whoever awaits has it

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
        """Predicts many rows; each equals its single prediction.

        rows: a list of what ``predict`` takes gives a list of results. A dictionary whose values have one leading axis more than the inputs
        (or lists of as many values) gives a dictionary of outputs with that axis: arrays for tensors and numbers, lists for the rest; arrays in
        and out are predicted in one call of the library.
        on_error: "raise": the ``Error`` of the first row that fails has its place in `row`, and tells of it and of its file; or "record": for a
        list, a row that fails has its ``Error`` in its place, and the others go on. A stateful model takes no batch.
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

    #: fewer rows are not worth columns; more rows or bytes than these go in pieces
    TOGETHER, PIECE, PIECE_BYTES = 8, 8192, 64 << 20

    def _rows_together(self, rows):
        """The results of rows that are alike, each a dictionary of numbers, texts and arrays; None for others, and where a row fails."""
        names = self._inputs.keys()
        if self._open().arrays.no_rows or self.states or not names or any(type(row) is not dict or row.keys() != names for row in rows):
            return None
        size = sum(value.nbytes for value in rows[0].values() if isinstance(value, np.ndarray))
        count = max(min(self.PIECE, self.PIECE_BYTES // max(size, 1)), 1)
        results = []
        # Columns of large arrays would be a copy that brings nothing.
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
        # Numbers are Python's, as those of a single prediction.
        values = [column.tolist() if isinstance(column, np.ndarray) and column.ndim == 1 and name not in self._tensor_outputs else column
                  for name, column in results.items()]
        return [dict(zip(names, row)) for row in zip(*values)]

    def side_by_side(self, work, rows):
        """What `work` makes of each row, in their order: of rows with pictures, which take long to read, several at one time."""
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
        if len(set(counts.values())) > 1:
            raise Error(f"the inputs have different numbers of rows: {counts}", "runtime.invalid-input")
        count = next(iter(counts.values()))
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
        """The values of an input, one a row: an array for tensors."""
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
        """Refuses columns of no rows whose rows would be refused. An empty list has no shape to check."""
        for name, column in columns.items():
            feature = self._inputs[name]
            if feature.kind == "tensor" and feature.flexibility == "fixed" and feature.shape and column.ndim > 1 and math.prod(column.shape[1:]) != math.prod(feature.shape):
                raise _values.refused(name, f"an array of the shape {column.shape}", f"a row axis before the shape {tuple(feature.shape)}")

    def _is_column(self, name, column):
        """Whether the library reads the rows of a column itself: of tensors, of texts, or of numbers that are an array."""
        kind = self._inputs[name].kind
        if kind == "string":
            return all(type(text) is str for text in column)
        return name in self._tensors or (
            kind == "double" and isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "iuf")

    def _rows_in_place(self, known, columns, count):
        """The outputs as columns; None where they are no arrays, or where the library does not read the inputs."""
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
        """A state, zero, for ``predict(..., state=...)``."""
        return State(self)

    # ---- what runs where

    def plan(self, data=None):
        """What runs where for the shapes of some inputs, or for the declared ones: a row a step, with its operation, the device, the kernel and
        the estimated seconds."""
        handle = self._open().handle
        inputs = None if data is None else self._features(handle, self._known(self._named(data, {})))
        told = json.loads(library.text("model_plan", handle, inputs))
        notes = {key: value for key, value in told.items() if key != "steps"}
        return Table(told["steps"], ["operation", "output", "device", "kernel", "cost", "shape"], notes)

    def profile(self, data, iterations=20):
        """Predicts some times and tells the median seconds of each step, as ``plan`` tells of them. A stateful model begins each time with zeros."""
        handle = self._open().handle
        if not isinstance(iterations, (int, np.integer)) or not 0 <= iterations <= 1_000_000:
            raise Error(f"the iterations are {iterations!r}, expected a number up to 1000000", "python.value", Error.INVALID_ARGUMENT)
        inputs = self._features(handle, self._known(self._named(data, {})))
        told = json.loads(library.interruptible(lambda: library.text("model_profile", handle, inputs, iterations)))
        steps = told.pop("steps", [])
        columns = [key for key in ("operation", "output", "device", "kernel", "seconds", "median", "cost") if steps and key in steps[0]]
        return Table(steps, columns, told)

    def update(self, examples, *, parameters=None, progress=None, destination=None):
        """Trains an updatable model on examples (a list of rows that have the training inputs) and gives the new model.

        parameters: {"learningRate": 0.01, "epochs": 5, ...}, a key may be (name, layer).
        progress: called with each ``Progress`` (event, epoch, mini_batch, loss); what it gives that is true stops the training.
        destination: where the new model is written as a ``.mlmodelc``.
        """
        from ._update import update

        return update(self, examples, parameters, progress, destination)


def _again(source, expected, settings, more):
    """A pickled model, opened anew: by its path, if that has still what it had."""
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
    """Whether rows are a frame, as pandas and its relatives have them."""
    return hasattr(rows, "columns") and hasattr(rows, "dtypes") and hasattr(rows, "to_numpy")


def is_missing(value):
    """Whether a cell of a frame says that nothing is there: None, NaN or pandas' NA."""
    return value is None or isinstance(value, float) and value != value or type(value).__name__ == "NAType"


def _columns_of(frame):
    """The columns of a frame by name: arrays of numbers, lists of anything else with None where nothing is."""
    columns, counts = {}, collections.Counter(frame.columns)
    for name, count in counts.items():
        if count > 1:
            raise Error(f"the table has {count} columns {name!r}, expected one", "runtime.invalid-input")
        series = frame[name]
        # pandas' own types have a missing value beside every number; which one NumPy has for it depends on the type and the version.
        is_partial = not isinstance(getattr(series, "dtype", None), np.dtype) and hasattr(series, "isna") and bool(series.isna().any())
        array = None if is_partial else series.to_numpy()
        if is_partial or array.dtype == object:
            columns[name] = [None if is_missing(value) else value for value in (series if is_partial else array).tolist()]
        else:
            columns[name] = array
    return columns


@contextlib.contextmanager
def _of_row(row):
    """Has an error say which row of a batch it is of, in its sentence and as `row`."""
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
    """Writes the ``.mlmodelc`` of a ``.mlmodel`` or ``.mlpackage``, whole or not at all, and gives its path: `destination`, or beside the
    source under its name. A compiled model or an empty folder there is replaced; anything else is refused."""
    path = path_of(path)
    if destination is None:
        destination = os.path.splitext(path.rstrip("/"))[0] + ".mlmodelc"
    return compiled(path, path_of(destination))


def devices():
    """The processors that models can run on, with what was measured of them. Measuring takes a moment the first time on a machine."""
    library.use()
    told = json.loads(library.interruptible(lambda: library.text("devices")))
    return Table([told["cpu"], *told["openCL"]], ["id", "name", "kind"], {"problems": told["problems"]})
