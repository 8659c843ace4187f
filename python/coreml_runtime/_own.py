"""Safe access to a batch's files, which have predictable names in folders where other users may write.

It neither reads nor writes a file that another user or a link put there. The command ``runtime`` has the same rules.
COREML_TRUSTED_USERS ("*" trusts everybody) and COREML_TRUSTED_GROUPS list the ids of further trusted writers.
"""
import contextlib
import os
import stat
import uuid

from ._library import Error


def unwritable(path, reason):
    return Error(f"{path}: {reason}", "unwritable", Error.IO)


def _refused(path, reason):
    return unwritable(path, f"what stands where the batch is to be kept is not used: {reason}; choose another output")


def _trusted(name):
    words = os.environ.get(name, "").replace(",", " ").split()
    return "*" in words, {int(word) for word in words if word.isascii() and word.isdigit()}


def _reason(status):
    """Why a file with this ``os.stat_result`` is not trusted; None if it is."""
    everybody, users = _trusted("COREML_TRUSTED_USERS")
    if everybody:
        return None
    if stat.S_ISLNK(status.st_mode):
        return "expected no symbolic link"
    if not stat.S_ISREG(status.st_mode):
        return "expected a regular file"
    if status.st_uid not in users | {0, os.geteuid()}:
        return f"it belongs to user {status.st_uid}, expected user {os.geteuid()} or root; COREML_TRUSTED_USERS names who else is trusted"
    _, groups = _trusted("COREML_TRUSTED_GROUPS")
    if status.st_mode & stat.S_IWOTH or status.st_mode & stat.S_IWGRP and status.st_gid not in groups:
        return (
            f"others can write to it (mode {stat.S_IMODE(status.st_mode):o}); take that from them, or COREML_TRUSTED_GROUPS names those who may")
    if status.st_nlink > 1:
        return f"it has {status.st_nlink} names (hard links), expected one"
    return None


def check(path):
    """Whether the file exists. Raises ``Error`` if others could have written it."""
    try:
        reason = _reason(os.lstat(path))
    except FileNotFoundError:
        return False
    except OSError as error:
        raise _refused(path, error.strerror) from None
    if reason is not None:
        raise _refused(path, reason)
    return True


def opened(path, flags):
    """A descriptor of a trusted file; None if it does not exist. Raises ``Error`` otherwise. Never blocks."""
    try:
        file = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _refused(path, "expected no symbolic link" if os.path.islink(path) else error.strerror) from None
    reason = _reason(os.fstat(file))
    if reason is not None:
        os.close(file)
        raise _refused(path, reason)
    return file


def read(path):
    """The bytes of a trusted file; None if it does not exist."""
    file = opened(path, os.O_RDONLY)
    if file is None:
        return None
    try:
        with open(file, "rb") as stream:
            return stream.read()
    except OSError as error:
        raise Error(f"{path}: {error.strerror}", "unreadable", Error.IO) from None


@contextlib.contextmanager
def writing(path):
    """A file to write, which replaces `path` atomically once its data is on disk. Does not follow a link at `path`."""
    folder, name = os.path.split(path)
    private = os.path.join(folder, f".{name.lstrip('.')}.{os.getpid()}-{uuid.uuid4().hex[:8]}")
    try:
        # Without write permission for group and others, so that a later run trusts the file.
        made = os.open(private, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        with open(made, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(private, path)
    except OSError as error:
        raise unwritable(path, error.strerror or str(error)) from None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(private)


@contextlib.contextmanager
def locked(path):
    """Holds the lock of a file for the block; yields False if another process has it. Does not wait."""
    import fcntl

    while True:
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except FileExistsError:
            file = opened(path, os.O_RDWR)
            if file is None:
                continue  # another process removed it
        except OSError as error:
            raise unwritable(path, error.strerror) from None
        with open(file, "rb+", buffering=0):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            except OSError as error:
                raise unwritable(path, f"it cannot be locked: {error.strerror}") from None
            if _stands(file, path):
                yield True
                return


def _stands(file, path):
    """Whether `path` still names the open file: the previous lock holder may have removed it."""
    try:
        return os.path.samestat(os.fstat(file), os.lstat(path))
    except FileNotFoundError:
        return False
