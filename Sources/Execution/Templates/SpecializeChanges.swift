import MIL

/// The values that a replay of `Specialize` changed so far, and what became of the operations that it visited.
struct SpecializeChanges {
  /// What became of an operation.
  struct Outcome {
    /// The versions of its operands.
    let operands: [Int]
    let made: [Operation]
    /// The bytes of constants that it became.
    let foldedBytes: Int
    /// The versions of its results; 0 for those that did not change.
    var outputs: [Int]

    init(_ made: [Operation], _ visit: SpecializeRecord.Visit, _ changes: SpecializeChanges) {
      operands = visit.operands.map(changes.version)
      outputs = Array(repeating: 0, count: visit.outputs.count)
      self.made = made
      foldedBytes = made.reduce(0) { $0 + ($1.constant?.type.tensor?.byteCount ?? 0) }
    }

    /// Gives another operation of the group the same result. False if it had another structure before.
    func apply(
      to operation: Operation, _ visit: SpecializeRecord.Visit, _ range: Range<Int>, in output: Function,
      _ walk: inout SpecializeRecord.Walk, _ changes: inout SpecializeChanges
    ) -> Bool {
      guard made.count == range.count, let first = made.first else { return false }
      let isFolded = output.body.operations[range.lowerBound].isConst
      guard isFolded == first.isConst else { return false }
      for (number, version) in outputs.enumerated() where version != 0 {
        let new = made[isFolded ? number : 0]
        let type = new.outputs[isFolded ? 0 : number].type
        let position = range.lowerBound + (isFolded ? number : 0)
        if isFolded {
          var copy = new
          copy.outputs[0].name = operation.outputs[number].name
          walk.result.operations[position] = copy
        } else {
          var typed = walk.result.operations[position] ?? typed(operation)
          typed.outputs[number].type = type
          walk.result.operations[position] = typed
        }
        changes.define(visit.outputs[number], type, new.constant, version)
        for reader in visit.readers[number] { walk.mark(reader) }
      }
      return true
    }

    /// The operation with the types of the results that did not change, too.
    private func typed(_ operation: Operation) -> Operation {
      var typed = operation
      for (number, output) in made[0].outputs.enumerated() where typed.outputs[number].type != output.type {
        typed.outputs[number].type = output.type
      }
      return typed
    }
  }

  /// By the number of a name; 0 for those that did not change. Equal versions are equal types and values.
  private var versions: [Int] = []
  private var count = 0
  /// Changed values that the scope of the replay does not know yet.
  private var definitions: [Int: (type: ValueType, value: Value?)] = [:]
  /// The versions of constants that the source of the pass has, by memory.
  private var constants: [ObjectIdentifier: (version: Int, shape: [Int])] = [:]
  private var outcomes: [[Outcome]] = []

  func version(_ number: Int) -> Int { number < versions.count ? versions[number] : 0 }

  private mutating func set(_ number: Int, _ version: Int) {
    if number >= versions.count { versions += Array(repeating: 0, count: number + 256 - versions.count) }
    versions[number] = version
  }

  /// Notes that a value has changed, and gives it a version of its own.
  @discardableResult
  mutating func note(_ number: Int) -> Int {
    count += 1
    set(number, count)
    return count
  }

  /// Notes the type and value of a changed value.
  mutating func define(_ number: Int, _ type: ValueType, _ value: Value?, _ version: Int) {
    set(number, version)
    definitions[number] = (type, value)
  }

  /// The same for a constant of the source.
  mutating func define(_ number: Int, _ type: ValueType, _ value: Value) {
    guard let tensor = value.tensor else { return define(number, type, value, note(number)) }
    let memory = ObjectIdentifier(tensor.storage)
    if let known = constants[memory], known.shape == tensor.shape {
      return define(number, type, value, known.version)
    }
    let version = note(number)
    constants[memory] = (version, tensor.shape)
    define(number, type, value, version)
  }

  /// What the scope must know before an operation is visited that reads the value.
  mutating func takeDefinition(of number: Int) -> (type: ValueType, value: Value?)? {
    version(number) == 0 ? nil : definitions.removeValue(forKey: number)
  }

  /// What became of an operation of the same group whose operands changed in the same way.
  func outcome(of visit: SpecializeRecord.Visit) -> Outcome? {
    guard let group = visit.group, group < outcomes.count else { return nil }
    return outcomes[group].first { outcome in
      zip(outcome.operands, visit.operands).allSatisfy { $0 == version($1) }
    }
  }

  mutating func add(_ outcome: Outcome, of visit: SpecializeRecord.Visit) {
    guard let group = visit.group else { return }
    while outcomes.count <= group { outcomes.append([]) }
    outcomes[group].append(outcome)
  }
}
