import CoreMLSpec
import MIL

/// The layers of one input that compute element by element. Each keeps whatever form its blob has.
extension NetworkImport {
  mutating func clip(_ params: Specification.ClipLayerParams) throws {
    let low = try params.minVal
    let high = try params.maxVal
    try map { network, x in
      try network.emit("clip", ["x": .name(x), "alpha": .float(low), "beta": .float(high)])
    }
  }

  /// 1 where the input is 0, else 0.
  mutating func logicalNot() throws {
    try map { network, x in
      try network.asFloat(network.emit("equal", ["x": .name(x), "y": .float(0)]))
    }
  }
}
