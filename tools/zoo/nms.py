"""Pipelines of a detector and an NMS stage, built like exporters do, compared with a plain NMS implementation."""
import tempfile

import coremltools as ct
import numpy as np
import torch
from torch import nn

import convert
import detectors
from case import Network, add, randomise
from compare import largest_error, over_samples

OUTPUTS = ("confidence", "coordinates")
THRESHOLDS = ("iouThreshold", "confidenceThreshold")


def overlap(one, others):
    """Intersection over union of boxes in (center, size) format."""
    low = np.maximum(one[:2] - one[2:] / 2, others[:, :2] - others[:, 2:] / 2)
    high = np.minimum(one[:2] + one[2:] / 2, others[:, :2] + others[:, 2:] / 2)
    common = np.clip(high - low, 0, None).prod(1)
    return common / (one[2:].prod() + others[:, 2:].prod(1) - common)


def suppressed(scores, boxes, iou, confidence, per_class):
    """The indexes of the boxes that NMS keeps, best score first."""
    best, label = scores.max(1), scores.argmax(1)
    left = [row for row in np.argsort(-best, kind="stable") if best[row] > confidence]
    stay = []
    while left:
        row, left = left[0], left[1:]
        stay.append(row)
        near = overlap(boxes[row], boxes[left]) > iou if left else []
        left = [other for other, hit in zip(left, near) if not (hit and (label[other] == label[row] or not per_class))]
    return stay


def in_order(scores, boxes):
    """Rows of scores and boxes in a canonical order, because NMS does not define the order of equal scores."""
    rows = np.concatenate([np.asarray(scores, np.float32), np.asarray(boxes, np.float32)], 1)
    return rows[np.lexsort(rows.T)]


def gap(values, wanted):
    """A threshold in the widest gap near the `wanted`-th largest value, so that rounding does not cross it."""
    ordered = np.sort(values)[::-1][wanted - 4:wanted + 5]
    place = int(np.argmax(ordered[:-1] - ordered[1:]))
    if ordered[place] - ordered[place + 1] < 1e-3:
        raise ValueError(f"the scores around the {wanted}th are too close for a threshold between them: {ordered}")
    return float((ordered[place] + ordered[place + 1]) / 2)


def nms_stage(spec, iou, confidence, per_class, declared):
    """The NMS model of the pipeline. Its description declares the threshold inputs only if `declared`.

    The thresholds have the names of the pipeline's inputs.
    """
    stage = ct.proto.Model_pb2.Model()
    stage.specificationVersion = 5
    for source, name in zip(spec.description.output, OUTPUTS):
        stage.description.input.add().CopyFrom(source)
        out = stage.description.output.add()
        out.CopyFrom(source)
        out.name = name
        array = out.type.multiArrayType
        width = array.shape[1]
        del array.shape[:]
        for low, high in ((0, -1), (width, width)):
            sizes = array.shapeRange.sizeRanges.add()
            sizes.lowerBound, sizes.upperBound = low, high
    nms = stage.nonMaximumSuppression
    nms.confidenceInputFeatureName, nms.coordinatesInputFeatureName = (each.name for each in spec.description.output)
    nms.confidenceOutputFeatureName, nms.coordinatesOutputFeatureName = OUTPUTS
    nms.iouThresholdInputFeatureName, nms.confidenceThresholdInputFeatureName = THRESHOLDS
    nms.iouThreshold, nms.confidenceThreshold = iou, confidence
    nms.pickTop.perClass = per_class
    nms.stringClassLabels.vector.extend(f"class{number}" for number in range(detectors.CLASSES))
    if declared:
        for name in THRESHOLDS:
            feature = stage.description.input.add()
            feature.name = name
            feature.type.doubleType.SetInParent()
            feature.type.isOptional = True
    return stage


def pipeline_of(model, stage):
    side, types = detectors.SIDE, ct.models.datatypes
    pipeline = ct.models.pipeline.Pipeline(
        input_features=[("image", types.Array(3, side, side)), *[(name, types.Double()) for name in THRESHOLDS]], output_features=list(OUTPUTS))
    pipeline.add_model(model)
    pipeline.add_model(ct.models.MLModel(stage, skip_model_load=True))
    pipeline.spec.description.input[0].CopyFrom(model.get_spec().description.input[0])
    for number in range(2):
        pipeline.spec.description.output[number].CopyFrom(stage.description.output[number])
    pipeline.spec.specificationVersion = 8 if model.get_spec().WhichOneof("Type") == "mlProgram" else 5
    return ct.models.MLModel(pipeline.spec, weights_dir=model.weights_dir, skip_model_load=True)


