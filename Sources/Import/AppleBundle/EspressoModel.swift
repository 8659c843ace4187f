import CoreMLBase
import CoreMLSpec
import Foundation

/// A neural network compiled by Apple's tools, converted to the serialized `Model` from which it was compiled.
///
/// - `model.espresso.net`: the layers, and a part of the pixel preprocessing
/// - `model.espresso.weights`: the weights
/// - `model.espresso.shape`: the sizes of blobs
/// - `coremldata.bin`: the description and a classifier's labels
/// - `model/coremldata.bin`: the other part of the pixel preprocessing
///
/// Parts for on-device training do not affect predictions and are not read.
struct EspressoModel {
  let folder: String

  func bytes() throws -> Bytes {
    let description = try CompiledDescription.open("\(folder)/coremldata.bin")
    guard case .description(let message, _) = description.contents else {
      throw SpecError(
        .malformedCompiledModel, "expected the description of a neural network, found a whole model", file: folder)
    }
    guard [303, 403, 500].contains(description.typeNumber) else {
      throw SpecError(
        .malformedCompiledModel, "expected a neural network, found a model of type \(description.typeNumber)",
        file: folder)
    }
    let optionals = try EspressoOptionals.open("\(folder)/neural_network_optionals/coremldata.bin")
    let network = try EspressoNetwork.open("\(folder)/model.espresso.net")
    let shapes = try EspressoShapes.open("\(folder)/model.espresso.shape")
    let weights = try EspressoWeights.open(
      ModelFile.path(ofBlobFile: "@model_path/\(network.storage)", in: folder))
    let layers = EspressoLayers(weights: weights, shapes: shapes)
    for layer in network.layers { try layers.append(layer) }
    let features = Specification.ModelDescription(Message(message))
    var writer = layers.take()
    try EspressoInputs(network: network, shapes: shapes, hasAnyRank: optionals.hasAnyRank, folder: folder)
      .write(features, to: &writer)
    if description.typeNumber == 403 { try classifier(description, to: &writer) }
    var model = WireWriter()
    model.append(1, uint: UInt64(description.specificationVersion))
    model.append(2, bytes: message)
    model.append(description.typeNumber, bytes: writer.bytes)
    return Bytes(model.bytes, file: "\(folder)/model.espresso.net")
  }

  private func classifier(_ description: CompiledDescription, to writer: inout WireWriter) throws {
    let (labels, probabilities) = try description.classifier()
    switch labels {
    case .strings(let strings):
      writer.append(100) { writer in for string in strings { writer.append(1, string: string) } }
    case .integers(let integers): writer.append(101) { $0.append(1, packed: integers) }
    }
    writer.append(200, string: probabilities)
  }
}

/// `neural_network_optionals/coremldata.bin`: up to five u64, fewer in files of older tools.
///
/// The third is 1 if values have any rank (`ndArrayInterpretation` in coremltools' validator), and 0 if they have five
/// axes. The source of a model with 1 uses `EXACT_ARRAY_MAPPING` if it has array inputs. The others are known only with
/// the value 0.
struct EspressoOptionals {
  let hasAnyRank: Bool

  static func open(_ path: String) throws -> EspressoOptionals {
    guard FileManager.default.fileExists(atPath: path) else { return EspressoOptionals(hasAnyRank: false) }
    let bytes = try Bytes.mapping(file: path)
    if bytes.withUnsafeBytes({ $0.allSatisfy { $0 == 0 } }) { return EspressoOptionals(hasAnyRank: false) }
    let numbers = bytes.count == 40 ? try (0..<5).map { try bytes.load(UInt64.self, at: $0 * 8) } : []
    guard numbers == [0, 0, 1, 0, 0] else {
      throw SpecError(.compiledByApple, "neural_network_optionals has values that are not supported", file: path)
    }
    return EspressoOptionals(hasAnyRank: true)
  }
}

