#!/usr/bin/env python3
"""Compares models with the output of our writer, message by message, with the protobuf classes of coremltools.

    tools/spec_saved.py unpack OUT TAR...    extracts every .mlmodel to OUT/<number>.mlmodel; index.txt has their names
    tools/spec_saved.py compare OUT          compares OUT/<number>.saved with OUT/<number>.mlmodel, prints the names of
                                             those that differ, and exits with 1 then. A file that is not a valid
                                             message must have no .saved file.

`unpack` needs only Python; `compare` needs protobuf and coremltools.
"""

import argparse
import pathlib
import sys
import tarfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))


def unpack(out, archives):
    out.mkdir(parents=True, exist_ok=True)
    index = []
    for archive in archives:
        with tarfile.open(archive) as tar:
            for member in tar:
                if not member.isfile() or not member.name.endswith(".mlmodel"):
                    continue
                with open(out / f"{len(index)}.mlmodel", "wb") as file:
                    file.write(tar.extractfile(member).read())
                index.append(member.name)
    (out / "index.txt").write_text("".join(f"{number} {name}\n" for number, name in enumerate(index)))
    return 0


def same(a, b):
    # A message with a NaN is not equal to itself, so compare the serialized bytes, too.
    return a == b or a.SerializeToString(deterministic=True) == b.SerializeToString(deterministic=True)


def compare(out):
    from spec_descriptors import modules

    from google.protobuf.message import DecodeError

    model = next(m.Model for m in modules() if m.__name__.endswith(".Model_pb2"))
    different = compared = 0
    for line in (out / "index.txt").read_text().splitlines():
        number, name = line.split(" ", 1)
        a, b = model(), model()
        saved = out / f"{number}.saved"
        try:
            a.ParseFromString((out / f"{number}.mlmodel").read_bytes())
        except DecodeError:
            # Not a valid message: there must be no saved file.
            a = None
        if saved.exists():
            b.ParseFromString(saved.read_bytes())
        compared += saved.exists()
        if (a is None) == saved.exists() or a is not None and not same(a, b):
            different += 1
            print(f"{name}: the saved model is another", file=sys.stderr)
    print(f"{compared} models, {different} differ")
    return 1 if different or not compared else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    one = kinds.add_parser("unpack")
    one.add_argument("out", type=pathlib.Path)
    one.add_argument("archives", nargs="+")
    kinds.add_parser("compare").add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()
    return unpack(arguments.out, arguments.archives) if arguments.kind == "unpack" else compare(arguments.out)


if __name__ == "__main__":
    sys.exit(main())
