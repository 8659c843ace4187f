import Foundation
import Testing

@testable import CoreMLRuntime

@Suite struct MultiArrayTests {
  static func array(_ shape: [Int], _ type: MLMultiArrayDataType, from first: Double = 0) throws -> MLMultiArray {
    let array = try MLMultiArray(shape: shape.map { NSNumber(value: $0) }, dataType: type)
    for index in 0..<array.count { array[index] = NSNumber(value: first + Double(index)) }
    return array
  }

  static func values(_ array: MLMultiArray) -> [Double] { (0..<array.count).map { array[$0].doubleValue } }

  @Test func collectionsBecomeVectors() throws {
    let integers = try MLMultiArray([3, -4, 5])
    #expect(integers.dataType == .int32 && integers.shape == [3] && Self.values(integers) == [3, -4, 5])
    let doubles = try MLMultiArray([0.5, 1.5])
    #expect(doubles.dataType == .double && Self.values(doubles) == [0.5, 1.5])
    let floats = try MLMultiArray([Float(0.25)])
    #expect(floats.dataType == .float32 && Self.values(floats) == [0.25])
    #expect(throws: MLModelError.self) { try MLMultiArray([Int(Int32.max) + 1]) }
  }

  @Test(arguments: MLMultiArrayDataType.allCases) func everyElementTypeKeepsItsNumbers(_ type: MLMultiArrayDataType)
    throws
  {
    let array = try Self.array([2, 3], type)
    #expect(Self.values(array) == [0, 1, 2, 3, 4, 5])
    array[[1, 2]] = 7
    #expect(array[5] == 7 && array.strides == [3, 1])
  }

  @Test func stridesMayLeaveGaps() throws {
    let padded = MLMultiArray(shape: [2, 3], dataType: .float32, strides: [8, 2])
    for index in 0..<6 { padded[index] = NSNumber(value: index) }
    let bytes = padded.withUnsafeBytes { $0.count }
    #expect(bytes == 13 * 4)
    let dense = try Self.array([2, 3], .double, from: 100)
    padded.transfer(to: dense)
    #expect(Self.values(dense) == [0, 1, 2, 3, 4, 5])
    dense[0] = -9
    dense.transfer(to: padded)
    #expect(padded[[0, 0]] == -9 && padded[[1, 2]] == 5)
  }

  @Test func conversionTruncatesAndSaturates() throws {
    let source = try MLMultiArray([1.9, -1.9, 1e9, -300])
    let target = try MLMultiArray(shape: [4], dataType: .int8)
    source.transfer(to: target)
    #expect(Self.values(target) == [1, -1, 127, -128])
  }

  @Test func arraysAreConcatenatedAlongAnyAxis() throws {
    let (a, b) = (try Self.array([2, 2], .float32), try Self.array([2, 1], .int32, from: 10))
    let wide = MLMultiArray(concatenating: [a, b], axis: -1, dataType: .double)
    #expect(wide.shape == [2, 3] && Self.values(wide) == [0, 1, 10, 2, 3, 11])
    let tall = MLMultiArray(concatenating: [a, a], axis: 0, dataType: .float16)
    #expect(tall.shape == [4, 2] && Self.values(tall) == [0, 1, 2, 3, 0, 1, 2, 3])
  }

  @Test func equalityIsOfShapeTypeAndElements() throws {
    let array = try Self.array([2, 2], .float32)
    #expect(array == (try Self.array([2, 2], .float32)))
    #expect(array != (try Self.array([2, 2], .double)))
    #expect(array != (try Self.array([4], .float32)))
    #expect(array != (try Self.array([2, 2], .float32, from: 1)))
    #expect(MLFeatureValue(multiArray: array) == MLFeatureValue(multiArray: try Self.array([2, 2], .float32)))
    #expect(MLFeatureValue(int64: 1) != MLFeatureValue(double: 1))
    #expect(MLFeatureValue(undefined: .string) == MLFeatureValue(undefined: .string))
    #expect(MLFeatureValue(undefined: .string) != MLFeatureValue(string: ""))
  }

