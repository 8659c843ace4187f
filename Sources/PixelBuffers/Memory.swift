import Foundation

// The C headers of Apple's systems allow null addresses, such as results of pixel buffer functions. For non-optional
// pointers Swift selects C's own functions.

/// Copies bytes; does nothing if an address is null.
@_disfavoredOverload @discardableResult
public func memcpy(
  _ target: UnsafeMutableRawPointer?, _ source: UnsafeRawPointer?, _ count: Int
) -> UnsafeMutableRawPointer? {
  if let target, let source { target.copyMemory(from: source, byteCount: count) }
  return target
}

/// Sets bytes; does nothing if the address is null.
@_disfavoredOverload @discardableResult
public func memset(_ target: UnsafeMutableRawPointer?, _ value: Int32, _ count: Int) -> UnsafeMutableRawPointer? {
  target?.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: value), count: count)
  return target
}
