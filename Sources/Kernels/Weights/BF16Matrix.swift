import CKernels
import MIL

/// A constant matrix in bf16, row-major, rounded once for each model. For callers that allow low precision.
struct BF16Matrix: Sendable {
  private let memory: PackedMemory

  init(_ weight: StoredWeight, _ preparation: Preparation) throws {
    let (bytes, overflow) = weight.count.multipliedReportingOverflow(by: 2)
    guard !overflow, weight.type.scalar == .float32, ck_low_precision_supported() else {
      throw KernelError(.outOfMemory, "the weights \(weight.type) cannot be packed")
    }
    memory = try preparation.packed(weight, PackingRecipe("rows.brain", [], byteCount: bytes)) { target in
      guard let target = target.baseAddress?.assumingMemoryBound(to: UInt16.self) else { return }
      withUnsafeTemporaryAllocation(of: Float.self, capacity: WeightEncoding.chunk) { chunk in
        guard let floats = chunk.baseAddress else { return }
        for first in stride(from: 0, to: weight.count, by: WeightEncoding.chunk) {
          let end = min(first + WeightEncoding.chunk, weight.count)
          weight.decode(first..<end, into: floats)
          ck_f32_to_bf16(floats, target + first, end - first)
        }
      }
    }
  }

  /// Valid while this value is alive.
  var pointer: UnsafePointer<UInt16> { memory.pointer.assumingMemoryBound(to: UInt16.self) }
}
