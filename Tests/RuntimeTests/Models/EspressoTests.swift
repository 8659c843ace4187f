import CoreMLBase
import CoreMLImages
import CoreMLSpec
import Foundation
import TestModels
import Testing

@testable import CoreMLImport
@testable import CoreMLRuntime

/// Neural networks, classical models and pipelines compiled by Apple's tools.
@Suite struct EspressoTests {
  private func layer(_ type: String, _ bottom: String, _ top: String, _ fields: String = "") -> String {
    #"{"type": "\#(type)", "name": "\#(top)", "bottom": "\#(bottom)", "top": "\#(top)", "weights": {}\#(fields.isEmpty ? "" : ", " + fields)}"#
  }

  private func run(
    _ layers: [String], weights: [UInt64: [Float]] = [:], shapes: String = "{}", optionals: [UInt64]? = nil,
    _ values: [Float], _ shape: [Int], output: [Int64] = [1]
  ) throws -> [Double] {
    try AppleFolder.make { folder in
      try folder.network(layers, weights: weights, shapes: shapes, input: shape.map(Int64.init), output: output)
      if let optionals { try folder.put(optionals.flatMap(AppleFolder.number), Self.optionals) }
      return try folder.run(values, shape)
    }
  }

  private static let optionals = "neural_network_optionals/coremldata.bin"

  // MARK: weights

