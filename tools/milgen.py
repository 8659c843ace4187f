#!/usr/bin/env python3
"""Writes the list of MIL operations, Sources/MIL/Generated/FormatOperations.swift, a baseline for `runtime support`.

The names and opsets come from the operation registry of an installed coremltools. Names that start with an underscore
never occur in files. One operation has another name in files than in the registry: `coreml_update_state` is
`write_state`.

    tools/milgen.py            write the file
    tools/milgen.py --check    fail if the committed file is not up to date
"""

import argparse
import pathlib
import sys

import coremltools
from coremltools.converters.mil.mil.ops.registry import SSAOpRegistry

FILE = pathlib.Path(__file__).resolve().parent.parent / "Sources/MIL/Generated/FormatOperations.swift"
FIRST = "iOS15"  # the first opset of ML programs; older versions in the registry belong to neural networks


def operations():
    found = {"write_state": ["iOS18"]}
    for name, versions in SSAOpRegistry.core_ops.items():
        if name.startswith("_"):
            continue
        opsets, previous = [], None
        for version in sorted(versions, key=lambda version: version.value):
            if versions[version] is not previous:
                opsets.append(version.name if version.name not in ("iOS13", "iOS14") else FIRST)
            previous = versions[version]
        found[name] = opsets
    return dict(sorted(found.items()))


def text():
    lines = [
        "// Written by tools/milgen.py; edit that.",
        "// swift-format-ignore-file",
        "",
        "/// The operations that MIL has, whether they are defined here or not.",
        "package enum FormatOperations {",
        "  /// Where the list is from.",
        f'  package static let source = "coremltools {coremltools.__version__}"',
        "",
        "  /// By name: the opset that brought the operation, then those that changed it.",
        "  package static let opsets: [String: [String]] = [",
    ]
    for name, opsets in operations().items():
        quoted = ", ".join(f'"{opset}"' for opset in opsets)
        lines.append(f'    "{name}": [{quoted}],')
    return "\n".join(lines + ["  ]", "}", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if not arguments.check:
        FILE.parent.mkdir(parents=True, exist_ok=True)
        FILE.write_text(text())
    elif FILE.read_text() != text():
        print(f"not up to date: {FILE.name}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
