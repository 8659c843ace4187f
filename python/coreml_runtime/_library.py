"""The C interface through ctypes: loads the library, declares its functions, and raises its errors as exceptions."""
import atexit
import ctypes
import os
import sys
import threading
from ctypes import POINTER, c_char_p, c_double, c_int32, c_int64, c_size_t, c_void_p
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "_native"


class Error(Exception):
    """The only exception class of this package.

    message: one sentence that names the file, feature, layer or operation, the expectation and the finding.
    code: a stable string for programs, such as ``runtime.invalid-input``.
    status: the ``coreml_status`` number, one of the constants of this class (see ``coreml_runtime.h``).
    row: the index of the failed row; only errors of a batch have it.
    """

    INVALID_ARGUMENT, INVALID_MODEL, INVALID_INPUT, UNSUPPORTED, IO, DEVICE = 1, 2, 3, 4, 5, 6
    CANCELLED, PARAMETER, UPDATE, NO_MEMORY, FAILED = 7, 8, 9, 10, 11

    _MOST = 2000  # characters of a message

    def __init__(self, message, code="python.invalid-input", status=INVALID_INPUT):
        # A name from the caller may hold a lone surrogate, which terminals and files cannot encode.
        text = str(message).encode(errors="backslashreplace").decode()
        if len(text) > self._MOST:  # a value of any length; the reason is at the end
            text = f"{text[:self._MOST // 2]} ... {text[5 - self._MOST // 2:]}"
        super().__init__(text)
        self.code = code
        self.status = status

    @property
    def message(self):
        return self.args[0]

    def __reduce__(self):
        return (type(self), (self.args[0], self.code, self.status), self.__dict__)


class Feature(ctypes.Structure):
    """``coreml_array``."""

    _fields_ = [
        ("name", c_char_p), ("element", c_int32), ("rank", c_size_t), ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)), ("data", c_void_p), ("size", c_size_t),
    ]


class Tensor(ctypes.Structure):
    """``coreml_tensor``."""

    _fields_ = [
        ("element", c_int32), ("rank", c_size_t), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
        ("data", c_void_p), ("size", c_size_t),
    ]


class Pixels(ctypes.Structure):
    """``coreml_image``."""

    _fields_ = [
        ("pixels", ctypes.c_uint32), ("width", c_size_t), ("height", c_size_t), ("row_bytes", c_size_t),
        ("data", c_void_p), ("size", c_size_t),
    ]


class Blob(ctypes.Structure):
    """``coreml_blob``."""

    _fields_ = [("name", c_char_p), ("data", c_char_p), ("size", c_size_t)]


class PredictOptions(ctypes.Structure):
    """``coreml_predict_options``."""

    _fields_ = [("size", c_size_t), ("state", c_void_p), ("backings", c_void_p), ("cancellation", c_void_p)]


class Progress(ctypes.Structure):
    """``coreml_progress``."""

    _fields_ = [("event", c_int32), ("epoch", c_int64), ("mini_batch", c_int64), ("loss", c_double)]


PROGRESS_CALLBACK = ctypes.CFUNCTYPE(c_int32, c_void_p, c_void_p, POINTER(Progress))
MEMORY_CALLBACK = ctypes.CFUNCTYPE(None, c_void_p)

