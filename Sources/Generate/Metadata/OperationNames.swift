import MIL

/// Names of operations and layers in `coremlc metadata`.
enum OperationNames {
  /// The name of a member of a oneof.
  static func member(_ value: some Any) -> String? { Mirror(reflecting: value).children.first?.label }

  /// The name of an operation in an opset. `reduce_max` in the opset `CoreML6` is `Ios16.reduceMax`: the prefix is the
  /// opset in which the compiler last defined the operation. An operation of the first opset has no prefix and a
  /// capital letter.
  static func counted(_ type: String, opset: String) -> String {
    let words = type.split(separator: "_").map(String.init)
    let camel = (words.first ?? "") + words.dropFirst().map(Identifier.capitalized).joined()
    guard let defined = definition(of: type, in: year(of: opset)) else { return Identifier.capitalized(camel) }
    return "Ios\(defined).\(camel)"
  }

  /// The opset, as an iOS version, that last defined the operation; nil for the first.
  private static func definition(of type: String, in opset: Int) -> Int? {
    var years = (FormatOperations.opsets[type] ?? []).compactMap { Int($0.dropFirst(3)) }
    for (year, types) in redefined where types.contains(type) { years.append(year) }
    return years.filter { $0 <= opset && $0 > 15 }.max()
  }

  /// Operations that Apple's compiler redefined in newer opsets than coremltools did, according to models that it
  /// compiled.
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

  /// The iOS version that introduced an opset: `CoreML5` came with iOS 15.
  private static func year(of opset: String) -> Int {
    guard opset.hasPrefix("CoreML"), let number = Int(opset.dropFirst(6)) else { return 15 }
    return number >= 9 ? 26 : number + 10
  }
}
