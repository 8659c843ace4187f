// Types in the API of Core ML, which come with the module on Apple's systems: images, Core Foundation's names, pixel
// buffers.
@_exported import CoreMLGraphics
@_exported import CoreMLImages
@_exported import CoreMLPixelBuffers
@_exported import CoreMLRuntime
// Sources for Apple's framework use Foundation with only `import CoreML`.
@_exported import Foundation
