/// A key of a model's metadata; the values are strings, of `creatorDefinedKey` a dictionary of strings.
public struct MLModelMetadataKey: Hashable, RawRepresentable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let description = MLModelMetadataKey(rawValue: "MLModelDescriptionKey")
  public static let versionString = MLModelMetadataKey(rawValue: "MLModelVersionStringKey")
  public static let author = MLModelMetadataKey(rawValue: "MLModelAuthorKey")
  public static let license = MLModelMetadataKey(rawValue: "MLModelLicenseKey")
  public static let creatorDefinedKey = MLModelMetadataKey(rawValue: "MLModelCreatorDefinedKey")
}
