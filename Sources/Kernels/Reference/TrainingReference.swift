import CoreMLBase
import MIL

enum TrainingReference {
  static let all: [Reference] = [
    Reference("train.parameter", "train.loss") { [try $0.value("x")] },
    Reference.numeric("train.conv_weight") { try weightGradient($0) },
    Reference.numeric("train.max_pool") { call in
      let g = try Pooling.geometry(call.invocation)
      let x = try call.doubles("x")
      let gradient = try call.doubles("gradient")
      var result = Array(repeating: 0.0, count: x.count)
      try windows(g) { number, places in
        // Of equal elements the first wins.
        guard var best = places.first else { return }
        for place in places where x[place] > x[best] { best = place }
        result[best] += gradient[number]
      }
      return result
    },
    Reference.numeric("train.pool_sum") { call in
      let g = try Pooling.geometry(call.invocation)
      let gradient = try call.doubles("gradient")
      var result = Array(repeating: 0.0, count: g.batch * g.inChannels * g.inputArea)
      try windows(g) { number, places in
        for place in places { result[place] += gradient[number] }
      }
      return result
    },
  ]

  /// dW[o, c, k] = sum over images and positions of gradient[n, o, position] x[n, c, input offset of tap k at the
  /// position].
  private static func weightGradient(_ call: ReferenceCall) throws -> [Double] {
    let g = try Convolution.geometry(call.invocation)
    let x = try call.doubles("x")
    let gradient = try call.doubles("gradient")
    let (groupIn, groupOut) = (g.inChannels / g.groups, g.outChannels / g.groups)
    var result = Array(repeating: 0.0, count: g.outChannels * groupIn * g.kernelArea)
    let kernel = Array(Indices(g.kernel))
    var point = CancellationPoint()
    for (position, out) in Indices(g.output).enumerated() {
      for (tap, k) in kernel.enumerated() {
        guard let place = g.source(out, k) else { continue }
        try point.pass(g.batch * g.outChannels * groupIn)
        for n in 0..<g.batch {
          for channel in 0..<g.outChannels {
            let factor = gradient[(n * g.outChannels + channel) * g.outputArea + position]
            for c in 0..<groupIn {
              let plane = n * g.inChannels + channel / groupOut * groupIn + c
              result[(channel * groupIn + c) * g.kernelArea + tap] += factor * x[plane * g.inputArea + place]
            }
          }
        }
      }
    }
    return result
  }

  /// Calls `body` with the input offsets under each window of a pool, in the order of its outputs, and the output's
  /// index.
  private static func windows(_ g: WindowGeometry, _ body: (_ number: Int, _ places: [Int]) -> Void) throws {
    var number = 0
    var point = CancellationPoint()
    for plane in 0..<g.batch * g.inChannels {
      for out in Indices(g.output) {
        try point.pass(g.kernelArea)
        let places = g.inside(axis: 0, out[0]).flatMap { d in
          g.inside(axis: 1, out[1]).flatMap { h in
            g.inside(axis: 2, out[2]).map { ((plane * g.input[0] + d) * g.input[1] + h) * g.input[2] + $0 }
          }
        }
        body(number, places)
        number += 1
      }
    }
  }
}
