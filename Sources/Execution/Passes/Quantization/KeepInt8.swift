import CoreMLBase
import CoreMLKernels
import MIL

/// Keeps values between products in int8, if the CPU has int8 dot products. This needs a quarter of the memory, and
/// avoids repeated rounding.
///
///     quantize(relu(conv(dequantize(q))))           =>  quantized.conv(q), with int8 output
///     conv(dequantize(q))                           =>  quantized.conv(q), with fp32 output
///     quantize(relu(dequantize(p) + dequantize(q))) =>  quantized.add(p, q)
///     quantize(silu(dequantize(q)))                 =>  quantized.lookup(q), or the epilogue of q's producer
///     max_pool(dequantize(q))                       =>  dequantize(max_pool(q))
///
/// Only operations that a kernel accepts are rewritten. `dequantize` stays if other operations read its result.
struct KeepInt8: Pass {
  private let applies: Bool

  init(on device: DeviceKind) { applies = device == .cpu && KernelRegistry.hasInt8Dot }

  func callAsFunction(_ function: Function) throws -> Function {
    guard applies, function.contains("dequantize") else { return function }
    var keeping = try Int8Rewriter(once(function))
    return try keeping.rewritten()
  }

  /// Removes duplicate `quantize` and `dequantize` operations, which converters emit for each reader.
  private func once(_ function: Function) throws -> Function {
    struct Conversion: Hashable {
      let input: String
      let type: ValueType
      let steps: QuantizationParameters
    }
    let (uses, constants, types) = (Uses(function), function.constants, function.types)
    var (known, renamed): ([Conversion: String], [String: String]) = ([:], [:])
    for operation in function.body.operations where ["quantize", "dequantize"].contains(operation.type) {
      guard operation.outputs.count == 1, let input = operation.binding("input")?.name,
        let steps = QuantizationParameters(
          operation, constants, as: operation.type == "dequantize" ? types[input]?.tensor?.scalar : nil)
      else { continue }
      let output = operation.outputs[0]
      let conversion = Conversion(input: renamed[input] ?? input, type: output.type, steps: steps)
      if let first = known[conversion], uses.isPrivate(output.name) {
        renamed[output.name] = first
      } else {
        known[conversion] = output.name
      }
    }
    guard !renamed.isEmpty else { return function }
    var result = function
    result.rename(renamed)
    return try result.after(RemoveDeadCode())
  }
}

private struct Int8Rewriter {
  /// An 8-bit value and its quantization parameters.
  private struct Bytes {
    let name: String
    let steps: QuantizationParameters
  }

  private let function: Function
  private let uses: Uses
  private let constants: [String: Value]
  private var names: FreshNames
  private var scope = Scope()
  private var stored = StoredConstants()
  /// The source of each `dequantize`, by the name of its result.
  private var wide: [String: Bytes] = [:]
  /// Replacements by operation index; empty if the operation is part of another replacement.
  private var instead: [Int: [Operation]] = [:]
  private var renamed: [String: String] = [:]

  init(_ function: Function) {
    self.function = function
    (uses, constants, names) = (Uses(function), function.constants, FreshNames(function))
    for input in function.inputs { scope.define(input.name, input.type) }
  }

  mutating func rewritten() throws -> Function {
    for (index, operation) in function.body.operations.enumerated() {
      try Cancellation.check()
      if let value = operation.constant, let output = operation.outputs.first {
        scope.define(output.name, value.type, value: value)
        continue
      }
      if instead[index] == nil { try visit(operation, index) }
      for output in operation.outputs { scope.define(output.name, output.type) }
      if operation.isConstexpr { _ = try stored.take(operation, scope.invocation(of: operation)) }
    }
    guard !instead.isEmpty else { return function }
    var result = function
    result.body.operations = function.body.operations.enumerated().flatMap { instead[$0.offset] ?? [$0.element] }
    result.rename(renamed)
    return try result.after(RemoveDeadCode())
  }

  private mutating func visit(_ operation: Operation, _ index: Int) throws {
    guard operation.outputs.count == 1, operation.blocks.isEmpty else { return }
    switch operation.type {
    case "dequantize":
      guard let input = operation.binding("input")?.name else { return }
      let bytes = renamed[input] ?? input
      guard let scalar = scope.types[bytes]?.tensor?.scalar,
        let steps = QuantizationParameters(operation, constants, as: scalar)
      else { return }
      wide[operation.outputs[0].name] = Bytes(name: bytes, steps: steps)
    case "quantize": again(operation, index)
    case "conv": try keep("quantized.conv", ["x"], operation, index, needsBytes: false)
    case "add": try keep("quantized.add", ["x", "y"], operation, index, needsBytes: true)
    case "max_pool" where PropagateQuantization.isInside(operation, constants): try pool(operation, index)
    default: try lookUp(operation, index)
    }
  }