  @Test func typedPointersSeeTheElements() throws {
    let array = try Self.array([3], .float32)
    let sum: Float = array.withUnsafeBufferPointer(ofType: Float.self) { $0[0] + $0[1] + $0[2] }
    #expect(sum == 3)
    array.withUnsafeMutableBufferPointer(ofType: Float.self) { buffer, strides in buffer[2 * strides[0]] = 8 }
    #expect(array[2] == 8)
  }
}

@Suite struct ProviderTests {
  @Test func columnsBecomeRows() throws {
    let batch = try MLArrayBatchProvider(dictionary: ["a": [1, 2], "b": ["x", "y"]])
    #expect(batch.count == 2)
    #expect(batch.features(at: 1).featureValue(for: "a")?.int64Value == 2)
    #expect(batch.features(at: 1).featureValue(for: "b")?.stringValue == "y")
    #expect(throws: MLModelError.self) { try MLArrayBatchProvider(dictionary: ["a": [1, 2], "b": ["x"]]) }
    #expect(throws: MLModelError.self) { try MLArrayBatchProvider(dictionary: ["a": [Date()]]) }
    #expect(try MLArrayBatchProvider(dictionary: [:]).count == 0)
  }

  @Test func keysAreEqualByNameAndScope() {
    #expect(MLParameterKey.learningRate == MLParameterKey.learningRate.copy() as? MLParameterKey)
    let scoped = MLParameterKey.weights.scoped(to: "dense")
    #expect(scoped != .weights && scoped == MLParameterKey.weights.scoped(to: "dense") && scoped.scope == "dense")
    #expect(MLMetricKey.lossValue != MLMetricKey.epochIndex)
    #expect([MLParameterKey.seed: 1][.seed] == 1)
  }

  @Test func constraintsSayWhatIsAllowed() {
    let sizes = MLImageConstraint(
      pixelsHigh: 10, pixelsWide: 20, pixelFormatType: 0,
      sizeConstraint: MLImageSizeConstraint(sizes: [MLImageSize(pixelsWide: 5, pixelsHigh: 6)]))
    #expect(sizes.allows(wide: 5, high: 6) && sizes.allows(wide: 20, high: 10) && !sizes.allows(wide: 6, high: 5))
    let range = MLImageConstraint(
      pixelsHigh: 10, pixelsWide: 20, pixelFormatType: 0,
      sizeConstraint: MLImageSizeConstraint(wide: NSRange(8...9), high: NSRange(1...3)))
    #expect(range.allows(wide: 9, high: 3) && !range.allows(wide: 10, high: 3) && !range.allows(wide: 20, high: 10))
    let words = MLSequenceConstraint(
      valueDescription: MLFeatureDescription(name: "", type: .string, isOptional: false),
      countRange: NSRange(location: 1, length: 2))
    let feature = MLFeatureDescription(name: "s", type: .sequence, isOptional: false, sequenceConstraint: words)
    func allows(_ sequence: MLSequence) -> Bool { feature.isAllowedValue(MLFeatureValue(sequence: sequence)) }
    #expect(allows(MLSequence(strings: ["a"])) && allows(MLSequence(strings: ["a", "b", "c"])))
    #expect(!allows(MLSequence(strings: [])) && !allows(MLSequence(strings: ["a", "b", "c", "d"])))
    #expect(!allows(MLSequence(int64s: [1])))
    let keyed = MLFeatureDescription(
      name: "d", type: .dictionary, isOptional: true, dictionaryConstraint: MLDictionaryConstraint(keyType: .string))
    #expect((try? MLFeatureValue(dictionary: ["a": 1])).map(keyed.isAllowedValue) == true)
    #expect((try? MLFeatureValue(dictionary: [1: 1])).map(keyed.isAllowedValue) == false)
    #expect(keyed.isAllowedValue(MLFeatureValue(undefined: .dictionary)))
  }
}
