import CoreMLKernels
import MIL

/// Splits a linear layer whose result is split into one layer per part. This saves the copy, and an operation after a
/// part can become the epilogue of its product.
///
///     split(linear(x, w, b))   =>   linear(x, w of the first columns, b), linear(x, w of the others, b)
///
/// Gated layers are written this way: one half is a value, the other its gate. The input is read once per part. With
/// few rows the layer is not split: the copy is cheap, and the product is limited by reading its weights.
struct SplitProduct: Pass {
  private static let leastRows = 17
  /// Kernels compute this many columns at a time.
  private static let unit = 16

  private let applies: Bool

  init(on device: DeviceKind) { applies = device == .cpu }

  func callAsFunction(_ function: Function) -> Function {
    guard applies, function.contains("split") else { return function }
    var result = function
    let (uses, constants, types) = (Uses(function), function.constants, function.types)
    let stored = function.constantNames
    var names = FreshNames(function)
    var inserted: [Int: [Operation]] = [:]
    for (index, split) in function.body.operations.enumerated() where split.type == "split" {
      guard let x = split.binding("x")?.name, let maker = uses.maker(of: x), uses.onlyReader(of: x) == index,
        case let linear = function.body.operations[maker], linear.type == "linear", linear.code == nil,
        let shape = types[x]?.tensor?.concreteShape, types[x]?.tensor?.scalar == .float32,
        let axis = (try? split.value("axis", constants)?.tensor?.ints())?.first,
        axis == shape.count - 1 || axis == -1, shape.dropLast().reduce(1, *) >= Self.leastRows,
        let weight = linear.binding("weight")?.constantType(types, stored), weight.scalar == .float32,
        weight.concreteShape?.first == shape.last,
        linear.inputs["bias"].map({ $0.first?.constantType(types, stored)?.concreteShape == [shape.last ?? 0] }) ?? true
      else { continue }
      let columns = split.outputs.compactMap { $0.type.tensor?.concreteShape?.last }
      guard columns.count == split.outputs.count, columns.allSatisfy({ $0 > 0 && $0 % Self.unit == 0 }),
        columns.reduce(0, +) == shape.last
      else { continue }
      var (first, parts) = (0, [Operation]())
      for (output, count) in zip(split.outputs, columns) {
        var part = linear
        for (parameter, bindings) in linear.inputs where parameter == "weight" || parameter == "bias" {
          guard let type = bindings[0].constantType(types, stored), let sizes = type.concreteShape else { continue }
          let name = names.name("\(output.name)__\(parameter)")
          parts.append(
            Operation(
              "constexpr_part", inputs: ["data": bindings, "begin": [.int(first)], "count": [.int(count)]],
              outputs: [NamedType(name, .tensor(TensorType(type.scalar, [count] + sizes.dropFirst())))],
              origins: linear.named))
          part.inputs[parameter] = [.name(name)]
        }
        part.outputs = [output]
        part.origins = linear.named + split.named
        parts.append(part)
        first += count
      }
      inserted[index] = parts
    }
    guard !inserted.isEmpty else { return function }
    // The original product has no reader left. Dead code elimination removes it.
    result.body.operations = result.body.operations.enumerated().flatMap { inserted[$0.offset] ?? [$0.element] }
    return result
  }
}
