/// How the scalars of a shaped array lie in memory.
public enum MLShapedArrayBufferLayout: Sendable {
  /// Dense, the last axis innermost.
  case firstMajorContiguous
  /// Dense, the first axis innermost.
  case lastMajorContiguous
  /// By strides in scalars, one an axis, none negative. Strides that place two scalars at one address lose one of them.
  case strides([Int])
}
