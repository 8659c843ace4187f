import CoreML
import CoreVideo
import Foundation
import Testing

/// Images over the caller's planes. Memory between the planes must not be read.
@Suite struct PlanesApartTests {
  @Test func nothingBetweenPlanesIsRead() throws {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let flags = MAP_PRIVATE | MAP_ANONYMOUS
    let pages = try #require(mmap(nil, 3 * page, PROT_READ | PROT_WRITE, flags, -1, 0))
    try #require(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0)
    defer { munmap(pages, 3 * page) }
    // Each plane ends at the end of its page, so a read beyond the last plane faults.
    let (luma, differences) = (pages + page - 8, pages + 3 * page - 4)
    for index in 0..<8 { luma.storeBytes(of: UInt8(100 + index), toByteOffset: index, as: UInt8.self) }
    for index in 0..<4 { differences.storeBytes(of: UInt8(126 + index), toByteOffset: index, as: UInt8.self) }
    var addresses: [UnsafeMutableRawPointer?] = [luma, differences]
    var (widths, heights, rows) = ([4, 2], [2, 1], [4, 4])
    var buffer: CVPixelBuffer?
    let format = kCVPixelFormatType_420YpCbCr8BiPlanarFullRange
    let status = CVPixelBufferCreateWithPlanarBytes(
      kCFAllocatorDefault, 4, 2, format, nil, 0, 2, &addresses, &widths, &heights, &rows, nil, nil, nil, &buffer)
    #expect(status == kCVReturnSuccess)
    let image = CGImage(try #require(buffer))
    let bytes = try #require(image.dataProvider?.data.map { $0 as Data })
    #expect(Array(bytes) == Array(100...107) + Array(126...129))

    let own = try #require(PixelBufferTests.make(4, 2, format).buffer)
    for (plane, numbers) in [(0, Array(100...107)), (1, Array(126...129))] {
      let target = try #require(CVPixelBufferGetBaseAddressOfPlane(own, plane))
      for (index, number) in numbers.enumerated() {
        target.storeBytes(of: UInt8(number), toByteOffset: index, as: UInt8.self)
      }
    }
    #expect(CGImage(own).dataProvider?.data.map { $0 as Data } == bytes)
    let colours = try image.pixelBuffer.converted(to: kCVPixelFormatType_32BGRA)
    #expect(try colours.packedBytes == own.converted(to: kCVPixelFormatType_32BGRA).packedBytes)
  }
}
