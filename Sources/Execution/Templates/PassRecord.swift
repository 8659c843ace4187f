import MIL

/// The operations of a function that differ for other shapes, by position, and the function's inputs for them.
struct Overlay {
  var inputs: [NamedType]
  var operations: [Int: Operation] = [:]
}

/// What a pass did to a function, and what it looked at to do so.
///
/// For other shapes the pass does the same if nothing that it read has changed. Its result then is the old one with the
/// new sizes and literals. Otherwise it runs again, and its result must have the same structure.
struct PassRecord {
  private(set) var output: Function
  private let pass: any Pass
  private var input: TrackedFunction
  /// The passes and patterns that read each size or literal.
  private var reads: [UInt32: [Reader]] = [:]
  /// The position in the output of each operation of the input that the pass kept as it was.
  private var kept: [Int?]
  /// Whether the pass read or copied a size or literal of each operation of the input.
  private var isRead: [Bool]
  /// Sizes and literals of new operations that are copies of numbered ones.
  private var copies: [UInt32: [Copy]] = [:]
  private var comparisons: [UInt32: [(reader: Reader, comparison: SizeReads.Comparison)]] = [:]
  /// The sizes of all numbers in comparisons.
  private var compared: [UInt32: Int?] = [:]
  private var isIdentity = false
  private var patterns: PatternRecord?

  private enum Reader: Hashable {
    case pass
    case pattern(Int)
  }

  private enum Copy {
    case size(operation: Int, output: Int, axis: Int)
    case literal(operation: Int, parameter: String, position: Int)
  }

  /// Runs a pass on a function, and records it. Nil if what it did cannot be replayed.
  init?(_ pass: any Pass, on source: Function, fixed: Set<ObjectIdentifier>) throws {
    (self.pass, output) = (pass, source)
    let reads = SizeReads()
    input = TrackedFunction(source, fixed: fixed)
    kept = Array(repeating: nil, count: source.body.operations.count)
    isRead = Array(repeating: false, count: source.body.operations.count)
    let tracked = input.function
    let patternReads = PatternReads()
    let made = try patternReads.during { try reads.during { try pass(tracked) } }
    guard made.inputs == tracked.inputs else { return nil }
    var positions: [ObjectIdentifier: Int] = [:]
    for (index, operation) in tracked.body.operations.enumerated() { positions[operation.identity] = index }
    var operations: [Operation] = []
    operations.reserveCapacity(made.body.operations.count)
    for (index, operation) in made.body.operations.enumerated() {
      if let position = positions[operation.identity] {
        kept[position] = index
        operations.append(source.body.operations[position])
      } else {
        operations.append(try clean(operation, at: index, reads))
      }
    }
    isIdentity =
      operations.count == kept.count && kept.enumerated().allSatisfy { $0 == $1 }
      && made.body.outputs == source.body.outputs
    if !isIdentity {
      output.body.operations = operations
      output.body.outputs = made.body.outputs
    }
    note(reads, of: .pass)
    if let pass = pass as? RecogniseAttention, !patternReads.searches.isEmpty {
      patterns = PatternRecord(pass, source, at: patternReads.searches.map(\.index), output)
    }
    for (number, pattern) in patternReads.searches.enumerated() {
      note(pattern.reads, of: patterns == nil ? .pass : .pattern(number))
    }
    for number in [Array(self.reads.keys), Array(comparisons.keys), Array(copies.keys)].joined() {
      let index = input.operation(of: number)
      if isRead.indices.contains(index) { isRead[index] = true }
    }
    input.forget()
  }

  private mutating func note(_ reads: SizeReads, of reader: Reader) {
    for number in reads.numbers { self.reads[number, default: []].append(reader) }
    for comparison in reads.comparisons {
      for number in [comparison.first, comparison.second] where number != 0 {
        comparisons[number, default: []].append((reader, comparison))
        if case .size(let size) = input[number] { compared[number] = .some(size) }
      }
    }
  }

