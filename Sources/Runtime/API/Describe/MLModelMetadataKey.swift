/// A key of a model's metadata. The value is a string; for `creatorDefinedKey` it is a dictionary of strings.
public struct MLModelMetadataKey: Hashable, RawRepresentable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  /// A short description of the model.
  public static let description = MLModelMetadataKey(rawValue: "MLModelDescriptionKey")
  /// The version of the model.
  public static let versionString = MLModelMetadataKey(rawValue: "MLModelVersionStringKey")
  /// The author of the model.
  public static let author = MLModelMetadataKey(rawValue: "MLModelAuthorKey")
  /// The license of the model.
  public static let license = MLModelMetadataKey(rawValue: "MLModelLicenseKey")
  /// All other entries of the author, a dictionary of strings.
  public static let creatorDefinedKey = MLModelMetadataKey(rawValue: "MLModelCreatorDefinedKey")
}
