#!/usr/bin/env python3
"""Writes the views of Core ML's protobuf messages: Sources/Spec/Generated/*.swift, with one accessor per field.

The descriptors come from an installed coremltools; the script imports only its coremltools/proto/*_pb2.py.
Sources/Spec/Views.swift documents the accessors. A second set of files, Tests/SpecDump/Generated/*.swift, calls every
accessor once and lists the fields that are messages. The fuzzers and the comparison with Python's protobuf use it.

    tools/specgen.py            write the files
    tools/specgen.py --check    fail if the committed files are not up to date
"""

import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from spec_descriptors import Field, files  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
VIEWS = ROOT / "Sources/Spec/Generated"
DUMPS = ROOT / "Tests/SpecDump/Generated"

HEADER = "// Written by tools/specgen.py; edit that.\n// swift-format-ignore-file\n"
KEYWORDS = {"default", "in", "is", "as", "for", "while", "repeat", "switch", "case", "init", "self", "where", "let", "var", "if", "else"}
# Names of a view other than its fields.
TAKEN = {"message", "init", "Type", "self", "Protocol"}

SCALARS = {
    Field.TYPE_INT32: ("Int32", "int32"),
    Field.TYPE_INT64: ("Int64", "int64"),
    Field.TYPE_UINT32: ("UInt32", "uint32"),
    Field.TYPE_UINT64: ("UInt64", "uint64"),
    Field.TYPE_BOOL: ("Bool", "bool"),
    Field.TYPE_FLOAT: ("Float", "float"),
    Field.TYPE_DOUBLE: ("Double", "double"),
    Field.TYPE_STRING: ("String", "string"),
    Field.TYPE_BYTES: ("Bytes", "bytes"),
}
REPEATED = {"bytes": "byteStrings"}


def camel(name):
    """The Swift name of a field, a oneof or an enumeration value.

    - Removes underscores and capitalizes the letter after each.
    - Converts a name without lower-case letters to lower case first (SAME_PADDING: samePadding).
    - Lowers a leading run of capitals, except for the one that starts a word (PReLU: pReLU, ELU: elu, ClassLabels:
      classLabels).
    """
    parts = name.split("_")
    if not re.search("[a-z]", name):
        parts = [part.lower() for part in parts]
    first, rest = parts[0], parts[1:]
    run = re.match("[A-Z]*", first).end()
    if run == len(first) or first[run].isdigit() or run == 1:
        first = first[:run].lower() + first[run:]
    elif run:
        first = first[: run - 1].lower() + first[run - 1 :]
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def swift(name):
    return f"`{name}`" if name in KEYWORDS else name


def upper(name):
    return name[:1].upper() + name[1:]


def package(descriptor):
    """CoreML.Specification, .MILSpec and .CoreMLModels are enumerations without cases."""
    return descriptor.file.package.split(".")[-1]


def type_name(descriptor):
    return f"{package(descriptor)}.{descriptor.full_name[len(descriptor.file.package) + 1:]}"


def is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def members(oneof):
    return f"{camel(oneof.name)}Fields"


def unique(descriptor, names):
    assert len(set(names)) == len(names) and not TAKEN & set(names), f"names of {descriptor.full_name} clash: {sorted(names)}"


def value_type(field):
    if field.message_type is not None:
        return type_name(field.message_type)
    if field.enum_type is not None:
        return type_name(field.enum_type)
    return SCALARS[field.type][0]


def accessor(name, kind, body):
    return f"  package var {swift(name)}: {kind} {{ get throws {{ {body} }} }}"


def map_read(field):
    key, value = field.message_type.fields_by_name["key"], field.message_type.fields_by_name["value"]
    read = f"$0.{SCALARS[key.type][1]}(1)"
    if value.message_type is not None:
        return f"(try {read}, {value_type(value)}(try $0.message(2) ?? Message()))"
    return f"(try {read}, try $0.{SCALARS[value.type][1]}(2))"


