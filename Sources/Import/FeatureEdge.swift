import CoreMLSpec
import MIL

/// The edge between two models of a pipeline: a feature as one gives it and as the other takes it.
struct FeatureEdge {
  let name: String
  let given: Specification.FeatureType?
  let taken: Specification.FeatureType?

  /// A value of the pool as the type that a model's program takes.
  func fitted(
    _ value: String, to type: ValueType, _ interface: ModelInterface, _ builder: inout Builder
  ) throws -> String {
    guard let found = builder.scope.types[value] else { throw mismatch("nothing", type) }
    guard let target = type.tensor, let source = found.tensor else {
      guard found.agrees(with: type) else { throw mismatch("\(found)", type) }
      return value
    }
    guard (source.scalar == .string) == (target.scalar == .string) else { throw mismatch("\(source)", type) }
    var value = try flipped(value, source, &builder)
    if source.scalar != target.scalar {
      value = try builder.add("cast", ["x": .name(value), "dtype": .string(target.scalar.rawValue)], named: name)
    }
    return try shaped(value, source, target, interface, &builder)
  }

  private func mismatch(_ found: String, _ type: ValueType) -> RuntimeError {
    RuntimeError(.invalidModel, "the feature '\(name)' is \(found), expected \(type)")
  }

  /// Red and blue change places where one model counts them the other way round.
  private func flipped(_ value: String, _ type: TensorType, _ builder: inout Builder) throws -> String {
    guard let from = try given?.imageType?.colorSpace, let to = try taken?.imageType?.colorSpace, from != to,
      [from, to].allSatisfy({ $0 == .rgb || $0 == .bgr })
    else { return value }
    return try builder.add("reverse", ["x": .name(value), "axes": .ints([type.rank - 3])], named: name)
  }

  private func shaped(
    _ value: String, _ source: TensorType, _ target: TensorType, _ interface: ModelInterface, _ builder: inout Builder
  ) throws -> String {
    if source.rank == target.rank, zip(source.shape, target.shape).allSatisfy({ $0.agrees(with: $1) }) { return value }
    let isImage = try taken?.imageType != nil
    if target.rank == 5, source.rank < 5, isImage || interface.arrayMapping == .rank5 {
      let axes: [Int]
      switch source.rank {
      case 1: axes = [0, 1, 3, 4]
      case 3: axes = [0, 1]
      case 4: axes = [0]
      default: throw mismatch("\(source)", .tensor(target))
      }
      return try builder.add("expand_dims", ["x": .name(value), "axes": .ints(axes)], named: name)
    }
    let extra = source.rank - target.rank
    if extra > 0, source.shape.prefix(extra).allSatisfy({ $0 == 1 }),
      zip(source.shape.dropFirst(extra), target.shape).allSatisfy({ $0.agrees(with: $1) })
    {
      return try builder.add("squeeze", ["x": .name(value), "axes": .ints(Array(0..<extra))], named: name)
    }
    // The same numbers under another shape: a number as an array of one, an array without its axes of one.
    guard let shape = target.concreteShape ?? (target.rank == 1 ? [-1] : nil),
      source.elementCount == nil || target.elementCount == nil || source.elementCount == target.elementCount,
      source.elementCount != nil || target.rank == 1
    else { throw mismatch("\(source)", .tensor(target)) }
    return try builder.add("reshape", ["x": .name(value), "shape": .ints(shape)], named: name)
  }

  /// What a model's program gives, as the feature it is declared as: without the leading axes of the legacy mapping, and an image in
  /// whole steps of 0 to 255.
  static func result(
    _ value: String, _ type: Specification.FeatureType?, _ interface: ModelInterface, _ builder: inout Builder
  ) throws -> String {
    guard let found = builder.scope.types[value]?.tensor else { return value }
    if let image = try type?.imageType {
      guard try image.colorSpace != .grayscaleFloat16 else { return value }
      let clipped = try builder.add("clip", ["x": .name(value), "alpha": .float(0), "beta": .float(255)])
      return try pixels(builder.add("round", ["x": .name(clipped)]), found, &builder)
    }
    guard interface.arrayMapping == .rank5, found.rank == 5, found.shape[0] == 1, found.shape[1] == 1 else {
      return value
    }
    let declared = try type?.multiArrayType?.shape.count ?? 0
    let isVector = found.shape[3] == 1 && found.shape[4] == 1 && declared <= 1
    return try builder.add("squeeze", ["x": .name(value), "axes": .ints(isVector ? [0, 1, 3, 4] : [0, 1])])
  }

  /// A picture as every model takes it: (1, channels, height, width).
  private static func pixels(_ value: String, _ type: TensorType, _ builder: inout Builder) throws -> String {
    switch type.rank {
    case 3: try builder.add("expand_dims", ["x": .name(value), "axes": .ints([0])])
    case 5: try builder.add("squeeze", ["x": .name(value), "axes": .ints([0])])
    default: value
    }
  }
}
