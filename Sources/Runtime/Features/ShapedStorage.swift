import CoreMLImages
import Foundation

/// The memory of shaped arrays: owned, or the caller's memory that is released with the last array.
// Sendable: an array writes only while it is the only owner
final class ShapedStorage<Scalar: MLShapedArrayScalar>: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<Scalar>
  /// Whether an array that is the only owner may write to the memory; otherwise it copies first.
  let isMutable: Bool
  /// The image that owns the memory.
  let pixelBuffer: PixelBuffer?
  private let release: () -> Void

  /// Allocates zero-filled memory for `count` scalars.
  init(count: Int) {
    Self.checkScalar()
    guard let memory = ZeroedMemory.allocate(count * MemoryLayout<Scalar>.stride) else {
      preconditionFailure("there is no memory for \(count) scalars")
    }
    pointer = memory.pointer.bindMemory(to: Scalar.self, capacity: max(count, 1))
    isMutable = true
    pixelBuffer = nil
    release = memory.release
  }

  /// Uses the caller's memory, which is never written to.
  init(bytesNoCopy bytes: UnsafeRawPointer, count: Int, deallocator: Data.Deallocator) {
    Self.checkScalar()
    let memory = UnsafeMutableRawPointer(mutating: bytes)
    pointer = memory.assumingMemoryBound(to: Scalar.self)
    isMutable = false
    pixelBuffer = nil
    let byteCount = count * MemoryLayout<Scalar>.stride
    switch deallocator {
    case .none: release = {}
    case .free: release = { free(memory) }
    case .custom(let body): release = { body(memory, byteCount) }
    default: release = { munmap(memory, byteCount) }
    }
  }

  /// Uses the pixels of an image, which are writable.
  init(mutating image: PixelBuffer, base: UnsafeMutableRawPointer) {
    Self.checkScalar()
    pointer = base.assumingMemoryBound(to: Scalar.self)
    isMutable = true
    pixelBuffer = image
    release = {}
  }

  deinit { release() }

  private static func checkScalar() {
    precondition(
      MemoryLayout<Scalar>.stride == Scalar.multiArrayDataType.size,
      "\(Scalar.self) is not as wide as the multi-array type that it stands for")
  }
}
