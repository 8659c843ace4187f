import MIL

/// The same bytes under another shape.
enum ReshapingKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation(
      "alias",
      for: [
        "identity", "reshape", "reshape_like", "expand_dims", "squeeze", "flatten2d", "train.parameter", "train.loss",
      ]
    ) { problem in
      guard let bytes = try problem.invocation.tensor("x").byteCount else {
        throw Refusal("strings have no planned memory")
      }
      return .alias(try problem.slot("x"), byteCount: bytes)
    }
  ]
}
