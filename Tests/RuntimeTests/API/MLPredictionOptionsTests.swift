import CoreMLBase
import CoreMLImages
import CoreMLSpec
import Foundation
import Testing

@testable import CoreMLImport
@testable import CoreMLRuntime

@Suite struct MLPredictionOptionsTests {
  static func options(_ backings: [String: Any]) -> MLPredictionOptions {
    let options = MLPredictionOptions()
    options.outputBackings = backings
    return options
  }

  @Test func outputsAreWrittenToTheirBackings() throws {
    let model = try TinyModel.load()
    let array = MLMultiArray(shape: [1, 2, 3], dataType: .int32, strides: [6, 1, 2])
    let image = try PixelBuffer(width: 3, height: 2, pixelFormatType: kCVPixelFormatType_OneComponent8)
    let result = try model.prediction(
      from: TinyModel.input(), options: Self.options(["y": array, "picture": image, "nothing": 3]))
    #expect(result.featureValue(for: "y")?.multiArrayValue === array)
    #expect(MLShapedArray<Int32>(array).scalars == [1, 2, 3, 4, 5, 6])
    #expect(result.featureValue(for: "picture")?.imageBufferValue === image)
    #expect(image.withUnsafeBytes { Array($0) } == [0, 2, 4, 6, 8, 10])
  }

  @Test func backingsThatDoNotFitAreRefused() throws {
    let model = try TinyModel.load()
    let gray = kCVPixelFormatType_OneComponent8
    let bad: [(String, Any)] = [
      ("y", try MLMultiArray(shape: [2, 3], dataType: .float32)), ("y", "text"),
      ("y", try PixelBuffer(width: 3, height: 2, pixelFormatType: gray)),
      ("picture", try PixelBuffer(width: 2, height: 3, pixelFormatType: gray)),
      ("picture", try PixelBuffer(width: 3, height: 2, pixelFormatType: kCVPixelFormatType_32BGRA)),
      ("picture", try MLMultiArray(shape: [1, 2, 3], dataType: .float32)),
    ]
    for (name, backing) in bad {
      #expect {
        try model.prediction(from: TinyModel.input(), options: Self.options([name: backing]))
      } throws: { error in
        (error as? MLModelError)?.code == .featureType && "\(error)".contains("'\(name)'")
      }
    }
  }

  @Test func aBatchHasNoBackings() throws {
    let model = try TinyModel.load()
    let array = try MLMultiArray(shape: [1, 2, 3], dataType: .float32)
    let batch = try MLArrayBatchProvider(array: [TinyModel.input(), TinyModel.input([9, 9, 9, 9, 9, 9])])
    let results = try model.predictions(from: batch, options: Self.options(["y": array]))
    let outputs = try (0..<2).map { try #require(results.features(at: $0).featureValue(for: "y")) }
    #expect(outputs.map { $0.shapedArrayValue(of: Float.self)?[scalarAt: 0, 0, 0] } == [1, 10])
    #expect(array[0] == 0)
  }

  @Test func theCPUMayBeAskedFor() throws {
    let model = try TinyModel.load()
    let options = MLPredictionOptions()
    options.usesCPUOnly = true
    let result = try model.prediction(from: TinyModel.input(), options: options)
    #expect(result.featureValue(for: "y")?.shapedArrayValue(of: Float.self)?.scalars == [1, 2, 3, 4, 5, 6])
    #expect(model.cpuEngine === model.engine, "it has no other device")
  }
}

@Suite struct MLParameterDescriptionTests {
  @Test func anUpdatableModelTellsItsParameters() throws {
    let description = try TinyModel.load().modelDescription
    #expect(description.isUpdatable && description.trainingInputDescriptionsByName.keys.sorted() == ["x"])
    let parameters = description.parameterDescriptionsByKey
    #expect(Set(parameters.keys) == [.learningRate, .miniBatchSize, .epochs, .shuffle])
    let rate = try #require(parameters[.learningRate])
    #expect(rate.defaultValue as? Double == 0.01)
    #expect(rate.numericConstraint?.minNumber == 0 && rate.numericConstraint?.maxNumber == 1)
    #expect(rate.numericConstraint?.enumeratedNumbers == nil)
    let batch = try #require(parameters[.miniBatchSize])
    #expect(batch.defaultValue as? Int == 16 && batch.numericConstraint?.enumeratedNumbers == [16, 32, 64])
    #expect(batch.numericConstraint?.minNumber == 16 && batch.numericConstraint?.maxNumber == 64)
    #expect(parameters[.epochs]?.defaultValue as? Int == 10 && parameters[.epochs]?.numericConstraint == nil)
    #expect(parameters[.shuffle]?.defaultValue as? Bool == true)
  }

  @Test func aPipelinesParametersHaveItsModelsAsScope() throws {
    var pipeline = WireWriter()
    pipeline.append(10, bool: true)
    pipeline.append(202) { writer in
      writer.append(1, bytes: TinyModel.specification(isUpdatable: false))
      writer.append(1, bytes: TinyModel.specification())
      writer.append(2, string: "features")
      writer.append(2, string: "head")
    }
    let parameters = try UpdateParameter.all(of: Specification.Model(Message(Bytes(pipeline.bytes))))
    #expect(parameters.count == 4 && parameters.allSatisfy { $0.scope == "head" })
    #expect(parameters.first?.description?.key == MLParameterKey.learningRate.scoped(to: "head"))
  }
}
