"""Predictions from arrays into arrays in one call of the library: what is the same from call to call is prepared once."""
import ctypes
from ctypes import addressof, byref, c_char, c_int64, c_size_t, c_void_p

import numpy as np

from . import _library as library
from ._library import C, Error, Feature, PredictOptions, encoded
from ._values import CODES, TEXT_POINTERS, TEXTS, extent, strides_of


def address(array, at=c_char.from_buffer):
    """Where an array's memory begins: by its buffer where it is writable and whole, as `ctypes.data` makes objects in Python to say so."""
    try:
        return addressof(at(array))
    except (TypeError, ValueError):
        return array.ctypes.data


class Prepared:
    """The arguments of a call for arrays of certain types, shapes and strides; `data` is filled in for each prediction. One thread at a time."""

    __slots__ = ("inputs", "outputs", "places", "made", "options", "error", "arguments", "kept", "failed", "told")

    def __init__(self, model, arrays, outputs, rows=None):
        """arrays: (name, array) of the inputs; outputs: (name, shape, dtype), without the rows' axis."""
        self.kept = []
        lead = () if rows is None else (rows,)
        self.inputs = (Feature * max(len(arrays), 1))()
        self.outputs = (Feature * max(len(outputs), 1))()
        for place, (name, array) in zip(self.inputs, arrays):
            self._fill(place, name, array.dtype, array.shape, strides_of(array), extent(array))
        self.made = []
        for place, (name, shape, dtype) in zip(self.outputs, outputs):
            shape = lead + shape
            self._fill(place, name, dtype, shape, None, int(np.prod(shape)) * dtype.itemsize)
            self.made.append((name, shape, dtype, place))
        self.places = list(self.inputs)[:len(arrays)]
        self.options, self.told = PredictOptions(ctypes.sizeof(PredictOptions)), (None, None)
        self.error, self.failed = c_void_p(), c_size_t()
        self.arguments = (
            c_void_p(model), self.inputs, c_size_t(len(arrays)), self.outputs, c_size_t(len(outputs)),
            *(() if rows is None else (c_size_t(rows),)), byref(self.options), *(() if rows is None else (byref(self.failed),)),
            byref(self.error))

    def _fill(self, place, name, dtype, shape, strides, size):
        integers = c_int64 * max(len(shape), 1)
        name = encoded(name)
        sizes = integers(*shape)
        steps = None if strides is None else integers(*strides)
        self.kept += [name, sizes, steps]
        place.name, place.element, place.rank, place.shape = name, TEXTS if dtype == TEXT_POINTERS else CODES[dtype], len(shape), sizes
        if steps is not None:
            place.strides = steps
        place.size = size

    def run(self, arrays, function, state=None, cancellation=None):
        """Arrays by output name."""
        for place, array in zip(self.places, arrays):
            place.data = address(array)
        results = {}
        for name, shape, dtype, place in self.made:
            results[name] = made = np.empty(shape, dtype)
            place.data = address(made)
        if state is not self.told[0] or cancellation is not self.told[1]:
            self.options.state, self.options.cancellation = self.told = (state, cancellation)
        status = function(*self.arguments)
        if status:
            error = self.error.value
            self.error.value = None
            raise library.failure(status, c_void_p(error))
        return results


class Numbers(Prepared):
    """A row of numbers in one array of its own, whose place the library knows."""

    __slots__ = ("buffer",)

    def __init__(self, model, names, outputs):
        self.buffer = np.empty(len(names))
        super().__init__(model, [(name, self.buffer[index:index + 1]) for index, name in enumerate(names)], outputs, 1)
        for index, place in enumerate(self.places):
            place.data = self.buffer.ctypes.data + index * self.buffer.itemsize
        self.places = []

    def run(self, numbers, function, state=None, cancellation=None):
        self.buffer[:] = numbers
        return super().run([], function, state, cancellation)