def check(per_class, declared):
    """Compares the network with torch, then the pipeline with plain NMS of the network's outputs."""
    def of(network, precision, case):
        import coreml_runtime

        import work

        side = detectors.SIDE
        image = ct.ImageType(name="image", shape=(1, 3, side, side), scale=1 / 255)
        expected = work.answers(network.module, network.samples)
        with torch.no_grad():
            traced = torch.jit.trace(network.module, network.samples[0], check_trace=False)
        converted = convert.convert(Network(traced, network.samples, [image]), traced, precision, case.target)
        names = [each.name for each in converted.get_spec().description.output]
        iou, confidence = 0.45, gap(expected[0][0].max(1), 40)
        pipeline = pipeline_of(converted, nms_stage(converted.get_spec(), iou, confidence, per_class, declared))
        given = [{}, {"iouThreshold": 0.3, "confidenceThreshold": gap(expected[0][0].max(1), 24)}, {"iouThreshold": 0.7}, {"confidenceThreshold": 0.999}]
        pictures = [(sample[0] * 255).round().to(torch.uint8)[0].permute(1, 2, 0).contiguous().numpy() for sample in network.samples]
        error, count, dropped = 0.0, 0, 0
        with tempfile.TemporaryDirectory() as folder:
            try:
                with coreml_runtime.Model(convert.save(converted, folder), compute_units="cpu_only") as opened:
                    stage = [opened.predict({"image": each}) for each in pictures]
                    rows = [[np.asarray(answer[name], np.float32) for name in names] for answer in stage]
                with coreml_runtime.Model(convert.save(pipeline, f"{folder}/whole"), compute_units="cpu_only") as opened:
                    answers = [[opened.predict({"image": each, **more}) for more in given] for each in pictures]
            except coreml_runtime.Error as failure:
                return {"outcome": "refused", "detail": work.first_line(failure)}
        error = over_samples(expected, rows)
        right = error <= work.TOLERANCE[precision]
        for (scores, boxes), found in zip(rows, answers):
            for more, answer in zip(given, found):
                stay = suppressed(scores, boxes, more.get("iouThreshold", iou), more.get("confidenceThreshold", confidence), per_class)
                dropped += int((scores.max(1) > more.get("confidenceThreshold", confidence)).sum()) - len(stay)
                count += len(stay)
                right = right and largest_error([in_order(scores[stay], boxes[stay])], [in_order(*(answer[name] for name in OUTPUTS))]) < 1e-5
        if not count or not dropped:
            raise ValueError("the pictures leave nothing to suppress or nothing over")
        return {"outcome": "right" if right else "wrong", "error": error, "predictions": len(pictures) * (1 + len(given))}

    return of


def pictures(count=2):
    """Images of squares, so that positions differ. Pixels are integers, so the model gets exactly torch's input."""
    squares = torch.randint(0, 256, (count, 1, 3, 8, 8)) / 255
    return [(nn.functional.interpolate(each, size=detectors.SIDE),) for each in squares]


def detector(build, contrast):
    """A detector whose last layers have weights scaled by `contrast`.

    So the differences of scores exceed the rounding of fp16, and few scores reach 1.
    """
    def make():
        module = randomise(build(), 2**0.5)
        with torch.no_grad():
            for head in getattr(module, "scores", None) or module.heads:
                last = head[-1] if isinstance(head, nn.Sequential) else head
                last.weight *= contrast
        return Network(module, pictures())

    return make


for name, build, contrast, per_class, declared in [
        ("yolo-v8", lambda: detectors.Distances(False), 10, True, False), ("yolo-11", lambda: detectors.Distances(True), 0.1, True, False),
        ("yolo-v5", detectors.Anchors, 10, False, False), ("ssd", detectors.Priors, 10, True, False),
        ("yolo-v8-declared", lambda: detectors.Distances(False), 10, True, True), ("yolo-v5-declared", detectors.Anchors, 10, False, True)]:
    add(f"detectors/{name}", detector(build, contrast), check=check(per_class, declared))
