import MIL

/// What `coremlc metadata` calls operations and layers.
enum OperationNames {
  /// The name of a member of a oneof.
  static func member(_ value: some Any) -> String? { Mirror(reflecting: value).children.first?.label }

  /// `reduce_max` of the opset `CoreML6` is `Ios16.reduceMax`: the opset is that in which the compiler defined the operation last. An
  /// operation of the first opset has its name alone, with a capital.
  static func counted(_ type: String, opset: String) -> String {
    let words = type.split(separator: "_").map(String.init)
    let camel = (words.first ?? "") + words.dropFirst().map(Identifier.capitalized).joined()
    guard let defined = definition(of: type, in: year(of: opset)) else { return Identifier.capitalized(camel) }
    return "Ios\(defined).\(camel)"
  }

  /// The opset, as the number of iOS, that defined the operation last; nil for the first.
  private static func definition(of type: String, in opset: Int) -> Int? {
    var years = (FormatOperations.opsets[type] ?? []).compactMap { Int($0.dropFirst(3)) }
    for (year, types) in redefined where types.contains(type) { years.append(year) }
    return years.filter { $0 <= opset && $0 > 15 }.max()
  }

  /// Operations that Apple's compiler has in newer opsets than coremltools does, as models that it compiled tell.
  private static let redefined: [Int: Set<String>] = [
    16: [
      "einsum", "reduce_argmax", "reduce_max", "reduce_mean", "reduce_sum", "relu", "reshape", "sigmoid", "silu",
      "softmax",
    ],
    17: [
      "add", "concat", "expand_dims", "floor", "gather", "greater_equal", "layer_norm", "less", "linear", "logical_and",
      "logical_not", "lstm", "matmul", "mul", "slice_by_index", "squeeze", "sub", "transpose",
    ],
  ]

  /// The number of iOS that an opset came with: `CoreML5` is that of iOS 15.
  private static func year(of opset: String) -> Int {
    guard opset.hasPrefix("CoreML"), let number = Int(opset.dropFirst(6)) else { return 15 }
    return number >= 9 ? 26 : number + 10
  }
}
