"""The descriptors of Core ML's protobuf files, from an installed coremltools of which nothing but coremltools/proto is imported."""

import importlib
import importlib.machinery
import os
import sys
import types

# The generated modules of coremltools are older than protobuf's C extensions accept; the Python implementation takes them.
os.environ["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = "python"

from google.protobuf.descriptor import FieldDescriptor as Field  # noqa: E402,F401


def modules():
    """The modules coremltools.proto.*_pb2, in the order of their names."""
    found = importlib.machinery.PathFinder.find_spec("coremltools", sys.path)
    if found is None or not found.submodule_search_locations:
        sys.exit("coremltools is not installed for this Python")
    folder = list(found.submodule_search_locations)[0]
    if "coremltools" not in sys.modules:
        # Stands in for the package, whose own __init__ would import all of it.
        sys.modules["coremltools"] = types.ModuleType("coremltools")
        sys.modules["coremltools"].__path__ = [folder]
    names = sorted(n[:-3] for n in os.listdir(os.path.join(folder, "proto")) if n.endswith("_pb2.py"))
    return [importlib.import_module(f"coremltools.proto.{name}") for name in names]


def files():
    """The file descriptors."""
    return [module.DESCRIPTOR for module in modules()]
