import FeatureFiles
import Foundation
import Testing

@testable import CoreMLRuntime

/// A classifier of digits that saw eight of ten learns the other two.
@Suite(.timeLimit(.minutes(5))) struct DigitsTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Cases/digits")

  private struct Digit {
    let image: MLMultiArray
    let label: Int
  }

  private func digits(_ name: String, _ model: MLModel) throws -> [Digit] {
    let arrays = try NPZ.read(Self.folder.appending(path: name).path)
    let images = try #require(arrays["image"])
    let labels = try #require(arrays["label"])
    let description = try #require(model.modelDescription.inputDescriptionsByName["image"])
    let count = images.shape[0]
    let size = images.bytes.count / count
    return try (0..<count).map { row in
      let own = NPYArray(
        images.element, shape: Array(images.shape.dropFirst()),
        bytes: Array(images.bytes[row * size..<(row + 1) * size]))
      let label = labels.bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 4 * row, as: Int32.self) }
      return Digit(
        image: try #require(try FeatureConversion.feature(own, description).multiArrayValue), label: Int(label))
    }
  }

  /// Rows are what a digit is, columns what the model takes it for.
  private func confusion(_ model: MLModel, _ digits: [Digit]) throws -> [[Int]] {
    var table = Array(repeating: Array(repeating: 0, count: 10), count: 10)
    for digit in digits {
      let result = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["image": digit.image]))
      let label = try #require(result.featureValue(for: "label").flatMap { Int($0.stringValue) })
      table[digit.label][label] += 1
    }
    return table
  }

  private func accuracy(_ table: [[Int]], _ digits: Range<Int>) -> Double {
    let right = digits.reduce(0) { $0 + table[$1][$1] }
    return Double(right) / Double(digits.reduce(0) { $0 + table[$1].reduce(0, +) })
  }

  @Test func twentyExamplesEachTeachTwoMoreDigits() throws {
    let compiled = try MLModel.compileModel(at: Self.folder.appending(path: "Digits.mlmodel"))
    defer { try? FileManager.default.removeItem(at: compiled.deletingLastPathComponent()) }
    let model = try MLModel(contentsOf: compiled)
    let held = try digits("held.npz", model)
    let before = try confusion(model, held)
    #expect(accuracy(before, 0..<8) > 0.95 && accuracy(before, 8..<10) < 0.1)
    let examples = try digits("learn.npz", model).map {
      try MLDictionaryFeatureProvider(dictionary: ["image": $0.image, "label": "\($0.label)"])
    }
    let record = UpdateRecord()
    let task = try MLUpdateTask(
      forModelAt: compiled, trainingData: MLArrayBatchProvider(array: examples), progressHandlers: record.handlers([]))
    task.resume()
    let end = record.wait()
    if let error = task.error { throw error }
    let after = try confusion(end.model, held)
    #expect(accuracy(after, 0..<8) > 0.9, "\(after)")
    #expect(accuracy(after, 8..<10) > 0.8, "\(after)")
    for (name, table) in [("before", before), ("after", after)] {
      print(name, accuracy(table, 0..<8), accuracy(table, 8..<10))
      for row in table {
        print(row.map { String(repeating: " ", count: max(0, 4 - "\($0)".count)) + "\($0)" }.joined())
      }
    }
  }
}
