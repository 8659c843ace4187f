import MIL

extension References {
  static let nearestNeighbors: [Reference] = [
    Reference("ml.nearest_neighbors") { call in
      let x = try call.doubles("x")
      let samples = try call.doubles("samples")
      let labels = try call.keys("labels")
      let distances = labels.indices.map { row in
        x.indices.reduce(0) { sum, column in
          let difference = x[column] - samples[row * x.count + column]
          return sum + difference * difference
        }
      }
      let count = min(max(try call.invocation.int("k"), 0), labels.count)
      let nearest = Array(
        labels.indices.sorted { (distances[$0], $0) < (distances[$1], $1) }.prefix(count))
      let isInverse = try call.invocation.bool("inverse_distance", default: false)
      let isOnSample = nearest.contains { distances[$0] == 0 }
      // Labels in the order of their nearest sample, then the others.
      var order: [FeatureKey] = []
      var votes: [FeatureKey: Double] = [:]
      for sample in nearest {
        let label = labels[sample]
        if votes[label] == nil { order.append(label) }
        let vote = !isInverse ? 1 : isOnSample ? (distances[sample] == 0 ? 1 : 0) : 1 / distances[sample]
        votes[label, default: 0] += vote
      }
      for label in labels where votes.updateValue(votes[label] ?? 0, forKey: label) == nil { order.append(label) }
      let total = order.reduce(0) { $0 + (votes[$1] ?? 0) }
      let scalar = try call.tensor("labels").scalar
      let shares = order.map { ($0, total > 0 ? (votes[$0] ?? 0) / total : 0) }
      guard var best = shares.first else {
        return [try call.value("default"), FeatureKey.dictionary([], scalar)]
      }
      for share in shares where share.1 > best.1 { best = share }
      return [best.0.value, FeatureKey.dictionary(shares, scalar)]
    },
    Reference("ml.non_maximum_suppression") { call in
      let confidence = try call.doubles("confidence")
      let sizes = try call.sizes("confidence")
      let (count, classes) = (sizes[0], sizes[1])
      let boxes = try call.doubles("coordinates")
      let tops = (0..<count).map { box -> (kind: Int, confidence: Double) in
        var top = (kind: 0, confidence: classes > 0 ? confidence[box * classes] : 0)
        for index in 0..<classes where confidence[box * classes + index] > top.confidence {
          top = (index, confidence[box * classes + index])
        }
        return top
      }
      let threshold = try call.invocation.double("confidence_threshold")
      let overlap = try call.invocation.double("iou_threshold")
      let isPerClass = try call.invocation.bool("per_class", default: false)
      let maximum = call.has("maximum") ? try call.invocation.int("maximum") : Int.max
      let order = (0..<count).filter { tops[$0].confidence >= threshold }
        .sorted { tops[$0].confidence > tops[$1].confidence || (tops[$0].confidence == tops[$1].confidence && $0 < $1) }
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
        // `minimum` is the model's word: it is checked as a shape is before there are as many rows.
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