  // MARK: rewriting operations

  /// A `quantize` of a dequantized value with the same parameters.
  private mutating func again(_ operation: Operation, _ index: Int) {
    let output = operation.outputs[0].name
    guard let input = operation.binding("input")?.name, let bytes = wide[input], uses.isPrivate(output),
      QuantizationParameters(operation, constants) == bytes.steps
    else { return }
    renamed[output] = bytes.name
    instead[index] = []
  }

  /// A product or addition of 8-bit values, with its epilogue up to the next `quantize`.
  private mutating func keep(
    _ type: String, _ operands: [String], _ operation: Operation, _ index: Int, needsBytes: Bool
  ) throws {
    var product = operation
    product.type = type
    for operand in operands {
      guard let name = operation.binding(operand)?.name, let bytes = wide[name] else { return }
      product.inputs[operand] = [.name(bytes.name)]
      product.inputs[operand + "_scale"] = [.float(Float(bytes.steps.scale))]
      product.inputs[operand + "_zero_point"] = [.int(bytes.steps.zero)]
    }
    if let end = Int8Epilogue(of: operation.outputs[0].name, uses, function.body.operations, constants) {
      var whole = product
      whole.inputs.merge(end.arguments) { $1 }
      whole.outputs = [end.output]
      whole.origins = ([index] + end.parts).flatMap { function.body.operations[$0].named }
      if try takes(whole) {
        // The fused operation takes the position of its last part.
        for part in [index] + end.parts { instead[part] = [] }
        instead[end.parts.last ?? index] = [whole]
        return
      }
    }
    guard !needsBytes, operation.outputs[0].type.tensor?.scalar == .float32, try takes(product) else { return }
    product.origins = operation.named
    instead[index] = [product]
  }

  /// Max pooling commutes with `dequantize`, which is monotonic.
  private mutating func pool(_ operation: Operation, _ index: Int) throws {
    guard let x = operation.binding("x")?.name, let bytes = wide[x], let type = operation.outputs[0].type.tensor else {
      return
    }
    let (steps, output) = (bytes.steps, operation.outputs[0])
    var moved = operation
    moved.inputs["x"] = [.name(bytes.name)]
    moved.origins = operation.named
    moved.outputs = [NamedType(names.name(output.name + "__bytes"), .tensor(type.with(scalar: steps.scalar)))]
    guard try takes(moved) else { return }
    let back = Operation(
      "dequantize",
      inputs: [
        "input": [.name(moved.outputs[0].name)], "scale": [.float(Float(steps.scale))],
        "zero_point": [.literal(.tensor(try Tensor(steps.scalar, shape: [], doubles: [Double(steps.zero)])))],
      ], outputs: [output], origins: operation.named)
    instead[index] = [moved, back]
    scope.define(moved.outputs[0].name, moved.outputs[0].type)
    wide[output.name] = Bytes(name: moved.outputs[0].name, steps: steps)
  }

  /// An activation of 8-bit values as a table lookup.
  private mutating func lookUp(_ operation: Operation, _ index: Int) throws {
    guard let x = operation.binding("x")?.name, let bytes = wide[x],
      let function = FusedActivation(mil: operation, constants),
      let next = uses.onlyReader(of: operation.outputs[0].name), self.function.body.operations[next].type == "quantize",
      self.function.body.operations[next].binding("input")?.name == operation.outputs[0].name,
      let steps = QuantizationParameters(self.function.body.operations[next], constants)
    else { return }
    let table = Int8Function(bytes.steps).then(function, steps)
    let reader = self.function.body.operations[next]
    let lookup = Operation(
      "quantized.lookup", inputs: ["x": [.name(bytes.name)], "table": [.tensor(try table.tensor())]],
      outputs: reader.outputs, origins: operation.named + reader.named)
    guard try takes(lookup) else { return }
    (instead[index], instead[next]) = ([], [lookup])
  }

  /// Whether the operation is valid (an int8 addition of two shapes is not) and a kernel other than the reference
  /// accepts it.
  private func takes(_ operation: Operation) throws -> Bool {
    let weights = operation.inputNames.reduce(into: [:]) { $0[$1] = stored.weights[$1] }
    do {
      return try KernelRegistry.acceptsInt8(scope.invocation(of: operation), weights: weights)
    } catch let error as MILError where error.code != .cancelled {
      return false
    }
  }
}
