import CoreML
import Foundation
import Testing

/// Code as in programs for Apple's framework, with the same imports. It must build unchanged and mean the same.
@Suite struct SourceCompatibilityTests {
  /// As in Xcode's generated interface of a model.
  final class Input: MLFeatureProvider {
    var image: CVPixelBuffer
    var scale: Double
    var featureNames: Set<String> { ["image", "scale"] }

    func featureValue(for featureName: String) -> MLFeatureValue? {
      if featureName == "image" { return MLFeatureValue(pixelBuffer: image) }
      if featureName == "scale" { return MLFeatureValue(double: scale) }
      return nil
    }

    init(image: CVPixelBuffer, scale: Double) {
      self.image = image
      self.scale = scale
    }
  }

  /// As in Xcode's generated interface of a classifier's output.
  final class Output: MLFeatureProvider {
    private let provider: MLFeatureProvider
    var classLabel: String { provider.featureValue(for: "classLabel")?.stringValue ?? "" }
    var classLabelProbs: [String: Double]? {
      provider.featureValue(for: "probabilities")?.dictionaryValue as? [String: Double]
    }
    var embedding: MLMultiArray? { provider.featureValue(for: "embedding")?.multiArrayValue }
    var embeddingShapedArray: MLShapedArray<Float>? { embedding.map { MLShapedArray<Float>($0) } }
    var featureNames: Set<String> { provider.featureNames }
    func featureValue(for featureName: String) -> MLFeatureValue? { provider.featureValue(for: featureName) }

    init(classLabel: String, probabilities: [String: Double], embedding: MLMultiArray) throws {
      provider = try MLDictionaryFeatureProvider(dictionary: [
        "classLabel": MLFeatureValue(string: classLabel),
        "probabilities": MLFeatureValue(dictionary: probabilities as [AnyHashable: NSNumber]),
        "embedding": MLFeatureValue(multiArray: embedding),
      ])
    }
  }

  @Test func generatedInterfacesBuild() throws {
    let image = try CVPixelBuffer(width: 2, height: 2, pixelFormatType: kCVPixelFormatType_32BGRA)
    let input = Input(image: image, scale: 0.5)
    #expect(input.featureValue(for: "image")?.imageBufferValue === image)
    #expect(input.featureValue(for: "scale")?.doubleValue == 0.5 && input.featureValue(for: "x") == nil)
    let output = try Output(
      classLabel: "cat", probabilities: ["cat": 0.75, "dog": 0.25], embedding: MLMultiArray([1, 2] as [Float]))
    #expect(output.classLabel == "cat" && output.classLabelProbs == ["cat": 0.75, "dog": 0.25])
    #expect(output.embeddingShapedArray?.scalars == [1, 2])
  }

  @Test func integerDictionariesAreReadAsGeneratedCodeDoes() throws {
    let value = try MLFeatureValue(dictionary: [3: 0.5, 4: 0.25])
    #expect(value.dictionaryValue as? [Int64: Double] == [3: 0.5, 4: 0.25])
    #expect(value.dictionaryValue[3]?.doubleValue == 0.5)
  }

  @Test func multiArraysAreFilledAndRead() throws {
    let array = try MLMultiArray(shape: [1, 3], dataType: MLMultiArrayDataType.float32)
    for index in 0..<array.count { array[index] = NSNumber(value: index * 2) }
    array[[0, 1] as [NSNumber]] = 7
    let pointer = array.dataPointer.bindMemory(to: Float.self, capacity: array.count)
    #expect(Array(UnsafeBufferPointer(start: pointer, count: array.count)) == [0, 7, 4])
    #expect(array.shape.map { $0.intValue } == [1, 3] && array.strides.last?.intValue == 1)
  }

  @Test func shapedArraysAreCollections() {
    var array = MLShapedArray<Float>(repeating: 0, shape: [3, 2])
    for index in array.indices { array[index].fill(with: Float(index)) }
    array[0] = MLShapedArraySlice([9, 8])
    #expect(array.map { $0.scalars } == [[9, 8], [1, 1], [2, 2]])
    #expect(array[1...2].count == 2 && array.last?.scalars == [2, 2] && array.prefix(1).shape == [1, 2])
    #expect(array.firstIndex { $0[scalarAt: 0] == 1 } == 1)
    let flags: [MLShapedArray<Int32>] = [[1, 2], [3, 4]]
    #expect(
      MLShapedArray(concatenating: flags, alongAxis: 0).reshaped(to: [2, 2]).transposed().scalars == [1, 3, 2, 4])
  }

  @Test func constantsHaveAppleNumbers() {
    #expect(MLFeatureType.allRawValues == [0, 1, 2, 3, 4, 5, 6, 7, 8])
    #expect(MLMultiArrayDataType.float16.rawValue == 65552 && MLMultiArrayDataType.double.rawValue == 65600)
    #expect(MLMultiArrayDataType.float32.rawValue == 65568 && MLMultiArrayDataType.int32.rawValue == 131104)
    #expect(MLMultiArrayDataType.int8.rawValue == 131080)
    #expect(MLComputeUnits.cpuAndNeuralEngine.rawValue == 3 && MLModelError.Code.predictionCancelled.rawValue == 11)
    #expect(kCVPixelFormatType_32BGRA == 1_111_970_369 && kCVPixelFormatType_OneComponent8 == 1_278_226_488)
    #expect(CGImagePropertyOrientation.right.rawValue == 6)
    #expect(MLImageSizeConstraintType.range.rawValue == 3 && MLMultiArrayShapeConstraintType.unspecified.rawValue == 1)
  }

  @Test func valuesCrossTasks() async {
    let value = MLSendableFeatureValue(MLShapedArray<Float>([1, 2, 3]))
    let sum = await Task { value.shapedArrayValue(of: Float.self)?.scalars.reduce(0, +) }.value
    #expect(sum == 6 && MLFeatureValue(value).type == .multiArray)
  }
}

extension MLFeatureType {
  fileprivate static var allRawValues: [Int] {
    let all: [MLFeatureType] = [
      .invalid, .int64, .double, .string, .image, .multiArray, .dictionary, .sequence, .state,
    ]
    return all.map(\.rawValue)
  }
}
