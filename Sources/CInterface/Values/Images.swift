// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CCoreMLRuntime
import CoreMLImages
import CoreMLRuntime

@c @implementation
public func coreml_value_image(
  _ pixels: coreml_pixels, _ width: Int, _ height: Int, _ row_bytes: Int, _ data: UnsafeRawPointer?, _ size: Int,
  _ value: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_value_image", error).make(value, "value") { call in
    let data = try call.present(data, "data")
    let rows = try PixelRows(pixels, width, height, rowBytes: row_bytes, size: size, call)
    // Formats that models do not use are converted to BGRA.
    let taken = [
      kCVPixelFormatType_32BGRA, kCVPixelFormatType_32ARGB, kCVPixelFormatType_OneComponent8,
      kCVPixelFormatType_OneComponent16Half,
    ]
    let own = taken.contains(pixels) ? pixels : kCVPixelFormatType_32BGRA
    let buffer = try PixelBuffer(width: width, height: height, pixelFormatType: own)
    let order = try call.present(PixelOrder(own), "pixels")
    buffer.withUnsafeMutableBytes { bytes in
      guard let target = bytes.baseAddress else { return }
      PixelOrder.copy(
        data, rows.order, rowBytes: rows.rowBytes, to: target, order, rowBytes: buffer.bytesPerRow, width: width,
        height: height)
    }
    return ValueHandle(MLFeatureValue(pixelBuffer: buffer))
  }
}

@c @implementation
public func coreml_value_picture(
  _ data: UnsafeRawPointer?, _ size: Int, _ value: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_value_picture", error).make(value, "value") { call in
    let bytes = try call.elements(data?.assumingMemoryBound(to: UInt8.self), size, "data")
    return ValueHandle(MLFeatureValue(pixelBuffer: try ImageDecoder.decode(UnsafeRawBufferPointer(bytes))))
  }
}

@c @implementation
public func coreml_value_fit_image(
  _ image: OpaquePointer?, _ model: OpaquePointer?, _ input: UnsafePointer<CChar>?, _ fit: coreml_fit,
  _ value: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_value_fit_image", error).make(value, "value") { call in
    let handle = try call.value(image, .image)
    let model: ModelHandle = try call.handle(model, "model")
    let name = try call.text(input, "input")
    let description = model.model.modelDescription
    guard let feature = description.inputDescriptionsByName[name] ?? description.trainingInputDescriptionsByName[name]
    else { throw call.failure(.missing, "the model has no input '\(name)'") }
    guard let constraint = feature.imageConstraint else {
      throw call.failure(.kind, "the input '\(name)' is of kind \(feature.type.word), expected image")
    }
    guard let option = UInt(exactly: fit).flatMap(ImageCropAndScale.init(rawValue:)),
      [.centerCrop, .scaleFit, .scaleFill].contains(option)
    else {
      throw call.failure(
        .value, "there is no fit \(fit); there are COREML_CENTER_CROP, COREML_SCALE_FIT and COREML_SCALE_FILL")
    }
    let picture = try call.present(handle.value.imageBufferValue, "image")
    return ValueHandle(
      try MLFeatureValue(cgImage: CGImage(picture), constraint: constraint, options: [.cropAndScale: option]))
  }
}

@c @implementation
public func coreml_value_get_image(
  _ value: OpaquePointer?, _ image: UnsafeMutablePointer<coreml_image>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  image?.pointee = coreml_image()
  return Call("coreml_value_get_image", error).run { call in
    let image = try call.present(image, "image")
    let buffer = try call.present(try call.value(value, .image).value.imageBufferValue, "value")
    // The pointer stays valid: the image owns the memory, and the value keeps the image.
    let bytes = buffer.withUnsafeBytes { $0 }
    image.pointee = coreml_image(
      pixels: buffer.pixelFormatType, width: buffer.width, height: buffer.height, row_bytes: buffer.bytesPerRow,
      data: bytes.baseAddress, size: bytes.count)
  }
}

@c @implementation
public func coreml_value_copy_image(
  _ value: OpaquePointer?, _ pixels: coreml_pixels, _ row_bytes: Int, _ data: UnsafeMutableRawPointer?, _ size: Int,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_value_copy_image", error).run { call in
    let buffer = try call.present(try call.value(value, .image).value.imageBufferValue, "value")
    let data = try call.present(data, "data")
    let rows = try PixelRows(pixels, buffer.width, buffer.height, rowBytes: row_bytes, size: size, call)
    let own = try call.present(PixelOrder(buffer.pixelFormatType), "value")
    guard own.places.isEmpty == rows.order.places.isEmpty, !own.places.isEmpty || own.size == rows.order.size else {
      throw call.failure(
        .kind, "pixels of format \(buffer.pixelFormatType) are not made into pixels of format \(pixels)")
    }
    buffer.withUnsafeBytes { bytes in
      guard let source = bytes.baseAddress else { return }
      PixelOrder.copy(
        source, own, rowBytes: buffer.bytesPerRow, to: data, rows.order, rowBytes: rows.rowBytes, width: buffer.width,
        height: buffer.height)
    }
  }
}
