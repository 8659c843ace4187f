import CoreMLBase
import MIL

/// The definition of an operation as code: complete, simple and slow. It folds constants, runs operations without a
/// faster kernel, and is the oracle of the differential tests. It computes in fp64 and rounds results to the output's
/// type once.
package struct Reference: Sendable {
  package let operations: [String]
  let evaluate: @Sendable (ReferenceCall) throws -> [Value]

  package init(_ operations: String..., evaluate: @escaping @Sendable (ReferenceCall) throws -> [Value]) {
    self.operations = operations
    self.evaluate = evaluate
  }

  package init(_ operations: [String], evaluate: @escaping @Sendable (ReferenceCall) throws -> [Value]) {
    self.operations = operations
    self.evaluate = evaluate
  }

  /// A reference with one numeric output. `evaluate` returns its elements in row-major order.
  package static func numeric(
    _ operations: String..., evaluate: @escaping @Sendable (ReferenceCall) throws -> [Double]
  ) -> Reference {
    Reference(operations) { call in
      try call.admitNumbers()
      return [try call.result(evaluate(call))]
    }
  }
}

/// The references of all operations.
package enum References {
  static let families: [[Reference]] = [
    ConstantsReference.all,
    ElementwiseReference.unary,
    ElementwiseReference.binary,
    RearrangingReference.all,
    ConcatReference.all,
    CreationReference.all,
    NonMaximumSuppressionReference.all,
    GatherScatterReference.all,
    ListsReference.all,
    ConvolutionReference.all,
    PoolingReference.all,
    LinearReference.all,
    AttentionReference.all,
    RecurrentReference.all,
    ImageResizingReference.all,
    ImageSamplingReference.all,
    FusedReference.all,
    PointwiseReference.all,
    FusedAttentionReference.all,
    QuantizedReference.all,
    ActivationReference.all,
    ReductionReference.all,
    NormalizationReference.all,
    CompressionReference.all,
    RandomReference.all,
    ClassifyReference.all,
    NeuralNetworkReference.all,
    FeatureTransformsReference.all,
    TreeEnsembleReference.all,
    SupportVectorsReference.all,
    NearestNeighborsReference.all,
    RecommenderReference.all,
    TrainingReference.all,
  ]

  /// The references by operation name.
  package static let all: [String: Reference] = Dictionary(
    families.joined().flatMap { reference in reference.operations.map { ($0, reference) } },
    uniquingKeysWith: { _, _ in preconditionFailure("two references for one operation") })

  /// Computes an operation whose argument values are all known.
  package static func evaluate(_ invocation: Invocation) throws -> [Value] {
    let operation = invocation.operation
    guard let reference = all[operation.type] else {
      throw KernelError(.noKernel, "\(operation.label): no kernel computes '\(operation.type)'")
    }
    try Cancellation.check()
    return try invocation.located {
      let types = try Operations.definition(of: operation).outputTypes(invocation)
      if let nothing = try nothing(types) { return nothing }
      return try reference.evaluate(ReferenceCall(invocation: invocation, outputs: types))
    }
  }
}

extension References {
  /// The results of an operation whose outputs are all tensors without elements. Nothing is computed, however many
  /// empty rows there are. Nil for other operations.
  static func nothing(_ types: [ValueType]) throws -> [Value]? {
    let shapes = types.compactMap { type in type.tensor.flatMap { $0.elementCount == 0 ? $0 : nil } }
    guard !types.isEmpty, shapes.count == types.count else { return nil }
    return try shapes.map { .tensor(try Tensor.zeros($0.scalar, shape: $0.concreteShape ?? [])) }
  }
}

/// An invocation whose values are all known, and the types that its outputs must have.
package struct ReferenceCall: Sendable {
  package let invocation: Invocation
  package let outputs: [ValueType]

  package init(invocation: Invocation, outputs: [ValueType]) {
    self.invocation = invocation
    self.outputs = outputs
  }

  package var operation: String { invocation.operation.type }
  package func has(_ name: String) -> Bool { invocation.has(name) }
  package func value(_ name: String, _ index: Int = 0) throws -> Value { try invocation.value(name, index) }
  package func tensor(_ name: String, _ index: Int = 0) throws -> Tensor { try invocation.constant(name, index) }
  package func doubles(_ name: String, _ index: Int = 0) throws -> [Double] { try tensor(name, index).doubles() }
  package func sizes(_ name: String, _ index: Int = 0) throws -> [Int] { try tensor(name, index).shape }

  package func outputType(_ index: Int = 0) throws -> TensorType {
    guard outputs.indices.contains(index), let type = outputs[index].tensor else {
      throw invocation.error(.invalidType, "output \(index) is not a tensor")
    }
    return type
  }

  package func outputSizes(_ index: Int = 0) throws -> [Int] {
    let type = try outputType(index)
    guard let sizes = type.concreteShape else {
      throw invocation.error(.unknownValue, "the shape of output \(index) stays unknown: \(type)")
    }
    return sizes
  }

  /// Applies `body` to each row of an argument's last axis, and concatenates the results.
  package func byRow(_ name: String, _ body: ([Double]) throws -> [Double]) throws -> [Double] {
    let numbers = try doubles(name)
    let width = try sizes(name).last ?? 1
    guard width > 0, numbers.count != width else { return try body(numbers) }
    var result: [Double] = []
    for row in stride(from: 0, to: numbers.count, by: width) { result += try body(Array(numbers[row..<row + width])) }
    return result
  }

  /// Charges the memory budget for the elements of output `index` as a growing array: up to twice its size, besides the
  /// previous one.
  package func admitNumbers(_ index: Int = 0) throws {
    guard let count = try outputType(index).elementCount else { return }
    try MemoryBudget.current.admit(count, of: 3 * MemoryLayout<Double>.stride, for: "the reference")
  }

  /// Output `index` from its elements in row-major order, rounded to the output's type.
  package func result(_ elements: [Double], _ index: Int = 0) throws -> Value {
    .tensor(try Tensor(outputType(index).scalar, shape: outputSizes(index), doubles: elements))
  }
}
