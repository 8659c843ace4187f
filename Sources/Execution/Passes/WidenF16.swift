import CoreMLBase
import CoreMLKernels
import MIL

/// Converts a function for devices that compute in fp32. Every fp16 value becomes fp32. An explicit cast to fp16 still
/// rounds, and its result is widened again. Inputs, outputs and states keep their stored type, with casts at the
/// border.
///
/// fp16 models agree best with their source models if inputs, weights and outputs are stored as fp16 and arithmetic is
/// fp32.
package struct WidenF16: Pass {
  private let keepsStored: Bool

  /// - Parameter keepsStored: Whether large fp16 constants keep their stored form until they are read.
  package init(keepsStored: Bool = true) { self.keepsStored = keepsStored }

  package func callAsFunction(_ function: Function) throws -> Function {
    var widening = Widening(names: FreshNames(function), keepsStored: keepsStored)
    return try widening.function(function)
  }
}

private struct Widening {
  var names: FreshNames
  let keepsStored: Bool

  mutating func function(_ function: Function) throws -> Function {
    var result = function
    var renamed: [String: String] = [:]
    var operations: [Operation] = []
    for input in function.inputs {
      guard case .tensor(let type) = input.type, type.scalar == .float16 else { continue }
      let wide = names.name(input.name + "__fp32")
      operations.append(cast(input.name, to: .float32, named: wide, shape: type.shape, origins: [input.name]))
      renamed[input.name] = wide
    }
    try widen(function.body.operations, into: &operations, &renamed)
    let types = Dictionary(
      function.body.operations.flatMap { $0.outputs.map { ($0.name, $0.type) } }
        + function.inputs.map { ($0.name, $0.type) },
      uniquingKeysWith: { first, _ in first })
    result.body.outputs = []
    for name in function.body.outputs {
      guard case .tensor(let type)? = types[name], type.scalar == .float16 else {
        result.body.outputs.append(renamed[name] ?? name)
        continue
      }
      let half = names.name(name + "__fp16")
      operations.append(
        cast(renamed[name] ?? name, to: .float16, named: half, shape: type.shape, origins: [name]))
      result.body.outputs.append(half)
    }
    result.body.operations = operations
    return result
  }

  private mutating func widen(
    _ source: [Operation], into target: inout [Operation], _ renamed: inout [String: String], isOutermost: Bool = true
  ) throws {
    for var operation in source {
      try Cancellation.check()
      if isOutermost, let half = operation.constant?.tensor, isLarge(half), let output = operation.outputs.first {
        target.append(widened(half, named: output.name))
        continue
      }
      if !operation.hasF16, !operation.reads(renamed) {
        target.append(operation)
        continue
      }
      for (parameter, bindings) in operation.inputs.sorted(by: { $0.key < $1.key }) {
        // Constants stored as fp16 are read in that form.
        if keepsStored, isOutermost, operation.type == "constexpr_cast", bindings.first?.name == nil { continue }
        guard bindings.contains(where: { $0.hasF16 || $0.reads(renamed) }) else { continue }
        operation.inputs[parameter] = try bindings.map { binding in
          if isOutermost, case .literal(.tensor(let half)) = binding, isLarge(half) {
            let name = names.name((operation.outputs.first?.name ?? operation.type) + "__" + parameter)
            target.append(widened(half, named: name))
            return .name(name)
          }
          return try widen(binding, renamed)
        }
      }
      for index in operation.blocks.indices {
        operation.blocks[index] = try widen(operation.blocks[index], renamed)
      }
      let declared = operation.outputs
      operation.outputs = declared.map { NamedType($0.name, wide($0.type)) }
      switch operation.type {
      case "cast" where isF16(declared):
        try round(operation, declared[0], &target)
      case "constexpr_cast":
        operation.inputs["output_dtype"] = [.string("fp32")]
        target.append(operation)
      case "constexpr_affine_dequantize", "constexpr_blockwise_shift_scale", "constexpr_sparse_blockwise_shift_scale":
        // Weights are stored as fp16, compressed or not: coremltools' tests expect equal predictions for both. The
        // results of other `constexpr` operations are elements of the file. All remain constants of any size.
        try round(operation, declared, &target)
      case "read_state":
        operation.outputs = declared
        if isF16(declared), case .tensor(let type) = declared[0].type {
          operation.outputs[0].name = names.name(declared[0].name + "__fp16")
          target.append(operation)
          target.append(
            cast(
              operation.outputs[0].name, to: .float32, named: declared[0].name, shape: type.shape,
              origins: operation.named))
        } else {
          target.append(operation)
        }
      case "make_list":
        // A list of fp16 values becomes a list of fp32 values, like all other values.
        if case .list(.tensor(let element), _)? = declared.first?.type, element.scalar == .float16 {
          operation.inputs["dtype"] = [.string("fp32")]
        }
        target.append(operation)
      case "write_state":
        // The planner converts to the state's own type when it stores.
        target.append(operation)
      default:
        target.append(operation)
      }
    }
  }

