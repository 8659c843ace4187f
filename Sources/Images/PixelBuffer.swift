import Foundation
import Synchronization

/// An image in memory: rows of pixels, in one plane or in several. A reference type.
// More than 400 lines over its files: resizing, cropping, conversion and encoding are methods in files of their own.
public final class PixelBuffer: _CFObject, @unchecked Sendable {  // a writer excludes readers
  /// The position of one plane in the image's memory.
  public struct Plane: Sendable, Equatable {
    /// Bytes from the beginning of the image's memory to the first sample.
    public let offset: Int
    /// Samples per row.
    public let width: Int
    /// Number of rows.
    public let height: Int
    /// Bytes from one row to the next.
    public let bytesPerRow: Int

    /// Creates a plane `offset` bytes from the beginning of the image's memory.
    public init(offset: Int = 0, width: Int, height: Int, bytesPerRow: Int) {
      (self.offset, self.width, self.height, self.bytesPerRow) = (offset, width, height, bytesPerRow)
    }
  }

  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int
  /// The pixel format as a four-character code, such as `kCVPixelFormatType_32BGRA`.
  public let pixelFormatType: UInt32
  /// Bytes from one row to the next; for a planar image, of its first plane.
  public let bytesPerRow: Int
  /// The planes of a planar image; empty for other formats.
  public let planes: [Plane]
  /// The lock count (`CVPixelBufferLockBaseAddress`). The memory never moves, locked or not.
  package let locks = Atomic<Int>(0)
  /// Attachments (`CVBufferSetAttachment`) by key.
  package let attachments = Mutex<[String: PixelBufferAttachment]>([:])
  private let memory: UnsafeMutableRawBufferPointer
  private let release: (UnsafeMutableRawPointer) -> Void

  /// The maximum number of pixels of an image.
  public static let maximumPixels = 1 << 28

  /// Creates an image of zeros. Rows begin at multiples of `rowAlignment` bytes.
  public convenience init(
    width: Int, height: Int, pixelFormatType: UInt32, rowAlignment: Int = 1
  ) throws(ImageError) {
    // calloc gets zero pages from the system. A damaged file with a false large size touches no pages.
    try self.init(width, height, pixelFormatType, rowAlignment) { calloc($0, 1) }
  }

  /// Creates an image for a caller that writes every pixel before any is read: the memory may hold data of earlier
  /// images. Rows have no padding.
  convenience init(uninitializedWidth width: Int, height: Int, pixelFormatType: UInt32) throws(ImageError) {
    try self.init(width, height, pixelFormatType, 1) { malloc($0) }
  }

  private init(
    _ width: Int, _ height: Int, _ pixelFormatType: UInt32, _ rowAlignment: Int,
    _ allocate: (Int) -> UnsafeMutableRawPointer?
  ) throws(ImageError) {
    let layout = try PixelLayout(width, height, pixelFormatType, rowAlignment: rowAlignment)
    let alignment = max(rowAlignment, 64)
    guard let taken = allocate(layout.count + alignment) else {
      throw ImageError(.outOfMemory, "there is no memory for an image of \(width) x \(height) pixels")
    }
    let pixels = taken.alignedUp(toMultipleOf: alignment)
    self.width = width
    self.height = height
    self.pixelFormatType = pixelFormatType
    (bytesPerRow, planes) = (layout.bytesPerRow, layout.planes)
    memory = UnsafeMutableRawBufferPointer(start: pixels, count: layout.count)
    release = { _ in free(taken) }
  }

  /// Creates an image over memory that the caller keeps until `release` is called. `release` is called once, unless the
  /// initializer throws.
  ///
  /// - Throws: `ImageError`: `unsupported` for a planar format, `invalid` if a row is longer than `bytesPerRow`.
  public init(
    over bytes: UnsafeMutableRawPointer, width: Int, height: Int, pixelFormatType: UInt32, bytesPerRow: Int,
    release: @escaping (UnsafeMutableRawPointer) -> Void
  ) throws(ImageError) {
    let layout = try PixelLayout(width, height, pixelFormatType, rowAlignment: 1)
    guard layout.planes.isEmpty else {
      throw ImageError(.unsupported, "an image over the memory of somebody else cannot have planes")
    }
    let (before, overflows) = bytesPerRow.multipliedReportingOverflow(by: height - 1)
    guard bytesPerRow >= layout.bytesPerRow, !overflows, before <= Int.max - layout.bytesPerRow else {
      throw ImageError(.invalid, "rows of \(width) pixels cannot be \(bytesPerRow) bytes apart")
    }
    self.width = width
    self.height = height
    self.pixelFormatType = pixelFormatType
    self.bytesPerRow = bytesPerRow
    planes = []
    // Bytes after the last pixel may be inaccessible.
    memory = UnsafeMutableRawBufferPointer(start: bytes, count: before + layout.bytesPerRow)
    self.release = release
  }

