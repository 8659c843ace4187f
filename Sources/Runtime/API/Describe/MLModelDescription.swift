import CoreMLImport
import Foundation

/// A model's features and metadata.
// Sendable: immutable after initialization; metadata holds strings and dictionaries of strings
open class MLModelDescription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The inputs of a prediction.
  open internal(set) var inputDescriptionsByName: [String: MLFeatureDescription] = [:]
  /// The outputs of a prediction.
  open internal(set) var outputDescriptionsByName: [String: MLFeatureDescription] = [:]
  /// The states that `MLModel.makeState()` creates; empty for a model without states.
  open internal(set) var stateDescriptionsByName: [String: MLFeatureDescription] = [:]
  /// The name of the output that a classifier or regressor predicts.
  open internal(set) var predictedFeatureName: String?
  /// The name of the output that holds a classifier's probabilities by label.
  open internal(set) var predictedProbabilitiesName: String?
  /// The author's metadata. Each standard key has a text, which may be empty. `creatorDefinedKey` has a dictionary of
  /// all other entries.
  open internal(set) var metadata: [MLModelMetadataKey: Any] = [:]
  /// The labels of a classifier, strings or integers (`NSNumber`), in the order of its probabilities.
  open internal(set) var classLabels: [Any]?
  /// Whether the model can be trained on the device.
  open internal(set) var isUpdatable = false
  /// The inputs of a training example.
  open internal(set) var trainingInputDescriptionsByName: [String: MLFeatureDescription] = [:]
  /// The parameters that a training task may set.
  open internal(set) var parameterDescriptionsByKey: [MLParameterKey: MLParameterDescription] = [:]
  /// The inputs in the order of the model file, like the three properties below.
  package private(set) var inputs: [MLFeatureDescription] = []
  package private(set) var outputs: [MLFeatureDescription] = []
  package private(set) var states: [MLFeatureDescription] = []
  package private(set) var trainingInputs: [MLFeatureDescription] = []

  /// Creates an empty object, for subclasses that act as test doubles.
  override public init() { super.init() }

  convenience init(
    inputs: [MLFeatureDescription], outputs: [MLFeatureDescription], states: [MLFeatureDescription],
    predictedFeatureName: String?, predictedProbabilitiesName: String?, metadata: [MLModelMetadataKey: Any],
    classLabels: [Any]?, isUpdatable: Bool = false, trainingInputs: [MLFeatureDescription] = [],
    parameters: [MLParameterDescription] = []
  ) {
    self.init()
    keep(inputs, outputs, states, trainingInputs)
    self.predictedFeatureName = predictedFeatureName
    self.predictedProbabilitiesName = predictedProbabilitiesName
    self.metadata = metadata
    // An integer stored as `NSNumber` can be cast to every integer type.
    self.classLabels = classLabels?.map { label in (label as? Int64).map { NSNumber(value: $0) } ?? label }
    self.isUpdatable = isUpdatable
    parameterDescriptionsByKey = Dictionary(
      parameters.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private func keep(
    _ inputs: [MLFeatureDescription], _ outputs: [MLFeatureDescription], _ states: [MLFeatureDescription],
    _ trainingInputs: [MLFeatureDescription]
  ) {
    func byName(_ features: [MLFeatureDescription]) -> [String: MLFeatureDescription] {
      Dictionary(features.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
    (self.inputs, self.outputs, self.states, self.trainingInputs) = (inputs, outputs, states, trainingInputs)
    inputDescriptionsByName = byName(inputs)
    outputDescriptionsByName = byName(outputs)
    stateDescriptionsByName = byName(states)
    trainingInputDescriptionsByName = byName(trainingInputs)
  }

  /// Returns `self`; the object is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Descriptions support secure coding (decoding with an expected class).
  open class var supportsSecureCoding: Bool { true }

  /// Encodes the features, the metadata and the parameters.
  open func encode(with coder: NSCoder) {
    coder.encode(inputs as NSArray, forKey: "inputs")
    coder.encode(outputs as NSArray, forKey: "outputs")
    coder.encode(states as NSArray, forKey: "states")
    coder.encode(trainingInputs as NSArray, forKey: "trainingInputs")
    coder.encode(Array(parameterDescriptionsByKey.values) as NSArray, forKey: "parameters")
    coder.encode(text: predictedFeatureName, forKey: "predictedFeatureName")
    coder.encode(text: predictedProbabilitiesName, forKey: "predictedProbabilitiesName")
    coder.encode(isUpdatable, forKey: "isUpdatable")
    let texts = metadata.compactMapValues { $0 as? String }
    coder.encode(texts.keys.map { $0.rawValue as NSString } as NSArray, forKey: "metadataKeys")
    coder.encode(texts.values.map { $0 as NSString } as NSArray, forKey: "metadataValues")
    if let own = metadata[.creatorDefinedKey] as? [String: String] {
      coder.encode(own.keys.map { $0 as NSString } as NSArray, forKey: "creatorKeys")
      coder.encode(own.values.map { $0 as NSString } as NSArray, forKey: "creatorValues")
    }
    if let labels = classLabels as? [String] {
      coder.encode(labels.map { $0 as NSString } as NSArray, forKey: "labels")
    } else if let labels = classLabels as? [NSNumber] {
      coder.encode(numbers: labels, forKey: "numbers")
    }
  }

  /// Decodes a description; nil if the archive holds something else.
  public required init?(coder: NSCoder) {
    func features(_ key: String) -> [MLFeatureDescription]? {
      coder.objects(of: MLFeatureDescription.self, forKey: key)
    }
    guard let inputs = features("inputs"), let outputs = features("outputs"), let states = features("states"),
      let trainingInputs = features("trainingInputs"),
      let parameters = coder.objects(of: MLParameterDescription.self, forKey: "parameters"),
      let texts = coder.pairs("metadataKeys", "metadataValues")
    else { return nil }
    super.init()
    keep(inputs, outputs, states, trainingInputs)
    parameterDescriptionsByKey = Dictionary(parameters.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    predictedFeatureName = coder.text(forKey: "predictedFeatureName")
    predictedProbabilitiesName = coder.text(forKey: "predictedProbabilitiesName")
    isUpdatable = coder.decodeBool(forKey: "isUpdatable")
    metadata = Dictionary(
      texts.map { (MLModelMetadataKey(rawValue: $0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
    if let own = coder.pairs("creatorKeys", "creatorValues") { metadata[.creatorDefinedKey] = own }
    classLabels = coder.texts(forKey: "labels") ?? coder.numbers(forKey: "numbers")
  }

  /// Whether the other description has equal contents.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLModelDescription else { return false }
    return other === self
      || inputs == other.inputs && outputs == other.outputs && states == other.states
        && trainingInputs == other.trainingInputs && predictedFeatureName == other.predictedFeatureName
        && predictedProbabilitiesName == other.predictedProbabilitiesName && isUpdatable == other.isUpdatable
        && "\(texts)" == "\(other.texts)" && "\(classLabels ?? [])" == "\(other.classLabels ?? [])"
  }

  override open var hash: Int { inputs.map(\.name).hashValue }

  /// The metadata, one line an entry. Dictionaries are sorted by key, because equal dictionaries may iterate in
  /// different orders.
  private var texts: [String] {
    func text(_ value: Any) -> String {
      guard let own = value as? [String: String], !own.isEmpty else { return "\(value)" }
      return "[" + own.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \"\($0.value)\"" }.joined(separator: ", ") + "]"
    }
    return metadata.map { "\($0.key.rawValue) = \(text($0.value))" }.sorted()
  }

  /// The features and the metadata, one line each.
  override open var description: String {
    func list(_ title: String, _ items: [String]) -> String? {
      items.isEmpty ? nil : "\(title): (\n" + items.map { "    \"\($0)\"" }.joined(separator: ",\n") + "\n)"
    }
    func sorted(_ features: [String: MLFeatureDescription]) -> [String] {
      features.keys.sorted().map { "\(features[$0] ?? MLFeatureDescription())" }
    }
    let lines = [
      list("inputs", sorted(inputDescriptionsByName)), list("outputs", sorted(outputDescriptionsByName)),
      list("states", sorted(stateDescriptionsByName)), predictedFeatureName.map { "predictedFeatureName: \($0)" },
      predictedProbabilitiesName.map { "predictedProbabilitiesName: \($0)" },
      classLabels.flatMap { list("classLabels", $0.map { "\($0)" }) },
      "metadata: {\n" + texts.map { "    \($0);\n" }.joined() + "}",
    ]
    return lines.compactMap { $0 }.joined(separator: "\n")
  }
}

extension MLModelDescription {
  /// The index of each class label; empty if a label occurs twice.
  package var placesOfLabels: [AnyHashable: Int32] {
    let labels = (classLabels ?? []).compactMap { label -> AnyHashable? in
      (label as? String).map { AnyHashable($0) } ?? (label as? NSNumber).map { AnyHashable($0.int64Value) }
    }
    let places = Dictionary(labels.enumerated().map { ($1, Int32($0)) }, uniquingKeysWith: { first, _ in first })
    return places.count == classLabels?.count ? places : [:]
  }
}
