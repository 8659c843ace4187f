import CoreMLImages
import Foundation
import Testing

@testable import CoreMLRuntime

@Suite struct MLShapedArrayTests {
  let counting = MLShapedArray<Int32>(scalars: 0..., shape: [2, 3, 4])

  @Test func aLiteralHasRankOne() {
    let array: MLShapedArray<Float> = [1, 2, 3]
    #expect(array.shape == [3])
    #expect(array.scalars == [1, 2, 3])
    #expect(!array.isScalar && array.scalar == nil)
  }

  @Test func aScalarHasRankZero() {
    var array = MLShapedArray<Double>(scalar: 2.5)
    #expect(array.isScalar && array.shape == [] && array.count == 0 && array.scalarCount == 1)
    array.scalar = 3
    #expect(array.scalar == 3 && array.scalars == [3])
  }

  @Test func scalarsAreFirstMajor() {
    #expect(counting.strides == [12, 4, 1])
    #expect(counting[scalarAt: 1, 2, 3] == 23)
    #expect(counting[scalarAt: [1, 0, 2]] == 14)
    #expect(counting.count == 2 && counting.scalarCount == 24)
  }

  @Test func slicesAtIndicesLoseTheAxes() {
    #expect(counting[1].shape == [3, 4])
    #expect(counting[1, 2].scalars == [20, 21, 22, 23])
    #expect(counting[0, 1, 2].scalar == 6)
    #expect(counting.map { $0[0, 0].scalar } == [0, 12])
    #expect(counting[1][2][scalarAt: 0] == 20)
  }

  @Test func slicesWithinRangesKeepTheAxes() {
    let slice = counting[0..<2, 1...1, 2...]
    #expect(slice.shape == [2, 1, 2])
    #expect(slice.scalars == [6, 7, 18, 19])
    #expect(counting[1...].shape == [1, 3, 4])
    #expect(counting[..<1, ...0].scalars == [0, 1, 2, 3])
    #expect(counting[0..<1].shape == [1, 3, 4])
    #expect(counting[...].scalars == counting.scalars)
    #expect(counting[0..<2, 0..<0].scalars == [])
  }

  @Test func copiesAreIndependent() {
    var copy = counting
    copy[scalarAt: 0, 0, 0] = -1
    #expect(counting[scalarAt: 0, 0, 0] == 0 && copy[scalarAt: 0, 0, 0] == -1)
    var slice = copy[0, 0]
    slice.fill(with: 7)
    #expect(copy[0, 0].scalars == [-1, 1, 2, 3] && slice.scalars == [7, 7, 7, 7])
  }

  @Test func theOnlyOwnerWritesInPlace() {
    var array = MLShapedArray<Float>(repeating: 0, shape: [64])
    let before = array.withUnsafeShapedBufferPointer { pointer, _, _ in pointer.baseAddress }
    array[scalarAt: 3] = 1
    #expect(array.withUnsafeShapedBufferPointer { pointer, _, _ in pointer.baseAddress } == before)
    let other = array
    array[scalarAt: 3] = 2
    #expect(array.withUnsafeShapedBufferPointer { pointer, _, _ in pointer.baseAddress } != before)
    #expect(other[scalarAt: 3] == 1)
  }

  @Test func slicesAreSet() {
    var array = counting
    array[0] = array[1]
    #expect(array[0].scalars == counting[1].scalars)
    array[1, 0] = [9, 8, 7, 6]
    #expect(array[1, 0].scalars == [9, 8, 7, 6])
    array[0..<2, 0..<1, 0..<2] = MLShapedArraySlice(scalars: [1, 2, 3, 4], shape: [2, 1, 2])
    #expect(array[0, 0].scalars == [1, 2, 14, 15] && array[1, 0].scalars == [3, 4, 7, 6])
    array[1][2][scalarAt: 3] = 100
    #expect(array[scalarAt: 1, 2, 3] == 100)
    #expect(counting[scalarAt: 1, 2, 3] == 23)
  }

