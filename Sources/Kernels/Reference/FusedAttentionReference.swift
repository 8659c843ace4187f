import CoreMLBase
import Foundation
import MIL

enum FusedAttentionReference {
  static let all: [Reference] = [
    Reference.numeric(AttentionShape.operationName) { call in
      let form = try AttentionShape(fused: call.invocation)
      let query = try call.doubles("query")
      func numbers(_ name: String, _ index: Int, rounds: Bool) throws -> [Double] {
        let numbers = try call.doubles(name, index)
        return rounds ? numbers.map { Double(Float16($0)) } : numbers
      }
      let keys = try form.parts.indices.map { try numbers("key", $0, rounds: form.parts[$0].roundsKey) }
      let values = try form.parts.indices.map { try numbers("value", $0, rounds: form.parts[$0].roundsValue) }
      let masks = try form.masks.indices.map { try call.doubles("mask", $0) }
      let places = AttentionOffsets(form)
      var result = [Double](repeating: 0, count: form.items * form.length * form.width)
      var point = CancellationPoint()
      for item in 0..<form.items {
        for row in 0..<form.length {
          try point.pass(form.sources * (form.depth + form.width))
          let first = places.query[item] + row * form.query.rowStep
          var scores: [Double] = []
          for (index, part) in form.parts.enumerated() {
            for source in 0..<part.rows {
              let key = places.keys[index][item] + source * part.key.rowStep
              scores.append(
                Double(form.scale)
                  * (0..<form.depth).reduce(0.0) {
                    $0 + query[first + $1 * form.query.columnStep] * keys[index][key + $1 * part.key.columnStep]
                  })
            }
          }
          for (index, mask) in form.masks.enumerated() {
            let begin = places.masks[index][item] + row * mask.view.rowStep
            for source in scores.indices {
              let number = masks[index][begin + source * mask.view.columnStep]
              switch mask.kind {
              case .add: scores[source] += number
              case .keep: scores[source] = number != 0 ? scores[source] : Double(mask.fill)
              case .drop: scores[source] = number != 0 ? Double(mask.fill) : scores[source]
              }
            }
          }
          let greatest = scores.max() ?? 0
          scores = scores.map { exp($0 - greatest) }
          let total = scores.reduce(0, +)
          for column in 0..<form.width {
            var (sum, source) = (0.0, 0)
            for (index, part) in form.parts.enumerated() {
              for at in 0..<part.rows {
                let value = places.values[index][item] + at * part.value.rowStep + column * part.value.columnStep
                sum += scores[source] * values[index][value]
                source += 1
              }
            }
            result[places.output[item] + row * form.output.rowStep + column * form.output.columnStep] = sum / total
          }
        }
      }
      return result
    }
  ]
}

/// The offsets of each item's matrices.
struct AttentionOffsets: Sendable {
  let query: [Int]
  let keys: [[Int]]
  let values: [[Int]]
  let masks: [[Int]]
  let output: [Int]

  init(_ form: AttentionShape) {
    query = form.query.places()
    keys = form.parts.map { $0.key.places() }
    values = form.parts.map { $0.value.places() }
    masks = form.masks.map { $0.view.places() }
    output = form.output.places()
  }
}
