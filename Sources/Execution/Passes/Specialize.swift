import CoreMLBase
import CoreMLKernels
import MIL

/// Gives a function concrete types for given input types, and folds what is then known: constants, shapes. Large weights stay as they are
/// stored: `constexpr_*` operations of constants, whose rows decode them.
///
/// What stays unknown (shapes that only run time tells) keeps unknown sizes; the planner runs those operations dynamically.
///
/// What is half precision in the file is left alone unless `foldsF16`: a device says in which precision it calculates that (`Lower`).
package struct Specialize: Pass {
  let pool: ThreadPool

  /// A folded result may be this much larger than what it is made from; more is computed at run time each time.
  private static let growthLimit = 1 << 20

  /// All folded results together may take this much, and this many times what the function's constants do (compressed ones as they are
  /// when unpacked): results that are folded from results would otherwise double with every operation.
  private static let totalLimit = 64 << 20
  private static let totalRatio = 4
  /// A compressed constant of fewer elements is unpacked: passes look at biases, and memory is not what they take.
  private static let storedLimit = 1 << 13
  /// The same of matrices where activations are quantised: products of bytes take them as they are.
  private static let quantizedLimit = 1 << 6
  private var quantizes = false

  /// Types of inputs, by name, in place of those that the function declares.
  var inputs: [String: TensorType]

  private let foldsF16: Bool
  /// Whether large weights stay as they are stored.
  private let keepsStored: Bool

  /// Loops that are recurrent layers become that operation.
  private let recognisesLoops: Bool

  /// Inputs that are constants as they are stored.
  private let given: [String: StoredWeight]
  /// Where what loops are made of is put together.
  private let weights: WeightStore?

  /// How deep the block stands that is walked.
  var depth = 0

  /// - Parameter keepsStored: whether large weights stay as they are stored; every constant is unpacked otherwise.
  package init(
    pool: ThreadPool, inputs: [String: TensorType] = [:], foldsF16: Bool = false, keepsStored: Bool = true,
    recognisesLoops: Bool = false, given: [String: StoredWeight] = [:], weights: WeightStore? = nil
  ) {
    (self.pool, self.inputs, self.foldsF16, self.keepsStored) = (pool, inputs, foldsF16, keepsStored)
    self.recognisesLoops = recognisesLoops
    (self.given, self.weights) = (given, weights)
  }

  package func callAsFunction(_ function: Function) throws -> Function {
    if !quantizes, function.body.operations.contains(where: { $0.type == "quantize" }) {
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
    for input in result.inputs { scope.define(input.name, input.type) }
    var loops = recognisesLoops ? RecogniseLoops(function, pool: pool, weights: weights ?? WeightStore()) : nil
    result.body.operations = try operations(function.body.operations, &scope, &stored, &budget, &loops)
    return result
  }

  /// Defines what operations of a block give.
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
      try add(replacement, to: &kept, &scope, &stored, &budget)
    }
    return kept
  }

  private func add(
    _ operations: [Operation], to kept: inout [Operation], _ scope: inout Scope, _ stored: inout StoredConstants,
    _ budget: inout Int
  ) throws {
    for original in operations {
      let operation = stored.isParameter(original) ? original.storedParameter : original
      if operation.type == "const", let value = operation.constant, let output = operation.outputs.first {
        scope.define(output.name, value.type, value: value)
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
      let found = try self.types(ofBlocksOf: operation, declared: outputTypes(operation, scope), &scope, &stored)
      let types = zip(found, operation.outputs).map { $0.inPrecision(of: $1.type) }
      guard types.count >= operation.outputs.count else {
        throw MILError(
          .invalidProgram, "it gives \(types.count) outputs and \(operation.outputs.count) are named",
          operation: operation.label)
      }
      for index in typed.outputs.indices {
        typed.outputs[index].type = types[index]
        scope.define(typed.outputs[index].name, types[index])
      }
      kept.append(typed)
    }
  }

  /// A constant that stays as it is stored, or is unpacked because it is small.
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

  /// The invocation with everything that is constant, if that is all that the operation reads and it may be folded.
  private func known(
    _ operation: Operation, _ invocation: Invocation, _ stored: StoredConstants
  ) throws -> Invocation {
    guard operation.inputNames.contains(where: { stored.weights[$0] != nil }), operation.blocks.isEmpty,
      foldsF16 || !operation.outputs.contains(where: { $0.type.hasF16 }),
      try Operations.definition(of: operation).isPure
    else { return invocation }
    return try stored.decoded(invocation, f16: foldsF16) ?? invocation
  }

  /// The types by rule; where the rule needs a value that only run time tells, the declared ones with every size unknown.
  private func outputTypes(_ operation: Operation, _ scope: Scope) throws -> [ValueType] {
    do {
      return try scope.outputTypes(of: operation)
    } catch let error as MILError where error.code == .unknownValue {
      return operation.outputs.map { output in
        guard let tensor = output.type.tensor else { return output.type }
        return .tensor(TensorType(tensor.scalar, tensor.shape.map { _ in .unknown }))
      }
    }
  }

  /// The values of an operation that depends on nothing but constants (or, for `shape`, on a known type).
  private func folded(
    _ operation: Operation, _ invocation: Invocation, _ budget: inout Int
  ) throws -> [Value]? {
    if operation.type == "shape", let sizes = try invocation.tensor("x").concreteShape { return [.int32s(sizes)] }
    // A parameter is the constant that it names, not a copy of it.
    if operation.type == "train.parameter", let value = invocation.valueIfKnown("x") { return [value] }
    guard operation.blocks.isEmpty, foldsF16 || !operation.outputs.contains(where: { $0.type.hasF16 }),
      try Operations.definition(of: operation).isPure,
      invocation.values.values.allSatisfy({ $0.allSatisfy { $0 != nil } })
    else { return nil }
    if !operation.type.hasPrefix("constexpr_") {
      let types = try invocation.located { try Operations.definition(of: operation).outputTypes(invocation) }
      let size = types.reduce(0) { $0 + ($1.tensor?.byteCount ?? 0) }
      let source = invocation.inputTypes.values.joined().reduce(0) { $0 + ($1.tensor?.byteCount ?? 0) }
      guard size <= source + Self.growthLimit, size <= budget else { return nil }
      budget -= size
    }
    let values = try KernelRegistry.evaluate(invocation, pool: pool)
    if operation.type.hasPrefix("constexpr_") {
      for value in values { budget += Self.totalRatio * (value.tensor?.byteCount ?? 0) }
    }
    return values
  }
}

extension Operation {
  /// A parameter as the constant that it names.
  fileprivate var storedParameter: Operation {
    var result = self
    result.type = "constexpr_cast"
    result.inputs = ["source_val": inputs["x"] ?? [], "output_dtype": [.string(ScalarType.float32.rawValue)]]
    return result
  }
}

extension ValueType {
  /// Whether halves are in it.
  package var hasF16: Bool {
    switch self {
    case .tensor(let type): type.scalar == .float16
    case .list(let element, _): element.hasF16
    case .tuple(let types): types.contains(where: \.hasF16)
    case .dictionary, .state: false
    }
  }

  /// The type as a rule gives it, in the precision that the file declares: files are known to misstate it, and everything after was
  /// checked against what they say.
  fileprivate func inPrecision(of declared: ValueType) -> ValueType {
    guard case .tensor(let type) = self, case .tensor(let other) = declared, type.scalar.isFloat, other.scalar.isFloat
    else { return self }
    return .tensor(type.with(scalar: other.scalar))
  }
}
