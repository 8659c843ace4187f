import CoreML
import Testing

/// A batch asks its provider for each row once and in order, for every model. So a provider may decode a row on access,
/// or stream rows.
@Suite struct BatchRowsTests {
  /// Rows that record each access to them and to their values.
  private final class Rows: MLBatchProvider {
    final class Row: MLFeatureProvider {
      let values: [String: MLFeatureValue]
      var asked: [String] = []
      init(_ values: [String: MLFeatureValue]) { self.values = values }
      var featureNames: Set<String> { Set(values.keys) }
      func featureValue(for featureName: String) -> MLFeatureValue? {
        asked.append(featureName)
        return values[featureName]
      }
    }
    let rows: [Row]
    var asked: [Int] = []
    init(_ values: [String: MLFeatureValue], count: Int) { rows = (0..<count).map { _ in Row(values) } }
    var count: Int { rows.count }
    func features(at index: Int) -> any MLFeatureProvider {
      asked.append(index)
      return rows[index]
    }
  }

  private func model(_ path: String) async throws -> MLModel {
    let root = SampleCodeChecks.cases().deletingLastPathComponent().deletingLastPathComponent()
    let compiled = try await MLModel.compileModel(at: root.appending(path: path))
    defer { try? FileManager.default.removeItem(at: compiled) }
    return try await MLModel.load(contentsOf: compiled)
  }

  @Test(arguments: [1, 4]) func picturesAreAskedForOnce(count: Int) async throws {
    let model = try await model("examples/digits/Digits.mlpackage")
    let image = try CVPixelBuffer(width: 32, height: 32, pixelFormatType: kCVPixelFormatType_OneComponent8)
    for options in [nil, MLPredictionOptions()] {
      let rows = Rows(["image": MLFeatureValue(pixelBuffer: image)], count: count)
      let results =
        try options.map { try model.predictions(from: rows, options: $0) } ?? model.predictions(fromBatch: rows)
      #expect(results.count == count && rows.asked == Array(0..<count))
      #expect(rows.rows.allSatisfy { $0.asked == ["image"] }, "\(rows.rows.map(\.asked))")
    }
  }

  /// More rows than a tabular model predicts one by one, and an odd number.
  @Test(arguments: [2, 45]) func numbersAreAskedForOnce(count: Int) async throws {
    for path in ["interface/line.mlmodel", "interface/sums.mlmodel"] {
      let model = try await model("Tests/Cases/\(path)")
      var values: [String: MLFeatureValue] = [:]
      for (name, input) in model.modelDescription.inputDescriptionsByName {
        let shape = try #require(input.multiArrayConstraint).shape
        values[name] = MLFeatureValue(multiArray: try MLMultiArray(shape: shape, dataType: .float32))
      }
      let rows = Rows(values, count: count)
      #expect(try model.predictions(fromBatch: rows).count == count && rows.asked == Array(0..<count), "\(path)")
    }
  }

  /// The error about an output backing that does not fit mentions its shape once, and does not mention inputs.
  @Test func backingsAreNotCalledInputs() async throws {
    let model = try await model("Tests/Cases/models/states/decoder.mlpackage")
    let token = try #require(model.modelDescription.inputDescriptionsByName.first)
    let (name, shape) = (token.key, try #require(token.value.multiArrayConstraint).shape)
    let output = try #require(model.modelDescription.outputDescriptionsByName.keys.first)
    let input = try MLDictionaryFeatureProvider(dictionary: [name: MLMultiArray(shape: shape, dataType: .int32)])
    let options = MLPredictionOptions()
    options.outputBackings = [output: try MLMultiArray(shape: [3, 5, 7], dataType: .float32)]
    let error = #expect(throws: MLModelError.self) {
      _ = try model.prediction(from: input, using: model.makeState(), options: options)
    }
    let sentence = try #require(error).localizedDescription
    #expect(sentence.hasPrefix("the backing of output '\(output)' has the shape [3, 5, 7]"), "\(sentence)")
    #expect(sentence.components(separatedBy: "has the shape").count == 2 && !sentence.contains("inputs"), "\(sentence)")
    #expect(error?.code == .featureType && error?.underlyingCode == "runtime.invalid-input")
  }
}
