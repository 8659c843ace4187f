import CoreML
import CoreMLImages
import CoreVideo
import Testing

/// Pixel buffers through the functions of Core Video.
@Suite struct PixelBufferTests {
  static func make(_ width: Int, _ height: Int, _ format: OSType, _ attributes: CFDictionary? = nil)
    -> (status: CVReturn, buffer: CVPixelBuffer?)
  {
    var buffer: CVPixelBuffer?
    let status = CVPixelBufferCreate(kCFAllocatorDefault, width, height, format, attributes, &buffer)
    return (status, buffer)
  }

  @Test(arguments: [
    (kCVPixelFormatType_32BGRA, 28), (kCVPixelFormatType_32ARGB, 28), (kCVPixelFormatType_32RGBA, 28),
    (kCVPixelFormatType_OneComponent8, 7), (kCVPixelFormatType_OneComponent16Half, 14),
    (kCVPixelFormatType_OneComponent32Float, 28),
  ])
  func aFormatOfOnePlane(format: OSType, bytesPerRow: Int) throws {
    let (status, made) = Self.make(7, 5, format)
    let buffer = try #require(made)
    #expect(status == kCVReturnSuccess && CVPixelBufferGetPixelFormatType(buffer) == format)
    #expect(CVPixelBufferGetWidth(buffer) == 7 && CVPixelBufferGetHeight(buffer) == 5)
    #expect(CVPixelBufferGetBytesPerRow(buffer) == bytesPerRow && CVPixelBufferGetDataSize(buffer) == bytesPerRow * 5)
    #expect(!CVPixelBufferIsPlanar(buffer) && CVPixelBufferGetPlaneCount(buffer) == 0)
    #expect(CVPixelBufferGetBaseAddressOfPlane(buffer, 0) == nil && CVPixelBufferGetHeightOfPlane(buffer, 0) == 0)
    #expect(CVPixelBufferLockBaseAddress(buffer, []) == kCVReturnSuccess)
    let base = try #require(CVPixelBufferGetBaseAddress(buffer))
    #expect(UnsafeRawBufferPointer(start: base, count: bytesPerRow * 5).allSatisfy { $0 == 0 })
    #expect(CVPixelBufferUnlockBaseAddress(buffer, []) == kCVReturnSuccess)
  }

  /// For odd sizes, the last column and row have chroma samples too.
  @Test(arguments: [
    kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange,
  ])
  func aFormatOfTwoPlanes(format: OSType) throws {
    let buffer = try #require(Self.make(7, 5, format).buffer)
    #expect(CVPixelBufferIsPlanar(buffer) && CVPixelBufferGetPlaneCount(buffer) == 2)
    #expect(CVPixelBufferGetWidthOfPlane(buffer, 0) == 7 && CVPixelBufferGetHeightOfPlane(buffer, 0) == 5)
    #expect(CVPixelBufferGetWidthOfPlane(buffer, 1) == 4 && CVPixelBufferGetHeightOfPlane(buffer, 1) == 3)
    #expect(CVPixelBufferGetBytesPerRowOfPlane(buffer, 0) == 7 && CVPixelBufferGetBytesPerRowOfPlane(buffer, 1) == 8)
    let luma = try #require(CVPixelBufferGetBaseAddressOfPlane(buffer, 0))
    #expect(CVPixelBufferGetBaseAddressOfPlane(buffer, 1) == luma + 35 && CVPixelBufferGetDataSize(buffer) == 35 + 24)
    #expect(CVPixelBufferGetBaseAddress(buffer) == nil && CVPixelBufferGetBaseAddressOfPlane(buffer, 2) == nil)
    #expect(CVPixelBufferGetBaseAddressOfPlane(buffer, -1) == nil)
    #expect(CVPixelBufferGetBytesPerRow(buffer) * 5 >= 35 + 24)
  }

  /// 24RGB, 64ARGB, and zero.
  @Test(arguments: [0x18, 0x6236_3461, 0] as [OSType])
  func anotherFormatIsRefused(format: OSType) {
    let made = Self.make(4, 4, format)
    #expect(made.status == kCVReturnInvalidPixelFormat && made.buffer == nil)
  }

  @Test(arguments: [
    (0, 4), (4, 0), (-1, 4), (4, Int.min), (Int.max, Int.max), (Int.max, 1), (1 << 32, 1 << 32), (1 << 62, 4),
    (1 << 20, 1 << 20),
  ])
  func aSizeThatNoImageHasIsRefused(width: Int, height: Int) {
    for format in [kCVPixelFormatType_32BGRA, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange] {
      var buffer: CVPixelBuffer? = Self.make(1, 1, format).buffer
      let status = CVPixelBufferCreate(nil, width, height, format, nil, &buffer)
      #expect(status == kCVReturnInvalidSize && buffer == nil)
    }
  }

  @Test func rowsAreAlignedAsAsked() throws {
    let attributes =
      [kCVPixelBufferBytesPerRowAlignmentKey: 64, kCVPixelBufferMetalCompatibilityKey: true] as CFDictionary
    let gray = try #require(Self.make(7, 5, kCVPixelFormatType_OneComponent8, attributes).buffer)
    #expect(CVPixelBufferGetBytesPerRow(gray) == 64 && CVPixelBufferGetDataSize(gray) == 320)
    let video = try #require(Self.make(7, 5, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, attributes).buffer)
    #expect(CVPixelBufferGetBytesPerRowOfPlane(video, 0) == 64 && CVPixelBufferGetBytesPerRowOfPlane(video, 1) == 64)
    for alignment in [0, -64, 3, 1 << 17, Int.max] {
      let wrong = [kCVPixelBufferBytesPerRowAlignmentKey: alignment] as CFDictionary
      #expect(Self.make(7, 5, kCVPixelFormatType_32BGRA, wrong).status == kCVReturnInvalidPixelBufferAttributes)
    }
    // Few pixels whose row alignment requires far more memory.
    let wide = [kCVPixelBufferBytesPerRowAlignmentKey: 1 << 16] as CFDictionary
    #expect(Self.make(1, 1 << 28, kCVPixelFormatType_OneComponent8, wide).status == kCVReturnInvalidSize)
  }

