extension DeliveryError.Code {
  // Encrypted models.

  /// The key is not the one that the model was encrypted with.
  public static let wrongModelKey = Self(rawValue: "delivery.wrong-model-key")
  /// An encrypted model was modified.
  public static let tamperedModel = Self(rawValue: "delivery.tampered-model")
  /// An encrypted model is truncated.
  public static let truncatedModel = Self(rawValue: "delivery.truncated-model")
  /// The file is not an encrypted model, or has a newer format.
  public static let notEncrypted = Self(rawValue: "delivery.not-encrypted")
  /// The key is missing or invalid. A key is 32 bytes, raw, in hexadecimal or in base64.
  public static let badModelKey = Self(rawValue: "delivery.bad-model-key")
  /// The model is encrypted, but no key was given.
  public static let noModelKey = Self(rawValue: "delivery.no-model-key")
}
