import CoreMLBase
import Foundation

@testable import CoreMLRuntime

/// The outputs of a prediction, for comparison bit for bit or within a tolerance.
struct Fingerprint: Equatable, Sendable {
  /// Bit patterns of doubles by feature name. The values of a dictionary are in the order of its keys.
  private var numbers: [String: [UInt64]] = [:]
  /// All other content as text: strings, integers, shapes and keys.
  private var words: [String: [String]] = [:]

  init(_ output: any MLFeatureProvider) throws {
    for name in output.featureNames {
      guard let value = output.featureValue(for: name) else { continue }
      switch value.type {
      case .multiArray:
        guard let array = value.multiArrayValue else { continue }
        words[name] = array.shape.map { "\($0)" }
        numbers[name] = (0..<array.count).map { array[$0].doubleValue.bitPattern }
      case .dictionary:
        let pairs = value.dictionaryValue.map { ("\($0.key)", $0.value.doubleValue) }.sorted { $0.0 < $1.0 }
        words[name] = pairs.map(\.0)
        numbers[name] = pairs.map(\.1.bitPattern)
      case .double: numbers[name] = [value.doubleValue.bitPattern]
      case .int64: words[name] = ["\(value.int64Value)"]
      case .string: words[name] = [value.stringValue]
      default: throw RuntimeError(.evaluation, "'\(name)' is a \(value.type), which is not compared here")
      }
    }
  }

  var count: Int { numbers.values.reduce(0) { $0 + $1.count } + words.count }

  /// Describes the first element that differs by more than `tolerance` of the feature's greatest magnitude. Returns nil
  /// if all agree.
  func difference(from other: Fingerprint, tolerance: Double) -> String? {
    guard words == other.words else { return "\(words), not \(other.words)" }
    guard numbers.keys.sorted() == other.numbers.keys.sorted() else { return "other features" }
    for (name, bits) in numbers {
      let (mine, theirs) = (
        bits.map(Double.init(bitPattern:)), (other.numbers[name] ?? []).map(Double.init(bitPattern:))
      )
      guard mine.count == theirs.count else { return "'\(name)' has \(mine.count) numbers, not \(theirs.count)" }
      let scale = mine.filter(\.isFinite).map(abs).max() ?? 0
      for (a, b) in zip(mine, theirs) where a.bitPattern != b.bitPattern && !(abs(a - b) <= tolerance * scale) {
        return "'\(name)': \(a), not \(b)"
      }
    }
    return nil
  }
}
