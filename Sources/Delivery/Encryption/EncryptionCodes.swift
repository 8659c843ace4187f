extension DeliveryError.Code {
  // Encrypted models.

  /// The key is not the one that the model was encrypted with.
  public static let wrongModelKey = Self(rawValue: "delivery.wrong-model-key")
  /// Bytes of an encrypted model are not those that were written.
  public static let tamperedModel = Self(rawValue: "delivery.tampered-model")
  /// An encrypted model ends early.
  public static let truncatedModel = Self(rawValue: "delivery.truncated-model")
  /// The file is no encrypted model, or one of a newer form.
  public static let notEncrypted = Self(rawValue: "delivery.not-encrypted")
  /// There is no key, or what is there is none: a key is 32 bytes, as they are, in hexadecimal or in base64.
  public static let badModelKey = Self(rawValue: "delivery.bad-model-key")
  /// The model is encrypted and no key was given.
  public static let noModelKey = Self(rawValue: "delivery.no-model-key")
}
