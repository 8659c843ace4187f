"""Array-to-array predictions with one library call. Arguments that do not change between calls are prepared once."""
import ctypes
from ctypes import addressof, byref, c_char, c_int64, c_size_t, c_void_p

import numpy as np

from . import _library as library
from ._library import C, Error, Feature, PredictOptions, encoded
from ._values import CODES, TEXT_POINTERS, TEXTS, extent, strides_of


def address(array, at=c_char.from_buffer):
    """The address of an array's first element.

    For a writable contiguous array it uses the buffer, which is faster than `ctypes.data`.
    """
    try:
        return addressof(at(array))
    except (TypeError, ValueError):
        return array.ctypes.data


class Prepared:
    """Prepared call arguments for fixed input types, shapes and strides. Each `run` sets only the `data` pointers.

    Not thread-safe: one thread at a time.
    """

    __slots__ = ("inputs", "outputs", "places", "made", "options", "error", "arguments", "kept", "failed", "told")

    def __init__(self, model, arrays, outputs, rows=None):
        """arrays: (name, array) pairs of the inputs. outputs: (name, shape, dtype), the shape without the row axis."""
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
        """Predicts into new arrays; returns them by output name. Raises ``Error``."""
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
    """A prepared call for one row of numbers. It copies them to a fixed buffer, so its pointers never change."""

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
    """The prepared calls of a model, by the signature of the inputs. Thread-safe.

    If all outputs are tensors, a call predicts arrays into arrays. Otherwise it predicts a batch of one row.
    """

    LIMIT = 64  # signatures

    def __init__(self, model, description):
        self.model = model
        self.labels, self.known_labels = description.labels, set(description.labels or ())
        # The library returns labels by index, which is ambiguous for duplicate labels.
        is_classifier = bool(self.labels) and len(self.labels) == len(self.known_labels)
        self.predicted, self.probabilities = (description.predicted, description.probabilities) if is_classifier else (None, None)
        #: whether an output has no array form for a single prediction
        self.never = any(each.kind != "tensor" for each in description.outputs)
        #: whether an output has no array form for a batch of rows
        self.no_rows = any(
            each.kind not in ("tensor", "double") and each.name not in (self.predicted, self.probabilities) for each in description.outputs)
        #: the names of the inputs if every input is a number, else empty
        self.numbers = [each.name for each in description.inputs] if all(each.kind == "double" for each in description.inputs) else []
        self.calls = {}

    @property
    def nothing(self):
        return self.never and self.no_rows

    def ordered(self, name, value):
        """The output `value` of a single prediction. Probabilities get the order of the model's labels, as batches have it."""
        if name == self.probabilities and value.keys() == self.known_labels:
            return {label: value[label] for label in self.labels}
        return value

    def signature(self, arrays):
        return tuple([(name, array.dtype, array.shape, array.strides) for name, array in arrays])

    def learn(self, key, results):
        """Records the output shapes for a signature, so that the next prediction with it takes one library call."""
        if self.nothing or len(self.calls) >= self.LIMIT:
            return
        outputs = self.rowed(results)
        if outputs is not None:
            self.calls[key] = (outputs, [])

    def predict(self, key, arrays, state=None, cancellation=None):
        """The prediction; None if the output shapes are not known yet or differ from the recorded ones."""
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
        """Whether `error` means that an output did not fit its array: another shape, or an undeclared label."""
        return error.status == Error.INVALID_INPUT and "backing" in error.message or error.code == "interface.value" and "came out" in error.message

    def _prepared(self, key, arrays, outputs):
        if key is Numbers:
            return Numbers(self.model.pointer, self.numbers, outputs)
        if self.never:
            return Prepared(self.model.pointer, [(name, array[None]) for name, array in arrays], outputs, 1)
        return Prepared(self.model.pointer, arrays, outputs)

    def number_row(self, data):
        """The values of a row of numbers in the order of the inputs; None if one is not an exact double."""
        values = [data.get(name) for name in self.numbers]
        for value in values:
            if type(value) is not float and not (type(value) is int and abs(value) < 1 << 53) and not isinstance(value, np.floating):
                return None
        return values

    def rowed(self, results):
        """(name, shape, dtype) of the results of a row as arrays; None if a result has no array form."""
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
        """Predicts all rows of arrays that have a leading row axis; returns the outputs by name.

        An output is an array, a list of strings for labels, or a list of dictionaries for probabilities.
        """
        prepared = Prepared(self.model.pointer, arrays, outputs, rows)
        try:
            results = prepared.run([array for _, array in arrays], C.coreml_predict_rows, None, cancellation)
        except Error as error:
            error.row = prepared.failed.value
            raise
        return {name: self._classes(name, array) for name, array in results.items()}

    def _classes(self, name, array):
        """The output `array` with label indexes replaced by labels, for all rows."""
        if name == self.predicted:
            return np.array(self.labels, np.int64)[array] if isinstance(self.labels[0], int) else [self.labels[place] for place in array.tolist()]
        if name == self.probabilities:
            return [dict(zip(self.labels, numbers)) for numbers in array.tolist()]
        return array

    def _one(self, name, array):
        """The output `array` with label indexes replaced by labels, for a batch of one row."""
        if name == self.predicted:
            return self.labels[array.item()]
        if name == self.probabilities:
            return dict(zip(self.labels, array[0].tolist()))
        return array.item() if array.ndim == 1 else array[0]
