extension DeliveryError.Code {
  /// A signed document exceeds the size limit; nothing was parsed.
  public static let oversizedDocument = Self(rawValue: "delivery.oversized-document")
  /// A signed document is not a valid envelope.
  public static let malformedEnvelope = Self(rawValue: "delivery.malformed-envelope")
  /// A signed root, manifest or freshness statement is incomplete or inconsistent.
  public static let malformedManifest = Self(rawValue: "delivery.malformed-manifest")
  /// A signature by a trusted key is invalid for these bytes.
  public static let wrongSignature = Self(rawValue: "delivery.wrong-signature")
  /// No signature is by a key trusted for this document.
  public static let unknownKey = Self(rawValue: "delivery.unknown-key")
  /// Too few trusted keys have signed.
  public static let thresholdNotMet = Self(rawValue: "delivery.threshold-not-met")
  /// A document is older than one accepted before.
  public static let rollback = Self(rawValue: "delivery.rollback")
  /// A document has expired, and its grace period is over.
  public static let expired = Self(rawValue: "delivery.expired")
  /// The freshness statement is missing or expired, and its grace period is over.
  public static let stale = Self(rawValue: "delivery.stale")
  /// The host has an older root or manifest than the freshness statement names.
  public static let withheld = Self(rawValue: "delivery.withheld")
  /// A document belongs to another repository or channel, or combines parts that were not published together.
  public static let mixAndMatch = Self(rawValue: "delivery.mix-and-match")
  /// Two different documents have the same version.
  public static let equivocation = Self(rawValue: "delivery.equivocation")
  /// A root is not a valid successor of the trusted root.
  public static let brokenRootChain = Self(rawValue: "delivery.broken-root-chain")
  /// A key file cannot be used: it contains no key, or others can read it.
  public static let badKey = Self(rawValue: "delivery.bad-key")
  /// A payload is not in the encoding that the manifest states.
  public static let malformedPayload = Self(rawValue: "delivery.malformed-payload")
  /// A payload decodes to more bytes than the manifest states.
  public static let oversizedPayload = Self(rawValue: "delivery.oversized-payload")
  /// The digest of a file differs from the one in the manifest.
  public static let digestMismatch = Self(rawValue: "delivery.digest-mismatch")
  /// The base of a delta is missing or differs from the one that the delta was made for.
  public static let deltaBase = Self(rawValue: "delivery.delta-base")
  /// The requested publication is not possible.
  public static let cannotPublish = Self(rawValue: "delivery.cannot-publish")
}
