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

extension Function {
  /// The labels of a classifier in the function, strings or 64-bit integers: of the one that gives the feature, else of the only one
  /// there is; nil where several could be meant.
  package func classLabels(of feature: String?) -> [Any]? {
    let classifiers = body.operations.filter { $0.type == "classify" || $0.type == "ml.nearest_neighbors" }
    if let feature, let place = featureOutputNames.firstIndex(of: feature), body.outputs.indices.contains(place) {
      let value = source(of: body.outputs[place])
      if let named = classifiers.first(where: { $0.outputs.contains { $0.name == value } }) { return labels(of: named) }
    }
    return classifiers.count == 1 ? labels(of: classifiers[0]) : nil
  }

  /// The value that an output is another name of.
  private func source(of value: String) -> String {
    var sources: [String: String] = [:]
    for operation in body.operations where operation.type == "identity" {
      if let name = operation.outputs.first?.name { sources[name] = operation.inputs["x"]?.first?.name }
    }
    var value = value
    // Each is followed once.
    while let source = sources.removeValue(forKey: value) { value = source }
    return value
  }

  private func labels(of classifier: Operation) -> [Any]? {
    let remembers = classifier.type == "ml.nearest_neighbors"
    var tensors: [Tensor] = []
    switch classifier.value(remembers ? "labels" : "classes", constants) {
    case .tensor(let tensor): tensors = [tensor]
    case .list(let items, _): tensors = items.compactMap(\.tensor)
    default: return nil
    }
    let all = tensors.map { Self.labels($0) }.joined()
    guard remembers else { return all.map(\.base) }
    // A label for each sample: each of them once, in the order of the samples.
    var seen: Set<AnyHashable> = []
    return all.filter { seen.insert($0).inserted }.map(\.base)
  }

  private static func labels(_ tensor: Tensor) -> [AnyHashable] {
    if tensor.scalar == .string { return (try? tensor.strings()) ?? [] }
    return ((try? tensor.ints()) ?? []).map { Int64($0) }
  }
}
