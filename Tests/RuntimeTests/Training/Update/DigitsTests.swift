import FeatureFiles
import Foundation
import TestSupport
import Testing

@testable import CoreMLRuntime

/// A classifier that was trained on eight of ten digits learns the other two.
@Suite struct DigitsTests {
  private static let folder = Checkout.cases.appending(path: "digits")

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

  /// Rows are the true digits, and columns are the predicted digits.
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

  /// Confusion matrices for the digits held out from training, before and after an update with the model's default
  /// parameters.
  private func confusions(_ name: String, learningFrom labels: Range<Int>) throws -> (before: [[Int]], after: [[Int]]) {
    let compiled = try MLModel.compileModel(at: Self.folder.appending(path: name))
    defer { try? FileManager.default.removeItem(at: compiled.deletingLastPathComponent()) }
    let model = try MLModel(contentsOf: compiled)
    let held = try digits("held.npz", model)
    let examples = try digits("learn.npz", model).filter { labels.contains($0.label) }.map {
      try MLDictionaryFeatureProvider(dictionary: ["image": $0.image, "label": "\($0.label)"])
    }
    #expect(examples.count == 20 * labels.count)
    let record = UpdateRecord()
    let task = try MLUpdateTask(
      forModelAt: compiled, trainingData: MLArrayBatchProvider(array: examples), progressHandlers: record.handlers([]))
    task.resume()
    let end = record.wait()
    if let error = task.error { throw error }
    let (before, after) = (try confusion(model, held), try confusion(end.model, held))
    for (moment, table) in [("before", before), ("after", after)] {
      print(name, moment, accuracy(table, 0..<8), accuracy(table, 8..<10))
      for row in table {
        print(row.map { String(repeating: " ", count: max(0, 4 - "\($0)".count)) + "\($0)" }.joined())
      }
    }
    return (before, after)
  }

  @Test func twentyExamplesOfEachLabelTeachTwoMoreDigits() throws {
    let (before, after) = try confusions("Digits.mlmodel", learningFrom: 0..<10)
    #expect(accuracy(before, 0..<8) > 0.95 && accuracy(before, 8..<10) < 0.1)
    #expect(accuracy(after, 0..<8) > 0.9, "\(after)")
    #expect(accuracy(after, 8..<10) > 0.8, "\(after)")
  }

  /// The update has no examples of the labels that the model knows.
  @Test func twentyExamplesOfTheTwoNewDigitsAloneTeachThem() throws {
    let (before, after) = try confusions("NewDigits.mlmodel", learningFrom: 8..<10)
    #expect(accuracy(before, 0..<8) > 0.95 && accuracy(before, 8..<10) < 0.1)
    #expect(accuracy(after, 0..<8) > 0.9, "\(after)")
    #expect(accuracy(after, 8..<10) > 0.8, "\(after)")
  }
}
