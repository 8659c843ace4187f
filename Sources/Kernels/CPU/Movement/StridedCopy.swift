import CKernels
import MIL

/// A strided copy between two tensors, planned once: `out[outOffset + i * outStrides] = in[inOffset + i * inStrides]`
/// for every index i of `shape`. All values count elements.
struct StridedCopy: Sendable {
  let elementSize: Int
  private(set) var shape: [Int] = []
  private(set) var inStrides: [Int] = []
  private(set) var outStrides: [Int] = []
  let inOffset: Int
  let outOffset: Int
  /// Whether no element is copied.
  let isEmpty: Bool
  fileprivate let count: Int
  /// Whether the elements are contiguous in both tensors, so that a plain memory copy suffices.
  let isRun: Bool
  /// The axis with the largest stride in the target. Nil for a copy of one element.
  private let outermost: Int?

  /// `CK_MAX_RANK` sizes.
  private typealias Sizes = SIMD8<Int>

  /// Elements below which threads cost more than they save.
  private static let grain = 1 << 14

  init(
    elementSize: Int, shape: [Int], inStrides: [Int], outStrides: [Int], inOffset: Int = 0, outOffset: Int = 0
  ) throws {
    self.elementSize = elementSize
    self.inOffset = inOffset
    self.outOffset = outOffset
    isEmpty = shape.contains(0)
    // Axes of size 1 are dropped, and axes that are contiguous in both tensors are merged.
    for axis in shape.indices where shape[axis] != 1 {
      if let last = self.shape.indices.last, self.inStrides[last] == inStrides[axis] * shape[axis],
        self.outStrides[last] == outStrides[axis] * shape[axis]
      {
        self.shape[last] *= shape[axis]
        self.inStrides[last] = inStrides[axis]
        self.outStrides[last] = outStrides[axis]
      } else {
        self.shape.append(shape[axis])
        self.inStrides.append(inStrides[axis])
        self.outStrides.append(outStrides[axis])
      }
    }
    guard self.shape.count <= CK_MAX_RANK else {
      throw Refusal("the copy has \(self.shape.count) axes, the kernel takes \(CK_MAX_RANK)")
    }
    count = self.shape.reduce(1, *)
    isRun = !isEmpty && (self.shape.isEmpty || self.inStrides == [1] && self.outStrides == [1])
    outermost = self.outStrides.indices.max { [strides = self.outStrides] in abs(strides[$0]) < abs(strides[$1]) }
  }

  /// `skipped` and `left` are additional offsets in the source and the target, in elements, that are known only at run
  /// time.
  func callAsFunction(
    from source: UnsafeRawPointer, skipping skipped: Int = 0, to target: UnsafeMutableRawPointer,
    leaving left: Int = 0, pool: ThreadPool
  ) {
    guard !isEmpty else { return }
    let from = source + (inOffset + skipped) * elementSize
    let to = target + (outOffset + left) * elementSize
    if isRun, from == UnsafeRawPointer(to) { return }
    // Each part is a range of the axis that is outermost in the target, so that threads write to separate regions.
    guard count >= 2 * Self.grain, let axis = outermost, shape[axis] > 1
    else {
      copy(from, to, axis: 0, size: shape.isEmpty ? 1 : shape[0])
      return
    }
    pool.run(shape[axis], grain: share(of: axis, threads: pool.threads)) { range in
      copy(
        from + range.lowerBound * inStrides[axis] * elementSize, to + range.lowerBound * outStrides[axis] * elementSize,
        axis: axis, size: range.count)
    }
  }

  /// The size of a thread's part of the axis. If the axis is contiguous in the source, the parts begin on different
  /// cache lines. Otherwise each thread with a part of a line would read the line.
  private func share(of axis: Int, threads: Int) -> Int {
    let size = shape[axis]
    let least = max(1, size * Self.grain / count, size / (4 * threads))
    guard inStrides[axis] != 0 else { return least }
    let line = max(1, 64 / max(abs(inStrides[axis]) * elementSize, 1))
    let whole = (least + line - 1) / line * line
    // A few channels of pixels are fewer than a cache line holds. Reading lines twice is better than using one thread.
    return whole * threads <= size ? whole : least
  }

  private func copy(_ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, axis: Int, size: Int) {
    if shape.isEmpty || size == shape[axis] {
      _ = ck_copy_strided(elementSize, shape.count, shape, from, inStrides, to, outStrides)
      return
    }
    // The part has another size along one axis. The sizes are on the stack.
    var sizes = Sizes()
    withUnsafeMutableBytes(of: &sizes) { bytes in
      let sizes = bytes.bindMemory(to: Int.self)
      for index in shape.indices { sizes[index] = index == axis ? size : shape[index] }
      if let sizes = sizes.baseAddress {
        _ = ck_copy_strided(elementSize, shape.count, sizes, from, inStrides, to, outStrides)
      }
    }
  }
}

extension KernelProblem {
  /// Bytes of one element of an argument. Refuses strings, and elements of less than one byte.
  func elementSize(_ name: String, _ index: Int = 0) throws -> Int {
    let scalar = try scalar(name, index)
    guard scalar.bitWidth >= 8 else { throw Refusal("\(scalar.rawValue) elements cannot be moved by bytes") }
    return scalar.bitWidth / 8
  }

  /// Calls `body`, and refuses if it needs a value that is known only at run time.
  func known<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as MILError where error.code == .unknownValue {
      throw Refusal(error.message)
    }
  }
}

extension Candidate {
  /// A candidate that copies arguments to outputs, each from a slot to an output.
  static func copies(_ all: [(slot: Int, output: Int, copy: StridedCopy)]) -> Candidate {
    var candidate = Candidate.cpu(efficiency: 1) { frame in
      for index in all.indices {
        all[index].copy(from: frame.inputs[all[index].slot], to: frame.outputs[all[index].output], pool: frame.pool)
      }
    }
    candidate.runs = all.compactMap { slot, output, copy in
      guard copy.isRun else { return nil }
      let size = copy.elementSize
      return Candidate.Run(
        operand: slot, source: copy.inOffset * size, output: output, target: copy.outOffset * size,
        count: copy.count * size)
    }
    return candidate
  }
}
