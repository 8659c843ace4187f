import MIL

/// Matches a normalization backwards from the multiplication by (or division by) the root of a mean of squares.
struct NormalizationPattern {
  struct Found {
    let x: String
    let type: TensorType
    let isCentered: Bool
    /// The number of last axes that it normalizes over.
    let axes: Int
    let epsilon: Double
    /// All operations except the last.
    let parts: Set<Int>
  }

  private let uses: Uses
  private let constants: [String: Value]
  private let types: [String: ValueType]
  private let operations: [Operation]

  init(_ function: Function) {
    (uses, constants, types) = (Uses(function), function.constants, function.types)
    operations = function.body.operations
  }

  func normalization(endingAt index: Int) -> Found? {
    let operation = operations[index]
    guard operation.type == "mul" || operation.type == "real_div", operation.outputs.count == 1,
      let type = operation.outputs[0].type.tensor, type.scalar == .float32, type.isConcrete, type.rank > 0,
      let x = operation.binding("x")?.name, let y = operation.binding("y")?.name
    else { return nil }
    let pairs = operation.type == "mul" ? [(x, y), (y, x)] : [(x, y)]
    for (whole, root) in pairs {
      guard let (mean, rootEpsilon, rootParts) = squares(under: root, readBy: index, inverse: operation.type == "mul"),
        let (squared, axes, meanParts) = squared(mean.name, readBy: mean.reader), squared == whole,
        types[whole]?.tensor == type
      else { continue }
      let parts = rootParts.union(meanParts)
      let squareMaker = meanParts.min() ?? index
      if let (plain, centerParts) = uncentered(whole, axes, readers: [squareMaker, index]) {
        return Found(
          x: plain, type: type, isCentered: true, axes: axes, epsilon: rootEpsilon, parts: parts.union(centerParts))
      }
      return Found(x: whole, type: type, isCentered: false, axes: axes, epsilon: rootEpsilon, parts: parts)
    }
    return nil
  }

  /// The operation of this type that is the only reader of `index`'s result, with its other operand: a constant vector
  /// along the last axis.
  func vector(_ type: String, after index: Int) -> (next: Int, values: Tensor)? {
    let output = operations[index].outputs[0]
    guard let next = uses.onlyReader(of: output.name), operations[next].type == type,
      operations[next].outputs.count == 1,
      operations[next].outputs[0].type == output.type, let whole = output.type.tensor,
      let width = whole.shape.last?.value
    else { return nil }
    for (one, other) in [("x", "y"), ("y", "x")] where operations[next].binding(one)?.name == output.name {
      guard let values = operations[next].value(other, constants)?.tensor, values.scalar == .float32,
        values.count == width, values.rank >= 1, values.rank <= whole.rank, values.shape.last == width,
        let numbers = try? values.doubles(), let flat = try? Tensor(.float32, shape: [width], doubles: numbers)
      else { continue }
      return (next, flat)
    }
    return nil
  }

  // MARK: parts

  private func only(_ name: String, readBy reader: Int) -> Int? {
    guard let maker = uses.maker(of: name), uses.onlyReader(of: name) == reader else { return nil }
    return maker
  }

  private func number(_ parameter: String, _ operation: Operation) -> Double? {
    guard let tensor = operation.value(parameter, constants)?.tensor, tensor.count == 1 else { return nil }
    return (try? tensor.doubles())?.first
  }

  /// The operand of 1 / sqrt(value + epsilon), or of the root itself.
  private func squares(
    under name: String, readBy reader: Int, inverse: Bool
  ) -> (mean: (name: String, reader: Int), epsilon: Double, parts: Set<Int>)? {
    guard let maker = only(name, readBy: reader), var inner = operations[maker].binding("x")?.name else { return nil }
    let operation = operations[maker]
    var (parts, last, epsilon): (Set<Int>, Int, Double) = ([maker], maker, 0)
    switch operation.type {
    case "rsqrt" where inverse: epsilon = number("epsilon", operation) ?? 1e-12
    case "pow" where number("y", operation) == (inverse ? -0.5 : 0.5): break
    case "sqrt" where !inverse: break
    default: return nil
    }
    if let sum = only(inner, readBy: maker), operations[sum].type == "add" {
      for (one, other) in [("x", "y"), ("y", "x")] {
        guard let value = number(other, operations[sum]), let name = operations[sum].binding(one)?.name else {
          continue
        }
        (inner, last, epsilon) = (name, sum, epsilon + value)
        parts.insert(sum)
        break
      }
    }
    return ((inner, last), epsilon, parts)
  }

  /// The value whose mean of squares is `name`, with the number of last axes of the mean.
  private func squared(_ name: String, readBy reader: Int) -> (String, axes: Int, Set<Int>)? {
    guard let mean = only(name, readBy: reader), let axes = lastAxes(operations[mean]),
      let inner = operations[mean].binding("x")?.name, let square = only(inner, readBy: mean),
      let x = operations[square].binding("x")?.name
    else { return nil }
    switch operations[square].type {
    case "square": break
    case "mul" where operations[square].binding("y")?.name == x: break
    case "pow" where number("y", operations[square]) == 2: break
    default: return nil
    }
    return (x, axes, [mean, square])
  }

  /// x, if `name` is x minus its mean over the last axes and only `readers` read it.
  private func uncentered(_ name: String, _ axes: Int, readers: Set<Int>) -> (String, Set<Int>)? {
    guard uses.isRead(name, by: readers), let sub = uses.maker(of: name),
      operations[sub].type == "sub", let x = operations[sub].binding("x")?.name,
      let center = operations[sub].binding("y")?.name, let mean = only(center, readBy: sub),
      lastAxes(operations[mean]) == axes, operations[mean].binding("x")?.name == x
    else { return nil }
    return (x, [sub, mean])
  }

  /// The number of last axes over which a mean is computed; nil unless the operation is a mean over the last axes that
  /// keeps them.
  private func lastAxes(_ operation: Operation) -> Int? {
    guard operation.type == "reduce_mean", let x = operation.binding("x")?.name, let rank = types[x]?.tensor?.rank,
      let axes = operation.value("axes", constants)?.tensor, let numbers = try? axes.ints(), !numbers.isEmpty,
      let keeps = operation.value("keep_dims", constants)?.tensor, (try? keeps.ints().first).map({ $0 != 0 }) == true,
      case let places = numbers.map({ $0 < 0 ? $0 + rank : $0 }).sorted(),
      places == Array(max(rank - numbers.count, 0)..<rank)
    else { return nil }
    return numbers.count
  }
}
