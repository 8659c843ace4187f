// Core Foundation's names for what the functions take.
@_exported import CoreMLGraphics
// `CVPixelBuffer` and the pixel formats.
@_exported import CoreMLImages
