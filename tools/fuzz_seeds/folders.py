"""Compiled model folders, each packed into one input. A mark and the index of its name precede each file."""
import json
import struct

import networks
import programs
from coremltools.proto import Model_pb2

MARK = b"\x1eFZ"


def joined(files, names):
    """Packs files into one input, which the fuzzers unpack; see Tests/FuzzTests/Parts.swift."""
    return b"".join(MARK + bytes([names.index(name)]) + data for name, data in files.items())


# MARK: coremldata.bin

def string(text): return struct.pack("<Q", len(text.encode())) + text.encode()


def head(number, form): return struct.pack("<I24x", number) + string(form) + struct.pack("<Q24x", 5)


def description(number, message, form="generic", trailer=b""):
    data = message.SerializeToString(deterministic=True)
    return head(number, form) + struct.pack("<Q", len(data)) + data + trailer


def interface(inputs, outputs):
    made = Model_pb2.Model()
    for features, all_ in [(made.description.input, inputs), (made.description.output, outputs)]:
        for name, shape in all_.items():
            networks.describe(features, name, shape)
    return made.description


# MARK: neural networks

ESPRESSO = ["model.espresso.net", "model.espresso.shape", "model.espresso.weights", "coremldata.bin", "model/coremldata.bin",
            "neural_network_optionals/coremldata.bin", "metadata.json"]


def layer(kind, bottom="x", top="y", **fields):
    return {"type": kind, "name": top, "bottom": bottom, "top": top, "weights": {}, **fields}


def espresso_weights(blobs):
    data = struct.pack("<Q", len(blobs)) + b"".join(struct.pack("<QQ", key, 4 * len(items)) for key, items in blobs.items())
    return data + b"".join(struct.pack(f"<{len(items)}f", *items) for items in blobs.values())


def network(layers, weights=None, shapes=None, shape=(2, 3, 4), **more):
    return {
        "model.espresso.net": json.dumps({"storage": "model.espresso.weights", "format_version": 200, "layers": layers, **more}).encode(),
        "model.espresso.shape": json.dumps({"layer_shapes": shapes or {}}).encode(), "model.espresso.weights": espresso_weights(weights or {}),
        "coremldata.bin": description(500, interface({"x": shape}, {"y": [1]}))}


