import CoreMLKernels
import MIL

/// Fuses the operations after a product into its epilogue: bias, residual addition and activation. A kernel applies
/// them before it stores the result, or while the stored result is still in a cache.
///
///     conv | linear | matmul by a constant  ->  + bias  ->  + other  ->  activation     =>  fused.conv | fused.linear
///
/// Each part is optional, but the order is fixed. A part is fused only if no other operation reads the value before it.
/// An activation may also be the value times its own gate: x sigmoid(x), x sigmoid_hard(x).
struct FuseEpilogue: Pass {
  /// Fused operations for which the device has a kernel. Fusion must not make an operation unsupported on the device.
  private let known: Set<String>

  init(on device: DeviceKind) {
    known = Set(
      ["fused.conv", "fused.linear", "quantized.conv"].filter {
        !KernelRegistry.implementations(for: $0, on: device).isEmpty
      })
  }

  func callAsFunction(_ function: Function) -> Function {
    guard !known.isEmpty else { return function }
    var result = function
    let uses = Uses(function)
    let (constants, types, stored) = (function.constants, function.types, function.constantNames)
    var dropped: Set<Int> = []
    // Operations fused into a product. The last one is replaced by the fused operation. An operation is fused into one
    // product only, even if it adds two products.
    var taken: Set<Int> = []
    for (index, operation) in function.body.operations.enumerated() {
      guard var product = FusedProduct(operation, constants, types, stored), known.contains(product.type) else {
        continue
      }
      var last = index
      while let next = uses.onlyReader(of: product.output.name), !taken.contains(next),
        product.take(function.body.operations[next], constants, types)
      {
        dropped.insert(last)
        taken.insert(next)
        last = next
      }
      if let (gate, whole) = gated(product.output.name, uses, function.body.operations),
        taken.isDisjoint(with: [gate, whole]),
        product.take(function.body.operations[whole], gate: function.body.operations[gate], constants)
      {
        dropped.formUnion([last, gate])
        taken.formUnion([gate, whole])
        last = whole
      }
      // The fused operation takes the position of its last part, where all its operands are defined.
      if last != index { result.body.operations[last] = product.operation }
    }
    result.remove(dropped)
    return result
  }
}

extension FuseEpilogue {
  /// An operation that reads `name`, and the multiplication of its result with `name`. These must be the only readers.
  private func gated(_ name: String, _ uses: Uses, _ operations: [Operation]) -> (gate: Int, whole: Int)? {
    let readers = uses.allReaders(of: name).sorted()
    guard readers.count == 2, readers[0] != readers[1], operations[readers[1]].type == "mul",
      operations[readers[0]].binding("x")?.name == name, operations[readers[0]].outputs.count == 1,
      uses.onlyReader(of: operations[readers[0]].outputs[0].name) == readers[1]
    else { return nil }
    return (readers[0], readers[1])
  }
}

/// A product and the parts fused into it so far.
private struct FusedProduct {
  let type: String
  private(set) var output: NamedType
  private var origins: [String]
  private var inputs: [String: [Binding]]
  private let tensor: TensorType
  /// The axis of the bias.
  private let biasAxis: Int
  private var activation: FusedActivation?

  /// `stored` has the names of all constants, including those whose elements are not known here.
  init?(
    _ operation: Operation, _ constants: [String: Value], _ types: [String: ValueType], _ stored: Set<String>
  ) {
    guard operation.outputs.count == 1, let output = operation.outputs.first, let tensor = output.type.tensor,
      tensor.scalar == .float32, tensor.isConcrete, tensor.shape.count >= 2
    else { return nil }
    inputs = operation.inputs
    origins = operation.named
    switch operation.type {
    case "conv":
      (type, biasAxis) = ("fused.conv", 1)
    case "quantized.conv":
      (type, biasAxis) = ("quantized.conv", 1)
    case "linear":
      (type, biasAxis) = ("fused.linear", tensor.shape.count - 1)
    case "matmul":
      guard let y = inputs["y"], let right = operation.binding("y"), Self.isMatrix(right, types, stored),
        let left = operation.binding("x")?.name.flatMap({ types[$0]?.tensor }), left.shape.count >= 2,
        Self.flag("transpose_x", operation, constants) == false,
        let isTransposed = Self.flag("transpose_y", operation, constants)
      else { return nil }
      (type, biasAxis) = ("fused.linear", tensor.shape.count - 1)
      inputs = ["x": inputs["x"] ?? [], "weight": y, "transpose_weight": [.bool(isTransposed)]]
    default: return nil
    }
    (self.output, self.tensor) = (output, tensor)
  }

