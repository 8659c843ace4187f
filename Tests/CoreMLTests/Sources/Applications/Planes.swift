// swift-format-ignore-file

import CoreML

enum Planes {
    static func planar() -> CVPixelBuffer? {
        let width = 4, height = 2
        let luma = UnsafeMutableRawPointer.allocate(byteCount: width * height, alignment: 16), chroma = UnsafeMutableRawPointer.allocate(byteCount: width * height / 2, alignment: 16)
        memset(luma, 100, width * height); memset(chroma, 128, width * height / 2)
        var addresses: [UnsafeMutableRawPointer?] = [luma, chroma]
        var widths = [width, width / 2], heights = [height, height / 2], rows = [width, width]
        var buffer: CVPixelBuffer?
        let result = CVPixelBufferCreateWithPlanarBytes(kCFAllocatorDefault, width, height, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, nil, 0, 2, &addresses, &widths, &heights, &rows,
            { context, dataPtr, size, count, planes in
                for i in 0..<count { UnsafeMutableRawPointer(mutating: planes?[i])?.deallocate() }
            }, nil, nil, &buffer)
        guard result == kCVReturnSuccess else { return nil }
        return buffer
    }
    static func run() async throws -> [String] {
        var wrong: [String] = []
        guard let b = planar() else { return ["no buffer"] }
        CVPixelBufferLockBaseAddress(b, .readOnly)
        if CVPixelBufferGetPlaneCount(b) != 2 || CVPixelBufferGetBaseAddressOfPlane(b, 1)?.load(as: UInt8.self) != 128 { wrong.append("planes") }
        CVPixelBufferUnlockBaseAddress(b, .readOnly)
        return wrong
    }
}
