"""Models of all types except neural networks and programs, pipelines of them, and models of unsupported types."""
from coremltools.proto import Model_pb2
from networks import describe, fill, one

INT64, DOUBLE, STRING = {"int64Type": {}}, {"doubleType": {}}, {"stringType": {}}
BY_STRING, BY_INT = {"dictionaryType": {"stringKeyType": {}}}, {"dictionaryType": {"int64KeyType": {}}}
WORDS, NUMBERS = {"vector": ["a", "b"]}, {"vector": [3, -1]}


def array(*shape, kind=65600): return {"multiArrayType": {"shape": list(shape), "dataType": kind}}


def image(width, height, space=20): return {"imageType": {"width": width, "height": height, "colorSpace": space}}


X, Y = {"x": array(3)}, {"y": array(3)}


def model(field, parameters, inputs=X, outputs=Y, version=4, predicted=()):
    made = Model_pb2.Model(specificationVersion=version)
    for features, types in [(made.description.input, inputs), (made.description.output, outputs)]:
        for name, kind in types.items():
            fill(features.add(name=name).type, kind)
    if predicted:
        made.description.predictedFeatureName, made.description.predictedProbabilitiesName = predicted
    getattr(made, field).SetInParent()
    fill(getattr(made, field), parameters)
    return made


def classifier(field, parameters, inputs=X):
    """Yields the classifier with string labels and with integer labels."""
    for name, labels, kind, scores in [("stringClassLabels", WORDS, STRING, BY_STRING), ("int64ClassLabels", NUMBERS, INT64, BY_INT)]:
        yield model(field, {**parameters, name: labels}, inputs, {"label": kind, "scores": scores}, predicted=("label", "scores"))


def tree(dimensions=1):
    def node(number, behavior, **more): return {"nodeId": number, "nodeBehavior": behavior, "branchFeatureIndex": number % 3, **more}
    leaf = {"evaluationInfo": [{"evaluationIndex": i, "evaluationValue": 0.5 + i} for i in range(dimensions)]}
    return {"numPredictionDimensions": dimensions, "basePredictionValue": [0.25] * dimensions, "nodes": [
        node(0, 0, branchFeatureValue=0.5, trueChildNodeId=1, falseChildNodeId=2), node(1, 3, branchFeatureValue=1, trueChildNodeId=3, falseChildNodeId=4,
                                                                                      missingValueTracksTrueChild=True),
        node(2, 6, **leaf), node(3, 6, **leaf), node(4, 6, **leaf)]}


KERNELS = [{"linearKernel": {}}, {"rbfKernel": {"gamma": 0.5}}, {"polyKernel": {"degree": 2, "c": 1, "gamma": 0.5}}, {"sigmoidKernel": {"gamma": 0.5, "c": 1}}]
DENSE = {"denseSupportVectors": {"vectors": [{"values": [1, 2, 3]}, {"values": [3, 2, 1]}]}}
SPARSE = {"sparseSupportVectors": {"vectors": [{"nodes": [{"index": 1, "value": 2}]}, {"nodes": [{"index": 3, "value": 1}]}]}}


def transforms():
    yield model("scaler", {"shiftValue": [1, 2, 3], "scaleValue": [2]})
    yield model("scaler", {"shiftValue": [1], "scaleValue": [2]}, {"x": DOUBLE}, {"y": DOUBLE})
    for norm in range(3):
        yield model("normalizer", {"normType": norm})
    yield model("featureVectorizer", {"inputList": [{"inputColumn": "x", "inputDimensions": 3}, {"inputColumn": "z", "inputDimensions": 1}]},
                {"x": array(3), "z": DOUBLE}, {"y": array(4)})
    yield model("featureVectorizer", {"inputList": [{"inputColumn": "x", "inputDimensions": 2}, {"inputColumn": "z", "inputDimensions": 1}]},
                {"x": BY_INT, "z": INT64}, {"y": array(3)})
    yield model("arrayFeatureExtractor", {"extractIndex": [2, 0]}, outputs={"y": array(2)})
    yield model("arrayFeatureExtractor", {"extractIndex": [1]}, outputs={"y": DOUBLE})
    yield model("identity", {})
    yield model("identity", {}, {"x": image(2, 2)}, {"x": image(2, 2)})
    for fields, kind in [
            ({"imputedDoubleValue": 1, "replaceDoubleValue": -1}, DOUBLE), ({"imputedInt64Value": 1, "replaceInt64Value": -1}, INT64),
            ({"imputedStringValue": "a", "replaceStringValue": ""}, STRING), ({"imputedDoubleArray": {"vector": [1, 2, 3]}, "replaceDoubleValue": 0}, array(3)),
            ({"imputedInt64Array": {"vector": [1, 2, 3]}, "replaceInt64Value": 0}, array(3, kind=131104)),
            ({"imputedStringDictionary": {"map": {"a": 1.0}}}, BY_STRING), ({"imputedInt64Dictionary": {"map": {1: 1.0}}}, BY_INT)]:
        yield model("imputer", fields, {"x": kind}, {"y": kind})
    for fields, kind in [({"stringCategories": WORDS}, STRING), ({"int64Categories": NUMBERS}, INT64)]:
        yield model("oneHotEncoder", {**fields, "handleUnknown": 1}, {"x": kind}, {"y": array(2)})
        yield model("oneHotEncoder", {**fields, "outputSparse": True}, {"x": kind}, {"y": BY_INT})
    yield model("dictVectorizer", {"stringToIndex": WORDS}, {"x": BY_STRING}, {"y": array(2)})
    yield model("dictVectorizer", {"int64ToIndex": NUMBERS}, {"x": BY_INT}, {"y": array(2)})
    yield model("categoricalMapping", {"stringToInt64Map": {"map": {"a": 1, "b": 2}}, "int64Value": -1}, {"x": STRING}, {"y": INT64})
    yield model("categoricalMapping", {"int64ToStringMap": {"map": {1: "a", 2: "b"}}, "strValue": "?"}, {"x": INT64}, {"y": STRING})


