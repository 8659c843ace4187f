// swift-format-ignore-file
import CoreML



public protocol MultiArrayType: Comparable {
    static var multiArrayDataType: MLMultiArrayDataType { get }
    static func + (lhs: Self, rhs: Self) -> Self
    static func - (lhs: Self, rhs: Self) -> Self
    static func * (lhs: Self, rhs: Self) -> Self
    static func / (lhs: Self, rhs: Self) -> Self
    init(_: Int)
    var toUInt8: UInt8 { get }
}
extension Double: MultiArrayType { public var toUInt8: UInt8 { UInt8(self) } }
extension Float: MultiArrayType { public var toUInt8: UInt8 { UInt8(self) } }
extension Int32: MultiArrayType { public var toUInt8: UInt8 { UInt8(self) } }

extension MLMultiArray {
    /** All values are stored in the last dimensions of the MLMultiArray. */
    @nonobjc public convenience init(array: [Double]) throws {
        try self.init(shape: [NSNumber(value: array.count)], dataType: .double)
        let ptr = UnsafeMutablePointer<Double>(OpaquePointer(dataPointer))
        array.enumerated().forEach { ptr[$0] = $1 }
    }
    @nonobjc public func reshaped(to dimensions: [Int]) throws -> MLMultiArray {
        let newCount = dimensions.reduce(1, *)
        precondition(newCount == count, "Cannot reshape \(shape) to \(dimensions)")
        var newStrides = [Int](repeating: 0, count: dimensions.count)
        newStrides[dimensions.count - 1] = 1
        for i in stride(from: dimensions.count - 1, to: 0, by: -1) { newStrides[i - 1] = newStrides[i] * dimensions[i] }
        let newShape_ = dimensions.map { NSNumber(value: $0) }
        let newStrides_ = newStrides.map { NSNumber(value: $0) }
        return try MLMultiArray(dataPointer: self.dataPointer, shape: newShape_, dataType: self.dataType, strides: newStrides_)
    }
    @nonobjc public func transposed(to order: [Int]) throws -> MLMultiArray {
        let newShape = order.map { shape[$0] }
        let newArray = try MLMultiArray(shape: newShape, dataType: dataType)
        let dst = UnsafeMutablePointer<Double>(OpaquePointer(newArray.dataPointer)), src = UnsafeMutablePointer<Double>(OpaquePointer(dataPointer))
        var index = [Int](repeating: 0, count: order.count)
        for _ in 0..<count {
            var o = 0, i = 0
            for (place, axis) in order.enumerated() { o += index[place] * newArray.strides[place].intValue; i += index[place] * strides[axis].intValue }
            dst[o] = src[i]
            for place in stride(from: order.count - 1, through: 0, by: -1) { index[place] += 1; if index[place] < newShape[place].intValue { break }; index[place] = 0 }
        }
        return newArray
    }
    public func cgImage<T: MultiArrayType>(min: T, max: T, axes: (Int, Int, Int)? = nil) -> CGImage? {
        let (height, width) = (shape[shape.count - 2].intValue, shape[shape.count - 1].intValue)
        var pixels = [UInt8](repeating: 255, count: width * height)
        let ptr = UnsafeMutablePointer<T>(OpaquePointer(dataPointer)).advanced(by: 0)
        for i in 0..<width * height {
            let scaled = (ptr[i] - min) * T(255) / (max - min)
            pixels[i] = clamp(scaled, min: T(0), max: T(255)).toUInt8
        }
        return CGImage.fromByteArrayGray(&pixels, width: width, height: height)
    }
}
public func clamp<T: Comparable>(_ x: T, min: T, max: T) -> T { if x < min { return min }; if x > max { return max }; return x }

