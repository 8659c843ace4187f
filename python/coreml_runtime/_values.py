"""Conversion of Python values to library values and back: arrays, images, numbers, strings, dictionaries, sequences."""
import contextlib
import ctypes
import errno
import numbers
import os
import stat
from ctypes import POINTER, c_char_p, c_double, c_int64, c_size_t, c_void_p

import numpy as np

from . import _library as library
from ._library import C, Error, Handle, call, encoded, make

ELEMENTS = {"float16": 0x10010, "float32": 0x10020, "float64": 0x10040, "int8": 0x20008, "int32": 0x20020}
DTYPES = {code: np.dtype(name) for name, code in ELEMENTS.items()}
CODES = {dtype: code for code, dtype in DTYPES.items()}
TEXTS, TEXT_POINTERS = 0x30040, np.dtype(np.uintp)
KINDS = {1: "int64", 2: "double", 3: "string", 4: "image", 5: "tensor", 6: "dictionary", 7: "sequence", 8: "state"}
BGRA, RGBA, RGB, GRAY8, GRAY16F = 0x42475241, 0x52474241, 0x18, 0x4C303038, 0x4C303068
FITS = {"crop": 0, "fit": 1, "fill": 2}


def refused(name, found, expected):
    return Error(f"input '{name}' is {found}, expected {expected}", "runtime.invalid-input")


def told(value):
    return f"of type {type(value).__name__}"


def hold_something(columns, count):
    """Raises ``Error`` if no column has elements: an array of shape (2 ** 60, 0) is valid and takes no memory."""
    if count and columns and all(isinstance(column, np.ndarray) and column.nbytes == 0 for column in columns.values()):
        raise Error(f"the inputs have {count} rows of no elements, expected rows that hold some", "runtime.invalid-input")


@contextlib.contextmanager
def reading(name, value):
    """Converts any exception that a caller's object raises while it is read into an ``Error``."""
    try:
        yield
    except (Error, MemoryError):
        raise
    except Exception as error:
        raise refused(name, f"{told(value)}, which cannot be read ({type(error).__name__}: {error})", "a value that can be") from None


# ---- input arrays

def as_array(value, name=""):
    """`value` as an array: a view if it has DLPack (torch), the buffer protocol or is numpy's, else a copy.

    Raises ``Error`` for anything but numbers.
    """
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__dlpack__") and not isinstance(value, np.generic):
        if hasattr(value, "detach"):  # torch: drops the gradient and copies from another device
            value = value.detach().cpu()
            if str(value.dtype) == "torch.bfloat16":
                import torch

                return value.contiguous().view(torch.int16).numpy().view(np.uint16).view(_bfloat16())
        try:
            return np.from_dlpack(value)
        except Exception as error:
            raise refused(name, f"a tensor that cannot be read here ({error})", "one in the processor's memory") from None
    array = _numbers(value, name)
    if array.dtype == object:
        raise refused(name, told(value), "an array of numbers")
    return array


def _numbers(value, name):
    try:
        return np.asarray(value)
    except ValueError as error:
        raise refused(name, f"no array ({error})", "rows of one length") from None


def _bfloat16():
    try:
        import ml_dtypes
    except ImportError:
        raise Error("bfloat16 needs the package ml_dtypes, which is not installed", "python.missing-package", Error.UNSUPPORTED) from None
    return np.dtype(ml_dtypes.bfloat16)


def numeric(array, declared, name):
    """`array` itself if the library reads its type and layout, else a converted copy.

    Booleans, other integers and bf16 become the declared type, as Core ML converts them. Raises ``Error`` for integers
    that do not fit in the declared integer type, and for types that are not numeric.
    """
    dtype = array.dtype
    if dtype not in CODES:
        if dtype.kind not in "biuf" and dtype.name != "bfloat16" or dtype.kind == "f" and dtype.itemsize > 8:
            raise refused(name, f"an array of {dtype}", f"numbers ({', '.join(ELEMENTS)}, or what converts to them)")
        to = np.dtype(declared or "float32")
        if not dtype.isnative and dtype.newbyteorder("=") in CODES:
            to = dtype.newbyteorder("=")
        elif dtype.kind in "iu" and to.kind == "i" and array.size:
            low, high = np.iinfo(to).min, np.iinfo(to).max
            if int(array.min()) < low or int(array.max()) > high:
                raise refused(name, f"an array of {dtype} from {array.min()} to {array.max()}", f"numbers that fit in {to}")
        array = array.astype(to)
    if not array.flags.aligned or any(stride < 0 or stride % array.itemsize for stride in array.strides):
        array = array.copy()
    return array


