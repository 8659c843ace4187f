import CoreMLBase

/// The type of a tensor: its elements and the sizes of its axes, outermost first. Rank 0 is a scalar.
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

  /// The sizes when every one is known.
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

  /// Number of elements, when known and representable.
  package var elementCount: Int? { concreteShape.flatMap(Self.elementCount) }

  /// The product of the sizes. A shape whose other sizes would be too large to multiply has none, even when one size is 0:
  /// strides and parts of a shape can then be multiplied without a check, and there are never more rows of nothing than an axis can have.
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

  /// Bytes of the contiguous, packed tensor, when known and representable.
  package var byteCount: Int? { elementCount.flatMap { scalar.byteCount(for: $0) } }

  /// The same type, or an error when a size is negative or the whole is too large to address.
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

  /// No tensor larger than this is ever allocated (`RuntimeLimits.tensorSize`): a hostile shape fails before it exhausts the machine.
  package static var maximumByteCount: Int { RuntimeLimits.largestTensor.load(ordering: .relaxed) }

  /// More axes than any operation gives (Core ML allows five); walking over axes may recurse.
  package static let maximumRank = 64

  package func with(scalar: ScalarType) -> TensorType { TensorType(scalar, shape) }

  /// Same element type and rank, and no two known sizes that differ.
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
  /// A list of values of one type (`make_list`); the length is unknown when it can grow.
  case list(ValueType, length: Dimension)
  case tuple([ValueType])
  case dictionary(key: ValueType, value: ValueType)
  /// A tensor that lives across predictions (iOS18 states).
  case state(TensorType)

  /// The type of a value whose rank nobody knows before the shapes of inputs, or a run, tell it: a tuple of nothing.
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
