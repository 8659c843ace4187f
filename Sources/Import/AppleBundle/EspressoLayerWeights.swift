import CoreMLBase
import CoreMLSpec

/// Weights for a `WeightParams` message, from a blob of fp32 values or, if the field's name ends in `_f16`, of fp16
/// values.
struct EspressoLayerWeights {
  let bytes: Bytes
  let isF16: Bool

  func write(_ number: Int, to writer: inout WireWriter) {
    writer.append(number) { $0.append(isF16 ? 2 : 1, bytes: bytes) }
  }
}

extension EspressoWeights {
  /// The weights that a field of a layer names.
  func layer(_ name: String, _ shape: [Int], _ fields: inout EspressoFields) throws -> EspressoLayerWeights {
    let isF16 = fields.has("\(name)_f16")
    let field = isF16 ? "\(name)_f16" : name
    if !fields.has(field), fields.has("weights") {
      throw fields.error("its weights are quantised, which is supported in the source of a network alone")
    }
    let number = try fields.number(field)
    guard let id = UInt64(exactly: number) else { throw fields.error(.invalidModel, "'\(field)' is \(number)") }
    let blob = try blob(id)
    var size = isF16 ? 2 : 4
    for axis in shape {
      let (product, overflow) = size.multipliedReportingOverflow(by: axis)
      guard !overflow else { throw fields.error(.invalidModel, "'\(field)' has the shape \(shape)") }
      size = product
    }
    if blob.count == size { return EspressoLayerWeights(bytes: blob, isF16: isF16) }
    // A vector may be followed by zeros, up to four times its size.
    if shape.count == 1, blob.count > size, blob.count - size <= size * 3 {
      let rest = try blob.slice(size..<blob.count)
      if rest.withUnsafeBytes({ $0.allSatisfy { $0 == 0 } }) {
        return EspressoLayerWeights(bytes: try blob.slice(0..<size), isF16: isF16)
      }
    }
    throw fields.error(.invalidModel, "the weights \(id) have \(blob.count) bytes, '\(field)' needs \(size)")
  }
}
