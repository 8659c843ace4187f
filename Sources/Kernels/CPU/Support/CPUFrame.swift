/// Memory of one CPU kernel while it runs: a pointer a slot, a pointer an output, its scratch, and the threads it may use.
///
/// The planner guarantees that every pointer holds the bytes its concrete type says, 64-byte aligned for intermediate results and
/// scratch; mapped weights, inputs and outputs that the caller has memory for may be less aligned: kernels load and store them so.
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

  /// The memory of a slot that a site may lack.
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
  /// The pointer so many elements on; nil for none. No closure: kernels that run take no memory in debug builds either.
  @inline(__always)
  func advanced<T>(_ count: Int) -> UnsafePointer<T>? where Wrapped == UnsafePointer<T> {
    guard let self else { return nil }
    return self + count
  }
}
