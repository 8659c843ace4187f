import CoreMLBase

extension Program {
  /// Checks that the program is valid. Type rules are only meaningful for valid programs.
  ///
  /// - Value names are not empty. A name is defined once per scope and does not shadow an outer one.
  /// - Names are defined before they are read.
  /// - Every operation is known and has valid arguments.
  /// - Declared output types agree with the type rules, as far as types are known without running. Float precisions may
  ///   differ, since files misstate them.
  /// - Blocks are nested at most `Program.maximumDepth` deep, and their outputs are defined.
  ///
  /// Throws a `MILError` that names the operation at fault.
  package func verify() throws {
    guard !functions.isEmpty else { throw MILError(.invalidProgram, "the program has no function") }
    for (name, function) in functions.sorted(by: { $0.key < $1.key }) {
      do { try function.verify() } catch let error as MILError {
        throw MILError(error.code, "function '\(name)': \(error.message)", operation: error.operation)
      }
    }
  }

  /// The maximum nesting depth of blocks.
  package static let maximumDepth = 64
}

extension Function {
  /// Checks one function, with the same rules as `Program.verify`.
  package func verify() throws {
    guard body.inputs.isEmpty else {
      throw MILError(.invalidProgram, "its body takes inputs of its own, which belong to the function")
    }
    var verifier = Verifier()
    try verifier.define(inputs, "an input")
    try verifier.block(body, depth: 0)
  }
}

private struct Verifier {
  var scope = Scope()

  mutating func define(_ values: [NamedType], _ what: String) throws {
    for value in values { try define(value.name, value.type, nil, what) }
  }

  private mutating func define(_ name: String, _ type: ValueType, _ value: Value?, _ what: String) throws {
    guard !name.isEmpty else { throw MILError(.invalidProgram, "\(what) has no name") }
    guard scope.types[name] == nil else { throw MILError(.invalidProgram, "'\(name)' is defined twice") }
    if case .tensor(let tensor) = type { _ = try tensor.validated("'\(name)'") }
    if case .state(let tensor) = type { _ = try tensor.validated("'\(name)'") }
    scope.define(name, type, value: value)
  }

  /// Checks the operations in order, then the outputs. Definitions of the block are removed afterwards.
  mutating func block(_ block: Block, depth: Int) throws {
    guard depth < Program.maximumDepth else { throw MILError(.invalidProgram, "blocks are nested too deeply") }
    scope.enter()
    defer { scope.leave() }
    try define(block.inputs, "an input of a block")
    for operation in block.operations {
      try Cancellation.check()
      do { try self.operation(operation, depth: depth) } catch let error as MILError { throw error.at(operation) }
    }
    for name in block.outputs where scope.types[name] == nil {
      throw MILError(.invalidProgram, "a block gives '\(name)', which is not defined")
    }
  }

  private mutating func operation(_ operation: Operation, depth: Int) throws {
    for nested in operation.blocks { try block(nested, depth: depth + 1) }
    for (output, type) in zip(operation.outputs, try types(of: operation)) {
      guard type.isConsistent(with: output.type) else {
        throw MILError(.invalidType, "'\(output.name)' is declared as \(output.type), the operation gives \(type)")
      }
    }
    let value = operation.outputs.count == 1 ? operation.constant : nil
    for output in operation.outputs { try define(output.name, output.type, value, "an output") }
  }

  /// The types by the operation's rule. If the rule needs a value that is only known at run time, the declared types.
  private func types(of operation: Operation) throws -> [ValueType] {
    do {
      let types = try scope.outputTypes(of: operation)
      guard types.count >= operation.outputs.count else {
        throw MILError(
          .invalidProgram, "it gives \(types.count) values, and \(operation.outputs.count) are named")
      }
      return types
    } catch let error as MILError where error.code == .unknownValue {
      return operation.outputs.map(\.type)
    }
  }
}

extension ValueType {
  /// Whether a value of this type may be declared as `other`. Some files declare another float precision (`classify`,
  /// operations with mixed precision), or a vector of one element in place of a scalar (`equal` of a squeezed
  /// `slice_by_index`). Neither affects the computation.
  fileprivate func isConsistent(with other: ValueType) -> Bool {
    switch (self, other) {
    case _ where isOpen || other.isOpen: true
    case (.tensor(let a), .tensor(let b)) where a.scalar.isFloat && b.scalar.isFloat:
      a.with(scalar: b.scalar).agrees(with: b) || a.isOneElement && b.isOneElement
    case (.tensor(let a), .tensor(let b)) where a.scalar == b.scalar && a.isOneElement && b.isOneElement: true
    case (.list(let a, let n), .list(let b, let m)): a.isConsistent(with: b) && n.agrees(with: m)
    case (.dictionary(let k, let v), .dictionary(let l, let w)): k.isConsistent(with: l) && v.isConsistent(with: w)
    default: agrees(with: other)
    }
  }
}

extension TensorType {
  /// A scalar, or a vector of one element.
  fileprivate var isOneElement: Bool { shape.isEmpty || shape == [1] }
}
