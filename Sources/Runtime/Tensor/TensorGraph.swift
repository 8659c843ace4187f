import CoreMLBase
import CoreMLExecution
import CoreMLImport
import Foundation
import MIL

/// The part of a tensor graph that must run to compute some values. It has the operations in order, the computed
/// tensors that they start from, and the outputs that may still be used.
struct TensorGraph {
  /// The cache key that describes the structure. Graphs with equal keys share one plan.
  private(set) var key = ""
  private(set) var operations: [TensorOperation] = []
  private(set) var leaves: [(value: TensorValue, tensor: Tensor)] = []
  private(set) var outputs: [TensorValue] = []
  private let policy: MLComputePolicy
  private var places: [ObjectIdentifier: Int] = [:]
  private var leafPlaces: [ObjectIdentifier: Int] = [:]
  /// The operation and output index of each value at the time of the traversal. Another task may compute the value
  /// meanwhile.
  private var sources: [ObjectIdentifier: (operation: TensorOperation, output: Int)] = [:]

  /// Computes values that are still pending. Intermediate values that are still referenced are stored too.
  ///
  /// - Precondition: the operations can run: there is enough memory, and indices are in range.
  static func require(_ values: [TensorValue]) {
    do { try compute(values) } catch { preconditionFailure("a tensor cannot be computed: \(error)") }
  }

  /// Computes values. Operations created under another compute policy run first, on their own devices.
  ///
  /// Cancelling the task does not stop the computation: the caller cannot handle a missing result, and other tasks may
  /// share it.
  static func compute(_ values: [TensorValue]) throws {
    try Cancellation().during { try computeAll(values) }
  }

  private static func computeAll(_ values: [TensorValue]) throws {
    for value in values {
      guard case .pending(let operation, _) = value.now else { continue }
      let wanted = values.filter { other in
        if case .pending(let its, _) = other.now { return its.policy == operation.policy }
        return false
      }
      while true {
        do {
          try TensorGraph(wanted, operation.policy).run()
          break
        } catch is Stale { continue }
      }
    }
  }

  private init(_ roots: [TensorValue], _ policy: MLComputePolicy) throws {
    self.policy = policy
    // Iterative depth-first traversal: an operation is appended after all of its inputs.
    var stack: [(value: TensorValue, isDone: Bool)] = roots.reversed().map { ($0, false) }
    while let (value, isDone) = stack.popLast() {
      switch value.now {
      case .ready(let tensor):
        guard leafPlaces[ObjectIdentifier(value)] == nil else { continue }
        leafPlaces[ObjectIdentifier(value)] = leaves.count
        leaves.append((value, tensor))
      case .pending(let operation, let output):
        sources[ObjectIdentifier(value)] = (operation, output)
        guard places[ObjectIdentifier(operation)] == nil else { continue }
        guard operation.policy == policy else {
          try TensorGraph([value], operation.policy).run()
          stack.append((value, false))
          continue
        }
        if isDone {
          places[ObjectIdentifier(operation)] = operations.count
          operations.append(operation)
          continue
        }
        stack.append((value, true))
        for (_, argument) in operation.arguments.reversed() {
          guard case .values(let values) = argument else { continue }
          for value in values.reversed() { stack.append((value, false)) }
        }
      }
    }
    try spell(Set(roots.map { ObjectIdentifier($0) }))
  }

  private mutating func spell(_ roots: Set<ObjectIdentifier>) throws {
    var text = policy.units.map { "\($0.rawValue)" } ?? "-"
    for leaf in leaves { text += ";\(leaf.tensor.scalar.rawValue)\(leaf.tensor.shape)" }
    for operation in operations {
      text += "|\(operation.type)"
      for (name, argument) in operation.arguments {
        text += ",\(name)"
        switch argument {
        case .constant(let constant): text += "=\(constant)"
        case .values(let values):
          for value in values { text += " \(try reference(value))" }
        }
      }
      for (place, value) in operation.open where value.isHeld || roots.contains(ObjectIdentifier(value)) {
        text += ">\(place)"
        outputs.append(value)
        sources[ObjectIdentifier(value)] = (operation, place)
      }
    }
    key = text
  }

  /// The reference to a value in the key: `x3` is the computed tensor 3, `4.0` is the first output of operation 4.
  private func reference(_ value: TensorValue) throws -> String {
    if let leaf = leafPlaces[ObjectIdentifier(value)] { return "x\(leaf)" }
    guard let source = sources[ObjectIdentifier(value)], let place = places[ObjectIdentifier(source.operation)] else {
      throw Stale()
    }
    return "\(place).\(source.output)"
  }

  /// Thrown if the graph changed during the traversal, because another task computed a part of it.
  private struct Stale: Error {}

  private func run() throws {
    guard !outputs.isEmpty else { return }
    try TensorPrograms.shared.program(for: key, policy) { try function() }.run(leaves.map(\.tensor), into: outputs)
  }

  /// The graph as a function. Its inputs are `x0`, `x1` ..., its outputs are `y0` ... in the order of `outputs`.
  private func function() throws -> Function {
    var builder = Builder()
    var names: [ObjectIdentifier: [String]] = [:]
    let inputs = leaves.enumerated().map { builder.input("x\($0.offset)", .tensor($0.element.tensor.type)) }
    func name(_ value: TensorValue) throws -> String {
      if let leaf = leafPlaces[ObjectIdentifier(value)] { return inputs[leaf] }
      guard let source = sources[ObjectIdentifier(value)], let made = names[ObjectIdentifier(source.operation)] else {
        throw Stale()
      }
      return made[source.output]
    }
    for operation in operations {
      var arguments: [String: [Binding]] = [:]
      for (parameter, argument) in operation.arguments {
        switch argument {
        case .constant(let constant): arguments[parameter] = [.literal(constant.value)]
        case .values(let values): arguments[parameter] = try values.map { .name(try name($0)) }
        }
      }
      names[ObjectIdentifier(operation)] = try builder.add(operation.type, arguments, named: [operation.type])
    }
    let results = try outputs.map { try name($0) }
    var body = builder.block(outputs: results)
    body.inputs = []
    return Function(inputs: builder.inputs, opset: Opset.iOS26.rawValue, body: body)
  }
}