_handle, _out = c_void_p, POINTER(c_void_p)
# The argument types of each function, without the trailing error pointer.
SIGNATURES = {
    "options_create": [_out],
    "options_set": [_handle, c_char_p, c_char_p],
    "options_set_parameter": [_handle, c_char_p, c_char_p, c_double],
    "model_open": [c_char_p, _handle, _out],
    "model_open_memory": [c_char_p, c_size_t, POINTER(Blob), c_size_t, _handle, _out],
    "compile": [c_char_p, c_char_p],
    "model_describe": [_handle, POINTER(c_char_p)],
    "value_tensor": [
        c_int32, c_size_t, POINTER(c_int64), POINTER(c_int64), c_void_p, c_size_t, MEMORY_CALLBACK, c_void_p, _out],
    "value_int64": [c_int64, _out],
    "value_double": [c_double, _out],
    "value_string": [c_char_p, c_size_t, _out],
    "value_int64_dictionary": [POINTER(c_int64), POINTER(c_double), c_size_t, _out],
    "value_sized_string_dictionary": [POINTER(c_char_p), POINTER(c_size_t), POINTER(c_double), c_size_t, _out],
    "value_sized_string_sequence": [POINTER(c_char_p), POINTER(c_size_t), c_size_t, _out],
    "value_int64_sequence": [POINTER(c_int64), c_size_t, _out],
    "value_image": [ctypes.c_uint32, c_size_t, c_size_t, c_size_t, c_void_p, c_size_t, _out],
    "value_picture": [c_char_p, c_size_t, _out],
    "value_fit_image": [_handle, _handle, c_char_p, c_int32, _out],
    "value_get_tensor": [_handle, POINTER(Tensor)],
    "value_get_int64": [_handle, POINTER(c_int64)],
    "value_get_double": [_handle, POINTER(c_double)],
    "value_get_string": [_handle, POINTER(c_void_p), POINTER(c_size_t)],
    "value_get_string_dictionary": [
        _handle, POINTER(POINTER(c_char_p)), POINTER(POINTER(c_double)), POINTER(c_size_t)],
    "value_get_int64_dictionary": [_handle, POINTER(POINTER(c_int64)), POINTER(POINTER(c_double)), POINTER(c_size_t)],
    "value_get_string_sequence": [_handle, POINTER(POINTER(c_char_p)), POINTER(c_size_t)],
    "value_get_string_lengths": [_handle, POINTER(POINTER(c_size_t)), POINTER(c_size_t)],
    "value_get_int64_sequence": [_handle, POINTER(POINTER(c_int64)), POINTER(c_size_t)],
    "value_get_image": [_handle, POINTER(Pixels)],
    "value_copy_image": [_handle, ctypes.c_uint32, c_size_t, c_void_p, c_size_t],
    "features_create": [_out],
    "features_set": [_handle, c_char_p, _handle],
    "features_get": [_handle, c_char_p, _out],
    "features_name": [_handle, c_size_t, POINTER(c_char_p)],
    "batch_create": [_out],
    "batch_add": [_handle, _handle],
    "predict": [_handle, _handle, POINTER(PredictOptions), _out],
    "predict_arrays": [_handle, POINTER(Feature), c_size_t, POINTER(Feature), c_size_t, POINTER(PredictOptions)],
    "predict_rows": [
        _handle, POINTER(Feature), c_size_t, POINTER(Feature), c_size_t, c_size_t, POINTER(PredictOptions),
        POINTER(c_size_t)],
    "cancellation_create": [_out],
    "state_create": [_handle, _out],
    "state_read": [_handle, c_char_p, _out],
    "state_write": [_handle, c_char_p, _handle],
    "model_plan": [_handle, _handle, POINTER(c_void_p)],
    "model_profile": [_handle, _handle, c_size_t, POINTER(c_void_p)],
    "structure": [c_char_p, POINTER(c_void_p)],
    "devices": [POINTER(c_void_p)],
    "update_create": [c_char_p, _handle, _handle, c_int32, _out],
    "update_run": [_handle, PROGRESS_CALLBACK, c_void_p, _handle],
    "update_set_parameter": [_handle, c_char_p, c_char_p, c_double],
    "update_model": [_handle, _out],
    "update_write": [_handle, c_char_p],
}


def _load():
    path = os.environ.get("COREML_RUNTIME_LIBRARY") or str(FOLDER / "libcoreml_runtime.so")
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"coreml_runtime's library cannot be loaded: {error}. The wheel holds it; a checkout names one with COREML_RUNTIME_LIBRARY"
        ) from None
    for name, arguments in SIGNATURES.items():
        function = getattr(library, f"coreml_{name}")
        function.argtypes = arguments + [_out]
        function.restype = c_int32
    for name, arguments, result in [
        ("retain", [_handle], None), ("release", [_handle], None), ("free", [c_void_p], None), ("version", [], c_char_p),
        ("cancel", [_handle], None), ("error_status", [_handle], c_int32), ("error_code", [_handle], c_char_p),
        ("error_message", [_handle], c_char_p), ("value_kind", [_handle], c_int32),
        ("value_item_kind", [_handle], c_int32), ("features_count", [_handle], c_size_t),
    ]:
        function = getattr(library, f"coreml_{name}")
        function.argtypes, function.restype = arguments, result
    return library


C = _load()
release = C.coreml_release

# The runtime's threads do not survive a fork. A child of a process that has used the library raises an Error.
_used_by = None
_forked = False


def _after_fork():
    global _forked
    _forked = _used_by is not None and _used_by != os.getpid()


os.register_at_fork(after_in_child=_after_fork)


def use():
    """Records that this process uses the library. Raises ``Error`` in a fork of a process that used it."""
    global _used_by
    if _forked:
        raise Error(
            "this process was forked from one that has used coreml_runtime, whose threads it does not have: load models after the fork, or "
            "start processes with 'spawn' or 'forkserver'", "python.forked", Error.FAILED)
    _used_by = os.getpid()


def is_forked():
    return _forked


def failure(status, error):
    """The exception for `status`. Releases the handle `error`."""
    made = Error(
        C.coreml_error_message(error).decode(), C.coreml_error_code(error).decode(), status)
    release(error)
    return made


def call(name, *arguments):
    """Calls ``coreml_<name>``. Raises ``Error`` if it fails or if an argument has the wrong type."""
    error = c_void_p()
    try:
        status = getattr(C, f"coreml_{name}")(*arguments, error)
    except ctypes.ArgumentError as wrong:
        raise Error(f"coreml_{name}: {wrong}", "python.value", Error.INVALID_ARGUMENT) from None
    if status:
        raise failure(status, error)