def field_accessors(field):
    """(name, Swift type, body) of each accessor of a field."""
    name, number = camel(field.name), field.number
    kind = value_type(field)
    if is_map(field):
        key = value_type(field.message_type.fields_by_name["key"])
        value = value_type(field.message_type.fields_by_name["value"])
        yield name, f"[{key}: {value}]", f"Dictionary(entries: try {name}InOrder)"
        yield f"{name}InOrder", f"[(key: {key}, value: {value})]", f"try message.entries({number}) {{ {map_read(field)} }}"
    elif field.containing_oneof is not None:
        of = f"({number}, of: Self.{members(field.containing_oneof)})"
        if field.message_type is not None:
            yield name, f"{kind}?", f"try message.message{of}.map({kind}.init)"
        else:
            yield name, f"{kind}?", f"try message.member{of}?.{SCALARS[field.type][1]}()"
    elif field.is_repeated:
        if field.message_type is not None:
            yield name, f"Views<{kind}>", f"try message.views({number}, {kind}.self)"
        else:
            method = SCALARS[field.type][1]
            yield name, f"[{kind}]", f"try message.{REPEATED.get(method, method + 's')}({number})"
            if method in ("float", "double"):
                yield f"{name}Bytes", "Bytes", f"try message.{method}Bytes({number})"
    elif field.message_type is not None:
        yield name, f"{kind}?", f"try message.message({number}).map({kind}.init)"
    elif field.enum_type is not None:
        yield name, kind, f"try message.value({number}, {kind}.self)"
    else:
        assert not field.has_presence, f"{field.full_name} has presence: how is it to be told?"
        yield name, kind, f"try message.{SCALARS[field.type][1]}({number})"


def oneof_lines(oneof):
    name, kind = camel(oneof.name), f"OneOf{upper(oneof.name)}"
    fields = sorted(oneof.fields, key=lambda f: f.number)
    numbers = ", ".join(str(f.number) for f in fields)
    yield f"  static let {members(oneof)} = [{numbers}]"
    yield f"  package enum {kind}: Sendable {{"
    for f in fields:
        yield f"    case {swift(camel(f.name))}({value_type(f)})"
    yield "    /// Every member under its name in the schema, with nothing in it."
    yield "    package static var members: [OneOfMember<Self>] {"
    yield "      ["
    for f in fields:
        yield f'        OneOfMember({f.number}, "{f.name}", .{swift(camel(f.name))}({value_type(f)}({"Message()" if f.message_type is not None else ""}))),'
    yield "      ]"
    yield "    }"
    yield "  }"
    yield f"  package var {swift(name)}: {kind}? {{"
    yield "    get throws {"
    yield f"      guard let member = try message.member(of: Self.{members(oneof)}) else {{ return nil }}"
    yield "      switch member.number {"
    for f in fields:
        value = f"{value_type(f)}(try member.message())" if f.message_type is not None else f"try member.{SCALARS[f.type][1]}()"
        yield f"      case {f.number}: return .{swift(camel(f.name))}({value})"
    yield "      default: return nil"
    yield "      }"
    yield "    }"
    yield "  }"


def enum_lines(enum):
    yield f"package enum {enum.name}: Int32, Sendable, CaseIterable {{"
    unique(enum, [camel(v.name) for v in enum.values])
    for v in enum.values:
        yield f"  case {swift(camel(v.name))} = {v.number}"
    yield "}"


def message_lines(message):
    yield f"/// `{message.full_name}`"
    yield f"package struct {message.name}: MessageView {{"
    yield "  package let message: Message"
    yield "  package init(_ message: Message) { self.message = message }"
    names = [camel(o.name) for o in message.oneofs] + [n for f in message.fields for n, _, _ in field_accessors(f)]
    unique(message, names)
    for field in message.fields:
        for one in field_accessors(field):
            yield accessor(*one)
    for oneof in message.oneofs:
        yield from oneof_lines(oneof)
    nested = [m for m in message.nested_types if not m.GetOptions().map_entry]
    unique(message, [m.name for m in nested] + [e.name for e in message.enum_types] + [f"OneOf{upper(o.name)}" for o in message.oneofs])
    for inner in nested:
        yield from ("  " + line for line in message_lines(inner))
    for enum in message.enum_types:
        yield from ("  " + line for line in enum_lines(enum))
    yield "}"


def views(file):
    lines = [HEADER, f"extension {file.package.split('.')[-1]} {{"]
    for enum in file.enum_types_by_name.values():
        lines += ["  " + line for line in enum_lines(enum)]
    for message in file.message_types_by_name.values():
        lines += ["  " + line for line in message_lines(message)]
    return "\n".join(lines + ["}", ""])


# The dump: one function per message, one call per field.


def function(message):
    return type_name(message).replace(".", "_")