  /// Creates an image over planes that the caller keeps until `release` is called. `release` is called once, unless the
  /// initializer throws. Memory between the planes is never accessed.
  ///
  /// - Throws: `ImageError`: `unsupported` for a format without planes; `invalid` if the planes or their sizes do not
  ///   match the format, or a row is longer than `bytesPerRow`.
  public init(
    over addresses: [UnsafeMutableRawPointer], planes given: [Plane], width: Int, height: Int, pixelFormatType: UInt32,
    release: @escaping (UnsafeMutableRawPointer) -> Void
  ) throws(ImageError) {
    let layout = try PixelLayout(width, height, pixelFormatType, rowAlignment: 1)
    guard !layout.planes.isEmpty else {
      throw ImageError(.unsupported, "the pixel format \(PixelFormat.name(pixelFormatType)) has no planes")
    }
    guard addresses.count == layout.planes.count, given.count == layout.planes.count, let base = addresses.min() else {
      throw ImageError(.invalid, "an image in \(layout.planes.count) planes cannot be made of \(given.count)")
    }
    var planes: [Plane] = []
    var end = 0
    for (address, (plane, least)) in zip(addresses, zip(given, layout.planes)) {
      let (count, overflows) = plane.bytesPerRow.multipliedReportingOverflow(by: least.height)
      guard (plane.width, plane.height) == (least.width, least.height), plane.bytesPerRow >= least.bytesPerRow,
        !overflows, count <= Self.maximumPixels * 4
      else {
        throw ImageError(
          .invalid, "a plane of an image of \(width) x \(height) pixels cannot be \(plane.width) x \(plane.height)")
      }
      let offset = address - base
      planes.append(Plane(offset: offset, width: plane.width, height: plane.height, bytesPerRow: plane.bytesPerRow))
      // Bytes after the last sample may be inaccessible.
      end = max(end, offset + count - plane.bytesPerRow + least.bytesPerRow)
    }
    self.width = width
    self.height = height
    self.pixelFormatType = pixelFormatType
    self.planes = planes
    bytesPerRow = planes[0].bytesPerRow
    memory = UnsafeMutableRawBufferPointer(start: base, count: end)
    self.release = release
  }

  /// Bytes from the first pixel to the last, over all planes, without gaps between planes.
  public var byteCount: Int { planes.isEmpty ? memory.count : planes.reduce(0) { $0 + $1.bytesPerRow * $1.height } }

  deinit {
    if let base = memory.baseAddress { release(base) }
  }

  /// Bytes per pixel; nil for planar and unknown formats.
  public static func bytesPerPixel(_ format: UInt32) -> Int? { PixelFormat(format)?.bytesPerPixel }

  /// Calls `body` with the memory for reading, including all planes and the gaps between them. The pointer is valid
  /// only during the call. Rethrows errors of `body`.
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(memory))
  }

  /// Calls `body` with the memory for writing, including all planes and the gaps between them. The pointer is valid
  /// only during the call. Rethrows errors of `body`.
  public func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableRawBufferPointer) throws -> R) rethrows -> R {
    try body(memory)
  }

  /// The planes concatenated, with their row strides. Gaps between borrowed planes, and bytes after a plane's last
  /// sample, may be inaccessible and are replaced by zeros.
  package var planeBytes: [UInt8] {
    var packed: [UInt8] = []
    packed.reserveCapacity(byteCount)
    withUnsafeBytes { bytes in
      for (plane, number) in zip(planes, 1...) {
        // Only video formats are planar. Their second plane has two chroma bytes per sample.
        let last = (plane.height - 1) * plane.bytesPerRow + plane.width * min(number, 2)
        packed += bytes[plane.offset..<plane.offset + last]
        packed += repeatElement(0, count: plane.height * plane.bytesPerRow - last)
      }
    }
    return packed
  }

  /// The rows, plane by plane, without padding.
  package var packedBytes: [UInt8] {
    let size = Self.bytesPerPixel(pixelFormatType) ?? 1
    let parts = planes.isEmpty ? [Plane(offset: 0, width: width, height: height, bytesPerRow: bytesPerRow)] : planes
    var packed: [UInt8] = []
    withUnsafeBytes { bytes in
      for (index, part) in parts.enumerated() {
        // The second plane has two chroma bytes per sample.
        let length = part.width * (index == 0 ? size : 2)
        for row in 0..<part.height {
          let start = part.offset + row * part.bytesPerRow
          packed += bytes[start..<(start + length)]
        }
      }
    }
    return packed
  }
}

/// The memory layout of an image.
struct PixelLayout {
  let bytesPerRow: Int
  let planes: [PixelBuffer.Plane]
  let count: Int

  /// - Throws: `ImageError`, before any allocation: `unsupported` for an unknown format, `invalid` for an invalid size.
  init(_ width: Int, _ height: Int, _ code: UInt32, rowAlignment: Int) throws(ImageError) {
    guard let format = PixelFormat(code) else {
      throw ImageError(.unsupported, "the pixel format \(PixelFormat.name(code)) is not supported")
    }
    guard width > 0, height > 0, width <= PixelBuffer.maximumPixels / height else {
      throw ImageError(.invalid, "an image cannot have \(width) x \(height) pixels")
    }
    guard rowAlignment > 0, rowAlignment <= 1 << 16, rowAlignment.nonzeroBitCount == 1 else {
      throw ImageError(.invalid, "rows cannot begin at multiples of \(rowAlignment) bytes")
    }
    func aligned(_ bytes: Int) -> Int { (bytes + rowAlignment - 1) & ~(rowAlignment - 1) }
    if let size = format.bytesPerPixel {
      bytesPerRow = aligned(width * size)
      planes = []
      count = bytesPerRow * height
    } else {
      // One pair of chroma bytes for each 2 x 2 pixels, including incomplete ones at an odd edge.
      bytesPerRow = aligned(width)
      let half = (wide: (width + 1) / 2, high: (height + 1) / 2)
      let luma = PixelBuffer.Plane(offset: 0, width: width, height: height, bytesPerRow: bytesPerRow)
      let differences = PixelBuffer.Plane(
        offset: aligned(bytesPerRow * height), width: half.wide, height: half.high, bytesPerRow: aligned(half.wide * 2))
      planes = [luma, differences]
      count = differences.offset + differences.bytesPerRow * differences.height
    }
    // Only rows with an alignment far beyond their length exceed this.
    guard count <= PixelBuffer.maximumPixels * 4 else {
      throw ImageError(.invalid, "an image of \(width) x \(height) pixels cannot have rows of \(bytesPerRow) bytes")
    }
  }
}
