import CoreMLBase
import CoreMLKernels
import MIL

/// Gives a function concrete types for given input types, and folds constants and shapes that are then known. Large
/// weights keep their stored form: `constexpr_*` operations of constants, which kernels decode.
///
/// Shapes that are only known at run time keep unknown sizes. The planner runs those operations dynamically.
///
/// fp16 values are left alone unless `foldsF16`, since the device decides the precision of their arithmetic (`Lower`).
package struct Specialize: Pass {
  let pool: ThreadPool

  /// The number of bytes by which a folded result may exceed its operands. Larger results are computed in each run.
  private static let growthLimit = 1 << 20

  /// The limit of all folded results: this many bytes, plus this many times the bytes of the function's constants
  /// (after decompression). Otherwise results folded from results could double in size with every operation.
  private static let totalLimit = 64 << 20
  private static let totalRatio = 4
  /// A compressed constant with fewer elements is decompressed. Passes inspect small constants such as biases, and the
  /// memory cost is small.
  private static let storedLimit = 1 << 13
  /// The limit for matrices if activations are quantized, since int8 products read them in stored form.
  private static let quantizedLimit = 1 << 6
  var quantizes = false

  /// Types of inputs, by name, that replace the declared ones.
  var inputs: [String: TensorType]

  private let foldsF16: Bool
  /// Whether the types are concrete already, so that only what reads constants needs a visit.
  private let isTyped: Bool
  /// Whether large weights keep their stored form.
  private let keepsStored: Bool

  /// Replaces loops that compute recurrent layers by the recurrent operation.
  private let recognisesLoops: Bool

  /// Inputs that are constants in stored form.
  private let given: [String: StoredWeight]
  /// The store in which weights of recognised loops are assembled.
  private let weights: WeightStore?

  /// The nesting depth of the block that is being visited.
  var depth = 0
  /// Notes how the function was specialised, for other shapes.
  var record: SpecializeRecord?

  /// - Parameters:
  ///   - keepsStored: Whether large weights keep their stored form. Otherwise every constant is decompressed.
  ///   - isTyped: Whether all types are those that this pass has given. Then only what reads constants is looked at.
  package init(
    pool: ThreadPool, inputs: [String: TensorType] = [:], foldsF16: Bool = false, keepsStored: Bool = true,
    isTyped: Bool = false, recognisesLoops: Bool = false, given: [String: StoredWeight] = [:],
    weights: WeightStore? = nil
  ) {
    (self.pool, self.inputs, self.foldsF16, self.keepsStored) = (pool, inputs, foldsF16, keepsStored)
    self.isTyped = isTyped
    self.recognisesLoops = recognisesLoops
    (self.given, self.weights) = (given, weights)
  }

  package func callAsFunction(_ function: Function) throws -> Function {
    if !quantizes, function.contains("quantize") {
      var pass = self
      pass.quantizes = true
      return try pass(function)
    }
    var result = function
    var scope = Scope()
    var stored = StoredConstants(given)
    var budget = Self.totalLimit
    for operation in function.body.operations {
      for case .literal(let value) in operation.inputs.values.joined() {
        budget += Self.totalRatio * (value.type.tensor?.byteCount ?? 0)
      }
    }
    result.inputs = function.inputs.map { input in
      inputs[input.name].map { NamedType(input.name, .tensor($0)) } ?? input
    }
    scope.reserve(function.body.operations.count)
    for input in result.inputs { scope.define(input.name, input.type) }
    var loops = recognisesLoops ? RecogniseLoops(function, pool: pool, weights: weights ?? WeightStore()) : nil
    result.body.operations = try operations(function.body.operations, &scope, &stored, &budget, &loops)
    record?.finish(scope, stored, quantizes: quantizes)
    return result
  }

  /// Defines the results of a block's operations.
  func walk(
    _ operations: [Operation], _ scope: inout Scope, _ stored: inout StoredConstants, budget: Int
  ) throws {
    var (budget, loops) = (budget, RecogniseLoops?.none)
    _ = try self.operations(operations, &scope, &stored, &budget, &loops)
  }

  private func operations(
    _ operations: [Operation], _ scope: inout Scope, _ stored: inout StoredConstants, _ budget: inout Int,
    _ loops: inout RecogniseLoops?
  ) throws -> [Operation] {
    var kept: [Operation] = []
    kept.reserveCapacity(operations.count)
    for source in operations {
      try Cancellation.check()
      let replacement = try loops?.replacement(of: source, after: kept, &scope, stored) ?? [source]
      let first = kept.count
      try add(replacement, to: &kept, &scope, &stored, &budget)
      if depth == 0 { record?.add(first..<kept.count, budget: budget) }
    }
    return kept
  }

  /// Whether the pass leaves an operation as it is, whatever the values are of what it reads.
  func keeps(_ operation: Operation, _ scope: Scope, _ stored: StoredConstants) -> Bool {
    isTyped && !operation.isConst && !stored.isParameter(operation) && operation.readsVariable(scope, stored)
  }

  func add(
    _ operations: [Operation], to kept: inout [Operation], _ scope: inout Scope, _ stored: inout StoredConstants,
    _ budget: inout Int
  ) throws {
    for original in operations {
      let operation = stored.isParameter(original) ? original.storedParameter : original
      if let value = operation.constant, let output = operation.outputs.first {
        scope.define(output.name, value.type, value: value)
        kept.append(operation)
        continue
      }
      if isTyped, operation.readsVariable(scope, stored) {
        kept.append(operation)
        continue
      }
      let invocation = try scope.invocation(of: operation)
      if let weights = try stored.take(operation, invocation) {
        budget += Self.totalRatio * weights.reduce(0) { $0 + ($1.type.byteCount ?? 0) }
        kept += try self.stored(operation, weights, &scope)
        continue
      }
      let known = try known(operation, invocation, stored)
      if let values = try folded(operation, known, &budget) {
        for (output, value) in zip(operation.outputs, values) {
          scope.define(output.name, value.type, value: value)
          kept.append(.const(output.name, value))
        }
        continue
      }
      var typed = operation
      let found = try self.types(ofBlocksOf: operation, declared: outputTypes(invocation, scope), &scope, &stored)
      let types = zip(found, operation.outputs).map { $0.inPrecision(of: $1.type) }
      guard types.count >= operation.outputs.count else {
        throw MILError(
          .invalidProgram, "it gives \(types.count) outputs and \(operation.outputs.count) are named",
          operation: operation.label)
      }
      for (index, output) in operation.outputs.enumerated() {
        if output.type != types[index] { typed.outputs[index].type = types[index] }
        scope.define(output.name, types[index])
      }
      kept.append(typed)
    }
  }

  /// A constant in stored form, or decompressed if it is small.
  private func stored(
    _ operation: Operation, _ weights: [StoredWeight], _ scope: inout Scope
  ) throws -> [Operation] {
    let isSmall = weights.allSatisfy {
      let limit = quantizes && $0.shape.count > 1 ? Self.quantizedLimit : Self.storedLimit
      return (!keepsStored || $0.count < limit) && (foldsF16 || $0.type.scalar != .float16)
    }
    var typed = operation
    var constants: [Operation] = []
    for (index, weight) in zip(operation.outputs.indices, weights) {
      let name = operation.outputs[index].name
      typed.outputs[index].type = .tensor(weight.type)
      guard isSmall else {
        scope.define(name, .tensor(weight.type))
        continue
      }
      let value = Value.tensor(try weight.dense())
      scope.define(name, value.type, value: value)
      constants.append(.const(name, value))
    }
    return isSmall ? constants : [typed]
  }

  /// The invocation with all constant values, if the operation reads only constants and may be folded.
  private func known(
    _ operation: Operation, _ invocation: Invocation, _ stored: StoredConstants
  ) throws -> Invocation {
    guard operation.inputNames.contains(where: { stored.weights[$0] != nil }), operation.blocks.isEmpty,
      foldsF16 || !operation.outputs.contains(where: { $0.type.hasF16 }),
      try Operations.definition(of: operation).isPure
    else { return invocation }
    return try stored.decoded(invocation, f16: foldsF16) ?? invocation
  }

  /// The types by rule. If the rule needs a value that is only known at run time, the declared types with all sizes
  /// unknown.
  private func outputTypes(_ invocation: Invocation, _ scope: Scope) throws -> [ValueType] {
    do {
      return try scope.outputTypes(of: invocation)
    } catch let error as MILError where error.code == .unknownValue {
      return invocation.operation.outputs.map { output in
        guard let tensor = output.type.tensor else { return output.type }
        return .tensor(TensorType(tensor.scalar, tensor.shape.map { _ in .unknown }))
      }
    }
  }

  /// The results of an operation that depends only on constants (or, for `shape`, on a known type).
  private func folded(
    _ operation: Operation, _ invocation: Invocation, _ budget: inout Int
  ) throws -> [Value]? {
    if operation.type == "shape", let sizes = try invocation.tensor("x").concreteShape { return [.int32s(sizes)] }
    // A parameter is the constant that it names, without a copy.
    if operation.type == "train.parameter", let value = invocation.valueIfKnown("x") { return [value] }
    guard operation.blocks.isEmpty, foldsF16 || !operation.outputs.contains(where: { $0.type.hasF16 }),
      try Operations.definition(of: operation).isPure,
      invocation.values.values.allSatisfy({ $0.allSatisfy { $0 != nil } })
    else { return nil }
    if !operation.isConstexpr {
      let types = try invocation.located { try Operations.definition(of: operation).outputTypes(invocation) }
      let size = types.reduce(0) { $0 + ($1.tensor?.byteCount ?? 0) }
      let source = invocation.inputTypes.values.joined().reduce(0) { $0 + ($1.tensor?.byteCount ?? 0) }
      guard size <= source + Self.growthLimit else { return nil }
      guard size <= budget else {
        record?.refusedByBudget()
        return nil
      }
      budget -= size
    }
    let values = try KernelRegistry.evaluate(invocation, pool: pool)
    if operation.isConstexpr {
      for value in values { budget += Self.totalRatio * (value.tensor?.byteCount ?? 0) }
    }
    return values
  }
}

