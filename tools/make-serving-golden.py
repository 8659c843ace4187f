"""Writes Tests/ServingWireTests/Golden.swift: messages of the protocol as the Python library of protobuf writes them.

usage: PYTHON tools/make-serving-golden.py     PYTHON: of a virtual environment with `tritonclient[grpc]`
"""

import pathlib
import struct

from tritonclient.grpc import service_pb2 as pb


def raw(datatype, shape, content, name="x"):
    message = pb.ModelInferRequest(model_name="m")
    message.inputs.add(name=name, datatype=datatype, shape=shape)
    message.raw_input_contents.append(content)
    return message


def typed(datatype, shape, **contents):
    message = pb.ModelInferRequest(model_name="m")
    message.inputs.add(name="x", datatype=datatype, shape=shape).contents.CopyFrom(pb.InferTensorContents(**contents))
    return message


def full():
    message = raw("FP32", [1, 2], struct.pack("<2f", 1.5, -2))
    message.model_version, message.id = "3", "r1"
    message.parameters["priority"].uint64_param = 2
    message.parameters["timeout"].int64_param = 60_000_000
    message.parameters["sequence_id"].uint64_param = 2**64 - 1
    message.parameters["sequence_start"].bool_param = True
    message.parameters["scale"].double_param = 0.5
    message.parameters["note"].string_param = "héllo"
    message.inputs.add(name="y", datatype="BYTES", shape=[2]).parameters["content_type"].string_param = "str"
    message.raw_input_contents.append(struct.pack("<I2sI", 2, b"ab", 0))
    message.outputs.add(name="probabilities").parameters["classification"].int64_param = 3
    message.outputs.add(name="label")
    return message


def answer():
    message = pb.ModelInferResponse(model_name="m", model_version="3", id="r1")
    output = message.outputs.add(name="z", datatype="FP32", shape=[1, 2])
    output.parameters["exact"].bool_param = True
    message.outputs.add(name="s", datatype="BYTES", shape=[2])
    message.raw_output_contents.append(struct.pack("<2f", 1.5, -2))
    message.raw_output_contents.append(struct.pack("<I2sI", 2, b"ab", 0))
    return message


def stream():
    inner = pb.ModelInferResponse(model_name="m", model_version="3")
    inner.parameters["triton_final_response"].bool_param = True
    inner.outputs.add(name="z", datatype="UINT8", shape=[3])
    inner.raw_output_contents.append(b"\1\2\3")
    return pb.ModelStreamInferResponse(infer_response=inner)


def failure():
    inner = pb.ModelInferResponse(model_name="m", id="r1")
    inner.parameters["triton_final_response"].bool_param = True
    return pb.ModelStreamInferResponse(error_message="no", infer_response=inner)


def both():
    message = raw("INT32", [1], b"\1\0\0\0")
    message.inputs[0].contents.int_contents.append(1)
    return message


def twice():
    message = raw("INT8", [1], b"\1")
    message.inputs.add(name="x", datatype="INT8", shape=[1])
    message.raw_input_contents.append(b"\1")
    return message


def shared():
    message = typed("INT8", [1])
    message.inputs[0].parameters["shared_memory_region"].string_param = "r"
    return message


def parameter(name, **value):
    message = typed("INT32", [1], int_contents=[1])
    message.parameters[name].CopyFrom(pb.InferParameter(**value))
    return message


GOOD = {
    "full": full(),
    "bools": typed("BOOL", [3], bool_contents=[True, False, True]),
    "int8": typed("INT8", [2], int_contents=[-128, 127]),
    "int16": typed("INT16", [2], int_contents=[-300, 300]),
    "int32": typed("INT32", [2, 1], int_contents=[-1, 2**31 - 1]),
    "int64": typed("INT64", [2], int64_contents=[-(2**63), 7]),
    "uint8": typed("UINT8", [2], uint_contents=[0, 255]),
    "uint16": typed("UINT16", [1], uint_contents=[65535]),
    "uint32": typed("UINT32", [1], uint_contents=[2**32 - 1]),
    "uint64": typed("UINT64", [1], uint64_contents=[2**64 - 1]),
    "float": typed("FP32", [2], fp32_contents=[1.5, -2]),
    "double": typed("FP64", [2], fp64_contents=[1.5, -2]),
    "strings": typed("BYTES", [2], bytes_contents=[b"ab", b""]),
    "half": raw("FP16", [2], b"\0\x3c\0\xc0"),
    "scalar": typed("INT32", [], int_contents=[5]),
    "empty": typed("FP32", [0, 4]),
    "answer": answer(),
    "streamAnswer": stream(),
    "streamFailure": failure(),
}
BAD = {
    "noModel": pb.ModelInferRequest(id="r"),
    "noName": raw("INT8", [1], b"\1", name=""),
    "unknownType": raw("INT4", [1], b"\1"),
    "negativeSize": raw("INT8", [-1], b"\1"),
    "overflow": raw("INT8", [2**62, 16], b"\1"),
    "byteOverflow": raw("FP64", [2**61], b"\1"),
    "rank": raw("INT8", [1] * 17, b"\1"),
    "short": raw("FP32", [2], b"\1\2\3\4"),
    "long": raw("FP32", [1], b"\1\2\3\4\5"),
    "badBool": raw("BOOL", [1], b"\2"),
    "manyStrings": raw("BYTES", [2**40], b"\0\0\0\0"),
    "stringEnds": raw("BYTES", [1], b"\5\0\0\0ab"),
    "stringRest": raw("BYTES", [1], b"\1\0\0\0ab"),
    "both": both(),
    "twice": twice(),
    "shared": shared(),
    "rawCount": pb.ModelInferRequest(model_name="m", raw_input_contents=[b"", b""]),
    "typedCount": typed("INT32", [3], int_contents=[1]),
    "typedField": typed("INT32", [1], int64_contents=[1]),
    "typedHalf": typed("FP16", [1], fp32_contents=[1]),
    "typedRange": typed("INT8", [1], int_contents=[200]),
    "typedUnsigned": typed("UINT8", [1], uint_contents=[256]),
    "noContents": typed("INT32", [1]),
    "priority": parameter("priority", string_param="high"),
    "timeout": parameter("timeout", int64_param=-1),
    "sequence": parameter("sequence_start", bool_param=True),
    "noValue": parameter("scale"),
}

lines = ["/// Messages as Python's protobuf writes them. `tools/make-serving-golden.py` generates this file.", "enum Golden {"]
for name, message in (GOOD | {"bad" + key[0].upper() + key[1:]: value for key, value in BAD.items()}).items():
    text = message.SerializeToString(deterministic=True).hex()
    rows = [text[start : start + 100] for start in range(0, len(text), 100)] or [""]
    lines.append(f"  static let {name} =")
    lines += [f"    {'' if index == 0 else '+ '}\"{row}\"" for index, row in enumerate(rows)]
lines.append("}")
folder = pathlib.Path(__file__).resolve().parent.parent / "Tests" / "ServingWireTests"
(folder / "Golden.swift").write_text("\n".join(lines) + "\n")
