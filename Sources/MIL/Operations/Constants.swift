/// `const` and `identity`: values without computation.
enum ConstantOperations {
  static let all: [OperationDefinition] = [
    OperationDefinition("const", [.required("val")], work: { _, _ in Work(flops: 0) }) { [try $0.type("val")] },
    OperationDefinition("identity", [.required("x")], work: { _, _ in Work(flops: 0) }) { [try $0.type("x")] },
  ]
}