extension Operation {
  /// Whether it reads a value that is not a constant.
  fileprivate func readsVariable(_ scope: Scope, _ stored: StoredConstants) -> Bool {
    inputs.values.contains { bindings in
      bindings.contains { binding in
        guard case .name(let name) = binding else { return false }
        return !scope.isConstant(name) && stored.weights[name] == nil
      }
    }
  }

  /// A parameter as the constant that it names.
  fileprivate var storedParameter: Operation {
    var result = self
    result.type = "constexpr_cast"
    result.inputs = ["source_val": inputs["x"] ?? [], "output_dtype": [.string(ScalarType.float32.rawValue)]]
    return result
  }
}

extension ValueType {
  /// Whether the type contains fp16.
  package var hasF16: Bool {
    switch self {
    case .tensor(let type): type.scalar == .float16
    case .list(let element, _): element.hasF16
    case .tuple(let types): types.contains(where: \.hasF16)
    case .dictionary, .state: false
    }
  }

  /// The type from the rule, in the precision that the file declares. Some files misstate precisions, and the rest of
  /// the file has been checked against its declarations.
  fileprivate func inPrecision(of declared: ValueType) -> ValueType {
    guard case .tensor(let type) = self, case .tensor(let other) = declared, type.scalar.isFloat, other.scalar.isFloat
    else { return self }
    return .tensor(type.with(scalar: other.scalar))
  }
}
