import Foundation
import Synchronization

/// An image in memory: rows of pixels, in one plane or in several. Passed by reference.
public final class PixelBuffer: _CFObject, @unchecked Sendable {  // a writer excludes readers
  /// Where one plane of an image lies in its memory.
  public struct Plane: Sendable, Equatable {
    /// Bytes from the beginning of the image's memory to the first sample.
    public let offset: Int
    /// Samples in a row.
    public let width: Int
    /// Rows of samples.
    public let height: Int
    /// Bytes from one row to the next.
    public let bytesPerRow: Int

    /// A plane that begins `offset` bytes after the image's memory.
    public init(offset: Int = 0, width: Int, height: Int, bytesPerRow: Int) {
      (self.offset, self.width, self.height, self.bytesPerRow) = (offset, width, height, bytesPerRow)
    }
  }

  /// Pixels in a row.
  public let width: Int
  /// Rows of pixels.
  public let height: Int
  /// The form of the pixels, as a code of four characters such as `kCVPixelFormatType_32BGRA`.
  public let pixelFormatType: UInt32
  /// Bytes from one row to the next; of an image in planes, those of its first plane.
  public let bytesPerRow: Int
  /// The planes of an image whose format has several; empty for others.
  public let planes: [Plane]
  /// How often the image is locked (`CVPixelBufferLockBaseAddress`). Memory stays where it is, locked or not.
  package let locks = Atomic<Int>(0)
  /// What hangs on it (`CVBufferSetAttachment`), by key.
  package let attachments = Mutex<[String: PixelBufferAttachment]>([:])
  private let memory: UnsafeMutableRawBufferPointer
  private let release: (UnsafeMutableRawPointer) -> Void

  /// More pixels than this in one image are refused.
  public static let maximumPixels = 1 << 28

  /// An image of zeros. Rows begin at multiples of `rowAlignment` bytes.
  public convenience init(
    width: Int, height: Int, pixelFormatType: UInt32, rowAlignment: Int = 1
  ) throws(ImageError) {
    // Zeros of the system: of an image that a damaged file merely claims, no page is touched.
    try self.init(width, height, pixelFormatType, rowAlignment) { calloc($0, 1) }
  }

  /// An image for a caller that writes every pixel before anyone reads one: its memory may hold data of earlier images. Rows lie one after the
  /// other without gaps.
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

  /// An image over memory that the caller keeps until `release` is called, which happens once unless this throws.
  ///
  /// - Throws: `ImageError`, `unsupported` for a format in planes, `invalid` where a row is longer than `bytesPerRow`.
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
    // Nothing is said of what follows the last pixel.
    memory = UnsafeMutableRawBufferPointer(start: bytes, count: before + layout.bytesPerRow)
    self.release = release
  }

  /// An image over planes that the caller keeps until `release` is called, which happens once unless this throws. What lies between the planes is
  /// never looked at.
  ///
  /// - Throws: `ImageError`, `unsupported` for a format without planes, `invalid` where planes or their sizes are not those of the format, or a
  ///   row is longer than `bytesPerRow`.
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
      // Nothing is said of what follows the last sample.
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

  /// Bytes from the first pixel to the last, all planes together, without what lies between them.
  public var byteCount: Int { planes.isEmpty ? memory.count : planes.reduce(0) { $0 + $1.bytesPerRow * $1.height } }

  deinit {
    if let base = memory.baseAddress { release(base) }
  }

  /// Bytes of one pixel; nil for formats in planes and for formats that are not known here.
  public static func bytesPerPixel(_ format: UInt32) -> Int? { PixelFormat(format)?.bytesPerPixel }

  /// Hands out the memory to read from, all planes and what lies between them; the pointer ends with the call. Throws what `body` throws.
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(memory))
  }

  /// Hands out the memory to write to, all planes and what lies between them; the pointer ends with the call. Throws what `body` throws.
  public func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableRawBufferPointer) throws -> R) rethrows -> R {
    try body(memory)
  }

  /// The planes one after the other, their rows as far apart as they are. Between planes that are somebody else's, and behind the last sample of
  /// one, lies what nobody may read: zeros stand for it.
  package var planeBytes: [UInt8] {
    var packed: [UInt8] = []
    packed.reserveCapacity(byteCount)
    withUnsafeBytes { bytes in
      for (plane, number) in zip(planes, 1...) {
        // Of the video formats, which are all that have planes, the second one has two differences a sample.
        let last = (plane.height - 1) * plane.bytesPerRow + plane.width * min(number, 2)
        packed += bytes[plane.offset..<plane.offset + last]
        packed += repeatElement(0, count: plane.height * plane.bytesPerRow - last)
      }
    }
    return packed
  }

  /// The rows, plane by plane, without anything between them.
  package var packedBytes: [UInt8] {
    let size = Self.bytesPerPixel(pixelFormatType) ?? 1
    let parts = planes.isEmpty ? [Plane(offset: 0, width: width, height: height, bytesPerRow: bytesPerRow)] : planes
    var packed: [UInt8] = []
    withUnsafeBytes { bytes in
      for (index, part) in parts.enumerated() {
        // The second plane has two differences a sample.
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

/// Where the bytes of an image go.
struct PixelLayout {
  let bytesPerRow: Int
  let planes: [PixelBuffer.Plane]
  let count: Int

  /// - Throws: `ImageError` before memory is asked for: `unsupported` for a format that is not known, `invalid` for a size that no image has.
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
      // A pair of differences for each two by two pixels, those at an odd edge too.
      bytesPerRow = aligned(width)
      let half = (wide: (width + 1) / 2, high: (height + 1) / 2)
      let luma = PixelBuffer.Plane(offset: 0, width: width, height: height, bytesPerRow: bytesPerRow)
      let differences = PixelBuffer.Plane(
        offset: aligned(bytesPerRow * height), width: half.wide, height: half.high, bytesPerRow: aligned(half.wide * 2))
      planes = [luma, differences]
      count = differences.offset + differences.bytesPerRow * differences.height
    }
    // Only rows that are aligned far beyond their length take more than this.
    guard count <= PixelBuffer.maximumPixels * 4 else {
      throw ImageError(.invalid, "an image of \(width) x \(height) pixels cannot have rows of \(bytesPerRow) bytes")
    }
  }
}
