import MIL

/// Folds zero padding of the spatial axes into the padding of the convolution that reads it, which saves a copy.
///
///     conv(pad(x))   =>   conv(x)
///
/// TensorFlow networks pad before their strided convolutions. Channel padding, padding with other values and reflection
/// are not folded, and neither is padding with other readers.
struct FoldPadding: Pass {
  func callAsFunction(_ function: Function) -> Function {
    let operations = function.body.operations
    guard operations.contains(where: { $0.type == "pad" }) else { return function }
    let (uses, constants, types) = (Uses(function), function.constants, function.types)
    var result = function
    var dropped: Set<Int> = []
    for (index, operation) in operations.enumerated() where operation.type == "conv" {
      guard let x = operation.binding("x")?.name, let maker = uses.maker(of: x), uses.onlyReader(of: x) == index,
        operations[maker].type == "pad", let source = operations[maker].binding("x"),
        let rank = types[x]?.tensor?.rank, let outer = Self.zeros(operations[maker], rank, constants),
        let own = Self.padding(operation, rank - 2, constants)
      else { continue }
      dropped.insert(maker)
      result.body.operations[index].inputs["x"] = [source]
      result.body.operations[index].inputs["pad_type"] = [.string("custom")]
      result.body.operations[index].inputs["pad"] = [.ints(zip(outer, own).map { $0 + $1 })]
      result.body.operations[index].origins = operations[maker].named + operation.named
    }
    guard !dropped.isEmpty else { return function }
    result.remove(dropped)
    return result
  }

  /// The zeros before and after each spatial axis; nil if the operation pads in any other way.
  private static func zeros(_ pad: Operation, _ rank: Int, _ constants: [String: Value]) -> [Int]? {
    guard let amounts = ints(pad, "pad", constants), amounts.count % 2 == 0, amounts.count <= 2 * rank else {
      return nil
    }
    if pad.inputs["mode"] != nil {
      guard (try? pad.value("mode", constants)?.tensor?.strings()) == ["constant"] else { return nil }
    }
    if pad.inputs["constant_val"] != nil {
      guard (try? pad.value("constant_val", constants)?.tensor?.doubles()) == [0] else { return nil }
    }
    let all = Array(repeating: 0, count: 2 * rank - amounts.count) + amounts
    guard all.prefix(4).allSatisfy({ $0 == 0 }), all.allSatisfy({ (0...1 << 20).contains($0) }) else { return nil }
    return Array(all.dropFirst(4))
  }

  /// The convolution's own padding; nil if it depends on the input size.
  private static func padding(_ conv: Operation, _ axes: Int, _ constants: [String: Value]) -> [Int]? {
    let none = Array(repeating: 0, count: 2 * axes)
    guard conv.inputs["pad_type"] != nil else { return none }
    switch (try? conv.value("pad_type", constants)?.tensor?.strings())?.first?.lowercased() {
    case "valid": return none
    case "custom":
      guard let pads = ints(conv, "pad", constants), pads.count == 2 * axes,
        pads.allSatisfy({ (0...1 << 20).contains($0) })
      else { return nil }
      return pads
    default: return nil
    }
  }

  private static func ints(_ operation: Operation, _ parameter: String, _ constants: [String: Value]) -> [Int]? {
    guard let tensor = operation.value(parameter, constants)?.tensor else { return nil }
    return try? tensor.ints()
  }
}
