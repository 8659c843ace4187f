extension DeliveryError.Code {
  // Why an archive is rejected. No entry is ever written outside of the target folder.

  /// An entry with an absolute path.
  public static let archiveAbsolutePath = Self(rawValue: "delivery.archive-absolute-path")
  /// An entry whose path contains `..`.
  public static let archiveParentPath = Self(rawValue: "delivery.archive-parent-path")
  /// An entry with an invalid path: empty, too long, not UTF-8, or with control characters or backslashes.
  public static let archiveBadPath = Self(rawValue: "delivery.archive-bad-path")
  /// A symbolic or a hard link.
  public static let archiveLink = Self(rawValue: "delivery.archive-link")
  /// A device, a pipe or a socket.
  public static let archiveDevice = Self(rawValue: "delivery.archive-device")
  /// Two entries whose paths differ only in case or Unicode composition, so that some file systems would merge them.
  public static let archiveCaseClash = Self(rawValue: "delivery.archive-case-clash")
  /// A duplicate entry, or a file where another entry needs a folder.
  public static let archiveDuplicate = Self(rawValue: "delivery.archive-duplicate")
  /// The unpacked size exceeds the limit.
  public static let archiveTooLarge = Self(rawValue: "delivery.archive-too-large")
  /// The ratio of unpacked to packed size exceeds the limit.
  public static let archiveRatio = Self(rawValue: "delivery.archive-ratio")
  /// The number of entries exceeds the limit.
  public static let archiveTooManyFiles = Self(rawValue: "delivery.archive-too-many-files")
  /// The folders are nested more deeply than the limit.
  public static let archiveTooDeep = Self(rawValue: "delivery.archive-too-deep")
  /// The archive is truncated.
  public static let archiveTruncated = Self(rawValue: "delivery.archive-truncated")
  /// The archive is damaged.
  public static let archiveDamaged = Self(rawValue: "delivery.archive-damaged")
  /// An unsupported archive format, or an archive with encrypted or sparse entries.
  public static let archiveUnsupported = Self(rawValue: "delivery.archive-unsupported")
  /// The archive contains no model, or several models.
  public static let archiveNotOneModel = Self(rawValue: "delivery.archive-not-one-model")
}
