"""Lets coremltools predict on Linux: provides `coremltools.libcoremlpython`, which its Linux package lacks.

coreml_runtime_coremltools.pth imports this module at each start of Python. So it only installs an import hook.
COREML_RUNTIME_COREMLTOOLS=off disables it.
"""
import os
import sys

NATIVE = "coremltools.libcoremlpython"
# The modules that detect the system: the first with a constant that other modules import, the second with functions.
DEPENDENCIES, UTILITIES = "coremltools._deps", "coremltools.models.utils"


class Finder:
    """Finds the native module if coremltools has none. In that case it also makes coremltools detect macOS."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in (NATIVE, DEPENDENCIES, UTILITIES):
            return None
        from importlib.machinery import PathFinder
        from importlib.util import spec_from_loader

        package = getattr(sys.modules.get("coremltools"), "__path__", path)
        real = PathFinder.find_spec(NATIVE, package)
        if name == NATIVE:
            return real or spec_from_loader(NATIVE, Native())
        spec = PathFinder.find_spec(name, path)
        if real is None and spec is not None and spec.loader is not None:
            spec.loader = System(spec.loader)
        return spec


class Native:
    """Loads `coreml_runtime._coremltools` under the name of the native module."""

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        from coreml_runtime import _coremltools

        module.__dict__.update((name, value) for name, value in vars(_coremltools).items() if not name.startswith("__"))
        module.__doc__ = _coremltools.__doc__


class System:
    """Loads a module of coremltools unchanged, then patches its system detection to report macOS."""

    def __init__(self, loader):
        self.loader = loader

    def __getattr__(self, name):
        return getattr(self.loader, name)

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        self.loader.exec_module(module)
        try:
            from coreml_runtime._coremltools import MACOS
        except ImportError:  # coremltools then works without predictions, as without this package
            return
        if module.__name__ == DEPENDENCIES:
            module._IS_MACOS = True
        else:
            module._is_macos = lambda: True
            module._macos_version = lambda: MACOS


if sys.platform == "linux" and os.environ.get("COREML_RUNTIME_COREMLTOOLS", "") != "off":
    sys.meta_path.insert(0, Finder)
