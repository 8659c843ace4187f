import CoreMLImages
import Foundation
import Testing

@testable import CoreMLRuntime

@Suite struct MLShapedArrayShapeTests {
  let counting = MLShapedArray<Int32>(scalars: 0..., shape: [2, 3, 4])

  @Test func reshaping() {
    #expect(counting.reshaped(to: [4, 6])[1].scalars == Array(6..<12))
    #expect(counting[0..<2, 0..<1].reshaped(to: [8]).scalars == [0, 1, 2, 3, 12, 13, 14, 15])
    let ones = MLShapedArray<Int32>(scalars: [42], shape: [1, 1])
    #expect(ones.squeezingShape().scalar == 42)
    #expect(counting.expandingShape(at: 1).shape == [2, 1, 3, 4])
    #expect(counting.expandingShape(at: 3).squeezingShape() == counting)
  }

  @Test func transposing() {
    let transposed = counting.transposed(permutation: [2, 0, 1])
    #expect(transposed.shape == [4, 2, 3])
    for c in 0..<4 {
      for a in 0..<2 { for b in 0..<3 { #expect(transposed[scalarAt: c, a, b] == counting[scalarAt: a, b, c]) } }
    }
    #expect(counting.transposed().transposed() == counting)
    #expect(counting[1].transposed().scalars == [12, 16, 20, 13, 17, 21, 14, 18, 22, 15, 19, 23])
  }

  /// Rearranging and rearranging back restores elements of every size, also where the innermost axis stays in place.
  @Test(arguments: [[2, 1, 0], [1, 0, 2], [0, 2, 1]])
  func elementsOfEverySizeAreRearranged(_ axes: [Int]) {
    func check<Scalar: MLShapedArrayScalar & Equatable>(_ type: Scalar.Type) {
      let array = MLShapedArray<Scalar>(converting: counting)
      let dense = array.transposed(permutation: axes).changingLayout(to: .firstMajorContiguous)
      let expected = counting.transposed(permutation: axes).scalars
      #expect(MLShapedArray<Int32>(converting: dense).scalars == expected)
      let spread = dense.changingLayout(to: .strides([100, 10, 2]))
      #expect(spread == dense && spread.changingLayout(to: .lastMajorContiguous) == dense)
    }
    check(Int8.self)
    check(Float16.self)
    check(Float.self)
    check(Double.self)
  }

  @Test func layoutsChangeTheMemoryAlone() {
    let matrix = MLShapedArray<Int32>(scalars: 0..., shape: [2, 3])
    let turned = matrix.changingLayout(to: .lastMajorContiguous)
    #expect(turned.strides == [1, 2] && turned == matrix)
    turned.withUnsafeShapedBufferPointer { pointer, shape, strides in
      #expect(Array(pointer) == [0, 3, 1, 4, 2, 5] && shape == [2, 3] && strides == [1, 2])
    }
    let padded = matrix.changingLayout(to: .strides([8, 2]))
    #expect(padded.strides == [8, 2] && padded == matrix)
    #expect(padded.withUnsafeShapedBufferPointer { pointer, _, _ in pointer.count } == 13)
  }

  @Test func writersChooseTheLayout() {
    var array = MLShapedArray<Int32>(repeating: 0, shape: [2, 3])
    array.withUnsafeMutableShapedBufferPointer(using: .lastMajorContiguous) { pointer, _, _ in
      for (index, value) in [Int32(0), 3, 1, 4, 2, 5].enumerated() { pointer[index] = value }
    }
    #expect(array.strides == [1, 2] && array.scalars == [0, 1, 2, 3, 4, 5])
  }

  @Test func codingKeepsShapeAndScalars() throws {
    let data = try JSONEncoder().encode(counting.transposed())
    #expect(try JSONDecoder().decode(MLShapedArray<Int32>.self, from: data) == counting.transposed())
    #expect(try JSONDecoder().decode(MLShapedArraySlice<Int32>.self, from: data).shape == [4, 3, 2])
  }

  @Test(arguments: [
    #"{"shape": [2, 2], "scalars": [1, 2, 3]}"#, #"{"shape": [-1, -3], "scalars": [1, 2, 3]}"#,
    #"{"shape": [9223372036854775807, 9223372036854775807], "scalars": [1]}"#, #"{"shape": [1]}"#,
    #"{"shape": [0, 9223372036854775807, 9223372036854775807], "scalars": []}"#,
  ])
  func whatIsNoArrayIsNotDecoded(_ text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(MLShapedArray<Int32>.self, from: Data(text.utf8))
    }
  }

  @Test func describing() {
    #expect("\(MLShapedArray<Int32>(scalars: 0..., shape: [2, 2]))" == "[[0, 1], [2, 3]]")
    #expect("\(MLShapedArray<Int32>(scalar: 3))" == "3")
  }

  @Test func equalityIsOfShapeAndScalars() {
    #expect(counting != counting.reshaped(to: [24]))
    #expect(([.nan] as MLShapedArray<Float>) != [.nan])
  }

  @Test func anImageIsWrittenThroughByItsOnlyArray() throws {
    let image = try PixelBuffer(width: 4, height: 6, pixelFormatType: kCVPixelFormatType_OneComponent16Half)
    func pixel() -> Float16 { image.withUnsafeBytes { $0.load(fromByteOffset: 5 * 8 + 6, as: Float16.self) } }
    var array = MLShapedArray<Float16>(mutating: image, shape: [2, 3, 4])
    array[scalarAt: 1, 2, 3] = 42
    #expect(pixel() == 42)
    #expect(array.withPixelBufferIfAvailable { $0 === image } == true)
    let copy = array
    array[scalarAt: 1, 2, 3] = 7
    #expect(pixel() == 42 && copy[scalarAt: 1, 2, 3] == 42 && array[scalarAt: 1, 2, 3] == 7)
    #expect(array.withMutablePixelBufferIfAvailable { _ in true } == nil)
  }

  @Test func aMultiArrayIsSeenUntilItIsWritten() throws {
    let multi = try MLMultiArray(shape: [2, 2], dataType: .float16)
    var shaped = MLShapedArray<Float16>(multi)
    multi[1] = 3
    #expect(shaped[scalarAt: 0, 1] == 3)
    shaped[scalarAt: 0, 0] = 5
    #expect(multi[0] == 0 && shaped.scalars == [5, 3, 0, 0])
    #expect(MLShapedArray<Int32>(converting: multi).scalars == [0, 3, 0, 0])
  }

  @Test func anImageAtAnOddAddressIsNoArrayOfHalves() async {
    await #expect(processExitsWith: .failure) {
      let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
      guard
        let image = try? PixelBuffer(
          over: memory + 1, width: 2, height: 2, pixelFormatType: kCVPixelFormatType_OneComponent16Half, bytesPerRow: 4,
          release: { _ in })
      else { exit(0) }
      _ = MLShapedArray<Float16>(mutating: image, shape: [2, 2])
      exit(0)
    }
  }

  @Test func misuseStopsTheProgram() async {
    await #expect(processExitsWith: .failure) { _ = MLShapedArray<Int32>(scalars: [1, 2], shape: [3]) }
    await #expect(processExitsWith: .failure) { _ = MLShapedArray<Int32>(repeating: 1, shape: [2, 2])[2] }
    await #expect(processExitsWith: .failure) { _ = MLShapedArray<Int32>(repeating: 1, shape: [2])[scalarAt: 0, 0] }
    await #expect(processExitsWith: .failure) { _ = MLShapedArray<Int32>(repeating: 1, shape: [.max, .max]) }
    await #expect(processExitsWith: .failure) { _ = MLShapedArray<Int32>(repeating: 1, shape: [4]).reshaped(to: [5]) }
  }
}
