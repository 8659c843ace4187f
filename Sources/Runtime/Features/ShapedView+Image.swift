import CoreMLImages

extension ShapedView {
  /// Creates a view of the pixels of an image.
  ///
  /// - Precondition: the pixel format is one-component fp16 for `Float16`, one-component 8-bit for `Int8`. The width is
  ///   the last size of the shape; the height is the product of the others. The row stride is a multiple of the
  ///   scalar's size.
  init(mutating image: PixelBuffer, _ shape: [Int]) {
    let format: UInt32?
    switch Scalar.multiArrayDataType {
    case .float16: format = kCVPixelFormatType_OneComponent16Half
    case .int8: format = kCVPixelFormatType_OneComponent8
    default: format = nil
    }
    precondition(image.pixelFormatType == format, "the pixels of the image are no \(Scalar.self)")
    precondition(
      shape.last == image.width && ShapedLayout.count(shape.dropLast()) == image.height,
      "an image of \(image.width) x \(image.height) pixels does not have the shape \(shape)")
    precondition(
      image.bytesPerRow % MemoryLayout<Scalar>.stride == 0, "rows of the image do not begin at whole scalars")
    var layout = ShapedLayout(firstMajor: shape)
    let row = image.bytesPerRow / MemoryLayout<Scalar>.stride
    for axis in layout.strides.indices.dropLast() { layout.strides[axis] = layout.strides[axis] / image.width * row }
    let base = image.withUnsafeMutableBytes(\.baseAddress)
    guard let base else { preconditionFailure("the image has no pixels") }
    precondition(
      UInt(bitPattern: base) % UInt(MemoryLayout<Scalar>.alignment) == 0,
      "the image's memory does not begin where a \(Scalar.self) may")
    self.init(ShapedStorage(mutating: image, base: base), layout)
  }
}
