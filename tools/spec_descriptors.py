"""The descriptors of Core ML's protobuf files, from an installed coremltools. Imports only coremltools/proto."""

import importlib
import importlib.machinery
import os
import sys
import types

# protobuf's C extensions reject the old generated modules of coremltools; the Python implementation accepts them.
os.environ["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = "python"

from google.protobuf.descriptor import FieldDescriptor as Field  # noqa: E402,F401


def modules():
    """The modules coremltools.proto.*_pb2, sorted by name."""
    found = importlib.machinery.PathFinder.find_spec("coremltools", sys.path)
    if found is None or not found.submodule_search_locations:
        sys.exit("coremltools is not installed for this Python")
    folder = list(found.submodule_search_locations)[0]
    if "coremltools" not in sys.modules:
        # An empty module instead of the package, whose __init__ would import everything.
        sys.modules["coremltools"] = types.ModuleType("coremltools")
        sys.modules["coremltools"].__path__ = [folder]
    names = sorted(n[:-3] for n in os.listdir(os.path.join(folder, "proto")) if n.endswith("_pb2.py"))
    return [importlib.import_module(f"coremltools.proto.{name}") for name in names]


def files():
    """The file descriptors."""
    return [module.DESCRIPTOR for module in modules()]
