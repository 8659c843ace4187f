import CoreMLKernels
import Foundation
import MIL

@testable import CoreMLRuntime

/// An operation with double-precision arguments, whose gradients are compared with finite differences.
struct GradientCase: Sendable {
  let operation: String
  let name: String
  /// Generated values, for which gradients are computed.
  let variables: [String: [Made]]
  let constants: [String: [Binding]]

  struct Made: Sendable {
    let shape: [Int]
    let low: Double
    let high: Double
    static func made(_ shape: [Int], from low: Double = -1.5, to high: Double = 1.5) -> Made {
      Made(shape: shape, low: low, high: high)
    }
  }

  init(_ operation: String, _ variables: [String: Made], _ constants: [String: Binding] = [:]) {
    self.init(operation, all: variables.mapValues { [$0] }, constants)
  }

  init(_ operation: String, _ name: String, _ variables: [String: Made], _ constants: [String: Binding] = [:]) {
    self.init(operation, name, all: variables.mapValues { [$0] }, constants)
  }

  init(
    _ operation: String, _ name: String = "", all variables: [String: [Made]], _ constants: [String: Binding] = [:]
  ) {
    self.operation = operation
    self.name = name
    self.variables = variables
    self.constants = constants.mapValues { [$0] }
  }

  // MARK: checking

  /// The greatest difference between a gradient and the central difference quotient, relative to 1 + its magnitude.
  func worst() throws -> Double {
    var random = Numbers(state: 7)
    let emit = Emitter(Builder())
    var arguments = constants
    var places: [(name: String, values: [Double], shape: [Int])] = []
    for (parameter, all) in variables.sorted(by: { $0.key < $1.key }) {
      for (index, made) in all.enumerated() {
        let values = (0..<made.shape.reduce(1, *)).map { _ in made.low + (made.high - made.low) * random.unit() }
        let input = emit.input("\(parameter)_\(index)", .tensor(TensorType(.float64, made.shape)))
        arguments[parameter, default: []].append(input)
        places.append((input.name ?? "", values, made.shape))
      }
    }
    let inputs = Dictionary(
      uniqueKeysWithValues: places.map { ($0.name, Value.tensor(Tensor(float64: $0.values, shape: $0.shape))) })
    let function = try self.function(arguments, emit.builder)
    // Evaluates the scalar result by the reference implementation. The gradient rules are compared with it.
    func number(_ inputs: [String: Value]) throws -> Double {
      let names = try Doubles.run(function.body.operations, inputs)
      return try names[function.body.outputs[0]]?.tensor?.doubles().first ?? .nan
    }
    var pass = Differentiate(emit, values: Dictionary(uniqueKeysWithValues: places.map { ($0.name, .name($0.name)) }))
    try pass.forward(function.body.operations, sources: Set(places.map(\.name)))
    guard let result = pass.values[function.body.outputs[0]] else { return .infinity }
    let gradients = try pass.backward(
      from: result, seed: emit.number(1, like: result), to: places.map(\.name))
    let names = try Doubles.run(emit.builder.operations, inputs)
    var worst = 0.0
    for (place, gradient) in zip(places, gradients) {
      guard let gradient else { throw CaseFailure("'\(place.name)' has no gradient") }
      let found = try value(gradient, names).doubles()
      for index in place.values.indices {
        let step = 1e-5
        func moved(_ amount: Double) throws -> Double {
          var values = place.values
          values[index] += amount
          var all = inputs
          all[place.name] = .tensor(Tensor(float64: values, shape: place.shape))
          return try number(all)
        }
        let expected = try (moved(step) - moved(-step)) / (2 * step)
        worst = max(worst, abs(found[index] - expected) / (1 + abs(expected)))
        if !found[index].isFinite { worst = .infinity }
      }
    }
    return worst
  }

  private func value(_ binding: Binding, _ names: [String: Value]) throws -> Tensor {
    let value: Value? =
      switch binding {
      case .name(let name): names[name]
      case .literal(let literal): literal
      }
    guard let tensor = value?.tensor else { throw CaseFailure("a gradient is not computed") }
    return tensor
  }

  /// The operation, followed by a weighted sum of its results with different weights.
  private func function(_ arguments: [String: [Binding]], _ start: Builder) throws -> Function {
    var builder = start
    var random = Numbers(state: 3)
    let outputs = try builder.add(operation, arguments, named: ["y"])
    var total: Binding?
    for output in outputs {
      let type = try builder.tensorType(of: output)
      guard type.scalar == .float64, let shape = type.concreteShape else { continue }
      let weights = (0..<shape.reduce(1, *)).map { _ in random.unit() - 0.3 }
      let product = try builder.add(
        "mul", ["x": .name(output), "y": .tensor(Tensor(float64: weights, shape: shape))])
      let sum = try builder.add("reduce_sum", ["x": .name(product)])
      total = try total.map { .name(try builder.add("add", ["x": $0, "y": .name(sum)])) } ?? .name(sum)
    }
    guard let name = total?.name else { throw CaseFailure("the operation gives no numbers") }
    return Function(inputs: [], opset: "CoreML8", body: builder.block(outputs: [name]))
  }
}

struct CaseFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Runs operations by their reference implementations, in the precision of their inputs.
enum Doubles {
  static func run(_ operations: [MIL.Operation], _ inputs: [String: Value]) throws -> [String: Value] {
    var names = inputs
    for operation in operations {
      var values: [String: [Value]] = [:]
      for (parameter, bindings) in operation.inputs {
        values[parameter] = try bindings.map { binding in
          switch binding {
          case .literal(let value): return value
          case .name(let name):
            guard let value = names[name] else { throw CaseFailure("'\(name)' is not computed") }
            return value
          }
        }
      }
      let invocation = Invocation(
        operation: operation, inputTypes: values.mapValues { $0.map(\.type) }, values: values.mapValues { $0 })
      for (output, value) in zip(operation.outputs, try References.evaluate(invocation)) { names[output.name] = value }
    }
    return names
  }
}

/// Random numbers that are the same on every platform (splitmix64).
struct Numbers {
  var state: UInt64

  mutating func unit() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((z ^ (z >> 31)) >> 11) / 9_007_199_254_740_992
  }
}
