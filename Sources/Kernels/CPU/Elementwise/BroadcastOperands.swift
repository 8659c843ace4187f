import CKernels
import MIL

/// Operands broadcast to the output's shape, with strides that are computed once. Adjacent axes with the same strides
/// in all operands are merged. Threads share the first of the remaining axes.
struct BroadcastOperands {
  let slots: [Int]
  private let shape: [Int]
  private let strides: [[Int]]
  private let sameSize: [Int]
  /// Element size in bytes of each operand, and of the result.
  private let sizes: [Int]
  private let resultSize: Int

  init(_ problem: KernelProblem, _ names: [String]) throws {
    let output = try problem.outputSizes()
    slots = try names.map { try problem.slot($0) }
    let sources = try names.map { try problem.sizes($0) }
    (shape, strides) = Self.merged(output, sources.map { Broadcast(from: $0, to: output).strides })
    guard shape.count <= Int(CK_MAX_RANK) else { throw Refusal("a broadcast over \(shape.count) axes") }
    // The output may reuse the memory of an operand with the same element count and byte size.
    let bytes = problem.outputs[0].byteCount
    sameSize = zip(slots, sources).filter { slot, source in
      source.reduce(1, *) == output.reduce(1, *) && problem.operands[slot].type.byteCount == bytes
    }.map(\.0)
    sizes = slots.map { problem.operands[$0].type.scalar.bitWidth / 8 }
    resultSize = problem.outputs[0].scalar.bitWidth / 8
  }

  private static func merged(_ shape: [Int], _ strides: [[Int]]) -> ([Int], [[Int]]) {
    var sizes: [Int] = []
    var steps = strides.map { _ in [Int]() }
    for axis in shape.indices.reversed() where shape[axis] != 1 {
      if let last = sizes.last, strides.indices.allSatisfy({ strides[$0][axis] == (steps[$0].last ?? 0) * last }) {
        sizes[sizes.count - 1] = last * shape[axis]
        continue
      }
      sizes.append(shape[axis])
      for operand in strides.indices { steps[operand].append(strides[operand][axis]) }
    }
    return (sizes.reversed(), steps.map { $0.reversed() })
  }

  /// What one thread computes at a time: a range of the first axis, and all other axes.
  struct Part {
    let rank: Int
    let shape: UnsafePointer<Int>
    let strides: [UnsafePointer<Int>]
    let result: UnsafeMutableRawPointer
    fileprivate let frame: CPUFrame
    fileprivate let first: Int
    fileprivate let slots: [Int]
    fileprivate let sizes: [Int]

    /// The first element of an operand.
    func input(_ number: Int) -> UnsafeRawPointer {
      frame.inputs[slots[number]] + (rank == 0 ? 0 : first * strides[number][0] * sizes[number])
    }

    func input<T>(_ number: Int) -> UnsafePointer<T> { input(number).assumingMemoryBound(to: T.self) }

    func output<T>() -> UnsafeMutablePointer<T> { result.assumingMemoryBound(to: T.self) }
  }

  /// Elements that one thread processes at a time.
  private static let grain = 16384

  /// The kernel over the whole output. The output may reuse the memory of an operand of the same size.
  func candidate(_ body: @escaping @Sendable (Part) -> Void) -> Candidate {
    let table = StrideTable([shape] + strides)
    let (rank, slots, sizes, resultSize) = (shape.count, slots, sizes, resultSize)
    let inner = shape.dropFirst().reduce(1, *)
    let (count, grain) = (shape.first ?? 1, max(Self.grain / max(inner, 1), 1))
    return .cpu(efficiency: 0.08, inPlace: sameSize) { frame in
      frame.pool.run(count, grain: grain) { range in
        var own = InlineArray<8, Int>(repeating: 0)
        for axis in 0..<rank { own[axis] = table[0][axis] }
        if rank > 0 { own[0] = range.count }
        own.span.withUnsafeBufferPointer { shape in
          guard let shape = shape.baseAddress else { return }
          body(
            Part(
              rank: rank, shape: shape, strides: table.others,
              result: frame.outputs[0] + range.lowerBound * inner * resultSize, frame: frame, first: range.lowerBound,
              slots: slots, sizes: sizes))
        }
      }
    }
  }
}
