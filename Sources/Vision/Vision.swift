// What programs that say `import Vision` use besides: models, pixel buffers, pictures and their orientation, rectangles.
@_exported import CoreGraphics
@_exported import CoreML
@_exported import CoreVideo
@_exported import ImageIO
