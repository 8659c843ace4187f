import CoreMLBase
import CoreMLSpec
import MIL

/// Imports a complete NeuralNetwork model (plain, classifier or regressor) as a program: inputs, preprocessing, layers,
/// and outputs with the features' names. For a classifier it adds the label and the probabilities.
struct NetworkModel {
  private let layers: Views<Specification.NeuralNetworkLayer>
  private let preprocessing: Views<Specification.NeuralNetworkPreprocessing>
  private let description: Specification.ModelDescription
  private let interface: ModelInterface
  private var classes: Tensor?
  private var probabilityLayer = ""
  private let updates: Specification.NetworkUpdateParameters?

  init(
    _ network: Specification.NeuralNetworkClassifier, _ description: Specification.ModelDescription,
    _ interface: inout ModelInterface
  ) throws {
    try self.init(network as any NetworkMessage, description, &interface)
    switch try network.classLabels {
    case .stringClassLabels(let labels):
      let strings = try labels.vector
      classes = Tensor(strings: strings, shape: [strings.count])
    case .int64ClassLabels(let labels):
      let values = try labels.vector
      classes = Tensor(int64: values, shape: [values.count])
    case nil: throw RuntimeError(.invalidModel, "the classifier has no class labels")
    }
    probabilityLayer = try network.labelProbabilityLayerName
  }

  init(
    _ network: any NetworkMessage, _ description: Specification.ModelDescription, _ interface: inout ModelInterface
  ) throws {
    layers = try network.layers
    preprocessing = try network.preprocessing
    interface.arrayMapping = try network.arrayInputShapeMapping == .exactArrayMapping ? .exact : .rank5
    interface.imageMapping = try network.imageInputShapeMapping == .rank4ImageMapping ? .exact : .rank5
    let updates = try network.updateParams
    self.updates = interface.isUpdatable ? updates : nil
    self.description = description
    self.interface = interface
  }

  func program() throws -> Program {
    let network = NetworkImport(isUpdatable: interface.isUpdatable)
    let graph = network.graph
    let inputNames = Set(try description.input.map { try $0.name })
    graph.builder.reserve(try description.output.map { try $0.name }.filter { !inputNames.contains($0) })
    var images: [String] = []
    for feature in try description.input {
      let name = try feature.name
      let type = try inputType(feature)
      var value = graph.builder.input(name, .tensor(type))
      if try feature.type?.imageType != nil {
        images.append(name)
        value = try preprocessed(value, name, feature, graph)
      }
      graph.define(name, Blob(full: value, merged: nil))
    }
    if interface.arrayMapping == .exact {
      for feature in try description.output {
        guard let rank = try feature.type?.multiArrayType?.shape.count, rank > 0 else { continue }
        graph.featureRanks[try feature.name] = rank
      }
    }
    let losses = try LossLayers(updates)
    let results = try description.output.map { try $0.name } + [probabilityLayer] + losses.inputs
    try network.readingLater(results) { try network.lowerAll(layers) }
    let outputs = try self.outputs(graph)
    try losses.mark(graph)
    let function = Function(
      inputs: graph.builder.inputs, opset: Opset.iOS18.rawValue, body: graph.builder.block(outputs: outputs))
    var body = function
    body.body.inputs = []
    let names = try description.output.map { try $0.name }
    if names != outputs { body.featureOutputNames = names }
    body.fileStructure = FileStructure(
      modelType: interface.modelType,
      layers: try layers.compactMap { layer in
        try layer.layer.map { kind in
          FileStructure.Layer(
            name: try layer.name, type: NetworkImport.word(of: kind), inputs: try layer.input,
            outputs: try layer.output)
        }
      })
    return Program(functions: ["main": body])
  }

  // MARK: inputs

  /// The type of an input in the network: (Seq, Batch, C, H, W) in the legacy mapping, otherwise the declared shape.
  private func inputType(_ feature: Specification.FeatureDescription) throws -> TensorType {
    let name = try feature.name
    switch try feature.type?.type {
    case .imageType(let image):
      let shape = try FeatureTypes.type(of: image).shape
      return try TensorType(.float32, interface.imageMapping == .rank5 ? [1] + shape : shape).validated(
        "input '\(name)'")
    case .multiArrayType(let array):
      let shape = try FeatureShapes.dimensions(of: array)
      guard interface.arrayMapping == .rank5 else {
        return try TensorType(.float32, shape.isEmpty ? [.unknown] : shape).validated("input '\(name)'")
      }
      let lead: [Dimension] = [.unknown, .unknown]
      switch shape.count {
      case 1: return try TensorType(.float32, lead + [shape[0], 1, 1]).validated("input '\(name)'")
      case 3: return try TensorType(.float32, lead + shape).validated("input '\(name)'")
      case 5: return try TensorType(.float32, shape).validated("input '\(name)'")
      default:
        throw RuntimeError(
          .unsupported, "input '\(name)' has rank \(shape.count); the network's array mapping takes rank 1, 3 or 5")
      }
    default:
      throw RuntimeError(.unsupported, "input '\(name)' of a neural network is neither an array nor an image")
    }
  }