def learned():
    for transform in range(3):
        yield model("glmRegressor", {"weights": [{"value": [1, 2, 3]}], "offset": [0.5], "postEvaluationTransform": transform}, outputs={"y": DOUBLE})
    yield model("glmRegressor", {"weights": [{"value": [1, 2, 3]}, {"value": [3, 2, 1]}], "offset": [0.5, 1]}, outputs={"y": array(2)})
    for encoding in range(2):
        weights = [{"value": [1, 2, 3]}] * (1 + encoding)
        yield from classifier("glmClassifier", {"weights": weights, "offset": [0.5] * (1 + encoding), "postEvaluationTransform": encoding, "classEncoding": encoding})
    yield model("treeEnsembleRegressor", {"treeEnsemble": tree(), "postEvaluationTransform": 2}, outputs={"y": DOUBLE})
    yield model("treeEnsembleRegressor", {"treeEnsemble": tree(2)}, outputs={"y": array(2)})
    yield from classifier("treeEnsembleClassifier", {"treeEnsemble": tree(2), "postEvaluationTransform": 1})
    yield from classifier("treeEnsembleClassifier", {"treeEnsemble": tree(1), "postEvaluationTransform": 3})
    for index, kernel in enumerate(KERNELS):
        vectors = SPARSE if index % 2 else DENSE
        yield model("supportVectorRegressor", {"kernel": kernel, **vectors, "coefficients": {"alpha": [1, -1]}, "rho": 0.5}, outputs={"y": DOUBLE})
        yield from classifier("supportVectorClassifier", {
            "kernel": kernel, **vectors, "numberOfSupportVectorsPerClass": [1, 1], "coefficients": [{"alpha": [1, -1]}], "rho": [0.5], "probA": [-1],
            "probB": [0.5]})
    for index, more in enumerate([
            {"singleKdTreeIndex": {"leafSize": 2}, "squaredEuclideanDistance": {}}, {"linearIndex": {}, "squaredEuclideanDistance": {}}]):
        samples = {"numberOfDimensions": 3, "floatSamples": [{"vector": [1, 2, 3]}, {"vector": [3, 2, 1]}], **more}
        neighbours = {"defaultValue": 1, "range": {"minValue": 1, "maxValue": 2}} if index else {"defaultValue": 2, "set": {"values": [1, 2]}}
        weighting = {"inverseDistanceWeighting": {}} if index else {"uniformWeighting": {}}
        fields = {"nearestNeighborsIndex": samples, "numberOfNeighbors": neighbours, **weighting}
        for made in classifier("kNearestNeighborsClassifier", fields):
            if index:
                made.isUpdatable = True
                describe(made.description.trainingInput, "x", [3])
                fill(made.description.trainingInput.add(name="label").type, STRING)
            yield made
    gauss = {"mean": 0.5, "precision": 2}
    names = {"regressionInputFeatureName": "x", "optimismInputFeatureName": "o", "samplingScaleInputFeatureName": "s", "samplingTruncationInputFeatureName": "t",
             "meanOutputFeatureName": "mean", "varianceOutputFeatureName": "variance", "pessimisticProbabilityOutputFeatureName": "low"}
    yield model("bayesianProbitRegressor", {
        "numberOfFeatures": 1, "bias": gauss, "features": [{"featureId": 0, "weights": [{"featureValue": 1, "featureWeight": gauss}]}], **names},
        {"x": array(2), "o": DOUBLE, "s": DOUBLE, "t": DOUBLE}, {"mean": DOUBLE, "variance": DOUBLE, "low": DOUBLE})


