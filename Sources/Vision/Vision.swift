// Other modules for programs with `import Vision`: models, pixel buffers, images and their orientation, rectangles.
@_exported import CoreGraphics
@_exported import CoreML
@_exported import CoreVideo
@_exported import ImageIO
