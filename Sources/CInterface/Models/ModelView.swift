import CCoreMLRuntime
import CoreMLRuntime
import Foundation
import Synchronization

/// A model's description as C structures, which live as long as the view.
// Sendable: immutable, except for the JSON behind the lock
final class ModelView: @unchecked Sendable {
  private let memory = KeptMemory()
  private let lists: [[coreml_feature]]
  /// Metadata values by key.
  let metadata: [String: UnsafePointer<CChar>]
  let predictedFeature: UnsafePointer<CChar>?
  let predictedProbabilities: UnsafePointer<CChar>?
  let classLabels: ValueHandle?
  /// What a row of a caller's array holds, by feature, and the index of each class label.
  let inputRoles: [String: CallerArrays.Role]
  let outputRoles: [String: CallerArrays.Role]
  let labelPlaces: [AnyHashable: Int32]
  private let json: Mutex<Text?> = Mutex(nil)

  private struct Text: @unchecked Sendable {
    let pointer: UnsafePointer<CChar>
  }

  init(_ model: MLModel) throws {
    let description = model.modelDescription
    let memory = self.memory
    lists = [description.inputs, description.outputs, description.states, description.trainingInputs].map { list in
      list.map { FeatureStructure($0, memory).feature }
    }
    metadata = description.words.mapValues { memory.text($0) }
    predictedFeature = description.predictedFeatureName.map { memory.text($0) }
    predictedProbabilities = description.predictedProbabilitiesName.map { memory.text($0) }
    inputRoles = description.inputs.roles()
    outputRoles = description.outputs.roles(
      label: description.classLabels.flatMap { _ in description.predictedFeatureName },
      shares: description.classLabels.flatMap { _ in description.predictedProbabilitiesName })
    labelPlaces = description.placesOfLabels
    classLabels = description.classLabels.map { labels in
      if let texts = labels as? [String] { return ValueHandle(MLFeatureValue(sequence: MLSequence(strings: texts))) }
      let integers = labels.compactMap { ($0 as? Int).map { NSNumber(value: $0) } }
      return ValueHandle(MLFeatureValue(sequence: MLSequence(int64s: integers)))
    }
  }

  func features(_ role: Int32, _ call: Call) throws -> [coreml_feature] {
    guard lists.indices.contains(Int(role)) else {
      throw call.failure(
        .value, "there is no role \(role); there are COREML_INPUT, OUTPUT, STATES and TRAINING_INPUT")
    }
    return lists[Int(role)]
  }

  func text(of model: MLModel) throws -> UnsafePointer<CChar> {
    try json.withLock { json in
      if let json { return json.pointer }
      let text = memory.text(try Call.json(DescriptionJSON(model)))
      json = Text(pointer: text)
      return text
    }
  }
}

extension MLModelDescription {
  /// Metadata under the keys of the C interface, merged with the author's own keys.
  var words: [String: String] {
    var words = metadata[.creatorDefinedKey] as? [String: String] ?? [:]
    for (key, name) in [
      (MLModelMetadataKey.description, "description"), (.versionString, "version"), (.author, "author"),
      (.license, "license"),
    ] {
      if let text = metadata[key] as? String, !text.isEmpty { words[name] = text }
    }
    return words
  }
}

/// A feature's description as a `coreml_feature`.
private struct FeatureStructure {
  private(set) var feature = coreml_feature()
  private let memory: KeptMemory

  init(_ description: MLFeatureDescription, _ memory: KeptMemory) {
    self.memory = memory
    feature.size = MemoryLayout<coreml_feature>.size
    feature.name = memory.text(description.name)
    feature.kind = coreml_kind(description.type.rawValue)
    feature.is_optional = description.mayBeLeftOut ? 1 : 0
    if let constraint = description.multiArrayConstraint { fill(constraint) }
    if let constraint = description.stateConstraint {
      feature.element = coreml_element(constraint.dataType.rawValue)
      feature.flexibility = coreml_flexibility(COREML_FIXED)
      feature.shape = shape(constraint.bufferShape)
    }
    if let constraint = description.imageConstraint { fill(constraint) }
    if let constraint = description.dictionaryConstraint { feature.key = coreml_kind(constraint.keyType.rawValue) }
    if let constraint = description.sequenceConstraint {
      feature.key = coreml_kind(constraint.valueDescription.type.rawValue)
      feature.minimum_count = Int64(constraint.countRange.location)
      feature.maximum_count = Self.last(constraint.countRange, excluded: 0)
    }
  }

  private mutating func fill(_ constraint: MLMultiArrayConstraint) {
    feature.element = coreml_element(constraint.dataType.rawValue)
    feature.shape = shape(constraint.shape.map(\.intValue))
    feature.flexibility = coreml_flexibility(constraint.shapeConstraint.type.rawValue)
    switch constraint.shapeConstraint.type {
    case .unspecified: break
    case .enumerated: fill(constraint.shapeConstraint.enumeratedShapes.map { $0.map(\.intValue) })
    case .range: fill(constraint.shapeConstraint.sizeRangeForDimension.map(\.rangeValue))
    }
  }

  private mutating func fill(_ constraint: MLImageConstraint) {
    feature.pixels = constraint.pixelFormatType
    (feature.width, feature.height) = (Int64(constraint.pixelsWide), Int64(constraint.pixelsHigh))
    let sizes = constraint.sizeConstraint
    switch sizes.type {
    case .unspecified: feature.flexibility = coreml_flexibility(COREML_FIXED)
    case .enumerated:
      feature.flexibility = coreml_flexibility(COREML_ENUMERATED)
      fill(sizes.enumeratedImageSizes.map { [$0.pixelsHigh, $0.pixelsWide] })
    case .range:
      feature.flexibility = coreml_flexibility(COREML_RANGE)
      fill([sizes.pixelsHighRange, sizes.pixelsWideRange])
    }
  }

  private mutating func fill(_ shapes: [[Int]]) {
    feature.shapes = memory.array(shapes.map(shape))
    feature.shape_count = shapes.count
  }

  private mutating func fill(_ ranges: [NSRange]) {
    feature.minimum = shape(ranges.map(\.location))
    feature.maximum = coreml_shape(rank: ranges.count, sizes: memory.array(ranges.map { Self.last($0, excluded: 1) }))
  }

  private func shape(_ sizes: [Int]) -> coreml_shape {
    coreml_shape(rank: sizes.count, sizes: memory.array(sizes.map(Int64.init)))
  }

  /// The last number of a range; -1 if the range has no end.
  private static func last(_ range: NSRange, excluded: Int) -> Int64 {
    let (end, overflow) = range.location.addingReportingOverflow(range.length)
    return overflow || end == .max ? -1 : Int64(end - excluded)
  }
}
