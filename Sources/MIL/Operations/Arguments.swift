/// Argument accessors for the rules of several families.
extension Invocation {
  /// The integers of an argument; nil if its value is only known at run time.
  package func intsIfKnown(_ name: String) throws -> [Int]? {
    valueIfKnown(name) == nil ? nil : try ints(name)
  }

  package func boolsIfKnown(_ name: String) throws -> [Bool]? {
    valueIfKnown(name) == nil ? nil : try located { try constant(name).bools() }
  }

  /// The length of a vector argument. Throws unless it has rank 1. A scalar counts as a vector of one element, since
  /// converters use either form.
  package func length(_ name: String) throws -> Dimension {
    let shape = try shape(name)
    if shape.isEmpty { return 1 }
    guard shape.count == 1 else {
      throw error(.invalidShape, "'\(name)' must be a vector, its type is \(try tensor(name))")
    }
    return shape[0]
  }

  /// The length of a vector argument that determines a number of axes or outputs. It must be known.
  package func knownLength(_ name: String) throws -> Int {
    guard let length = try length(name).value else {
      throw error(.unknownValue, "the length of '\(name)' is only known at run time")
    }
    return length
  }

  /// The shape given by a vector argument that is only known at run time. The vector's length is the rank.
  package func openShape(_ name: String) throws -> [Dimension] {
    let rank = try knownLength(name)
    // A file may declare a vector of any length.
    guard rank <= TensorType.maximumRank else {
      throw error(
        .invalidShape, "'\(name)' has \(rank) sizes, a tensor has at most \(TensorType.maximumRank) axes")
    }
    return Array(repeating: .unknown, count: rank)
  }

  /// The tensor type of an argument that must have this rank.
  package func tensor(_ name: String, rank: Int) throws -> TensorType {
    let type = try tensor(name)
    guard type.rank == rank else { throw error(.invalidShape, "'\(name)' must have rank \(rank), it is \(type)") }
    return type
  }

  /// A scalar or one-element integer that must be at least `minimum`.
  package func int(_ name: String, atLeast minimum: Int) throws -> Int {
    let value = try int(name)
    guard value >= minimum else {
      throw error(.invalidArgument, "'\(name)' is \(value), it must be at least \(minimum)")
    }
    return value
  }

  /// Throws if an axis occurs twice.
  package func requireDistinct(_ axes: [Int], _ name: String) throws {
    guard Set(axes).count == axes.count else { throw error(.invalidArgument, "'\(name)' names an axis twice: \(axes)") }
  }

  /// `size / divisor`. Throws if both are known and there is a remainder.
  package func exact(_ size: Dimension, dividedBy divisor: Dimension, _ what: String) throws -> Dimension {
    if let size = size.value, let divisor = divisor.value, divisor <= 0 || size % divisor != 0 {
      throw error(.invalidShape, "\(what) \(size) is not divisible by \(divisor)")
    }
    return size / divisor
  }
}

extension Collection where Element == Dimension {
  /// The number of elements that these axes span.
  var product: Dimension { reduce(1, *) }

  /// The sizes, separated by commas, for messages.
  var list: String { map(\.description).joined(separator: ", ") }
}

extension OperationDefinition {
  /// An operation whose output has the type of `x`.
  static func unary(_ name: String, _ more: [Parameter] = []) -> OperationDefinition {
    OperationDefinition(name, [.required("x")] + more) { [.tensor(try $0.tensor("x"))] }
  }

  /// An operation that only moves data. It has no arithmetic, and its memory traffic follows from the types.
  static func movement(
    _ name: String, _ parameters: [Parameter], outputTypes: @escaping TypeRule
  ) -> OperationDefinition {
    OperationDefinition(name, parameters, work: { _, _ in Work(flops: 0) }, outputTypes: outputTypes)
  }
}
