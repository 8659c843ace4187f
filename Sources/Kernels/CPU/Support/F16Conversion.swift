import CKernels
import MIL

/// Bulk conversion of fp16 tensors to fp32.
package enum F16Conversion {
  package static func widened(_ tensor: Tensor) throws -> Tensor {
    guard tensor.scalar == .float16 else { return tensor }
    let result = try Tensor.zeros(.float32, shape: tensor.shape)
    guard let target = result.storage.mutablePointer?.assumingMemoryBound(to: Float.self) else { return result }
    withExtendedLifetime(tensor.storage) {
      ck_f16_to_f32(tensor.storage.pointer.assumingMemoryBound(to: UInt16.self), target, tensor.count)
    }
    return result
  }
}
