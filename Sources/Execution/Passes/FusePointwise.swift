import CoreMLBase
import CoreMLKernels
import MIL

/// Replaces connected elementwise operations by one operation, for one pass over memory and one launch on a GPU:
///
///     add(x, mul(s, sub(p, x)))  =>  fused.pointwise((p, x, s), "sub $0 $1; mul $2 %0; add $1 %1")
///
/// A `batch_norm` with constant parameters becomes a per-channel multiplication and addition. All steps have the
/// result's type, and no other operation may read the intermediate values. This pass runs after all passes that match
/// patterns, since those match operations by their type.
struct FusePointwise: Pass {
  /// The role of an operation in a chain.
  private enum Part {
    /// A function with its numeric and string attributes.
    case function([String: PointwiseProgram.Attribute])
    /// A multiplication by `factor`, followed by an addition of `term`.
    case affine(factor: Tensor, term: Tensor)

    var steps: Int {
      if case .affine = self { return 2 }
      return 1
    }
  }

  private let isKnown: Bool
  /// The maximum number of tensors that a kernel reads.
  private let mostValues: Int

  init(on device: DeviceKind) {
    isKnown = !KernelRegistry.implementations(for: "fused.pointwise", on: device).isEmpty
    mostValues = KernelRegistry.mostPointwiseValues(on: device)
  }

  func callAsFunction(_ function: Function) throws -> Function {
    guard isKnown else { return function }
    let (uses, constants, types) = (Uses(function), function.constants, function.types)
    let parts = try function.body.operations.map { operation in
      try attributes(of: operation, constants, types).map { .function($0) } ?? affine(operation, constants)
    }
    var result = function
    var taken: Set<Int> = []
    for root in function.body.operations.indices.reversed() where parts[root] != nil && !taken.contains(root) {
      try Cancellation.check()
      let group = group(endingAt: root, function, uses, parts, taken)
      guard group.count > 1 else { continue }
      taken.formUnion(group)
      result.body.operations[root] = joined(group.sorted(), function, parts)
    }
    result.remove(taken.filter { result.body.operations[$0].type != "fused.pointwise" })
    return result
  }

  /// The attributes of an operation that can be a step; nil for others.
  private func attributes(
    of operation: Operation, _ constants: [String: Value], _ types: [String: ValueType]
  ) -> [String: PointwiseProgram.Attribute]? {
    let isUnary = PointwiseProgram.unary.contains(operation.type)
    guard isUnary || PointwiseProgram.binary.contains(operation.type), operation.outputs.count == 1,
      operation.outputs[0].type.tensor?.scalar == .float32
    else { return nil }
    var found: [String: PointwiseProgram.Attribute] = [:]
    for (parameter, bindings) in operation.inputs {
      guard bindings.count == 1 else { return nil }
      if parameter == "x" || (parameter == "y" && !isUnary) {
        let type =
          switch bindings[0] {
          case .name(let name): types[name]
          case .literal(let value): value.type
          }
        guard type?.tensor?.scalar == .float32 else { return nil }
        continue
      }
      guard let tensor = operation.value(parameter, constants)?.tensor, tensor.count == 1 else { return nil }
      if tensor.scalar == .string, let word = try? tensor.strings().first {
        // Any other string would read as several tokens in the text of the program.
        guard !word.isEmpty, word.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else { return nil }
        found[parameter] = .word(word)
      } else if let number = try? tensor.doubles().first {
        found[parameter] = .number(number)
      } else {
        return nil
      }
    }
    return found
  }

