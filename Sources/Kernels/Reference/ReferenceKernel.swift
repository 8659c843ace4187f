import MIL

extension Reference {
  /// The reference as the last kernel of the CPU's list.
  var implementation: KernelImplementation {
    .evaluating("reference", operations, efficiency: 0.002) { call, _ in try References.evaluate(call) }
  }
}

extension OperationCode {
  /// The only kernel of an operation that has code of its own.
  func implementation(for operation: String) -> KernelImplementation {
    // The cost of the code is unknown, and there is no alternative.
    .evaluating("application", [operation], efficiency: 1) { call, outputs in
      try self.evaluate(call, outputs: outputs.map { .tensor($0) })
    }
  }
}

extension KernelImplementation {
  /// A kernel that views its inputs, evaluates, and copies the results out.
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
  /// The invocation with every argument's value in the frame's memory. The values borrow the memory and must not
  /// outlive the run.
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
