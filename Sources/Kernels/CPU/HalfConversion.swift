import MIL

/// fp16 tensors as fp32 ones, in bulk.
public enum HalfConversion {
  public static func widened(_ tensor: Tensor) throws -> Tensor { try tensor.converted(to: .float32) }
}
