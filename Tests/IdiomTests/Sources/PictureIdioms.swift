// swift-format-ignore-file
import CoreML
import ImageIO
import VideoToolbox
import Vision

/// What programs do with images and buffers before a model receives them.
enum PictureIdioms {
    struct Configuration: Hashable { var prompt: String; var startingImage: CGImage?; var space: CGColorSpace? }

    final class Cache<Key: Hashable, Value> {
        private var values: [Key: Value] = [:]
        subscript(key: Key) -> Value? { get { values[key] } set { values[key] = newValue } }
    }

    struct Frame: Equatable { let buffer: CVPixelBuffer; let pool: CVPixelBufferPool? }

    static func createPixelBuffer(width: Int, height: Int, pixelFormat: OSType) -> CVPixelBuffer? {
        let attributes = [
            kCVPixelBufferCGImageCompatibilityKey: kCFBooleanTrue as Any, kCVPixelBufferCGBitmapContextCompatibilityKey: kCFBooleanTrue as Any,
            kCVPixelBufferMetalCompatibilityKey: kCFBooleanTrue as Any,
            kCVPixelBufferIOSurfacePropertiesKey: [
                kCVPixelBufferIOSurfaceOpenGLESTextureCompatibilityKey: kCFBooleanTrue as Any, kCVPixelBufferIOSurfaceOpenGLESFBOCompatibilityKey: kCFBooleanTrue as Any,
                kCVPixelBufferIOSurfaceCoreAnimationCompatibilityKey: kCFBooleanTrue as Any,
            ] as CFDictionary,
        ] as CFDictionary
        var buffer: CVPixelBuffer?
        guard CVPixelBufferCreate(nil, width, height, pixelFormat, attributes, &buffer) == kCVReturnSuccess else { return nil }
        return buffer
    }

    static func picture(of buffer: CVPixelBuffer) -> CGImage? {
        var image: CGImage?
        VTCreateCGImageFromCVPixelBuffer(buffer, options: nil, imageOut: &image)
        return image
    }

    /// The box in a row of a detector's output.
    static func box(_ array: MLMultiArray, _ row: Int) -> CGRect {
        let n = (0..<4).map { CGFloat(truncating: array[row * 4 + $0]) }
        return CGRect(x: n[0], y: n[1], width: n[2], height: n[3])
    }

    static func maskImage(_ bytes: [UInt8], width: Int, height: Int) -> CGImage? {
        let data = CFDataCreate(nil, bytes, bytes.count)!
        return CGImage(
            maskWidth: width, height: height, bitsPerComponent: 8, bitsPerPixel: 8, bytesPerRow: width, provider: CGDataProvider(data: data)!, decode: nil, shouldInterpolate: false)
    }