def texts(column):
    """An array of pointers to the UTF-8 strings of a column; it keeps them alive. None if a string has a zero byte."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in column]
    if any(b"\0" in text for text in encoded):
        return None
    return np.frombuffer((ctypes.c_char_p * len(encoded))(*encoded), TEXT_POINTERS)


def strides_of(array):
    size = array.itemsize
    return tuple(stride // size for stride in array.strides)


def extent(array):
    """The number of bytes from the first element to the end of the last. Strides must not be negative."""
    if array.size == 0:
        return 0
    return sum((size - 1) * stride for size, stride in zip(array.shape, array.strides)) + array.itemsize


_borrowed = {}  # arrays that the library reads in place, by key; its callback removes them
_numbers_of_borrowed = iter(range(1, 1 << 62))


@library.MEMORY_CALLBACK
def _given_back(key):
    _borrowed.pop(key, None)


def tensor(array, declared=None, name=""):
    """A tensor handle over the array's memory, which stays alive until the library releases it."""
    array = numeric(array, declared, name)
    rank = array.ndim
    integers = (c_int64 * max(rank, 1))
    key = next(_numbers_of_borrowed)
    _borrowed[key] = array
    try:
        return make(
            "value_tensor", CODES[array.dtype], rank, integers(*array.shape), integers(*strides_of(array)), array.ctypes.data, extent(array),
            _given_back, key)
    except Error:
        _borrowed.pop(key, None)
        raise


# ---- input images

def picture(value, feature, model, fit):
    """An image handle, resized for the input. `value` is a path, the bytes of an image file, an open binary file, a
    PIL image or an array of shape (height, width[, 3 or 4])."""
    path = None
    if hasattr(value, "read") and not is_pil(value):
        value = value.read()
        if isinstance(value, str):
            raise refused(feature.name, "a file that is open for text", "one that is open for bytes ('rb')")
    if isinstance(value, (str, os.PathLike)):
        path = os.path.expanduser(os.fsdecode(value))
        try:
            value = _contents(path)
        except MemoryError:
            raise Error(f"input '{feature.name}': {path}: there is no memory for the file", "runtime.out-of-memory", Error.NO_MEMORY) from None
        except OSError as error:
            raise Error(f"input '{feature.name}': {path}: {error.strerror}", "runtime.io", Error.IO) from None
        except ValueError as error:  # a zero byte in the path
            raise Error(f"input '{feature.name}': {ascii(path)}: {error}", "runtime.io", Error.IO) from None
    if isinstance(value, (bytes, bytearray, memoryview)):
        made = _of_file(bytes(value), feature, path)
    elif is_pil(value):
        made = _of_pil(value, feature)
    else:
        made = _of_pixels(as_array(value, feature.name), feature)
    return make("value_fit_image", made, model, encoded(feature.name), FITS[fit_of(fit)])


def _contents(path):
    """The bytes of a regular file. Raises ``OSError`` for a pipe or a device: it could block or never end."""
    def without_waiting(name, flags):
        return os.open(name, flags | os.O_NONBLOCK)

    with open(path, "rb", opener=without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.ENODEV, "expected a file, found a pipe or a device")
        return file.read()


def is_pil(value):
    return hasattr(value, "mode") and hasattr(value, "tobytes")


def fit_of(fit):
    if not isinstance(fit, str) or fit not in FITS:
        raise Error(f"fit is {fit!r}, expected one of {', '.join(map(repr, FITS))}", "python.value", Error.INVALID_ARGUMENT)
    return fit


def _of_file(data, feature, path=None):
    try:
        return make("value_picture", data, len(data))
    except Error as error:
        where = "" if path is None else f"{path}: "
        raise Error(f"input '{feature.name}': {where}{error.message}", error.code, error.status) from None


def pixels(format, array):
    array = np.ascontiguousarray(array)
    height, width = array.shape[:2]
    return make("value_image", format, width, height, 0, array.ctypes.data, array.nbytes)