extension CGImage {
    public func toByteArrayRGBA() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: width * height * 4)
        bytes.withUnsafeMutableBytes { ptr in
            if let colorSpace = colorSpace, let context = CGContext(data: ptr.baseAddress, width: width, height: height, bitsPerComponent: bitsPerComponent, bytesPerRow: 4 * width,
                    space: colorSpace.numberOfComponents == 3 ? colorSpace : CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue) {
                let rect = CGRect(x: 0, y: 0, width: width, height: height)
                context.draw(self, in: rect)
            }
        }
        return bytes
    }
    public class func fromByteArrayRGBA(_ bytes: [UInt8], width: Int, height: Int) -> CGImage? {
        return fromByteArray(bytes, width: width, height: height, bytesPerRow: width * 4, colorSpace: CGColorSpaceCreateDeviceRGB(), alphaInfo: .premultipliedLast)
    }
    public class func fromByteArrayGray(_ bytes: UnsafePointer<UInt8>, width: Int, height: Int) -> CGImage? {
        return fromByteArray(Array(UnsafeBufferPointer(start: bytes, count: width * height)), width: width, height: height, bytesPerRow: width, colorSpace: CGColorSpaceCreateDeviceGray(), alphaInfo: .none)
    }
    class func fromByteArray(_ bytes: [UInt8], width: Int, height: Int, bytesPerRow: Int, colorSpace: CGColorSpace, alphaInfo: CGImageAlphaInfo) -> CGImage? {
        return bytes.withUnsafeBytes { ptr in
            let context = CGContext(data: UnsafeMutableRawPointer(mutating: ptr.baseAddress!), width: width, height: height, bitsPerComponent: 8, bytesPerRow: bytesPerRow, space: colorSpace, bitmapInfo: alphaInfo.rawValue)
            return context?.makeImage()
        }
    }
    public func pixelBuffer(width: Int, height: Int, pixelFormatType: OSType, colorSpace: CGColorSpace, alphaInfo: CGImageAlphaInfo, orientation: CGImagePropertyOrientation) -> CVPixelBuffer? {
        assert(orientation == .up)
        var maybePixelBuffer: CVPixelBuffer?
        let attrs = [kCVPixelBufferCGImageCompatibilityKey: kCFBooleanTrue, kCVPixelBufferCGBitmapContextCompatibilityKey: kCFBooleanTrue]
        let status = CVPixelBufferCreate(kCFAllocatorDefault, width, height, pixelFormatType, attrs as CFDictionary, &maybePixelBuffer)
        guard status == kCVReturnSuccess, let pixelBuffer = maybePixelBuffer else { return nil }
        let flags = CVPixelBufferLockFlags(rawValue: 0)
        guard kCVReturnSuccess == CVPixelBufferLockBaseAddress(pixelBuffer, flags) else { return nil }
        defer { CVPixelBufferUnlockBaseAddress(pixelBuffer, flags) }
        guard let context = CGContext(data: CVPixelBufferGetBaseAddress(pixelBuffer), width: width, height: height, bitsPerComponent: 8, bytesPerRow: CVPixelBufferGetBytesPerRow(pixelBuffer), space: colorSpace, bitmapInfo: alphaInfo.rawValue) else { return nil }
        context.draw(self, in: CGRect(x: 0, y: 0, width: width, height: height))
        return pixelBuffer
    }
}

public func nonMaxSuppression(boundingBoxes: [(rect: CGRect, score: Float)], iouThreshold: Float, maxBoxes: Int) -> [Int] {
    let sortedIndices = boundingBoxes.indices.sorted { boundingBoxes[$0].score > boundingBoxes[$1].score }
    var selected: [Int] = []
    for i in sortedIndices {
        if selected.count >= maxBoxes { break }
        if selected.allSatisfy({ IOU(boundingBoxes[$0].rect, boundingBoxes[i].rect) <= iouThreshold }) { selected.append(i) }
    }
    return selected
}
public func IOU(_ a: CGRect, _ b: CGRect) -> Float {
    let areaA = a.width * a.height, areaB = b.width * b.height
    if areaA <= 0 || areaB <= 0 { return 0 }
    let i = a.intersection(b)
    if i.isNull { return 0 }
    let intersectionArea = max(i.maxY - i.minY, 0) * max(i.maxX - i.minX, 0)
    return Float(intersectionArea / (areaA + areaB - intersectionArea))
}

