import CoreMLImages
import Foundation
import Testing

@testable import CoreMLRuntime

@Suite struct MLMultiArrayTests {
  @Test(arguments: MLMultiArrayDataType.allCases)
  func elementsAreReadAsWritten(_ type: MLMultiArrayDataType) throws {
    let array = try MLMultiArray(shape: [2, 3], dataType: type)
    #expect(array.count == 6 && array.strides == [3, 1] && array[5] == 0)
    array[4] = -7
    array[[0, 2]] = 100
    #expect(array[[1, 1]] == -7 && array[2] == 100)
    #expect(array.withUnsafeBytes(\.count) == 6 * type.size)
  }

  @Test func shapedArraysBecomeDense() {
    let shaped = MLShapedArray<Float16>(scalars: [0, 1, 2, 3, 4, 5], shape: [2, 3]).transposed()
    let array = MLMultiArray(shaped)
    #expect(array.dataType == .float16 && array.shape == [3, 2] && array.strides == [2, 1])
    #expect(MLShapedArray<Float16>(array) == shaped)
    #expect(MLMultiArray(MLShapedArray<Int8>(scalar: 3)).shape == [])
  }

  @Test func transferringConvertsAndRestrides() throws {
    let source = MLMultiArray(MLShapedArray<Double>(scalars: [0.5, -1.5, 2.5, 1e9, 1e300, -300], shape: [2, 3]))
    let target = MLMultiArray(shape: [2, 3], dataType: .int8, strides: [1, 2])
    source.transfer(to: target)
    #expect(MLShapedArray<Int8>(target).scalars == [0, -1, 2, 127, 127, -128])
    #expect(target.withUnsafeBufferPointer(ofType: Int8.self) { Array($0) } == [0, 127, -1, 127, 2, -128])
    let half = try MLMultiArray(shape: [2, 3], dataType: .float16)
    source.transfer(to: half)
    #expect(half[4].floatValue == .infinity && half[1] == -1.5)
  }

  /// Arrays with more elements than one conversion block, with rows both longer and shorter than a block.
  @Test(arguments: [[3, 5000], [5000, 3], [2, 3, 1, 2500], [12_289]])
  func transferringTakesManyBlocks(shape: [Int]) throws {
    let count = shape.reduce(1, *)
    let scalars: [Int32] = (0..<count).map { Int32($0 * 7 - 5) }
    let source = MLMultiArray(MLShapedArray<Int32>(scalars: scalars, shape: shape))
    // The first axis is innermost.
    let strides = shape.indices.map { shape[..<$0].reduce(1, *) }
    let target = MLMultiArray(shape: shape, dataType: .double, strides: strides)
    source.transfer(to: target)
    let expected: [Double] = (0..<count).map { Double($0 * 7 - 5) }
    #expect(MLShapedArray<Double>(target).scalars == expected)
  }

  /// Source and target share memory: the transfer reads all elements before it writes any.
  @Test func transferringWithinOneMemory() throws {
    var numbers = (0..<10_000).map(Int32.init)
    try numbers.withUnsafeMutableBytes { bytes in
      let base = try #require(bytes.baseAddress)
      let forth = try MLMultiArray(dataPointer: base, shape: [100, 100], dataType: .int32, strides: [100, 1])
      let across = try MLMultiArray(dataPointer: base, shape: [100, 100], dataType: .int32, strides: [1, 100])
      forth.transfer(to: across)
    }
    let expected: [Int32] = (0..<10_000).map { (place: Int) -> Int32 in Int32(place % 100 * 100 + place / 100) }
    #expect(numbers == expected)
  }

