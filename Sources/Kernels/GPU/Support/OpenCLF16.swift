import MIL

extension KernelProblem {
  /// Which of the arguments, and whether the result, are halves. Refuses where one of them that is there is neither of single nor of half
  /// precision.
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

  /// Rows that say nothing of halves move elements of one size, or take single precision: they get no site where halves become floats or the
  /// other way round.
  func requireOnePrecision() throws {
    let found = Set((operands.map(\.type) + outputs).map(\.scalar).filter { $0 == .float16 || $0 == .float32 })
    guard found.count <= 1 else { throw Refusal("it has values of single and of half precision") }
  }
}
