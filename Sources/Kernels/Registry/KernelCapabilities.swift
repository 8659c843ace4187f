import CKernels
import MIL

/// What the kernels support, for passes that rewrite operations only for kernels that exist.
extension KernelRegistry {
  /// Whether the processor has int8 dot products.
  package static var hasInt8Dot: Bool { ck_int8_supported() }

  /// Whether a CPU kernel besides the reference accepts an operation on bytes.
  package static func acceptsInt8(_ invocation: Invocation, weights: [String: StoredWeight]) throws -> Bool {
    let outputs = try Operations.definition(of: invocation.operation).outputTypes(invocation).compactMap(\.tensor)
    let problem = KernelProblem(invocation: invocation, outputs: outputs, threads: 1, weights: weights)
    return implementations(for: invocation.operation, on: .cpu).contains { kernel in
      kernel.name != "reference" && (try? kernel.match(problem)) != nil
    }
  }

  /// Limit for the operands of `fused.pointwise`.
  package static func mostPointwiseValues(on device: DeviceKind) -> Int { device == .openCL ? CLPointwise.most : 12 }

  /// Whether a device supports an attention, so that a pass may fuse it.
  package static func openCLTakes(_ form: AttentionShape, on context: OpenCLContext) -> Bool {
    CLAttention.refusal(of: form, on: context.device) == nil
  }
}
