/// Copies between contiguous and strided memory, in runs of elements that are contiguous on both sides. In the worst
/// case a run is one element.
struct StridedCopy {
  let shape: [Int]
  /// The strides in elements.
  let strides: [Int]
  /// The size of an element in bytes.
  let size: Int

  func gather(from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
    rows { row in
      row.copy(from: source + row.strided, every: row.step, to: target + row.dense, every: row.bytes)
    }
  }

  func scatter(from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
    rows { row in
      row.copy(from: source + row.dense, every: row.bytes, to: target + row.strided, every: row.step)
    }
  }

  /// Equally spaced runs. Offsets are in bytes.
  private struct Row {
    var strided = 0
    var dense = 0
    /// The number of runs, and their distance in strided memory.
    let count: Int
    let step: Int
    /// The bytes of one run.
    let bytes: Int

    func copy(
      from source: UnsafeRawPointer, every from: Int, to target: UnsafeMutableRawPointer, every to: Int
    ) {
      switch bytes {
      case 1: elements(UInt8.self, source, from, target, to)
      case 2: elements(UInt16.self, source, from, target, to)
      case 4: elements(UInt32.self, source, from, target, to)
      case 8: elements(UInt64.self, source, from, target, to)
      default:
        for index in 0..<count { (target + index * to).copyMemory(from: source + index * from, byteCount: bytes) }
      }
    }

    private func elements<Element: BitwiseCopyable>(
      _ type: Element.Type, _ source: UnsafeRawPointer, _ from: Int, _ target: UnsafeMutableRawPointer, _ to: Int
    ) {
      for index in 0..<count {
        target.storeBytes(
          of: source.loadUnaligned(fromByteOffset: index * from, as: type), toByteOffset: index * to, as: type)
      }
    }
  }

  private func rows(_ body: (Row) -> Void) {
    guard !shape.contains(0) else { return }
    var run = 1
    var axis = shape.count - 1
    while axis >= 0, strides[axis] == run || shape[axis] == 1 {
      run *= shape[axis]
      axis -= 1
    }
    var row = Row(
      count: axis >= 0 ? shape[axis] : 1, step: axis >= 0 ? strides[axis] * size : 0, bytes: run * size)
    let outer = axis > 0 ? Array(shape[..<axis]) : []
    var index = Array(repeating: 0, count: outer.count)
    while true {
      row.strided = zip(index, strides).reduce(0) { $0 + $1.0 * $1.1 } * size
      body(row)
      row.dense += row.count * row.bytes
      var axis = outer.count - 1
      while axis >= 0 {
        index[axis] += 1
        if index[axis] < outer[axis] { break }
        index[axis] = 0
        axis -= 1
      }
      if axis < 0 { return }
    }
  }
}
