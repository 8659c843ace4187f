import CoreMLServingInterface
import Foundation

/// The most probable classes of an output, as `value:index` or `value:index:label` byte strings.
enum Classification {
  /// The classes along the last axis. The axes before it stay as rows.
  static func tensor(_ tensor: ServingTensor, count: Int, labels: [String]) throws(ServingError) -> ServingTensor {
    guard let classes = tensor.shape.last, classes > 0, let values = try numbers(tensor), !values.isEmpty else {
      throw ServingError(
        .invalidArgument, "The output '\(tensor.name)' has no classes: its type is \(tensor.type.rawValue).")
    }
    let most = min(count, classes)
    var strings: [[UInt8]] = []
    for row in stride(from: 0, to: values.count, by: classes) {
      let order = (0..<classes).sorted { isLarger(values[row + $0], values[row + $1]) }
      for place in order.prefix(most) {
        var text = String(format: "%f", values[row + place]) + ":\(place)"
        if labels.count == classes { text += ":" + labels[place] }
        strings.append(Array(text.utf8))
      }
    }
    let rows = values.count / classes
    return ServingTensor(name: tensor.name, type: .bytes, shape: [rows, most], content: .byteStrings(strings))
  }

  /// NaN comes last, so that the order is total.
  private static func isLarger(_ a: Double, _ b: Double) -> Bool { a > b || b.isNaN && !a.isNaN }

  /// The elements as numbers; nil for byte strings.
  private static func numbers(_ tensor: ServingTensor) throws(ServingError) -> [Double]? {
    guard case .elements(let memory) = tensor.content else { return nil }
    func load<T: BitwiseCopyable>(_ type: T.Type, _ convert: (T) -> Double) -> [Double] {
      (0..<memory.bytes.count / MemoryLayout<T>.stride).map {
        convert(memory.bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<T>.stride, as: type))
      }
    }
    return switch tensor.type {
    case .float16: load(Float16.self) { Double($0) }
    case .float32: load(Float.self) { Double($0) }
    case .float64: load(Double.self) { $0 }
    case .int8: load(Int8.self) { Double($0) }
    case .int32: load(Int32.self) { Double($0) }
    case .int64: load(Int64.self) { Double($0) }
    case .uint8: load(UInt8.self) { Double($0) }
    default: nil
    }
  }
}
