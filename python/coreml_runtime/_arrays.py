"""Predictions from arrays into arrays in one call of the library: what is the same from call to call is prepared once."""
import ctypes
from ctypes import addressof, byref, c_char, c_int64, c_size_t, c_void_p

import numpy as np

from . import _library as library
from ._library import C, Error, Feature, PredictOptions
from ._values import CODES, extent, strides_of


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
        name = name.encode()
        sizes = integers(*shape)
        steps = None if strides is None else integers(*strides)
        self.kept += [name, sizes, steps]
        place.name, place.element, place.rank, place.shape = name, CODES[dtype], len(shape), sizes
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


class Arrays:
    """The prepared calls of a model, by what its inputs are."""

    LIMIT = 64

    def __init__(self, model, description):
        self.model = model
        self.outputs = [
            (each.name, each.shape, np.dtype(each.dtype)) for each in description.outputs
            if each.kind == "tensor" and each.flexibility == "fixed" and each.shape]
        self.are_told = len(self.outputs) == len(description.outputs)
        #: whether every output has been seen to be as it is told, or none could be
        self.never = any(each.kind != "tensor" for each in description.outputs)
        #: whether arrays of rows cannot be had of some output
        self.no_rows = any(each.kind not in ("tensor", "double") for each in description.outputs)
        self.calls = {}

    def signature(self, arrays):
        return tuple([(name, array.dtype, array.shape, array.strides) for name, array in arrays])

    def learn(self, key, results):
        """Notes the shapes that came out for a signature: the next prediction of it is one call."""
        if self.never or len(self.calls) >= self.LIMIT:
            return
        outputs = [(name, array.shape, array.dtype) for name, array in results.items()]
        self.calls[key] = (outputs, [])

    def predict(self, key, arrays, state=None, cancellation=None):
        """The prediction, or None where its outputs are not known yet or turned out otherwise."""
        known = self.calls.get(key)
        if known is None:
            return None
        outputs, pool = known
        try:
            prepared = pool.pop()
        except IndexError:
            prepared = Prepared(self.model.pointer, arrays, outputs)
        try:
            results = prepared.run([array for _, array in arrays], C.coreml_predict_arrays, state, cancellation)
        except Error as error:
            if error.status == Error.INVALID_INPUT and "backing" in error.message:
                self.never = self.no_rows = True
                self.calls.clear()
                return None
            raise
        pool.append(prepared)
        return results

    def rows(self, arrays, outputs, rows, cancellation=None):
        """Every row of arrays with a leading axis; arrays by output name."""
        prepared = Prepared(self.model.pointer, arrays, outputs, rows)
        try:
            return prepared.run([array for _, array in arrays], C.coreml_predict_rows, None, cancellation)
        except Error as error:
            error.row = prepared.failed.value
            raise
