"""Small ML programs as model files (with weight files) and as text: cases of Tests/Cases, and hand-written ones."""
import json
import math
import struct

from coremltools.proto import MIL_pb2, Model_pb2
from networks import describe

SCALARS = {word: MIL_pb2.DataType.Value(name) for word, name in [
    ("bool", "BOOL"), ("string", "STRING"), ("fp16", "FLOAT16"), ("fp32", "FLOAT32"), ("fp64", "FLOAT64"), ("bf16", "BFLOAT16"), ("int4", "INT4"),
    ("int8", "INT8"), ("int16", "INT16"), ("int32", "INT32"), ("int64", "INT64"), ("uint1", "UINT1"), ("uint2", "UINT2"), ("uint3", "UINT3"),
    ("uint4", "UINT4"), ("uint6", "UINT6"), ("uint8", "UINT8"), ("uint16", "UINT16"), ("uint32", "UINT32"), ("uint64", "UINT64")]}
# Element types in weight files: (code, bits).
BLOBS = {"fp16": (1, 16), "fp32": (2, 32), "uint8": (3, 8), "int8": (4, 8), "bf16": (5, 16), "int16": (6, 16), "uint16": (7, 16), "int4": (8, 4), "uint1": (9, 1),
         "uint2": (10, 2), "uint4": (11, 4), "uint3": (12, 3), "uint6": (13, 6), "int32": (14, 32), "uint32": (15, 32)}
OPSETS = {"ios15": "CoreML5", "ios16": "CoreML6", "ios17": "CoreML7", "ios18": "CoreML8"}
FEATURES = {"fp32": 65568, "fp16": 65552, "fp64": 65600, "int32": 131104, "int8": 131080}
WEIGHTS = "@model_path/weights/weight.bin"


def tensor(scalar, *shape): return ("tensor", scalar, list(shape))


def value(kind, items): return ("value", kind, items)


def ints(*items): return value(tensor("int32", len(items)), list(items))


def number(item, scalar="int32"): return value(tensor(scalar), [item])


def word(text): return number(text, "string")


def blob(kind, offset): return ("blob", kind, offset)


def weight_file(entries):
    """(a weight file with the entries, the offset of each entry). An entry is (element type, bytes)."""
    made, offsets = bytearray(struct.pack("<II", len(entries), 2) + bytes(56)), []
    for scalar, data, *padding in entries:
        offsets.append(len(made))
        made += struct.pack("<IIQQQ", 0xDEADBEEF, BLOBS[scalar][0], len(data), len(made) + 64, padding[0] if padding else 0) + bytes(32) + data
        made += bytes(-len(made) % 64)
    return bytes(made), offsets


class Op:
    def __init__(self, kind, outputs, inputs, blocks=(), attributes=None):
        self.kind, self.outputs, self.blocks, self.attributes = kind, outputs, blocks, attributes or {}
        self.inputs = {name: item if isinstance(item, list) else [item] for name, item in inputs.items()}


class Function:
    """A function, or a block, which ignores the opset."""

    def __init__(self, inputs, operations, outputs, opset="ios18", name="main"):
        self.inputs, self.operations, self.outputs, self.opset, self.name = inputs, operations, outputs, opset, name


# MARK: text

def type_text(kind):
    form, *rest = kind
    if form == "tensor":
        scalar, shape = rest
        return f"tensor<{scalar}, [{', '.join('?' if size is None else str(size) for size in shape)}]>" if shape else scalar
    if form == "list":
        return f"list<{type_text(rest[0])}, {'?' if rest[1] is None else rest[1]}>"
    if form == "dict":
        return f"dict<{type_text(rest[0])}, {type_text(rest[1])}>"
    return f"state<{type_text(rest[0])}>"


def item_text(item, scalar):
    if scalar == "string":
        return json.dumps(item)
    if scalar == "bool":
        return "true" if item else "false"
    item = float(item) if scalar[0] in "fb" else int(item)
    if isinstance(item, float) and math.isfinite(item):
        return item.hex() if item == round(item, 2) and len(item.hex()) < 12 else repr(round(item, 3))
    return str(item)


def nested(items, shape, scalar):
    if not shape:
        return item_text(items[0], scalar)
    step = len(items) // shape[0] if shape[0] else 0
    return "[" + ", ".join(nested(items[i * step:(i + 1) * step], shape[1:], scalar) for i in range(shape[0])) + "]"


def value_text(item):
    form, kind, content = item
    if form == "name":
        return kind
    if form == "blob":
        return f"{type_text(kind)}(BLOBFILE(path = string({json.dumps(WEIGHTS)}), offset = uint64({content})))"
    return f"{type_text(kind)}({nested(content, kind[2], kind[1])})"


