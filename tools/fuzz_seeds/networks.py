"""Neural networks with one or few layers: one for each type of layer, and some for its variants."""
from coremltools.proto import Model_pb2


def weights(count, kind="floatValue"):
    return {kind: [0.5 * (i % 5) - 1 for i in range(count)]}


def quantized(count, bits, scales=1):
    """Weights with linear quantization to `bits` bits."""
    raw = bytes((37 * i) % 256 for i in range((count * bits + 7) // 8))
    return {"rawValue": raw, "quantization": {
        "numberOfBits": bits, "linearQuantization": {"scale": [0.5] * scales, "bias": [0.25] * scales}}}


def table(count, bits):
    made = quantized(count, bits)
    made["quantization"] = {"numberOfBits": bits, "lookupTableQuantization": {"floatValue": [0.1 * i for i in range(2**bits)]}}
    return made


def fill(message, fields):
    """Sets the fields of a message from dictionaries and lists. Keeps bytes unchanged."""
    for name, value in fields.items():
        field = message.DESCRIPTOR.fields_by_name[name]
        if field.message_type and field.message_type.GetOptions().map_entry:
            for key, item in value.items():
                if isinstance(item, dict):
                    fill(getattr(message, name)[key], item)
                else:
                    getattr(message, name)[key] = item
        elif isinstance(value, dict):
            getattr(message, name).SetInParent()
            fill(getattr(message, name), value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for item in value:
                fill(getattr(message, name).add(), item)
        elif isinstance(value, list):
            getattr(message, name).extend(value)
        else:
            setattr(message, name, value)
    return message


ACTIVATIONS = [
    {"linear": {"alpha": 2, "beta": 1}}, {"ReLU": {}}, {"leakyReLU": {"alpha": 0.1}}, {"thresholdedReLU": {"alpha": 0.1}},
    {"PReLU": {"alpha": weights(2)}}, {"tanh": {}}, {"scaledTanh": {"alpha": 1, "beta": 2}}, {"sigmoid": {}},
    {"sigmoidHard": {"alpha": 0.2, "beta": 0.5}}, {"ELU": {"alpha": 1}}, {"softsign": {}}, {"softplus": {}},
    {"parametricSoftplus": {"alpha": weights(2), "beta": weights(2)}}]
VALID = {"valid": {"paddingAmounts": {"borderAmounts": [{"startEdgeSize": 1}, {"endEdgeSize": 1}]}}}
BORDERS = {"borderAmounts": [{"startEdgeSize": 1, "endEdgeSize": 1}, {"endEdgeSize": 1}]}
RANDOM = {"seed": 7}
MASKS = {"beginMasks": [True, False], "endMasks": [False, True], "strides": [1, 2]}


def convolution(inputs=2, outputs=2, **more):
    made = {"outputChannels": outputs, "kernelChannels": inputs, "nGroups": 1, "kernelSize": [2, 2], "weights": weights(4 * inputs * outputs)}
    return {**made, **more}


def recurrent(names, gates, n=2, h=2):
    made = {"inputVectorSize": n, "outputVectorSize": h, "sequenceOutput": True}
    for gate in gates:
        made[names[0].format(gate)] = weights(n * h)
        made[names[1].format(gate)] = weights(h * h)
        made[names[2].format(gate)] = weights(h)
    return made


def lstm_weights(n=2, h=2):
    made = {}
    for gate in ["input", "forget", "block", "output"]:
        made |= {gate + "GateWeightMatrix" if gate != "block" else "blockInputWeightMatrix": weights(n * h),
                 gate + "GateRecursionMatrix" if gate != "block" else "blockInputRecursionMatrix": weights(h * h),
                 gate + "GateBiasVector" if gate != "block" else "blockInputBiasVector": weights(h)}
    return made | {gate + "GatePeepholeVector": weights(h) for gate in ["input", "forget", "output"]}


LSTM = {"sequenceOutput": True, "hasBiasVectors": True, "hasPeepholeVectors": True, "forgetBias": True, "cellClipThreshold": 50}
THREE = [{"sigmoid": {}}, {"tanh": {}}, {"tanh": {}}]
SAMPLING = {"mode": {"samplingMethod": 1}}
CUBE = {"kernelDepth": 2, "kernelHeight": 2, "kernelWidth": 1, "strideDepth": 1, "strideHeight": 1, "strideWidth": 1}
IMAGE, SEQUENCE, MATRIX, VECTOR, PAIR = [[2, 3, 4]], [[3, 1, 2, 1, 1]], [[2, 3]], [[3]], [[2, 3], [2, 3]]


def layers():
    """Yields (field of the layer, shapes of the inputs, number of outputs, parameters)."""
    for bits in [None, 8, 4, 1]:
        yield "convolution", IMAGE, 1, convolution(same={}, **({} if bits is None else {"weights": quantized(16, bits, 2)}))
    yield "convolution", IMAGE, 1, convolution(**VALID, hasBias=True, bias=weights(2), stride=[2, 1], dilationFactor=[1, 2], weights=table(16, 2))
    yield "convolution", IMAGE, 1, convolution(1, nGroups=2, valid={}, weights={"float16Value": bytes(16)})
    yield "convolution", IMAGE, 1, convolution(isDeconvolution=True, valid={}, outputShape=[4, 5])
    yield "convolution", IMAGE + [[2, 2, 2, 2]], 1, convolution(valid={})
    for kind in [0, 1, 2]:
        yield "pooling", IMAGE, 1, {"type": kind, "kernelSize": [2, 2], "stride": [2, 1], **VALID, "avgPoolExcludePadding": True}
    yield "pooling", IMAGE, 1, {"kernelSize": [2, 2], "stride": [2, 2], "includeLastPixel": {"paddingAmounts": [1, 1]}}
    yield "pooling", IMAGE, 1, {"type": 1, "kernelSize": [2, 2], "same": {"asymmetryMode": 1}, "globalPooling": True}
    for activation in ACTIVATIONS:
        yield "activation", IMAGE, 1, activation
    inner = {"inputChannels": 3, "outputChannels": 2, "hasBias": True, "weights": weights(6), "bias": weights(2)}
    yield "innerProduct", MATRIX, 1, inner
    yield "innerProduct", MATRIX, 1, {**inner, "weights": {"int8RawValue": bytes(6), "quantization": {"numberOfBits": 8, "linearQuantization": {
        "scale": [1.0]}}}, "int8DynamicQuantize": True}
    yield "embedding", [[2, 1, 1, 1, 1]], 1, {"inputDim": 3, "outputChannels": 2, "weights": weights(6), "hasBias": True, "bias": weights(2)}
    affine = {"channels": 2, "epsilon": 1e-3, "gamma": weights(2), "beta": weights(2)}
    yield "batchnorm", IMAGE, 1, {**affine, "mean": weights(2), "variance": {"floatValue": [1, 2]}}
    yield "batchnorm", IMAGE, 1, {**affine, "computeMeanVar": True, "instanceNormalization": True}
    yield "mvn", IMAGE, 1, {"acrossChannels": True, "normalizeVariance": True, "epsilon": 1e-3}
    yield "l2normalize", IMAGE, 1, {"epsilon": 1e-3}
    yield "softmax", IMAGE, 1, {}
    yield "lrn", IMAGE, 1, {"alpha": 1, "beta": 0.5, "localSize": 3, "k": 1}
    yield "crop", IMAGE, 1, {"cropAmounts": BORDERS}
    yield "crop", [[2, 3, 4], [2, 2, 2]], 1, {"offset": [1, 1]}
    for mode in [{"constant": {"value": 2}}, {"reflection": {}}, {"replication": {}}]:
        yield "padding", IMAGE, 1, {**mode, "paddingAmounts": BORDERS}
    yield "upsample", IMAGE, 1, {"scalingFactor": [2, 3]}
    yield "upsample", IMAGE, 1, {"fractionalScalingFactor": [1.5, 2], "mode": 1, "linearUpsampleMode": 1}
    yield "resizeBilinear", IMAGE, 1, {"targetSize": [2, 3], **SAMPLING}
    yield "cropResize", [[1, 1, 2, 4, 4], [2, 1, 4, 1, 1]], 1, {"targetSize": [2, 2], "normalizedCoordinates": True, **SAMPLING, "spatialScale": 1}
    for kind in range(8):
        yield "unary", MATRIX, 1, {"type": kind, "alpha": 0.5, "epsilon": 1e-3, "shift": 1, "scale": 2}
    for kind in ["add", "multiply"]:
        yield kind, MATRIX, 1, {"alpha": 2}
        yield kind, PAIR, 1, {}
    for kind in ["average", "max", "min"]:
        yield kind, PAIR, 1, {}
    yield "dot", [[3, 1, 1], [3, 1, 1]], 1, {"cosineSimilarity": True}
    yield "scale", IMAGE, 1, {"shapeScale": [2], "scale": weights(2), "hasBias": True, "shapeBias": [1], "bias": weights(1)}
    yield "bias", IMAGE, 1, {"shape": [2, 1, 4], "bias": weights(8)}
    for mode in range(8):
        yield "reduce", IMAGE, 1, {"mode": mode, "axis": mode % 5, "epsilon": 1e-3}
    yield "loadConstant", [], 1, {"shape": [2, 1, 2], "data": weights(4)}
    yield "reshape", [[1, 1, 2, 3, 4]], 1, {"targetShape": [4, 3, 2], "mode": 1}
    yield "flatten", IMAGE, 1, {"mode": 1}
    yield "permute", IMAGE, 1, {"axis": [0, 2, 3, 1]}
    yield "concat", [[2, 3, 4], [1, 3, 4]], 1, {}
    yield "concat", [[1, 1, 2, 3, 4]] * 2, 1, {"sequenceConcat": True}
    yield "split", IMAGE, 2, {"nOutputs": 2}
    yield "sequenceRepeat", IMAGE, 1, {"nRepetitions": 2}
    for mode in range(3):
        yield "reorganizeData", [[4, 2, 4]], 1, {"mode": mode, "blockSize": 2}
    yield "slice", IMAGE, 1, {"startIndex": 1, "endIndex": -1, "stride": 2, "axis": 2}
    yield "simpleRecurrent", SEQUENCE, 2, {**recurrent(["weightMatrix", "recursionMatrix", "biasVector"], [""]), "activation": {"tanh": {}},
                                           "hasBiasVector": True, "reverseInput": True}
    yield "gru", SEQUENCE, 2, {**recurrent(["{}GateWeightMatrix", "{}GateRecursionMatrix", "{}GateBiasVector"], ["update", "reset", "output"]),
                               "activations": THREE[:2], "hasBiasVectors": True}
    yield "uniDirectionalLSTM", SEQUENCE, 3, {"inputVectorSize": 2, "outputVectorSize": 2, "activations": THREE, "params": LSTM,
                                              "weightParams": lstm_weights()}
    yield "biDirectionalLSTM", SEQUENCE, 5, {"inputVectorSize": 2, "outputVectorSize": 2, "activationsForwardLSTM": THREE, "activationsBackwardLSTM": THREE,
                                             "params": {**LSTM, "coupledInputAndForgetGate": True}, "weightParams": [lstm_weights(), lstm_weights()]}
    yield "custom", MATRIX, 1, {"className": "Swish", "weights": [weights(2)], "parameters": {"beta": {"doubleValue": 2}}}
    for kind in ["copy", "ceil", "floor", "sign", "round", "exp2", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh",
                 "acosh", "atanh", "erf", "logicalNot", "getShape", "whereNonZero"]:
        yield kind, MATRIX, 1, {}
    yield "rangeStatic", [], 1, {"endValue": 5, "startValue": 1, "stepSizeValue": 2}
    yield "rangeDynamic", [[1]], 1, {"startValue": 1, "stepSizeValue": 2}
    yield "rangeDynamic", [[1], [1], [1]], 1, {}
    yield "clip", MATRIX, 1, {"minVal": -1, "maxVal": 1}
    for mode in range(3):
        yield "gelu", MATRIX, 1, {"mode": mode}
    for kind in ["equal", "notEqual", "lessThan", "lessEqual", "greaterThan", "greaterEqual"]:
        yield kind, MATRIX, 1, {"alpha": 0.5}
        yield kind, PAIR, 1, {}
    for kind in ["logicalOr", "logicalXor", "logicalAnd"] + [n + "Broadcastable" for n in [
            "mod", "min", "max", "add", "pow", "divide", "floorDiv", "multiply", "subtract"]]:
        yield kind, [[2, 3], [3]], 1, {}
    yield "tile", MATRIX, 1, {"reps": [2, 1]}
    yield "tile", [[2, 3], [2]], 1, {}
    yield "stack", PAIR, 1, {"axis": 1}
    yield "gather", [[2, 3], [2]], 1, {"axis": -1}
    for mode in range(6):
        yield "scatter", [[2, 3], [2], [2, 3]], 1, {"mode": mode}
    yield "gatherND", [[2, 3], [2, 1]], 1, {}
    yield "scatterND", [[2, 3], [2, 1], [2, 3]], 1, {"mode": 1}
    yield "softmaxND", MATRIX, 1, {"axis": -1}
    yield "gatherAlongAxis", PAIR, 1, {"axis": 1}
    yield "scatterAlongAxis", PAIR + [[2, 3]], 1, {"axis": 1, "mode": 2}
    yield "reverse", MATRIX, 1, {"reverseDim": [True, False]}
    yield "reverseSeq", [[2, 3], [2]], 1, {"batchAxis": 0, "sequenceAxis": 1}
    yield "splitND", MATRIX, 3, {"axis": 1, "numSplits": 3}
    yield "splitND", MATRIX, 2, {"axis": 1, "splitSizes": [1, 2]}
    yield "concatND", PAIR, 1, {"axis": 1, "interleave": True}
    yield "transpose", MATRIX, 1, {"axes": [1, 0]}
    yield "sliceStatic", MATRIX, 1, {"beginIds": [0, 1], "endIds": [1, 3], "squeezeMasks": [True, False], **MASKS}
    yield "sliceDynamic", [[2, 3], [2]], 1, {"endIds": [1, 3], "squeezeMasks": [False, False], **MASKS}
    yield "sliceDynamic", [[2, 3], [2], [2], [2], [2], [2], [2]], 1, {}
    yield "slidingWindows", MATRIX, 1, {"axis": 1, "windowSize": 2, "step": 1}
    yield "topK", MATRIX, 2, {"axis": 1, "K": 2, "useBottomK": True}
    yield "topK", [[2, 3], [1]], 2, {"axis": 1}
    for kind in ["argMin", "argMax"]:
        yield kind, MATRIX, 1, {"axis": 1, "removeDim": kind == "argMax"}
    yield "embeddingND", [[2, 1]], 1, {"vocabSize": 3, "embeddingSize": 2, "weights": weights(6), "hasBias": True, "bias": weights(2)}
    yield "batchedMatmul", [[2, 3], [2, 3]], 1, {"transposeB": True}
    yield "batchedMatmul", MATRIX, 1, {"weightMatrixFirstDimension": 3, "weightMatrixSecondDimension": 2, "weights": weights(6), "hasBias": True,
                                       "bias": weights(2)}
    yield "loadConstantND", [], 1, {"shape": [2, 2], "data": table(4, 8)}
    yield "fillLike", MATRIX, 1, {"value": 2}
    yield "fillStatic", [], 1, {"value": 2, "targetShape": [2, 3]}
    yield "fillDynamic", [[2]], 1, {"value": 2}
    yield "broadcastToLike", [[1, 3], [2, 3]], 1, {}
    yield "broadcastToStatic", [[1, 3]], 1, {"targetShape": [2, 3]}
    yield "broadcastToDynamic", [[1, 3], [2]], 1, {}
    yield "squeeze", [[1, 3, 1]], 1, {"axes": [0, -1]}
    yield "squeeze", [[1, 3, 1]], 1, {"squeezeAll": True}
    yield "expandDims", MATRIX, 1, {"axes": [0, 2]}
    yield "flattenTo2D", IMAGE, 1, {"axis": -2}
    yield "reshapeLike", [[2, 3], [3, 2]], 1, {}
    yield "reshapeStatic", MATRIX, 1, {"targetShape": [-1, 2]}
    yield "reshapeDynamic", [[2, 3], [2]], 1, {}
    yield "rankPreservingReshape", MATRIX, 1, {"targetShape": [0, -1]}
    yield "constantPad", MATRIX, 1, {"value": 1, "padAmounts": [1, 0, 0, 2]}
    yield "constantPad", [[2, 3], [4]], 1, {}
    yield "constantPad", MATRIX, 1, {"padAmounts": [0, 4, 0, 5], "padToGivenOutputSizeMode": True}
    for kind, fields in [("Normal", {"mean": 1, "stdDev": 2}), ("Uniform", {"minVal": 1, "maxVal": 2}), ("Bernoulli", {"prob": 0.5})]:
        yield f"random{kind}Like", MATRIX, 1, {**RANDOM, **fields}
        yield f"random{kind}Static", [], 1, {**RANDOM, **fields, "outputShape": [2, 3]}
        yield f"random{kind}Dynamic", [[2]], 1, {**RANDOM, **fields}
    yield "categoricalDistribution", MATRIX, 1, {**RANDOM, "numSamples": 2, "isLogits": True, "eps": 1e-3, "temperature": 1}
    for kind in ["L1", "L2", "Max", "Min", "Sum", "Prod", "Mean", "LogSum", "SumSquare", "LogSumExp"]:
        yield "reduce" + kind, MATRIX, 1, {"axes": [-1], "keepDims": kind < "M", "reduceAll": kind == "Sum"}
    yield "matrixBandPart", MATRIX, 1, {"numLower": 1, "numUpper": -1}
    yield "lowerTriangular", MATRIX, 1, {"k": 1}
    yield "upperTriangular", MATRIX, 1, {"k": -1}
    yield "whereBroadcastable", [[2, 3], [3], [1]], 1, {}
    yield "layerNormalization", MATRIX, 1, {"normalizedShape": [3], "eps": 1e-3, "gamma": weights(3), "beta": weights(3)}
    yield "NonMaximumSuppression", [[1, 3, 4], [1, 3, 2]], 4, {"iouThreshold": 0.5, "scoreThreshold": 0.1, "maxBoxes": 2, "perClassSuppression": True}
    yield "oneHot", VECTOR, 1, {"oneHotVectorSize": 4, "axis": -1, "onValue": 1}
    yield "cumSum", MATRIX, 1, {"axis": 1, "excludeFinalSum": True, "reverse": True}
    yield "clampedReLU", MATRIX, 1, {"alpha": 0.5, "beta": 6}
    yield "argSort", MATRIX, 1, {"axis": 1, "descending": True}
    yield "pooling3d", [[1, 2, 3, 3, 3]], 1, {**CUBE, "type": 1, "paddingType": 0, "customPaddingFront": 1, "countExcludePadding": True}
    yield "globalPooling3d", [[1, 2, 3, 3, 3]], 1, {"type": 1}
    yield "sliceBySize", [[2, 3], [1]], 1, {"size": 2, "axis": 1}
    for more in [{"paddingType": 1}, {"paddingType": 2}, {"isDeconvolution": True, "outputShape": [2, 4, 4]}]:
        yield "convolution3d", [[1, 2, 3, 3, 3]], 1, {"outputChannels": 2, "inputChannels": 2, "nGroups": 1, **CUBE, "dilationDepth": 1, "dilationHeight": 1,
                                                      "dilationWidth": 1, "hasBias": True, "weights": weights(16), "bias": weights(2), **more}


def describe(features, name, shape, kind=65568):
    feature = features.add()
    feature.name = name
    feature.type.multiArrayType.shape.extend(shape)
    feature.type.multiArrayType.dataType = kind
    return feature


def model(shapes, outputs, exact=True):
    made = Model_pb2.Model(specificationVersion=5 if exact else 1)
    for index, shape in enumerate(shapes):
        describe(made.description.input, f"x{index}", shape)
    for index in range(outputs):
        describe(made.description.output, f"y{index}", [])
    if exact:
        made.neuralNetwork.arrayInputShapeMapping = 1
    return made


def layer(field, inputs, outputs, parameters):
    return {"name": field, "input": inputs, "output": outputs, field: parameters}


def one(field, shapes, outputs, parameters, exact=True):
    """A network with one layer. If the layer has no inputs, the network has an unused feature."""
    if exact and field in ["convolution", "pooling"]:
        shapes = [[1] * (4 - len(shape)) + shape for shape in shapes]
    made = model(shapes or [[1]], outputs, exact)
    names = [f"x{i}" for i in range(len(shapes))]
    fill(made.neuralNetwork.layers.add(), layer(field, names, [f"y{i}" for i in range(outputs)], parameters))
    return made


def loops():
    """Yields control flow: nested networks."""
    add, less = layer("add", ["y0"], ["y0"], {"alpha": 1}), layer("lessThan", ["y0"], ["c"], {"alpha": 5})
    copy, leave = layer("copy", ["x0"], ["y0"], {}), {"name": "break", "loopBreak": {}}
    branch = layer("branch", ["c"], [], {"ifBranch": {"layers": [leave]}, "elseBranch": {"layers": [add, {"name": "again", "loopContinue": {}}]}})
    loop = {"name": "loop", "loop": {"conditionVar": "c", "conditionNetwork": {"layers": [less]}, "bodyNetwork": {"layers": [add, branch]}}}
    counted = {"name": "loop", "loop": {"maxLoopIterations": 3, "bodyNetwork": {"layers": [add]}}}
    choice = layer("branch", ["c"], [], {"ifBranch": {"layers": [add]}, "elseBranch": {"layers": [copy]}})
    for body in [[copy, loop], [copy, counted], [copy, less, choice]]:
        made = model([[1]], 1)
        for item in body:
            fill(made.neuralNetwork.layers.add(), item)
        yield made


def classifiers():
    """Yields image classifiers with all kinds of preprocessing, and a regressor with flexible arrays."""
    for labels in [{"stringClassLabels": {"vector": ["a", "b"]}}, {"int64ClassLabels": {"vector": [3, -1]}}]:
        made = Model_pb2.Model(specificationVersion=4)
        feature = made.description.input.add(name="image")
        sizes = {"imageSizeRange": {"widthRange": {"lowerBound": 2, "upperBound": -1}, "heightRange": {"lowerBound": 1, "upperBound": 4}}}
        fill(feature.type.imageType, {"width": 2, "height": 1, "colorSpace": 20, **(sizes if "stringClassLabels" in labels else {})})
        label, scores = made.description.output.add(name="label"), made.description.output.add(name="scores")
        if "stringClassLabels" in labels:
            label.type.stringType.SetInParent()
            scores.type.dictionaryType.stringKeyType.SetInParent()
        else:
            label.type.int64Type.SetInParent()
            scores.type.dictionaryType.int64KeyType.SetInParent()
        made.description.predictedFeatureName, made.description.predictedProbabilitiesName = "label", "scores"
        network = made.neuralNetworkClassifier
        fill(network, {**labels, "labelProbabilityLayerName": "s", "preprocessing": [
            {"featureName": "image", "scaler": {"channelScale": 0.5, "redBias": 1}} if "stringClassLabels" in labels else
            {"featureName": "image", "meanImage": {"meanImage": [0.5] * 6}}]})
        for item in [layer("reduce", ["image"], ["r"], {"mode": 1, "axis": 1}), layer("flatten", ["r"], ["f"], {}), layer("softmax", ["f"], ["s"], {})]:
            fill(network.layers.add(), item)
        yield made
    made = Model_pb2.Model(specificationVersion=5)
    made.neuralNetworkRegressor.arrayInputShapeMapping = 1
    feature = describe(made.description.input, "x0", [1, 2])
    fill(feature.type.multiArrayType, {"enumeratedShapes": {"shapes": [{"shape": [1, 2]}, {"shape": [1, 4]}]}, "floatDefaultValue": 0.5})
    feature.type.isOptional = True
    describe(made.description.output, "y0", [1, 2])
    fill(made.neuralNetworkRegressor.layers.add(), layer("add", ["x0"], ["y0"], {"alpha": 1}))
    yield made
    made = model([[2]], 1)
    made.isUpdatable = True
    inner = {"inputChannels": 2, "outputChannels": 2, "weights": {**weights(4), "isUpdatable": True}}
    fill(made.neuralNetwork.layers.add(), {**layer("innerProduct", ["x0"], ["y0"], inner), "isUpdatable": True})
    fill(made.neuralNetwork.updateParams, {
        "lossLayers": [{"name": "loss", "meanSquaredErrorLossLayer": {"input": "y0", "target": "t"}}],
        "optimizer": {"sgdOptimizer": {"learningRate": {"defaultValue": 0.1, "range": {"minValue": 0, "maxValue": 1}},
                                       "miniBatchSize": {"defaultValue": 2, "set": {"values": [1, 2]}}}},
        "epochs": {"defaultValue": 2, "range": {"minValue": 1, "maxValue": 9}}, "shuffle": {"defaultValue": True}, "seed": {"defaultValue": 1}})
    describe(made.description.trainingInput, "x0", [2])
    describe(made.description.trainingInput, "t", [2])
    yield made


def seeds():
    """Yields (name, model)."""
    for index, (field, shapes, outputs, parameters) in enumerate(layers()):
        yield f"{field}-{index}", one(field, shapes, outputs, parameters)
        # The first layers also with the rank-5 shapes of the first specification version.
        if all(len(shape) in (1, 3) for shape in shapes) and index < 90:
            yield f"{field}-{index}-first", one(field, shapes, outputs, parameters, exact=False)
    for index, made in enumerate(loops()):
        yield f"loop-{index}", made
    for index, made in enumerate(classifiers()):
        yield f"feature-{index}", made
