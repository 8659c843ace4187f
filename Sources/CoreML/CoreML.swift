// What Core ML's own functions speak of, as it comes with the module on Apple's systems: pictures and Core Foundation's names, pixel buffers.
@_exported import CoreMLGraphics
@_exported import CoreMLImages
@_exported import CoreMLPixelBuffers
@_exported import CoreMLRuntime
// Sources for Apple's framework say `import CoreML` and use Foundation.
@_exported import Foundation
