/// A key of a model's metadata; the values are strings, of `creatorDefinedKey` a dictionary of strings.
public struct MLModelMetadataKey: Hashable, RawRepresentable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  /// A short description of the model.
  public static let description = MLModelMetadataKey(rawValue: "MLModelDescriptionKey")
  /// The version of the model.
  public static let versionString = MLModelMetadataKey(rawValue: "MLModelVersionStringKey")
  /// Who made the model.
  public static let author = MLModelMetadataKey(rawValue: "MLModelAuthorKey")
  /// The terms of its use.
  public static let license = MLModelMetadataKey(rawValue: "MLModelLicenseKey")
  /// What else the author wrote, a dictionary of strings.
  public static let creatorDefinedKey = MLModelMetadataKey(rawValue: "MLModelCreatorDefinedKey")
}
