// `CGImage`, and Core Foundation's names for arguments.
@_exported import CoreGraphics
// `CGImagePropertyOrientation`.
@_exported import CoreMLImages
