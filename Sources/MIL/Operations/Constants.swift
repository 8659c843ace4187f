extension Operations {
  /// `const`, `identity`: values that are given, not computed.
  static let constants: [OperationDefinition] = [
    OperationDefinition("const", [.required("val")], work: { _, _ in Work(flops: 0) }) { [try $0.type("val")] },
    OperationDefinition("identity", [.required("x")], work: { _, _ in Work(flops: 0) }) { [try $0.type("x")] },
  ]
}
