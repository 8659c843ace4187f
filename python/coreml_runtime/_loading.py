"""Opening and compiling of models: options, in-memory sources, and a progress line for long loads."""
import contextlib
import ctypes
import os
import threading
import time

from . import _library as library
from ._library import Error, call, encoded, make

UNITS = {"all": "all", "cpu_only": "cpuOnly", "cpu_and_gpu": "cpuAndGPU", "cpu_and_ne": "cpuAndNeuralEngine"}
#: the options' names in Python
WORDS = {
    "computeUnits": "compute_units", "memoryLimit": "memory_limit", "lowPrecisionAccumulationOnGPU": "low_precision_accumulation",
    "reshapeFrequency": "reshape_frequency"}


def path_of(path):
    """A path as a string, with ~ expanded. Raises ``Error`` for another type."""
    if not isinstance(path, (str, os.PathLike)):
        raise Error(f"a path is of type {type(path).__name__}, expected a text or a path", "python.value", Error.INVALID_ARGUMENT)
    return os.path.expanduser(os.fsdecode(path))


def options(settings, parameters=None):
    """An options handle for `settings` (keys of the C interface) and `parameters`. Raises ``Error``."""
    handle = make("options_create")
    if settings.get("device") == "cpu":  # devices() lists the CPU with this id; the command accepts it too
        settings = {**settings, "device": None, "computeUnits": "cpuOnly"}
    for key, value in settings.items():
        if value is None:
            continue
        word = WORDS.get(key, key)
        if key == "computeUnits":
            value = _units(value)
        elif isinstance(value, bool):
            value = str(value).lower()
        try:
            call("options_set", handle, encoded(key), encoded(str(value), word))
        except Error as error:  # replace the names of the C interface by those of Python
            sentence = error.message.replace("coreml_options_set: the option", "the option").replace(f"'{key}'", f"'{word}'")
            raise Error(sentence, error.code, error.status) from None
    if parameters is not None and not isinstance(parameters, dict):
        raise Error(
            f"the parameters are of type {type(parameters).__name__}, expected a dictionary of numbers by name", "python.value", Error.INVALID_ARGUMENT)
    for key, value in (parameters or {}).items():
        name, scope = key if isinstance(key, tuple) and len(key) == 2 else (key, None)
        name = encoded(name, f"the name of the parameter {key!r}")
        scope = None if scope is None else encoded(scope, f"the layer of the parameter {key!r}")
        call("options_set_parameter", handle, name, scope, _number(key, value))
    return handle


def _number(key, value):
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise Error(f"the parameter {key!r} is {value!r}, expected a number", "python.value", Error.INVALID_ARGUMENT) from None


def _units(value):
    word = getattr(value, "name", value)  # coremltools' ComputeUnit as well
    known = UNITS.get(word.lower()) if isinstance(word, str) else None
    if known is None and word not in UNITS.values():
        raise Error(f"the option 'compute_units' is {value!r}, expected one of {', '.join(UNITS)}", "python.value", Error.INVALID_ARGUMENT)
    return known or word


def model(source, settings, parameters=None):
    """A model handle for a path, the bytes of a .mlmodel, or (bytes, {weight file name: bytes}). Raises ``Error``."""
    library.use()
    handle = options(settings, parameters)
    if isinstance(source, (str, os.PathLike)):
        path = path_of(source)
        name = encoded(path, "the path")
        with told(f"Loading {os.path.basename(path.rstrip('/'))}"):
            return library.interruptible(lambda: make("model_open", name, handle))
    data, weights = _in_memory(source)
    blobs = (library.Blob * max(len(weights), 1))()
    for blob, (name, content) in zip(blobs, weights.items()):
        blob.name, blob.data, blob.size = encoded(name, "the name of a weight file"), content, len(content)
    with told("Loading a model in memory"):
        return library.interruptible(lambda: make("model_open_memory", data, len(data), blobs, len(weights), handle))


def _in_memory(source):
    """(model bytes, {weight file name: bytes}) of an in-memory source. Raises ``Error`` for other types."""
    data, weights = source if isinstance(source, tuple) and len(source) == 2 else (source, {})
    binary = (bytes, bytearray, memoryview)
    if not isinstance(data, binary) or not isinstance(weights, dict) or not all(
            isinstance(name, str) and isinstance(content, binary) for name, content in weights.items()):
        raise Error(
            f"the model is of type {type(source).__name__}, expected a path, the bytes of a .mlmodel, or (bytes, {{name of a weight file: bytes}})",
            "python.value", Error.INVALID_ARGUMENT)
    return bytes(data), {name: bytes(content) for name, content in weights.items()}


def compiled(path, destination):
    library.use()
    source, target = encoded(path, "the path"), encoded(destination, "the path")
    with told(f"Compiling {os.path.basename(path.rstrip('/'))}"):
        library.interruptible(lambda: call("compile", source, target))
    return destination


PATIENCE = 2.0


def _progress():
    """The class ``tqdm``; None if it is not installed, or if it is not imported and stderr is not a terminal."""
    import sys

    try:
        if "tqdm" not in sys.modules and not sys.stderr.isatty():
            return None
        from tqdm.auto import tqdm
    except (ImportError, AttributeError):
        return None
    return tqdm


@contextlib.contextmanager
def told(what):
    """Shows `what` and the elapsed time with tqdm while the block runs, once it takes longer than PATIENCE seconds."""
    tqdm = _progress()
    if tqdm is None:
        yield
        return
    done = threading.Event()

    def show():
        if done.wait(PATIENCE):
            return
        began = time.monotonic() - PATIENCE
        with tqdm(desc=what, bar_format="{desc}: {postfix}", leave=False) as bar:
            while not done.wait(0.5):
                bar.set_postfix_str(f"{time.monotonic() - began:.0f} s")

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
