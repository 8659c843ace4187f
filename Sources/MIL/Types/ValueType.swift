import CoreMLBase

/// The type of a tensor: its element type and its axis sizes, outermost first. Rank 0 is a scalar.
package struct TensorType: Sendable, Hashable, CustomStringConvertible {
  package var scalar: ScalarType
  package var shape: [Dimension]

  package init(_ scalar: ScalarType, _ shape: [Dimension]) {
    self.scalar = scalar
    self.shape = shape
  }

  package init(_ scalar: ScalarType, _ shape: [Int]) {
    self.init(scalar, shape.map { Dimension($0) })
  }

  package var rank: Int { shape.count }

  /// The sizes, if all are known.
  package var concreteShape: [Int]? {
    var sizes: [Int] = []
    sizes.reserveCapacity(shape.count)
    for dimension in shape {
      guard let value = dimension.value else { return nil }
      sizes.append(value)
    }
    return sizes
  }

  package var isConcrete: Bool { shape.allSatisfy(\.isKnown) }

  /// The number of elements, if known and representable.
  package var elementCount: Int? { concreteShape.flatMap(Self.elementCount) }

  /// The product of the sizes. Nil if the product of all nonzero sizes overflows, even if one size is 0. So strides and
  /// partial products of a shape cannot overflow. The number of empty rows is limited too.
  package static func elementCount(_ shape: [Int]) -> Int? {
    var (count, isEmpty) = (1, false)
    for size in shape {
      guard size >= 0 else { return nil }
      isEmpty = isEmpty || size == 0
      let (product, overflow) = count.multipliedReportingOverflow(by: max(size, 1))
      guard !overflow else { return nil }
      count = product
    }
    if isEmpty { return count <= mostRowsOfNothing ? 0 : nil }
    return count
  }

  private static let mostRowsOfNothing = 1 << 31

  /// The bytes of the contiguous, packed tensor, if known and representable.
  @inlinable package var byteCount: Int? { elementCount.flatMap { scalar.byteCount(for: $0) } }

  /// The same type. Throws if a size is negative, or if the tensor is too large.
  package func validated(_ what: @autoclosure () -> String) throws -> TensorType {
    guard rank <= TensorType.maximumRank else {
      throw MILError(.invalidShape, "\(what()) has \(rank) axes, at most \(TensorType.maximumRank) are possible")
    }
    for dimension in shape {
      if let value = dimension.value, value < 0 {
        throw MILError(.invalidShape, "\(what()) has the impossible shape \(self)")
      }
    }
    if isConcrete, scalar != .string {
      guard let bytes = byteCount, bytes <= TensorType.maximumByteCount else {
        throw MILError(.invalidShape, "\(what()) of type \(self) is larger than any tensor that can be held")
      }
    }
    return self
  }

  /// The maximum size of a tensor (`RuntimeLimits.tensorSize`). It makes an untrusted shape fail before it exhausts the
  /// machine.
  package static var maximumByteCount: Int { RuntimeLimits.largestTensor.load(ordering: .relaxed) }

  /// The maximum rank, which is more than any operation produces (Core ML allows five). It bounds recursion over axes.
  package static let maximumRank = 64

  package func with(scalar: ScalarType) -> TensorType { TensorType(scalar, shape) }

  /// Whether the element types and ranks are the same, and no known sizes differ.
  package func agrees(with other: TensorType) -> Bool {
    scalar == other.scalar && rank == other.rank && zip(shape, other.shape).allSatisfy { $0.agrees(with: $1) }
  }

  package var description: String {
    "tensor<\(scalar.rawValue), [\(shape.map(\.description).joined(separator: ", "))]>"
  }
}

/// The type of a value in a program.
package indirect enum ValueType: Sendable, Hashable, CustomStringConvertible {
  case tensor(TensorType)
  /// A list of values of one type (`make_list`). The length is unknown if the list can grow.
  case list(ValueType, length: Dimension)
  case tuple([ValueType])
  case dictionary(key: ValueType, value: ValueType)
  /// A tensor that persists across predictions (iOS18 states).
  case state(TensorType)

  /// The type of a value whose rank is unknown until input shapes or the run determine it: an empty tuple.
  package static let open = ValueType.tuple([])
  package var isOpen: Bool { self == .open }

  package var tensor: TensorType? {
    switch self {
    case .tensor(let type): type
    default: nil
    }
  }

  package func agrees(with other: ValueType) -> Bool {
    switch (self, other) {
    case (.tensor(let a), .tensor(let b)), (.state(let a), .state(let b)): a.agrees(with: b)
    case (.list(let a, let n), .list(let b, let m)): a.agrees(with: b) && n.agrees(with: m)
    case (.tuple(let a), .tuple(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.agrees(with: $1) }
    case (.dictionary(let k, let v), .dictionary(let l, let w)): k.agrees(with: l) && v.agrees(with: w)
    default: false
    }
  }

  package var description: String {
    switch self {
    case .tensor(let type): type.description
    case .list(let element, let length): "list<\(element), \(length)>"
    case .tuple(let types): "tuple<\(types.map(\.description).joined(separator: ", "))>"
    case .dictionary(let key, let value): "dict<\(key), \(value)>"
    case .state(let type): "state<\(type)>"
    }
  }
}
