// swift-format-ignore-file
import CoreML
import CoreVideo
import ImageIO
import Vision

// Drawing images into pixel buffers, and operations on boxes and buffers around requests.

extension CGImage {
    func pixelBuffer(width: Int, height: Int, pixelFormatType: OSType, colorSpace: CGColorSpace, alphaInfo: CGImageAlphaInfo) -> CVPixelBuffer? {
        var maybePixelBuffer: CVPixelBuffer?
        let attrs = [kCVPixelBufferCGImageCompatibilityKey: kCFBooleanTrue, kCVPixelBufferCGBitmapContextCompatibilityKey: kCFBooleanTrue]
        let status = CVPixelBufferCreate(kCFAllocatorDefault, width, height, pixelFormatType, attrs as CFDictionary, &maybePixelBuffer)
        guard status == kCVReturnSuccess, let pixelBuffer = maybePixelBuffer else { return nil }
        let flags = CVPixelBufferLockFlags(rawValue: 0)
        guard kCVReturnSuccess == CVPixelBufferLockBaseAddress(pixelBuffer, flags) else { return nil }
        defer { CVPixelBufferUnlockBaseAddress(pixelBuffer, flags) }
        guard let context = CGContext(data: CVPixelBufferGetBaseAddress(pixelBuffer), width: width, height: height, bitsPerComponent: 8, bytesPerRow: CVPixelBufferGetBytesPerRow(pixelBuffer), space: colorSpace, bitmapInfo: alphaInfo.rawValue) else {
            return nil
        }
        context.interpolationQuality = .high
        context.draw(self, in: CGRect(x: 0, y: 0, width: width, height: height))
        return pixelBuffer
    }

    func resized(to size: CGSize) -> CGImage? {
        let context = CGContext(data: nil, width: Int(size.width), height: Int(size.height), bitsPerComponent: bitsPerComponent, bytesPerRow: 0, space: colorSpace ?? CGColorSpace(name: CGColorSpace.sRGB)!, bitmapInfo: bitmapInfo.rawValue)
        context?.draw(self, in: CGRect(origin: .zero, size: size))
        return context?.makeImage()
    }

    func flipped() -> CGImage? {
        guard let context = CGContext(data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0, space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGBitmapInfo.byteOrder32Little.rawValue | CGImageAlphaInfo.premultipliedFirst.rawValue) else { return nil }
        context.translateBy(x: 0, y: CGFloat(height))
        context.scaleBy(x: 1, y: -1)
        context.draw(self, in: CGRect(x: 0, y: 0, width: width, height: height))
        return context.makeImage()
    }

    /// Red, green, blue and a zero for each pixel, starting at the top row.
    func rgba() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: width * height * 4)
        bytes.withUnsafeMutableBytes { pointer in
            let context = CGContext(data: pointer.baseAddress, width: width, height: height, bitsPerComponent: 8, bytesPerRow: width * 4, space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGBitmapInfo.byteOrder32Big.rawValue | CGImageAlphaInfo.noneSkipLast.rawValue)!
            context.setFillColor(.black)
            context.fill(CGRect(x: 0, y: 0, width: width, height: height))
            context.draw(self, in: CGRect(x: 0, y: 0, width: width, height: height))
        }
        return bytes
    }
}

/// Buffers of one format for a model's outputs.
func bufferPool(width: Int, height: Int) -> CVPixelBufferPool? {
    var pool: CVPixelBufferPool?
    let attributes: [String: Any] = [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA, kCVPixelBufferWidthKey as String: width, kCVPixelBufferHeightKey as String: height, kCVPixelBufferIOSurfacePropertiesKey as String: [String: Any]()]
    CVPixelBufferPoolCreate(kCFAllocatorDefault, [kCVPixelBufferPoolMinimumBufferCountKey as String: 3] as CFDictionary, attributes as CFDictionary, &pool)
    return pool
}

func copied(_ source: CVPixelBuffer, from pool: CVPixelBufferPool) -> CVPixelBuffer? {
    var made: CVPixelBuffer?
    CVPixelBufferPoolCreatePixelBuffer(nil, pool, &made)
    guard let target = made, CVPixelBufferGetDataSize(source) == CVPixelBufferGetDataSize(target) else { return nil }
    CVPixelBufferLockBaseAddress(source, .readOnly)
    CVPixelBufferLockBaseAddress(target, [])
    memset(CVPixelBufferGetBaseAddress(target), 0, CVPixelBufferGetDataSize(target))
    memcpy(CVPixelBufferGetBaseAddress(target), CVPixelBufferGetBaseAddress(source), CVPixelBufferGetDataSize(source))
    CVPixelBufferUnlockBaseAddress(target, [])
    CVPixelBufferUnlockBaseAddress(source, .readOnly)
    return target
}

/// The position of boxes on a screen whose origin is the upper left corner.
func onScreen(_ box: CGRect, size: CGSize) -> CGRect {
    let flip = CGAffineTransform(scaleX: 1, y: -1).translatedBy(x: 0, y: -1)
    return box.applying(flip).applying(CGAffineTransform.identity.scaledBy(x: size.width, y: size.height))
}

func sure(_ observations: [VNClassificationObservation]) -> [VNClassificationObservation] {
    observations.filter { $0.hasMinimumRecall(0.01, forPrecision: 0.9) || (!$0.hasPrecisionRecallCurve && $0.confidence > 0.5) }
}

func newestRevision(_ model: MLModel) throws -> VNCoreMLRequest {
    let request = VNCoreMLRequest(model: try VNCoreMLModel(for: model))
    if type(of: request).supportedRevisions.contains(VNCoreMLRequestRevision1) { request.revision = VNCoreMLRequestRevision1 }
    return request
}
