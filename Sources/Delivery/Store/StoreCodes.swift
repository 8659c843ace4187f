extension DeliveryError.Code {
  // The store.

  /// A tree is not the one that was expected: its digest differs.
  public static let wrongTree = Self(rawValue: "delivery.wrong-tree")
  /// The store holds no model of the digest.
  public static let notInStore = Self(rawValue: "delivery.not-in-store")
  /// The record of an installed model, or of an object of the store, cannot be read.
  public static let damagedRecord = Self(rawValue: "delivery.damaged-record")
  /// A model is being removed by another process just now; trying again helps.
  public static let beingRemoved = Self(rawValue: "delivery.being-removed")
  /// A model's bytes are not those that were put into the store; it was set aside, and installing it again mends it.
  public static let damagedModel = Self(rawValue: "delivery.damaged-model")
  /// Others could have written a file or folder.
  public static let untrusted = Self(rawValue: "delivery.untrusted")
  /// The store may not grow any more.
  public static let storeFull = Self(rawValue: "delivery.store-full")
  /// There is no earlier version to go back to.
  public static let noEarlierVersion = Self(rawValue: "delivery.no-earlier-version")
}