  @Test func innerProductWithAFusedActivation() throws {
    let fields = #""nB": 2, "nC": 2, "has_biases": 1, "has_relu": 1, "has_tanh": 0, "has_prelu": 0"#
    let y = try run(
      [layer("inner_product", "x", "y", fields + #", "blob_weights": 3, "blob_biases": 1"#)],
      weights: [3: [1, 2, 3, 4], 1: [0.5, -20]], [1, 2], [2])
    #expect(y == [5.5, 0])
  }

  @Test func convolutionAndPooling() throws {
    let convolution =
      #""C": 1, "K": 1, "Nx": 2, "Ny": 1, "n_groups": 1, "pad_mode": 0, "pad_r": 1, "has_biases": 0, "blob_weights": 1"#
    // The rows are 1 2 3 and 4 5 6. Each result is an element minus twice its right neighbor.
    let y = try run(
      [layer("convolution", "x", "c", convolution), layer("activation", "c", "y", #""mode": 6, "alpha": -1"#)],
      weights: [1: [1, -2]], [1, 2, 3, 4, 5, 6], [1, 2, 3], output: [1, 2, 3])
    #expect(y == [3, 4, -3, 6, 7, -6])
    let pool = #""size_x": 2, "size_y": 2, "stride_x": 2, "stride_y": 2, "pad_mode": 0"#
    let input: [Float] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    func pooled(_ more: String) throws -> [Double] {
      try run([layer("pool", "x", "y", pool + more)], input, [1, 3, 3], output: [1, 1, 1])
    }
    #expect(try pooled(#", "avg_or_max": 1"#) == [5])
    #expect(try pooled(#", "avg_or_max": 0"#) == [3])
    #expect(try pooled(#", "avg_or_max": 1, "top_shape_style": 2"#) == [5, 6, 8, 9])
    #expect(try pooled(#", "avg_or_max": 1, "is_global": 1"#) == [9])
  }

  /// The weights have the source's layout: (inputs, outputs of a group, height, width).
  @Test func deconvolution() throws {
    let fields = #""Nx": 2, "Ny": 1, "pad_mode": 0, "stride_x": 2, "has_biases": 0, "blob_weights": 1"#
    func deconvolved(_ inputs: Int, _ outputs: Int, _ groups: Int, _ weights: [Float], _ x: [Float]) throws -> [Double]
    {
      try run(
        [layer("deconvolution", "x", "y", #""C": \#(outputs), "K": \#(inputs), "n_groups": \#(groups), "# + fields)],
        weights: [1: weights], x, [inputs, 1, 1], output: [Int64(outputs), 1, 2])
    }
    // Two input channels, 1 and 10, become three.
    let weights: [Float] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    #expect(try deconvolved(2, 3, 1, weights, [1, 10]) == [71, 82, 93, 104, 115, 126])
    #expect(try deconvolved(2, 4, 2, Array(weights.prefix(8)), [1, 10]) == [1, 2, 3, 4, 50, 60, 70, 80])
    #expect(try deconvolved(2, 2, 2, Array(weights.prefix(4)), [1, 10]) == [1, 2, 30, 40])
    let error = #expect(throws: MLModelError.self) { try deconvolved(2, 3, 2, weights, [1, 10]) }
    #expect(error?.message.contains("do not fall into 2 groups") == true)
    #expect(throws: MLModelError.self) { try deconvolved(2, 3, 1, Array(weights.prefix(8)), [1, 10]) }
  }

  /// 2 x 2 images become 3 x 3: the deconvolution crops borders according to the source's padding.
  @Test func aDeconvolutionCutsItsBorders() throws {
    let fields =
      #""C": 1, "K": 1, "Nx": 3, "Ny": 3, "stride_x": 2, "stride_y": 2, "pad_t": 1, "pad_b": 1, "pad_l": 1, "pad_r": 1, "has_biases": 1, "blob_weights": 3, "blob_biases": 1"#
    let y = try run(
      [layer("deconvolution", "x", "y", fields)], weights: [3: Array(repeating: 1, count: 9), 1: [0.5]], [1, 2, 3, 4],
      [1, 2, 2], output: [1, 3, 3])
    #expect(y == [1.5, 3.5, 2.5, 4.5, 10.5, 6.5, 3.5, 7.5, 4.5])
  }

  @Test func sameSizesPadTheEndFirst() throws {
    let fields = #""C": 1, "K": 1, "Nx": 2, "Ny": 1, "pad_mode": 1, "has_biases": 0, "blob_weights": 1"#
    let y = try run(
      [layer("convolution", "x", "y", fields)], weights: [1: [0, 1]], [1, 2, 3], [1, 1, 3], output: [1, 1, 3])
    #expect(y == [2, 3, 0])
    // 4 is the source's asymmetryMode TOP_LEFT_HEAVY.
    let heavy = fields.replacing("\"pad_mode\": 1", with: "\"pad_mode\": 4")
    let z = try run(
      [layer("convolution", "x", "y", heavy)], weights: [1: [1, 0]], [1, 2, 3], [1, 1, 3], output: [1, 1, 3])
    #expect(z == [0, 1, 2])
  }

  @Test func vectorsMayBeFollowedByZeros() throws {
    let fields = #""nB": 1, "nC": 1, "has_biases": 1, "blob_weights": 3, "blob_biases": 1"#
    #expect(
      try run([layer("inner_product", "x", "y", fields)], weights: [3: [2], 1: [7, 0, 0, 0]], [1], [1]) == [9])
    for biases: [Float] in [[7, 0, 0, 1], [7, 0, 0, 0, 0], []] {
      #expect(throws: MLModelError.self) {
        try run([layer("inner_product", "x", "y", fields)], weights: [3: [2], 1: biases], [1], [1])
      }
    }
  }

  @Test func normalization() throws {
    let affine = #""C": 2, "blob_batchnorm_params": 1"#
    #expect(
      try run(
        [layer("batchnorm", "x", "y", affine)], weights: [1: [2, 10, 0, 1, 3, 20, 0, 1]], [1, 2, 3, 4], [2, 1, 2],
        output: [2, 1, 2]) == [12, 14, 29, 32])
    let instance = affine + #", "training": 1, "training_instancenorm": 1, "training_eps": 1e-9"#
    let y = try run(
      [layer("batchnorm", "x", "y", instance)], weights: [1: [2, 10, 0, 1, 3, 20, 0, 1]], [1, 3, 3, 7], [2, 1, 2],
      output: [2, 1, 2])
    for (a, b) in zip(y, [8.0, 12, 17, 23]) { #expect(abs(a - b) < 1e-4) }
    #expect(throws: MLModelError.self) {
      try run([layer("batchnorm", "x", "y", affine)], weights: [1: [1, 0, 5, 2, 1, 0, 0, 1]], [1, 2], [2, 1, 1])
    }
  }

  // MARK: elements and shapes

  @Test(arguments: [
    (#""operation": 2, "alpha": 3, "beta": 0"#, [2.0, 5]), (#""operation": 3, "alpha": 3"#, [-3, 6]),
    (#""operation": 119, "alpha": 0, "beta": 1"#, [0, 1]), (#""operation": 24, "alpha": 1, "beta": 0"#, [1, 2]),
    (#""operation": 25, "alpha": 0.5"#, [0.5, 2]), (#""operation": 38"#, [-1, 1]),
    (#""operation": 3, "alpha": 3, "fused_relu": 1"#, [0, 6]), (#""operation": 0, "alpha": 3"#, [2, 5]),
    (#""operation": 1, "alpha": 0.5"#, [-0.5, 1]),
  ])
  func oneInput(_ fields: String, _ expected: [Double]) throws {
    #expect(try run([layer("elementwise", "x", "y", fields)], [-1, 2], [2]) == expected)
  }

  @Test(arguments: [(0, [5.0, 7]), (1, [-6, 10]), (22, [-1, 2]), (23, [6, 5]), (33, [-7, -3])])
  func twoInputs(_ operation: Int, _ expected: [Double]) throws {
    let constant = layer("load_constant", "", "c", #""constant_blob": 1, "n": 1, "k": 2, "h": 1, "w": 1"#)
    let y = try run(
      [constant, layer("elementwise", "x,c", "y", #""operation": \#(operation), "nd_mode": \#(operation == 33)"#)],
      weights: [1: [6, 5]], [-1, 2], [2])
    #expect(y == expected)
  }

  @Test(arguments: [(0, [0.0, 2]), (2, [-0.5, 2]), (6, [0.5, 2]), (9, [0, 2])])
  func activations(_ mode: Int, _ expected: [Double]) throws {
    let parameters = [2: #", "alpha": 0.5"#, 6: #", "alpha": 0.5, "beta": 1"#, 9: #", "alpha": 1"#][mode] ?? ""
    #expect(try run([layer("activation", "x", "y", #""mode": \#(mode)"# + parameters)], [-1, 2], [2]) == expected)
  }

  @Test func channelsAreSplitAndJoined() throws {
    let shapes = #"{"a": {"n": 1, "k": 1, "h": 1, "w": 1}, "b": {"n": 1, "k": 2, "h": 1, "w": 1}}"#
    let y = try run(
      [layer("split_nd", "x", "a,b", #""nd_axis": -3"#), layer("concat", "b,a", "y")], shapes: shapes, [1, 2, 3],
      [3, 1, 1], output: [3, 1, 1])
    #expect(y == [2, 3, 1])
  }

  @Test func sizesChange() throws {
    let up = #""mode": 0, "scaling_factor_x": 2, "scaling_factor_y": 1"#
    #expect(try run([layer("upsample", "x", "y", up)], [1, 2], [1, 1, 2], output: [1, 1, 4]) == [1, 1, 2, 2])
    #expect(
      try run([layer("crop", "x", "y", #""l": 1, "r": 0, "t": 0, "b": 0"#)], [1, 2], [1, 1, 2], output: [1, 1, 1])
        == [2])
    let pad = #""pad_l": 1, "pad_value": 9, "pad_pad_mode": 0"#
    #expect(
      try run([layer("general_padding", "x", "y", pad)], [1, 2], [1, 1, 2], output: [1, 1, 3]) == [9, 1, 2])
    #expect(
      try run([layer("flatten", "x", "y", #""mode": 1"#)], [1, 2, 3, 4], [2, 1, 2], output: [4]) == [1, 3, 2, 4])
  }

  // MARK: axes

  private static let lastAxisFirst = #""axis_w": 2, "axis_h": 0, "axis_k": 1, "axis_n": 3, "axis_seq": 4"#

  /// (k, h, w) becomes (h, w, k), with five axes and with the four axes of the array.
  @Test func axesChangePlaces() throws {
    let layers = [layer("transpose", "x", "y", Self.lastAxisFirst)]
    let values: [Float] = [1, 2, 3, 4, 5, 6]
    #expect(try run(layers, values, [2, 1, 3], output: [1, 3, 2]) == [1, 4, 2, 5, 3, 6])
    let shapes = #"{"x": {"n": 1, "k": 2, "h": 1, "w": 3, "_rank": 4}}"#
    #expect(
      try run(layers, shapes: shapes, optionals: [0, 0, 1, 0, 0], values, [1, 2, 1, 3], output: [1, 1, 3, 2])
        == [1, 4, 2, 5, 3, 6])
  }

  /// The width becomes the sequence, and the sequence the width.
  @Test func theSequenceChangesPlaces() throws {
    let axes = #""axis_w": 4, "axis_h": 1, "axis_k": 2, "axis_n": 3, "axis_seq": 0"#
    let layers = [layer("transpose", "x", "t", axes), layer("sequence_concat", "t,t", "y", #""simple_concat": 1"#)]
    let y = try run(layers, [1, 2, 3, 4, 5, 6], [2, 1, 3], output: [6, 1, 2, 1, 1])
    #expect(y == [1, 4, 2, 5, 3, 6, 1, 4, 2, 5, 3, 6])
  }

  /// Layers add and remove an axis, and matrix products do not transpose.
  @Test func axesComeAndGo() throws {
    let shapes = #"{"x": {"n": 1, "k": 1, "h": 2, "w": 2, "_rank": 2}}"#
    let axes = #""size_of_axes": 1, "axes_0": -2"#
    let y = try run(
      [
        layer("batch_matmul", "x,x", "m"), layer("expand_dims", "m", "e", axes), layer("squeeze", "e", "y", axes),
      ], shapes: shapes, optionals: [0, 0, 1, 0, 0], [1, 2, 3, 4], [2, 2], output: [2, 2])
    #expect(y == [7, 10, 15, 22])
  }

  private func reshape(_ bottom: String, _ top: String, _ sizes: [Int], _ more: String = #""mode": 0"#) -> String {
    let names = ["dst_seq", "dst_k", "dst_h", "dst_w"]
    let fields = zip(names, sizes).map { #""\#($0)": \#($1)"# }.joined(separator: ", ")
    return layer("reshape", bottom, top, fields + #", "dst_n": 0, "# + more)
  }

  /// Three channels of two rows, reduced by summing along the channels.
  @Test func shapesChangeAndChannelsAreSummed() throws {
    let sum = #""mode": 0, "axis_mode": 4, "use_version": 1"#
    let layers = [reshape("x", "r", [1, 3, -1, 1]), layer("reduce", "r", "y", sum)]
    #expect(try run(layers, [1, 2, 3, 4, 5, 6], [2, 1, 3], output: [1, 2, 1]) == [9, 12])
  }

  @Test func sequencesAreJoined() throws {
    let layers = [
      reshape("x", "r", [-1, 2, 1, 1], #""mode": 0, "version": 1"#),
      layer("sequence_concat", "r,r", "y", #""simple_concat": 1"#),
    ]
    #expect(try run(layers, [1, 2, 3, 4], [2, 1, 2], output: [4, 1, 2, 1, 1]) == [1, 2, 3, 4, 1, 2, 3, 4])
  }

  @Test(arguments: [(2, [3.0, 4]), (3, [3, 4, 5, 6]), (3420, [3, 4, 5, 6])])
  func channelsAreCutOut(_ end: Int, _ expected: [Double]) throws {
    let fields = #""axis": 2, "start": 1, "end": \#(end)"#
    let y = try run(
      [layer("slice", "x", "y", fields)], [1, 2, 3, 4, 5, 6], [3, 1, 2], output: [Int64(expected.count) / 2, 1, 2])
    #expect(y == expected)
  }

  /// If height and width are 1 before and after, both element orders are the same.
  @Test func channelsLast() throws {
    let layers = [reshape("x", "y", [1, 3, 1, 1], #""mode": 1"#)]
    func shapes(_ k: Int, _ h: Int) -> String { #"{"x": {"n": 1, "k": \#(k), "h": \#(h), "w": 1}}"# }
    #expect(try run(layers, shapes: shapes(3, 1), [1, 2, 3], [3, 1, 1], output: [3]) == [1, 2, 3])
    for other in [shapes(1, 3), "{}"] {
      let error = #expect(throws: MLModelError.self) { try run(layers, shapes: other, [1, 2, 3], [1, 3, 1]) }
      #expect(error?.message.contains("'mode' is 1") == true)
    }
  }

  /// Rows (0, ln 3) and (ln 4, 0).
  @Test func ranksStay() throws {
    let fields =
      #""dst_seq": 1, "dst_n": 1, "dst_k": 1, "dst_h": -1, "dst_w": 2, "mode": 0, "version": 1, "dst_nd_rank": 2, "dynamic_shape": false"#
    let y = try run(
      [layer("reshape", "x", "r", fields), layer("softmax_nd", "r", "y", #""nd_axis": -1"#)],
      shapes: #"{"x": {"n": 1, "k": 2, "h": 1, "w": 2, "_rank": 4}}"#, optionals: [0, 0, 1, 0, 0],
      [0, 1.0986123, 1.3862944, 0], [1, 2, 1, 2], output: [2, 2])
    for (a, b) in zip(y, [0.25, 0.75, 0.8, 0.2]) { #expect(abs(a - b) < 1e-6) }
  }

  /// Parameters of activations and reciprocals that Apple's tools leave out.
  @Test func numbersLeftOut() throws {
    #expect(try run([layer("activation", "x", "y", #""mode": 6, "beta": 1"#)], [-1, 2], [2]) == [0, 3])
    #expect(try run([layer("activation", "x", "y", #""mode": 7, "beta": 0"#)], [-1, 0.5], [2]) == [0, 0.5])
    let y = try run([layer("elementwise", "x", "y", #""operation": 10, "alpha": 1"#)], [0, 4], [2])
    for (a, b) in zip(y, [1e6, 0.25]) { #expect(abs(a - b) < 1e-6 * b) }
  }

  // MARK: refused models

  @Test(arguments: [
    #""nB": 1e300, "nC": 1, "blob_weights": 1"#, #""nB": 2147483648, "nC": 2147483648, "blob_weights": 1"#,
    #""nB": -1, "nC": 1, "blob_weights": 1"#, #""nB": 0.5, "nC": 1, "blob_weights": 1"#,
    #""nB": 1, "nC": 1, "blob_weights": -3"#, #""nB": 1, "nC": 1, "blob_weights": 99"#,
    #""nB": "one", "nC": 1, "blob_weights": 1"#,
  ])
  func hostileNumbers(_ fields: String) throws {
    #expect(throws: MLModelError.self) {
      try run([layer("inner_product", "x", "y", fields)], weights: [1: [1]], [1], [1])
    }
  }

  @Test func optionalsAreNotPassedOver() throws {
    try AppleFolder.make { folder in
      try folder.network([layer("copy", "x", "y")], input: [1], output: [1])
      try folder.put([UInt8](repeating: 0, count: 32), Self.optionals)
      #expect(try folder.run([3], [1]) == [3])
      let unknown: [[UInt64]] = [
        [1], [0, 0, 1], [0, 0, 1, 0, 1], [0, 0, 2, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0, 0],
      ]
      for numbers in unknown {
        try folder.put(numbers.flatMap(AppleFolder.number), Self.optionals)
        let error = #expect(throws: SpecError.self) { try CompiledModelLoader.load(folder.path) }
        #expect(error?.code == .compiledByApple)
      }
    }
  }

  /// A layer whose meaning is only known with five axes is refused where values keep their ranks.
  @Test func otherRanksAreRefused() throws {
    let shapes = #"{"x": {"n": 1, "k": 2, "h": 1, "w": 1, "_rank": 4}}"#
    let layers = [
      ("slice", #""axis": 2, "start": 1, "end": 2"#), ("reduce", #""mode": 0, "axis_mode": 4, "use_version": 1"#),
    ]
    for (type, fields) in layers {
      let error = #expect(throws: MLModelError.self) {
        try run([layer(type, "x", "y", fields)], shapes: shapes, [1, 2], [1, 2, 1, 1])
      }
      #expect(error?.message.contains("rank 4, expected 5") == true)
    }
  }

  // MARK: other models

  /// A classifier of gray images with labels and a pixel scale.
  @Test(arguments: [false, true]) func grayImagesAndLabels(_ hasTransform: Bool) throws {
    // Xcode writes the scale in this file as well.
    let transform =
      #""transform_params": {"image": {"scale": 0.5, "bias_r": 0, "bias_g": 0, "bias_b": 0, "bias_a": 0}},"#
    try AppleFolder.make { folder in
      let labels = AppleFolder.number(UInt64(403)) + AppleFolder.number(UInt64(100)) + AppleFolder.number(UInt64(2))
      try folder.put(
        AppleFolder.description(
          403,
          { writer in
            writer.append(1) { writer in
              writer.append(1, string: "image")
              writer.append(3) { writer in
                writer.append(4) { writer in
                  writer.append(1, int: 2)
                  writer.append(2, int: 1)
                  writer.append(3, int: 10)
                }
              }
            }
            for (name, type) in [("label", 3), ("scores", 6)] {
              writer.append(10) { writer in
                writer.append(1, string: name)
                writer.append(3) { writer in writer.append(type) { if type == 6 { $0.append(2) { _ in } } } }
              }
            }
            writer.append(11, string: "label")
            writer.append(12, string: "scores")
          }, trailer: labels + ["dark", "light"].flatMap(AppleFolder.string) + AppleFolder.string("s")),
        "coremldata.bin")
      let fields = #""nB": 2, "nC": 2, "has_biases": 0, "blob_weights": 1"#
      try folder.espresso(
        [layer("flatten", "image", "f", #""mode": 0"#), layer("inner_product", "f", "s", fields)],
        weights: [1: [-1, 0, 1, 0]], more: hasTransform ? transform : "")
      let maps: [Float] = [1, 0, 1, 0, 0, 0, -0.25, 0.5]
      try folder.put(
        maps.flatMap {
          AppleFolder.number(UInt64(1)) + AppleFolder.string("image") + AppleFolder.number($0.bitPattern)
        }, "model/coremldata.bin")
      let model = try folder.model()
      let pixels = try PixelBuffer(width: 2, height: 1, pixelFormatType: kCVPixelFormatType_OneComponent8)
      pixels.withUnsafeMutableBytes { $0[0] = 4 }
      let input = try MLDictionaryFeatureProvider(dictionary: ["image": MLFeatureValue(pixelBuffer: pixels)])
      let result = try model.prediction(from: input)
      #expect(result.featureValue(for: "label")?.stringValue == "light")
      // 0.5 x 4 - 0.25
      #expect(result.featureValue(for: "scores")?.dictionaryValue["light"] == 1.75)
    }
  }

  /// Xcode 10 writes the preprocessing of color pixels to two files. The import applies it once.
  @Test func pixelsThatAreScaledInBothFilesAreScaledOnce() throws {
    func output(_ maps: [Float]) throws -> Double? {
      try AppleFolder.make { folder in
        try folder.put(
          AppleFolder.description(500) { writer in
            writer.append(1) { writer in
              writer.append(1, string: "image")
              writer.append(3) { writer in
                writer.append(4) { writer in
                  writer.append(1, int: 1)
                  writer.append(2, int: 1)
                  writer.append(3, int: 20)
                }
              }
            }
            AppleFolder.array(10, "y", [3, 1, 1], to: &writer)
          }, "coremldata.bin")
        try folder.espresso(
          [layer("activation", "image", "y", #""mode": 6, "alpha": 1"#)], weights: [:],
          more: #""transform_params": {"image": {"scale": 0.5, "bias_r": 3, "bias_g": 2, "bias_b": 1}},"#)
        try folder.put(
          maps.flatMap {
            AppleFolder.number(UInt64(1)) + AppleFolder.string("image") + AppleFolder.number($0.bitPattern)
          }, "model/coremldata.bin")
        let pixels = try PixelBuffer(width: 1, height: 1, pixelFormatType: kCVPixelFormatType_32BGRA)
        pixels.withUnsafeMutableBytes {
          for (place, value) in [UInt8(20), 40, 60, 255].enumerated() { $0[place] = value }
        }
        let input = try MLDictionaryFeatureProvider(dictionary: ["image": MLFeatureValue(pixelBuffer: pixels)])
        // Red comes first.
        return try folder.model().prediction(from: input).featureValue(for: "y")?.multiArrayValue?[0].doubleValue
      }
    }
    for maps: [Float] in [[1, 0, 0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 0, 0.5], [1, 0, 0, 3, 2, 1, 0, 0.5]] {
      #expect(try output(maps) == 33, "\(maps)")
    }
    let error = #expect(throws: MLModelError.self) { try output([1, 0, 0, 0, 0, 0, 0, 0.25]) }
    #expect(error?.message.contains("scaled twice, by different numbers") == true)
  }

  private func identity(_ input: String, _ output: String) -> [UInt8] {
    var writer = WireWriter()
    writer.append(1, uint: 5)
    writer.append(2) { writer in
      AppleFolder.array(1, input, [2], to: &writer)
      AppleFolder.array(10, output, [2], to: &writer)
    }
    writer.append(500, bytes: Net.network([Net.add(input, 1, output)]))
    return writer.bytes
  }

  @Test func aWholeModelInside() throws {
    try AppleFolder.make { folder in
      try folder.put(AppleFolder.header(500, "spec") + identity("x", "y"), "coremldata.bin")
      #expect(try folder.run([1, 2], [2]) == [2, 3])
    }
  }
}
