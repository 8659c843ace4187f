// `CGSize`, and Core Foundation's names for arguments.
@_exported import CoreGraphics
// `CVPixelBuffer`, its functions and the pixel formats.
@_exported import CoreMLPixelBuffers
