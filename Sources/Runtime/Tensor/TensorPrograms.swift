import CoreMLBase
import CoreMLExecution
import Foundation
import MIL
import Synchronization

/// A cache of the programs of tensor graphs by structure. A loop that builds the same graph repeatedly plans it once.
final class TensorPrograms: Sendable {
  static let shared = TensorPrograms()

  private struct State {
    var programs: [String: (program: TensorProgram, lastUse: Int)] = [:]
    var clock = 0
    var made: [MLComputeUnits?: Int] = [:]
  }

  private let state = Mutex(State())

  /// The capacity; the least recently used programs are evicted.
  private static let most = 256

  /// The number of programs ever created under a policy, for tests.
  func made(under policy: MLComputePolicy) -> Int { state.withLock { $0.made[policy.units, default: 0] } }

  func program(
    for key: String, _ policy: MLComputePolicy, make function: () throws -> Function
  ) throws -> TensorProgram {
    let known = state.withLock { state -> TensorProgram? in
      state.clock += 1
      state.programs[key]?.lastUse = state.clock
      return state.programs[key]?.program
    }
    if let known { return known }
    let program = try TensorProgram(function(), policy)
    return state.withLock { state in
      if let other = state.programs[key] { return other.program }
      state.made[policy.units, default: 0] += 1
      if state.programs.count >= Self.most,
        let oldest = state.programs.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.programs[oldest.key] = nil
      }
      state.programs[key] = (program, state.clock)
      return program
    }
  }
}

/// The program of a tensor graph, planned like a model.
final class TensorProgram: Sendable {
  private let engine: Engine
  private let inputs: [String]

  init(_ function: Function, _ policy: MLComputePolicy) throws {
    inputs = function.inputs.map(\.name)
    let configuration = MLModelConfiguration()
    configuration.computeUnits = policy.units ?? .all
    var named = function
    named.featureOutputNames = function.body.outputs.indices.map { "y\($0)" }
    engine = Engine(function: named, devices: try DeviceChoice(configuration.devices))
  }

  /// Runs the program on the computed tensors of a graph and stores the results in `values`. Outputs are written
  /// directly to their own memory where the plan supports it.
  func run(_ leaves: [Tensor], into values: [TensorValue]) throws {
    let given = Dictionary(zip(inputs, leaves.map { Value.tensor($0) })) { first, _ in first }
    let states = try engine.freshStates()
    var memory: [String: TensorStorage] = [:]
    func place(_ output: String, _ type: TensorType) throws -> UnsafeMutableRawPointer? {
      guard let bytes = type.byteCount else { return nil }
      let storage = try TensorStorage(byteCount: max(bytes, 1), for: "a tensor of type \(type)")
      memory[output] = storage
      return storage.mutablePointer
    }
    try engine.run(given, states: states, writing: place) { outputs in
      for (place, value) in values.enumerated() {
        guard let output = outputs.first(where: { $0.name == "y\(place)" })?.value.tensor else {
          throw RuntimeError(.evaluation, "a tensor program gave no output 'y\(place)'")
        }
        value.become(try Self.kept(output, memory["y\(place)"]).reshaped(value.shape))
      }
    }
  }

  /// Returns the output in memory that stays valid: the memory provided for it, or a copy.
  private static func kept(_ output: Tensor, _ memory: TensorStorage?) throws -> Tensor {
    if let memory, memory.pointer == output.storage.pointer {
      return try Tensor(output.scalar, shape: output.shape, storage: memory)
    }
    let storage = try output.withUnsafeBytes { try TensorStorage(copying: $0, for: "a tensor") }
    return try Tensor(output.scalar, shape: output.shape, storage: storage)
  }
}
