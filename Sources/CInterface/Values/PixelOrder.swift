import CCoreMLRuntime
import CImages
import CoreMLImages

/// The byte offsets of a pixel's channels.
struct PixelOrder {
  let size: Int
  /// Byte offsets of red, green, blue and alpha; negative for a missing channel. Empty for gray.
  let places: [Int]

  /// Nil for a format that the interface does not have.
  init?(_ format: UInt32) {
    switch Int(format) {
    case COREML_BGRA: (size, places) = (4, [2, 1, 0, 3])
    case COREML_RGBA: (size, places) = (4, [0, 1, 2, 3])
    case COREML_ARGB: (size, places) = (4, [1, 2, 3, 0])
    case COREML_RGB: (size, places) = (3, [0, 1, 2, -1])
    case COREML_BGR: (size, places) = (3, [2, 1, 0, -1])
    case COREML_GRAY8: (size, places) = (1, [])
    case COREML_GRAY16F: (size, places) = (2, [])
    default: return nil
    }
  }

  private var order: CImagesOrder {
    let bytes = places.map { UInt8(exactly: $0) ?? UInt8(CIMAGES_NO_ALPHA) }
    return CImagesOrder(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes[3])
  }

  /// Copies rows of pixels and reorders their channels. Formats without channels are copied unchanged.
  static func copy(
    _ source: UnsafeRawPointer, _ from: PixelOrder, rowBytes: Int, to target: UnsafeMutableRawPointer,
    _ order: PixelOrder, rowBytes targetRowBytes: Int, width: Int, height: Int
  ) {
    for y in 0..<height {
      let (row, targetRow) = (source + y * rowBytes, target + y * targetRowBytes)
      if from.places == order.places {
        targetRow.copyMemory(from: row, byteCount: width * from.size)
        continue
      }
      switch (from.size, order.size) {
      case (3, 4): cimages_expand(row, from.order, targetRow, order.order, width)
      case (4, 3): cimages_pack(row, from.order, targetRow, order.order, width)
      case (4, 4): cimages_reorder(row, from.order, targetRow, order.order, width)
      default:
        // RGB to BGR and back.
        for x in 0..<width {
          for channel in 0..<3 {
            let byte = (row + x * 3).load(fromByteOffset: from.places[channel], as: UInt8.self)
            (targetRow + x * 3).storeBytes(of: byte, toByteOffset: order.places[channel], as: UInt8.self)
          }
        }
      }
    }
  }
}

/// The rows of an image in the caller's memory. Sizes are checked before the memory is accessed.
struct PixelRows {
  let order: PixelOrder
  let rowBytes: Int

  init(_ format: UInt32, _ width: Int, _ height: Int, rowBytes: Int, size: Int, _ call: Call) throws {
    guard let order = PixelOrder(format) else {
      throw call.failure(
        .value,
        "there is no pixel format \(format); there are COREML_BGRA, ARGB, RGBA, RGB, BGR, GRAY8 and GRAY16F")
    }
    guard width > 0, height > 0, width <= PixelBuffer.maximumPixels / height else {
      throw call.failure(
        .value, "an image cannot have \(UInt(bitPattern: width)) x \(UInt(bitPattern: height)) pixels")
    }
    let dense = width * order.size
    guard rowBytes == 0 || rowBytes >= dense else {
      throw call.failure(.size, "rows are \(UInt(bitPattern: rowBytes)) bytes apart, and one takes \(dense)")
    }
    self.order = order
    self.rowBytes = rowBytes == 0 ? dense : rowBytes
    let (before, overflow) = self.rowBytes.multipliedReportingOverflow(by: height - 1)
    let (needed, over) = before.addingReportingOverflow(dense)
    guard !overflow, !over, size >= needed else {
      throw call.failure(
        .size,
        "\(UInt(bitPattern: size)) bytes are given, and \(width) x \(height) pixels in rows that are "
          + "\(self.rowBytes) bytes apart take \(overflow || over ? "more than there are" : "\(needed)")")
    }
  }
}
