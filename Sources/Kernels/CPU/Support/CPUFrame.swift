/// The memory of one CPU kernel run: one pointer for each slot, one for each output, the scratch memory, and the thread
/// pool.
///
/// The planner guarantees that each pointer refers to as many bytes as its concrete type needs. Intermediate results
/// and scratch memory are aligned to 64 bytes. Mapped weights and the caller's inputs and outputs may be less aligned,
/// so kernels must use unaligned loads and stores for them.
package struct CPUFrame {
  package var inputs: UnsafePointer<UnsafeRawPointer>
  package var outputs: UnsafePointer<UnsafeMutableRawPointer>
  package let scratch: UnsafeMutableRawPointer
  package let pool: ThreadPool

  package init(
    inputs: UnsafePointer<UnsafeRawPointer>, outputs: UnsafePointer<UnsafeMutableRawPointer>,
    scratch: UnsafeMutableRawPointer, pool: ThreadPool
  ) {
    self.inputs = inputs
    self.outputs = outputs
    self.scratch = scratch
    self.pool = pool
  }

  @inline(__always)
  package func input<T>(_ slot: Int, as type: T.Type = T.self) -> UnsafePointer<T> {
    inputs[slot].assumingMemoryBound(to: type)
  }

  /// The memory of a slot that a problem may lack.
  @inline(__always)
  package func input<T>(optional slot: Int?, as type: T.Type = T.self) -> UnsafePointer<T>? {
    guard let slot else { return nil }
    return input(slot, as: type)
  }

  @inline(__always)
  package func output<T>(_ index: Int = 0, as type: T.Type = T.self) -> UnsafeMutablePointer<T> {
    outputs[index].assumingMemoryBound(to: type)
  }
}

extension Optional {
  /// The pointer advanced by `count` elements, or nil. It avoids a closure, so that running kernels do not allocate in
  /// debug builds either.
  @inline(__always)
  func advanced<T>(_ count: Int) -> UnsafePointer<T>? where Wrapped == UnsafePointer<T> {
    guard let self else { return nil }
    return self + count
  }
}
