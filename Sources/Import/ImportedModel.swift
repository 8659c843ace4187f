import CoreMLBase
import CoreMLSpec
import MIL

/// A model independent of its storage format: a program, and the mapping of features to the program's inputs and
/// outputs.
package struct ImportedModel: Sendable {
  package var program: Program
  package var interface: ModelInterface
  /// The weight file, if it is permanent and does not change; then data derived from it may be cached. Nil for weights
  /// that exist only in memory, for example those of encrypted models, and for weights that training changes.
  package var weightFile: WeightFile?

  package init(program: Program, interface: ModelInterface) {
    self.program = program
    self.interface = interface
  }
}

/// How features map to the program's inputs and outputs, in addition to the model's description.
package struct ModelInterface: Sendable {
  /// The serialized `ModelDescription` of the specification: features, functions, metadata.
  package var description: Bytes
  package var specificationVersion: Int
  /// The name of the model type's field in the specification, for example `mlProgram`.
  package var modelType: String
  /// Whether the model can be trained.
  package var isUpdatable = false
  /// The parameters that a training task may set.
  package var updateParameters: [UpdateParameter] = []
  /// How a NeuralNetwork maps the shapes of input arrays and images (`arrayInputShapeMapping`,
  /// `imageInputShapeMapping`).
  package var arrayMapping: ShapeMapping = .exact
  package var imageMapping: ShapeMapping = .exact

  /// Whether the model is a network or a program, whose inputs have the declared ranks.
  package var isNetwork: Bool { modelType == "mlProgram" || modelType.hasPrefix("neuralNetwork") }

  package init(
    description: Bytes, specificationVersion: Int, modelType: String, isUpdatable: Bool = false,
    updateParameters: [UpdateParameter] = [], arrayMapping: ShapeMapping = .exact, imageMapping: ShapeMapping = .exact
  ) {
    self.description = description
    self.specificationVersion = specificationVersion
    self.modelType = modelType
    self.isUpdatable = isUpdatable
    self.updateParameters = updateParameters
    self.arrayMapping = arrayMapping
    self.imageMapping = imageMapping
  }

  package enum ShapeMapping: String, Sendable, Codable {
    /// The declared shape is the tensor's shape; an image is (1, C, H, W).
    case exact
    /// (Sequence, Batch, Channel, Height, Width): rank 1 sets C, rank 3 sets C, H, W.
    case rank5
  }
}