def encoded(text, what="a name"):
    """`text` as UTF-8 bytes. Raises ``Error`` for a zero byte, because C would cut the string there."""
    if not isinstance(text, str):
        raise Error(f"{what} is of type {type(text).__name__}, expected a text", "python.value", Error.INVALID_ARGUMENT)
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise Error(f"{what} is {text!a}, which is no Unicode", "python.value", Error.INVALID_ARGUMENT) from None
    if b"\0" in data:
        raise Error(f"{what} is {text!a}, which holds a zero byte", "python.value", Error.INVALID_ARGUMENT)
    return data


class Handle:
    """Owns one reference to a library object and releases it with this object."""

    __slots__ = ("pointer", "__weakref__")

    def __init__(self, pointer):
        self.pointer = pointer

    def __reduce_ex__(self, protocol):
        """Raises ``Error``: a copy would release the same reference a second time."""
        raise Error("a handle of the library cannot be copied or pickled", "python.value", Error.INVALID_ARGUMENT)

    @property
    def _as_parameter_(self):
        return self.pointer

    def __del__(self, release=release):
        # A forked child lacks the runtime's threads, and a release could wait for them. It leaks the reference.
        if self.pointer and not _forked:
            release(self.pointer)
            self.pointer = None


def make(name, *arguments):
    """Calls a function that creates a handle; returns the ``Handle``."""
    out = c_void_p()
    call(name, *arguments, out)
    return Handle(out.value)


def text(name, *arguments):
    """Calls a function that returns a string owned by the caller; copies the string and frees it."""
    out = c_void_p()
    call(name, *arguments, out)
    try:
        return ctypes.string_at(out.value).decode()
    finally:
        C.coreml_free(out)


_at_work = set()  # events of `interruptible` threads that still run; the interpreter waits for them at exit


@atexit.register
def _await_work():
    for done in [] if _forked else list(_at_work):
        done.wait()


def _await(done, cancel):
    """Cancels work and waits for its end. Ignores further exceptions: the caller already raises the first one."""
    tries = 100
    while True:
        try:
            if tries:
                tries -= 1
                cancel()
                tries = 0
            done.wait()
            return
        except BaseException:  # noqa: BLE001
            pass


class Stopped(BaseException):
    """Raised in a thread that must stop. A ``BaseException``, so that ``except Exception`` does not catch it."""


class Stop:
    """A stop signal for a group of threads: cancels their running calls and prevents new ones. Thread-safe."""

    def __init__(self):
        self._lock = threading.Lock()
        self._cancels = []
        self._is_set = False

    def join(self):
        """Adds the calling thread to the group."""
        _stops.stop = self

    def set(self):
        with self._lock:
            self._is_set = True
            cancels = list(self._cancels)
        for cancel in cancels:
            cancel()

    def run(self, work, cancel):
        with self._lock:
            if self._is_set:
                raise Stopped
            if cancel is not None:
                self._cancels.append(cancel)
        try:
            return work()
        finally:
            with self._lock:
                if cancel is not None:
                    self._cancels.remove(cancel)
                if self._is_set:
                    raise Stopped


    def check(self):
        with self._lock:
            if self._is_set:
                raise Stopped


_stops = threading.local()


def check_stop():
    """Raises ``Stopped`` if the ``Stop`` of this thread is set."""
    stop = getattr(_stops, "stop", None)
    if stop is not None:
        stop.check()


def interruptible(work, cancel=None):
    """Runs `work` so that Ctrl-C can interrupt it, and returns its result.

    On Ctrl-C it calls `cancel` and waits for the end of `work`. Without `cancel` it leaves `work` running.
    Python delivers Ctrl-C only to the main thread. On other threads, and at interpreter exit, it just calls `work`.
    """
    if threading.current_thread() is not threading.main_thread() or sys.is_finalizing():
        stop = getattr(_stops, "stop", None)
        return work() if stop is None else stop.run(work, cancel)
    result, done = [], threading.Event()

    def run():
        _at_work.add(done)
        try:
            result.append((work(), None))
        except BaseException as error:  # noqa: BLE001  the waiting thread raises it
            result.append((None, error))
        finally:
            _at_work.discard(done)
            done.set()

    thread = threading.Thread(target=run, name="coreml_runtime", daemon=True)
    try:
        thread.start()
        done.wait()  # before Python 3.13, an interrupted Thread.join marks a running thread as ended
    except BaseException:
        # The thread reads the caller's memory, so wait for its end before that memory is released.
        if cancel is not None and thread.ident is not None:
            _await(done, cancel)
        raise
    value, error = result[0]
    if error is not None:
        raise error
    return value
