import CoreMLSpec
import MIL

struct NonMaximumSuppressionImport {
  let program: FeatureProgram

  /// The features that the model names. Exporters describe the thresholds only as inputs of the pipeline.
  static func named(_ message: Specification.NonMaximumSuppression) throws -> [String] {
    [
      try message.confidenceInputFeatureName, try message.coordinatesInputFeatureName,
      try message.iouThresholdInputFeatureName, try message.confidenceThresholdInputFeatureName,
    ]
  }

  func add(_ message: Specification.NonMaximumSuppression) throws {
    let confidence = try boxes(message.confidenceInputFeatureName)
    let coordinates = try boxes(message.coordinatesInputFeatureName)
    let names = (try message.confidenceOutputFeatureName, try message.coordinatesOutputFeatureName)
    let rows = try self.rows(of: [names.0, names.1])
    var arguments: [String: Binding] = [
      "confidence": .name(confidence), "coordinates": .name(coordinates),
      "iou_threshold": try program.number(message.iouThresholdInputFeatureName, default: message.iouThreshold),
      "confidence_threshold": try program.number(
        message.confidenceThresholdInputFeatureName, default: message.confidenceThreshold),
      "per_class": .bool(try message.pickTop?.perClass ?? false), "minimum": .int(rows.lowerBound),
    ]
    // The operation does not use the labels; consumers of the boxes read them.
    if let labels = try ClassLabels.optional(
      strings: message.stringClassLabels, int64s: message.int64ClassLabels)
    {
      arguments["labels"] = .tensor(labels)
    }
    if rows.upperBound < Int.max { arguments["maximum"] = .int(rows.upperBound) }
    let outputs = try program.emit(all: "ml.non_maximum_suppression", arguments.mapValues { [$0] })
    try program.set(names.0, outputs[0])
    try program.set(names.1, outputs[1])
  }

  /// An input with one row per box, in double precision. Some exporters keep a batch axis of size 1 before the boxes.
  private func boxes(_ name: String) throws -> String {
    let value = try program.double(program.input(name))
    let shape = try program.builder.tensorType(of: value).shape
    guard shape.count == 3, shape[0] == 1 else { return value }
    return try program.builder.add("squeeze", ["x": .name(value), "axes": .ints([0])], named: name)
  }

  /// The range of the number of boxes, from the declared shapes of the outputs.
  private func rows(of names: [String]) throws -> ClosedRange<Int> {
    var (low, high) = (0, Int.max)
    for feature in try program.description.output where names.contains(try feature.name) {
      guard let array = try feature.type?.multiArrayType else { continue }
      var range: (Int, Int)?
      switch try array.shapeFlexibility {
      case .shapeRange(let shape):
        range = try shape.sizeRanges.first.map {
          (Int(clamping: try $0.lowerBound), try $0.upperBound < 0 ? Int.max : Int(clamping: try $0.upperBound))
        }
      case .enumeratedShapes(let shapes):
        let sizes = try shapes.shapes.compactMap { try $0.shape.first.map { Int(clamping: $0) } }
        if let least = sizes.min(), let most = sizes.max() { range = (least, most) }
      case nil: range = try array.shape.first.map { (Int(clamping: $0), Int(clamping: $0)) }
      }
      if let range { (low, high) = (max(low, range.0), min(high, range.1)) }
    }
    guard low <= high, low < 1 << 31 else { throw program.error("its outputs ask for \(low) to \(high) boxes") }
    return low...high
  }
}
