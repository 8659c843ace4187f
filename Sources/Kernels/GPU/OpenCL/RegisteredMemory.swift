import CCUDA

/// Registered (pinned) host memory. The device reads and writes it directly if it is used repeatedly. Small ranges are
/// not registered. The owner must call `unregister` before it frees the memory.
package enum RegisteredMemory {
  package static func register(_ base: UnsafeMutableRawPointer, _ byteCount: Int) {
    ccuda_register(base, byteCount)
  }

  /// After this call no transfer uses the memory.
  package static func unregister(_ base: UnsafeMutableRawPointer, _ byteCount: Int) {
    ccuda_unregister(base, byteCount)
  }
}
