import CoreMLBase
import Foundation
import MIL

enum AttentionReference {
  static let all: [Reference] = [
    Reference.numeric("scaled_dot_product_attention") { call in
      let query = try call.sizes("query")
      let rank = query.count
      let (length, depth) = (query[rank - 2], query[rank - 1])
      let sources = try call.sizes("key")[rank - 2]
      let width = try call.sizes("value")[rank - 1]
      let (q, k, v) = (try call.doubles("query"), try call.doubles("key"), try call.doubles("value"))
      let batch = Array(query[..<(rank - 2)])
      let mask = try call.has("attn_mask") ? call.doubles("attn_mask") : nil
      let isBool = try call.has("attn_mask") && call.tensor("attn_mask").scalar == .bool
      let places = Broadcast(
        from: try call.has("attn_mask") ? call.sizes("attn_mask") : [], to: batch + [length, sources])
      var result: [Double] = []
      var point = CancellationPoint()
      for (item, index) in Indices(batch).enumerated() {
        for row in 0..<length {
          try point.pass(sources * (depth + width))
          var scores = (0..<sources).map { column -> Double in
            var sum = 0.0
            for e in 0..<depth {
              sum += q[(item * length + row) * depth + e] * k[(item * sources + column) * depth + e]
            }
            sum /= Double(depth).squareRoot()
            guard let mask else { return sum }
            let value = mask[places.offset(index + [row, column])]
            return isBool ? (value != 0 ? sum : -.infinity) : sum + value
          }
          let greatest = scores.max() ?? 0
          scores = scores.map { exp($0 - greatest) }
          let total = scores.reduce(0, +)
          for column in 0..<width {
            var sum = 0.0
            for s in 0..<sources { sum += scores[s] * v[(item * sources + s) * width + column] }
            result.append(sum / total)
          }
        }
      }
      return result
    }
  ]
}
