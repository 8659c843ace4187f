import CoreMLSpec

/// `convolution`, `deconvolution`, `inner_product`, `pool`, `batchnorm`, `lrn`.
struct EspressoWindowLayers {
  let output: EspressoLayerWriter
  let weights: EspressoWeights

  func convolution(_ fields: inout EspressoFields) throws {
    let isTransposed = fields.layer.type == "deconvolution"
    let outputs = try fields.size("C", in: 1...(1 << 24))
    let inputs = try fields.size("K", in: 1...(1 << 24))
    let groups = try fields.size("n_groups", default: 1, in: 1...(1 << 24))
    let kernel = try [fields.size("Ny", in: 1...(1 << 16)), fields.size("Nx", in: 1...(1 << 16))]
    let strides = try [fields.size("stride_y", default: 1), fields.size("stride_x", default: 1)]
    let dilations = try [fields.size("dilation_y", default: 1), fields.size("dilation_x", default: 1)]
    guard inputs % groups == 0, outputs % groups == 0 else {
      throw fields.error(.invalidModel, "\(inputs) and \(outputs) channels do not fall into \(groups) groups")
    }
    try fields.require("has_batch_norm", 0)
    let padding = try WindowPadding(&fields)
    var shape: [Int] = []
    if isTransposed, fields.has("deconv_out_height") {
      shape = try [fields.size("deconv_out_height"), fields.size("deconv_out_width")]
    }
    // As in the source, a deconvolution's weights start with the input channels. (Derived from public models for which
    // both the source and the output of Apple's tools exist.)
    let channels = isTransposed ? [inputs, outputs / groups] : [outputs, inputs / groups]
    let weights = try self.weights.layer("blob_weights", channels + kernel, &fields)
    let bias = try fields.flag("has_biases") ? self.weights.layer("blob_biases", [outputs], &fields) : nil
    let activation = try output.fused(&fields, relu: "fused_relu", tanh: "fused_tanh")
    output.emit(100, fields, fused: activation) { writer in
      writer.append(1, uint: UInt64(outputs))
      writer.append(2, uint: UInt64(isTransposed ? inputs : inputs / groups))
      writer.append(10, uint: UInt64(groups))
      for (number, sizes) in [(20, kernel), (30, strides), (40, dilations)] {
        writer.append(number, packed: sizes.map(Int64.init))
      }
      padding.write(valid: 50, same: 51, to: &writer)
      writer.append(60, bool: isTransposed)
      writer.append(70, bool: bias != nil)
      weights.write(90, to: &writer)
      bias?.write(91, to: &writer)
      if !shape.isEmpty { writer.append(100, packed: shape.map(Int64.init)) }
    }
  }

  func innerProduct(_ fields: inout EspressoFields) throws {
    let inputs = try fields.size("nB", in: 1...(1 << 31))
    let outputs = try fields.size("nC", in: 1...(1 << 31))
    try fields.require("has_prelu", 0)
    let weights = try self.weights.layer("blob_weights", [outputs, inputs], &fields)
    let bias = try fields.flag("has_biases") ? self.weights.layer("blob_biases", [outputs], &fields) : nil
    let activation = try output.fused(&fields, relu: "has_relu", tanh: "has_tanh")
    output.emit(140, fields, fused: activation) { writer in
      writer.append(1, uint: UInt64(inputs))
      writer.append(2, uint: UInt64(outputs))
      writer.append(10, bool: bias != nil)
      weights.write(20, to: &writer)
      bias?.write(21, to: &writer)
    }
  }

  func pool(_ fields: inout EspressoFields) throws {
    // The specification numbers maximum pooling first.
    let types = [0: UInt64(1), 1: 0, 2: 2]
    let type = types[try fields.size("avg_or_max", in: 0...2)] ?? 0
    let isGlobal = try fields.flag("is_global")
    let kernel = try [fields.size("size_y", default: 1), fields.size("size_x", default: 1)]
    let strides = try [fields.size("stride_y", default: 1), fields.size("stride_x", default: 1)]
    let padding = try WindowPadding(&fields)
    let excludes = try fields.flag("average_count_exclude_padding")
    // 0: only windows that fit completely; 2: one more window for the remainder.
    try fields.require("top_shape_style", 0, 2)
    let includesLast = try fields.number("top_shape_style", default: 0) == 2
    let pad = padding.amounts
    guard isGlobal || !includesLast || (!padding.isSame && pad[0] == pad[1] && pad[2] == pad[3]) else {
      throw fields.error("'top_shape_style' is 2 and the padding is not the same on both sides")
    }
    output.emit(120, fields) { writer in
      writer.append(1, uint: type)
      writer.append(10, packed: kernel.map(Int64.init))
      writer.append(20, packed: strides.map(Int64.init))
      if includesLast {
        writer.append(32) { $0.append(10, packed: [Int64(pad[0]), Int64(pad[2])]) }
      } else {
        padding.write(valid: 30, same: 31, to: &writer)
      }
      writer.append(50, bool: excludes)
      writer.append(60, bool: isGlobal)
    }
  }

  // MARK: normalization

  /// The parameters are four numbers per channel: gamma, beta, mean, variance.
  func batchnorm(_ fields: inout EspressoFields) throws {
    let channels = try fields.size("C", in: 1...(1 << 24))
    let parameters = try self.weights.layer("blob_batchnorm_params", [channels, 4], &fields)
    guard !parameters.isF16 else { throw fields.error("the parameters are fp16, expected fp32") }
    let values = try (0..<channels * 4).map { index in
      Float(bitPattern: try parameters.bytes.load(UInt32.self, at: index * 4))
    }
    func column(_ column: Int) -> [Float] { stride(from: column, to: values.count, by: 4).map { values[$0] } }
    _ = try fields.number("training_momentum", default: 0)
    let epsilon = try fields.float("training_eps", default: 0)
    guard try !fields.flag("training") else {
      guard try fields.flag("training_instancenorm") else {
        throw fields.error("the mean and the variance are those of the batch")
      }
      guard epsilon > 0 else { throw fields.error("'training_eps' is \(epsilon), expected more than 0") }
      output.emit(160, fields) { writer in
        writer.append(1, uint: UInt64(channels))
        writer.append(5, bool: true)
        writer.append(6, bool: true)
        writer.append(10, float: epsilon)
        for (number, index) in [(15, 0), (16, 1)] { writer.append(number) { $0.append(1, packed: column(index)) } }
      }
      return
    }
    try fields.require("training_instancenorm", 0)
    guard column(2).allSatisfy({ $0 == 0 }), column(3).allSatisfy({ $0 == 1 }) else {
      throw fields.error("has a mean and a variance, and no epsilon")
    }
    output.emit(245, fields) { writer in
      writer.append(1, packed: [Int64(channels)])
      writer.append(2) { $0.append(1, packed: column(0)) }
      writer.append(3, bool: true)
      writer.append(4, packed: [Int64(channels)])
      writer.append(5) { $0.append(1, packed: column(1)) }
    }
  }

  func lrn(_ fields: inout EspressoFields) throws {
    let alpha = try fields.float("alpha")
    let beta = try fields.float("beta")
    let size = try fields.size("local_size", in: 1...(1 << 24))
    output.emit(180, fields) { writer in
      writer.append(1, float: alpha)
      writer.append(2, float: beta)
      writer.append(3, uint: UInt64(size))
      writer.append(4, float: 1)
    }
  }
}