  /// A transfer allocates no temporary memory of the arrays' size. The process only uses the target's 384 MB.
  @Test func transferringNeedsLittleMemory() async {
    await #expect(processExitsWith: .success) {
      func peak() throws -> Int {
        let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
        return lines.first { $0.hasPrefix("VmHWM") }?.split(separator: " ").compactMap { Int($0) }.first ?? .max / 2
      }
      let source = try MLMultiArray(shape: [50_331_648], dataType: .int8)
      let target = try MLMultiArray(shape: [50_331_648], dataType: .double)
      source[50_331_647] = 9
      let before = try peak()
      source.transfer(to: target)
      let after = try peak()
      exit(target[50_331_647].intValue == 9 && after < before + 600_000 ? 0 : 1)
    }
  }

  @Test func memoryIsHandedOutWithStrides() {
    let array = MLMultiArray(shape: [2, 2], dataType: .float32, strides: [4, 1])
    array.withUnsafeMutableBufferPointer(ofType: Float.self) { pointer, strides in
      #expect(pointer.count == 6 && strides == [4, 1])
      pointer[1 * strides[0] + 1 * strides[1]] = 5
    }
    #expect(array[3] == 5)
    array.withUnsafeMutableBytes { bytes, strides in
      #expect(bytes.count == 24 && strides == [4, 1])
    }
  }

  @Test func theCallersMemoryIsGivenBack() throws {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 4)
    var freed = 0
    do {
      let array = try MLMultiArray(dataPointer: memory, shape: [4], dataType: .int32, strides: [1]) { _ in freed += 1 }
      array[3] = 9
    }
    #expect(freed == 1 && memory.load(fromByteOffset: 12, as: Int32.self) == 9)
    memory.deallocate()
  }

  @Test func impossibleShapesAreRefused() throws {
    #expect(throws: MLModelError.self) { try MLMultiArray(shape: [-1], dataType: .int8) }
    #expect(throws: MLModelError.self) {
      try MLMultiArray(shape: [0, NSNumber(value: Int.max), NSNumber(value: Int.max)], dataType: .int8)
    }
    #expect(throws: MLModelError.self) { try MLMultiArray(shape: [1_048_576, 1_048_576], dataType: .double) }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 4)
    defer { memory.deallocate() }
    for (shape, strides) in [
      ([2, 2], [1]), ([2], [-1]), ([3], [Int.max / 2]), ([-2], [1]), ([1 << 40, 2], [1 << 40, 1]),
    ] {
      #expect(throws: MLModelError.self) {
        try MLMultiArray(
          dataPointer: memory, shape: shape.map { NSNumber(value: $0) }, dataType: .int8,
          strides: strides.map { NSNumber(value: $0) })
      }
    }
  }

  @Test func aLargeArrayCostsWhatIsWritten() throws {
    let array = try MLMultiArray(shape: [1_073_741_824], dataType: .int8)
    array[1 << 29] = 1
    #expect(array[1 << 29] == 1 && array[0] == 0 && Int(bitPattern: array.dataPointer) % 64 == 0)
  }

  @Test func anImageIsAnArray() throws {
    let image = try PixelBuffer(width: 3, height: 4, pixelFormatType: kCVPixelFormatType_OneComponent8)
    let array = MLMultiArray(pixelBuffer: image, shape: [2, 2, 3])
    #expect(array.dataType == .int8 && array.pixelBuffer === image)
    array[[1, 1, 2]] = 7
    #expect(image.withUnsafeBytes { $0[11] } == 7)
  }

  @Test func equalityIsOfElements() throws {
    let dense = MLMultiArray(MLShapedArray<Int32>(scalars: 0..., shape: [2, 3]))
    let spread = MLMultiArray(shape: [2, 3], dataType: .int32, strides: [1, 2])
    #expect(dense != spread)
    dense.transfer(to: spread)
    #expect(dense == spread && dense.hash == spread.hash)
    #expect(dense != MLMultiArray(MLShapedArray<Int32>(scalars: 0..., shape: [3, 2])))
  }

  @Test func misuseStopsTheProgram() async {
    await #expect(processExitsWith: .failure) { _ = try MLMultiArray([1.0])[1] }
    await #expect(processExitsWith: .failure) { _ = try MLMultiArray([1.0])[[0, 0]] }
    await #expect(processExitsWith: .failure) { _ = MLShapedArray<Float>(try MLMultiArray([1.0])) }
    await #expect(processExitsWith: .failure) {
      try MLMultiArray([1.0]).transfer(to: MLMultiArray(shape: [2], dataType: .double))
    }
  }
}
