// `CGImage`, and Core Foundation's names for what the functions take.
@_exported import CoreGraphics
// `CGImagePropertyOrientation`.
@_exported import CoreMLImages
