extension DeliveryError.Code {
  /// The channel has no model of the name, and none came with the software.
  public static let notOffered = Self(rawValue: "delivery.not-offered")
  /// This device is told to use a release that the channel does not have, or that cannot be used here.
  public static let noSuchRelease = Self(rawValue: "delivery.no-such-release")
  /// A new model takes other inputs, or gives other outputs, than the one before it.
  public static let otherInterface = Self(rawValue: "delivery.other-interface")
  /// No model of the name can be loaded: neither what was installed nor what came with the software.
  public static let noWorkingModel = Self(rawValue: "delivery.no-working-model")
  /// The device does not follow such a channel.
  public static let notFollowed = Self(rawValue: "delivery.not-followed")
}
