import MIL

/// Indices as 32-bit integers, which the C kernels take. int32 indices are read in place; others are converted into
/// scratch memory on each run.
struct IndexReader: Sendable {
  let scratchBytes: Int
  private let slot: Int
  private let scalar: ScalarType
  private let count: Int

  init(_ problem: KernelProblem, _ name: String) throws {
    let type = try problem.invocation.tensor(name)
    slot = try problem.slot(name)
    scalar = type.scalar
    count = type.elementCount ?? 0
    switch scalar {
    case .int32: scratchBytes = 0
    case .int8, .uint8, .int16, .uint16: scratchBytes = count * MemoryLayout<Int32>.stride
    default: throw Refusal("the kernel takes indices of at most 32 bits, '\(name)' is \(scalar.rawValue)")
    }
  }

  func read(_ frame: CPUFrame) -> UnsafePointer<Int32> {
    switch scalar {
    case .int8: widened(frame, Int8.self)
    case .uint8: widened(frame, UInt8.self)
    case .int16: widened(frame, Int16.self)
    case .uint16: widened(frame, UInt16.self)
    default: frame.input(slot)
    }
  }

  private func widened<T: FixedWidthInteger>(_ frame: CPUFrame, _ type: T.Type) -> UnsafePointer<Int32> {
    let source = frame.input(slot, as: type)
    let target = frame.scratch.assumingMemoryBound(to: Int32.self)
    for index in 0..<count { target[index] = Int32(truncatingIfNeeded: source[index]) }
    return UnsafePointer(target)
  }
}