    static func run() throws -> [String] {
        var wrong: [String] = []
        func check(_ holds: Bool, _ what: String) { if !holds { wrong.append(what) } }
        guard let buffer = createPixelBuffer(width: 2, height: 2, pixelFormat: kCVPixelFormatType_32BGRA), let other = createPixelBuffer(width: 2, height: 2, pixelFormat: kCVPixelFormatType_32BGRA) else { return ["no buffer"] }

        // Identity comparison, as in Core Foundation.
        check(buffer == buffer && buffer != other && Set([buffer, other, buffer]).count == 2 && buffer.hashValue == buffer.hashValue, "buffers")
        CVPixelBufferLockBaseAddress(buffer, [])
        for place in 0..<16 { CVPixelBufferGetBaseAddress(buffer)!.storeBytes(of: UInt8(place * 16), toByteOffset: place, as: UInt8.self) }
        CVPixelBufferUnlockBaseAddress(buffer, [])
        guard let image = picture(of: buffer), let again = picture(of: buffer) else { return wrong + ["no picture"] }
        check(image == image && image != again, "pictures are compared by what they are, not by what they show")
        let cache = Cache<CGImage, [Float32]>()
        cache[image] = [1]
        check(cache[image] == [1] && cache[again] == nil, "cache")
        check(Configuration(prompt: "a", startingImage: image, space: nil) == Configuration(prompt: "a", startingImage: image, space: nil), "configurations")
        check(Configuration(prompt: "a", startingImage: image, space: nil) != Configuration(prompt: "a", startingImage: nil, space: nil), "other configurations")
        check(Frame(buffer: buffer, pool: nil) == Frame(buffer: buffer, pool: nil) && Frame(buffer: buffer, pool: nil) != Frame(buffer: other, pool: nil), "frames")
        var pool: CVPixelBufferPool?
        CVPixelBufferPoolCreate(nil, nil, [kCVPixelBufferWidthKey: 2, kCVPixelBufferHeightKey: 2, kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_32BGRA] as CFDictionary, &pool)
        check(pool != nil && pool == pool && Frame(buffer: buffer, pool: pool) != Frame(buffer: buffer, pool: nil), "pools")

        // Value comparison, where Core Foundation compares values.
        let (rgb, gray, srgb) = (CGColorSpaceCreateDeviceRGB(), CGColorSpaceCreateDeviceGray(), CGColorSpace(name: CGColorSpace.sRGB)!)
        check(rgb == CGColorSpaceCreateDeviceRGB() && rgb != gray && srgb == CGColorSpace(name: CGColorSpace.sRGB) && srgb != rgb && Set([rgb, gray, srgb, image.colorSpace!]).count == 3, "colour spaces")
        check(srgb.name == CGColorSpace.sRGB, "a name: \(String(describing: srgb.name))")
        check(CGColor(gray: 0, alpha: 1) == .black && Set([CGColor.black, CGColor(gray: 0, alpha: 1), .white]).count == 2 && CGColor(gray: 0.5, alpha: 1) != CGColor(red: 0.5, green: 0.5, blue: 0.5, alpha: 1), "colours")
        let provider = CGDataProvider(data: Data([1]) as CFData), source = CGImageSourceCreateWithData(Data() as CFData, nil)
        let destination = CGImageDestinationCreateWithData(NSMutableData(), "public.png" as CFString, 1, nil)
        let context = CGContext(data: nil, width: 1, height: 1, bitsPerComponent: 8, bytesPerRow: 0, space: rgb, bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
        check(provider == provider && source == source && destination == destination && context == context && context != nil && Set([context, nil]).count == 2, "others")

        // An image of a buffer does not change with the buffer.
        let bytes = image.dataProvider!.data! as Data
        CVPixelBufferGetBaseAddress(buffer)!.storeBytes(of: 99, toByteOffset: 0, as: UInt8.self)
        check(Array(bytes) == (0..<16).map { $0 * 16 } && image.dataProvider!.data! as Data == bytes && image.byteOrderInfo == .order32Little, "the picture changed")
        let video = createPixelBuffer(width: 4, height: 4, pixelFormat: kCVPixelFormatType_420YpCbCr8BiPlanarFullRange)!
        check(picture(of: video).map { ($0.width, $0.bitsPerPixel) } ?? (0, 0) == (4, 32), "video")

        // Numbers.
        let array = try MLMultiArray(shape: [2, 4].map { NSNumber(value: $0) }, dataType: .double)
        for place in 0..<8 { array[place] = (CGFloat(place) / 2) as NSNumber }
        check(box(array, 1) == CGRect(x: 2, y: 2.5, width: 3, height: 3.5), "a box: \(box(array, 1))")
        check((array[3] as? CGFloat) == 1.5 && CGFloat(exactly: array[3]) == 1.5 && (["a": CGFloat(2)] as NSDictionary)["a"] as? Double == 2, "numbers")
        check(CGImageByteOrderInfo.order32Little.rawValue == CGBitmapInfo.byteOrder32Little.rawValue && CGImageByteOrderInfo.orderMask.rawValue == CGBitmapInfo.byteOrderMask.rawValue, "orders")
        return wrong
    }
}
