import CoreMLSpec
import MIL

/// A model as the rest of the runtime knows it, whatever it was stored as: a program, and how its features meet the
/// program's inputs and outputs.
struct ImportedModel: Sendable {
  var program: Program
  var interface: ModelInterface
}

/// How features reach the program and come out of it, beyond what the model's description says.
struct ModelInterface: Sendable {
  /// The serialised `ModelDescription` of the specification: features, functions, metadata.
  var description: Bytes
  var specificationVersion: Int
  /// The name of the model type's field in the specification, such as `mlProgram`.
  var modelType: String
  /// How arrays and images of a NeuralNetwork are laid out when they enter (`arrayInputShapeMapping`, `imageInputShapeMapping`).
  var arrayMapping: ShapeMapping = .exact
  var imageMapping: ShapeMapping = .exact

  /// The model is a network or a program, whose inputs have the declared ranks.
  var isNetwork: Bool { modelType == "mlProgram" || modelType.hasPrefix("neuralNetwork") }

  enum ShapeMapping: String, Sendable, Codable {
    /// The declared shape is the tensor's shape; an image is (1, C, H, W).
    case exact
    /// (Sequence, Batch, Channel, Height, Width): rank 1 fills C, rank 3 fills C, H, W.
    case rank5
  }
}
