import CKernels
import MIL

/// Constant weights in the layout of the packed products, made once when the kernel is prepared.
struct PackedWeights: Sendable {
  private let storage: TensorStorage
  var pointer: UnsafePointer<Float> { storage.pointer.assumingMemoryBound(to: Float.self) }

  /// `groups` left operands [rows, depth] one after the other, row-major.
  static func left(_ weights: Tensor, groups: Int, rows: Int, depth: Int) throws -> PackedWeights {
    let size = ck_gemm_packed_a_size(rows, depth)
    return try PackedWeights(floats: size, times: groups, from: weights, needs: rows * depth) { source, target in
      for group in 0..<groups {
        ck_gemm_pack_a_f32(rows, depth, source + group * rows * depth, depth, 1, target + group * size)
      }
    }
  }

  /// One right operand [depth, columns], stored [columns, depth] when `transposed`.
  static func right(_ weights: Tensor, depth: Int, columns: Int, transposed: Bool) throws -> PackedWeights {
    let panels = (columns + ck_gemm_panel_columns() - 1) / ck_gemm_panel_columns()
    return try PackedWeights(
      floats: ck_gemm_packed_b_size(columns, depth), times: 1, from: weights, needs: depth * columns
    ) { source, target in
      ck_gemm_pack_b_f32(
        depth, columns, source, transposed ? 1 : columns, transposed ? depth : 1, 0, panels, target)
    }
  }

  private init(
    floats: Int, times: Int, from weights: Tensor, needs: Int,
    _ pack: (UnsafePointer<Float>, UnsafeMutablePointer<Float>) -> Void
  ) throws {
    let (count, overflow) = floats.multipliedReportingOverflow(by: times)
    guard !overflow, count <= TensorType.maximumByteCount / 4, weights.scalar == .float32, weights.count >= needs else {
      throw KernelError(.outOfMemory, "the weights \(weights.type) cannot be packed")
    }
    storage = try TensorStorage(byteCount: count * 4, for: "packed weights")
    guard let target = storage.mutablePointer?.assumingMemoryBound(to: Float.self) else {
      throw KernelError(.outOfMemory, "no memory for packed weights")
    }
    weights.withUnsafeBytes { bytes in
      guard let source = bytes.bindMemory(to: Float.self).baseAddress else { return }
      pack(source, target)
    }
  }
}