/// How features enter a compiled neural network: the shape mappings and the pixel preprocessing.
struct EspressoInputs {
  let network: EspressoNetwork
  let shapes: EspressoShapes
  /// Whether arrays have the axes that the features declare, according to `neural_network_optionals`.
  let hasAnyRank: Bool
  let folder: String

  /// Writes the fields of a `NeuralNetwork` that describe the inputs.
  func write(_ description: Specification.ModelDescription, to writer: inout WireWriter) throws {
    let path = "\(folder)/model/coremldata.bin"
    let pixels = FileManager.default.fileExists(atPath: path) ? try EspressoPixels.open(path).inputs : [:]
    var arrays: Set<Bool> = []
    var images: Set<Bool> = []
    for feature in try description.input {
      let name = try feature.name
      let rank = shapes.shapes[name]?.rank
      switch try feature.type?.type {
      case .imageType(let image):
        images.insert(rank == 4)
        try scaler(name, try image.colorSpace, pixels[name], to: &writer)
      case .multiArrayType(let array):
        // A shape file without a rank comes from tools that supported only five axes.
        arrays.insert(
          hasAnyRank || rank.map { [1, 3].contains((try? array.shape.count) ?? 0) ? $0 != 5 : true } ?? false)
      default: continue
      }
    }
    guard arrays.count < 2, images.count < 2 else {
      throw SpecError(.compiledByApple, "the inputs have their axes in different ways", file: folder)
    }
    if arrays.contains(true) { writer.append(5, uint: 1) }
    if images.contains(true) { writer.append(6, uint: 1) }
  }

  private func scaler(
    _ name: String, _ space: Specification.ImageFeatureType.ColorSpace, _ pixels: EspressoPixels.Pixels?,
    to writer: inout WireWriter
  ) throws {
    let transform = network.transforms[name]
    let isGray = [.grayscale, .grayscaleFloat16].contains(space)
    func refusal(_ what: String) -> SpecError {
      SpecError(.compiledByApple, "the pixels of '\(name)' \(what)", file: folder)
    }
    if let transform {
      guard !transform.centersMean else { throw refusal("have their mean subtracted, which is not supported") }
      // Xcode writes a transform for grayscale pixels too; only its scale is meaningful.
      guard !isGray || [transform.blueBias, transform.greenBias, transform.redBias].allSatisfy({ $0 == 0 }) else {
        throw refusal("are grayscale and have biases of color channels")
      }
      guard transform.isBlueFirst == (space == .bgr) else {
        throw refusal("have another channel order than the feature")
      }
    }
    if let pixels {
      guard pixels.isGrayscale == isGray else { throw refusal("have other channels than the feature") }
      guard !pixels.isBlueFirst || space == .bgr else { throw refusal("have another channel order than the feature") }
      // Xcode 10 writes a transform's scale here too; Core ML applies it once.
      guard transform == nil || pixels.scale == 1 || pixels.scale == transform?.scale else {
        throw refusal("are scaled twice, by different numbers")
      }
    }
    var biases = pixels?.biases.filter { $0 != 0 } ?? []
    // Xcode 10 also repeats the transform's biases here, in an unknown channel order.
    if let transform, let pixels, !isGray,
      [transform.blueBias, transform.greenBias, transform.redBias].sorted() == pixels.biases.prefix(3).sorted()
    {
      biases = []
    }
    guard biases.count < (isGray ? 2 : 1) else { throw refusal("have biases whose channels are not known") }
    writer.append(2) { writer in
      writer.append(1, string: name)
      writer.append(10) { writer in
        writer.append(10, float: transform?.scale ?? pixels?.scale ?? 1)
        if let transform {
          writer.append(20, float: transform.blueBias)
          writer.append(21, float: transform.greenBias)
          writer.append(22, float: transform.redBias)
        }
        if let bias = biases.first { writer.append(30, float: bias) }
      }
    }
  }
}
