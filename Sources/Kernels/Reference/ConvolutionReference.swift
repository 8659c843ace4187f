import CoreMLBase
import MIL

enum ConvolutionReference {
  static let all: [Reference] = [
    Reference.numeric("conv") { try convolution($0, weight: $0.doubles("weight")) },
    Reference.numeric("conv_quantized") { call in
      let scale = try call.doubles("quant_scale")
      let offset = try call.doubles("quant_bias")
      let stored = try call.doubles("weight")
      let inner = stored.count / max(try call.sizes("weight")[0], 1)
      let weight = stored.enumerated().map { index, value in
        value * scale[scale.count == 1 ? 0 : index / inner] + offset[offset.count == 1 ? 0 : index / inner]
      }
      return try convolution(call, weight: weight)
    },
    Reference.numeric("conv_transpose") { try transposedConvolution($0) },
  ]

  /// - Parameter x: the values to use instead of the elements of `x`, for quantized inputs.
  static func convolution(_ call: ReferenceCall, x: [Double]? = nil, weight: [Double]) throws -> [Double] {
    let g = try Convolution.geometry(call.invocation)
    let x = try x ?? call.doubles("x")
    let bias = try call.has("bias") ? call.doubles("bias") : Array(repeating: 0, count: g.outChannels)
    let groupIn = g.inChannels / g.groups
    let groupOut = g.outChannels / g.groups
    var result = Array(repeating: 0.0, count: g.batch * g.outChannels * g.outputArea)
    let kernel = Array(Indices(g.kernel))
    var point = CancellationPoint()
    for (position, out) in Indices(g.output).enumerated() {
      let taps = kernel.enumerated().compactMap { tap, k in g.source(out, k).map { (tap: tap, place: $0) } }
      for n in 0..<g.batch {
        for channel in 0..<g.outChannels {
          try point.pass(groupIn * taps.count)
          var sum = bias[channel]
          for c in 0..<groupIn {
            let plane = (n * g.inChannels + channel / groupOut * groupIn + c) * g.inputArea
            let filter = (channel * groupIn + c) * g.kernelArea
            for (tap, place) in taps { sum += x[plane + place] * weight[filter + tap] }
          }
          result[(n * g.outChannels + channel) * g.outputArea + position] = sum
        }
      }
    }
    return result
  }

  static func transposedConvolution(_ call: ReferenceCall) throws -> [Double] {
    let g = try TransposedConvolution.geometry(call.invocation)
    let x = try call.doubles("x")
    let weight = try call.doubles("weight")
    let bias = try call.has("bias") ? call.doubles("bias") : Array(repeating: 0, count: g.outChannels)
    let groupIn = g.inChannels / g.groups
    let groupOut = g.outChannels / g.groups
    var result: [Double] = []
    for _ in 0..<g.batch {
      for channel in 0..<g.outChannels { result += Array(repeating: bias[channel], count: g.outputArea) }
    }
    var point = CancellationPoint()
    for n in 0..<g.batch {
      for channel in 0..<g.inChannels {
        for (position, place) in Indices(g.input).enumerated() {
          try point.pass(g.kernelArea * groupOut)
          let value = x[(n * g.inChannels + channel) * g.inputArea + position]
          for (tap, k) in Indices(g.kernel).enumerated() {
            guard let target = g.target(place, k) else { continue }
            for c in 0..<groupOut {
              let out = channel / groupIn * groupOut + c
              result[(n * g.outChannels + out) * g.outputArea + target] +=
                value * weight[(channel * groupOut + c) * g.kernelArea + tap]
            }
          }
        }
      }
    }
    return result
  }
}

extension WindowGeometry {
  /// The input offset that output `o` reads through tap `k`. Nil in the padding.
  func source(_ o: [Int], _ k: [Int]) -> Int? { place(o, k, in: input) }

  /// The output offset to which input `i` of a transposed convolution adds through tap `k`. Nil outside of the output.
  func target(_ i: [Int], _ k: [Int]) -> Int? { place(i, k, in: output) }

  private func place(_ index: [Int], _ k: [Int], in sizes: [Int]) -> Int? {
    var offset = 0
    for axis in 0..<3 {
      let at = index[axis] * strides[axis] - padBefore[axis] + k[axis] * dilations[axis]
      guard at >= 0, at < sizes[axis] else { return nil }
      offset = offset * sizes[axis] + at
    }
    return offset
  }
}