  @Test func locksAreCounted() throws {
    let buffer = try #require(Self.make(2, 2, kCVPixelFormatType_32BGRA).buffer)
    #expect(CVPixelBufferUnlockBaseAddress(buffer, []) == kCVReturnInvalidArgument)
    CVPixelBufferLockBaseAddress(buffer, .readOnly)
    CVPixelBufferLockBaseAddress(buffer, .readOnly)
    #expect(CVPixelBufferUnlockBaseAddress(buffer, .readOnly) == kCVReturnSuccess)
    #expect(CVPixelBufferUnlockBaseAddress(buffer, .readOnly) == kCVReturnSuccess)
    #expect(CVPixelBufferUnlockBaseAddress(buffer, .readOnly) == kCVReturnInvalidArgument)
  }

  /// Gray pixels with rows 5 bytes apart, and the callback when the image is released.
  @Test func anImageOverTheCallersMemory() throws {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 14, alignment: 1)
    defer { memory.deallocate() }
    for index in 0..<14 { memory.storeBytes(of: UInt8(index), toByteOffset: index, as: UInt8.self) }
    let calls = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    calls.initialize(to: 0)
    defer { calls.deallocate() }
    let count: CVPixelBufferReleaseBytesCallback = { calls, _ in
      calls?.assumingMemoryBound(to: Int.self).pointee += 1
    }
    func make(_ width: Int, _ height: Int, _ rowBytes: Int, _ format: OSType) -> (CVReturn, CVPixelBuffer?) {
      var buffer: CVPixelBuffer?
      let status = CVPixelBufferCreateWithBytes(
        nil, width, height, format, memory, rowBytes, count, calls, nil, &buffer)
      return (status, buffer)
    }
    do {
      let (status, made) = make(4, 3, 5, kCVPixelFormatType_OneComponent8)
      let buffer = try #require(made)
      #expect(status == kCVReturnSuccess && CVPixelBufferGetBytesPerRow(buffer) == 5)
      #expect(CVPixelBufferGetBaseAddress(buffer) == memory && CVPixelBufferGetDataSize(buffer) == 14)
      // Bytes between the rows are not pixels.
      let upright = try buffer.oriented(.down)
      #expect(upright.withUnsafeBytes { Array($0) } == [13, 12, 11, 10, 8, 7, 6, 5, 3, 2, 1, 0])
      let colours = try buffer.converted(to: kCVPixelFormatType_32RGBA)
      #expect(colours.withUnsafeBytes { Array($0[16..<20]) } == [5, 5, 5, 255])
      #expect(calls.pointee == 0)
    }
    #expect(calls.pointee == 1)
    #expect(make(4, 3, 3, kCVPixelFormatType_OneComponent8).0 == kCVReturnInvalidSize)
    #expect(make(4, 3, -5, kCVPixelFormatType_OneComponent8).0 == kCVReturnInvalidSize)
    #expect(make(1, 1 << 27, Int.max / 2, kCVPixelFormatType_OneComponent8).0 == kCVReturnInvalidSize)
    #expect(make(2, 2, 8, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange).0 == kCVReturnInvalidPixelFormat)
    #expect(calls.pointee == 1, "an image that was not made gave memory back")
  }

  /// An archive contains only the pixels of an image, without the gaps between its rows.
  @Test func anImageWithGapsIsArchived() throws {
    let attributes = [kCVPixelBufferBytesPerRowAlignmentKey: 16] as CFDictionary
    for format in [kCVPixelFormatType_OneComponent8, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange] {
      let buffer = try #require(Self.make(3, 3, format, attributes).buffer)
      buffer.withUnsafeMutableBytes { bytes in for index in bytes.indices { bytes[index] = UInt8(index) } }
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: MLFeatureValue(pixelBuffer: buffer), requiringSecureCoding: true)
      let value = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: MLFeatureValue.self, from: data))
      let read = try #require(value.imageBufferValue)
      #expect(read.packedBytes == buffer.packedBytes && read.bytesPerRow == 3)
    }
  }

  @Test func whatNoModelTakesIsNoInput() throws {
    let buffer = try #require(Self.make(2, 2, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange).buffer)
    let model = try PictureModels.load("Tests/Cases/models/enumeratedPicture.mlmodel")
    let error = #expect(throws: MLModelError.self) {
      let sized = try #require(Self.make(6, 4, buffer.pixelFormatType).buffer)
      _ = try model.prediction(
        from: MLDictionaryFeatureProvider(dictionary: ["picture": MLFeatureValue(pixelBuffer: sized)]))
    }
    #expect(error?.message.contains("'420f'") == true, "\(error?.message ?? "")")
    let feature = try #require(model.modelDescription.inputDescriptionsByName["picture"])
    #expect(!feature.isAllowedValue(MLFeatureValue(pixelBuffer: buffer)))
  }
}
