import CoreML
import FeatureFiles
import Foundation

/// Prints outputs on standard output: readable on a terminal, JSON on a pipe.
struct Summary {
  let topK: Int?
  let asJSON: Bool

  private static let shownByDefault = 5

  func say(_ result: any MLFeatureProvider, predicted: MLModelDescription) {
    if asJSON {
      Console.say(line(result))
      return
    }
    for name in result.featureNames.sorted() {
      guard let value = result.featureValue(for: name) else { continue }
      Console.say(text(name, value))
    }
  }

  /// One line of JSON.
  func line(_ result: any MLFeatureProvider) -> String {
    var writer = FeatureJSONWriter()
    writer.row(result, keep: topK)
    return writer.text
  }

  private func text(_ name: String, _ value: MLFeatureValue) -> String {
    switch value.type {
    case .int64: return "\(name): \(value.int64Value)"
    case .double: return "\(name): \(value.doubleValue)"
    case .string: return "\(name): \(Console.oneLine(value.stringValue))"
    case .dictionary:
      let pairs = FeatureJSONWriter.sorted(value.dictionaryValue)
      let shown = pairs.prefix(topK ?? Self.shownByDefault)
      let rows = shown.map { ["  " + Console.oneLine($0.key), String(format: "%.4f", $0.value)] }
      let rest = pairs.count > shown.count ? "\n  and \(pairs.count - shown.count) more" : ""
      return "\(name):\n\(Console.table(rows, rightAligned: [1]))\(rest)"
    case .sequence:
      guard let sequence = value.sequenceValue else { return "\(name): nothing" }
      let items = sequence.type == .string ? sequence.stringValues : sequence.int64Values.map { "\($0)" }
      return "\(name): \(Console.oneLine(items.prefix(20).joined(separator: ", ")))\(items.count > 20 ? ", ..." : "")"
    case .image:
      guard let image = value.imageBufferValue else { return "\(name): nothing" }
      return "\(name): an image of \(image.width) x \(image.height) pixels (--output \(name)=FILE.png writes it)"
    case .multiArray:
      guard let array = value.multiArrayValue else { return "\(name): nothing" }
      return "\(name): \(Self.array(FeatureConversion.array(array)))"
    case .state, .invalid: return "\(name): undefined"
    }
  }

  private static func array(_ array: NPYArray) -> String {
    let values = array.doubles
    let shape = "[\(array.shape.map(String.init).joined(separator: ", "))]"
    if values.count <= 8 { return "\(shape) \(values.map { String(format: "%g", $0) }.joined(separator: ", "))" }
    let finite = values.filter(\.isFinite)
    guard let low = finite.min(), let high = finite.max() else { return "\(shape) no finite number" }
    let mean = finite.reduce(0, +) / Double(finite.count)
    let odd = finite.count < values.count ? ", \(values.count - finite.count) not finite" : ""
    return "\(shape) from \(String(format: "%g to %g, mean %g", low, high, mean))\(odd)"
  }
}
