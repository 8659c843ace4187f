#!/usr/bin/env python3
"""Dumps Core ML messages as Python's protobuf reads them, in the format of Tests/SpecDump/Dump.swift.

    tools/spec_dump.py synthesize OUT                synthetic messages of every type with every field set
    tools/spec_dump.py corpus OUT TAR [--models N]   N models of a tar file, evenly spread

Writes to OUT <number>.bin (the message), <number>.txt (the dump), and index.txt with one line per message:
<number> <message's full name>.
"""

import argparse
import pathlib
import random
import struct
import sys
import tarfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from spec_descriptors import Field, modules  # noqa: E402

PART = 32768
MOST = 2 << 20


def digest(data):
    part = data[:PART] + data[-PART:] if len(data) > 2 * PART else data
    return f"{len(data)}:{zlib.crc32(part)}"


def is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def scalar(field, value):
    if field.type == Field.TYPE_FLOAT:
        return "f%d" % struct.unpack("<I", struct.pack("<f", value))
    if field.type == Field.TYPE_DOUBLE:
        return "d%d" % struct.unpack("<Q", struct.pack("<d", value))
    if field.type == Field.TYPE_STRING:
        return digest(value.encode())
    if field.type == Field.TYPE_BYTES:
        return digest(value)
    return str(int(value))


def dump_map(field, values, out):
    key_field, value_field = field.message_type.fields_by_name["key"], field.message_type.fields_by_name["value"]
    out.append(f"{field.name} map {len(values)} {len(values)}")
    for key in sorted(values, key=lambda k: k.encode() if isinstance(k, str) else k):
        out.append(f"{scalar(key_field, key)}:")
        if value_field.message_type is not None:
            dump(values[key], out)
        else:
            out.append(f"value={scalar(value_field, values[key])}")


def dump_list(field, values, out):
    if field.type == Field.TYPE_FLOAT:
        out.append(f"{field.name}={len(values)} {digest(struct.pack(f'<{len(values)}f', *values))}")
    elif field.type == Field.TYPE_DOUBLE:
        out.append(f"{field.name}={len(values)} {digest(struct.pack(f'<{len(values)}d', *values))}")
    elif field.type in (Field.TYPE_STRING, Field.TYPE_BYTES):
        out.append(f"{field.name}=" + ",".join(scalar(field, v) for v in values))
    else:
        data = b"".join(struct.pack("<Q", int(v) & (1 << 64) - 1) for v in values)
        out.append(f"{field.name}={len(values)} {digest(data)}")


def dump(message, out):
    for field in sorted(message.DESCRIPTOR.fields, key=lambda f: f.number):
        value = getattr(message, field.name)
        if is_map(field):
            dump_map(field, value, out)
        elif field.is_repeated and field.message_type is not None:
            out.append(f"{field.name} [{len(value)}")
            for one in value:
                dump(one, out)
                out.append(",")
            out.append("]")
        elif field.is_repeated:
            dump_list(field, value, out)
        elif field.has_presence and not message.HasField(field.name):
            continue
        elif field.message_type is not None:
            out.append(f"{field.name} {{")
            dump(value, out)
            out.append("}")
        else:
            out.append(f"{field.name}={scalar(field, value)}")
    for oneof in message.DESCRIPTOR.oneofs:
        member = message.WhichOneof(oneof.name)
        if member:
            out.append(f"oneof {oneof.name}={member}")


def any_scalar(field, dice):
    if field.enum_type is not None:
        return dice.choice([v.number for v in field.enum_type.values])
    if field.type == Field.TYPE_BOOL:
        return dice.random() < 0.7
    if field.type == Field.TYPE_FLOAT:
        return struct.unpack("<f", struct.pack("<f", dice.gauss(0, 10)))[0]
    if field.type == Field.TYPE_DOUBLE:
        return dice.gauss(0, 10)
    if field.type == Field.TYPE_STRING:
        return "".join(dice.choice("abcXYZ_09 äß日😀") for _ in range(dice.randrange(1, 12)))
    if field.type == Field.TYPE_BYTES:
        return bytes(dice.randrange(256) for _ in range(dice.randrange(1, 12)))
    bits = 31 if field.type in (Field.TYPE_INT32, Field.TYPE_UINT32) else 63
    value = dice.randrange(1 << dice.randrange(1, bits + 1))
    signed = field.type in (Field.TYPE_INT32, Field.TYPE_INT64)
    return -value - 1 if signed and dice.random() < 0.4 else value


