/// Parts of a weight as rows of `width` fp32 elements: in place, or decoded into memory that holds one part.
struct WeightWindow {
  private let weight: StoredWeight
  private let width: Int
  private let memory: PackedMemory?

  /// - Parameter capacity: element count of the largest part.
  init(_ weight: StoredWeight, width: Int, capacity: Int) throws {
    (self.weight, self.width) = (weight, width)
    let (bytes, overflow) = capacity.multipliedReportingOverflow(by: 4)
    guard !overflow else { throw KernelError(.outOfMemory, "no memory to decode the weights \(weight.type)") }
    memory = weight.floats == nil ? try PackedMemory.filled(byteCount: bytes) { _ in } : nil
  }

  /// Calls `body` with the elements of a range of rows and columns. Rows are `stride` elements apart.
  func read(_ rows: Range<Int>, _ columns: Range<Int>, _ body: (_ part: UnsafePointer<Float>, _ stride: Int) -> Void) {
    withExtendedLifetime((weight, memory)) {
      if let floats = weight.floats { return body(floats + rows.lowerBound * width + columns.lowerBound, width) }
      guard let memory else { return }
      let target = UnsafeMutableRawPointer(mutating: memory.pointer).assumingMemoryBound(to: Float.self)
      if columns.count == width {
        weight.decode(rows.lowerBound * width..<rows.upperBound * width, into: target)
      } else {
        for (number, row) in rows.enumerated() {
          let first = row * width
          weight.decode(
            first + columns.lowerBound..<first + columns.upperBound, into: target + number * columns.count)
        }
      }
      body(target, columns.count)
    }
  }
}
