"""The difference between two lists of outputs."""
import numpy as np


def largest_error(expected, found):
    """The largest difference, relative to the largest expected element, over all outputs.

    It is infinite if the number of outputs or their shapes differ, or if only one side has an infinity or NaN. A scalar
    may also be a tensor of one element.
    """
    if len(expected) != len(found):
        return float("inf")
    worst = 0.0
    for want, have in zip(expected, found):
        want, have = np.asarray(want, np.float64), np.asarray(have, np.float64)
        if want.shape != have.shape and not want.size == have.size == 1:
            return float("inf")
        have = have.reshape(want.shape)
        finite = np.isfinite(want)
        if not np.array_equal(finite, np.isfinite(have)) or not np.array_equal(want[~finite], have[~finite], equal_nan=True):
            return float("inf")
        if finite.any():
            worst = max(worst, float(np.abs(want[finite] - have[finite]).max() / max(np.abs(want[finite]).max(), 1e-6)))
    return worst


def over_samples(expected, found):
    """The largest error over all samples."""
    return max((largest_error(want, have) for want, have in zip(expected, found, strict=True)), default=float("inf"))