class Arrays:
    """The prepared calls of a model, by what its inputs are: of arrays into arrays, or as a single row where other numbers or classes come out."""

    LIMIT = 64

    def __init__(self, model, description):
        self.model = model
        self.labels, self.known_labels = description.labels, set(description.labels or ())
        # A label that stands twice has no place.
        is_classifier = bool(self.labels) and len(self.labels) == len(self.known_labels)
        self.predicted, self.probabilities = (description.predicted, description.probabilities) if is_classifier else (None, None)
        #: whether arrays cannot be had of every output
        self.never = any(each.kind != "tensor" for each in description.outputs)
        #: whether rows cannot be had as arrays
        self.no_rows = any(
            each.kind not in ("tensor", "double") and each.name not in (self.predicted, self.probabilities) for each in description.outputs)
        #: the inputs' names where each is a number
        self.numbers = [each.name for each in description.inputs] if all(each.kind == "double" for each in description.inputs) else []
        self.calls = {}

    @property
    def nothing(self):
        return self.never and self.no_rows

    def signature(self, arrays):
        return tuple([(name, array.dtype, array.shape, array.strides) for name, array in arrays])

    def learn(self, key, results):
        """Notes what came out for a signature: the next prediction of it is one call."""
        if self.nothing or len(self.calls) >= self.LIMIT:
            return
        outputs = self.rowed(results)
        if outputs is not None:
            self.calls[key] = (outputs, [])

    def predict(self, key, arrays, state=None, cancellation=None):
        """The prediction, or None where its outputs are not known yet or turned out otherwise."""
        known = self.calls.get(key)
        by_row = self.never or key is Numbers
        if known is None or by_row and state is not None:
            return None
        outputs, pool = known
        try:
            prepared = pool.pop()
        except IndexError:
            prepared = self._prepared(key, arrays, outputs)
        try:
            given = arrays if key is Numbers else [array for _, array in arrays]
            if not by_row:
                results = prepared.run(given, C.coreml_predict_arrays, state, cancellation)
            else:
                results = prepared.run(given, C.coreml_predict_rows, None, cancellation)
                results = {name: self._one(name, array) for name, array in results.items()}
        except Error as error:
            if self.are_others(error):
                self.never = self.no_rows = True
                self.calls.clear()
                return None
            raise
        pool.append(prepared)
        return results

    def are_others(self, error):
        """Whether outputs came out otherwise than arrays were made for: of another shape, or with labels that the model does not tell."""
        return error.status == Error.INVALID_INPUT and "backing" in error.message or error.code == "interface.value" and "came out" in error.message

    def _prepared(self, key, arrays, outputs):
        if key is Numbers:
            return Numbers(self.model.pointer, self.numbers, outputs)
        if self.never:
            return Prepared(self.model.pointer, [(name, array[None]) for name, array in arrays], outputs, 1)
        return Prepared(self.model.pointer, arrays, outputs)

    def number_row(self, data):
        """The values of a row of numbers in the inputs' order, or None for another."""
        values = [data.get(name) for name in self.numbers]
        for value in values:
            if type(value) is not float and not (type(value) is int and abs(value) < 1 << 53) and not isinstance(value, np.floating):
                return None
        return values

    def rowed(self, results):
        """(name, shape, dtype) of a row's results as arrays; None where one is none."""
        outputs = []
        for name, value in results.items():
            if isinstance(value, np.ndarray):
                outputs.append((name, value.shape, value.dtype))
            elif name == self.predicted:
                outputs.append((name, (), np.dtype("int32")))
            elif name == self.probabilities and value.keys() == self.known_labels:
                outputs.append((name, (len(value),), np.dtype("float64")))
            elif isinstance(value, float):
                outputs.append((name, (), np.dtype("float64")))
            else:
                return None
        return outputs

    def rows(self, arrays, outputs, rows, cancellation=None):
        """Every row of arrays with a leading axis: by output name arrays, a list of texts for labels, of dictionaries for probabilities."""
        prepared = Prepared(self.model.pointer, arrays, outputs, rows)
        try:
            results = prepared.run([array for _, array in arrays], C.coreml_predict_rows, None, cancellation)
        except Error as error:
            error.row = prepared.failed.value
            raise
        return {name: self._classes(name, array) for name, array in results.items()}

    def _classes(self, name, array):
        """What the library told of labels by their places."""
        if name == self.predicted:
            return np.array(self.labels, np.int64)[array] if isinstance(self.labels[0], int) else [self.labels[place] for place in array.tolist()]
        if name == self.probabilities:
            return [dict(zip(self.labels, numbers)) for numbers in array.tolist()]
        return array

    def _one(self, name, array):
        """The same of a single row."""
        if name == self.predicted:
            return self.labels[array.item()]
        if name == self.probabilities:
            return dict(zip(self.labels, array[0].tolist()))
        return array.item() if array.ndim == 1 else array[0]
