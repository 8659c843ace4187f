"""The lowest specification version that allows all features of a model, as Core ML's compiler requires it."""

# Neural network layers that exist since before version 4, and those added in version 5. All others came with version 4.
OLD_LAYERS = {
    "convolution", "pooling", "activation", "innerProduct", "embedding", "batchnorm", "mvn", "l2normalize", "softmax", "lrn", "crop",
    "padding", "upsample", "resizeBilinear", "cropResize", "unary", "add", "multiply", "average", "scale", "bias", "max", "min", "dot",
    "reduce", "loadConstant", "reshape", "flatten", "permute", "concat", "split", "sequenceRepeat", "reorganizeData", "slice",
    "simpleRecurrent", "gru", "uniDirectionalLSTM", "biDirectionalLSTM", "custom"}
LAYERS_OF_5 = {
    "sliceBySize", "cumSum", "clampedReLU", "argSort", "pooling3d", "globalPooling3d", "convolution3d", "constantPad3d", "padding3d",
    "oneHot5", "layerNormalization5"}
TYPES = {
    "customModel": 3, "bayesianProbitRegressor": 3, "wordTagger": 3, "textClassifier": 3, "visionFeaturePreprocessor": 3,
    "visionFeaturePrint": 3, "nonMaximumSuppression": 3, "kNearestNeighborsClassifier": 4, "linkedModel": 4, "itemSimilarityRecommender": 4,
    "soundAnalysisPreprocessing": 4, "gazetteer": 4, "wordEmbedding": 4, "serializedModel": 5, "audioFeaturePrint": 6, "mlProgram": 6,
    "classConfidenceThresholding": 6}
OPSETS = {"CoreML5": 6, "CoreML6": 7, "CoreML7": 8, "CoreML8": 9, "CoreML9": 10}


def least_version(model):
    """The lowest specification version for a `Model` message. At most its own version, if that is a known one."""
    return max(1, _of_type(model), _of_description(model.description), 4 if model.isUpdatable else 1)


def _of_type(model):
    kind = model.WhichOneof("Type") or ""
    if kind == "mlProgram":
        opsets = {OPSETS.get(name, 10) for function in model.mlProgram.functions.values() for name in function.block_specializations}
        return max([6, *opsets, 9 if model.description.functions else 6])
    if kind.startswith("neuralNetwork"):
        return _of_network(getattr(model, kind))
    if kind.startswith("pipeline"):
        pipeline = model.pipeline if kind == "pipeline" else getattr(model, kind).pipeline
        return max([1, *map(least_version, pipeline.models)])
    return TYPES.get(kind, 1)


def _of_network(network):
    version = 4 if network.arrayInputShapeMapping or getattr(network, "imageInputShapeMapping", 0) else 1
    for layer in network.layers:
        kind = layer.WhichOneof("layer") or ""
        if kind in LAYERS_OF_5:
            version = max(version, 5)
        elif kind not in OLD_LAYERS:
            version = max(version, 4)
        elif kind == "custom":
            version = max(version, 2)
        if version < 4:
            version = max(version, _of_weights(getattr(layer, kind) if kind else layer))
    return version


def _of_weights(message):
    """fp16 weights need version 2, quantized weights version 3, int8 weights version 4."""
    version = 1
    for field, value in message.ListFields():
        if field.message_type is None or getattr(field, "label", None) == getattr(field, "LABEL_REPEATED", 3):
            continue
        if field.message_type.name == "WeightParams":
            if value.HasField("quantization"):
                version = max(version, 3)
            elif len(value.float16Value):
                version = max(version, 2)
            if len(value.int8RawValue):
                version = max(version, 4)
        else:
            version = max(version, _of_weights(value))
    return version


def _of_description(description):
    version = 9 if description.state or description.functions else 1
    for feature in [*description.input, *description.output, *description.trainingInput]:
        kind = feature.type.WhichOneof("Type")
        if kind == "multiArrayType":
            array = feature.type.multiArrayType
            if array.WhichOneof("ShapeFlexibility"):
                version = max(version, 3)
            if array.WhichOneof("defaultOptionalValue"):
                version = max(version, 5)
            if array.dataType == array.ArrayDataType.Value("FLOAT16"):
                version = max(version, 7)
            if "INT8" in array.ArrayDataType.keys() and array.dataType == array.ArrayDataType.Value("INT8"):
                version = max(version, 10)
        elif kind == "imageType":
            image = feature.type.imageType
            if image.WhichOneof("SizeFlexibility"):
                version = max(version, 3)
            if image.colorSpace == 40:  # fp16 gray
                version = max(version, 7)
        elif kind == "sequenceType":
            version = max(version, 3)
    return version
