/// The image type of this library under the name that Apple's frameworks have for images in memory that models take and give.
public typealias CVPixelBuffer = PixelBuffer

/// How a picture's rows and columns lie to what is seen, under the name that Apple's frameworks have for it.
public typealias CGImagePropertyOrientation = ImageOrientation