def dump_lines(message):
    yield f"  func {function(message)}(_ view: {type_name(message)}) throws {{"
    for f in sorted(message.fields, key=lambda f: f.number):
        name = camel(f.name)
        get = f"try view.{swift(name)}"
        inner = f"{function(f.message_type)}" if f.message_type is not None and not is_map(f) else None
        if is_map(f):
            value = f.message_type.fields_by_name["value"]
            throwing = value.message_type is not None
            each = f"try {function(value.message_type)}($0)" if throwing else "value($0)"
            yield f'    {"try " if throwing else ""}map("{f.name}", {get}, try view.{name}InOrder.count) {{ {each} }}'
        elif f.is_repeated and inner:
            yield f'    try each("{f.name}", {get}) {{ try {inner}($0) }}'
        elif f.is_repeated and f.type in (Field.TYPE_FLOAT, Field.TYPE_DOUBLE):
            yield f'    list("{f.name}", {get}, try view.{name}Bytes)'
        elif f.is_repeated:
            yield f'    list("{f.name}", {get})'
        elif inner:
            yield f'    try one("{f.name}", {get}) {{ try {inner}($0) }}'
        elif f.containing_oneof is not None:
            yield f'    member("{f.name}", {get})'
        elif f.enum_type is not None:
            yield f'    scalar("{f.name}", {get}.rawValue)'
        else:
            yield f'    scalar("{f.name}", {get})'
    for oneof in message.oneofs:
        yield f"    switch try view.{swift(camel(oneof.name))} {{"
        for f in oneof.fields:
            yield f'    case .{swift(camel(f.name))}?: oneOf("{oneof.name}", "{f.name}")'
        yield "    case nil: break"
        yield "    }"
    yield "  }"
    for inner in message.nested_types:
        if not inner.GetOptions().map_entry:
            yield from dump_lines(inner)


def dumps(file):
    lines = [HEADER, "import CoreMLSpec", "", "extension Dump {"]
    for message in file.message_types_by_name.values():
        lines += dump_lines(message)
    return "\n".join(lines + ["}", ""])


def messages(parents):
    for message in parents:
        if not message.GetOptions().map_entry:
            yield message
            yield from messages(message.nested_types)


def table():
    lines = [HEADER, "import CoreMLSpec", "", "extension Dump {", "  /// The dump of each message, by its full name."]
    lines += ["  package static let functions: [String: @Sendable (Dump, Message) throws -> Void] = ["]
    for file in files():
        for m in messages(file.message_types_by_name.values()):
            lines.append(f'    "{m.full_name}": {{ try $0.{function(m)}(.init($1)) }},')
    return "\n".join(lines + ["  ]", "}", ""])


def schema():
    """The fields that are messages. Map entries are messages, too: the key is field 1, the value is field 2."""
    lines = [HEADER, "/// Which fields of which messages are messages, by full names."]
    lines += ["package enum MessageFields {", "  package static let types: [String: [Int: String]] = ["]
    for file in files():
        everything = list(file.message_types_by_name.values())
        while everything:
            m = everything.pop(0)
            everything = list(m.nested_types) + everything
            fields = [f for f in sorted(m.fields, key=lambda f: f.number) if f.message_type is not None]
            if fields:
                inner = ", ".join(f'{f.number}: "{f.message_type.full_name}"' for f in fields)
                lines.append(f'    "{m.full_name}": [{inner}],')
    return "\n".join(lines + ["  ]", "}", ""])


def packages():
    lines = [HEADER]
    for name, proto in (("Specification", ""), ("MILSpec", ".MILSpec"), ("CoreMLModels", ".CoreMLModels")):
        lines += [f"/// The messages of the package `CoreML.Specification{proto}`.", f"package enum {name} {{}}", ""]
    return "\n".join(lines)


def outputs():
    result = {VIEWS / "Packages.swift": packages(), DUMPS / "DumpTable.swift": table(), DUMPS / "MessageFields.swift": schema()}
    for file in files():
        name = pathlib.Path(file.name).stem
        text = views(file)
        if re.search(r"\bBytes\b", text):
            text = text.replace(HEADER, f"{HEADER}\nimport CoreMLBase\n", 1)
        result[VIEWS / f"{name}Views.swift"] = text
        result[DUMPS / f"{name}Dump.swift"] = dumps(file)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    wanted = outputs()
    present = {path for folder in (VIEWS, DUMPS) for path in folder.glob("*.swift")}
    stale = [p for p, text in wanted.items() if not p.exists() or p.read_text() != text] + sorted(present - set(wanted))
    if arguments.check:
        for path in stale:
            print(f"not up to date: {path.relative_to(ROOT)}", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        if path in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path])
        else:
            path.unlink()
    print(f"{len(wanted)} files, {len(stale)} changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
