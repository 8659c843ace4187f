import CoreML
import CoreMLImport
import Foundation

/// Converts a model's outputs to observations.
struct Observations {
  private let description: MLModelDescription
  private let detections: Detections?

  init(_ description: MLModelDescription, _ detections: Detections?) {
    self.description = description
    self.detections = detections
  }

  func read(_ output: any MLFeatureProvider) throws -> [VNObservation] {
    if description.predictedFeatureName != nil, let name = description.predictedProbabilitiesName,
      let shares = output.featureValue(for: name), shares.type == .dictionary
    {
      return Self.classes(shares.dictionaryValue.map { ("\($0.key.base)", $0.value.floatValue) })
    }
    if let detections { return try objects(detections, output) }
    let names =
      description.outputs.isEmpty ? output.featureNames.sorted() : description.outputs.map(\.name)
    return names.compactMap { name in
      guard let value = output.featureValue(for: name) else { return nil }
      if let picture = value.imageBufferValue {
        return VNPixelBufferObservation(featureName: name, pixelBuffer: picture)
      }
      return VNCoreMLFeatureValueObservation(featureName: name, featureValue: value)
    }
  }

  /// Sorted by descending probability; ties by name, so that the order is deterministic.
  private static func classes(_ shares: [(label: String, confidence: Float)]) -> [VNClassificationObservation] {
    shares.sorted { ($1.confidence, $0.label) < ($0.confidence, $1.label) }
      .map { VNClassificationObservation(identifier: $0.label, confidence: $0.confidence) }
  }

  private func objects(_ detections: Detections, _ output: any MLFeatureProvider) throws -> [VNObservation] {
    let confidence = try rows(detections.confidence, output)
    let coordinates = try rows(detections.coordinates, output)
    guard confidence.count == coordinates.count, confidence.allSatisfy({ $0.count == detections.labels.count }),
      coordinates.allSatisfy({ $0.count == 4 })
    else {
      throw VNFailure(
        .invalidModel,
        "the detector gives \(confidence.count) rows of confidence and \(coordinates.count) boxes for \(detections.labels.count) classes"
      )
    }
    return zip(confidence, coordinates).map { confidence, box in
      // From center and size, with the origin at the top left, to the lower left corner.
      let rectangle = CGRect(
        x: box[0] - box[2] / 2, y: 1 - (box[1] + box[3] / 2), width: box[2], height: box[3])
      let labels = zip(detections.labels, confidence).map { (label: $0, confidence: Float($1)) }
      return VNRecognizedObjectObservation(boundingBox: rectangle, labels: Self.classes(labels))
    }
  }

  /// The rows of a matrix.
  private func rows(_ name: String, _ output: any MLFeatureProvider) throws -> [[Double]] {
    guard let array = output.featureValue(for: name)?.multiArrayValue, array.shape.count == 2 else {
      throw VNFailure(.invalidModel, "the output '\(name)' of the detector is no array of rows")
    }
    let (rows, columns) = (array.shape[0].intValue, array.shape[1].intValue)
    return (0..<rows).map { row in (0..<columns).map { array[row * columns + $0].doubleValue } }
  }
}
