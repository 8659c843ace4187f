import CoreMLBase
import CoreMLKernels
import CoreMLSpec
import Foundation
import MIL

@testable import CoreMLExecution
@testable import CoreMLRuntime

extension FuzzTarget {
  /// MIL text: a parsed program prints as text that parses to the same program, and verification terminates.
  static let text = FuzzTarget("text") { input in
    let program = try MILText.parse(input, resolving: zeros)
    try roundTrip(program, zeros)
    try program.verify()
  }

  /// MIL text to a plan for the CPU through every pass. Unknown sizes are 2.
  static let plan = FuzzTarget("plan") { input in
    let program = try MILText.parse(input, resolving: zeros)
    try program.verify()
    for function in program.functions.values {
      let engine = Engine(function: RemoveDeadCode()(RemoveIdentities()(function)), devices: DeviceChoice(threads: 1))
      let inputs = engine.inputTypes.mapValues { TensorType($0.scalar, $0.shape.map { Dimension($0.value ?? 2) }) }
      _ = try engine.plan(for: inputs)
    }
  }

  /// Weights of at most 64 KiB, all zero.
  private static func zeros(_ reference: BlobReference, _ type: TensorType) throws -> Tensor {
    guard let shape = type.concreteShape, let count = type.byteCount, count <= 65536 else {
      throw MILError(.syntax, "the weights are too large")
    }
    let storage = TensorStorage(
      borrowing: memory.pointer, byteCount: count, owner: memory.owner, origin: reference)
    return try Tensor(type.scalar, shape: shape, storage: storage)
  }

  private static let memory = Bytes([UInt8](repeating: 0, count: 65536))
}
