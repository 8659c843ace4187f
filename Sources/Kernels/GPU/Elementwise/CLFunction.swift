import MIL

/// A function of one operand with up to two parameters, by MIL's name. `CLUnary` applies it, and products, convolutions
/// and sums can apply it to their results.
///
/// `gelu` is the exact function; `gelu_tanh` and `gelu_sigmoid` are its approximations. `log`, `rsqrt` and `inverse`
/// take their epsilon as `alpha`. `clip` takes its bounds as `alpha` and `beta`.
package struct CLFunction: Sendable, Hashable {
  package let name: String
  package let alpha: Float
  package let beta: Float

  package static let identity = CLFunction(checked: "identity", 0, 0)

  /// Throws if no kernel has a function of this name.
  package init(_ name: String, alpha: Float = 0, beta: Float = 0) throws(KernelError) {
    guard Self.names.contains(name) else {
      throw KernelError(.openCLLaunch, "no OpenCL kernel has the function '\(name)'")
    }
    self.init(checked: name, alpha, beta)
  }

  private init(checked name: String, _ alpha: Float, _ beta: Float) {
    self.name = name
    self.alpha = alpha
    self.beta = beta
  }

  /// All supported functions, parsed from the OpenCL source.
  package static let names = OpenCLSource.functions(in: "functions", prefix: "static float op_")

  /// The function in OpenCL C.
  var symbol: String { "op_\(name)" }

  /// The call of the function on `x` in OpenCL C, with its parameters.
  var call: String { call(on: "x") }

  func call(on x: String) -> String { "\(symbol)(\(x), \(Self.literal(alpha)), \(Self.literal(beta)))" }

  /// An embedded source whose kernels apply the function to what they store. The parameters of the function are part of
  /// the text, which is generated for `operation`. The source `front` is prepended.
  func ending(_ source: String, front: String? = nil, for operation: String) throws(KernelError) -> OpenCLSource {
    if self == .identity, front == nil { return .embedded(source) }
    var text = self == .identity ? "" : "#define THEN(x) \(call)\n"
    for name in [front, source].compactMap({ $0 }) { text += try OpenCLSource.body(name) }
    return .generated(text, for: operation)
  }

  /// An OpenCL C literal with the exact value.
  private static func literal(_ value: Float) -> String {
    if value.isNaN { return "NAN" }
    if value.isInfinite { return value < 0 ? "-INFINITY" : "INFINITY" }
    return "\(value)f"
  }
}

extension CLFunction {
  /// The activation of a fused operation.
  init(_ activation: FusedActivation) throws(KernelError) {
    let name =
      switch activation.name {
      case .geluTanh: "gelu_tanh"
      case .geluSigmoid: "gelu_sigmoid"
      default: activation.name.rawValue
      }
    if activation == FusedActivation(.linear, alpha: 1) {
      self = .identity
    } else {
      try self.init(name, alpha: Float(activation.alpha), beta: Float(activation.beta))
    }
  }
}

extension OpenCLSource {
  /// The names that follow `prefix` at the start of a line, up to the parenthesis.
  static func functions(in source: String, prefix: String) -> Set<String> {
    let lines = (all[source] ?? "").split(separator: "\n").filter { $0.hasPrefix(prefix) }
    return Set(lines.map { String($0.dropFirst(prefix.count).prefix { $0 != "(" }) })
  }
}
