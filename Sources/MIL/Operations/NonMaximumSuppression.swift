/// Non-maximum suppression of boxes (coremltools: `non_maximum_suppression`).
///
/// Two versions share the name; `score_threshold` distinguishes them. With it (iOS15): boxes [n, B, 4], scores [n, B,
/// K], and four outputs; the last one is the number of boxes kept. Without it (iOS17): boxes [n, 4, B], scores [n, K,
/// B], three outputs.
enum NonMaximumSuppressionOperations {
  static let all: [OperationDefinition] = [
    OperationDefinition(
      "non_maximum_suppression",
      [
        .required("boxes"), .required("scores"), .required("iou_threshold"), .optional("score_threshold"),
        .required("max_boxes"), .optional("per_class_suppression"),
      ]
    ) { try suppressedTypes($0) }
  ]

  static func suppressedTypes(_ call: Invocation) throws -> [ValueType] {
    let boxes = try call.tensor("boxes", rank: 3)
    let scores = try call.tensor("scores", rank: 3)
    let isBoxMajor = call.has("score_threshold")
    let (box, other) = isBoxMajor ? (1, 2) : (2, 1)
    guard boxes.shape[other].agrees(with: 4), boxes.shape[0].agrees(with: scores.shape[0]),
      boxes.shape[box].agrees(with: scores.shape[box])
    else { throw call.error(.invalidShape, "'boxes' is \(boxes) and 'scores' is \(scores)") }
    let batch = boxes.shape[0].isKnown ? boxes.shape[0] : scores.shape[0]
    var kept = Dimension.unknown
    if call.valueIfKnown("max_boxes") != nil { kept = Dimension(try call.int("max_boxes", atLeast: 0)) }
    var outputs = [boxes, scores]
    outputs[0].shape = isBoxMajor ? [batch, kept, 4] : [batch, 4, kept]
    outputs[1].shape = isBoxMajor ? [batch, kept, scores.shape[2]] : [batch, scores.shape[1], kept]
    outputs.append(TensorType(.int32, [batch, kept]))
    if isBoxMajor { outputs.append(TensorType(.int32, [batch])) }
    return outputs.map { .tensor($0) }
  }
}
