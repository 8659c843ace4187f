import MIL

extension KernelProblem {
  /// Which of the arguments, and whether the result, are fp16. Refuses if a present argument is neither fp32 nor fp16.
  func openCLF16Operands(_ names: KeyValuePairs<String, F16Operands> = ["x": .first], result: Bool = true) throws
    -> F16Operands
  {
    var f16: F16Operands = .none
    for (name, tensor) in names where has(name) {
      if try isF16(scalar(name), "'\(name)'") { f16.insert(tensor) }
    }
    if result, try isF16(outputs[0].scalar, "the output") { f16.insert(.result) }
    return f16
  }

  func isF16(_ scalar: ScalarType, _ what: String) throws -> Bool {
    guard scalar == .float32 || scalar == .float16 else {
      throw Refusal("\(what) is \(scalar.rawValue), the kernel takes fp32 and fp16")
    }
    return scalar == .float16
  }

  /// Refuses problems that mix fp32 and fp16. Kernels without `mixesPrecisions` move elements of one size or compute in
  /// fp32, and do not convert.
  func requireOnePrecision() throws {
    let found = Set((operands.map(\.type) + outputs).map(\.scalar).filter { $0 == .float16 || $0 == .float32 })
    guard found.count <= 1 else { throw Refusal("the operation mixes fp32 and fp16") }
  }
}
