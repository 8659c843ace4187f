import CoreMLImages
import Foundation
import Testing

@testable import CoreMLRuntime

@Suite struct MLFeatureValueTests {
  @Test func undefinedHasATypeAlone() {
    let value = MLFeatureValue(undefined: .multiArray)
    #expect(value.isUndefined && value.type == .multiArray && value.multiArrayValue == nil)
    #expect(value.int64Value == 0 && value.doubleValue == 0 && value.stringValue == "" && value.dictionaryValue.isEmpty)
  }

  @Test func valuesOfOneTypeAreNotOfAnother() {
    #expect(MLFeatureValue(double: 2.5).int64Value == 0)
    #expect(MLFeatureValue(int64: 2).doubleValue == 0)
    #expect(MLFeatureValue(string: "2").sequenceValue == nil)
  }

  @Test func shapedArraysGoInAndOut() {
    let shaped = MLShapedArray<Float>(scalars: [1, 2, 3, 4], shape: [2, 2])
    let value = MLFeatureValue(shapedArray: shaped)
    #expect(value.type == .multiArray && value.multiArrayValue?.dataType == .float32)
    #expect(value.shapedArrayValue(of: Float.self) == shaped)
    #expect(value.shapedArrayValue(of: Double.self) == nil)
    #expect(MLFeatureValue(int64: 1).shapedArrayValue(of: Int32.self) == nil)
  }

  @Test func dictionariesHaveKeysOfOneType() throws {
    let strings = try MLFeatureValue(dictionary: ["a": 1, "b": 2.5])
    #expect(strings.dictionaryValue["b"] == 2.5)
    let integers = try MLFeatureValue(dictionary: [1: 0.5, UInt8(2): 1, NSNumber(value: 3): 2])
    #expect(integers.dictionaryValue[1] == 0.5 && integers.dictionaryValue[2] == 1 && integers.dictionaryValue[3] == 2)
    #expect(integers.dictionaryValue.keys.allSatisfy { $0.base is Int64 })
    for bad: [AnyHashable: NSNumber] in [["a": 1, 2: 2], [1.5: 1], [NSNumber(value: 0.5): 1], [UInt64.max: 1]] {
      #expect(throws: MLModelError.self) { try MLFeatureValue(dictionary: bad) }
    }
    #expect(try MLFeatureValue(dictionary: [:]).dictionaryValue.isEmpty)
  }

  @Test func providersBoxWhatAValueIsMadeOf() throws {
    let provider = try MLDictionaryFeatureProvider(dictionary: [
      "int": 3, "uint8": UInt8(4), "bool": true, "double": 2.0, "float": Float(0.5), "half": Float16(0.25),
      "number": NSNumber(value: 2.0), "string": "x", "shaped": MLShapedArray<Int32>(scalars: [1, 2], shape: [2]),
      "slice": MLShapedArray<Int32>(scalars: [1, 2], shape: [1, 2])[0], "words": MLSequence(strings: ["a"]),
      "strings": ["a": 1], "sendable": MLSendableFeatureValue(7), "multi": try MLMultiArray([1.5]),
    ])
    func type(_ name: String) -> MLFeatureType? { provider[name]?.type }
    #expect(type("int") == .int64 && type("uint8") == .int64 && type("bool") == .int64)
    #expect(type("double") == .double && type("float") == .double && type("half") == .double)
    #expect(type("number") == .double && provider["number"]?.doubleValue == 2)
    #expect(type("string") == .string && type("words") == .sequence && type("strings") == .dictionary)
    #expect(provider["shaped"]?.shapedArrayValue(of: Int32.self)?.scalars == [1, 2])
    #expect(provider["slice"]?.multiArrayValue?.shape == [2] && provider["sendable"]?.int64Value == 7)
    #expect(provider.featureNames.count == 14 && provider.featureValue(for: "none") == nil)
    for bad: Any in [Date(), UInt64.max, ["a": "b"]] {
      #expect(throws: MLModelError.self) { try MLDictionaryFeatureProvider(dictionary: ["x": bad]) }
    }
  }
}

@Suite struct MLSendableFeatureValueTests {
  @Test func numbersKeepTheirPrecision() {
    let half = MLSendableFeatureValue(Float16(0.5))
    #expect(half.type == .double && half.isScalar && half.float16Value == 0.5 && half.doubleValue == nil)
    #expect(MLSendableFeatureValue(Int32(3)).integerValue == 3 && MLSendableFeatureValue(3).type == .int64)
    #expect(MLSendableFeatureValue(Float(1)).floatValue == 1 && MLSendableFeatureValue(2.0).doubleValue == 2)
    #expect(MLSendableFeatureValue(1.0) != MLSendableFeatureValue(1))
  }

  @Test func everythingGoesThereAndBack() throws {
    let shaped = MLShapedArray<Float16>(scalars: [1, 2, 3, 4], shape: [2, 2]).transposed()
    let values = [
      MLSendableFeatureValue(5), MLSendableFeatureValue(0.5), MLSendableFeatureValue("x"),
      MLSendableFeatureValue(["a", "b"]), MLSendableFeatureValue(["a": 1.5]), MLSendableFeatureValue([3: 4]),
      MLSendableFeatureValue(shaped), MLSendableFeatureValue(undefined: .string),
      MLSendableFeatureValue(MLShapedArray<Int8>(scalar: 1)),
    ]
    for value in values { #expect(MLSendableFeatureValue(MLFeatureValue(value)) == value) }
    #expect(values[4].stringDictionaryValue == ["a": 1.5] && values[5].integerDictionaryValue == [3: 4])
    #expect(values[3].stringArrayValue == ["a", "b"] && values[3].type == .sequence && !values[3].isScalar)
    #expect(values[6].shapedArrayValue(of: Float16.self) == shaped && values[6].isShapedArray)
    #expect(values[6].shapedArrayValue(of: Float.self) == nil)
    #expect(values[7].isUndefined && values[7].type == .string && values[7].stringValue == nil)
  }

  @Test func arraysAreCopied() throws {
    let multi = try MLMultiArray([1, 2] as [Int32])
    let value = try #require(MLSendableFeatureValue(MLFeatureValue(multiArray: multi)))
    multi[0] = 9
    #expect(value.shapedArrayValue(of: Int32.self)?.scalars == [1, 2])
  }

  @Test func whatCannotBeSentIsNil() throws {
    let image = try PixelBuffer(width: 1, height: 1, pixelFormatType: kCVPixelFormatType_32BGRA)
    #expect(MLSendableFeatureValue(MLFeatureValue(pixelBuffer: image)) == nil)
    #expect(MLSendableFeatureValue(MLFeatureValue(sequence: MLSequence(int64s: [1]))) == nil)
  }
}
