import CoreMLImages
import Foundation

/// The memory of shaped arrays: its own, or somebody else's that is given back when the last array is gone.
// Sendable: an array writes only where it is the one owner
final class ShapedStorage<Scalar: MLShapedArrayScalar>: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<Scalar>
  /// Whether the one owner may write to it; else it copies first.
  let isMutable: Bool
  /// The image that the memory belongs to.
  let pixelBuffer: PixelBuffer?
  private let release: () -> Void

  /// Fresh memory, zeroed, for `count` scalars.
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

  /// Memory of somebody else, which is never written to.
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

  /// The pixels of an image, which is written to.
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
