import AllocationCount
import MIL

@testable import CoreMLKernels

/// Runs one CPU kernel on memory of its own, poisoned first so that an element nobody wrote shows.
enum CPUHarness {
  static func run(_ offer: Offer, site: Site, inputs: [String: [Value]]) throws -> [Tensor] {
    try prepared(offer, site: site, inputs: inputs) { try $0() }
  }

  /// How often the kernel takes memory when it runs once more.
  static func allocations(_ offer: Offer, site: Site, inputs: [String: [Value]]) throws -> Int {
    var count = 0
    _ = try prepared(offer, site: site, inputs: inputs) { kernel in
      try kernel()
      count = try AllocationCount.count(kernel)
    }
    return count
  }

  private static func prepared(
    _ offer: Offer, site: Site, inputs: [String: [Value]], _ use: (_ kernel: () throws -> Void) throws -> Void
  ) throws -> [Tensor] {
    guard case .cpu(let kernel) = try offer.prepare(Preparation(weights: WeightStore())) else {
      throw CaseError("not a CPU kernel")
    }
    let results = try site.outputs.map { type -> Tensor in
      guard let shape = type.concreteShape else { throw CaseError("an output without a shape") }
      let tensor = try Tensor.zeros(type.scalar, shape: shape)
      tensor.storage.mutablePointer?.initializeMemory(as: UInt8.self, repeating: 0xA5, count: tensor.byteCount)
      return tensor
    }
    let operands = try site.operands.map { operand -> Tensor in
      guard let tensor = inputs[operand.parameter]?[operand.index].tensor else { throw CaseError("no tensor") }
      return tensor
    }
    let scratch = try TensorStorage(byteCount: offer.scratchBytes)
    let pool = ThreadPool(threads: site.threads)
    let sources = operands.map(\.storage.pointer)
    let targets = results.compactMap(\.storage.mutablePointer)
    guard let work = scratch.mutablePointer, targets.count == results.count else { throw CaseError("no memory") }
    try withExtendedLifetime((operands, results, scratch)) {
      try sources.withUnsafeBufferPointer { sources in
        try targets.withUnsafeBufferPointer { targets in
          guard let outputs = targets.baseAddress else { return }
          let empty = UnsafePointer<UnsafeRawPointer>(bitPattern: 8)
          guard let inputs = sources.baseAddress ?? empty else { return }
          try use { try kernel(CPUFrame(inputs: inputs, outputs: outputs, scratch: work, pool: pool)) }
        }
      }
    }
    return results
  }
}
