"""Batching of rows as columns of one library call, and concurrent work on several rows."""
import collections
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from . import _values
from ._library import Stop, check_stop


def alike(values, kind):
    """The values of an input as one column that the library reads; None if their types or shapes differ."""
    if kind == "string":
        return values if all(type(value) is str for value in values) else None
    if kind == "double":
        if all(type(value) is float or type(value) is int and abs(value) < 1 << 53 for value in values):
            return np.array(values, np.float64)
        return None
    first = values[0]
    if kind != "tensor" or type(first) is not np.ndarray or first.dtype not in _values.CODES or first.ndim == 0:
        return None
    if any(type(value) is not np.ndarray or value.shape != first.shape or value.dtype != first.dtype for value in values):
        return None
    return np.stack(values)


def side_by_side(work, rows, width):
    """The results of `work` for each row, in order, computed by `width` threads.

    Raises the error of the first row that fails. At most 2 * `width` rows are in flight.
    """
    if width < 2:
        return [_unless_stopped(work, row) for row in rows]
    stop, results, begun = Stop(), [], collections.deque()
    pool = ThreadPoolExecutor(width, initializer=stop.join)
    try:
        for row in rows:
            check_stop()
            _load(row)
            begun.append(pool.submit(_unless_stopped, work, row))
            if len(begun) == 2 * width:
                results.append(begun.popleft().result())
        while begun:
            results.append(begun.popleft().result())
    except BaseException:
        # Nobody uses the results of the other rows.
        stop.set()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return results


def _unless_stopped(work, row):
    check_stop()
    return work(row)


def _load(row):
    """Decodes the PIL images of a row. PIL decodes on first use, and two threads may use the same image."""
    for value in row if isinstance(row, tuple) else [row]:
        for picture in value.values() if isinstance(value, dict) else [value]:
            if _values.is_pil(picture) and hasattr(picture, "load"):
                try:
                    picture.load()
                except Exception:  # noqa: BLE001  the prediction of the row reports it
                    pass
