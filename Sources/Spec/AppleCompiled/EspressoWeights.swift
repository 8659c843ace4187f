import CoreMLBase

/// `model.espresso.weights`: the weights of a neural network compiled by Apple's tools.
///
///     u64                    the number of blobs
///     count x (u64, u64)     number and size in bytes of each
///     ...                    the blobs, contiguous, in that order
///
/// Blobs with even numbers are padding that aligns the next one. Layers refer to blobs with odd numbers.
package struct EspressoWeights: Sendable {
  private let blobs: [UInt64: Bytes]
  private let file: String?

  package init(_ bytes: Bytes) throws {
    try LFSPointer.refuse(bytes, expected: "the weights of a compiled neural network")
    var cursor = ByteCursor(bytes)
    var table: [(number: UInt64, size: UInt64)] = []
    do {
      let count = try cursor.count(of: "blobs", size: 16)
      table.reserveCapacity(count)
      for _ in 0..<count { table.append((try cursor.integer(UInt64.self), try cursor.integer(UInt64.self))) }
    } catch let error as SpecError where error.code == .outOfBounds {
      throw bytes.error(.malformedCompiledModel, "the table of weights is cut short: \(error.message)")
    }
    var blobs: [UInt64: Bytes] = [:]
    var offset = UInt64(cursor.position)
    for (number, size) in table {
      let (end, overflow) = offset.addingReportingOverflow(size)
      guard !overflow, end <= UInt64(bytes.count) else {
        throw bytes.error(
          .malformedCompiledModel,
          "the weights \(number) have \(size) bytes from byte \(offset), and the file has \(bytes.count)")
      }
      guard blobs.updateValue(bytes.unchecked(Int(offset)..<Int(end)), forKey: number) == nil else {
        throw bytes.error(.malformedCompiledModel, "the weights \(number) are there twice")
      }
      offset = end
    }
    self.blobs = blobs
    file = bytes.file
  }

  package static func open(_ path: String) throws -> EspressoWeights {
    try EspressoWeights(try Bytes.mapping(file: path))
  }

  /// The blob with a number that a layer refers to.
  package func blob(_ number: UInt64) throws -> Bytes {
    guard let blob = blobs[number] else {
      throw SpecError(.malformedCompiledModel, "the weights \(number) are missing", file: file)
    }
    return blob
  }
}
