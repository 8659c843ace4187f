// Core Foundation's names for arguments.
@_exported import CoreMLGraphics
// `CVPixelBuffer` and the pixel formats.
@_exported import CoreMLImages