  /// Nil if the operation is not a `batch_norm` with constant parameters.
  private func affine(_ operation: Operation, _ constants: [String: Value]) throws -> Part? {
    guard operation.type == "batch_norm", operation.outputs.count == 1, operation.inputs["x"]?.first?.name != nil,
      let type = operation.outputs[0].type.tensor, type.scalar == .float32,
      let numbers = try FuseAffine.factors(operation, constants),
      let center = numbers["center"], let scale = numbers["scale"], let shift = numbers["shift"]
    else { return nil }
    let (means, factors, terms) = (try center.doubles(), try scale.doubles(), try shift.doubles())
    // With a large mean * factor, the term would lose too many digits. (x - mean) * factor keeps them.
    guard zip(means, factors).allSatisfy({ abs($0 * $1) <= 16 }) else { return nil }
    let shape = [means.count] + Array(repeating: 1, count: max(type.rank - 2, 0))
    return .affine(
      factor: try Tensor(.float32, shape: shape, doubles: factors),
      term: try Tensor(
        .float32, shape: shape, doubles: means.indices.map { terms[$0] - means[$0] * factors[$0] }))
  }

  /// The root and the operations of its type that are computed only for it.
  private func group(
    endingAt root: Int, _ function: Function, _ uses: Uses, _ parts: [Part?], _ taken: Set<Int>
  ) -> Set<Int> {
    let operations = function.body.operations
    let type = operations[root].outputs[0].type
    var group: Set<Int> = [root]
    var isGrowing = true
    func steps(_ group: Set<Int>) -> Int { group.reduce(0) { $0 + (parts[$1]?.steps ?? 0) } }
    while isGrowing {
      isGrowing = false
      for member in group.sorted(by: >) {
        for name in operations[member].inputNames {
          guard let maker = uses.maker(of: name), parts[maker] != nil, !group.contains(maker), !taken.contains(maker),
            steps(group.union([maker])) <= PointwiseProgram.most, operations[maker].outputs[0].type == type,
            uses.isRead(name, onlyWithin: group),
            values(of: group.union([maker]), operations, parts) <= mostValues
          else { continue }
          group.insert(maker)
          isGrowing = true
        }
      }
    }
    return group
  }

  /// The number of tensors that the group reads.
  private func values(of group: Set<Int>, _ operations: [Operation], _ parts: [Part?]) -> Int {
    let made = Set(group.map { operations[$0].outputs[0].name })
    var (names, literals): (Set<String>, Int) = ([], 0)
    for member in group {
      if case .affine? = parts[member] { literals += 2 }
      for binding in arguments(of: operations[member]) {
        switch binding {
        case .name(let name): if !made.contains(name) { names.insert(name) }
        case .literal: literals += 1
        }
      }
    }
    return names.count + literals
  }

  private func arguments(of operation: Operation) -> [Binding] {
    ["x", "y"].compactMap { operation.inputs[$0]?.first }
  }

  private func joined(
    _ group: [Int], _ function: Function, _ parts: [Part?]
  ) -> Operation {
    let operations = function.body.operations
    var (values, places, made): ([Binding], [String: Int], [String: Int]) = ([], [:], [:])
    var program: [PointwiseProgram.Step] = []
    for member in group {
      let arguments = arguments(of: operations[member]).map { binding -> PointwiseProgram.Argument in
        if let name = binding.name, let step = made[name] { return .step(step) }
        if let name = binding.name, let place = places[name] { return .value(place) }
        if let name = binding.name { places[name] = values.count }
        values.append(binding)
        return .value(values.count - 1)
      }
      switch parts[member] {
      case .function(let attributes):
        program.append(PointwiseProgram.Step(operations[member].type, attributes, arguments))
      case .affine(let factor, let term):
        program.append(PointwiseProgram.Step("mul", [:], arguments + [.value(values.count)]))
        program.append(PointwiseProgram.Step("add", [:], [.step(program.count - 1), .value(values.count + 1)]))
        values += [.tensor(factor), .tensor(term)]
      case nil: continue
      }
      made[operations[member].outputs[0].name] = program.count - 1
    }
    var joined = operations[group[group.count - 1]]
    joined.type = "fused.pointwise"
    joined.inputs = ["values": values, "program": [.string(PointwiseProgram(program).text)]]
    joined.origins = group.flatMap { operations[$0].named }
    return joined
  }
}