def name(text): return ("name", text, None)


def parameters(inputs): return ", ".join(f"{type_text(kind)} {text}" for text, kind in inputs)


def body(block):
    lines = []
    for op in block.operations:
        inputs = ", ".join(
            f"{key} = " + (value_text(items[0]) if len(items) == 1 else f"({', '.join(map(value_text, items))})") for key, items in op.inputs.items())
        attributes = ", ".join(f"{key} = {value_text(item)}" for key, item in op.attributes.items())
        blocks = "".join(f" block({parameters(b.inputs)}) {body(b)}" for b in op.blocks)
        lines.append(f"{parameters((text, kind) for text, kind in op.outputs)}{' = ' if op.outputs else ''}{op.kind}({inputs})"
                     f"{f'[{attributes}]' if attributes else ''}{blocks};")
    return "{" + "".join("\n" + line for line in lines) + "\n} -> (" + ", ".join(block.outputs) + ")"


def text(functions):
    made = "".join(f"\nfunc {f.name}<{f.opset}>({parameters(f.inputs)}) {body(f)};" for f in functions)
    return f"program(1.3) {{{made}\n}}\n"


# MARK: messages

def set_type(message, kind):
    form, *rest = kind
    if form == "tensor":
        message.tensorType.dataType, message.tensorType.rank = SCALARS[rest[0]], len(rest[1])
        for size in rest[1]:
            dimension = message.tensorType.dimensions.add()
            if size is None:
                dimension.unknown.SetInParent()
            else:
                dimension.constant.size = size
    elif form == "list":
        set_type(message.listType.type, rest[0])
        if rest[1] is not None:
            message.listType.length.constant.size = rest[1]
    elif form == "dict":
        set_type(message.dictionaryType.keyType, rest[0])
        set_type(message.dictionaryType.valueType, rest[1])
    else:
        set_type(message.stateType.wrappedType, rest[0])


def set_value(message, item):
    form, kind, content = item
    set_type(message.type, kind)
    if form == "blob":
        message.blobFileValue.fileName, message.blobFileValue.offset = WEIGHTS, content
        return
    made, scalar = message.immediateValue.tensor, kind[1]
    if scalar == "string":
        made.strings.values.extend(content)
    elif scalar == "bool":
        made.bools.values.extend(bool(x) for x in content)
    elif scalar == "fp32":
        made.floats.values.extend(float(x) for x in content)
    elif scalar == "fp64":
        made.doubles.values.extend(float(x) for x in content)
    elif scalar == "fp16":
        made.bytes.values = b"".join(struct.pack("<e", float(x)) for x in content)
    elif scalar == "int64":
        made.longInts.values.extend(int(x) for x in content)
    elif scalar in ["uint8", "int8"]:
        made.bytes.values = bytes(int(x) & 255 for x in content)
    else:
        made.ints.values.extend(int(x) for x in content)


def set_block(message, block):
    message.outputs.extend(block.outputs)
    for op in block.operations:
        made = message.operations.add(type=op.kind)
        for key, items in op.inputs.items():
            for item in items:
                binding = made.inputs[key].arguments.add()
                if item[0] == "name":
                    binding.name = item[1]
                else:
                    set_value(binding.value, item)
        for label, kind in op.outputs:
            set_type(made.outputs.add(name=label).type, kind)
        for key, item in op.attributes.items():
            set_value(made.attributes[key], item)
        for inner in op.blocks:
            block = made.blocks.add()
            for label, kind in inner.inputs:
                set_type(block.inputs.add(name=label).type, kind)
            set_block(block, inner)


def feature(features, label, kind):
    if kind[0] == "tensor":
        describe(features, label, [size or 2 for size in kind[2]], FEATURES.get(kind[1], 65568))
    elif kind[0] == "state":
        made = features.add(name=label).type.stateType.arrayType
        made.shape.extend(kind[1][2])
        made.dataType = FEATURES[kind[1][1]]


def model(functions):
    made = Model_pb2.Model(specificationVersion=9)
    program = made.mlProgram
    program.version = 1
    made.description.SetInParent()
    for function in functions:
        description = made.description if len(functions) == 1 else made.description.functions.add(name=function.name)
        opset = OPSETS[function.opset]
        message = program.functions[function.name]
        message.opset = opset
        for label, kind in function.inputs:
            set_type(message.inputs.add(name=label).type, kind)
            feature(description.state if kind[0] == "state" else description.input, label, kind)
        set_block(message.block_specializations[opset], function)
        kinds = dict(function.inputs) | {label: kind for op in function.operations for label, kind in op.outputs}
        for label in function.outputs:
            feature(description.output, label, kinds[label])
    if len(functions) > 1:
        made.description.defaultFunctionName = functions[0].name
    return made


