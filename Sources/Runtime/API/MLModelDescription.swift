import Foundation

public struct MLModelMetadataKey: Hashable, RawRepresentable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let description = MLModelMetadataKey(rawValue: "MLModelDescriptionKey")
  public static let versionString = MLModelMetadataKey(rawValue: "MLModelVersionStringKey")
  public static let author = MLModelMetadataKey(rawValue: "MLModelAuthorKey")
  public static let license = MLModelMetadataKey(rawValue: "MLModelLicenseKey")
  public static let creatorDefinedKey = MLModelMetadataKey(rawValue: "MLModelCreatorDefinedKey")
}

/// A model's features and metadata.
// Sendable: immutable; metadata holds strings and dictionaries of strings
public final class MLModelDescription: @unchecked Sendable {
  public let inputDescriptionsByName: [String: MLFeatureDescription]
  public let outputDescriptionsByName: [String: MLFeatureDescription]
  public let stateDescriptionsByName: [String: MLFeatureDescription]
  public let predictedFeatureName: String?
  public let predictedProbabilitiesName: String?
  public let metadata: [MLModelMetadataKey: Any]
  public let classLabels: [Any]?

  init(
    inputs: [MLFeatureDescription], outputs: [MLFeatureDescription], states: [MLFeatureDescription],
    predictedFeatureName: String?, predictedProbabilitiesName: String?, metadata: [MLModelMetadataKey: Any],
    classLabels: [Any]?
  ) {
    func byName(_ features: [MLFeatureDescription]) -> [String: MLFeatureDescription] {
      Dictionary(features.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
    inputDescriptionsByName = byName(inputs)
    outputDescriptionsByName = byName(outputs)
    stateDescriptionsByName = byName(states)
    self.predictedFeatureName = predictedFeatureName
    self.predictedProbabilitiesName = predictedProbabilitiesName
    self.metadata = metadata
    self.classLabels = classLabels
  }
}

public struct MLOptimizationHints: Equatable, Sendable {
  public enum ReshapeFrequency: Int, Sendable { case frequent, infrequent }
  public enum SpecializationStrategy: Int, Sendable { case `default`, fastPrediction }
  public var reshapeFrequency: ReshapeFrequency = .frequent
  public var specializationStrategy: SpecializationStrategy = .default
  public init() {}
}

/// Options of one prediction.
public class MLPredictionOptions: NSObject {
  public var usesCPUOnly = false
  /// Arrays that outputs are to be written to, by feature name. Test the output's identity to see whether it was.
  public var outputBackings: [String: Any] = [:]
}

/// A key of a parameter.
// Sendable: immutable
public class MLParameterKey: NSObject, @unchecked Sendable {
  public let name: String
  public let scope: String?
  init(_ name: String, scope: String? = nil) {
    self.name = name
    self.scope = scope
  }
  public func scoped(to scope: String) -> MLParameterKey { MLParameterKey(name, scope: scope) }
  override public func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLParameterKey else { return false }
    return other.name == name && other.scope == scope
  }
  override public var hash: Int {
    var hasher = Hasher()
    hasher.combine(name)
    hasher.combine(scope)
    return hasher.finalize()
  }
}