def others():
    similar = {"itemItemSimilarities": [{"itemId": 0, "similarItemList": [{"itemId": 1, "similarityScore": 0.5}], "itemScoreAdjustment": 0.1}, {
        "itemId": 1, "similarItemList": [{"itemId": 0, "similarityScore": 0.5}]}], "itemInputFeatureName": "items", "numRecommendationsInputFeatureName": "k",
        "itemRestrictionInputFeatureName": "only", "itemExclusionInputFeatureName": "not", "recommendedItemListOutputFeatureName": "list",
        "recommendedItemScoreOutputFeatureName": "scores"}
    for ids, key, items in [({"itemStringIds": WORDS}, BY_STRING, {"stringType": {}}), ({"itemInt64Ids": NUMBERS}, BY_INT, {"int64Type": {}}), ({}, BY_INT, {
            "int64Type": {}})]:
        sequence = {"sequenceType": {**items, "sizeRange": {"lowerBound": 0, "upperBound": -1}}}
        made = model("itemSimilarityRecommender", {**similar, **ids}, {"items": key, "k": INT64, "only": sequence, "not": sequence}, {"list": sequence, "scores": key})
        for feature in made.description.input[1:]:
            feature.type.isOptional = True
        yield made
    names = {"confidenceInputFeatureName": "c", "coordinatesInputFeatureName": "b", "iouThresholdInputFeatureName": "iou",
             "confidenceThresholdInputFeatureName": "low", "confidenceOutputFeatureName": "confidence", "coordinatesOutputFeatureName": "boxes"}
    for labels in [{"stringClassLabels": WORDS}, {"int64ClassLabels": NUMBERS}, {}]:
        made = model("nonMaximumSuppression", {**names, **labels, "iouThreshold": 0.5, "confidenceThreshold": 0.1, "pickTop": {"perClass": True}},
                     {"c": array(3, 2), "b": array(3, 4), "iou": DOUBLE, "low": DOUBLE}, {"confidence": array(), "boxes": array()})
        for feature in made.description.input[2:]:
            feature.type.isOptional = True
        fill(made.description.output[0].type.multiArrayType, {"shapeRange": {"sizeRanges": [{"lowerBound": 0, "upperBound": -1}, {"lowerBound": 2, "upperBound": 2}]}})
        yield made
    yield model("customModel", {"className": "Greeter", "parameters": {name: {field: item} for name, field, item in [
        ("a", "doubleValue", 1.0), ("b", "stringValue", "x"), ("c", "intValue", 1), ("d", "longValue", 1), ("e", "boolValue", True), ("f", "bytesValue", b"\1")]}},
        {"x": STRING}, {"y": STRING})
    yield model("linkedModel", {"linkedModelFile": {"linkedModelFileName": {"defaultValue": "other.mlmodelc"}, "linkedModelSearchPath": {
        "defaultValue": ":/nowhere"}}})
    yield model("classConfidenceThresholding", {"precisionRecallCurves": [{"precisionValues": {}}]})
    yield model("soundAnalysisPreprocessing", {"vggish": {}}, {"x": array(15600, kind=65568)}, {"y": array(1, 96, 64, kind=65568)})
    for field, parameters in [
            ("textClassifier", {"revision": 1, "language": "en", "modelParameterData": b"\0\1"}), ("wordTagger", {"revision": 1}), ("gazetteer", {"revision": 1}),
            ("wordEmbedding", {"revision": 1}), ("visionFeaturePrint", {"scene": {"version": 1}}), ("audioFeaturePrint", {"sound": {"version": 1}}), (
                "serializedModel", {"identifier": "a", "model": b"\0"})]:
        yield model(field, parameters)


def pipelines():
    first = model("scaler", {"shiftValue": [1], "scaleValue": [2]}, {"x": array(3)}, {"m": array(3)})
    last = model("glmRegressor", {"weights": [{"value": [1, 2, 3]}], "offset": [0.5]}, {"m": array(3)}, {"y": DOUBLE})
    yield model("pipeline", {}, outputs={"y": DOUBLE}), [first, last]
    yield model("pipelineRegressor", {}, outputs={"y": DOUBLE}), [first, last]
    made = next(classifier("treeEnsembleClassifier", {"treeEnsemble": tree(2)}, {"m": array(3)}))
    yield model("pipelineClassifier", {}, outputs={"label": STRING, "scores": BY_STRING}, predicted=("label", "scores")), [first, made]
    network = one("add", [[3]], 1, {"alpha": 2})
    yield model("pipeline", {"names": ["only"]}, {"x0": array(3)}, {"y0": array(3)}), [network]
    updatable = next(classifier("kNearestNeighborsClassifier", {"nearestNeighborsIndex": {
        "numberOfDimensions": 3, "floatSamples": [{"vector": [1, 2, 3]}, {"vector": [3, 2, 1]}], "linearIndex": {}, "squaredEuclideanDistance": {}},
        "numberOfNeighbors": {"defaultValue": 1}, "uniformWeighting": {}}, {
        "m": array(3)}))
    updatable.isUpdatable = True
    whole = model("pipelineClassifier", {}, outputs={"label": STRING, "scores": BY_STRING}, predicted=("label", "scores"))
    whole.isUpdatable = True
    yield whole, [first, updatable]


def seeds():
    """Yields (name, model)."""
    for group in [transforms, learned, others]:
        for index, made in enumerate(group()):
            yield f"{made.WhichOneof('Type')}-{index}", made
    for index, (made, models) in enumerate(pipelines()):
        pipeline = made.pipeline if made.HasField("pipeline") else getattr(made, made.WhichOneof("Type")).pipeline
        for inner in models:
            pipeline.models.add().CopyFrom(inner)
        yield f"pipeline-{index}", made