def _of_pil(image, feature):
    from . import _pil

    if image.mode == "F" and feature.pixels != "GRAY16F":
        raise refused(feature.name, "a picture of the mode F", "one of 8-bit or 16-bit channels")
    try:
        array = _pil.upright(image)
    except _pil.Unreadable as error:
        raise refused(feature.name, error.found, error.expected) from None
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001  PIL and its plugins raise many types
        raise refused(feature.name, f"a picture that PIL cannot read ({error})", "one of a mode that becomes RGBA") from None
    return _of_pixels(array, feature)


def _of_pixels(array, feature):
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    if array.ndim == 2 and array.dtype.kind == "f" and feature.pixels == "GRAY16F":
        return pixels(GRAY16F, array.astype(np.float16))
    if array.dtype != np.uint8:
        raise refused(feature.name, f"an array of {array.dtype} with the shape {array.shape}", "a picture of 8-bit channels (uint8)")
    if array.ndim == 2:
        if feature.pixels in ("GRAY8", "GRAY16F"):
            return pixels(GRAY8, array)
        array = np.repeat(array[:, :, None], 3, axis=2)
    if array.ndim == 3 and array.shape[2] in (3, 4):
        return pixels(RGB if array.shape[2] == 3 else RGBA, array)
    raise refused(feature.name, f"an array of the shape {array.shape}", "(height, width), (height, width, 3) or (height, width, 4)")


# ---- any input

def value(given, feature, model, fit="fill"):
    """`given` as a value handle for the input `feature`. Raises ``Error`` if the input does not accept it."""
    if isinstance(given, Handle):
        return given
    with reading(feature.name, given):
        return _value(given, feature, model, fit)


def _value(given, feature, model, fit):
    kind = feature.kind
    if kind == "tensor":
        return tensor(as_array(given, feature.name), feature.dtype, feature.name)
    if kind == "image":
        return picture(given, feature, model, fit)
    if kind == "dictionary":
        return dictionary(given, feature.name, feature.key)
    if kind == "sequence":
        return sequence(given, feature.name, feature.key)
    if kind == "string":
        return string(given, feature.name)
    return number(given, kind, feature.name)


def number(given, kind, name):
    if isinstance(given, np.ndarray) or hasattr(given, "__dlpack__"):
        array = as_array(given, name)
        if array.size != 1 or array.dtype.kind in "mM":
            raise refused(name, f"an array of {array.dtype} with the shape {array.shape}", "one number")
        given = array.reshape(()).item()
    is_complex = isinstance(given, numbers.Complex) and not isinstance(given, numbers.Real)
    if is_complex or not isinstance(given, (numbers.Number, np.bool_)) or isinstance(given, np.timedelta64):
        raise refused(name, told(given), "a number")
    if kind == "int64" and isinstance(given, (int, np.integer, np.bool_)):
        if not -(1 << 63) <= int(given) < 1 << 63:
            raise refused(name, f"{given}", "an integer of 64 bits")
        return make("value_int64", int(given))
    return make("value_double", float(given))


def string(given, name):
    if isinstance(given, np.ndarray) and given.size == 1:
        given = given.reshape(()).item()
    if isinstance(given, bytes):
        data = given
    elif isinstance(given, str):
        data = utf8(given, name)
    else:
        raise refused(name, told(given), "a text")
    return make("value_string", data, len(data))


def utf8(text, name):
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise refused(name, f"the text {text[:60]!a}, which has half of a surrogate pair", "Unicode") from None


def _texts(items, name):
    """C arrays of the UTF-8 strings and of their lengths. The lengths allow zero bytes in a string."""
    data, count = [utf8(item, name) for item in items], max(len(items), 1)
    return (c_char_p * count)(*data), (c_size_t * count)(*map(len, data))


def _are_texts(items, name, declared):
    """Whether the keys or items are strings. For an empty collection the declared type decides."""
    texts = [isinstance(item, str) for item in items]
    if not texts:
        return declared == "string"
    if any(texts) != all(texts):
        raise refused(name, "a mixture of texts and numbers", "one or the other")
    return texts[0]


def _integers(items, name):
    try:
        integers = [item.__index__() for item in items]
    except AttributeError:
        raise refused(name, "a collection of items other than texts and integers", "one or the other") from None
    for integer in integers:
        if not -(1 << 63) <= integer < 1 << 63:  # ctypes would truncate it
            raise refused(name, f"a collection with {integer}", "integers of 64 bits")
    return integers


