import CoreMLBase
import CoreMLSpec
import MIL

/// A model as the rest of the runtime knows it, whatever it was stored as: a program, and how its features meet the
/// program's inputs and outputs.
package struct ImportedModel: Sendable {
  package var program: Program
  package var interface: ModelInterface
  /// The file of the weights, where it stays as it is: what is made of them may be kept elsewhere. Weights that are only in memory, as those
  /// of encrypted models, or that training changes, have none.
  package var weightFile: WeightFile?

  package init(program: Program, interface: ModelInterface) {
    self.program = program
    self.interface = interface
  }
}

/// How features reach the program and come out of it, beyond what the model's description says.
package struct ModelInterface: Sendable {
  /// The serialised `ModelDescription` of the specification: features, functions, metadata.
  package var description: Bytes
  package var specificationVersion: Int
  /// The name of the model type's field in the specification, such as `mlProgram`.
  package var modelType: String
  /// Whether the model can be trained.
  package var isUpdatable = false
  /// What a training task may set.
  package var updateParameters: [UpdateParameter] = []
  /// How arrays and images of a NeuralNetwork are laid out when they enter (`arrayInputShapeMapping`, `imageInputShapeMapping`).
  package var arrayMapping: ShapeMapping = .exact
  package var imageMapping: ShapeMapping = .exact

  /// The model is a network or a program, whose inputs have the declared ranks.
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
    /// (Sequence, Batch, Channel, Height, Width): rank 1 fills C, rank 3 fills C, H, W.
    case rank5
  }
}
