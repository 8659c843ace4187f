import COpenCL

/// Memory of the host that its owner gives away only after he has taken it back: where it is used by a device again and again, the device reads
/// and writes it itself. Little memory is left alone.
package enum RegisteredMemory {
  package static func lend(_ base: UnsafeMutableRawPointer, _ byteCount: Int) { copencl_cuda_register(base, byteCount) }

  /// No transfer uses the memory any more.
  package static func takeBack(_ base: UnsafeMutableRawPointer, _ byteCount: Int) {
    copencl_cuda_unregister(base, byteCount)
  }
}
