"""Enables coremltools where Python reads no ``.pth`` files: ``pip install --target``, PYTHONPATH, zip files.

    import coreml_runtime.coremltools
    coreml_runtime.coremltools.enable()
    import coremltools
"""
import sys

from ._library import Error


def enable():
    """Makes a coremltools that is imported later predict with this package. Calling it again changes nothing.

    Raises ``Error`` if coremltools was imported before and cannot predict.
    """
    loaded = sys.modules.get("coremltools")
    if loaded is not None and not _predicts():
        raise Error(
            "coremltools is imported already, and found no Core ML: call enable() before the first import of coremltools", "python.order",
            Error.FAILED)
    import _coreml_runtime_finder as finder

    if finder.Finder not in sys.meta_path:
        sys.meta_path.insert(0, finder.Finder)


def _predicts():
    return getattr(sys.modules.get("coremltools.models.model"), "_MLModelProxy", None) is not None
