import MIL

extension Reference {
  /// The reference as the last row of the CPU's list.
  var implementation: KernelImplementation {
    .evaluating("reference", operations, efficiency: 0.002) { call, _ in try References.evaluate(call) }
  }
}

extension OperationCode {
  /// The only row of an operation that has code of its own.
  func implementation(for operation: String) -> KernelImplementation {
    // What the code costs is not known, and there is nothing to choose.
    .evaluating("application", [operation], efficiency: 1) { call, outputs in
      try self.evaluate(call, outputs: outputs.map { .tensor($0) })
    }
  }
}

extension KernelImplementation {
  /// A row that views its inputs, evaluates, and copies the results out.
  fileprivate static func evaluating(
    _ name: String, _ operations: [String], efficiency: Double,
    _ evaluate: @escaping @Sendable (Invocation, [TensorType]) throws -> [Value]
  ) -> KernelImplementation {
    KernelImplementation(name, for: operations) { problem in
      for output in problem.outputs where output.scalar == .string {
        throw Refusal("strings have no planned memory")
      }
      return Candidate(efficiency: efficiency) {
        .cpu { frame in
          let invocation = try problem.invocation(reading: frame)
          let results = try evaluate(invocation, problem.outputs)
          for (index, result) in results.enumerated() {
            guard let tensor = result.tensor, index < problem.outputs.count, tensor.type == problem.outputs[index]
            else {
              throw KernelError(
                .invalidInput, "\(invocation.operation.label): output \(index) came out as \(result.type)")
            }
            tensor.withUnsafeBytes { bytes in
              if let base = bytes.baseAddress { frame.outputs[index].copyMemory(from: base, byteCount: bytes.count) }
            }
          }
        }
      }
    }
  }
}

extension KernelProblem {
  /// The invocation with every argument's value read from a frame's memory. The values borrow: they must not outlive the run.
  func invocation(reading frame: CPUFrame) throws -> Invocation {
    var values = invocation.values
    for (slot, operand) in operands.enumerated()
    where invocation.valueIfKnown(operand.parameter, operand.index) == nil {
      guard let sizes = operand.type.concreteShape, let bytes = operand.type.byteCount,
        values[operand.parameter]?.indices.contains(operand.index) == true
      else { continue }
      let storage = TensorStorage(borrowing: frame.inputs[slot], byteCount: bytes, owner: nil)
      values[operand.parameter]?[operand.index] = .tensor(
        try Tensor(operand.type.scalar, shape: sizes, storage: storage))
    }
    return Invocation(operation: invocation.operation, inputTypes: invocation.inputTypes, values: values)
  }
}
