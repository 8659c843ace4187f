import Foundation
import TestModels

@testable import CoreMLRuntime

extension AppleFolder {
  func model(function: String? = nil) throws -> MLModel {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    configuration.functionName = function
    return try MLModel(contentsOf: URL(filePath: path), configuration: configuration)
  }

  /// The elements of output `y` for the given elements of input `x`.
  func run(_ values: [Float], _ shape: [Int], function: String? = nil) throws -> [Double] {
    let model = try model(function: function)
    let array = try MLMultiArray(shape: shape.map { NSNumber(value: $0) }, dataType: .float32)
    for (index, value) in values.enumerated() { array[index] = NSNumber(value: value) }
    let result = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": array]))
    guard let y = result.featureValue(for: "y")?.multiArrayValue else { return [] }
    return (0..<y.count).map { y[$0].doubleValue }
  }
}