  /// y = channelScale x + bias, in the image's channel order; or y = x - mean.
  private func preprocessed(
    _ value: String, _ name: String, _ feature: Specification.FeatureDescription, _ graph: NetworkGraph
  ) throws -> String {
    var value = value
    // An empty feature name refers to the only image.
    for step in preprocessing where try step.featureName.isEmpty || step.featureName == name {
      switch try step.preprocessor {
      case .scaler(let scaler):
        let scale = try scaler.channelScale == 0 ? 1 : scaler.channelScale
        let biases: [Float]
        switch try feature.type?.imageType?.colorSpace {
        case .bgr: biases = [try scaler.blueBias, try scaler.greenBias, try scaler.redBias]
        case .rgb: biases = [try scaler.redBias, try scaler.greenBias, try scaler.blueBias]
        default: biases = [try scaler.grayBias]
        }
        if scale != 1 { value = try graph.emit("mul", ["x": .name(value), "y": .float(scale)]) }
        if biases.contains(where: { $0 != 0 }) {
          let bias = Tensor(float32: biases, shape: [biases.count, 1, 1])
          value = try graph.emit("add", ["x": .name(value), "y": .tensor(bias)])
        }
      case .meanImage(let mean):
        let type = try graph.builder.tensorType(of: value)
        guard let shape = TensorType(.float32, Array(type.shape.suffix(3))).concreteShape else {
          throw RuntimeError(.unsupported, "input '\(name)' has a mean image and a size that is not fixed")
        }
        let values = try mean.meanImage
        guard TensorType.elementCount(shape) == values.count else {
          throw RuntimeError(
            .invalidModel, "the mean image of '\(name)' has \(values.count) values, the image has the shape \(shape)")
        }
        value = try graph.emit("sub", ["x": .name(value), "y": .tensor(Tensor(float32: values, shape: shape))])
      case nil: continue
      }
    }
    return value
  }

  // MARK: outputs

  private func outputs(_ graph: NetworkGraph) throws -> [String] {
    let label = try description.predictedFeatureName
    let probabilities = try description.predictedProbabilitiesName
    var classified: [String] = []
    if let classes {
      let scores = try self.scores(graph)
      let flat = try graph.emit("reshape", ["x": .name(scores), "shape": .ints([-1])])
      classified = try graph.builder.add(
        "classify", ["probabilities": [.name(flat)], "classes": [.tensor(classes)]], exactly: [label, probabilities])
    }
    let inputs = Set(try description.input.map { try $0.name })
    return try description.output.map { feature in
      let name = try feature.name
      if classes != nil, name == label { return classified[0] }
      if classes != nil, name == probabilities { return classified[1] }
      guard let blob = graph.blobs[name] else {
        throw RuntimeError(.invalidModel, "the output '\(name)' is given by no layer")
      }
      let value = try graph.full(blob, named: name)
      if inputs.contains(name) {
        return try graph.emit("identity", ["x": .name(value)])
      }
      return try graph.builder.add("identity", ["x": [.name(value)]], exactly: [name])[0]
    }
  }

  /// The blob with one probability per class: the output of the named layer, or of the last layer.
  private func scores(_ graph: NetworkGraph) throws -> String {
    var name = ""
    for layer in layers {
      let output = try layer.output
      if try probabilityLayer.isEmpty || layer.name == probabilityLayer || output.contains(probabilityLayer) {
        name = output.contains(probabilityLayer) ? probabilityLayer : output.first ?? name
      }
    }
    guard let blob = graph.blobs[name] else {
      throw RuntimeError(.invalidModel, "the layer '\(probabilityLayer)' that gives the class probabilities is missing")
    }
    return try graph.full(blob, named: name)
  }
}

/// What the messages of plain networks, classifiers and regressors have in common.
protocol NetworkMessage {
  var layers: Views<Specification.NeuralNetworkLayer> { get throws }
  var preprocessing: Views<Specification.NeuralNetworkPreprocessing> { get throws }
  var arrayInputShapeMapping: Specification.NeuralNetworkMultiArrayShapeMapping { get throws }
  var imageInputShapeMapping: Specification.NeuralNetworkImageShapeMapping { get throws }
  var updateParams: Specification.NetworkUpdateParameters? { get throws }
}

extension Specification.NeuralNetwork: NetworkMessage {}
extension Specification.NeuralNetworkClassifier: NetworkMessage {}
extension Specification.NeuralNetworkRegressor: NetworkMessage {}
