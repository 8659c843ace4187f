import CoreMLBase
import CoreMLRuntime
import Foundation

/// Predicts the logits of the next token of one sequence.
///
/// A stateful model gets each token once. Other models get the whole sequence again for each token.
final class LanguageModelSession {
  /// Tokens of one prediction while a prompt is read. More would need larger masks, and gain little.
  private static let longestStep = 512

  /// Sequences of models without states are padded to a multiple of this number.
  private static let padding = 16

  private let model: MLModel
  private let interface: LanguageModelInterface
  private let state: MLState?
  private var sequence: [Int] = []

  init(_ model: MLModel, _ interface: LanguageModelInterface) {
    (self.model, self.interface) = (model, interface)
    state = interface.isStateful ? model.makeState() : nil
  }

  /// The logits after the sequence so far and these tokens.
  ///
  /// - Precondition: `tokens` is not empty, and the context has room for them.
  func logits(after tokens: [Int]) throws -> [Float] {
    let before = sequence.count
    sequence += tokens
    guard let state else { return try whole() }
    var logits: [Float] = []
    var begin = before
    while begin < sequence.count {
      try Cancellation.check()
      let wanted = min(sequence.count - begin, Self.longestStep)
      guard let count = interface.tokens.sizes.greatest(atMost: wanted) else {
        throw GenerationError(.unsupportedModel, "the model does not take \(wanted) tokens at a time")
      }
      let inputs = try inputs(begin..<begin + count, size: count)
      let outputs = try model.prediction(from: inputs, using: state)
      logits = try row(count - 1, of: count, outputs)
      begin += count
    }
    return logits
  }

  /// The logits after the whole sequence, which is padded to a size that the model takes.
  private func whole() throws -> [Float] {
    // Padding keeps the number of shapes small, since a new shape needs a new plan. It requires a mask.
    let rounded = (sequence.count + Self.padding - 1) / Self.padding * Self.padding
    let wanted = interface.mask == nil ? sequence.count : max(min(rounded, interface.tokens.sizes.most), sequence.count)
    guard let size = interface.tokens.sizes.smallest(atLeast: wanted) else {
      throw GenerationError(.invalidPrompt, "the model takes at most \(interface.tokens.sizes.most) tokens")
    }
    let inputs = try inputs(0..<sequence.count, size: size)
    return try row(sequence.count - 1, of: size, model.prediction(from: inputs))
  }

  /// The inputs for a part of the sequence, padded at its end.
  private func inputs(_ range: Range<Int>, size: Int) throws -> any MLFeatureProvider {
    var features: [String: MLMultiArray] = [:]
    let ids = sequence[range].map(Double.init) + [Double](repeating: 0, count: size - range.count)
    features[interface.tokens.name] = try array(ids, interface.tokens.rank, interface.tokens.type)
    if let positions = interface.positions {
      // A model with one position for all tokens gets that of the first.
      let count = positions.sizes.greatest(atMost: size) ?? size
      let values = (range.lowerBound..<range.lowerBound + count).map(Double.init)
      features[positions.name] = try array(values, positions.rank, positions.type)
    }
    if let mask = interface.mask { features[mask.name] = try self.mask(mask, range, size: size) }
    return try MLDictionaryFeatureProvider(dictionary: features)
  }

  private func mask(_ mask: LanguageModelInterface.Mask, _ range: Range<Int>, size: Int) throws -> MLMultiArray {
    let needed = range.lowerBound + size
    guard let width = mask.sizes.smallest(atLeast: needed) else {
      throw GenerationError(.invalidPrompt, "the model's mask takes at most \(mask.sizes.most) tokens")
    }
    if !mask.isCausal {
      return try array((0..<width).map { $0 < range.upperBound ? 1 : 0 }, 2, mask.type)
    }
    // The lowest number of fp16 hides a token in every type.
    let hidden = -65504.0
    var values: [Double] = []
    values.reserveCapacity(size * width)
    for place in range.lowerBound..<needed {
      for other in 0..<width { values.append(other <= place ? 0 : hidden) }
    }
    return try Self.array(values, shape: [1, 1, size, width], mask.type)
  }

  private func array(_ values: [Double], _ rank: Int, _ type: MLMultiArrayDataType) throws -> MLMultiArray {
    try Self.array(values, shape: rank == 1 ? [values.count] : [1, values.count], type)
  }

  private static func array(_ values: [Double], shape: [Int], _ type: MLMultiArrayDataType) throws -> MLMultiArray {
    let isFloating = [.float16, .float32, .double].contains(type)
    let array = try MLMultiArray(shape: shape.map { NSNumber(value: $0) }, dataType: isFloating ? .float32 : .int32)
    if isFloating {
      array.withUnsafeMutableBufferPointer(ofType: Float.self) { memory, _ in
        for (place, value) in values.enumerated() { memory[place] = Float(value) }
      }
    } else {
      array.withUnsafeMutableBufferPointer(ofType: Int32.self) { memory, _ in
        for (place, value) in values.enumerated() { memory[place] = Int32(value) }
      }
    }
    return array
  }

  /// The logits of one of `count` tokens.
  private func row(_ row: Int, of count: Int, _ outputs: any MLFeatureProvider) throws -> [Float] {
    guard let array = outputs.featureValue(for: interface.logits)?.multiArrayValue else {
      throw GenerationError(.invalidLogits, "the model returned no array '\(interface.logits)'")
    }
    let shape = array.shape.map(\.intValue)
    let strides = array.strides.map(\.intValue)
    let rows = shape.dropLast().filter { $0 != 1 }
    guard let width = shape.last, width > 0, rows.isEmpty || rows == [count], !rows.isEmpty || row == count - 1 else {
      throw GenerationError(
        .invalidLogits,
        "the array '\(interface.logits)' has the shape \(shape), expected the logits of \(count) tokens")
    }
    let axis = shape.indices.dropLast().first { shape[$0] != 1 }
    let start = axis.map { row * strides[$0] } ?? 0
    let places = (0..<width).map { start + $0 * (strides.last ?? 1) }
    switch array.dataType {
    case .float32: return array.withUnsafeBufferPointer(ofType: Float.self) { memory in places.map { memory[$0] } }
    case .float16:
      return array.withUnsafeBufferPointer(ofType: Float16.self) { memory in places.map { Float(memory[$0]) } }
    case .double:
      return array.withUnsafeBufferPointer(ofType: Double.self) { memory in places.map { Float(memory[$0]) } }
    default:
      throw GenerationError(.invalidLogits, "the array '\(interface.logits)' has no floating-point elements")
    }
  }
}
