import CoreMLBase
import CoreMLSpec
import MIL

/// A feature that one model of a pipeline outputs and another takes as input.
struct FeatureEdge {
  let name: String
  let given: Specification.FeatureType?
  let taken: Specification.FeatureType?

  /// Converts a value of the pool to the type that a model's program expects.
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

  /// Swaps red and blue if the two models have different channel orders.
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
      let value = try Self.declared(value, taken, &builder, named: name)
      let source = try builder.tensorType(of: value)
      let axes: [Int]
      switch source.rank {
      case 1: axes = [0, 1, 3, 4]
      case 3: axes = [0, 1]
      case 4: axes = [0]
      default: throw mismatch("\(source)", .tensor(target))
      }
      return try builder.add("expand_dims", ["x": .name(value), "axes": .ints(axes)], named: name)
    }
    if let fitted = try UnitAxes.fitted(value, to: target.shape, &builder, named: name) { return fitted }
    // The same elements in another shape, for example a number as an array with one element.
    guard let shape = target.concreteShape ?? (target.rank == 1 ? [-1] : nil),
      source.elementCount == nil || target.elementCount == nil || source.elementCount == target.elementCount,
      source.elementCount != nil || target.rank == 1
    else { throw mismatch("\(source)", .tensor(target)) }
    return try builder.add("reshape", ["x": .name(value), "shape": .ints(shape)], named: name)
  }

  /// Converts an output of a model's program to its declared feature. It drops the leading axes of the legacy mapping
  /// and applies the declared shape. An image is rounded to integers from 0 to 255.
  static func result(
    _ value: String, _ type: Specification.FeatureType?, _ interface: ModelInterface, _ builder: inout Builder
  ) throws -> String {
    guard let found = builder.scope.types[value]?.tensor else { return value }
    if let image = try type?.imageType {
      guard try image.colorSpace != .grayscaleFloat16 else { return value }
      let clipped = try builder.add("clip", ["x": .name(value), "alpha": .float(0), "beta": .float(255)])
      return try pixels(builder.add("round", ["x": .name(clipped)]), found, &builder)
    }
    var value = value
    if interface.arrayMapping == .rank5, found.rank == 5, found.shape[0] == 1, found.shape[1] == 1 {
      let declared = try type?.multiArrayType?.shape.count ?? 0
      let isVector = found.shape[3] == 1 && found.shape[4] == 1 && declared <= 1
      value = try builder.add("squeeze", ["x": .name(value), "axes": .ints(isVector ? [0, 1, 3, 4] : [0, 1])])
    }
    return try Self.declared(value, type, &builder, named: value)
  }

  /// Reshapes an array to the shape that a feature declares, if the two differ only by axes of size 1.
  private static func declared(
    _ value: String, _ type: Specification.FeatureType?, _ builder: inout Builder, named name: String
  ) throws -> String {
    guard let array = try type?.multiArrayType else { return value }
    let shape = try FeatureShapes.dimensions(of: array)
    return shape.isEmpty ? value : try UnitAxes.fitted(value, to: shape, &builder, named: name) ?? value
  }

  /// Reshapes an image to (1, channels, height, width), which every model accepts.
  private static func pixels(_ value: String, _ type: TensorType, _ builder: inout Builder) throws -> String {
    switch type.rank {
    case 3: try builder.add("expand_dims", ["x": .name(value), "axes": .ints([0])])
    case 5: try builder.add("squeeze", ["x": .name(value), "axes": .ints([0])])
    default: value
    }
  }
}