def layers():
    """Yields (layers, their weights, shapes) for each type of layer and its variants."""
    window = {"C": 2, "K": 2, "Nx": 2, "Ny": 1, "n_groups": 1, "blob_weights": 1}
    ones = [1.0] * 8
    yield [layer("convolution", **window, pad_mode=0, pad_r=1, has_biases=1, blob_biases=3, fused_relu=1, stride_x=2, dilation_y=1)], {1: ones, 3: [1, 2]}, None
    yield [layer("convolution", **window, pad_mode=1, fused_tanh=1)], {1: ones, 2: [0]}, None
    yield [layer("convolution", C=2, K=2, Nx=2, Ny=1, blob_weights_f16=1, pad_mode=2)], {1: ones[:4]}, None
    yield [layer("deconvolution", **{**window, "n_groups": 2}, deconv_out_height=4, deconv_out_width=5)], {1: ones[:4]}, None
    yield [layer("inner_product", nB=24, nC=1, has_biases=1, has_relu=1, blob_weights=3, blob_biases=1)], {3: ones * 3, 1: [2, 0, 0, 0]}, None
    for kind in range(3):
        yield [layer("pool", avg_or_max=kind, size_x=2, size_y=2, stride_x=2, stride_y=1, pad_mode=0, pad_r=kind // 2)], None, None
    yield [layer("pool", avg_or_max=1, size_x=2, size_y=2, stride_x=2, stride_y=2, top_shape_style=2, average_count_exclude_padding=1)], None, None
    yield [layer("pool", avg_or_max=0, is_global=1)], None, None
    affine = {"C": 2, "blob_batchnorm_params": 1}
    yield [layer("batchnorm", **affine)], {1: [2, 10, 0, 1, 3, 20, 0, 1]}, None
    yield [layer("batchnorm", **affine, training=1, training_instancenorm=1, training_eps=1e-3)], {1: [2, 10, 0, 1, 3, 20, 0, 1]}, None
    for mode in [0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 12, 19, 20, 21, 22]:
        yield [layer("activation", mode=mode, **({"alpha": 0.5} if mode in [2, 5, 6, 7, 8, 9] else {}))], None, None
    for operation in [2, 3, 10, 11, 12, 24, 25, 26, 27, 35, 37, 38, 114, 117, 119, 121, 130]:
        fields = {"alpha": 0.5} if operation in [2, 3, 25] else {"alpha": 0, "beta": 1} if operation == 119 else {"eps": 0.1} if operation in [10, 12] else {}
        yield [layer("elementwise", operation=operation, **fields, fused_relu=operation % 2)], None, None
    for operation in [0, 1, 13, 22, 23, 33, 36, 100, 102, 103, 107, 1021]:
        yield [layer("elementwise", "x,x", operation=operation, nd_mode=operation != 23)], None, None
    yield [layer("softmax", C=2)], None, None
    yield [layer("copy", top="c"), layer("concat", "x,c", axis=1)], None, None
    yield [layer("flatten", mode=1)], None, None
    yield [layer("upsample", mode=0, scaling_factor_x=2, scaling_factor_y=1)], None, None
    yield [layer("upsample", mode=1, use_fractional_scale_factors=1, fractional_scaling_factor_x=1.5, is_legacy_mode=0, align_corners=1)], None, None
    yield [layer("lrn", alpha=1, beta=0.5, local_size=3)], None, None
    yield [layer("crop", l=1, r=0, t=0, b=1)], None, None
    for mode in range(3):
        yield [layer("general_padding", pad_l=1, pad_t=1, pad_value=9 * (mode == 0), pad_pad_mode=mode)], None, None
    yield [layer("space_to_depth", block_size=1)], None, None
    yield [layer("space_to_depth", block_size=1, reverse=1, pixel_shuffle=1)], None, None
    sizes = {name: {"n": 1, "k": 1, "h": 3, "w": 4, "_rank": 3} for name in "xab"}
    yield [layer("split_nd", top="a,b", nd_axis=-3, begin_0=0), layer("concat", "b,a", axis=1)], None, sizes
    yield [layer("load_constant", "", "c", constant_blob=1, n=1, k=2, h=1, w=1, nd_rank=4), layer("elementwise", "x,c", operation=0)], {1: [1, 2]}, None
    yield [layer("transpose", **LAST_AXIS_FIRST)], None, None
    shape = {"dst_seq": 1, "dst_k": 3, "dst_h": -1, "dst_w": 1, "dst_n": 0, "mode": 0, "version": 1}
    yield [layer("reshape", **shape)], None, None
    yield [layer("flatten", top="f", mode=0, nd_axis=0), layer("reshape", "f", **{**shape, "dst_k": 24, "dst_h": 1, "mode": 1})], None, {
        "f": {"n": 1, "k": 24, "h": 1, "w": 1}}
    yield [layer("reduce", mode=0, axis_mode=4, use_version=1)], None, None
    yield [layer("reshape", top="r", **{**shape, "dst_seq": -1, "dst_h": 1}), layer("sequence_concat", "r,r", simple_concat=1)], None, None
    yield [layer("slice", axis=2, start=1, end=2)], None, None
    yield [layer("activation", mode=7, beta=0)], None, None
    yield [layer("elementwise", operation=10)], None, None


LAST_AXIS_FIRST = {"axis_w": 2, "axis_h": 0, "axis_k": 1, "axis_n": 3, "axis_seq": 4}


def ranks():
    """Yields layers of a network whose optionals say that values keep the ranks of the features."""
    shape = {"dst_seq": 1, "dst_n": 1, "dst_k": 1, "dst_h": -1, "dst_w": 6, "mode": 0, "version": 1, "dst_nd_rank": 2, "dynamic_shape": False}
    for made in [layer("transpose", **LAST_AXIS_FIRST), layer("reshape", **shape), layer("softmax_nd", nd_axis=-1)]:
        files = network([made], None, {"x": {"n": 1, "k": 2, "h": 3, "w": 4, "_rank": 4}}, (1, 2, 3, 4))
        yield made["type"], {**files, "neural_network_optionals/coremldata.bin": struct.pack("<5Q", 0, 0, 1, 0, 0)}


def pictures():
    """Yields a classifier of gray images, and one of color images with a pixel transform."""
    for labels, space, more in [([100, *"ab"], 10, {}), ([101, 3, 4], 20, {"transform_params": {"image": {
            "scale": 0.5, "bias_r": 1, "bias_g": 2, "bias_b": 3, "is_network_bgr": 0, "center_mean": 0}}})]:
        made = interface({}, {})
        picture = made.input.add(name="image").type.imageType
        picture.width, picture.height, picture.colorSpace = 2, 1, space
        key = "stringKeyType" if labels[0] == 100 else "int64KeyType"
        getattr(made.output.add(name="label").type, "stringType" if labels[0] == 100 else "int64Type").SetInParent()
        getattr(made.output.add(name="scores").type.dictionaryType, key).SetInParent()
        made.predictedFeatureName, made.predictedProbabilitiesName = "label", "scores"
        trailer = struct.pack("<QQQ", 403, labels[0], 2) + b"".join(string(x) if isinstance(x, str) else struct.pack("<q", x) for x in labels[1:]) + string("s")
        inputs = 2 if space == 10 else 6
        files = network([layer("flatten", "image", "f", mode=0), layer("inner_product", "f", "s", nB=inputs, nC=2, blob_weights=1)],
                        {1: [0.5] * inputs * 2}, {"image": {"n": 1, "k": inputs // 2, "h": 1, "w": 2}}, **more)
        files["coremldata.bin"] = description(403, made, trailer=trailer)
        if space == 10:
            files["model/coremldata.bin"] = b"".join(struct.pack("<Q", 1) + string("image") + struct.pack("<f", x) for x in [1, 0, 1, 0, 0, 0, -0.25, 0.5])
            files["neural_network_optionals/coremldata.bin"] = bytes(8)
        yield files


def espresso():
    for index, (made, weights, shapes) in enumerate(layers()):
        yield f"{made[-1]['type']}-{index}", joined(network(made, weights, shapes), ESPRESSO)
    for index, (kind, files) in enumerate(ranks()):
        yield f"{kind}-rank-{index}", joined(files, ESPRESSO)
    for index, files in enumerate(pictures()):
        yield f"picture-{index}", joined(files, ESPRESSO)


# MARK: programs, pipelines, models of other types

BUNDLE = ["coremldata.bin", "model.mil", "metadata.json", "weights/weight.bin", "model0/coremldata.bin", "model1/coremldata.bin", "model0/model.mil"]


def whole(model):
    """A `coremldata.bin` that contains the whole model."""
    number = model.DESCRIPTOR.fields_by_name[model.WhichOneof("Type")].number
    return head(number, "spec") + model.SerializeToString(deterministic=True)


def schema():
    array = {"type": "MultiArray", "dataType": "Float32", "shape": "[2]"}
    features = {"inputSchema": [{"name": "x", **array}], "outputSchema": [{"name": "y", **array, "isOptional": "0"}]}
    yield {"specificationVersion": 7, **features}
    yield {"specificationVersion": 9, **features, "stateSchema": [{"name": "cache", **array, "type": "State", "dataType": "Float16"}]}
    yield {"specificationVersion": 9, **features, "functions": [{"name": "main", **features}], "defaultFunctionName": "main"}
    others = [{"name": "x", **array, "shapeRange": "[[1, 4]]", "hasShapeFlexibility": "1"}, {"name": "e", **array, "enumeratedShapes": "[[2], [4]]"},
              {"name": "i", "type": "Image", "width": "2", "height": "3", "colorspace": "RGB"}, {"name": "d", "type": "Dictionary", "keyType": "Int64"},
              {"name": "s", "type": "String"}, {"name": "n", "type": "Int64", "isOptional": "1"}, {"name": "r", "type": "Double"}]
    yield {"specificationVersion": 7, "inputSchema": others, "outputSchema": features["outputSchema"]}


def bundle(models, by_hand):
    """Yields programs as messages and as text, models in this runtime's own format, other model types, pipelines."""
    for name, functions, weights in by_hand:
        text, message = programs.text(functions).encode(), programs.model(functions).description
        files = {"model.mil": text, "weights/weight.bin": weights} if weights else {"model.mil": text}
        yield f"program-{name}", joined({"coremldata.bin": description(502, message), **files}, BUNDLE)
        own = {"coremlRuntimeFormat": 1, "modelType": "mlProgram", "specificationVersion": 9, "arrayMapping": "exact", "imageMapping": "exact"}
        yield f"own-{name}", joined({
            "coremldata.bin": message.SerializeToString(deterministic=True), "metadata.json": json.dumps([own]).encode(), **files}, BUNDLE)
    relu = b"program(1.3) { func main<ios18>(tensor<fp32, [2]> x) { tensor<fp32, [2]> y = relu(x = x); } -> (y); }"
    for index, words in enumerate(schema()):
        yield f"words-{index}", joined({"model.mil": relu, "metadata.json": json.dumps([words]).encode()}, BUNDLE)
    for name, model in models:
        yield f"whole-{name}", joined({"coremldata.bin": whole(model)}, BUNDLE)
    for number, form in [(200, "generic"), (201, "generic.model0v1.0.0spec"), (202, "generic.model0v1.0.0spec.model1v1.0.0spec")]:
        parts = [networks.one("add", [[2]], 1, {"alpha": 1}), networks.one("copy", [[2]], 1, {})]
        parts[0].description.output[0].name = parts[0].neuralNetwork.layers[0].output[0] = "m"
        parts[1].description.input[0].name = parts[1].neuralNetwork.layers[0].input[0] = "m"
        yield f"pipeline-{number}", joined({
            "coremldata.bin": description(number, interface({"x0": [2]}, {"y0": [2]}), form, struct.pack("<QQ", 2, number)),
            "model0/coremldata.bin": whole(parts[0]), "model1/coremldata.bin": whole(parts[1])}, BUNDLE)
