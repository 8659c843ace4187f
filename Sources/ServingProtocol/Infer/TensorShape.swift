import CoreMLServingInterface

/// Checks of sizes that a client declares, before memory is requested.
package enum TensorShape {
  package static let highestRank = 16

  /// The number of elements; 1 for a scalar.
  ///
  /// - Throws: `invalidArgument` for a negative size, for more than 16 axes, and if the product exceeds 2^48.
  package static func elementCount(_ shape: [Int], tensor: String) throws(ServingError) -> Int {
    guard shape.count <= highestRank else {
      throw ServingError(
        .invalidArgument, "The tensor '\(tensor)' has \(shape.count) axes; at most \(highestRank) are allowed.")
    }
    var count = 1
    var isEmpty = false
    for size in shape {
      guard size >= 0 else {
        throw ServingError(.invalidArgument, "The tensor '\(tensor)' has an axis of negative size \(size).")
      }
      // A zero does not hide an overflow of the other axes.
      if size == 0 { isEmpty = true; continue }
      let (product, overflow) = count.multipliedReportingOverflow(by: size)
      guard !overflow, product <= 1 << 48 else {
        throw ServingError(.invalidArgument, "The shape \(text(shape)) of the tensor '\(tensor)' is too large.")
      }
      count = product
    }
    return isEmpty ? 0 : count
  }

  /// The bytes of a tensor with elements of a fixed size.
  package static func byteCount(_ shape: [Int], _ type: TensorType, tensor: String) throws(ServingError) -> Int {
    try elementCount(shape, tensor: tensor) * (type.byteCount ?? 0)
  }

  package static func text(_ shape: [Int]) -> String {
    "[\(shape.map { String($0) }.joined(separator: ", "))]"
  }
}
