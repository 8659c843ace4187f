import CoreML

func middle(of picture: URL, for constraint: MLImageConstraint) throws -> MLFeatureValue {
  try MLFeatureValue(
    imageAt: picture, constraint: constraint,
    options: [.cropAndScale: ImageCropAndScale.centerCrop])
}

func leftHalf(of picture: URL, for constraint: MLImageConstraint) throws -> MLFeatureValue {
  try MLFeatureValue(
    imageAt: picture, constraint: constraint,
    options: [.cropRect: CGRect(x: 0, y: 0, width: 0.5, height: 1)])
}

func chequered(width: Int, height: Int) throws -> CVPixelBuffer {
  let picture = try CVPixelBuffer(width: width, height: height, pixelFormatType: kCVPixelFormatType_32BGRA)
  picture.withUnsafeMutableBytes { bytes in
    for y in 0..<height {
      for x in 0..<width {
        let light: UInt8 = (x / 8 + y / 8).isMultiple(of: 2) ? 255 : 0
        let pixel = y * picture.bytesPerRow + x * 4
        for channel in 0..<3 { bytes[pixel + channel] = light }
        bytes[pixel + 3] = 255
      }
    }
  }
  return picture
}

func label(of picture: CVPixelBuffer, by model: MLModel) throws -> String {
  guard let constraint = model.modelDescription.inputDescriptionsByName["image"]?.imageConstraint else {
    throw CocoaError(.coderValueNotFound)
  }
  let image = try MLFeatureValue(cgImage: CGImage(picture), constraint: constraint)
  let output = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["image": image]))
  return output.featureValue(for: "classLabel")?.stringValue ?? ""
}