def dictionary(given, name, declared=None):
    if not hasattr(given, "items"):
        raise refused(name, told(given), "a dictionary")
    keys, count = list(given), len(given)
    try:
        numbers_of = (c_double * max(count, 1))(*map(float, given.values()))
    except (TypeError, ValueError):
        raise refused(name, "a dictionary with values that are no numbers", "numbers") from None
    if _are_texts(keys, name, declared):
        return make("value_sized_string_dictionary", *_texts(keys, name), numbers_of, count)
    return make("value_int64_dictionary", (c_int64 * max(count, 1))(*_integers(keys, name)), numbers_of, count)


def sequence(given, name, declared=None):
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise refused(name, told(given), "a list of texts or integers")
    items = list(given)
    if _are_texts(items, name, declared):
        return make("value_sized_string_sequence", *_texts(items, name), len(items))
    return make("value_int64_sequence", (c_int64 * max(len(items), 1))(*_integers(items, name)), len(items))


# ---- outputs

def python(handle, images="auto"):
    """The Python value of an output handle. An array is a view of library memory and keeps that memory alive."""
    kind = KINDS[C.coreml_value_kind(handle)]
    if kind == "tensor":
        return array_of(handle)
    if kind == "image":
        return image_of(handle, images)
    if kind == "int64":
        out = c_int64()
        call("value_get_int64", handle, out)
        return out.value
    if kind == "double":
        out = c_double()
        call("value_get_double", handle, out)
        return out.value
    if kind == "string":
        out, length = c_void_p(), c_size_t()
        call("value_get_string", handle, out, length)
        return ctypes.string_at(out.value, length.value).decode()
    texts, integers, numbers_of, count = POINTER(c_char_p)(), POINTER(c_int64)(), POINTER(c_double)(), c_size_t()
    has_texts = KINDS.get(C.coreml_value_item_kind(handle)) == "string"
    if kind == "dictionary":
        call(f"value_get_{'string' if has_texts else 'int64'}_dictionary", handle, texts if has_texts else integers, numbers_of, count)
        keys = _strings(handle, texts) if has_texts else integers[:count.value]
        return dict(zip(keys, numbers_of[:count.value]))
    call(f"value_get_{'string' if has_texts else 'int64'}_sequence", handle, texts if has_texts else integers, count)
    return _strings(handle, texts) if has_texts else list(integers[:count.value])


def _strings(handle, texts):
    """The strings of a collection. It reads their lengths, because `c_char_p` ends at a zero byte inside a string."""
    lengths, count = POINTER(c_size_t)(), c_size_t()
    call("value_get_string_lengths", handle, lengths, count)
    found, sizes = texts[:count.value], lengths[:count.value]
    if list(map(len, found)) != sizes:
        places = ctypes.cast(texts, POINTER(c_void_p))
        found = [ctypes.string_at(places[index], size) for index, size in enumerate(sizes)]
    return [text.decode() for text in found]


def array_of(handle):
    told = library.Tensor()
    call("value_get_tensor", handle, told)
    dtype, shape = DTYPES[told.element], tuple(told.shape[:told.rank])
    if told.size == 0:
        return np.empty(shape, dtype)
    memory = (ctypes.c_char * told.size).from_address(told.data)
    memory._owner = handle
    return np.ndarray(shape, dtype, memory, 0, tuple(stride * dtype.itemsize for stride in told.strides[:told.rank]))


def image_of(handle, images="auto"):
    """A PIL image, or an array for images="numpy" and where PIL is missing.

    Arrays are uint8 RGBA of shape (height, width, 4), or uint8 or float32 gray of shape (height, width).
    """
    told = library.Pixels()
    call("value_get_image", handle, told)
    height, width = told.height, told.width
    if told.pixels == GRAY16F:
        array = np.empty((height, width), np.float16)
        call("value_copy_image", handle, GRAY16F, 0, array.ctypes.data, array.nbytes)
        array = array.astype(np.float32)
    elif told.pixels == GRAY8:
        array = np.empty((height, width), np.uint8)
        call("value_copy_image", handle, GRAY8, 0, array.ctypes.data, array.nbytes)
    else:
        array = np.empty((height, width, 4), np.uint8)
        call("value_copy_image", handle, RGBA, 0, array.ctypes.data, array.nbytes)
    if images == "numpy":
        return array
    try:
        from PIL import Image
    except ImportError:
        return array
    return Image.fromarray(array)
