import CoreMLBase
import MIL

enum NearestNeighborsReference {
  static let all: [Reference] = [
    Reference("ml.nearest_neighbors") { call in
      let labels = try call.keys("labels")
      let scalar = try call.tensor("labels").scalar
      guard !labels.isEmpty else { return [try call.value("default"), FeatureKey.dictionary([], scalar)] }
      let nearest = try nearest(call, count: labels.count)
      var (all, places) = ([FeatureKey](), [FeatureKey: Int]())
      for label in labels where places.updateValue(places[label] ?? all.count, forKey: label) == nil {
        all.append(label)
      }
      return try votes(
        nearest.map { (places[labels[$0.sample]] ?? 0, $0.distance) }, for: all, scalar,
        isInverse: call.invocation.bool("inverse_distance", default: false))
    },
    Reference("ml.nearest_samples") { call in
      let nearest = try nearest(call, count: try call.sizes("samples")[0])
      return [
        .tensor(Tensor(int32: nearest.map(\.sample), shape: [nearest.count])),
        .tensor(Tensor(float64: nearest.map(\.distance), shape: [nearest.count])),
      ]
    },
    Reference("ml.neighbor_votes") { call in
      let labels = try call.keys("labels")
      let places = try call.tensor("places").ints()
      guard !labels.isEmpty, places.allSatisfy(labels.indices.contains) else {
        throw call.invocation.error(.invalidArgument, "'places' are beyond the \(labels.count) labels")
      }
      let distances = try call.doubles("distances")
      return try votes(
        places.indices.map { (places[$0], distances[$0]) }, for: labels, try call.tensor("labels").scalar,
        isInverse: call.invocation.bool("inverse_distance", default: false))
    },
    Reference("ml.non_maximum_suppression") { call in
      let confidence = try call.doubles("confidence")
      let sizes = try call.sizes("confidence")
      let (count, classes) = (sizes[0], sizes[1])
      let boxes = try call.doubles("coordinates")
      let tops = (0..<count).map { box -> (kind: Int, confidence: Double) in
        var top = (kind: 0, confidence: classes > 0 ? confidence[box * classes] : 0)
        for index in 0..<classes where BestFirst.isBetter(confidence[box * classes + index], than: top.confidence) {
          top = (index, confidence[box * classes + index])
        }
        return top
      }
      let threshold = try call.invocation.double("confidence_threshold")
      let overlap = try call.invocation.double("iou_threshold")
      let isPerClass = try call.invocation.bool("per_class", default: false)
      let maximum = call.has("maximum") ? try call.invocation.int("maximum") : Int.max
      let order = BestFirst.order((0..<count).filter { tops[$0].confidence >= threshold }) { tops[$0].confidence }
      var kept: [Int] = []
      var point = CancellationPoint()
      for box in order where kept.count < maximum {
        try point.pass(max(kept.count, 1))
        let isCovered = kept.contains { other in
          (!isPerClass || tops[box].kind == tops[other].kind) && shared(boxes, box, other) > overlap
        }
        if !isCovered { kept.append(box) }
      }
      let rows = max(kept.count, try call.invocation.int("minimum", default: 0))
      func result(_ values: [Double], _ width: Int) throws -> Value {
        // The model defines `minimum`, so `Tensor.zeros` checks the shape before it allocates.
        let tensor = try Tensor.zeros(.float64, shape: [rows, width])
        guard let target = tensor.storage.mutablePointer?.assumingMemoryBound(to: Double.self) else {
          return .tensor(tensor)
        }
        for (row, box) in kept.enumerated() {
          for column in 0..<width { target[row * width + column] = values[box * width + column] }
        }
        return .tensor(tensor)
      }
      return [try result(confidence, classes), try result(boxes, 4)]
    },
  ]

  /// The samples nearest to x and their squared distances.
  private static func nearest(_ call: ReferenceCall, count: Int) throws -> [(sample: Int, distance: Double)] {
    let x = try call.doubles("x")
    let samples = try call.doubles("samples")
    let distances = (0..<count).map { row in
      x.indices.reduce(0) { sum, column in
        let difference = x[column] - samples[row * x.count + column]
        return sum + difference * difference
      }
    }
    let order = distances.indices.sorted { (distances[$0], $0) < (distances[$1], $1) }
    return order.prefix(max(try call.invocation.int("k"), 0)).map { ($0, distances[$0]) }
  }

  /// The label with the most votes, and each label's share. Labels are in the order of their nearest sample, then the
  /// others.
  private static func votes(
    _ neighbors: [(place: Int, distance: Double)], for labels: [FeatureKey], _ scalar: ScalarType, isInverse: Bool
  ) throws -> [Value] {
    let isOnSample = neighbors.contains { $0.distance == 0 }
    var (order, votes) = ([Int](), [Double?](repeating: nil, count: labels.count))
    for (place, distance) in neighbors {
      if votes[place] == nil { order.append(place) }
      let vote = !isInverse ? 1 : isOnSample ? (distance == 0 ? 1 : 0) : 1 / distance
      votes[place] = (votes[place] ?? 0) + vote
    }
    order += labels.indices.filter { votes[$0] == nil }
    let total = order.reduce(0) { $0 + (votes[$1] ?? 0) }
    let shares = order.map { (labels[$0], total > 0 ? (votes[$0] ?? 0) / total : 0) }
    var best = shares[0]
    for share in shares where share.1 > best.1 { best = share }
    return [best.0.value, FeatureKey.dictionary(shares, scalar)]
  }

  /// Intersection over union of two boxes of a list.
  private static func shared(_ boxes: [Double], _ a: Int, _ b: Int) -> Double {
    func length(_ axis: Int) -> Double {
      let (p, q) = (boxes[a * 4 + axis], boxes[b * 4 + axis])
      let (v, w) = (boxes[a * 4 + axis + 2] / 2, boxes[b * 4 + axis + 2] / 2)
      return max(0, min(p + v, q + w) - max(p - v, q - w))
    }
    let both = length(0) * length(1)
    let either = boxes[a * 4 + 2] * boxes[a * 4 + 3] + boxes[b * 4 + 2] * boxes[b * 4 + 3] - both
    return either > 0 ? both / either : 0
  }
}
