/// The image type of models' inputs and outputs, with the name of Apple's frameworks.
public typealias CVPixelBuffer = PixelBuffer

/// The orientation of an image, with the name of Apple's frameworks.
public typealias CGImagePropertyOrientation = ImageOrientation