  /// An operation whose results are fp16 in the file. Each result is rounded to fp16.
  private mutating func round(_ operation: Operation, _ declared: [NamedType], _ target: inout [Operation]) throws {
    var exact = operation
    exact.origins = operation.named
    var rounding: [Operation] = []
    for (index, output) in declared.enumerated() where isF16([output]) {
      guard case .tensor(let type) = output.type else { continue }
      let (full, half) = (names.name(output.name + "__exact"), names.name(output.name + "__fp16"))
      exact.outputs[index].name = full
      for (from, to, scalar) in [(full, half, ScalarType.float16), (half, output.name, .float32)] {
        rounding.append(
          Operation(
            "constexpr_cast", inputs: ["source_val": [.name(from)], "output_dtype": [.string(scalar.rawValue)]],
            outputs: [NamedType(to, .tensor(type.with(scalar: scalar)))], origins: exact.origins))
      }
    }
    target.append(exact)
    target += rounding
  }

  /// A `cast` to fp16: rounds, then widens again.
  private mutating func round(_ operation: Operation, _ output: NamedType, _ target: inout [Operation]) throws {
    guard case .tensor(let type) = output.type else { return }
    var half = operation
    half.origins = operation.named
    half.inputs["dtype"] = [.string("fp16")]
    half.outputs = [NamedType(names.name(output.name + "__fp16"), .tensor(type))]
    target.append(half)
    target.append(
      cast(half.outputs[0].name, to: .float32, named: output.name, shape: type.shape, origins: half.origins))
  }

  private mutating func widen(_ block: Block, _ renamed: [String: String]) throws -> Block {
    var inner = renamed
    var operations: [Operation] = []
    try widen(block.operations, into: &operations, &inner, isOutermost: false)
    return Block(
      inputs: block.inputs.map { NamedType($0.name, wide($0.type)) }, operations: operations,
      outputs: block.outputs.map { inner[$0] ?? $0 })
  }

  private func widen(_ binding: Binding, _ renamed: [String: String]) throws -> Binding {
    switch binding {
    case .name(let name): .name(renamed[name] ?? name)
    case .literal(let value): .literal(try widen(value))
    }
  }

  /// Whether fp16 constants keep their stored form and are decoded by their readers.
  private func isLarge(_ tensor: Tensor) -> Bool {
    keepsStored && tensor.scalar == .float16 && tensor.count >= Self.smallest
  }

  /// Smaller constants are widened here. Passes inspect small constants such as biases, and the memory cost is small.
  private static let smallest = 1 << 13

  private func widened(_ half: Tensor, named name: String) -> Operation {
    Operation(
      "constexpr_cast",
      inputs: ["source_val": [.tensor(half)], "output_dtype": [.string(ScalarType.float32.rawValue)]],
      outputs: [NamedType(name, .tensor(half.type.with(scalar: .float32)))])
  }

  private func widen(_ value: Value) throws -> Value {
    switch value {
    case .tensor(let tensor):
      tensor.scalar == .float16 ? .tensor(try F16Conversion.widened(tensor)) : value
    case .list(let items, let element): .list(try items.map(widen), element: wide(element))
    case .tuple(let items): .tuple(try items.map(widen))
    case .dictionary: value
    }
  }

  private func wide(_ type: ValueType) -> ValueType {
    switch type {
    case .tensor(let tensor) where tensor.scalar == .float16: .tensor(tensor.with(scalar: .float32))
    case .list(let element, let length): .list(wide(element), length: length)
    case .tuple(let types): .tuple(types.map(wide))
    default: type
    }
  }

  private func isF16(_ outputs: [NamedType]) -> Bool {
    guard case .tensor(let type)? = outputs.first?.type else { return false }
    return type.scalar == .float16
  }

  private func cast(
    _ name: String, to scalar: ScalarType, named output: String, shape: [Dimension], origins: [String]
  ) -> Operation {
    Operation(
      "cast", inputs: ["x": [.name(name)], "dtype": [.string(scalar.rawValue)]],
      outputs: [NamedType(output, .tensor(TensorType(scalar, shape)))], origins: origins)
  }
}

extension Operation {
  fileprivate func reads(_ names: [String: String]) -> Bool {
    !names.isEmpty && inputs.values.contains { $0.contains { $0.reads(names) } }
  }
}

extension Binding {
  fileprivate func reads(_ names: [String: String]) -> Bool {
    if case .name(let name) = self { return names[name] != nil }
    return false
  }
}
