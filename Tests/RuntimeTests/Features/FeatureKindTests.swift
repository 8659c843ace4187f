import CoreMLImages
import Foundation
import TestModels
import TestSupport
import Testing

@testable import CoreMLRuntime

/// Features beyond fixed arrays: images, sequences, optional features and flexible sizes, alone and in pipelines.
/// coremltools wrote the models in `Tests/Cases/models` (tools/make-feature-models.py).
@Suite struct FeatureKindTests {
  typealias F = FeatureModels

  private static func load(_ name: String) throws -> MLModel {
    let file = Checkout.cases.appending(path: "models/\(name).mlmodel")
    return try F.load([UInt8](Data(contentsOf: file)))
  }

  /// An image whose red, green and blue are functions of the position.
  private static func picture(_ width: Int, _ height: Int, _ pixel: (Int, Int) -> (UInt8, UInt8, UInt8)) throws
    -> PixelBuffer
  {
    let picture = try PixelBuffer(width: width, height: height, pixelFormatType: kCVPixelFormatType_32BGRA)
    picture.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let (red, green, blue) = pixel(x, y)
          for (index, value) in [blue, green, red, 255].enumerated() {
            bytes[y * picture.bytesPerRow + x * 4 + index] = value
          }
        }
      }
    }
    return picture
  }

  private static func pattern(_ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8) {
    (UInt8(x * 20 + y), UInt8(y * 30), UInt8(x + 200))
  }

  private static func negative(_ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8) {
    let (red, green, blue) = pattern(x, y)
    return (255 - red, 255 - green, 255 - blue)
  }

  private static func bytes(_ picture: PixelBuffer?) -> [[UInt8]] {
    guard let picture else { return [] }
    return picture.withUnsafeBytes { bytes in
      (0..<picture.height).map { y in
        Array(bytes[(y * picture.bytesPerRow)..<(y * picture.bytesPerRow + picture.width * 4)])
      }
    }
  }

  private static func predict(_ model: MLModel, _ input: [String: Any], _ backings: [String: Any] = [:]) throws
    -> any MLFeatureProvider
  {
    let options = MLPredictionOptions()
    options.outputBackings = backings
    return try model.prediction(from: MLDictionaryFeatureProvider(dictionary: input), options: options)
  }

  // MARK: images

  @Test func aPictureGoesThroughAProgramAndANetwork() throws {
    let model = try Self.load("pictureProgramPipeline")
    let picture = try Self.picture(6, 4, Self.pattern)
    let means = try MLMultiArray(shape: [1, 3], dataType: .double)
    let result = try Self.predict(model, ["x": MLFeatureValue(pixelBuffer: picture)], ["means": means])
    // In the order blue, green, red: the means of x + 200, 30 y and 20 x + y. Then 0.5 m + (1, 2, 3), and 2 m - 1.
    #expect(result.featureValue(for: "means")?.multiArrayValue === means)
    #expect(result.numbers("means") == [102.25, 24.5, 28.75])
    #expect(result.numbers("y") == [203.5, 48, 56.5])
  }

  @Test func onePictureLeadsToAnother() throws {
    let model = try Self.load("picturePipeline")
    let picture = try Self.picture(6, 4, Self.pattern)
    let backing = try PixelBuffer(width: 6, height: 4, pixelFormatType: kCVPixelFormatType_32BGRA)
    let result = try Self.predict(model, ["picture": MLFeatureValue(pixelBuffer: picture)], ["inverted": backing])
    #expect(result.featureValue(for: "inverted")?.imageBufferValue === backing)
    #expect(Self.bytes(backing) == Self.bytes(picture))
  }

  @Test(
    arguments: [
      ("enumeratedPicture", [(6, 4), (8, 8)], [(4, 6), (8, 4), (7, 7)]),
      ("rangePicture", [(3, 2), (9, 8), (5, 5)], [(2, 2), (10, 8), (9, 9)]),
    ] as [(String, [(Int, Int)], [(Int, Int)])])
  func sizesOfPicturesVary(_ name: String, _ allowed: [(Int, Int)], _ other: [(Int, Int)]) throws {
    let model = try Self.load(name)
    for (width, height) in allowed {
      let picture = try Self.picture(width, height, Self.pattern)
      let result = try Self.predict(model, ["picture": MLFeatureValue(pixelBuffer: picture)])
      let expected = try Self.picture(width, height, Self.negative)
      #expect(Self.bytes(result.featureValue(for: "inverted")?.imageBufferValue) == Self.bytes(expected))
    }
    for (width, height) in other {
      let picture = try Self.picture(width, height) { _, _ in (0, 0, 0) }
      let error = #expect(throws: MLModelError.self) {
        try Self.predict(model, ["picture": MLFeatureValue(pixelBuffer: picture)])
      }
      #expect(error?.code == .featureType && error?.message.contains("\(width) x \(height) pixels") == true)
    }
  }

  /// In either array mapping: (1, 3, H, W) and (1, 1, 3, H, W).
  @Test(arguments: [true, false]) func aNetworkTakesAPictureInAPipeline(_ isExact: Bool) throws {
    let network = F.model(500, [.image("picture", 3, 2)], [.array("planes", isExact ? [1, 3, 2, 3] : [3, 2, 3])]) {
      message in
      message.append(1, bytes: Net.add("picture", 1, "planes"))
      message.append(2) { step in
        step.append(1, string: "picture")
        step.append(10) { scaler in
          scaler.append(10, float: 2)
          scaler.append(20, float: -3)
          scaler.append(22, float: 5)
        }
      }
      if isExact { for field in [5, 6] { message.append(field, int: 1) } }
    }
    let pipeline = F.pipeline([.image("picture", 3, 2)], [.array("planes", [3, 2, 3])], [network])
    let picture = try Self.picture(3, 2) { x, y in (UInt8(x), UInt8(y), 7) }
    let planes = try F.predict(pipeline, ["picture": MLFeatureValue(pixelBuffer: picture)]).numbers("planes")
    let red: [Double] = [6, 8, 10, 6, 8, 10]
    #expect(planes == red + [1, 1, 1, 3, 3, 3] + Array(repeating: 12, count: 6))
  }

  @Test func anOptionalPictureIsBlack() throws {
    let model = try F.load(F.model(900, [.image("x", 3, 2).optional], [.image("y", 3, 2)]))
    let result = try Self.predict(model, [:])
    #expect(
      Self.bytes(result.featureValue(for: "y")?.imageBufferValue)
        == Self.bytes(try Self.picture(3, 2) { _, _ in (0, 0, 0) }))
  }

  @Test func defaultsOfImpossibleSizesAreRefused() throws {
    let array = F.model(900, [.array("x", [1 << 40, 1 << 10]).optional], [.array("y", [1])])
    let stage = F.model(900, [.array("x", [1 << 40]).optional, .double("a")], [.array("y", [1])])
    #expect(F.refusal(F.pipeline([.double("a")], [.array("y", [1])], [stage]))?.contains("'x'") == true)
    for model in [array, F.model(900, [.image("x", 1 << 30, 1 << 20).optional], [.image("y", 1, 1)])] {
      let error = #expect(throws: MLModelError.self) { try F.predict(model, [:]) }
      #expect(error?.message.contains("'x'") == true, "\(String(describing: error))")
    }
  }

  @Test func sizesThatAreNotSaidComeFromTheOnesAllowed() throws {
    func image(_ flexibility: @escaping F.Fields) -> F.Feature {
      F.Feature(name: "x") { type in
        type.append(4) { image in
          image.append(3, int: 20)
          flexibility(&image)
        }
      }
    }
    let enumerated = image { image in
      image.append(21) { sizes in
        for (width, height) in [(5, 4), (2, 3)] as [(UInt64, UInt64)] {
          sizes.append(1) { size in
            size.append(1, uint: width)
            size.append(2, uint: height)
          }
        }
      }
    }
    let ranged = image { image in
      image.append(31) { range in
        for (field, lower) in [(1, 5), (2, 4)] as [(Int, UInt64)] {
          range.append(field) { size in
            size.append(1, uint: lower)
            size.append(2, int: -1)
          }
        }
      }
    }
    for feature in [enumerated, ranged] {
      let model = try F.load(F.model(900, [feature.optional], [F.Feature(name: "y", type: feature.type)]))
      let constraint = try #require(model.modelDescription.inputDescriptionsByName["x"]?.imageConstraint)
      #expect(constraint.pixelsWide == 5 && constraint.pixelsHigh == 4)
      let picture = try Self.predict(model, [:]).featureValue(for: "y")?.imageBufferValue
      #expect(picture?.width == 5 && picture?.height == 4)
    }
  }

  // MARK: arrays

  @Test func theSizesOfAnArrayAreThoseEnumerated() throws {
    let model = try Self.load("enumeratedArray")
    for values in [[1, 2], [1, 2, 3, 4, 5]] as [[Float]] {
      let found = try Self.predict(model, ["x": CustomLayers.array(values, [1, values.count])]).numbers("y")
      #expect(found == values.map { Double(2 * $0) })
    }
    for shape in [[1, 3], [5], [2, 1]] {
      let error = #expect(throws: MLModelError.self) {
        try Self.predict(model, ["x": CustomLayers.array(Array(repeating: 0, count: shape.reduce(1, *)), shape)])
      }
      #expect(error?.code == .featureType && error?.message.contains("'x'") == true)
    }
  }

  @Test func arraysAreConvertedAndDefaultsStandIn() throws {
    let model = try Self.load("optionalInput")
    for type in [MLMultiArrayDataType.double, .float32, .float16, .int32, .int8] {
      let array = try MLMultiArray(shape: [1, 4], dataType: type)
      for index in 0..<4 { array[index] = NSNumber(value: index - 1) }
      #expect(try Self.predict(model, ["a": array]).numbers("sum") == [1.5, 2.5, 3.5, 4.5])
      #expect(try Self.predict(model, ["a": array, "b": array]).numbers("sum") == [-2, 0, 2, 4])
      #expect(try Self.predict(Self.load("optionalInPipeline"), ["a": array]).numbers("sum") == [1.5, 2.5, 3.5, 4.5])
    }
    let error = #expect(throws: MLModelError.self) { try Self.predict(model, [:]) }
    #expect(error?.code == .featureType && error?.message.contains("'a' is missing") == true)
  }

  // MARK: sequences

  @Test func sequencesGoThroughPipelines() throws {
    func identity(_ from: String, _ to: String, _ kind: Int) -> [UInt8] {
      F.model(900, [.sequence(from, kind)], [.sequence(to, kind)])
    }
    let integers = F.pipeline([.integers("a")], [.integers("c")], [identity("a", "b", 1), identity("b", "c", 1)])
    for values in [[], [3], [Int64.min, 0, .max]] as [[Int64]] {
      let numbers = values.map { NSNumber(value: $0) }
      let result = try F.predict(integers, ["a": MLFeatureValue(sequence: MLSequence(int64s: numbers))])
      #expect(result.featureValue(for: "c")?.sequenceValue?.int64Values == numbers)
    }
    let strings = F.pipeline([.strings("a")], [.strings("c")], [identity("a", "b", 3), identity("b", "c", 3)])
    for values in [[], ["one"], ["", "ü", "three"]] as [[String]] {
      let result = try F.predict(strings, ["a": MLFeatureValue(sequence: MLSequence(strings: values))])
      #expect(result.featureValue(for: "c")?.sequenceValue?.stringValues == values)
    }
    let mixed = F.pipeline([.strings("a")], [.integers("b")], [identity("a", "b", 1)])
    #expect(F.refusal(mixed)?.contains("'a'") == true)
  }

  @Test func sequencesHaveDeclaredLengths() throws {
    let feature = F.Feature.sequence("x", 3, (1, 2))
    let model = try F.load(F.model(900, [feature], [.strings("y")]))
    let constraint = try #require(model.modelDescription.inputDescriptionsByName["x"]?.sequenceConstraint)
    #expect(constraint.countRange == NSRange(location: 1, length: 1))
    for values in [["a"], ["a", "b"]] {
      let result = try Self.predict(model, ["x": MLFeatureValue(sequence: MLSequence(strings: values))])
      #expect(result.featureValue(for: "y")?.sequenceValue?.stringValues == values)
    }
    for (sequence, words) in [
      (MLSequence(strings: []), "0 values, expected 1 to 2"),
      (MLSequence(strings: ["a", "b", "c"]), "3 values, expected 1 to 2"), (MLSequence(int64s: [1]), "expected string"),
    ] {
      let error = #expect(throws: MLModelError.self) {
        try Self.predict(model, ["x": MLFeatureValue(sequence: sequence)])
      }
      #expect(error?.code == .featureType && error?.message.contains(words) == true, "\(String(describing: error))")
    }
    let open = try F.load(F.model(900, [.sequence("x", 1, (2, -1))], [.integers("y")]))
    let long = MLSequence(int64s: (0..<1000).map { NSNumber(value: $0) })
    #expect(
      try Self.predict(open, ["x": MLFeatureValue(sequence: long)]).featureValue(for: "y")?.sequenceValue?.int64Values
        .count == 1000)
    let error = #expect(throws: MLModelError.self) {
      try Self.predict(open, ["x": MLFeatureValue(sequence: MLSequence(int64s: [1]))])
    }
    #expect(error?.message.contains("1 values, expected 2 to any number") == true)
  }

  @Test func anOptionalSequenceIsEmpty() throws {
    for feature in [F.Feature.integers("x"), .strings("x")] {
      let model = try F.load(F.model(900, [feature.optional], [F.Feature(name: "y", type: feature.type)]))
      #expect(try Self.predict(model, [:]).featureValue(for: "y")?.sequenceValue?.count == 0)
    }
  }

  // MARK: conversion

  @Test func kindsThatCannotBeConvertedAreTold() throws {
    let picture = MLFeatureValue(pixelBuffer: try Self.picture(2, 2) { _, _ in (0, 0, 0) })
    let array = MLFeatureValue(multiArray: try MLMultiArray(shape: [2], dataType: .double))
    let words = MLFeatureValue(sequence: MLSequence(strings: ["a"]))
    let wrong: [(F.Feature, [MLFeatureValue])] = [
      (.double("x"), [MLFeatureValue(string: "1"), picture, words]),
      (.int64("x"), [MLFeatureValue(double: 1.5), MLFeatureValue(string: "1"), picture]),
      (.string("x"), [MLFeatureValue(int64: 1), array]), (.array("x", [3]), [array, picture, words]),
      (.image("x", 2, 2), [array, MLFeatureValue(double: 1)]), (.strings("x"), [MLFeatureValue(string: "a"), array]),
      (.dictionary("x"), [words, array]),
    ]
    for (feature, values) in wrong {
      let model = try F.load(F.model(900, [feature], [F.Feature(name: "y", type: feature.type)]))
      for value in values {
        let error = #expect(throws: MLModelError.self) { try Self.predict(model, ["x": value]) }
        #expect(error?.code == .featureType && error?.message.contains("'x'") == true, "\(String(describing: error))")
      }
    }
  }

  @Test func numbersAreConverted() throws {
    let number = try F.load(F.model(900, [.double("x")], [.double("y")]))
    #expect(try Self.predict(number, ["x": Int64(-3)]).featureValue(for: "y")?.doubleValue == -3)
    let integer = try F.load(F.model(900, [.int64("x")], [.int64("y")]))
    #expect(try Self.predict(integer, ["x": 4.0]).featureValue(for: "y")?.int64Value == 4)
  }
}
