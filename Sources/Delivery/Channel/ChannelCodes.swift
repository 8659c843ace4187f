extension DeliveryError.Code {
  /// The channel has no model of this name, and no baseline exists.
  public static let notOffered = Self(rawValue: "delivery.not-offered")
  /// The requested release is not in the channel, or cannot be used on this device.
  public static let noSuchRelease = Self(rawValue: "delivery.no-such-release")
  /// A new model's inputs or outputs are incompatible with those of its predecessor.
  public static let otherInterface = Self(rawValue: "delivery.other-interface")
  /// No model of this name can be loaded: neither the installed releases nor the baseline.
  public static let noWorkingModel = Self(rawValue: "delivery.no-working-model")
  /// The device does not follow this channel.
  public static let notFollowed = Self(rawValue: "delivery.not-followed")
}
