import Foundation

// As C's headers say it on Apple's systems: addresses may be missing, such as those that functions of pixel buffers give. Where none can be,
// C's own functions are called.

/// Copies bytes; none where an address is missing.
@_disfavoredOverload @discardableResult
public func memcpy(
  _ target: UnsafeMutableRawPointer?, _ source: UnsafeRawPointer?, _ count: Int
) -> UnsafeMutableRawPointer? {
  if let target, let source { target.copyMemory(from: source, byteCount: count) }
  return target
}

/// Sets bytes; none where the address is missing.
@_disfavoredOverload @discardableResult
public func memset(_ target: UnsafeMutableRawPointer?, _ value: Int32, _ count: Int) -> UnsafeMutableRawPointer? {
  target?.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: value), count: count)
  return target
}
