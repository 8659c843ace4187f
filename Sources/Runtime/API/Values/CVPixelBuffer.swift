import CoreMLImages

/// The image type of this library under the name that Apple's frameworks have for theirs.
public typealias CVPixelBuffer = PixelBuffer
