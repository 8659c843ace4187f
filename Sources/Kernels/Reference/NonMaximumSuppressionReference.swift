import CoreMLBase
import MIL

/// Greedy suppression. Boxes are sorted by decreasing score of their best class, equal scores by increasing index. A
/// box that overlaps a kept box by more than `iou_threshold` is removed. With `per_class_suppression` only boxes of
/// the same best class suppress each other.
///
/// Fewer than `max_boxes` results are padded with zero boxes, zero scores and the index -1.
enum NonMaximumSuppressionReference {
  static let all: [Reference] = [
    Reference("non_maximum_suppression", "nn.non_maximum_suppression") { call in
      let boxes = try BoxList(call)
      let limit = try call.invocation.int("max_boxes")
      let kept = try (0..<boxes.batch).map { batch in
        try boxes.suppressed(
          batch, overlap: call.invocation.double("iou_threshold"),
          score: call.has("score_threshold") ? call.invocation.double("score_threshold") : -.infinity,
          keepsBest: call.operation.hasPrefix("nn."),
          perClass: call.invocation.bool("per_class_suppression", default: false), limit: limit)
      }
      func padded(_ width: Int, _ value: (_ batch: Int, _ box: Int, _ column: Int) -> Double) throws -> [Double] {
        let (rows, columns) = boxes.isBoxMajor ? (limit, width) : (width, limit)
        return try Indices([boxes.batch, rows, columns]).map { index in
          let (place, column) = boxes.isBoxMajor ? (index[1], index[2]) : (index[2], index[1])
          return place < kept[index[0]].count ? value(index[0], kept[index[0]][place], column) : 0
        }
      }
      let indices = try Indices([boxes.batch, limit]).map {
        $0[1] < kept[$0[0]].count ? Double(kept[$0[0]][$0[1]]) : -1
      }
      var results = [
        try call.result(try padded(4, boxes.coordinate), 0), try call.result(try padded(boxes.classes, boxes.score), 1),
        try call.result(indices, 2),
      ]
      if boxes.isBoxMajor { results.append(try call.result(kept.map { Double($0.count) }, 3)) }
      return results
    }
  ]
}

/// Boxes as (center x, center y, width, height) and their scores, in either layout.
private struct BoxList {
  let batch: Int
  let count: Int
  let classes: Int
  let isBoxMajor: Bool
  private let boxes: [Double]
  private let scores: [Double]

  init(_ call: ReferenceCall) throws {
    isBoxMajor = call.has("score_threshold")
    let shape = try call.sizes("scores")
    batch = shape[0]
    count = shape[isBoxMajor ? 1 : 2]
    classes = shape[isBoxMajor ? 2 : 1]
    boxes = try call.doubles("boxes")
    scores = try call.doubles("scores")
  }

  func coordinate(_ batch: Int, _ box: Int, _ column: Int) -> Double {
    isBoxMajor ? boxes[(batch * count + box) * 4 + column] : boxes[(batch * 4 + column) * count + box]
  }

  func score(_ batch: Int, _ box: Int, _ kind: Int) -> Double {
    isBoxMajor ? scores[(batch * count + box) * classes + kind] : scores[(batch * classes + kind) * count + box]
  }

  /// The boxes that are kept, best first.
  func suppressed(
    _ batch: Int, overlap: Double, score threshold: Double, keepsBest: Bool, perClass: Bool, limit: Int
  ) throws -> [Int] {
    guard classes > 0 else { return [] }
    var best: [(score: Double, kind: Int)] = []
    for box in 0..<count {
      var top = (score: self.score(batch, box, 0), kind: 0)
      for kind in 1..<classes where BestFirst.isBetter(self.score(batch, box, kind), than: top.score) {
        top = (self.score(batch, box, kind), kind)
      }
      best.append(top)
    }
    let sorted = BestFirst.order(0..<count) { best[$0].score }
    var order = sorted.filter { best[$0].score >= threshold }
    if keepsBest, order.isEmpty { order = Array(sorted.prefix(1)) }
    var kept: [Int] = []
    var point = CancellationPoint()
    for box in order where kept.count < limit {
      try point.pass(max(kept.count, 1))
      let isCovered = kept.contains { other in
        (!perClass || best[other].kind == best[box].kind) && intersectionOverUnion(batch, box, other) > overlap
      }
      if !isCovered { kept.append(box) }
    }
    return kept
  }

  private func intersectionOverUnion(_ batch: Int, _ a: Int, _ b: Int) -> Double {
    func overlap(_ column: Int) -> Double {
      let (p, q) = (coordinate(batch, a, column), coordinate(batch, b, column))
      let (v, w) = (coordinate(batch, a, column + 2) / 2, coordinate(batch, b, column + 2) / 2)
      return max(0, min(p + v, q + w) - max(p - v, q - w))
    }
    func area(_ box: Int) -> Double { coordinate(batch, box, 2) * coordinate(batch, box, 3) }
    let shared = overlap(0) * overlap(1)
    let all = area(a) + area(b) - shared
    return all > 0 ? shared / all : 0
  }
}
