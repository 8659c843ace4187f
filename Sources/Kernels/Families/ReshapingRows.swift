import MIL

extension KernelTable {
  /// The same bytes under another shape.
  static let reshapingRows: [Row] = [
    Row(
      "alias",
      for: [
        "identity", "reshape", "reshape_like", "expand_dims", "squeeze", "flatten2d", "train.parameter", "train.loss",
      ]
    ) { site in
      guard let bytes = try site.invocation.tensor("x").byteCount else {
        throw Refusal("strings have no planned memory")
      }
      return .alias(try site.slot("x"), byteCount: bytes)
    }
  ]
}
