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
  /// Whether the model can be trained.
  var isUpdatable = false
  /// What a training task may set.
  var updateParameters: [UpdateParameter] = []
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

extension Function {
  /// The labels of the classifier that the function ends in: strings or integers.
  var classLabels: [Any]? {
    guard let classify = body.operations.last(where: { $0.type == "classify" }) else { return nil }
    switch classify.value("classes", constants) {
    case .tensor(let tensor): return tensor.scalar == .string ? try? tensor.strings() : try? tensor.ints()
    case .list(let items, _):
      return items.compactMap { item in
        guard let tensor = item.tensor else { return nil }
        return tensor.scalar == .string ? (try? tensor.strings().first) : (try? tensor.ints().first)
      }
    default: return nil
    }
  }
}
