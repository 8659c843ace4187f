/// Element types of OpenCL kernels. Booleans are bytes of 0 or 1. fp16 values are only loaded and stored, small
/// integers only cast.
package enum CLScalar: String, Sendable, Hashable, CaseIterable {
  case float
  case half
  case int
  case bool
  case int8, uint8, int16, uint16

  package var size: Int {
    switch self {
    case .float, .int: 4
    case .half, .int16, .uint16: 2
    case .bool, .int8, .uint8: 1
    }
  }
  /// The type in which kernels compute.
  var widened: CLScalar { self == .half ? .float : self }
  /// The OpenCL C type.
  var type: String {
    switch self {
    case .bool, .uint8: "uchar"
    case .int8: "char"
    case .int16: "short"
    case .uint16: "ushort"
    default: rawValue
    }
  }
}

/// The OpenCL C type that moves elements of `size` bytes.
func clMoveType(_ size: Int) throws(KernelError) -> String {
  switch size {
  case 1: return "uchar"
  case 2: return "ushort"
  case 4: return "uint"
  case 8: return "ulong"
  default: throw KernelError(.openCLLaunch, "elements of \(size) bytes are moved by no OpenCL kernel")
  }
}

/// Sizes of a launch: checked products, and the index type that they need.
struct CLSizes {
  /// Whether counts and strides are `long` in OpenCL C; otherwise `int`.
  let isLong: Bool

  /// `counts` are those of all tensors of the launch. The limit of 2^30 elements for `int` leaves space for what
  /// kernels add to an index.
  init(_ counts: Int...) { isLong = counts.contains { $0 > 1 << 30 } }

  var definition: String { isLong ? "long" : "int" }

  func one(_ value: Int) -> OpenCLParameter {
    isLong ? .long(Int64(value)) : .int(Int32(clamping: value))
  }

  func many(_ values: [Int]) -> OpenCLParameter {
    isLong ? .longs(values.map { Int64($0) }) : .ints(values.map { Int32(clamping: $0) })
  }

  /// The element count of a shape. Throws for negative sizes and for counts beyond any memory.
  static func count(_ shape: [Int], _ what: String) throws(KernelError) -> Int {
    var count = 1
    for size in shape {
      let (product, overflow) = count.multipliedReportingOverflow(by: size)
      guard size >= 0, !overflow, product <= 1 << 48 else {
        throw KernelError(.openCLLaunch, "\(what): the shape \(shape) is not one of a tensor")
      }
      count = product
    }
    return count
  }

  /// Row-major strides of a shape.
  static func strides(_ shape: [Int]) -> [Int] {
    var strides = [Int](repeating: 1, count: shape.count)
    for index in shape.indices.dropLast().reversed() {
      strides[index] = strides[index + 1] &* max(shape[index + 1], 1)
    }
    return strides
  }
}

/// Launch sizes for kernels whose work-items process elements `i`, `i + global size`, ...
struct CLElements {
  let global: Int
  let local: Int

  init(_ count: Int, _ kernel: OpenCLKernel) {
    local = min(256, kernel.maxWorkGroupSize)
    // Enough work-groups to occupy every compute unit, and few enough that work-items have more than one element in
    // large launches.
    global = min(count, max(kernel.device.computeUnits, 1) * 16 * local)
  }
}

/// The common dimensions of several strided tensors. Adjacent dimensions are merged if all tensors allow it.
struct CLWalk {
  private(set) var sizes: [Int]
  /// For each tensor, the stride of each dimension.
  private(set) var strides: [[Int]]

  init(_ sizes: [Int], _ strides: [[Int]]) {
    self.sizes = []
    self.strides = strides.map { _ in [] }
    for index in sizes.indices where sizes[index] != 1 {
      let next = strides.map { $0[index] }
      if let last = self.sizes.last,
        zip(self.strides, next).allSatisfy({ $0.last == $1 &* sizes[index] })
      {
        self.sizes[self.sizes.count - 1] = last &* sizes[index]
        for tensor in next.indices { self.strides[tensor][self.strides[tensor].count - 1] = next[tensor] }
      } else {
        self.sizes.append(sizes[index])
        for tensor in next.indices { self.strides[tensor].append(next[tensor]) }
      }
    }
    if self.sizes.isEmpty {
      self.sizes = [1]
      self.strides = strides.map { _ in [0] }
    }
  }

  /// Strides of `shape` broadcast to `target` by NumPy's rule: 0 where it repeats.
  static func broadcast(_ shape: [Int], to target: [Int], _ what: String) throws(KernelError) -> [Int] {
    let lead = target.count - shape.count
    guard lead >= 0, shape.indices.allSatisfy({ shape[$0] == 1 || shape[$0] == target[$0 + lead] }) else {
      throw KernelError(.openCLLaunch, "\(what): the shape \(shape) does not broadcast to \(target)")
    }
    let strides = CLSizes.strides(shape)
    return [Int](repeating: 0, count: lead) + shape.indices.map { shape[$0] == 1 ? 0 : strides[$0] }
  }

  /// The struct that kernels take: sizes, then the strides of each tensor.
  func argument(_ index: CLSizes) -> OpenCLParameter { index.many(sizes + strides.flatMap { $0 }) }
}
