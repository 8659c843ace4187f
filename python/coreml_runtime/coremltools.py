"""Lets coremltools predict on Linux where Python reads no ``.pth`` file: ``pip install --target``, PYTHONPATH, archives of code.

    import coreml_runtime.coremltools
    coreml_runtime.coremltools.enable()
    import coremltools
"""
import sys

from ._library import Error


def enable():
    """Has a coremltools that is imported from now on predict by this package. Where it does already, this changes nothing."""
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
