/// The memory layout of a shaped array.
public enum MLShapedArrayBufferLayout: Sendable {
  /// Contiguous; the last axis varies fastest (row-major).
  case firstMajorContiguous
  /// Contiguous; the first axis varies fastest (column-major).
  case lastMajorContiguous
  /// Explicit strides in scalars, one per axis, none negative. If two scalars get the same address, one of them is
  /// lost.
  case strides([Int])
}
