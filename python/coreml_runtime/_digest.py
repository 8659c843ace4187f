"""The digest that identifies a model: a SHA-256 over its files."""
import hashlib
import os

from ._library import Error


def digest(path):
    """The SHA-256 of a file, or of a folder's files and their relative names, in hex. Independent of the location.

    Raises ``Error`` for unreadable files.
    """
    try:
        return _digest(os.fspath(path))
    except OSError as error:
        raise Error(f"{error.filename or path}: {error.strerror}", "runtime.io", Error.IO) from None


def _digest(path):
    if os.path.isfile(path):
        return _of_file(path)
    total = hashlib.sha256()
    for folder, folders, files in os.walk(path):
        folders.sort()
        for name in sorted(files):
            file = os.path.join(folder, name)
            total.update(f"{os.path.relpath(file, path)}\0{_of_file(file)}\n".encode(errors="surrogateescape"))
    return total.hexdigest()


_known = {}


def _of_file(path):
    told = os.stat(path)
    key = (told.st_dev, told.st_ino, told.st_size, told.st_mtime_ns)
    if key not in _known:
        one = hashlib.sha256()
        with open(path, "rb") as file:
            for piece in iter(lambda: file.read(1 << 20), b""):
                one.update(piece)
        _known[key] = one.hexdigest()
    return _known[key]