/// A deep copy, with planes as the camera gives them.
public extension CVPixelBuffer {
    func deepCopy(withAttributes attributes: [String: Any] = [:]) -> CVPixelBuffer? {
        let srcPixelBuffer = self
        let srcFlags: CVPixelBufferLockFlags = .readOnly
        guard kCVReturnSuccess == CVPixelBufferLockBaseAddress(srcPixelBuffer, srcFlags) else { return nil }
        defer { CVPixelBufferUnlockBaseAddress(srcPixelBuffer, srcFlags) }
        var combinedAttributes: [String: Any] = [:]
        if let attachments = CVBufferCopyAttachments(srcPixelBuffer, .shouldPropagate) as? [String: Any] { for (key, value) in attachments { combinedAttributes[key] = value } }
        combinedAttributes = combinedAttributes.merging(attributes) { $1 }
        var maybePixelBuffer: CVPixelBuffer?
        let status = CVPixelBufferCreate(kCFAllocatorDefault, CVPixelBufferGetWidth(srcPixelBuffer), CVPixelBufferGetHeight(srcPixelBuffer), CVPixelBufferGetPixelFormatType(srcPixelBuffer), combinedAttributes as CFDictionary, &maybePixelBuffer)
        guard status == kCVReturnSuccess, let dst = maybePixelBuffer else { return nil }
        let dstFlags = CVPixelBufferLockFlags(rawValue: 0)
        guard kCVReturnSuccess == CVPixelBufferLockBaseAddress(dst, dstFlags) else { return nil }
        defer { CVPixelBufferUnlockBaseAddress(dst, dstFlags) }
        for plane in 0...max(0, CVPixelBufferGetPlaneCount(srcPixelBuffer) - 1) {
            if let srcAddr = CVPixelBufferGetBaseAddressOfPlane(srcPixelBuffer, plane), let dstAddr = CVPixelBufferGetBaseAddressOfPlane(dst, plane) {
                let (srcBytesPerRow, dstBytesPerRow) = (CVPixelBufferGetBytesPerRowOfPlane(srcPixelBuffer, plane), CVPixelBufferGetBytesPerRowOfPlane(dst, plane))
                for h in 0..<CVPixelBufferGetHeightOfPlane(srcPixelBuffer, plane) {
                    memcpy(dstAddr.advanced(by: h * dstBytesPerRow), srcAddr.advanced(by: h * srcBytesPerRow), min(srcBytesPerRow, dstBytesPerRow))
                }
            }
        }
        return dst
    }
}

enum HelperLibrary {
    static func run() async throws -> [String] {
        var wrong: [String] = []
        func check(_ b: Bool, _ s: String) { if !b { wrong.append(s) } }
        let a = try MLMultiArray(array: [0, 1, 2, 3, 4, 5])
        let r = try a.reshaped(to: [2, 3])
        check(r[[1, 0]] == 3, "reshaped")
        let t = try r.transposed(to: [1, 0])
        check((0..<6).map { t[$0].intValue } == [0, 3, 1, 4, 2, 5], "transposed")
        guard let image = r.cgImage(min: 0.0, max: 5.0) else { return wrong + ["no image"] }
        check(image.width == 3 && image.height == 2 && image.toByteArrayRGBA()[4] == 51, "\(image.toByteArrayRGBA())")
        let rgba = CGImage.fromByteArrayRGBA([255, 0, 0, 255, 0, 255, 0, 255], width: 2, height: 1)
        check(rgba?.toByteArrayRGBA() == [255, 0, 0, 255, 0, 255, 0, 255], "rgba")
        let buffer = rgba?.pixelBuffer(width: 4, height: 2, pixelFormatType: kCVPixelFormatType_32ARGB, colorSpace: CGColorSpaceCreateDeviceRGB(), alphaInfo: .noneSkipFirst, orientation: .up)
        check(buffer.map(CVPixelBufferGetWidth) == 4, "buffer")
        check(nonMaxSuppression(boundingBoxes: [(CGRect(x: 0, y: 0, width: 2, height: 2), 0.5), (CGRect(x: 0, y: 0, width: 2, height: 2), 0.9), (CGRect(x: 5, y: 5, width: 1, height: 1), 0.1)], iouThreshold: 0.5, maxBoxes: 5) == [1, 2], "nms")
        var planar: CVPixelBuffer?
        CVPixelBufferCreate(nil, 4, 2, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, nil, &planar)
        CVPixelBufferLockBaseAddress(planar!, [])
        memset(CVPixelBufferGetBaseAddressOfPlane(planar!, 0), 9, CVPixelBufferGetBytesPerRowOfPlane(planar!, 0))
        CVPixelBufferUnlockBaseAddress(planar!, [])
        let copy = planar!.deepCopy(withAttributes: [kCVPixelBufferIOSurfacePropertiesKey as String: [String: Any]()])
        check(copy.flatMap { CVPixelBufferGetBaseAddressOfPlane($0, 0)?.load(as: UInt8.self) } == 9, "deep copy")
        let whole = buffer?.deepCopy()
        check(whole != nil && whole !== buffer, "copy")
        return wrong
    }
}
