import CoreMLBase
import CoreMLSpec
import MIL

extension Function {
  /// The labels of the classifier that computes a feature, strings or 64-bit integers. If the feature is nil or not
  /// found, the labels of the only classifier. Nil if several classifiers are possible.
  package func classLabels(of feature: String?) -> [Any]? {
    let classifiers = body.operations.filter { $0.type == "classify" || $0.type == "ml.nearest_neighbors" }
    if let feature, let place = featureOutputNames.firstIndex(of: feature), body.outputs.indices.contains(place) {
      let output = body.outputs[place]
      let value = sources()[output] ?? output
      if let named = classifiers.first(where: { $0.outputs.contains { $0.name == value } }) { return labels(of: named) }
    }
    return classifiers.count == 1 ? labels(of: classifiers[0]) : nil
  }

  /// Maps each value that only renames another (through operations of `types`) to the original value. Operations are in
  /// order, so one lookup each is enough.
  private func sources(through types: Set<String> = ["identity"]) -> [String: String] {
    var sources: [String: String] = [:]
    for operation in body.operations where types.contains(operation.type) {
      guard let name = operation.outputs.first?.name, let value = operation.inputs["x"]?.first?.name else { continue }
      sources[name] = sources[value] ?? value
    }
    return sources
  }

  private func labels(of classifier: Operation) -> [Any]? {
    let remembers = classifier.type == "ml.nearest_neighbors"
    var tensors: [Tensor] = []
    switch classifier.value(remembers ? "labels" : "classes", constants) {
    case .tensor(let tensor): tensors = [tensor]
    case .list(let items, _): tensors = items.compactMap(\.tensor)
    default: return nil
    }
    let all = tensors.map { Self.labels($0) }.joined()
    guard remembers else { return all.map(\.base) }
    // There is one label per sample. Returns each distinct label once, in the order of the samples. Strings are
    // compared by their bytes.
    var seen: Set<AnyHashable> = []
    return all.filter { label in
      seen.insert((label.base as? String).map { AnyHashable(ExactText($0)) } ?? label).inserted
    }.map(\.base)
  }

  private static func labels(_ tensor: Tensor) -> [AnyHashable] {
    if tensor.scalar == .string { return (try? tensor.strings()) ?? [] }
    return ((try? tensor.ints()) ?? []).map { Int64($0) }
  }

  /// The outputs that contain a detector's results, if the boxes come from a non-maximum suppression that has class
  /// names.
  package var detections: Detections? {
    let suppressions = body.operations.filter { $0.type == "ml.non_maximum_suppression" }
    guard !suppressions.isEmpty else { return nil }
    let sources = sources(through: ["identity", "cast"])
    let features = Dictionary(
      zip(body.outputs.map { sources[$0] ?? $0 }, featureOutputNames), uniquingKeysWith: { first, _ in first })
    for suppression in suppressions.reversed() {
      func feature(of result: Int) -> String? {
        guard suppression.outputs.indices.contains(result) else { return nil }
        return features[suppression.outputs[result].name]
      }
      guard case .tensor(let labels) = suppression.value("labels", constants), let confidence = feature(of: 0),
        let coordinates = feature(of: 1)
      else { continue }
      return Detections(confidence: confidence, coordinates: coordinates, labels: Self.labels(labels).map { "\($0)" })
    }
    return nil
  }
}

/// The features that contain a detector's results, with one row per box.
package struct Detections: Sendable {
  /// The confidence of each class, one row per box.
  package let confidence: String
  /// The boxes: center x, center y, width and height, in fractions of the image, from its top left corner.
  package let coordinates: String
  /// The names of the classes.
  package let labels: [String]
}
