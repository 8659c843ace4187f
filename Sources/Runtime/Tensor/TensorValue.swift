import MIL
import Synchronization

/// A value of the graph that lazy tensors build: numbers that are there, or the output of an operation that has not run.
final class TensorValue: Sendable {
  let scalar: ScalarType
  let shape: [Int]
  private let state: Mutex<State>
  /// Tensors of the program's own that stand for the value: while there are some, it may be asked for.
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

  /// Operations on the longest way to numbers that are there.
  var depth: Int { if case .pending(let operation, _) = now { operation.depth } else { 0 } }

  var tensor: Tensor? { if case .ready(let tensor) = now { tensor } else { nil } }

  /// Takes the numbers; the operation, and all that only it holds, is let go of.
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

/// What a tensor of the program's own keeps: it says by its life that the value may still be asked for.
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

  /// A constant that the operation is planned with; the structure of a graph names it.
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
  /// By name, so that equal operations are spelled equally.
  let arguments: [(name: String, argument: Argument)]
  let policy: MLComputePolicy
  let depth: Int
  /// The outputs that somebody still has.
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

  /// The outputs of an operation on values, in order.
  ///
  /// - Precondition: the operation's rules allow the arguments.
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
    // What nobody asks for grows without end in a loop: a deep graph is run where it stands.
    if operation.depth >= deepest { TensorGraph.require(values) }
    return values
  }

  private static let deepest = 512

  /// The outputs that are still there, and have not been computed.
  var open: [(output: Int, value: TensorValue)] {
    outputs.withLock { outputs in
      outputs.enumerated().compactMap { place, output in output.value.map { (place, $0) } }
    }
  }
}
