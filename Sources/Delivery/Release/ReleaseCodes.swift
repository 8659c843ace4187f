extension DeliveryError.Code {
  /// A signed document is larger than allowed; nothing of it was parsed.
  public static let oversizedDocument = Self(rawValue: "delivery.oversized-document")
  /// A signed document is not of the form of one.
  public static let malformedEnvelope = Self(rawValue: "delivery.malformed-envelope")
  /// A signed root or manifest does not say what one must, or contradicts itself.
  public static let malformedManifest = Self(rawValue: "delivery.malformed-manifest")
  /// A signature by a trusted key is not one over these bytes.
  public static let wrongSignature = Self(rawValue: "delivery.wrong-signature")
  /// No signature is by a key that is trusted for this.
  public static let unknownKey = Self(rawValue: "delivery.unknown-key")
  /// Too few trusted keys have signed.
  public static let thresholdNotMet = Self(rawValue: "delivery.threshold-not-met")
  /// A document is older than one that was accepted before.
  public static let rollback = Self(rawValue: "delivery.rollback")
  /// A document is past its expiry and the grace after it.
  public static let expired = Self(rawValue: "delivery.expired")
  /// Nothing says that a manifest is still the newest: its freshness statement is missing, or past its expiry and the grace after it.
  public static let stale = Self(rawValue: "delivery.stale")
  /// The host gives an older root or manifest than the freshness statement names.
  public static let withheld = Self(rawValue: "delivery.withheld")
  /// A document is of another repository or channel, or puts together what was not published together.
  public static let mixAndMatch = Self(rawValue: "delivery.mix-and-match")
  /// Two different documents have one version.
  public static let equivocation = Self(rawValue: "delivery.equivocation")
  /// A root does not follow the one that is trusted.
  public static let brokenRootChain = Self(rawValue: "delivery.broken-root-chain")
  /// A key file cannot be used: no key, or readable by others.
  public static let badKey = Self(rawValue: "delivery.bad-key")
  /// A payload is not in the form that the manifest states.
  public static let malformedPayload = Self(rawValue: "delivery.malformed-payload")
  /// A payload gives more bytes than the manifest states.
  public static let oversizedPayload = Self(rawValue: "delivery.oversized-payload")
  /// Bytes do not have the digest that the manifest states.
  public static let digestMismatch = Self(rawValue: "delivery.digest-mismatch")
  /// What a delta starts from is not there, or is not what it was made for.
  public static let deltaBase = Self(rawValue: "delivery.delta-base")
  /// What is to be published is not possible as asked.
  public static let cannotPublish = Self(rawValue: "delivery.cannot-publish")
}