  var operation: Operation { Operation(type, inputs: inputs, outputs: [output], origins: origins) }

  /// Fuses the operation that reads the result, if possible.
  mutating func take(_ next: Operation, _ constants: [String: Value], _ types: [String: ValueType]) -> Bool {
    guard activation == nil, next.outputs.count == 1, next.outputs[0].type.tensor == tensor else { return false }
    if next.type == "add" {
      guard takeSum(next, constants, types) else { return false }
    } else {
      guard let activation = FusedActivation(mil: next, constants), next.binding("x")?.name == output.name else {
        return false
      }
      finish(with: activation)
    }
    output = next.outputs[0]
    origins += next.named
    return true
  }

  private mutating func finish(with activation: FusedActivation) {
    inputs["activation"] = [.string(activation.name.rawValue)]
    inputs["alpha"] = [.float(Float(activation.alpha))]
    inputs["beta"] = [.float(Float(activation.beta))]
    self.activation = activation
  }

  /// Fuses the multiplication of the result with `gate`, which is computed from the result.
  mutating func take(_ whole: Operation, gate: Operation, _ constants: [String: Value]) -> Bool {
    guard whole.outputs.count == 1, whole.outputs[0].type.tensor == tensor,
      let own = FusedActivation(mil: gate, constants)?.timesItsInput,
      let gated = activation == nil ? own : activation.flatMap(own.following)
    else { return false }
    finish(with: gated)
    output = whole.outputs[0]
    origins += gate.named + whole.named
    return true
  }

  private mutating func takeSum(_ sum: Operation, _ constants: [String: Value], _ types: [String: ValueType]) -> Bool {
    guard inputs["add"] == nil else { return false }
    let others = ["x", "y"].filter { sum.binding($0)?.name != output.name }
    guard others.count == 1, let other = sum.binding(others[0]) else { return false }
    if let constant = sum.value(others[0], constants)?.tensor {
      guard inputs["bias"] == nil, let bias = bias(constant) else { return false }
      inputs["bias"] = [.tensor(bias)]
      return true
    }
    guard let name = other.name, types[name]?.tensor == tensor else { return false }
    inputs["add"] = [other]
    return true
  }

  /// The constant as a bias of shape [channels], if it has one element per channel or a single element.
  private func bias(_ constant: Tensor) -> Tensor? {
    guard constant.scalar == .float32, let channels = tensor.shape[biasAxis].value,
      constant.rank <= tensor.shape.count
    else { return nil }
    let axis = biasAxis - (tensor.shape.count - constant.rank)
    guard constant.shape.enumerated().allSatisfy({ $0.element == 1 || $0.offset == axis }),
      constant.count == channels || constant.count == 1, let values = try? constant.doubles()
    else { return nil }
    return try? Tensor(
      .float32, shape: [channels],
      doubles: values.count == channels ? values : Array(repeating: values[0], count: channels))
  }

  private static func isMatrix(
    _ binding: Binding, _ types: [String: ValueType], _ stored: Set<String>
  ) -> Bool {
    switch binding {
    case .literal(let value): value.tensor?.rank == 2
    case .name(let name): stored.contains(name) && types[name]?.tensor?.rank == 2
    }
  }

  private static func flag(_ name: String, _ operation: Operation, _ constants: [String: Value]) -> Bool? {
    guard operation.inputs[name] != nil else { return false }
    return (try? operation.value(name, constants)?.tensor?.ints().first).map { $0 != 0 }
  }
}
