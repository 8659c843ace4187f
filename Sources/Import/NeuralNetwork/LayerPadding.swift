import CoreMLSpec
import MIL

/// The padding of windows, as the files describe it.
struct LayerPadding {
  let graph: NetworkGraph

  /// Sets MIL's `pad` to explicit border amounts [H, W].
  func pad(_ amounts: Specification.BorderAmounts?, _ arguments: inout [String: Binding]) throws {
    let pad = try borders(amounts)
    arguments["pad_type"] = .string(pad.allSatisfy { $0 == 0 } ? "valid" : "custom")
    arguments["pad"] = .ints(pad)
  }

  /// [top, bottom, left, right]; zeros if the file has no amounts.
  func borders(_ amounts: Specification.BorderAmounts?) throws -> [Int] {
    let edges =
      try amounts?.borderAmounts.map {
        [try graph.int($0.startEdgeSize, "startEdgeSize"), try graph.int($0.endEdgeSize, "endEdgeSize")]
      } ?? []
    if edges.isEmpty { return [0, 0, 0, 0] }
    guard edges.count == 2 else { throw graph.error(.invalidModel, "has \(edges.count) border amounts, expected 2") }
    return edges[0] + edges[1]
  }

  /// Sets MIL's `pad` to the explicit amounts of three axes.
  func padVolume(_ message: some VolumePadding, _ arguments: inout [String: Binding]) throws {
    arguments["pad_type"] = .string("custom")
    arguments["pad"] = .ints(
      try [
        message.customPaddingFront, message.customPaddingBack, message.customPaddingTop, message.customPaddingBottom,
        message.customPaddingLeft, message.customPaddingRight,
      ].map { try graph.int($0, "customPadding") })
  }
}

/// A layer with windows over three axes, and explicit padding.
protocol VolumePadding {
  var customPaddingFront: Int32 { get throws }
  var customPaddingBack: Int32 { get throws }
  var customPaddingTop: Int32 { get throws }
  var customPaddingBottom: Int32 { get throws }
  var customPaddingLeft: Int32 { get throws }
  var customPaddingRight: Int32 { get throws }
}

extension Specification.Convolution3DLayerParams: VolumePadding {}
extension Specification.Pooling3DLayerParams: VolumePadding {}