# MARK: the cases of operations

def case_value(item):
    """(value or None, type, whether it is constant) of an input of a case."""
    if not isinstance(item, dict):
        items = item if isinstance(item, list) else [item]
        scalar = "string" if isinstance(items[0], str) else "bool" if isinstance(items[0], bool) else "int32" if items else "int32"
        kind = tensor(scalar, *([len(items)] if isinstance(item, list) else []))
        return value(kind, items), kind, True
    if "fill" in item:
        kind, count = tensor(item["type"], *item["shape"]), math.prod(item["shape"])
        return value(kind, [1] * count) if count < 100 else None, kind, item.get("const", False)
    if "list" in item:
        return None, ("list", tensor(item["element"], *item["shape"]), len(item["list"])), False
    if "dictionary" in item:
        return None, ("dict", tensor(item["key"]), tensor("fp64")), False
    scalar, content = next((key, content) for key, content in item.items() if key in SCALARS)
    items = content if isinstance(content, list) else [content]
    kind = tensor(scalar, *item.get("shape", [len(items)] if isinstance(content, list) else []))
    return value(kind, items), kind, scalar == "string" or item.get("const", not kind[2])


def of_case(case):
    """The function that a case calls; None if its constants are large."""
    inputs, arguments = [], {}
    for key, item in case["inputs"].items():
        items = item["values"] if isinstance(item, dict) and "values" in item else [item]
        arguments[key] = []
        for index, item in enumerate(items):
            made, kind, is_constant = case_value(item)
            if is_constant and made is None:
                return None
            label = f"{key}{index}" if len(items) > 1 else key
            if not is_constant:
                inputs.append((label, kind))
            arguments[key].append(made if is_constant else name(label))
    if "expected" not in case:
        return None
    outputs = [(f"result{index}", case_value(item)[1]) for index, item in enumerate(case["expected"])]
    opset = "ios18"
    return Function(inputs, [Op(case["op"], outputs, arguments)], [label for label, _ in outputs], opset)


