import CoreMLImport
import CoreMLSpec

/// Restrictions of features that are otherwise supported. An error at loading or prediction names the part of the
/// model.
extension Support {
  static func remark(of kind: CompiledModel.Kind) -> String {
    switch kind {
    case .appleNeuralNetwork:
      "layers of the table below; not a compressed network, and not one whose array inputs are laid out in two ways"
    case .applePipeline: "as the models within it do"
    case .appleOther: "as the model type does; no nearest neighbors classifier"
    case .own, .appleProgram, .appleEncrypted: ""
    }
  }

  /// Remarks by the schema's name of the model type.
  static let modelRemarks: [String: String] = [
    "pipelineClassifier": pipeline, "pipelineRegressor": pipeline, "pipeline": pipeline,
    "mlProgram": "opsets up to \(Opset.allCases.last.map { "\($0)" } ?? "")",
    "bayesianProbitRegressor": "without a sampled probability, whose distribution the format does not specify",
    "linkedModel": "to a file in the model's folder or below it",
    "customModel": coded,
  ]

  private static let pipeline = "without ML programs that have states or several functions"

  /// Remarks by the layer type in `model.espresso.net`. Unknown fields and values are rejected.
  static let compiledLayerRemarks: [String: String] = [
    "activation": "modes 0 to 3, 5 to 10, 12 and 19 to 22",
    "batch_matmul": "without transposed operands",
    "batchnorm": "with mean 0 and variance 1, or of each instance; parameters as float32",
    "concat": "along the channels",
    "convolution": "padded with zeros",
    "crop": "by amounts, not to the size of another blob",
    "deconvolution": "padded with zeros; weights as the source has them, inputs first",
    "elementwise": "operations of the specification's layers",
    "expand_dims": "axes counted from the last one",
    "inner_product": "without a fused PReLU",
    "pool": "maximum, average, L2; one more window only where both sides are padded alike",
    "reduce": "the sum along the channels, with five axes",
    "reshape": "channels first; with five axes, or to rank 2 or 3",
    "sequence_concat": "with five axes",
    "slice": "of the channels, with five axes",
    "softmax": "along the channels",
    "softmax_nd": "axes counted from the last one",
    "split_nd": "along the channels",
    "squeeze": "axes counted from the last one",
    "transpose": "of the sequence, channels, height and width; with four axes not of the first",
  ]
}