def fill(message, dice, depth, chosen=None):
    """Sets every field, and one member of each oneof: `chosen`, or a random one. Below `depth`, fills few messages."""
    skipped = set()
    for oneof in message.DESCRIPTOR.oneofs:
        keep = chosen if chosen in oneof.fields else dice.choice(oneof.fields)
        skipped |= {f.name for f in oneof.fields if f.name != keep.name}
    for field in message.DESCRIPTOR.fields:
        if field.name in skipped:
            continue
        value = getattr(message, field.name)
        deeper = depth > 0
        if is_map(field):
            inner = field.message_type.fields_by_name
            for _ in range(dice.randrange(1, 4) if deeper else 0):
                key = any_scalar(inner["key"], dice)
                if inner["value"].message_type is not None:
                    fill(value[key], dice, depth - 1)
                else:
                    value[key] = any_scalar(inner["value"], dice)
        elif field.is_repeated and field.message_type is not None:
            for _ in range(dice.randrange(1, 3) if deeper else 0):
                fill(value.add(), dice, depth - 1)
        elif field.is_repeated:
            value.extend(any_scalar(field, dice) for _ in range(dice.randrange(1, 6)))
        elif field.message_type is not None:
            value.SetInParent()
            if deeper:
                fill(value, dice, depth - 1)
        else:
            setattr(message, field.name, any_scalar(field, dice))


def classes():
    def nested(descriptor):
        yield descriptor
        for inner in descriptor.nested_types:
            if not inner.GetOptions().map_entry:
                yield from nested(inner)

    for module in modules():
        for top in module.DESCRIPTOR.message_types_by_name.values():
            for descriptor in nested(top):
                yield descriptor._concrete_class


def synthesized(seed):
    """For every type: a message for each member of its oneofs, and two concatenated messages, which protobuf merges."""
    dice = random.Random(seed)
    for cls in classes():
        made = []
        for chosen in [f for f in cls.DESCRIPTOR.fields if f.containing_oneof] or [None]:
            message = cls()
            fill(message, dice, 2, chosen)
            made.append(message.SerializeToString())
            yield cls, made[-1]
        yield cls, b"".join(dice.choice(made) for _ in range(2))
        yield cls, b""


def corpus(path, count):
    """Yields `count` models of a tar file, evenly spread over the sorted names."""
    cls = next(c for c in classes() if c.DESCRIPTOR.full_name == "CoreML.Specification.Model")
    with tarfile.open(path) as tar:
        members = [m for m in tar.getmembers() if m.name.endswith(".mlmodel") and m.isfile() and 0 < m.size <= MOST]
        members.sort(key=lambda m: m.name)
        step = max(1, len(members) // count)
        chosen = sorted(members[::step][:count], key=lambda m: m.offset)
        for member in chosen:
            yield cls, tar.extractfile(member).read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    one = kinds.add_parser("synthesize")
    two = kinds.add_parser("corpus")
    for kind in (one, two):
        kind.add_argument("out", type=pathlib.Path)
    one.add_argument("--seed", type=int, default=1)
    two.add_argument("tar")
    two.add_argument("--models", type=int, default=200)
    arguments = parser.parse_args()
    source = synthesized(arguments.seed) if arguments.kind == "synthesize" else corpus(arguments.tar, arguments.models)
    arguments.out.mkdir(parents=True, exist_ok=True)
    index = []
    for number, (cls, data) in enumerate(source):
        message = cls()
        message.ParseFromString(data)
        out = []
        dump(message, out)
        (arguments.out / f"{number}.bin").write_bytes(data)
        (arguments.out / f"{number}.txt").write_text("".join(line + "\n" for line in out))
        index.append(f"{number} {cls.DESCRIPTOR.full_name}\n")
    (arguments.out / "index.txt").write_text("".join(index))


if __name__ == "__main__":
    main()