def by_hand():
    """Yields control flow, states, several functions, weights in a file, and palettes in the older format."""
    x, y = tensor("fp32", 2), tensor("fp32", 2)
    add = Op("add", [("a", x)], {"x": name("x"), "y": number(0.5, "fp32")})
    mul = Op("mul", [("m", x)], {"x": name("x"), "y": name("x")})
    cond = Op("cond", [("y", y)], {"pred": name("p")}, [Function([], [add], ["a"]), Function([], [mul], ["m"])])
    yield "cond", [Function([("x", x), ("p", tensor("bool"))], [cond], ["y"])], b""
    less = Op("less", [("more", tensor("bool"))], {"x": name("i"), "y": number(3)})
    step = [Op("add", [("j", tensor("int32"))], {"x": name("i2"), "y": number(1)}), Op("add", [("w", x)], {"x": name("v2"), "y": name("x")})]
    loop = Op("while_loop", [("n", tensor("int32")), ("y", y)], {"loop_vars": [number(0), name("x")]}, [
        Function([("i", tensor("int32")), ("v", x)], [less], ["more"]), Function([("i2", tensor("int32")), ("v2", x)], step, ["j", "w"])])
    yield "while", [Function([("x", x)], [loop], ["n", "y"])], b""
    half = tensor("fp16", 2)
    state = [Op("read_state", [("old", half)], {"input": name("cache")}), Op("add", [("new", half)], {"x": name("old"), "y": name("x")}),
             Op("write_state", [], {"input": name("cache"), "data": name("new")})]
    yield "state", [Function([("x", half), ("cache", ("state", half))], state, ["new"])], b""
    yield "functions", [Function([("x", x)], [add], ["a"], name="first"), Function([("x", x)], [mul], ["m"], name="second")], b""
    data, (first, second, third) = weight_file([("fp32", struct.pack("<2f", 1, 2)), ("uint4", b"\x21\x03", 4), ("fp16", struct.pack("<16e", *range(16)))])
    weight = Op("const", [("w", x)], {"val": blob(x, first)})
    sum_ = Op("add", [("y", x)], {"x": name("x"), "y": name("w")})
    yield "weights", [Function([("x", x)], [weight, sum_], ["y"])], data
    palette = Op("constexpr_lut_to_dense", [("w", tensor("fp16", 3))], {
        "indices": blob(tensor("uint4", 3), second), "lut": blob(tensor("fp16", 1, 16, 1), third)})
    yield "palette", [Function([("x", tensor("fp16", 3))], [palette, Op("add", [("y", tensor("fp16", 3))], {"x": name("x"), "y": name("w")})], ["y"])], data
    for kind, attributes in [
            ("constexpr_lut_to_dense", {"indices": value(tensor("uint8", 1), [228]), "lut": value(tensor("fp32", 4), [1, 2, 4, 8])}),
            ("constexpr_sparse_to_dense", {"mask": value(tensor("uint8", 1), [10]), "nonzero_data": value(tensor("fp32", 2), [1, 2])})]:
        four = tensor("fp32", 4)
        old = Op(kind, [("w", four)], {}, attributes={**attributes, "shape": value(tensor("uint32", 1), [4]), "name": word("w")})
        add4 = Op("add", [("y", four)], {"x": name("x"), "y": name("w")})
        yield f"old-{kind}", [Function([("x", four)], [old, add4], ["y"], "ios16")], b""
    # Patterns of the portable passes: convolution with affine and activation, identities, fp16, dead code.
    image, flat = tensor("fp32", 1, 2, 4, 4), tensor("fp32", 2)
    weight = value(tensor("fp32", 2, 2, 1, 1), [1, 2, 3, 4])
    scale = value(tensor("fp32", 1, 2, 1, 1), [2, 3])
    normal = {key: value(flat, [1, 2]) for key in ["mean", "variance", "gamma", "beta"]}
    chain = [Op("identity", [("i", image)], {"x": name("x")}), Op("conv", [("c", image)], {"x": name("i"), "weight": weight, "pad_type": word("valid")}),
             Op("batch_norm", [("b", image)], {"x": name("c"), **normal, "epsilon": number(1e-3, "fp32")}),
             Op("mul", [("m", image)], {"x": name("b"), "y": scale}), Op("add", [("s", image)], {"x": name("m"), "y": name("x")}),
             Op("relu", [("r", image)], {"x": name("s")}), Op("exp", [("unused", image)], {"x": name("c")}),
             Op("cast", [("h", tensor("fp16", 1, 2, 4, 4))], {"x": name("r"), "dtype": word("fp16")}),
             Op("transpose", [("t", tensor("fp16", 1, 4, 4, 2))], {"x": name("h"), "perm": ints(0, 2, 3, 1)}),
             Op("softmax", [("y", tensor("fp16", 1, 4, 4, 2))], {"x": name("t"), "axis": number(-1)})]
    yield "passes", [Function([("x", image)], chain, ["y", "b"])], b""
    # Sizes that are known only at run time.
    open_ = tensor("fp32", None, 3)
    late = [Op("shape", [("s", tensor("int32", 2))], {"x": name("x")}),
            Op("slice_by_index", [("n", tensor("int32"))], {"x": name("s"), "begin": ints(0), "end": ints(1), "squeeze_mask": value(tensor("bool", 1), [True])}),
            Op("range_1d", [("r", tensor("int32", None))], {"start": number(0), "end": name("n"), "step": number(1)}),
            Op("expand_dims", [("e", tensor("int32", None, 1))], {"x": name("r"), "axes": ints(1)}),
            Op("cast", [("f", tensor("fp32", None, 1))], {"x": name("e"), "dtype": word("fp32")}),
            Op("add", [("a", open_)], {"x": name("x"), "y": name("f")}), Op("reshape", [("y", tensor("fp32", None))], {"x": name("a"), "shape": ints(-1)})]
    yield "late", [Function([("x", open_)], late, ["y"])], b""
    kind = ("list", x, None)
    lists = [Op("make_list", [("l", kind)], {"init_length": number(2), "dynamic_length": number(True, "bool"), "elem_shape": [number(2)], "dtype": word("fp32")}),
             Op("list_write", [("k", kind)], {"ls": name("l"), "index": number(1), "value": name("x")}),
             Op("list_read", [("y", x)], {"ls": name("k"), "index": number(1)}), Op("list_length", [("n", tensor("int32"))], {"ls": name("k")})]
    yield "lists", [Function([("x", x)], lists, ["y", "n"])], b""
    attend = {key: name(key) for key in ["query", "key", "value"]}
    kind = tensor("fp32", 1, 2, 4)
    yield "attention", [Function([(key, kind) for key in attend], [Op("scaled_dot_product_attention", [("y", kind)], attend)], ["y"])], b""
    labels = Op("classify", [("label", tensor("string")), ("scores", ("dict", tensor("string"), tensor("fp32")))], {
        "probabilities": name("x"), "classes": value(tensor("string", 2), ["a", "b"])})
    yield "classify", [Function([("x", x)], [labels], ["label", "scores"])], b""


def seeds(folder):
    """Yields (name, functions, weight file)."""
    yield from by_hand()
    for file in sorted(folder.glob("*.json")):
        for index, case in enumerate(json.loads(file.read_text())):
            function = of_case(case)
            if function and len(text([function])) < 2500:
                yield f"{case['op']}-{file.stem}-{index}", [function], b""
