extension DeliveryError.Code {
  // The store.

  /// The digest of a tree differs from the expected one.
  public static let wrongTree = Self(rawValue: "delivery.wrong-tree")
  /// The store has no model with this digest.
  public static let notInStore = Self(rawValue: "delivery.not-in-store")
  /// The record of an installed model or of an object in the store cannot be read.
  public static let damagedRecord = Self(rawValue: "delivery.damaged-record")
  /// Another process is removing a model; a later attempt may succeed.
  public static let beingRemoved = Self(rawValue: "delivery.being-removed")
  /// A stored model is damaged. It was set aside; installing it again repairs it.
  public static let damagedModel = Self(rawValue: "delivery.damaged-model")
  /// Other users could have written a file or folder.
  public static let untrusted = Self(rawValue: "delivery.untrusted")
  /// The size limit of the store is reached.
  public static let storeFull = Self(rawValue: "delivery.store-full")
  /// There is no earlier version to return to.
  public static let noEarlierVersion = Self(rawValue: "delivery.no-earlier-version")
}
