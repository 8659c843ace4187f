import MIL
import Synchronization

/// A value in the graph of lazy tensors: a computed tensor, or the output of an operation that has not run.
final class TensorValue: Sendable {
  let scalar: ScalarType
  let shape: [Int]
  private let state: Mutex<State>
  /// The number of `MLTensor` handles of the value. While there are any, the value may still be requested.
  private let holders = Atomic<Int>(0)

  enum State {
    case ready(Tensor)
    case pending(TensorOperation, output: Int)
  }

  init(_ tensor: Tensor) {
    scalar = tensor.scalar
    shape = tensor.shape
    state = Mutex(.ready(tensor))
  }

  init(_ operation: TensorOperation, output: Int, _ scalar: ScalarType, _ shape: [Int]) {
    self.scalar = scalar
    self.shape = shape
    state = Mutex(.pending(operation, output: output))
  }

  var now: State { state.withLock { $0 } }

  /// The length of the longest path of pending operations to computed tensors.
  var depth: Int { if case .pending(let operation, _) = now { operation.depth } else { 0 } }

  var tensor: Tensor? { if case .ready(let tensor) = now { tensor } else { nil } }

  /// Stores the computed tensor and releases the operation, with everything that only the operation retains.
  func become(_ tensor: Tensor) {
    let before = state.withLock { state in
      defer { state = .ready(tensor) }
      return state
    }
    withExtendedLifetime(before) {}
  }

  var type: TensorType { TensorType(scalar, shape) }
  var isHeld: Bool { holders.load(ordering: .relaxed) > 0 }
  func hold() { holders.wrappingAdd(1, ordering: .relaxed) }
  func letGo() { holders.wrappingSubtract(1, ordering: .relaxed) }
}

/// The reference that an `MLTensor` holds. As long as the handle exists, the value may still be requested.
final class TensorHandle: Sendable {
  let value: TensorValue

  init(_ value: TensorValue) {
    self.value = value
    value.hold()
  }

  deinit { value.letGo() }
}

/// An operation of the graph: a MIL operation whose arguments are values or constants.
final class TensorOperation: Sendable {
  enum Argument: Sendable {
    case values([TensorValue])
    case constant(Constant)
  }

  /// A constant that is known when the operation is planned. It is part of the graph's key.
  enum Constant: Hashable, Sendable {
    case int(Int)
    case ints([Int])
    case float(Float)
    case bool(Bool)
    case bools([Bool])
    case string(String)

    var value: Value {
      switch self {
      case .int(let value): .int32(value)
      case .ints(let values): .int32s(values)
      case .float(let value): .float32(value)
      case .bool(let value): .bool(value)
      case .bools(let values): .tensor(Tensor(bools: values))
      case .string(let value): .string(value)
      }
    }
  }

  let type: String
  /// Sorted by name, so that equal operations have equal keys.
  let arguments: [(name: String, argument: Argument)]
  let policy: MLComputePolicy
  let depth: Int
  /// Weak references to the outputs.
  private let outputs = Mutex<[Weak]>([])

  struct Weak: Sendable { weak let value: TensorValue? }

  private init(_ type: String, _ arguments: [String: Argument]) {
    self.type = type
    self.arguments = arguments.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    policy = MLComputePolicy.current
    var deepest = 0
    for case .values(let values) in arguments.values { for value in values { deepest = max(deepest, value.depth) } }
    depth = deepest + 1
  }

  /// Creates an operation and returns its outputs, in order.
  ///
  /// - Precondition: the arguments are valid for the operation.
  static func outputs(_ type: String, _ arguments: [String: Argument]) -> [TensorValue] {
    let operation = TensorOperation(type, arguments)
    var scope = Scope()
    var inputs: [String: [Binding]] = [:]
    for (name, argument) in operation.arguments {
      switch argument {
      case .constant(let constant): inputs[name] = [.literal(constant.value)]
      case .values(let values):
        inputs[name] = values.enumerated().map { place, value in
          let operand = "\(name).\(place)"
          scope.define(operand, .tensor(value.type))
          return .name(operand)
        }
      }
    }
    let types: [ValueType]
    do {
      types = try scope.outputTypes(
        of: MIL.Operation(type, inputs: inputs, outputs: [NamedType(type, .open)], blocks: [], origins: []))
    } catch { preconditionFailure("\(error)") }
    let values = types.enumerated().map { place, type in
      guard let type = type.tensor, let shape = type.concreteShape else {
        preconditionFailure("'\(operation.type)' gives a tensor whose shape is not known")
      }
      return TensorValue(operation, output: place, type.scalar, shape)
    }
    operation.outputs.withLock { $0 = values.map { Weak(value: $0) } }
    // A loop whose values are never requested would grow the graph without bound. So a graph of this depth is computed
    // now.
    if operation.depth >= deepest { TensorGraph.require(values) }
    return values
  }

  private static let deepest = 512

  /// The outputs that still exist, with their indices.
  var open: [(output: Int, value: TensorValue)] {
    outputs.withLock { outputs in
      outputs.enumerated().compactMap { place, output in output.value.map { (place, $0) } }
    }
  }
}