  /// A new operation without numbers. Notes which of its sizes and literals are copies.
  private mutating func clean(_ operation: Operation, at index: Int, _ reads: SizeReads) throws -> Operation {
    var result = operation
    for (output, value) in operation.outputs.enumerated() {
      guard case .tensor(var type) = value.type else { continue }
      for axis in type.shape.indices where type.shape[axis].id != 0 {
        copies[type.shape[axis].id, default: []].append(.size(operation: index, output: output, axis: axis))
        type.shape[axis] = Dimension(type.shape[axis], id: 0)
      }
      result.outputs[output].type = .tensor(type)
    }
    for (parameter, bindings) in operation.inputs {
      for (position, binding) in bindings.enumerated() {
        guard case .literal(.tensor(let tensor)) = binding, case let number = tensor.storage.trackedID, number != 0,
          case .literal(let original) = input[number]
        else { continue }
        // What shares the memory under another shape is no copy: the pass has read it.
        guard tensor.scalar == original.scalar, tensor.shape == original.shape else {
          reads.during { _ = tensor.shape }
          let own = try Tensor(tensor.scalar, shape: tensor.shape, storage: original.storage)
          result.inputs[parameter]?[position] = .literal(.tensor(own))
          continue
        }
        copies[number, default: []].append(.literal(operation: index, parameter: parameter, position: position))
        result.inputs[parameter]?[position] = .literal(.tensor(original))
      }
    }
    return result
  }

  /// The overlay of the output, given that of the input. Nil if the structure would be another.
  func replayed(_ overlay: Overlay) throws -> Overlay? {
    if isIdentity, reads.isEmpty, comparisons.isEmpty { return overlay }
    var changes: [(number: UInt32, new: TrackedFunction.Change)] = []
    var isSameStructure = input.changes(to: overlay.inputs) { changes.append(($0, $1)) }
    for (index, operation) in overlay.operations where isRead[index] {
      isSameStructure = input.changes(at: index, to: operation) { changes.append(($0, $1)) } && isSameStructure
    }
    guard isSameStructure else { return nil }
    let readers = readers(of: changes)
    guard !readers.contains(.pass) else { return try again(overlay) }
    var result = Overlay(inputs: overlay.inputs)
    for (index, operation) in overlay.operations {
      if let position = kept[index] { result.operations[position] = operation }
    }
    for (number, new) in changes {
      for copy in copies[number] ?? [] {
        switch (copy, new) {
        case (.size(let index, let place, let axis), .size(let size)):
          var operation = result.operations[index] ?? output.body.operations[index]
          guard case .tensor(var type) = operation.outputs[place].type else { return nil }
          type.shape[axis] = size
          operation.outputs[place].type = .tensor(type)
          result.operations[index] = operation
        case (.literal(let index, let parameter, let position), .literal(let value)):
          var operation = result.operations[index] ?? output.body.operations[index]
          operation.inputs[parameter]?[position] = .literal(value)
          result.operations[index] = operation
        default: return nil
        }
      }
    }
    guard !readers.isEmpty else { return result }
    let found = patterns?.replayed(
      readers.compactMap { if case .pattern(let number) = $0 { number } else { nil } }, overlay)
    guard let found else { return nil }
    for (position, operation) in found {
      result.operations[position] = operation.isSame(as: output.body.operations[position]) ? nil : operation
    }
    return result
  }

  /// The pass or its patterns, if they read something that changed.
  private func readers(of changes: [(number: UInt32, new: TrackedFunction.Change)]) -> Set<Reader> {
    var found: Set<Reader> = []
    for change in changes { found.formUnion(reads[change.number] ?? []) }
    guard !comparisons.isEmpty else { return found }
    var sizes: [UInt32: Int?] = [:]
    for (number, new) in changes {
      if case .size(let size) = new { sizes[number] = .some(size.value) }
    }
    func size(_ number: UInt32) -> Int? {
      if let changed = sizes[number] { return changed }
      return compared[number] ?? nil
    }
    for number in sizes.keys {
      for (reader, comparison) in comparisons[number] ?? [] {
        let first = comparison.first == 0 ? comparison.constant : size(comparison.first)
        let second = comparison.second == 0 ? comparison.constant : size(comparison.second)
        if (first == second) != comparison.areEqual { found.insert(reader) }
      }
    }
    return found
  }

  /// Runs the pass for the new shapes, and compares its result with the old one.
  private func again(_ overlay: Overlay) throws -> Overlay? {
    input.source.findNames()
    let made = try pass(input.source.with(inputs: overlay.inputs, operations: overlay.operations))
    guard made.body.operations.count == output.body.operations.count, made.body.outputs == output.body.outputs,
      made.inputs == overlay.inputs
    else { return nil }
    var result = Overlay(inputs: made.inputs)
    for (index, (new, old)) in zip(made.body.operations, output.body.operations).enumerated()
    where new.identity != old.identity {
      guard new.hasStructure(of: old) else { return nil }
      if !new.isSame(as: old) { result.operations[index] = new }
    }
    return result
  }
}
