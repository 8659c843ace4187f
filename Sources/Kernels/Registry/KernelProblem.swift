import MIL

/// What a kernel has to compute: an operation with concrete types, its arguments in a fixed order, and the target
/// device. Kernels use it to accept or refuse, and read their attributes from it once.
package struct KernelProblem: Sendable {
  /// One tensor argument. Its index in `operands` is its slot, by which a running kernel finds its memory.
  package struct Operand: Sendable {
    package let parameter: String
    package let index: Int
    package let type: TensorType
    /// A value that never changes, as it is stored. A kernel that packs it in `prepare` need not read the slot again.
    package let weight: StoredWeight?
    private let strings: Tensor?

    /// - Parameter constant: the value if it never changes.
    package init(parameter: String, index: Int, type: TensorType, constant: Tensor?) {
      self.init(parameter: parameter, index: index, type: type, weight: constant.flatMap(StoredWeight.init), constant)
    }

    /// - Parameter weight: the value, which never changes, as it is stored.
    package init(parameter: String, index: Int, type: TensorType, weight: StoredWeight) {
      self.init(parameter: parameter, index: index, type: type, weight: weight, nil)
    }

    private init(parameter: String, index: Int, type: TensorType, weight: StoredWeight?, _ constant: Tensor?) {
      self.parameter = parameter
      self.index = index
      self.type = type
      self.weight = weight
      strings = weight == nil ? constant : nil
    }

    /// The value if it never changes. Decodes it on each call where it is compressed, so use it for small values only.
    package var constant: Tensor? { strings ?? weight.flatMap { try? $0.dense() } }
    /// Whether the value never changes.
    package var isConstant: Bool { strings != nil || weight != nil }
  }

  package let invocation: Invocation
  package let operands: [Operand]
  /// Concrete types of the outputs.
  package let outputs: [TensorType]
  package let threads: Int
  /// The OpenCL device that its kernels would run on.
  package let openCL: OpenCLContext?
  /// Whether matrix products may use bf16, whatever precision the model has.
  package let allowsLowPrecision: Bool

  /// What several kernels derive from the problem.
  private let derived = DerivedProblem()

  /// The problem as the kernels of a family see it, which `make` derives for the first of them.
  func derived<Problem: Sendable>(_ make: (KernelProblem) throws -> Problem) throws -> Problem {
    try derived.value { try make(self) }
  }

  /// - Parameter weights: constants whose values the invocation does not have, by the names that the operation reads.
  package init(
    invocation: Invocation, outputs: [TensorType], threads: Int, openCL: OpenCLContext? = nil,
    allowsLowPrecision: Bool = false, weights: [String: StoredWeight] = [:]
  ) {
    self.allowsLowPrecision = allowsLowPrecision
    self.openCL = openCL
    self.invocation = invocation
    self.operands = KernelProblem.operands(of: invocation, weights)
    self.outputs = outputs
    self.threads = threads
  }

  /// `problem` with other knowledge of its operands.
  init(_ problem: KernelProblem, operands: [Operand]) {
    invocation = problem.invocation
    self.operands = operands
    outputs = problem.outputs
    threads = problem.threads
    openCL = problem.openCL
    allowsLowPrecision = problem.allowsLowPrecision
  }

  /// The order of slots: parameters by name, and the bindings of each in order. Code that binds memory must use this
  /// order.
  package static func order(of operation: Operation) -> [(parameter: String, index: Int, binding: Binding)] {
    operation.inputs.sorted { $0.key < $1.key }.flatMap { parameter, bindings in
      bindings.enumerated().map { (parameter, $0.offset, $0.element) }
    }
  }

  private static func operands(of invocation: Invocation, _ weights: [String: StoredWeight]) -> [Operand] {
    order(of: invocation.operation).map { parameter, index, binding in
      let type = invocation.inputTypes[parameter]?[index].tensor ?? TensorType(.bool, [Dimension]())
      if let name = binding.name, let weight = weights[name] {
        return Operand(parameter: parameter, index: index, type: type, weight: weight)
      }
      return Operand(
        parameter: parameter, index: index, type: type, constant: invocation.valueIfKnown(parameter, index)?.tensor)
    }
  }

  // MARK: queries of kernels

  package var operation: String { invocation.operation.type }
  package func has(_ name: String) -> Bool { invocation.has(name) }

  /// The slot of an argument.
  package func slot(_ name: String, _ index: Int = 0) throws -> Int {
    let slot = firstSlot(name) + index
    guard operands.indices.contains(slot), operands[slot].parameter == name, operands[slot].index == index else {
      throw Refusal("the argument '\(name)' is missing")
    }
    return slot
  }

  /// The slot of an argument that may be absent.
  package func optionalSlot(_ name: String) -> Int? {
    let slot = firstSlot(name)
    return slot < operands.count && operands[slot].parameter == name ? slot : nil
  }

  /// The first slot of a parameter, or where it would be. The slots are sorted by parameter name; the search is binary
  /// because one operation may have very many.
  private func firstSlot(_ name: String) -> Int {
    var (low, high) = (0, operands.count)
    while low < high {
      let middle = (low + high) / 2
      if operands[middle].parameter < name { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Every slot of a variadic argument, in order.
  package func slots(_ name: String) -> [Int] {
    operands.indices.filter { operands[$0].parameter == name }
  }

  /// Sizes of an argument.
  package func sizes(_ name: String, _ index: Int = 0) throws -> [Int] { try invocation.sizes(name, index) }

  package func scalar(_ name: String, _ index: Int = 0) throws -> ScalarType {
    try invocation.tensor(name, index).scalar
  }

  /// Sizes of an output. They are concrete by contract.
  package func outputSizes(_ index: Int = 0) throws -> [Int] {
    guard outputs.indices.contains(index), let sizes = outputs[index].concreteShape else {
      throw Refusal("output \(index) has no known shape")
    }
    return sizes
  }

  /// The constant of an argument, or a refusal that says it must be one.
  package func constant(_ name: String, _ index: Int = 0) throws -> Tensor {
    guard let tensor = operands[try slot(name, index)].constant else { throw Refusal("'\(name)' is not a constant") }
    return tensor
  }

  /// The constant of an argument as it is stored, or a refusal that says it must be one.
  package func weight(_ name: String, _ index: Int = 0) throws -> StoredWeight {
    guard let weight = operands[try slot(name, index)].weight else { throw Refusal("'\(name)' is not a constant") }
    return weight
  }

  /// Refuses unless every named argument that is present is of `scalar`.
  package func requireScalar(_ scalar: ScalarType, of names: [String]) throws {
    for name in names where has(name) {
      for index in 0..<invocation.count(name) {
        let found = try self.scalar(name, index)
        guard found == scalar else {
          throw Refusal("'\(name)' is \(found.rawValue), the kernel takes \(scalar.rawValue)")
        }
      }
    }
  }
}