  @Test func overlappingSlicesAreSetToWhatTheyWere() {
    var array = MLShapedArray<Int32>(scalars: 0..., shape: [5])
    array[1..<5] = array[0..<4]
    #expect(array.scalars == [0, 0, 1, 2, 3])
  }

  @Test func fillingRepeats() {
    var array = MLShapedArray<Int32>(repeating: 0, shape: [2, 3])
    array.fill(with: [1, 2])
    #expect(array.scalars == [1, 2, 1, 2, 1, 2])
    var turned = array.transposed()
    turned.fill(with: 7)
    turned[1...].fill(with: 8)
    #expect(turned.scalars == [7, 7, 8, 8, 8, 8] && array.scalars == [1, 2, 1, 2, 1, 2])
    var column = array.changingLayout(to: .lastMajorContiguous)
    column[0..<2, 1..<2].fill(with: 9)
    column.fill(with: [1, 2, 3])
    #expect(column.strides == [1, 2] && column.scalars == [1, 2, 3, 1, 2, 3])
    array.scalars = [5, 4, 3, 2, 1, 0]
    #expect(array[1].scalars == [2, 1, 0])
  }

  @Test func theCallersMemoryIsReadAndGivenBack() {
    let memory = UnsafeMutablePointer<Int32>.allocate(capacity: 6)
    for index in 0..<6 { memory[index] = Int32(index) }
    let freed = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
    freed.initialize(to: false)
    defer { freed.deallocate() }
    do {
      var array = MLShapedArray<Int32>(
        bytesNoCopy: memory, shape: [3, 2], strides: [1, 3],
        deallocator: .custom { pointer, _ in
          freed.pointee = true
          pointer.deallocate()
        })
      #expect(array.scalars == [0, 3, 1, 4, 2, 5])
      array[scalarAt: 0, 0] = 9
      #expect(array.scalars == [9, 3, 1, 4, 2, 5])
    }
    #expect(freed.pointee)
  }

  @Test func dataMayHaveStrides() {
    let data = [Int32(1), 2, 3, 4, 5].withUnsafeBytes { Data($0) }
    #expect(MLShapedArray<Int32>(data: data, shape: [2, 2]).scalars == [1, 2, 3, 4])
    #expect(MLShapedArray<Int32>(data: data, shape: [2, 2], strides: [3, 1]).scalars == [1, 2, 4, 5])
  }

  @Test func concatenating() {
    let left = MLShapedArray<Int32>(scalars: [0, 1, 2, 5, 6, 7], shape: [2, 3])
    let right = MLShapedArray<Int32>(scalars: [3, 4, 8, 9], shape: [2, 2])
    let both = MLShapedArray(concatenating: [left, right], alongAxis: -1)
    #expect(both.shape == [2, 5] && both.scalars == Array(0...9))
    #expect(MLShapedArray<Int32>(concatenating: [left[1], left[0]], alongAxis: 0).scalars == [5, 6, 7, 0, 1, 2])
  }

  @Test func convertingTruncatesTowardZero() {
    let floats: MLShapedArray<Float> = [1.9, -1.9, 300, .nan]
    #expect(MLShapedArray<Int32>(converting: floats).scalars == [1, -1, 300, 0])
    #expect(MLShapedArray<Int8>(converting: floats).scalars == [1, -1, 127, 0])
    #expect(MLShapedArray<Double>(converting: counting.transposed()).shape == [4, 3, 2])
    #expect(MLShapedArray<Float16>(converting: counting)[scalarAt: 1, 2, 3] == 23)
  }

  @Test func matricesAndRandomNumbers() {
    #expect(MLShapedArray<Float>(identityMatrixOfSize: 2).scalars == [1, 0, 0, 1])
    #expect(MLShapedArray<Int8>(identityMatrixOfSize: 2).scalars == [1, 0, 0, 1])
    let random = MLShapedArray<Float16>(randomScalarsIn: 1..<2, shape: [50])
    #expect(random.scalars.allSatisfy { $0 >= 1 && $0 <= 2 } && Set(random.scalars).count > 5)
    #expect(MLShapedArray<Int32>(randomScalarsIn: -2..<2, shape: [50]).scalars.allSatisfy { (-2..<2).contains($0) })
  }
}
