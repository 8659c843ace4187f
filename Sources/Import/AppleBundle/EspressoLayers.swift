import CoreMLBase
import CoreMLSpec

/// Converts the layers of a compiled neural network to the specification's layers from which they were compiled. The
/// regular importer then reads these. A layer, field or mode with an unknown meaning is rejected by name.
///
/// The meaning of fields: `C` and `K` of an Espresso convolution are the output and input channels. `nB` and `nC` of an
/// inner product are the inputs and outputs. `Nx` and `Ny` are the width and height of the kernel. Weights have the
/// specification's layout.
package final class EspressoLayers {
  let weights: EspressoWeights
  let shapes: EspressoShapes
  private let output = EspressoLayerWriter()

  init(weights: EspressoWeights, shapes: EspressoShapes) {
    self.weights = weights
    self.shapes = shapes
  }

  /// Gives up the serialized `layers` fields of a `NeuralNetwork`.
  func take() -> WireWriter { output.take() }

  private typealias Rewrite = @Sendable (EspressoLayers, inout EspressoFields) throws -> Void

  /// The conversion of each type of compiled layer.
  private static let rewrites: [String: Rewrite] = [
    "convolution": { try $0.windows.convolution(&$1) },
    "deconvolution": { try $0.windows.convolution(&$1) },
    "inner_product": { try $0.windows.innerProduct(&$1) },
    "pool": { try $0.windows.pool(&$1) },
    "batchnorm": { try $0.windows.batchnorm(&$1) },
    "activation": { try $0.elements.activation(&$1) },
    "elementwise": { try $0.elements.elementwise(&$1) },
    "softmax": { layers, fields in
      // The index of the channel axis, counted from the width.
      try fields.require("C", 2)
      layers.output.emit(175, fields)
    },
    "concat": { layers, fields in
      try fields.require("axis", 1)
      layers.output.emit(320, fields)
    },
    "copy": { $0.output.emit(600, $1) },
    "flatten": { layers, fields in
      let mode = try fields.size("mode", in: 0...1)
      if fields.has("nd_axis") { try layers.axes.requireFiveAxes(fields) }
      try fields.require("nd_axis", 0)
      layers.output.emit(301, fields) { $0.append(1, uint: UInt64(mode)) }
    },
    "upsample": { try $0.spatial.upsample(&$1) },
    "lrn": { try $0.windows.lrn(&$1) },
    "crop": { try $0.spatial.crop(&$1) },
    "general_padding": { try $0.spatial.padding(&$1) },
    "space_to_depth": { try $0.spatial.reorganize(&$1) },
    "split_nd": { try $0.spatial.split(&$1) },
    "transpose": { try $0.axes.transpose(&$1) },
    "reshape": { try $0.axes.reshape(&$1) },
    "reduce": { try $0.axes.reduce(&$1) },
    "slice": { try $0.axes.slice(&$1) },
    "sequence_concat": { layers, fields in
      try layers.axes.requireFiveAxes(fields)
      try fields.expect("simple_concat", 1)
      layers.output.emit(320, fields) { $0.append(100, bool: true) }
    },
    "softmax_nd": { layers, fields in
      // Counted from the last axis, as in the source.
      let axis = try fields.number("nd_axis")
      guard (-5 ... -1).contains(axis), let axis = Int64(exactly: axis) else {
        throw fields.error("'nd_axis' is \(axis), expected -5 to -1")
      }
      layers.output.emit(950, fields) { $0.append(1, int: axis) }
    },
    "squeeze": { try $0.axes.axes(1120, &$1) },
    "expand_dims": { try $0.axes.axes(1125, &$1) },
    "batch_matmul": { $0.output.emit(1045, $1) },
    "load_constant": { try $0.spatial.constant(&$1) },
  ]

  /// The supported types of compiled layers.
  package static var types: [String] { rewrites.keys.sorted() }

  func append(_ layer: EspressoLayer) throws {
    var fields = EspressoFields(layer)
    guard !layer.outputs.isEmpty else { throw fields.error(.invalidModel, "has no outputs") }
    guard let rewrite = Self.rewrites[layer.type] else { throw fields.error("layers of this type are not supported") }
    try rewrite(self, &fields)
    try fields.finish()
  }

  private var windows: EspressoWindowLayers { EspressoWindowLayers(output: output, weights: weights) }
  private var elements: EspressoElementLayers { EspressoElementLayers(output: output) }
  private var spatial: EspressoSpatialLayers {
    EspressoSpatialLayers(output: output, weights: weights, shapes: shapes)
  }
  private var axes: EspressoAxisLayers { EspressoAxisLayers(output: output, shapes: shapes) }
}
