// Images in memory, their pixel formats and orientations: `CVPixelBuffer` and its kin.
@_exported import CoreMLImages
@_exported import CoreMLRuntime
// Sources for Apple's framework say `import CoreML` and use Foundation.
@_exported import Foundation
