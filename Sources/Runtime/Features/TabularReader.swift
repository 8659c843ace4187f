import CoreMLBase
import CoreMLExecution
import CoreMLImport
import CoreMLSpec
import Foundation
import MIL

/// Writes a feature of a row to kernel input memory.
final class TabularReader: Sendable {
  let input: TabularInput
  let type: MLFeatureType
  let shape: [Int]
  /// The number of elements of a row.
  let count: Int
  let byteCount: Int

  /// Returns nil for an input that is not a number, an array, a string or a dictionary. Examples are images and flags
  /// for the presence of a feature.
  init?(_ input: TabularInput, _ description: MLFeatureDescription?, _ interface: ModelInterface) {
    guard let description, [.multiArray, .double, .int64, .string, .dictionary].contains(description.type),
      interface.arrayMapping == .exact || interface.modelType == "mlProgram" || !interface.isNetwork,
      let shape = input.type.concreteShape, let count = input.type.elementCount, let bytes = input.type.byteCount,
      [.float32, .float64, .int32, .int64].contains(input.type.scalar)
    else { return nil }
    (self.input, self.shape, self.count, byteCount) = (input, shape, count, bytes)
    type = description.type
  }

  /// Writes the feature. Returns false, without an error, if it is missing or needs the regular path.
  func read(_ features: any MLFeatureProvider, _ target: UnsafeMutableRawPointer) -> Bool {
    guard let value = features.featureValue(for: input.feature), value.type == type, !value.isUndefined else {
      return false
    }
    switch (input.kind, type) {
    case (.numbers, .multiArray):
      guard let array = value.multiArrayValue else { return false }
      return read(array, target)
    case (.numbers, .double):
      guard count == 1 else { return false }
      return store(value.doubleValue, target)
    case (.numbers, .int64):
      guard count == 1 else { return false }
      guard input.type.scalar != .int64 else {
        target.storeBytes(of: value.int64Value, as: Int64.self)
        return true
      }
      return store(Double(value.int64Value), target)
    case (.category(let places, let ignoresOthers), .string):
      guard case .strings(let known, _) = places else { return false }
      let place = known[ExactText(value.stringValue)]
      guard place != nil || ignoresOthers else { return false }
      let vector = cleared(target)
      if let place { vector[place] = 1 }
      return true
    case (.entries(let places), .dictionary): return read(value.dictionaryValue, places, cleared(target))
    default: return false
    }
  }

  func cleared(_ target: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Double> {
    let vector = target.assumingMemoryBound(to: Double.self)
    vector.update(repeating: 0, count: count)
    return vector
  }

  private func store(_ number: Double, _ target: UnsafeMutableRawPointer) -> Bool {
    switch input.type.scalar {
    case .float64: target.storeBytes(of: number, as: Double.self)
    case .float32: target.storeBytes(of: Float(number), as: Float.self)
    default: return false
    }
    return true
  }

  private func read(_ array: MLMultiArray, _ target: UnsafeMutableRawPointer) -> Bool {
    guard array.layout.shape == shape, array.isDense else { return false }
    return Self.convert(array.dataPointer, array.dataType, to: input.type.scalar, target, count)
  }

  /// Converts numbers between types, exactly or with rounding. Returns false for type pairs that the regular path must
  /// handle.
  static func convert(
    _ source: UnsafeRawPointer, _ from: MLMultiArrayDataType, to scalar: ScalarType, _ target: UnsafeMutableRawPointer,
    _ count: Int
  ) -> Bool {
    switch (from, scalar) {
    case (.double, .float64), (.float32, .float32), (.int32, .int32):
      target.copyMemory(from: source, byteCount: count * from.size)
    case (.float32, .float64):
      let numbers = target.assumingMemoryBound(to: Double.self)
      for index in 0..<count {
        numbers[index] = Double(source.loadUnaligned(fromByteOffset: 4 * index, as: Float.self))
      }
    case (.double, .float32):
      let numbers = target.assumingMemoryBound(to: Float.self)
      for index in 0..<count {
        numbers[index] = Float(source.loadUnaligned(fromByteOffset: 8 * index, as: Double.self))
      }
    case (.int32, .float64):
      let numbers = target.assumingMemoryBound(to: Double.self)
      for index in 0..<count {
        numbers[index] = Double(source.loadUnaligned(fromByteOffset: 4 * index, as: Int32.self))
      }
    default: return false
    }
    return true
  }

  private func read(
    _ entries: [AnyHashable: NSNumber], _ places: FeaturePositions, _ vector: UnsafeMutablePointer<Double>
  ) -> Bool {
    for (key, number) in entries {
      let place: Int?
      switch places {
      case .strings(let known, _):
        guard let text = key.base as? String else { return false }
        place = known[ExactText(text)]
      case .integers(let known, _):
        guard let integer = key.base as? Int64 else { return false }
        place = known[integer]
      case .positions(let count):
        guard let integer = key.base as? Int64, integer >= 0, integer < Int64(count) else { return false }
        place = Int(integer)
      }
      if let place { vector[place] = number.doubleValue }
    }
    return true
  }
}
